"""What is written into the log: one JSON object a line (words on a terminal), no token, nothing that players wrote."""

from __future__ import annotations

import logging
import re
import sys
import traceback
from collections.abc import MutableMapping
from types import TracebackType
from typing import Any, Final, TextIO

import structlog

_TOKEN: Final = re.compile(r"\b(?:[a-z0-9]{1,12}-)+[a-z0-9]{20,}\b", re.IGNORECASE)
_PASSWORD: Final = re.compile(r"(://[^\s:/@]+:)[^\s@/]+@")
_ADDRESS: Final = re.compile(r"\b[\w.+%-]+@[\w-]+(?:\.[\w-]+)+\b")
_Told = MutableMapping[str, Any]
_TOLD_BY_ERRORS: Final = (OSError,)
"""Their words come from the system. Those of others may repeat a move, a link or a row."""


def set_up(level: str, *, stream: TextIO | None = None) -> None:
    """Everything that this process logs goes through here, whoever logs it."""
    out = stream or sys.stderr
    last: Any = structlog.dev.ConsoleRenderer(colors=False) if out.isatty() else structlog.processors.JSONRenderer()
    formatter = structlog.stdlib.ProcessorFormatter(
        foreign_pre_chain=[
            structlog.stdlib.add_log_level,
            structlog.stdlib.add_logger_name,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
        ],
        processors=[_error_without_its_words, structlog.stdlib.ProcessorFormatter.remove_processors_meta, _clean, last],
    )
    handler = logging.StreamHandler(out)
    handler.setFormatter(formatter)
    root = logging.getLogger()
    for old in root.handlers[:]:
        if isinstance(old.formatter, structlog.stdlib.ProcessorFormatter):
            root.removeHandler(old)
    root.addHandler(handler)
    root.setLevel(level.upper())
    for chatty in ("alembic", "apscheduler", "procrastinate", "waitress", "asyncio"):
        logging.getLogger(chatty).setLevel(max(logging.WARNING, root.level))


def without_secrets(text: str) -> str:
    """Links' tokens, passwords of addresses and people's mail addresses as “…”."""
    return _ADDRESS.sub("…", _TOKEN.sub("…", _PASSWORD.sub(r"\1…@", text)))


def told_by(error: BaseException | None) -> str:
    """An error's words, where nobody else's can be among them."""
    return without_secrets(str(error)) if isinstance(error, _TOLD_BY_ERRORS) else ""


def _error_without_its_words(_logger: object, _method: str, told: _Told) -> _Told:
    """Where an error happened and of which kind it is."""
    given = told.pop("exc_info", None)
    record = told.get("_record")
    if given is None and isinstance(record, logging.LogRecord):
        given = record.exc_info
    if given is True:
        given = sys.exc_info()
    if isinstance(given, tuple) and given[0] is not None:
        kind, error, trace = given
        told["error"] = f"{kind.__name__}: {words}" if (words := told_by(error)) else kind.__name__
        told["where"] = _frames(trace)
    return told


def _frames(trace: TracebackType | None) -> list[str]:
    return [f"{frame.filename}:{frame.lineno} {frame.name}" for frame in traceback.extract_tb(trace)[-12:]]


def _clean(_logger: object, _method: str, told: _Told) -> _Told:
    for name, value in told.items():
        if isinstance(value, str):
            told[name] = without_secrets(value)
    return told

"""The `estafette` command in this process: what it says, and how it ends."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from pathlib import Path

import pytest

from server.cli import main


@dataclass(frozen=True)
class Said:
    """How a command ended and what it said."""

    status: int
    out: str
    err: str


class Commands:
    """Commands for one instance, as an operator types them."""

    def __init__(
        self, database_url: str, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        self._monkeypatch = monkeypatch
        self._capsys = capsys
        self.settings = {
            "ESTAFETTE_DATABASE_URL": database_url,
            "ESTAFETTE_DATA": str(folder),
            "ESTAFETTE_SECRET_KEYS": "k" * 40,
        }

    def set(self, **settings: str) -> None:
        self.settings |= {f"ESTAFETTE_{name.upper()}": value for name, value in settings.items()}

    def unset(self, name: str) -> None:
        self.settings.pop(f"ESTAFETTE_{name.upper()}", None)

    def __call__(self, *arguments: str) -> Said:
        with self._monkeypatch.context() as environment:
            environment.delenv("ESTAFETTE_PROOF", raising=False)  # the suite's own: no setting
            for name, value in self.settings.items():
                environment.setenv(name, value)
            self._capsys.readouterr()
            status = 0
            root = logging.getLogger()
            handlers, level = root.handlers[:], root.level
            try:
                main(list(arguments))
            except SystemExit as ended:
                status = int(ended.code or 0)
            finally:
                root.handlers[:] = handlers
                root.setLevel(level)
            said = self._capsys.readouterr()
        return Said(status, said.out, said.err)

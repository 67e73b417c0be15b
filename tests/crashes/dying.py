"""A child that does something and is killed with signal 9 at the Nth point where the world outside sees it act."""

from __future__ import annotations

import itertools
import os
import signal
import sys
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import event
from sqlalchemy.engine import Engine

LONG = bool(os.environ.get("ESTAFETTE_PROOF"))
"""The long form: every point; the short one takes some of them where there are hundreds."""
MOST = 2_000
FILE_EVENTS = {"open", "os.link", "os.rename", "os.remove", "os.mkdir", "os.rmdir", "sqlite3.connect", "shutil.rmtree"}


def at_statements(act: Callable[[], None], _folder: Path) -> None:
    """Before every statement and every commit that is sent to the database."""
    event.listen(Engine, "before_cursor_execute", lambda *_: act())
    event.listen(Engine, "commit", lambda *_: act())


def at_files(act: Callable[[], None], folder: Path) -> None:
    """Before every change of a file in the folder."""

    def heard(name: str, arguments: tuple[Any, ...]) -> None:
        if name in FILE_EVENTS and any(str(folder) in str(each) for each in arguments[:2]):
            act()

    sys.addaudithook(heard)


def dies_at(
    number: int, do: Callable[[], Any], *, folder: Path, points: Callable[[Callable[[], None], Path], None]
) -> bool:
    """Do it in a child that kills itself at point `number`; False if it got through before."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Python 3.12 warns of forks where threads are
        child = os.fork()
    if child == 0:
        try:
            countdown = itertools.count(1)

            def act() -> None:
                if next(countdown) == number:
                    os.kill(os.getpid(), signal.SIGKILL)

            points(act, folder)
            do()
            os._exit(0)
        except BaseException:
            import traceback

            traceback.print_exc()
            os._exit(1)
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        return True
    assert os.waitstatus_to_exitcode(status) == 0, "the child failed instead of dying"
    return False


def deaths(
    do: Callable[[], Any],
    *,
    folder: Path,
    points: Callable[[Callable[[], None], Path], None] = at_statements,
    each: int = 1,
) -> Iterator[int]:
    """Yields after each death, and once after the child got through; `each` 3 takes every third point."""
    for number in range(1, MOST, each):
        died = dies_at(number, do, folder=folder, points=points)
        yield number
        if not died:
            assert number > 3, "nothing was killed"
            return
    pytest.fail("the child never got through")

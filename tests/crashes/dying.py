"""A child that does something and is killed with signal 9 at the Nth point where the world outside sees it act."""

from __future__ import annotations

import itertools
import os
import signal
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from sqlalchemy import event
from sqlalchemy.engine import Engine

LONG = bool(os.environ.get("ESTAFETTE_PROOF"))
"""The long form: every point; the short one takes the first, the last, each commit and what follows, and some more."""
SOME = 5
MOST = 2_000
Act = Callable[[str], None]
"""Is told of each point: "statement", "commit", or what is done to a file."""
FILE_EVENTS = {"open", "os.link", "os.rename", "os.remove", "os.mkdir", "os.rmdir", "sqlite3.connect", "shutil.rmtree"}


def at_statements(act: Act, _folder: Path) -> None:
    """Before every statement and every commit that is sent to the database."""
    event.listen(Engine, "before_cursor_execute", lambda *_: act("statement"))
    event.listen(Engine, "commit", lambda *_: act("commit"))


def at_files(act: Act, folder: Path) -> None:
    """Before every change of a file in the folder."""

    def heard(name: str, arguments: tuple[Any, ...]) -> None:
        if name in FILE_EVENTS and any(str(folder) in str(each) for each in arguments[:2]):
            act(name)

    sys.addaudithook(heard)


Points = Callable[[Act, Path], None]


def dies_at(number: int, do: Callable[[], Any], *, folder: Path, points: Points) -> bool:
    """Do it in a child that kills itself at point `number`; False if it got through before."""
    countdown = itertools.count(1)

    def act(_: str) -> None:
        if next(countdown) == number:
            os.kill(os.getpid(), signal.SIGKILL)

    status = _in_a_child(lambda: points(act, folder), do)
    if os.WIFSIGNALED(status):
        return True
    assert os.waitstatus_to_exitcode(status) == 0, "the child failed instead of dying"
    return False


def points_of(do: Callable[[], Any], *, folder: Path, points: Points) -> list[str]:
    """Do it in a child that gets through, and tells what it came past."""
    with tempfile.TemporaryFile() as told:
        status = _in_a_child(lambda: points(lambda what: told.write(f"{what}\n".encode()), folder), do, told.flush)
        assert os.waitstatus_to_exitcode(status) == 0, "the child failed"
        told.seek(0)
        return told.read().decode().split()


def numbers_of(kinds: Sequence[str]) -> list[int]:
    """The points to die at."""
    last = len(kinds)
    assert last > 3, "nothing to be killed at"
    if LONG:
        return list(range(1, last + 1))
    commits = [number for number, kind in enumerate(kinds, start=1) if kind == "commit"]
    spread = range(1, last + 1, max(1, last // SOME))
    return sorted({1, last, *spread, *commits, *(number + 1 for number in commits if number < last)})


def deaths(do: Callable[[], Any], *, folder: Path, points: Points = at_statements) -> Iterator[int]:
    """Yields twice after a child that got through, and then after each death at one of its points.

    The first child notes some things for good, so it comes past more points than the others.
    """
    kinds: list[str] = []
    for _ in range(2):
        kinds = points_of(do, folder=folder, points=points)
        yield 0
    numbers = numbers_of(kinds)
    died = 0
    for number in numbers:
        died += dies_at(number, do, folder=folder, points=points)
        yield number
    assert died >= len(numbers) - 1, "the children got through"


def _in_a_child(*steps: Callable[[], Any]) -> int:
    """Its status, as `os.waitpid` tells it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Python 3.12 warns of forks where threads are
        child = os.fork()
    if child == 0:
        try:
            for step in steps:
                step()
            os._exit(0)
        except BaseException:
            import traceback

            traceback.print_exc()
            os._exit(1)
    return os.waitpid(child, 0)[1]

"""Chromium as a process that is told over a pipe what to do: without a driver, a port, or any help of the page."""

from __future__ import annotations

import fcntl
import json
import os
import select
import shutil
import signal
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

BROWSER: Final = shutil.which("chromium")

PATIENCE: Final = 60.0
"""Seconds that anything may take on a busy machine; then it counts as broken, and nothing waits on."""

_FLAGS: Final = (
    *("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--remote-debugging-pipe"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage"),
    *("--disable-features=Translate,OptimizationHints", "--hide-scrollbars", "--force-color-profile=srgb"),
)

Event = dict[str, Any]


class Refused(AssertionError):
    """What Chromium answered to a command that it did not carry out."""


class Devtools:
    """Commands to one browser and the events it tells; each tab is a session."""

    def __init__(self, process: int, commands: int, answers: int) -> None:
        self._process, self._commands, self._answers = process, commands, answers
        self._read = b""
        self._number = 0
        self._events: deque[Event] = deque()

    def call(self, method: str, session: str = "", **params: Any) -> Any:
        """Tell it something and wait until it is done. What happens meanwhile is kept for `event`."""
        self._number += 1
        told = {"id": self._number, "method": method, "params": params} | ({"sessionId": session} if session else {})
        os.write(self._commands, json.dumps(told).encode() + b"\0")
        deadline = time.monotonic() + PATIENCE
        while (answer := self._message(deadline, method)).get("id") != self._number:
            self._events.append(answer)
        if "error" in answer:
            raise Refused(f"{method}: {answer['error']['message']}")
        return answer["result"]

    def event(self, wanted: Callable[[Event], bool], what: str) -> Event:
        """The next event of which this is true; those before it are done with."""
        deadline = time.monotonic() + PATIENCE
        while True:
            event = self._events.popleft() if self._events else self._message(deadline, what)
            if wanted(event):
                return event

    def forget(self) -> list[Event]:
        """The events so far, of which the next `event` is none."""
        events = list(self._events)
        self._events.clear()
        return events

    def _message(self, deadline: float, what: str) -> Event:
        while b"\0" not in self._read:
            ready, _, _ = select.select([self._answers], [], [], max(0.0, deadline - time.monotonic()))
            assert ready, f"Chromium says nothing for {PATIENCE:g} seconds about {what}"
            more = os.read(self._answers, 1 << 20)
            assert more, f"Chromium has ended during {what}"
            self._read += more
        told, _, self._read = self._read.partition(b"\0")
        event: Event = json.loads(told)
        return event

    def kill(self) -> None:
        """The browser and all its processes, at once: asked politely it sometimes takes minutes."""
        os.killpg(self._process, signal.SIGKILL)
        os.waitpid(self._process, 0)
        os.close(self._commands)
        os.close(self._answers)


@contextmanager
def chromium(folder: Path, *flags: str) -> Iterator[Devtools]:
    """A fresh browser without history, which has its profile and what it complains about in this folder."""
    folder.mkdir(parents=True, exist_ok=True)
    its_commands, our_commands = map(_high, os.pipe())
    our_answers, its_answers = map(_high, os.pipe())
    complaints = str(folder / "complaints.log")
    process = os.posix_spawn(
        str(BROWSER),
        [str(BROWSER), *_FLAGS, f"--user-data-dir={folder / 'profile'}", *flags, "about:blank"],
        os.environ,
        setpgroup=0,
        file_actions=[
            (os.POSIX_SPAWN_OPEN, 1, complaints, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600),
            (os.POSIX_SPAWN_DUP2, 1, 2),
            (os.POSIX_SPAWN_DUP2, its_commands, 3),  # Chromium reads commands from 3
            (os.POSIX_SPAWN_DUP2, its_answers, 4),  # and answers on 4
        ],
    )
    os.close(its_commands)
    os.close(its_answers)
    devtools = Devtools(process, our_commands, our_answers)
    try:
        yield devtools
    finally:
        devtools.kill()


def _high(descriptor: int) -> int:
    """The same under a number that none of ours stands in the way of Chromium's 3 and 4."""
    high = fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, 10)
    os.close(descriptor)
    return high

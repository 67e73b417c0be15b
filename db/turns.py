"""Writers of a SQLite file take turns: first come, first served, among the threads and among the processes.

SQLite's own way of waiting is to sleep and try again, which lets newcomers overtake and the unlucky starve.
"""

import fcntl
import os
import threading
import time
from collections import deque
from pathlib import Path

_LOOK_EVERY = 0.0005  # seconds between two looks at a file that another process has locked


class DatabaseBusy(Exception):
    """Somebody else has been writing for too long. Nothing was changed."""


class DatabaseGone(DatabaseBusy):
    """It cannot be reached, or cannot write: the cause is chained. Nothing was changed."""

    def __init__(self) -> None:
        super().__init__("The database does not answer. Nothing was changed; please try again in a moment.")


class ThreadTurns:
    """A lock that is handed on in the order of asking."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._waiting: deque[threading.Lock] = deque()
        self._holder: int | None = None

    def acquire(self, timeout: float) -> bool:
        me = threading.get_ident()
        with self._guard:
            if self._holder is None:
                self._holder = me
                return True
            if self._holder == me:
                raise RuntimeError(
                    "This thread is writing already. One writing() inside another would wait for itself."
                )
            turn = threading.Lock()
            turn.acquire()
            self._waiting.append(turn)
        if not turn.acquire(timeout=timeout) and self._gave_up(turn):
            return False
        self._holder = me
        return True

    def release(self) -> None:
        with self._guard:
            if self._waiting:
                self._holder = 0  # on its way to the next in line
                self._waiting.popleft().release()
            else:
                self._holder = None

    def _gave_up(self, turn: threading.Lock) -> bool:
        with self._guard:
            if turn not in self._waiting:
                return False  # it was handed over in the last moment
            self._waiting.remove(turn)
            return True


class FileTurns:
    """A lock between processes. Who comes next waits at a gate, so the last holder cannot overtake them."""

    def __init__(self, database: Path) -> None:
        self._gate = _open(database.with_name(database.name + "-gate"))
        self._lock = _open(database.with_name(database.name + "-lock"))

    def acquire(self, timeout: float) -> bool:
        deadline = time.monotonic() + timeout
        if not _lock(self._gate, deadline):
            return False
        try:
            return _lock(self._lock, deadline)
        finally:
            fcntl.flock(self._gate, fcntl.LOCK_UN)

    def release(self) -> None:
        fcntl.flock(self._lock, fcntl.LOCK_UN)

    def close(self) -> None:
        os.close(self._gate)
        os.close(self._lock)


class WriterTurns:
    """Both: one thread of each process stands in the line of the processes."""

    def __init__(self, database: Path) -> None:
        self._threads = ThreadTurns()
        self._files = FileTurns(database)

    def acquire(self, patience: float) -> None:
        """Raises DatabaseBusy when so many seconds were not enough."""
        start = time.monotonic()
        if not self._threads.acquire(patience):
            raise busy(patience)
        try:
            if not self._files.acquire(patience - (time.monotonic() - start)):
                raise busy(patience)
        except BaseException:
            self._threads.release()
            raise

    def release(self) -> None:
        try:
            self._files.release()
        finally:
            self._threads.release()

    def close(self) -> None:
        self._files.close()


class InUse:
    """Who uses a database file holds it together with the others; who exchanges it has to be alone."""

    def __init__(self, database: Path, *, alone: bool = False, patience: float = 0) -> None:
        """Raises DatabaseBusy if it is not to be had."""
        self._file = _open(database.with_name(database.name + "-used"))
        how = fcntl.LOCK_EX if alone else fcntl.LOCK_SH
        if not _lock(self._file, time.monotonic() + patience, how):
            os.close(self._file)
            raise DatabaseBusy("A process of Estafette uses the database." if alone else "The database is exchanged.")

    def close(self) -> None:
        os.close(self._file)


def busy(patience: float) -> DatabaseBusy:
    return DatabaseBusy(
        f"Others have been writing to the database for {patience:g} seconds. "
        "Nothing was changed; please try again in a moment."
    )


def _open(path: Path) -> int:
    return os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)


def _lock(descriptor: int, deadline: float, how: int = fcntl.LOCK_EX) -> bool:
    while True:
        try:
            fcntl.flock(descriptor, how | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() >= deadline:
                return False
            time.sleep(_LOOK_EVERY)
        else:
            return True

"""Numbers of the whole instance: counted anew each time, unless counting takes long."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, TypeVar, cast

from flask import current_app

T = TypeVar("T")

_QUICK: Final = 0.005  # seconds
_AT_MOST: Final = 1 / 200
"""Of the time, counting what is counted slowly: a count that takes 0.1 s is good for 20 s."""


@dataclass(frozen=True)
class _Counted:
    found: Any
    took: float
    at: float

    def is_fresh(self, now: float) -> bool:
        return self.took > _QUICK and now - self.at < self.took / _AT_MOST


class Counts:
    """What was counted last. Of millions of rows no page waits for a count that another has just made."""

    def __init__(self, clock: Callable[[], float] = time.perf_counter) -> None:
        self._clock = clock
        self._guard = threading.Lock()
        self._last: dict[str, _Counted] = {}

    def of(self, what: str, count: Callable[[], T]) -> T:
        with self._guard:
            last = self._last.get(what)
        if last is None or not last.is_fresh(self._clock()):
            begun = self._clock()
            found = count()
            last = _Counted(found, self._clock() - begun, self._clock())
            with self._guard:
                self._last[what] = last
        return cast(T, last.found)


def counts() -> Counts:
    """Those of this web process."""
    return cast(Counts, current_app.extensions.setdefault("estafette: counts", Counts()))

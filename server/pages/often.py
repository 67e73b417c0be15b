"""How often somebody may do something: counted in this process alone, against those who try many times."""

from __future__ import annotations

import threading
from collections import OrderedDict, deque
from datetime import datetime, timedelta
from typing import Final

_PEOPLE: Final = 10_000


class Often:
    """At most `most` times in so many minutes for each one."""

    def __init__(self, most: int, *, minutes: int) -> None:
        self._most = most
        self._span = timedelta(minutes=minutes)
        self._times: OrderedDict[str, deque[datetime]] = OrderedDict()
        self._guard = threading.Lock()

    def may(self, who: str, now: datetime) -> bool:
        with self._guard:
            times = self._times.setdefault(who, deque())
            self._times.move_to_end(who)
            if len(self._times) > _PEOPLE:
                self._times.popitem(last=False)
            while times and times[0] <= now - self._span:
                times.popleft()
            if len(times) >= self._most:
                return False
            times.append(now)
            return True

"""Numbers of a large instance are counted rarely, those of a small one each time."""

from __future__ import annotations

from server.pages.counting import Counts


class _Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


class _Slow:
    """A count that takes so many seconds, and finds 1, 2, 3 …"""

    def __init__(self, seconds: float) -> None:
        self.seconds, self.found, self.clock = seconds, 0, _Clock()
        self.counts = Counts(self.clock)

    def count(self) -> int:
        self.clock.now += self.seconds
        self.found += 1
        return self.found

    def ask(self) -> int:
        return self.counts.of("letters", self.count)


def test_what_is_counted_quickly_is_counted_each_time() -> None:
    quick = _Slow(0.001)
    assert [quick.ask() for _ in range(3)] == [1, 2, 3]


def test_what_takes_long_is_counted_for_one_two_hundredth_of_the_time() -> None:
    slow = _Slow(0.1)
    assert [slow.ask() for _ in range(3)] == [1, 1, 1]
    slow.clock.now += 19.9
    assert slow.ask() == 1
    slow.clock.now += 0.2
    assert slow.ask() == 2

"""Trying answers out: the promising ones are played on in the head, the best of them most often."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from typing import Final, TypeAlias

Try: TypeAlias = Callable[[str, random.Random], float]
"""(answer, luck) -> what came of the answer once, the more the better. The same luck means the same unseen things."""


WHIM: Final = 0.2
"""Promises that differ by less count as nearly equal."""


def most_promising(promises: Mapping[str, float], most: int) -> dict[str, float]:
    """At most so many answers with what they promise, the most promising first."""
    return dict(sorted(promises.items(), key=lambda each: -each[1])[:most])


def at_once(promises: Mapping[str, float], luck: random.Random) -> str:
    """The answer that promises most, with a little luck among what is nearly equal."""
    return max(promises, key=lambda answer: promises[answer] + luck.random() * WHIM)


def best_of(promises: Mapping[str, float], try_out: Try, tries: int, luck: random.Random, *, trust: float = 0.0) -> str:
    """The answer that does best in about so many tries; those behind drop out by halves.

    `trust` says how many tries the promises are worth, where they are in the same measure.
    """
    left = list(promises)
    came = {answer: promised * trust for answer, promised in promises.items()}
    rounds = max(1, (len(left) - 1).bit_length())
    while len(left) > 1:
        for _ in range(max(1, tries // (rounds * len(left)))):
            seed = luck.getrandbits(64)
            for answer in left:
                came[answer] += try_out(answer, random.Random(seed))  # noqa: S311 - it only imagines
        left = sorted(left, key=lambda answer: -came[answer])[: (len(left) + 1) // 2]
    return left[0]

"""Trying answers out: the promising ones are played on in the head, the best of them most often."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

Try: TypeAlias = Callable[[str, random.Random], float]
"""(answer, luck) -> what came of the answer once, the more the better. The same luck means the same unseen things."""


def most_promising(promises: Mapping[str, float], most: int) -> list[str]:
    """At most so many answers, the most promising first."""
    return sorted(promises, key=lambda answer: -promises[answer])[:most]


def best_of(answers: Sequence[str], try_out: Try, tries: int, luck: random.Random) -> str:
    """The answer that does best in about so many tries; those behind drop out by halves."""
    left = list(answers)
    came = dict.fromkeys(left, 0.0)
    rounds = max(1, (len(left) - 1).bit_length())
    while len(left) > 1:
        for _ in range(max(1, tries // (rounds * len(left)))):
            seed = luck.getrandbits(64)
            for answer in left:
                came[answer] += try_out(answer, random.Random(seed))  # noqa: S311 - it only imagines
        left = sorted(left, key=lambda answer: -came[answer])[: (len(left) + 1) // 2]
    return left[0]

"""Everything random is a named shuffle; its order comes from the secret seed or from a record.

The construction, so that anyone can write the check in another language: the shuffle with number n (0 for a
match's first) and a name draws big-endian 32-bit words from the blocks
HMAC-SHA-256(key = seed as ASCII, message = "n/name/k") for k = 0, 1, 2, … (n and k in decimal). The things lie
ascending by their text at first, numbers in it by their value ("R2" before "R10"). For i from the last index down to 1
a word w is drawn, again while w >= 2**32 - 2**32 % (i + 1), and the things at i and w % (i + 1) change places. The
commitment to a seed is its SHA-256 in hexadecimal.

Players may add words of their own once the commitment is published. Then the seed of the shuffles is not the committed
one but, in hexadecimal, HMAC-SHA-256(key = committed seed as ASCII, message = a line "seat:word" in UTF-8 for each seat
with a word, seats ascending, "\n" between the lines). Without any word the committed seed is used as it is.
"""

from __future__ import annotations

import hashlib
import hmac
import struct
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple, Protocol


class Shuffle(NamedTuple):
    """One shuffle as it fell: its name and the order, first = top."""

    name: str
    order: tuple[str, ...]


class ChanceError(ValueError):
    """A recorded order that is not an arrangement of what is shuffled, or is missing."""


class Chance(Protocol):
    orders: list[Shuffle]

    def shuffle(self, name: str, things: Sequence[str]) -> list[str]:
        """An order of `things` (handed over sorted in one fixed way), first = top."""

    def again(self) -> Chance:
        """The same luck from the beginning."""


class Seeded:
    """Luck from a secret seed, a text."""

    def __init__(self, seed: str) -> None:
        self.seed = seed
        self.orders: list[Shuffle] = []

    def shuffle(self, name: str, things: Sequence[str]) -> list[str]:
        order = list(things)
        words = _words(self.seed, f"{len(self.orders)}/{name}")
        for i in range(len(order) - 1, 0, -1):
            limit = 0x100000000 - 0x100000000 % (i + 1)
            w = next(words)
            while w >= limit:
                w = next(words)
            j = w % (i + 1)
            order[i], order[j] = order[j], order[i]
        self.orders.append(Shuffle(name, tuple(order)))
        return order

    def again(self) -> Seeded:
        return Seeded(self.seed)


class Recorded:
    """Luck as a record tells it."""

    def __init__(self, recorded: Sequence[Shuffle]) -> None:
        self._recorded = tuple(recorded)
        self.orders: list[Shuffle] = []

    def shuffle(self, name: str, things: Sequence[str]) -> list[str]:
        number = len(self.orders)
        if number >= len(self._recorded):
            raise ChanceError(f"The record has {number} shuffles, but shuffle {number + 1} ({name}) is needed.")
        told = self._recorded[number]
        if told.name != name:
            raise ChanceError(f"Shuffle {number + 1} of the record is “{told.name}”, but “{name}” comes here.")
        if told.order != tuple(things) and Counter(told.order) != Counter(things):
            raise ChanceError(f"Shuffle {number + 1} ({name}) is not an arrangement of what is shuffled.")
        self.orders.append(told)
        return list(told.order)

    def again(self) -> Recorded:
        return Recorded(self._recorded)


def commitment(seed: str) -> str:
    """What is published before the match: the SHA-256 of the seed, in hexadecimal."""
    return hashlib.sha256(seed.encode()).hexdigest()


def mixed(seed: str, words: Sequence[str | None]) -> str:
    """The seed of the shuffles: the committed one with the words that players added, seat 1 first."""
    lines = "\n".join(f"{seat}:{word}" for seat, word in enumerate(words, start=1) if word)
    return hmac.digest(seed.encode(), lines.encode(), "sha256").hex() if lines else seed


def _words(seed: str, label: str) -> Iterator[int]:
    key = seed.encode()
    block = 0
    while True:
        yield from struct.unpack(">8I", hmac.digest(key, f"{label}/{block}".encode(), "sha256"))
        block += 1

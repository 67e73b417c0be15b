"""The six colours of the influence cards, and how cards are counted and written."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from functools import lru_cache
from itertools import combinations_with_replacement
from typing import Final

from server.rules.telling import Sentence, sentence

COLOURS: Final = ("blue", "yellow", "purple", "white", "red", "green")
_RANK: Final = {colour: rank for rank, colour in enumerate(COLOURS)}


def in_order(colours: Iterable[str]) -> tuple[str, ...]:
    """The colours in the order in which moves write them."""
    return tuple(sorted(colours, key=_RANK.__getitem__))


@lru_cache
def choices(number: int) -> tuple[tuple[str, ...], ...]:
    """Every way to choose this many cards, alike or different, by colour."""
    return tuple(combinations_with_replacement(COLOURS, number))


def counted(cards: Iterable[str]) -> tuple[Sentence, ...]:
    """Cards as parts of a sentence: "2 blue", "1 red"."""
    numbers = Counter(cards)
    return tuple(_some(numbers[colour], colour) for colour in COLOURS if colour in numbers)


@lru_cache
def _some(number: int, colour: str) -> Sentence:
    return sentence("{number} {colour}", number=number, colour=colour)

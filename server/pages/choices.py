"""The choices of a decision, step by step: a tree over the words of the moves, one level of it at a time."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

AT_ONCE: Final = 8
"""So many choices are simply listed."""

AT_ONCE_DEEPER: Final = 14
"""The same below the first level: nobody should tap three times to save some lines."""

_PIECE = re.compile(r"[^ .]+[ .]?|[ .]")


@dataclass(frozen=True)
class Leaf:
    """A whole move."""

    text: str


@dataclass(frozen=True)
class Branch:
    """Several moves that begin alike: the step to the next level."""

    at: str
    count: int
    first: str  # one of the moves, to be named as an example

    @property
    def begins(self) -> str:
        return self.at.rstrip(" ")


Entry: TypeAlias = Leaf | Branch


def level(texts: Sequence[str], at: str = "") -> tuple[Entry, ...]:
    """What can be chosen among the moves that begin with `at`, in the order of the listing; all, if none does.

    `at` is what a `Branch` of the level above said. A branch is never alone: its level would be shown at once.
    """
    found = [text for text in texts if text.startswith(at)] if at else list(texts)
    if not found:
        found, at = list(texts), ""
    while True:
        if len(found) <= (AT_ONCE_DEEPER if at else AT_ONCE):
            return tuple(Leaf(text) for text in found)
        groups = _groups(found, len(at))
        if len(groups) > 1:
            return tuple(_entry(start, group) for start, group in groups.items())
        at = next(iter(groups))


def words_in(texts: Sequence[str]) -> dict[str, list[str]]:
    """The moves in which each word stands: places, among others. Their verbs do not count.

    A place in another ("2.5" in "2") is named by the beginning of its word too.
    """
    found: dict[str, list[str]] = {}
    for text in texts:
        words = text.split()[1:]
        for word in dict.fromkeys([*words, *(word.partition(".")[0] for word in words if "." in word)]):
            found.setdefault(word, []).append(text)
    return found


def beginnings(entries: Sequence[Entry], says: Mapping[str, str]) -> dict[str, str]:
    """How the sentences of each branch's moves begin, by its `at`; empty where that does not tell it from another."""
    begun = {
        entry.at: common_words([said for text, said in says.items() if text.startswith(entry.at)])
        for entry in entries
        if isinstance(entry, Branch)
    }
    known = list(begun.values())
    return {at: words if known.count(words) == 1 else "" for at, words in begun.items()}


def common_words(sentences: Sequence[str]) -> str:
    """The words with which all of them begin."""
    alike = []
    for words in zip(*(sentence.split() for sentence in sentences), strict=False):
        if len(set(words)) > 1:
            break
        alike.append(words[0])
    return " ".join(alike).rstrip(",;:")


def _groups(texts: Sequence[str], begun: int) -> dict[str, list[str]]:
    """The moves by the next piece of their text. A move that ends here stands alone under its whole text."""
    groups: dict[str, list[str]] = {}
    for text in texts:
        piece = _PIECE.match(text, begun)
        end = piece.end() if piece else len(text)
        groups.setdefault(text[:end], []).append(text)
    return groups


def _entry(start: str, group: list[str]) -> Entry:
    if len(group) == 1:
        return Leaf(group[0])
    return Branch(_merged(start, group), len(group), group[0])


def _merged(start: str, group: list[str]) -> str:
    """As far as all moves of the group are alike: steps without a choice are no steps."""
    while start not in group:
        groups = _groups(group, len(start))
        if len(groups) != 1:
            return start
        start = next(iter(groups))
    return start

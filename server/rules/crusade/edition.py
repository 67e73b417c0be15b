"""What is printed on the cards: an edition, read from its file and checked against the rulebook's counts."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Final

from server.rules.asking import words_of
from server.rules.crusade.colours import COLOURS
from server.rules.crusade.effects import NOTHING_NAMED, Deed, EffectError, deed
from server.rules.crusade.table import SIDES, STARTS
from server.rules.telling import Sentence, sentence

CARDS: Final = {"blue": 24, "yellow": 24, "purple": 24, "white": 24, "red": 33, "green": 36}
COUNSELORS: Final = 14
EVENTS: Final = 18
NUMERALS: Final = ("I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X", "XI", "XII")
ALWAYS: Final = "always"
OUTCOMES: Final = ("won", "lost", "drawn", "hastened", "slowed", "treasury rose", "treasury fell", ALWAYS)


class EditionError(ValueError):
    """An edition's file that does not fit the rulebook; the text says what is wrong."""


@dataclass(frozen=True)
class Bonus:
    """PP at the end of the match; with a `track`, only if its marker stands from `least` to `most`."""

    pp: int
    track: str | None = None
    least: int = 0
    most: int = 1000

    def holds(self, tracks: Mapping[str, int]) -> bool:
        return self.track is None or self.least <= tracks[self.track] <= self.most

    def clause(self) -> Sentence:
        if self.track is None:
            return sentence("{pp} PP at the end", pp=self.pp)
        if self.least:
            return sentence("{pp} PP at the end if {track} ≥ {bound}", pp=self.pp, track=self.track, bound=self.least)
        return sentence("{pp} PP at the end if {track} ≤ {bound}", pp=self.pp, track=self.track, bound=self.most)


@dataclass(frozen=True)
class Counselor:
    """A counselor card: it has a deed, to be played once, or a bonus at the end."""

    name: str
    side: str
    deed: Deed | None
    bonus: Bonus | None


@dataclass(frozen=True)
class Consequence:
    """What an event does if the turn's outcome is one of these."""

    outcomes: frozenset[str]
    deed: Deed

    def clause(self) -> Sentence:
        return sentence(
            "{outcomes}: {steps}",
            outcomes=[outcome for outcome in OUTCOMES if outcome in self.outcomes],
            steps=self.deed.clauses(NOTHING_NAMED),
        )


@dataclass(frozen=True)
class Event:
    name: str
    consequences: tuple[Consequence, ...]


@dataclass(frozen=True)
class Edition:
    """All values of an edition. `ends` is the last space of each track."""

    name: str
    cards: Mapping[str, int]
    ends: Mapping[str, int]
    counselors: Mapping[str, Counselor]
    events: Mapping[str, Event]

    @cached_property
    def calendar(self) -> list[str]:
        """The events with a numeral, in their order."""
        return sorted((name for name in self.events if numeral(name)), key=lambda name: NUMERALS.index(numeral(name)))

    @cached_property
    def called(self) -> dict[str, Counselor]:
        """The counselors by their names in lower case."""
        return {name.casefold(): counselor for name, counselor in self.counselors.items()}

    def side(self, side: str) -> list[str]:
        """The names of a side's counselors."""
        return [name for name, counselor in self.counselors.items() if counselor.side == side]


def numeral(event: str) -> str:
    """The Roman numeral with which an event's name begins, or an empty text."""
    first = event.split()[0]
    return first if first in NUMERALS else ""


def load(path: Path) -> Edition:
    """The edition in this file. Raises `EditionError`."""
    try:
        printed = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise EditionError(f"{path.name} cannot be read as TOML: {error}") from error
    return edition_of(printed)


def edition_of(printed: Mapping[str, Any]) -> Edition:
    """The edition that these values describe. Raises `EditionError`."""
    _has_exactly(
        printed, {"name": str, "cards": dict, "tracks": dict, "counselors": dict, "events": dict}, "The edition"
    )
    _has_exactly(printed["counselors"], dict.fromkeys(SIDES, dict), "[counselors]")
    edition = Edition(
        name=printed["name"],
        cards=_cards(printed["cards"]),
        ends=_ends(printed["tracks"]),
        counselors={c.name: c for side in SIDES for c in _counselors(side, printed["counselors"][side])},
        events=_events(printed["events"]),
    )
    for side in SIDES:
        count = len(edition.side(side))
        _expect(count == COUNSELORS, f"There are {COUNSELORS} different counselors of {side}, not {count}.")
    return edition


def _cards(numbers: Mapping[str, Any]) -> dict[str, int]:
    _has_exactly(numbers, dict.fromkeys(COLOURS, int), "[cards]")
    for colour, number in CARDS.items():
        _expect(numbers[colour] == number, f"There are {number} {colour} influence cards, not {numbers[colour]}.")
    return {colour: int(numbers[colour]) for colour in COLOURS}


def _ends(numbers: Mapping[str, Any]) -> dict[str, int]:
    _has_exactly(numbers, dict.fromkeys(STARTS, int), "[tracks]")
    for track, start in STARTS.items():
        _expect(numbers[track] >= start, f"The track {track} cannot end at {numbers[track]}: it starts at {start}.")
    return {track: int(numbers[track]) for track in STARTS}


def _counselors(side: str, printed: Mapping[str, Any]) -> list[Counselor]:
    _expect(len(printed) == COUNSELORS, f"There are {COUNSELORS} counselors of {side}, not {len(printed)}.")
    return [_counselor(name, side, words) for name, words in printed.items()]


def _counselor(name: str, side: str, words: object) -> Counselor:
    _check_name(name)
    _expect(isinstance(words, str), f"{name}: what the counselor does is written as a text.")
    when, _, does = str(words).partition(":")
    if when == "act":
        return Counselor(name, side, _deed(name, does), None)
    _expect(when == "end", f"{name}: a counselor begins with “act:” or “end:”.")
    return Counselor(name, side, None, _bonus(name, does))


_BONUS: Final = re.compile(r"([1-9]) PP(?: if (\w+) (>=|<=) (\d+))?")


def _bonus(name: str, words: str) -> Bonus:
    found = _BONUS.fullmatch(words.strip())
    if not found:
        raise EditionError(f"{name}: “{words.strip()}” is no bonus like “2 PP” or “3 PP if Crusaders >= 4”.")
    pp, track, side, bound = found.groups()
    if track is None:
        return Bonus(int(pp))
    _expect(track.lower() in STARTS, f"{name}: “{track}” is no track; there are {', '.join(STARTS)}.")
    if side == ">=":
        return Bonus(int(pp), track.lower(), least=int(bound))
    return Bonus(int(pp), track.lower(), most=int(bound))


def _events(printed: Mapping[str, Any]) -> dict[str, Event]:
    _expect(len(printed) == EVENTS, f"There are {EVENTS} events, not {len(printed)}.")
    events = {name: _event(name, words) for name, words in printed.items()}
    for number in NUMERALS:
        count = sum(numeral(name) == number for name in events)
        _expect(count == 1, f"There is one event with the numeral {number}, not {count}.")
    return events


def _event(name: str, words: object) -> Event:
    _check_name(name)
    _expect(isinstance(words, str), f"{name}: what the event does is written as a text.")
    return Event(name, tuple(_consequence(name, part) for part in str(words).split(";")))


def _consequence(name: str, words: str) -> Consequence:
    when, _, does = words.partition(":")
    outcomes = [outcome.strip() for outcome in when.split(" or ")]
    for outcome in outcomes:
        _expect(outcome in OUTCOMES, f"{name}: “{outcome}” is no outcome; there are {', '.join(OUTCOMES)}.")
    done = _deed(name, does)
    _expect(not done.looks and not done.chooses, f"{name}: an event cannot let anybody choose.")
    _expect(not done.price, f"{name}: an event cannot make anybody pay.")
    return Consequence(frozenset(outcomes), done)


def _deed(name: str, words: str) -> Deed:
    try:
        return deed(*(step.strip() for step in words.split(",")))
    except EffectError as error:
        raise EditionError(f"{name}: {error}") from error


def _check_name(name: str) -> None:
    """A name must come through the reading of moves unchanged, and not look like what follows it."""
    plain = words_of(name)
    _expect(
        " ".join(plain) == name.casefold() and ";" not in name, f"“{name}” cannot be written in a move as it stands."
    )
    _expect(plain[-1] not in COLOURS and not plain[-1].isdigit(), f"“{name}” ends like an argument of a move.")


def _has_exactly(values: Mapping[str, Any], wanted: Mapping[str, type], whose: str) -> None:
    for key, kind in wanted.items():
        _expect(type(values.get(key)) is kind, f"{whose} needs “{key}”{_KINDS[kind]}.")
    extra = sorted(set(values) - set(wanted))
    _expect(not extra, f"{whose} has no “{extra and extra[0]}”; it has {', '.join(wanted)}.")


_KINDS: Final[Mapping[type, str]] = {str: ", a text", int: ", a whole number", dict: ", a table"}


def _expect(holds: bool, otherwise: str) -> None:
    if not holds:
        raise EditionError(otherwise)

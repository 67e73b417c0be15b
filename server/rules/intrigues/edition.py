"""An edition: what the rulebook prints only on the components, read from a TOML file and held against its counts."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

AGENTS = (-2, -2, 1, 1, 1, 2, 2, 2, 3, 3)
NEUTRAL_AGENTS = (-2, 1, 1, 1, 2, 2, 2)
VALUES = (-2, 1, 2, 3)
SPOTS = 5
MONEY, JEWELS, CITY_JEWELS, CARDINAL = 7, 2, 2, 7
FACTIONS = {"R": "Richelieu", "E": "England", "F": "France", "H": "Habsburg", "P": "Protestants"}
SHEETS = {"R": 13, "E": 4, "F": 3, "H": 3, "P": 3}

NUMBERED = {"P": "prestige", "M": "money", "W": "military"}
SINGLE = {"I": "income", "A": "agent", "C": "corruption", "G": "eminence", "Q": "queen"}


class EditionError(ValueError):
    """An edition's file that is not one; the message says what is wrong in it."""


class Symbol(NamedTuple):
    """One symbol of a bonus: `prestige`, `money`, `military` with a number, or one of the others, once."""

    kind: str
    number: int


Bonus: TypeAlias = tuple[Symbol, ...]


@dataclass(frozen=True, slots=True)
class Sheet:
    """An intrigue sheet: its name like "R4", its spots' costs, its two bonuses, and the Cardinal's movement."""

    name: str
    costs: tuple[int, ...]
    first: Bonus
    second: Bonus
    cardinal: int

    @property
    def faction(self) -> str:
        return FACTIONS[self.name[0]]

    @property
    def title(self) -> str:
        """The name in sentences: "Richelieu 4"."""
        return f"{self.faction} {self.name[1:]}"


@dataclass(frozen=True)
class Edition:
    """All values of an edition. `military_costs[n - 1]` is the cost of square n."""

    name: str
    money: int
    jewels: int
    city_jewels: int
    cardinal: int
    agents: tuple[int, ...]
    neutral_agents: tuple[int, ...]
    income_end: int
    military_costs: tuple[int, ...]
    income_squares: frozenset[int]
    prestige_squares: frozenset[int]
    sheets: Mapping[str, Sheet]

    @property
    def military_end(self) -> int:
        return len(self.military_costs)

    @property
    def richelieu(self) -> list[str]:
        """The names of the Richelieu sheets, in the order in which they are handed over to be shuffled."""
        return [name for name in self.sheets if name[0] == "R"]

    @property
    def opposition(self) -> list[str]:
        return [name for name in self.sheets if name[0] != "R"]


def load(path: Path) -> Edition:
    """The edition in a TOML file; raises `EditionError`."""
    return read_edition(path.read_text(encoding="utf-8"))


def read_edition(text: str) -> Edition:
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise EditionError(f"The edition is not readable as TOML: {error}.") from error
    _only(data, "the edition", {"name", "start", "tracks", "sheets"})
    return Edition(
        name=_text(data, "the edition", "name"),
        **_start(_part(data, "the edition", "start")),
        **_tracks(_part(data, "the edition", "tracks")),
        sheets=_sheets(_part(data, "the edition", "sheets")),
    )


def read_bonus(text: str, where: str = "a bonus") -> Bonus:
    """The symbols of a bonus like "P3 I"; raises `EditionError`."""
    symbols = tuple(_symbol(word, where) for word in text.split())
    if not symbols:
        raise EditionError(f"{where}: a bonus needs at least one symbol.")
    return symbols


def _symbol(word: str, where: str) -> Symbol:
    letter, number = word[0], word[1:]
    if letter in SINGLE and not number:
        return Symbol(SINGLE[letter], 1)
    if letter in NUMBERED and not number:
        return Symbol(NUMBERED[letter], 1)
    if letter in NUMBERED and number.isascii() and number.isdigit() and int(number) > 0:
        return Symbol(NUMBERED[letter], int(number))
    raise EditionError(
        f"{where}: “{word}” is no symbol. P, M and W may carry a number from 1; I, A, C, G and Q stand alone."
    )


def _start(data: Mapping[str, Any]) -> dict[str, Any]:
    where = "[start]"
    printed = {"money": MONEY, "jewels": JEWELS, "city_jewels": CITY_JEWELS, "cardinal": CARDINAL}
    piles = {"agents": AGENTS, "neutral_agents": NEUTRAL_AGENTS}
    _only(data, where, {*printed, *piles})
    for key, number in printed.items():
        if _number(data, where, key) != number:
            raise EditionError(f"{where}: {key} is {data[key]}, but the rulebook says {number}.")
    for key, pile in piles.items():
        if tuple(sorted(_numbers(data, where, key))) != pile:
            raise EditionError(f"{where}: {key} are {data[key]}, but the rulebook says {list(pile)}.")
    return {**printed, **piles}


def _tracks(data: Mapping[str, Any]) -> dict[str, Any]:
    where = "[tracks]"
    _only(data, where, {"income_end", "military_costs", "income_squares", "prestige_squares"})
    costs = _numbers(data, where, "military_costs")
    if len(costs) < 3 or costs[2] != 3:
        raise EditionError(f"{where}: square 3 of the military track costs 3 in the rulebook's example.")
    if min(costs) < 0:
        raise EditionError(f"{where}: military_costs holds {min(costs)}; a square costs 0 or more.")
    squares: dict[str, frozenset[int]] = {}
    for key in ("income_squares", "prestige_squares"):
        numbers = _numbers(data, where, key)
        wrong = [square for square in numbers if not 1 <= square <= len(costs)]
        if wrong:
            raise EditionError(f"{where}: {key} names {wrong[0]}; the military track has squares 1 to {len(costs)}.")
        squares[key] = frozenset(numbers)
    income_end = _number(data, where, "income_end")
    if income_end < 1:
        raise EditionError(f"{where}: income_end is {income_end}; all start on 1.")
    return {"income_end": income_end, "military_costs": costs, **squares}


def _sheets(data: Mapping[str, Any]) -> dict[str, Sheet]:
    due = [f"{letter}{number}" for letter, count in SHEETS.items() for number in range(1, count + 1)]
    missing = [name for name in due if name not in data]
    if missing:
        raise EditionError(f"[sheets]: {missing[0]} is missing. There are {_counts()}.")
    _only(data, "[sheets]", set(due), f" There are {_counts()}.")
    return {name: _sheet(name, _part(data, "[sheets]", name)) for name in due}


def _counts() -> str:
    return ", ".join(f"{FACTIONS[letter]} {count} ({letter}1 to {letter}{count})" for letter, count in SHEETS.items())


def _sheet(name: str, data: Mapping[str, Any]) -> Sheet:
    where = f"sheet {name}"
    _only(data, where, {"costs", "first", "second", "cardinal"})
    costs = _numbers(data, where, "costs")
    if len(costs) != SPOTS:
        raise EditionError(f"{where}: {len(costs)} costs; every sheet has {SPOTS} spots.")
    wrong = [cost for cost in costs if not 0 <= cost <= 3]
    if wrong:
        raise EditionError(f"{where}: a spot costs 0 to 3, not {wrong[0]}.")
    return Sheet(
        name=name,
        costs=costs,
        first=read_bonus(_text(data, where, "first"), f"{where}, first"),
        second=read_bonus(_text(data, where, "second"), f"{where}, second"),
        cardinal=_number(data, where, "cardinal"),
    )


def _only(data: Mapping[str, Any], where: str, known: set[str], more: str = "") -> None:
    unknown = [key for key in data if key not in known]
    if unknown:
        raise EditionError(f"{where}: “{unknown[0]}” is not known here.{more}")


def _entry(data: Mapping[str, Any], where: str, key: str) -> Any:
    if key not in data:
        raise EditionError(f"{where}: {key} is missing.")
    return data[key]


def _part(data: Mapping[str, Any], where: str, key: str) -> Mapping[str, Any]:
    part = _entry(data, where, key)
    if not isinstance(part, dict):
        raise EditionError(f"{where}: {key} must be a table.")
    return part


def _text(data: Mapping[str, Any], where: str, key: str) -> str:
    text = _entry(data, where, key)
    if not isinstance(text, str):
        raise EditionError(f"{where}: {key} must be a text.")
    return text


def _number(data: Mapping[str, Any], where: str, key: str) -> int:
    number = _entry(data, where, key)
    if not _whole(number):
        raise EditionError(f"{where}: {key} must be a whole number.")
    return int(number)


def _numbers(data: Mapping[str, Any], where: str, key: str) -> tuple[int, ...]:
    numbers = _entry(data, where, key)
    if not isinstance(numbers, list) or not all(_whole(number) for number in numbers):
        raise EditionError(f"{where}: {key} must be a list of whole numbers.")
    return tuple(numbers)


def _whole(number: object) -> bool:
    return isinstance(number, int) and not isinstance(number, bool)

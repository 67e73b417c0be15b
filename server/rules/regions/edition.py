"""What is printed on the cards: an edition, read from its file and checked against the rulebook's counts."""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Final

from server.rules.regions.places import PLACE

SYMBOLS: Final = ("cross", "sword", "tower")
REGAIN: Final = "regain"
REGAINS: Final = 2
CARDS: Final = 48
REGIONS: Final = 9
TILES_LAID: Final = 8
KNOWN_TOTALS: Final = {"auvergne": 5, "normandie": 8, "bourgogne": 10}


class EditionError(ValueError):
    """An edition's file that does not fit the rulebook; the text says what is wrong."""


@dataclass(frozen=True, slots=True)
class Card:
    """A card: its name, region and emblems, its symbol if it has one, and the region's total printed on it.

    `pairs` is the region in which it may be taken together with another such card (2.2), None with two emblems.
    """

    name: str
    region: str
    emblems: int
    symbol: str | None
    total: int
    pairs: str | None


@dataclass(frozen=True)
class Edition:
    """The deck by the cards' names, the regions in alphabetical order, and the places of the tiles in their order."""

    name: str
    regions: tuple[str, ...]
    deck: tuple[Card, ...]
    tile_places: tuple[int, ...]

    @cached_property
    def tiles(self) -> tuple[str, ...]:
        """One emblem of each region, one of each symbol, two "regain"; sorted."""
        return tuple(sorted((*self.regions, *SYMBOLS, *(REGAIN,) * REGAINS)))

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The names of all cards, sorted."""
        return tuple(card.name for card in self.deck)

    @cached_property
    def named(self) -> dict[str, Card]:
        return {card.name: card for card in self.deck}


def load(path: Path) -> Edition:
    """The edition in this file. Raises `EditionError`."""
    try:
        printed = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise EditionError(f"{path.name} cannot be read as TOML: {error}") from error
    return edition_of(printed)


def edition_of(printed: Mapping[str, Any]) -> Edition:
    """The edition that these values describe. Raises `EditionError`."""
    _has_exactly(printed, {"name": str, "tile_places": list, "regions": list}, "The edition")
    regions = printed["regions"]
    for region in regions:
        _check_region(region)
    names = [region["name"] for region in regions]
    _expect(len(set(names)) == REGIONS == len(names), f"There are {REGIONS} different regions, not {len(set(names))}.")
    deck = [_card(region, face) for region in regions for face in region["cards"]]
    _expect(len(deck) == CARDS, f"There are {CARDS} cards, not {len(deck)}.")
    totals = [region["total"] for region in regions]
    _expect((min(totals), max(totals)) == (5, 10), "The regions' totals run from 5 to 10.")
    return Edition(
        name=printed["name"],
        regions=tuple(sorted(names)),
        deck=tuple(sorted(deck, key=lambda card: card.name)),
        tile_places=_tile_places(printed["tile_places"]),
    )


def _check_region(region: object) -> None:
    _expect(isinstance(region, dict), "Each of the regions is a table with name, total and cards.")
    assert isinstance(region, dict)
    _has_exactly(region, {"name": str, "total": int, "cards": list}, "A region")
    name, faces = region["name"], region["cards"]
    _expect(name == name.strip().casefold() != "", "A region's name is written in lower case.")
    _expect(name not in (*SYMBOLS, REGAIN) and " " not in name, f"A region cannot be called “{name}”.")
    wrong = [face for face in faces if face not in ("1", "2", *SYMBOLS)]
    _expect(not wrong, f"A card of {name} shows “1”, “2”, “cross”, “sword” or “tower”, not “{wrong and wrong[0]}”.")
    counts: Counter[str] = Counter(faces)
    for symbol in SYMBOLS:
        _expect(counts[symbol] == 1, f"{name} has one card with each symbol; with a {symbol} it has {counts[symbol]}.")
    emblems = sum(_emblems(face) for face in faces)
    _expect(
        emblems == region["total"], f"The cards of {name} show {emblems} emblems, but its total is given otherwise."
    )
    known = KNOWN_TOTALS.get(name, emblems)
    _expect(emblems == known, f"{name} has {known} emblems in all, not {emblems}.")


def _tile_places(names: Sequence[object]) -> tuple[int, ...]:
    _expect(
        len(set(map(str, names))) == TILES_LAID == len(names),
        f"Tiles lie on {TILES_LAID} different places, not on {len(set(map(str, names)))}.",
    )
    for name in names:
        _expect(isinstance(name, str) and name in PLACE, f"A tile cannot lie on “{name}”: places run from 1.1 to 4.12.")
    return tuple(PLACE[str(name)] for name in names)


def _card(region: Mapping[str, Any], face: str) -> Card:
    emblems = _emblems(face)
    return Card(
        name=f"{region['name']} {face}",
        region=region["name"],
        emblems=emblems,
        symbol=face if face in SYMBOLS else None,
        total=region["total"],
        pairs=region["name"] if emblems == 1 else None,
    )


def _emblems(face: str) -> int:
    return 2 if face == "2" else 1


def _has_exactly(values: Mapping[str, Any], wanted: Mapping[str, type], whose: str) -> None:
    for key, kind in wanted.items():
        _expect(type(values.get(key)) is kind, f"{whose} needs “{key}”.")
    extra = sorted(set(values) - set(wanted))
    _expect(not extra, f"{whose} has no “{extra and extra[0]}”; it has {', '.join(wanted)}.")


def _expect(holds: bool, otherwise: str) -> None:
    if not holds:
        raise EditionError(otherwise)

"""The position in words: lines of at most 40 columns, from which a player can decide."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from server.rules.playing import Position
from server.rules.regions.edition import SYMBOLS, Card, Edition
from server.rules.regions.places import COLUMNS
from server.rules.telling import Viewer

WIDTH: Final = 40
CELLS_A_LINE: Final = 4
LONGEST_NAME: Final = 20
SHORT: Final = {"cross": "cr", "sword": "sw", "tower": "to"}
MARKERS: Final = "ABCD"
NO_BREAK: Final = "\u00a0"

Lying = Mapping[str, Any]


def position_in_words(position: Position, names: Sequence[str], viewer: Viewer, printed: Edition) -> list[str]:
    names = [textwrap.shorten(name, LONGEST_NAME, placeholder="…") or name[:LONGEST_NAME] for name in names]
    seats = position["seats"]
    own = [number for number in range(len(seats)) if number + 1 == viewer]
    others = [number for number in range(len(seats)) if number + 1 != viewer]
    lines: list[str] = []
    for number in own:
        lines += _player("You", seats[number], printed)
    lines += _ends(position["rows"], names)
    lines += _display(position["rows"])
    lines += _legend(names, printed)
    for number in others:
        lines += _player(names[number], seats[number], printed)
    return lines[:-1] if not lines[-1] else lines


def _player(name: str, held: Mapping[str, Any], printed: Edition) -> Iterator[str]:
    yield from _wrapped(f"{name}:")
    tiles = held.get("tiles")
    if tiles is not None:
        yield from _wrapped(f"Tiles: {', '.join(_title(tile, printed) for tile in tiles) or 'none'}", 1)
    else:
        yield f" Secret tiles: {held['tile_count']}"
    yield f" Markers in hand: {held['markers_in_hand']}, given up: {held['markers_lost']}"
    if held["regains_played"]:
        yield f" “Regain” tiles played: {held['regains_played']}"
    cards = [printed.named[card] for card in held["cards"]]
    yield from _wrapped(f"Cards: {len(cards)}", 1)
    if cards:
        yield from _wrapped(f"Emblems: {_emblems(cards)}", 1)
        yield from _wrapped(f"Symbols: {_symbols(cards)}", 1)
    yield ""


def _emblems(cards: Sequence[Card]) -> str:
    counts: Counter[str] = Counter()
    for card in cards:
        counts[card.region] += card.emblems
    return ", ".join(_kept_together(region.capitalize(), counts[region]) for region in sorted(counts))


def _symbols(cards: Sequence[Card]) -> str:
    counts = Counter(card.symbol for card in cards)
    return ", ".join(_kept_together(symbol, counts[symbol]) for symbol in SYMBOLS)


def _ends(rows: Sequence[Sequence[Lying | None]], names: Sequence[str]) -> Iterator[str]:
    yield "The ends of the rows:"
    for number, row in enumerate(rows, start=1):
        columns = [column for column in range(COLUMNS) if row[column]]
        for side, column in zip("LR", dict.fromkeys((columns[0], columns[-1]) if columns else ()), strict=False):
            yield from _wrapped(f"{number}{side} {_lying(row[column], names)}", 1)
        if not columns:
            yield f" Row {number} is empty."
    yield ""


def _lying(lying: Lying | None, names: Sequence[str]) -> str:
    assert lying is not None
    said = [lying["card"].capitalize()]
    if lying["tile"]:
        said.append("a tile")
    if lying["marker"]:
        said.append(f"marker of {names[lying['marker'] - 1]}")
    return ", ".join(said)


def _display(rows: Sequence[Sequence[Lying | None]]) -> Iterator[str]:
    yield "The display:"
    for number, row in enumerate(rows, start=1):
        for start in range(0, COLUMNS, CELLS_A_LINE):
            cells = row[start : start + CELLS_A_LINE]
            if any(cells):
                yield f"{number}.{start + 1} {' '.join(map(_cell, cells))}".rstrip()
    yield ""


def _cell(lying: Lying | None) -> str:
    if lying is None:
        return "–       "
    region, face = lying["card"].split()
    tile = "?" if lying["tile"] else " "
    marker = MARKERS[lying["marker"] - 1] if lying["marker"] else " "
    return f"{region[:3].capitalize()} {SHORT.get(face, face):2}{tile}{marker}"


def _legend(names: Sequence[str], printed: Edition) -> Iterator[str]:
    yield from _wrapped("1 or 2 emblems; one emblem and cr cross, sw sword, to tower; ? a tile.")
    markers = [f"{sign} {name}" for sign, name in zip(MARKERS, names, strict=False)]
    yield from _wrapped(f"Markers: {', '.join(markers)}.")
    totals = {card.region: card.total for card in printed.deck}
    in_all = ", ".join(_kept_together(region.capitalize(), total) for region, total in totals.items())
    yield from _wrapped(f"Emblems in all: {in_all}.")
    yield ""


def _title(tile: str | None, printed: Edition) -> str:
    if tile is None:
        return "one not yet seen"
    return tile.capitalize() if tile in printed.regions else tile


def _kept_together(name: str, number: int) -> str:
    """A name and its number, on one line."""
    return f"{name}{NO_BREAK}{number}"


def _wrapped(text: str, indent: int = 0) -> list[str]:
    lines = textwrap.wrap(text, WIDTH, initial_indent=" " * indent, subsequent_indent=" " * (2 * indent))
    return [line.replace(NO_BREAK, " ") for line in lines]

"""The position in words: lines of at most 40 columns, from which a player can decide."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from server.rules.playing import Position
from server.rules.regions.edition import SYMBOLS, Card, Edition
from server.rules.regions.places import COLUMNS
from server.rules.telling import Reading, Speech, Viewer

WIDTH: Final = 40
CELLS_A_LINE: Final = 4
LONGEST_NAME: Final = 20
MARKERS: Final = "ABCD"
NO_BREAK: Final = "\u00a0"

Lying = Mapping[str, Any]


def position_in_words(
    position: Position, names: Sequence[str], viewer: Viewer, printed: Edition, speech: Speech
) -> list[str]:
    short = [textwrap.shorten(name, LONGEST_NAME, placeholder="…") or name[:LONGEST_NAME] for name in names]
    return list(_Words(printed, short, viewer, speech).position(position))


class _Words(Reading):
    """A position in one language, as the viewer reads it."""

    def __init__(self, printed: Edition, names: Sequence[str], viewer: Viewer, speech: Speech) -> None:
        super().__init__(names, viewer, speech)
        self.printed = printed
        self.short = {
            "cross": self.say("cr"),  # of a card with a cross, in two letters
            "sword": self.say("sw"),
            "tower": self.say("to"),
        }

    def position(self, position: Position) -> list[str]:
        seats = position["seats"]
        own = [number for number in range(len(seats)) if number + 1 == self.viewer]
        others = [number for number in range(len(seats)) if number + 1 != self.viewer]
        lines: list[str] = []
        for number in own:
            lines += self.player(self.say("You"), seats[number])
        lines += self.ends(position["rows"])
        lines += self.display(position["rows"])
        lines += self.legend()
        for number in others:
            lines += self.player(self.names[number], seats[number])
        return lines[:-1] if not lines[-1] else lines

    def player(self, name: str, held: Mapping[str, Any]) -> Iterator[str]:
        yield from _wrapped(f"{name}:")
        tiles = held.get("tiles")
        if tiles is not None:
            listed = ", ".join(map(self.title, tiles)) or self.say("none")
            yield from _wrapped(self.say("Tiles: {tiles}", tiles=listed), 1)
        else:
            yield from _wrapped(self.say("Secret tiles: {number}", number=held["tile_count"]), 1)
        yield from _wrapped(
            self.say(
                "Markers in hand: {hand}, given up: {lost}",
                hand=held["markers_in_hand"],
                lost=held["markers_lost"],
            ),
            1,
        )
        if held["regains_played"]:
            yield from _wrapped(self.say("“Regain” tiles played: {number}", number=held["regains_played"]), 1)
        cards = [self.printed.named[card] for card in held["cards"]]
        yield from _wrapped(self.say("Cards: {number}", number=len(cards)), 1)
        if cards:
            yield from _wrapped(self.say("Emblems: {emblems}", emblems=self.emblems(cards)), 1)
            yield from _wrapped(self.say("Symbols: {symbols}", symbols=self.symbols(cards)), 1)
        yield ""

    def emblems(self, cards: Sequence[Card]) -> str:
        counts: Counter[str] = Counter()
        for card in cards:
            counts[card.region] += card.emblems
        return ", ".join(_kept_together(self.word(region), counts[region]) for region in sorted(counts))

    def symbols(self, cards: Sequence[Card]) -> str:
        counts = Counter(card.symbol for card in cards)
        return ", ".join(_kept_together(self.word(symbol), counts[symbol]) for symbol in SYMBOLS)

    def ends(self, rows: Sequence[Sequence[Lying | None]]) -> Iterator[str]:
        yield self.say("The ends of the rows:")
        for number, row in enumerate(rows, start=1):
            columns = [column for column in range(COLUMNS) if row[column]]
            for side, column in zip("LR", dict.fromkeys((columns[0], columns[-1]) if columns else ()), strict=False):
                yield from _wrapped(f"{number}{side} {self.lying(row[column])}", 1)
            if not columns:
                yield from _wrapped(self.say("Row {number} is empty.", number=number), 1)
        yield ""

    def lying(self, lying: Lying | None) -> str:
        assert lying is not None
        said = [self.word(lying["card"])]
        if lying["tile"]:
            said.append(self.say("a tile"))
        if lying["marker"]:
            said.append(self.say("marker of {name}", name=self.names[lying["marker"] - 1]))
        return ", ".join(said)

    def display(self, rows: Sequence[Sequence[Lying | None]]) -> Iterator[str]:
        yield self.say("The display:")
        for number, row in enumerate(rows, start=1):
            for start in range(0, COLUMNS, CELLS_A_LINE):
                cells = row[start : start + CELLS_A_LINE]
                if any(cells):
                    yield f"{number}.{start + 1} {' '.join(map(self.cell, cells))}".rstrip()
        yield ""

    def cell(self, lying: Lying | None) -> str:
        if lying is None:
            return "–       "
        region, face = lying["card"].split()
        tile = "?" if lying["tile"] else " "
        marker = MARKERS[lying["marker"] - 1] if lying["marker"] else " "
        return f"{self.word(region)[:3]} {self.short.get(face, face):2}{tile}{marker}"

    def legend(self) -> Iterator[str]:
        yield from _wrapped(
            self.say(
                "1 or 2 emblems; one emblem and {cr} cross, {sw} sword, {to} tower; ? a tile.",
                cr=self.short["cross"],
                sw=self.short["sword"],
                to=self.short["tower"],
            )
        )
        markers = ", ".join(f"{sign} {name}" for sign, name in zip(MARKERS, self.names, strict=False))
        yield from _wrapped(self.say("Markers: {markers}.", markers=markers))
        totals = {card.region: card.total for card in self.printed.deck}
        in_all = ", ".join(_kept_together(self.word(region), total) for region, total in totals.items())
        yield from _wrapped(self.say("Emblems in all: {emblems}.", emblems=in_all))
        yield ""

    def title(self, tile: str | None) -> str:
        return self.say("one not yet seen") if tile is None else self.word(tile)


def _kept_together(name: str, number: int) -> str:
    """A name and its number, on one line."""
    return f"{name}{NO_BREAK}{number}"


def _wrapped(text: str, indent: int = 0) -> list[str]:
    lines = textwrap.wrap(text, WIDTH, initial_indent=" " * indent, subsequent_indent=" " * (2 * indent))
    return [line.replace(NO_BREAK, " ") for line in lines]

"""What lies on the table: the display with its tiles and markers, and what each player has."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from server.rules.chance import Chance
from server.rules.hidden import Hidden
from server.rules.playing import OptionValue, Outcome, Table
from server.rules.regions.edition import Card, Edition
from server.rules.regions.places import COLUMNS, ROWS, row_of
from server.rules.telling import Seat

MARKERS: Final = 3


@dataclass(slots=True)
class Area:
    """What one player has: cards taken, markers in hand and lost, tiles in hand, "regain" tiles played."""

    cards: list[Card] = field(default_factory=list)
    hand: int = MARKERS
    lost: int = 0
    tiles: list[Hidden[str]] = field(default_factory=list)
    regains_played: int = 0


class DisplayTable(Table):
    """The table of one match.

    display  the card on each place, as they were laid out
    left     for each row the place of its leftmost card
    right    for each row the place behind its rightmost card: the row's cards lie from left to before right
    tiles    the tile on each place that has one
    marked   whose marker lies on each place that has one
    """

    def __init__(self, edition: Edition, seats: int, options: Mapping[str, OptionValue], chance: Chance) -> None:
        super().__init__(seats, options, chance)
        self.edition = edition
        self.display: list[Card] = []
        self.left = [row * COLUMNS for row in range(ROWS)]
        self.right = [row * COLUMNS for row in range(ROWS)]
        self.tiles: dict[int, Hidden[str]] = {}
        self.marked: dict[int, Seat] = {}
        self.areas = {seat: Area() for seat in self.seats}
        self.is_first_turn = True
        self.outcome: Outcome | None = None

    def has_card(self, place: int) -> bool:
        row = row_of(place)
        return self.left[row] <= place < self.right[row]

    def places(self) -> Iterator[int]:
        """Every place where a card still lies, by row and then by column."""
        for left, right in zip(self.left, self.right, strict=True):
            yield from range(left, right)

    def places_without_marker(self) -> list[int]:
        marked = self.marked
        return [place for place in self.places() if place not in marked]

    def has_place_without_marker(self) -> bool:
        return sum(self.right) - sum(self.left) > len(self.marked)

    def own_marks(self, seat: Seat) -> list[int]:
        """The places of the seat's markers on the display, by row and then by column."""
        return sorted(place for place, owner in self.marked.items() if owner == seat)

    def markers_on_display(self, seat: Seat) -> int:
        area = self.areas[seat]
        return MARKERS - area.hand - area.lost

    def empty_rows(self) -> int:
        return sum(left == right for left, right in zip(self.left, self.right, strict=True))

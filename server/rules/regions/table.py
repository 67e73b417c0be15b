"""What lies on the table: the display with its tiles and markers, and what each player has."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from operator import eq
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
    """What one player has: cards taken, markers in hand, on the display and lost, tiles in hand, regains played."""

    cards: list[Card] = field(default_factory=list)
    hand: int = MARKERS
    marks: list[int] = field(default_factory=list)
    lost: int = 0
    tiles: list[Hidden[str]] = field(default_factory=list)
    regains_played: int = 0


class DisplayTable(Table):
    """The table of one match.

    display  the card on each place, as they were laid out
    pairs    for each place the region within which its card may be taken with another (2.2), None if not
    left     for each row the place of its leftmost card
    right    for each row the place behind its rightmost card: the row's cards lie from left to before right
    tiles    the tile on each place that has one
    marked   whose marker lies on each place that has one
    free     for each place whether a card lies there without a marker
    """

    def __init__(self, edition: Edition, seats: int, options: Mapping[str, OptionValue], chance: Chance) -> None:
        super().__init__(seats, options, chance)
        self.edition = edition
        self.display: list[Card] = []
        self.pairs: list[str | None] = []
        self.left = [row * COLUMNS for row in range(ROWS)]
        self.right = [row * COLUMNS for row in range(ROWS)]
        self.tiles: dict[int, Hidden[str]] = {}
        self.marked: dict[int, Seat] = {}
        self.free = [False] * (ROWS * COLUMNS)
        self.areas = {seat: Area() for seat in self.seats}
        self.is_first_turn = True
        self.outcome: Outcome | None = None

    def lay(self, cards: Sequence[Card]) -> None:
        """The cards lie face up, row by row."""
        self.display = list(cards)
        self.pairs = [card.pairs for card in cards]
        self.right = [(row + 1) * COLUMNS for row in range(ROWS)]
        self.free = [True] * len(cards)

    def has_card(self, place: int) -> bool:
        row = row_of(place)
        return self.left[row] <= place < self.right[row]

    def remove_card(self, place: int) -> None:
        """The card at this end of a row leaves it; a marker on it stays to be settled."""
        row = row_of(place)
        if place == self.left[row]:
            self.left[row] += 1
        else:
            self.right[row] -= 1
        self.free[place] = False

    def put_marker(self, seat: Seat, place: int) -> None:
        """A marker from the seat's hand onto a card."""
        self.marked[place] = seat
        self.free[place] = False
        area = self.areas[seat]
        area.hand -= 1
        area.marks.append(place)

    def take_back_marker(self, place: int) -> Seat:
        """The marker of this place goes back to its owner's hand; whose it was."""
        owner = self.marked.pop(place)
        self.free[place] = self.has_card(place)
        area = self.areas[owner]
        area.marks.remove(place)
        area.hand += 1
        return owner

    def empty_rows(self) -> int:
        return sum(map(eq, self.left, self.right))

"""Richelieu (2003): cards of nine regions from the ends of four rows, and markers that keep others off."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from server.rules.asking import Script
from server.rules.chance import Chance
from server.rules.playing import Option, OptionValue, Outcome, Position
from server.rules.regions.edition import REGAIN, SYMBOLS, Edition, load
from server.rules.regions.hints import HINTS
from server.rules.regions.marking import mark, mark_decision
from server.rules.regions.position import position
from server.rules.regions.position_in_words import position_in_words
from server.rules.regions.setting_up import lay_out
from server.rules.regions.table import DisplayTable
from server.rules.regions.taking import pass_turn, take, turn_decision
from server.rules.regions.the_end import finish, is_over, scores
from server.rules.regions.tiles import ask_in_turn
from server.rules.telling import Hint, Seat, Speech, Viewer


class Regions:
    """The game, played with the cards of one edition."""

    name = "regions"
    title = "Richelieu (2003)"
    least_seats = 2
    most_seats = 4
    rules = "1"
    kinds: tuple[str, ...] = ("turn", "mark")
    hints: Mapping[str, Hint] = HINTS
    parts: tuple[str, ...] = ("emblems", "regions", "symbols")
    options: tuple[Option, ...] = (
        Option("short", (False, True), "The short game ends as soon as three of the four rows are empty."),
        Option("ties", ("share", "nobody"), "Who scores where several have most: all of them, or nobody."),
    )

    def __init__(self, printed: Edition) -> None:
        self.printed = printed
        self.edition = printed.name
        self.vocabulary = (*(region.capitalize() for region in printed.regions), *SYMBOLS, REGAIN)
        self._named = frozenset((*printed.regions, *SYMBOLS, REGAIN, *printed.names))

    def set_up(self, seats: int, options: Mapping[str, OptionValue], chance: Chance) -> DisplayTable:
        return DisplayTable(self.printed, seats, options, chance)

    def script(self, table: DisplayTable) -> Script:
        lay_out(table)
        seat = table.seats[0]
        while table.outcome is None:
            yield from take_turn(table, seat)
            seat = table.after(seat)

    def position(self, table: DisplayTable, viewer: Viewer) -> Position:
        return position(table, viewer)

    def outcome(self, table: DisplayTable) -> Outcome | None:
        return table.outcome

    def points(self, table: DisplayTable) -> list[int]:
        return [score.total for score in scores(table)]

    def words(
        self, position: Position, names: Sequence[str], viewer: Viewer, speech: Speech | None = None
    ) -> list[str]:
        return position_in_words(position, names, viewer, self.printed, speech or Speech(word=self.word))

    def word(self, term: str, of: Callable[[str], str] = str) -> str:
        """ "bourgogne cross" is a card in the data, "Bourgogne cross" in a sentence."""
        if term not in self._named:
            return term
        first, *face = term.split()
        return " ".join([of(first.capitalize() if first in self.printed.regions else first), *map(of, face)])


def take_turn(table: DisplayTable, seat: Seat) -> Script:
    move = yield from ask_in_turn(table, seat, turn_decision)
    if move == "pass":
        pass_turn(table, seat)
        return
    yield from take(table, seat, move)
    if is_over(table):
        yield from finish(table)
        return
    move = yield from ask_in_turn(table, seat, mark_decision)
    mark(table, seat, move)


GAME = Regions(load(Path(__file__).with_name("house.toml")))

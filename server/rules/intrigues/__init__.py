"""Richelieu (2012): hidden agents support the Cardinal or his opponents."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from server.rules.asking import Script
from server.rules.chance import Chance
from server.rules.intrigues.edition import Edition, load
from server.rules.intrigues.ending import outcome
from server.rules.intrigues.hints import HINTS
from server.rules.intrigues.position import position
from server.rules.intrigues.position_in_words import position_in_words
from server.rules.intrigues.setting_up import lay_out
from server.rules.intrigues.table import IntriguesTable
from server.rules.intrigues.turn import take_turn
from server.rules.intrigues.wording import VOCABULARY, word
from server.rules.playing import Option, OptionValue, Outcome, Position
from server.rules.telling import Hint, Speech, Viewer


class Intrigues:
    """The game, played with the sheets of one edition."""

    name = "intrigues"
    title = "Richelieu (2012)"
    least_seats = 2
    most_seats = 4
    rules = "1"
    kinds: tuple[str, ...] = ("turn", "neutral", "place", "corrupt", "grise", "queen")
    hints: Mapping[str, Hint] = HINTS
    parts: tuple[str, ...] = ("prestige", "income", "military", "richelieu", "opposing", "jewels")
    vocabulary: tuple[str, ...] = VOCABULARY
    options: tuple[Option, ...] = (
        Option("open_coffers", (False, True), "Money and jewels are shown to all."),
        Option("neutral", ("own", "shared"), "With two players: a neutral colour each, or one that both use."),
    )

    def __init__(self, printed: Edition) -> None:
        self.printed = printed
        self.edition = printed.name

    def set_up(self, seats: int, options: Mapping[str, OptionValue], chance: Chance) -> IntriguesTable:
        return IntriguesTable(seats, options, chance, self.printed)

    def script(self, table: IntriguesTable) -> Script:
        lay_out(table)
        seat = table.seats[0]
        while not table.over:
            yield from take_turn(table, seat)
            seat = table.after(seat)

    def position(self, table: IntriguesTable, viewer: Viewer) -> Position:
        return position(table, viewer)

    def outcome(self, table: IntriguesTable) -> Outcome | None:
        return outcome(table) if table.over else None

    def points(self, table: IntriguesTable) -> list[int]:
        return [score.total for score in outcome(table).scores]

    def words(
        self, position: Position, names: Sequence[str], viewer: Viewer, speech: Speech | None = None
    ) -> list[str]:
        return position_in_words(self.printed, position, names, viewer, speech or Speech(word=self.word))

    def word(self, term: str, of: Callable[[str], str] = str) -> str:
        return word(term, of)


GAME = Intrigues(load(Path(__file__).with_name("house.toml")))

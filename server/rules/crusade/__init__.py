"""Richard I (`crusade`), for 3 to 8 seats, by the rulebook of 2014."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from server.rules.asking import Script
from server.rules.chance import Chance
from server.rules.crusade.edition import OUTCOMES, Edition, load
from server.rules.crusade.ending import outcome_of
from server.rules.crusade.hints import HINTS
from server.rules.crusade.position import position_of
from server.rules.crusade.position_in_words import position_in_words
from server.rules.crusade.table import CrusadeTable
from server.rules.crusade.turns import play_match
from server.rules.crusade.wording import VOCABULARY, word
from server.rules.playing import Option, OptionValue, Outcome, Position
from server.rules.telling import Hint, Speech, Viewer


class Crusade:
    """The game with the cards of one edition."""

    name = "crusade"
    title = "Richard I"
    least_seats = 3
    most_seats = 8
    rules = "1"
    parts: tuple[str, ...] = ("prestige", "crusade", "counselors")
    options: tuple[Option, ...] = (
        Option(
            "events",
            ("off", "on", "history"),
            "Crusade events: none; eighteen shuffled; or I to XII as they happened and six others after them.",
        ),
    )
    kinds: tuple[str, ...] = ("loyalty", "pawn", "action", "counselor", "tax", "tournament", "contribution")
    hints: Mapping[str, Hint] = HINTS

    def __init__(self, printed: Edition) -> None:
        self.printed = printed
        self.edition = printed.name
        self.vocabulary = (*VOCABULARY, *OUTCOMES, *printed.counselors, *printed.events)

    def set_up(self, seats: int, options: Mapping[str, OptionValue], chance: Chance) -> CrusadeTable:
        return CrusadeTable(self.printed, seats, options, chance)

    def script(self, table: CrusadeTable) -> Script:
        return play_match(table)

    def position(self, table: CrusadeTable, viewer: Viewer) -> Position:
        return position_of(table, viewer)

    def outcome(self, table: CrusadeTable) -> Outcome | None:
        return outcome_of(table)

    def points(self, table: CrusadeTable) -> list[int]:
        return [table.pp[seat] for seat in table.seats]

    def words(
        self, position: Position, names: Sequence[str], viewer: Viewer, speech: Speech | None = None
    ) -> list[str]:
        return position_in_words(self.printed, position, names, viewer, speech or Speech(word=self.word))

    def word(self, term: str, of: Callable[[str], str] = str) -> str:
        return word(term, of)


GAME = Crusade(load(Path(__file__).with_name("house.toml")))

"""Builders for tests: a table in any state, a script that is played on it, a whole match."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from server.rules.asking import REVEAL, Decision, Question, Refused, Script
from server.rules.chance import Recorded, Shuffle
from server.rules.intrigues import GAME
from server.rules.intrigues.setting_up import lay_out
from server.rules.intrigues.table import Agent, Colour, IntriguesTable, Royal
from server.rules.playing import Play, full_options
from server.rules.showing import english_of
from server.rules.telling import Seat, Viewer, say

ANN, BEN, CAT, DAN = map(Seat, (1, 2, 3, 4))
NAMES = ("Ann", "Ben", "Cat", "Dan")
EMINENCE, QUEEN = Royal.EMINENCE, Royal.QUEEN
BOXES = (("R1", "E2"), ("R5", "E3"), ("R9", "F3"))
"""Sheets whose bonuses are nothing but prestige, money and an income step."""


def luck(boxes: Sequence[tuple[str, str]]) -> Recorded:
    """The shuffles that bring these sheets to the boxes, one after the other."""
    richelieu, opposing = ([pair[side] for pair in boxes] for side in (0, 1))
    return Recorded(
        [
            Shuffle("richelieu", (*richelieu, *(name for name in GAME.printed.richelieu if name not in richelieu))),
            Shuffle("opposition", (*opposing, *(name for name in GAME.printed.opposition if name not in opposing))),
        ]
    )


def a_table(
    seats: int = 3,
    *,
    boxes: Sequence[tuple[str, str]] = BOXES,
    on: Mapping[str, Royal | tuple[Colour, int]] | None = None,
    city: Iterable[tuple[Colour, int]] = (),
    hands: Mapping[Colour, Sequence[int]] | None = None,
    money: Mapping[Seat, int] | None = None,
    prestige: Mapping[Seat, int] | None = None,
    cardinal: int = 7,
    stacks_empty: bool = False,
    **options: object,
) -> IntriguesTable:
    """A table after the set-up, with pieces on spots and in the city; `hands` are then all that is left in hand."""
    table = GAME.set_up(seats, full_options(GAME, options), luck(boxes))
    table.names = NAMES[:seats]
    lay_out(table)
    for spot, piece in (on or {}).items():
        put(table, spot, piece)
    for colour, value in city:
        table.city.append(from_hand(table, colour, value))
        table.city[-1].turn_up()
    for colour, values in (hands or {}).items():
        table.hands[colour] = [from_hand(table, colour, value) for value in values]
    table.money.update(money or {})
    table.prestige.update(prestige or {})
    table.cardinal = cardinal
    if stacks_empty:
        table.stacks = {name: [] for name in table.stacks}
    table.log.clear()
    return table


def put(table: IntriguesTable, spot: str, piece: Royal | tuple[Colour, int]) -> None:
    if isinstance(piece, Royal):
        table.spots[spot].piece = piece
        table.royals[piece] = table.spots[spot]
    else:
        table.put_down(*piece, table.spots[spot])


def from_hand(table: IntriguesTable, colour: Colour, value: int) -> Agent:
    agent = next(agent for agent in table.hands[colour] if agent.value == value)
    table.hands[colour].remove(agent)
    return agent


def only_boxes(table: IntriguesTable, *numbers: int) -> IntriguesTable:
    """The end of a match: only these boxes hold sheets, the stacks are empty."""
    for box in table.boxes:
        if box.number not in numbers:
            for field in box.fields:
                field.sheet = None
    table.stacks = {name: [] for name in table.stacks}
    return table


class Going:
    """A script that is being played: who is asked now, and what was revealed on the way."""

    def __init__(self, script: Script) -> None:
        self.script = script
        self.question: Question = {}
        self.over = False
        self.reveals = 0
        self._on(None)

    def play(self, *texts: str) -> Going:
        for text in texts:
            answer = self.decision.read(text)
            self._on({self.seat: answer})
        return self

    def _on(self, answers: Mapping[Seat, str] | None) -> None:
        try:
            step = next(self.script) if answers is None else self.script.send(answers)
            while step is REVEAL:
                self.reveals += 1
                step = next(self.script)
            self.question = step
        except StopIteration:
            self.question = {}
            self.over = True

    @property
    def seat(self) -> Seat:
        (seat,) = self.question
        return seat

    @property
    def decision(self) -> Decision:
        return self.question[self.seat]

    @property
    def moves(self) -> list[str]:
        return list(self.decision.answers())

    def refusal(self, text: str) -> tuple[str | None, str]:
        """The rule and the sentence with which a text is refused."""
        try:
            self.decision.read(text)
        except Refused as refused:
            return refused.rule, say(refused.why, self.seat, NAMES, english_of(GAME))
        raise AssertionError(f"“{text}” was not refused")

    def words(self, text: str) -> str:
        """A move in words, as its player reads it."""
        return say(self.decision.say(self.decision.read(text)), self.seat, NAMES, english_of(GAME))


def play(script: Script, *texts: str) -> Going:
    return Going(script).play(*texts)


def told(table: IntriguesTable, viewer: Viewer = None) -> list[str]:
    """The log since the table was built, in a reader's eyes."""
    return [say(each, viewer, NAMES, english_of(GAME)) for each in table.log]


def in_hand(table: IntriguesTable, colour: Colour) -> list[int]:
    return sorted(agent.value for agent in table.hands[colour])


def in_city(table: IntriguesTable, colour: Colour) -> list[int]:
    return sorted(agent.value for agent in table.city if agent.colour == colour)


def pieces(table: IntriguesTable, viewer: Viewer = None) -> dict[str, Any]:
    """All pieces on sheets by spot, in a viewer's eyes."""
    seen: dict[str, Any] = {}
    for number, box in enumerate(GAME.position(table, viewer)["boxes"], 1):
        for letter, side in (("R", "richelieu"), ("O", "opposing")):
            for index, spot in enumerate(box[side]["spots"] if box[side] else (), 1):
                if spot["piece"] is not None:
                    seen[f"{letter}{number}.{index}"] = spot["piece"]
    return seen


def a_match(seats: int = 2, boxes: Sequence[tuple[str, str]] = BOXES, **options: object) -> Play:
    return Play(GAME, seats, options, chance=luck(boxes), names=NAMES[:seats])

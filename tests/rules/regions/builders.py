"""Tables, matches and play for the tests of Richelieu (2003): defaults everywhere, a test says what it is about."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from server.rules.asking import Decision, Question, Refused, Reveal, Script
from server.rules.chance import Recorded, Seeded, Shuffle
from server.rules.playing import Play, full_options
from server.rules.regions import GAME
from server.rules.regions.marking import mark_decision
from server.rules.regions.places import COLUMNS, PLACE, PLACES
from server.rules.regions.table import DisplayTable
from server.rules.regions.taking import turn_decision
from server.rules.showing import english_of
from server.rules.telling import Seat, Viewer, say

NAMES = ("Ann", "Ben", "Cat", "Dan")
GONE = "–"


def a_table(
    *rows: str,
    seats: int = 2,
    marks: Mapping[str, int] | None = None,
    tiles: Mapping[str, str] | None = None,
    lost: Mapping[int, int] | None = None,
    cards: Mapping[int, str] | None = None,
    tiles_in_hand: Mapping[int, str] | None = None,
    first_turn: bool = False,
    **options: bool | str,
) -> DisplayTable:
    """A table in the middle of a match.

    rows           the cards of each row from column 1 on, like "– bourgogne 2, anjou 1"; "–" is one that is gone
    marks          whose marker lies where: {"1.2": 2}
    tiles          the tiles on the display: {"1.2": "regain"}
    lost           how many markers each seat has given up
    cards          what each seat has taken: {1: "bourgogne 2, anjou 1"}
    tiles_in_hand  the tiles that each seat holds and has seen
    """
    table = GAME.set_up(seats, full_options(GAME, options), Seeded("luck"))
    table.names = NAMES[:seats]
    table.is_first_turn = first_turn
    _lay(table, rows)
    for seat, number in (lost or {}).items():
        table.areas[Seat(seat)].lost = number
        table.areas[Seat(seat)].hand -= number
    for place, owner in (marks or {}).items():
        table.put_marker(Seat(owner), PLACE[place])
    for place, front in (tiles or {}).items():
        table.tiles[PLACE[place]] = table.hide(front, "a tile", "tile")
    for seat, names in (cards or {}).items():
        table.areas[Seat(seat)].cards += [GAME.printed.named[name] for name in _split(names)]
    for seat, names in (tiles_in_hand or {}).items():
        for front in _split(names):
            tile = table.hide(front, "a tile", "tile")
            tile.show(seat)
            table.areas[Seat(seat)].tiles.append(tile)
    return table


def _lay(table: DisplayTable, rows: Sequence[str]) -> None:
    table.lay([GAME.printed.deck[0]] * len(PLACES))
    for number in range(4):
        lying = _split(rows[number]) if number < len(rows) else []
        start = number * COLUMNS
        gone = lying.count(GONE)
        assert lying[:gone] == [GONE] * gone, "only the first cards of a row can be given as gone"
        table.left[number], table.right[number] = start + gone, start + len(lying)
        for column in range(COLUMNS):
            table.free[start + column] = gone <= column < len(lying)
        for column, name in enumerate(lying):
            if name != GONE:
                table.display[start + column] = GAME.printed.named[name]
    table.pairs = [card.pairs for card in table.display]


def _split(names: str) -> list[str]:
    return [name.strip() for name in names.replace(f"{GONE} ", f"{GONE}, ").split(",") if name.strip()]


def play(script: Script, *texts: str) -> Question:
    """Answer the script's questions with these texts; the question that is then open, empty if the script has ended."""
    question = go_on(script, None)
    for text in texts:
        ((seat, decision),) = question.items()
        question = go_on(script, {seat: decision.read(text)})
    return question


def go_on(script: Script, answers: dict[Seat, str] | None) -> Question:
    """The script's next question after these answers; None begins it."""
    try:
        step = next(script) if answers is None else script.send(answers)
        while isinstance(step, Reveal):
            step = next(script)
    except StopIteration:
        return {}
    return step


def turn_moves(table: DisplayTable, seat: int = 1) -> list[str]:
    """What the seat may answer at the beginning of its turn."""
    return list(turn_decision(table, Seat(seat)).answers())


def mark_moves(table: DisplayTable, seat: int = 1) -> list[str]:
    """What the seat may answer after its take."""
    return list(mark_decision(table, Seat(seat)).answers())


def turn_refusal(table: DisplayTable, text: str, seat: int = 1) -> tuple[str | None, str]:
    """The paragraph and the sentence with which this beginning of a turn is refused."""
    return refusal(turn_decision(table, Seat(seat)), text, table.names)


def mark_refusal(table: DisplayTable, text: str, seat: int = 1) -> tuple[str | None, str]:
    """The paragraph and the sentence with which this end of a turn is refused."""
    return refusal(mark_decision(table, Seat(seat)), text, table.names)


def refusal(decision: Decision, text: str, names: Sequence[str] = NAMES) -> tuple[str | None, str]:
    with pytest.raises(Refused) as refused:
        decision.read(text)
    return refused.value.rule, say(refused.value.why, None, names, english_of(GAME))


def hands(table: DisplayTable) -> dict[int, tuple[int, int, int]]:
    """For each seat its markers in hand, on the display and given up."""
    return {int(seat): (area.hand, len(area.marks), area.lost) for seat, area in table.areas.items()}


def cards_of(table: DisplayTable, seat: int) -> list[str]:
    return [card.name for card in table.areas[Seat(seat)].cards]


def tiles_of(table: DisplayTable, seat: int) -> list[str]:
    return [tile.front for tile in table.areas[Seat(seat)].tiles]


def log(table: DisplayTable, viewer: Viewer = None) -> list[str]:
    return [say(told, viewer, table.names, english_of(GAME)) for told in table.log]


def a_match(*rows: str, seats: int = 2, tiles: Sequence[str] = (), options: Mapping[str, Any] | None = None) -> Play:
    """A match whose rows begin with these cards and whose first tiles are these; the rest comes in sorted order."""
    wanted = [_split(rows[number]) if number < len(rows) else [] for number in range(4)]
    left_over = _without(GAME.printed.names, [name for row in wanted for name in row])
    order = [name for row in wanted for name in (*row, *(left_over.pop(0) for _ in range(COLUMNS - len(row))))]
    luck = Recorded(
        [
            Shuffle("cards", tuple(order)),
            Shuffle("tiles", (*tiles, *_without(GAME.printed.tiles, tiles))),
        ]
    )
    return Play(GAME, seats, options, chance=luck, names=NAMES[:seats])


def _without(things: Sequence[str], taken: Sequence[str]) -> list[str]:
    return sorted((Counter(things) - Counter(taken)).elements())

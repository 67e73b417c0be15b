"""Marking a card after the take (chapter 3): put a marker down, move one, or leave it."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import compress
from typing import Final

from server.rules.asking import Decision, Refused, refuse
from server.rules.regions.places import PLACE, PLACES
from server.rules.regions.table import DisplayTable
from server.rules.regions.tiles import SAY_REGAIN, can_regain, no_regain
from server.rules.telling import Seat, Sentence, sentence

MARK_OR_END: Final = sentence("Put a marker on a card, or end your turn.")
MOVE_OR_END: Final = sentence("Move one of your markers to another card, or end your turn.")
ONLY_END: Final = sentence("You cannot mark a card now; end your turn.")
MARKERS_ON_DISPLAY_OF_FOUR: Final = 2

MARK: Final = tuple(f"mark {place}" for place in PLACES)
MOVE: Final = tuple(tuple(f"move {place} {other}" for other in PLACES) for place in PLACES)


def mark_decision(table: DisplayTable, seat: Seat) -> Decision:
    """What ends a turn after a take: `mark`, `move` or `end`."""
    if not any(table.free):
        prompt = ONLY_END
    elif can_mark(table, seat):
        prompt = MARK_OR_END
    elif table.areas[seat].marks:
        prompt = MOVE_OR_END
    else:
        prompt = ONLY_END
    return Decision(
        "mark",
        prompt,
        listing=lambda: list_marks(table, seat),
        reading=lambda words: read_mark(table, seat, words),
        saying=lambda move: say_mark(table, move),
    )


def can_mark(table: DisplayTable, seat: Seat) -> bool:
    """Whether the seat's next marker comes from hand (3.1, 3.3), if there is a card for it."""
    return table.areas[seat].hand > 0 and not has_most_on_display(table, seat)


def has_most_on_display(table: DisplayTable, seat: Seat) -> bool:
    return len(table.seats) == 4 and len(table.areas[seat].marks) >= MARKERS_ON_DISPLAY_OF_FOUR


def list_marks(table: DisplayTable, seat: Seat) -> list[str]:
    moves: list[str] = []
    if can_mark(table, seat):
        moves += compress(MARK, table.free)
    else:
        for start in sorted(table.areas[seat].marks):
            moves += compress(MOVE[start], table.free)
    moves.append("end")
    if can_regain(table, seat):
        moves.append("regain")
    return moves


def mark(table: DisplayTable, seat: Seat, move: str) -> None:
    """Carry out the move that ends the turn."""
    verb, *names = move.split()
    if verb == "end":
        table.tell("{seat} ends the turn without marking a card.", seat=seat)
        return
    place = PLACE[names[-1]]
    card = table.display[place].name
    if verb == "mark":
        table.tell("{seat} marks {card} on {place}.", seat=seat, card=card, place=names[0])
    else:
        table.take_back_marker(PLACE[names[0]])
        table.tell(
            "{seat} moves a marker from {start} to {card} on {place}.",
            seat=seat,
            start=names[0],
            card=card,
            place=names[1],
        )
    table.put_marker(seat, place)


def read_mark(table: DisplayTable, seat: Seat, words: Sequence[str]) -> str:
    verb, *names = words
    if verb == "mark":
        return _read_marking(table, seat, names)
    if verb == "move":
        return _read_moving(table, seat, names)
    if verb == "regain":
        raise no_regain(table, seat, names)
    if verb == "end":
        raise refuse("regions 3.8", "Write “end” alone.")
    if verb in ("take", "pass"):
        raise refuse("regions 3.9", "You have taken your cards; now mark a card, or write “end”.")
    raise refuse("regions 3.8", "After taking, write “mark” and a place, such as “mark 2.5”, or “end”.")


def _read_marking(table: DisplayTable, seat: Seat, names: Sequence[str]) -> str:
    if not can_mark(table, seat):
        raise _no_marking(table, seat)
    if len(names) != 1:
        raise refuse("regions 3.1", "Name the one place of the card to mark, such as “mark 2.5”.")
    _check_free(table, names[0], "regions 3.1")
    return MARK[PLACE[names[0]]]


def _read_moving(table: DisplayTable, seat: Seat, names: Sequence[str]) -> str:
    if can_mark(table, seat):
        raise refuse("regions 3.2", "You have a marker in hand to put down: “mark” a card instead of moving a marker.")
    own = [PLACES[place] for place in sorted(table.areas[seat].marks)]
    if not own:
        raise refuse("regions 3.2", "You have no marker on the display to move; write “end”.")
    if len(names) != 2:
        raise refuse("regions 3.2", "Name the place of your marker and the new place, such as “move 2.5 3.7”.")
    if names[0] not in own:
        raise refuse("regions 3.2", "Move one of your own markers; they lie on {own}.", own=own)
    _check_free(table, names[1], "regions 3.2")
    return MOVE[PLACE[names[0]]][PLACE[names[1]]]


def _no_marking(table: DisplayTable, seat: Seat) -> Refused:
    if has_most_on_display(table, seat):
        return refuse(
            "regions 3.3", "With four players at most two of your markers are on the display; “move” one, or “end”."
        )
    if table.areas[seat].marks:
        return refuse("regions 3.2", "You have no marker in hand; “move” one from the display, or “end”.")
    return refuse("regions 3.2", "You have no marker left in hand or on the display; write “end”.")


def _check_free(table: DisplayTable, name: str, rule: str) -> None:
    """That a marker may be put there. Raises `Refused`."""
    place = PLACE.get(name)
    if place is None:
        raise refuse(rule, "There is no such place: rows run from 1 to 4 and columns from 1 to 12, such as “2.5”.")
    if not table.has_card(place):
        raise refuse(rule, "No card lies on {place} any more.", place=name)
    if place in table.marked:
        raise refuse(rule, "{place} carries the marker of {owner} already.", place=name, owner=table.marked[place])


def say_mark(table: DisplayTable, move: str) -> Sentence:
    """The move in words."""
    verb, *names = move.split()
    if verb == "end":
        return sentence("End your turn without marking a card.")
    if verb == "regain":
        return SAY_REGAIN
    card = table.display[PLACE[names[-1]]].name
    if verb == "mark":
        return sentence("Put a marker on {card}, {place}.", card=card, place=names[0])
    return sentence("Move your marker from {start} to {card}, {place}.", start=names[0], card=card, place=names[1])

"""How moves are written, and how a text that is not exactly one of them is understood or refused."""

from __future__ import annotations

from collections.abc import Sequence

from server.rules.asking import Refused, refuse
from server.rules.intrigues.edition import SPOTS, VALUES
from server.rules.intrigues.table import BOXES, Box, Colour, IntriguesTable, Royal, Spot
from server.rules.telling import Seat, Sentence, sentence

SPOT_NAMES = tuple(f"{side}{box}.{index + 1}" for box in BOXES for side in "RO" for index in range(SPOTS))
PLACE = {value: {spot: f"place {value} {spot}" for spot in SPOT_NAMES} for value in VALUES}
NEUTRAL = {value: {spot: f"neutral {value} {spot}" for spot in SPOT_NAMES} for value in VALUES}
CORRUPT = {start: {to: f"corrupt {start} {to}" for to in SPOT_NAMES} for start in SPOT_NAMES}
ROYAL_VERBS = {Royal.EMINENCE: "grise", Royal.QUEEN: "queen"}
MOVE_ROYAL = {royal: {spot: f"{verb} {spot}" for spot in SPOT_NAMES} for royal, verb in ROYAL_VERBS.items()}

BONUS_VERBS = ("corrupt", "grise", "queen", "stay")
_FILLERS = frozenset(("agent", "an", "at", "from", "my", "on", "the", "to"))


def without_fillers(words: Sequence[str]) -> list[str]:
    """`place my agent 3 on r1.2` is `place 3 r1.2`."""
    return [word for word in words if word not in _FILLERS] or list(words)


def read_value(table: IntriguesTable, colour: Colour, word: str, rule: str) -> int:
    """The value of an agent in hand that the word names."""
    hand = table.values_in_hand(colour)
    neutral = not isinstance(colour, Seat)
    if word not in map(str, VALUES):
        raise refuse(rule, "“{text}” is no agent's value; there are −2, 1, 2 and 3.", text=word)
    if int(word) not in hand and neutral:
        raise refuse(
            rule, "No neutral agent {value} is left to place; there are: {values}.", value=int(word), values=hand
        )
    if int(word) not in hand:
        raise refuse(
            rule, "You have no agent {value} in hand. In hand you have: {values}.", value=int(word), values=hand
        )
    return int(word)


def read_spot(table: IntriguesTable, word: str, rule: str) -> Spot:
    spot = table.spots.get(word.upper())
    if spot is None:
        raise refuse(rule, "“{text}” is no spot. Spots are R1.1 to R3.5 and O1.1 to O3.5.", text=word)
    return spot


def read_free_spot(table: IntriguesTable, word: str, rule: str) -> Spot:
    """The free spot in an open box that the word names."""
    spot = read_spot(table, word, rule)
    closed = why_closed(table, spot.field.box)
    if closed is not None:
        raise closed
    if spot.piece is not None:
        raise refuse(
            rule,
            "{spot} is taken. Free on {sheet}: {spots}.",
            spot=spot.name,
            sheet=spot.field.lying.name,
            spots=[free.name for free in spot.field.free],
        )
    return spot


def why_closed(table: IntriguesTable, box: Box) -> Refused | None:
    """The refusal for a box that is closed, None for an open one."""
    if table.is_open(box):
        return None
    if box is table.resolving:
        return refuse(
            "intrigues 4.3",
            "Box {box} is being resolved; until its new sheets lie there no agent is placed in it or moved out of it.",
            box=box.number,
        )
    if not box.holds_sheets:
        return refuse("intrigues 5.10", "Box {box} is empty: no sheets are left for it.", box=box.number)
    return refuse(
        "intrigues 4.2",
        "Box {box} is complete and waits to be resolved; nothing can be placed in it or moved out of it.",
        box=box.number,
    )


def and_then(move: Sentence, spot: Spot) -> Sentence:
    """The move in words, with what it sets off when it fills the sheet."""
    if len(spot.field.free) > 1:
        return move
    return sentence(
        "{move} That completes {sheet}: box {box} will be resolved.",
        move=move,
        sheet=spot.field.lying.name,
        box=spot.field.box.number,
    )

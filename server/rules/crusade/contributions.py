"""Contributing to the outcome of the Crusade (chapter 5): two cards each, secretly, all at the same time."""

from __future__ import annotations

from collections import Counter
from functools import partial

from server.rules.asking import Decision, Script, ask_together, refuse
from server.rules.crusade.colours import choices, counted, in_order
from server.rules.crusade.naming import read_colour
from server.rules.crusade.table import CrusadeTable
from server.rules.telling import Seat, Sentence, sentence, wording

CARDS_DUE = 2
SEND = sentence("Send two cards to the Crusade deck, secretly.")
_TEXTS = tuple((f"send {first} {second}", first, second) for first, second in choices(CARDS_DUE))


def contribute(table: CrusadeTable) -> Script:
    table.phase = "contributions"
    asked = [seat for seat in table.seats if len(table.hands[seat]) > CARDS_DUE]
    answers = (yield from ask_together({seat: contribution(table, seat) for seat in asked})) if asked else {}
    for seat in table.in_order():
        if seat in answers:
            send(table, seat, answers[seat].split()[1:])
        else:
            send_all(table, seat)


def send(table: CrusadeTable, seat: Seat, colours: list[str]) -> None:
    table.send(seat, colours)
    seen = table.for_eyes_of(seat, colours, others=wording("all face down"))
    table.tell("{seat} sends {number} cards to the Crusade deck ({cards}).", seat=seat, number=CARDS_DUE, cards=seen)


def send_all(table: CrusadeTable, seat: Seat) -> None:
    """5.2: whoever has two cards or fewer has no choice, and loses 1 PP for each that is missing."""
    colours = [card.front for card in table.hands[seat]]
    table.send(seat, colours)
    seen = table.for_eyes_of(seat, colours, others=wording("all face down"))
    table.tell(
        "{seat} sends all that is left, {number} of {due} cards ({cards}).",
        seat=seat,
        number=len(colours),
        due=CARDS_DUE,
        cards=seen,
    )
    table.award(seat, len(colours) - CARDS_DUE)


def contribution(table: CrusadeTable, seat: Seat) -> Decision:
    return Decision(
        "contribution",
        SEND,
        listing=partial(list_contributions, table, seat),
        reading=partial(read_contribution, table, seat),
        saying=say_contribution,
    )


def list_contributions(table: CrusadeTable, seat: Seat) -> list[str]:
    held = table.held(seat)
    return [text for text, first, second in _TEXTS if held[first] and held[second] > (first == second)]


def read_contribution(table: CrusadeTable, seat: Seat, words: list[str]) -> str:
    if words[0] != "send" or len(words) != 1 + CARDS_DUE:
        example = list_contributions(table, seat)[0]
        raise refuse("crusade 5.1", "Now two cards go to the Crusade deck, as in “{example}”.", example=example)
    colours = in_order(read_colour(word) for word in words[1:])
    held = table.held(seat)
    for colour, number in Counter(colours).items():
        if number > held[colour]:
            raise refuse(
                "crusade 5.1",
                "You would send {number} {colour} but hold {held}. Your hand: {hand}.",
                number=number,
                colour=colour,
                held=held[colour],
                hand=counted(card.front for card in table.hands[seat]),
            )
    return f"send {' '.join(colours)}"


def say_contribution(text: str) -> Sentence:
    cards = counted(text.split()[1:])
    return sentence("Send {cards} to the Crusade deck, face down.", cards=cards)

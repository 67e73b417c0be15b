"""Carrying out the actions (chapter 4): one action of the own character, and counselors revealed before it."""

from __future__ import annotations

from functools import partial

from server.rules.asking import Decision, Script, ask, refuse
from server.rules.crusade.characters import ACTIONS, CHARACTERS, Character
from server.rules.crusade.counselors import counselor_texts, play_counselor, read_play, say_play
from server.rules.crusade.naming import check_price, named_by, read_named, suffix, texts
from server.rules.crusade.table import CrusadeTable
from server.rules.telling import Seat, Sentence, sentence

REVEAL_OR_END = sentence("The Bandit needs a card to give, and there is none: reveal a counselor, or end.")
END = "end"


def carry_out_actions(table: CrusadeTable) -> Script:
    table.phase = "actions"
    for seat in table.in_order():
        yield from act(table, seat)


def act(table: CrusadeTable, seat: Seat) -> Script:
    """Counselors, any number (4.10), until the action closes the step."""
    character = CHARACTERS[table.characters[seat]]
    while True:
        if needs_no_card(character) or table.hands[seat]:
            decision = action_decision(table, seat, character)
        elif table.counselors[seat]:
            decision = counselor_decision(table, seat)
        else:
            table.tell(
                "{seat} has no card for the {character} and is passed over.", seat=seat, character=character.name
            )
            return
        move = yield from ask(seat, decision)
        if move == END:
            table.tell("{seat} has no card for the {character} and ends.", seat=seat, character=character.name)
            return
        if not move.startswith("play "):
            break
        yield from play_counselor(table, seat, move)
    verb, *named = move.split()
    deed = character.actions[verb]
    table.tell("{seat} carries out “{move}” with the {character}.", seat=seat, move=move, character=character.name)
    yield from deed.carry_out(table, seat, named_by(deed, named))


def needs_no_card(character: Character) -> bool:
    """Whether one of the actions is free; only the Bandit's are not."""
    return any(not deed.price and not deed.pays_chosen for deed in character.actions.values())


def action_decision(table: CrusadeTable, seat: Seat, character: Character) -> Decision:
    return Decision(
        "action",
        sentence("Carry out one action of the {character}.", character=character.name),
        listing=partial(list_actions, table, seat, character),
        reading=partial(read_action, table, seat, character),
        saying=partial(say_move, table),
    )


def counselor_decision(table: CrusadeTable, seat: Seat) -> Decision:
    """A Bandit without a card: everybody sees that counselors are held, nobody whether one of them acts."""
    return Decision(
        "counselor",
        REVEAL_OR_END,
        listing=lambda: [*counselor_texts(table, seat), END],
        reading=partial(read_counselor_or_end, table, seat),
        saying=partial(say_move, table),
    )


def list_actions(table: CrusadeTable, seat: Seat, character: Character) -> list[str]:
    held = table.held(seat)
    moves = [text for verb, deed in character.actions.items() for text in texts(table, seat, verb, deed, held)]
    if table.counselors[seat]:
        moves += counselor_texts(table, seat)
    return moves


def read_action(table: CrusadeTable, seat: Seat, character: Character, words: list[str]) -> str:
    verb = words[0]
    if verb == "play":
        return read_play(table, seat, words)
    if verb == END:
        raise refuse(
            "crusade 4.10", "“end” is only for a Bandit without a card. Choose from: {verbs}.", verbs=_verbs(character)
        )
    if verb not in ACTIONS:
        raise refuse(
            "crusade 4.1",
            "Now an action of the {character} is wanted: {verbs}.",
            character=character.name,
            verbs=_verbs(character),
        )
    if verb not in character.actions:
        raise refuse(
            "crusade 4.1",
            "That is an action of the {other}. You influence the {character}: {verbs}.",
            other=ACTIONS[verb].name,
            character=character.name,
            verbs=_verbs(character),
        )
    deed = character.actions[verb]
    named = read_named(table, seat, verb, deed, words[1:], character.rule)
    check_price(table, seat, deed, named.colours, character.rule)
    return verb + suffix(named)


def read_counselor_or_end(table: CrusadeTable, seat: Seat, words: list[str]) -> str:
    if words[0] == "play":
        return read_play(table, seat, words)
    raise refuse(
        "crusade 4.9", "You hold no card that the Bandit could give: reveal a counselor with “play”, or write “end”."
    )


def say_move(table: CrusadeTable, text: str) -> Sentence:
    if text == END:
        return sentence("Let the Bandit do nothing this turn.")
    if text.startswith("play "):
        return say_play(table, text)
    verb, *words = text.split()
    character = ACTIONS[verb]
    deed = character.actions[verb]
    return sentence("{character}: {steps}.", character=character.name, steps=deed.clauses(named_by(deed, words)))


def _verbs(character: Character) -> list[str]:
    return list(character.actions)

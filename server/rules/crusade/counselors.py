"""Counselors: those that act are revealed on the own turn (4.10), the others score at the end (8.2)."""

from __future__ import annotations

from collections.abc import Sequence

from server.rules.asking import Script, refuse
from server.rules.crusade.edition import Counselor, Edition
from server.rules.crusade.effects import Deed, Named
from server.rules.crusade.naming import check_price, named_by, read_named, suffix, texts
from server.rules.crusade.table import CrusadeTable
from server.rules.telling import Seat, Sentence, sentence

RULE = "crusade 4.10"


def counselor_texts(table: CrusadeTable, seat: Seat) -> list[str]:
    """Every `play …` of the seat."""
    held = table.held(seat)
    moves: list[str] = []
    for name in names_held(table, seat):
        deed = table.edition.counselors[name].deed
        if deed:
            moves += texts(table, seat, f"play {name}", deed, held)
    return moves


def names_held(table: CrusadeTable, seat: Seat) -> list[str]:
    """The counselors in the seat's hand, not revealed, in alphabetical order."""
    return sorted(card.front for card in table.counselors[seat])


def play_counselor(table: CrusadeTable, seat: Seat, move: str) -> Script:
    """Reveal a counselor and do what it says. It works once."""
    counselor, deed, named = _meaning(table.edition, move)
    reveal_counselor(table, seat, counselor.name)
    table.tell("{seat} reveals {counselor}.", seat=seat, counselor=counselor.name)
    yield from deed.carry_out(table, seat, named)


def reveal_counselor(table: CrusadeTable, seat: Seat, name: str) -> None:
    card = next(card for card in table.counselors[seat] if card.front == name)
    card.show_all()
    table.counselors[seat].remove(card)
    table.revealed[seat].append(name)


def read_play(table: CrusadeTable, seat: Seat, words: list[str]) -> str:
    """The canonical text of a `play …` in a player's words. Raises `Refused`."""
    counselor, named_words = counselor_named(table.edition, words[1:])
    held = names_held(table, seat)
    if counselor is None:
        raise refuse(RULE, "There is no such counselor. You hold: {held}.", held=held)
    name, deed = counselor.name, counselor.deed
    if name in table.revealed[seat]:
        raise refuse(RULE, "You have revealed {name} already; a counselor works once.", name=name)
    if name not in held:
        raise refuse(RULE, "You do not hold {name}. You hold: {held}.", name=name, held=held)
    if deed is None:
        raise refuse(RULE, "{name} is not played: the card stays secret and scores at the end.", name=name)
    named = read_named(table, seat, f"play {name}", deed, named_words, RULE)
    check_price(table, seat, deed, named.colours, RULE)
    return f"play {name}{suffix(named)}"


def say_play(table: CrusadeTable, move: str) -> Sentence:
    counselor, deed, named = _meaning(table.edition, move)
    return sentence("Reveal {counselor}: {steps}.", counselor=counselor.name, steps=deed.clauses(named))


def counselor_named(edition: Edition, words: Sequence[str]) -> tuple[Counselor | None, Sequence[str]]:
    """The counselor with whose name these words begin, upper case or not, and the words behind the name."""
    for length in range(len(words), 0, -1):
        counselor = edition.called.get(" ".join(words[:length]).casefold())
        if counselor:
            return counselor, words[length:]
    return None, words


def _meaning(edition: Edition, move: str) -> tuple[Counselor, Deed, Named]:
    counselor, words = counselor_named(edition, move.split()[1:])
    assert counselor is not None
    assert counselor.deed is not None
    return counselor, counselor.deed, named_by(counselor.deed, words)

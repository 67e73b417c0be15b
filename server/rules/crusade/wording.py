"""The position in words for mails, and how people read the names of things."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from textwrap import wrap
from typing import Any, Final, TypeAlias

from server.rules.crusade.characters import CHARACTERS
from server.rules.crusade.colours import COLOURS
from server.rules.crusade.edition import Edition
from server.rules.crusade.effects import NOTHING_NAMED
from server.rules.crusade.table import SIDES, STARTS
from server.rules.playing import Position
from server.rules.telling import HOST, Sentence, Viewer, say

Reader: TypeAlias = Callable[[Sentence], str]

COLUMNS: Final = 40
_WORDS: Final = {
    **{character.name: character.title for character in CHARACTERS.values()},
    **{name: name.title() for name in (*SIDES, *STARTS)},
}


def word(term: str) -> str:
    return _WORDS.get(term, term)


def words_of_position(edition: Edition, position: Position, names: Sequence[str], viewer: Viewer) -> list[str]:
    """The whole position: own secrets first, then what all can see."""

    def read(told: Sentence) -> str:
        return say(told, viewer, names, word=word)

    lines = _moment(position, names)
    if isinstance(viewer, int):
        lines += _own(edition, position["seats"][viewer - 1], read)
    lines += _board(position)
    lines += _event(edition, position, read)
    lines += _offers(position, names)
    for number, (name, seat) in enumerate(zip(names, position["seats"], strict=True), start=1):
        lines += _seat(name, seat, shows_hand=viewer == HOST, is_viewer=viewer == number)
    return lines


def _moment(position: Position, names: Sequence[str]) -> list[str]:
    if position["phase"] == "loyalty":
        return ["Loyalties are being chosen."]
    if position["phase"] == "end":
        return [f"The match ended in turn {position['turn']}."]
    first = names[position["first"] - 1]
    return _lines(f"Turn {position['turn']}, {position['phase']}. First player: {first}.")


def _own(edition: Edition, seat: dict[str, Any], read: Reader) -> list[str]:
    lines = _lines(f"Your hand ({seat['cards']}): {_cards(seat['hand'])}.")
    if seat["sealed"]:
        lines += _lines(f"Your sealed answer: {seat['sealed']}.")
    for name in seat["counselor_names"]:
        lines += _lines(f"Your counselor {name}: {_counselor(edition, name, read)}.")
    return lines


def _counselor(edition: Edition, name: str, read: Reader) -> str:
    counselor = edition.counselors[name]
    if counselor.bonus:
        return read(counselor.bonus.clause())
    assert counselor.deed is not None
    return "play: " + ", ".join(read(clause) for clause in counselor.deed.clauses(NOTHING_NAMED))


def _board(position: Position) -> list[str]:
    tracks = ", ".join(f"{word(track)} {at}" for track, at in position["tracks"].items())
    richard, john = (position["counselor_decks"][side] for side in SIDES)
    lines = _lines(f"Tracks: {tracks}.")
    lines += _lines(f"Reserve: {_cards(position['reserve'])}.")
    lines += _lines(f"Supply {position['supply']}, Crusade deck {position['crusade_deck']}.")
    lines += _lines(f"Counselors to draw: Richard {richard}, John {john}.")
    if position["turned_up"]:
        lines += _lines(f"Last turned up: {_cards(Counter(position['turned_up']))}.")
    return lines


def _event(edition: Edition, position: Position, read: Reader) -> list[str]:
    if position["event"] is None:
        return []
    consequences = "; ".join(read(each.clause()) for each in edition.events[position["event"]].consequences)
    return _lines(f"Event: {position['event']} ({consequences}). Events left: {position['events_left']}.")


def _offers(position: Position, names: Sequence[str]) -> list[str]:
    if position["offers"] is None:
        return []
    offers = ", ".join(f"{names[each['seat'] - 1]} {each['offer']}" for each in position["offers"])
    return _lines(f"Yellow offered to the tax: {offers or 'nothing yet'}.")


def _seat(name: str, seat: dict[str, Any], *, shows_hand: bool, is_viewer: bool) -> list[str]:
    side = f", {word(seat['loyalty'])}’s side" if seat["loyalty"] else ""
    lines = _lines(f"{name}{' (you)' if is_viewer else ''}{side}: {_minus(seat['pp'])} PP")
    facts = [f"cards {seat['cards']}", f"counselors {seat['counselors']}"]
    if seat["character"]:
        facts.append(f"now {word(seat['character'])}")
    if seat["last_character"]:
        facts.append(f"before {word(seat['last_character'])}")
    lines += _indented(", ".join(facts))
    if seat["revealed"]:
        lines += _indented(f"revealed: {', '.join(seat['revealed'])}")
    if shows_hand:
        lines += _indented(f"hand: {_cards(seat['hand'])}")
        lines += _indented(f"secret counselors: {', '.join(seat['counselor_names']) or 'none'}")
        if seat["sealed"]:
            lines += _indented(f"sealed: {seat['sealed']}")
    return lines


def _cards(numbers: Mapping[str, int]) -> str:
    return ", ".join(f"{numbers[colour]} {colour}" for colour in COLOURS if numbers.get(colour)) or "none"


def _minus(number: int) -> str:
    return str(number).replace("-", "−")


def _lines(text: str) -> list[str]:
    return wrap(text, COLUMNS, subsequent_indent="  ")


def _indented(text: str) -> list[str]:
    return wrap(text, COLUMNS, initial_indent="  ", subsequent_indent="    ")

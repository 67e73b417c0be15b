"""Influencing the characters (chapter 3): each in turn puts the pawn on a character."""

from __future__ import annotations

from functools import partial

from server.rules.asking import Decision, Script, ask, refuse
from server.rules.crusade.characters import CHARACTERS, character_named
from server.rules.crusade.colours import COLOURS
from server.rules.crusade.effects import take
from server.rules.crusade.naming import read_colour
from server.rules.crusade.table import CrusadeTable
from server.rules.telling import Seat, Sentence, sentence

PUT = sentence("Put your pawn on a free character.")
PUT_LAST = sentence("Put your pawn on a free character, as the last, and name a colour to take beside 1 green.")


def influence_characters(table: CrusadeTable) -> Script:
    table.phase = "influencing"
    *earlier, last = table.in_order()
    for seat in earlier:
        places = places_open_to(table, seat)
        if len(places) == 1:
            table.characters[seat] = places[0]
            table.tell("Only the {character} is open to {seat}, who influences it.", seat=seat, character=places[0])
            continue
        answer = yield from ask(seat, pawn_decision(table, seat))
        put_pawn(table, seat, answer.removeprefix("pawn "))
    answer = yield from ask(last, last_pawn_decision(table, last))
    character, _, colour = answer.removeprefix("pawn ").partition(" take ")
    put_pawn(table, last, character)
    take(table, last, ("green", colour))


def put_pawn(table: CrusadeTable, seat: Seat, character: str) -> None:
    table.characters[seat] = character
    table.tell("{seat} influences the {character}.", seat=seat, character=character)


def places_open_to(table: CrusadeTable, seat: Seat) -> list[str]:
    """Free characters without the one of the turn before (3.2), unless that is all there is (3.3)."""
    taken = table.characters.values()
    free = [character for character in CHARACTERS if character not in taken]
    return [character for character in free if character != table.last_characters.get(seat)] or free


def pawn_decision(table: CrusadeTable, seat: Seat) -> Decision:
    return Decision(
        "pawn",
        PUT,
        listing=lambda: [f"pawn {character}" for character in places_open_to(table, seat)],
        reading=partial(read_pawn, table, seat),
        saying=say_pawn,
    )


def last_pawn_decision(table: CrusadeTable, seat: Seat) -> Decision:
    """3.4: the last takes two cards too."""
    return Decision(
        "pawn",
        PUT_LAST,
        listing=lambda: [
            f"pawn {character} take {colour}" for character in places_open_to(table, seat) for colour in COLOURS
        ],
        reading=partial(read_last_pawn, table, seat),
        saying=say_pawn,
    )


def read_pawn(table: CrusadeTable, seat: Seat, words: list[str]) -> str:
    character, rest = _read_place(table, seat, words)
    if rest:
        raise refuse(
            "crusade 3.4", "Only the last to put a pawn takes cards: write “{move}”.", move=f"pawn {character}"
        )
    return f"pawn {character}"


def read_last_pawn(table: CrusadeTable, seat: Seat, words: list[str]) -> str:
    character, rest = _read_place(table, seat, words)
    if len(rest) != 2:
        example = f"pawn {character} take blue"
        raise refuse("crusade 3.4", "As the last you name one colour to take too, as in “{move}”.", move=example)
    return f"pawn {character} take {read_colour(rest[1])}"


def _read_place(table: CrusadeTable, seat: Seat, words: list[str]) -> tuple[str, list[str]]:
    """The open character that these words name, and the words from “take” on."""
    places = places_open_to(table, seat)
    if words[0] != "pawn":
        raise refuse("crusade 3.1", "Now a pawn is put on a character, as in “{move}”.", move=f"pawn {places[0]}")
    end = words.index("take") if "take" in words else len(words)
    character = character_named(" ".join(words[1:end]))
    if character is None:
        raise refuse("crusade 3.1", "There is no such character. Open to you: {places}.", places=places)
    holder = next((other for other, taken in table.characters.items() if taken == character), None)
    if holder is not None:
        raise refuse(
            "crusade 3.1",
            "The {character} is taken by {seat}. Open to you: {places}.",
            character=character,
            seat=holder,
            places=places,
        )
    if character not in places:
        raise refuse(
            "crusade 3.2",
            "You influenced the {character} in the turn before. Open to you: {places}.",
            character=character,
            places=places,
        )
    return character, words[end:]


def say_pawn(text: str) -> Sentence:
    character, _, colour = text.removeprefix("pawn ").partition(" take ")
    if colour:
        return sentence(
            "Influence the {character} and take 1 green and 1 {colour} from the reserve.",
            character=character,
            colour=colour,
        )
    return sentence("Influence the {character}.", character=character)

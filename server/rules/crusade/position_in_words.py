"""The position in words, for mails: own secrets first, then what all can see. At most 40 columns a line."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from textwrap import wrap
from typing import Any, Final

from server.rules.crusade.colours import COLOURS, counted
from server.rules.crusade.edition import Edition
from server.rules.crusade.effects import NOTHING_NAMED
from server.rules.crusade.table import SIDES
from server.rules.playing import Position
from server.rules.telling import HOST, Reading, Speech, Viewer, sentence

COLUMNS: Final = 40
NO_BREAK: Final = "\u00a0"
_BESIDE_A_NUMBER: Final = re.compile(r"(?<=\d) (?=[^\W\d])|(?<=[^\W\d]) (?=\d)")
PHASES: Final = {
    "loyalty": sentence("Loyalties are being chosen."),
    "influencing": sentence("Turn {turn}, influencing. First player: {name}."),
    "actions": sentence("Turn {turn}, actions. First player: {name}."),
    "contributions": sentence("Turn {turn}, contributions. First player: {name}."),
    "end": sentence("The match ended in turn {turn}."),
}


def position_in_words(
    edition: Edition, position: Position, names: Sequence[str], viewer: Viewer, speech: Speech
) -> list[str]:
    """The whole position: own secrets first, then what all can see."""
    return list(_Words(edition, names, viewer, speech).position(position))


class _Words(Reading):
    """A position in one language, as the viewer reads it."""

    def __init__(self, edition: Edition, names: Sequence[str], viewer: Viewer, speech: Speech) -> None:
        super().__init__(names, viewer, speech)
        self.edition = edition

    def position(self, position: Position) -> Iterator[str]:
        yield from self.moment(position)
        if isinstance(self.viewer, int):
            yield from self.own(position["seats"][self.viewer - 1])
        yield from self.board(position)
        yield from self.event(position)
        yield from self.offers(position)
        for number, (name, seat) in enumerate(zip(self.names, position["seats"], strict=True), start=1):
            yield from self.seat(name, seat, shows_hand=self.viewer == HOST, is_viewer=self.viewer == number)

    def moment(self, position: Position) -> list[str]:
        first = self.names[position["first"] - 1] if position["first"] else ""
        return _lines(self.say(PHASES[position["phase"]].template, turn=position["turn"], name=first))

    def own(self, seat: dict[str, Any]) -> Iterator[str]:
        yield from _lines(
            self.say("Your hand ({number}): {cards}.", number=seat["cards"], cards=self.cards(seat["hand"]))
        )
        if seat["sealed"]:
            yield from _lines(self.say("Your sealed answer: {text}.", text=seat["sealed"]))
        for name in seat["counselor_names"]:
            told = self.say("Your counselor {name}: {does}.", name=self.word(name), does=self.counselor(name))
            yield from _lines(told)

    def counselor(self, name: str) -> str:
        counselor = self.edition.counselors[name]
        if counselor.bonus:
            return self.read(counselor.bonus.clause())
        assert counselor.deed is not None
        steps = ", ".join(self.read(clause) for clause in counselor.deed.clauses(NOTHING_NAMED))
        return self.say("play: {steps}", steps=steps)

    def board(self, position: Position) -> Iterator[str]:
        tracks = ", ".join(f"{self.word(track)} {at}" for track, at in position["tracks"].items())
        richard, john = (position["counselor_decks"][side] for side in SIDES)
        yield from _lines(self.say("Tracks: {tracks}.", tracks=tracks))
        yield from _lines(self.say("Reserve: {cards}.", cards=self.cards(position["reserve"])))
        yield from _lines(
            self.say("Supply {supply}, Crusade deck {deck}.", supply=position["supply"], deck=position["crusade_deck"])
        )
        yield from _lines(self.say("Counselors to draw: Richard {richard}, John {john}.", richard=richard, john=john))
        if position["turned_up"]:
            cards = self.cards(Counter(position["turned_up"]))
            yield from _lines(self.say("Last turned up: {cards}.", cards=cards))

    def event(self, position: Position) -> list[str]:
        if position["event"] is None:
            return []
        consequences = "; ".join(
            self.read(each.clause()) for each in self.edition.events[position["event"]].consequences
        )
        return _lines(
            self.say(
                "Event: {event} ({consequences}). Events left: {left}.",
                event=self.word(position["event"]),
                consequences=consequences,
                left=position["events_left"],
            )
        )

    def offers(self, position: Position) -> list[str]:
        if position["offers"] is None:
            return []
        offers = ", ".join(f"{self.names[each['seat'] - 1]} {each['offer']}" for each in position["offers"])
        return _lines(self.say("Yellow offered to the tax: {offers}.", offers=offers or self.say("nothing yet")))

    def seat(self, name: str, seat: dict[str, Any], *, shows_hand: bool, is_viewer: bool) -> Iterator[str]:
        called = self.say("{name} (you)", name=name) if is_viewer else name
        if seat["loyalty"]:
            called = self.say("{name}, {side}’s side", name=called, side=self.word(seat["loyalty"]))
        yield from _lines(self.say("{name}: {pp} PP", name=called, pp=self.speech.number(seat["pp"])))
        yield from _indented(", ".join(self.facts(seat)))
        if seat["revealed"]:
            yield from _indented(self.say("revealed: {names}", names=self.listed(seat["revealed"])))
        if shows_hand:
            yield from _indented(self.say("hand: {cards}", cards=self.cards(seat["hand"])))
            yield from _indented(self.say("secret counselors: {names}", names=self.listed(seat["counselor_names"])))
            if seat["sealed"]:
                yield from _indented(self.say("sealed: {text}", text=seat["sealed"]))

    def facts(self, seat: dict[str, Any]) -> Iterator[str]:
        yield self.say("cards {number}", number=seat["cards"])
        yield self.say("counselors {number}", number=seat["counselors"])
        if seat["character"]:
            yield self.say("now {character}", character=self.word(seat["character"]))
        if seat["last_character"]:
            yield self.say("before {character}", character=self.word(seat["last_character"]))

    def cards(self, numbers: Mapping[str, int]) -> str:
        told = counted(colour for colour in COLOURS for _ in range(numbers.get(colour, 0)))
        return ", ".join(map(self.read, told)) or self.say("none")

    def listed(self, names: Sequence[str]) -> str:
        return ", ".join(map(self.word, names)) or self.say("none")


def _lines(text: str) -> list[str]:
    return _wrapped(text, "", "  ")


def _indented(text: str) -> list[str]:
    return _wrapped(text, "  ", "    ")


def _wrapped(text: str, first: str, others: str) -> list[str]:
    """Lines in which a number stays with what it counts."""
    kept = _BESIDE_A_NUMBER.sub(NO_BREAK, text)
    lines = wrap(kept, COLUMNS, initial_indent=first, subsequent_indent=others)
    return [line.replace(NO_BREAK, " ") for line in lines]

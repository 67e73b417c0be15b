"""Crusade: the four tracks, the characters, the cards by colour, the event, and every seat."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Final

from server.boards.colours import SIZES
from server.boards.pen import FINGER, LEFT, LINE, RIGHT, Pen, box, frame, lines, name_line, number, rule, text, use
from server.boards.text import SIZE, fitted, width
from server.rules.crusade import GAME
from server.rules.crusade.characters import CHARACTERS
from server.rules.crusade.colours import COLOURS, counted
from server.rules.crusade.effects import NOTHING_NAMED
from server.rules.telling import HOST, Sentence, Viewer, say, sentence
from server.speech import speech_of

SIGNS: Final = "12345678"
COLUMN: Final = 44  # from one colour to the next; they stand at the right
TILE: Final = (84, FINGER)
PHASES: Final = {
    "loyalty": sentence("Turn {turn}: choosing loyalties"),
    "influencing": sentence("Turn {turn}: influencing characters"),
    "actions": sentence("Turn {turn}: actions"),
    "contributions": sentence("Turn {turn}: contributions"),
    "end": sentence("The match ended in turn {turn}"),
}

Data = Mapping[str, Any]


def _say(template: str, **parts: object) -> str:
    return speech_of(GAME).say(template, **parts)


def _word(term: str) -> str:
    return speech_of(GAME).word(term)


def draw(pen: Pen, position: Data, viewer: Viewer) -> float:
    """Draws it; the height it took."""
    _define(pen)
    y = _moment(pen, position, 2)
    y = _tracks(pen, position["tracks"], y)
    y = _characters(pen, position["seats"], viewer, y + 6)
    y = _cards(pen, position, viewer, y + 4)
    y = _own(pen, position, viewer, y)
    y = _event(pen, position, y)
    y = _offers(pen, position, y)
    for at, seat in enumerate(position["seats"], 1):
        y = _seat(pen, at, seat, position["first"] == at, viewer, y + 3)
    return y + 4


def alt_text(position: Data, names: Sequence[str], viewer: Viewer) -> str:
    """The turn and its phase, the tracks, and how everybody stands."""
    tracks = ", ".join(f"{_word(track)} {at}" for track, at in position["tracks"].items())
    seats = [
        _say("{name} {pp} PP", name=f"{name}{_side(seat)}", pp=number(seat["pp"]))
        for name, seat in zip(names, position["seats"], strict=True)
    ]
    return f"{_moment_said(position)}. {tracks}. {', '.join(seats)}."


def _side(seat: Data) -> str:
    return f" ({_word(seat['loyalty'])})" if seat["loyalty"] else ""


def _define(pen: Pen) -> None:
    pen.define_seats(SIGNS)
    w, h = TILE
    pen.define("tile", frame(0, 0, w, h, "face l-edge"))
    pen.define("go", box(0, 0, w, h, "tap") + frame(0, 0, w, h, "no l-go", 2))


def _moment_said(position: Data) -> str:
    if not position["turn"]:
        return _say("Before the first turn: choosing loyalties")
    return _say(PHASES[position["phase"]].template, turn=position["turn"])


def _moment(pen: Pen, position: Data, y: float) -> float:
    said = _moment_said(position)
    name = pen.names[position["first"] - 1]
    room = RIGHT - LEFT - width(said, SIZE, True) - 40
    first = fitted(_say("first: {name}", name=name), room)
    drawn = text(LEFT, y + 15, said, "b") + text(RIGHT - 26, y + 15, first, "e soft")
    drawn += use(f"s{position['first']}", RIGHT - 11, y + 11)
    pen.add(pen.place(["turn"], f"{said}. {_say('First player: {name}', name=name)}", drawn))
    return y + 26


def _tracks(pen: Pen, tracks: Data, y: float) -> float:
    for index, (track, at) in enumerate(tracks.items()):
        x, end = LEFT + index % 2 * 178, GAME.printed.ends[track]
        last = _say("of {number}", number=end)
        drawn = text(x, y + 14, _word(track), "b") + text(x + 170, y + 14, last, "e soft")
        drawn += text(x + 170 - round(width(last)) - 5, y + 15, str(at), "e b lg")
        drawn += frame(x, y + 19, 170, 9, "tray l-edge") + box(x, y + 19, round(170 * at / end), 9, "soft")
        pen.add(pen.place([track], f"{_word(track)} {at} {last}", drawn))
        y += 34 * (index % 2)
    return y


# The characters


def _characters(pen: Pen, seats: Sequence[Data], viewer: Viewer, y: float) -> float:
    now = {seat["character"]: at for at, seat in enumerate(seats, 1) if seat["character"]}
    before = {seat["last_character"]: at for at, seat in enumerate(seats, 1) if seat["last_character"]}
    for index, name in enumerate(CHARACTERS):
        x = LEFT + index % 4 * 88
        at = f"{x} {y + index // 4 * (TILE[1] + 4):g}"
        drawn = use("tile") + text(3, 13, fitted(_word(name), TILE[0] - 6, SIZES["xs"]), "xs")
        drawn += _occupant(pen, now.get(name), before.get(name), viewer)
        if pen.leads([name]):
            drawn += use("go")
        pen.add(pen.place([name], _character_said(pen, _word(name), now.get(name), before.get(name)), drawn, at))
    return y + 2 * (TILE[1] + 4)


def _occupant(pen: Pen, now: int | None, before: int | None, viewer: Viewer) -> str:
    if now:
        return use(f"s{now}", 15, 31) + text(30, 35, fitted(pen.names[now - 1], TILE[0] - 33))
    if before:
        last = _say("yours before") if before == viewer else _say("before: {sign}", sign=SIGNS[before - 1])
        return text(5, 35, last, "xs soft")
    return text(5, 35, _say("free"), "xs soft")


def _character_said(pen: Pen, title: str, now: int | None, before: int | None) -> str:
    said = f"{title}: {pen.names[now - 1] if now else _say('free')}"
    return f"{said}; {_say('in the turn before {name}', name=pen.names[before - 1])}" if before else said


# The cards


def _cards(pen: Pen, position: Data, viewer: Viewer, y: float) -> float:
    """A column for each colour; lines for the reserve, what was turned up last, and the own hand."""
    for column, colour in enumerate(COLOURS):
        right = RIGHT - (len(COLOURS) - 1 - column) * COLUMN
        pen.add(
            frame(right - 38, y, 38, 8, f"{colour} l-edge"), text(right, y + 21, fitted(_word(colour), COLUMN - 2), "e")
        )
    y += 24
    counted: Counter[str] = Counter(position["turned_up"])
    y = _line(pen, "reserve", _say("Reserve"), position["reserve"], y)
    y = _line(pen, "turned up", _say("Last turned up"), counted, y) if counted else y
    if isinstance(viewer, int):
        y = _line(pen, "hand", _say("Your hand"), position["seats"][viewer - 1]["hand"], y, "b")
    decks = position["counselor_decks"]
    said = _say(
        "Supply {supply}, Crusade deck {deck}; counselors: Richard {richard}, John {john}",
        supply=position["supply"],
        deck=position["crusade_deck"],
        richard=decks["richard"],
        john=decks["john"],
    )
    drawn, y = lines(said, y, "soft")
    pen.add(pen.place(["decks"], said, drawn))
    return y + 2


def _line(pen: Pen, place: str, title: str, cards: Mapping[str, int], y: float, style: str = "") -> float:
    drawn = box(LEFT, y, RIGHT - LEFT, 18, "lead") if style else ""
    drawn += text(LEFT + 2, y + 13, title, "b" if style else "")
    for column, colour in enumerate(COLOURS):
        right = RIGHT - (len(COLOURS) - 1 - column) * COLUMN
        count = cards.get(colour, 0)
        drawn += text(right - 2, y + 13, str(count) if count else "–", f"e {style}".rstrip() if count else "e soft")
    said = _cards_said(cards)
    pen.add(pen.place([place], f"{title}: {said}", drawn))
    return y + 19


def _cards_said(cards: Mapping[str, int]) -> str:
    told = counted(colour for colour in COLOURS for _ in range(cards.get(colour, 0)))
    return ", ".join(map(_read, told)) or _say("none")


def _own(pen: Pen, position: Data, viewer: Viewer, y: float) -> float:
    if not isinstance(viewer, int):
        return y
    seat = position["seats"][viewer - 1]
    told = [
        _say("Your counselor {name}: {does}", name=_word(name), does=_counselor(name))
        for name in seat["counselor_names"]
    ]
    if seat["sealed"]:
        told.append(_say("Your sealed answer: {text}", text=seat["sealed"]))
    for number_of, said in enumerate(told, 1):
        drawn, y = lines(said, y)
        pen.add(pen.place([f"own {number_of}"], said, drawn))
    return y


def _counselor(name: str) -> str:
    counselor = GAME.printed.counselors[name]
    if counselor.bonus:
        return _read(counselor.bonus.clause())
    assert counselor.deed is not None
    return _say("play: {steps}", steps=", ".join(map(_read, counselor.deed.clauses(NOTHING_NAMED))))


def _read(told: Sentence) -> str:
    return (
        say(told, None, (), speech_of(GAME)).replace("≥ ", "≥\N{NO-BREAK SPACE}").replace("≤ ", "≤\N{NO-BREAK SPACE}")
    )


def _event(pen: Pen, position: Data, y: float) -> float:
    if position["event"] is None:
        return y
    consequences = "; ".join(_read(each.clause()) for each in GAME.printed.events[position["event"]].consequences)
    drawn, below = lines(consequences, y + LINE)
    event = _say("Event: {event}", event=_word(position["event"]))
    drawn = text(LEFT, y + 12, event, "b") + drawn
    drawn += text(RIGHT, y + 12, _say("{number} left", number=position["events_left"]), "e soft")
    pen.add(pen.place(["event"], f"{event}: {consequences}", drawn))
    return below + 2


def _offers(pen: Pen, position: Data, y: float) -> float:
    if position["offers"] is None:
        return y
    offers = ", ".join(f"{pen.names[each['seat'] - 1]} {each['offer']}" for each in position["offers"])
    said = _say("Yellow offered to the tax: {offers}.", offers=offers or _say("nothing yet"))
    drawn, below = lines(said, y)
    pen.add(pen.place(["offers"], said, drawn))
    return below + 2


# The seats


def _seat(pen: Pen, at: int, seat: Data, is_first: bool, viewer: Viewer, y: float) -> float:
    drawn = rule(y) + use(f"s{at}", LEFT + 11, y + 17)
    facts = [_say("for {side}", side=_word(seat["loyalty"]))] if seat["loyalty"] else []
    points = _say("{pp} PP", pp=number(seat["pp"]))
    drawn += text(RIGHT, y + 15, points, "e b")
    right = RIGHT - round(width(points, SIZE, True)) - 6
    drawn += name_line(pen.names[at - 1], facts, LEFT + 28, right, y + 15, own=at == viewer)
    told, y = lines(_seat_facts(seat, hand_shown=viewer == HOST), y + 18, "soft", LEFT + 28)
    pen.add(pen.place([f"seat {at}"], _seat_said(pen.names[at - 1], seat, is_first), drawn + told))
    return y


def _seat_facts(seat: Data, *, hand_shown: bool) -> str:
    facts = [
        _say("cards {number}", number=seat["cards"]),
        _say("counselors {number}", number=seat["counselors"]),
    ]
    if seat["character"]:
        facts.append(_word(seat["character"]))
    if seat["last_character"]:
        facts.append(_say("before {character}", character=_word(seat["last_character"])))
    if seat["revealed"]:
        facts.append(_say("revealed {names}", names=", ".join(map(_word, seat["revealed"]))))
    if hand_shown:
        facts.append(_say("hand {cards}", cards=_cards_said(seat["hand"])))
        names = ", ".join(map(_word, seat["counselor_names"])) or _say("none")
        facts.append(_say("secret {names}", names=names))
        if seat["sealed"]:
            facts.append(_say("sealed {text}", text=seat["sealed"]))
    return ", ".join(facts)


def _seat_said(name: str, seat: Data, is_first: bool) -> str:
    called = _say("{name}, first player", name=f"{name}{_side(seat)}") if is_first else f"{name}{_side(seat)}"
    facts = _seat_facts(seat, hand_shown=False)
    return _say("{name}: {pp} PP, {facts}", name=called, pp=number(seat["pp"]), facts=facts)

"""Tables, luck and play for the tests of Richard I: defaults everywhere, so that a test says only what it is about."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pytest

from server.rules.asking import Decision, Question, Refused, Reveal, Script
from server.rules.chance import Seeded, Shuffle
from server.rules.crusade import GAME
from server.rules.crusade.actions import act
from server.rules.crusade.characters import CHARACTERS
from server.rules.crusade.table import JOHN, RICHARD, Card, CrusadeTable
from server.rules.playing import Play
from server.rules.showing import english_of
from server.rules.telling import Seat, Viewer, say

NAMES = ("Ann", "Ben", "Cat", "Dan", "Eve", "Fay", "Gus", "Hal")
SIDES = (RICHARD, JOHN) * 4


class Luck:
    """Shuffles that put the named things on top, and leave the rest as they were handed over.

    `Luck(crusade=["red red green"])` is for the first shuffle of that name; counselors and events are parted by "|".
    `shuffled` keeps what was handed over, `orders` what came out.
    """

    def __init__(self, tops: Mapping[str, Sequence[str]] | None = None, **more: Sequence[str]) -> None:
        self._given = {**(tops or {}), **more}
        self._tops = {name: list(each) for name, each in self._given.items()}
        self.shuffled: list[Shuffle] = []
        self.orders: list[Shuffle] = []

    def shuffle(self, name: str, things: Sequence[str]) -> list[str]:
        self.shuffled.append(Shuffle(name, tuple(things)))
        tops = self._tops.get(name)
        wanted = tops.pop(0).split("|" if self._has_long_names(name) else None) if tops else []
        rest = list(things)
        for each in wanted:
            rest.remove(each)
        self.orders.append(Shuffle(name, tuple(wanted + rest)))
        return wanted + rest

    def again(self) -> Luck:
        return Luck(self._given)

    @staticmethod
    def _has_long_names(shuffle: str) -> bool:
        return shuffle.startswith(("counselors", "events"))


def a_table(
    seats: int = 3,
    *,
    hands: Mapping[int, str] | None = None,
    supply: str | None = None,
    reserve: Mapping[str, int] | None = None,
    crusade_deck: str = "",
    tracks: Mapping[str, int] | None = None,
    characters: Mapping[int, str] | None = None,
    last_characters: Mapping[int, str] | None = None,
    counselors: Mapping[int, Iterable[str]] | None = None,
    revealed: Mapping[int, Iterable[str]] | None = None,
    decks: Mapping[str, Iterable[str]] | None = None,
    pp: Mapping[int, int] | None = None,
    loyal: str = "",
    first: int = 1,
    events: str = "off",
    luck: Any = None,
) -> CrusadeTable:
    """A table in the middle of a match. Cards come from the reserve; the first of `supply` is on top.

    `reserve` leaves so many of a colour there; the others lie under the supply, or in the Crusade deck when the
    supply is given. `loyal` is like "rjr"; otherwise seats are loyal to Richard and John in turn.
    """
    table = GAME.set_up(seats, {"events": events}, luck or Luck())
    table.names = NAMES[:seats]
    table.first = Seat(first)
    table.turn = 1
    letters = {"r": RICHARD, "j": JOHN}
    sides = [letters[each] for each in loyal] or SIDES[:seats]
    table.loyalty = dict(zip(table.seats, sides, strict=True))
    for number, text in (hands or {}).items():
        taken = table.take(Seat(number), text.split())
        assert taken == text.split()
    table.add_openly(crusade_deck.split())
    given = [table.reserve[colour].pop() for colour in (supply or "").split()]
    rest = [
        table.reserve[colour].pop()
        for colour, number in (reserve or {}).items()
        for _ in range(len(table.reserve[colour]) - number)
    ]
    for card in (*given, *rest):
        card.hide()
    if supply is None:
        table.supply = rest
    else:
        table.supply = given[::-1]
        table.crusade_deck += rest
    table.tracks.update(tracks or {})
    table.pp.update({Seat(number): points for number, points in (pp or {}).items()})
    table.characters = {Seat(number): name for number, name in (characters or {}).items()}
    table.last_characters = {Seat(number): name for number, name in (last_characters or {}).items()}
    for number, names in (counselors or {}).items():
        table.counselors[Seat(number)] = [a_counselor(table, name, number) for name in names]
    for number, names in (revealed or {}).items():
        table.revealed[Seat(number)] = list(names)
    for side, names in (decks or {}).items():
        table.counselor_decks[side] = [a_counselor(table, name) for name in names][::-1]
    return table


def a_counselor(table: CrusadeTable, name: str, holder: int | None = None) -> Card:
    card: Card = table.hide(name, "a counselor", "counselor")
    if holder:
        card.show(holder)
    return card


def play(script: Script, *answers: str | dict[int, str]) -> Question:
    """Answer the script's questions; an answer as {seat: text} also says who is asked. What is asked then."""
    question = _next_question(script, None)
    for answer in answers:
        assert question, f"nobody is asked, {answer} is too many"
        texts = answer if isinstance(answer, dict) else dict.fromkeys(question, answer)
        assert set(texts) == set(question), f"asked are {set(question)}, not {set(texts)}"
        read = {seat: question[seat].read(texts[seat]) for seat in question}
        question = _next_question(script, read)
    return question


def _next_question(script: Script, answers: Mapping[Seat, str] | None) -> Question:
    try:
        step = script.send(answers)  # type: ignore[arg-type]
        while isinstance(step, Reveal):
            step = next(script)
    except StopIteration:
        return {}
    return step


def action_of(seat: int, character: str, hand: str = "", **table_parts: Any) -> tuple[CrusadeTable, Script]:
    """A table on which this seat is about to act with the character, and the script of that step."""
    hands = {**table_parts.pop("hands", {}), seat: hand}
    table = a_table(hands=hands, characters={seat: character}, **table_parts)
    table.phase = "actions"
    return table, act(table, Seat(seat))


def acted(character: str, hand: str, *moves: str | dict[int, str], **table_parts: Any) -> CrusadeTable:
    """The table after seat 1 has carried out these moves with the character."""
    table, script = action_of(1, character, hand, **table_parts)
    assert play(script, *moves) == {}
    return table


def asked(script: Script, *answers: str | dict[int, str]) -> Decision:
    """The decision of the one seat that is asked after these answers."""
    question = play(script, *answers)
    assert len(question) == 1
    return next(iter(question.values()))


def refusal(decision: Decision, text: str) -> tuple[str | None, str]:
    """The rule and the sentence with which this text is refused."""
    with pytest.raises(Refused) as refused:
        decision.read(text)
    return refused.value.rule, say(refused.value.why, 1, NAMES, english_of(GAME))


def hand(table: CrusadeTable, seat: int) -> str:
    """A hand in order, like "blue red red"."""
    return " ".join(colour for colour, number in table.held(Seat(seat)).items() for _ in range(number))


def told(table: CrusadeTable, viewer: Viewer = None) -> list[str]:
    return [say(each, viewer, table.names, english_of(GAME)) for each in table.log]


def cards_in_game(table: CrusadeTable) -> Counter[str]:
    """Every influence card, wherever it is."""
    places = [table.supply, table.crusade_deck, table.open_cards, *table.reserve.values(), *table.hands.values()]
    return Counter(card.front for place in places for card in place)


def a_match(seats: int = 3, *, events: str = "off", luck: Any = None, names: Sequence[str] = NAMES) -> Play:
    return Play(GAME, seats, {"events": events}, chance=luck or Seeded("a match"), names=names[:seats])


def played_at_random(seats: int, events: str, seed: int, *, most: int = 10_000) -> Play:
    """A match of random moves, to its end or for a number of moves."""
    match, luck = Play(GAME, seats, {"events": events}, chance=Seeded(f"{seed}")), random.Random(seed)
    while not match.over and len(match.moves) < most:
        step_at_random(match, luck)
    return match


def step_at_random(match: Play, luck: random.Random) -> None:
    seat = match.waiting_for()[0]
    match.answer(seat, luck.choice(match.decision(seat).answers()))


def play_until(match: Play, kind: str, *, luck: int = 1) -> None:
    """Random moves until a decision of this kind is open."""
    dice = random.Random(luck)
    while not any(decision.kind == kind for decision in match.question.values()):
        assert not match.over
        step_at_random(match, dice)


ALL_CHARACTERS = tuple(CHARACTERS)

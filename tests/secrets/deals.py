"""Pairs of one match that differ in something hidden, and for each viewer how long it cannot tell them apart."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from server.rules.chance import ChanceError, Recorded, Seeded, Shuffle
from server.rules.playing import NotAsked, Play
from server.rules.telling import Viewer
from tests.rules.matches import DEALT_OPEN, Case, different, known, learning, played, viewers

Orders = tuple[Shuffle, ...]
Moves = tuple[tuple[int, str], ...]

_TRIES = 300
_ENOUGH = 0.5  # of the match


@dataclass(frozen=True)
class Half:
    """One of the two: how its shuffles fell, and its moves."""

    orders: Orders
    moves: Moves


@dataclass(frozen=True)
class Twins:
    """Two matches. After fewer than `until[viewer]` moves the viewer cannot tell which of them it is."""

    case: Case
    halves: tuple[Half, Half]
    until: dict[Viewer, int]

    def span(self, knower: int) -> int:
        """For how many moves the knower can tell, and nobody else."""
        return min(until for viewer, until in self.until.items() if viewer != knower) - self.until[knower]


class Dealt:
    """Luck as it was dealt, and from the seed beyond that: a preview may come to shuffles that never were."""

    def __init__(self, seed: str, dealt: Orders) -> None:
        self.seed = seed
        self._dealt = dealt
        self.orders: list[Shuffle] = []

    def shuffle(self, name: str, things: Sequence[str]) -> list[str]:
        order = self._as_dealt(name, things) or Seeded(f"{self.seed}{len(self.orders)}").shuffle(name, things)
        self.orders.append(Shuffle(name, tuple(order)))
        return order

    def _as_dealt(self, name: str, things: Sequence[str]) -> list[str] | None:
        number = len(self.orders)
        try:
            return Recorded(self._dealt[number : number + 1]).shuffle(name, things)
        except ChanceError:
            return None

    def again(self) -> Dealt:
        return Dealt(self.seed, self._dealt)


class _NotTwins(Exception):
    """Something is not legal in both, or shows itself to everybody."""


def dealt_otherwise(case: Case, seed: object, *, knower: int, moves: int) -> Twins | None:
    """A random match with two deals that one seat can soon tell apart, and all the others for long cannot."""
    luck = random.Random(f"{case} {seed} {knower}")
    play = played(case, seed, most=moves)
    script = tuple((int(made.seat), made.text) for made in play.moves)
    ours = Half(tuple(play.chance.orders), script)
    others = (Half(_exchanged(ours.orders, luck), script) for _ in range(_TRIES))
    return _best(case, ours, others, knower)


def decided_otherwise(case: Case, seed: object, *, knower: int, moves: int) -> Twins | None:
    """A random match in which one seat decides something else once, and nobody else is to notice for long."""
    luck = random.Random(f"{case} {seed} {knower}")
    play = played(case, seed, most=moves)
    orders = tuple(play.chance.orders)
    script = tuple((int(made.seat), made.text) for made in play.moves)
    places = [number for number, made in enumerate(play.moves) if made.seat == knower]
    luck.shuffle(places)
    return _best(case, Half(orders, script), _other_choices(play, orders, script, places, luck), knower)


def _other_choices(
    play: Play, orders: Orders, script: Moves, places: Sequence[int], luck: random.Random
) -> Iterator[Half]:
    for place in places:
        seat, text = script[place]
        answers = play.at(place).decision(seat).answers()
        for other in luck.sample(list(answers), min(6, len(answers))):
            if other != text:
                later = tuple(
                    (who, _exchanged_words(said, text, other) if who == seat else said)
                    for who, said in script[place + 1 :]
                )
                yield Half(orders, (*script[:place], (seat, other), *later))


def _exchanged_words(said: str, one: str, other: str) -> str:
    """What the player does later with the other thing: the two change places."""
    pairs = {a: b for a, b in zip(one.split(), other.split(), strict=False) if a != b}
    pairs |= {b: a for a, b in pairs.items()}
    return " ".join(pairs.get(word, word) for word in said.split())


def _exchanged(orders: Orders, luck: random.Random) -> Orders:
    """One or two pairs of things in hidden shuffles exchanged."""
    changed = [list(shuffle.order) for shuffle in orders]
    hidden = [number for number, shuffle in enumerate(orders) if shuffle.name not in DEALT_OPEN]
    for _ in range(luck.randint(1, 2)):
        order = changed[luck.choice(hidden)]
        i, j = luck.randrange(len(order)), luck.randrange(len(order))
        order[i], order[j] = order[j], order[i]
    return tuple(Shuffle(shuffle.name, tuple(order)) for shuffle, order in zip(orders, changed, strict=True))


def _best(case: Case, ours: Half, others: Iterator[Half], knower: int) -> Twins | None:
    """The pair that is hidden from the others for longest; None if nobody else is ever kept in the dark."""
    best: Twins | None = None
    for theirs in others:
        found = _twins(case, ours, theirs, knower)
        if found and (best is None or found.span(knower) > best.span(knower)):
            best = found
        if best and best.span(knower) > _ENOUGH * len(ours.moves):
            break
    return best


def _twins(case: Case, ours: Half, theirs: Half, knower: int) -> Twins | None:
    if ours == theirs:
        return None
    try:
        until = dict(_until(case, ours, theirs, knower))
    except (ChanceError, NotAsked, _NotTwins):
        return None
    made = Twins(case, (ours, theirs), until)
    return made if made.span(knower) > 0 else None


def _until(case: Case, ours: Half, theirs: Half, knower: int) -> Iterator[tuple[Viewer, int]]:
    """The rules alone say who learns of the difference, and when.

    Of a deal: whoever is shown something hidden, and nobody else. Of a decision: whoever sees what follows from it.
    """
    one, other = (
        Play(case.game, case.seats, dict(case.options), chance=Dealt("", half.orders)) for half in (ours, theirs)
    )
    everybody = set(viewers(one))
    told: set[Viewer] = set()
    for number in range(len(ours.moves) + 1):
        learned = everybody
        if number:
            shown = _made(one, ours.moves[number - 1], other, theirs.moves[number - 1])
            learned = shown if ours.moves == theirs.moves else everybody
        for viewer in list((everybody - told) & learned):
            if known(one, viewer) != known(other, viewer) or different(one, other, viewer):
                told.add(viewer)
                yield viewer, number
        if told - {knower} and knower not in told:
            raise _NotTwins
        if told == everybody:
            return
    yield from ((viewer, len(ours.moves) + 1) for viewer in everybody - told)


def _made(one: Play, move: tuple[int, str], other: Play, its_move: tuple[int, str]) -> set[Viewer]:
    """Make a move in each; who was shown something."""
    with learning(viewers(one)) as learned:
        for play, (seat, text) in ((one, move), (other, its_move)):
            if text not in play.decision(seat).answers():
                raise _NotTwins
            play.answer(seat, text)
    if tuple(one.question) != tuple(other.question):
        raise _NotTwins
    return learned

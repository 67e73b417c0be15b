"""Pairs of one match that differ in something hidden, and for each viewer how long it cannot tell them apart."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from server.rules.chance import Chance, ChanceError, Recorded, Seeded, Shuffle
from server.rules.playing import Play
from server.rules.telling import Viewer
from tests.rules.matches import DEALT_OPEN, Case, different, known, learning, viewers

Orders = tuple[Shuffle, ...]
Moves = tuple[tuple[int, str], ...]

NOBODY = 0
"""The number of no seat."""

_PAIRS = 40
"""So many are begun; the first that stays hidden for long enough is taken, else the one that does so for longest."""
_ENOUGH = 0.4  # of the match
_WAYS_ON = 6
"""So many answers are tried for one that does not give the difference away."""


@dataclass(frozen=True)
class Half:
    """One of the two: how its shuffles fell, its moves, and what the knower keeps for nobody else's eyes."""

    orders: Orders
    moves: Moves
    kept: str


@dataclass(frozen=True)
class Twins:
    """Two matches. After fewer than `until[viewer]` moves the viewer cannot tell which of them it is."""

    case: Case
    halves: tuple[Half, Half]
    until: dict[Viewer, int]
    knower: int

    @property
    def span(self) -> int:
        """For how many moves the knower can tell, and nobody else."""
        return min(until for viewer, until in self.until.items() if viewer != self.knower) - self.until[self.knower]


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


class _Beside:
    """The luck of a twin: first as it is given, then as in the other match, but for the things that are others."""

    def __init__(self, other: Chance, given: Orders) -> None:
        self._other = other
        self._given = given
        self.orders: list[Shuffle] = []

    def shuffle(self, name: str, things: Sequence[str]) -> list[str]:
        number = len(self.orders)
        if number < len(self._given):
            order = list(self._given[number].order)
        elif number < len(self._other.orders):
            order = _with_these(self._other.orders[number].order, things)
        else:
            raise ChanceError("The other match had no such shuffle.")
        if sorted(order) != sorted(things):
            raise ChanceError("The other match had quite another shuffle here.")
        self.orders.append(Shuffle(name, tuple(order)))
        return order

    def again(self) -> _Beside:
        return _Beside(self._other, self._given)


def _with_these(order: Sequence[str], things: Sequence[str]) -> list[str]:
    """The order with what is not among the things replaced by what is missing of them."""
    too_many = Counter(order) - Counter(things)
    missing = list((Counter(things) - Counter(order)).elements())
    found = []
    for thing in order:
        if too_many[thing] and missing:
            too_many[thing] -= 1
            thing = missing.pop(0)
        found.append(thing)
    return found


def dealt_otherwise(case: Case, seed: object, *, knower: int, moves: int) -> Twins | None:
    """A random match with two deals that one seat can tell apart, and all the others for long cannot."""
    luck = random.Random(f"{case} {seed} {knower}")
    return _best(_dealt(case, seed, knower, luck), moves, luck)


def decided_otherwise(case: Case, seed: object, *, knower: int, moves: int) -> Twins | None:
    """A random match in which one seat decides something else once, and nobody else is to notice for long."""
    luck = random.Random(f"{case} {seed} {knower}")
    return _best(_decided(case, seed, knower, luck, moves), moves, luck)


def kept_otherwise(case: Case, seed: object, *, knower: int, moves: int) -> Twins | None:
    """A random match with two deals that nobody can tell apart; one seat soon keeps something else for itself in it."""
    luck = random.Random(f"{case} {seed} {knower}")
    for pair in _dealt(case, seed, NOBODY, luck):
        pair.grow(luck, moves)
        if len(pair.script) >= _ENOUGH * moves:
            return pair.as_twins({knower: min(2, len(pair.script))})
    return None


class _Pair:
    """Two matches that are played side by side, and who could tell them apart when."""

    def __init__(self, case: Case, seed: object, knower: int, given: Orders | None = None) -> None:
        self.case, self.knower = case, knower
        self._seed, self._given = seed, given or ()
        self.script: list[tuple[int, str, str]] = []
        self.until: dict[Viewer, int] = {}
        self._begin()
        self.everybody = frozenset(viewers(self.one))
        self.until.update(dict.fromkeys(self._apart(self.everybody), 0))

    def _begin(self) -> None:
        self.one = self.case.play(self._seed)
        luck = _Beside(self.one.chance, self._given)
        self.other = Play(
            self.case.game, self.case.seats, dict(self.case.options), chance=luck, names=list(self.one.names)
        )

    @property
    def dark(self) -> frozenset[Viewer]:
        """Who cannot tell."""
        return self.everybody - self.until.keys()

    @property
    def hidden(self) -> bool:
        """Whether nobody but the knower can tell."""
        return not self.until.keys() - {self.knower}

    @property
    def going_on(self) -> bool:
        return bool(self.dark) and not self.one.over and not self.other.over

    def make(self, seat: int, ours: str, theirs: str) -> None:
        """The seat answers in each. The rules alone say who can tell them apart then.

        Of a deal: whoever is shown something hidden, and nobody else. Of a decision: whoever sees what follows from it.
        """
        self.script.append((seat, ours, theirs))
        with learning(viewers(self.one)) as shown:
            self.one.answer(seat, ours)
            self.other.answer(seat, theirs)
        decided = any(one != other for _, one, other in self.script)
        look = self.everybody if decided else self.everybody & shown
        self.until.update(dict.fromkeys(self._apart(look & self.dark), len(self.script)))

    def _apart(self, look: frozenset[Viewer] | set[Viewer]) -> list[Viewer]:
        if None in look and known(self.one, None) == known(self.other, None) and self._differ(None):
            return sorted(look, key=str)  # what all can see is seen by each
        return [each for each in look if known(self.one, each) != known(self.other, each) or self._differ(each)]

    def _differ(self, viewer: Viewer) -> bool:
        return bool(different(self.one, self.other, viewer))

    def back_to(self, moves: int) -> None:
        """Take back what came after so many moves, and who could tell by it."""
        script = self.script[:moves]
        self.script, self.until = script, {who: until for who, until in self.until.items() if until <= moves}
        self._begin()
        for seat, ours, theirs in script:
            self.one.answer(seat, ours)
            self.other.answer(seat, theirs)

    def grow(self, luck: random.Random, moves: int) -> None:
        """Play on at random, and where it can be so that nobody else learns of the difference."""
        while self.going_on and len(self.script) < moves and self._went_on(luck):
            pass

    def _went_on(self, luck: random.Random) -> bool:
        before, dark = len(self.script), self.dark - {self.knower}
        loudest: tuple[int, str, str] | None = None
        for way in self._ways_on(luck):
            if not self._makes(way):
                self.back_to(before)
                continue
            if dark <= self.dark:
                return True
            if self.dark and self.knower in self.until:
                loudest = way
            self.back_to(before)
        return loudest is not None and self._makes(loudest)

    def _makes(self, way: tuple[int, str, str]) -> bool:
        """Whether both matches wait for the same then."""
        try:
            self.make(*way)
        except ChanceError:
            return False
        return tuple(self.one.question) == tuple(self.other.question)

    def _ways_on(self, luck: random.Random) -> list[tuple[int, str, str]]:
        """Answers that are possible in both; the knower may mean the one thing here and the other there."""
        seat = luck.choice(self.one.waiting_for())
        ours, theirs = self.one.decision(seat).answers(), frozenset(self.other.decision(seat).answers())
        pairs = [(int(seat), text, text) for text in ours if text in theirs]
        if seat == self.knower:
            swapped = [(int(seat), text, self._exchanged_words(text)) for text in ours]
            pairs += [each for each in swapped if each[1] != each[2] and each[2] in theirs]
        return luck.sample(pairs, min(len(pairs), _WAYS_ON))

    def _exchanged_words(self, said: str) -> str:
        """What the player does later with the other thing: the two change places."""
        pairs: dict[str, str] = {}
        for _, one, other in self.script:
            if one != other:
                pairs |= {a: b for a, b in zip(one.split(), other.split(), strict=False) if a != b}
                break
        pairs |= {b: a for a, b in pairs.items()}
        return " ".join(pairs.get(word, word) for word in said.split())

    def twins(self) -> Twins | None:
        """None if the knower did not learn of it, or somebody else did as soon."""
        made = self.as_twins(self.until) if self.knower in self.until else None
        return made if made and made.span > 0 else None

    def as_twins(self, until: dict[Viewer, int]) -> Twins:
        """With who could tell when; all others never."""
        knower = next(seat for seat in until if seat is not None) if self.knower == NOBODY else self.knower
        one, other = (
            Half(tuple(play.chance.orders), tuple((each[0], each[part]) for each in self.script), kept)
            for play, part, kept in ((self.one, 1, "one"), (self.other, 2, "other"))
        )
        return Twins(self.case, (one, other), dict.fromkeys(self.everybody, len(self.script) + 1) | until, int(knower))


def _dealt(case: Case, seed: object, knower: int, luck: random.Random) -> Iterator[_Pair]:
    """Matches whose hidden shuffles fell otherwise, and at most the knower can tell."""
    for number in range(_PAIRS):
        its_seed = f"{seed}/{number}"
        given = _exchanged(tuple(case.play(its_seed).chance.orders), luck)
        pair = _Pair(case, its_seed, knower, given)
        if given and pair.hidden:
            yield pair


def _exchanged(orders: Orders, luck: random.Random) -> Orders | None:
    """Two different things in one hidden shuffle exchanged."""
    number = luck.choice([number for number, shuffle in enumerate(orders) if shuffle.name not in DEALT_OPEN])
    order = list(orders[number].order)
    i, j = luck.randrange(len(order)), luck.randrange(len(order))
    if order[i] == order[j]:
        return None
    order[i], order[j] = order[j], order[i]
    return (*orders[:number], Shuffle(orders[number].name, tuple(order)), *orders[number + 1 :])


def _decided(case: Case, seed: object, knower: int, luck: random.Random, moves: int) -> Iterator[_Pair]:
    """Matches in which the knower once, in the first half, decides otherwise, and nobody else can tell."""
    for number in range(_PAIRS):
        pair = _Pair(case, f"{seed}/{number}", knower)
        for _ in range(luck.randrange(moves // 2)):
            if pair.going_on:
                pair.make(*_alike(pair, luck))
        while pair.going_on and len(pair.script) < moves:
            before = len(pair.script)
            if knower in pair.one.waiting_for() and _decides_otherwise(pair, luck):
                yield pair
                break
            pair.back_to(before)
            pair.make(*_alike(pair, luck))


def _alike(pair: _Pair, luck: random.Random) -> tuple[int, str, str]:
    seat = luck.choice(pair.one.waiting_for())
    text = luck.choice(pair.one.decision(seat).answers())
    return int(seat), text, text


def _decides_otherwise(pair: _Pair, luck: random.Random) -> bool:
    """Whether the knower finds two answers that are the same for all others."""
    answers = list(pair.one.decision(pair.knower).answers())
    before = len(pair.script)
    for _ in range(_WAYS_ON if len(answers) > 1 else 0):
        if pair._makes((pair.knower, *luck.sample(answers, 2))) and pair.hidden:
            return True
        pair.back_to(before)
    return False


def _best(pairs: Iterator[_Pair], moves: int, luck: random.Random) -> Twins | None:
    """The pair that is hidden from the others for long; None if nobody else is ever kept in the dark."""
    best: Twins | None = None
    for pair in pairs:
        pair.grow(luck, moves)
        found = pair.twins()
        if found and (best is None or found.span > best.span):
            best = found
        if best and best.span >= _ENOUGH * moves:
            break
    return best

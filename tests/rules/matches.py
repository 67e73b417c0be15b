"""Random matches of every game, what goes out to a viewer, and twins of a match: for the tests over `GAMES`."""

from __future__ import annotations

import hashlib
import json
import os
import random
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import product
from typing import Any
from unittest.mock import patch

from server.rules import GAMES
from server.rules.asking import Decision, Script
from server.rules.chance import ChanceError, Recorded, Seeded, Shuffle
from server.rules.hidden import Hidden
from server.rules.playing import Game, Made, NotAsked, Play
from server.rules.record import read_record, record_of, replay
from server.rules.showing import english_of, position_json, sayer
from server.rules.telling import HOST, Viewer, say

NAMES = ("Ann", "Ben", "Cat", "Dan", "Eve", "Fay", "Gus", "Hal")
MATCHES = int(os.environ.get("ESTAFETTE_RANDOM_MATCHES", "1"))
"""How many random matches of each case the search for dead ends plays."""
TOO_LONG = 20_000
DEALT_OPEN = {"cards"}
"""Shuffles whose outcome all can see at once."""
SAYS = 6


@dataclass(frozen=True)
class Case:
    """A game with a number of seats and options."""

    game: Game
    seats: int
    options: tuple[tuple[str, bool | str], ...]

    def __str__(self) -> str:
        return "-".join([self.game.name, str(self.seats), *(f"{name}={value}" for name, value in self.options)])

    def play(self, seed: object, *, names: Sequence[str] = NAMES) -> Play:
        """A new match."""
        luck = Seeded(f"{self} {seed}")
        return Play(self.game, self.seats, dict(self.options), chance=luck, names=names[: self.seats])


def cases() -> list[Case]:
    """Every game with every number of seats and every combination of its options."""
    return [
        Case(game, seats, tuple(zip((option.name for option in game.options), values, strict=True)))
        for game in GAMES.values()
        for seats in range(game.least_seats, game.most_seats + 1)
        for values in product(*(option.values for option in game.options))
    ]


CASES = cases()


def viewers(play: Play) -> tuple[Viewer, ...]:
    """All who may look, but the host."""
    return (*(int(seat) for seat in play.seats), None)


def steps(play: Play, luck: random.Random) -> Iterator[int]:
    """Play on at random to the end, one answer at a time; yields the number of answers given."""
    for number in range(1, TOO_LONG):
        if play.over:
            return
        seat = luck.choice(play.waiting_for())
        play.answer(seat, luck.choice(play.decision(seat).answers()))
        yield number
    raise AssertionError(f"the match does not end: {play.version} moves")


def played(case: Case, seed: object, *, most: int = TOO_LONG) -> Play:
    """A match played at random, to its end or for that many answers."""
    play = case.play(seed)
    for number in steps(play, random.Random(str(seed))):
        if number >= most:
            break
    return play


def outputs(play: Play, viewer: Viewer) -> dict[str, str]:
    """All that goes out to a viewer, each part as text."""
    told = position_json(play, viewer)
    read = sayer(play, viewer)
    decision = play.question.get(viewer) if isinstance(viewer, int) else None
    said = [read(decision.say(answer)) for answer in decision.answers()[:SAYS]] if decision else []
    return {
        "position": json.dumps(told["position"], ensure_ascii=False),
        "words": "\n".join(play.game.words(told["position"], play.names, viewer)),
        "decisions": json.dumps(told["decisions"], ensure_ascii=False),
        "log": json.dumps(told["log"], ensure_ascii=False),
        "outcome": json.dumps(told["outcome"], ensure_ascii=False),
        "moves in words": json.dumps(said, ensure_ascii=False),
    }


def state(play: Play) -> tuple[Any, ...]:
    """All that a refused move must not change."""
    return (play.digest(), len(play.table.log), tuple(play.moves), dict(play.sealed), play.number, tuple(play.question))


def fingerprint(play: Play) -> str:
    """A short text of all that goes out to anybody."""
    everything = [outputs(play, viewer) for viewer in (*viewers(play), HOST)]
    return hashlib.sha256(json.dumps(everything).encode()).hexdigest()[:16] + play.digest()


def a_record(play: Play) -> str:
    return json.dumps(record_of(play, seed=play.chance.seed))


def leaks(play: Play, luck: random.Random) -> dict[Viewer, list[str]]:
    """For each viewer the parts of what goes out that change with what the viewer has not seen."""
    twin = play.copy()
    found: dict[Viewer, list[str]] = {}
    for viewer in viewers(play):
        with _unseen_exchanged(twin, viewer, luck) as exchanged:
            found[viewer] = different(play, twin, viewer) if exchanged else []
    return found


@contextmanager
def _unseen_exchanged(play: Play, viewer: Viewer, luck: random.Random) -> Iterator[bool]:
    """Meanwhile all fronts that the viewer has not seen are exchanged, within their groups; whether any changed."""
    groups: dict[str, list[Hidden[Any]]] = {}
    for card in play.table.secrets:
        if not card.known_to(viewer):
            groups.setdefault(card.group, []).append(card)
    fronts = {group: [card.front for card in cards] for group, cards in groups.items()}
    exchanged = {group: luck.sample(those, len(those)) for group, those in fronts.items()}
    _put_fronts(groups, exchanged)
    yield fronts != exchanged
    _put_fronts(groups, fronts)


def _put_fronts(groups: Mapping[str, Sequence[Hidden[Any]]], fronts: Mapping[str, Sequence[Any]]) -> None:
    for group, cards in groups.items():
        for card, front in zip(cards, fronts[group], strict=True):
            card.front = front


def different(play: Play, twin: Play, viewer: Viewer) -> list[str]:
    ours, theirs = outputs(play, viewer), outputs(twin, viewer)
    return [part for part in ours if ours[part] != theirs[part]]


def known(play: Play, viewer: Viewer) -> list[Any]:
    """What the viewer knows of each hidden thing of the match."""
    return [card.read(viewer) for card in play.table.secrets]


@dataclass
class Pair:
    """Two matches with the same moves and another deal, at the first moment at which anybody can tell them apart.

    `differing` are the parts of what goes out that differ, by viewer. `explained` are the viewers who in this move were
    shown something hidden, or know other hidden things in the one match than in the other. `move` is the move that
    made the difference, None for the setting up.
    """

    ours: Play
    theirs: Play
    differing: dict[Viewer, list[str]]
    explained: set[Viewer]
    move: Made | None

    @property
    def leaks(self) -> dict[Viewer, list[str]]:
        """What differs for viewers who learned nothing."""
        return {viewer: parts for viewer, parts in self.differing.items() if parts and viewer not in self.explained}


def pairs(play: Play, luck: random.Random, *, tries: int) -> Iterator[Pair]:
    """The match beside others that were dealt a little differently."""
    for _ in range(tries):
        other = _another_deal(play.chance.orders, luck)
        pair = other and _first_difference(play, other)
        if pair:
            yield pair


def beside(play: Play, moves: int, luck: random.Random) -> tuple[Play, Play] | None:
    """The match after that many moves, and the same moves with another deal, if they are legal there."""
    other = _another_deal(play.chance.orders, luck)
    if other is None:
        return None
    try:
        theirs = Play(play.game, len(play.seats), play.options, chance=other, names=play.names)
        for made in play.moves[:moves]:
            if made.text not in theirs.decision(made.seat).answers():
                return None
            theirs.answer(made.seat, made.text)
    except (ChanceError, NotAsked):
        return None
    return play.at(moves), theirs


def _another_deal(orders: Sequence[Shuffle], luck: random.Random) -> Recorded | None:
    """These shuffles with two different things in one of them exchanged, one that is not open to all."""
    number = luck.choice([number for number, shuffle in enumerate(orders) if shuffle.name not in DEALT_OPEN])
    name, order = orders[number]
    exchanges = [(i, j) for i in range(len(order)) for j in range(i) if order[i] != order[j]]
    if not exchanges:
        return None
    i, j = luck.choice(exchanges)
    changed = list(order)
    changed[i], changed[j] = changed[j], changed[i]
    return Recorded([*orders[:number], Shuffle(name, tuple(changed)), *orders[number + 1 :]])


def _first_difference(play: Play, other: Recorded) -> Pair | None:
    ours = play.at(0)
    theirs = Play(play.game, len(play.seats), play.options, chance=other, names=play.names)
    learned: set[Viewer] = set()
    for move in (None, *play.moves):
        if move:
            try:
                with learning(viewers(play)) as learned:
                    for each in (ours, theirs):
                        each.answer(move.seat, move.text)
            except ChanceError:  # a later shuffle has other things
                return None
        if _for_the_host(ours) == _for_the_host(theirs):
            continue
        differing = {viewer: different(ours, theirs, viewer) for viewer in viewers(play)}
        if any(differing.values()):
            apart = {viewer for viewer in differing if known(ours, viewer) != known(theirs, viewer)}
            return Pair(ours, theirs, differing, learned | apart, move)
    return None


@contextmanager
def learning(all_viewers: Sequence[Viewer]) -> Iterator[set[Viewer]]:
    """The viewers to whom meanwhile something is shown that they do not know at that moment."""
    learned: set[Viewer] = set()
    show, show_all = Hidden.show, Hidden.show_all

    def show_noted(card: Hidden[Any], *seats: int) -> None:
        learned.update(seat for seat in seats if not card.known_to(seat))
        show(card, *seats)

    def show_all_noted(card: Hidden[Any]) -> None:
        learned.update(viewer for viewer in all_viewers if not card.known_to(viewer))
        show_all(card)

    with patch.object(Hidden, "show", show_noted), patch.object(Hidden, "show_all", show_all_noted):
        yield learned


def _for_the_host(play: Play) -> tuple[str, Any]:
    """Enough to see quickly whether two matches may differ for anybody."""
    read = sayer(play, HOST)
    return play.digest(), [read(told) for told in play.table.log[-8:]]


class Leaky:
    """A game that lets something out on purpose, to see that the tests of secrecy would notice."""

    def __init__(self, game: Game, part: str) -> None:
        self.game = game
        self.part = part

    def __getattr__(self, name: str) -> Any:
        return getattr(self.game, name)

    def position(self, table: Any, viewer: Viewer) -> dict[str, Any]:
        position = self.game.position(table, viewer)
        if self.part == "position":
            position["leak"] = [str(card.front) for card in table.secrets]
        return position

    def words(self, position: dict[str, Any], names: Sequence[str], viewer: Viewer, *speech: Any) -> list[str]:
        lines = self.game.words(position, names, viewer, *speech)
        return [*lines, str(position.get("leak"))] if self.part == "position" else lines

    def script(self, table: Any) -> Script:
        """The game's script, which tells of every hidden thing each time it asks."""
        script = self.game.script(table)
        answers = None
        while True:
            try:
                step = next(script) if answers is None else script.send(answers)
            except StopIteration:
                return
            if self.part == "log":
                fronts = [str(card.front) for card in table.secrets]
                table.tell("{fronts} {position}", fronts=fronts, position=str(self.game.position(table, HOST)))
            answers = yield step


def main() -> None:
    """Print the fingerprint of each record that comes in on a line: run in a process of its own."""
    for line in sys.stdin:
        print(fingerprint(replay(read_record(line))))


if __name__ == "__main__":
    main()


def said(game: Game, names: Sequence[str], decision: Decision, *moves: str) -> list[str]:
    """The kind, the prompt and these moves in words, as seat 1 reads them."""
    assert decision.kind in game.kinds
    read = english_of(game)
    sentences = [decision.prompt, *(decision.say(move) for move in moves)]
    return [decision.kind, *(say(each, 1, names, read) for each in sentences)]

"""The house player of `regions`: it takes what promises most points, leaves little to the next, and marks the rest."""

from __future__ import annotations

import math
import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any, Final, NamedTuple, TypeAlias

from server.rules.asking import Decision
from server.rules.regions import GAME
from server.rules.regions.edition import SYMBOLS, Card
from server.rules.regions.places import COLUMNS, PLACE, PLACES, ROWS

Rows: TypeAlias = Sequence[tuple[int, int]]
"""For each row the places of its first card and behind its last."""

CARDS: Final = GAME.printed.named
KINDS: Final = (*GAME.printed.regions, *SYMBOLS)

A_TILE: Final = 1.2
A_MARKER: Final = 1.6
RIVALS_MARKER_BACK: Final = 0.3
NEXT_ONES_BEST: Final = 0.55
SOON: Final = (1.0, 0.8, 0.5, 0.3)
"""How much a mark on a card is worth by the number of cards before it; further in, the last again."""
WORTH_MARKING: Final = 0.6
WORTH_MOVING: Final = 1.0


class View(NamedTuple):
    """What one seat knows: by seat what it has of each kind (emblem or symbol), and what lies on the display."""

    seat: int
    counts: Sequence[Mapping[str, int]]
    has_card: Sequence[set[str]]
    emblems_left: Mapping[str, int]
    cards_left: Mapping[str, int]
    rows: Rows
    lying: Mapping[int, Mapping[str, Any]]

    @property
    def seats(self) -> int:
        return len(self.counts)


def choose(decision: Decision, position: Mapping[str, Any], seat: int, luck: random.Random) -> str:
    answers = decision.answers()
    if "regain" in answers:
        return "regain"
    promises = weigh(decision, position, seat)
    most = max(promises.values())
    return luck.choice([answer for answer, promised in promises.items() if promised == most])


def weigh(decision: Decision, position: Mapping[str, Any], seat: int) -> dict[str, float]:
    """What each answer promises; without looking further ahead than the next player's take."""
    view, answers = view_of(position, seat), decision.answers()
    return weighed_takes(view, answers) if decision.kind == "turn" else weighed_marks(view, answers)


def view_of(position: Mapping[str, Any], seat: int) -> View:
    lying = {
        row * COLUMNS + column: each
        for row, cells in enumerate(position["rows"])
        for column, each in enumerate(cells)
        if each
    }
    counts: list[dict[str, int]] = []
    has_card: list[set[str]] = []
    for number, held in enumerate(position["seats"], start=1):
        tiles = held.get("tiles", ()) if number == seat else ()
        having: set[str] = set()
        counted = dict.fromkeys(KINDS, 0)
        for kind, amount in _amounts(held["cards"]):
            counted[kind] += amount
            having.add(kind)
        for tile in tiles:
            if tile in counted:
                counted[tile] += 1
        counts.append(counted)
        has_card.append(having)
    emblems_left, cards_left = dict.fromkeys(KINDS, 0), dict.fromkeys(KINDS, 0)
    for kind, amount in _amounts(each["card"] for each in lying.values()):
        emblems_left[kind] += amount
        cards_left[kind] += 1
    rows = []
    for row in range(ROWS):
        places = [place for place in lying if place // COLUMNS == row]
        rows.append((places[0], places[-1] + 1) if places else (0, 0))
    return View(seat, counts, has_card, emblems_left, cards_left, rows, lying)


def weighed_takes(view: View, answers: Sequence[str]) -> dict[str, float]:
    own = {place: worth(view, view.seat, place) for place in view.lying}
    rival = view.seat % view.seats + 1
    rivals = {place: worth(view, rival, place) for place in view.lying}

    def promise(move: str) -> float:
        if not move.startswith("take "):
            return 0.0
        ends, _, lost = move.removeprefix("take ").partition(" lose ")
        places, rows = taken(view.rows, ends.split())
        price = sum(_price(view, place) for place in places)
        left = max((rivals[place] for place in _ends(rows) if _may_take(view, rival, place)), default=0.0)
        lost_marks = sum(own.get(PLACE[name], 0.0) for name in lost.split())
        return sum(own[place] for place in places) - price - 0.2 * lost_marks - NEXT_ONES_BEST * left

    return {answer: promise(answer) for answer in answers}


def worth(view: View, seat: int, place: int) -> float:
    """What the card of this place promises a seat: points hoped for, those kept from others included."""
    lying = view.lying[place]
    value = sum(_gain(view, seat, kind, amount) for kind, amount in _kinds(CARDS[lying["card"]]))
    return value + (A_TILE if lying["tile"] else 0.0)


def weighed_marks(view: View, answers: Sequence[str]) -> dict[str, float]:
    values: dict[str, float] = {}
    for left, right in view.rows:
        for place in range(left, right):
            depth = min(place - left, right - 1 - place, len(SOON) - 1)
            rivals = max(worth(view, seat, place) for seat in range(1, view.seats + 1) if seat != view.seat)
            values[PLACES[place]] = SOON[depth] * (worth(view, view.seat, place) + 0.5 * rivals)

    def promise(move: str) -> float:
        verb, *places = move.split()
        if verb == "mark":
            return values[places[0]] - WORTH_MARKING
        if verb == "move":
            return values[places[1]] - values[places[0]] - WORTH_MOVING
        return 0.0

    return {answer: promise(answer) for answer in answers}


def taken(rows: Rows, ends: Sequence[str]) -> tuple[list[int], Rows]:
    """The places of the cards at these ends, and the rows without them."""
    after = list(rows)
    places = []
    for end in ends:
        row = int(end[0]) - 1
        left, right = after[row]
        after[row] = (left + 1, right) if end[1] == "L" else (left, right - 1)
        places.append(left if end[1] == "L" else right - 1)
    return places, after


def _gain(view: View, seat: int, kind: str, amount: int) -> float:
    own = view.counts[seat - 1][kind]
    rival = max(view.counts[other][kind] for other in range(view.seats) if other != seat - 1)
    left = view.emblems_left[kind]
    value = gain(own, rival, left, amount, view.seats)
    if kind not in view.has_card[seat - 1]:
        value += first_card(kind in SYMBOLS, view.cards_left[kind], view.seats)
    return value


@cache
def gain(own: int, rival: int, left: int, amount: int, seats: int) -> float:
    """What so many more of a kind promise, those kept from the best rival included."""
    weight = 1.0 if seats == 2 else 0.4
    before = _hope(own, rival, left, seats) - weight * _hope(rival, own, left, seats)
    after = _hope(own + amount, rival, left - amount, seats) - weight * _hope(rival, own + amount, left - amount, seats)
    return after - before


def _hope(own: int, rival: int, left: int, seats: int) -> float:
    """The points that having so many, against a rival's so many, promises while some are left."""
    share = left / seats
    return (own + share) / (1.0 + math.exp(-1.8 * (own - rival) / (1.0 + 0.5 * left)))


@cache
def first_card(is_symbol: bool, cards_left: int, seats: int) -> float:
    """What the first card of a kind is worth by itself: the more, the fewer chances are left."""
    if seats == 2:
        return float(5.0 * 0.6 ** (cards_left - 1))
    return 0.0 if is_symbol else float(2.0 * 0.75 ** (cards_left - 1))


def _price(view: View, place: int) -> float:
    owner = view.lying[place]["marker"]
    if owner is None or owner == view.seat:
        return 0.0
    return A_MARKER * len(view.lying) / (ROWS * COLUMNS) + 0.4 + RIVALS_MARKER_BACK


def _may_take(view: View, seat: int, place: int) -> bool:
    return view.lying[place]["marker"] in (None, seat)


def _ends(rows: Rows) -> Iterator[int]:
    for left, right in rows:
        if left < right:
            yield left
            yield right - 1


def _kinds(card: Card) -> Iterator[tuple[str, int]]:
    yield card.region, card.emblems
    if card.symbol:
        yield card.symbol, 1


def _amounts(names: Iterable[str]) -> Iterator[tuple[str, int]]:
    for name in names:
        yield from _kinds(CARDS[name])

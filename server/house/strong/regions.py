"""The strong house player of `regions`: it plays the match on to its end many times, tiles drawn by lot."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from server.house.regions import A_TILE, CARDS, KINDS, WORTH_MARKING, first_card, gain, taken, weigh
from server.house.strong.trying import best_of, most_promising
from server.rules.asking import Decision
from server.rules.regions.edition import REGAIN, REGAINS, SYMBOLS
from server.rules.regions.places import COLUMNS, PLACE, ROWS

TRIED: Final = 8
"""How many answers are tried out."""
WORK: Final = 5_000
"""Cards taken in all tries together."""
WHIM: Final = 0.4
"""How much luck there is in the moves that are imagined."""
CLOSE: Final = 5.0
"""Points ahead that make a win likely."""
TRUST: Final = 12.0
"""With several rivals tries tell less: so many of them is each point worth that an answer promises at once."""
MARKED_AHEAD: Final = (1.0, 0.8, 0.5)

KIND: Final = {kind: number for number, kind in enumerate(KINDS)}
REGIONS: Final = len(KINDS) - len(SYMBOLS)
ON_CARD: Final = {
    name: ((KIND[card.region], card.emblems), *([(KIND[card.symbol], 1)] if card.symbol else []))
    for name, card in CARDS.items()
}


def choose(
    decision: Decision, position: Mapping[str, Any], seat: int, luck: random.Random, options: Mapping[str, object]
) -> str:
    answers = decision.answers()
    if "regain" in answers:
        return "regain"
    promises = weigh(decision, position, seat)
    tried = most_promising(promises, TRIED)
    trust = TRUST if len(position["seats"]) > 2 else 0.0
    left = sum(cell is not None for row in position["rows"] for cell in row)

    def try_out(answer: str, its_luck: random.Random) -> float:
        imagined = Imagined(position, seat, its_luck, options)
        imagined.carry_out(answer)
        imagined.play_on()
        return imagined.success(seat - 1)

    return best_of(tried, try_out, WORK // (left + 4), luck, trust=trust)


class Imagined:
    """The match in the head of one seat, counted from 0: what it has seen as it is, other tiles drawn by lot.

    cards   what lies on each place, as (kind, how many)
    counts  by seat how many it has of each kind; `held` of which it has a card, as bits
    left    how many of each kind still lie on the display, and on how many cards
    """

    def __init__(
        self, position: Mapping[str, Any], seat: int, luck: random.Random, options: Mapping[str, object]
    ) -> None:
        self.luck = luck
        self.short = bool(options.get("short"))
        self.shared = options.get("ties", "share") == "share"
        seats = position["seats"]
        self.seats = len(seats)
        self.mover = seat - 1
        self.cards: dict[int, tuple[tuple[int, int], ...]] = {}
        self.marks: dict[int, int] = {}
        self.lo, self.hi = [0] * ROWS, [0] * ROWS
        self.counts = [[0] * len(KINDS) for _ in seats]
        self.held = [0] * self.seats
        self.hands = [each["markers_in_hand"] for each in seats]
        self.left, self.on_cards = [0] * len(KINDS), [0] * len(KINDS)
        lying_tiles = self._lay_out(position["rows"])
        for number, each in enumerate(seats):
            for name in each["cards"]:
                self._take_card(number, ON_CARD[name])
        self._deal_tiles(seats, lying_tiles, seat)

    def _lay_out(self, rows: Sequence[Sequence[Mapping[str, Any] | None]]) -> list[int]:
        tiles = []
        for row, cells in enumerate(rows):
            places = [row * COLUMNS + column for column, cell in enumerate(cells) if cell]
            self.lo[row], self.hi[row] = (places[0], places[-1] + 1) if places else (0, 0)
            for place in places:
                lying = cells[place % COLUMNS]
                assert lying is not None
                self.cards[place] = ON_CARD[lying["card"]]
                for kind, amount in self.cards[place]:
                    self.left[kind] += amount
                    self.on_cards[kind] += 1
                if lying["marker"]:
                    self.marks[place] = lying["marker"] - 1
                if lying["tile"]:
                    tiles.append(place)
        return tiles

    def _deal_tiles(self, seats: Sequence[Mapping[str, Any]], lying: Sequence[int], seat: int) -> None:
        """Own tiles are known; those of the others and on the display are drawn from the rest."""
        own: list[str] = seats[seat - 1]["tiles"]
        played = sum(each["regains_played"] for each in seats)
        unseen = [*KINDS, *[REGAIN] * (REGAINS - played)]
        for tile in own:
            unseen.remove(tile)
            if tile != REGAIN:
                self.counts[seat - 1][KIND[tile]] += 1
        self.luck.shuffle(unseen)
        for number, each in enumerate(seats):
            for _ in range(each["tile_count"] if number != seat - 1 else 0):
                tile = unseen.pop()
                if tile != REGAIN:
                    self.counts[number][KIND[tile]] += 1
        self.tiles = {place: KIND.get(unseen.pop(), -1) for place in lying}

    # What happens

    def carry_out(self, answer: str) -> None:
        """The answer of the seat whose match this is, and the rest of its turn."""
        verb, _, rest = answer.partition(" ")
        if verb == "take":
            ends, _, lost = rest.partition(" lose ")
            places, _ = taken(list(zip(self.lo, self.hi, strict=True)), ends.split())
            for name in lost.split():
                del self.marks[PLACE[name]]
                self.hands[self.mover] += 1
            self.take(places)
            self.mark()
        elif verb == "mark":
            self._put(PLACE[rest])
        elif verb == "move":
            start, to = rest.split()
            del self.marks[PLACE[start]]
            self.marks[PLACE[to]] = self.mover
        self.mover = (self.mover + 1) % self.seats

    def play_on(self) -> None:
        while not self.is_over():
            places = self.best_take()
            if places:
                self.take(places)
                self.mark()
            self.mover = (self.mover + 1) % self.seats

    def is_over(self) -> bool:
        empty = sum(lo == hi for lo, hi in zip(self.lo, self.hi, strict=True))
        return empty >= (ROWS - 1 if self.short else ROWS)

    def take(self, places: Sequence[int]) -> None:
        for place in places:
            row = place // COLUMNS
            if place == self.lo[row]:
                self.lo[row] += 1
            else:
                self.hi[row] -= 1
            owner = self.marks.pop(place, None)
            if owner is not None:
                self.hands[owner] += 1
                if owner != self.mover:
                    self._give_up_marker()
            for kind, amount in self.cards[place]:
                self.left[kind] -= amount
                self.on_cards[kind] -= 1
            self._take_card(self.mover, self.cards[place])
            tile = self.tiles.pop(place, -1)
            if tile >= 0:
                self.counts[self.mover][tile] += 1

    def _take_card(self, seat: int, card: Sequence[tuple[int, int]]) -> None:
        for kind, amount in card:
            self.counts[seat][kind] += amount
            self.held[seat] |= 1 << kind

    def _give_up_marker(self) -> None:
        if self.hands[self.mover] > 0:
            self.hands[self.mover] -= 1
        else:
            self.marks.pop(next((place for place, owner in self.marks.items() if owner == self.mover), -1), None)

    def mark(self) -> None:
        """Put a marker where it keeps most from the others, if that is worth it."""
        if self.hands[self.mover] < 1:
            return
        best, found = WORTH_MARKING, -1
        rival = (self.mover + 1) % self.seats
        for lo, hi in zip(self.lo, self.hi, strict=True):
            for place, soon in _near_the_ends(lo, hi):
                if place not in self.marks:
                    worth = soon * (self.worth(self.mover, place) + 0.5 * self.worth(rival, place))
                    if worth > best:
                        best, found = worth, place
        if found >= 0:
            self._put(found)

    def _put(self, place: int) -> None:
        self.marks[place] = self.mover
        self.hands[self.mover] -= 1

    # What is thought about it

    def best_take(self) -> list[int]:
        """The places of the take that looks best, with some luck in it; none if nothing can be taken."""
        mover, marks, random_ = self.mover, self.marks, self.luck.random
        markers = self.hands[mover] + sum(owner == mover for owner in marks.values())
        ends: list[tuple[int, float]] = []
        pairs: list[tuple[list[int], float]] = []
        for lo, hi in zip(self.lo, self.hi, strict=True):
            if lo == hi:
                continue
            for place, behind in ((lo, lo + 1), (hi - 1, hi - 2)) if hi - lo > 1 else ((lo, -1),):
                owner = marks.get(place, mover)
                if owner != mover and not markers:
                    continue
                worth = self.worth(mover, place) - (1.5 if owner != mover else 0.0) + random_() * WHIM
                ends.append((place, worth))
                if behind >= 0 and behind not in marks and self._pair(place, behind):
                    pairs.append(([place, behind], worth + self.worth(mover, behind)))
        for index, (place, worth) in enumerate(ends):
            for other, more in ends[index + 1 :]:
                if self._pair(place, other) and (markers > 1 or (place not in marks and other not in marks)):
                    pairs.append(([place, other], worth + more))
        best, found = -math.inf, []
        for place, worth in ends:
            if worth > best:
                best, found = worth, [place]
        for places, worth in pairs:
            if worth > best:
                best, found = worth, places
        return found

    def _pair(self, place: int, other: int) -> bool:
        """Whether these cards may be taken together: one region, one emblem each."""
        return self.cards[place][0] == self.cards[other][0] and self.cards[place][0][1] == 1

    def worth(self, seat: int, place: int) -> float:
        value = A_TILE if place in self.tiles else 0.0
        own = self.counts[seat]
        for kind, amount in self.cards[place]:
            if self.seats == 2:
                rival = self.counts[1 - seat][kind]
            else:
                rival = max(counts[kind] for number, counts in enumerate(self.counts) if number != seat)
            value += gain(own[kind], rival, self.left[kind], amount, self.seats)
            if not self.held[seat] >> kind & 1:
                value += first_card(kind >= REGIONS, self.on_cards[kind], self.seats)
        return value

    def success(self, seat: int) -> float:
        """How well the match ended for the seat: 1 won by far, 0 lost by far."""
        points = self.points()
        ahead = points[seat] - max(points[:seat] + points[seat + 1 :])
        return 1 / (1 + math.exp(-ahead * 4 / CLOSE))

    def points(self) -> list[float]:
        points = [0.0] * self.seats
        for kind in range(len(KINDS)):
            counts = [each[kind] for each in self.counts]
            most = max(counts)
            if self.shared or counts.count(most) == 1:
                for seat, count in enumerate(counts):
                    if count == most:
                        points[seat] += most
        for seat, held in enumerate(self.held):
            if self.seats == 2:
                points[seat] -= 5 * (len(KINDS) - held.bit_count())
            else:
                points[seat] += 2 * (held & (1 << REGIONS) - 1).bit_count()
        return points


def _near_the_ends(lo: int, hi: int) -> Iterator[tuple[int, float]]:
    for depth, soon in enumerate(MARKED_AHEAD):
        if lo + depth < hi:
            yield lo + depth, soon
        if hi - 1 - depth > lo + depth:
            yield hi - 1 - depth, soon

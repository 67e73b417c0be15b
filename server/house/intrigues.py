"""The house player of `intrigues`: it weighs a move by what the boxes then promise to it and to the others."""

from __future__ import annotations

import random
from collections.abc import Sequence
from itertools import chain
from typing import Any, NamedTuple, TypeAlias

from server.rules.asking import Decision
from server.rules.intrigues import GAME
from server.rules.intrigues.edition import Bonus, Sheet

Owner: TypeAlias = int | str
ROYAL = "royal"
W1 = 0.8
W2=.3
MK=10
LOW=.3
AG=.12
DS=.7
DB=.55
DISC=.06
RIV2=.9
RIV=.4
SECOND=0.0


class Lying(NamedTuple):
    """A piece as this player sees it: its value, guessed where it lies face down."""

    owner: Owner
    value: float
    guessed: bool = False


class Side(NamedTuple):
    """A sheet and the pieces on its spots, left to right."""

    sheet: Sheet
    spots: tuple[Lying | None, ...]

    def put(self, index: int, piece: Lying | None) -> Side:
        return self._replace(spots=(*self.spots[:index], piece, *self.spots[index + 1 :]))


Box: TypeAlias = tuple[Side, Side]


class Place(NamedTuple):
    """A spot, found by its name: "O2.3" is the third of the lower side of the second box."""

    box: int
    side: int
    index: int


PLACES = {
    f"{letter}{box + 1}.{index + 1}": Place(box, side, index)
    for box in range(3)
    for side, letter in enumerate("RO")
    for index in range(5)
}


def choose(decision: Decision, position: dict[str, Any], seat: int, luck: random.Random) -> str:
    """The answer that promises most; among equals luck decides."""
    thought = Thought(position, seat, decision.kind)
    return max(decision.answers(), key=lambda answer: (thought.worth(answer), luck.random()))


class Thought:
    """What the player of one seat makes of a position. Worths are in points of the final score."""

    def __init__(self, position: dict[str, Any], seat: int, kind: str) -> None:
        self.seat = seat
        self.kind = kind
        self.position = position
        self.me = position["seats"][seat - 1]
        self.players = range(1, len(position["seats"]) + 1)
        self.left = position["stacks"]["richelieu"] + sum(box["richelieu"] is not None for box in position["boxes"])
        self.money = (0.15 + 0.025 * self.left) * max(LOW, min(1.5, MK / (4 + self.me["money"])))
        self.rivalry = RIV2 if len(self.players) == 2 else RIV
        self.others = [*range(seat + 1, len(self.players) + 1), *range(1, seat)]
        self.guesses = guesses(position)
        self.reach = {p: 2 if position["seats"][p-1]["prestige"] < position["cardinal"] else 1 for p in self.players}
        self.best = {p: 3 if position["seats"][p-1]["agents_in_hand"] > 2 else 2 for p in self.players}
        self.boxes: list[Box | None] = [self.read(box) for box in position["boxes"]]
        self.prizes = {
            side.sheet.name: self.prize(side.sheet) for box in self.boxes if box is not None for side in box
        }
        self.promises = [self.promise(box) if box else 0.0 for box in self.boxes]
        self.known: dict[Any, float] = {}

    # What lies on the table

    def read(self, box: dict[str, Any]) -> Box | None:
        if box["richelieu"] is None:
            return None
        return self.read_side(box["richelieu"]), self.read_side(box["opposing"])

    def read_side(self, side: dict[str, Any]) -> Side:
        return Side(
            GAME.printed.sheets[side["sheet"]],
            tuple(self.read_piece(spot["piece"], spot["cost"]) for spot in side["spots"]),
        )

    def read_piece(self, piece: dict[str, Any] | None, cost: int) -> Lying | None:
        if piece is None:
            return None
        if "owner" not in piece:
            return Lying(ROYAL, 3)
        owner = piece["owner"]
        if piece["value"] is None:
            return Lying(owner, self.guesses[owner] + 0.2 * cost, guessed=True)
        return Lying(owner, piece["value"])

    # What a move is worth

    def worth(self, answer: str) -> float:
        verb, *words = answer.split(" ")
        if verb in ("place", "neutral"):
            return self.worth_of_placing(verb, int(words[0]), PLACES[words[1]])
        if verb == "corrupt":
            return self.worth_of_moving(PLACES[words[0]], PLACES[words[1]])
        if verb in ("grise", "queen"):
            return self.worth_of_royal(verb, PLACES[words[0]])
        return self.worth_of_action(verb)

    def worth_of_action(self, verb: str) -> float:
        if verb == "income":
            return self.income_now()
        if verb == "commission":
            square = self.me["military"] + 1
            return self.square_worth(square) - self.money * GAME.printed.military_costs[square - 1]
        if verb == "sell":
            return 5 * self.money - 4 if self.me["money"] < 3 else -100
        if verb == "buy":
            return 4 - 8 * self.money
        return 0.0

    def income_now(self) -> float:
        """Who has more than enough must not wait for ever: somebody has to fill the last sheets."""
        return float(self.me["income"]) * self.money - max(0, self.me["money"] - 15) * 0.3

    def worth_of_placing(self, verb: str, value: int, place: Place) -> float:
        box = self.boxes[place.box]
        assert box is not None
        cost = box[place.side].sheet.costs[place.index]
        key = (value, place.box, place.side, cost)
        if key in self.known:
            return self.known[key] - 0.01 * place.index
        owner: Owner = self.seat if verb == "place" else self.neutral()
        worth = self.gain(place, Lying(owner, value))
        if verb == "place":
            worth -= AG * max(value, 0)
        if self.kind == "turn":
            worth -= self.money * (cost + (2 if self.position["turn"]["agents_placed"] else 0))
        self.known[key] = worth
        return worth - 0.01 * place.index

    def neutral(self) -> str:
        return "neutral" if "neutral_agents" in self.position else f"neutral {self.seat}"

    def worth_of_royal(self, verb: str, place: Place) -> float:
        start = self.where(verb)
        return self.gain(place, Lying(ROYAL, 3)) if start is None else self.worth_of_moving(start, place)

    def where(self, verb: str) -> Place | None:
        """The place of the royal piece, None when it is in its palace."""
        name, letter, side = ("queen", "R", "richelieu") if verb == "queen" else ("eminence", "O", "opposing")
        for number, box in enumerate(self.position["boxes"], 1):
            for index, spot in enumerate(box[side]["spots"] if box[side] else (), 1):
                if spot["piece"] and name in spot["piece"]:
                    return PLACES[f"{letter}{number}.{index}"]
        return None

    def gain(self, place: Place, piece: Lying) -> float:
        """How much more the boxes promise with the piece there."""
        changed = self.with_piece(self.boxes[place.box], place, piece)
        return self.promise(changed) - self.promises[place.box]

    def worth_of_moving(self, start: Place, to: Place) -> float:
        box = self.boxes[start.box]
        assert box is not None
        piece = box[start.side].spots[start.index]
        assert piece is not None
        without = self.with_piece(box, start, None)
        if start.box == to.box:
            return self.promise(self.with_piece(without, to, piece)) - self.promises[start.box]
        key = start
        if key not in self.known:
            self.known[key] = self.promise(without) - self.promises[start.box]
        return self.known[key] + self.gain(to, piece)

    def with_piece(self, box: Box | None, place: Place, piece: Lying | None) -> Box:
        assert box is not None
        upper, lower = box
        if place.side == 0:
            return upper.put(place.index, piece), lower
        return upper, lower.put(place.index, piece)

    # What a box promises

    def promise(self, box: Box) -> float:
        """What the box is worth to this player when the others are to move."""
        filled = self.filled_by_another(box)
        if filled is None:
            return self.outlook(box)
        W = W1 if min(s.spots.count(None) for s in box) == 1 else W2
        return W * self.outlook(filled) + (1 - W) * self.outlook(box)

    def filled_by_another(self, box: Box) -> Box | None:
        """The box as the first of the others would leave it who wins by filling the last free spots of a sheet."""
        free = [side.spots.count(None) for side in box]
        if not 1 <= min(free) <= 2:
            return None
        for player in self.others:
            for side in (0, 1):
                if free[side] > self.reach[player]:
                    continue
                filled = box
                for _ in range(free[side]):
                    index = filled[side].spots.index(None)
                    filled = self.with_piece(filled, Place(0, side, index), Lying(player, self.best[player]))
                if self.wins(player, filled, side):
                    return filled
        return None

    def wins(self, player: int, box: Box, side: int) -> bool:
        lead = strength(box[side]) - strength(box[1 - side])
        totals = totals_of(box[side])
        return lead > 0.5 and all(totals[player] > other for owner, other in totals.items() if owner != player)

    def outlook(self, box: Box) -> float:
        upper, lower = box
        free = [side.spots.count(None) for side in box]
        complete = 0 in free
        open_spots = 0 if complete else sum(free)
        doubt = 0.3 + 0.5 * sum(guessed(side) for side in box) + DB * open_spots
        chance = likely(strength(upper) - strength(lower) + 0.5, doubt)
        worth = chance * self.side_worth(upper, complete) + (1 - chance) * self.side_worth(lower, complete)
        return worth / (1 + DISC * (0 if complete else min(free)))

    def side_worth(self, side: Side, complete: bool) -> float:
        """What this sheet gives if its side wins, the others' share counted against it."""
        totals = totals_of(side)
        doubt = 0.2 + 0.5 * guessed(side) + (0 if complete else DS * side.spots.count(None))
        mine, theirs, second = self.prizes[side.sheet.name]
        worth = 0.0
        for player in self.players:
            total = totals.get(player, 0.0)
            if total <= 0:
                continue
            ahead = [likely(total - other, doubt) for owner, other in totals.items() if owner != player and other > 0]
            if not complete:
                ahead += [likely(total, doubt) for other in self.players if other not in totals]
            first = product(ahead)
            runner_up = sum((1 - each) * product([*ahead[:i], *ahead[i + 1 :]]) for i, each in enumerate(ahead))
            if player == self.seat:
                worth += first * mine + runner_up * second
            else:
                worth -= self.rivalry * (first * theirs + runner_up * second)
        return worth

    def prize(self, sheet: Sheet) -> tuple[float, float, float]:
        """First place for this player, first place for another, second place."""
        first = self.bonus_worth(sheet.first)
        return first + self.sheet_worth(sheet), first + 2.0, self.bonus_worth(sheet.second)

    def sheet_worth(self, sheet: Sheet) -> float:
        if sheet.faction == "Richelieu":
            return 1.8
        return 1.3 + 1.7 * sum(name[0] == sheet.name[0] for name in self.me["sheets"])

    def bonus_worth(self, bonus: Bonus) -> float:
        return sum(self.symbol_worth(symbol.kind, symbol.number) for symbol in bonus)

    def symbol_worth(self, kind: str, number: int) -> float:
        if kind == "prestige":
            return float(number)
        if kind == "money":
            return number * self.money
        if kind == "military":
            start = self.me["military"]
            return sum(self.square_worth(square) for square in range(start + 1, start + number + 1))
        if kind == "income":
            return self.income_worth()
        return 1.2

    def square_worth(self, square: int) -> float:
        if square > GAME.printed.military_end:
            return 0.0
        worth = 1.0
        if square in GAME.printed.income_squares:
            worth += self.income_worth()
        if square in GAME.printed.prestige_squares:
            worth += 1.0
        return worth

    def income_worth(self) -> float:
        return 1 + 0.5 * self.money * self.left / 2


def guesses(position: dict[str, Any]) -> dict[Owner, float]:
    """For each owner the mean value of the agents that do not lie face up."""
    printed = GAME.printed
    unseen: dict[Owner, list[int]] = {number: list(printed.agents) for number, _ in enumerate(position["seats"], 1)}
    for colour in ("neutral", "neutral 1", "neutral 2"):
        unseen[colour] = list(printed.neutral_agents)
    on_sheets = (
        spot["piece"] for box in position["boxes"] for side in box.values() if side is not None for spot in side["spots"]
    )
    for piece in chain(on_sheets, position["city"]["agents"]):
        if piece is not None and piece.get("value") is not None:
            unseen[piece["owner"]].remove(piece["value"])
    return {owner: sum(values) / len(values) + 0.3 if values else 0.0 for owner, values in unseen.items()}


def totals_of(side: Side) -> dict[Owner, float]:
    """Each owner's total, and a little less the further right the first agent lies: that decides ties."""
    totals: dict[Owner, float] = {}
    for index, piece in enumerate(side.spots):
        if piece is not None and piece.owner != ROYAL:
            totals[piece.owner] = totals.get(piece.owner, -0.05 * index) + piece.value
    return totals


def strength(side: Side) -> float:
    return sum(piece.value for piece in side.spots if piece is not None)


def guessed(side: Side) -> int:
    return sum(piece.guessed for piece in side.spots if piece is not None)


def likely(lead: float, doubt: float) -> float:
    """How likely a lead holds: even without one, certain beyond the doubt."""
    return max(0.0, min(1.0, 0.5 + lead / (2 * doubt)))


def product(numbers: Sequence[float]) -> float:
    result = 1.0
    for number in numbers:
        result *= number
    return result

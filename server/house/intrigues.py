"""The house player of `intrigues`: it weighs a move by what the boxes then promise to it and to the others.

All worths are in points of the final score. The numbers below were tried out in some thousand matches against
random players and against itself.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from itertools import chain
from math import prod
from typing import Any, NamedTuple, TypeAlias

from server.rules.asking import Decision
from server.rules.intrigues import GAME
from server.rules.intrigues.edition import Bonus, Sheet

Owner: TypeAlias = int | str

ROYAL = "royal"
FILLED = {1: 0.8, 2: 0.2}
"""How surely another player fills the last free spot, or the last two, when that wins the box."""
DOUBT_OF_SIDE = 0.55
"""How open the strength of the sides is, for each free spot of a box."""
DOUBT_OF_PLACE = 0.8
"""How open the order of the supporters is, for each free spot of a sheet."""
DOUBT_OF_AGENT = 0.5
"""The same for each agent that lies face down."""
FAR = 0.06
"""A box that still needs agents is worth less now."""
AGENT = 0.12
"""What an agent's value is worth in hand."""
UNDECIDED = 2.5
"""As much luck is mixed into each worth."""
ENOUGH = 15
"""With more money than this nobody saves; somebody has to fill the last sheets."""


class Lying(NamedTuple):
    """A piece as this player sees it: its value, guessed where it lies face down."""

    owner: Owner
    value: float
    guessed: bool = False


class Side:
    """A sheet and the pieces on its spots, left to right, and what they add up to.

    totals  each owner's total, a little less the further right the first agent lies: that decides ties
    """

    def __init__(self, sheet: Sheet, spots: tuple[Lying | None, ...]) -> None:
        self.sheet = sheet
        self.spots = spots
        self.free = 0
        self.guessed = 0
        self.strength = 0.0
        self.totals: dict[Owner, float] = {}
        self.worth: dict[bool, float] = {}
        for index, piece in enumerate(spots):
            if piece is None:
                self.free += 1
                continue
            self.strength += piece.value
            self.guessed += piece.guessed
            if piece.owner != ROYAL:
                self.totals[piece.owner] = self.totals.get(piece.owner, -0.05 * index) + piece.value

    def put(self, index: int, piece: Lying | None) -> Side:
        return Side(self.sheet, (*self.spots[:index], piece, *self.spots[index + 1 :]))


Box: TypeAlias = tuple[Side, Side]


class Place(NamedTuple):
    """A spot: "O2.3" is the third of the lower side of the second box."""

    box: int
    side: int
    spot: int


PLACES = {
    f"{letter}{box + 1}.{index + 1}": Place(box, side, index)
    for box in range(3)
    for side, letter in enumerate("RO")
    for index in range(5)
}


def choose(decision: Decision, position: dict[str, Any], seat: int, luck: random.Random) -> str:
    """The answer that promises most; it judges roughly, so luck decides among what is nearly equal."""
    worth = weigh(decision, position, seat)
    return max(worth, key=lambda answer: worth[answer] + luck.random() * UNDECIDED)


def weigh(decision: Decision, position: dict[str, Any], seat: int) -> dict[str, float]:
    """What each answer promises, in points."""
    thought = Thought(position, seat, decision.kind)
    return {answer: thought.worth(answer) for answer in decision.answers()}


class Thought:
    """What the player of one seat makes of a position."""

    def __init__(self, position: dict[str, Any], seat: int, kind: str) -> None:
        self.seat = seat
        self.kind = kind
        self.position = position
        self.seats = position["seats"]
        self.me = self.seats[seat - 1]
        self.players = range(1, len(self.seats) + 1)
        self.others = [*range(seat + 1, len(self.seats) + 1), *range(1, seat)]
        self.rivalry = 0.9 if len(self.seats) == 2 else 0.4
        in_boxes = sum(box["richelieu"] is not None for box in position["boxes"])
        self.left: int = in_boxes + position["stacks"]["richelieu"]
        self.money: float = (0.15 + 0.025 * self.left) * max(0.3, min(1.5, 10 / (4 + self.me["money"])))
        self.guesses = guesses(position)
        self.boxes = [self.read_box(box) for box in position["boxes"]]
        self.prizes = {side.sheet.name: self.prize(side.sheet) for box in self.boxes if box for side in box}
        self.promises = [self.promise(box) if box else 0.0 for box in self.boxes]
        self.weighed: dict[Any, float] = {}

    # What lies on the table

    def read_box(self, box: dict[str, Any]) -> Box | None:
        if box["richelieu"] is None:
            return None
        return self.read_side(box["richelieu"]), self.read_side(box["opposing"])

    def read_side(self, side: dict[str, Any]) -> Side:
        pieces = tuple(self.read_piece(spot["piece"], spot["cost"]) for spot in side["spots"])
        return Side(GAME.printed.sheets[side["sheet"]], pieces)

    def read_piece(self, piece: dict[str, Any] | None, cost: int) -> Lying | None:
        if piece is None:
            return None
        if "owner" not in piece:
            return Lying(ROYAL, 3)
        owner = piece["owner"]
        if piece["value"] is None:
            return Lying(owner, self.guesses[owner] + 0.2 * cost, guessed=True)
        return Lying(owner, piece["value"])

    def box(self, place: Place) -> Box:
        box = self.boxes[place.box]
        assert box is not None
        return box

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
        money: int = self.me["money"]
        if verb == "income":
            return float(self.me["income"]) * self.money - max(0, money - ENOUGH) * 0.3
        if verb == "commission":
            square: int = self.me["military"] + 1
            return self.square_worth(square) - self.money * GAME.printed.military_costs[square - 1]
        if verb == "sell":
            return 5 * self.money - 4 if money < 3 else -100.0
        if verb == "buy":
            return 4 - 8 * self.money
        return 0.0

    def worth_of_placing(self, verb: str, value: int, place: Place) -> float:
        """Spots of one cost on one sheet are weighed once; of these the left one is a little better."""
        cost = self.box(place)[place.side].sheet.costs[place.spot]
        key = (value, place.box, place.side, cost)
        if key not in self.weighed:
            owner: Owner = self.seat if verb == "place" else self.neutral
            worth = self.gain(place, Lying(owner, value))
            if verb == "place":
                worth -= AGENT * max(value, 0)
            if self.kind == "turn":
                worth -= self.money * (cost + (2 if self.position["turn"]["agents_placed"] else 0))
            self.weighed[key] = worth
        return self.weighed[key] - 0.01 * place.spot

    @property
    def neutral(self) -> str:
        return "neutral" if "neutral_agents" in self.position else f"neutral {self.seat}"

    def worth_of_royal(self, verb: str, place: Place) -> float:
        start = self.where("queen" if verb == "queen" else "eminence")
        return self.gain(place, Lying(ROYAL, 3)) if start is None else self.worth_of_moving(start, place)

    def where(self, royal: str) -> Place | None:
        """The place of a royal piece, None when it is in its palace."""
        for number, box in enumerate(self.position["boxes"]):
            for side, field in enumerate(box.values()):
                for index, spot in enumerate(field["spots"] if field else ()):
                    if spot["piece"] and royal in spot["piece"]:
                        return Place(number, side, index)
        return None

    def gain(self, place: Place, piece: Lying) -> float:
        """How much more its box promises with the piece there."""
        return self.promise(changed(self.box(place), place, piece)) - self.promises[place.box]

    def worth_of_moving(self, start: Place, to: Place) -> float:
        piece = self.box(start)[start.side].spots[start.spot]
        without = changed(self.box(start), start, None)
        if start.box == to.box:
            return self.promise(changed(without, to, piece)) - self.promises[start.box]
        if start not in self.weighed:
            self.weighed[start] = self.promise(without) - self.promises[start.box]
        return self.weighed[start] + self.promise(changed(self.box(to), to, piece)) - self.promises[to.box]

    # What a box promises

    def promise(self, box: Box) -> float:
        """What a box is worth to this player when the others are to move."""
        outlook = self.outlook(box)
        needed = min(box[0].free, box[1].free)
        filled = self.filled_by_another(box) if needed in FILLED else None
        if filled is None:
            return outlook
        return FILLED[needed] * self.outlook(filled) + (1 - FILLED[needed]) * outlook

    def filled_by_another(self, box: Box) -> Box | None:
        """The box as the next of the others would leave it who can fill a sheet now and win by that."""
        for player in self.others:
            state = self.seats[player - 1]
            actions = 2 if state["prestige"] < self.position["cardinal"] else 1
            agent = Lying(player, 3 if state["agents_in_hand"] > 2 else 2)
            for side in (0, 1):
                if box[side].free <= actions:
                    filled = box
                    for index, piece in enumerate(box[side].spots):
                        if piece is None:
                            filled = changed(filled, Place(0, side, index), agent)
                    if wins(player, filled, side):
                        return filled
        return None

    def outlook(self, box: Box) -> float:
        """What a box is worth, whoever is to move."""
        upper, lower = box
        needed = min(upper.free, lower.free)
        complete = needed == 0
        doubt = 0.3 + DOUBT_OF_AGENT * (upper.guessed + lower.guessed)
        if not complete:
            doubt += DOUBT_OF_SIDE * (upper.free + lower.free)
        chance = likely(upper.strength - lower.strength + 0.5, doubt)
        worth = chance * self.side_worth(upper, complete) + (1 - chance) * self.side_worth(lower, complete)
        return worth / (1 + FAR * needed)

    def side_worth(self, side: Side, complete: bool) -> float:
        """What a sheet gives if its side wins, the others' share counted against it."""
        if complete not in side.worth:
            doubt = 0.2 + DOUBT_OF_AGENT * side.guessed + (0 if complete else DOUBT_OF_PLACE * side.free)
            mine, theirs, second = self.prizes[side.sheet.name]
            worth = 0.0
            for player in self.players:
                if side.totals.get(player, 0.0) > 0:
                    first, runner_up = self.chances(side, player, doubt, complete)
                    if player == self.seat:
                        worth += first * mine + runner_up * second
                    else:
                        worth -= self.rivalry * (first * theirs + runner_up * second)
            side.worth[complete] = worth
        return side.worth[complete]

    def chances(self, side: Side, player: int, doubt: float, complete: bool) -> tuple[float, float]:
        """How likely a player comes first, and second. Who is not there yet may still come."""
        total = side.totals[player]
        ahead = [likely(total - other, doubt) for owner, other in side.totals.items() if owner != player and other > 0]
        if not complete:
            ahead += [likely(total, doubt) for other in self.players if other not in side.totals]
        runner_up = sum([(1 - each) * prod([*ahead[:i], *ahead[i + 1 :]]) for i, each in enumerate(ahead)])
        return prod(ahead), runner_up

    # What is won

    def prize(self, sheet: Sheet) -> tuple[float, float, float]:
        """First place for this player, first place for another, second place."""
        first = self.bonus_worth(sheet.first)
        return first + self.sheet_worth(sheet), first + 2, self.bonus_worth(sheet.second)

    def sheet_worth(self, sheet: Sheet) -> float:
        if sheet.name[0] == "R":
            return 1.8
        won: list[str] = self.me["sheets"]
        return 1.3 + 1.7 * sum(name[0] == sheet.name[0] for name in won)

    def bonus_worth(self, bonus: Bonus) -> float:
        return sum(self.symbol_worth(symbol.kind, symbol.number) for symbol in bonus)

    def symbol_worth(self, kind: str, number: int) -> float:
        if kind == "prestige":
            return float(number)
        if kind == "money":
            return number * self.money
        if kind == "military":
            start: int = self.me["military"] + 1
            return sum(self.square_worth(square) for square in range(start, start + number))
        if kind == "income":
            return self.income_worth
        return 1.2

    def square_worth(self, square: int) -> float:
        printed = GAME.printed
        if square > printed.military_end:
            return 0.0
        return 1 + (square in printed.income_squares) * self.income_worth + (square in printed.prestige_squares)

    @property
    def income_worth(self) -> float:
        return 1 + self.money * self.left / 4


def guesses(position: dict[str, Any]) -> dict[Owner, float]:
    """For each owner the mean value of the agents that nobody sees; the better ones are placed first."""
    printed = GAME.printed
    unseen: dict[Owner, list[int]] = {number: list(printed.agents) for number, _ in enumerate(position["seats"], 1)}
    for colour in ("neutral", "neutral 1", "neutral 2"):
        unseen[colour] = list(printed.neutral_agents)
    fields = [field for box in position["boxes"] for field in box.values() if field]
    on_sheets = [spot["piece"] for field in fields for spot in field["spots"] if spot["piece"]]
    for piece in chain(on_sheets, position["city"]["agents"]):
        if piece.get("value") is not None:
            unseen[piece["owner"]].remove(piece["value"])
    return {owner: sum(values) / len(values) + 0.3 if values else 0.0 for owner, values in unseen.items()}


def changed(box: Box, place: Place, piece: Lying | None) -> Box:
    upper, lower = box
    if place.side == 0:
        return upper.put(place.spot, piece), lower
    return upper, lower.put(place.spot, piece)


def wins(player: int, box: Box, side: int) -> bool:
    """Whether the side wins and the player is its strongest supporter."""
    totals = box[side].totals
    best: Sequence[float] = [total for owner, total in totals.items() if owner != player]
    return box[side].strength > box[1 - side].strength + 0.5 and totals[player] > max(best, default=0.0)


def likely(lead: float, doubt: float) -> float:
    """How likely a lead holds: even without one, certain when it is as great as the doubt."""
    return max(0.0, min(1.0, 0.5 + lead / (2 * doubt)))

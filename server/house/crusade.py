"""The house player of Richard I: weighs PP, the cards in hand and its side's hopes, one decision at a time."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from typing import Any

from server.rules.asking import Decision
from server.rules.crusade import GAME
from server.rules.crusade.characters import ACTIONS, CHARACTERS
from server.rules.crusade.colours import COLOURS, choices
from server.rules.crusade.counselors import counselor_named
from server.rules.crusade.effects import (
    NOTHING_NAMED,
    Deed,
    Draw,
    DrawCounselor,
    Effect,
    EveryoneDraws,
    IntoCrusadeDeck,
    MoveMarker,
    Named,
    Pay,
    Prestige,
    SeeHand,
    Take,
)
from server.rules.crusade.naming import named_by
from server.rules.crusade.offers import CollectTaxes, HoldTournament, number_offered
from server.rules.crusade.table import JOHN, RICHARD
from server.rules.telling import Seat

WISHES = {  # what a step up each track is worth to Richard's side; it falls fast with the number who share it
    "crusaders": 3.6,
    "saladin": -3.6,
    "treasury": 3.6,
    "time": -1.8,
}
PULLS = {  # what a card turned up does to the tracks
    "red": {"crusaders": 0.5, "saladin": -0.5},
    "green": {"crusaders": -0.5, "saladin": 0.5},
    "yellow": {"treasury": 1.0},
    "white": {"treasury": -1.0},
    "purple": {"time": 0.5},
    "blue": {"time": -0.5},
}
SENDERS = {"red": RICHARD, "yellow": RICHARD, "green": JOHN, "white": JOHN}
NEW_COLOUR = 0.4  # the first card of a colour brings the council of all six nearer
COUNSELOR = 1.2
PASSED_OVER = -1.0
UNDECIDED = 2.5  # as much luck is mixed into each value: it judges roughly


class View:
    """What the house makes of its seat's position."""

    card_worth = (0.9, 0.6, 0.35)  # with few cards in hand, with some, with many
    turned_up = 0.6  # how likely a card sent is turned up this turn
    for_later = 0.6  # how much of what a card does to the tracks counts while it is in hand
    variety = tuple(NEW_COLOUR * colours for colours in range(7))  # what so many colours in hand are worth

    def __init__(self, position: dict[str, Any], seat: int) -> None:
        self.seat = seat
        self.seats: list[dict[str, Any]] = position["seats"]
        self.own = self.seats[seat - 1]
        self.hand: dict[str, int] = self.own["hand"]
        self.offers = [each["offer"] for each in position["offers"] or ()]
        unseen = {
            colour: GAME.printed.cards[colour] - position["reserve"][colour] - self.hand[colour] for colour in COLOURS
        }
        total = sum(unseen.values()) or 1
        self.likely = {colour: number / total for colour, number in unseen.items()}
        self.wishes = self.wished(position["tracks"])
        self.pulls = {
            colour: sum(self.wishes[track] * by for track, by in pull.items()) for colour, pull in PULLS.items()
        }
        few, some, many = self.card_worth
        self.card = (few if self.own["cards"] < 4 else some if self.own["cards"] < 8 else many) * time_left(position)
        self.in_hand = {colour: self.card + max(0.0, pull) * self.for_later for colour, pull in self.pulls.items()}

    def wished(self, tracks: dict[str, int]) -> dict[str, float]:
        """What a step up each track is worth: for the own side, which shares, and for counselors that will score."""
        wished = self.wished_by_the_side(tracks)
        for name in self.own["counselor_names"]:
            bonus = GAME.printed.counselors[name].bonus
            if bonus and bonus.track:
                near = 1 / (2 + abs(tracks[bonus.track] - (bonus.least or bonus.most)))
                wished[bonus.track] += bonus.pp * near * (0.5 if bonus.least else -0.5)
        return wished

    def wished_by_the_side(self, tracks: dict[str, int]) -> dict[str, float]:
        sharing = sum(seat["loyalty"] == self.own["loyalty"] for seat in self.seats)
        sign = 1.0 if self.own["loyalty"] == RICHARD else -1.0
        return {track: sign * value / sharing**2 for track, value in WISHES.items()}

    def others(self) -> list[Seat]:
        return [Seat(number) for number in range(1, len(self.seats) + 1) if number != self.seat]

    def expected(self, other: Seat, colour: str) -> float:
        """Cards of the colour in another hand: what helps the other side is kept there, what helps its own is sent."""
        held = self.seats[other - 1]
        return float(held["cards"] * self.likely[colour] * self.lingering(held["loyalty"], colour))

    def lingering(self, loyalty: str, colour: str) -> float:
        return 1.0 if colour not in SENDERS else 0.8 if SENDERS[colour] == loyalty else 1.4

    def worth_of_hand(self, hand: dict[str, int]) -> float:
        colours = sum(held > 0 for held in hand.values())
        return self.variety[colours] + sum(held * self.in_hand[colour] for colour, held in hand.items())

    def gaining(self, colours: Sequence[str]) -> float:
        return self._change(colours, 1)

    def giving(self, colours: Sequence[str]) -> float:
        return -self._change(colours, -1)

    def _change(self, colours: Sequence[str], by: int) -> float:
        hand = dict(self.hand)
        for colour in colours:
            hand[colour] += by
        return self.worth_of_hand(hand) - self.worth_of_hand(self.hand)


def time_left(position: dict[str, Any]) -> float:
    """1 while there is time to use a card, less when an ending may be near."""
    tracks = position["tracks"]
    turns = min(tracks["crusaders"] / 2, tracks["saladin"] / 2, tracks["treasury"] / 2, tracks["time"])
    return float(min(1.0, (1 + turns) / 3))


def choose(decision: Decision, position: dict[str, Any], seat: int, luck: random.Random) -> str:
    """One of the decision's answers."""
    if decision.kind == "loyalty":
        return luck.choice(decision.answers())
    worth = weigh(decision, View(position, seat))
    return max(worth, key=lambda answer: worth[answer] + luck.random() * UNDECIDED)


def weigh(decision: Decision, view: View) -> dict[str, float]:
    """What each answer is worth, in PP."""
    worth = WORTH[decision.kind]
    return {answer: worth(view, answer) for answer in decision.answers()}


def worth_of_pawn(view: View, answer: str) -> float:
    character, _, colour = answer.removeprefix("pawn ").partition(" take ")
    taken = view.gaining(("green", colour)) if colour else 0.0
    deeds = CHARACTERS[character].actions.values()
    return taken + max(
        (worth_of_deed(view, deed, named) for deed in deeds for named in namings(view, deed)), default=PASSED_OVER
    )


def namings(view: View, deed: Deed) -> Iterator[Named]:
    """All that a move with this deed could name and pay."""
    others: Sequence[Seat | None] = view.others() if deed.looks else (None,)
    for colours in choices(deed.chooses):
        if deed.can_pay(view.hand, colours):
            for other in others:
                yield Named(other, colours)


def worth_of_move(view: View, answer: str) -> float:
    verb, *words = answer.split()
    if verb == "end":
        return 0.0
    if verb != "play":
        deed = ACTIONS[verb].actions[verb]
        return worth_of_deed(view, deed, named_by(deed, words))
    counselor, rest = counselor_named(GAME.printed, words)
    assert counselor is not None
    assert counselor.deed is not None
    return PLAY_FIRST + worth_of_deed(view, counselor.deed, named_by(counselor.deed, rest))


PLAY_FIRST = 20.0  # a counselor does not cost the action: reveal those that help before acting


def worth_of_deed(view: View, deed: Deed, named: Named) -> float:
    return sum(worth_of_effect(view, effect, named) for effect in deed.effects)


def worth_of_effect(view: View, effect: Effect, named: Named = NOTHING_NAMED) -> float:
    match effect:
        case Pay():
            return -view.giving(effect.colours(named))
        case Take():
            return view.gaining(effect.colours(named))
        case IntoCrusadeDeck():
            return sum(view.pulls[colour] for colour in effect.colours(named)) * view.turned_up
        case Draw() | EveryoneDraws():
            return effect.number * (view.card + NEW_COLOUR / 4)
        case Prestige():
            return float(effect.pp)
        case MoveMarker():
            return view.wishes[effect.track] * effect.by
        case SeeHand():
            return worth_of_seeing(view, effect, named)
        case DrawCounselor():
            return COUNSELOR
        case CollectTaxes():
            return worth_of_contest(view, "yellow") + 0.3
        case HoldTournament():
            return worth_of_contest(view, "red") + 0.6
    return 0.0


def worth_of_seeing(view: View, effect: SeeHand, named: Named) -> float:
    colour = named.colours[0] if effect.chooses else effect.colour
    cards = view.expected(named.other, colour)
    return effect.pp * cards if effect.enough is None else effect.pp * min(1.0, cards / (effect.enough + 1))


def worth_of_contest(view: View, colour: str) -> float:
    """Offers of one colour against the hands that the others may hold."""
    return max(worth_of_offer(view, colour, number) for number in range(view.hand[colour] + 1))


def worth_of_offer(view: View, colour: str, offered: int) -> float:
    if not offered:
        return 0.0
    rivals = [view.expected(other, colour) for other in view.others()]
    best = max(rivals, default=0.0)
    lead = offered - best
    prize = 3.0 * min(1.0, max(0.0, 0.5 + lead / 2)) if lead > -1 else 0.3
    return prize - view.giving([colour] * offered)


def worth_of_tax(view: View, answer: str) -> float:
    """Offers are open: what counts is the best so far, and how many may still raise it."""
    offered = number_offered(answer)
    if not offered:
        return 0.0
    higher = {offer for offer in view.offers if offer > offered}
    prize = 3.0 if not higher else 1.0 if len(higher) == 1 else 0.0
    still = len(view.seats) - 1 - len(view.offers)
    risk = max(0.0, 0.25 - 0.08 * offered) * still
    return prize * max(0.1, 1 - risk) - view.giving(["yellow"] * offered)


def worth_of_tournament(view: View, answer: str) -> float:
    return worth_of_offer(view, "red", number_offered(answer))


def worth_of_contribution(view: View, answer: str) -> float:
    colours = answer.split()[1:]
    return 2 * view.turned_up * sum(view.pulls[colour] for colour in colours) - view.giving(colours)


WORTH = {
    "pawn": worth_of_pawn,
    "action": worth_of_move,
    "counselor": worth_of_move,
    "tax": worth_of_tax,
    "tournament": worth_of_tournament,
    "contribution": worth_of_contribution,
}

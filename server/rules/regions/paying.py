"""What taking marked cards costs (chapter 3): whose markers go back, and which are given up."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Final, NamedTuple

from server.rules.asking import Refused, refuse
from server.rules.regions.places import PLACE, PLACES
from server.rules.regions.table import DisplayTable
from server.rules.telling import Seat, Sentence, sentence


class Price(NamedTuple):
    """What a take costs in markers: how many from hand and how many from the display, with the places to choose from."""

    from_hand: int
    from_display: int
    choice: Sequence[int]

    @property
    def can_be_paid(self) -> bool:
        return self.from_display <= len(self.choice)


NOTHING: Final = Price(0, 0, ())


def price_of(table: DisplayTable, seat: Seat, places: Sequence[int]) -> Price:
    """One marker for each opponent's marker; from hand as far as they go, own ones that come back included."""
    owners = [table.marked[place] for place in places if place in table.marked]
    back = owners.count(seat)
    due = len(owners) - back
    if not due:
        return NOTHING
    from_hand = min(due, table.areas[seat].hand + back)
    choice = [place for place in table.own_marks(seat) if place not in places]
    return Price(from_hand, due - from_hand, choice)


def payments(table: DisplayTable, seat: Seat, take: str, places: Sequence[int]) -> Sequence[str]:
    """The texts of this take, one for each choice of markers to lose (3.5); none if it cannot be paid."""
    if table.marked.keys().isdisjoint(places):
        return (take,)
    price = price_of(table, seat, places)
    if not price.from_display:
        return (take,)
    lost = combinations([PLACES[place] for place in price.choice], price.from_display)
    return [f"{take} lose {' '.join(names)}" for names in lost]


def settle_markers(table: DisplayTable, seat: Seat, places: Sequence[int], lost: Sequence[int]) -> None:
    """The markers on the taken cards go back to their owners' hands, those due are given up (3.4 to 3.6)."""
    if table.marked.keys().isdisjoint(places):
        return
    area = table.areas[seat]
    price = price_of(table, seat, places)
    for place in places:
        owner = table.marked.pop(place, None)
        if owner is not None:
            table.areas[owner].hand += 1
            table.tell("{owner} gets the marker on {place} back.", owner=owner, place=PLACES[place])
    for place in lost:
        del table.marked[place]
    area.hand -= price.from_hand
    area.lost += price.from_hand + len(lost)
    for told in _given_up(seat, price.from_hand, lost):
        table.log.append(told)


def _given_up(seat: Seat, from_hand: int, lost: Sequence[int]) -> list[Sentence]:
    told = []
    if from_hand == 1:
        told.append(sentence("{seat} gives up one marker from hand for it.", seat=seat))
    elif from_hand:
        told.append(sentence("{seat} gives up two markers from hand for it.", seat=seat))
    for place in lost:
        told.append(sentence("{seat} gives up the marker on {place} for it.", seat=seat, place=PLACES[place]))
    return told


def say_payment(table: DisplayTable, seat: Seat, places: Sequence[int], lost: Sequence[int]) -> list[Sentence]:
    """What a take means for the markers, in words."""
    said = []
    for place in places:
        owner = table.marked.get(place)
        if owner == seat:
            said.append(sentence("Your marker there comes back to your hand."))
        elif owner is not None:
            said.append(sentence("{owner}’s marker there goes back to its owner.", owner=owner))
    from_hand = price_of(table, seat, places).from_hand
    if from_hand == 1:
        said.append(sentence("It costs one marker from your hand, for good."))
    elif from_hand:
        said.append(sentence("It costs two markers from your hand, for good."))
    for place in lost:
        said.append(sentence("It costs your marker on {place}, for good.", place=PLACES[place]))
    return said


def read_payment(table: DisplayTable, seat: Seat, places: Sequence[int], words: Sequence[str]) -> list[str]:
    """What a take's text ends with: nothing, or `lose` and the places due. `words` begin with “lose” or are none."""
    price = price_of(table, seat, places)
    if not price.can_be_paid:
        raise _cannot_pay(price)
    names = words[1:]
    if not price.from_display:
        if words:
            raise refuse("regions 3.5", "Nothing is due from the display for this take; leave out “lose”.")
        return []
    choice = [PLACES[place] for place in price.choice]
    if len(names) != price.from_display or len(set(names)) != len(names):
        raise _wrong_number_lost(price, choice)
    for name in names:
        if name not in choice:
            raise refuse(
                "regions 3.5",
                "The marker to lose must be one of yours that stays on the display: {choice}.",
                choice=choice,
            )
    return ["lose", *sorted(names, key=PLACE.__getitem__)]


def _cannot_pay(price: Price) -> Refused:
    if not price.from_hand and not price.choice:
        return refuse(
            "regions 3.7",
            "You have no marker in hand or on the display, so you cannot take a card with another player’s marker.",
        )
    return refuse("regions 3.5", "This take costs two markers, but you have only one to give.")


def _wrong_number_lost(price: Price, choice: Sequence[str]) -> Refused:
    if price.from_display == 1:
        return refuse(
            "regions 3.5",
            "This take costs one of your markers on the display: add “lose” and its place. You have: {choice}.",
            choice=choice,
        )
    return refuse(
        "regions 3.5",
        "This take costs two of your markers on the display: add “lose” and their two places. You have: {choice}.",
        choice=choice,
    )

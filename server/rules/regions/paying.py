"""What taking marked cards costs (chapter 3): whose markers go back, and which are given up."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from server.rules.asking import Refused, refuse
from server.rules.regions.places import PLACE, PLACES
from server.rules.regions.table import DisplayTable
from server.rules.telling import Seat, Sentence, sentence


def price_of(table: DisplayTable, seat: Seat, places: Sequence[int]) -> tuple[int, int]:
    """What a take costs: markers from hand and markers from the display (3.4, 3.5).

    One for each opponent's marker; from hand as far as they go, own ones that come back included.
    """
    owners = [owner for owner in map(table.marked.get, places) if owner]
    back = owners.count(seat)
    due = len(owners) - back
    hand = table.areas[seat].hand + back
    return (due, 0) if due <= hand else (hand, due - hand)


def to_choose_from(table: DisplayTable, seat: Seat) -> list[str]:
    """The places of the seat's markers that may be lost from the display, by row and then by column.

    None of them lies on a card of the take: a marker that comes back would pay for the other card from hand.
    """
    return [PLACES[place] for place in sorted(table.areas[seat].marks)]


def payments(table: DisplayTable, seat: Seat, take: str, places: Sequence[int]) -> list[str]:
    """The texts of this take, one for each choice of markers to lose (3.5); none if it cannot be paid."""
    _, from_display = price_of(table, seat, places)
    if not from_display:
        return [take]
    choice = to_choose_from(table, seat)
    if from_display == 1:
        return [f"{take} lose {lost}" for lost in choice]
    return [f"{take} lose {' '.join(lost)}" for lost in combinations(choice, from_display)]


def settle_markers(table: DisplayTable, seat: Seat, places: Sequence[int], lost: Sequence[int]) -> None:
    """The markers on the taken cards go back to their owners' hands, those due are given up (3.4 to 3.6)."""
    if table.marked.keys().isdisjoint(places):
        return
    from_hand, _ = price_of(table, seat, places)
    for place in places:
        if place in table.marked:
            owner = table.take_back_marker(place)
            table.tell("{owner} gets the marker on {place} back.", owner=owner, place=PLACES[place])
    for place in lost:
        table.take_back_marker(place)
    area = table.areas[seat]
    area.hand -= from_hand + len(lost)
    area.lost += from_hand + len(lost)
    table.log += _given_up(seat, from_hand, lost)


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
    from_hand, _ = price_of(table, seat, places)
    if from_hand == 1:
        said.append(sentence("It costs one marker from your hand, for good."))
    elif from_hand:
        said.append(sentence("It costs two markers from your hand, for good."))
    for place in lost:
        said.append(sentence("It costs your marker on {place}, for good.", place=PLACES[place]))
    return said


def read_payment(table: DisplayTable, seat: Seat, places: Sequence[int], words: Sequence[str]) -> list[str]:
    """What a take's text ends with: nothing, or `lose` and the places due. `words` begin with “lose” or are none."""
    from_hand, from_display = price_of(table, seat, places)
    choice = to_choose_from(table, seat)
    if from_display > len(choice):
        raise _cannot_pay(from_hand + len(choice))
    if not from_display:
        if words:
            raise refuse("regions 3.5", "Nothing is due from the display for this take; leave out “lose”.")
        return []
    names = words[1:]
    if len(names) != from_display or len(set(names)) != len(names):
        raise _wrong_number_lost(from_display, choice)
    if not set(names).issubset(choice):
        raise refuse(
            "regions 3.5", "A marker to lose must be one of yours that stays on the display: {choice}.", choice=choice
        )
    return ["lose", *sorted(names, key=PLACE.__getitem__)]


def _cannot_pay(markers: int) -> Refused:
    if not markers:
        return refuse(
            "regions 3.7",
            "You have no marker in hand or on the display, so you cannot take a card with another player’s marker.",
        )
    return refuse("regions 3.5", "This take costs two markers, but you have only one to give.")


def _wrong_number_lost(due: int, choice: Sequence[str]) -> Refused:
    if due == 1:
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

"""What a move names beside its verb: a player, colours; every possibility, and how a player's words are read."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from server.rules.asking import refuse
from server.rules.crusade.colours import COLOURS, choices, counted, in_order
from server.rules.crusade.effects import Deed, Named
from server.rules.crusade.table import CrusadeTable
from server.rules.telling import Seat


def texts(table: CrusadeTable, seat: Seat, verb: str, deed: Deed, held: dict[str, int]) -> list[str]:
    """Every move with this verb that the seat can pay, canonical."""
    every = _every_text(verb, deed.looks, deed.chooses, len(table.seats), seat)
    if deed.pays_chosen:
        return [text for text, colours in every if deed.can_pay(held, colours)]
    return [text for text, _ in every] if deed.can_pay(held, ()) else []


@cache
def _every_text(verb: str, looks: bool, chooses: int, seats: int, by: Seat) -> tuple[tuple[str, tuple[str, ...]], ...]:
    others: list[Seat | None] = [Seat(number) for number in range(1, seats + 1) if number != by] if looks else [None]
    return tuple(
        (f"{verb}{suffix(Named(other, colours))}", colours) for other in others for colours in choices(chooses)
    )


def suffix(named: Named) -> str:
    """What follows the verb in the canonical text, with a blank before each word."""
    seat = f" {int(named.seat)}" if named.seat else ""
    return seat + "".join(f" {colour}" for colour in named.colours)


def named_by(deed: Deed, words: Sequence[str]) -> Named:
    """What the words behind the verb of a canonical text name."""
    if deed.looks:
        return Named(Seat(int(words[0])), tuple(words[1:]))
    return Named(None, tuple(words))


def read_named(table: CrusadeTable, seat: Seat, verb: str, deed: Deed, words: Sequence[str], rule: str) -> Named:
    """What a player's words behind the verb mean. Raises `Refused`; whether it can be paid is not looked at."""
    fits = len(words) > deed.chooses if deed.looks else len(words) == deed.chooses
    if not fits:
        raise _refuse_count(table, seat, verb, deed, rule)
    split = len(words) - deed.chooses
    colours = in_order(read_colour(word) for word in words[split:])
    return Named(_read_seat(table, seat, words[:split]) if deed.looks else None, colours)


def check_price(table: CrusadeTable, seat: Seat, deed: Deed, colours: tuple[str, ...], rule: str) -> None:
    held = table.held(seat)
    if deed.can_pay(held, colours):
        return
    if deed.pays_chosen:
        raise refuse(rule, "You hold no {colours} to give.", colours=colours)
    price = [colour for colour, number in deed.price.items() for _ in range(number)]
    own = [colour for colour in deed.price for _ in range(held[colour])]
    raise refuse(rule, "That costs {price}; of these you hold {held}.", price=counted(price), held=counted(own))


def read_colour(word: str) -> str:
    if word not in COLOURS:
        raise refuse("crusade 1.1", "That is no colour of a card. The colours are {colours}.", colours=COLOURS)
    return word


def _read_seat(table: CrusadeTable, seat: Seat, words: Sequence[str]) -> Seat:
    named = table.seat_named(" ".join(words))
    others = [other for other in table.seats if other != seat]
    if named is None:
        raise refuse("crusade 1.12", "Nobody in this match is called so. The others are {others}.", others=others)
    if named == seat:
        raise refuse("crusade 1.12", "That must be another player than yourself: {others}.", others=others)
    return named


def _refuse_count(table: CrusadeTable, seat: Seat, verb: str, deed: Deed, rule: str) -> Exception:
    example = _every_text(verb, deed.looks, deed.chooses, len(table.seats), seat)[0][0]
    if deed.looks and deed.chooses:
        return refuse(rule, "Name another player and a colour, as in “{example}”.", example=example)
    if deed.looks:
        return refuse(rule, "Name another player, as in “{example}”.", example=example)
    if deed.chooses == 1:
        return refuse(rule, "Name one colour, as in “{example}”.", example=example)
    if deed.chooses:
        return refuse(rule, "Name colours, {number} of them, as in “{example}”.", number=deed.chooses, example=example)
    return refuse(rule, "Write “{example}” alone; nothing is named with it.", example=example)

"""The strong house player of Richard I: it plays the match on with hands, decks and counselors drawn by lot."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any, Final

from server.house.crusade import COUNSELOR, time_left, weigh, wishes
from server.house.strong.imagining import Whim, play_on
from server.house.strong.trying import at_once, best_of, most_promising
from server.rules.asking import Decision, Script
from server.rules.crusade import GAME
from server.rules.crusade.actions import carry_out_actions
from server.rules.crusade.colours import COLOURS
from server.rules.crusade.counselors import names_held
from server.rules.crusade.ending import score_the_end, winners_of
from server.rules.crusade.influencing import influence_characters
from server.rules.crusade.table import SIDES, Card, CrusadeTable
from server.rules.crusade.turns import finish_turn, take_turn
from server.rules.telling import Seat

TRIED: Final = 4
TRIES: Final = 160
"""All tries together, divided among the seats: a turn of many takes longer."""
TURNS: Final = 3
"""How many turns are played on, the open one included."""
CARD: Final = 0.55
COLOUR: Final = 0.4
"""What each colour in hand is worth besides: all six make a council."""
FAR: Final = 8.0
"""More PP ahead or behind do not count."""
TRUST: Final = 12.0
"""How many tries are worth what an answer promises at once."""


def choose(
    decision: Decision, position: dict[str, Any], seat: int, luck: random.Random, options: Mapping[str, object]
) -> str:
    if decision.kind == "loyalty":
        return luck.choice(decision.answers())
    promises = weigh(decision, position, seat)
    if decision.kind not in ("pawn", "action", "contribution"):
        return at_once(promises, luck)
    tried = most_promising(promises, TRIED)

    def try_out(answer: str, its_luck: random.Random) -> float:
        return tried_out(answer, position, Seat(seat), its_luck, options)

    return best_of(tried, try_out, TRIES // len(position["seats"]), luck, trust=TRUST)


def tried_out(
    answer: str, position: dict[str, Any], seat: Seat, luck: random.Random, options: Mapping[str, object]
) -> float:
    table = imagined(position, seat, luck, options)

    def answered(other: Seat, decision: Decision) -> str:
        return at_once(weigh(decision, GAME.position(table, other), other), luck)

    play_on(from_here(table, seat), seat, answer, answered)
    return success(table, seat)


def success(table: CrusadeTable, seat: Seat) -> float:
    """How many PP the seat is ahead, those included that are to be hoped for."""
    stand = {other: float(table.pp[other]) for other in table.seats}
    if not table.ending:
        seats = [
            {"loyalty": table.loyalty[other], "counselor_names": names_held(table, other)} for other in table.seats
        ]
        for other, each in zip(table.seats, seats, strict=True):
            wished = wishes(each, seats, table.tracks)
            stand[other] += sum(wished[track] * at for track, at in table.tracks.items())
            colours = {card.front for card in table.hands[other]}
            worth = CARD * len(table.hands[other]) + COLOUR * len(colours) + COUNSELOR * len(table.counselors[other])
            stand[other] += worth * time_left({"tracks": table.tracks})
    ahead = stand[seat] - max(points for other, points in stand.items() if other != seat)
    if table.ending:
        ahead += FAR / 2 if seat in winners_of(table) else -FAR / 2
    return max(-FAR, min(FAR, ahead))


def from_here(table: CrusadeTable, seat: Seat) -> Script:
    """Some turns, from a decision about a pawn, an action or a contribution on."""
    if table.phase == "influencing":
        yield from influence_characters(table)
        yield from carry_out_actions(table, table.in_order())
    elif table.phase == "actions":
        order = table.in_order()
        yield from carry_out_actions(table, order[order.index(seat) :])
    yield from finish_turn(table)
    for _ in range(TURNS - 1):
        if table.ending is None:
            table.first = table.after(table.first)
            yield from take_turn(table)
    if table.ending:
        score_the_end(table)


def imagined(position: dict[str, Any], seat: Seat, luck: random.Random, options: Mapping[str, Any]) -> CrusadeTable:
    """The table as the seat sees it, what it does not see drawn by lot."""
    table = CrusadeTable(GAME.printed, len(position["seats"]), options, Whim(luck))
    table.phase, table.turn, table.first = position["phase"], position["turn"], Seat(position["first"])
    table.tracks = dict(position["tracks"])
    table.event = position["event"]
    deal(table, position, seat, luck)
    for number, each in enumerate(position["seats"], start=1):
        held = Seat(number)
        table.loyalty[held] = each["loyalty"]
        table.pp[held] = each["pp"]
        table.revealed[held] = list(each["revealed"])
        if each["character"]:
            table.characters[held] = each["character"]
        if each["last_character"]:
            table.last_characters[held] = each["last_character"]
    give_counselors(table, position, seat, luck)
    stack_events(table, position, luck)
    return table


def deal(table: CrusadeTable, position: dict[str, Any], seat: Seat, luck: random.Random) -> None:
    """Influence cards: the reserve and the own hand as they are, the others to hands, supply and Crusade deck."""
    unseen: list[Card] = []
    for colour in COLOURS:
        pile = table.reserve[colour]
        gone, pile[:] = pile[position["reserve"][colour] :], pile[: position["reserve"][colour]]
        own = position["seats"][seat - 1]["hand"][colour]
        table.hands[seat] += gone[:own]
        unseen += gone[own:]
    luck.shuffle(unseen)
    for other in table.seats:
        if other != seat:
            for _ in range(position["seats"][other - 1]["cards"]):
                table.hands[other].append(unseen.pop())
    table.supply = [unseen.pop() for _ in range(position["supply"])]
    table.crusade_deck = unseen


def give_counselors(table: CrusadeTable, position: dict[str, Any], seat: Seat, luck: random.Random) -> None:
    revealed = {name for each in position["seats"] for name in each["revealed"]}
    own = position["seats"][seat - 1]["counselor_names"]
    table.counselors[seat] = [table.hide(name, "a counselor", "") for name in own]
    for side in SIDES:
        unseen = [name for name in table.edition.side(side) if name not in revealed and name not in own]
        luck.shuffle(unseen)
        cards = [table.hide(name, "a counselor", "") for name in unseen]
        for other in table.loyal_to(side):
            if other != seat:
                table.counselors[other] = [cards.pop() for _ in range(position["seats"][other - 1]["counselors"])]
        table.counselor_decks[side] = cards


def stack_events(table: CrusadeTable, position: dict[str, Any], luck: random.Random) -> None:
    left = position["events_left"]
    names = [name for name in table.edition.events if name != position["event"]]
    luck.shuffle(names)
    if table.options["events"] == "history":
        calendar = table.edition.calendar[table.turn :]
        others = [name for name in names if name not in table.edition.calendar]
        names = [*others, *reversed(calendar)]
    table.events = [table.hide(name, "an event", "event") for name in names[len(names) - left :]] if left else []

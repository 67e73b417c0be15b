"""The strong house player of `intrigues`: it plays some turns on, with what lies face down or hidden drawn by lot."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any, Final

from server.house.intrigues import Thought, weigh
from server.house.strong.imagining import Whim, play_on
from server.house.strong.trying import at_once, best_of, most_promising
from server.rules.asking import Decision, Script
from server.rules.intrigues import GAME
from server.rules.intrigues.ending import outcome
from server.rules.intrigues.table import Agent, Colour, IntriguesTable, Royal, Turn
from server.rules.intrigues.turn import take_actions, take_turn
from server.rules.intrigues.two_players import close_turn
from server.rules.telling import Seat

TRIED: Final = 4
TRIES: Final = 32
ROUNDS: Final = 5
"""How many decisions for each seat are played on."""
FAR: Final = 15.0
"""More points ahead or behind do not count."""
TRUST: Final = 6.0
"""How many tries are worth what an answer promises at once."""


def choose(
    decision: Decision, position: dict[str, Any], seat: int, luck: random.Random, options: Mapping[str, object]
) -> str:
    promises = weigh(decision, position, seat)
    if decision.kind not in ("turn", "neutral"):
        return at_once(promises, luck)
    tried = most_promising(promises, TRIED)
    begun = without(decision)

    def try_out(answer: str, its_luck: random.Random) -> float:
        return tried_out(answer, position, Seat(seat), its_luck, options, begun)

    return best_of(tried, try_out, TRIES, luck, trust=TRUST)


def without(decision: Decision) -> set[str]:
    """What was done in this turn already, as far as the answers betray it."""
    verbs = {answer.split()[0] for answer in decision.answers()}
    return {deed for deed in ("income", "commission") if deed not in verbs}


def tried_out(
    answer: str,
    position: dict[str, Any],
    seat: Seat,
    luck: random.Random,
    options: Mapping[str, object],
    done: set[str],
) -> float:
    table = imagined(position, seat, luck, options)
    table.turn.done = set(done)

    def answered(other: Seat, decision: Decision) -> str:
        return at_once(weigh(decision, GAME.position(table, other), other), luck)

    neutral = answer.startswith("neutral ")
    play_on(from_here(table, seat, neutral=neutral), seat, answer, answered, ROUNDS * len(table.seats))
    return success(table, seat)


def from_here(table: IntriguesTable, seat: Seat, *, neutral: bool) -> Script:
    """The rest of the match from an action, or from the neutral agent that closes a turn."""
    yield from (close_turn if neutral else take_actions)(table, seat)
    while not table.over:
        seat = table.after(seat)
        yield from take_turn(table, seat)


def success(table: IntriguesTable, seat: Seat) -> float:
    """How many points the seat is ahead, those included that the boxes promise."""
    stand = {score.seat: float(score.total) for score in outcome(table).scores}
    if not table.over:
        for other in table.seats:
            thought = Thought(GAME.position(table, other), other, "turn")
            stand[other] += sum(thought.promises) / (1 + thought.rivalry) + thought.money * table.money[other]
    ahead = stand[seat] - max(points for other, points in stand.items() if other != seat)
    return max(-FAR, min(FAR, ahead))


# The table as the seat sees it, what it does not see drawn by lot


def imagined(position: dict[str, Any], seat: Seat, luck: random.Random, options: Mapping[str, Any]) -> IntriguesTable:
    table = IntriguesTable(len(position["seats"]), options, Whim(luck), GAME.printed)
    lay_sheets(table, position, seat, luck)
    put_pieces(table, position, luck)
    table.cardinal, table.city_jewels = position["cardinal"], position["city"]["jewels"]
    for number, each in enumerate(position["seats"], start=1):
        other = Seat(number)
        table.prestige[other], table.income[other] = each["prestige"], each["income"]
        table.military[other] = each["military"]
        table.money[other] = each["money"] if "money" in each else luck.randint(1, 9)
    share_jewels(table, position, luck)
    turn = position["turn"]
    table.turn = Turn(Seat(turn["seat"]), turn["of"], turn["action"] - 1, turn["agents_placed"])
    return table


def lay_sheets(table: IntriguesTable, position: dict[str, Any], seat: Seat, luck: random.Random) -> None:
    """Sheets in boxes and one's own are known; those of the others and of the stacks are drawn."""
    printed = table.edition
    known = set(position["seats"][seat - 1]["sheets"])
    for box, seen in zip(table.boxes, position["boxes"], strict=True):
        for field, side in zip(box.fields, ("richelieu", "opposing"), strict=True):
            if seen[side]:
                field.lay(printed.sheets[seen[side]["sheet"]])
                known.add(seen[side]["sheet"])
    unseen = {
        name: luck.sample(left, len(left))
        for name, sheets in (("richelieu", printed.richelieu), ("opposition", printed.opposition))
        for left in [[sheet for sheet in sheets if sheet not in known]]
    }
    for name, left in unseen.items():
        for _ in range(position["stacks"][name]):
            table.stacks[name].append(table.hide(left.pop(), "a sheet", ""))
    gone = [*unseen["richelieu"], *unseen["opposition"]]
    luck.shuffle(gone)
    for number, each in enumerate(position["seats"], start=1):
        sheets = each["sheets"]
        table.sheets[Seat(number)] = list(sheets) if isinstance(sheets, list) else [gone.pop() for _ in range(sheets)]


def put_pieces(table: IntriguesTable, position: dict[str, Any], luck: random.Random) -> None:
    """Every agent of the match; those that are seen lie where they lie."""
    for colour in table.hands:
        for value in table.edition.agents if colour in table.seats else table.edition.neutral_agents:
            table.new_agent(colour, value)
        luck.shuffle(table.hands[colour])
    lying = [
        (spot, seen["piece"])
        for field, side in zip(table.fields, _sides(position), strict=True)
        if side
        for spot, seen in zip(field.spots, side["spots"], strict=True)
        if seen["piece"]
    ]
    for agent in position["city"]["agents"]:
        table.city.append(_taken(table, agent, agent["value"]))
    for known in (True, False):
        for spot, piece in lying:
            if "owner" not in piece:
                royal = Royal.QUEEN if "queen" in piece else Royal.EMINENCE
                spot.piece, table.royals[royal] = royal, spot
            elif (piece["value"] is not None) is known:
                spot.piece = _taken(table, piece, piece["value"])


def _sides(position: dict[str, Any]) -> list[dict[str, Any] | None]:
    return [box[side] for box in position["boxes"] for side in ("richelieu", "opposing")]


def _taken(table: IntriguesTable, piece: dict[str, Any], value: int | None) -> Agent:
    """Out of the hand where all agents still are: the one of this value, or any."""
    colour: Colour = Seat(piece["owner"]) if isinstance(piece["owner"], int) else piece["owner"]
    hand = table.hands[colour]
    index = next(index for index, agent in enumerate(hand) if value is None or agent.value == value)
    agent = hand.pop(index)
    if piece["face"] == "up":
        agent.turn_up()
    return agent


def share_jewels(table: IntriguesTable, position: dict[str, Any], luck: random.Random) -> None:
    """All jewels that are not in the city are behind the screens; where that is not seen, lots decide."""
    left = table.edition.jewels * len(table.seats) + table.edition.city_jewels - table.city_jewels
    hidden = []
    for number, each in enumerate(position["seats"], start=1):
        table.jewels[Seat(number)] = each.get("jewels", 0)
        left -= table.jewels[Seat(number)]
        if "jewels" not in each:
            hidden.append(Seat(number))
    for _ in range(left if hidden else 0):
        table.jewels[luck.choice(hidden)] += 1

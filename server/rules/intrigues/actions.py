"""Chapter 3: income, placing an agent, a commission, jewels."""

from __future__ import annotations

from collections.abc import Sequence

from server.rules.asking import Refused, refuse
from server.rules.intrigues.moves import PLACE, and_then, read_free_spot, read_value
from server.rules.intrigues.table import Agent, IntriguesTable, Spot
from server.rules.intrigues.tracks import advance_military
from server.rules.telling import Seat, Sentence, sentence

SELLING, BUYING = 5, 8
SECOND_AGENT = 2


def take_income(table: IntriguesTable, seat: Seat) -> None:
    """INT 3.1"""
    table.turn.done.add("income")
    table.money[seat] += table.income[seat]
    table.tell("{seat} takes income: {money} money.", seat=seat, money=table.income[seat])


def why_no_income(table: IntriguesTable, seat: Seat) -> Refused | None:
    if "income" in table.turn.done:
        return refuse("intrigues 2.2", "You have taken income in this turn; it is taken once a turn.")
    return None


def say_income(table: IntriguesTable, seat: Seat) -> Sentence:
    return sentence("Take income: {money} money.", money=table.income[seat])


def surcharge(table: IntriguesTable) -> int:
    """INT 3.3: the second agent of a turn costs 2 more."""
    return SECOND_AGENT if table.turn.agents_placed else 0


def price(table: IntriguesTable, spot: Spot) -> int:
    return spot.cost + surcharge(table)


def placements(table: IntriguesTable, seat: Seat) -> list[str]:
    money = table.money[seat] - surcharge(table)
    spots = [spot.name for spot in table.free_spots() if spot.cost <= money]
    return [PLACE[value][spot] for value in table.values_in_hand(seat) for spot in spots]


def place_agent(table: IntriguesTable, seat: Seat, value: str, name: str) -> None:
    """INT 3.2 to 3.4"""
    spot = table.spots[name]
    cost = price(table, spot)
    table.money[seat] -= cost
    agent = table.put_down(seat, int(value), spot)
    table.log.append(_placed(table, agent, spot, seat=seat, cost=cost))
    table.turn.agents_placed += 1
    table.take_back(seat)


def _placed(table: IntriguesTable, agent: Agent, spot: Spot, *, seat: Seat, cost: int) -> Sentence:
    told, sheet = table.told(agent), spot.field.lying.name
    if table.turn.agents_placed and spot.cost:
        return sentence(
            "{seat} places {agent} face down on {sheet}, spot {spot}, for {money} money, 2 of it as the second agent.",
            seat=seat,
            agent=told,
            sheet=sheet,
            spot=spot.name,
            money=cost,
        )
    if table.turn.agents_placed:
        return sentence(
            "{seat} places {agent} face up on {sheet}, spot {spot}, for {money} money as the second agent.",
            seat=seat,
            agent=told,
            sheet=sheet,
            spot=spot.name,
            money=cost,
        )
    if spot.cost:
        return sentence(
            "{seat} places {agent} face down on {sheet}, spot {spot}, for {money} money.",
            seat=seat,
            agent=told,
            sheet=sheet,
            spot=spot.name,
            money=cost,
        )
    return sentence(
        "{seat} places {agent} face up on {sheet}, spot {spot}, at no cost.",
        seat=seat,
        agent=told,
        sheet=sheet,
        spot=spot.name,
    )


def read_placement(table: IntriguesTable, seat: Seat, words: Sequence[str]) -> str:
    """`place V S` as an action; raises `Refused`."""
    if not table.hands[seat]:
        raise refuse("intrigues 3.2", "You have no agent in hand; choose another action.")
    if len(words) != 3:
        raise refuse("intrigues 3.2", "Say which agent goes where, like “place 2 R1.3”.")
    value = read_value(table, seat, words[1], "intrigues 3.2")
    spot = read_free_spot(table, words[2], "intrigues 3.2")
    afford(table, seat, spot)
    return PLACE[value][spot.name]


def afford(table: IntriguesTable, seat: Seat, spot: Spot) -> None:
    """INT 3.8: nobody pays what they do not have."""
    cost, money = price(table, spot), table.money[seat]
    if cost <= money:
        return
    if table.turn.agents_placed:
        raise refuse(
            "intrigues 3.8",
            "{spot} costs {cost} money, 2 of it as the second agent of the turn; you have {money}. "
            "Choose a cheaper spot or another action.",
            spot=spot.name,
            cost=cost,
            money=money,
        )
    raise refuse(
        "intrigues 3.8",
        "{spot} costs {cost} money; you have {money}. Choose a cheaper spot or another action.",
        spot=spot.name,
        cost=cost,
        money=money,
    )


def say_placement(table: IntriguesTable, value: str, name: str) -> Sentence:
    spot = table.spots[name]
    return and_then(_placing(table, int(value), spot), spot)


def _placing(table: IntriguesTable, value: int, spot: Spot) -> Sentence:
    sheet, money = spot.field.lying.name, price(table, spot)
    if table.turn.agents_placed and spot.cost:
        return sentence(
            "Place your agent {value} on {sheet}, spot {spot}, face down, for {money} money, "
            "2 of it as the second agent.",
            value=value,
            sheet=sheet,
            spot=spot.name,
            money=money,
        )
    if table.turn.agents_placed:
        return sentence(
            "Place your agent {value} on {sheet}, spot {spot}, for {money} money as the second agent, face up.",
            value=value,
            sheet=sheet,
            spot=spot.name,
            money=money,
        )
    if spot.cost:
        return sentence(
            "Place your agent {value} on {sheet}, spot {spot}, for {money} money, face down.",
            value=value,
            sheet=sheet,
            spot=spot.name,
            money=money,
        )
    return sentence(
        "Place your agent {value} on {sheet}, spot {spot}, at no cost, face up.",
        value=value,
        sheet=sheet,
        spot=spot.name,
    )


def next_square_cost(table: IntriguesTable, seat: Seat) -> int:
    return table.edition.military_costs[table.military[seat]]


def buy_commission(table: IntriguesTable, seat: Seat) -> None:
    """INT 3.6: first the marker, then the money."""
    cost = next_square_cost(table, seat)
    table.turn.done.add("commission")
    table.money[seat] -= cost
    table.tell("{seat} buys a commission for {money} money.", seat=seat, money=cost)
    advance_military(table, seat, 1)


def why_no_commission(table: IntriguesTable, seat: Seat) -> Refused | None:
    if "commission" in table.turn.done:
        return refuse("intrigues 2.2", "You have bought a commission in this turn; it is bought once a turn.")
    if not table.behind_cardinal(seat):
        return refuse(
            "intrigues 3.6",
            "A commission is bought only behind the Cardinal; you have {prestige} prestige, he stands on {cardinal}.",
            prestige=table.prestige[seat],
            cardinal=table.cardinal,
        )
    if table.military[seat] == table.edition.military_end:
        return refuse("intrigues 3.6", "You are at the end of the military track; no commission is left to buy.")
    if next_square_cost(table, seat) > table.money[seat]:
        return refuse(
            "intrigues 3.8",
            "The commission for square {square} costs {cost} money; you have {money}.",
            square=table.military[seat] + 1,
            cost=next_square_cost(table, seat),
            money=table.money[seat],
        )
    return None


def say_commission(table: IntriguesTable, seat: Seat) -> Sentence:
    return sentence(
        "Buy a commission: advance to square {square} of the military track for {money} money.",
        square=table.military[seat] + 1,
        money=next_square_cost(table, seat),
    )


def sell_jewel(table: IntriguesTable, seat: Seat) -> None:
    """INT 3.7"""
    table.turn.done.add("jewel")
    table.jewels[seat] -= 1
    table.city_jewels += 1
    table.money[seat] += SELLING
    table.tell("{seat} sells a jewel to the city for {money} money.", seat=seat, money=SELLING)


def buy_jewel(table: IntriguesTable, seat: Seat) -> None:
    """INT 3.7"""
    table.turn.done.add("jewel")
    table.jewels[seat] += 1
    table.city_jewels -= 1
    table.money[seat] -= BUYING
    table.tell("{seat} buys a jewel from the city for {money} money.", seat=seat, money=BUYING)


def why_no_sale(table: IntriguesTable, seat: Seat) -> Refused | None:
    if "jewel" in table.turn.done:
        return _one_jewel_a_turn()
    if not table.jewels[seat]:
        return refuse("intrigues 3.7", "You have no jewel to sell.")
    return None


def why_no_purchase(table: IntriguesTable, seat: Seat) -> Refused | None:
    if "jewel" in table.turn.done:
        return _one_jewel_a_turn()
    if not table.city_jewels:
        return refuse("intrigues 3.7", "The city has no jewel to sell at the moment.")
    if table.money[seat] < BUYING:
        return refuse(
            "intrigues 3.8", "A jewel costs {cost} money; you have {money}.", cost=BUYING, money=table.money[seat]
        )
    return None


def _one_jewel_a_turn() -> Refused:
    return refuse("intrigues 2.2", "You have sold or bought a jewel in this turn; one of the two is done, once a turn.")


def say_sale(table: IntriguesTable, seat: Seat) -> Sentence:
    return sentence("Sell a jewel to the city for {money} money.", money=SELLING)


def say_purchase(table: IntriguesTable, seat: Seat) -> Sentence:
    return sentence("Buy a jewel from the city for {money} money.", money=BUYING)

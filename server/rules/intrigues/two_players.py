"""Chapter 7: what closes a turn with two players: a neutral agent, and a box when nobody has an agent left."""

from __future__ import annotations

from server.rules.asking import Decision, Script, ask, refuse
from server.rules.intrigues.boxes import resolve_complete_boxes, resolve_wholly, topmost
from server.rules.intrigues.moves import NEUTRAL, read_free_spot, read_value, without_fillers
from server.rules.intrigues.table import IntriguesTable, Spot
from server.rules.telling import Seat, Sentence, sentence


def close_turn(table: IntriguesTable, seat: Seat) -> Script:
    """INT 7.2, 7.7: nothing with three or four players."""
    if not table.neutral:
        return
    yield from place_neutral(table, seat)
    box = topmost(table)
    if box is not None and not any(table.hands[player] for player in table.seats):
        table.tell("Neither player has an agent in hand: box {box} is resolved as it stands.", box=box.number)
        yield from resolve_wholly(table, box)
        yield from resolve_complete_boxes(table)


def place_neutral(table: IntriguesTable, seat: Seat) -> Script:
    colour = table.neutral[seat]
    if not table.hands[colour] or not neutral_spots(table):
        table.tell("{seat} can place no neutral agent.", seat=seat)
        return
    answer = yield from ask(seat, choose_neutral(table, seat))
    _, value, name = answer.split(" ")
    spot = table.spots[name]
    agent = table.put_down(colour, int(value), spot)
    told, sheet = table.told(agent), spot.field.lying.name
    if agent.face_up:
        table.tell(
            "{seat} places {agent} face up on {sheet}, spot {spot}.", seat=seat, agent=told, sheet=sheet, spot=name
        )
    else:
        table.tell(
            "{seat} places {agent} face down on {sheet}, spot {spot}.", seat=seat, agent=told, sheet=sheet, spot=name
        )
    table.take_back(colour)


def neutral_spots(table: IntriguesTable) -> list[Spot]:
    """The free spots that are not the last of their sheet."""
    return [spot for field in table.open_fields() if len(field.free) > 1 for spot in field.free]


def choose_neutral(table: IntriguesTable, seat: Seat) -> Decision:
    colour = table.neutral[seat]

    def listing() -> list[str]:
        spots = [spot.name for spot in neutral_spots(table)]
        return [NEUTRAL[value][spot] for value in table.values_in_hand(colour) for spot in spots]

    def reading(words: list[str]) -> str:
        return read_neutral(table, seat, without_fillers(words))

    def saying(answer: str) -> Sentence:
        _, value, name = answer.split(" ")
        return _placing(int(value), table.spots[name])

    prompt = sentence("Place a neutral agent, for free.")
    return Decision("neutral", prompt, listing=listing, reading=reading, saying=saying)


def read_neutral(table: IntriguesTable, seat: Seat, words: list[str]) -> str:
    """`neutral V S`; raises `Refused`."""
    rule = "intrigues 7.2"
    if words[0] == "place":
        raise refuse(rule, "Your actions are over; now a neutral agent is placed, like “neutral 1 R1.3”.")
    if words[0] != "neutral":
        raise refuse(rule, "“{text}” is not possible now; place a neutral agent, like “neutral 1 R1.3”.", text=words[0])
    if len(words) != 3:
        raise refuse(rule, "Say which neutral agent goes where, like “neutral 1 R1.3”.")
    value = read_value(table, table.neutral[seat], words[1], rule)
    spot = read_free_spot(table, words[2], rule)
    if len(spot.field.free) == 1:
        raise refuse(
            rule,
            "{spot} is the last free spot of {sheet}; a neutral agent never goes there.",
            spot=spot.name,
            sheet=spot.field.lying.name,
        )
    return NEUTRAL[value][spot.name]


def _placing(value: int, spot: Spot) -> Sentence:
    sheet = spot.field.lying.name
    if spot.cost:
        return sentence(
            "Place the neutral agent {value} on {sheet}, spot {spot}, face down.",
            value=value,
            sheet=sheet,
            spot=spot.name,
        )
    return sentence(
        "Place the neutral agent {value} on {sheet}, spot {spot}, face up.", value=value, sheet=sheet, spot=spot.name
    )

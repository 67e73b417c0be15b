"""Chapter 6: the bonuses, symbol by symbol; some are decisions of the player who won them."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from server.rules.asking import Decision, Script, ask, refuse, reveal
from server.rules.intrigues.edition import Bonus
from server.rules.intrigues.moves import (
    CORRUPT,
    MOVE_ROYAL,
    PLACE,
    ROYAL_VERBS,
    and_then,
    read_free_spot,
    read_spot,
    read_value,
    why_closed,
    without_fillers,
)
from server.rules.intrigues.table import Agent, Field, IntriguesTable, Royal, Spot, colour_name
from server.rules.intrigues.tracks import advance_military, gain_prestige, raise_income
from server.rules.intrigues.wording import royal_name
from server.rules.telling import Seat, Sentence, sentence


def give_bonus(table: IntriguesTable, seat: Seat, bonus: Bonus) -> Script:
    """INT 6.7: the symbols from left to right."""
    for symbol in bonus:
        if symbol.kind in GAINS:
            GAINS[symbol.kind](table, seat, symbol.number)
        else:
            yield from DEEDS[symbol.kind](table, seat)


def gain_money(table: IntriguesTable, seat: Seat, number: int) -> None:
    table.money[seat] += number
    table.tell("{seat} gets {n} money.", seat=seat, n=number)


# 6.2 place an agent


def place_free(table: IntriguesTable, seat: Seat) -> Script:
    if not table.hands[seat] or not table.free_spots():
        table.tell("{seat} can place no agent: nothing happens.", seat=seat)
        return
    answer = yield from ask(seat, choose_placement(table, seat))
    _, value, name = answer.split(" ")
    spot = table.spots[name]
    agent = table.put_down(seat, int(value), spot)
    told, sheet = table.told(agent), spot.field.lying.name
    if agent.face_up:
        table.tell(
            "{seat} places {agent} face up on {sheet}, spot {spot}.", seat=seat, agent=told, sheet=sheet, spot=name
        )
    else:
        table.tell(
            "{seat} places {agent} face down on {sheet}, spot {spot}.", seat=seat, agent=told, sheet=sheet, spot=name
        )
    table.take_back(seat)


def choose_placement(table: IntriguesTable, seat: Seat) -> Decision:
    def listing() -> list[str]:
        spots = [spot.name for spot in table.free_spots()]
        return [PLACE[value][spot] for value in table.values_in_hand(seat) for spot in spots]

    def reading(words: list[str]) -> str:
        words = without_fillers(words)
        if words[0] != "place":
            raise _carry_out_first(words[0], "place 2 R1.3")
        if len(words) != 3:
            raise refuse("intrigues 6.2", "Say which agent goes where, like “place 2 R1.3”.")
        value = read_value(table, seat, words[1], "intrigues 6.2")
        return PLACE[value][read_free_spot(table, words[2], "intrigues 6.2").name]

    def saying(answer: str) -> Sentence:
        _, value, name = answer.split(" ")
        spot = table.spots[name]
        return and_then(_placing(int(value), spot), spot)

    prompt = sentence("Place an agent for free, as a bonus.")
    return Decision("place", prompt, listing=listing, reading=reading, saying=saying)


def _placing(value: int, spot: Spot) -> Sentence:
    sheet = spot.field.lying.name
    if spot.cost:
        return sentence(
            "Place your agent {value} on {sheet}, spot {spot}, for free, face down.",
            value=value,
            sheet=sheet,
            spot=spot.name,
        )
    return sentence(
        "Place your agent {value} on {sheet}, spot {spot}, for free, face up.", value=value, sheet=sheet, spot=spot.name
    )


# 6.3 corruption


def corrupt(table: IntriguesTable, seat: Seat) -> Script:
    if not corruptible(table, seat) or not table.free_spots():
        table.tell("{seat} can move no agent by corruption: nothing happens.", seat=seat)
        return
    answer = yield from ask(seat, choose_corruption(table, seat))
    _, start, name = answer.split(" ")
    spot = table.spots[name]
    agent = table.spots[start].piece
    assert isinstance(agent, Agent)
    table.spots[start].piece = None
    spot.piece = agent
    table.tell(
        "{seat} corrupts {agent} of {owner}: from {start} to {sheet}, spot {spot}.",
        seat=seat,
        agent=table.told(agent),
        owner=colour_name(agent.colour),
        start=start,
        sheet=spot.field.lying.name,
        spot=name,
    )
    if spot.cost == 0 and not agent.face_up:
        agent.face_up = True
        yield from reveal()
        agent.turn_up()
        table.tell("It is turned face up: {agent}.", agent=table.told(agent))


def corruptible(table: IntriguesTable, seat: Seat) -> list[Spot]:
    """The spots in open boxes with an agent of another player."""
    return [
        spot
        for field in table.open_fields()
        for spot in field.spots
        if isinstance(spot.piece, Agent) and isinstance(spot.piece.colour, Seat) and spot.piece.colour != seat
    ]


def choose_corruption(table: IntriguesTable, seat: Seat) -> Decision:
    def listing() -> list[str]:
        free = [spot.name for spot in table.free_spots()]
        return [to[name] for to in (CORRUPT[spot.name] for spot in corruptible(table, seat)) for name in free]

    def reading(words: list[str]) -> str:
        return read_corruption(table, seat, without_fillers(words))

    def saying(answer: str) -> Sentence:
        _, start, name = answer.split(" ")
        return _corrupting(table, table.spots[start], table.spots[name])

    prompt = sentence("Move another player's agent, by corruption.")
    return Decision("corrupt", prompt, listing=listing, reading=reading, saying=saying)


def read_corruption(table: IntriguesTable, seat: Seat, words: list[str]) -> str:
    """`corrupt S T`; raises `Refused`."""
    rule = "intrigues 6.3"
    if words[0] != "corrupt":
        raise _carry_out_first(words[0], "corrupt R1.2 O1.4")
    if len(words) != 3:
        raise refuse(rule, "Say from which spot to which, like “corrupt R1.2 O1.4”.")
    start = read_spot(table, words[1], rule)
    closed = why_closed(table, start.field.box)
    if closed is not None:
        raise closed
    if start.piece is None:
        raise refuse(rule, "No agent lies on {spot}.", spot=start.name)
    if isinstance(start.piece, Royal):
        raise refuse(rule, "Éminence Grise and Queen cannot be corrupted; name another player's agent.")
    if not isinstance(start.piece.colour, Seat):
        raise refuse(rule, "Neutral agents cannot be corrupted; name another player's agent.")
    if start.piece.colour == seat:
        raise refuse(rule, "The agent on {spot} is your own; name another player's agent.", spot=start.name)
    return CORRUPT[start.name][read_free_spot(table, words[2], rule).name]


def _corrupting(table: IntriguesTable, start: Spot, spot: Spot) -> Sentence:
    """A move within the last free spot's own sheet completes nothing."""
    agent = start.piece
    assert isinstance(agent, Agent)
    move = _corrupting_plainly(agent, start, spot)
    return move if start.field is spot.field else and_then(move, spot)


def _corrupting_plainly(agent: Agent, start: Spot, spot: Spot) -> Sentence:
    owner, sheet = colour_name(agent.colour), spot.field.lying.name
    if spot.cost == 0 and not agent.face_up:
        return sentence(
            "Move the agent of {owner} from {start} to {sheet}, spot {spot}, where it is turned face up.",
            owner=owner,
            start=start.name,
            sheet=sheet,
            spot=spot.name,
        )
    return sentence(
        "Move the agent of {owner} from {start} to {sheet}, spot {spot}.",
        owner=owner,
        start=start.name,
        sheet=sheet,
        spot=spot.name,
    )


# 6.4 Éminence Grise and Queen


def move_eminence(table: IntriguesTable, seat: Seat) -> Script:
    yield from move_royal(table, seat, Royal.EMINENCE)


def move_queen(table: IntriguesTable, seat: Seat) -> Script:
    yield from move_royal(table, seat, Royal.QUEEN)


def move_royal(table: IntriguesTable, seat: Seat, royal: Royal) -> Script:
    if not royal_spots(table, royal):
        table.tell("{seat} can move {piece} nowhere: nothing happens.", seat=seat, piece=royal_name(royal))
        return
    answer = yield from ask(seat, choose_royal_spot(table, seat, royal))
    if answer == "stay":
        table.tell("{seat} leaves {piece} on its spot.", seat=seat, piece=royal_name(royal))
        return
    spot = table.spots[answer.split(" ")[1]]
    start = table.royals[royal]
    if start is not None:
        start.piece = None
    spot.piece = royal
    table.royals[royal] = spot
    table.tell(
        "{seat} moves {piece} to {sheet}, spot {spot}.",
        seat=seat,
        piece=royal_name(royal),
        sheet=spot.field.lying.name,
        spot=spot.name,
    )


def royal_side(field: Field, royal: Royal) -> bool:
    """The Queen stands on Richelieu sheets, Éminence Grise on opposing ones."""
    return field.richelieu is (royal is Royal.QUEEN)


def royal_spots(table: IntriguesTable, royal: Royal) -> list[Spot]:
    """Where the piece can go: free spots of its side in open boxes, not on the sheet where it stands."""
    start = table.royals[royal]
    if start is not None and _held(table, start):
        return []
    return [
        spot
        for field in table.open_fields()
        if royal_side(field, royal) and (start is None or field is not start.field)
        for spot in field.free
    ]


def _held(table: IntriguesTable, start: Spot) -> bool:
    """INT 4.2, 4.3: a complete box that waits holds its pieces, the one being resolved lets them go."""
    return start.field.box is not table.resolving and not table.is_open(start.field.box)


def choose_royal_spot(table: IntriguesTable, seat: Seat, royal: Royal) -> Decision:
    def listing() -> list[str]:
        moves = [MOVE_ROYAL[royal][spot.name] for spot in royal_spots(table, royal)]
        return moves if table.royals[royal] is None else [*moves, "stay"]

    def reading(words: list[str]) -> str:
        return read_royal_spot(table, royal, without_fillers(words))

    def saying(answer: str) -> Sentence:
        if answer == "stay":
            return sentence("Leave {piece} on its spot.", piece=royal_name(royal))
        spot = table.spots[answer.split(" ")[1]]
        move = sentence(
            "Move {piece} to {sheet}, spot {spot}.",
            piece=royal_name(royal),
            sheet=spot.field.lying.name,
            spot=spot.name,
        )
        return and_then(move, spot)

    prompt = sentence("Move {piece}, as a bonus.", piece=royal_name(royal))
    return Decision(ROYAL_VERBS[royal], prompt, listing=listing, reading=reading, saying=saying)


def read_royal_spot(table: IntriguesTable, royal: Royal, words: list[str]) -> str:
    """`grise S`, `queen S` or `stay`; raises `Refused`."""
    rule, verb = "intrigues 6.4", ROYAL_VERBS[royal]
    example = f"{verb} {royal_spots(table, royal)[0].name}"
    if words == ["stay"]:
        raise refuse(
            "intrigues 6.5",
            "In the palace {piece} cannot stay; name a spot, like “{example}”.",
            piece=royal_name(royal),
            example=example,
        )
    start = table.royals[royal]
    if words[0] != verb and start is not None:
        raise refuse(
            rule,
            "“{text}” is not possible now: move {piece}, like “{example}”, or “stay”.",
            text=words[0],
            piece=royal_name(royal),
            example=example,
        )
    if words[0] != verb:
        raise _carry_out_first(words[0], example)
    if len(words) != 2:
        raise refuse(rule, "Say where to, like “{example}”.", example=example)
    spot = read_spot(table, words[1], rule)
    if not royal_side(spot.field, royal) and royal is Royal.QUEEN:
        raise refuse(rule, "The Queen goes to Richelieu sheets only (spots that begin with R).")
    if not royal_side(spot.field, royal):
        raise refuse(rule, "Éminence Grise goes to opposing sheets only (spots that begin with O).")
    if start is not None and spot.field is start.field:
        raise refuse(
            rule,
            "On {spot} {piece} would stay on the same sheet; name a spot of another one, or “stay”.",
            spot=spot.name,
            piece=royal_name(royal),
        )
    return MOVE_ROYAL[royal][read_free_spot(table, words[1], rule).name]


def _carry_out_first(verb: str, example: str) -> Exception:
    """INT 2.5, 6.5: the turn waits for the bonus, and it must be carried out."""
    if verb in ("end", "pass", "stay"):
        return refuse("intrigues 6.5", "This bonus must be carried out, like “{example}”.", example=example)
    return refuse(
        "intrigues 2.5",
        "“{text}” is not possible now: the turn waits for this bonus, like “{example}”.",
        text=verb,
        example=example,
    )


GAINS: Mapping[str, Callable[[IntriguesTable, Seat, int], None]] = {
    "prestige": gain_prestige,
    "money": gain_money,
    "income": raise_income,
    "military": advance_military,
}
DEEDS: Mapping[str, Callable[[IntriguesTable, Seat], Script]] = {
    "agent": place_free,
    "corruption": corrupt,
    "eminence": move_eminence,
    "queen": move_queen,
}

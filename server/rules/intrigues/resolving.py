"""Chapter 5: a box is resolved."""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

from server.rules.asking import Script, reveal
from server.rules.intrigues.bonuses import give_bonus
from server.rules.intrigues.edition import Bonus
from server.rules.intrigues.setting_up import draw_sheets
from server.rules.intrigues.table import Agent, Box, Colour, Field, IntriguesTable, Piece, Royal, Spot, colour_name
from server.rules.intrigues.wording import bonus_words, royal_name
from server.rules.telling import Seat, Sentence, sentence

ROYAL_VALUE = 3


class Contribution(NamedTuple):
    """What a colour has on the winning sheet."""

    colour: Colour
    total: int


def resolve(table: IntriguesTable, box: Box) -> Script:
    """INT 5.1 to 5.10, wholly, before anything else is resolved."""
    yield from reveal()
    table.resolving = box
    turn_up_agents(table, box)
    winner = winning_field(table, box)
    ranking = ranked(contributions(winner))
    tell_ranking(table, winner, ranking)
    yield from reward(table, winner, ranking)
    move_cardinal(table, winner, ranking)
    settle_sheets(table, box, winner, ranking)
    clear(table, box)
    if any(table.stacks.values()):
        yield from reveal()
    draw_sheets(table, box)
    table.resolving = None


def turn_up_agents(table: IntriguesTable, box: Box) -> None:
    for field in box.fields:
        for piece in field.pieces:
            if isinstance(piece, Agent):
                piece.turn_up()
        table.tell(
            "On {sheet} lie: {pieces}.",
            sheet=field.lying.name,
            pieces=[lying(spot, spot.piece) for spot in field.spots if spot.piece is not None],
        )


def lying(spot: Spot, piece: Piece) -> Sentence:
    if isinstance(piece, Royal):
        return sentence("{piece} on {spot}", piece=royal_name(piece), spot=spot.name)
    return sentence("{value} of {owner} on {spot}", owner=colour_name(piece.colour), value=piece.value, spot=spot.name)


def strength(field: Field) -> int:
    """INT 5.1: all agents' values, Éminence Grise and Queen 3 each."""
    return sum(piece.value if isinstance(piece, Agent) else ROYAL_VALUE for piece in field.pieces)


def winning_field(table: IntriguesTable, box: Box) -> Field:
    richelieu, opposing = strength(box.richelieu), strength(box.opposing)
    if richelieu == opposing:
        table.tell("Both sheets have {total}: a tie goes to {sheet}.", total=richelieu, sheet=box.richelieu.lying.name)
        return box.richelieu
    winner, loser = (box.richelieu, box.opposing) if richelieu > opposing else (box.opposing, box.richelieu)
    table.tell(
        "{winner} wins with {more} against {less} for {loser}.",
        winner=winner.lying.name,
        more=max(richelieu, opposing),
        less=min(richelieu, opposing),
        loser=loser.lying.name,
    )
    return winner


def contributions(field: Field) -> list[Contribution]:
    """INT 5.2, 5.4: each colour's own agents on the sheet; the colour whose agent lies furthest left is first."""
    totals: dict[Colour, int] = {}
    for spot in field.spots:
        if isinstance(spot.piece, Agent):
            colour = spot.piece.colour
            totals[colour] = totals.get(colour, 0) + spot.piece.value
    return [Contribution(colour, total) for colour, total in totals.items()]


def ranked(given: list[Contribution]) -> list[Contribution]:
    """INT 5.2 to 5.4: the positive totals, highest first; equal ones stay in the order of the furthest left."""
    return sorted((each for each in given if each.total > 0), key=lambda each: -each.total)


def tell_ranking(table: IntriguesTable, winner: Field, ranking: list[Contribution]) -> None:
    sheet = winner.lying.name
    if not ranking:
        table.tell("Nobody has a positive total on {sheet}: no bonus is given.", sheet=sheet)
        return
    table.tell(
        "Support of {sheet}: {contributions}.",
        sheet=sheet,
        contributions=[sentence("{who} {total}", who=colour_name(c.colour), total=c.total) for c in ranking],
    )
    if any(above.total == below.total for above, below in pairwise(ranking[:3])):
        table.tell("With equal totals the agent furthest left goes first.")


def first_player(ranking: list[Contribution]) -> Seat | None:
    """INT 5.4, 7.3: who took first place; nobody when it was a neutral colour."""
    return ranking[0].colour if ranking and isinstance(ranking[0].colour, Seat) else None


def reward(table: IntriguesTable, winner: Field, ranking: list[Contribution]) -> Script:
    """INT 5.7: the first bonus, then the second. Nobody moves up for a neutral colour (7.3)."""
    sheet = winner.lying
    if ranking:
        who = ranking[0].colour
        table.tell(
            "First place on {sheet} goes to {who}: {bonus}.",
            who=colour_name(who),
            sheet=sheet.name,
            bonus=bonus_words(sheet.first),
        )
        yield from give(table, who, sheet.first)
    if len(ranking) > 1:
        who = ranking[1].colour
        table.tell(
            "Second place on {sheet} goes to {who}: {bonus}.",
            who=colour_name(who),
            sheet=sheet.name,
            bonus=bonus_words(sheet.second),
        )
        yield from give(table, who, sheet.second)


def give(table: IntriguesTable, colour: Colour, bonus: Bonus) -> Script:
    if isinstance(colour, Seat):
        yield from give_bonus(table, colour, bonus)
    else:
        table.tell("A neutral colour gets nothing: this bonus goes to nobody.")


def move_cardinal(table: IntriguesTable, winner: Field, ranking: list[Contribution]) -> None:
    """INT 5.7, 5.8"""
    step = winner.lying.cardinal
    table.cardinal = max(0, table.cardinal + step)
    if step < 0:
        table.tell("The Cardinal moves back {step} and stands on {space}.", step=-step, space=table.cardinal)
    else:
        table.tell("The Cardinal moves on {step} and stands on {space}.", step=step, space=table.cardinal)
    first = first_player(ranking)
    if winner.richelieu and first is not None and table.cardinal < table.prestige[first]:
        table.cardinal = table.prestige[first]
        table.tell("He catches up with {seat} and stands on {space}.", seat=first, space=table.cardinal)


def settle_sheets(table: IntriguesTable, box: Box, winner: Field, ranking: list[Contribution]) -> None:
    """INT 5.3, 5.5, 5.6, 7.3: the winning sheet to who took first place, the other out of the game."""
    first = first_player(ranking)
    gone = [field.lying.name for field in box.fields if field is not winner or first is None]
    if first is not None:
        table.sheets[first].append(winner.lying.name)
        table.tell("{seat} takes {sheet} face down.", seat=first, sheet=winner.lying.name)
    table.tell("Out of the game: {sheets}.", sheets=gone)


def clear(table: IntriguesTable, box: Box) -> None:
    """INT 5.9, then 3.5: agents to the city, Éminence Grise and Queen to their palaces."""
    for field in box.fields:
        for spot in field.spots:
            piece, spot.piece = spot.piece, None
            if isinstance(piece, Royal):
                table.royals[piece] = None
            elif piece is not None:
                table.city.append(piece)
        field.sheet = None
    table.tell("All agents of box {box} go to the city.", box=box.number)
    for colour in table.hands:
        table.take_back(colour)

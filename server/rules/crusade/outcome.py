"""The outcome of the Crusade (chapter 6): cards are turned up, compared in pairs of colours, and the tracks move."""

from __future__ import annotations

from collections.abc import Generator

from server.rules.asking import Answers, Step, reveal
from server.rules.crusade.colours import counted
from server.rules.crusade.table import CrusadeTable


def determine_outcome(table: CrusadeTable) -> Generator[Step, Answers, frozenset[str]]:
    """What the turn brought, in the words that events use: "won", "slowed", "treasury rose"…"""
    yield from reveal()
    turn_up(table)
    return frozenset((settle_battle(table), settle_return(table), settle_treasury(table)))


def turn_up(table: CrusadeTable) -> None:
    """6.1: twice as many cards as players, or all there are."""
    deck = table.shuffled("crusade", table.crusade_deck)
    number = min(len(deck), 2 * len(table.seats))
    table.open_cards = [deck.pop() for _ in range(number)]
    table.crusade_deck = deck
    for card in table.open_cards:
        card.show_all()
    table.turned_up = [card.front for card in table.open_cards]
    table.tell("Turned up from the Crusade deck: {cards}.", cards=counted(table.turned_up))


def settle_battle(table: CrusadeTable) -> str:
    """6.2."""
    green, red = table.turned_up.count("green"), table.turned_up.count("red")
    if green > red:
        table.tell("{green} green against {red} red: the battle is lost.", green=green, red=red)
        table.move("crusaders", red - green)
        return "lost"
    if red > green:
        table.tell("{red} red against {green} green: the battle is won.", green=green, red=red)
        table.move("saladin", green - red)
        return "won"
    table.tell("{red} red against {green} green: the battle is drawn.", green=green, red=red)
    return "drawn"


def settle_return(table: CrusadeTable) -> str:
    """6.3: a turn has passed; more purple takes it back, more blue doubles it."""
    table.move("time", -1)
    purple, blue = table.turned_up.count("purple"), table.turned_up.count("blue")
    if purple > blue:
        table.tell("{purple} purple against {blue} blue: the return is slowed down.", purple=purple, blue=blue)
        table.move("time", 1)
        return "slowed"
    if blue > purple:
        table.tell("{blue} blue against {purple} purple: the return is hastened.", purple=purple, blue=blue)
        table.move("time", -1)
        return "hastened"
    return "on time"


def settle_treasury(table: CrusadeTable) -> str:
    """6.4."""
    white, yellow = table.turned_up.count("white"), table.turned_up.count("yellow")
    if white > yellow:
        table.tell("{white} white against {yellow} yellow: the treasury is drawn upon.", white=white, yellow=yellow)
        table.move("treasury", yellow - white)
        return "treasury fell"
    if yellow > white:
        table.tell("{yellow} yellow against {white} white: the treasury grows.", white=white, yellow=yellow)
        table.move("treasury", yellow - white)
        return "treasury rose"
    return "treasury stayed"


def clear_away(table: CrusadeTable) -> None:
    """7.1: at the end of the turn the cards turned up go back to the reserve."""
    table.put_back(table.open_cards)
    table.open_cards = []

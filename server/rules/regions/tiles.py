"""Tiles (chapter 4): how they come to hand, and the "regain" tile."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from typing import Final

from server.rules.asking import Answers, Decision, Refused, Step, refuse
from server.rules.hidden import Hidden
from server.rules.regions.edition import REGAIN
from server.rules.regions.places import PLACES
from server.rules.regions.table import DisplayTable
from server.rules.telling import Seat, Sentence, sentence

SAY_REGAIN: Final = sentence("Play your “regain” tile: everybody sees it, and one marker given up comes back to hand.")
SAY_TILE: Final = sentence("A tile lies there: it comes to your hand, and you see it at once.")


def ask_in_turn(
    table: DisplayTable, seat: Seat, decision: Callable[[DisplayTable, Seat], Decision]
) -> Generator[Step, Answers, str]:
    """The answer to a decision of the turn; "regain" tiles played before it leave the decision open (3.9, 4.2)."""
    while (move := (yield {seat: decision(table, seat)})[seat]) == "regain":
        regain(table, seat)
    return move


def take_tiles(table: DisplayTable, seat: Seat, places: Sequence[int]) -> list[tuple[int, Hidden[str]]]:
    """The tiles of these places come to hand, not yet seen; each with its place."""
    if table.tiles.keys().isdisjoint(places):
        return []
    taken = [(place, table.tiles.pop(place)) for place in places if place in table.tiles]
    table.areas[seat].tiles += [tile for _, tile in taken]
    return taken


def see_tiles(table: DisplayTable, seat: Seat, taken: Sequence[tuple[int, Hidden[str]]]) -> None:
    for place, tile in taken:
        tile.show(seat)
        as_seen = table.hide(tile.front, tile.back, tile.group)
        as_seen.show(seat)
        table.tell("{seat} looks at the tile from {place}: {tile}.", seat=seat, place=PLACES[place], tile=as_seen)


def can_regain(table: DisplayTable, seat: Seat) -> bool:
    area = table.areas[seat]
    return area.lost > 0 and REGAIN in [tile.front for tile in area.tiles]


def regain(table: DisplayTable, seat: Seat) -> None:
    area = table.areas[seat]
    tile = next(tile for tile in area.tiles if tile.front == REGAIN)
    tile.show_all()
    area.tiles.remove(tile)
    area.regains_played += 1
    area.lost -= 1
    area.hand += 1
    table.tell("{seat} plays a “regain” tile: one marker given up comes back to hand.", seat=seat)


def no_regain(table: DisplayTable, seat: Seat, more: Sequence[str]) -> Refused:
    """Why `regain` is not possible now."""
    area = table.areas[seat]
    if not any(tile.front == REGAIN for tile in area.tiles):
        return refuse("regions 4.2", "You have no “regain” tile in hand.")
    if not area.lost:
        return refuse("regions 4.2", "You have given up no marker; a “regain” tile has nothing to bring back.")
    return refuse("regions 4.2", "Write “regain” alone; your other move comes after it.")


def say_tiles(table: DisplayTable, places: Sequence[int]) -> list[Sentence]:
    return [SAY_TILE for place in places if place in table.tiles]

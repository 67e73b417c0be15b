"""The markers on their tracks, and the symbols of the military track (chapter 6)."""

from __future__ import annotations

from server.rules.intrigues.table import IntriguesTable
from server.rules.telling import Seat


def gain_prestige(table: IntriguesTable, seat: Seat, number: int) -> None:
    table.prestige[seat] += number
    table.tell("{seat} gains {n} prestige and has {total}.", seat=seat, n=number, total=table.prestige[seat])


def raise_income(table: IntriguesTable, seat: Seat, number: int = 1) -> None:
    """INT 6.8: a marker at its track's end stays there."""
    if table.income[seat] == table.edition.income_end:
        table.tell("The income of {seat} stays at {total}, the end of the track.", seat=seat, total=table.income[seat])
        return
    table.income[seat] += number
    table.tell("The income of {seat} rises to {total}.", seat=seat, total=table.income[seat])


def advance_military(table: IntriguesTable, seat: Seat, number: int) -> None:
    """INT 6.8: on each square reached its symbol moves another marker one on."""
    start = table.military[seat]
    end = min(start + number, table.edition.military_end)
    if end == start:
        table.tell("{seat} stays on square {square}, the end of the military track.", seat=seat, square=end)
        return
    table.military[seat] = end
    table.tell("{seat} advances to square {square} of the military track.", seat=seat, square=end)
    for square in range(start + 1, end + 1):
        if square in table.edition.income_squares:
            raise_income(table, seat)
        if square in table.edition.prestige_squares:
            gain_prestige(table, seat, 1)

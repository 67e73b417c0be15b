"""Crusade events: turned at the beginning of a turn (2.1), carried out on its outcome (7.1)."""

from __future__ import annotations

from server.rules.asking import Script, reveal
from server.rules.crusade.edition import ALWAYS
from server.rules.crusade.table import CrusadeTable


def turn_event(table: CrusadeTable) -> Script:
    """2.1. An empty deck turns no event (1.10)."""
    table.event = None
    if not table.events:
        return
    yield from reveal()
    card = table.events.pop()
    card.show_all()
    table.event = card.front
    consequences = table.edition.events[card.front].consequences
    table.tell(
        "The event of this turn is {event} ({consequences}).",
        event=card.front,
        consequences=[consequence.clause() for consequence in consequences],
    )


def resolve_event(table: CrusadeTable, outcome: frozenset[str]) -> Script:
    """7.1."""
    if table.event is None:
        return
    holding = [
        consequence
        for consequence in table.edition.events[table.event].consequences
        if consequence.outcomes & outcome or ALWAYS in consequence.outcomes
    ]
    if not holding:
        table.tell("{event} has no consequence.", event=table.event)
    for consequence in holding:
        table.tell("{event} has its consequence: {consequence}.", event=table.event, consequence=consequence.clause())
        yield from consequence.deed.carry_out(table, table.first)

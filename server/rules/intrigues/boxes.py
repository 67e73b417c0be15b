"""Chapter 4: which box is resolved, and when the last one is."""

from __future__ import annotations

from server.rules.asking import Script
from server.rules.intrigues.ending import end_match
from server.rules.intrigues.resolving import resolve
from server.rules.intrigues.table import Box, IntriguesTable


def resolve_complete_boxes(table: IntriguesTable) -> Script:
    """INT 4.4: one box wholly, then the topmost of those that are complete by then."""
    while True:
        box = topmost_complete(table)
        if box is None:
            return
        full = next(field for field in box.fields if field.complete)
        table.tell("{sheet} is complete: box {box} is resolved.", sheet=full.lying.name, box=box.number)
        yield from resolve_wholly(table, box)


def resolve_wholly(table: IntriguesTable, box: Box) -> Script:
    """A box to its end, and with the last box to the end of the match (INT 8.1)."""
    yield from resolve(table, box)
    if topmost(table) is None:
        yield from end_match(table)


def topmost_complete(table: IntriguesTable) -> Box | None:
    return next((box for box in table.boxes if box.complete), None)


def topmost(table: IntriguesTable) -> Box | None:
    """The topmost box that holds sheets."""
    return next((box for box in table.boxes if box.holds_sheets), None)

"""The position as data, as far as the viewer may know it."""

from __future__ import annotations

from typing import Any

from server.rules.playing import Position
from server.rules.regions.places import COLUMNS, ROWS
from server.rules.regions.table import Area, DisplayTable
from server.rules.telling import HOST, Seat, Viewer


def position(table: DisplayTable, viewer: Viewer) -> Position:
    return {
        "rows": [_row(table, row) for row in range(ROWS)],
        "seats": [_seat(table, seat, area, viewer) for seat, area in table.areas.items()],
    }


def _row(table: DisplayTable, row: int) -> list[dict[str, Any] | None]:
    start, left, right = row * COLUMNS, table.left[row], table.right[row]
    display, tiles, marked = table.display, table.tiles, table.marked
    lying: list[dict[str, Any] | None] = [
        {
            "card": display[place].name,
            "tile": place in tiles,
            "marker": int(marked[place]) if place in marked else None,
        }
        for place in range(left, right)
    ]
    return [None] * (left - start) + lying + [None] * (start + COLUMNS - right)


def _seat(table: DisplayTable, seat: Seat, area: Area, viewer: Viewer) -> dict[str, Any]:
    held: dict[str, Any] = {
        "cards": sorted([card.name for card in area.cards]),
        "markers_in_hand": area.hand,
        "markers_lost": area.lost,
        "tile_count": len(area.tiles),
        "regains_played": area.regains_played,
    }
    if viewer in (seat, HOST) or table.outcome:
        held["tiles"] = _tiles(area, viewer)
    return held


def _tiles(area: Area, viewer: Viewer) -> list[str | None]:
    """The tiles in hand by name; one just taken and not yet seen is None, and comes last."""
    fronts = [tile.read(viewer) for tile in area.tiles]
    seen = sorted(front for front in fronts if front is not None)
    return [*seen, *[None] * (len(fronts) - len(seen))]

"""How the places of the display and the ends of its rows are called."""

from __future__ import annotations

from typing import Final

ROWS: Final = 4
COLUMNS: Final = 12

PLACES: Final = tuple(f"{row}.{column}" for row in range(1, ROWS + 1) for column in range(1, COLUMNS + 1))
"""The name of each place; its number counts row by row from 0."""

PLACE: Final = {name: number for number, name in enumerate(PLACES)}

ENDS: Final = tuple(f"{row}{side}" for row in range(1, ROWS + 1) for side in "LR")
"""The ends of the rows, in the order in which a move names them (2.8)."""

END: Final = {name: number for number, name in enumerate(ENDS)}


def row_of(place: int) -> int:
    return place // COLUMNS

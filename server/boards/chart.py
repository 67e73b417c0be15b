"""Points over a match as a chart: a line for each seat, told apart by colour, dashes and the badge at its end."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from server.boards.pen import RIGHT, WIDTH, Pen, number, text
from server.boards.text import SIZE, escaped, fitted, width

TOP: Final = 14
HIGH: Final = 190
FIRST: Final = 30
LAST: Final = 236
"""Where the lines begin and end; beyond are the names."""
APART: Final = 25
"""From one name to the next at the least."""
DASHES: Final = ("", "8 3", "2 3", "12 3 2 3", "5 5", "1 4", "14 4", "6 2 1 2 1 2")
STEPS: Final = (1, 2, 5, 10, 20, 50, 100, 200, 500)
LINES: Final = 6
"""So many grid lines at the most."""


def chart(
    names: Sequence[str],
    moves: Sequence[int],
    points: Sequence[Sequence[int]],
    signs: Sequence[str],
    *,
    first: str,
    last: str,
    said: str,
) -> str:
    """SVG for a page. `points[k]` are those of all seats after `moves[k]` moves.

    first, last   what stands below the ends of the lines
    said          the whole in a sentence, for those who do not see it
    """
    pen = Pen("page", names, {})
    pen.define_seats(signs)
    low, high = min(0, *map(min, points)), max(1, *map(max, points))
    step = next((each for each in STEPS if (high - low) / each <= LINES), STEPS[-1])
    low, high = low // step * step, -(-high // step) * step

    def y_of(value: float) -> float:
        return round(TOP + HIGH * (high - value) / (high - low), 1)

    def x_of(move: int) -> float:
        return round(FIRST + (LAST - FIRST) * move / max(1, moves[-1]), 1)

    for value in range(low, high + 1, step):
        pen.add(f'<path d="M{FIRST} {y_of(value):g}H{LAST}" class="no l-{"edge" if value == 0 else "rule"}"/>')
        pen.add(text(FIRST - 5, y_of(value) + 4, number(value), "e soft"))
    pen.add(text(FIRST, TOP + HIGH + 18, first, "soft"), text(LAST, TOP + HIGH + 18, last, "e soft"))
    for seat in range(len(names)):
        line = _turns([(x_of(move), y_of(each[seat])) for move, each in zip(moves, points, strict=True)])
        dashes = f' stroke-dasharray="{DASHES[seat]}"' if DASHES[seat] else ""
        pen.add(f'<polyline points="{" ".join(f"{x:g},{y:g}" for x, y in line)}" class="no w2 l-s{seat + 1}"{dashes}/>')
    for seat, y in _spread([y_of(each) for each in points[-1]]):
        pen.add(_end(seat, y, y_of(points[-1][seat]), pen.names[seat], points[-1][seat]))
    height = TOP + max(HIGH + 26, APART * len(names) + 6)
    badges = "".join(pen.defs).replace('id="d-', 'id="c-')  # the same page has the table, with badges of its own
    inside = f"<defs>{badges}</defs>{''.join(pen.parts)}"
    return (
        f'<svg class="drawing" viewBox="0 0 {WIDTH} {height:g}" role="img" aria-label="{escaped(said)}">{inside}</svg>'
    )


def _turns(line: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """The same line without what lies between two points of its own height: most moves bring nobody points."""
    inner = [
        at for before, at, after in zip(line, line[1:], line[2:], strict=False) if not before[1] == at[1] == after[1]
    ]
    return [line[0], *inner, *line[1:][-1:]]


def _end(seat: int, y: float, from_y: float, name: str, total: int) -> str:
    """The badge, the name and the points beside the end of a line."""
    told = number(total)
    room = RIGHT - LAST - 36 - width(told, SIZE, True)
    return (
        f'<path d="M{LAST} {from_y:g}L{LAST + 8} {y:g}" class="no l-s{seat + 1}"/>'
        f'<use href="#c-s{seat + 1}" x="{LAST + 20}" y="{y:g}"/>'
        f"{text(LAST + 36, y + 4, fitted(name, room))}{text(RIGHT, y + 4, told, 'e b')}"
    )


def _spread(wished: Sequence[float]) -> list[tuple[int, float]]:
    """Each seat and the height of its name: near the wished one, none upon another."""
    order = sorted(range(len(wished)), key=lambda seat: wished[seat])
    heights: list[float] = []
    for seat in order:
        heights.append(max(wished[seat], heights[-1] + APART if heights else 0.0))
    below = float(TOP + max(HIGH, APART * (len(wished) - 1)))
    for index in range(len(heights) - 1, -1, -1):
        heights[index] = min(heights[index], below)
        below = heights[index] - APART
    return list(zip(order, heights, strict=True))

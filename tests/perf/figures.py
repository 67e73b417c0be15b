"""What a benchmark has found, beside its goal and its anchor, and the table and the plot of many."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path

LINE = 22
NAMES, BARS, WIDTH = 430, 300, 1000


@dataclass(frozen=True)
class Figure:
    """One number of a row of the goals (P1 to P10); `anchor` says what stands beside it, with its own number."""

    row: str
    what: str
    measured: float
    unit: str
    goal: float
    at_least: bool = False
    anchor: str = ""

    @property
    def reached(self) -> bool:
        return self.share <= 1

    @property
    def share(self) -> float:
        """How much of what the goal leaves room for was used: 1 is just reached, less is better."""
        if not self.measured or not self.goal:
            return float("inf") if self.measured or self.at_least else 0.0
        return self.goal / self.measured if self.at_least else self.measured / self.goal

    def cells(self) -> tuple[str, ...]:
        """What a line of the table says."""
        goal = f"at {'least' if self.at_least else 'most'} {_number(self.goal)}"
        verdict = "reached" if self.reached else "**missed**"
        return self.row, self.what, f"{_number(self.measured)} {self.unit}".strip(), goal, self.anchor, verdict


def write(figures: Sequence[Figure], folder: Path) -> None:
    """`results.md`, `results.csv` and `results.svg`."""
    folder.mkdir(parents=True, exist_ok=True)
    head = ("", "what", "measured", "goal", "beside it", "")
    lines = ["| " + " | ".join(cells) + " |" for cells in (head, ("---",) * 6, *(each.cells() for each in figures))]
    (folder / "results.md").write_text("\n".join(lines) + "\n", encoding="utf-8")
    with (folder / "results.csv").open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(("row", "what", "measured", "unit", "goal", "at least", "anchor", "reached"))
        for each in figures:
            rows.writerow(
                (each.row, each.what, each.measured, each.unit, each.goal, each.at_least, each.anchor, each.reached)
            )
    (folder / "results.svg").write_text(plot(figures), encoding="utf-8")


def plot(figures: Sequence[Figure]) -> str:
    """A bar for each figure: how much of what its goal leaves room for was used. The line is the goal."""
    height = LINE * (len(figures) + 2)
    drawn = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}"'
        ' font-family="sans-serif" font-size="13">',
        f'<rect width="{WIDTH}" height="{height}" fill="#fff"/>',
        f'<text x="{NAMES + BARS}" y="{LINE - 6}" text-anchor="middle">goal</text>',
    ]
    for place, each in enumerate(figures, start=1):
        top, long = place * LINE, BARS * min(each.share, 1.4)
        said = f"{_number(each.measured)} {each.unit}".strip()
        drawn += [
            f'<text x="{NAMES - 8}" y="{top + 15}" text-anchor="end">{escape(f"{each.row}  {each.what}")}</text>',
            f'<rect x="{NAMES}" y="{top + 3}" width="{long:.1f}" height="{LINE - 6}"'
            f' fill="{"#2f6f4f" if each.reached else "#b3402a"}"/>',
            f'<text x="{NAMES + long + 6:.1f}" y="{top + 15}">{escape(said)}</text>',
        ]
    line = f'<path d="M{NAMES + BARS} {LINE}V{height - LINE}" stroke="#222" stroke-dasharray="4 3"/>'
    return "\n".join([*drawn, line, "</svg>"]) + "\n"


def _number(value: float) -> str:
    """Three digits say enough."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"

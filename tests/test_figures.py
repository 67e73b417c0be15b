"""The table and the plot of the benchmarks say which goal was reached."""

import csv
from pathlib import Path

import pytest

from tests.perf import figures
from tests.perf.figures import Figure


@pytest.mark.parametrize(
    ("figure", "reached"),
    [
        (Figure("P1", "rate", 0.59, "", 0.6, at_least=True), False),
        (Figure("P1", "rate", 0.6, "", 0.6, at_least=True), True),
        (Figure("P5", "letter", 4.1, "ms", 4), False),
        (Figure("P5", "letter", 3.9, "ms", 4), True),
        (Figure("P9", "twice", 0, "", 0), True),
        (Figure("P9", "twice", 1, "", 0), False),
        (Figure("P1", "rate", 0, "", 0.6, at_least=True), False),
    ],
)
def test_a_goal_is_reached_or_not(figure: Figure, reached: bool, tmp_path: Path) -> None:
    figures.write([figure], tmp_path)
    assert figure.reached is reached
    assert ("**missed**" in (tmp_path / "results.md").read_text()) is not reached
    table = csv.DictReader((tmp_path / "results.csv").read_text().splitlines())
    assert next(table)["reached"] == str(reached)


def test_the_bar_of_a_goal_that_is_just_reached_ends_at_the_line(tmp_path: Path) -> None:
    plot = figures.plot([Figure("P5", "a <letter>", 4, "ms", 4)])
    assert f'x="{figures.NAMES}" y="25" width="{figures.BARS}.0"' in plot
    assert f"M{figures.NAMES + figures.BARS} " in plot
    assert "a &lt;letter&gt;" in plot

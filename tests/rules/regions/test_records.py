"""Recorded matches: the same moves must lead to the same end as on the day they were played."""

from pathlib import Path

import pytest

from server.rules.record import check, read_record

RECORDS = Path(__file__).parents[2] / "records"


@pytest.mark.parametrize(
    ("name", "digest", "totals"),
    [
        ("2", "e5a1a67ae224eca2", [41, 30]),
        ("2-short", "93d6eb5223157cfa", [31, 25]),
        ("3", "7e208dd56081f75e", [49, 31, 24]),
        ("4-nobody", "8469d3c96275938c", [14, 38, 21, 30]),
    ],
)
def test_a_recorded_match_ends_as_it_did(name: str, digest: str, totals: list[int]):
    match = check(read_record((RECORDS / f"regions-{name}.json").read_text(encoding="utf-8")))
    outcome = match.outcome()
    assert outcome is not None
    assert [score.total for score in outcome.scores] == totals
    assert match.digest() == digest


def test_the_records_hold_all_kinds_of_moves():
    texts = {made for file in RECORDS.glob("regions-*.json") for made in _moves(file)}
    for word in ("take", "lose", "mark", "move", "end", "pass", "regain"):
        assert any(word in text.split() for text in texts), word


def _moves(file: Path) -> list[str]:
    return [text for _, text in read_record(file.read_text(encoding="utf-8")).moves]

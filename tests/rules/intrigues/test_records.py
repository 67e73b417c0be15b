"""Recorded matches: the same moves must lead to the same end as on the day they were played."""

from __future__ import annotations

from pathlib import Path

import pytest

from server.rules.record import check, read_record

RECORDS = Path(__file__).parents[2] / "records"


@pytest.mark.parametrize(
    ("name", "digest", "scores"),
    [
        ("2-own", "373035cf5a2306ec", [54, 22]),
        ("2-shared", "2f65e222ab81cef1", [42, 30]),
        ("3", "fa564454fa35d03f", [56, 41, 52]),
        ("4-open-coffers", "d5ab9058b283cf87", [7, 45, 26, 44]),
    ],
)
def test_a_recorded_match_ends_as_it_did(name, digest, scores):
    match = check(read_record((RECORDS / f"intrigues-{name}.json").read_text(encoding="utf-8")))
    assert [score.total for score in match.outcome().scores] == scores
    assert match.digest() == digest

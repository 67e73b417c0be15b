"""What a match agrees on about time, as it is told, read and kept."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.hours import ALWAYS, Hours, Stretch
from server.pace import DEFAULT_PACE, PACES, Pace, pace_of, read_pace

HOUR = timedelta(hours=1)
NOW = datetime(2026, 11, 30, 9, tzinfo=UTC)


@pytest.mark.parametrize("pace", PACES.values(), ids=str)
def test_a_pace_is_kept_and_read_back_whole(pace: Pace) -> None:
    assert pace_of(pace.as_json()) == pace
    assert read_pace(pace.name) == pace
    assert read_pace(pace.as_json()) == pace


def test_a_match_made_before_there_was_more_than_hours_goes_on() -> None:
    old = pace_of({"name": "day", "hours": 24})
    assert (old.hours, old.night, old.late) == (24, 0, "once")


def test_a_pace_can_be_told_in_several_ways() -> None:
    assert read_pace(None) == DEFAULT_PACE
    assert read_pace("72") == read_pace({"hours": 72}) == PACES["three days"]
    assert read_pace("72+12/120") == PACES["bank"]
    assert read_pace({"hours": None}) == PACES["none"]
    assert read_pace({"name": "day", "late": "end", "grace": "6"}) == pace_of(
        PACES["day"].as_json() | {"name": "own", "late": "end", "grace": 6}
    )


@pytest.mark.parametrize(
    ("told", "sentence"),
    [
        ("never", "A pace is one of"),
        (0, "A pace is one of"),
        (-3, "A pace is one of"),
        ("nan", "A pace is one of"),
        ("inf", "A pace is one of"),
        (True, "A pace is one of"),
        ({}, "A pace is one of"),
        ({"hours": 24, "bank": 72}, "not both"),
        ({"bank": 72, "cap": 24}, "a cap of 1 day is less"),
        ({"hours": 24, "increment": 3}, "belong to a bank"),
        ({"hours": 24, "late": "shout"}, "cannot be “shout”"),
        ({"hours": 24, "late": ["on"]}, "What happens when the time is up cannot be"),
        ({"hours": 24, "grace": -1}, "“grace” of a pace is a number from 0"),
        ({"name": "none", "grace": 4}, "nothing to be late for"),
        ({"hours": 24, "night": 13}, "at most 12 hours"),
        ({"hours": 24, "colour": "red"}, "A pace has no “colour”"),
        ("72+x", "“increment” of a pace is a number"),
    ],
)
def test_a_pace_that_cannot_be_is_refused_with_a_sentence(told: object, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        read_pace(told)


def test_a_pace_says_itself_in_words() -> None:
    assert PACES["three days"].about == "3 days for each decision."
    assert PACES["bank"].about == (
        "3 days for the whole match, and 12 hours more with each decision. The bank never holds more than 5 days."
    )
    assert PACES["none"].about == "There is no time limit."
    late = read_pace({"hours": 24, "grace": 6, "late": "on", "free": 2})
    assert late.about == "1 day for each decision. The first 2 hours of a decision are free."
    assert late.about_late == (
        "When the time is up, there is a grace period of 6 hours. Then: The house plays the seat on from then on."
    )
    assert late.about_rest == (
        "The clock stands still for each player's night, up to 10 hours, "
        "their days off, up to 2 a week and their vacation."
    )


def test_a_bank_pays_for_what_is_not_free_and_fills_up_to_its_cap() -> None:
    pace = Pace("own", bank=72, increment=12, cap=120, free=2)
    clock = pace.new_clock(None, NOW, ALWAYS)
    assert clock is not None
    assert clock.due == NOW + 74 * HOUR
    assert pace.bank_after(None, 30 * HOUR) == (72 - 28 + 12) * HOUR
    assert pace.bank_after(56 * HOUR, HOUR) == 68 * HOUR
    assert pace.bank_after(115 * HOUR, HOUR) == 120 * HOUR
    assert pace.bank_after(3 * HOUR, 200 * HOUR) == 12 * HOUR


def test_a_fast_match_stops_for_nobody() -> None:
    away = (Stretch(NOW, NOW + 24 * HOUR),)
    hours = Hours("Europe/Brussels", (22 * 60, 7 * 60))
    assert PACES["hour"].calendar(hours, away) == ALWAYS
    assert PACES["day"].calendar(hours, away).away == away


@given(
    st.lists(st.integers(0, 400).map(lambda hours: hours * HOUR), max_size=20),
    st.integers(1, 100),
    st.integers(0, 50),
    st.integers(0, 100),
)
def test_a_bank_never_holds_less_than_nothing_nor_more_than_its_cap(
    uses: list[timedelta], bank: int, increment: int, more: int
) -> None:
    pace = Pace("own", bank=bank, increment=increment, cap=bank + more)
    held: timedelta | None = None
    for used in uses:
        held = pace.bank_after(held, used)
        assert held is not None
        assert timedelta() <= held <= (bank + more) * HOUR

"""Time as it runs for one player: nights, days off, vacations, changed clocks, reminders."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from server import hours as h
from server.hours import Calendar, Clock, Hours, Stretch
from server.reminders import Threshold, read_thresholds, reminders
from server.vacations import back_early, read_vacation, vacation_used

HOUR = timedelta(hours=1)
DAY = timedelta(days=1)
BRUSSELS = ZoneInfo("Europe/Brussels")
NIGHT = (22 * 60, 7 * 60)


def utc(day: int, hour: int, minute: int = 0, *, month: int = 11) -> datetime:
    return datetime(2026, month, day, hour, minute, tzinfo=UTC)


# By hand. Brussels is one hour ahead of UTC in winter, two in summer; the 30th of November 2026 is a Monday.


def test_a_clock_stands_still_at_night() -> None:
    calendar = Calendar(Hours("Europe/Brussels", NIGHT))
    assert h.after_thinking(utc(30, 20), 2 * HOUR, calendar) == utc(1, 7, month=12)
    assert h.thinking_time(utc(30, 20), utc(1, 7, month=12), calendar) == 2 * HOUR


def test_a_clock_stands_still_on_days_off() -> None:
    calendar = Calendar(Hours("Europe/Brussels", None, frozenset({5, 6})))
    friday_noon = utc(27, 12)
    assert h.after_thinking(friday_noon, 24 * HOUR, calendar) == utc(30, 12)


def test_a_clock_that_begins_in_the_night_begins_in_the_morning() -> None:
    calendar = Calendar(Hours("Europe/Brussels", NIGHT))
    assert h.after_thinking(utc(30, 2), HOUR, calendar) == utc(30, 7)


def test_time_that_ends_when_the_night_begins_is_up_then() -> None:
    calendar = Calendar(Hours("Europe/Brussels", NIGHT))
    assert h.after_thinking(utc(30, 20), HOUR, calendar) == utc(30, 21)


def test_a_vacation_and_the_nights_around_it_are_one_absence() -> None:
    away = Stretch(utc(1, 12, month=12), utc(3, 2, month=12))
    calendar = Calendar(Hours("Europe/Brussels", NIGHT), (away,))
    assert calendar.quiet_until(utc(1, 13, month=12)) == utc(3, 6, month=12)
    assert h.after_thinking(utc(1, 11, month=12), 2 * HOUR, calendar) == utc(3, 7, month=12)


def test_the_night_of_the_missing_hour_is_an_hour_shorter() -> None:
    calendar = Calendar(Hours("Europe/Brussels", NIGHT))
    assert h.thinking_time(utc(28, 12, month=3), utc(29, 12, month=3), calendar) == 24 * HOUR - 8 * HOUR


def test_the_night_of_the_doubled_hour_is_an_hour_longer() -> None:
    calendar = Calendar(Hours("Europe/Brussels", NIGHT))
    assert h.thinking_time(utc(24, 12, month=10), utc(25, 12, month=10), calendar) == 24 * HOUR - 10 * HOUR


def test_a_night_that_ends_in_the_missing_hour_ends_when_it_is_skipped() -> None:
    assert h.instant_of(BRUSSELS, date(2026, 3, 29), 2 * 60 + 30) == utc(29, 1, month=3)


def test_a_night_that_ends_in_the_doubled_hour_ends_at_its_second_time() -> None:
    half_past_two = (date(2026, 10, 25), 2 * 60 + 30)
    assert h.instant_of(BRUSSELS, *half_past_two) == utc(25, 0, 30, month=10)
    assert h.instant_of(BRUSSELS, *half_past_two, last=True) == utc(25, 1, 30, month=10)


def test_a_day_that_an_island_left_out_is_no_day_off() -> None:
    apia = ZoneInfo("Pacific/Apia")  # there was no 30th of December 2011, a Friday
    calendar = Calendar(Hours("Pacific/Apia", None, frozenset({4})))
    start, end = (h.instant_of(apia, date(2011, 12, day), 0) for day in (29, 31))
    assert end - start == DAY
    assert h.thinking_time(start, end, calendar) == DAY


def test_a_match_allows_only_so_much_of_a_night_and_so_many_days() -> None:
    hours = Hours("Europe/Brussels", (20 * 60, 8 * 60), frozenset({4, 5, 6}))
    within = hours.within(night=600, days=2)
    assert (within.night, within.off) == ((20 * 60, 6 * 60), frozenset({5, 6}))
    assert hours.within(night=0, days=0) == Hours("Europe/Brussels")


def test_a_letter_waits_for_the_morning_unless_that_is_too_late() -> None:
    quiet = Calendar(Hours("Europe/Brussels", NIGHT))
    assert h.notify_at(quiet, utc(30, 23)) == utc(1, 6, month=12)
    assert h.notify_at(quiet, utc(30, 23), due=utc(1, 5, month=12)) == utc(30, 23)
    assert h.notify_at(quiet, utc(30, 12)) == utc(30, 12)


def test_reminders_come_at_shares_of_the_thinking_time_and_at_hours_left() -> None:
    calendar = Calendar(Hours("Europe/Brussels", NIGHT))
    clock = Clock(10 * HOUR, 10 * HOUR, utc(30, 16), calendar)  # 5 hours until ten, 5 from seven on
    assert clock.due == utc(1, 11, month=12)
    found = reminders(clock, [Threshold("share", 50), Threshold("share", 80), Threshold("hours", 1)], calendar)
    assert [(each.at, str(each.threshold)) for each in found] == [
        (utc(1, 6, month=12), "50%"),  # used up at ten in the evening, told in the morning
        (utc(1, 9, month=12), "80%"),
        (utc(1, 10, month=12), "1h"),
    ]


def test_only_the_last_call_comes_at_night_when_the_time_is_up_before_the_morning() -> None:
    quiet = Calendar(Hours("Europe/Brussels", NIGHT))
    clock = Clock(10 * HOUR, 10 * HOUR, utc(30, 18))  # in a match whose clocks do not stop: up at five in the morning
    found = reminders(clock, [Threshold("share", 50), Threshold("share", 80)], quiet)
    assert [(each.at, str(each.threshold)) for each in found] == [(utc(1, 2, month=12), "80%")]


def test_a_reminder_for_more_hours_than_there_are_does_not_come() -> None:
    assert reminders(Clock(10 * HOUR, 10 * HOUR, utc(30, 9)), [Threshold("hours", 12)], h.ALWAYS) == ()


def test_vacation_is_whole_days_and_the_budget_is_kept() -> None:
    hours, now = Hours("Europe/Brussels"), utc(30, 9)
    away = read_vacation("2026-12-24", "2027-01-02", hours=hours, away=(), now=now)
    assert away == (Stretch(utc(23, 23, month=12), datetime(2027, 1, 2, 23, tzinfo=UTC)),)
    assert vacation_used(away, 2026, BRUSSELS) == 8 * DAY
    assert vacation_used(away, 2027, BRUSSELS) == 2 * DAY
    with pytest.raises(ValueError, match=r"takes 23 days of 2026, and 22 days are left"):
        read_vacation("2026-12-01", "2026-12-23", hours=hours, away=away, now=now)


def test_whoever_comes_back_early_has_used_only_the_days_until_then() -> None:
    hours, now = Hours("Europe/Brussels"), utc(30, 9)
    away = read_vacation("2026-12-01", "2026-12-30", hours=hours, away=(), now=now)
    back = back_early(away, utc(10, 23, month=12))
    assert vacation_used(back, 2026, BRUSSELS) == 10 * DAY
    assert Calendar(hours, back).quiet_until(utc(15, 12, month=12)) == utc(15, 12, month=12)


@pytest.mark.parametrize(
    ("first", "last", "sentence"),
    [
        ("2026-11-29", "2026-12-02", "begins today .2026-11-30. or later, not on 2026-11-29"),
        ("2026-12-05", "2026-12-02", "2026-12-02 is before 2026-12-05"),
        ("2026-12-01", "2028-12-02", "more than a year"),
        ("2027-03-01", "2027-04-15", "takes 46 days of 2027, and 30 days are left"),
        ("tomorrow", "2026-12-02", "“tomorrow” is no date"),
        ("2026-12-24", "2026-12-26", "a vacation at that time already"),
        ("2026-02-30", "2026-03-01", "is no date"),
    ],
)
def test_a_vacation_that_cannot_be_is_refused_with_a_sentence(first: str, last: str, sentence: str) -> None:
    taken = read_vacation("2026-12-25", "2026-12-25", hours=Hours(), away=(), now=utc(30, 9))
    with pytest.raises(ValueError, match=sentence):
        read_vacation(first, last, hours=Hours(), away=taken, now=utc(30, 9))


@pytest.mark.parametrize(
    ("told", "sentence"),
    [
        (("25:00", "07:00", ()), "“25:00” is no time of the day"),
        (("22:00", "", ()), "has a beginning and an end"),
        (("18:00", "09:00", ()), "at most 12 hours"),
        (("", "", ("Caturday",)), "“Caturday” is no day of the week"),
        (("", "", ("mon", "tue", "wed", "thu")), "At most 3 days"),
        (("22:0x", "07:00", ()), "is no time of the day"),
    ],
)
def test_hours_that_cannot_be_are_refused_with_a_sentence(
    told: tuple[str, str, tuple[str, ...]], sentence: str
) -> None:
    with pytest.raises(ValueError, match=sentence):
        h.read_hours("Europe/Brussels", *told)


def test_hours_are_read_as_people_write_them() -> None:
    assert h.read_hours(None, "22:00", "7", ("Saturday", "sun", 4)) == Hours(None, NIGHT, frozenset({4, 5, 6}))
    assert h.read_hours(None, " ", "", ()) == Hours()


def test_thresholds_are_read_as_people_write_them() -> None:
    assert [str(each) for each in read_thresholds("50%, 12h 50 % 2 h")] == ["50%", "12h", "2h"]
    assert read_thresholds("") == ()
    for wrong in ("100%", "0h", "soon", "1% 2% 3% 4% 5% 6%"):
        with pytest.raises(ValueError, match="reminder"):
            read_thresholds(wrong)


@pytest.mark.parametrize("wrong", ["Europe/Bruxelles", "../etc/passwd", "Mars/Olympus", "x" * 3000])
def test_a_zone_that_does_not_exist_is_refused_with_a_sentence(wrong: str) -> None:
    with pytest.raises(ValueError, match="no time zone that we know"):
        h.read_zone(wrong)


# For all calendars

ZONES = (
    *(
        "Europe/Brussels",
        "America/New_York",
        "Asia/Kolkata",
        "Australia/Lord_Howe",
        "Pacific/Apia",
        "Africa/Casablanca",
    ),
    *("America/Havana", "Asia/Beirut", "Pacific/Kiritimati", "Pacific/Honolulu", "Asia/Kathmandu", "America/Santiago"),
)
START = datetime(2026, 1, 1, tzinfo=UTC)
instants = st.integers(0, 400 * 24 * 3600).map(lambda seconds: START + timedelta(seconds=seconds))
spans = st.integers(0, 40 * 24 * 3600).map(lambda seconds: timedelta(seconds=seconds))


@st.composite
def calendars(draw: st.DrawFn) -> Calendar:
    night = draw(st.none() | st.tuples(st.integers(0, 1439), st.integers(1, h.LONGEST_NIGHT)))
    hours = Hours(
        draw(st.sampled_from(ZONES)),
        (night[0], (night[0] + night[1]) % 1440) if night else None,
        frozenset(draw(st.sets(st.integers(0, 6), max_size=3))),
    )
    away = draw(st.lists(st.tuples(instants, spans), max_size=3))
    return Calendar(hours, tuple(Stretch(start, start + span) for start, span in away))


@settings(max_examples=150, deadline=None)
@given(calendars(), instants, spans, spans)
def test_a_clock_never_runs_backwards_and_no_stretch_of_it_twice(
    calendar: Calendar, start: datetime, first: timedelta, second: timedelta
) -> None:
    middle, end = start + first, start + first + second
    one, two = h.thinking_time(start, middle, calendar), h.thinking_time(middle, end, calendar)
    assert timedelta() <= one <= first
    assert one + two == h.thinking_time(start, end, calendar)
    assert h.thinking_time(end, start, calendar) == timedelta()


@settings(max_examples=150, deadline=None)
@given(calendars(), instants, spans)
def test_the_time_is_up_when_exactly_so_much_was_used(calendar: Calendar, start: datetime, span: timedelta) -> None:
    due = h.after_thinking(start, span, calendar)
    assert h.thinking_time(start, due, calendar) == span
    if span:
        assert h.thinking_time(start, due - timedelta(seconds=1), calendar) < span


@settings(max_examples=100, deadline=None)
@given(calendars(), calendars(), instants, st.lists(st.tuples(spans, st.booleans()), max_size=5), spans)
def test_interruptions_give_back_never_more_than_they_took(
    before: Calendar, after: Calendar, start: datetime, stops: list[tuple[timedelta, bool]], span: timedelta
) -> None:
    clock, at = Clock(span, span, start, before), start
    for number, (length, counts) in enumerate(stops):
        calendar = after if number % 2 else before
        left = clock.left_at(at)
        clock = clock.at(at, calendar=calendar)
        assert clock.left_at(at) == left, "changed hours neither give nor take what was used"
        end = at + length
        if counts:
            frozen = clock.stood_still(at, end)
            assert frozen.left_at(end) - clock.left_at(end) <= h.thinking_time(at, end, calendar)
            assert frozen.left_at(end) == left
            assert frozen.stood_still(at, end) == frozen, "given back once"
            clock = frozen
        at = end
    assert clock.left <= clock.given == span
    assert clock.due >= start + min(span, clock.left)


@settings(max_examples=100, deadline=None)
@given(calendars(), calendars(), instants, spans, st.sets(st.sampled_from(["50%", "80%", "95%", "12h", "1h"])))
def test_reminders_are_in_order_in_time_and_never_in_quiet_hours(
    running: Calendar, quiet: Calendar, start: datetime, span: timedelta, wanted: set[str]
) -> None:
    clock = Clock(span, span, start, running)
    found = reminders(clock, read_thresholds(" ".join(sorted(wanted))), quiet)
    moments = [each.at for each in found]
    assert moments == sorted(moments)
    assert all(start <= moment < clock.due for moment in moments)
    at_night = [moment for moment in moments if quiet.quiet_until(moment) > moment]
    assert at_night in ([], moments[-1:]), "only the last call"
    assert all(quiet.quiet_until(moment) >= clock.due for moment in at_night), "and only if the morning is too late"


@settings(max_examples=100, deadline=None)
@given(calendars(), instants)
def test_whoever_is_woken_is_awake(calendar: Calendar, now: datetime) -> None:
    awake = calendar.quiet_until(now)
    assert awake >= now
    assert calendar.quiet_until(awake) == awake


@given(calendars())
def test_hours_and_vacations_survive_being_kept(calendar: Calendar) -> None:
    hours = calendar.hours
    assert h.hours_from_json(hours.zone, h.hours_as_json(hours)) == hours
    kept = tuple(each for each in calendar.away if each.length)
    assert h.away_from_json(h.away_as_json(calendar.away)) == kept

"""A seat's clock, from its row and back: whose hours count, how much is left, when it is up, when to remind."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any, Final

from server.hours import ALWAYS, Calendar, Clock, Hours, away_from_json, hours_from_json
from server.pace import Pace, pace_of
from server.reminders import DEFAULT_THRESHOLDS, Reminder, Threshold, next_reminder, read_thresholds, reminders

_MOMENT: Final = timedelta(microseconds=1)
STOPPED: Final[dict[str, Any]] = {"runs_since": None, "due_at": None, "remind_at": None}
NO_CLOCK: Final[dict[str, Any]] = {**STOPPED, "time_given": None, "time_left": None, "overdue_at": None}


def hours_of(holder: Any) -> Hours:
    """Of a player's row, or of a seat's that has its holder's columns."""
    return hours_from_json(holder.zone, holder.hours)


def quiet_of(holder: Any) -> Calendar:
    """When this person is not to be disturbed."""
    if not getattr(holder, "hours", None) and not getattr(holder, "away", None):
        return ALWAYS
    return Calendar(hours_of(holder), away_from_json(holder.away))


def thresholds_of(holder: Any) -> tuple[Threshold, ...]:
    told = getattr(holder, "reminders", None)
    return DEFAULT_THRESHOLDS if told is None else read_thresholds(told)


def calendar_of(seat: Any, pace: Pace) -> Calendar:
    """What stops this seat's clock in this match."""
    if not seat.hours and not seat.away:
        return ALWAYS
    return pace.calendar(hours_of(seat), away_from_json(seat.away))


def clock_of(seat: Any, pace: Mapping[str, Any]) -> Clock | None:
    """The running clock of an open decision; None where none runs."""
    if seat.runs_since is None or seat.time_left is None:
        return None
    return Clock(seat.time_given, seat.time_left, seat.runs_since, calendar_of(seat, pace_of(pace)))


def stopped_clock(seat: Any, pace: Mapping[str, Any], now: datetime) -> Clock | None:
    """The clock of a decision that stands still, as it would run on from now; None without a clock."""
    if seat.time_given is None:
        return None
    return Clock(seat.time_given, seat.time_left, now, calendar_of(seat, pace_of(pace)))


def used_by(seat: Any, pace: Mapping[str, Any], now: datetime) -> timedelta | None:
    """How much of its time the open decision has used, running or stopped; None without a clock."""
    clock = clock_of(seat, pace)
    if clock:
        return clock.used_at(now)
    return None if seat.time_given is None else seat.time_given - seat.time_left


def columns_of(clock: Clock | None, seat: Any, now: datetime, *, again: bool = False) -> dict[str, Any]:
    """The seat's columns with this clock.

    `again`: a clock that has run before, read at `now`. A reminder that was due may not have gone out, so it is
    looked at once more; the letters' keys keep it from going out twice.
    """
    if clock is None:
        return dict(NO_CLOCK)
    due = clock.due
    return {
        "time_given": clock.given,
        "time_left": clock.left,
        "runs_since": clock.since,
        "due_at": due,
        "remind_at": next_reminder(reminders_of(seat, clock), now - _MOMENT if again else now),
    }


def columns_standing(clock: Clock) -> dict[str, Any]:
    """The columns of a clock that stands still with what it has."""
    return {"time_given": clock.given, "time_left": clock.left, **STOPPED}


def reminders_of(seat: Any, clock: Clock) -> tuple[Reminder, ...]:
    """In their order; whoever is overdue has had the last."""
    if seat.overdue_at is not None:
        return ()
    return reminders(clock, thresholds_of(seat), quiet_of(seat))

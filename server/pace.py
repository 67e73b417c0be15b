"""How long a decision may take, and when its reminders are due: arithmetic on aware instants, nothing else."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

REMINDER_SHARES: Final = (0.5, 0.8)
"""A reminder goes out when half of the time is gone, and when a fifth is left."""

LONGEST_HOURS: Final = 24 * 60


@dataclass(frozen=True)
class Pace:
    """The time for each decision; None for a match among friends without any."""

    name: str
    hours: float | None

    def as_json(self) -> dict[str, Any]:
        return {"name": self.name, "hours": self.hours}

    @property
    def about(self) -> str:
        if self.hours is None:
            return "no time limit"
        if self.hours % 24 == 0:
            days = int(self.hours // 24)
            return "one day for each decision" if days == 1 else f"{days} days for each decision"
        return "one hour for each decision" if self.hours == 1 else f"{self.hours:g} hours for each decision"


PACES: Final[Mapping[str, Pace]] = {
    pace.name: pace
    for pace in (Pace("day", 24), Pace("three days", 72), Pace("week", 168), Pace("hour", 1), Pace("none", None))
}
DEFAULT_PACE: Final = PACES["three days"]


def read_pace(told: object) -> Pace:
    """The pace that a name, a number of hours or {"hours": n} means; raises ValueError with a sentence."""
    if told is None:
        return DEFAULT_PACE
    if isinstance(told, str) and told.casefold() in PACES:
        return PACES[told.casefold()]
    hours = told.get("hours") if isinstance(told, Mapping) else told
    if isinstance(told, Mapping) and "hours" in told and hours is None:
        return PACES["none"]
    if isinstance(hours, str):
        try:
            hours = float(hours)
        except ValueError:
            hours = None
    if isinstance(hours, (int, float)) and not isinstance(hours, bool) and 0 < hours <= LONGEST_HOURS:
        return next((pace for pace in PACES.values() if pace.hours == hours), Pace("own", float(hours)))
    names = ", ".join(PACES)
    raise ValueError(f"A pace is one of {names}, or a number of hours up to {LONGEST_HOURS}.")


def due_at(pace: Mapping[str, Any], asked_at: datetime) -> datetime | None:
    """When the time of a decision asked at `asked_at` is up."""
    hours = pace.get("hours")
    return None if hours is None else asked_at + timedelta(hours=hours)


def reminder_times(asked_at: datetime, due: datetime) -> tuple[datetime, ...]:
    return tuple(asked_at + (due - asked_at) * share for share in REMINDER_SHARES)


def next_reminder(asked_at: datetime, due: datetime | None, after: datetime) -> datetime | None:
    """The first reminder later than `after`, None if there is none."""
    if due is None:
        return None
    return next((at for at in reminder_times(asked_at, due) if at > after), None)


def reminder_step(asked_at: datetime, due: datetime, now: datetime) -> int:
    """How many reminders are due by `now`: after downtime only the latest of them is sent."""
    return sum(at <= now for at in reminder_times(asked_at, due))

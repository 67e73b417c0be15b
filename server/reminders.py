"""When a decision's reminders are due: at shares of the time used, or so many hours before it is up."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from emails.language import gettext as _
from server.hours import Calendar, Clock


@dataclass(frozen=True, order=True)
class Threshold:
    """When to remind: at a share of the time used, or so many hours before it is up."""

    kind: str
    number: float

    def __str__(self) -> str:
        return f"{self.number:g}{'%' if self.kind == 'share' else 'h'}"


DEFAULT_THRESHOLDS: Final = (Threshold("share", 50), Threshold("share", 80))
MOST_THRESHOLDS: Final = 5


@dataclass(frozen=True)
class Reminder:
    at: datetime
    threshold: Threshold


def reminders(clock: Clock, thresholds: Iterable[Threshold], quiet: Calendar) -> tuple[Reminder, ...]:
    """All reminders of a decision in their order: none at night, but the last of them if the time is up then."""
    due = clock.due
    plain = [Reminder(at, each) for each in set(thresholds) if (at := _when(clock, due, each)) is not None and at < due]
    plain.sort(key=lambda each: (each.at, each.threshold))
    moved = []
    for each in plain:
        awake = quiet.quiet_until(each.at)
        if awake < due:
            moved.append(Reminder(awake, each.threshold))
        elif each is plain[-1]:
            moved.append(each)
    return tuple(moved)


def _when(clock: Clock, due: datetime, threshold: Threshold) -> datetime | None:
    """Not before the clock runs; None where there is less time than the threshold wants to be left."""
    if threshold.kind == "share":
        return clock.when_used(clock.given * (threshold.number / 100))
    left = timedelta(hours=threshold.number)
    return max(due - left, clock.since) if clock.given > left else None


def next_reminder(found: Sequence[Reminder], after: datetime) -> datetime | None:
    """The first later than `after`, None if there is none."""
    return next((each.at for each in found if each.at > after), None)


def latest_reminder(found: Sequence[Reminder], now: datetime) -> Reminder | None:
    """Of those that are due the last: after downtime the others are not sent."""
    return next((each for each in reversed(found) if each.at <= now), None)


def read_thresholds(told: str) -> tuple[Threshold, ...]:
    """ "50% 12h": half of the time used, twelve hours left; nothing for none. Raises ValueError with a sentence."""
    words = told.replace(",", " ").replace(" %", "%").replace(" h", "h").split()
    if len(words) > MOST_THRESHOLDS:
        raise ValueError(
            _("At most %(most)s reminders for a decision, not %(number)s.", most=MOST_THRESHOLDS, number=len(words))
        )
    return tuple(dict.fromkeys(_threshold(word) for word in words))


def _threshold(word: str) -> Threshold:
    try:
        number = float(word[:-1])
    except ValueError:
        number = -1
    if word.endswith("%") and 0 < number < 100:
        return Threshold("share", number)
    if word.casefold().endswith("h") and 0 < number <= 24 * 60:
        return Threshold("hours", number)
    raise ValueError(
        _(
            "“%(word)s” is no reminder. Write 50%% for half of the time used, or 12h for twelve hours left.",
            word=word[:20],
        )
    )

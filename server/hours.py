"""Time as it runs for one player: own hours, when they are not there, when a decision's time is up.

Everything here is arithmetic on aware instants; whoever asks says what time it is. Page, mail and worker ask here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta, tzinfo
from functools import lru_cache
from typing import Any, Final
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError, available_timezones

from emails.language import gettext as _

NONE: Final = timedelta()
DAY: Final = timedelta(days=1)
_MINUTE: Final = timedelta(minutes=1)
_MIDNIGHTS: Final = 24 * 60
_FARTHEST: Final = 20 * 366
"""Days to look ahead: nobody is away for so long, so a clock that runs at all comes to its end before."""

LONGEST_NIGHT: Final = 12 * 60
MOST_DAYS_OFF: Final = 3
WEEKDAYS: Final = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


@dataclass(frozen=True)
class Stretch:
    """From one instant on until right before another."""

    start: datetime
    end: datetime

    @property
    def length(self) -> timedelta:
        return max(self.end - self.start, NONE)

    def within(self, start: datetime, end: datetime) -> Stretch:
        """The part of it that lies between these two; empty if none does."""
        return Stretch(min(max(self.start, start), end), max(min(self.end, end), start))


@dataclass(frozen=True)
class Hours:
    """A week on the clocks of a zone: `night` from and to, in minutes of the day; `off`: weekdays 0 to 6."""

    zone: str | None = None
    night: tuple[int, int] | None = None
    off: frozenset[int] = frozenset()

    @property
    def night_length(self) -> int:
        """Minutes on a day when no clock is changed."""
        return (self.night[1] - self.night[0]) % _MIDNIGHTS if self.night else 0

    def within(self, *, night: int, days: int) -> Hours:
        """At most so many minutes of the night, from its beginning, and so many days a week, Sunday first."""
        kept = self.night
        if kept and self.night_length > night:
            kept = (kept[0], (kept[0] + night) % _MIDNIGHTS) if night else None
        return Hours(self.zone, kept, frozenset(sorted(self.off, reverse=True)[:days]))


@dataclass(frozen=True)
class Calendar:
    """When a player is not there: the hours of every week, and single stretches like vacations."""

    hours: Hours = Hours()
    away: tuple[Stretch, ...] = ()

    @property
    def is_empty(self) -> bool:
        return not self.away and self.hours.night is None and not self.hours.off

    def quiet_until(self, now: datetime) -> datetime:
        """When whoever is not there is back; `now` if they are there."""
        if self.is_empty:
            return now
        for stretch in self.absences(now, now + _FARTHEST * DAY):
            return stretch.end if stretch.start <= now else now
        return now

    def absences(self, start: datetime, end: datetime) -> Iterator[Stretch]:
        """What lies between two instants of all absences, in order, those that touch as one."""
        current: Stretch | None = None
        for found in self._absences(start, end):
            part = found.within(start, end)
            if part.length == NONE:
                continue
            if current is None:
                current = part
            elif part.start <= current.end:
                current = Stretch(current.start, max(current.end, part.end))
            else:
                yield current
                current = part
        if current:
            yield current

    def _absences(self, start: datetime, end: datetime) -> Iterator[Stretch]:
        """In the order of their beginnings."""
        singles = sorted(self.away, key=lambda each: each.start)
        for regular in self._regular(start, end):
            while singles and singles[0].start <= regular.start:
                yield singles.pop(0)
            yield regular
        yield from singles

    def _regular(self, start: datetime, end: datetime) -> Iterator[Stretch]:
        hours = self.hours
        if hours.night is None and not hours.off:
            return
        zone = zone_of(hours.zone)
        day, last = start.astimezone(zone).date() - 2 * DAY, end.astimezone(zone).date() + 2 * DAY
        while day <= last:
            if day.weekday() in hours.off:
                yield Stretch(instant_of(zone, day, 0), instant_of(zone, day + DAY, 0, last=True))
            if hours.night_length and hours.night:
                begin, until = hours.night
                morning = day if until > begin else day + DAY
                yield Stretch(instant_of(zone, day, begin), instant_of(zone, morning, until, last=True))
            day += DAY


ALWAYS: Final = Calendar()


# Clocks on the wall


@lru_cache(maxsize=512)
def zone_of(name: str | None) -> tzinfo:
    """UTC where none is set, or where the machine has lost it."""
    if not name:
        return UTC
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, OSError, ValueError):
        return UTC


@lru_cache(maxsize=65536)
def instant_of(zone: tzinfo, day: date, minute: int, *, last: bool = False) -> datetime:
    """When the clocks of a zone show this minute of a day.

    In the hour that is there twice: its first time, or its last. In the hour that is missing: when it is skipped.
    """
    wall = datetime(day.year, day.month, day.day, minute // 60, minute % 60, tzinfo=zone, fold=int(last))
    instant = wall.astimezone(UTC)
    if instant.astimezone(zone).replace(tzinfo=None) == wall.replace(tzinfo=None):
        return instant
    early, late = wall.replace(fold=1).astimezone(UTC), wall.replace(fold=0).astimezone(UTC)
    while late - early > timedelta(seconds=1):
        middle = early + (late - early) / 2
        if middle.astimezone(zone).replace(tzinfo=None) < wall.replace(tzinfo=None):
            early = middle
        else:
            late = middle
    return late.replace(microsecond=0)


# How much of it a player has


def thinking_time(start: datetime, end: datetime, calendar: Calendar) -> timedelta:
    """How much a clock runs between two instants; nothing if the second is the earlier one."""
    if end <= start:
        return NONE
    lost = sum((absence.length for absence in calendar.absences(start, end)), NONE) if not calendar.is_empty else NONE
    return end - start - lost


def after_thinking(start: datetime, span: timedelta, calendar: Calendar) -> datetime:
    """The first instant at which the clock has run for so long since `start`."""
    if span <= NONE or calendar.is_empty:
        return start + max(span, NONE)
    at, left = start, span
    for absence in calendar.absences(start, start + _FARTHEST * DAY):
        if absence.start - at >= left:
            break
        left -= max(absence.start - at, NONE)
        at = absence.end
    return at + left


@dataclass(frozen=True)
class Clock:
    """A decision's clock: `given` altogether, `left` at the instant `since`, from when it runs by the calendar."""

    given: timedelta
    left: timedelta
    since: datetime
    calendar: Calendar = ALWAYS

    @property
    def due(self) -> datetime:
        """When the time is up."""
        return after_thinking(self.since, self.left, self.calendar)

    def left_at(self, now: datetime) -> timedelta:
        return max(self.left - thinking_time(self.since, now, self.calendar), NONE)

    def used_at(self, now: datetime) -> timedelta:
        return self.given - self.left_at(now)

    def at(self, now: datetime, *, calendar: Calendar | None = None) -> Clock:
        """The same clock read at `now`, and running on by another calendar. Earlier than `since` nothing has run."""
        return Clock(
            self.given, self.left_at(now), max(now, self.since), self.calendar if calendar is None else calendar
        )

    def stood_still(self, start: datetime, end: datetime) -> Clock:
        """The clock without this stretch of time: what it had at its beginning, it has at its end."""
        if end <= self.since or end <= start:
            return self
        return Clock(self.given, self.left_at(start), end, self.calendar)

    def with_more(self, span: timedelta, now: datetime) -> Clock:
        read = self.at(now)
        return Clock(self.given + span, read.left + span, read.since, self.calendar)

    def when_used(self, span: timedelta) -> datetime:
        """When so much of the time given is used; `since` if it was before."""
        return after_thinking(self.since, self.left - (self.given - span), self.calendar)


# When to write


def notify_at(quiet: Calendar, now: datetime, due: datetime | None = None) -> datetime:
    """When a letter may come: when its reader is there again, but at once if it would be too late then."""
    awake = quiet.quiet_until(now)
    return now if due is not None and awake >= due else awake


# What people say


def read_zone(told: str) -> str | None:
    """A zone by its name, None for UTC; raises ValueError with a sentence."""
    plain = told.strip()
    if not plain or plain.upper() == "UTC":
        return None
    if plain not in available_timezones():
        raise ValueError(_("This is no time zone that we know. Time zones look like Europe/Brussels."))
    return plain


def read_hours(zone: str | None, night_from: str, night_to: str, off: Iterable[object]) -> Hours:
    """A player's hours from what they typed; raises ValueError with a sentence."""
    days = frozenset(_weekday(each) for each in off)
    if len(days) > MOST_DAYS_OFF:
        raise ValueError(
            _("At most %(most)s days a week can be off, not %(number)s.", most=MOST_DAYS_OFF, number=len(days))
        )
    if not night_from.strip() and not night_to.strip():
        return Hours(zone, None, days)
    if not night_from.strip() or not night_to.strip():
        raise ValueError(_("A night has a beginning and an end, like 22:00 and 07:30. Leave both empty for none."))
    hours = Hours(zone, (_minute(night_from), _minute(night_to)), days)
    if not hours.night_length:
        return Hours(zone, None, days)
    if hours.night_length > LONGEST_NIGHT:
        raise ValueError(
            _(
                "A night has at most %(most)s hours; from %(night_from)s to %(night_to)s is longer.",
                most=LONGEST_NIGHT // 60,
                night_from=night_from,
                night_to=night_to,
            )
        )
    return hours


def _weekday(told: object) -> int:
    if isinstance(told, int) and 0 <= told <= 6:
        return told
    plain = str(told).strip().casefold()
    for number, name in enumerate(WEEKDAYS):
        if plain in (str(number), name.casefold(), name[:3].casefold()):
            return number
    raise ValueError(_("“%(told)s” is no day of the week. Write it like Saturday.", told=str(told)[:20]))


def _minute(told: str) -> int:
    hour, colon, minute = told.strip().partition(":")
    if hour.isdecimal() and (minute.isdecimal() if colon else True) and len(told) <= 5:
        number = int(hour) * 60 + int(minute or 0)
        if int(minute or 0) < 60 and number < _MIDNIGHTS:
            return number
    raise ValueError(_("“%(told)s” is no time of the day. Write it like 22:00.", told=told[:20]))


# As it is kept


def hours_as_json(hours: Hours) -> dict[str, Any]:
    return {"night": list(hours.night) if hours.night else None, "off": sorted(hours.off)}


def hours_from_json(zone: str | None, kept: Mapping[str, Any] | None) -> Hours:
    if not kept:
        return Hours(zone)
    night = kept.get("night")
    return Hours(zone, (night[0], night[1]) if night else None, frozenset(kept.get("off", ())))


def away_as_json(away: Iterable[Stretch]) -> list[list[str]]:
    return [[each.start.isoformat(), each.end.isoformat()] for each in away if each.length]


def away_from_json(kept: Iterable[Sequence[str]] | None) -> tuple[Stretch, ...]:
    return tuple(Stretch(datetime.fromisoformat(start), datetime.fromisoformat(end)) for start, end in kept or ())

"""A player's vacations: booked by whole days, within the budget of a year, given up or ended early."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import date, datetime, timedelta, tzinfo
from typing import Final

from emails.language import gettext as _
from emails.language import ngettext, spoken
from server.hours import DAY, NONE, Hours, Stretch, instant_of, zone_of

VACATION_BUDGET: Final = timedelta(days=30)
"""A player's vacation in a calendar year. What is not used is not carried over."""


def vacation_used(away: Iterable[Stretch], year: int, zone: tzinfo) -> timedelta:
    """How much vacation falls into a year of the player's zone."""
    first = instant_of(zone, date(year, 1, 1), 0)
    end = instant_of(zone, date(year + 1, 1, 1), 0)
    return sum((each.within(first, end).length for each in away), NONE)


def vacation_of(first: date, last: date, zone: tzinfo, now: datetime) -> Stretch:
    """Whole days, the last one included, in the player's zone; one that begins today begins now."""
    start = max(instant_of(zone, first, 0), now)
    return Stretch(start, instant_of(zone, last + DAY, 0))


def read_vacation(
    first: str, last: str, *, hours: Hours, away: Sequence[Stretch], now: datetime
) -> tuple[Stretch, ...]:
    """The vacations with one more; raises ValueError with a sentence."""
    zone = zone_of(hours.zone)
    begin, end = _date(first), _date(last)
    today = now.astimezone(zone).date()
    if begin < today:
        raise ValueError(
            _(
                "A vacation begins today (%(today)s) or later, not on %(begin)s: time that is gone stays used.",
                today=today,
                begin=begin,
            )
        )
    if end < begin:
        raise ValueError(
            _("A vacation ends on the day it begins or later; %(end)s is before %(begin)s.", end=end, begin=begin)
        )
    if (end - begin).days > 366:
        raise ValueError(_("A vacation of %(days)s days is more than a year.", days=(end - begin).days + 1))
    new = vacation_of(begin, end, zone, now)
    if any(new.within(each.start, each.end).length for each in away):
        raise ValueError(
            _("You have a vacation at that time already. Come back early from it first, or choose other days.")
        )
    for year in range(begin.year, end.year + 1):
        left = VACATION_BUDGET - vacation_used(away, year, zone)
        wanted = vacation_used([new], year, zone)
        if wanted > left:
            raise ValueError(
                _(
                    "That takes %(wanted)s of %(year)s, and %(left)s are left of its %(budget)s days.",
                    wanted=_days(wanted),
                    year=year,
                    left=_days(left),
                    budget=VACATION_BUDGET.days,
                )
            )
    return (*away, new)


def back_early(away: Sequence[Stretch], now: datetime) -> tuple[Stretch, ...]:
    """The vacations without what has not been used of the present one."""
    return tuple(Stretch(each.start, now) if each.start <= now < each.end else each for each in away)


def without(away: Sequence[Stretch], start: datetime, now: datetime) -> tuple[Stretch, ...]:
    """The vacations without the one that begins then and has not begun yet."""
    return tuple(each for each in away if each.start != start or each.start <= now)


def _date(told: str) -> date:
    try:
        found = date.fromisoformat(told.strip())
    except ValueError:
        raise ValueError(_("“%(told)s” is no date. Write it like 2026-12-24.", told=told[:20])) from None
    if not 2000 <= found.year <= 2200:
        raise ValueError(_("The year %(year)s is too far away.", year=found.year))
    return found


def _days(span: timedelta) -> str:
    days = round(max(span, NONE) / DAY, 1)
    return ngettext("%(days)s day", "%(days)s days", days, days=spoken().number(days))

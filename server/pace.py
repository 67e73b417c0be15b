"""What a match agrees on about time: how long decisions may take, which absences count, what lateness brings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any, Final

from emails.language import gettext as _
from emails.language import marked, ngettext, spoken
from server.hours import ALWAYS, NONE, Calendar, Clock, Hours, Stretch

LONGEST_HOURS: Final = 24 * 60
_SLOW: Final = 24
"""From so many hours a decision on, nights, days off and vacations stop the clock unless the match says otherwise."""

LATE: Final[Mapping[str, str]] = {
    "once": marked("The house moves for whoever is late."),
    "on": marked("The house plays the seat on from then on."),
    "substitute": marked("The house plays the seat on until a substitute takes it."),
    "end": marked("The match is ended without a result."),
}


@dataclass(frozen=True)
class Pace:
    """All numbers are hours, but `days`.

    Either `hours` for each decision; or a `bank` for the whole match, with an `increment` for each decision up to a
    `cap`; or none of both. The `free` hours of a decision cost nothing. `night`, `days` and `vacation`: how much of a
    player's night, how many days off a week, and whether vacations stop the clock. After a `grace`, `late` happens.
    """

    name: str
    hours: float | None = None
    bank: float | None = None
    increment: float = 0
    cap: float | None = None
    free: float = 0
    night: float = 0
    days: int = 0
    vacation: bool = False
    grace: float = 0
    late: str = "once"

    @property
    def is_timed(self) -> bool:
        return self.hours is not None or self.bank is not None

    def as_json(self) -> dict[str, Any]:
        return {key: value for key, value in vars(self).items() if value != _PLAIN.get(key) or key in ("name", "hours")}

    @property
    def about(self) -> str:
        """How much time there is, in words."""
        if self.bank is not None:
            parts = {"bank": span_in_words(self.bank), "more": span_in_words(self.increment)}
            told = _("%(bank)s for the whole match, and %(more)s more with each decision.", **parts)
            if self.cap is not None:
                told += " " + _("The bank never holds more than %(cap)s.", cap=span_in_words(self.cap))
        elif self.hours is not None:
            told = _("%(span)s for each decision.", span=span_in_words(self.hours))
        else:
            return _("There is no time limit.")
        if self.free:
            told += " " + _("The first %(span)s of a decision are free.", span=span_in_words(self.free))
        return told

    @property
    def about_rest(self) -> str:
        """Which absences stop the clock, in words; empty without a time limit."""
        if not self.is_timed:
            return ""
        kept = [
            *([_("each player's night, up to %(span)s", span=span_in_words(self.night))] if self.night else []),
            *([_("their days off, up to %(number)s a week", number=self.days)] if self.days else []),
            *([_("their vacation")] if self.vacation else []),
        ]
        if not kept:
            return _("The clock never stands still.")
        return _("The clock stands still for %(absences)s.", absences=spoken().names(kept))

    @property
    def about_late(self) -> str:
        """What happens when the time is up, in words; empty without a time limit."""
        if not self.is_timed:
            return ""
        if self.grace:
            grace = span_in_words(self.grace)
            return _(
                "When the time is up, there is a grace period of %(grace)s. Then: %(what)s",
                grace=grace,
                what=_(LATE[self.late]),
            )
        return _("When the time is up: %(what)s", what=_(LATE[self.late]))

    # -- clocks ----------------------------------------------------------------------------------------------

    def calendar(self, hours: Hours, away: tuple[Stretch, ...]) -> Calendar:
        """What of a player's absences stops their clock in this match."""
        if not self.is_timed or not (self.night or self.days or self.vacation):
            return ALWAYS
        return Calendar(hours.within(night=round(self.night * 60), days=self.days), away if self.vacation else ())

    def new_clock(self, bank: timedelta | None, now: datetime, calendar: Calendar) -> Clock | None:
        """The clock of a decision asked now by a player with so much in the bank; None without a time limit."""
        if self.bank is not None:
            given = _hours(self.free) + (_hours(self.bank) if bank is None else bank)
        elif self.hours is not None:
            given = _hours(self.free) + _hours(self.hours)
        else:
            return None
        return Clock(given, given, now, calendar)

    def bank_after(self, bank: timedelta | None, used: timedelta) -> timedelta | None:
        """What the bank holds after a decision that took so long: its cost, then the increment, up to the cap."""
        if self.bank is None:
            return None
        held = _hours(self.bank) if bank is None else bank
        left = max(held - max(used - _hours(self.free), NONE), NONE) + _hours(self.increment)
        return left if self.cap is None else min(left, max(_hours(self.cap), NONE))


_PLAIN: Final = {"bank": None, "increment": 0, "cap": None, "free": 0, "night": 0, "days": 0, "vacation": False} | {
    "grace": 0,
    "late": "once",
}
_REST: Final = {"night": 10, "days": 2, "vacation": True}

PACES: Final[Mapping[str, Pace]] = {
    pace.name: pace
    for pace in (
        Pace("day", 24, **_REST),  # type: ignore[arg-type]
        Pace("three days", 72, **_REST),  # type: ignore[arg-type]
        Pace("week", 168, **_REST),  # type: ignore[arg-type]
        Pace("bank", bank=72, increment=12, cap=120, **_REST),  # type: ignore[arg-type]
        Pace("hour", 1),
        Pace("none"),
    )
}
DEFAULT_PACE: Final = PACES["three days"]
_NUMBERS: Final = ("hours", "bank", "increment", "cap", "free", "night", "grace")


def pace_of(kept: Mapping[str, Any]) -> Pace:
    """A match's pace as it is kept in its row."""
    known = {key: value for key, value in kept.items() if key in Pace.__dataclass_fields__}
    return Pace(**{"name": "own", **known})


def read_pace(told: object) -> Pace:
    """The pace that a name, hours, "72+12/120" (bank, increment, cap) or a mapping means; ValueError with a sentence.

    A mapping has `hours`, or `bank`; or the `name` of a pace that it changes.
    """
    if told is None:
        return DEFAULT_PACE
    if isinstance(told, Mapping):
        return _from_mapping(told)
    if isinstance(told, str):
        plain = told.strip().casefold()
        if plain in PACES:
            return PACES[plain]
        if "+" in plain:
            bank, _, rest = plain.partition("+")
            increment, _, cap = rest.partition("/")
            return _from_mapping({"bank": bank, "increment": increment, **({"cap": cap} if cap else {})})
    return _named(_with_rest(Pace("own", _number("hours", told))))


def _from_mapping(told: Mapping[Any, Any]) -> Pace:
    given = {str(key): value for key, value in told.items() if value is not None and value != ""}
    if "hours" in told and told["hours"] is None and not given:
        return PACES["none"]
    unknown = sorted(set(given) - set(Pace.__dataclass_fields__))
    if unknown:
        raise ValueError(
            _(
                "A pace has no “%(unknown)s”. It has: %(known)s.",
                unknown=unknown[0][:20],
                known=", ".join(Pace.__dataclass_fields__),
            )
        )
    base = _base(given)
    values: dict[str, Any] = {key: _number(key, given[key]) for key in _NUMBERS if key in given}
    if "days" in given:
        values["days"] = int(_number("days", given["days"], most=3))
    if "vacation" in given:
        values["vacation"] = given["vacation"] in (True, "1", "true", "yes")
    if "late" in given:
        values["late"] = _policy(given["late"])
    pace = replace(base, **values)
    _must_fit(pace)
    return _named(pace)


def _base(given: Mapping[str, Any]) -> Pace:
    """What the mapping changes."""
    if "hours" in given and "bank" in given:
        raise ValueError(_("A pace has hours for each decision or a bank for the match, not both."))
    if "hours" in given:
        return _with_rest(Pace("own", _number("hours", given["hours"])))
    if "bank" in given:
        return _with_rest(Pace("own", bank=_number("bank", given["bank"])))
    name = str(given.get("name", "")).casefold()
    if name in PACES:
        return PACES[name]
    raise ValueError(_what_a_pace_is())


def _with_rest(pace: Pace) -> Pace:
    slow = (pace.hours or pace.bank or 0) >= _SLOW
    return replace(pace, **_REST) if slow else pace  # type: ignore[arg-type]


def _must_fit(pace: Pace) -> None:
    if pace.bank is None and (pace.increment or pace.cap is not None):
        raise ValueError(_("An increment and a cap belong to a bank: give the bank its hours too."))
    if pace.cap is not None and pace.bank is not None and pace.cap < pace.bank:
        raise ValueError(
            _(
                "The bank begins with %(bank)s: a cap of %(cap)s is less than that.",
                bank=span_in_words(pace.bank),
                cap=span_in_words(pace.cap),
            )
        )
    if not pace.is_timed and (pace.grace or pace.free or pace.late != "once"):
        raise ValueError(
            _("Without a time limit there is nothing to be late for: leave out grace, free hours and late.")
        )
    if pace.night > 12:
        raise ValueError(_("A night stops the clock for at most 12 hours."))


def _named(pace: Pace) -> Pace:
    """Under the name of the preset that it is, if it is one."""
    return next((each for each in PACES.values() if replace(pace, name=each.name) == each), replace(pace, name="own"))


def _number(what: str, told: object, *, most: float = LONGEST_HOURS) -> float:
    try:
        number = float(told) if isinstance(told, (int, float, str)) and not isinstance(told, bool) else -1.0
    except (ValueError, OverflowError):
        number = -1.0
    least_open = what in ("hours", "bank")
    if not (0 < number <= most if least_open else 0 <= number <= most):
        raise ValueError(
            _what_a_pace_is()
            if least_open
            else _(
                "“%(what)s” of a pace is a number from 0 to %(most)s, not “%(told)s”.",
                what=what,
                most=spoken().number(most),
                told=str(told)[:20],
            )
        )
    return number


def _policy(told: object) -> str:
    if isinstance(told, str) and told in LATE:
        return told
    could = "; ".join(f"{name}: {_(about)}" for name, about in LATE.items())
    raise ValueError(
        _(
            "What happens when the time is up cannot be “%(told)s”. It can be: %(could)s",
            could=could,
            told=str(told)[:20],
        )
    )


def _what_a_pace_is() -> str:
    return _(
        "A pace is one of %(paces)s, or a number of hours up to %(most)s, "
        "or a bank like 72+12/120: hours for the match, hours more with each decision, hours at most.",
        paces=", ".join(PACES),
        most=LONGEST_HOURS,
    )


def _hours(number: float) -> timedelta:
    return timedelta(hours=number)


def span_in_words(hours: float) -> str:
    """So many hours, or whole days."""
    number = spoken().number
    if hours % 24 == 0 and hours:
        return ngettext("%(days)s day", "%(days)s days", hours // 24, days=number(hours // 24))
    return ngettext("%(hours)s hour", "%(hours)s hours", hours, hours=number(hours))

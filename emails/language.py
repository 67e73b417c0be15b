"""The reader's language and clock: fixed strings by gettext, moments in the reader's zone and with its name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, tzinfo
from functools import lru_cache
from pathlib import Path
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from babel import Locale, UnknownLocaleError
from babel.dates import format_date, format_time, get_timezone_name
from babel.lists import format_list
from babel.support import NullTranslations, Translations

_TRANSLATIONS = Path(__file__).parent / "translations"
_PLAIN_ENGLISH = Locale("en", "GB")  # day before month and 24 hours: nobody takes the one for the other
_DAYS_FROM = 48


@dataclass(frozen=True)
class Tongue:
    """A language as letters speak it."""

    tag: str
    locale: Locale
    translations: NullTranslations

    def say(self, text: str, **parts: object) -> str:
        told: str = self.translations.gettext(text) if text else ""  # of "" a catalogue makes its own headings
        return told % parts if parts else told

    def count(self, one: str, many: str, number: int, **parts: object) -> str:
        told: str = self.translations.ngettext(one, many, number)
        return told % {"number": number, **parts}

    def names(self, names: Sequence[str]) -> str:
        return format_list(names, locale=self.locale)

    def moment(self, instant: datetime, zone: str | None) -> str:
        """Weekday, date, time and the zone's name."""
        there = instant.astimezone(_zone(zone))
        return self.say(
            "%(date)s, %(time)s %(zone)s",
            date=format_date(there, "full", locale=self.locale),
            time=format_time(there, "short", tzinfo=there.tzinfo, locale=self.locale),
            zone="UTC" if there.tzinfo is UTC else get_timezone_name(there, locale=self.locale),
        )

    def ahead(self, span: timedelta) -> str:
        """How far away a coming moment is, like "about 46 hours"."""
        minutes = round(span.total_seconds() / 60)
        hours = round(span.total_seconds() / 3600)
        if minutes < 60:
            return self.count("about %(number)d minute", "about %(number)d minutes", max(minutes, 1))
        if hours < _DAYS_FROM:
            return self.count("about %(number)d hour", "about %(number)d hours", hours)
        days = self.count("%(number)d day", "%(number)d days", round(hours / 24))
        return self.count("about %(number)d hour (%(days)s)", "about %(number)d hours (%(days)s)", hours, days=days)


@lru_cache(maxsize=256)
def tongue(language: str) -> Tongue:
    """The language that a tag like "en", "nl" or "de-AT" means; English if there is none like it."""
    try:
        locale = Locale.parse(language.replace("-", "_"))
    except (ValueError, UnknownLocaleError):
        locale = _PLAIN_ENGLISH
    if str(locale) == "en":
        locale = _PLAIN_ENGLISH
    translations = Translations.load(_TRANSLATIONS, [locale, locale.language], domain="emails")
    known = locale.language == "en" or isinstance(translations, Translations)
    return Tongue(locale.language if known else "en", locale if known else _PLAIN_ENGLISH, translations)


@lru_cache(maxsize=256)
def _zone(name: str | None) -> tzinfo:
    if name in (None, "", "UTC"):
        return UTC
    try:
        return ZoneInfo(str(name))
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return UTC

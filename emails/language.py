"""The reader's language and clock: strings by gettext, moments in the reader's zone and with its name.

Whoever writes to somebody says so (`with speaking(tongue("nl")):`, a request by `speak`); then `gettext` gives all
words in that language, in pages, mails and refusals alike. Programs and the operator's commands get English.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, tzinfo
from functools import lru_cache
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from babel import Locale, UnknownLocaleError
from babel.dates import format_date, format_time, get_timezone_name
from babel.lists import format_list
from babel.numbers import format_decimal, format_percent
from babel.support import NullTranslations, Translations

TRANSLATIONS = Path(__file__).parent / "translations"
DOMAIN = "messages"
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

    def count(self, one: str, many: str, number: float, **parts: object) -> str:
        counted = int(number) if number == int(number) else 2  # an hour and a half are hours
        told: str = self.translations.ngettext(one, many, counted)
        return told % {"number": number, **parts}

    def word(self, about: str, word: str) -> str:
        """A word of a small world of its own, like a game's name for one of its pieces."""
        return str(self.translations.pgettext(about, word))

    def names(self, names: Sequence[str]) -> str:
        return format_list(names, locale=self.locale)

    def label(self, about: str, word: str) -> str:
        """A word that stands on its own in a form or a table."""
        return self.word(f"{about} label", word)

    def number(self, number: float) -> str:
        return format_decimal(number, locale=self.locale)

    def percent(self, share: float) -> str:
        return format_percent(share, locale=self.locale)

    def weekday(self, day: int) -> str:
        """The name of a day of the week, 0 is Monday."""
        told: str = self.locale.days["stand-alone"]["wide"][day]
        return told

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
        """How far away a coming moment is, like "about 46 hours" or "about 60 hours (2.5 days)"."""
        minutes = round(span.total_seconds() / 60)
        hours = round(span.total_seconds() / 3600)
        if minutes < 60:
            return self.count("about %(number)d minute", "about %(number)d minutes", max(minutes, 1))
        if hours < _DAYS_FROM:
            return self.count("about %(number)d hour", "about %(number)d hours", hours)
        halves = round(hours / 12) / 2
        days = self.count("%(days)s day", "%(days)s days", halves, days=self.number(halves))
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
    if locale.language == "en":
        return Tongue("en", locale, NullTranslations())
    translations = _translations(locale.language)
    if translations is None:
        return Tongue("en", _PLAIN_ENGLISH, NullTranslations())
    return Tongue(locale.language, locale, translations)


@lru_cache
def offered() -> dict[str, str]:
    """The languages that a reader can have, by tag, each with its own name for itself."""
    tags = sorted(file.parent.parent.name for file in TRANSLATIONS.glob(f"*/LC_MESSAGES/{DOMAIN}.po"))
    return {
        tag: str(Locale(tag).get_language_name(tag)).capitalize() for tag in ("en", *tags) if tongue(tag).tag == tag
    }


@lru_cache(maxsize=32)
def _translations(language: str) -> NullTranslations | None:
    """A catalogue, compiled when it is first wanted; None if there is none, or one that lacks anything: nobody is
    to read a page of two languages."""
    file = TRANSLATIONS / language / "LC_MESSAGES" / f"{DOMAIN}.po"
    if not file.is_file():
        return None
    from babel.messages.mofile import write_mo
    from babel.messages.pofile import read_po

    with file.open("rb") as opened:
        catalogue = read_po(opened, locale=language)
    if any(lacks(message) for message in catalogue if message.id):
        return None
    compiled = io.BytesIO()
    write_mo(compiled, catalogue)
    compiled.seek(0)
    return Translations(compiled, DOMAIN)


def lacks(message: Any) -> bool:
    """Whether a catalogue's message still needs a translator."""
    told = message.string if isinstance(message.string, (list, tuple)) else (message.string,)
    return message.fuzzy or not all(told)


# What is spoken now

_SPOKEN: ContextVar[Tongue | Callable[[], Tongue] | None] = ContextVar("spoken", default=None)


def spoken() -> Tongue:
    """The language of whoever reads what is written now; English where nobody has said."""
    now = _SPOKEN.get()
    if now is None:
        return tongue("en")
    if not isinstance(now, Tongue):
        _SPOKEN.set(None)  # whoever is asked may say something themselves
        now = now()
        _SPOKEN.set(now)
    return now


def speak(language: Tongue | Callable[[], Tongue]) -> None:
    """From now on this is spoken, until somebody says otherwise; a function is asked when it is wanted first."""
    _SPOKEN.set(language)


@contextmanager
def speaking(language: Tongue) -> Iterator[Tongue]:
    """Speak this language meanwhile."""
    before = _SPOKEN.set(language)
    try:
        yield language
    finally:
        _SPOKEN.reset(before)


def gettext(text: str, **parts: object) -> str:
    """The text in the language that is spoken; `parts` fill its %(places)s."""
    return spoken().say(text, **parts)


def ngettext(one: str, many: str, number: float, **parts: object) -> str:
    """The same for a number of things, which fills %(number)s."""
    return spoken().count(one, many, number, **parts)


def marked(text: str) -> str:
    """Marks a text for the catalogues where it cannot be translated yet; `gettext` does it later."""
    return text


@lru_cache(maxsize=256)
def _zone(name: str | None) -> tzinfo:
    if name in (None, "", "UTC"):
        return UTC
    try:
        return ZoneInfo(str(name))
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return UTC

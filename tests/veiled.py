"""A language in which every letter of what is translated is a dot: what can still be read was never translated."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from html.parser import HTMLParser
from pathlib import Path

import pytest
from babel import Locale
from babel.messages.catalog import Catalog
from babel.messages.pofile import write_po

from emails import language, letters
from emails.catalogues import found
from server import speech
from server.rules import GAMES

TAG = "eo"
"""Nobody's translation has this tag, and Babel knows its days and months."""

_KEPT = re.compile(r"(%\(\w+\)[sd]|%%|\{\w+\}|</?\w+[^>]*>)")
_LETTER = re.compile(r"[^\W\d_]")
_WORD = re.compile(r"[^\W\d_]{2,}")
_ADDRESS = re.compile(r"\S+@\S+|https?://\S+|#[a-z0-9]+|\b[0-9a-f]{16,}\b")
_SHOWN = ("aria-label", "alt", "title")
_AS_TYPED = ("code", "key", "example", "long")
"""Classes of what is the same in all languages: moves as they are typed, keys, the seal."""

DOT = "•"


def veiled(text: str) -> str:
    """Every letter a dot but those of its parts and tags."""
    return "".join(part if _KEPT.fullmatch(part) else _LETTER.sub(DOT, part) for part in _KEPT.split(text))


@cache
def _catalogue() -> Catalog:
    told = Catalog(locale=TAG, fuzzy=False)
    for message in found():
        if message.id:
            texts = message.id if isinstance(message.id, (list, tuple)) else (message.id,)
            dotted = tuple(veiled(text) for text in texts)
            told.add(message.id, dotted if len(dotted) > 1 else dotted[0], context=message.context)
    return told


@contextmanager
def spoken_here(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Meanwhile the veiled language is there, as any other with a catalogue."""
    file = folder / TAG / "LC_MESSAGES" / f"{language.DOMAIN}.po"
    file.parent.mkdir(parents=True)
    with file.open("wb") as opened:
        write_po(opened, _catalogue())
    monkeypatch.setattr(language, "TRANSLATIONS", folder)
    forget()
    yield
    monkeypatch.undo()
    forget()


def forget() -> None:
    for cached in (
        *(language.tongue, language._translations, language.offered, speech._speech),
        *(letters._environment, letters._templates),
    ):
        cached.cache_clear()


def read_in(text: str, known: Iterable[str] = ()) -> list[str]:
    """The words of a text that can be read, but names and moves (`known`), addresses, and what Babel says."""
    left = _ADDRESS.sub(" ", text)
    for name in sorted({*known, *(game.title for game in GAMES.values()), "Estafette"}, key=len, reverse=True):
        left = left.replace(name, " ")
    return [word for word in _WORD.findall(left) if word.casefold() not in _by_babel()]


@cache
def _by_babel() -> frozenset[str]:
    locale = Locale(TAG)
    names = [*locale.months["format"]["wide"].values(), *locale.days["format"]["wide"].values()]
    names += [*locale.months["format"]["abbreviated"].values(), *locale.days["format"]["abbreviated"].values()]
    return frozenset(word.casefold() for word in (*names, "de", "kaj", "la", "UTC", "nA", "nB"))


class _Shown(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []
        self._hidden: list[bool] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        told = dict(attrs)
        self.texts += [told[name] or "" for name in _SHOWN if told.get(name) and tag != "input"]
        if tag in ("br", "img", "input", "meta", "link", "hr", "use", "path", "rect", "circle"):
            return
        classes = (told.get("class") or "").split()
        own = tag in ("style", "script", "code", "textarea") or any(name in classes for name in _AS_TYPED)
        self._hidden.append(own or bool(self._hidden and self._hidden[-1]))

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.texts += [value for name, value in attrs if name in _SHOWN and value]

    def handle_endtag(self, tag: str) -> None:
        if tag not in ("br", "img", "input", "meta", "link", "hr") and self._hidden:
            self._hidden.pop()

    def handle_data(self, data: str) -> None:
        if not (self._hidden and self._hidden[-1]):
            self.texts.append(data)


def shown(source: str) -> str:
    """All that a page of HTML shows or says aloud."""
    reader = _Shown()
    reader.feed(source)
    return "\n".join(reader.texts)

"""Every catalogue has all that can be said, with the same places in it; nothing is said without a catalogue."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from babel.messages.catalog import Catalog

from emails import catalogues, language
from emails.catalogues import KEYWORDS, PARTS, ROOT, found, languages, places, wrong_with

TEMPLATE = found()
SHOWN = re.compile(r">([^<]*)<|(?:aria-label|alt|title|placeholder)=\"([^\"]*)\"", re.DOTALL)
CODE = re.compile(r"\{\{.*?\}\}|\{%.*?%\}|\{#.*?#\}", re.DOTALL)
SAME_IN_ALL = {"Estafette", "Europe/Brussels", "https://"}
ENGLISH = {"admin"}
"""Folders of pages that only operators see."""


@pytest.mark.parametrize("tag", languages())
def test_a_catalogue_lacks_nothing_and_has_nothing_else(tag: str) -> None:
    assert wrong_with(catalogues.catalogue(tag), TEMPLATE) == []


@pytest.mark.parametrize("tag", languages())
def test_a_language_with_a_catalogue_is_offered_under_its_own_name(tag: str) -> None:
    assert language.tongue(tag).tag == tag
    assert language.offered()[tag]


def test_a_catalogue_that_lacks_a_word_is_found_out_and_not_spoken(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(language, "TRANSLATIONS", tmp_path)
    monkeypatch.setattr(catalogues, "TRANSLATIONS", tmp_path)
    for cached in (language.tongue, language._translations, language.offered):
        cached.cache_clear()
    template = Catalog()
    template.add("Sign in")
    template.add("%(name)s waits.")
    begun = catalogues.update("eo", template)
    assert len(wrong_with(begun, template)) == 2
    assert language.tongue("eo").tag == "en"
    assert "eo" not in language.offered()
    for cached in (language.tongue, language._translations, language.offered):
        cached.cache_clear()


@pytest.mark.parametrize(
    ("english", "told", "is_right"),
    [
        ("%(name)s waits.", "%(name)s wacht.", True),
        ("%(name)s waits.", "%(naam)s wacht.", False),
        ("{seat} takes {card}.", "{card}: van {seat}.", True),
        ("{seat} takes {card}.", "{seat} neemt {kaart}.", False),
        ('Read <a href="%(url)s">it</a>.', '<a href="%(url)s">Lees</a> het.', True),
        ('Read <a href="%(url)s">it</a>.', "Lees het.", False),
    ],
)
def test_the_places_of_a_text_are_its_parts_and_tags(english: str, told: str, is_right: bool) -> None:
    assert (places(english) == places(told)) is is_right


def templates() -> Iterator[Path]:
    for part in PARTS:
        for kind in ("html", "txt"):
            yield from (file for file in (ROOT / part).rglob(f"templates/**/*.{kind}") if not ENGLISH & set(file.parts))


@pytest.mark.parametrize("file", sorted(templates()), ids=lambda file: str(file.relative_to(ROOT)))
def test_a_template_shows_no_text_that_is_not_in_the_catalogues(file: Path) -> None:
    plain = CODE.sub("", file.read_text(encoding="utf-8"))
    shown = SHOWN.findall(f">{plain}<") if file.suffix == ".html" else [(line, "") for line in plain.splitlines()]
    words = {text.strip() for each in shown for text in each if re.search(r"[^\W\d_]{2}", text)}
    assert {word.strip(" ·:#") for word in words} <= SAME_IN_ALL


def python_files() -> Iterator[Path]:
    for part in PARTS:
        yield from (ROOT / part).rglob("*.py")


def test_what_is_given_to_be_translated_is_written_out_whole() -> None:
    """A text put together first, or chosen inside the call, would be in no catalogue."""
    wrong = []
    for file in python_files():
        if file.name == "transport.py":  # its `say` speaks to mail servers
            continue
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.Call) or not node.args:
                continue
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            if name not in KEYWORDS:
                continue
            texts = [node.args[place - 1] for place in KEYWORDS[name] or (1,) if place <= len(node.args)]
            wrong += [
                f"{file.name}:{node.lineno}"
                for text in texts
                if isinstance(text, (ast.JoinedStr, ast.IfExp, ast.BinOp))
            ]
    assert wrong == []

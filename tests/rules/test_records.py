"""Recorded matches of every game and option lead where they led: a change of the rules that alters one says which."""

from __future__ import annotations

from pathlib import Path

import pytest

from server.rules import GAMES, chance
from server.rules.record import RecordError, check, read_record

FOLDER = Path(__file__).parents[1] / "records"
DIGESTS = {
    "crusade-3-off": "63df3bcef8a1f06a",
    "crusade-5-history": "8820e9f6c0e9b5bc",
    "crusade-8-on": "53fde8ad880c9a13",
    "intrigues-2-own": "373035cf5a2306ec",
    "intrigues-2-shared": "2f65e222ab81cef1",
    "intrigues-3": "fa564454fa35d03f",
    "intrigues-4-open-coffers": "d5ab9058b283cf87",
    "regions-2": "e5a1a67ae224eca2",
    "regions-2-short": "93d6eb5223157cfa",
    "regions-3": "7e208dd56081f75e",
    "regions-4-nobody": "8469d3c96275938c",
}
"""Where each match ended on the day it was recorded. A digest that has to change is a new version of the rules."""


def altered() -> dict[str, str]:
    """The records that do not lead where they led, and why."""
    found = {}
    for name, digest in DIGESTS.items():
        try:
            play = check(read_record((FOLDER / f"{name}.json").read_text(encoding="utf-8")))
        except RecordError as error:
            found[name] = str(error)
        else:
            if play.digest() != digest:
                found[name] = f"it ends at {play.digest()}"
    return found


def test_recorded_matches_lead_where_they_led():
    assert altered() == {}


def test_there_is_a_record_of_every_game_and_every_value_of_every_option():
    assert {file.stem for file in FOLDER.glob("*.json") if not file.stem.startswith("schema")} == set(DIGESTS)
    records = [read_record((FOLDER / f"{name}.json").read_text(encoding="utf-8")) for name in DIGESTS]
    seen = {(record.game.name, name, value) for record in records for name, value in record.options.items()}
    wanted = {
        (game.name, option.name, value) for game in GAMES.values() for option in game.options for value in option.values
    }
    assert wanted <= seen
    assert {record.game.name for record in records} == set(GAMES)


def test_case_B14_a_change_of_the_shuffles_shows_in_every_record(monkeypatch: pytest.MonkeyPatch):
    words = chance._words
    monkeypatch.setattr(chance, "_words", lambda seed, label: words(seed, f"{label} "))
    assert set(altered()) == set(DIGESTS)

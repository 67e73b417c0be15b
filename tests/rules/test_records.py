"""Recorded matches of every game, number of seats and option lead where they led.

A change of the rules that alters one says which, and at which move; it needs a new version of the rules.

    python -m tests.rules.test_records     # after such a change, or with another record: writes down where they lead
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from server.rules import GAMES, chance
from server.rules.asking import Refused
from server.rules.chance import ChanceError
from server.rules.playing import Play
from server.rules.record import Record, RecordError, check, read_record
from server.rules.regions import taking, the_end
from tests.rules.matches import CASES

FOLDER = Path(__file__).parents[1] / "records"
TRAILS = FOLDER / "trails.tsv"
"""A line for each record: its name, its outcome, and some digits of the position's digest after each of its moves."""
DIGITS = 4


def names() -> list[str]:
    return sorted(file.stem for file in FOLDER.glob("*.json") if not file.stem.startswith("schema"))


def record_named(name: str) -> Record:
    return read_record((FOLDER / f"{name}.json").read_text(encoding="utf-8"))


def records() -> dict[str, Record]:
    return {name: record_named(name) for name in names()}


def steps(record: Record) -> Iterator[Play]:
    """The match after each of its moves."""
    play = Play(record.game, len(record.players), record.options, chance=record.luck(), names=record.players)
    for seat, line in record.moves:
        play.answer(seat, play.decision(seat).read(line))
        yield play


def digits_of(play: Play) -> str:
    return play.digest()[:DIGITS]


def outcome_of(play: Play) -> str:
    outcome = play.outcome()
    assert outcome is not None
    return json.dumps(outcome.as_json(), separators=(",", ":"))


def trails() -> dict[str, tuple[str, list[str]]]:
    """The same by the record's name, as it was when it was recorded."""
    told = {}
    for line in TRAILS.read_text(encoding="utf-8").splitlines():
        name, outcome, digits = line.split("\t")
        told[name] = outcome, digits.split(" ")
    return told


def altered() -> dict[str, str]:
    """The records that do not lead where they led, and from which move on."""
    told = trails()
    found = {name: where_it_parts(record, *told[name]) for name, record in records().items()}
    return {name: where for name, where in found.items() if where}


def where_it_parts(record: Record, outcome: str, digits: list[str]) -> str:
    """A sentence; empty if it leads where it led."""
    with suppress(Refused, ChanceError):  # of which `check` says more
        for number, (play, its_digits) in enumerate(zip(steps(record), digits, strict=True), start=1):
            if digits_of(play) != its_digits:
                seat, line = record.moves[number - 1]
                return f"Move {number}, “{line}” by seat {seat}, leads elsewhere."
    try:
        ended = outcome_of(check(record))
    except RecordError as error:
        return str(error)
    return "" if ended == outcome else f"The outcome is {ended}, and was {outcome}."


@pytest.mark.parametrize("name", names())
def test_a_recorded_match_leads_where_it_led(name: str):
    assert where_it_parts(record_named(name), *trails()[name]) == ""


def test_there_is_a_record_of_every_game_number_of_seats_and_value_of_every_option():
    told = records()
    assert set(told) == set(trails())
    seats = {(record.game.name, len(record.players)) for record in told.values()}
    assert seats == {(case.game.name, case.seats) for case in CASES}
    values = {(record.game.name, name, value) for record in told.values() for name, value in record.options.items()}
    assert values == {
        (game.name, option.name, value) for game in GAMES.values() for option in game.options for value in option.values
    }


def test_case_B14_a_change_of_the_shuffles_shows_in_every_record(monkeypatch: pytest.MonkeyPatch):
    words = chance._words
    monkeypatch.setattr(chance, "_words", lambda seed, label: words(seed, f"{label} "))
    assert set(altered()) == set(records())


def test_a_change_of_a_rule_says_which_records_it_alters_and_from_which_move_on(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(taking, "settle_markers", lambda *_: None)
    found = altered()
    assert found["regions-2"] == "Move 11, “take 3L 4L” by seat 2, leads elsewhere."
    assert {name.partition("-")[0] for name in found} == {"regions"}


def test_a_change_of_what_counts_at_the_end_shows_in_the_outcomes(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(the_end, "A_CARD_OF_MORE", 3)
    found = altered()
    assert found["regions-3"].startswith('The outcome is {"scores":[{"seat":1,"total":')
    assert {name.partition("-")[0] for name in found} == {"regions"}


def write_trails() -> None:
    lines = []
    for name, record in records().items():
        digits = " ".join(digits_of(play) for play in steps(record))
        lines.append(f"{name}\t{outcome_of(check(record))}\t{digits}\n")
    TRAILS.write_text("".join(lines), encoding="utf-8")


if __name__ == "__main__":
    write_trails()

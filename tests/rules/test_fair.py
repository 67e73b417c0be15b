"""Shuffles that anybody can check: by the description alone, with the players' own words, and never by a wrong seed."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from server.rules.chance import Seeded, mixed
from server.rules.playing import Play
from server.rules.record import RecordError, check, read_record, record_of
from tests.rules import fair_check
from tests.rules.matches import CASES, Case, steps

RECORDS = sorted((Path(__file__).parents[1] / "records").glob("*-*-*.json")) + sorted(
    (Path(__file__).parents[1] / "records").glob("*-[0-9].json")
)
SEED = "5eed" * 16
WORDS = ["rhubarb", None, "ø “7”"]


def a_match_with_words(case: Case) -> dict[str, Any]:
    """The record of a whole match whose players have added words."""
    words = [WORDS[seat % 3] for seat in range(case.seats)]
    luck = Seeded(mixed(SEED, words))
    play = Play(case.game, case.seats, dict(case.options), chance=luck)
    for _ in steps(play, random.Random(str(case))):
        pass
    return record_of(play, seed=SEED, words=words)


@pytest.mark.parametrize("file", RECORDS, ids=lambda file: file.stem)
def test_recorded_matches_are_fair_by_the_description_alone(file: Path):
    assert fair_check.fair(json.loads(file.read_text(encoding="utf-8")))


@pytest.mark.parametrize("case", CASES[::7], ids=str)
def test_matches_with_words_are_fair_by_both_checks(case: Case):
    record = a_match_with_words(case)
    assert fair_check.fair(record)
    assert check(read_record(json.dumps(record))).over


def _with(**changes: Any) -> dict[str, Any]:
    return a_match_with_words(CASES[0]) | changes


def _two_exchanged() -> dict[str, Any]:
    record = _with()
    order = record["chance"][-1]["order"]
    other = next(place for place, thing in enumerate(order) if thing != order[0])
    order[0], order[other] = order[other], order[0]
    return record


@pytest.mark.parametrize(
    "changed",
    [
        lambda: _with(seed="another"),
        lambda: _with(commitment="0" * 64),
        lambda: _with(words=["rhubarb", "rhubarb"]),
        lambda: _with(words=None),
        _two_exchanged,
    ],
    ids=["seed", "commitment", "word", "no words", "order"],
)
def test_what_was_changed_afterwards_is_noticed_by_both_checks(changed: Callable[[], dict[str, Any]]):
    record = changed()
    assert not fair_check.fair(record)
    with pytest.raises(RecordError):
        check(read_record(json.dumps(record)))


@pytest.mark.parametrize("words", ["rhubarb", [1], {"1": "rhubarb"}])
def test_words_that_are_none_are_refused_with_a_sentence(words: object):
    with pytest.raises(RecordError, match="“words”"):
        read_record(json.dumps(_with(words=words)))


def test_words_change_the_shuffles_and_no_words_do_not():
    assert mixed(SEED, []) == mixed(SEED, [None, None]) == mixed(SEED, ["", None]) == SEED
    told = {mixed(SEED, words) for words in (["a"], ["b"], [None, "a"], ["a", "b"], ["a\n2:b"], ["1:a"])}
    assert len(told) == 6 - 1, "only what cannot be typed, a line feed in a word, can look like another seat's word"


def test_the_check_is_a_program_of_its_own(tmp_path: Path):
    file = tmp_path / "record.json"
    for record, status in ((_with(), 0), (_two_exchanged(), 1)):
        file.write_text(json.dumps(record), encoding="utf-8")
        done = subprocess.run([sys.executable, "-I", fair_check.__file__, str(file)], capture_output=True, text=True)
        assert (done.returncode, done.stderr != "") == (status, status == 1)


def test_shuffles_are_unbiased():
    """Every order of four things comes equally often: chi-squared with 23 degrees of freedom, below 60."""
    times = 12_000
    orders = Counter(tuple(Seeded(str(seed)).shuffle("things", ["a", "b", "c", "d"])) for seed in range(times))
    assert len(orders) == 24
    assert sum((count - times / 24) ** 2 / (times / 24) for count in orders.values()) < 60

"""The house player: it knows its own seat's position alone, is pure, and beats random play."""

import random

import pytest

from server.house.regions import choose
from server.rules.chance import Seeded
from server.rules.playing import Play
from server.rules.regions import GAME
from server.rules.regions.table import DisplayTable
from server.rules.regions.taking import turn_decision
from server.rules.telling import Seat
from tests.rules.regions.builders import a_table, turn_moves


def a_match_of(house: int, seed: str, seats: int) -> Play:
    """A match in which the house sits on one seat and luck on the others."""
    luck = random.Random(seed)
    match = Play(GAME, seats, chance=Seeded(seed))
    while match.question:
        ((seat, decision),) = match.question.items()
        if seat == house:
            match.answer(seat, decision.read(choose(decision, match.position(seat), seat, luck)))
        else:
            match.answer(seat, luck.choice(decision.answers()))
    return match


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_the_house_beats_random_play(seats: int):
    matches = [(number % seats + 1, a_match_of(number % seats + 1, str(number), seats)) for number in range(12)]
    won = [match for house, match in matches if match.outcome().winners == (house,)]
    assert len(won) >= 10


def test_the_house_chooses_the_same_with_the_same_luck():
    assert a_match_of(1, "7", 2).moves == a_match_of(1, "7", 2).moves


def test_the_house_plays_a_regain_and_passes_when_it_must():
    table = a_table("anjou 1", marks={"1.1": 2}, lost={1: 3}, tiles_in_hand={1: "regain"})
    assert _choice(table) == "regain"
    table = a_table("anjou 1", marks={"1.1": 2}, lost={1: 3})
    assert _choice(table) == "pass"


def test_the_house_takes_the_card_that_spares_minus_points():
    table = a_table(
        "auvergne cross, guyenne 2, bourgogne 2",
        cards={
            1: "anjou cross, bourgogne sword, bretagne tower, champagne 2, guyenne 2, languedoc 2, normandie 1, "
            "provence 2",
            2: "bourgogne cross, guyenne sword",
        },
    )
    assert turn_moves(table) == ["take 1L", "take 1R"]
    assert _choice(table) == "take 1L"


def _choice(table: DisplayTable) -> str:
    decision = turn_decision(table, Seat(1))
    return choose(decision, GAME.position(table, 1), 1, random.Random(1))

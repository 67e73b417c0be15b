"""Tiles (chapter 4)."""

import pytest

from server.rules.regions import take_turn
from server.rules.regions.the_end import holding
from server.rules.telling import Seat
from tests.rules.regions.builders import (
    a_match,
    a_table,
    go_on,
    hands,
    log,
    mark_moves,
    mark_refusal,
    play,
    tiles_of,
    turn_moves,
    turn_refusal,
)

ANN, BEN = Seat(1), Seat(2)
ROWS = ("bourgogne 2, anjou 1, anjou 2, bourgogne 1", "guyenne tower, provence 2, normandie 1")


@pytest.mark.rule("regions 4.1")
def test_a_tile_counts_one_more_emblem_or_symbol():
    table = a_table(cards={1: "anjou 2, anjou cross"}, tiles_in_hand={1: "anjou, cross, sword, regain"})
    counts = holding(table, ANN).counts
    assert {kind: number for kind, number in counts.items() if number} == {"anjou": 4, "cross": 2, "sword": 1}


@pytest.mark.rule("regions 4.1")
def test_tiles_stay_secret_until_the_end():
    table = a_table("anjou 1, anjou 2", tiles={"1.1": "sword"})
    play(take_turn(table, ANN), "take 1L", "end")
    assert "sword" not in " ".join(log(table, 2)).lower()
    match = a_match("anjou 1", tiles=("sword",))
    assert "tiles" not in match.position(2)["seats"][0]


@pytest.mark.rule("regions 4.2")
def test_a_regain_brings_a_marker_given_up_earlier_back_to_hand():
    table = a_table(*ROWS, lost={1: 3}, tiles_in_hand={1: "regain, anjou"})
    question = play(take_turn(table, ANN), "regain")
    assert question[ANN].kind == "turn"
    assert hands(table)[1] == (1, 0, 2)
    assert tiles_of(table, 1) == ["anjou"]
    assert table.areas[ANN].regains_played == 1


@pytest.mark.rule("regions 4.2")
def test_a_regain_is_shown_to_all():
    table = a_table(*ROWS, lost={1: 1}, tiles_in_hand={1: "regain"})
    (tile,) = table.areas[ANN].tiles
    play(take_turn(table, ANN), "regain")
    assert tile.public
    assert log(table)[-1] == "Ann plays a “regain” tile: one marker given up comes back to hand."


@pytest.mark.rule("regions 4.2")
def test_a_regain_brings_back_a_marker_given_up_in_this_very_turn():
    table = a_table(*ROWS, marks={"1.1": 2}, tiles_in_hand={1: "regain"})
    assert "regain" not in turn_moves(table)
    play(take_turn(table, ANN), "take 1L", "regain", "mark 1.2")
    assert hands(table)[1] == (2, 1, 0)


@pytest.mark.rule("regions 4.2")
def test_a_regain_taken_in_this_turn_can_be_played_in_it():
    table = a_table(*ROWS, marks={"1.1": 2}, tiles={"1.1": "regain"})
    question = play(take_turn(table, ANN), "take 1L")
    assert list(question[ANN].answers())[-1] == "regain"


@pytest.mark.rule("regions 4.2")
def test_both_regains_can_be_played_in_one_turn():
    table = a_table(*ROWS, lost={1: 3}, tiles_in_hand={1: "regain, regain"})
    play(take_turn(table, ANN), "regain", "regain", "take 1L")
    assert hands(table)[1] == (2, 0, 1)
    assert table.areas[ANN].regains_played == 2


@pytest.mark.rule("regions 4.2")
@pytest.mark.parametrize(
    ("lost", "tile", "why"),
    [
        ({}, "regain", "You have given up no marker; a “regain” tile has nothing to bring back."),
        ({1: 1}, "anjou", "You have no “regain” tile in hand."),
        ({2: 1}, "regain", "You have given up no marker; a “regain” tile has nothing to bring back."),
    ],
)
def test_a_regain_needs_the_tile_and_a_marker_given_up(lost: dict[int, int], tile: str, why: str):
    table = a_table(*ROWS, lost=lost, tiles_in_hand={1: tile, 2: "regain"})
    assert "regain" not in turn_moves(table)
    assert "regain" not in mark_moves(table)
    assert turn_refusal(table, "regain") == mark_refusal(table, "regain") == ("regions 4.2", why)


@pytest.mark.rule("regions 4.2")
def test_regain_stands_alone():
    table = a_table(*ROWS, lost={1: 1}, tiles_in_hand={1: "regain"})
    assert turn_refusal(table, "regain take 1L") == (
        "regions 4.2",
        "Write “regain” alone; your other move comes after it.",
    )


@pytest.mark.rule("regions 4.2")
@pytest.mark.parametrize("last", ["end", "mark 1.2"])
def test_nothing_comes_after_the_move_that_ends_the_turn(last: str):
    table = a_table(*ROWS, lost={1: 1}, tiles_in_hand={1: "regain"})
    script = take_turn(table, ANN)
    play(script, "take 1L")
    assert go_on(script, {ANN: last}) == {}


@pytest.mark.rule("regions 4.2")
def test_a_regain_and_a_take_can_be_sent_together():
    match = a_match(
        "anjou 1, provence 2, champagne 2, anjou cross, anjou sword",
        "bourgogne 1, bourgogne 2, guyenne 2, normandie 1",
        tiles=("provence", "champagne", "regain"),
    )
    for seat, text in (
        (1, "take 1L; mark 2.1"),
        (2, "take 2L; mark 1.2"),
        (1, "take 1L; end"),
        (2, "take 2L; end"),
        (1, "take 2L; end"),
        (2, "take 1L; mark 3.1"),
        (1, "take 2L"),
        (1, "end"),
        (2, "take 4L; end"),
        (1, "take 3L; end"),
        (2, "take 3L; end"),
    ):
        match.submit(seat, text)
    assert match.position(1)["seats"][0]["tiles"] == ["regain"]
    assert match.position(1)["seats"][0]["markers_lost"] == 2
    assert match.submit(1, "regain; take 2L; end") == ("regain", "take 2L", "end")
    assert match.position(None)["seats"][0]["markers_lost"] == 1

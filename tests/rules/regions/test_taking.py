"""Taking cards (chapter 2)."""

import pytest

from server.rules.regions import GAME, take_turn
from server.rules.regions.taking import turn_decision
from server.rules.telling import Seat
from tests.rules.regions.builders import (
    a_match,
    a_table,
    cards_of,
    hands,
    log,
    mark_moves,
    play,
    tiles_of,
    turn_moves,
    turn_refusal,
)

ANN, BEN = Seat(1), Seat(2)
FOUR_ROWS = (
    "bourgogne 2, anjou 1, bourgogne 1",
    "anjou cross, provence 2, guyenne tower",
    "bourgogne sword, auvergne 2, normandie 1",
    "provence cross, bretagne 1, languedoc 2",
)


@pytest.mark.rule("regions 2.1")
def test_one_card_can_be_taken_from_each_end_of_each_row():
    assert [move for move in turn_moves(a_table(*FOUR_ROWS)) if move.count(" ") == 1] == [
        "take 1L",
        "take 1R",
        "take 2L",
        "take 2R",
        "take 3L",
        "take 3R",
        "take 4L",
        "take 4R",
    ]


@pytest.mark.rule("regions 2.1")
def test_a_card_taken_from_the_left_or_the_right_end_is_the_one_that_lies_there():
    table = a_table(*FOUR_ROWS)
    play(take_turn(table, ANN), "take 1L", "end")
    play(take_turn(table, BEN), "take 4R", "end")
    assert cards_of(table, 1) == ["bourgogne 2"]
    assert cards_of(table, 2) == ["languedoc 2"]
    assert turn_moves(table)[0] == "take 1L"
    play(take_turn(table, ANN), "take 1L")
    assert cards_of(table, 1) == ["bourgogne 2", "anjou 1"]


@pytest.mark.rule("regions 2.1")
def test_who_can_take_must_take():
    table = a_table(*FOUR_ROWS)
    assert "pass" not in turn_moves(table)
    assert turn_refusal(table, "end")[0] == "regions 3.9"


@pytest.mark.rule("regions 2.1")
def test_turns_go_round_by_seat():
    match = a_match(seats=3)
    asked = []
    for _ in range(7):
        ((seat, decision),) = match.question.items()
        asked.append((int(seat), decision.kind))
        match.answer(seat, decision.answers()[0] if decision.kind == "turn" else "end")
    assert asked == [(1, "turn"), (1, "mark"), (2, "turn"), (2, "mark"), (3, "turn"), (3, "mark"), (1, "turn")]


@pytest.mark.rule("regions 2.1")
@pytest.mark.parametrize(
    "text", ["take", "take 1L 3R 2L", "take 5L", "take 1", "take L1", "take 1.1", "1L", "nonsense"]
)
def test_a_take_names_one_end_or_two(text: str):
    rule, why = turn_refusal(a_table(*FOUR_ROWS), text)
    assert rule == "regions 2.1"
    assert "1L" in why
    assert "3R" in why


@pytest.mark.rule("regions 2.1")
def test_an_empty_row_has_no_ends():
    table = a_table(FOUR_ROWS[0], "", *FOUR_ROWS[2:])
    assert not any("2L" in move or "2R" in move for move in turn_moves(table))
    assert turn_refusal(table, "take 2L") == ("regions 2.1", "Row 2 is empty; take from another row.")


@pytest.mark.rule("regions 2.1")
def test_a_row_with_one_card_does_not_give_two():
    table = a_table("bourgogne 1", "bourgogne sword")
    rule, why = turn_refusal(table, "take 1L 1R")
    assert (rule, why) == ("regions 2.1", "Row 1 has only one card left; the second must come from elsewhere.")


@pytest.mark.rule("regions 2.2")
def test_two_cards_are_of_one_region_with_two_emblems_at_most():
    table = a_table(*FOUR_ROWS)
    assert [move for move in turn_moves(table) if move.count(" ") > 1] == ["take 1R 3L"]


@pytest.mark.rule("regions 2.2")
def test_symbols_do_not_count_as_emblems():
    table = a_table("bourgogne cross, anjou 2, anjou 1", "bourgogne sword, provence 2, guyenne tower")
    assert "take 1L 2L" in turn_moves(table)
    play(take_turn(table, ANN), "take 1L 2L")
    assert cards_of(table, 1) == ["bourgogne cross", "bourgogne sword"]


@pytest.mark.rule("regions 2.2")
def test_cards_of_two_regions_are_refused():
    assert turn_refusal(a_table(*FOUR_ROWS), "take 1R 2L") == (
        "regions 2.2",
        "Two cards taken together must be of one region; Bourgogne 1 and Anjou cross are not.",
    )


@pytest.mark.rule("regions 2.2")
@pytest.mark.parametrize(("other", "number"), [("bourgogne 1", 3), ("bourgogne sword", 3), ("bourgogne 2", 4)])
def test_more_than_two_emblems_are_refused(other: str, number: int):
    rule, why = turn_refusal(a_table("bourgogne 2, anjou 1, anjou 2", f"{other}, anjou cross"), "take 1L 2L")
    assert rule == "regions 2.2"
    assert why.endswith(f"have {number}.")


@pytest.mark.rule("regions 2.3")
def test_the_second_card_may_be_the_one_that_the_first_uncovered():
    table = a_table("bourgogne 1, bourgogne sword, anjou 2, anjou 1")
    assert "take 1L 1L" in turn_moves(table)
    play(take_turn(table, ANN), "take 1L 1L")
    assert cards_of(table, 1) == ["bourgogne 1", "bourgogne sword"]


@pytest.mark.rule("regions 2.3")
def test_the_uncovered_card_may_lie_at_the_right_end():
    table = a_table("anjou 1, anjou 2, bourgogne 1, bourgogne sword")
    assert "take 1R 1R" in turn_moves(table)
    play(take_turn(table, ANN), "take 1R 1R")
    assert sorted(cards_of(table, 1)) == ["bourgogne 1", "bourgogne sword"]


@pytest.mark.rule("regions 2.3")
def test_an_uncovered_card_must_fit_too():
    table = a_table("bourgogne 1, anjou 1, bourgogne sword, anjou 2")
    assert turn_refusal(table, "take 1L 1L")[0] == "regions 2.2"
    assert "take 1L 1L" not in turn_moves(table)


@pytest.mark.rule("regions 2.3")
@pytest.mark.parametrize("text", ["take 1L 3L", "take 3L 1L"])
def test_the_order_in_which_two_ends_are_named_changes_nothing(text: str):
    def after(text: str) -> object:
        table = a_table(
            "bourgogne 1, anjou 1", "provence 2, provence cross", "bourgogne cross, anjou 2", marks={"1.1": 2}
        )
        play(take_turn(table, ANN), text)
        return hands(table), log(table), cards_of(table, 1)

    assert after(text) == after("take 1L 3L")


@pytest.mark.rule("regions 2.3")
def test_all_is_settled_when_both_cards_are_taken_the_own_marker_pays_for_the_other():
    table = a_table("bourgogne 1, anjou 1", "bourgogne cross, anjou 2", marks={"1.1": 2, "2.1": 1}, lost={1: 2})
    assert hands(table)[1] == (0, 1, 2)
    assert turn_refusal(table, "take 1L")[0] == "regions 3.5"
    play(take_turn(table, ANN), "take 1L 2L")
    assert hands(table)[1] == (0, 0, 3)


@pytest.mark.rule("regions 2.4")
def test_the_very_first_turn_takes_one_card():
    match = a_match("bourgogne 1, bourgogne sword")
    decision = match.decision(1)
    assert list(decision.answers()) == [f"take {row}{side}" for row in "1234" for side in "LR"]
    table = a_table(*FOUR_ROWS, first_turn=True)
    assert turn_refusal(table, "take 1R 3L") == (
        "regions 2.4",
        "The very first turn of a match takes only one card; name one end.",
    )


@pytest.mark.rule("regions 2.4")
def test_the_very_first_turn_may_mark_as_usual():
    match = a_match("bourgogne 1, bourgogne sword")
    match.submit(1, "take 1L; mark 1.2")
    assert match.position(None)["rows"][0][1] == {"card": "bourgogne sword", "tile": False, "marker": 1}


@pytest.mark.rule("regions 2.4")
@pytest.mark.parametrize("seat", [1, 2])
def test_every_later_turn_may_take_two(seat: int):
    match = a_match("bourgogne 1, bourgogne sword, bourgogne cross, bourgogne tower", "anjou 1, anjou 2")
    match.submit(1, "take 2L; end")
    if seat == 1:
        match.submit(2, "take 2L; end")
    assert "take 1L 1L" in match.decision(seat).answers()


@pytest.mark.rule("regions 2.5")
def test_a_tile_comes_to_the_takers_hand_and_only_the_taker_sees_it():
    table = a_table(*FOUR_ROWS, tiles={"1.1": "sword", "2.1": "anjou"})
    play(take_turn(table, ANN), "take 1L")
    (tile,) = table.areas[ANN].tiles
    assert tile.front == "sword"
    assert [viewer for viewer in (1, 2, None) if tile.known_to(viewer)] == [1]
    assert log(table, 1)[-1] == "Ann looks at the tile from 1.1: sword."
    assert log(table, 2)[-1] == log(table)[-1] == "Ann looks at the tile from 1.1: a tile."
    assert tiles_of(table, 2) == []


@pytest.mark.rule("regions 2.5")
def test_two_tiles_come_with_two_cards():
    table = a_table(*FOUR_ROWS, tiles={"1.3": "sword", "3.1": "anjou"})
    play(take_turn(table, ANN), "take 1R 3L")
    assert sorted(tiles_of(table, 1)) == ["anjou", "sword"]
    assert table.tiles == {}


@pytest.mark.rule("regions 2.6")
def test_collected_cards_lie_open_sorted_by_region():
    table = a_table(*FOUR_ROWS)
    for text in ("take 4L", "take 1R 3L", "take 2L"):
        play(take_turn(table, ANN), text, "end")
    for viewer in (1, 2, None):
        assert GAME.position(table, viewer)["seats"][0]["cards"] == [
            "anjou cross",
            "bourgogne 1",
            "bourgogne sword",
            "provence cross",
        ]


@pytest.mark.rule("regions 2.7")
def test_who_can_take_nothing_passes_and_marks_nothing():
    table = a_table("bourgogne 1", "anjou 2", marks={"1.1": 2, "2.1": 2}, lost={1: 3})
    assert turn_moves(table) == ["pass"]
    assert play(take_turn(table, ANN), "pass") == {}
    assert hands(table)[1] == (0, 0, 3)
    assert log(table)[-1] == (
        "Ann passes: every end of a row carries another player’s marker, and Ann has no marker left."
    )


@pytest.mark.rule("regions 2.7")
@pytest.mark.parametrize(
    ("marks", "lost"),
    [
        ({"1.1": 2, "2.1": 2}, 2),  # a marker in hand
        ({"1.1": 2, "1.3": 2, "1.2": 1, "2.1": 2}, 2),  # a marker on the display
        ({"1.1": 2, "1.3": 2}, 3),  # an end without a marker
        ({"1.1": 2, "1.3": 2, "2.1": 1}, 2),  # an end with the own marker
    ],
)
def test_nobody_passes_who_can_take(marks: dict[str, int], lost: int):
    table = a_table("bourgogne 1, anjou 1, anjou cross", "anjou 2", marks=marks, lost={1: lost})
    assert "pass" not in turn_moves(table)
    assert turn_refusal(table, "pass") == (
        "regions 2.7",
        "You can take a card, so you must; only who can take nothing passes.",
    )


@pytest.mark.rule("regions 2.7")
def test_who_could_take_after_a_regain_may_play_it_and_must_then_take():
    table = a_table("bourgogne 1", "anjou 2", marks={"1.1": 2}, lost={1: 3, 2: 1}, tiles_in_hand={1: "regain"})
    table.put_marker(BEN, 12)
    assert turn_moves(table) == ["pass", "regain"]
    question = play(take_turn(table, ANN), "regain")
    assert list(question[ANN].answers()) == ["take 1L", "take 2L"]
    assert turn_refusal(table, "pass")[0] == "regions 2.7"


@pytest.mark.rule("regions 2.7")
def test_who_could_take_after_a_regain_may_pass_all_the_same():
    table = a_table("bourgogne 1", marks={"1.1": 2}, lost={1: 3}, tiles_in_hand={1: "regain"})
    assert play(take_turn(table, ANN), "pass") == {}
    assert tiles_of(table, 1) == ["regain"]


@pytest.mark.rule("regions 2.7")
def test_pass_stands_alone():
    table = a_table("bourgogne 1", marks={"1.1": 2}, lost={1: 3})
    assert turn_refusal(table, "pass 1L") == ("regions 2.7", "Write “pass” alone.")


ONE_TEXT = {
    "take 1L": ["take 1L", "take 1R"],
    "take 2L 2L": ["take 2L 2L", "take 2L 2R", "take 2R 2L", "take 2R 2R"],
    "take 1L 2L": ["take 1L 2L", "take 1R 2L", "take 2L 1L", "take 2L 1R"],
    "take 1L 2R": ["take 1L 2R", "take 1R 2R", "take 2R 1L", "take 2R 1R"],
    "take 3L 3R": ["take 3L 3R", "take 3R 3L"],
    "take 1L 3R": ["take 1L 3R", "take 1R 3R", "take 3R 1L", "take 3R 1R"],
    "take 3R": ["take 3R"],
}


@pytest.mark.rule("regions 2.8")
@pytest.mark.parametrize(("text", "written"), [(text, each) for text, many in ONE_TEXT.items() for each in many])
def test_a_take_has_one_text_and_the_others_read_as_it(text: str, written: str):
    table = a_table("bourgogne 1", "bourgogne cross, bourgogne sword", "bourgogne tower, anjou 2, bourgogne 1")
    assert turn_decision(table, ANN).read(written) == text
    assert turn_decision(table, ANN).read(f"  {written.lower().replace(' ', ',  ')}. ") == text


@pytest.mark.rule("regions 2.8")
def test_each_take_is_listed_once_in_its_one_text():
    table = a_table("bourgogne 1", "bourgogne cross, bourgogne sword", "bourgogne tower, anjou 2, bourgogne 1")
    assert turn_moves(table) == [
        "take 1L",
        "take 1L 2L",
        "take 1L 2R",
        "take 1L 3L",
        "take 1L 3R",
        "take 2L",
        "take 2L 2L",
        "take 2L 3L",
        "take 2L 3R",
        "take 2R",
        "take 2R 3L",
        "take 2R 3R",
        "take 3L",
        "take 3L 3R",
        "take 3R",
    ]


@pytest.mark.rule("regions 2.8")
@pytest.mark.parametrize("row", ["bourgogne 1, bourgogne cross, bourgogne tower", "bourgogne 1, bourgogne cross"])
def test_the_end_that_is_named_last_in_a_long_row_is_not_changed(row: str):
    table = a_table(row, "anjou 2")
    assert turn_decision(table, ANN).read("take 1r") == "take 1R"


def test_after_a_take_the_same_seat_is_asked_to_mark():
    table = a_table(*FOUR_ROWS)
    question = play(take_turn(table, ANN), "take 1L")
    assert {seat: decision.kind for seat, decision in question.items()} == {ANN: "mark"}
    assert "take 1R" not in mark_moves(table)

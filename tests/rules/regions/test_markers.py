"""Property markers (chapter 3)."""

import pytest

from server.rules.regions import take_turn
from server.rules.regions.marking import mark_decision
from server.rules.regions.taking import turn_decision
from server.rules.telling import Seat, Speech, say
from tests.rules.regions.builders import (
    NAMES,
    a_match,
    a_table,
    go_on,
    hands,
    log,
    mark_moves,
    mark_refusal,
    play,
    turn_moves,
    turn_refusal,
)

ANN, BEN, CAT = Seat(1), Seat(2), Seat(3)
ROWS = ("bourgogne 2, anjou 1, anjou 2, bourgogne 1", "guyenne tower, provence 2, normandie 1")


@pytest.mark.rule("regions 3.1")
def test_any_card_without_a_marker_can_be_marked_also_one_with_a_tile():
    table = a_table(*ROWS, marks={"1.2": 1, "2.3": 2}, tiles={"2.2": "sword"})
    assert mark_moves(table) == ["mark 1.1", "mark 1.3", "mark 1.4", "mark 2.1", "mark 2.2", "end"]


@pytest.mark.rule("regions 3.1")
def test_marks_are_listed_by_row_and_then_by_column():
    long_row = ", ".join(["anjou 2"] * 12)
    assert mark_moves(a_table(long_row, long_row)) == [
        *(f"mark {row}.{column}" for row in (1, 2) for column in range(1, 13)),
        "end",
    ]


@pytest.mark.rule("regions 3.1")
def test_marking_puts_a_marker_from_hand_on_the_card_and_ends_the_turn():
    table = a_table(*ROWS)
    assert play(take_turn(table, ANN), "take 1L", "mark 2.2") == {}
    assert hands(table)[1] == (2, 1, 0)
    assert table.marked == {13: ANN}
    assert log(table)[-1] == "Ann marks Provence 2 on 2.2."


@pytest.mark.rule("regions 3.1")
def test_the_columns_keep_their_numbers_as_cards_go():
    table = a_table(*ROWS)
    play(take_turn(table, ANN), "take 1L", "mark 1.2")
    assert table.display[1].name == "anjou 1"
    assert table.marked == {1: ANN}


@pytest.mark.rule("regions 3.1")
@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("mark 1.1", "No card lies on 1.1 any more."),
        ("mark 3.1", "No card lies on 3.1 any more."),
        ("mark 1.2", "1.2 carries the marker of Ann already."),
        ("mark 2.3", "2.3 carries the marker of Ben already."),
        ("mark 5.1", "There is no such place: rows run from 1 to 4 and columns from 1 to 12, such as “2.5”."),
        ("mark 1.13", "There is no such place: rows run from 1 to 4 and columns from 1 to 12, such as “2.5”."),
        ("mark 01.3", "There is no such place: rows run from 1 to 4 and columns from 1 to 12, such as “2.5”."),
        ("mark", "Name the one place of the card to mark, such as “mark 2.5”."),
        ("mark 1.3 1.4", "Name the one place of the card to mark, such as “mark 2.5”."),
    ],
)
def test_what_cannot_be_marked(text: str, why: str):
    table = a_table(f"– {ROWS[0].partition(', ')[2]}", ROWS[1], marks={"1.2": 1, "2.3": 2})
    assert mark_refusal(table, text) == ("regions 3.1", why)


@pytest.mark.rule("regions 3.2")
def test_with_no_marker_in_hand_one_on_the_display_may_be_moved():
    table = a_table("anjou 2, anjou 1", "provence 2", marks={"1.2": 1, "2.1": 1}, lost={1: 1})
    assert mark_moves(table) == ["move 1.2 1.1", "move 2.1 1.1", "end"]


@pytest.mark.rule("regions 3.2")
def test_moves_are_listed_by_the_old_place_and_then_by_the_new_one():
    row = ", ".join(["anjou 2"] * 12)
    table = a_table(row, marks={"1.11": 1, "1.2": 1, "1.9": 1})
    free = (1, 3, 4, 5, 6, 7, 8, 10, 12)
    assert mark_moves(table) == [*(f"move 1.{old} 1.{new}" for old in (2, 9, 11) for new in free), "end"]


@pytest.mark.rule("regions 3.2")
def test_moving_frees_the_old_card_and_ends_the_turn():
    table = a_table("provence cross, anjou 2, anjou 1", marks={"1.2": 1}, lost={1: 2})
    assert play(take_turn(table, ANN), "take 1L", "move 1.2 1.3") == {}
    assert table.marked == {2: ANN}
    assert hands(table)[1] == (0, 1, 2)
    assert log(table)[-1] == "Ann moves a marker from 1.2 to Anjou 1 on 1.3."
    assert "mark 1.2" in mark_moves(table, 2)
    assert "mark 1.3" not in mark_moves(table, 2)


@pytest.mark.rule("regions 3.2")
def test_who_can_mark_cannot_move():
    table = a_table(*ROWS, marks={"1.2": 1})
    assert not any(move.startswith("move") for move in mark_moves(table))
    assert mark_refusal(table, "move 1.2 1.1") == (
        "regions 3.2",
        "You have a marker in hand to put down: “mark” a card instead of moving a marker.",
    )


@pytest.mark.rule("regions 3.2")
def test_who_has_no_marker_in_hand_cannot_mark():
    table = a_table(*ROWS, marks={"1.2": 1}, lost={1: 2})
    assert not any(move.startswith("mark") for move in mark_moves(table))
    assert mark_refusal(table, "mark 1.1") == (
        "regions 3.2",
        "You have no marker in hand; “move” one from the display, or “end”.",
    )


@pytest.mark.rule("regions 3.2")
@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("move 1.2", "Name the place of your marker and the new place, such as “move 2.5 3.7”."),
        ("move 1.2 1.1 1.3", "Name the place of your marker and the new place, such as “move 2.5 3.7”."),
        ("move 2.3 1.1", "Move one of your own markers; they lie on 1.2, 2.1."),
        ("move 1.1 1.3", "Move one of your own markers; they lie on 1.2, 2.1."),
        ("move 1.2 2.3", "2.3 carries the marker of Ben already."),
        ("move 1.2 2.1", "2.1 carries the marker of Ann already."),
        ("move 1.2 1.2", "1.2 carries the marker of Ann already."),
        ("move 1.2 4.12", "No card lies on 4.12 any more."),
        ("move 1.2 nowhere", "There is no such place: rows run from 1 to 4 and columns from 1 to 12, such as “2.5”."),
    ],
)
def test_what_cannot_be_moved(text: str, why: str):
    table = a_table(*ROWS, marks={"1.2": 1, "2.1": 1, "2.3": 2}, lost={1: 1})
    assert mark_refusal(table, text) == ("regions 3.2", why)


@pytest.mark.rule("regions 3.2")
@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("mark 1.1", "You have no marker left in hand or on the display; write “end”."),
        ("move 1.1 1.2", "You have no marker on the display to move; write “end”."),
    ],
)
def test_without_any_marker_nothing_is_marked_or_moved(text: str, why: str):
    table = a_table(*ROWS, lost={1: 3})
    assert mark_moves(table) == ["end"]
    assert mark_refusal(table, text) == ("regions 3.2", why)


@pytest.mark.rule("regions 3.3")
def test_with_four_players_two_are_on_the_display_at_most_and_one_of_them_may_move():
    table = a_table("anjou 2, anjou 1", "provence 2", seats=4, marks={"1.2": 1, "2.1": 1})
    assert hands(table)[1] == (1, 2, 0)
    assert mark_moves(table) == ["move 1.2 1.1", "move 2.1 1.1", "end"]
    assert mark_refusal(table, "mark 1.1") == (
        "regions 3.3",
        "With four players at most two of your markers are on the display; “move” one, or “end”.",
    )


@pytest.mark.rule("regions 3.3")
def test_with_four_players_the_second_marker_is_put_down_as_usual():
    table = a_table("anjou 2, anjou 1", "provence 2", seats=4, marks={"1.2": 1, "2.1": 2})
    assert mark_moves(table) == ["mark 1.1", "end"]


@pytest.mark.rule("regions 3.3")
@pytest.mark.parametrize("seats", [2, 3])
def test_with_fewer_players_all_three_may_be_on_the_display(seats: int):
    table = a_table("anjou 2, anjou 1", "provence 2", seats=seats, marks={"1.2": 1, "2.1": 1})
    assert mark_moves(table) == ["mark 1.1", "end"]


@pytest.mark.rule("regions 3.4")
def test_a_card_with_an_opponents_marker_costs_one_own_marker_and_gives_theirs_back():
    table = a_table(*ROWS, marks={"1.1": 2})
    play(take_turn(table, ANN), "take 1L")
    assert hands(table) == {1: (2, 0, 1), 2: (3, 0, 0)}
    assert log(table)[-2:] == ["Ben gets the marker on 1.1 back.", "Ann gives up one marker from hand for it."]


@pytest.mark.rule("regions 3.4")
def test_two_opponents_get_their_markers_back():
    table = a_table("bourgogne 1, anjou 1", "bourgogne cross, anjou 2", seats=3, marks={"1.1": 2, "2.1": 3})
    play(take_turn(table, ANN), "take 1L 2L")
    assert hands(table) == {1: (1, 0, 2), 2: (3, 0, 0), 3: (3, 0, 0)}
    assert log(table)[-1] == "Ann gives up two markers from hand for it."


@pytest.mark.rule("regions 3.4")
def test_the_price_is_said_before_it_is_paid():
    table = a_table(
        "bourgogne 1, anjou 1", "bourgogne cross, anjou 2", "anjou 2", seats=3, marks={"1.1": 2, "2.1": 3, "3.1": 1},
        lost={1: 1}, tiles={"1.1": "sword"},
    )  # fmt: skip
    said = turn_decision(table, ANN).say("take 1L 2L lose 3.1")
    assert say(said, ANN, NAMES, Speech(word=str.title)) == (
        "Take Bourgogne 1, Bourgogne Cross from 1L, 2L. A tile lies there: it comes to your hand, and you see it at "
        "once. Ben’s marker there goes back to its owner. Cat’s marker there goes back to its owner. "
        "It costs one marker from your hand, for good. It costs your marker on 3.1, for good."
    )


@pytest.mark.rule("regions 3.5")
def test_markers_are_lost_from_hand_first():
    table = a_table(*ROWS, marks={"1.1": 2, "2.2": 1, "2.3": 1})
    assert turn_moves(table)[0] == "take 1L"
    assert turn_refusal(table, "take 1L lose 2.2") == (
        "regions 3.5",
        "Nothing is due from the display for this take; leave out “lose”.",
    )
    play(take_turn(table, ANN), "take 1L")
    assert hands(table)[1] == (0, 2, 1)


@pytest.mark.rule("regions 3.5")
def test_with_none_in_hand_one_on_the_display_is_lost_and_named():
    table = a_table(*ROWS, marks={"1.1": 2, "2.3": 1, "1.2": 1, "2.2": 1})
    assert [move for move in turn_moves(table) if move.startswith("take 1L")] == [
        "take 1L lose 1.2",
        "take 1L lose 2.2",
        "take 1L lose 2.3",
    ]
    play(take_turn(table, ANN), "take 1L lose 2.2")
    assert hands(table) == {1: (0, 2, 1), 2: (3, 0, 0)}
    assert sorted(table.marked) == [1, 14]
    assert log(table)[-1] == "Ann gives up the marker on 2.2 for it."
    assert "mark 2.2" in mark_moves(table, 2)


@pytest.mark.rule("regions 3.5")
def test_lose_is_written_also_when_only_one_marker_can_be_lost():
    table = a_table(*ROWS, marks={"1.1": 2, "2.2": 1}, lost={1: 2})
    assert "take 1L lose 2.2" in turn_moves(table)
    assert turn_refusal(table, "take 1L") == (
        "regions 3.5",
        "This take costs one of your markers on the display: add “lose” and its place. You have: 2.2.",
    )


PAIR = ("bourgogne 1, anjou 1", "bourgogne cross, anjou 2", "guyenne 2, provence 2, normandie 1, auvergne 2")


@pytest.mark.rule("regions 3.5")
def test_two_marked_cards_cost_two_also_when_both_markers_are_one_opponents():
    table = a_table(*PAIR, marks={"1.1": 2, "2.1": 2})
    play(take_turn(table, ANN), "take 1L 2L")
    assert hands(table) == {1: (1, 0, 2), 2: (3, 0, 0)}


@pytest.mark.rule("regions 3.5")
def test_one_is_lost_from_hand_and_the_other_from_the_display():
    table = a_table(*PAIR, marks={"1.1": 2, "2.1": 2, "3.2": 1, "3.3": 1})
    assert [move for move in turn_moves(table) if move.startswith("take 1L 2L")] == [
        "take 1L 2L lose 3.2",
        "take 1L 2L lose 3.3",
    ]
    play(take_turn(table, ANN), "take 1L 2L lose 3.3")
    assert hands(table)[1] == (0, 1, 2)


@pytest.mark.rule("regions 3.5")
def test_two_from_the_display_all_choices_are_listed_by_row_and_then_by_column():
    row = ", ".join(["guyenne 2"] * 12)
    table = a_table(*PAIR[:2], row, marks={"1.1": 2, "2.1": 2, "3.11": 1, "3.5": 1, "3.2": 1})
    assert [move for move in turn_moves(table) if move.startswith("take 1L 2L")] == [
        "take 1L 2L lose 3.2 3.5",
        "take 1L 2L lose 3.2 3.11",
        "take 1L 2L lose 3.5 3.11",
    ]


@pytest.mark.rule("regions 3.5")
@pytest.mark.parametrize(
    "text", ["take 1L 2L lose 3.5 3.11", "take 2L 1L lose 3.11 3.5", "TAKE 2l, 1l, LOSE 3.11, 3.5."]
)
def test_the_places_to_lose_are_written_by_row_and_then_by_column(text: str):
    row = ", ".join(["guyenne 2"] * 12)
    table = a_table(*PAIR[:2], row, marks={"1.1": 2, "2.1": 2, "3.11": 1, "3.5": 1, "3.2": 1})
    assert turn_decision(table, ANN).read(text) == "take 1L 2L lose 3.5 3.11"
    play(take_turn(table, ANN), text)
    assert hands(table)[1] == (0, 1, 2)
    assert table.marked == {25: ANN}


@pytest.mark.rule("regions 3.5")
def test_own_markers_that_come_back_in_the_same_take_pay_first():
    table = a_table(*PAIR, marks={"1.1": 2, "2.1": 1, "3.2": 1, "3.3": 1})
    assert [move for move in turn_moves(table) if move.startswith("take 1L")] == [
        "take 1L lose 2.1",
        "take 1L lose 3.2",
        "take 1L lose 3.3",
        "take 1L 2L",
    ]
    play(take_turn(table, ANN), "take 1L 2L")
    assert hands(table) == {1: (0, 2, 1), 2: (3, 0, 0)}


@pytest.mark.rule("regions 3.5")
def test_a_take_that_costs_more_markers_than_there_are_is_not_legal():
    table = a_table(*PAIR, marks={"1.1": 2, "2.1": 2}, lost={1: 2})
    assert not any(move.startswith("take 1L 2L") for move in turn_moves(table))
    assert turn_refusal(table, "take 1L 2L") == (
        "regions 3.5",
        "This take costs two markers, but you have only one to give.",
    )


@pytest.mark.rule("regions 3.5")
def test_a_regain_that_lies_on_a_taken_card_does_not_help_to_pay():
    table = a_table(*PAIR, marks={"1.1": 2, "2.1": 2}, lost={1: 2}, tiles={"1.1": "regain"})
    assert not any(move.startswith("take 1L 2L") for move in turn_moves(table))


@pytest.mark.rule("regions 3.5")
@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("take 1L lose", "add “lose” and its place. You have: 3.2, 3.3."),
        ("take 1L lose 3.2 3.3", "add “lose” and its place. You have: 3.2, 3.3."),
        ("take 1L lose 3.1", "A marker to lose must be one of yours that stays on the display: 3.2, 3.3."),
        ("take 1L lose 1.1", "A marker to lose must be one of yours that stays on the display: 3.2, 3.3."),
        ("take 1L lose x", "A marker to lose must be one of yours that stays on the display: 3.2, 3.3."),
        ("take 1L 2L", "add “lose” and their two places. You have: 3.2, 3.3."),
        ("take 1L 2L lose 3.2", "add “lose” and their two places. You have: 3.2, 3.3."),
        ("take 1L 2L lose 3.2 3.2", "add “lose” and their two places. You have: 3.2, 3.3."),
        ("take 1R lose 3.2", "Nothing is due from the display for this take; leave out “lose”."),
        ("take 1R lose", "Nothing is due from the display for this take; leave out “lose”."),
    ],
)
def test_what_is_lost_must_be_what_is_due(text: str, why: str):
    table = a_table(*PAIR, marks={"1.1": 2, "2.1": 2, "3.2": 1, "3.3": 1}, lost={1: 1})
    rule, told = turn_refusal(table, text)
    assert rule == "regions 3.5"
    assert told.endswith(why)


@pytest.mark.rule("regions 3.5")
def test_a_marker_on_a_taken_card_cannot_be_the_one_that_is_lost():
    table = a_table(*PAIR, marks={"1.1": 2, "2.1": 1}, lost={1: 2})
    assert turn_refusal(table, "take 1L 2L lose 2.1")[0] == "regions 3.5"
    assert turn_decision(table, ANN).read("take 1L 2L") == "take 1L 2L"


@pytest.mark.rule("regions 3.6")
def test_the_own_marker_comes_back_to_hand():
    table = a_table(*ROWS, marks={"1.1": 1, "2.1": 1}, lost={1: 1})
    play(take_turn(table, ANN), "take 1L")
    assert hands(table)[1] == (1, 1, 1)
    assert log(table)[-1] == "Ann gets the marker on 1.1 back."


@pytest.mark.rule("regions 3.6")
def test_a_marker_that_came_back_can_be_put_down_in_the_same_turn():
    table = a_table(*ROWS, marks={"1.1": 1}, lost={1: 2})
    play(take_turn(table, ANN), "take 1L", "mark 2.1")
    assert hands(table)[1] == (0, 1, 2)


@pytest.mark.rule("regions 3.7")
def test_without_any_marker_marked_cards_of_others_cannot_be_taken():
    table = a_table(*ROWS, marks={"1.1": 2}, lost={1: 3})
    assert not any(move.startswith("take 1L") for move in turn_moves(table))
    assert turn_refusal(table, "take 1L") == (
        "regions 3.7",
        "You have no marker in hand or on the display, so you cannot take a card with another player’s marker.",
    )


@pytest.mark.rule("regions 3.7")
def test_without_any_marker_unmarked_cards_can_be_taken():
    table = a_table(*ROWS, marks={"1.1": 2}, lost={1: 3})
    assert turn_moves(table) == ["take 1R", "take 2L", "take 2R"]


@pytest.mark.rule("regions 3.8")
def test_end_is_always_offered_and_ends_the_turn_without_a_mark():
    for table in (
        a_table(*ROWS),
        a_table(*ROWS, lost={1: 3}),
        a_table("anjou 2", marks={"1.1": 2}),
        a_table(*ROWS, marks={"1.1": 1, "1.2": 1, "2.1": 1}),
    ):
        assert "end" in mark_moves(table)
    table = a_table(*ROWS)
    assert play(take_turn(table, ANN), "take 1L", "end") == {}
    assert hands(table)[1] == (3, 0, 0)


@pytest.mark.rule("regions 3.8")
def test_end_must_be_said_also_when_nothing_else_is_possible():
    table = a_table(*ROWS, lost={1: 3})
    question = play(take_turn(table, ANN), "take 1L")
    assert list(question[ANN].answers()) == ["end"]


@pytest.mark.rule("regions 3.8")
def test_end_is_asked_though_no_card_is_left_to_mark():
    table = a_table("anjou 2, anjou 1", marks={"1.2": 2})
    question = play(take_turn(table, ANN), "take 1L")
    assert list(question[ANN].answers()) == ["end"]


@pytest.mark.rule("regions 3.8")
@pytest.mark.parametrize(("text", "why"), [("end now", "Write “end” alone."), ("stop", "such as “mark 2.5”, or “end”")])
def test_end_stands_alone(text: str, why: str):
    rule, told = mark_refusal(a_table(*ROWS), text)
    assert rule == "regions 3.8"
    assert why in told


@pytest.mark.rule("regions 3.9")
def test_a_turn_is_two_decisions_of_one_seat():
    match = a_match()
    assert {seat: decision.kind for seat, decision in match.question.items()} == {1: "turn"}
    match.submit(1, "take 1L")
    assert {seat: decision.kind for seat, decision in match.question.items()} == {1: "mark"}
    match.submit(1, "end")
    assert {seat: decision.kind for seat, decision in match.question.items()} == {2: "turn"}


@pytest.mark.rule("regions 3.9")
def test_regain_may_be_answered_to_both_and_leaves_the_decision_open():
    table = a_table(*ROWS, lost={1: 2}, tiles_in_hand={1: "regain, regain"})
    script = take_turn(table, ANN)
    question = play(script)
    assert question[ANN].kind == "turn"
    assert list(question[ANN].answers())[-1] == "regain"
    question = go_on(script, {ANN: "regain"})
    assert question[ANN].kind == "turn"
    question = go_on(script, {ANN: "take 1L"})
    assert question[ANN].kind == "mark"
    assert list(question[ANN].answers())[-1] == "regain"
    question = go_on(script, {ANN: "regain"})
    assert question[ANN].kind == "mark"
    assert go_on(script, {ANN: "mark 1.2"}) == {}


@pytest.mark.rule("regions 3.9")
@pytest.mark.parametrize("tile", ["regain", "anjou"])
def test_whether_end_is_asked_does_not_depend_on_a_secret_tile(tile: str):
    table = a_table(*ROWS, lost={1: 3}, tiles_in_hand={1: tile})
    question = play(take_turn(table, ANN), "take 1L")
    assert set(question) == {ANN}
    assert question[ANN].prompt == mark_decision(a_table(*ROWS, lost={1: 3}), ANN).prompt


@pytest.mark.rule("regions 3.9")
@pytest.mark.parametrize("tile", ["regain", "anjou"])
def test_whether_pass_is_asked_does_not_depend_on_a_secret_tile(tile: str):
    table = a_table("anjou 1", marks={"1.1": 2}, lost={1: 3}, tiles_in_hand={1: tile})
    question = play(take_turn(table, ANN))
    assert "pass" in question[ANN].answers()
    assert question[ANN].prompt == turn_decision(a_table("anjou 1", marks={"1.1": 2}, lost={1: 3}), ANN).prompt


@pytest.mark.rule("regions 3.9")
def test_pass_and_end_are_moves_of_the_record():
    match = a_match()
    match.submit(1, "take 1L; end")
    assert [made.text for made in match.moves] == ["take 1L", "end"]


@pytest.mark.rule("regions 3.9")
@pytest.mark.parametrize("text", ["mark 1.1", "move 1.1 1.2", "end"])
def test_first_the_take_then_the_mark(text: str):
    assert turn_refusal(a_table(*ROWS), text) == (
        "regions 3.9",
        "First take: markers are placed, moved or left alone after it.",
    )


@pytest.mark.rule("regions 3.9")
@pytest.mark.parametrize("text", ["take 1L", "pass"])
def test_cards_are_taken_once_a_turn(text: str):
    assert mark_refusal(a_table(*ROWS), text) == (
        "regions 3.9",
        "You have taken your cards; now mark a card, or write “end”.",
    )

"""Faults that others reported, as cases for this game."""

from __future__ import annotations

import pytest

from server.rules.asking import Refused
from server.rules.intrigues import GAME
from server.rules.intrigues.ending import outcome
from server.rules.intrigues.turn import take_turn
from tests.rules.intrigues.builders import (
    ANN,
    BEN,
    CAT,
    DAN,
    EMINENCE,
    QUEEN,
    a_match,
    a_table,
    in_city,
    in_hand,
    pieces,
    play,
    told,
)

# B23: resolution and ties


@pytest.mark.rule("intrigues 4.1")
def test_case_B23_a_full_sheet_is_scored_and_the_agents_of_the_other_are_shown():
    table = a_table(
        on={
            "R1.1": (BEN, 3),
            "R1.2": (CAT, 1),
            "O1.1": (BEN, 2),
            "O1.2": (BEN, 2),
            "O1.3": (CAT, 1),
            "O1.4": (CAT, 1),
            "R2.1": (CAT, 2),
        }
    )
    assert {pieces(table, ANN)[spot]["value"] for spot in ("R1.1", "R1.2", "O1.1")} == {None}
    play(take_turn(table, ANN), "place 1 O1.5")
    assert "On Richelieu 1 lie: 3 of Ben on R1.1, 1 of Cat on R1.2." in told(table, ANN)
    assert in_city(table, BEN) == [2, 2, 3]
    assert pieces(table, ANN) == {"R2.1": {"owner": 3, "value": None, "face": "down"}}


@pytest.mark.rule("intrigues 5.1")
def test_case_B23_at_seven_to_seven_the_cardinal_wins():
    table = a_table(
        on={
            "O1.1": (BEN, 3),
            "O1.2": (BEN, 3),
            "R1.1": (CAT, 3),
            "R1.2": (CAT, 3),
            "R1.3": (ANN, 1),
            "R1.4": (DAN, -2),
            "O1.3": (DAN, 1),
        },
        seats=4,
    )
    play(take_turn(table, ANN), "place 2 R1.5")
    assert "Both sheets have 7: a tie goes to Richelieu 1." in told(table)
    assert table.sheets[CAT] == ["R1"]


@pytest.mark.rule("intrigues 5.2")
@pytest.mark.rule("intrigues 5.5")
def test_case_B23_a_best_total_of_zero_or_less_earns_nothing():
    table = a_table(on={"O1.1": EMINENCE, "O1.2": (BEN, 2), "O1.3": (BEN, -2), "O1.4": (ANN, -2)})
    play(take_turn(table, ANN), "place 2 O1.5")
    assert table.prestige == {ANN: 0, BEN: 0, CAT: 0}
    assert not any(table.sheets.values())


@pytest.mark.rule("intrigues 5.4")
def test_case_B23_two_level_for_first_and_three_level_for_second():
    table = a_table(on={"O1.1": (CAT, 1), "O1.2": (BEN, 2), "O1.3": (ANN, 3), "O1.4": (BEN, 1)})
    play(take_turn(table, CAT), "place -2 O1.5")
    assert (table.sheets[BEN], table.prestige) == (["E2"], {ANN: 2, BEN: 4, CAT: 0})
    table = a_table(4, on={"O1.1": (ANN, 3), "O1.2": (DAN, 1), "O1.3": (CAT, 1), "O1.4": (BEN, 1)})
    play(take_turn(table, ANN), "place 1 O1.5")
    assert table.prestige == {ANN: 4, BEN: 0, CAT: 0, DAN: 2}


@pytest.mark.rule("intrigues 5.2")
def test_case_B23_a_player_on_both_sheets_is_rewarded_for_the_winning_one_only():
    table = a_table(
        on={"R1.1": (BEN, 3), "R1.2": (BEN, 1), "O1.1": (BEN, 2), "O1.2": (BEN, 2), "O1.3": (CAT, 3), "O1.4": (ANN, 1)}
    )
    play(take_turn(table, ANN), "place 1 O1.5")
    assert table.sheets[BEN] == ["E2"]
    assert table.prestige == {ANN: 0, BEN: 4, CAT: 2}


@pytest.mark.rule("intrigues 5.5")
def test_case_B23_a_side_that_wins_by_a_royal_piece_alone_leaves_its_sheet_to_nobody():
    table = a_table(
        on={"R1.1": QUEEN, "O1.1": (ANN, -2), "O1.2": (BEN, -2), "O1.3": (CAT, 1), "O1.4": (CAT, 1)},
    )
    play(take_turn(table, ANN), "place 1 O1.5")
    assert "Richelieu 1 wins with 3 against −1 for England 2." in told(table)
    assert not any(table.sheets.values())
    assert "Out of the game: Richelieu 1, England 2." in told(table)


# B25: undo as a peephole


@pytest.mark.rule("intrigues 4.5")
def test_case_B25_a_resolution_cannot_be_taken_back():
    match = a_match(3)
    for seat, moves in ((1, "place 3 O1.1; place 2 O1.5"), (2, "place 2 O1.3; end"), (3, "place 2 O1.4; end")):
        match.submit(seat, moves)
    match.submit(1, "place 1 O1.2")
    assert list(match.question) == [1]
    with pytest.raises(Refused, match="showed you something new"):
        match.undone(1)


def test_case_B25_an_action_that_showed_nothing_can_be_taken_back_until_the_turn_is_handed_over():
    match = a_match(3)
    match.submit(1, "place 3 O1.1")
    assert match.undone(1).version == 0
    match.submit(1, "end")
    with pytest.raises(Refused, match="handed over"):
        match.undone(1)
    with pytest.raises(Refused, match="not the last one"):
        match.undone(2)


@pytest.mark.rule("intrigues 6.3")
def test_case_B25_a_corruption_that_turned_an_agent_up_cannot_be_taken_back():
    match = a_match(3, boxes=(("R10", "E2"), ("R5", "E3"), ("R9", "F3")))
    match.submit(1, "place 3 R1.1; place 3 R1.5")
    match.submit(2, "place 3 R2.1; place 2 R1.3")
    match.submit(3, "place 2 O3.1; place 1 R1.4")
    match.submit(1, "place 2 R1.2")
    match.submit(1, "corrupt O3.1 O3.5")
    assert list(match.question) == [1]
    with pytest.raises(Refused, match="showed you something new"):
        match.undone(1)


# B32: one or two actions, and when agents come back


@pytest.mark.rule("intrigues 2.1")
@pytest.mark.parametrize(("prestige", "actions"), [(6, 2), (7, 1), (8, 1)])
def test_case_B32_level_with_the_cardinal_means_one_action(prestige, actions):
    table = a_table(prestige={ANN: prestige}, cardinal=7)
    play(take_turn(table, ANN))
    assert table.turn.of == actions


@pytest.mark.rule("intrigues 2.1")
def test_case_B32_a_cardinal_who_moves_past_the_player_gives_no_second_action():
    table = a_table(
        on={"R1.1": (BEN, 3), "R1.2": (BEN, 2), "R1.3": (CAT, 2), "R1.4": (CAT, 1)}, prestige={ANN: 8}, cardinal=8
    )
    turn = play(take_turn(table, ANN), "place -2 R1.5")
    assert table.cardinal == 10
    assert turn.over


@pytest.mark.rule("intrigues 2.2")
def test_case_B32_once_a_turn_holds_also_after_a_reload_between_the_two_actions():
    for move in ("income", "sell", "commission"):
        match = a_match(3)
        match.submit(1, move)
        again = match.copy()
        with pytest.raises(Refused) as refused:
            again.submit(1, move)
        assert refused.value.rule == "intrigues 2.2"


@pytest.mark.rule("intrigues 3.7")
def test_case_B32_no_jewel_is_bought_and_sold_in_one_turn_and_none_from_an_empty_city():
    turn = play(take_turn(a_table(money={ANN: 20}), ANN), "buy")
    assert turn.refusal("sell")[0] == "intrigues 2.2"
    table = a_table(money={ANN: 20})
    table.city_jewels = 0
    assert play(take_turn(table, ANN)).refusal("buy")[0] == "intrigues 3.7"


@pytest.mark.rule("intrigues 3.4")
@pytest.mark.parametrize("city", [[], [(ANN, 3), (ANN, 2), (ANN, 1), (ANN, -2)]])
def test_case_B32_the_last_agent_brings_back_what_lies_in_the_city(city):
    table = a_table(hands={ANN: [1]}, city=city)
    play(take_turn(table, ANN), "place 1 R1.5")
    assert in_hand(table, ANN) == sorted(value for _, value in city)


@pytest.mark.rule("intrigues 3.4")
def test_case_B32_the_last_agent_that_also_completes_a_sheet_brings_them_back_first():
    table = a_table(
        on={"O1.1": (BEN, 3), "O1.2": (BEN, 2), "O1.3": (ANN, 2), "O1.4": (ANN, 1)}, hands={ANN: [1]}, city=[(ANN, 3)]
    )
    play(take_turn(table, ANN), "place 1 O1.5")
    assert in_hand(table, ANN) == [3]
    assert in_city(table, ANN) == [1, 1, 2]


# B33: end scoring


def points(*sheets: list[str]) -> list[int]:
    table = a_table(len(sheets))
    for seat, won in zip(table.seats, sheets, strict=True):
        table.sheets[seat] = won
    return [score.parts["richelieu"] + score.parts["opposing"] for score in outcome(table).scores]


@pytest.mark.rule("intrigues 8.3")
@pytest.mark.rule("intrigues 8.4")
def test_case_B33_the_rulebooks_table():
    nick, suzan, tom = ["R1", "R2", "R3", "E1"], ["R4", "R5", "F1", "F2", "F3", "H1"], ["E2", "E3", "P1"]
    assert points(nick, suzan, tom) == [9, 14, 5]


@pytest.mark.rule("intrigues 8.3")
def test_case_B33_ties_none_and_two_players():
    assert points(["R1", "R2"], ["R3", "R4"], []) == [4, 4, 0]
    assert points(["R1", "R2", "R3"], ["R4"], ["R5"]) == [8, 0, 0]
    assert points([], [], []) == [0, 0, 0]
    assert points(["R1", "R2", "R3"], []) == [8, 0]


@pytest.mark.rule("intrigues 8.4")
def test_case_B33_four_english_sheets():
    assert points(["E1", "E2", "E3", "E4"], []) == [16, 0]


@pytest.mark.rule("intrigues 8.5")
def test_case_B33_a_tie_in_the_grand_total():
    table = a_table(prestige={ANN: 9, BEN: 9, CAT: 1}, money={ANN: 3, BEN: 4, CAT: 50})
    assert outcome(table).winners == (BEN,)


@pytest.mark.rule("intrigues 8.2")
def test_case_B33_the_breakdown_adds_up_and_is_told():
    table = a_table(prestige={ANN: 9})
    table.sheets[ANN] = ["R1", "E1"]
    score = GAME.outcome(table)
    assert score is None
    table.over = True
    ann = GAME.outcome(table).scores[0]
    assert ann.parts == {"prestige": 9, "income": 1, "military": 0, "richelieu": 8, "opposing": 1, "jewels": 8}
    assert ann.total == sum(ann.parts.values()) == 27

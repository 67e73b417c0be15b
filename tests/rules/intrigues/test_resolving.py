"""Chapter 5: a box is resolved."""

from __future__ import annotations

import pytest

from server.rules.intrigues import GAME
from server.rules.intrigues.turn import take_turn
from server.rules.telling import HOST
from tests.rules.intrigues.builders import (
    ANN,
    BEN,
    CAT,
    DAN,
    EMINENCE,
    QUEEN,
    a_table,
    in_city,
    only_boxes,
    play,
    told,
)

ENGLAND = (("R7", "E1"), ("R5", "E3"), ("R9", "F3"))
"""England 1 is the sheet of the rulebook's example: 3 prestige and income; 3 prestige and 3 money; Cardinal −2."""


@pytest.mark.rule("intrigues 5.1")
@pytest.mark.rule("intrigues 5.7")
def test_the_rulebooks_example_england_wins_with_9_against_3():
    table = a_table(
        boxes=ENGLAND,
        on={
            "R1.1": (BEN, 3),
            "R1.2": (CAT, -2),
            "R1.3": (CAT, 2),
            "O1.1": (ANN, 2),
            "O1.2": (BEN, 3),
            "O1.3": (ANN, 2),
            "O1.4": (ANN, 1),
        },
    )
    play(take_turn(table, CAT), "place 1 O1.5")
    assert "England 1 wins with 9 against 3 for Richelieu 7." in told(table)
    assert (table.prestige[ANN], table.income[ANN]) == (3, 2)
    assert (table.prestige[BEN], table.money[BEN]) == (3, 7 + 3)
    assert (table.prestige[CAT], table.income[CAT], table.money[CAT]) == (0, 1, 7)
    assert table.cardinal == 7 - 2
    assert table.sheets == {ANN: ["E1"], BEN: [], CAT: []}


@pytest.mark.rule("intrigues 5.1")
def test_all_agents_of_both_sheets_are_turned_face_up_for_everybody():
    table = a_table(
        boxes=(("R8", "E2"), ("R5", "E3"), ("R9", "F3")),
        on={
            "R1.1": (BEN, 3),
            "R1.2": (BEN, 2),
            "R1.3": (ANN, 2),
            "R1.4": (ANN, 1),
            "O1.1": (CAT, -2),
            "O1.3": (BEN, 1),
        },
    )
    play(take_turn(table, ANN), "place 1 R1.5")
    log = told(table)
    assert (
        "On Richelieu 8 lie: 3 of Ben on R1.1, 2 of Ben on R1.2, 2 of Ann on R1.3, 1 of Ann on R1.4, 1 of Ann on R1.5."
        in log
    )
    assert "On England 2 lie: −2 of Cat on O1.1, 1 of Ben on O1.3." in log
    shown = GAME.position(table, None)["boxes"][0]["opposing"]["spots"]
    assert [spot["piece"] and spot["piece"]["face"] for spot in shown] == ["up", None, "up", None, None]
    assert [spot["piece"] and spot["piece"]["value"] for spot in shown] == [-2, None, 1, None, None]


@pytest.mark.rule("intrigues 5.1")
def test_eminence_and_queen_count_three_each():
    table = a_table(
        on={
            "R1.1": QUEEN,
            "R1.2": (BEN, 1),
            "O1.1": EMINENCE,
            "O1.2": (ANN, 2),
            "O1.3": (ANN, -2),
            "O1.4": (BEN, -2),
        }
    )
    play(take_turn(table, ANN), "place 2 O1.5")
    assert "Richelieu 1 wins with 4 against 3 for England 2." in told(table)


@pytest.mark.rule("intrigues 5.1")
def test_a_tie_goes_to_richelieu():
    table = a_table(
        on={
            "R1.1": (BEN, 3),
            "R1.2": (BEN, 2),
            "R1.3": (BEN, 2),
            "O1.1": (ANN, 3),
            "O1.2": (ANN, 1),
            "O1.3": (ANN, 1),
            "O1.4": (ANN, 1),
        }
    )
    play(take_turn(table, CAT), "place 1 O1.5")
    assert "Both sheets have 7: a tie goes to Richelieu 1." in told(table)
    assert table.sheets[BEN] == ["R1"]
    assert table.sheets[ANN] == []


@pytest.mark.rule("intrigues 5.2")
def test_only_agents_on_the_winning_sheet_count_for_its_bonuses():
    table = a_table(
        on={
            "R1.1": (ANN, 3),
            "R1.2": (ANN, 2),
            "O1.1": (BEN, 3),
            "O1.2": (BEN, 2),
            "O1.3": (CAT, 2),
            "O1.4": (CAT, 1),
        }
    )
    play(take_turn(table, ANN), "place 1 O1.5")
    assert table.sheets[BEN] == ["E2"]
    assert table.prestige == {ANN: 0, BEN: 4, CAT: 2}


@pytest.mark.rule("intrigues 5.2")
def test_own_negative_agents_count_and_a_total_of_zero_gets_nothing():
    table = a_table(
        on={"O1.1": (BEN, 3), "O1.2": (BEN, -2), "O1.3": (CAT, 2), "O1.4": (CAT, -2)},
    )
    play(take_turn(table, ANN), "place 1 O1.5")
    assert table.prestige == {ANN: 2, BEN: 4, CAT: 0}


@pytest.mark.rule("intrigues 5.2")
def test_eminence_and_queen_earn_nobody_a_bonus():
    table = a_table(on={"O1.1": EMINENCE, "O1.2": (BEN, 1), "O1.3": (CAT, -2), "O1.4": (CAT, -2)})
    play(take_turn(table, ANN), "place 3 O1.5")
    assert table.sheets == {ANN: ["E2"], BEN: [], CAT: []}
    assert "Support of England 2: Ann 3, Ben 1." in told(table)


@pytest.mark.rule("intrigues 5.3")
def test_the_highest_total_gets_first_bonus_and_sheet_the_second_highest_the_second_bonus():
    table = a_table(4, on={"R1.1": (DAN, 2), "R1.2": (BEN, 2), "R1.3": (BEN, 2), "R1.4": (CAT, 3)})
    play(take_turn(table, ANN), "place 1 R1.5")
    assert table.sheets == {ANN: [], BEN: ["R1"], CAT: [], DAN: []}
    assert table.prestige == {ANN: 0, BEN: 4, CAT: 0, DAN: 0}
    assert table.money == {ANN: 7, BEN: 7, CAT: 7 + 4, DAN: 7}


@pytest.mark.rule("intrigues 5.3")
def test_a_won_sheet_is_named_in_the_log_and_counted_for_others():
    table = a_table(on={"R1.1": (BEN, 3), "R1.2": (BEN, 2), "R1.3": (BEN, 2), "R1.4": (ANN, 1)})
    play(take_turn(table, ANN), "place 1 R1.5")
    assert "Ben takes Richelieu 1 face down." in told(table, CAT)
    for viewer, sheets in ((BEN, ["R1"]), (HOST, ["R1"]), (CAT, 1), (None, 1)):
        assert GAME.position(table, viewer)["seats"][BEN - 1]["sheets"] == sheets


@pytest.mark.rule("intrigues 5.4")
def test_a_tie_for_first_goes_to_the_agent_furthest_left_and_the_other_is_second():
    table = a_table(on={"O1.1": (CAT, 1), "O1.2": (BEN, 2), "O1.3": (ANN, 3), "O1.4": (BEN, 1)})
    play(take_turn(table, CAT), "place -2 O1.5")
    assert table.prestige == {ANN: 2, BEN: 4, CAT: 0}
    assert "With equal totals the agent furthest left goes first." in told(table)


@pytest.mark.rule("intrigues 5.4")
def test_a_tie_for_second_goes_to_the_agent_furthest_left():
    table = a_table(4, on={"O1.1": (CAT, 1), "O1.2": (BEN, 3), "O1.3": (ANN, 2), "O1.4": (DAN, 2)})
    play(take_turn(table, CAT), "place 1 O1.5")
    assert table.prestige == {ANN: 0, BEN: 4, CAT: 2, DAN: 0}


@pytest.mark.rule("intrigues 5.4")
def test_a_tie_that_decides_nothing_is_not_told():
    table = a_table(4, on={"O1.1": (ANN, 3), "O1.2": (BEN, 2), "O1.3": (CAT, 1), "O1.4": (DAN, 1)})
    play(take_turn(table, ANN), "place 1 O1.5")
    assert table.prestige == {ANN: 4, BEN: 2, CAT: 0, DAN: 0}
    assert not any("equal totals" in line for line in told(table))


@pytest.mark.rule("intrigues 5.4")
def test_a_negative_agent_furthest_left_decides_a_tie_too():
    table = a_table(on={"O1.1": (BEN, -2), "O1.2": (ANN, 2), "O1.3": (BEN, 2), "O1.4": (BEN, 2)})
    play(take_turn(table, CAT), "place 1 O1.5")
    assert table.prestige == {ANN: 2, BEN: 4, CAT: 0}


@pytest.mark.rule("intrigues 5.5")
def test_nobody_with_a_positive_total_no_bonus_and_the_sheet_leaves_the_game():
    table = a_table(on={"R1.1": QUEEN, "R1.2": (ANN, 2), "R1.3": (ANN, -2), "R1.4": (BEN, -2)})
    play(take_turn(table, BEN), "place 2 R1.5")
    assert table.sheets == {ANN: [], BEN: [], CAT: []}
    assert table.prestige == {ANN: 0, BEN: 0, CAT: 0}
    assert table.money == {ANN: 7, BEN: 7, CAT: 7}
    assert table.cardinal == 7 + 2
    assert "Nobody has a positive total on Richelieu 1: no bonus is given." in told(table)
    assert "Out of the game: Richelieu 1, England 2." in told(table)


@pytest.mark.rule("intrigues 5.5")
def test_with_one_positive_total_only_the_second_bonus_is_not_given():
    table = a_table(on={"R1.1": (ANN, 3), "R1.2": (ANN, 2), "R1.3": (BEN, -2), "R1.4": (CAT, -2)})
    play(take_turn(table, ANN), "place 1 R1.5")
    assert table.sheets[ANN] == ["R1"]
    assert table.money == {ANN: 7, BEN: 7, CAT: 7}
    assert not any(line.startswith("Second place") for line in told(table))


@pytest.mark.rule("intrigues 5.6")
def test_the_losing_sheet_leaves_the_game_and_its_supporters_get_nothing():
    table = a_table(
        on={
            "R1.1": (BEN, 3),
            "R1.2": (BEN, 3),
            "O1.1": (ANN, 1),
            "O1.2": (ANN, 1),
            "O1.3": (CAT, 1),
            "O1.4": (ANN, 1),
        }
    )
    play(take_turn(table, CAT), "place 1 O1.5")
    assert table.prestige == {ANN: 0, BEN: 4, CAT: 0}
    assert "Out of the game: England 2." in told(table)
    remaining = [card.front for stack in table.stacks.values() for card in stack]
    remaining += [field.lying.name for box in table.boxes for field in box.fields]
    remaining += [name for sheets in table.sheets.values() for name in sheets]
    assert "E2" not in remaining
    assert len(remaining) == 25


@pytest.mark.rule("intrigues 5.7")
def test_first_bonus_then_second_bonus_then_the_cardinal():
    table = a_table(on={"R1.1": (BEN, 3), "R1.2": (BEN, 2), "R1.3": (CAT, 2), "R1.4": (CAT, 1)})
    play(take_turn(table, ANN), "place 1 R1.5")
    log = told(table)
    first = log.index("Ben gains 4 prestige and has 4.")
    second = log.index("Cat gets 4 money.")
    cardinal = log.index("The Cardinal moves on 2 and stands on 9.")
    assert first < second < cardinal


@pytest.mark.rule("intrigues 5.7")
def test_the_cardinal_never_goes_below_0():
    table = a_table(on={"O2.1": (BEN, 3), "O2.2": (BEN, 2), "O2.3": (CAT, 2), "O2.4": (CAT, 1)}, cardinal=2)
    play(take_turn(table, ANN), "place 1 O2.5")
    assert table.cardinal == 0
    assert "The Cardinal moves back 3 and stands on 0." in told(table)


@pytest.mark.rule("intrigues 5.8")
def test_after_richelieus_win_the_cardinal_catches_up_with_who_took_first_place():
    table = a_table(
        on={"R1.1": (BEN, 3), "R1.2": (BEN, 2), "R1.3": (CAT, 2), "R1.4": (CAT, 1)}, prestige={BEN: 10, CAT: 20}
    )
    play(take_turn(table, ANN), "place 1 R1.5")
    assert table.cardinal == 10 + 4
    assert "He catches up with Ben and stands on 14." in told(table)


@pytest.mark.rule("intrigues 5.8")
def test_he_stays_where_he_is_when_level_or_ahead_after_his_own_steps():
    for prestige in (4, 5):
        table = a_table(
            on={"R1.1": (BEN, 3), "R1.2": (BEN, 2), "R1.3": (CAT, 2), "R1.4": (CAT, 1)}, prestige={BEN: prestige}
        )
        play(take_turn(table, ANN), "place 1 R1.5")
        assert table.cardinal == 7 + 2
        assert not any("catches up" in line for line in told(table))


@pytest.mark.rule("intrigues 5.8")
def test_the_cardinal_does_not_catch_up_after_a_win_of_the_opposition():
    table = a_table(on={"O1.1": (BEN, 3), "O1.2": (BEN, 2), "O1.3": (CAT, 2), "O1.4": (CAT, 1)}, prestige={BEN: 10})
    play(take_turn(table, ANN), "place 1 O1.5")
    assert table.cardinal == 7 - 1


@pytest.mark.rule("intrigues 5.8")
def test_the_cardinal_catches_up_with_the_winner_of_a_tie_not_with_the_other():
    table = a_table(
        on={"R1.1": (BEN, 2), "R1.2": (CAT, 2), "R1.3": (BEN, 1), "R1.4": (CAT, 1)}, prestige={BEN: 8, CAT: 20}
    )
    play(take_turn(table, ANN), "place 1 R1.5")
    assert table.cardinal == 12


@pytest.mark.rule("intrigues 5.9")
def test_all_agents_go_face_up_to_the_city_and_the_royal_pieces_to_their_palaces():
    table = a_table(
        on={
            "R1.1": QUEEN,
            "R1.2": (BEN, -2),
            "O1.1": EMINENCE,
            "O1.2": (ANN, 2),
            "O1.3": (ANN, 3),
            "O1.4": (CAT, 1),
        }
    )
    play(take_turn(table, ANN), "place 1 O1.5")
    assert (in_city(table, ANN), in_city(table, BEN), in_city(table, CAT)) == ([1, 2, 3], [-2], [1])
    assert table.royals == {EMINENCE: None, QUEEN: None}
    assert GAME.position(table, DAN)["city"]["agents"] == [
        {"owner": 1, "value": 1, "face": "up"},
        {"owner": 1, "value": 2, "face": "up"},
        {"owner": 1, "value": 3, "face": "up"},
        {"owner": 2, "value": -2, "face": "up"},
        {"owner": 3, "value": 1, "face": "up"},
    ]
    assert all(spot.piece is None for spot in table.spots.values())


@pytest.mark.rule("intrigues 5.10")
def test_one_sheet_of_each_stack_comes_to_the_box():
    table = a_table(
        boxes=(("R1", "E2"), ("R5", "E3"), ("R9", "F3"), ("R2", "H1"), ("R3", "H2")),
        on={"O2.1": (BEN, 3), "O2.2": (BEN, 2), "O2.3": (CAT, 2), "O2.4": (CAT, 1)},
    )
    play(take_turn(table, ANN), "place 1 O2.5")
    assert [field.lying.name for field in table.boxes[1].fields] == ["R2", "H1"]
    assert [spot.cost for spot in table.boxes[1].opposing.spots] == [3, 2, 1, 0, 0]
    assert GAME.position(table, None)["stacks"] == {"richelieu": 9, "opposition": 9}
    assert "In box 2 lie Richelieu 2 and Habsburg 1." in told(table)


@pytest.mark.rule("intrigues 5.10")
def test_with_empty_stacks_the_box_stays_empty_and_takes_no_agent():
    table = a_table(on={"O2.1": (BEN, 3), "O2.2": (BEN, 2), "O2.3": (CAT, 2), "O2.4": (CAT, 1)}, stacks_empty=True)
    turn = play(take_turn(table, ANN), "place 1 O2.5")
    assert GAME.position(table, None)["boxes"][1] == {"richelieu": None, "opposing": None}
    assert "No sheets are left for box 2." in told(table)
    assert turn.refusal("place 1 R2.1") == ("intrigues 5.10", "Box 2 is empty: no sheets are left for it.")


def test_what_comes_to_the_table_after_a_bonus_is_revealed_only_then():
    """The bonus' answer is a move of its own; the new sheets are seen after it, so it shows something new."""
    table = a_table(
        boxes=(("R8", "E2"), ("R5", "E3"), ("R9", "F3")),
        on={"R1.1": (BEN, 3), "R1.2": (BEN, 2), "R1.3": (BEN, 2), "R1.4": (ANN, -2)},
    )
    turn = play(take_turn(table, ANN), "place 1 R1.5")
    assert turn.reveals == 1
    turn.play("place 1 R2.1")
    assert turn.reveals == 2


def test_without_sheets_to_come_a_bonus_reveals_nothing():
    table = only_boxes(
        a_table(
            boxes=(("R8", "E2"), ("R5", "E3"), ("R9", "F3")),
            on={"R1.1": (BEN, 3), "R1.2": (BEN, 2), "R1.3": (BEN, 2), "R1.4": (ANN, -2)},
        ),
        1,
        2,
    )
    turn = play(take_turn(table, ANN), "place 1 R1.5", "place 1 R2.1")
    assert turn.reveals == 1

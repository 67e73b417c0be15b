"""Chapter 8: the end and the scores."""

from __future__ import annotations

import random

import pytest

from server.rules.intrigues import GAME
from server.rules.intrigues.ending import opposing_points, outcome, richelieu_points
from server.rules.intrigues.turn import take_turn
from tests.rules.intrigues.builders import ANN, BEN, CAT, DAN, Going, a_match, a_table, only_boxes, play, told


def last_box(seats: int = 3, **more) -> Going:
    """Ann completes the last box; Ben takes first place."""
    table = only_boxes(
        a_table(seats, on={"R1.1": (BEN, 3), "R1.2": (BEN, 2), "R1.3": (BEN, 2), "R1.4": (ANN, 1)}, **more),
        1,
    )
    going = play(take_turn(table, ANN), "place 1 R1.5")
    going.table = table
    return going


@pytest.mark.rule("intrigues 8.1")
def test_the_match_ends_the_moment_the_last_box_is_resolved():
    going = last_box()
    assert going.table.over
    assert going.over
    assert going.table.prestige[BEN] == 4
    assert going.table.cardinal == 9
    assert "The last box is resolved: the match is over, all screens go down." in told(going.table)


@pytest.mark.rule("intrigues 8.1")
def test_no_neutral_agent_is_placed_after_the_end():
    assert last_box(2).over


@pytest.mark.rule("intrigues 8.1")
def test_the_match_goes_on_while_a_box_holds_sheets():
    table = only_boxes(a_table(on={"R1.1": (BEN, 3), "R1.2": (BEN, 2), "R1.3": (BEN, 2), "R1.4": (ANN, 1)}), 1, 3)
    turn = play(take_turn(table, ANN), "place 1 R1.5")
    assert not table.over
    assert turn.seat == ANN


@pytest.mark.rule("intrigues 8.1")
def test_the_bonuses_of_the_last_box_are_still_carried_out():
    table = only_boxes(
        a_table(
            boxes=(("R10", "E2"), ("R5", "E3"), ("R8", "F3")),
            on={"R3.1": (BEN, 3), "R3.2": (BEN, 2), "R3.3": (BEN, 2), "R3.4": (CAT, 1)},
        ),
        3,
    )
    going = play(take_turn(table, ANN), "place 2 R3.5")
    assert going.over
    assert "Ben can place no agent: nothing happens." in told(table)
    assert table.prestige == {ANN: 1, BEN: 2, CAT: 0}


@pytest.mark.rule("intrigues 8.1")
def test_a_match_has_13_intrigues():
    match = a_match(2)
    luck = random.Random(13)
    while match.question:
        ((seat, decision),) = match.question.items()
        match.answer(seat, luck.choice(decision.answers()))
    resolved = [each for each in match.table.log if each.template.startswith("All agents of box")]
    assert len(resolved) == 13
    assert match.position(None)["boxes"] == [{"richelieu": None, "opposing": None}] * 3
    assert match.outcome() is not None


@pytest.mark.rule("intrigues 8.2")
def test_the_score_is_prestige_income_military_sheets_and_four_a_jewel():
    table = a_table(prestige={ANN: 11})
    table.income[ANN], table.military[ANN], table.jewels[ANN] = 5, 6, 3
    table.sheets[ANN] = ["R1", "E1", "E2", "F1"]
    ann = outcome(table).scores[0]
    assert ann.parts == {"prestige": 11, "income": 5, "military": 6, "richelieu": 8, "opposing": 5, "jewels": 12}
    assert ann.total == 11 + 5 + 6 + 8 + 5 + 12


@pytest.mark.rule("intrigues 8.2")
def test_the_breakdown_is_in_the_log():
    going = last_box()
    assert told(going.table)[-4:] == [
        "Ann scores 9: prestige 0, income 1, military 0, Richelieu sheets 0, opposing sheets 0, jewels 8.",
        "Ben scores 21: prestige 4, income 1, military 0, Richelieu sheets 8, opposing sheets 0, jewels 8.",
        "Cat scores 9: prestige 0, income 1, military 0, Richelieu sheets 0, opposing sheets 0, jewels 8.",
        "Winner of the match: Ben.",
    ]


def sheet_points(*sheets: list[str]) -> list[int]:
    table = a_table(len(sheets))
    for seat, won in zip(table.seats, sheets, strict=True):
        table.sheets[seat] = won
    return [score.parts["richelieu"] + score.parts["opposing"] for score in outcome(table).scores]


@pytest.mark.rule("intrigues 8.3")
@pytest.mark.rule("intrigues 8.4")
def test_the_rulebooks_example_nick_9_suzan_14_tom_5():
    nick = ["R1", "R2", "R3", "E1"]
    suzan = ["R4", "R5", "F1", "F2", "F3", "H1"]
    tom = ["E2", "E3", "P1"]
    assert sheet_points(nick, suzan, tom) == [9, 14, 5]


@pytest.mark.rule("intrigues 8.3")
@pytest.mark.parametrize(
    ("sheets", "points"),
    [
        ((3, 2, 0), (8, 4, 0)),
        ((2, 2, 1), (4, 4, 0)),
        ((2, 2, 2), (4, 4, 4)),
        ((3, 1, 1), (8, 0, 0)),
        ((1, 3, 2), (0, 8, 4)),
        ((0, 0, 0), (0, 0, 0)),
        ((3, 0, 0), (8, 0, 0)),
        ((1, 1, 0), (4, 4, 0)),
        ((4, 3, 3, 2), (8, 0, 0, 0)),
        ((4, 4, 3, 2), (4, 4, 0, 0)),
    ],
)
def test_most_richelieu_sheets_8_second_most_4(sheets, points):
    seats = (ANN, BEN, CAT, DAN)[: len(sheets)]
    assert tuple(richelieu_points(dict(zip(seats, sheets, strict=True))).values()) == points


@pytest.mark.rule("intrigues 8.4")
@pytest.mark.parametrize(
    ("sheets", "points"),
    [
        ([], 0),
        (["H1"], 1),
        (["P1", "P2"], 4),
        (["F1", "F2", "F3"], 9),
        (["E1", "E2", "E3", "E4"], 16),
        (["E1", "P1", "H1", "H3", "F2"], 1 + 1 + 4 + 1),
        (["R1", "R2"], 0),
    ],
)
def test_opposing_sheets_score_their_square_per_faction(sheets, points):
    assert opposing_points(sheets) == points


@pytest.mark.rule("intrigues 8.5")
def test_most_points_win():
    assert outcome(a_table(prestige={BEN: 3, CAT: 2}, money={CAT: 99})).winners == (BEN,)


@pytest.mark.rule("intrigues 8.5")
def test_a_tie_goes_to_more_money_then_to_more_sheets_and_is_then_shared():
    table = a_table(prestige={ANN: 5, BEN: 5, CAT: 4})
    assert outcome(table).winners == (ANN, BEN)
    table.sheets[ANN] = ["R1", "R2"]
    table.sheets[CAT] = ["R3", "R4"]
    table.sheets[BEN] = ["H1", "F1", "P1"]
    table.prestige[BEN] = 5 + 4 - 3
    assert len({score.total for score in outcome(table).scores[:2]}) == 1
    assert outcome(table).winners == (BEN,)
    table.money[ANN] = 8
    assert outcome(table).winners == (ANN,)


@pytest.mark.rule("intrigues 8.6")
def test_after_the_end_all_screens_are_down():
    table = last_box(2).table
    for viewer in (None, ANN, BEN):
        ben = GAME.position(table, viewer)["seats"][BEN - 1]
        assert ben["sheets"] == ["R1"]
        assert ben["agents"] == [-2, -2, 1, 1, 1, 2, 3]
        assert ben["neutral_agents"] == [-2, 1, 1, 1, 2, 2, 2]
        assert (ben["money"], ben["jewels"]) == (7, 2)


@pytest.mark.rule("intrigues 8.6")
def test_the_end_is_revealed_and_a_preview_of_it_shows_no_screen_down():
    match = a_match(2)
    luck = random.Random(8)
    while match.question:
        ((seat, decision),) = match.question.items()
        text = luck.choice(decision.answers())
        before = match.preview(seat, text) if match.table.stacks["richelieu"] == [] else None
        match.answer(seat, text)
    assert before is not None
    assert before.shows
    other = before.position["seats"][2 - seat]
    assert not {"agents", "money", "neutral_agents"} & set(other)
    assert match.moves[-1].shows

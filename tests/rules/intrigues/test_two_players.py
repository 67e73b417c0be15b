"""Chapter 7: two players."""

from __future__ import annotations

import pytest

from server.rules.intrigues import GAME
from server.rules.intrigues.turn import take_turn
from server.rules.telling import HOST
from tests.rules.intrigues.builders import (
    ANN,
    BEN,
    EMINENCE,
    a_match,
    a_table,
    in_city,
    in_hand,
    only_boxes,
    pieces,
    play,
    told,
)

NEUTRAL = [-2, 1, 1, 1, 2, 2, 2]


@pytest.mark.rule("intrigues 7.1")
def test_each_of_two_players_has_seven_neutral_agents_of_a_colour_of_their_own():
    table = a_table(2)
    assert in_hand(table, "neutral 1") == in_hand(table, "neutral 2") == NEUTRAL
    assert "neutral 1" not in a_table(3).hands


@pytest.mark.rule("intrigues 7.1")
def test_neutral_agents_are_as_secret_as_own_ones_their_number_is_not():
    match = a_match(2)
    assert match.position(ANN)["seats"][0]["neutral_agents"] == NEUTRAL
    for viewer in (BEN, None):
        seat = match.position(viewer)["seats"][0]
        assert seat["neutral_in_hand"] == 7
        assert "neutral_agents" not in seat
    assert "neutral_in_hand" not in a_match(3).position(HOST)["seats"][0]


@pytest.mark.rule("intrigues 7.2")
def test_after_the_actions_one_neutral_agent_is_placed_for_free():
    table = a_table(2, money={ANN: 0})
    turn = play(take_turn(table, ANN), "income", "end")
    assert (turn.seat, turn.decision.kind) == (ANN, "neutral")
    assert turn.words("neutral 2 R1.1") == "Place the neutral agent 2 on Richelieu 1, spot R1.1, face down."
    turn.play("neutral 2 R1.1")
    assert turn.over
    assert table.money[ANN] == 1
    assert in_hand(table, "neutral 1") == [-2, 1, 1, 1, 2, 2]
    assert in_hand(table, "neutral 2") == NEUTRAL


@pytest.mark.rule("intrigues 7.2")
def test_only_who_placed_a_neutral_agent_face_down_knows_it():
    table = a_table(2)
    play(take_turn(table, ANN), "income", "end", "neutral 2 R1.1")
    assert pieces(table, ANN) == {"R1.1": {"owner": "neutral 1", "value": 2, "face": "down"}}
    assert pieces(table, BEN) == pieces(table, None) == {"R1.1": {"owner": "neutral 1", "value": None, "face": "down"}}
    assert told(table, ANN)[-1] == "Ann places neutral agent 2 face down on Richelieu 1, spot R1.1."
    assert told(table, BEN)[-1] == "Ann places a neutral agent face down on Richelieu 1, spot R1.1."


@pytest.mark.rule("intrigues 7.2")
def test_a_neutral_agent_lies_face_up_on_a_0_spot():
    table = a_table(2)
    turn = play(take_turn(table, ANN), "income", "end")
    assert turn.words("neutral -2 R1.5") == "Place the neutral agent −2 on Richelieu 1, spot R1.5, face up."
    turn.play("neutral -2 R1.5")
    assert pieces(table, BEN) == {"R1.5": {"owner": "neutral 1", "value": -2, "face": "up"}}
    assert told(table, BEN)[-1] == "Ann places neutral agent −2 face up on Richelieu 1, spot R1.5."


@pytest.mark.rule("intrigues 7.2")
def test_never_on_the_last_free_spot_of_a_sheet():
    table = a_table(2, on={"R1.1": (BEN, 1), "R1.2": (BEN, 1), "R1.3": (BEN, 1), "R1.4": (ANN, 1)})
    turn = play(take_turn(table, ANN), "income", "end")
    assert "neutral 1 R1.5" not in turn.moves
    assert turn.refusal("neutral 1 R1.5") == (
        "intrigues 7.2",
        "R1.5 is the last free spot of Richelieu 1; a neutral agent never goes there.",
    )
    table = a_table(2, on={"R1.1": (BEN, 1), "R1.2": (BEN, 1), "R1.3": (BEN, 1)})
    assert "neutral 1 R1.5" in play(take_turn(table, ANN), "income", "end").moves


@pytest.mark.rule("intrigues 7.2")
def test_where_no_neutral_agent_can_be_placed_nothing_is_asked():
    table = a_table(2, hands={"neutral 1": []})
    assert play(take_turn(table, ANN), "income", "end").over
    assert told(table)[-1] == "Ann can place no neutral agent."
    table = only_boxes(a_table(2), 1)
    for spot in ("R1.1", "R1.2", "R1.3", "R1.4", "O1.1", "O1.2", "O1.3", "O1.4"):
        table.spots[spot].piece = EMINENCE
    assert play(take_turn(table, ANN), "income", "end").over


@pytest.mark.rule("intrigues 7.2")
def test_what_is_no_neutral_agent_to_place_is_refused():
    table = a_table(2, on={"R1.1": (BEN, 1)}, hands={"neutral 1": [1, 2]})
    turn = play(take_turn(table, ANN), "income", "end")
    for text, why in (
        ("place 1 R1.2", "Your actions are over; now a neutral agent is placed, like “neutral 1 R1.3”."),
        ("end", "“end” is not possible now; place a neutral agent, like “neutral 1 R1.3”."),
        ("neutral 1", "Say which neutral agent goes where, like “neutral 1 R1.3”."),
        ("neutral 3 R1.2", "No neutral agent 3 is left to place; there are: 1, 2."),
        ("neutral 9 R1.2", "“9” is no agent's value; there are −2, 1, 2 and 3."),
        ("neutral 1 R1.1", "R1.1 is taken. Free on Richelieu 1: R1.2, R1.3, R1.4, R1.5."),
    ):
        assert turn.refusal(text) == ("intrigues 7.2", why)


def won_by_neutral(**more):
    """Ben's neutral colour is highest on Richelieu 1, Ann second."""
    table = a_table(
        2,
        on={"R1.1": ("neutral 2", 2), "R1.2": ("neutral 2", 2), "R1.3": (ANN, 2), "R1.4": (BEN, 1)},
        prestige={ANN: 6, BEN: 20},
        **more,
    )
    play(take_turn(table, ANN), "place 1 R1.5")
    return table


@pytest.mark.rule("intrigues 7.3")
def test_a_bonus_earned_by_a_neutral_colour_goes_to_nobody_and_nobody_moves_up():
    table = won_by_neutral()
    assert table.prestige == {ANN: 6, BEN: 20}
    assert table.money == {ANN: 7 + 4, BEN: 7}
    log = told(table)
    assert "Support of Richelieu 1: the neutral colour of Ben 4, Ann 3, Ben 1." in log
    assert "First place on Richelieu 1 goes to the neutral colour of Ben: 4 prestige." in log
    assert "A neutral colour gets nothing: this bonus goes to nobody." in log


@pytest.mark.rule("intrigues 7.3")
@pytest.mark.rule("intrigues 5.3")
def test_a_sheet_won_by_a_neutral_colour_leaves_the_game():
    table = won_by_neutral()
    assert table.sheets == {ANN: [], BEN: []}
    assert "Out of the game: Richelieu 1, England 2." in told(table)


@pytest.mark.rule("intrigues 7.3")
def test_a_second_place_of_a_neutral_colour_gives_nobody_a_bonus():
    table = a_table(2, on={"R1.1": (ANN, 3), "R1.2": (ANN, 2), "R1.3": ("neutral 1", 2), "R1.4": (BEN, 1)})
    play(take_turn(table, ANN), "place -2 R1.5")
    assert table.prestige == {ANN: 4, BEN: 0}
    assert table.money == {ANN: 7, BEN: 7}


@pytest.mark.rule("intrigues 7.3")
@pytest.mark.rule("intrigues 5.8")
def test_the_cardinal_does_not_catch_up_with_anybody_when_a_neutral_colour_was_highest():
    assert won_by_neutral().cardinal == 7 + 2


@pytest.mark.rule("intrigues 5.4")
def test_a_neutral_colour_takes_part_in_ties():
    table = a_table(2, on={"R1.1": ("neutral 1", 1), "R1.2": (ANN, 2), "R1.3": ("neutral 1", 1), "R1.4": (BEN, 1)})
    play(take_turn(table, BEN), "place -2 R1.5")
    assert table.sheets == {ANN: [], BEN: []}
    assert table.money == {ANN: 7 + 4, BEN: 7}


@pytest.mark.rule("intrigues 5.2")
def test_two_neutral_colours_are_two_contributors():
    table = a_table(2, on={"R1.1": ("neutral 1", 2), "R1.2": ("neutral 2", 2), "R1.3": (ANN, 3), "R1.4": (BEN, 1)})
    play(take_turn(table, BEN), "place 1 R1.5")
    assert table.sheets == {ANN: ["R1"], BEN: []}


@pytest.mark.rule("intrigues 7.4")
def test_neutral_agents_too_go_to_the_city():
    table = won_by_neutral()
    assert in_city(table, "neutral 2") == [2, 2]
    agents = GAME.position(table, None)["city"]["agents"]
    assert [(agent["owner"], agent["value"]) for agent in agents] == [
        (1, 1),
        (1, 2),
        (2, 1),
        ("neutral 2", 2),
        ("neutral 2", 2),
    ]


@pytest.mark.rule("intrigues 7.4")
def test_placing_the_last_neutral_agent_takes_that_colour_back():
    table = a_table(2, hands={"neutral 1": [1]}, city=[("neutral 1", 2), ("neutral 1", -2), ("neutral 2", 2), (ANN, 2)])
    play(take_turn(table, ANN), "income", "end", "neutral 1 R1.1")
    assert in_hand(table, "neutral 1") == [-2, 2]
    assert in_city(table, "neutral 2") == [2]
    assert in_city(table, ANN) == [2]
    assert (
        told(table)[-1] == "No agent of the neutral colour of Ann is left in reserve; back from the city come: −2, 2."
    )


@pytest.mark.rule("intrigues 7.4")
def test_a_neutral_colour_without_an_agent_in_hand_takes_agents_back_from_the_city_at_once():
    table = a_table(
        2,
        on={"R1.1": ("neutral 2", 2), "R1.2": ("neutral 2", 2), "R1.3": (ANN, 2), "R1.4": (BEN, 1)},
        hands={"neutral 2": []},
    )
    play(take_turn(table, ANN), "place 1 R1.5")
    assert in_hand(table, "neutral 2") == [2, 2]
    assert in_city(table, "neutral 2") == []


@pytest.mark.rule("intrigues 7.5")
def test_a_neutral_agent_is_not_placed_instead_of_an_own_one():
    turn = play(take_turn(a_table(2), ANN))
    assert not any(move.startswith("neutral") for move in turn.moves)
    assert turn.refusal("neutral 1 R1.1") == (
        "intrigues 7.5",
        "A neutral agent is not placed instead of an own one, but after your actions.",
    )
    assert play(take_turn(a_table(3), ANN)).refusal("neutral 1 R1.1")[0] == "intrigues 2.2"


# 7.6 the shared colour


@pytest.mark.rule("intrigues 7.6")
def test_the_shared_neutral_colour_is_one_of_seven_used_by_both():
    table = a_table(2, neutral="shared")
    assert in_hand(table, "neutral") == NEUTRAL
    assert set(table.hands) == {ANN, BEN, "neutral"}
    play(take_turn(table, ANN), "income", "end", "neutral 2 R1.1")
    play(take_turn(table, BEN), "income", "end", "neutral 1 R1.2")
    assert in_hand(table, "neutral") == [-2, 1, 1, 2, 2]
    assert {spot: piece["owner"] for spot, piece in pieces(table).items()} == {"R1.1": "neutral", "R1.2": "neutral"}


@pytest.mark.rule("intrigues 7.6")
def test_the_shared_colours_values_are_public_on_the_board_and_beside_it():
    table = a_table(2, neutral="shared")
    play(take_turn(table, ANN), "income", "end", "neutral 2 R1.1")
    assert pieces(table, None) == {"R1.1": {"owner": "neutral", "value": 2, "face": "down"}}
    position = GAME.position(table, None)
    assert position["neutral_agents"] == [-2, 1, 1, 1, 2, 2]
    assert not {"neutral_in_hand", "neutral_agents"} & set(position["seats"][0])
    assert told(table, None)[-1] == "Ann places neutral agent 2 face down on Richelieu 1, spot R1.1."
    assert "neutral_agents" not in GAME.position(a_table(2), HOST)


@pytest.mark.rule("intrigues 7.6")
def test_the_shared_colour_stays_public_after_it_came_back():
    table = a_table(2, neutral="shared", hands={"neutral": [1]}, city=[("neutral", 2)])
    play(take_turn(table, ANN), "income", "end", "neutral 1 R1.1")
    assert GAME.position(table, None)["neutral_agents"] == [2]
    play(take_turn(table, BEN), "income", "end", "neutral 2 R1.2")
    assert pieces(table, None)["R1.2"]["value"] == 2
    assert "No agent of the neutral colour is left in reserve; back from the city come: 2." in told(table)


@pytest.mark.rule("intrigues 7.6")
def test_with_more_than_two_players_the_option_has_no_effect():
    match = a_match(3, neutral="shared")
    assert match.options["neutral"] == "shared"
    assert set(match.table.hands) == {1, 2, 3}
    match.submit(1, "income; end")
    assert list(match.question) == [2]


# 7.7 nobody has an agent left


@pytest.mark.rule("intrigues 7.7")
def test_when_neither_player_has_an_agent_in_hand_the_topmost_box_is_resolved_as_it_stands():
    table = a_table(2, on={"R2.1": (ANN, 3), "O2.1": (BEN, 2), "R3.1": (BEN, 3)}, hands={ANN: [1], BEN: []})
    turn = play(take_turn(table, ANN), "place 1 R1.1", "end")
    assert turn.reveals == 0
    turn.play("neutral 1 O1.1")
    assert "Neither player has an agent in hand: box 1 is resolved as it stands." in told(table)
    assert table.sheets[ANN] == ["R1"]
    assert in_hand(table, ANN) == [1]
    assert turn.reveals > 0
    assert table.spots["R2.1"].piece is not None


@pytest.mark.rule("intrigues 7.7")
def test_also_when_no_neutral_agent_could_be_placed():
    table = a_table(2, on={"R2.1": (ANN, 3), "R1.1": (BEN, 2)}, hands={ANN: [1], BEN: [], "neutral 1": []})
    play(take_turn(table, ANN), "place 1 R1.2", "end")
    assert table.sheets[BEN] == ["R1"]


@pytest.mark.rule("intrigues 7.7")
def test_not_while_one_player_has_an_agent_in_hand():
    for hands in ({ANN: [1, 1], BEN: []}, {ANN: [1], BEN: [2]}):
        table = a_table(2, on={"R2.1": (ANN, 3), "R1.1": (BEN, 2)}, hands=hands)
        play(take_turn(table, ANN), "place 1 R1.2", "end", "neutral 1 O3.1")
        assert table.boxes[0].richelieu.lying.name == "R1"


@pytest.mark.rule("intrigues 7.7")
def test_the_topmost_box_that_holds_sheets_is_resolved():
    table = only_boxes(a_table(2, on={"R3.1": (ANN, 3), "R2.1": (BEN, 2)}, hands={ANN: [1], BEN: []}), 2, 3)
    play(take_turn(table, ANN), "place 1 R3.2", "end", "neutral 1 O3.1")
    assert table.sheets == {ANN: [], BEN: ["R5"]}


@pytest.mark.rule("intrigues 7.7")
def test_what_that_resolution_completes_is_resolved_too():
    """Box 1 as it stands gives Ann an agent back and the Queen to place: she completes box 2."""
    table = a_table(
        2,
        boxes=(("R4", "E2"), ("R5", "E3"), ("R9", "F3")),
        on={"R2.1": (BEN, 3), "R2.2": (BEN, 1), "R2.3": (BEN, 1), "R2.4": (ANN, 2), "R1.1": (ANN, 3)},
        hands={ANN: [1], BEN: []},
    )
    turn = play(take_turn(table, ANN), "place 1 R1.2", "end", "neutral 1 O3.1")
    assert (turn.seat, turn.decision.kind) == (ANN, "queen")
    turn.play("queen R2.5")
    assert table.sheets == {ANN: ["R4"], BEN: ["R5"]}
    assert turn.over


@pytest.mark.rule("intrigues 7.7")
@pytest.mark.rule("intrigues 8.1")
def test_the_match_ends_also_when_the_last_box_is_resolved_as_it_stands():
    table = only_boxes(a_table(2, on={"R1.1": (BEN, 2)}, hands={ANN: [1], BEN: []}), 1)
    play(take_turn(table, ANN), "place 1 R1.2", "end", "neutral 1 O1.1")
    assert table.over

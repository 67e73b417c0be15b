"""Chapter 3: the actions."""

from __future__ import annotations

import pytest

from server.rules.intrigues.turn import take_turn
from tests.rules.intrigues.builders import ANN, BEN, EMINENCE, a_table, in_city, in_hand, pieces, play, told


@pytest.mark.rule("intrigues 3.1")
def test_income_is_as_much_money_as_the_income_marker_says():
    table = a_table(money={ANN: 2})
    table.income[ANN] = 3
    turn = play(take_turn(table, ANN))
    assert turn.words("income") == "Take income: 3 money."
    turn.play("income")
    assert table.money[ANN] == 5
    assert told(table) == ["Ann takes income: 3 money."]


@pytest.mark.rule("intrigues 3.2")
@pytest.mark.parametrize(("spot", "cost"), [("R1.1", 3), ("R1.2", 2), ("R1.3", 1), ("R1.4", 1), ("R1.5", 0)])
def test_an_agent_costs_what_its_spot_says(spot, cost):
    table = a_table(money={ANN: 7})
    play(take_turn(table, ANN), f"place 2 {spot}")
    assert table.money[ANN] == 7 - cost
    assert in_hand(table, ANN) == [-2, -2, 1, 1, 1, 2, 2, 3, 3]


@pytest.mark.rule("intrigues 3.2")
def test_a_paid_agent_lies_face_down_and_only_its_owner_knows_it():
    table = a_table()
    turn = play(take_turn(table, ANN))
    assert turn.words("place 3 R1.2") == "Place your agent 3 on Richelieu 1, spot R1.2, for 2 money, face down."
    turn.play("place 3 R1.2")
    assert pieces(table, ANN) == {"R1.2": {"owner": 1, "value": 3, "face": "down"}}
    assert pieces(table, BEN) == pieces(table, None) == {"R1.2": {"owner": 1, "value": None, "face": "down"}}
    assert told(table, ANN) == ["Ann places agent 3 face down on Richelieu 1, spot R1.2, for 2 money."]
    assert told(table, BEN) == ["Ann places an agent face down on Richelieu 1, spot R1.2, for 2 money."]


@pytest.mark.rule("intrigues 3.2")
def test_an_agent_on_a_0_spot_lies_face_up():
    table = a_table()
    turn = play(take_turn(table, ANN))
    assert turn.words("place -2 R1.5") == "Place your agent −2 on Richelieu 1, spot R1.5, at no cost, face up."
    turn.play("place -2 R1.5")
    assert pieces(table, BEN) == {"R1.5": {"owner": 1, "value": -2, "face": "up"}}
    assert told(table, BEN) == ["Ann places agent −2 face up on Richelieu 1, spot R1.5, at no cost."]


@pytest.mark.rule("intrigues 3.2")
def test_a_taken_spot_is_refused_with_the_free_ones_of_its_sheet():
    table = a_table(on={"O1.1": (BEN, 1), "O1.2": EMINENCE})
    turn = play(take_turn(table, ANN))
    assert turn.refusal("place 1 O1.1") == (
        "intrigues 3.2",
        "O1.1 is taken. Free on England 2: O1.3, O1.4, O1.5.",
    )
    assert turn.refusal("place 1 O1.2")[0] == "intrigues 3.2"


@pytest.mark.rule("intrigues 3.2")
def test_an_agent_that_is_not_in_hand_cannot_be_placed():
    table = a_table(hands={ANN: [-2, 1, 1]})
    turn = play(take_turn(table, ANN))
    assert turn.refusal("place 3 R1.5") == (
        "intrigues 3.2",
        "You have no agent 3 in hand. In hand you have: −2, 1.",
    )
    table = a_table(hands={ANN: []})
    assert play(take_turn(table, ANN)).refusal("place 3 R1.5") == (
        "intrigues 3.2",
        "You have no agent in hand; choose another action.",
    )


@pytest.mark.rule("intrigues 3.2")
def test_values_and_spots_that_do_not_exist_are_refused():
    turn = play(take_turn(a_table(), ANN))
    assert turn.refusal("place 4 R1.1") == ("intrigues 3.2", "“4” is no agent's value; there are −2, 1, 2 and 3.")
    assert turn.refusal("place 1 R4.1") == (
        "intrigues 3.2",
        "“r4.1” is no spot. Spots are R1.1 to R3.5 and O1.1 to O3.5.",
    )
    for text in ("place", "place 1", "place R1.1", "place 1 R1.1 R1.2"):
        assert turn.refusal(text) == ("intrigues 3.2", "Say which agent goes where, like “place 2 R1.3”.")


@pytest.mark.rule("intrigues 3.2")
def test_a_placement_is_understood_in_friendlier_words():
    turn = play(take_turn(a_table(money={ANN: 3}), ANN))
    assert turn.decision.read("Place my agent −2 on r1.1.") == "place -2 R1.1"
    assert turn.decision.read("place the agent 3 at R1.2") == "place 3 R1.2"


@pytest.mark.rule("intrigues 3.3")
def test_the_second_agent_of_a_turn_costs_two_more():
    table = a_table(money={ANN: 7})
    turn = play(take_turn(table, ANN), "place 1 O1.3")
    assert turn.words("place 2 O1.4") == (
        "Place your agent 2 on England 2, spot O1.4, face down, for 3 money, 2 of it as the second agent."
    )
    turn.play("place 2 O1.4")
    assert table.money[ANN] == 7 - 1 - (1 + 2)
    assert told(table)[-1] == (
        "Ann places an agent face down on England 2, spot O1.4, for 3 money, 2 of it as the second agent."
    )


@pytest.mark.rule("intrigues 3.3")
def test_the_rulebooks_example_a_free_spot_and_then_a_spot_of_one_cost_three():
    table = a_table(money={ANN: 7})
    play(take_turn(table, ANN), "place 1 R1.5", "place 2 O1.4")
    assert table.money[ANN] == 7 - 0 - 3
    assert pieces(table)["R1.5"]["face"] == "up"
    assert pieces(table)["O1.4"]["face"] == "down"


@pytest.mark.rule("intrigues 3.3")
def test_the_second_agent_costs_two_also_on_a_0_spot():
    table = a_table(money={ANN: 7})
    turn = play(take_turn(table, ANN), "place 1 R1.5")
    assert turn.words("place 1 O1.5") == (
        "Place your agent 1 on England 2, spot O1.5, for 2 money as the second agent, face up."
    )
    turn.play("place 1 O1.5")
    assert table.money[ANN] == 5
    assert told(table)[-1] == "Ann places agent 1 face up on England 2, spot O1.5, for 2 money as the second agent."


@pytest.mark.rule("intrigues 3.3")
def test_a_free_placement_by_bonus_neither_counts_as_an_agent_of_the_turn_nor_costs():
    table = a_table(
        boxes=(("R8", "E2"), ("R5", "E3"), ("R9", "F3")),
        on={"R1.1": (BEN, 3), "R1.2": (BEN, 2), "R1.3": (ANN, 2), "R1.4": (ANN, 1)},
        money={ANN: 7, BEN: 7},
    )
    turn = play(take_turn(table, ANN), "place 1 R1.5", "place 1 R2.1", "place 2 R2.2")
    assert table.turn.agents_placed == 1
    assert (table.money[ANN], table.money[BEN]) == (7, 7)
    turn.play("place 1 R2.3")
    assert table.money[ANN] == 7 - (2 + 2)


@pytest.mark.rule("intrigues 3.4")
def test_placing_the_last_agent_brings_all_own_agents_back_from_the_city():
    table = a_table(hands={ANN: [2]}, city=[(ANN, 3), (ANN, -2), (ANN, 1), (ANN, 1), (BEN, 1)])
    play(take_turn(table, ANN), "place 2 R1.1")
    assert in_hand(table, ANN) == [-2, 1, 1, 3]
    assert in_city(table, ANN) == []
    assert in_city(table, BEN) == [1]
    assert told(table)[-1] == "Ann has no agent left in hand and takes back from the city: −2, 1, 1, 3."


@pytest.mark.rule("intrigues 3.4")
def test_with_an_agent_left_in_hand_none_come_back():
    table = a_table(hands={ANN: [2, 2]}, city=[(ANN, 3)])
    play(take_turn(table, ANN), "place 2 R1.1")
    assert in_hand(table, ANN) == [2]
    assert in_city(table, ANN) == [3]


@pytest.mark.rule("intrigues 3.4")
def test_agents_come_back_before_the_resolution_that_the_last_one_causes():
    table = a_table(
        on={"O1.1": (ANN, 3), "O1.2": (ANN, 2), "O1.3": (ANN, 2), "O1.4": (BEN, 1)}, hands={ANN: [1]}, city=[(ANN, -2)]
    )
    play(take_turn(table, ANN), "place 1 O1.5")
    assert in_hand(table, ANN) == [-2]
    assert in_city(table, ANN) == [1, 2, 2, 3]


@pytest.mark.rule("intrigues 3.4")
def test_the_last_agent_placed_by_a_bonus_brings_them_back_too():
    table = a_table(
        boxes=(("R8", "E2"), ("R5", "E3"), ("R9", "F3")),
        on={"R1.1": (BEN, 3), "R1.2": (BEN, 2), "R1.3": (BEN, 2), "R1.4": (ANN, 1)},
        hands={BEN: [1]},
        city=[(BEN, 3)],
    )
    turn = play(take_turn(table, ANN), "place -2 R1.5")
    assert in_city(table, BEN) == [3]
    turn.play("place 1 R2.5")
    assert in_hand(table, BEN) == [3]
    assert in_city(table, BEN) == [2, 2, 3]


@pytest.mark.rule("intrigues 3.5")
def test_who_has_no_agent_in_hand_takes_agents_back_as_soon_as_they_come_to_the_city():
    table = a_table(
        on={"O1.1": (BEN, 3), "O1.2": (BEN, 2), "O1.3": (BEN, 2), "O1.4": (ANN, 1)}, hands={BEN: [], ANN: [1, 1]}
    )
    play(take_turn(table, ANN), "place 1 O1.5")
    assert in_hand(table, BEN) == [2, 2, 3]
    assert in_city(table, BEN) == []
    assert in_city(table, ANN) == [1, 1]


@pytest.mark.rule("intrigues 3.5")
def test_agents_taken_back_are_secret_again():
    table = a_table(
        on={"O1.1": (BEN, 3), "O1.2": (BEN, 2), "O1.3": (BEN, 2), "O1.4": (ANN, 1)}, hands={BEN: [], ANN: [1, 1]}
    )
    play(take_turn(table, ANN), "place 1 O1.5")
    assert [agent.card.known_to(ANN) for agent in table.hands[BEN]] == [False] * 3
    assert [agent.card.known_to(BEN) for agent in table.hands[BEN]] == [True] * 3
    assert not any(agent.face_up for agent in table.hands[BEN])


@pytest.mark.rule("intrigues 3.6")
def test_the_rulebooks_example_a_commission_from_square_2_costs_3():
    table = a_table(money={ANN: 7})
    table.military[ANN] = 2
    turn = play(take_turn(table, ANN))
    assert turn.words("commission") == "Buy a commission: advance to square 3 of the military track for 3 money."
    turn.play("commission")
    assert table.military[ANN] == 3
    assert table.money[ANN] == 4
    assert told(table)[:2] == [
        "Ann buys a commission for 3 money.",
        "Ann advances to square 3 of the military track.",
    ]


@pytest.mark.rule("intrigues 3.6")
@pytest.mark.parametrize("prestige", [7, 8])
def test_no_commission_level_with_the_cardinal_or_ahead(prestige):
    turn = play(take_turn(a_table(prestige={ANN: prestige}, cardinal=7), ANN))
    assert "commission" not in turn.moves
    assert turn.refusal("commission") == (
        "intrigues 3.6",
        f"A commission is bought only behind the Cardinal; you have {prestige} prestige, he stands on 7.",
    )


@pytest.mark.rule("intrigues 3.6")
def test_whether_a_player_is_behind_the_cardinal_is_judged_at_that_moment():
    table = a_table(
        on={"O1.1": (ANN, 3), "O1.2": (ANN, 2), "O1.3": (ANN, 2), "O1.4": (ANN, 1)}, prestige={ANN: 6}, cardinal=7
    )
    turn = play(take_turn(table, ANN))
    assert "commission" in turn.moves
    turn.play("place 1 O1.5")
    assert "commission" not in turn.moves


@pytest.mark.rule("intrigues 3.6")
def test_no_commission_at_the_end_of_the_military_track():
    table = a_table(money={ANN: 99})
    table.military[ANN] = 12
    turn = play(take_turn(table, ANN))
    assert "commission" not in turn.moves
    assert turn.refusal("commission") == (
        "intrigues 3.6",
        "You are at the end of the military track; no commission is left to buy.",
    )


@pytest.mark.rule("intrigues 3.7")
def test_a_jewel_is_sold_to_the_city_for_5_money():
    table = a_table(money={ANN: 1})
    turn = play(take_turn(table, ANN))
    assert turn.words("sell") == "Sell a jewel to the city for 5 money."
    turn.play("sell")
    assert (table.jewels[ANN], table.city_jewels, table.money[ANN]) == (1, 3, 6)
    assert told(table) == ["Ann sells a jewel to the city for 5 money."]


@pytest.mark.rule("intrigues 3.7")
def test_a_jewel_is_bought_from_the_city_for_8_money():
    table = a_table(money={ANN: 8})
    turn = play(take_turn(table, ANN))
    assert turn.words("buy") == "Buy a jewel from the city for 8 money."
    turn.play("buy")
    assert (table.jewels[ANN], table.city_jewels, table.money[ANN]) == (3, 1, 0)
    assert told(table) == ["Ann buys a jewel from the city for 8 money."]


@pytest.mark.rule("intrigues 3.7")
def test_nothing_is_bought_from_an_empty_city_or_sold_without_a_jewel():
    table = a_table(money={ANN: 8})
    table.city_jewels = 0
    table.jewels[ANN] = 0
    turn = play(take_turn(table, ANN))
    assert not {"buy", "sell"} & set(turn.moves)
    assert turn.refusal("buy") == ("intrigues 3.7", "The city has no jewel to sell at the moment.")
    assert turn.refusal("sell") == ("intrigues 3.7", "You have no jewel to sell.")


@pytest.mark.rule("intrigues 3.7")
@pytest.mark.parametrize(("first", "second"), [("sell", "buy"), ("buy", "sell")])
def test_a_jewel_is_sold_or_bought_once_a_turn_not_both(first, second):
    turn = play(take_turn(a_table(money={ANN: 30}), ANN), first)
    assert second not in turn.moves
    assert turn.refusal(second)[0] == "intrigues 2.2"


@pytest.mark.rule("intrigues 3.8")
def test_a_spot_that_is_too_dear_is_refused():
    table = a_table(money={ANN: 2})
    turn = play(take_turn(table, ANN))
    assert "place 1 R1.2" in turn.moves
    assert "place 1 R1.1" not in turn.moves
    assert turn.refusal("place 1 R1.1") == (
        "intrigues 3.8",
        "R1.1 costs 3 money; you have 2. Choose a cheaper spot or another action.",
    )


@pytest.mark.rule("intrigues 3.8")
def test_a_second_agent_that_is_too_dear_is_refused():
    table = a_table(money={ANN: 3})
    turn = play(take_turn(table, ANN), "place 1 R1.5")
    assert "place 1 R1.4" in turn.moves
    assert "place 1 R1.2" not in turn.moves
    assert turn.refusal("place 1 R1.2") == (
        "intrigues 3.8",
        "R1.2 costs 4 money, 2 of it as the second agent of the turn; you have 3. "
        "Choose a cheaper spot or another action.",
    )


@pytest.mark.rule("intrigues 3.8")
def test_a_commission_and_a_jewel_that_are_too_dear_are_refused():
    table = a_table(money={ANN: 0})
    turn = play(take_turn(table, ANN))
    assert turn.refusal("commission") == ("intrigues 3.8", "The commission for square 1 costs 1 money; you have 0.")
    assert turn.refusal("buy") == ("intrigues 3.8", "A jewel costs 8 money; you have 0.")
    table.money[ANN] = 7
    assert "buy" not in play(take_turn(table, ANN)).moves


@pytest.mark.rule("intrigues 3.8")
def test_without_money_the_dear_spots_are_not_offered_and_something_always_is():
    table = a_table(
        on={"R1.5": (BEN, 1), "O1.5": (BEN, 1), "R2.5": (BEN, 1), "O2.5": (BEN, 2), "R3.5": (BEN, 2), "O3.5": (BEN, 2)},
        money={ANN: 0},
    )
    assert play(take_turn(table, ANN)).moves == ["income", "sell"]

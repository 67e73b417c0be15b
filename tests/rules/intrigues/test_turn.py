"""Chapter 2: the turn."""

from __future__ import annotations

import pytest

from server.rules.intrigues.turn import take_turn
from tests.rules.intrigues.builders import ANN, BEN, a_match, a_table, play, told


@pytest.mark.rule("intrigues 2.1")
@pytest.mark.parametrize(("prestige", "actions"), [(6, 2), (7, 1), (8, 1)])
def test_two_actions_behind_the_cardinal_one_level_with_him_or_ahead(prestige, actions):
    table = a_table(prestige={ANN: prestige}, cardinal=7)
    turn = play(take_turn(table, ANN), "income")
    assert table.turn.of == actions
    assert turn.over is (actions == 1)


@pytest.mark.rule("intrigues 2.1")
def test_turns_go_round_by_seat_and_seat_1_begins():
    match = a_match(3)
    seats = []
    for _ in range(4):
        (seat,) = match.question
        seats.append(int(seat))
        match.submit(seat, "income; end")
    assert seats == [1, 2, 3, 1]


@pytest.mark.rule("intrigues 2.1")
def test_a_player_who_falls_behind_the_cardinal_in_the_turn_gets_no_second_action():
    table = a_table(
        on={"R1.1": (BEN, 3), "R1.2": (BEN, 2), "R1.3": (BEN, 2), "R1.4": (ANN, 1)}, prestige={ANN: 7}, cardinal=7
    )
    turn = play(take_turn(table, ANN), "place 1 R1.5")
    assert table.behind_cardinal(ANN)
    assert turn.over


@pytest.mark.rule("intrigues 2.1")
def test_a_player_who_passes_the_cardinal_in_the_turn_keeps_the_second_action():
    table = a_table(
        on={"O1.1": (ANN, 3), "O1.2": (ANN, 2), "O1.3": (ANN, 2), "O1.4": (ANN, 1)}, prestige={ANN: 6}, cardinal=7
    )
    turn = play(take_turn(table, ANN), "place 1 O1.5")
    assert not table.behind_cardinal(ANN)
    assert turn.seat == ANN
    assert "end" in turn.moves


@pytest.mark.rule("intrigues 2.2")
def test_the_four_actions_are_income_agents_a_commission_and_a_jewel():
    table = a_table(money={ANN: 8})
    verbs = {move.split()[0] for move in play(take_turn(table, ANN)).moves}
    assert verbs == {"income", "place", "commission", "sell", "buy"}


@pytest.mark.rule("intrigues 2.2")
@pytest.mark.parametrize(
    ("first", "second", "why"),
    [
        ("income", "income", "You have taken income in this turn; it is taken once a turn."),
        ("commission", "commission", "You have bought a commission in this turn; it is bought once a turn."),
        ("sell", "sell", "You have sold or bought a jewel in this turn; one of the two is done, once a turn."),
        ("buy", "buy", "You have sold or bought a jewel in this turn; one of the two is done, once a turn."),
    ],
)
def test_income_commission_and_jewel_are_done_at_most_once_a_turn(first, second, why):
    table = a_table(money={ANN: 30})
    turn = play(take_turn(table, ANN), first)
    assert second not in turn.moves
    assert turn.refusal(second) == ("intrigues 2.2", why)


@pytest.mark.rule("intrigues 2.2")
def test_two_agents_may_be_placed_in_one_turn():
    table = a_table()
    play(take_turn(table, ANN), "place 1 R1.5", "place 2 O1.5")
    assert table.turn.agents_placed == 2


@pytest.mark.rule("intrigues 2.2")
def test_what_is_no_action_is_refused_with_what_there_is():
    turn = play(take_turn(a_table(), ANN))
    assert turn.refusal("dance") == (
        "intrigues 2.2",
        "“dance” is no action. Actions are income, place (like “place 2 R1.3”), commission, sell and buy.",
    )
    assert turn.refusal("corrupt R1.1 R1.2") == ("intrigues 2.2", "“corrupt” is the bonus of a sheet, not an action.")
    for verb in ("grise", "queen", "stay"):
        assert turn.refusal(verb) == ("intrigues 2.2", f"“{verb}” is the bonus of a sheet, not an action.")


@pytest.mark.rule("intrigues 2.2")
def test_an_action_without_an_object_is_said_alone():
    turn = play(take_turn(a_table(), ANN))
    assert turn.refusal("income 3") == ("intrigues 2.2", "“income” is said alone.")


@pytest.mark.rule("intrigues 2.3")
def test_the_first_action_cannot_be_given_up():
    turn = play(take_turn(a_table(), ANN))
    assert "end" not in turn.moves
    assert turn.refusal("end") == (
        "intrigues 2.3",
        "At least one action is taken; only the second may be given up.",
    )


@pytest.mark.rule("intrigues 2.3")
def test_the_second_action_may_be_given_up():
    table = a_table()
    turn = play(take_turn(table, ANN), "income", "end")
    assert turn.over
    assert told(table)[-1] == "Ann gives up the second action."


@pytest.mark.rule("intrigues 2.3")
def test_the_end_is_asked_also_when_nothing_else_is_possible():
    table = a_table(hands={ANN: []}, money={ANN: 0})
    table.jewels[ANN] = 0
    turn = play(take_turn(table, ANN))
    assert turn.moves == ["income"]
    table.income[ANN] = 0
    assert turn.play("income").moves == ["end"]


@pytest.mark.rule("intrigues 2.4")
def test_a_sheet_that_fills_up_is_resolved_at_once_and_then_the_turn_goes_on():
    table = a_table(on={"O1.1": (BEN, 3), "O1.2": (BEN, 2), "O1.3": (BEN, 2), "O1.4": (ANN, 1)})
    turn = play(take_turn(table, ANN), "place 1 O1.5")
    assert table.sheets[BEN] == ["E2"]
    assert table.boxes[0].opposing.pieces == []
    assert turn.seat == ANN
    turn.play("income")
    assert table.money[ANN] == 7 + 1


@pytest.mark.rule("intrigues 2.5")
def test_the_turn_waits_for_the_bonus_of_another_player():
    table = a_table(
        boxes=(("R8", "E2"), ("R5", "E3"), ("R9", "F3")),
        on={"R1.1": (BEN, 3), "R1.2": (BEN, 2), "R1.3": (BEN, 2), "R1.4": (ANN, 1)},
    )
    turn = play(take_turn(table, ANN), "place -2 R1.5")
    assert (turn.seat, turn.decision.kind) == (BEN, "place")
    assert table.turn.seat == ANN
    turn.play("place 1 R2.5")
    assert (turn.seat, turn.decision.kind) == (ANN, "turn")


@pytest.mark.rule("intrigues 2.5")
def test_while_a_bonus_is_asked_no_action_is_possible():
    table = a_table(
        boxes=(("R8", "E2"), ("R5", "E3"), ("R9", "F3")),
        on={"R1.1": (BEN, 3), "R1.2": (BEN, 2), "R1.3": (BEN, 2), "R1.4": (ANN, 1)},
    )
    turn = play(take_turn(table, ANN), "place -2 R1.5")
    assert turn.refusal("income") == (
        "intrigues 2.5",
        "“income” is not possible now: the turn waits for this bonus, like “place 2 R1.3”.",
    )


def test_the_question_says_which_action_it_is_and_tells_no_secret():
    rich, poor = a_table(money={ANN: 50}), a_table(money={ANN: 0}, hands={ANN: []})
    for table in (rich, poor):
        turn = play(take_turn(table, ANN))
        assert turn.decision.prompt.template == "Take action 1 of 2: income, an agent, a commission or a jewel."
        turn.play("income")
        assert turn.decision.prompt.template.startswith("Take action 2 of 2 ")
    ahead = play(take_turn(a_table(prestige={ANN: 7}), ANN))
    assert ahead.decision.prompt.template == "Take your one action: income, an agent or a jewel."

"""Chapter 6: the bonuses."""

from __future__ import annotations

import pytest

from server.rules.intrigues.bonuses import give_bonus
from server.rules.intrigues.edition import read_bonus
from server.rules.intrigues.turn import take_turn
from server.rules.telling import say
from tests.rules.intrigues.builders import (
    ANN,
    BEN,
    CAT,
    EMINENCE,
    NAMES,
    QUEEN,
    Going,
    a_match,
    a_table,
    in_hand,
    pieces,
    play,
    told,
)


def bonus(table, seat, symbols: str) -> Going:
    """The bonus written in the edition's notation, given to a seat."""
    return play(give_bonus(table, seat, read_bonus(symbols)))


# 6.1


@pytest.mark.rule("intrigues 6.1")
def test_prestige_money_military_and_income():
    table = a_table(money={ANN: 1})
    assert bonus(table, ANN, "P3 M4 W1 I").over
    assert (table.prestige[ANN], table.money[ANN], table.military[ANN], table.income[ANN]) == (3, 5, 1, 2)
    assert told(table) == [
        "Ann gains 3 prestige and has 3.",
        "Ann gets 4 money.",
        "Ann advances to square 1 of the military track.",
        "The income of Ann rises to 2.",
    ]


@pytest.mark.rule("intrigues 6.1")
def test_a_symbol_without_a_number_means_one():
    table = a_table(money={ANN: 0})
    bonus(table, ANN, "P M W I")
    assert (table.prestige[ANN], table.money[ANN], table.military[ANN], table.income[ANN]) == (1, 1, 1, 2)


@pytest.mark.rule("intrigues 6.1")
def test_military_steps_of_a_bonus_apply_each_squares_symbols():
    table = a_table()
    bonus(table, ANN, "W3")
    assert (table.military[ANN], table.income[ANN], table.prestige[ANN]) == (3, 2, 1)


# 6.2


@pytest.mark.rule("intrigues 6.2")
def test_a_bonus_agent_is_placed_for_free_face_down_on_a_paid_spot():
    table = a_table(money={ANN: 0})
    going = bonus(table, ANN, "A")
    assert going.decision.kind == "place"
    assert going.words("place 3 R1.1") == "Place your agent 3 on Richelieu 1, spot R1.1, for free, face down."
    going.play("place 3 R1.1")
    assert table.money[ANN] == 0
    assert pieces(table, BEN) == {"R1.1": {"owner": 1, "value": None, "face": "down"}}
    assert told(table, ANN) == ["Ann places agent 3 face down on Richelieu 1, spot R1.1."]
    assert told(table, BEN) == ["Ann places an agent face down on Richelieu 1, spot R1.1."]


@pytest.mark.rule("intrigues 6.2")
def test_a_bonus_agent_lies_face_up_on_a_0_spot():
    table = a_table()
    going = bonus(table, ANN, "A")
    assert going.words("place 3 R1.5") == "Place your agent 3 on Richelieu 1, spot R1.5, for free, face up."
    going.play("place 3 R1.5")
    assert pieces(table, BEN) == {"R1.5": {"owner": 1, "value": 3, "face": "up"}}
    assert told(table, BEN) == ["Ann places agent 3 face up on Richelieu 1, spot R1.5."]


@pytest.mark.rule("intrigues 6.2")
def test_without_an_agent_nothing_happens():
    table = a_table(hands={ANN: []})
    assert bonus(table, ANN, "A").over
    assert told(table) == ["Ann can place no agent: nothing happens."]


@pytest.mark.rule("intrigues 6.2")
def test_without_a_free_spot_in_an_open_box_nothing_happens():
    table = a_table()
    for box in table.boxes:
        for spot in box.opposing.spots:
            spot.piece = EMINENCE
    assert bonus(table, ANN, "A").over


@pytest.mark.rule("intrigues 6.2")
def test_a_taken_spot_and_a_missing_agent_are_refused_for_a_bonus_too():
    going = bonus(a_table(on={"R1.1": (BEN, 1)}, hands={ANN: [1]}), ANN, "A")
    assert going.refusal("place 1 R1.1") == (
        "intrigues 6.2",
        "R1.1 is taken. Free on Richelieu 1: R1.2, R1.3, R1.4, R1.5.",
    )
    assert going.refusal("place 2 R1.2") == ("intrigues 6.2", "You have no agent 2 in hand. In hand you have: 1.")
    assert going.refusal("place 1") == ("intrigues 6.2", "Say which agent goes where, like “place 2 R1.3”.")


# 6.3


@pytest.mark.rule("intrigues 6.3")
def test_corruption_moves_another_players_agent_unseen():
    table = a_table(on={"R1.2": (BEN, 3)})
    going = bonus(table, ANN, "C")
    assert (going.seat, going.decision.kind) == (ANN, "corrupt")
    assert going.words("corrupt R1.2 O3.1") == "Move the agent of Ben from R1.2 to France 3, spot O3.1."
    going.play("corrupt R1.2 O3.1")
    assert pieces(table, ANN) == {"O3.1": {"owner": 2, "value": None, "face": "down"}}
    assert pieces(table, BEN) == {"O3.1": {"owner": 2, "value": 3, "face": "down"}}
    assert told(table, ANN) == ["Ann corrupts an agent of Ben: from R1.2 to France 3, spot O3.1."]
    assert told(table, BEN) == ["Ann corrupts agent 3 of Ben: from R1.2 to France 3, spot O3.1."]
    assert going.reveals == 0


@pytest.mark.rule("intrigues 6.3")
def test_corruption_may_stay_on_the_same_sheet_and_costs_nothing():
    table = a_table(on={"R1.2": (BEN, 3)}, money={ANN: 0})
    going = bonus(table, ANN, "C")
    assert "corrupt R1.2 R1.1" in going.moves
    going.play("corrupt R1.2 R1.1")
    assert (table.money[ANN], table.money[BEN]) == (0, 7)


@pytest.mark.rule("intrigues 6.3")
def test_a_corrupted_agent_is_turned_face_up_on_a_0_spot_and_that_is_something_new():
    table = a_table(on={"R1.2": (BEN, 3)})
    going = bonus(table, ANN, "C")
    assert going.words("corrupt R1.2 O3.5") == (
        "Move the agent of Ben from R1.2 to France 3, spot O3.5, where it is turned face up."
    )
    going.play("corrupt R1.2 O3.5")
    assert pieces(table, None) == {"O3.5": {"owner": 2, "value": 3, "face": "up"}}
    assert told(table, CAT) == [
        "Ann corrupts an agent of Ben: from R1.2 to France 3, spot O3.5.",
        "It is turned face up: agent 3.",
    ]
    assert going.reveals == 1


@pytest.mark.rule("intrigues 6.3")
def test_a_face_up_agent_stays_face_up_wherever_corruption_moves_it():
    table = a_table(on={"R1.5": (BEN, 2)})
    going = bonus(table, ANN, "C").play("corrupt R1.5 O3.1")
    assert pieces(table, CAT) == {"O3.1": {"owner": 2, "value": 2, "face": "up"}}
    assert told(table, CAT) == ["Ann corrupts agent 2 of Ben: from R1.5 to France 3, spot O3.1."]
    assert going.reveals == 0
    assert bonus(a_table(on={"R1.5": (BEN, 2)}), ANN, "C").play("corrupt R1.5 O3.5").reveals == 0


@pytest.mark.rule("intrigues 6.3")
def test_own_neutral_and_royal_pieces_are_not_corrupted():
    table = a_table(
        2, on={"R1.1": (ANN, 3), "R1.2": QUEEN, "O1.1": ("neutral 1", 2), "O1.2": ("neutral 2", 2), "O2.1": (BEN, 2)}
    )
    table.put_down(BEN, 1, table.spots["O1.3"])
    going = bonus(table, ANN, "C")
    assert {move.split()[1] for move in going.moves} == {"O1.3", "O2.1"}
    for text, why in (
        ("corrupt R1.1 R2.1", "The agent on R1.1 is your own; name another player's agent."),
        ("corrupt R1.2 R2.1", "Éminence Grise and Queen cannot be corrupted; name another player's agent."),
        ("corrupt O1.1 R2.1", "Neutral agents cannot be corrupted; name another player's agent."),
        ("corrupt O1.2 R2.1", "Neutral agents cannot be corrupted; name another player's agent."),
        ("corrupt R3.1 R2.1", "No agent lies on R3.1."),
        ("corrupt O2.1 O1.1", "O1.1 is taken. Free on England 2: O1.4, O1.5."),
        ("corrupt O2.1", "Say from which spot to which, like “corrupt R1.2 O1.4”."),
        ("corrupt O9.1 R2.1", "“o9.1” is no spot. Spots are R1.1 to R3.5 and O1.1 to O3.5."),
    ):
        assert going.refusal(text) == ("intrigues 6.3", why)


@pytest.mark.rule("intrigues 6.3")
def test_with_nobody_to_corrupt_nothing_happens():
    table = a_table(on={"R1.1": (ANN, 3)})
    assert bonus(table, ANN, "C").over
    assert told(table) == ["Ann can move no agent by corruption: nothing happens."]


@pytest.mark.rule("intrigues 6.3")
def test_the_order_of_the_possible_corruptions_tells_no_value():
    orders = []
    for values in ((3, 1), (1, 3)):
        table = a_table(on={"R1.2": (BEN, values[0]), "O2.1": (CAT, values[1]), "R3.1": (BEN, 2)})
        orders.append(bonus(table, ANN, "C").moves)
    assert orders[0] == orders[1]
    assert orders[0][0] == "corrupt R1.2 R1.1"
    assert orders[0] == [f"corrupt {start} {to}" for start in ("R1.2", "O2.1", "R3.1") for to in free_spots()]


def free_spots() -> list[str]:
    spots = [f"{side}{box}.{index}" for box in (1, 2, 3) for side in "RO" for index in (1, 2, 3, 4, 5)]
    return [spot for spot in spots if spot not in ("R1.2", "O2.1", "R3.1")]


# 6.4


@pytest.mark.rule("intrigues 6.4")
@pytest.mark.parametrize(
    ("symbol", "piece", "verb", "side", "other", "name"),
    [("G", EMINENCE, "grise", "O", "R", "the Éminence Grise"), ("Q", QUEEN, "queen", "R", "O", "the Queen")],
)
def test_the_royal_pieces_come_from_their_palaces_to_their_sides_sheets(symbol, piece, verb, side, other, name):
    table = a_table(on={f"{side}1.1": (BEN, 1)})
    going = bonus(table, ANN, symbol)
    assert going.decision.kind == verb
    assert going.moves == [
        f"{verb} {side}{box}.{i}" for box in (1, 2, 3) for i in (1, 2, 3, 4, 5) if (box, i) != (1, 1)
    ]
    assert going.refusal(f"{verb} {other}1.1")[0] == "intrigues 6.4"
    assert going.refusal(f"{verb} {side}1.1")[0] == "intrigues 6.4"
    assert going.refusal(verb)[0] == "intrigues 6.4"
    sheet = table.spots[f"{side}2.3"].field.lying.title
    assert going.words(f"{verb} {side}2.3") == f"Move {name} to {sheet}, spot {side}2.3."
    going.play(f"{verb} {side}2.3")
    assert table.spots[f"{side}2.3"].piece is piece
    assert told(table) == [f"Ann moves {name} to {sheet}, spot {side}2.3."]
    assert pieces(table)[f"{side}2.3"] == ({"eminence": True} if symbol == "G" else {"queen": True})


@pytest.mark.rule("intrigues 6.4")
def test_the_queen_goes_to_richelieu_sheets_and_eminence_to_opposing_ones():
    assert bonus(a_table(), ANN, "Q").refusal("queen O1.1") == (
        "intrigues 6.4",
        "The Queen goes to Richelieu sheets only (spots that begin with R).",
    )
    assert bonus(a_table(), ANN, "G").refusal("grise R1.1") == (
        "intrigues 6.4",
        "Éminence Grise goes to opposing sheets only (spots that begin with O).",
    )


@pytest.mark.rule("intrigues 6.4")
def test_a_royal_piece_on_a_sheet_may_move_to_another_sheet_or_stay():
    table = a_table(on={"R2.1": QUEEN})
    going = bonus(table, ANN, "Q")
    assert going.moves == [*(f"queen R{box}.{i}" for box in (1, 3) for i in (1, 2, 3, 4, 5)), "stay"]
    assert going.words("stay") == "Leave the Queen on its spot."
    assert going.refusal("queen R2.2") == (
        "intrigues 6.4",
        "On R2.2 the Queen would stay on the same sheet; name a spot of another one, or “stay”.",
    )
    assert going.refusal("end") == (
        "intrigues 6.4",
        "“end” is not possible now: move the Queen, like “queen R1.1”, or “stay”.",
    )
    going.play("stay")
    assert table.spots["R2.1"].piece is QUEEN
    assert told(table) == ["Ann leaves the Queen on its spot."]


@pytest.mark.rule("intrigues 6.4")
def test_a_royal_piece_that_moves_leaves_its_spot_free():
    table = a_table(on={"R2.1": QUEEN})
    bonus(table, ANN, "Q").play("queen R1.1")
    assert table.spots["R2.1"].piece is None
    assert table.royals[QUEEN] is table.spots["R1.1"]


@pytest.mark.rule("intrigues 6.4")
def test_a_royal_piece_that_can_go_nowhere_is_not_asked_for():
    full = {f"R{box}.{i}": EMINENCE for box in (1, 3) for i in (1, 2, 3, 4, 5)}
    table = a_table(on={"R2.1": QUEEN})
    for spot, piece in full.items():
        table.spots[spot].piece = piece
    assert bonus(table, ANN, "Q").over
    assert told(table) == ["Ann can move the Queen nowhere: nothing happens."]


@pytest.mark.rule("intrigues 6.4")
def test_a_royal_piece_in_a_complete_box_that_waits_is_not_asked_for():
    table = a_table(on={"R2.1": QUEEN})
    for index in (2, 3, 4, 5):
        table.put_down(BEN, table.values_in_hand(BEN)[0], table.spots[f"R2.{index}"])
    assert bonus(table, ANN, "Q").over
    assert table.spots["R2.1"].piece is QUEEN


# 6.5 to 6.8


@pytest.mark.rule("intrigues 6.5")
def test_a_bonus_that_can_be_carried_out_must_be():
    placing = bonus(a_table(), ANN, "A")
    corrupting = bonus(a_table(on={"R1.1": (BEN, 1)}), ANN, "C")
    queen = bonus(a_table(), ANN, "Q")
    for going in (placing, corrupting, queen):
        assert not {"end", "stay", "pass"} & set(going.moves)
    assert placing.refusal("stay")[0] == "intrigues 6.5"
    assert placing.refusal("end") == ("intrigues 6.5", "This bonus must be carried out, like “place 2 R1.3”.")
    assert corrupting.refusal("pass") == ("intrigues 6.5", "This bonus must be carried out, like “corrupt R1.2 O1.4”.")
    assert queen.refusal("end") == ("intrigues 6.5", "This bonus must be carried out, like “queen R1.1”.")
    assert queen.refusal("stay") == (
        "intrigues 6.5",
        "In the palace the Queen cannot stay; name a spot, like “queen R1.1”.",
    )


@pytest.mark.rule("intrigues 6.6")
@pytest.mark.parametrize(
    ("boxes", "move"),
    [
        ((("R8", "E2"), ("R5", "E3"), ("R9", "F3")), "place 1 R2.5"),
        ((("R10", "E2"), ("R5", "E3"), ("R9", "F3")), "corrupt O3.1 R2.5"),
        ((("R4", "E2"), ("R5", "E3"), ("R9", "F3")), "queen R2.5"),
    ],
)
def test_a_bonus_may_complete_a_box_which_is_resolved_next(boxes, move):
    table = a_table(
        boxes=boxes,
        on={
            "R1.1": (BEN, 3),
            "R1.2": (BEN, 2),
            "R1.3": (ANN, 1),
            "R1.4": (ANN, 1),
            "R2.1": (CAT, 3),
            "R2.2": (CAT, 2),
            "R2.3": (CAT, 1),
            "R2.4": (ANN, -2),
            "O3.1": (CAT, 2),
        },
    )
    turn = play(take_turn(table, ANN), "place -2 R1.5")
    assert turn.seat == BEN
    turn.play(move)
    assert "Richelieu 5 is complete: box 2 is resolved." in told(table)
    assert table.sheets[CAT] == ["R5"]
    assert turn.seat == ANN


@pytest.mark.rule("intrigues 6.6")
def test_the_words_of_a_move_say_that_it_completes_a_sheet():
    table = a_table(on={"R2.1": (BEN, 1), "R2.2": (BEN, 1), "R2.3": (BEN, 1), "R2.4": (CAT, 1), "O2.1": (CAT, 1)})
    then = " That completes Richelieu 5: box 2 will be resolved."
    assert bonus(table, ANN, "A").words("place 1 R2.5").endswith(then)
    assert bonus(table, ANN, "Q").words("queen R2.5").endswith(then)
    assert bonus(table, ANN, "C").words("corrupt O2.1 R2.5").endswith(then)
    assert play(take_turn(table, ANN)).words("place 1 R2.5").endswith(then)
    assert not bonus(table, ANN, "C").words("corrupt R2.1 R2.5").endswith(then)
    assert not bonus(table, ANN, "A").words("place 1 O2.5").endswith(then)


@pytest.mark.rule("intrigues 6.7")
def test_two_symbols_are_carried_out_from_left_to_right():
    table = a_table()
    going = bonus(table, ANN, "P2 Q")
    assert table.prestige[ANN] == 2
    assert going.decision.kind == "queen"
    table = a_table()
    going = bonus(table, ANN, "Q P2")
    assert table.prestige[ANN] == 0
    going.play("queen R1.1")
    assert table.prestige[ANN] == 2


@pytest.mark.rule("intrigues 6.8")
@pytest.mark.parametrize(
    ("start", "steps", "income", "prestige"),
    [(0, 1, 1, 0), (1, 1, 2, 0), (2, 1, 1, 1), (0, 3, 2, 1), (1, 3, 2, 1), (4, 2, 2, 1), (2, 0, 1, 0)],
)
def test_reaching_or_passing_a_symbol_moves_the_other_marker_one_on(start, steps, income, prestige):
    table = a_table()
    table.military[ANN] = start
    if steps:
        bonus(table, ANN, f"W{steps}")
    assert table.military[ANN] == start + steps
    assert (table.income[ANN], table.prestige[ANN]) == (income, prestige)


@pytest.mark.rule("intrigues 6.8")
def test_a_commission_moves_the_other_markers_too():
    table = a_table(money={ANN: 9})
    table.military[ANN] = 2
    play(take_turn(table, ANN), "commission")
    assert table.prestige[ANN] == 1


@pytest.mark.rule("intrigues 6.8")
def test_markers_stay_at_the_end_of_their_tracks():
    table = a_table()
    table.military[ANN] = 11
    table.income[ANN] = 12
    bonus(table, ANN, "W3 I")
    assert table.military[ANN] == 12
    assert table.income[ANN] == 12
    assert table.prestige[ANN] == 1
    assert "The income of Ann stays at 12, the end of the track." in told(table)
    table.log.clear()
    bonus(table, ANN, "W1")
    assert table.prestige[ANN] == 1
    assert told(table) == ["Ann stays on square 12, the end of the military track."]


# Questions and secrets


def test_the_questions_say_whose_bonus_it_is_and_which():
    table = a_table(on={"R1.1": (BEN, 1)})
    prompts = [say(bonus(table, ANN, each).decision.prompt, None, NAMES) for each in ("A", "C", "G", "Q")]
    assert prompts == [
        "Place an agent for free, as a bonus.",
        "Move another player's agent, by corruption.",
        "Move the Éminence Grise, as a bonus.",
        "Move the Queen, as a bonus.",
    ]
    closing = play(take_turn(a_table(2), ANN), "income", "end")
    assert say(closing.decision.prompt, None, NAMES) == "Place a neutral agent, for free."


def test_the_preview_of_a_corruption_to_a_0_spot_does_not_show_the_agent():
    match = a_match(3, boxes=(("R10", "E2"), ("R5", "E3"), ("R9", "F3")))
    match.submit(1, "place 3 R1.1; place 3 R1.5")
    match.submit(2, "place 3 R2.1; place 2 R1.3")
    match.submit(3, "place 2 O3.1; place 1 R1.4")
    match.submit(1, "place 2 R1.2")
    assert match.decision(1).kind == "corrupt"
    preview = match.preview(1, "corrupt O3.1 O3.5")
    assert preview.shows
    assert preview.position["boxes"][2]["opposing"]["spots"][4]["piece"] == {"owner": 3, "value": None, "face": "up"}
    match.submit(1, "corrupt O3.1 O3.5")
    assert match.position(1)["boxes"][2]["opposing"]["spots"][4]["piece"] == {"owner": 3, "value": 2, "face": "up"}
    assert match.undo_refusal(1) is not None


def test_agents_in_hand_after_a_bonus_are_one_less():
    table = a_table()
    bonus(table, ANN, "A").play("place 3 R1.1")
    assert in_hand(table, ANN) == [-2, -2, 1, 1, 1, 2, 2, 2, 3]

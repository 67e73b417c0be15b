"""Chapter 4: which box is resolved."""

from __future__ import annotations

import pytest

from server.rules.asking import Refused
from server.rules.intrigues import GAME
from server.rules.intrigues.turn import take_turn
from tests.rules.intrigues.builders import ANN, BEN, CAT, EMINENCE, QUEEN, a_match, a_table, in_city, play, told

WITH_AGENT_BONUS = (("R8", "E2"), ("R5", "E3"), ("R9", "F3"))


@pytest.mark.rule("intrigues 4.1")
def test_a_box_is_resolved_as_soon_as_one_sheet_is_full_though_the_other_is_empty():
    table = a_table(on={"O2.1": (ANN, 2), "O2.2": (ANN, 2), "O2.3": (BEN, 1), "O2.4": (BEN, 1)})
    play(take_turn(table, ANN), "place 1 O2.5")
    assert table.sheets[ANN] == ["E3"]
    assert table.boxes[1].richelieu.lying.name != "R5"


@pytest.mark.rule("intrigues 4.1")
def test_four_pieces_do_not_complete_a_sheet():
    table = a_table(on={"O2.1": (ANN, 2), "O2.2": (ANN, 2), "O2.3": (BEN, 1)})
    play(take_turn(table, ANN), "place 1 O2.5")
    assert table.boxes[1].opposing.lying.name == "E3"
    assert not table.boxes[1].complete


@pytest.mark.rule("intrigues 4.1")
@pytest.mark.parametrize(("piece", "side"), [(EMINENCE, "O"), (QUEEN, "R")])
def test_eminence_and_queen_fill_a_spot_like_an_agent(piece, side):
    table = a_table(on={f"{side}1.1": piece, f"{side}1.2": (ANN, 2), f"{side}1.3": (ANN, 2), f"{side}1.4": (BEN, 1)})
    play(take_turn(table, ANN), f"place 1 {side}1.5")
    assert len(table.sheets[ANN]) == 1


def two_boxes_in_one_turn():
    """Ann completes box 3, wins "place an agent" and completes box 1 with it, while box 3 is being resolved."""
    return a_table(
        boxes=(("R1", "E2"), ("R5", "E3"), ("R8", "F3")),
        on={
            "R3.1": (ANN, 3),
            "R3.2": (ANN, 2),
            "R3.3": (ANN, 2),
            "R3.4": (BEN, 3),
            "O1.1": (BEN, 2),
            "O1.2": (BEN, 1),
            "O1.3": (CAT, 1),
            "O1.4": (CAT, 1),
        },
    )


@pytest.mark.rule("intrigues 4.2")
def test_a_complete_box_that_waits_takes_nothing():
    table = two_boxes_in_one_turn()
    turn = play(take_turn(table, ANN), "place 1 R3.5", "place 1 O1.5")
    assert (turn.seat, turn.decision.kind) == (BEN, "place")
    assert not any(" R1." in move or " O1." in move for move in turn.moves)
    assert turn.refusal("place 2 R1.1") == (
        "intrigues 4.2",
        "Box 1 is complete and waits to be resolved; nothing can be placed in it or moved out of it.",
    )


@pytest.mark.rule("intrigues 4.2")
def test_nothing_is_moved_out_of_a_complete_box_that_waits():
    """Ann's Queen completes box 2 while box 3 is being resolved; then Ben may corrupt, but nobody of box 2."""
    table = a_table(
        boxes=(("R1", "E2"), ("R5", "E3"), ("R13", "F3")),
        on={
            "R3.1": (ANN, 3),
            "R3.2": (ANN, 2),
            "R3.3": (BEN, 3),
            "R3.4": (BEN, 1),
            "R2.1": (CAT, 1),
            "R2.2": (CAT, 1),
            "R2.3": (CAT, 1),
            "R2.4": (ANN, 1),
            "O1.1": (CAT, 2),
        },
    )
    turn = play(take_turn(table, ANN), "place 1 R3.5", "queen R2.5")
    assert (turn.seat, turn.decision.kind) == (BEN, "corrupt")
    assert {move.split()[1] for move in turn.moves} == {"O1.1"}
    assert turn.refusal("corrupt R2.1 R1.1") == (
        "intrigues 4.2",
        "Box 2 is complete and waits to be resolved; nothing can be placed in it or moved out of it.",
    )
    assert turn.refusal("corrupt O1.1 O2.1")[0] == "intrigues 4.2"


@pytest.mark.rule("intrigues 4.3")
def test_the_box_being_resolved_is_closed_and_lies_there_face_up_until_it_is_cleared():
    table = a_table(
        boxes=WITH_AGENT_BONUS,
        on={"R1.1": (BEN, 3), "R1.2": (BEN, 2), "R1.3": (ANN, 2), "R1.4": (ANN, 1), "O1.1": (CAT, 2)},
    )
    turn = play(take_turn(table, ANN), "place -2 R1.5")
    position = GAME.position(table, CAT)
    assert position["resolving"] == 1
    assert position["boxes"][0]["richelieu"]["sheet"] == "R8"
    assert position["boxes"][0]["opposing"]["sheet"] == "E2"
    assert [spot["piece"]["value"] for spot in position["boxes"][0]["richelieu"]["spots"]] == [3, 2, 2, 1, -2]
    assert position["boxes"][0]["opposing"]["spots"][0]["piece"] == {"owner": 3, "value": 2, "face": "up"}
    assert not any(" R1." in move or " O1." in move for move in turn.moves)
    assert turn.refusal("place 1 O1.2") == (
        "intrigues 4.3",
        "Box 1 is being resolved; until its new sheets lie there no agent is placed in it or moved out of it.",
    )
    turn.play("place 1 R2.1", "place 1 R2.2")
    assert GAME.position(table, CAT)["resolving"] is None


@pytest.mark.rule("intrigues 4.3")
def test_no_agent_is_corrupted_out_of_the_box_being_resolved():
    table = a_table(
        boxes=(("R10", "E2"), ("R5", "E3"), ("R9", "F3")),
        on={"R1.1": (ANN, 3), "R1.2": (ANN, 2), "R1.3": (BEN, 2), "R1.4": (BEN, 1), "R2.1": (CAT, 2)},
    )
    turn = play(take_turn(table, ANN), "place 1 R1.5")
    assert {move.split()[1] for move in turn.moves} == {"R2.1"}
    assert turn.refusal("corrupt R1.3 R2.2")[0] == "intrigues 4.3"
    assert turn.refusal("corrupt R2.1 O1.1")[0] == "intrigues 4.3"


@pytest.mark.rule("intrigues 4.3")
def test_the_queen_may_leave_the_box_being_resolved_counted_already():
    table = a_table(
        boxes=(("R4", "E2"), ("R5", "E3"), ("R9", "F3")),
        on={"R1.1": QUEEN, "R1.2": (ANN, 2), "R1.3": (BEN, -2), "R1.4": (BEN, -2), "O1.1": (BEN, 2)},
    )
    turn = play(take_turn(table, ANN), "place 1 R1.5")
    assert "Richelieu 4 wins" not in " ".join(told(table))
    assert "Both sheets have 2: a tie goes to Richelieu 4." in told(table)
    assert (turn.seat, turn.decision.kind) == (ANN, "queen")
    turn.play("queen R3.5")
    assert table.royals[QUEEN] is table.spots["R3.5"]
    assert table.spots["R3.5"].piece is QUEEN
    assert table.spots["R1.1"].piece is None


@pytest.mark.rule("intrigues 4.3")
def test_a_queen_that_stays_in_the_box_being_resolved_goes_to_her_palace_with_it():
    table = a_table(
        boxes=(("R4", "E2"), ("R5", "E3"), ("R9", "F3")),
        on={"R1.1": QUEEN, "R1.2": (ANN, 2), "R1.3": (BEN, 1), "R1.4": (BEN, 1)},
    )
    play(take_turn(table, ANN), "place 1 R1.5", "stay")
    assert table.royals[QUEEN] is None
    assert table.spots["R1.1"].piece is None


@pytest.mark.rule("intrigues 4.4")
def test_the_current_box_is_finished_wholly_before_the_next():
    table = two_boxes_in_one_turn()
    turn = play(take_turn(table, ANN), "place 1 R3.5", "place 1 O1.5")
    assert table.sheets[CAT] == table.sheets[BEN] == []
    turn.play("place 1 R2.1")
    log = told(table)
    ends_of_box_3 = log.index("All agents of box 3 go to the city.")
    new_sheets = next(i for i, line in enumerate(log) if line.startswith("In box 3 lie"))
    box_1 = log.index("England 2 is complete: box 1 is resolved.")
    assert ends_of_box_3 < new_sheets < box_1
    assert table.sheets[BEN] == ["E2"]
    assert turn.seat == ANN


@pytest.mark.rule("intrigues 4.4")
def test_of_several_complete_boxes_the_topmost_comes_next():
    """Box 3 gives Ann and Ben an agent each; they complete box 2 first and then box 1."""
    table = a_table(
        boxes=(("R1", "E2"), ("R5", "E3"), ("R8", "F3")),
        on={
            "R3.1": (ANN, 3),
            "R3.2": (ANN, 2),
            "R3.3": (BEN, 2),
            "R3.4": (BEN, 1),
            "O1.1": (CAT, 2),
            "O1.2": (CAT, 1),
            "O1.3": (BEN, 1),
            "O1.4": (BEN, 1),
            "R2.1": (CAT, 2),
            "R2.2": (CAT, 1),
            "R2.3": (CAT, 1),
            "R2.4": (BEN, -2),
        },
    )
    play(take_turn(table, ANN), "place 1 R3.5", "place 1 R2.5", "place 2 O1.5")
    resolved = [line for line in told(table) if "is complete" in line]
    assert resolved == [
        "Richelieu 8 is complete: box 3 is resolved.",
        "England 2 is complete: box 1 is resolved.",
        "Richelieu 5 is complete: box 2 is resolved.",
    ]


@pytest.mark.rule("intrigues 4.5")
def test_a_move_that_completes_a_sheet_ends_its_submission_and_cannot_be_taken_back():
    match = a_match(3)
    for seat, moves in ((1, "place 3 O1.1; place 2 O1.5"), (2, "place 2 O1.3; end"), (3, "place 2 O1.4; end")):
        match.submit(seat, moves)
    with pytest.raises(Refused, match="shows you something new"):
        match.submit(1, "place 1 O1.2; income")
    assert match.version == 6
    match.submit(1, "place 1 O1.2")
    assert match.moves[-1].shows
    assert match.undo_refusal(1) is not None


@pytest.mark.rule("intrigues 4.5")
def test_the_preview_of_a_completing_move_shows_nothing_that_lay_face_down():
    match = a_match(3)
    for seat, moves in ((1, "place 3 O1.1; place 2 O1.5"), (2, "place 2 O1.3; end"), (3, "place 2 O1.4; end")):
        match.submit(seat, moves)
    preview = match.preview(1, "place 1 O1.2")
    assert preview.shows
    spots = preview.position["boxes"][0]["opposing"]["spots"]
    assert [spot["piece"]["value"] for spot in spots] == [3, 1, None, None, 2]
    assert preview.position["seats"][0]["money"] == 7 - 2 - 2 - 2
    assert preview.position["stacks"] == {"richelieu": 10, "opposition": 10}


@pytest.mark.rule("intrigues 4.5")
def test_other_moves_of_a_turn_can_be_sent_together():
    match = a_match(3)
    assert match.submit(1, "place 3 O1.5; place 2 R1.5") == ("place 3 O1.5", "place 2 R1.5")
    assert not match.moves[-1].shows


def test_all_agents_of_a_resolved_box_lie_in_the_city_also_those_of_the_other_sheet():
    table = a_table(on={"O2.1": (ANN, 2), "O2.2": (ANN, 2), "O2.3": (BEN, 1), "O2.4": (BEN, 1), "R2.1": (CAT, -2)})
    play(take_turn(table, ANN), "place 1 O2.5")
    assert (in_city(table, ANN), in_city(table, BEN), in_city(table, CAT)) == ([1, 2, 2], [1, 1], [-2])

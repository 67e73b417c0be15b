"""A turn's phases (chapter 2) and influencing the characters (chapter 3)."""

import pytest

from server.rules.crusade.influencing import influence_characters
from server.rules.telling import Seat
from tests.rules.crusade.builders import (
    ALL_CHARACTERS,
    Luck,
    a_match,
    a_table,
    asked,
    hand,
    play,
    play_until,
    played_at_random,
    refusal,
    told,
)


@pytest.mark.rule("crusade 2.1")
def test_the_top_event_is_turned_at_the_beginning_of_each_turn_for_all_to_see():
    match = a_match(3, events="history")
    turned = []
    for turn in (1, 2, 3):
        play_until(match, "pawn", luck=turn)
        position = match.position(None)
        turned.append((position["turn"], position["event"], position["events_left"]))
        play_until(match, "contribution", luck=turn)
    assert turned == [(1, "I Vezelay", 17), (2, "II Winter at Messina", 16), (3, "III Cyprus", 15)]


@pytest.mark.rule("crusade 2.2")
def test_a_turn_goes_through_its_phases_in_order():
    match = played_at_random(4, "on", 3, most=0)
    phases = []
    while not match.over and match.position(None)["turn"] < 2:
        phase = match.position(None)["phase"]
        if phase not in phases[-1:]:
            phases.append(phase)
        seat = match.waiting_for()[0]
        match.answer(seat, match.decision(seat).answers()[0])
    assert phases == ["loyalty", "influencing", "actions", "contributions"]
    turn_one = " ".join(told(match.table))
    order = ["event of this turn", "influences the", "carries out", "sends 2 cards", "Turned up", "Turn 2 begins"]
    assert sorted(order, key=turn_one.index) == order


@pytest.mark.rule("crusade 2.2")
def test_the_consequences_of_the_event_come_before_the_end_check():
    """The battle takes Saladin to 1, the event to 0: the match ends in this very turn."""
    luck = Luck(crusade=["green red red"], events=["IV Siege of Acre"])
    match = a_match(3, events="on", luck=luck)
    play_until(match, "contribution")
    match.table.tracks["saladin"] = 2
    for seat in match.waiting_for():
        match.submit(seat, match.decision(seat).answers()[0])
    assert match.table.tracks["saladin"] == 0
    assert match.outcome().more == {"ending": "B"}


@pytest.mark.rule("crusade 2.3")
def test_the_next_seat_is_first_player_in_the_next_turn():
    match = a_match(3)
    firsts = []
    for turn in (1, 2, 3, 4):
        play_until(match, "pawn", luck=2)
        firsts.append(match.position(None)["first"])
        assert tuple(match.question) == (firsts[-1],)
        assert match.position(None)["turn"] == turn
        match.table.tracks.update(crusaders=15, saladin=15, treasury=15)
        play_until(match, "contribution", luck=2)
        for seat in match.waiting_for():
            match.answer(seat, match.decision(seat).answers()[0])
    assert firsts == [1, 2, 3, 1]


@pytest.mark.rule("crusade 2.3")
def test_a_phase_goes_clockwise_from_the_first_player():
    table = a_table(4, first=3)
    script = influence_characters(table)
    play(script, {3: "pawn spy"}, {4: "pawn arms"}, {1: "pawn regent"}, {2: "pawn bandit take red"})
    assert table.characters == {3: "spy", 4: "arms", 1: "regent", 2: "bandit"}


@pytest.mark.rule("crusade 2.3")
def test_only_tournaments_and_contributions_are_answered_at_the_same_time():
    together = set()
    for seed in range(8):
        match = played_at_random(4, "off", seed, most=0)
        while not match.over:
            if len(match.question) > 1:
                together |= {decision.kind for decision in match.question.values()}
            seat = match.waiting_for()[-1]
            answers = match.decision(seat).answers()
            match.answer(seat, "tournament" if "tournament" in answers else answers[seed % len(answers)])
    assert together == {"tournament", "contribution"}


@pytest.mark.rule("crusade 3.1")
def test_a_pawn_goes_to_any_free_character():
    table = a_table(3)
    script = influence_characters(table)
    assert list(asked(script).answers()) == [f"pawn {character}" for character in ALL_CHARACTERS]
    assert ALL_CHARACTERS == ("exciseman", "inquisitor", "merchant", "spy", "arms", "regent", "chancellor", "bandit")


@pytest.mark.rule("crusade 3.1")
def test_a_character_that_is_taken_is_refused_with_the_name_of_who_is_there():
    table = a_table(3)
    decision = asked(influence_characters(table), "pawn merchant")
    rule, why = refusal(decision, "pawn merchant")
    assert rule == "crusade 3.1"
    assert why.startswith("The Merchant is taken by Ann. Open to you: Exciseman, Inquisitor, Spy")
    assert "pawn merchant" not in decision.answers()


@pytest.mark.rule("crusade 3.1")
def test_a_character_that_does_not_exist_is_refused():
    decision = asked(influence_characters(a_table(3)))
    assert refusal(decision, "pawn bishop")[0] == "crusade 3.1"
    assert refusal(decision, "loyal john")[0] == "crusade 3.1"
    assert refusal(decision, "pawn")[0] == "crusade 3.1"


@pytest.mark.rule("crusade 3.1")
def test_the_long_name_of_a_character_is_read_too():
    decision = asked(influence_characters(a_table(3)))
    assert decision.read("Pawn Master at Arms.") == "pawn arms"


@pytest.mark.rule("crusade 3.1")
def test_a_pawn_with_one_place_to_go_is_put_there_without_asking():
    """Seven seats have chosen or are excluded: with eight, the seventh finds two characters free, one its own last."""
    table = a_table(8, last_characters={7: "bandit"})
    pawns = [f"pawn {character}" for character in ALL_CHARACTERS[:6]]
    question = play(influence_characters(table), *pawns)
    assert tuple(question) == (8,)
    assert table.characters[7] == "chancellor"
    assert told(table)[-1] == "Only the Chancellor is open to Gus, who influences it."


@pytest.mark.rule("crusade 3.1")
def test_the_last_is_asked_for_a_colour_even_with_one_place_to_go():
    table = a_table(8)
    pawns = [f"pawn {character}" for character in ALL_CHARACTERS[:7]]
    decision = asked(influence_characters(table), *pawns)
    assert [answer.split()[1] for answer in decision.answers()] == ["bandit"] * 6


@pytest.mark.rule("crusade 3.2")
def test_the_character_of_the_turn_before_is_not_open():
    table = a_table(3, last_characters={1: "merchant", 2: "spy"})
    decision = asked(influence_characters(table))
    assert "pawn merchant" not in decision.answers()
    assert "pawn spy" in decision.answers()
    rule, why = refusal(decision, "pawn merchant")
    assert rule == "crusade 3.2"
    assert why.startswith("You influenced the Merchant in the turn before.")


@pytest.mark.rule("crusade 3.2")
def test_a_character_counts_as_influenced_also_when_its_player_was_passed_over():
    match = a_match(3)
    for text in ("loyal john", "loyal richard", "loyal john", "pawn spy", "pawn bandit", "pawn merchant take red"):
        match.submit(match.waiting_for()[0], text)
    match.table.give(Seat(2), hand(match.table, 2).split())
    match.table.counselors[2].clear()
    match.submit(1, "recruit")
    assert tuple(match.question) == (3,)
    match.submit(3, "stock")
    for seat in match.waiting_for():
        match.answer(seat, match.decision(seat).answers()[0])
    assert match.position(None)["seats"][1]["last_character"] == "bandit"
    assert refusal(match.decision(2), "pawn bandit")[0] == "crusade 3.2"


@pytest.mark.rule("crusade 3.3")
def test_the_last_of_eight_may_stay_if_nothing_else_is_free():
    table = a_table(8, last_characters={8: "bandit"})
    pawns = [f"pawn {character}" for character in ALL_CHARACTERS[:7]]
    assert play(influence_characters(table), *pawns, {8: "pawn bandit take green"}) == {}
    assert table.characters[8] == "bandit"
    assert hand(table, 8) == "green green"


@pytest.mark.rule("crusade 3.3")
def test_the_last_of_seven_may_not_stay_while_another_is_free():
    table = a_table(7, last_characters={7: "bandit"})
    decision = asked(influence_characters(table), *[f"pawn {character}" for character in ALL_CHARACTERS[:6]])
    assert {answer.split()[1] for answer in decision.answers()} == {"chancellor"}
    assert refusal(decision, "pawn bandit take red")[0] == "crusade 3.2"


@pytest.mark.rule("crusade 3.4")
def test_the_last_takes_a_green_card_and_one_of_a_colour_of_choice():
    table = a_table(3)
    assert play(influence_characters(table), "pawn spy", "pawn arms", {3: "pawn merchant take blue"}) == {}
    assert [hand(table, seat) for seat in (1, 2, 3)] == ["", "", "blue green"]
    assert len(table.reserve["green"]) == 35
    assert told(table)[-1] == "Cat takes 1 blue, 1 green from the reserve."


@pytest.mark.rule("crusade 3.4")
def test_the_last_must_name_a_colour_and_the_others_must_not():
    script = influence_characters(a_table(3))
    decision = asked(script)
    assert refusal(decision, "pawn spy take blue") == (
        "crusade 3.4",
        "Only the last to put a pawn takes cards: write “pawn spy”.",
    )
    last = asked(influence_characters(a_table(3)), "pawn spy", "pawn arms")
    assert refusal(last, "pawn merchant") == (
        "crusade 3.4",
        "As the last you name one colour to take too, as in “pawn merchant take blue”.",
    )
    assert refusal(last, "pawn merchant take pink")[0] == "crusade 1.1"
    free = asked(influence_characters(a_table(3)), "pawn spy", "pawn regent")
    assert free.read("Pawn Master at Arms take Blue") == "pawn arms take blue"


@pytest.mark.rule("crusade 3.2")
def test_the_pawn_stands_until_the_end_of_the_turn_and_is_then_the_last_character():
    match = a_match(3)
    play_until(match, "contribution")
    characters = [seat["character"] for seat in match.position(None)["seats"]]
    assert None not in characters
    for seat in match.waiting_for():
        match.answer(seat, match.decision(seat).answers()[0])
    assert [seat["last_character"] for seat in match.position(None)["seats"]] == characters
    assert [seat["character"] for seat in match.position(None)["seats"]] == [None] * 3

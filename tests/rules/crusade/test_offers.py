"""The tax (4.2) and the tournament (4.6)."""

import pytest

from server.rules.crusade import GAME
from tests.rules.crusade.builders import a_match, acted, action_of, asked, hand, play, refusal, told


def taxed(hands: str, *offers: int, seats: int = 4):
    """The table after a tax of seat 1; hands are numbers of yellow cards by seat, offers come from seat 2 on."""
    held = {seat: " ".join(["yellow"] * int(number)) for seat, number in enumerate(hands.split(), start=1)}
    return acted("exciseman", held.pop(1), "tax", *[f"offer {n}" for n in offers], hands=held, seats=seats)


def points(table) -> list[int]:
    return list(table.pp.values())


@pytest.mark.rule("crusade 4.2")
def test_the_tax_asks_openly_from_the_left_of_the_resolver_who_is_last():
    hands = {1: "yellow", 3: "yellow", 4: "yellow yellow"}
    table, script = action_of(2, "exciseman", "yellow", seats=4, hands=hands)
    question = play(script, "tax", {3: "offer 1"}, {4: "offer 2"})
    assert tuple(question) == (1,)
    assert GAME.position(table, None)["offers"] == [{"seat": 3, "offer": 1}, {"seat": 4, "offer": 2}]
    table, script = action_of(2, "exciseman", "yellow", seats=4, hands=hands)
    assert play(script, "tax", {3: "offer 1"}, {4: "offer 2"}, {1: "offer 0"}, {2: "offer 1"}) == {}
    assert GAME.position(table, None)["offers"] is None


@pytest.mark.rule("crusade 4.2")
def test_the_most_yellow_gets_three_points_and_the_next_number_one():
    assert points(taxed("2 3 1 0", 3, 1, 2)) == [1, 3, 0, 0]


@pytest.mark.rule("crusade 4.2")
def test_equal_offers_score_equally():
    """Two with the most get 3 each and leave the next lower number its 1 PP; three second ones get 1 each."""
    assert points(taxed("2 2 1 1", 2, 1, 1, 2)) == [3, 3, 1, 1]


@pytest.mark.rule("crusade 4.2")
def test_an_offer_of_nothing_never_scores():
    assert points(taxed("1 1 1 1", 0, 0, 0, 0)) == [0, 0, 0, 0]
    assert points(taxed("1 1 1 1", 1, 0, 0, 0)) == [0, 3, 0, 0]


@pytest.mark.rule("crusade 4.2")
def test_offered_cards_stay_in_the_hands_until_the_last_has_offered_and_then_all_go():
    table, script = action_of(1, "exciseman", "yellow", hands={2: "yellow yellow", 3: "yellow red"})
    question = play(script, "tax", "offer 2", "offer 1")
    assert tuple(question) == (1,)
    assert [len(table.hands[seat]) for seat in table.seats] == [1, 2, 2]
    done = taxed("1 2 1", 2, 1, 0, seats=3)
    assert [hand(done, seat) for seat in (1, 2, 3)] == ["yellow", "", ""]
    assert len(done.reserve["yellow"]) == 23


@pytest.mark.rule("crusade 4.2")
def test_whoever_has_no_card_is_not_asked_and_whoever_has_no_yellow_card_is():
    _, script = action_of(1, "exciseman", "", hands={3: "red"})
    question = play(script, "tax")
    assert tuple(question) == (3,)
    assert list(question[3].answers()) == ["offer 0"]


@pytest.mark.rule("crusade 4.2")
def test_a_resolver_without_a_card_is_not_asked_either():
    table, script = action_of(1, "exciseman", "", hands={2: "yellow", 3: "yellow"})
    assert play(script, "tax", {2: "offer 1"}, {3: "offer 0"}) == {}
    assert points(table) == [0, 3, 0]


@pytest.mark.rule("crusade 4.2")
def test_no_more_can_be_offered_than_is_held():
    _, script = action_of(1, "exciseman", "red", hands={2: "yellow yellow red"})
    decision = asked(script, "tax")
    assert decision.kind == "tax"
    assert list(decision.answers()) == ["offer 0", "offer 1", "offer 2"]
    assert refusal(decision, "offer 3") == (
        "crusade 4.2",
        "You offered 3 yellow cards but hold 2. You can offer 0 to 2.",
    )
    for text in ("offer", "offer −1", "offer many", f"offer {'9' * 5000}", "stock"):
        rule, why = refusal(decision, text)
        assert rule == "crusade 4.2"
        assert "offer 0" in why


def tournament(hands: str, *offers: int | None, caller: int = 1):
    """The table after a tournament: hands are numbers of red cards by seat; None is not asked."""
    numbers = [int(number) for number in hands.split()]
    held = {seat: " ".join(["red"] * number) for seat, number in enumerate(numbers, start=1)}
    own = held.pop(caller)
    table, script = action_of(caller, "arms", own, seats=len(numbers), hands=held)
    sealed = {seat: f"offer {n}" for seat, n in enumerate(offers, start=1) if n is not None}
    assert play(script, "tournament", *([sealed] if sealed else [])) == {}
    return table


@pytest.mark.rule("crusade 4.6")
def test_drill_takes_two_red_and_draws_one():
    assert hand(acted("arms", "", "drill", supply="green"), 1) == "red red green"


@pytest.mark.rule("crusade 4.6")
def test_all_are_asked_at_the_same_time_and_nobody_sees_an_offer_before_the_last():
    match = a_match(3)
    for text in ("loyal john", "loyal richard", "loyal john", "pawn arms", "pawn spy", "pawn regent take red"):
        match.submit(match.waiting_for()[0], text)
    match.submit(1, "tournament")
    assert tuple(match.question) == (1, 2, 3)
    before = {viewer: match.position(viewer) for viewer in (1, 3, None)}
    log = told(match.table)
    match.submit(2, "offer 0")
    assert {viewer: match.position(viewer) for viewer in (1, 3, None)} == before
    assert told(match.table) == log
    assert match.position(2)["seats"][1]["sealed"] == "offer 0"
    assert match.waiting_for() == (1, 3)


@pytest.mark.rule("crusade 4.6")
def test_the_highest_offer_gets_three_points_and_the_second_one():
    table = tournament("3 2 4", 3, 2, 4)
    assert points(table) == [1 + 1, 0, 3]
    assert [hand(table, seat) for seat in (1, 2, 3)] == ["", "", ""]
    assert {"Ann offers 3 red.", "Ben offers 2 red.", "Cat offers 4 red."} <= set(told(table))


@pytest.mark.rule("crusade 4.6")
def test_of_equal_offers_the_callers_wins_then_clockwise_from_there():
    assert points(tournament("2 2 2 2", 2, 2, 2, 2, caller=3)) == [0, 0, 3, 1]
    assert points(tournament("2 2 2 1", 2, 2, 2, 1, caller=4)) == [3, 1, 0, 1]


@pytest.mark.rule("crusade 4.6")
def test_all_offered_cards_go_to_the_reserve_also_of_those_who_get_nothing():
    table = tournament("2 3 1", 1, 3, 1)
    assert [hand(table, seat) for seat in (1, 2, 3)] == ["red", "", ""]
    assert len(table.reserve["red"]) == 33 - 1


@pytest.mark.rule("crusade 4.6")
def test_a_caller_who_does_not_win_gets_a_point_besides_the_one_for_second():
    assert points(tournament("1 2 0", 1, 2, None)) == [2, 3, 0]
    assert points(tournament("1 2 2", 0, 2, 1)) == [1, 3, 1]
    assert points(tournament("2 1 1", 2, 1, 1)) == [3, 1, 0]


@pytest.mark.rule("crusade 4.6")
def test_when_nobody_offers_anything_nobody_wins_and_the_caller_gets_a_point():
    assert points(tournament("1 1 1", 0, 0, 0)) == [1, 0, 0]


@pytest.mark.rule("crusade 4.6")
def test_an_offer_of_nothing_is_never_second():
    assert points(tournament("1 1 1", 1, 0, 0)) == [3, 0, 0]


@pytest.mark.rule("crusade 4.6")
def test_whoever_has_no_card_is_not_asked_not_even_the_caller():
    assert points(tournament("0 1 0", None, 1, None)) == [1, 3, 0]
    assert points(tournament("0 0 0", None, None, None)) == [1, 0, 0]


@pytest.mark.rule("crusade 4.6")
def test_whoever_has_cards_but_no_red_one_is_asked_all_the_same():
    _, script = action_of(1, "arms", "blue", hands={2: "green", 3: "red red"})
    question = play(script, "tournament")
    assert {seat: list(decision.answers()) for seat, decision in question.items()} == {
        1: ["offer 0"],
        2: ["offer 0"],
        3: ["offer 0", "offer 1", "offer 2"],
    }
    assert {decision.kind for decision in question.values()} == {"tournament"}
    assert refusal(question[3], "offer 3")[0] == "crusade 4.6"

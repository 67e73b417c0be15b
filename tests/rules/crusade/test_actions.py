"""The characters' actions (4.1 to 4.5, 4.7 to 4.9, 4.11)."""

import pytest

from server.rules.crusade import GAME
from server.rules.crusade.actions import act, carry_out_actions
from server.rules.crusade.characters import CHARACTERS
from server.rules.hidden import Hidden
from server.rules.telling import Seat
from tests.rules.crusade.builders import a_table, acted, action_of, asked, hand, play, refusal, told

EACH = "blue yellow purple white red green"


@pytest.mark.rule("crusade 4.1")
def test_each_in_turn_carries_out_one_action():
    table = a_table(3, characters={1: "merchant", 2: "regent", 3: "arms"}, first=2)
    assert play(carry_out_actions(table), {2: "rally"}, {3: "drill"}, {1: "stock"}) == {}
    assert [len(table.hands[seat]) for seat in table.seats] == [3, 3, 3]


@pytest.mark.rule("crusade 4.1")
@pytest.mark.parametrize("character", CHARACTERS)
def test_both_actions_of_a_character_are_open_to_whoever_can_pay_for_them(character: str):
    _, script = action_of(1, character, f"{EACH} {EACH}")
    verbs = {answer.split()[0] for answer in asked(script).answers()}
    assert verbs == set(CHARACTERS[character].actions)


@pytest.mark.rule("crusade 4.1")
def test_an_action_of_another_character_is_refused():
    _, script = action_of(1, "merchant", EACH)
    assert refusal(asked(script), "council") == (
        "crusade 4.1",
        "That is an action of the Regent. You influence the Merchant: stock, trade.",
    )
    assert refusal(asked(action_of(1, "merchant", EACH)[1]), "sell")[0] == "crusade 4.1"


@pytest.mark.rule("crusade 4.1")
@pytest.mark.parametrize(
    ("character", "hand_held", "move", "rule", "why"),
    [
        ("inquisitor", "green", "absolve", "crusade 4.3", "That costs 2 green; of these you hold 1 green."),
        ("merchant", "blue blue white", "trade", "crusade 4.4", "That costs 2 blue, 2 white; of these you hold"),
        ("spy", "purple red", "spy 2 red", "crusade 4.5", "That costs 2 purple; of these you hold 1 purple."),
        ("regent", "blue red", "council", "crusade 4.7", "That costs 1 blue, 1 yellow, 1 purple, 1 white, 1 red, 1 g"),
        ("bandit", "red", "ambush blue", "crusade 4.9", "You hold no blue to give."),
    ],
)
def test_an_action_that_cannot_be_paid_is_not_open(character: str, hand_held: str, move: str, rule: str, why: str):
    _, script = action_of(1, character, hand_held)
    decision = asked(script)
    assert move not in decision.answers()
    refused_by, sentence = refusal(decision, move)
    assert refused_by == rule
    assert sentence.startswith(why)


@pytest.mark.rule("crusade 4.1")
@pytest.mark.rule("crusade 4.8")
def test_the_steps_of_an_action_come_in_the_order_in_which_they_are_written():
    """The Bandit pays before taking: the last white card of the game comes back. Levy draws before it takes."""
    bandit = acted("bandit", "white red", "ambush white", reserve={"white": 0})
    assert hand(bandit, 1) == "white red green"
    levy = acted("chancellor", "", "levy red", supply="", reserve={"red": 5, "blue": 0, "yellow": 0, "white": 0})
    assert levy.held(Seat(1))["red"] + sum(card.front == "red" for card in levy.supply) == 5
    assert len(levy.hands[Seat(1)]) == 2


@pytest.mark.rule("crusade 4.1")
@pytest.mark.parametrize(
    ("character", "move", "rule"),
    [
        ("inquisitor", "accuse", "crusade 4.3"),
        ("spy", "spy", "crusade 4.5"),
        ("spy", "spy 2", "crusade 4.5"),
        ("chancellor", "levy", "crusade 4.8"),
        ("chancellor", "counsel red blue", "crusade 4.8"),
        ("bandit", "plunder", "crusade 4.9"),
        ("merchant", "stock blue", "crusade 4.4"),
    ],
)
def test_whatever_is_to_be_named_is_named_with_the_move(character: str, move: str, rule: str):
    _, script = action_of(1, character, f"{EACH} {EACH}")
    assert refusal(asked(script), move)[0] == rule


@pytest.mark.rule("crusade 4.1")
def test_a_colour_that_does_not_exist_is_refused():
    _, script = action_of(1, "chancellor", "")
    rule, why = refusal(asked(script), "levy pink")
    assert rule == "crusade 1.1"
    assert "blue, yellow, purple, white, red, green" in why


@pytest.mark.rule("crusade 4.1")
def test_a_bandit_without_cards_and_counselors_is_passed_over():
    table = a_table(3, characters={1: "bandit", 2: "regent", 3: "arms"})
    question = play(carry_out_actions(table))
    assert tuple(question) == (2,)
    assert told(table)[-1] == "Ann has no card for the Bandit and is passed over."


@pytest.mark.rule("crusade 4.2")
def test_collect_takes_two_yellow_and_draws_one():
    table = acted("exciseman", "", "collect", supply="red")
    assert hand(table, 1) == "yellow yellow red"
    assert len(table.reserve["yellow"]) == 22


@pytest.mark.rule("crusade 4.3")
def test_accuse_takes_green_and_purple_and_scores_the_green_cards_of_the_other_hand():
    table = acted("inquisitor", "green", "accuse 3", hands={3: "green green red", 2: "green"})
    assert hand(table, 1) == "purple green green"
    assert table.pp == {1: 2, 2: 0, 3: 0}
    assert hand(table, 3) == "red green green"


@pytest.mark.rule("crusade 4.3")
def test_the_accused_hand_is_shown_to_the_resolver_alone():
    table = acted("inquisitor", "", "accuse 3", hands={3: "green white white red"})
    assert "Ann sees the hand of Cat (2 white, 1 red, 1 green)." in told(table, 1)
    for viewer in (None, 2, 3):
        assert "Ann sees the hand of Cat (for nobody else to see)." in told(table, viewer)
        assert "Ann gets 1 PP and has 1." in told(table, viewer)


@pytest.mark.rule("crusade 4.3")
def test_absolve_pays_two_green_for_a_point_and_three_cards():
    table = acted("inquisitor", "green green green", "absolve", supply="red red blue white")
    assert hand(table, 1) == "blue red red green"
    assert table.pp[1] == 1
    assert len(table.supply) == 1


@pytest.mark.rule("crusade 4.4")
def test_stock_takes_two_blue_and_draws_one():
    table = acted("merchant", "", "stock", supply="red")
    assert hand(table, 1) == "blue blue red"


@pytest.mark.rule("crusade 4.4")
def test_trade_pays_two_blue_and_two_white_for_three_points_and_two_cards():
    table = acted("merchant", "blue blue blue white white", "trade", supply="red green")
    assert hand(table, 1) == "blue red green"
    assert table.pp[1] == 3
    assert len(table.reserve["white"]) == 24


@pytest.mark.rule("crusade 4.5")
def test_recruit_takes_purple_and_green_and_draws_one():
    table = acted("spy", "", "recruit", supply="red")
    assert hand(table, 1) == "purple red green"


@pytest.mark.rule("crusade 4.5")
def test_spying_pays_two_purple_scores_the_cards_of_the_colour_and_draws_one():
    table = acted("spy", "purple purple white", "spy 2 blue", hands={2: "blue blue blue red"}, supply="green")
    assert hand(table, 1) == "white green"
    assert table.pp[1] == 3
    assert "Ann sees the hand of Ben (3 blue, 1 red)." in told(table, 1)
    assert "Ann sees the hand of Ben (for nobody else to see)." in told(table, 2)


@pytest.mark.rule("crusade 4.5")
def test_spying_where_there_is_nothing_gives_nothing():
    table = acted("spy", "purple purple", "spy 2 blue", hands={2: "red"}, supply="green")
    assert table.pp[1] == 0
    assert "Ann gets no PP for it." in told(table)


@pytest.mark.rule("crusade 4.7")
def test_rally_takes_two_white_and_draws_one():
    table = acted("regent", "", "rally", supply="red")
    assert hand(table, 1) == "white white red"


@pytest.mark.rule("crusade 4.7")
def test_the_council_pays_a_card_of_each_colour_for_five_points_and_four_cards():
    table = acted("regent", f"{EACH} red", "council", supply="blue blue white green")
    assert hand(table, 1) == "blue blue white red green"
    assert table.pp[1] == 5


@pytest.mark.rule("crusade 4.8")
def test_levy_draws_two_and_takes_one_of_the_colour():
    table = acted("chancellor", "", "levy green", supply="red white")
    assert hand(table, 1) == "white red green"


@pytest.mark.rule("crusade 4.8")
def test_counsel_draws_a_counselor_of_the_own_side_and_takes_one_of_the_colour():
    table = acted(
        "chancellor", "", "counsel blue", decks={"richard": ["Eleanor", "Longchamp"], "john": ["Hugh Bardolf"]}
    )
    assert hand(table, 1) == "blue"
    assert [card.front for card in table.counselors[1]] == ["Eleanor"]
    assert len(table.counselor_decks["richard"]) == 1


@pytest.mark.rule("crusade 4.8")
def test_counsel_with_no_counselor_left_takes_the_card_alone():
    table = acted("chancellor", "", "counsel blue", decks={"john": ["Hugh Bardolf"]})
    assert hand(table, 1) == "blue"
    assert table.counselors[1] == []


@pytest.mark.rule("crusade 4.9")
def test_ambush_gives_a_card_for_a_point_a_green_and_a_white():
    table = acted("bandit", "blue red", "ambush blue")
    assert hand(table, 1) == "white red green"
    assert table.pp[1] == 1
    assert len(table.reserve["blue"]) == 24


@pytest.mark.rule("crusade 4.9")
def test_plunder_gives_a_card_for_a_point_a_red_and_a_yellow():
    table = acted("bandit", "blue", "plunder blue")
    assert hand(table, 1) == "yellow red"
    assert table.pp[1] == 1


@pytest.mark.rule("crusade 4.9")
def test_the_bandit_can_give_any_card_held():
    _, script = action_of(1, "bandit", "blue blue red")
    assert list(asked(script).answers()) == ["ambush blue", "ambush red", "plunder blue", "plunder red"]


@pytest.mark.rule("crusade 4.11")
def test_everybody_sees_how_many_are_drawn_and_the_drawer_which():
    table = acted("inquisitor", "green green", "absolve", supply="red red white")
    assert "Ann draws 3 from the supply (1 white, 2 red)." in told(table, 1)
    assert "Ann draws 3 from the supply (kept secret)." in told(table, 2)
    assert "Ann draws 3 from the supply (kept secret)." in told(table, None)


@pytest.mark.rule("crusade 4.11")
def test_which_counselor_is_drawn_stays_secret_also_after_it_was_revealed():
    table = acted("chancellor", "", "counsel blue", decks={"richard": ["Ambroise"]})
    assert "Ann draws a counselor (Ambroise)." in told(table, 1)
    play(act(table, Seat(1)), "play Ambroise", "counsel red")
    assert "Ann draws a counselor (kept secret)." in told(table, 2)
    assert "Ann draws a counselor (Ambroise)." in told(table, "host")


@pytest.mark.rule("crusade 4.11")
def test_the_points_that_a_hand_has_brought_are_public():
    table = acted("inquisitor", "", "accuse 2", hands={2: "green green green"})
    assert "Ann gets 3 PP and has 3." in told(table, None)
    assert GAME.position(table, None)["seats"][0]["pp"] == 3


@pytest.mark.rule("crusade 4.3")
def test_case_B47_the_hand_is_shown_as_it_was_at_that_moment():
    """The hand changes afterwards: what was shown stays what it was, for the resolver; nobody else sees any of it."""
    table = acted("inquisitor", "", "accuse 2", hands={2: "green blue blue"})
    table.give(Seat(2), ["blue", "blue"])
    table.take(Seat(2), ["red"])
    assert "Ann sees the hand of Ben (2 blue, 1 green)." in told(table, 1)
    assert not any("blue" in line for line in told(table, 3))
    assert not any(isinstance(part, Hidden) and part.known_to(2) for line in table.log for part in line.parts.values())


@pytest.mark.rule("crusade 4.3")
def test_case_B47_the_order_of_a_hand_tells_nothing():
    """Two hands alike but gathered in another order are shown alike."""
    first = acted("inquisitor", "", "accuse 2", hands={2: "green blue red blue"})
    second = acted("inquisitor", "", "accuse 2", hands={2: "blue blue green red"})
    assert told(first, 1) == told(second, 1)

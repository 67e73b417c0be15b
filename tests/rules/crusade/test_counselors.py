"""Counselors that act (4.10), and what the cards of the edition do (11.1)."""

import pytest

from server.rules.crusade import GAME
from server.rules.crusade.actions import carry_out_actions
from tests.rules.crusade.builders import a_table, action_of, asked, hand, play, refusal, told

END_CARDS = {
    "William Marshal": (3, "crusaders", 4, 15),
    "Hubert Walter": (3, "saladin", 0, 4),
    "Eleanor": (3, "treasury", 8, 20),
    "Longchamp": (2, "treasury", 5, 20),
    "Robert of Sable": (2, "saladin", 0, 6),
    "Walter of Coutances": (2, "time", 0, 6),
    "Hugh of Nonant": (3, "crusaders", 0, 1),
    "Philip Augustus": (3, "treasury", 0, 3),
    "Leopold of Austria": (3, "time", 7, 12),
    "Henry the Emperor": (2, "treasury", 0, 5),
    "Conrad of Montferrat": (2, "crusaders", 0, 3),
    "Geoffrey of York": (2, "time", 5, 12),
}


def played(move: str, **table_parts):
    """The table after seat 1 has revealed a counselor, about to act as the Merchant."""
    name = next(each for each in GAME.printed.counselors if move.startswith(f"play {each}"))
    table, script = action_of(1, "merchant", table_parts.pop("hand", ""), counselors={1: [name]}, **table_parts)
    question = play(script, move)
    assert tuple(question) == (1,)
    assert table.revealed[1] == [name]
    assert table.counselors[1] == []
    return table


@pytest.mark.rule("crusade 4.10")
def test_any_number_of_counselors_is_revealed_before_the_action_which_closes_the_step():
    table, script = action_of(
        1, "merchant", "", counselors={1: ["Ambroise", "Baldwin of Bethune", "Eleanor"]}, supply="white green"
    )
    assert play(script, "play Ambroise", {1: "play Baldwin of Bethune"}, {1: "stock"}) == {}
    assert hand(table, 1) == "blue blue white red red green"
    assert table.revealed[1] == ["Ambroise", "Baldwin of Bethune"]
    assert GAME.position(table, None)["seats"][0]["revealed"] == ["Ambroise", "Baldwin of Bethune"]
    assert GAME.position(table, None)["seats"][0]["counselors"] == 1


@pytest.mark.rule("crusade 4.10")
def test_a_counselor_works_once():
    _, script = action_of(1, "merchant", "", counselors={1: ["Ambroise"]}, supply="white white")
    decision = asked(script, "play Ambroise")
    assert not any(answer.startswith("play") for answer in decision.answers())
    assert refusal(decision, "play Ambroise") == (
        "crusade 4.10",
        "You have revealed Ambroise already; a counselor works once.",
    )


@pytest.mark.rule("crusade 4.10")
def test_only_own_counselors_that_act_can_be_played():
    _, script = action_of(1, "merchant", "", counselors={1: ["Eleanor"], 2: ["Hugh Bardolf"]})
    decision = asked(script)
    assert list(decision.answers()) == ["stock"]
    assert refusal(decision, "play Hugh Bardolf") == (
        "crusade 4.10",
        "You do not hold Hugh Bardolf. You hold: Eleanor.",
    )
    rule, why = refusal(decision, "play Eleanor")
    assert rule == "crusade 4.10"
    assert "scores at the end" in why
    assert refusal(decision, "play Robin Hood")[0] == "crusade 4.10"


@pytest.mark.rule("crusade 4.10")
def test_a_bandit_without_a_card_who_names_a_counselor_not_held_is_told_which_are():
    _, script = action_of(1, "bandit", "", counselors={1: ["Ambroise"], 2: ["Hugh Bardolf"]})
    decision = asked(script)
    assert list(decision.answers()) == ["play Ambroise", "end"]
    assert refusal(decision, "play Hugh Bardolf") == (
        "crusade 4.10",
        "You do not hold Hugh Bardolf. You hold: Ambroise.",
    )


@pytest.mark.rule("crusade 4.10")
def test_a_counselor_drawn_by_the_action_waits_for_the_next_turn():
    table, script = action_of(1, "chancellor", "", decks={"richard": ["Ambroise"]})
    assert play(script, "counsel red") == {}
    assert [card.front for card in table.counselors[1]] == ["Ambroise"]


@pytest.mark.rule("crusade 4.10")
def test_there_is_no_counselor_without_an_action_of_the_own_turn():
    table = a_table(3, characters={1: "regent", 2: "arms", 3: "spy"}, counselors={3: ["Ambroise"]})
    question = play(carry_out_actions(table))
    assert tuple(question) == (1,)
    assert list(question[1].answers()) == ["rally"]


@pytest.mark.rule("crusade 4.10")
def test_a_bandit_without_a_card_who_holds_counselors_is_asked_all_the_same():
    """Also when none of them acts: whoever is not asked would be known to hold none that does."""
    for held in ("Eleanor", "Stephen of Turnham"):
        _, script = action_of(1, "bandit", "", counselors={1: [held]})
        decision = asked(script)
        assert decision.kind == "counselor"
        assert decision.answers()[-1] == "end"
    table, script = action_of(1, "bandit", "", counselors={1: ["Eleanor"]})
    assert list(asked(script).answers()) == ["end"]
    assert play(action_of(1, "bandit", "", counselors={1: ["Eleanor"]})[1], "end") == {}
    assert table.pp[1] == 0


@pytest.mark.rule("crusade 4.10")
def test_a_bandit_who_gets_cards_by_a_counselor_acts_and_one_who_shows_the_last_is_passed_over():
    table, script = action_of(1, "bandit", "", counselors={1: ["Baldwin of Bethune"]})
    assert play(script, "play Baldwin of Bethune", "plunder red") == {}
    assert table.pp[1] == 1
    table, script = action_of(1, "bandit", "", counselors={1: ["Stephen of Turnham"]})
    assert play(script, "play Stephen of Turnham") == {}
    assert told(table)[-1] == "Ann has no card for the Bandit and is passed over."


@pytest.mark.rule("crusade 4.10")
def test_end_is_only_for_a_bandit_without_cards_and_such_a_bandit_cannot_act():
    _, script = action_of(1, "bandit", "red", counselors={1: ["Eleanor"]})
    decision = asked(script)
    assert decision.kind == "action"
    assert refusal(decision, "end")[0] == "crusade 4.10"
    _, script = action_of(1, "bandit", "", counselors={1: ["Eleanor"]})
    assert refusal(asked(script), "ambush red")[0] == "crusade 4.9"


@pytest.mark.rule("crusade 11.1")
@pytest.mark.parametrize(
    ("name", "colour", "pp"),
    [
        ("Mercadier", "red", 1),
        ("Blondel", "blue", 1),
        ("Gerard of Camville", "green", 0),
        ("Roger of Lacy", "purple", 0),
    ],
)
def test_four_counselors_add_two_cards_to_the_crusade_deck(name: str, colour: str, pp: int):
    table = played(f"play {name}")
    assert [card.front for card in table.crusade_deck] == [colour, colour]
    assert table.pp[1] == pp
    assert hand(table, 1) == ""
    assert f"2 {colour} from the reserve go into the Crusade deck." in told(table, None)


@pytest.mark.rule("crusade 11.1")
@pytest.mark.parametrize(("name", "treasury", "pp"), [("Stephen of Turnham", 9, 1), ("William Brewer", 7, 0)])
def test_two_counselors_move_the_treasury(name: str, treasury: int, pp: int):
    table = played(f"play {name}")
    assert table.tracks["treasury"] == treasury
    assert table.pp[1] == pp


@pytest.mark.rule("crusade 11.1")
@pytest.mark.parametrize(("name", "cards"), [("Baldwin of Bethune", "red red"), ("Hugh Bardolf", "green green")])
def test_two_counselors_take_two_cards(name: str, cards: str):
    table = played(f"play {name}")
    assert hand(table, 1) == cards
    assert table.pp[1] == 0


@pytest.mark.rule("crusade 11.1")
@pytest.mark.parametrize("name", ["Ambroise", "Gerald of Wales"])
def test_two_counselors_give_a_point_and_a_card(name: str):
    table = played(f"play {name}", supply="white blue")
    assert hand(table, 1) == "white"
    assert table.pp[1] == 1


@pytest.mark.rule("crusade 11.1")
@pytest.mark.parametrize(("name", "colour"), [("Peter of Blois", "green"), ("Adam of Saint Edmund", "red")])
@pytest.mark.parametrize(("number", "pp"), [(2, 0), (3, 1), (5, 1)])
def test_two_counselors_see_a_hand_for_a_point_if_it_holds_three(name: str, colour: str, number: int, pp: int):
    table = played(f"play {name} 3", hands={3: " ".join(["blue", *[colour] * number])})
    assert table.pp == {1: pp, 2: 0, 3: 0}
    assert f"Ann sees the hand of Cat (1 blue, {number} {colour})." in told(table, 1)
    assert "Ann sees the hand of Cat (for nobody else to see)." in told(table, 3)


@pytest.mark.rule("crusade 11.1")
@pytest.mark.parametrize("name", ["Joan of Sicily", "Nicola of the Haye"])
def test_two_counselors_take_two_cards_of_choice(name: str):
    assert hand(played(f"play {name} red blue"), 1) == "blue red"
    assert hand(played(f"play {name} white white"), 1) == "white white"
    _, script = action_of(1, "merchant", "", counselors={1: [name]})
    assert len([answer for answer in asked(script).answers() if answer.startswith("play")]) == 21


@pytest.mark.rule("crusade 4.10")
@pytest.mark.parametrize(
    ("name", "text", "rule"),
    [
        ("Peter of Blois", "play Peter of Blois", "crusade 4.10"),
        ("Peter of Blois", "play Peter of Blois 1", "crusade 1.12"),
        ("Joan of Sicily", "play Joan of Sicily red", "crusade 4.10"),
        ("Joan of Sicily", "play Joan of Sicily red pink", "crusade 1.1"),
        ("Ambroise", "play Ambroise 2", "crusade 4.10"),
    ],
)
def test_what_a_counselor_needs_is_named_with_the_move(name: str, text: str, rule: str):
    _, script = action_of(1, "merchant", "", counselors={1: [name]})
    assert refusal(asked(script), text)[0] == rule


@pytest.mark.rule("crusade 11.1")
@pytest.mark.parametrize("name", END_CARDS)
def test_twelve_counselors_score_at_the_end_if_a_track_stands_right(name: str):
    pp, track, least, most = END_CARDS[name]
    bonus = GAME.printed.counselors[name].bonus
    standing_right = {at for at in range(21) if bonus.holds({**dict.fromkeys(("time", "crusaders"), 0), track: at})}
    assert standing_right & set(range(GAME.printed.ends[track] + 1)) == set(range(least, most + 1))
    assert bonus.pp == pp


@pytest.mark.rule("crusade 11.1")
@pytest.mark.parametrize(("name", "pp"), [("Berengaria", 2), ("Isabella of Gloucester", 1)])
def test_two_counselors_score_at_the_end_in_any_case(name: str, pp: int):
    bonus = GAME.printed.counselors[name].bonus
    assert bonus.pp == pp
    assert bonus.holds(dict.fromkeys(("time", "crusaders", "saladin", "treasury"), 0))


@pytest.mark.rule("crusade 11.1")
def test_each_side_has_its_own_fourteen():
    assert GAME.printed.side("richard") == [
        *("William Marshal", "Hubert Walter", "Eleanor", "Longchamp", "Robert of Sable", "Walter of Coutances"),
        *("Berengaria", "Mercadier", "Blondel", "Stephen of Turnham", "Baldwin of Bethune", "Ambroise"),
        *("Peter of Blois", "Joan of Sicily"),
    ]
    assert GAME.printed.side("john") == [
        *("Hugh of Nonant", "Philip Augustus", "Leopold of Austria", "Henry the Emperor", "Conrad of Montferrat"),
        *("Geoffrey of York", "Isabella of Gloucester", "Gerard of Camville", "Roger of Lacy", "William Brewer"),
        *("Hugh Bardolf", "Gerald of Wales", "Adam of Saint Edmund", "Nicola of the Haye"),
    ]


@pytest.mark.rule("crusade 11.1")
def test_a_counselor_takes_only_what_the_reserve_has():
    table = played("play Mercadier", reserve={"red": 1})
    assert [card.front for card in table.crusade_deck] == ["red"]
    assert table.pp[1] == 1

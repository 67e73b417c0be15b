"""What is asked, and each kind of move in words as it stands before who confirms it; what lies there unseen."""

from functools import partial

import pytest

from server.rules.crusade import GAME
from server.rules.crusade.actions import action_decision, counselor_decision
from server.rules.crusade.characters import CHARACTERS
from server.rules.crusade.contributions import contribution, send_all
from server.rules.crusade.effects import Named, SeeHand, take
from server.rules.crusade.influencing import last_pawn_decision, pawn_decision
from server.rules.crusade.offers import award_tournament, tax_decision, tournament_decision
from server.rules.crusade.setting_up import loyalty_decision, shuffle_events
from server.rules.crusade.table import CrusadeTable
from server.rules.showing import english_of
from server.rules.telling import Seat, say
from tests.rules import matches
from tests.rules.crusade.builders import NAMES, a_match, a_table, told

ANN, BEN = Seat(1), Seat(2)

said = partial(matches.said, GAME, NAMES)


def a_spys_table() -> CrusadeTable:
    return a_table(
        3,
        hands={1: "blue blue white white purple purple"},
        characters={1: "spy"},
        counselors={1: ["Ambroise", "Joan of Sicily", "Peter of Blois"]},
        loyal="rjr",
    )


@pytest.mark.rule("crusade 1.5")
def test_a_loyalty_in_words():
    assert said(loyalty_decision(), "loyal john") == [
        "loyalty",
        "Choose whom you are loyal to, openly: Richard or John.",
        "Be loyal to John until the end; everybody sees it.",
    ]


@pytest.mark.rule("crusade 3.1")
@pytest.mark.rule("crusade 3.4")
def test_pawns_in_words():
    table = a_spys_table()
    assert said(pawn_decision(table, ANN), "pawn merchant", "pawn arms") == [
        "pawn",
        "Put your pawn on a free character.",
        "Influence the Merchant.",
        "Influence the Master at arms.",
    ]
    assert said(last_pawn_decision(table, ANN), "pawn arms take blue") == [
        "pawn",
        "Put your pawn on a free character, as the last, and name a colour to take beside 1 green.",
        "Influence the Master at arms and take 1 green and 1 blue from the reserve.",
    ]


@pytest.mark.rule("crusade 4.1")
@pytest.mark.rule("crusade 4.10")
def test_actions_and_counselors_in_words():
    table = a_spys_table()
    moves = ["spy 3 red", "recruit", "play Ambroise", "play Joan of Sicily blue red", "play Peter of Blois 3"]
    assert said(action_decision(table, ANN, CHARACTERS["spy"]), *moves) == [
        "action",
        "Carry out one action of the Spy.",
        "Spy: give 2 purple to the reserve, see the hand of Cat and get 1 PP for each red in it, "
        "draw 1 from the supply.",
        "Spy: take 1 purple, 1 green from the reserve, draw 1 from the supply.",
        "Reveal Ambroise: get 1 PP, draw 1 from the supply.",
        "Reveal Joan of Sicily: take 1 blue, 1 red from the reserve.",
        "Reveal Peter of Blois: see the hand of Cat and get 1 PP if it holds 3 green or more.",
    ]
    assert said(counselor_decision(table, ANN), "play Ambroise", "end") == [
        "counselor",
        "The Bandit needs a card to give, and there is none: reveal a counselor, or end.",
        "Reveal Ambroise: get 1 PP, draw 1 from the supply.",
        "Let the Bandit do nothing this turn.",
    ]


@pytest.mark.rule("crusade 4.2")
@pytest.mark.rule("crusade 4.6")
def test_offers_in_words():
    table = a_spys_table()
    assert said(tax_decision(table, ANN, BEN), "offer 0", "offer 2") == [
        "tax",
        "Offer yellow cards to the tax of Ben, openly.",
        "Offer no yellow card; an offer of nothing gets no PP.",
        "Offer 2 yellow; what is offered goes to the reserve in any case.",
    ]
    assert said(tournament_decision(table, ANN, BEN), "offer 1") == [
        "tournament",
        "Offer red cards in the tournament of Ben, secretly.",
        "Offer 1 red; what is offered goes to the reserve in any case.",
    ]


@pytest.mark.rule("crusade 5.1")
def test_contributions_in_words():
    assert said(contribution(a_spys_table(), ANN), "send blue white", "send blue blue") == [
        "contribution",
        "Send two cards to the Crusade deck, secretly.",
        "Send 1 blue, 1 white to the Crusade deck, face down.",
        "Send 2 blue to the Crusade deck, face down.",
    ]


@pytest.mark.rule("crusade 11.1")
@pytest.mark.parametrize(
    ("effect", "clause"),
    [
        (SeeHand(1, "green"), "see the hand of a player and get 1 PP for each green in it"),
        (SeeHand(1, "green", enough=3), "see the hand of a player and get 1 PP if it holds 3 green or more"),
    ],
)
def test_a_counselor_that_sees_a_hand_says_so_before_anybody_is_named(effect: SeeHand, clause: str):
    assert say(effect.clause(Named()), 1, NAMES, english_of(GAME)) == clause


@pytest.mark.rule("crusade 5.2")
@pytest.mark.rule("crusade 9.1")
def test_all_that_is_left_is_sent_face_down_and_seen_by_its_sender_alone():
    table = a_table(3, hands={1: "blue"})
    send_all(table, ANN)
    assert told(table, 1)[0] == "Ann sends all that is left, 1 of 2 cards (1 blue)."
    assert told(table, 2)[0] == told(table)[0] == "Ann sends all that is left, 1 of 2 cards (all face down)."


@pytest.mark.rule("crusade 1.11")
def test_what_the_reserve_has_not_is_told():
    table = a_table(3, reserve={"white": 1, "red": 0})
    take(table, ANN, ("blue", "white", "white", "red"))
    assert told(table) == [
        "Ann takes 1 blue, 1 white from the reserve.",
        "The reserve has no more white, red.",
    ]


@pytest.mark.rule("crusade 4.6")
def test_points_that_nobody_gets_are_not_told():
    table = a_table(3)
    award_tournament(table, ANN, {ANN: 1, BEN: 0})
    table.award(BEN, 0)
    assert told(table) == ["Ann gets 3 PP and has 3."]


@pytest.mark.rule("crusade 6.5")
def test_a_marker_that_stands_at_the_end_of_its_track_is_told_to_stay():
    table = a_table(3, tracks={"time": 12, "treasury": 0})
    table.move("time", 2)
    table.move("treasury", -1)
    assert told(table) == ["Time: still 12, the end of the track.", "Treasury: still 0, the end of the track."]


@pytest.mark.rule("crusade 9.1")
def test_a_card_that_is_not_seen_shows_its_back_and_could_be_any_of_its_kind():
    match = a_match(3, events="on")
    for side in ("richard", "john", "richard"):
        match.answer(match.waiting_for()[0], f"loyal {side}")
    assert {(card.group, card.back) for card in match.table.secrets} == {
        ("influence card", "a card"),
        ("counselor of richard", "a counselor"),
        ("counselor of john", "a counselor"),
        ("event", "an event"),
        ("told cards", "kept secret"),
        ("told counselors", "kept secret"),
    }
    history = a_table(3, events="history")
    shuffle_events(history)
    events = [card for card in history.secrets if card.front in history.edition.events]
    assert {(card.group, card.back) for card in events} == {("event", "an event")}

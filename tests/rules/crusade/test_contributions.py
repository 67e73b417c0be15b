"""Contributions (chapter 5)."""

import threading

import pytest

from server.rules.asking import Refused
from server.rules.crusade.contributions import contribute
from server.rules.playing import Play
from server.rules.telling import say
from tests.rules.crusade.builders import NAMES, a_match, a_table, hand, play, play_until, refusal, told


def contributing(**table_parts):
    table = a_table(**table_parts)
    return table, contribute(table)


@pytest.mark.rule("crusade 5.1")
def test_all_are_asked_at_the_same_time_for_two_cards_each():
    table, script = contributing(hands={1: "red red blue", 2: "green green white", 3: "yellow red blue"})
    sent = {1: "send red red", 2: "send white green", 3: "send blue yellow"}
    assert play(script, sent) == {}
    assert sorted(card.front for card in table.crusade_deck) == ["blue", "green", "red", "red", "white", "yellow"]
    assert [hand(table, seat) for seat in (1, 2, 3)] == ["blue", "green", "red"]


@pytest.mark.rule("crusade 5.1")
def test_what_was_sent_is_known_to_the_sender_alone():
    table, script = contributing(hands={1: "red red blue", 2: "green green white", 3: "yellow red blue"})
    play(script, {1: "send red red", 2: "send white green", 3: "send blue yellow"})
    assert "Ann sends 2 cards to the Crusade deck (2 red)." in told(table, 1)
    assert "Ann sends 2 cards to the Crusade deck (all face down)." in told(table, 2)
    assert "Ann sends 2 cards to the Crusade deck (all face down)." in told(table, None)


@pytest.mark.rule("crusade 5.1")
@pytest.mark.rule("crusade 10.1")
def test_the_colours_are_read_in_any_order():
    _, script = contributing(hands={1: "red red blue"})
    decision = play(script)[1]
    assert decision.kind == "contribution"
    assert list(decision.answers()) == ["send blue red", "send red red"]
    assert decision.read("Send red, blue.") == "send blue red"


@pytest.mark.rule("crusade 5.1")
@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("send blue blue", "You would send 2 blue but hold 1. Your hand: 1 blue, 2 red."),
        ("send green red", "You would send 1 green but hold 0."),
        ("send red", "Now two cards go to the Crusade deck, as in “send blue red”."),
        ("send red red blue", "Now two cards go to the Crusade deck"),
        ("offer 2", "Now two cards go to the Crusade deck"),
    ],
)
def test_cards_that_are_not_held_and_other_numbers_of_cards_are_refused(text: str, why: str):
    _, script = contributing(hands={1: "red red blue"})
    rule, sentence = refusal(play(script)[1], text)
    assert rule == "crusade 5.1"
    assert sentence.startswith(why)


@pytest.mark.rule("crusade 5.1")
def test_a_choice_can_be_changed_until_the_last_has_answered_and_counts_as_it_stands_then():
    match = a_match(3)
    play_until(match, "contribution")
    first, second = match.decision(1).answers()[:2]
    match.submit(1, first)
    match.submit(1, second)
    assert match.position(1)["seats"][0]["sealed"] == second
    for seat in (3, 2):
        match.submit(seat, match.decision(seat).answers()[0])
    sent = [made for made in match.moves if made.text.startswith("send")]
    assert [made.seat for made in sent] == [1, 2, 3]
    assert sent[0].text == second


@pytest.mark.rule("crusade 5.2")
@pytest.mark.parametrize(("held", "lost"), [("", 2), ("red", 1), ("red blue", 0)])
def test_whoever_has_two_cards_or_fewer_sends_them_all_and_loses_a_point_for_each_missing(held: str, lost: int):
    table, script = contributing(hands={1: held, 2: "red red red", 3: "green green green"}, pp={1: 1})
    question = play(script)
    assert tuple(question) == (2, 3)
    table, script = contributing(hands={1: held, 2: "red red red", 3: "green green green"}, pp={1: 1})
    play(script, {2: "send red red", 3: "send green green"})
    assert table.pp[1] == 1 - lost
    assert hand(table, 1) == ""
    assert len(table.crusade_deck) == 4 + len(held.split())


@pytest.mark.rule("crusade 5.2")
def test_nobody_is_asked_when_nobody_has_more_than_two_cards():
    table, script = contributing(hands={1: "red", 2: "blue blue"})
    assert play(script) == {}
    assert table.pp == {1: -1, 2: 0, 3: -2}
    assert len(table.crusade_deck) == 3


@pytest.mark.rule("crusade 5.2")
def test_whether_somebody_is_asked_depends_on_the_number_of_cards_alone():
    """Three cards alike leave no choice, and are asked for all the same."""
    _, script = contributing(hands={1: "red red red", 2: "red blue green"})
    assert tuple(play(script)) == (1, 2)


def contribution_round() -> Play:
    match = a_match(4)
    play_until(match, "contribution")
    return match


@pytest.mark.rule("crusade 5.1")
def test_case_B01_the_last_two_answers_in_either_order_resolve_the_round_once():
    """Whoever is last, both contributions are in, the cards are turned up once, and the matches are the same."""
    matches = []
    for last_two in ((3, 4), (4, 3)):
        match = contribution_round()
        turned = " ".join(told(match.table)).count("Turned up")
        for seat in (1, 2, *last_two):
            match.submit(seat, match.decision(seat).answers()[-1])
        assert " ".join(told(match.table)).count("Turned up") == turned + 1
        assert [made.seat for made in match.moves[-4:]] == [1, 2, 3, 4]
        matches.append(match)
    assert matches[0].digest() == matches[1].digest()
    assert told(matches[0].table, 3) == told(matches[1].table, 3)


@pytest.mark.rule("crusade 5.1")
def test_case_B01_the_same_match_read_twice_takes_each_contribution_once():
    """Two that started from the same version: the one that is caught up with the other's answer ends the round."""
    match = contribution_round()
    match.submit(1, match.decision(1).answers()[0])
    match.submit(2, match.decision(2).answers()[0])
    copies = [match.copy(), match.copy()]
    barrier = threading.Barrier(2)

    def answer(copy: Play, seat: int) -> None:
        barrier.wait()
        copy.submit(seat, copy.decision(seat).answers()[0])

    threads = [threading.Thread(target=answer, args=each) for each in zip(copies, (3, 4), strict=True)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [copy.waiting_for() for copy in copies] == [(4,), (3,)]
    for copy, missing in zip(copies, (4, 3), strict=True):
        copy.submit(missing, copy.decision(missing).answers()[0])
    assert copies[0].digest() == copies[1].digest()


@pytest.mark.rule("crusade 5.1")
def test_case_B25_an_own_contribution_is_taken_back_before_the_reveal_and_shows_nothing():
    match = contribution_round()
    before = {viewer: match.position(viewer) for viewer in (1, 2, 3, 4, None)}
    log = told(match.table)
    match.submit(2, match.decision(2).answers()[0])
    undone = match.undone(2)
    assert undone.waiting_for() == (1, 2, 3, 4)
    assert {viewer: undone.position(viewer) for viewer in before} == before
    assert told(undone.table) == log


@pytest.mark.rule("crusade 6.1")
def test_case_B25_what_was_turned_up_is_not_taken_back():
    match = contribution_round()
    for seat in (1, 2, 3, 4):
        match.submit(seat, match.decision(seat).answers()[0])
    assert match.moves[-1].shows
    for seat in (1, 2, 3, 4):
        with pytest.raises(Refused):
            match.undone(seat)


@pytest.mark.rule("crusade 4.3")
def test_case_B25_a_hand_that_was_seen_is_not_taken_back():
    match = a_match(3)
    for text in ("loyal john", "loyal richard", "loyal john", "pawn inquisitor", "pawn spy", "pawn merchant take red"):
        match.submit(match.waiting_for()[0], text)
    match.submit(1, "accuse 2")
    assert match.moves[-1].shows
    with pytest.raises(Refused) as refused:
        match.undone(1)
    assert "no longer be taken back" in say(refused.value.why, 1, NAMES)


@pytest.mark.rule("crusade 4.10")
def test_case_B25_a_draw_is_not_taken_back_although_the_same_seat_goes_on():
    match = a_match(3)
    for text in ("loyal john", "loyal richard", "loyal john", "pawn inquisitor", "pawn spy", "pawn merchant take red"):
        match.submit(match.waiting_for()[0], text)
    (card,) = match.table.counselors[1]
    card.front = "Gerald of Wales"
    match.submit(1, "play Gerald of Wales")
    assert tuple(match.question) == (1,)
    assert match.undo_refusal(1).template.startswith("Your last move showed you something new")
    (card,) = match.table.counselors[2]
    card.front = "Stephen of Turnham"
    match.submit(1, "accuse 3")
    match.submit(2, "play Stephen of Turnham")
    assert match.undo_refusal(2) is None


@pytest.mark.rule("crusade 4.10")
def test_whatever_shows_something_new_ends_a_submission():
    match = a_match(3)
    for text in ("loyal john", "loyal richard", "loyal john", "pawn inquisitor", "pawn spy", "pawn merchant take red"):
        match.submit(match.waiting_for()[0], text)
    preview = match.preview(1, "accuse 2")
    assert preview.shows
    own = preview.position["seats"][0]
    assert own["cards"] == 8
    assert own["pp"] == 0
    assert not any("sees the hand" in sentence.template for sentence in preview.told)

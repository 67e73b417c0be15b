"""Answers given ahead of time: played when asked, dropped with a letter where they are not legal, never told apart."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest

from db.models import Move
from server import prepared, upkeep
from server.links import TogetherLink
from server.matches import Matches, NotYours
from server.service import Service
from tests.server.browsing import Browser
from tests.server.builders import (
    HOUR,
    a_match,
    answers,
    asked_together,
    letters,
    link_of,
    mails,
    play_first,
    play_turn,
    text_of,
    worker_of,
)


def as_seat(matches: Matches, match_id: str, seat: int) -> TogetherLink:
    return TogetherLink(match_id, seat, matches.holder(match_id, seat)[1])


def tick_through(service: Service, start: datetime, hours: int) -> None:
    worker = worker_of(service)
    for minutes in range(0, hours * 60 + 1, 5):
        worker.tick(start + timedelta(minutes=minutes))


def test_a_prepared_answer_is_played_some_time_after_the_decision_is_asked(
    service: Service, matches: Matches, now: datetime
) -> None:
    match_id = a_match(matches, now)
    prepared.prepare(matches, as_seat(matches, match_id, 2), "turn", "take 1R", now=now)
    play_turn(matches, match_id, now + HOUR)
    assert matches.view(match_id, 2).decision is not None
    worker_of(service).tick(now + HOUR)
    assert [seat.name for seat in matches.view(match_id, None).waiting_for] == ["Ben"], "not in the same moment"
    tick_through(service, now + HOUR, 1)
    moves = matches.record(match_id)["moves"]
    assert {"seat": 2, "move": "take 1R"} in moves
    assert prepared.listed(matches, as_seat(matches, match_id, 2)) == ()


def test_the_same_letters_leave_as_for_an_answer_by_hand(service: Service, matches: Matches, now: datetime) -> None:
    by_hand, ahead = a_match(matches, now), a_match(matches, now)
    prepared.prepare(matches, as_seat(matches, ahead, 2), "turn", "take 1R", now=now)
    for match_id in (by_hand, ahead):
        play_turn(matches, match_id, now)
    tick_through(service, now, 1)
    play_first(matches, by_hand, now + HOUR, 2, "take 1R")
    for match_id in (by_hand, ahead):
        if matches.link_of(match_id, 2):
            play_first(matches, match_id, now + HOUR, 2, "end")
    tick_through(service, now + HOUR, 1)
    told = [
        sorted((letter.kind, letter.seat, letter.state) for letter in letters(service, match_id=match_id))
        for match_id in (by_hand, ahead)
    ]
    assert told[0] == told[1]
    with service.store.reading() as session:
        move = session.get(Move, (ahead, 3, 2)) or session.get(Move, (ahead, 2, 2))
    assert move is not None
    assert move.by == "player"


def test_a_sealed_answer_prepared_stays_sealed_and_unseen(
    service: Service, matches: Matches, browser: Browser, now: datetime
) -> None:
    match_id = asked_together(matches, now)
    decision = matches.view(match_id, 1).decision
    assert decision is not None
    text = answers(matches, match_id, 1)[0]
    before = [matches.view(match_id, viewer) for viewer in (None, 2, 3)]
    prepared.prepare(matches, as_seat(matches, match_id, 1), decision.kind, text, standing=True, now=now)
    assert [matches.view(match_id, viewer) for viewer in (None, 2, 3)] == before
    tick_through(service, now, 1)
    own = matches.view(match_id, 1).decision
    assert own is not None
    assert own.sealed == text
    others = browser.get(service.links.together_url(as_seat(matches, match_id, 2)))
    assert text not in others.text
    assert [seat.answered for seat in matches.view(match_id, 2).seats] == [True, False, False]
    assert [letter for letter in letters(service, kind="notice") if letter.seat != 1] == []


def test_an_answer_that_is_not_legal_when_it_is_asked_is_dropped_with_a_letter(
    service: Service, matches: Matches, now: datetime
) -> None:
    match_id = a_match(matches, now)
    prepared.prepare(matches, as_seat(matches, match_id, 2), "turn", "take 9R 9L", now=now)
    play_turn(matches, match_id, now)
    tick_through(service, now, 1)
    assert [seat.name for seat in matches.view(match_id, None).waiting_for] == ["Ben"]
    (mail,) = mails(service, "Ben", "notice")
    assert "“take 9R 9L” was not played: decide yourself." in " ".join(text_of(mail).split())
    assert prepared.listed(matches, as_seat(matches, match_id, 2)) == ()
    assert mails(service, "Ann", "notice") == []


def test_a_standing_rule_waits_for_its_player_as_long_as_they_said_and_stays(
    service: Service, matches: Matches, now: datetime
) -> None:
    match_id = a_match(matches, now)
    own = as_seat(matches, match_id, 2)
    prepared.prepare(matches, own, "turn", "take 1R", standing=True, wait=6, now=now)
    play_turn(matches, match_id, now)
    worker = worker_of(service)
    worker.tick(now + 5.9 * HOUR)
    assert len(matches.record(match_id)["moves"]) == len(
        [m for m in matches.record(match_id)["moves"] if m["seat"] == 1]
    )
    worker.tick(now + 6 * HOUR)
    assert any(move["seat"] == 2 for move in matches.record(match_id)["moves"])
    assert [each.text for each in prepared.listed(matches, own)] == ["take 1R"]


def test_whoever_answers_before_it_has_decided(service: Service, matches: Matches, now: datetime) -> None:
    match_id = a_match(matches, now)
    prepared.prepare(matches, as_seat(matches, match_id, 2), "turn", "take 1R", wait=6, now=now)
    play_turn(matches, match_id, now)
    text = play_first(matches, match_id, now + HOUR, 2, "take 1L")
    if matches.link_of(match_id, 2):
        matches.play(link_of(matches, match_id, 2), "end", now=now + HOUR)
    worker_of(service).tick(now + 7 * HOUR)
    own = [move["move"] for move in matches.record(match_id)["moves"] if move["seat"] == 2]
    assert own[0] == text
    assert "take 1R" not in own


def test_two_workers_play_it_once(service: Service, matches: Matches, now: datetime) -> None:
    match_id = a_match(matches, now)
    prepared.prepare(matches, as_seat(matches, match_id, 2), "turn", "take 1R", standing=True, now=now)
    play_turn(matches, match_id, now)
    other = Matches(service.store)
    at = now + 2 * HOUR
    assert prepared.play_due(matches, at) == 1
    assert prepared.play_due(other, at) == 0
    assert len([move for move in matches.record(match_id)["moves"] if move["move"] == "take 1R"]) == 1


def test_what_was_prepared_belongs_to_who_prepared_it(service: Service, matches: Matches, now: datetime) -> None:
    match_id = a_match(matches, now)
    own = as_seat(matches, match_id, 2)
    prepared.prepare(matches, own, "turn", "take 1R", now=now)
    upkeep.replace(matches, match_id, 2, name="Cat", email="cat@players.example", now=now, who="operator")
    with pytest.raises(NotYours):
        prepared.listed(matches, own)
    with pytest.raises(NotYours):
        prepared.prepare(matches, own, "turn", "take 1L", now=now)
    assert prepared.listed(matches, as_seat(matches, match_id, 2)) == ()
    play_turn(matches, match_id, now)
    tick_through(service, now, 1)
    assert [seat.name for seat in matches.view(match_id, None).waiting_for] == ["Cat"]


@pytest.mark.parametrize(
    ("kind", "text", "wait", "sentence"),
    [
        ("tax", "offer 0", None, "There is no “tax”"),
        ("turn", "  ", None, "a move as you would type it"),
        ("turn", "x" * 300, None, "of at most 200 letters"),
        ("turn", "take 1L", 1e6, "wait for you up to 336 hours"),
        ("turn", "take 1L", float("nan"), "wait for you up to 336 hours"),
        ("turn", "take 1L", None, "open now: answer it"),
    ],
)
def test_what_cannot_be_prepared_is_refused_with_a_sentence(
    matches: Matches, now: datetime, kind: str, text: str, wait: float | None, sentence: str
) -> None:
    match_id = a_match(matches, now)
    with pytest.raises(ValueError, match=sentence):
        prepared.prepare(matches, as_seat(matches, match_id, 1), kind, text, wait=wait, now=now)


def test_the_page_prepares_and_forgets(service: Service, matches: Matches, browser: Browser) -> None:
    match_id = a_match(matches, service.now())
    address = service.links.together_url(as_seat(matches, match_id, 2))
    page = browser.press(browser.get(address), "Prepare this", text="take 1R")
    assert "take 1R" in page.text
    assert "take 1R" not in browser.get(service.links.together_url(as_seat(matches, match_id, 1))).text
    page = browser.press(page, "Forget it")
    assert "take 1R" not in page.text


@pytest.mark.parametrize("wait", ["two days", "nan", "1e9", "-1"])
def test_a_while_that_cannot_be_read_is_not_taken_for_at_once(
    service: Service, matches: Matches, browser: Browser, wait: str
) -> None:
    match_id = a_match(matches, service.now())
    seat = as_seat(matches, match_id, 2)
    page = browser.press(browser.get(service.links.together_url(seat)), "Prepare this", text="take 1R", wait=wait)
    assert page.status == 422
    assert "up to 336 hours" in page.text
    assert prepared.listed(matches, seat) == ()

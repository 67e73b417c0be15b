"""What players decide together, a kind word a day, and whom a match waits for since when."""

from __future__ import annotations

import threading
from datetime import datetime, timedelta

import pytest

from server import overtime, together, upkeep
from server.links import TogetherLink
from server.matches import Matches, NotFound, NotYours
from server.service import Service
from tests.server.browsing import Browser, url_in
from tests.server.builders import (
    HOUR,
    a_match,
    answers,
    asked_together,
    letters,
    link_of,
    mails,
    play_turn,
    text_of,
    worker_of,
)

DAY = timedelta(days=1)
THREE = ("Ann", "Ben", "Cat")


def as_seat(matches: Matches, match_id: str, seat: int) -> TogetherLink:
    _, tenure = matches.holder(match_id, seat)
    return TogetherLink(match_id, seat, tenure)


def agree(matches: Matches, match_id: str, what: str, now: datetime, *seats: int, **more: object) -> str:
    """The first seat proposes, the others agree."""
    first, *others = seats
    ballot = together.propose(matches, as_seat(matches, match_id, first), what, now=now, **more)  # type: ignore[arg-type]
    for seat in others:
        together.vote(matches, as_seat(matches, match_id, seat), ballot, yes=True, now=now)
    return ballot


def test_a_match_is_paused_when_all_agree_and_goes_on_when_all_agree(
    service: Service, matches: Matches, now: datetime
) -> None:
    match_id = a_match(matches, now, people=THREE, pace={"hours": 10})
    ballot = agree(matches, match_id, "pause", now + 4 * HOUR, 1, 2)
    assert matches.status(match_id).status == "running"
    together.vote(matches, as_seat(matches, match_id, 3), ballot, yes=True, now=now + 4 * HOUR)
    assert matches.status(match_id).status == "paused"
    agree(matches, match_id, "resume", now + 50 * HOUR, 2, 3, 1)
    view = matches.view(match_id, None)
    assert (view.status, view.seats[0].due_at) == ("running", now + 56 * HOUR)


def test_one_no_ends_a_vote_and_everybody_is_told(service: Service, matches: Matches, now: datetime) -> None:
    match_id = a_match(matches, now, people=THREE)
    ballot = agree(matches, match_id, "abort", now, 1, 2)
    together.vote(matches, as_seat(matches, match_id, 3), ballot, yes=False, now=now)
    assert matches.status(match_id).status == "running"
    worker_of(service).tick(now)
    for name in THREE:
        assert "have not agreed to end the match without a result" in " ".join(
            text_of(mails(service, name, "notice")[-1]).split()
        )
    with pytest.raises(ValueError, match="This vote is over"):
        together.vote(matches, as_seat(matches, match_id, 3), ballot, yes=True, now=now)


def test_the_others_vote_from_a_mail_and_opening_its_link_changes_nothing(
    service: Service, matches: Matches, browser: Browser
) -> None:
    now = service.now()
    match_id = a_match(matches, now)
    together.propose(matches, as_seat(matches, match_id, 1), "draw", why="We are both ahead.", now=now)
    worker_of(service).tick(now)
    assert mails(service, "Ann", "notice") == []
    (mail,) = mails(service, "Ben", "notice")
    assert "Ann proposes to end the match with a shared win." in " ".join(text_of(mail).split())
    assert "We are both ahead." in text_of(mail)
    page = browser.get(url_in(mail, "/t/"))
    assert matches.status(match_id).status == "running"
    assert "You have not voted yet." in page.text
    browser.press(page, "Yes")
    view = matches.view(match_id, None)
    assert (view.status, view.waiting_for) == ("finished", ())
    assert view.outcome == {"scores": [], "winners": [1, 2], "agreed": True}
    worker_of(service).tick(service.now())
    assert "everybody shares the win" in text_of(mails(service, "Ann", "notice")[-1])
    assert "Ann and Ben share the win." in browser.get(f"/g/{match_id}").text


def test_opponents_give_a_late_player_more_time(service: Service, matches: Matches, now: datetime) -> None:
    match_id = a_match(matches, now, people=THREE, pace={"hours": 10, "grace": 5})
    overtime.expire(matches, now + 10 * HOUR)
    ballot = together.propose(
        matches, as_seat(matches, match_id, 2), "extend", hours=24, for_seat=1, now=now + 11 * HOUR
    )
    assert letters(service, kind="notice", seat=1)
    together.vote(matches, as_seat(matches, match_id, 3), ballot, yes=True, now=now + 12 * HOUR)
    seat = matches.view(match_id, None).seats[0]
    assert (seat.due_at, seat.overdue_at) == (now + (15 + 24) * HOUR, None)
    play_turn(matches, match_id, now + 30 * HOUR)


def test_a_notice_to_somebody_who_is_asked_says_so_and_has_the_link(
    matches: Matches, service: Service, now: datetime
) -> None:
    match_id = a_match(matches, now, people=THREE)
    worker_of(service).tick(now)
    together.propose(matches, as_seat(matches, match_id, 2), "draw", now=now)
    worker_of(service).tick(now)
    to_ann, to_cat = (text_of(mails(service, name, "notice")[-1]) for name in ("Ann", "Cat"))
    assert "You are asked (move 1): Take one card" in " ".join(to_ann.split())
    assert service.links.move_url(link_of(matches, match_id)) in to_ann
    assert "You are asked" not in to_cat
    assert "/m/" not in to_cat
    assert "The match waits for Ann" in to_cat


def test_against_the_house_a_player_decides_alone(matches: Matches, now: datetime) -> None:
    match_id = a_match(matches, now, people=("Ann",), house=1)
    together.propose(matches, as_seat(matches, match_id, 1), "pause", now=now)
    assert matches.status(match_id).status == "paused"


def test_the_same_is_not_voted_on_twice_at_a_time(matches: Matches, now: datetime) -> None:
    match_id = a_match(matches, now, people=THREE)
    agree(matches, match_id, "pause", now, 1)
    with pytest.raises(ValueError, match="vote on that already"):
        agree(matches, match_id, "pause", now, 2)


def test_a_vote_that_nobody_finishes_lapses(service: Service, matches: Matches, now: datetime) -> None:
    match_id = a_match(matches, now, people=THREE, pace="none")
    ballot = agree(matches, match_id, "pause", now, 1, 2)
    worker_of(service).tick(now + 7 * DAY)
    with pytest.raises(ValueError, match="This vote is over"):
        together.vote(matches, as_seat(matches, match_id, 3), ballot, yes=True, now=now + 7 * DAY)
    agree(matches, match_id, "pause", now + 8 * DAY, 1, 2, 3)
    assert matches.status(match_id).status == "paused"


def test_strangers_and_former_holders_have_no_vote(service: Service, matches: Matches, now: datetime) -> None:
    match_id, other = a_match(matches, now, people=THREE), a_match(matches, now)
    ballot = agree(matches, match_id, "abort", now, 1, 2)
    old = as_seat(matches, match_id, 3)
    upkeep.replace(matches, match_id, 3, name="", email=None, now=now, who="operator")
    with pytest.raises(NotYours):
        together.vote(matches, old, ballot, yes=True, now=now)
    with pytest.raises(NotFound):
        together.vote(matches, as_seat(matches, other, 1), ballot, yes=True, now=now)
    with pytest.raises(NotFound):
        together.vote(matches, TogetherLink(match_id, 9, 1), ballot, yes=True, now=now)
    assert matches.status(match_id).status == "running"


@pytest.mark.parametrize(
    ("what", "more", "sentence"),
    [
        ("resume", {}, "As the match stands, that cannot be voted on"),
        ("burn", {}, "The players can vote to: pause"),
        ("extend", {"hours": 0, "for_seat": 1}, "a number of hours up to 336"),
        ("extend", {"hours": 1e9, "for_seat": 1}, "a number of hours up to 336"),
        ("extend", {"hours": float("nan"), "for_seat": 1}, "a number of hours up to 336"),
        ("extend", {"hours": 5, "for_seat": 2}, "for a seat whose clock runs"),
        ("extend", {"hours": 5, "for_seat": 99}, "for a seat whose clock runs"),
    ],
)
def test_a_proposal_that_makes_no_sense_is_refused_with_a_sentence(
    matches: Matches, now: datetime, what: str, more: dict[str, object], sentence: str
) -> None:
    match_id = a_match(matches, now)
    with pytest.raises(ValueError, match=sentence):
        agree(matches, match_id, what, now, 1, **more)


def test_two_last_votes_at_one_instant_carry_it_once(service: Service, matches: Matches, now: datetime) -> None:
    match_id = a_match(matches, now, people=THREE)
    ballot = agree(matches, match_id, "pause", now, 1)
    other, barrier, said = Matches(service.store), threading.Barrier(2), []

    def say_yes(verbs: Matches, seat: int) -> None:
        link = as_seat(verbs, match_id, seat)
        barrier.wait()
        together.vote(verbs, link, ballot, yes=True, now=now)
        said.append(seat)

    threads = [threading.Thread(target=say_yes, args=each) for each in ((matches, 2), (other, 3))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert sorted(said) == [2, 3]
    assert matches.status(match_id).status == "paused"
    assert len([each for each in letters(service, kind="notice") if each.data["about"] == "paused"]) == 3


def test_a_kind_word_goes_out_once_a_day_whoever_asks(service: Service, matches: Matches, now: datetime) -> None:
    match_id = a_match(matches, now, people=THREE)
    worker = worker_of(service)
    assert together.nudge(matches, as_seat(matches, match_id, 2), 1, now)
    assert not together.nudge(matches, as_seat(matches, match_id, 3), 1, now + 5 * HOUR)
    assert together.nudge(matches, as_seat(matches, match_id, 3), 1, now + DAY)
    worker.tick(now + DAY)
    assert len(mails(service, "Ann", "nudge")) == 2
    assert "Ben kindly asks when you find the time" in " ".join(text_of(mails(service, "Ann", "nudge")[0]).split())
    with pytest.raises(ValueError, match="does not wait for Cat"):
        together.nudge(matches, as_seat(matches, match_id, 2), 3, now)
    with pytest.raises(ValueError, match="by yourself"):
        together.nudge(matches, as_seat(matches, match_id, 1), 1, now)


def test_a_kind_word_for_a_decision_that_was_taken_meanwhile_is_not_sent(
    service: Service, matches: Matches, now: datetime
) -> None:
    match_id = a_match(matches, now)
    together.nudge(matches, as_seat(matches, match_id, 2), 1, now)
    play_turn(matches, match_id, now)
    worker_of(service).tick(now)
    assert mails(service, "Ann", "nudge") == []


def test_the_page_of_a_seat_works_with_buttons(service: Service, matches: Matches, browser: Browser) -> None:
    now = service.now()
    match_id = a_match(matches, now, people=THREE)
    address = service.links.together_url(as_seat(matches, match_id, 2))
    page = browser.press(browser.get(address), "Remind")
    assert "Done." in page.text
    page = browser.press(page, "Remind")
    assert (page.status, "tomorrow is another day" in page.text) == (422, True)
    page = browser.press(browser.get(address), "Propose to give", hours="12")
    assert "give Ann 12 hours more" in page.text
    page = browser.press(page, "Leave the match")
    assert (page.status, "Tick the box" in page.text) == (422, True)
    page = browser.press(page, "Leave the match", sure="1")
    assert "The house plays your seat on." in page.text
    assert "You no longer play here" in browser.get(address).text
    assert browser.post(address, {"do": "vote", "ballot": "x"}).status == 200


def test_mails_say_whom_the_match_waits_for_and_since_when(service: Service, matches: Matches, now: datetime) -> None:
    match_id = a_match(matches, now, people=THREE)
    upkeep.pause(matches, match_id, "lunch", now=now + HOUR, who="operator")
    upkeep.resume(matches, match_id, now=now + 2 * HOUR, who="operator")
    worker_of(service).tick(now + 2 * HOUR)
    said = " ".join(text_of(mails(service, "Ben", "notice")[-1]).split())
    assert "The match waits for Ann (since Monday, 30 November 2026, 09:15 UTC)." in said


def test_whoever_is_the_last_of_several_is_told_so(service: Service, matches: Matches, now: datetime) -> None:
    match_id = asked_together(matches, now)
    others = [seat.number for seat in matches.view(match_id, None).waiting_for][:-1]
    last = matches.view(match_id, None).waiting_for[-1]
    for seat in others:
        matches.play(link_of(matches, match_id, seat), answers(matches, match_id, seat)[0], now=now)
    overtime.remind(matches, now + 60 * HOUR)
    worker_of(service).tick(now + 60 * HOUR)
    assert "You are the last one: all others have answered." in text_of(mails(service, last.name, "reminder")[-1])

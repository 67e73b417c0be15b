"""Talk at the table and notes to oneself: who reads what, and when a mail tells of it."""

from __future__ import annotations

from datetime import datetime

import pytest

from db import queries
from server import accounts, talk, upkeep
from server.links import TogetherLink
from server.matches import Matches, NotYours
from server.service import Service
from tests.server.browsing import Browser
from tests.server.builders import HOUR, a_match, address_of, link_of, mails, play_turn, text_of, worker_of


@pytest.fixture
def now(service: Service) -> datetime:
    return service.now()


def at(matches: Matches, match_id: str, seat: int) -> TogetherLink:
    return TogetherLink(match_id, seat, matches.holder(match_id, seat)[1])


def talk_mails(service: Service, to: str) -> list[str]:
    return [text for mail in mails(service, to, "notice") if "was said at the table" in (text := text_of(mail))]


def test_only_the_first_unread_remark_brings_a_mail(service: Service, matches: Matches, now: datetime) -> None:
    match_id = a_match(matches, now)
    worker = worker_of(service)
    talk.say(matches, at(matches, match_id, 2), "Good luck!", now)
    worker.tick(now)
    (first,) = talk_mails(service, "Ann")
    assert "Ben: Good luck!" in first
    assert f"/t/{service.links.together_url(at(matches, match_id, 1)).rpartition('/')[2]}/talk" in first
    talk.say(matches, at(matches, match_id, 2), "And good weather.", now + HOUR)
    worker.tick(now + HOUR)
    assert len(talk_mails(service, "Ann")) == 1
    talk.mark_read(matches, at(matches, match_id, 1), now + 2 * HOUR)
    talk.say(matches, at(matches, match_id, 2), "Still there?", now + 3 * HOUR)
    worker.tick(now + 3 * HOUR)
    second = talk_mails(service, "Ann")[1]
    assert "Still there?" in second
    assert "Good luck" not in second
    assert talk_mails(service, "Ben") == []


def test_whoever_moves_or_answers_has_been_at_the_table(service: Service, matches: Matches, now: datetime) -> None:
    match_id = a_match(matches, now)
    talk.say(matches, at(matches, match_id, 2), "One", now)
    assert [each.text for each in talk.heard(matches, at(matches, match_id, 1)).new] == ["One"]
    play_turn(matches, match_id, now + HOUR)
    assert talk.heard(matches, at(matches, match_id, 1)).new == ()
    talk.say(matches, at(matches, match_id, 1), "Two", now + 2 * HOUR)
    assert [each.text for each in talk.heard(matches, at(matches, match_id, 2)).new] == ["Two"]
    talk.say(matches, at(matches, match_id, 2), "Three", now + 3 * HOUR)
    assert talk.heard(matches, at(matches, match_id, 2)).new == ()


def test_a_muted_match_sends_none_and_what_was_read_meanwhile_is_not_mailed(
    service: Service, matches: Matches, now: datetime
) -> None:
    match_id = a_match(matches, now, people=("Ann", "Ben", "Cat"))
    with service.store.writing() as session:
        queries.seats.mute(session, matches.holder(match_id, 1)[0] or "", match_id)
    talk.say(matches, at(matches, match_id, 2), "Hello", now)
    talk.mark_read(matches, at(matches, match_id, 3), now + HOUR)
    worker_of(service).tick(now + HOUR)
    assert talk_mails(service, "Ann") == talk_mails(service, "Cat") == []


def test_a_note_is_for_nobody_else_and_goes_with_its_writer(service: Service, matches: Matches, now: datetime) -> None:
    match_id = a_match(matches, now)
    talk.keep_note(matches, at(matches, match_id, 1), "Ben hoards crosses.\n\n\n\nTake 3R soon.", now)
    assert talk.heard(matches, at(matches, match_id, 1)).note == "Ben hoards crosses.\n\nTake 3R soon."
    assert talk.heard(matches, at(matches, match_id, 2)).note == ""
    old = at(matches, match_id, 1)
    upkeep.replace(matches, match_id, 1, name="Cat", email=address_of("Cat"), now=now, who="operator")
    assert talk.heard(matches, at(matches, match_id, 1)).note == ""
    with pytest.raises(NotYours):
        talk.heard(matches, old)
    with pytest.raises(NotYours):
        talk.say(matches, old, "It is still me", now)


def test_what_is_typed_is_made_fit_to_be_shown(service: Service, matches: Matches, now: datetime) -> None:
    match_id = a_match(matches, now)
    talk.say(matches, at(matches, match_id, 1), "  <b>Hi</b>\u202e there\r\n\r\n\r\nBen \x00", now)
    assert talk.heard(matches, at(matches, match_id, 2)).remarks[0].text == "<b>Hi</b> there\n\nBen"
    talk.say(matches, at(matches, match_id, 1), "x" * 5_000, now)
    assert len(talk.heard(matches, at(matches, match_id, 2)).remarks[1].text) == talk.LONGEST
    for blank in ("", "  \n ", "\u200b"):
        with pytest.raises(ValueError, match="nothing in it"):
            talk.say(matches, at(matches, match_id, 1), blank, now)


def test_nobody_talks_without_end(matches: Matches, now: datetime) -> None:
    match_id = a_match(matches, now)
    for number in range(talk.MOST_AN_HOUR):
        talk.say(matches, at(matches, match_id, 1), f"{number}", now)
    with pytest.raises(ValueError, match="enough for one hour"):
        talk.say(matches, at(matches, match_id, 1), "more", now)
    talk.say(matches, at(matches, match_id, 1), "later", now + 2 * HOUR)


def test_the_page_says_notes_and_talks_with_buttons_and_its_opening_changes_nothing(
    service: Service, browser: Browser, now: datetime
) -> None:
    matches = service.matches
    match_id = a_match(matches, now)
    own, others = (f"{service.links.together_url(at(matches, match_id, seat))}/talk" for seat in (1, 2))
    page = browser.press(browser.get(others), "Say it", text="<i>Hello</i> Ann")
    assert "Done." in page.text
    for _ in range(2):
        page = browser.get(own)
        assert "<i>Hello</i> Ann" in page.text
        assert "(new)" in page.text
    move = service.links.move_url(link_of(matches, match_id))
    assert "<i>Hello</i> Ann" in browser.get(move).text
    page = browser.press(browser.get(own), "I have read it")
    assert "(new)" not in page.text
    assert "Hello" not in browser.get(move).text
    page = browser.press(page, "Keep the note", text="Crosses first")
    assert "Crosses first" in browser.get(move).text
    assert "Crosses first" not in browser.get(others).source
    assert "Crosses first" not in browser.get(f"/g/{match_id}").source
    assert "Hello" not in browser.get(f"/g/{match_id}").text
    page = browser.press(browser.get(own), "Say it", text=" ")
    assert (page.status, "nothing in it" in page.text) == (422, True)


def test_whoever_is_forgotten_has_said_nothing_and_may_take_along_what_was_said(
    service: Service, matches: Matches, now: datetime
) -> None:
    match_id = a_match(matches, now)
    talk.say(matches, at(matches, match_id, 1), "Remember me", now)
    talk.keep_note(matches, at(matches, match_id, 1), "Mine", now)
    player_id, _ = matches.holder(match_id, 1)
    told = accounts.own_data(service, player_id or "")
    assert [row["text"] for row in told["remark"]] == ["Remember me"]
    assert [row["text"] for row in told["note"]] == ["Mine"]
    accounts.forget(service, address_of("Ann"))
    assert talk.heard(matches, at(matches, match_id, 2)).remarks == ()

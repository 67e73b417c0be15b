"""Matches as their people and everybody see them; new matches and invitations."""

from __future__ import annotations

import json
from datetime import datetime

import pytest
from flask import Flask

from db import queries
from server import upkeep
from server.links import JoinLink
from server.rules.record import check, read_record
from server.service import Service
from tests.server.browsing import Browser, sign_in, url_in
from tests.server.builders import (
    a_match,
    address_of,
    link_of,
    mails,
    play_first,
    play_to_the_end,
    play_turn,
    worker_of,
)


@pytest.fixture
def now(service: Service) -> datetime:
    return service.now()


@pytest.fixture
def match_id(service: Service, now: datetime) -> str:
    return a_match(service.matches, now)


# The spectator's page


def test_everybody_sees_the_public_table_and_the_whole_log(service: Service, browser: Browser, match_id: str) -> None:
    page = browser.get(f"/g/{match_id}")
    view = service.matches.view(match_id, None)
    assert page.status == 200
    assert "\n".join(view.words) in page.source
    assert "We wait for Ann" in page.text
    for told in service.matches.log(match_id, None):
        assert told in page.text
    assert view.commitment in page.text


def test_a_match_is_replayed_step_by_step(service: Service, browser: Browser, match_id: str, now: datetime) -> None:
    for seat in (1, 2, 1):
        play_turn(service.matches, match_id, now, seat)
    last = service.matches.view(match_id, None).version
    page = browser.get(browser.get(f"/g/{match_id}").link("First"))
    assert page.headings[1] == f"After move 0 of {last}"
    for move in range(1, last + 1):
        page = browser.get(page.link("Next"))
        assert page.headings[1] == f"After move {move} of {last}"
        assert "\n".join(service.matches.at(match_id, None, move)[0].words) in page.source
    page = browser.get(page.link("Back"))
    assert page.headings[1] == f"After move {last - 1} of {last}"
    assert browser.get(page.link("Last")).headings[1] == "The table"


@pytest.mark.parametrize("at", ["-1", "x", "1.5", "9" * 30, ""])
def test_a_step_that_is_none_is_not_found(browser: Browser, match_id: str, at: str) -> None:
    assert browser.get(f"/g/{match_id}?at={at}").status == 404


def test_a_step_beyond_the_last_is_the_last(browser: Browser, match_id: str) -> None:
    assert browser.get(f"/g/{match_id}?at=500").headings[1] == "After move 0 of 0"


def test_a_match_that_is_none_is_not_found(browser: Browser) -> None:
    page = browser.get("/g/nnnnnn")
    assert page.status == 404
    assert "There is no match with this name here" in page.text


def test_the_end_shows_the_result_with_its_breakdown_and_the_record(
    service: Service, browser: Browser, match_id: str, now: datetime
) -> None:
    assert browser.get(f"/g/{match_id}/record").status == 403
    play_to_the_end(service.matches, match_id, now)
    page = browser.get(f"/g/{match_id}")
    outcome = service.matches.view(match_id, None).outcome
    assert outcome is not None
    assert page.headings[1] == "The result"
    for score in outcome["scores"]:
        parts = ", ".join(f"{part} {points}".replace("-", "−") for part, points in score["parts"].items())
        assert f"{parts} {score['total']}".replace("-", "−") in page.text
    response = browser.get(page.link("Take the record")).response
    assert "attachment" in response.headers["Content-Disposition"]
    record = read_record(response.get_data())
    assert check(record).version == len(json.loads(response.get_data())["moves"])


def test_the_own_player_sees_the_match_in_own_eyes_and_can_look_as_everybody(
    service: Service, browser: Browser, match_id: str, now: datetime
) -> None:
    sign_in(service, browser, "Ann")
    page = browser.get(f"/g/{match_id}")
    assert page.headings[0] == "Ann"
    assert "\n".join(service.matches.view(match_id, 1).words) in page.source
    assert browser.get(page.link("Decide now")).headings[0] == "Ann"
    public = browser.get(page.link("See it as everybody does"))
    assert public.headings[0] == "Richelieu (2003)"
    assert "\n".join(service.matches.view(match_id, None).words) in public.source
    assert browser.get(public.link("See it as Ann")).headings[0] == "Ann"


def test_stepping_through_as_everybody_stays_with_everybodys_eyes(
    service: Service, browser: Browser, match_id: str, now: datetime
) -> None:
    play_turn(service.matches, match_id, now, 1)
    sign_in(service, browser, "Ann")
    page = browser.get(browser.get(f"/g/{match_id}?as=everybody").link("First"))
    assert page.headings[0] == "Richelieu (2003)"


# Own matches


def test_own_matches_stand_in_the_order_of_the_time_left(service: Service, browser: Browser, now: datetime) -> None:
    slow = a_match(service.matches, now, pace="week")
    fast = a_match(service.matches, now, pace="day")
    waiting = a_match(service.matches, now, people=("Ben", "Ann"))
    over = a_match(service.matches, now)
    play_to_the_end(service.matches, over, now)
    sign_in(service, browser, "Ann")
    page = browser.get("/games")
    order = [heading.rpartition("#")[2] for heading in page.headings if "#" in heading]
    assert order == [fast, slow, waiting, over]


def test_without_a_session_own_matches_ask_to_sign_in(browser: Browser) -> None:
    for path in ("/games", "/games/new", "/me"):
        page = browser.get(path)
        assert page.status == 200
        assert page.headings == ["Sign in"]


def test_the_start_page_leads_to_what_waits(service: Service, browser: Browser, match_id: str) -> None:
    page = browser.get("/")
    assert "Decide now" not in page.text
    for name in ("Richelieu (2003)", "Richelieu (2012)", "Richard I"):
        assert name in page.headings
    sign_in(service, browser, "Ann")
    assert browser.get(browser.get("/").link("Decide now")).headings[0] == "Ann"


# New matches


@pytest.fixture
def ann(service: Service, browser: Browser, match_id: str) -> Browser:
    """Ann's device, signed in; she plays in `match_id` already."""
    sign_in(service, browser, "Ann")
    return browser


def new_matches(service: Service, but: str) -> list[str]:
    with service.store.reading() as session:
        return [match.id for match in queries.matches.with_status(session, "open", "running") if match.id != but]


def test_a_match_is_begun_from_the_form_and_everybody_is_invited(service: Service, ann: Browser, match_id: str) -> None:
    form = ann.get(ann.get("/games/new").link("Richelieu (2003)"))
    page = ann.press(form, "Send the invitations", name1="Ben", email1=address_of("Ben"), short="True", pace="day")
    (new,) = new_matches(service, match_id)
    assert page.headings[0] == "Richelieu (2003)"
    assert "Ben : invited" in page.text
    assert "Ann : ready" in page.text
    assert "1 day for each decision. Short: yes." in page.text
    worker_of(service).tick()
    (invitation,) = mails(service, "Ben", "invitation")
    join = ann.get(url_in(invitation, "/join/"))
    assert join.headings[0] == "Ben"
    assert "Ann invites you" in join.text
    accepted = ann.press(join, "Yes, I play", name="Benedict")
    assert "You are in." in accepted.text
    assert "Benedict" in service.matches.view(new, None).names
    assert service.matches.status(new).status == "running"


def test_the_house_plays_strongly_where_that_was_wished(service: Service, ann: Browser, match_id: str) -> None:
    ann.press(ann.get("/games/new?game=intrigues"), "Send the invitations", house1="1", strong="1")
    (new,) = new_matches(service, match_id)
    assert [seat.strong for seat in service.matches.view(new, None).seats if seat.house] == [True]


def test_a_match_against_the_house_begins_at_once(service: Service, ann: Browser, match_id: str) -> None:
    ann.press(ann.get("/games/new?game=intrigues"), "Send the invitations", house1="1")
    (new,) = new_matches(service, match_id)
    assert service.matches.status(new).status == "running"
    assert service.matches.status(new).game == "intrigues"


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ({}, "for 2 to 4 seats, not 1"),
        ({"name1": "Ben"}, "Seat 1 (Ben) has no mail address"),
        ({"name1": "Ben", "email1": "ben"}, "The address of seat 1 cannot be used"),
        ({"name1": "Ben", "email1": "ben@x.example, cat@x.example"}, "The address of seat 1 cannot be used"),
        ({"name1": "Ann", "email1": "Ann@Players.example"}, "One address cannot hold two seats"),
        ({"house1": "1", "short": "perhaps"}, "The option short can be: false, true"),
        ({"house1": "1", "pace": "often"}, "A pace is one of"),
    ],
)
def test_what_is_wrong_is_said_and_the_form_kept(
    service: Service, ann: Browser, match_id: str, typed: dict[str, str], said: str
) -> None:
    page = ann.press(ann.get("/games/new?game=regions"), "Send the invitations", **{"name2": "", **typed})
    assert page.status == 422
    assert said in page.text
    fields = page.form(button="Send the invitations").fields
    assert fields["name1"] == typed.get("name1", "")
    assert fields["email1"] == typed.get("email1", "")
    assert new_matches(service, match_id) == []


def test_names_that_are_code_or_turn_text_around_do_no_harm(service: Service, ann: Browser, match_id: str) -> None:
    names = {"name1": "<b>Bob</b>\u202edlrow", "email1": address_of("Ben"), "name2": "x" * 40, "house2": "1"}
    page = ann.press(ann.get("/games/new?game=regions"), "Send the invitations", **names)
    assert page.status == 200
    assert "<b>Bob" not in page.source
    assert "&lt;b&gt;Bob&lt;/b&gt;dlrow" in page.source
    assert "\u202e" not in page.source


def test_only_who_is_signed_in_can_begin_a_match(service: Service, browser: Browser) -> None:
    page = browser.post("/games/new", {"game": "regions", "house1": "1", "house2": "1"})
    assert page.status == 401
    assert page.headings == ["Sign in"]


# Invitations


@pytest.fixture
def invited(service: Service, now: datetime) -> str:
    return a_match(service.matches, now, start=False)


def join_address(service: Service, match_id: str, seat: int) -> str:
    return service.links.join_url(JoinLink(match_id, seat, 1))


def test_opening_an_invitation_accepts_nothing(service: Service, browser: Browser, invited: str) -> None:
    for _ in range(3):
        page = browser.get(join_address(service, invited, 1))
        assert "three rows" in page.text or "days for each decision" in page.text
        assert page.form(button="Yes, I play").fields["name"] == "Ann"
    assert "Ann : invited" in browser.get(f"/g/{invited}").text


def test_accepting_twice_does_no_harm(service: Service, browser: Browser, invited: str) -> None:
    page = browser.get(join_address(service, invited, 1))
    for _ in range(2):
        again = browser.press(page, "Yes, I play")
        assert "You are in. The match begins when Ben has accepted too." in again.text
    assert service.matches.status(invited).status == "open"


def test_a_taken_name_gets_a_number(service: Service, browser: Browser, invited: str) -> None:
    browser.press(browser.get(join_address(service, invited, 1)), "Yes, I play", name="ben")
    assert "ben 2 : ready" in browser.get(f"/g/{invited}").text


def test_an_invitation_is_over_when_the_seat_has_another_holder(
    service: Service, browser: Browser, invited: str, now: datetime
) -> None:
    upkeep.replace(service.matches, invited, 1, name="Gus", email=address_of("Gus"), now=now, who="operator")
    page = browser.get(join_address(service, invited, 1))
    assert page.headings == ["This invitation is over"]
    assert browser.post(join_address(service, invited, 1), {"name": "Ann"}).headings == ["This invitation is over"]


def test_a_match_that_has_not_begun_shows_who_is_missing_and_no_table(
    service: Service, browser: Browser, invited: str
) -> None:
    page = browser.get(f"/g/{invited}")
    assert "This match has not begun" in page.text
    assert "The display" not in page.text


# Rules


@pytest.mark.parametrize("game", ["regions", "intrigues", "crusade"])
def test_every_paragraph_of_the_rules_is_an_anchor(browser: Browser, game: str) -> None:
    page = browser.get(f"/rules/{game}")
    assert page.status == 200
    assert 'id="2.1"' in page.source
    assert 'id="1"' in page.source


def test_case_B16_where_only_one_answer_is_left_it_is_offered_as_one_tap(
    service: Service, browser: Browser, now: datetime
) -> None:
    match_id = a_match(service.matches, now, game="crusade", people=("Ann", "Ben", "Cat"))
    for _ in range(400):
        view = service.matches.view(match_id, None)
        if view.outcome is not None:
            break
        for seat in view.waiting_for:
            page = browser.get(service.links.move_url(link_of(service.matches, match_id, seat.number)))
            steps = [target for _, target in page.links if "at=" in target]
            assert page.offers() or steps
            play_first(service.matches, match_id, now, seat.number)
    else:
        raise AssertionError("the match did not end")


def test_nobody_learns_an_address_from_the_pages_of_a_match(
    service: Service, site: Flask, now: datetime, match_id: str
) -> None:
    play_to_the_end(service.matches, match_id, now)
    for path in (f"/g/{match_id}", f"/g/{match_id}?at=3", f"/g/{match_id}/record"):
        assert "players.example" not in Browser(site).get(path).source

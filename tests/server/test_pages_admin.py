"""The operator's console: who may see it, what it shows, and that every deed is logged with who and why."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from flask import Flask

from db import queries
from server import create_app, standstill
from server.oversight import LOOKED
from server.service import Service
from tests.server.browsing import Browser, Page, sign_in
from tests.server.builders import HOUR, a_match, a_service, address_of, letters, play_first, play_to_the_end, worker_of

PAGES = ("/admin", "/admin/matches", "/admin/mails", "/admin/people", "/admin/log")


@pytest.fixture
def service(database_url: str, tmp_path: Path) -> Iterator[Service]:
    """Ann is the operator."""
    service = a_service(database_url, tmp_path, ESTAFETTE_ADMINS=address_of("Ann"))
    yield service
    service.close()


@pytest.fixture
def site(service: Service) -> Flask:
    site = create_app(service)
    site.testing = True
    return site


@pytest.fixture
def match_id(service: Service) -> str:
    """Ann does not play in it."""
    return a_match(service.matches, service.now(), people=("Ben", "Cat"))


@pytest.fixture
def console(service: Service, site: Flask, match_id: str) -> Browser:
    """Ann's device."""
    with service.store.writing() as session:
        queries.players.for_address(session, address_of("Ann"), name="Ann", now=service.now())
    browser = Browser(site)
    sign_in(service, browser, "Ann")
    return browser


def test_people_are_found_by_address_or_by_how_their_name_begins(console: Browser, match_id: str) -> None:
    assert "Cat" in console.get("/admin/people").text
    found = console.get("/admin/people?who=Be").text
    assert "Ben" in found
    assert "Cat" not in found
    assert "Cat" in console.get(f"/admin/people?who={address_of('Cat').upper()}").text
    assert "None." in console.get("/admin/people?who=%25").text


def test_the_console_names_who_sits_in_each_match(console: Browser, service: Service, match_id: str) -> None:
    other = a_match(service.matches, service.now(), people=("Dan", "Eve"))
    lines = {line[:6]: line for line in console.get("/admin/matches").text.split("#")}
    assert [name in lines[match_id] for name in ("Ben", "Cat", "Dan", "Eve")] == [True, True, False, False]
    assert [name in lines[other] for name in ("Ben", "Cat", "Dan", "Eve")] == [False, False, True, True]


def log_of(service: Service) -> list[tuple[str, str, str | None]]:
    with service.store.reading() as session:
        return [
            (event.who.partition(" (")[0], event.what, event.why)
            for event in queries.oversight.newest_events(session, limit=50)
        ]


def test_nobody_else_learns_that_there_is_a_console(service: Service, site: Flask, match_id: str) -> None:
    stranger, ben = Browser(site), Browser(site)
    sign_in(service, ben, "Ben")
    for browser in (stranger, ben):
        for address in (*PAGES, f"/admin/m/{match_id}"):
            page = browser.get(address)
            assert page.status == 404
            assert "Console" not in page.source
        assert browser.post("/admin/world", {"do": "stop", "why": "x"}).status == 404
        assert browser.post(f"/admin/m/{match_id}", {"do": "abort", "why": "x"}).status == 404
        assert browser.post(f"/admin/m/{match_id}/secrets", {"not_playing": "1", "why": "x"}).status == 404
    assert service.matches.status(match_id).status == "running"


def test_every_page_opens_for_the_operator(console: Browser, match_id: str) -> None:
    for address in (*PAGES, f"/admin/m/{match_id}", "/admin/matches?status=frozen", "/admin/mails?state=sent"):
        assert console.get(address).status == 200, address
    assert console.get("/admin/m/nomatch").status == 404


def test_a_foreign_site_can_do_nothing_in_the_operators_name(console: Browser, service: Service, match_id: str) -> None:
    page = console.post(f"/admin/m/{match_id}", {"do": "abort", "why": "x"}, **{"Sec-Fetch-Site": "cross-site"})
    assert page.status == 403
    assert service.matches.status(match_id).status == "running"


def stuck(console: Browser) -> str:
    return console.get("/admin").text


def test_a_frozen_match_is_stuck_and_why(console: Browser, service: Service, match_id: str) -> None:
    assert "No match is stuck" in stuck(console)
    service.matches.freeze(match_id, "the position is another one", now=service.now())
    assert f"#{match_id} : frozen: the position is another one" in stuck(console)


def test_a_match_that_waits_for_somebody_unreachable_is_stuck(
    console: Browser, service: Service, match_id: str
) -> None:
    with service.store.writing() as session:
        ben = queries.players.by_address(session, address_of("Ben"))
        assert ben
        queries.players.pause(session, ben.id, why="no such mailbox", now=service.now())
    assert "mails to Ben come back" in stuck(console)


def test_a_match_whose_time_is_up_says_that_no_worker_runs(console: Browser, service: Service) -> None:
    a_match(service.matches, service.now(), people=("Dan", "Eve"), pace="hour")
    service.clock.forward(2 * HOUR)
    assert "the time of Dan is up, and nobody has moved: does a worker run?" in stuck(console)
    standstill.stop_world(service.store, "a storm", service.now())
    assert "the time of Dan" not in stuck(console), "with all clocks stopped that is as it should be"


def test_a_match_without_time_limit_is_stuck_after_a_week(console: Browser, service: Service) -> None:
    a_match(service.matches, service.now(), people=("Dan", "Eve"), pace="none")
    service.clock.forward(timedelta(days=9))
    assert "Dan was asked 9 days ago" in stuck(console)


def press(console: Browser, match_id: str, words: str, **typed: str) -> Page:
    return console.press(console.get(f"/admin/m/{match_id}"), words, **typed)


def test_the_operators_hands_on_a_match_are_logged_with_who_and_why(
    console: Browser, service: Service, match_id: str
) -> None:
    play_first(service.matches, match_id, service.now())
    assert "Done." in press(console, match_id, "Pause the match", why="a holiday").text
    assert service.matches.status(match_id).status == "paused"
    press(console, match_id, "Let it go on", why="it is over")
    press(console, match_id, "Give more time", seat="1", hours="48", why="Ben is ill")
    press(console, match_id, "Give a seat to somebody else", seat="2", name="Dan", email=address_of("Dan"), why="left")
    press(console, match_id, "Take moves back", moves="0", why="a misclick")
    assert service.matches.view(match_id, None).version == 0
    press(console, match_id, "End it without a result", why="everybody agrees")
    assert service.matches.status(match_id).status == "aborted"
    said = log_of(service)
    for why in ("a holiday", "it is over", "Ben is ill", "left", "a misclick", "everybody agrees"):
        assert any(who == "operator Ann" and reason == why for who, _, reason in said), why
    assert "a misclick" in console.get("/admin/log").text


def test_a_deed_without_a_reason_or_with_nonsense_is_refused_with_a_sentence(
    console: Browser, service: Service, match_id: str
) -> None:
    for fields, sentence in (
        ({"do": "abort", "why": "  "}, "Say why"),
        ({"do": "rewind", "moves": "many", "why": "x"}, "The number of moves that stay is a number."),
        ({"do": "rewind", "moves": "7", "why": "x"}, "No move has been made"),
        ({"do": "resume", "why": "x"}, "The match is running"),
        ({"do": "extend", "seat": "2", "hours": "3", "why": "x"}, "no open decision"),
        ({"do": "extend", "seat": "1", "hours": "-3", "why": "x"}, "a number of hours up to 1,440"),
        ({"do": "extend", "seat": "1", "hours": "9" * 400, "why": "x"}, "a number of hours up to 1,440"),
        (
            {"do": "replace", "seat": "1", "email": "ann@@example", "why": "x"},
            "not an address that mail can be sent to",
        ),
    ):
        page = console.post(f"/admin/m/{match_id}", fields)
        assert page.status == 422, fields
        assert sentence in page.text
    assert console.post(f"/admin/m/{match_id}", {"do": "explode", "why": "x"}).status == 400
    assert service.matches.status(match_id).status == "running"


def test_hidden_things_are_shown_only_after_a_deliberate_word_that_the_players_can_read(
    console: Browser, service: Service, site: Flask, match_id: str
) -> None:
    form = console.get(f"/admin/m/{match_id}")
    assert press(console, match_id, "Show everything", why="a complaint").status == 422
    assert LOOKED not in [what for _, what, _ in log_of(service)]
    assert "operator Ann" not in Browser(site).get(f"/g/{match_id}").text
    page = press(console, match_id, "Show everything", not_playing="1", why="a complaint")
    assert page.status == 200
    assert "Everything in" in page.text
    assert form.status == 200
    assert ("operator Ann", LOOKED, "a complaint") in log_of(service)
    assert re.search(rf"An operator, Ann \(\w+\), {LOOKED}", Browser(site).get(f"/g/{match_id}").text)


def test_who_plays_does_not_look(console: Browser, service: Service) -> None:
    own = a_match(service.matches, service.now(), people=("Ann", "Ben"))
    page = press(console, own, "Show everything", not_playing="1", why="curiosity")
    assert page.status == 422
    assert "Who plays does not look." in page.text
    assert "Everything in" not in page.text


def test_all_clocks_are_stopped_and_started_with_a_reason(console: Browser, service: Service) -> None:
    page = console.press(console.get("/admin"), "Stop all clocks", why="the mail server moves")
    assert "They stand still since" in page.text
    assert console.post("/admin/world", {"do": "stop", "why": "again"}).status == 422
    console.press(page, "Start all clocks again", why="it has moved")
    with service.store.reading() as session:
        assert standstill.stopped_since(session) is None
    assert {"the mail server moves", "it has moved"} <= {why for _, _, why in log_of(service)}


def test_a_letter_is_tried_again_or_given_up(console: Browser, service: Service) -> None:
    a_match(service.matches, service.now(), people=("Dan", "Eve"))
    waiting = letters(service, state="waiting")
    console.post(f"/admin/mails/{waiting[0].id}", {"do": "drop", "why": "a mistake"})
    assert letters(service, id=waiting[0].id)[0].state == "dropped"
    console.post(f"/admin/mails/{waiting[0].id}", {"do": "retry", "why": "no mistake"})
    worker_of(service).tick()
    assert letters(service, id=waiting[0].id)[0].state == "sent"
    assert console.post(f"/admin/mails/{waiting[0].id}", {"do": "retry", "why": "x"}).status == 422
    assert ("operator Ann", f"gave up letter {waiting[0].id}", "a mistake") in log_of(service)


def test_an_address_that_came_back_is_tried_again(console: Browser, service: Service, match_id: str) -> None:
    with service.store.writing() as session:
        ben = queries.players.by_address(session, address_of("Ben"))
        assert ben
        queries.players.pause(session, ben.id, why="no such mailbox", now=service.now())
    page = console.get("/admin/people")
    assert "cannot be reached since" in page.text
    console.post(f"/admin/people/{ben.id}/reach", {"why": "they wrote to me"})
    with service.store.reading() as session:
        found = queries.players.by_id(session, ben.id)
    assert found
    assert found.paused_at is None
    assert console.post(f"/admin/people/{ben.id}/reach", {"why": "again"}).status == 422


def test_case_B42_a_finished_match_is_taken_back_from_the_console(
    console: Browser, service: Service, match_id: str
) -> None:
    play_to_the_end(service.matches, match_id, service.now())
    moves = service.matches.view(match_id, None).version
    page = press(console, match_id, "Take moves back", moves=str(moves - 3), why="a mistake of the program")
    assert page.status == 200, page.text
    view = service.matches.view(match_id, None)
    assert (view.status, view.outcome) == ("running", None)
    assert view.waiting_for
    worker_of(service).tick()
    assert letters(service, kind="notice", match_id=match_id, state="sent")

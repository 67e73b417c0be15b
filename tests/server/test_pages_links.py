"""What a link is worth: while its decision is open, afterwards, in other hands, and in whatever browser."""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from sqlmodel import select
from werkzeug.datastructures import FileStorage

from db import queries, table
from db.models import Letter, Match, Move, Player, Seat, SignIn
from server import create_app, signing_in, upkeep
from server.links import JoinLink, MoveLink, TogetherLink, UnsubscribeLink
from server.service import Service
from tests.server.browsing import Browser, sign_in, url_in
from tests.server.builders import (
    HOUR,
    a_match,
    a_service,
    address_of,
    letters,
    link_of,
    mails,
    play_to_the_end,
    play_turn,
    text_of,
    worker_of,
)

OVER = "This decision was taken"


@pytest.fixture
def now(service: Service) -> datetime:
    return service.now()


@pytest.fixture
def match_id(service: Service, now: datetime) -> str:
    return a_match(service.matches, now)


@pytest.fixture
def address(service: Service, match_id: str) -> str:
    return service.links.move_url(link_of(service.matches, match_id))


# B07: links of before


def test_case_B07_every_mail_of_an_open_decision_opens_the_same_page(
    service: Service, browser: Browser, match_id: str
) -> None:
    worker = worker_of(service)
    worker.tick()
    for hours in (37, 22):
        service.clock.forward(hours * HOUR)
        worker.tick()
    found = [mail for mail in mails(service, "Ann") if mail["X-Estafette-Kind"] in ("turn", "reminder")]
    assert [mail["X-Estafette-Kind"] for mail in found] == ["turn", "reminder", "reminder"]
    for mail in reversed(found):
        url = url_in(mail, "/m/")
        assert browser.get(url).headings[0] == "Ann"


def test_case_B07_after_the_turn_the_link_says_what_happened_in_public_and_how_to_get_a_fresh_one(
    service: Service, browser: Browser, match_id: str, address: str, now: datetime
) -> None:
    play_turn(service.matches, match_id, now, 1)
    page = browser.get(address)
    assert page.status == 200
    assert page.headings[0] == OVER
    assert "We wait for Ben" in page.text
    assert service.matches.log(match_id, None)[-1] in page.text
    assert browser.get(page.link("Show the match")).status == 200
    assert page.offers() == []


def test_case_B07_after_the_match_the_link_shows_the_result(
    service: Service, browser: Browser, match_id: str, address: str, now: datetime
) -> None:
    play_to_the_end(service.matches, match_id, now)
    page = browser.get(address)
    assert page.status == 200
    assert "The result" in page.headings


@pytest.mark.parametrize("cut", [1, 5, 19, 25])
def test_case_B07_a_cut_link_gets_a_friendly_page(browser: Browser, address: str, cut: int) -> None:
    page = browser.get(address[:-cut])
    assert page.status == 404
    assert "This link is not complete, or not one of ours any more" in page.text


def test_a_forged_link_gets_the_same_page_however_close_it_is(browser: Browser, address: str) -> None:
    last = address[-1]
    close = browser.get(address[:-1] + ("a" if last != "a" else "b"))
    far = browser.get("/m/nonsense")
    empty = browser.get("/m/" + "z" * 100)
    assert close.status == far.status == empty.status == 404
    assert close.source == far.source == empty.source


@pytest.mark.parametrize("strange", ["%00", "é", "..", "a" * 4000, "k7f3qx-1-1-1", "%F0%9F%93%AC"])
def test_whatever_stands_in_the_address_is_answered_without_an_error_of_ours(browser: Browser, strange: str) -> None:
    for path in ("m", "join", "login", "unsubscribe", "g", "rules"):
        assert browser.get(f"/{path}/{strange}").status == 404


def test_a_link_for_one_purpose_is_none_for_another(service: Service, browser: Browser, match_id: str) -> None:
    seat, tenure = 1, 1
    join = service.links.join_url(JoinLink(match_id, seat, tenure)).rpartition("/")[2]
    move = service.links.move_url(link_of(service.matches, match_id)).rpartition("/")[2]
    for path in (f"/m/{join}", f"/unsubscribe/{move}", f"/join/{move}", f"/login/{move}"):
        assert browser.get(path).status == 404
        assert browser.post(path).status == 404


def test_case_B07_a_fresh_link_goes_to_the_address_on_file_once_an_hour(
    service: Service, browser: Browser, match_id: str, address: str, now: datetime
) -> None:
    play_turn(service.matches, match_id, now, 1)
    play_turn(service.matches, match_id, now, 2)
    worker_of(service).tick()
    before = len(mails(service, "Ann", "turn"))
    for _ in range(3):
        page = browser.press(browser.get(address), "Send me a fresh link")
        assert page.headings[0] == "Look into your mail"
    worker_of(service).tick()
    assert len(mails(service, "Ann", "turn")) == before + 1
    url = url_in(mails(service, "Ann", "turn")[-1], "/m/")
    assert browser.get(url).headings[0] == "Ann"


def test_the_answer_to_asking_for_a_fresh_link_is_the_same_when_none_is_sent(
    service: Service, browser: Browser, match_id: str, address: str, now: datetime
) -> None:
    play_turn(service.matches, match_id, now, 1)
    before = len(letters(service))
    nothing_open = browser.post(f"{address}/fresh")
    assert len(letters(service)) == before
    play_turn(service.matches, match_id, now, 2)
    assert browser.post(f"{address}/fresh").source == nothing_open.source


# B09: another holder


def test_case_B09_the_links_of_a_former_holder_show_nothing_private_and_do_nothing(
    service: Service, browser: Browser, match_id: str, address: str, now: datetime
) -> None:
    worker_of(service).tick()
    old = browser.get(address)
    upkeep.replace(service.matches, match_id, 1, name="Gus", email=address_of("Gus"), now=now, who="operator")
    made = service.matches.status(match_id).revision
    once = old.form(field="once").fields
    tries = [
        browser.get(address),
        browser.get(f"{address}?move=take+1L"),
        browser.get(f"{address}/1-1"),
        browser.press(old, "take 1L"),
        browser.post(address, {**once, "move": "take 1L", "confirm": "1"}),
        browser.post(f"{address}/undo", once),
    ]
    for page in tries:
        assert page.status == 200
        assert page.headings == ["You no longer play here"]
        assert "Tiles:" not in page.text
    browser.post(f"{address}/fresh")
    assert service.matches.status(match_id).revision == made


def test_case_B09_the_new_holder_gets_the_private_page(
    service: Service, browser: Browser, match_id: str, now: datetime
) -> None:
    upkeep.replace(service.matches, match_id, 1, name="Gus", email=address_of("Gus"), now=now, who="operator")
    worker_of(service).tick()
    (turn,) = mails(service, "Gus", "turn")
    url = url_in(turn, "/m/")
    assert browser.get(url).headings[0] == "Gus"


# B18: scanners


def test_case_B18_opening_every_link_of_every_mail_changes_nothing(
    service: Service, site: Flask, now: datetime
) -> None:
    invited = a_match(service.matches, now, start=False)
    running = a_match(service.matches, now)
    signing_in.ask(service, address_of("Ann"))
    worker = worker_of(service)
    worker.tick()
    urls = {url for mail in mails(service) for url in re.findall(r"http[^\s<>]+", text_of(mail))}
    purposes = {url.split("/")[3] for url in urls}
    assert purposes >= {"m", "join", "login", "me", "unsubscribe", "g", "rules"}

    def state() -> object:
        with service.store.reading() as session:
            return repr([session.exec(select(model)).all() for model in (Match, Seat, Move, Player, SignIn, Letter)])

    before = state()
    for url in sorted(urls):
        for _ in range(3):
            scanner = Browser(site)
            page = scanner.get(url)
            assert page.status == 200, url
            assert "Set-Cookie" not in page.response.headers
            assert scanner.client.head(url.partition("8025")[2]).status_code in (200, 303)
            for _, link in page.links:  # and whatever it leads to
                if link.startswith("http://127.0.0.1:8025/"):
                    scanner.get(link)
    assert state() == before
    assert service.matches.status(invited).status == "open"
    assert service.matches.view(running, None).version == 0


def test_case_B18_after_the_scanner_the_person_can_still_sign_in(service: Service, site: Flask, match_id: str) -> None:
    signing_in.ask(service, address_of("Ann"))
    worker_of(service).tick()
    url = url_in(mails(service, "Ann", "login")[0], "/login/")
    for _ in range(3):
        Browser(site).get(url)
    person = Browser(site)
    assert "My matches" in person.press(person.get(url), "Sign in on this device").headings


# B30 and B39: whose browser


def test_case_B30_the_link_decides_whatever_session_the_browser_has(
    service: Service, browser: Browser, match_id: str, now: datetime
) -> None:
    sign_in(service, browser, "Ann")
    anns = service.links.move_url(link_of(service.matches, match_id))
    play_turn(service.matches, match_id, now, 1)
    bens = service.links.move_url(link_of(service.matches, match_id, 2))
    page = browser.get(bens)
    assert page.headings[0] == "Ben"
    browser.get(anns)  # in another tab
    browser.press(browser.press(page, "take"), "Yes, ")
    with service.store.reading() as session:
        assert [move.seat for move in table.move_rows(session, match_id)][-1] == 2
    assert "Signed in as Ann" in browser.get("/games").text


def test_case_B30_a_session_gives_no_right_to_a_seat_that_another_holds(
    service: Service, browser: Browser, match_id: str
) -> None:
    sign_in(service, browser, "Ben")
    page = browser.get(f"/g/{match_id}")
    assert page.headings[0] == "Ben"
    assert "Decide now" not in page.text


def test_case_B30_the_operator_sees_no_private_state_by_accident(database_url: str, tmp_path: Path) -> None:
    service = a_service(database_url, tmp_path, ESTAFETTE_ADMINS=address_of("Cat"))
    browser = Browser(create_app(service))
    match_id = a_match(service.matches, service.now())
    sign_in(service, browser, "Cat")
    page = browser.get(f"/g/{match_id}")
    assert page.headings[0] == "Richelieu (2003)"
    assert "\n".join(service.matches.view(match_id, None).words) in page.source
    service.close()


def test_case_B39_a_person_who_comes_from_webmail_plays_without_any_cookie(
    service: Service, site: Flask, match_id: str, address: str
) -> None:
    webmail = Browser(site, **{"Sec-Fetch-Site": "cross-site"})
    page = webmail.get(address)
    assert page.headings[0] == "Ann"
    assert "Set-Cookie" not in page.response.headers
    own = Browser(site, **{"Sec-Fetch-Site": "same-origin", "Origin": "null"})
    assert own.press(own.press(page, "take 1L"), "Yes, ").status == 200
    assert service.matches.view(match_id, None).version >= 1


@pytest.mark.parametrize(
    "headers",
    [
        {"Sec-Fetch-Site": "cross-site", "Origin": "https://evil.example"},
        {"Sec-Fetch-Site": "same-site"},
        {"Origin": "https://evil.example"},
        {"Origin": "http://localhost:9999"},
        {"Origin": "http://["},
        {"Origin": "http://127.0.0.1:8025@evil.example"},
        {"Origin": ""},
    ],
)
def test_case_B39_forms_of_other_sites_are_refused(
    service: Service, site: Flask, match_id: str, address: str, headers: dict[str, str]
) -> None:
    fields = Browser(site).get(address).form(field="once").fields | {"move": "take 1L", "confirm": "1"}
    page = Browser(site, **headers).post(address, fields)
    assert page.status == 403
    assert "from another site" in page.text
    assert service.matches.view(match_id, None).version == 0


def test_case_B39_the_session_cookie_arrives_from_other_sites_by_link_but_not_by_form(
    service: Service, browser: Browser, match_id: str
) -> None:
    sign_in(service, browser, "Ann")
    cookie = browser.client.get_cookie("estafette")
    assert cookie is not None
    assert cookie.same_site == "Lax"
    assert cookie.http_only


def test_one_click_unsubscribing_works_from_a_mail_program(service: Service, site: Flask, match_id: str) -> None:
    player_id, _ = service.matches.holder(match_id, 1)
    url = service.links.unsubscribe_url(UnsubscribeLink(player_id or "", match_id))
    program = Browser(site, **{"Sec-Fetch-Site": "cross-site", "Origin": "https://webmail.example"})
    assert program.post(url, {"List-Unsubscribe": "One-Click"}).headings == ["Done"]
    with service.store.reading() as session:
        assert [seat.muted for seat in queries.seats.of(session, match_id)] == [True, False]


def test_a_link_to_a_match_that_was_never_here_is_no_link(service: Service, browser: Browser) -> None:
    url = service.links.move_url(MoveLink("zzzzzz", 1, 1, 1))
    assert browser.get(url).status == 404
    assert browser.post(url, {"move": "take 1L"}).status == 404


# Forms with what does not belong into them


def some_file() -> FileStorage:
    return FileStorage(io.BytesIO(b"\x89PNG\r\n\x00\xff" * 100), filename="../../picture.png", content_type="image/png")


@pytest.mark.parametrize(
    "odd",
    [
        pytest.param(some_file, id="a file"),
        pytest.param(lambda: "9" * 400, id="a number that is none"),
        pytest.param(lambda: "-0.5e999", id="a number that is none either"),
        pytest.param(lambda: "2026-02-31T25:61", id="a date that is none"),
        pytest.param(lambda: "\u202e\u2066<script>\x00", id="code and what turns text around"),
        pytest.param(lambda: " \t\u3000\u200b", id="blanks"),
        pytest.param(lambda: "a" * 300, id="300 letters"),
    ],
)
def test_whatever_stands_in_the_fields_of_a_form_is_answered_without_an_error_of_ours(
    service: Service, browser: Browser, match_id: str, address: str, odd: Callable[[], Any]
) -> None:
    invited = a_match(service.matches, service.now(), people=("Ann", "Dan"), start=False)
    sign_in(service, browser, "Ann")
    seat = service.links.together_url(TogetherLink(match_id, 1, 1))
    once = browser.get(address).form(field="once").fields["once"]
    typed_into = {
        address: ("move", "once"),
        f"{address}/undo": ("once",),
        f"{address}/draft": ("move", "once"),
        seat: ("do", "seat", "hours", "why", "email"),
        f"{seat}/talk": ("do", "text"),
        f"/g/{match_id}/remove": ("seat",),
        f"/g/{invited}/join": ("name",),
        f"/g/{invited}/word": ("word",),
        f"/g/{invited}/host": ("do", "seat", "email"),
        "/login": ("email", "code"),
        "/me": ("name", "zone"),
        "/games/new": ("game", "name1", "email1", "pace", "starts"),
    }
    for target, names in typed_into.items():
        for name in names:
            page = browser.post(target, {"once": once, "sure": "1", "do": "propose", "game": "regions", name: odd()})
            assert page.status < 500, (target, name)
            assert "<script" not in page.source, (target, name)
    assert service.matches.view(match_id, None).version == 0

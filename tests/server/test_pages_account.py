"""Signing in and out, the account, leaving mails."""

from __future__ import annotations

import re
from datetime import timedelta
from pathlib import Path

import pytest
from flask import Flask

from db import queries
from server import create_app
from server.links import UnsubscribeLink
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
    text_of,
    worker_of,
)

WRONG = "This code is not right, or it does not work any more"


@pytest.fixture
def match_id(service: Service) -> str:
    return a_match(service.matches, service.now())


def code_of(service: Service, name: str) -> str:
    worker_of(service).tick()
    found = re.search(r"\b[0-9]{6}\b", text_of(mails(service, name, "login")[-1]))
    assert found is not None
    return found[0]


def asked(browser: Browser, name: str) -> object:
    return browser.press(browser.get("/login"), "Send me the mail", email=address_of(name))


def test_the_code_of_the_mail_signs_in(service: Service, browser: Browser, match_id: str) -> None:
    page = browser.press(browser.get("/login"), "Send me the mail", email=" ANN@players.example ")
    code = code_of(service, "Ann")
    page = browser.press(page, "Sign in", code=f" {code[:3]} {code[3:]} ")
    assert page.headings[0] == "My matches"
    assert "Signed in as Ann" in page.text


def test_a_code_works_once(service: Service, site: Flask, browser: Browser, match_id: str) -> None:
    page = browser.press(browser.get("/login"), "Send me the mail", email=address_of("Ann"))
    code = code_of(service, "Ann")
    browser.press(page, "Sign in", code=code)
    again = Browser(site).post("/login/code", {"email": address_of("Ann"), "code": code})
    assert again.status == 422
    assert WRONG in again.text


def test_a_link_works_once(service: Service, site: Flask, browser: Browser, match_id: str) -> None:
    asked(browser, "Ann")
    worker_of(service).tick()
    url = url_in(mails(service, "Ann", "login")[0], "/login/")
    page = browser.get(url)
    assert "Signed in" in browser.press(page, "Sign in on this device").text
    other = Browser(site)
    assert other.get(url).headings == ["This link is over"]
    assert other.press(page, "Sign in on this device").headings == ["This link is over"]
    assert other.get("/games").headings == ["Sign in"]


def test_link_and_code_are_too_old_after_half_an_hour(service: Service, browser: Browser, match_id: str) -> None:
    asked(browser, "Ann")
    code = code_of(service, "Ann")
    url = url_in(mails(service, "Ann", "login")[0], "/login/")
    service.clock.forward(timedelta(minutes=31))
    assert browser.get(url).status == 404
    assert "Ask for a fresh one" in browser.get(url).text
    assert browser.post("/login/code", {"email": address_of("Ann"), "code": code}).status == 422


def test_asking_again_leaves_the_first_mail_useful(service: Service, browser: Browser, match_id: str) -> None:
    asked(browser, "Ann")
    code = code_of(service, "Ann")
    service.clock.forward(timedelta(minutes=6))
    asked(browser, "Ann")
    worker_of(service).tick()
    assert len(mails(service, "Ann", "login")) == 2
    page = browser.post("/login/code", {"email": address_of("Ann"), "code": code})
    assert page.headings[0] == "My matches"


def test_asking_often_sends_one_mail_in_five_minutes(service: Service, browser: Browser, match_id: str) -> None:
    for _ in range(5):
        asked(browser, "Ann")
    assert len(letters(service, kind="login")) in (1, 2)  # two where a window began in between


def test_case_B50_the_answer_is_the_same_whether_the_address_is_known(
    service: Service, browser: Browser, match_id: str
) -> None:
    known = browser.press(browser.get("/login"), "Send me the mail", email=address_of("Ann"))
    unknown = browser.press(browser.get("/login"), "Send me the mail", email=address_of("Zoe"))
    assert unknown.status == known.status == 200
    assert unknown.source.replace("zoe@", "ann@") == known.source
    assert len(letters(service, kind="login")) == 1
    wrong = [browser.post("/login/code", {"email": address_of(name), "code": "000000"}) for name in ("Ann", "Zoe")]
    assert wrong[0].source == wrong[1].source.replace("zoe@", "ann@")


def test_wrong_codes_are_counted_and_then_only_the_link_works(
    service: Service, site: Flask, browser: Browser, match_id: str
) -> None:
    asked(browser, "Ann")
    code = code_of(service, "Ann")
    wrong = "000000" if code != "000000" else "000001"
    for _ in range(10):
        assert WRONG in browser.post("/login/code", {"email": address_of("Ann"), "code": wrong}).text
    assert WRONG in browser.post("/login/code", {"email": address_of("Ann"), "code": code}).text
    url = url_in(mails(service, "Ann", "login")[0], "/login/")
    assert browser.press(browser.get(url), "Sign in on this device").headings[0] == "My matches"


def test_the_count_of_wrong_codes_begins_anew_after_a_day(service: Service, site: Flask, match_id: str) -> None:
    browser = Browser(site)
    asked(browser, "Ann")
    code = code_of(service, "Ann")
    wrong = "000000" if code != "000000" else "000001"
    for _ in range(10):
        browser.post("/login/code", {"email": address_of("Ann"), "code": wrong})
    service.clock.forward(25 * HOUR)
    asked(browser, "Ann")
    page = browser.post("/login/code", {"email": address_of("Ann"), "code": code_of(service, "Ann")})
    assert page.headings[0] == "My matches"


def test_whoever_asks_very_often_has_to_wait(browser: Browser) -> None:
    pages = [browser.post("/login", {"email": address_of("Zoe")}) for _ in range(31)]
    assert [page.status for page in pages] == [200] * 30 + [429]
    assert pages[-1].response.headers["Retry-After"]
    assert "Wait some minutes" in pages[-1].text


@pytest.mark.parametrize(
    "address",
    ["", "ann", "a b@x.example", "ann@", "@x.example", "ann\0@x.example", "ann@x.example\r\nBcc: eve@x.example"],
)
def test_what_is_no_address_is_said(service: Service, browser: Browser, address: str) -> None:
    page = browser.post("/login", {"email": address})
    assert page.status == 422
    assert browser.post("/login/code", {"email": address, "code": "123456"}).status == 422
    assert letters(service) == []


def test_with_open_signup_a_new_person_can_sign_in(database_url: str, tmp_path: Path) -> None:
    service = a_service(database_url, tmp_path, ESTAFETTE_OPEN_SIGNUP="true")
    browser = Browser(create_app(service))
    asked(browser, "Zoe")
    page = browser.post("/login/code", {"email": address_of("Zoe"), "code": code_of(service, "Zoe")})
    assert "Signed in as New player" in page.text
    service.close()


def test_signing_out_ends_the_session(service: Service, browser: Browser, match_id: str) -> None:
    sign_in(service, browser, "Ann")
    browser.press(browser.get("/me"), "Sign out")
    assert browser.get("/me").headings == ["Sign in"]


def test_the_session_holds_a_person_and_nothing_of_a_match(service: Service, browser: Browser, match_id: str) -> None:
    sign_in(service, browser, "Ann")
    with browser.client.session_transaction() as session:
        assert set(session) == {"_permanent", "device"}


def test_a_forged_session_is_nobodys(service: Service, browser: Browser, match_id: str) -> None:
    sign_in(service, browser, "Ann")
    cookie = browser.client.get_cookie("estafette")
    assert cookie is not None
    browser.client.set_cookie("estafette", cookie.value[:-2] + "xx")
    assert browser.get("/me").headings == ["Sign in"]


def test_sessions_survive_a_new_key_in_front(service: Service, browser: Browser, match_id: str, tmp_path: Path) -> None:
    sign_in(service, browser, "Ann")
    cookie = browser.client.get_cookie("estafette")
    assert cookie is not None
    url = service.settings.database_url
    rotated = a_service(url, tmp_path, ESTAFETTE_SECRET_KEYS=f"{'n' * 40},{'k' * 40}")
    later = Browser(create_app(rotated))
    later.client.set_cookie("estafette", cookie.value)
    assert later.get("/me").headings[0] == "Account"
    rotated.close()


# The account


@pytest.fixture
def ann(service: Service, browser: Browser, match_id: str) -> Browser:
    sign_in(service, browser, "Ann")
    return browser


def test_name_zone_and_mutes_are_kept(service: Service, ann: Browser) -> None:
    page = ann.press(ann.get("/me"), "Save", name="  Anna\u200b  Maria ", zone="Pacific/Kiritimati", mute_reminders="1")
    assert "Saved." in page.text
    fields = page.form(button="Save").fields
    assert fields["name"] == "Anna Maria"
    assert fields["zone"] == "Pacific/Kiritimati"
    assert fields["mute_reminders"] == "1"
    assert "mute_all" not in fields


def test_case_B49_times_are_shown_in_the_readers_zone_by_its_name(
    service: Service, ann: Browser, match_id: str
) -> None:
    ann.press(ann.get("/me"), "Save", zone="Pacific/Kiritimati")
    page = ann.get(service.links.move_url(link_of(service.matches, match_id)))
    assert "Line Islands" in page.text
    assert "UTC" not in page.text


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ({"zone": "Mars/Olympus"}, "no time zone that we know"),
        ({"zone": "../../etc/passwd"}, "no time zone that we know"),
        ({"name": " \u200b\u202e "}, "Give a name"),
        ({"name": ""}, "Give a name"),
    ],
)
def test_what_cannot_be_kept_is_said_and_the_form_stays(ann: Browser, typed: dict[str, str], said: str) -> None:
    page = ann.press(ann.get("/me"), "Save", **typed)
    assert page.status == 422
    assert said in page.text
    assert ann.get("/me").form(button="Save").fields["name"] == "Ann"


def test_a_language_that_there_is_not_leaves_what_was_chosen(ann: Browser) -> None:
    ann.post("/me", {"name": "Ann", "zone": "", "language": "nl"})
    ann.post("/me", {"name": "Ann", "zone": "", "language": "tlh"})
    assert '<html lang="nl"' in ann.get("/me").source


def test_a_name_of_300_letters_is_cut(ann: Browser) -> None:
    page = ann.press(ann.get("/me"), "Save", name="a" * 300)
    assert page.form(button="Save").fields["name"] == "a" * 40


def test_a_key_is_shown_once_and_can_be_revoked(service: Service, site: Flask, ann: Browser, match_id: str) -> None:
    page = ann.press(ann.get("/me/safety"), "Make a key")
    found = re.search(r"estafette-[\w-]{40,}", page.text)
    assert found is not None
    bearer = {"Authorization": f"Bearer {found[0]}"}
    assert found[0] not in ann.get("/me/safety").source
    assert Browser(site).get(f"/api/v1/games/{match_id}", **bearer).status == 200
    ann.press(ann.get("/me/safety"), "Revoke the key")
    assert Browser(site).get(f"/api/v1/games/{match_id}", **bearer).status == 401


def test_a_key_of_somebody_else_cannot_be_revoked(service: Service, site: Flask, ann: Browser) -> None:
    ann.press(ann.get("/me/safety"), "Make a key")
    with service.store.reading() as session:
        player = queries.players.by_address(session, address_of("Ann"))
        assert player is not None
        (key,) = queries.access.api_keys_of(session, player.id)
    ben = Browser(site)
    sign_in(service, ben, "Ben")
    ben.post(f"/me/keys/{key.id}/revoke")
    with service.store.reading() as session:
        assert len(queries.access.api_keys_of(session, player.id)) == 1


def test_making_all_links_invalid_ends_sessions_and_links_and_mails_what_is_open(
    service: Service, site: Flask, ann: Browser, match_id: str
) -> None:
    old = service.links.move_url(link_of(service.matches, match_id))
    page = ann.press(ann.get("/me/safety"), "Make all my links invalid")
    assert page.headings[0] == "All your links are invalid now"
    assert ann.get("/me").headings == ["Sign in"]
    assert Browser(site).get(old).headings == ["You no longer play here"]
    worker_of(service).tick()
    fresh = url_in(mails(service, "Ann", "turn")[-1], "/m/")
    assert fresh != old
    assert Browser(site).get(fresh).headings[0] == "Ann"


def test_an_address_that_could_not_be_reached_comes_back_with_one_click(
    service: Service, ann: Browser, match_id: str
) -> None:
    player_id, _ = service.matches.holder(match_id, 1)
    with service.store.writing() as session:
        queries.players.pause(session, player_id or "", why="no such mailbox", now=service.now())
    page = ann.get("/me")
    assert "Mails to your address come back, so we have stopped sending. The reason: no such mailbox." in page.text
    before = len(mails(service, "Ann", "turn"))
    page = ann.press(page, "My address works again")
    assert "We try again." in page.text
    assert "come back" not in page.text
    worker_of(service).tick()
    assert len(mails(service, "Ann", "turn")) == before + 1


def test_the_account_lists_the_mails_and_how_they_fared(service: Service, ann: Browser, match_id: str) -> None:
    page = ann.get("/me")
    assert f"turn, #{match_id}" in page.text
    assert "sent" in page.text


def test_without_a_session_nothing_of_the_account_can_be_changed(browser: Browser) -> None:
    for path in ("/me", "/me/again", "/me/keys", "/me/keys/xxxxxx/revoke", "/me/links"):
        assert browser.post(path, {"name": "Eve"}).status == 401


# Leaving mails


@pytest.mark.parametrize(
    ("scope", "words"),
    [("all", "Mails that you did not ask for"), ("reminders", "Reminders"), ("match", "Mails about")],
)
def test_leaving_shows_a_button_and_only_the_button_acts(
    service: Service, browser: Browser, match_id: str, scope: str, words: str
) -> None:
    player_id, _ = service.matches.holder(match_id, 1)
    assert player_id is not None
    url = service.links.unsubscribe_url(UnsubscribeLink(player_id, match_id if scope == "match" else scope))

    def muted() -> tuple[bool, bool, bool]:
        with service.store.reading() as session:
            player = queries.players.by_id(session, player_id)
            assert player is not None
            return player.mute_all, player.mute_reminders, queries.seats.of(session, match_id)[0].muted

    page = browser.get(url)
    assert words in page.text
    assert muted() == (False, False, False)
    for _ in range(2):
        assert browser.press(page, "Stop these mails").headings == ["Done"]
    assert muted() == (scope == "all", scope == "reminders", scope == "match")

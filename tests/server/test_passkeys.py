"""Passkeys: made on a device, used instead of a mail, and of no use in anybody else's hand."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from flask import Flask

from server import create_app
from server.service import Service
from tests.server.authenticator import Authenticator, b64
from tests.server.browsing import Browser, Page, sign_in
from tests.server.builders import a_match, a_service, mails, text_of, worker_of

HERE = "http://localhost:8025"
REFUSED = "This passkey could not be read"


@pytest.fixture
def service(database_url: str, tmp_path: Path) -> Iterator[Service]:
    """An instance with a name; a number can have no passkeys."""
    service = a_service(database_url, tmp_path, ESTAFETTE_PUBLIC_URL=HERE)
    yield service
    service.close()


@pytest.fixture
def ann(service: Service, site: Flask) -> Browser:
    a_match(service.matches, service.now())
    browser = Browser(site)
    sign_in(service, browser, "Ann")
    return browser


@pytest.fixture
def key() -> Authenticator:
    return Authenticator(HERE, "localhost")


def options_of(page: Page) -> str:
    found = re.search(r'data-options="([^"]*)"', page.source)
    assert found is not None
    return html.unescape(found[1])


def make(browser: Browser, key: Authenticator) -> Page:
    options = options_of(browser.get("/me/safety"))
    return browser.post("/me/passkeys", {"answer": key.made(options)})


def use(browser: Browser, key: Authenticator) -> Page:
    return browser.post("/login/passkey", {"answer": key.used(options_of(browser.get("/login")))})


def test_a_passkey_is_made_and_signs_in_on_its_own(
    service: Service, site: Flask, ann: Browser, key: Authenticator
) -> None:
    page = make(ann, key)
    assert "You can sign in with this passkey from now on." in page.text
    other = Browser(site)
    assert "Signed in as Ann" in use(other, key).text
    assert "Signed in as Ann" in use(Browser(site), key).text, "again and again"
    worker_of(service).tick()
    assert "A passkey was made" in text_of(mails(service, "Ann", "notice")[-1])


def test_a_page_of_passkeys_may_run_our_scripts_and_no_others(ann: Browser) -> None:
    for path in ("/login", "/me/safety"):
        page = ann.get(path)
        assert "script-src 'self'" in page.response.headers["Content-Security-Policy"]
        assert re.findall(r"<script[^>]*>", page.source) == ['<script src="/static/passkey.js" defer>']


def test_a_removed_passkey_is_nobodys(site: Flask, ann: Browser, key: Authenticator) -> None:
    page = make(ann, key)
    assert "The passkey does not work any more." in ann.press(page, "Remove").text
    page = use(Browser(site), key)
    assert page.status == 422
    assert "not known here any more" in page.text


def test_an_answer_counts_once(site: Flask, ann: Browser, key: Authenticator) -> None:
    make(ann, key)
    thief = Browser(site)
    answer = key.used(options_of(thief.get("/login")))
    assert "Signed in as Ann" in Browser(site).post("/login/passkey", {"answer": answer}).text
    assert REFUSED in thief.post("/login/passkey", {"answer": answer}).text
    assert thief.get("/games").headings == ["Sign in"]


def test_an_answer_that_comes_late_does_not_count(
    service: Service, site: Flask, ann: Browser, key: Authenticator
) -> None:
    make(ann, key)
    browser = Browser(site)
    answer = key.used(options_of(browser.get("/login")))
    service.clock.forward(timedelta(minutes=16))
    assert REFUSED in browser.post("/login/passkey", {"answer": answer}).text


def test_a_passkey_used_on_another_site_opens_nothing(site: Flask, ann: Browser, key: Authenticator) -> None:
    make(ann, key)
    key.origin = "http://evil.example"
    assert REFUSED in use(Browser(site), key).text


def test_a_device_that_does_not_ask_who_holds_it_is_not_enough(site: Flask, ann: Browser, key: Authenticator) -> None:
    make(ann, key)
    key.verified = False
    assert REFUSED in use(Browser(site), key).text


def test_a_copied_device_whose_count_stands_still_is_refused(site: Flask, ann: Browser, key: Authenticator) -> None:
    make(ann, key)
    use(Browser(site), key)
    key.uses = 0
    assert REFUSED in use(Browser(site), key).text


def test_a_signature_by_another_key_is_refused(site: Flask, ann: Browser, key: Authenticator) -> None:
    make(ann, key)
    forger = Authenticator(HERE, "localhost", id=key.id, uses=5)
    assert REFUSED in use(Browser(site), forger).text


def test_an_answer_to_our_question_of_another_is_refused(
    service: Service, site: Flask, ann: Browser, key: Authenticator
) -> None:
    ben = Browser(site)
    sign_in(service, ben, "Ben")
    answer = key.made(options_of(ann.get("/me/safety")))
    assert REFUSED in ben.post("/me/passkeys", {"answer": answer}).text


def test_a_passkey_can_be_of_one_person_only(service: Service, site: Flask, ann: Browser, key: Authenticator) -> None:
    make(ann, key)
    ben = Browser(site)
    sign_in(service, ben, "Ben")
    assert "known here already" in make(ben, key).text
    assert "Signed in as Ann" in use(Browser(site), key).text


@pytest.mark.parametrize(
    "answer",
    [
        *("", "null", "[]", "{}", "{", '{"id": 3}', "[" * 9000, "x" * 30_000, '{"id": "\\ud800"}'),
        json.dumps({"id": "a", "response": {"clientDataJSON": 7}}),
        json.dumps({"id": "a", "response": {"clientDataJSON": b64(b'{"challenge": "AAAA"}')}}),
        json.dumps({"id": "a", "response": {"clientDataJSON": b64(b'{"challenge": "' + b"_" * 52 + b'"}')}}),
    ],
)
def test_whatever_else_is_sent_is_refused_with_a_sentence(ann: Browser, answer: str) -> None:
    for path in ("/login/passkey", "/me/passkeys"):
        page = ann.post(path, {"answer": answer})
        assert page.status == 422
        assert REFUSED in page.text


def test_an_instance_that_is_reached_by_a_number_offers_none(database_url: str, tmp_path: Path) -> None:
    service = a_service(database_url, tmp_path)
    browser = Browser(create_app(service))
    a_match(service.matches, service.now())
    assert "passkey" not in browser.get("/login").text
    sign_in(service, browser, "Ann")
    assert "reached by a number" in browser.get("/me/safety").text
    service.close()

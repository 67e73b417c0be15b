"""What no page may do: trust a Host header, leak a token, run foreign code, show a trace or somebody's secret."""

from __future__ import annotations

import base64
import hashlib
import logging
import random
import re
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from flask import Flask

from db.turns import DatabaseBusy, DatabaseGone
from server import create_app, upkeep
from server.links import JoinLink, fingerprint
from server.matches import Frozen, Matches
from server.rules.hidden import Hidden
from server.service import Service
from tests.server.browsing import Browser, Page, sign_in, url_in
from tests.server.builders import (
    a_match,
    a_service,
    address_of,
    answers,
    link_of,
    mails,
    play_turn,
    worker_of,
)

EVIL = "evil.example"


@pytest.fixture
def match_id(service: Service) -> str:
    return a_match(service.matches, service.now())


@pytest.fixture
def address(service: Service, match_id: str) -> str:
    return service.links.move_url(link_of(service.matches, match_id))


# Headers


def test_every_page_forbids_scripts_framing_and_referrers(browser: Browser, address: str, match_id: str) -> None:
    for path in ("/", address, f"/g/{match_id}", "/login", "/me", "/nix", "/rules/crusade", "/healthz", "/mailbox"):
        headers = browser.get(path).response.headers
        policy = headers["Content-Security-Policy"]
        assert "default-src 'none'" in policy
        assert "script-src" not in policy
        assert "unsafe-inline" not in policy
        assert "frame-ancestors 'none'" in policy
        assert headers["Referrer-Policy"] == "no-referrer"
        assert headers["X-Content-Type-Options"] == "nosniff"


def test_private_pages_are_not_stored(browser: Browser, address: str, match_id: str) -> None:
    for path in ("/", address, f"{address}?move=take+1L", f"/g/{match_id}", "/games", "/me", "/m/nonsense"):
        assert browser.get(path).response.headers["Cache-Control"] == "no-store"


def test_the_one_style_in_a_page_is_the_allowed_one(browser: Browser) -> None:
    page = browser.get("/")
    (style,) = re.findall(r"<style>(.*?)</style>", page.source, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    assert f"'sha256-{digest}'" in page.response.headers["Content-Security-Policy"]
    assert " style=" not in page.source


def test_every_page_names_its_language_and_lets_people_zoom(browser: Browser, address: str) -> None:
    for path in ("/", address, "/login", "/nix"):
        source = browser.get(path).source
        assert '<html lang="en">' in source
        assert 'content="width=device-width, initial-scale=1"' in source


# B19: the Host header


EVIL_HEADERS = [
    {"Host": EVIL},
    {"Host": f"127.0.0.1:8025@{EVIL}"},
    {"X-Forwarded-Host": EVIL},
    {"X-Forwarded-Proto": "https", "X-Forwarded-Host": EVIL},
    {"Forwarded": f"host={EVIL};proto=https"},
]


@pytest.mark.parametrize("headers", EVIL_HEADERS)
def test_case_B19_no_request_puts_a_foreign_host_into_a_mail_a_page_or_a_redirect(
    service: Service, site: Flask, match_id: str, address: str, headers: dict[str, str]
) -> None:
    invited = a_match(service.matches, service.now(), people=("Cat", "Dan"), start=False)
    browser = Browser(site)
    page = browser.get(address)
    fields = page.form(field="once").fields | {"move": page.offers()[0], "confirm": "1"}
    evil = site.test_client()
    responses = [
        evil.get("/", headers=headers),
        evil.post(address.partition("8025")[2], data=fields, headers=headers),
        evil.post(address.partition("8025")[2] + "/fresh", headers=headers),
        evil.post("/login", data={"email": address_of("Ann")}, headers=headers),
        evil.post(service.links.join_url(JoinLink(invited, 1, 1)).partition("8025")[2], headers=headers),
        evil.get("/api/v1/openapi.json", headers=headers),
    ]
    assert all(response.status_code in (200, 303, 400) for response in responses)
    if headers.get("Host"):
        assert {response.status_code for response in responses} == {400}
    worker_of(service).tick()
    for response in responses:
        assert EVIL not in response.get_data(as_text=True)
        assert EVIL not in str(response.headers)
    for mail in mails(service):
        assert EVIL not in mail.as_string()
        assert "http://127.0.0.1:8025/" in mail.as_string()


def behind_a_proxy(database_url: str, folder: Path, **more: str) -> Service:
    return a_service(
        database_url, folder, ESTAFETTE_PUBLIC_URL="https://play.example", ESTAFETTE_TRUSTED_PROXIES="1", **more
    )


def test_case_B19_behind_one_proxy_its_header_counts_and_a_foreign_host_is_refused(
    database_url: str, tmp_path: Path
) -> None:
    service = behind_a_proxy(database_url, tmp_path)
    site = create_app(service)
    client = site.test_client()
    assert client.get("/", headers={"Host": "play.example"}).status_code == 200
    assert client.get("/", headers={"Host": "web:8000", "X-Forwarded-Host": "play.example"}).status_code == 200
    assert client.get("/", headers={"Host": "play.example", "X-Forwarded-Host": EVIL}).status_code == 400
    assert client.get("/", headers={"Host": "web:8000"}).status_code == 400
    assert client.get("/", headers={"Host": "localhost:8025"}).status_code == 200
    service.close()


def test_behind_https_the_session_cookie_travels_by_https_alone(database_url: str, tmp_path: Path) -> None:
    service = behind_a_proxy(database_url, tmp_path)
    a_match(service.matches, service.now())
    browser = Browser(create_app(service), Host="play.example", **{"X-Forwarded-Proto": "https"})
    browser.post("/login", {"email": address_of("Ann")})
    worker_of(service).tick()
    url = url_in(mails(service, "Ann", "login")[0], "/login/")
    assert url.startswith("https://play.example/login/")
    response = browser.client.post(url.partition("play.example")[2], headers=browser.others)
    assert "Secure" in response.headers["Set-Cookie"]
    service.close()


@pytest.mark.parametrize("stripped", [True, False])
def test_the_site_works_under_a_path_of_the_public_address(database_url: str, tmp_path: Path, stripped: bool) -> None:
    service = a_service(database_url, tmp_path, ESTAFETTE_PUBLIC_URL="https://play.example/games-by-mail")
    match_id = a_match(service.matches, service.now())
    client = create_app(service).test_client()
    url = service.links.move_url(link_of(service.matches, match_id))
    assert url.startswith("https://play.example/games-by-mail/m/")
    path = url.partition("play.example")[2].removeprefix("/games-by-mail" if stripped else "")
    source = client.get(path).get_data(as_text=True)
    assert f'action="{url.partition("play.example")[2]}"' in source
    assert f'href="/games-by-mail/g/{match_id}"' in source
    service.close()


# B36: tokens


def test_case_B36_no_token_reaches_a_log(
    service: Service, site: Flask, match_id: str, address: str, caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    site.testing = False
    token = address.rpartition("/")[2]
    browser = Browser(site)
    with caplog.at_level(logging.DEBUG):
        browser.get(address)
        browser.get(address[:-1])
        browser.post(address, {"move": "nonsense", "once": ""})
        monkeypatch.setattr(Matches, "view", broken)
        page = browser.get(address)
    assert page.status == 500
    assert "This is our mistake" in page.text
    assert token not in page.source
    logged = caplog.text
    assert token not in logged
    assert token[:-1] not in logged
    assert fingerprint(token) in logged


def broken(*_arguments: Any, **_more: Any) -> Any:
    raise RuntimeError("a mistake of ours")


def test_case_B36_no_page_takes_anything_from_elsewhere(browser: Browser, address: str, match_id: str) -> None:
    for path in ("/", address, f"{address}?move=take+1L", f"/g/{match_id}", "/login"):
        page = browser.get(path)
        assert not re.search(r'(?:src|href|action)="(?:https?:)?//(?!127\.0\.0\.1:8025/)', page.source)
        assert address.rpartition("/")[2] not in page.title


def test_case_B36_once_the_turn_is_over_the_address_alone_shows_nothing_private(
    service: Service, browser: Browser, match_id: str, address: str
) -> None:
    play_turn(service.matches, match_id, service.now(), 1)
    page = browser.get(address)
    assert "Tiles:" not in page.text
    assert page.headings[0] == "This decision was taken"


# Secrets


def swap_what_is_unseen_by(service: Service, match_id: str, viewer: int | None) -> int:
    """Deal anew, in memory, what the viewer has not seen; how many things are another now."""
    secrets = service.matches.plays._plays[match_id][1].table.secrets
    groups: dict[str, list[Hidden[Any]]] = {}
    for secret in secrets:
        if not secret.known_to(viewer):
            groups.setdefault(secret.group, []).append(secret)
    swapped = 0
    for group in groups.values():
        fronts = [secret.front for secret in group]
        for secret, front in zip(group, fronts[1:] + fronts[:1], strict=True):
            swapped += secret.front != front
            secret.front = front
    return swapped


@pytest.mark.parametrize(("game", "people"), [("regions", 2), ("intrigues", 3), ("crusade", 3)])
def test_case_B05_no_page_depends_on_what_its_reader_has_not_seen(
    service: Service, site: Flask, game: str, people: int
) -> None:
    names = ("Ann", "Ben", "Cat")[:people]
    match_id = a_match(service.matches, service.now(), game=game, people=names)
    luck = random.Random(5)
    signed_in = Browser(site)
    sign_in(service, signed_in, "Ben")
    swapped = 0
    for _ in range(25):
        seat = service.matches.view(match_id, None).waiting_for[0].number
        service.matches.play(
            link_of(service.matches, match_id, seat),
            luck.choice(answers(service.matches, match_id, seat)),
            now=service.now(),
        )
        for viewer, device in ((2, signed_in), (None, Browser(site))):
            addresses = [f"/g/{match_id}"]
            link = service.matches.link_of(match_id, 2)
            if viewer and link:
                address = service.links.move_url(link)
                move = answers(service.matches, match_id, 2)[0]
                addresses += [address, f"{address}?move=nonsense"]
                if not service.matches.preview(link, move)[1].shows:
                    addresses.append(f"{address}?move={quote(move)}")
            before = [without_marks(device.get(each)) for each in addresses]
            swapped += swap_what_is_unseen_by(service, match_id, viewer)
            assert [without_marks(device.get(each)) for each in addresses] == before
            service.matches.plays.forget(match_id)
    assert swapped > 0


def without_marks(page: Page) -> str:
    return re.sub(r'name="once" value="[^"]*"', "", page.source)


def test_case_B05_the_seed_is_on_no_page(service: Service, site: Flask, match_id: str, address: str) -> None:
    seed = service.matches.status(match_id).seed
    play_turn(service.matches, match_id, service.now(), 1)
    for path in (f"/g/{match_id}", f"/g/{match_id}?at=1", f"/g/{match_id}/record", address):
        assert seed not in Browser(site).get(path).source


# Errors


@pytest.mark.parametrize(
    ("error", "status", "said"),
    [
        (DatabaseBusy("busy"), 503, "The server is busy"),
        (DatabaseGone(), 503, "The server is busy"),
        (Frozen("why it is"), 503, "the operator has been told"),
    ],
)
def test_trouble_is_a_sentence(
    site: Flask, address: str, monkeypatch: pytest.MonkeyPatch, error: Exception, status: int, said: str
) -> None:
    def fail(*_arguments: Any, **_more: Any) -> Any:
        raise error

    monkeypatch.setattr(Matches, "standing", fail)
    page = Browser(site).get(address)
    assert page.status == status
    assert said in page.text
    assert "why it is" not in page.text
    if not isinstance(error, Frozen):
        assert int(page.response.headers["Retry-After"]) > 0


def test_a_wrong_method_is_refused_with_the_right_ones(browser: Browser, address: str) -> None:
    response = browser.client.delete(address.partition("8025")[2])
    assert response.status_code == 405
    assert {"GET", "POST"} <= set(response.headers["Allow"].replace(" ", "").split(","))
    assert "<h1>Not like this</h1>" in response.get_data(as_text=True)


def test_a_form_that_is_too_large_is_refused(service: Service, browser: Browser, match_id: str, address: str) -> None:
    page = browser.post(address, {"move": "x" * 300_000})
    assert page.status == 413
    assert "more than fits" in page.text


def test_a_page_that_is_none_does_not_repeat_what_was_asked_for(browser: Browser) -> None:
    page = browser.get("/<script>alert(1)</script>")
    assert page.status == 404
    assert "alert" not in page.source


def test_case_B34_names_with_signs_are_shown_as_they_are(service: Service, browser: Browser) -> None:
    name = 'O\'Brien & "Søn" <3 🐎'
    match_id = a_match(service.matches, service.now(), people=("Ann", "Ben"))
    upkeep.replace(service.matches, match_id, 1, name=name, email=address_of("Cat"), now=service.now(), who="operator")
    page = browser.get(service.links.move_url(link_of(service.matches, match_id)))
    assert page.headings[0] == name
    assert page.title.startswith(name)
    assert "&amp;amp;" not in page.source
    assert "&amp;#" not in page.source
    assert "<3" not in page.source

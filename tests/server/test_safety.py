"""Where somebody is signed in, all that is kept about them, and leaving for good."""

from __future__ import annotations

import json
from datetime import timedelta

import pytest
from flask import Flask
from sqlalchemy import select

from db import queries
from db.models import Row
from server.devices import about
from server.inbound import take_in
from server.service import Service
from tests.server.browsing import Browser, sign_in
from tests.server.builders import a_match, address_of, link_of, mails, play_turn, worker_of
from tests.stories.mail_programs import reply

PHONE = "Mozilla/5.0 (Android 14; Mobile; rv:131.0) Gecko/131.0 Firefox/131.0"
LAPTOP = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Safari/537.36"


@pytest.fixture
def match_id(service: Service) -> str:
    return a_match(service.matches, service.now())


@pytest.fixture
def phone(service: Service, site: Flask, match_id: str) -> Browser:
    browser = Browser(site, **{"User-Agent": PHONE})
    sign_in(service, browser, "Ann")
    return browser


@pytest.fixture
def laptop(service: Service, site: Flask, phone: Browser) -> Browser:
    service.clock.forward(timedelta(minutes=10))
    browser = Browser(site, **{"User-Agent": LAPTOP})
    sign_in(service, browser, "Ann")
    return browser


@pytest.mark.parametrize(
    ("agent", "told"),
    [
        (PHONE, "Firefox, Android"),
        (LAPTOP, "Chrome, Linux"),
        ("Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) Version/17.5 Mobile/15E148 Safari/604.1",
         "Safari, iPhone"),
        ("Mozilla/5.0 (Windows NT 10.0; Win64; x64) Chrome/130.0.0.0 Safari/537.36 Edg/130.0", "Edge, Windows"),
        ("<script>alert(1)</script>", ""),
        ("", ""),
    ],
)  # fmt: skip
def test_a_browser_is_told_in_words_that_its_owner_knows(agent: str, told: str) -> None:
    assert about(agent) == told


def test_every_place_of_signing_in_is_listed_and_can_be_ended(phone: Browser, laptop: Browser) -> None:
    page = laptop.get("/me/safety")
    assert "Chrome, Linux (this one)" in page.text
    assert "Firefox, Android" in page.text
    assert "Signed out there." in laptop.press(page, "Sign out there").text
    assert phone.get("/me").headings == ["Sign in"]
    assert "Firefox" not in laptop.get("/me/safety").text


def test_all_others_are_ended_at_once(phone: Browser, laptop: Browser) -> None:
    phone.press(phone.get("/me/safety"), "Sign out everywhere else")
    assert laptop.get("/me").headings == ["Sign in"]
    assert phone.get("/me").headings[0] == "Account"


def test_nobody_ends_what_is_another_persons(service: Service, site: Flask, phone: Browser) -> None:
    ben = Browser(site)
    sign_in(service, ben, "Ben")
    form = phone.get("/me/safety").form(button="Sign out here")
    ((name, device, _),) = form.buttons
    ben.post("/me/devices/end", {name: device})
    assert phone.get("/me").headings[0] == "Account"


def test_a_cookie_that_was_signed_out_is_nobodys(phone: Browser) -> None:
    cookie = phone.client.get_cookie("estafette")
    assert cookie is not None
    phone.press(phone.get("/me"), "Sign out")
    phone.client.set_cookie("estafette", cookie.value)
    assert phone.get("/me").headings == ["Sign in"]


def test_signing_in_as_another_ends_the_first_there(service: Service, phone: Browser, match_id: str) -> None:
    sign_in(service, phone, "Ben")
    with service.store.reading() as session:
        ann = queries.players.by_address(session, address_of("Ann"))
        assert ann is not None
        assert queries.access.devices_of(session, ann.id) == []


def test_it_is_told_when_a_device_was_seen_last_to_the_day(service: Service, phone: Browser) -> None:
    def seen() -> object:
        with service.store.reading() as session:
            ann = queries.players.by_address(session, address_of("Ann"))
            assert ann is not None
            return queries.access.devices_of(session, ann.id)[0].seen_at

    first = seen()
    phone.get("/me")
    assert seen() == first
    service.clock.forward(timedelta(hours=25))
    phone.get("/me")
    assert seen() != first


def test_after_ninety_days_one_signs_in_anew(service: Service, phone: Browser) -> None:
    service.clock.forward(timedelta(days=91))
    assert phone.get("/me").headings == ["Sign in"]
    worker_of(service).do("tidy")
    with service.store.reading() as session:
        ann = queries.players.by_address(session, address_of("Ann"))
        assert ann is not None
        assert queries.access.devices_of(session, ann.id) == []


# One's data


def test_all_that_is_kept_about_a_person_can_be_had_as_a_file(service: Service, phone: Browser, match_id: str) -> None:
    play_turn(service.matches, match_id, service.now(), 1)
    response = phone.get("/me/data").response
    assert response.headers["Content-Disposition"] == 'attachment; filename="estafette-my-data.json"'
    told = json.loads(response.get_data())
    assert told["player"][0]["email"] == address_of("Ann")
    assert [seat["match_id"] for seat in told["seat"]] == [match_id]
    assert [move["text"] for move in told["move"]][-1] == "end"
    assert told["device"][0]["about"] == "Firefox, Android"
    assert "turn" in {letter["kind"] for letter in told["letter"]}


def test_the_file_has_no_secret_of_the_match_and_nobody_elses_data(
    service: Service, site: Flask, phone: Browser
) -> None:
    with service.store.reading() as session:
        ann = queries.players.by_address(session, address_of("Ann"))
        assert ann is not None
    hosted = a_match(service.matches, service.now(), host=ann.id)
    play_turn(service.matches, hosted, service.now(), 1)
    play_turn(service.matches, hosted, service.now(), 2)
    phone.press(phone.get("/me/safety"), "Make a key")
    source = phone.get("/me/data").source
    with service.store.reading() as session:
        match = queries.matches.by_id(session, hosted)
        assert match is not None
        assert hosted in source
        assert match.seed not in source
    assert "ben@" not in source
    told = json.loads(source)
    for secret in ("seed", "digest", "key_hash", "public_key"):
        assert not [table for table, rows in told.items() if isinstance(rows, list) and any(secret in r for r in rows)]
    assert {move["seat"] for move in told["move"]} == {1}


def test_every_table_that_points_to_people_is_in_the_file(phone: Browser) -> None:
    told = json.loads(phone.get("/me/data").source)
    pointing = {
        table.name
        for table in Row.metadata.sorted_tables
        if any(key.column.table.name == "player" for key in table.foreign_keys)
    }
    assert pointing <= set(told)


# Leaving for good


def test_whoever_leaves_is_nowhere_any_more_and_the_house_plays_on(
    service: Service, phone: Browser, match_id: str
) -> None:
    worker_of(service).tick()
    take_in(service, reply(mails(service, "Ann", "turn")[0], "take 1L").raw, now=service.now())
    worker_of(service).tick()
    phone.press(phone.get("/me/safety"), "Make a key")
    old = service.links.move_url(link_of(service.matches, match_id))
    page = phone.get("/me/safety")
    page = phone.press(phone.get(page.link("Delete my account")), "Delete my account", email=" ANN@Players.example")
    assert page.headings == ["You are forgotten here"]
    assert phone.get("/me").headings == ["Sign in"]
    assert phone.get(old).headings == ["You no longer play here"]
    worker_of(service).tick()
    view = service.matches.view(match_id, None)
    assert view.seats[0].house
    assert view.version > 1, "the house has moved"
    assert "ann@" not in everything(service).casefold()


def test_nobody_leaves_by_a_slip(service: Service, phone: Browser) -> None:
    page = phone.post("/me/leave", {"email": address_of("Ben")})
    assert page.status == 422
    assert "This is not the address of your account." in page.text
    assert phone.get("/me").headings[0] == "Account"


def test_the_address_of_somebody_forgotten_begins_anew(service: Service, phone: Browser, match_id: str) -> None:
    phone.post("/me/leave", {"email": address_of("Ann")})
    a_match(service.matches, service.now())
    with service.store.reading() as session:
        ann = queries.players.by_address(session, address_of("Ann"))
        assert ann is not None
        assert [match.id for match, _ in queries.matches.of_player(session, ann.id)] != [match_id]


def everything(service: Service) -> str:
    """All rows of all tables, as text."""
    with service.store.reading() as session:
        connection = session.connection()
        rows = [row for table in Row.metadata.sorted_tables for row in connection.execute(select(table))]
    return "\n".join(str([c.decode("latin-1") if isinstance(c, bytes) else c for c in row]) for row in rows)

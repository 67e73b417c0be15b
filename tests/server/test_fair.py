"""Fair shuffles as players meet them: the seal before they sit, words of their own, and the check after the end."""

from __future__ import annotations

import hashlib
import json
from datetime import datetime
from pathlib import Path

import pytest
from flask import Flask

from db import queries
from server import beginning, lobby
from server.beginning import SeatWish, Wish
from server.links import JoinLink
from server.service import Service
from tests.rules import fair_check
from tests.server.browsing import Browser, Page, sign_in, url_in
from tests.server.builders import a_match, address_of, mails, play_to_the_end, text_of, worker_of
from tests.server.commands import Commands


@pytest.fixture
def match_id(service: Service) -> str:
    """Ann and Ben are invited, and nobody has accepted."""
    return a_match(service.matches, service.now(), options={"short": True}, start=False)


def invitation(service: Service, name: str) -> str:
    worker_of(service).tick()
    return url_in(mails(service, name, "invitation")[-1], "/join/")


def accept(service: Service, browser: Browser, name: str, word: str) -> Page:
    page = browser.get(invitation(service, name))
    assert page.form(button="Yes, I play").fields["word"] == ""
    return browser.press(page, "Yes, I play", word=word)


def started(service: Service, name: str) -> str:
    worker_of(service).tick()
    return text_of(mails(service, name, "started")[-1])


def test_words_of_the_players_are_mixed_in_mailed_and_checked_in_the_end(
    service: Service, browser: Browser, match_id: str, tmp_path: Path, estafette: Commands
) -> None:
    seal = service.matches.status(match_id).commitment
    before = browser.get(f"/g/{match_id}/fair").text
    assert seal in before
    assert "whoever knows it and gives the last word can try words until the shuffles please" in before
    accept(service, browser, "Ann", "rhubarb")
    assert "rhubarb" not in browser.get(f"/g/{match_id}").source + browser.get(f"/g/{match_id}/fair").source
    accept(service, browser, "Ben", '"7" <ø>')
    for name in ("Ann", "Ben"):
        told = started(service, name)
        assert seal in told
        assert "Ann added a word to the seed: “rhubarb”" in told
        assert 'Ben added a word to the seed: “"7" <ø>”' in told
    page = browser.get(f"/g/{match_id}/fair")
    assert "<bdi>rhubarb</bdi>" in page.source
    assert "&lt;ø&gt;" in page.source
    seed = service.matches.status(match_id).seed
    assert seed not in page.source
    play_to_the_end(service.matches, match_id, service.now())
    page = browser.get(f"/g/{match_id}/fair")
    assert "The seed fits the seal." in page.text
    assert "Whoever knew the seed, as the operator could, and gave the last word" in page.text
    assert seed in page.text
    assert hashlib.sha256(seed.encode()).hexdigest() == seal
    record = browser.get(page.link("Take the record")).response.get_json()
    assert record["words"] == ["rhubarb", '"7" <ø>']
    assert fair_check.fair(record)
    file = tmp_path / "record.json"
    file.write_text(json.dumps(record), encoding="utf-8")
    assert estafette("check-record", str(file)).status == 0


def test_a_word_can_be_changed_until_the_match_begins_and_not_after(
    service: Service, browser: Browser, match_id: str
) -> None:
    address = invitation(service, "Ann")
    accept(service, browser, "Ann", "rhubarb")
    page = browser.get(address)
    assert page.form(button="Keep this word").fields["word"] == "rhubarb"
    page = browser.press(page, "Keep this word", word="medlar")
    assert page.form(field="word").fields["word"] == "medlar"
    accept(service, browser, "Ben", "")
    assert "Ann added a word to the seed: “medlar”" in started(service, "Ben")
    assert "Ben added" not in started(service, "Ben")
    refused = browser.post(f"{address}/word", {"word": "quince"})
    assert (refused.status, refused.headings[0]) == (422, "Too late")
    assert service.matches.record(match_id)["words"] == ["medlar", None]


def test_the_host_who_has_a_seat_adds_a_word_on_the_page_of_the_match(service: Service, site: Flask) -> None:
    a_match(service.matches, service.now())
    browser = Browser(site)
    sign_in(service, browser, "Ann")
    with service.store.reading() as session:
        ann = queries.players.by_address(session, address_of("Ann"))
    assert ann is not None
    wish = Wish("regions", [SeatWish("Ann", address_of("Ann")), SeatWish("Ben", address_of("Ben"))])
    match_id = beginning.create(service.matches, wish, host=ann.id, now=service.now())
    page = browser.press(browser.get(f"/g/{match_id}"), "Keep this word", word="rhubarb")
    assert "Your word is kept" in page.text
    assert page.form(button="Keep this word").fields["word"] == "rhubarb"
    other = Browser(site)
    assert other.post(f"/g/{match_id}/word", {"word": "x"}).status == 401
    sign_in(service, other, "Ben")
    assert "You have no seat" in other.post(f"/g/{match_id}/word", {"word": "x"}).text


def test_a_word_goes_when_its_holder_goes_before_the_start(service: Service, browser: Browser) -> None:
    now = service.now()
    match_id = a_match(service.matches, now, people=("Ann", "Ben", "Cat"), start=False)
    accept(service, browser, "Ann", "rhubarb")
    with service.store.reading() as session:
        ann = queries.players.by_address(session, address_of("Ann"))
    assert ann is not None
    lobby.leave(service.matches, match_id, ann.id, now=now)
    accept(service, browser, "Ben", "medlar")
    lobby.begin(service.matches, match_id, now=now, who="host")
    assert service.matches.record(match_id)["words"] == [None, "medlar", None]


def test_a_match_that_starts_at_once_has_no_words_and_its_seed_is_the_sealed_one(
    service: Service, browser: Browser, now: datetime
) -> None:
    match_id = a_match(service.matches, now)
    assert "No player added a word" in browser.get(f"/g/{match_id}/fair").text
    assert "words" not in service.matches.record(match_id)
    play_to_the_end(service.matches, match_id, now)
    assert fair_check.fair(service.matches.record(match_id))


def test_a_link_to_another_seat_or_an_older_holders_adds_no_word(
    service: Service, browser: Browser, match_id: str
) -> None:
    accept(service, browser, "Ann", "rhubarb")
    for link in (JoinLink(match_id, 1, 7), JoinLink(match_id, 2, 1)):
        browser.post(service.links.join_url(link) + "/word", {"word": "x"})
    accept(service, browser, "Ben", "")
    assert service.matches.record(match_id)["words"] == ["rhubarb", None]

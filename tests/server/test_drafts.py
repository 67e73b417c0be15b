"""A move kept for later: it waits on the page of its decision, for its player alone, and nothing plays it."""

from __future__ import annotations

from datetime import datetime

import pytest
from flask import Flask

from db import queries
from server import drafts
from server.links import MoveLink
from server.matches import NotYours
from server.service import Service
from tests.server.browsing import Browser, Page
from tests.server.builders import link_of, play_first, play_turn, worker_of

KEPT = "Kept for later, and seen by nobody else: Take"


@pytest.fixture
def now(service: Service) -> datetime:
    return service.now()


def move_page(service: Service, match_id: str, seat: int = 1) -> str:
    return service.links.move_url(link_of(service.matches, match_id, seat))


def keep(service: Service, browser: Browser, match_id: str, move: str = "take 1L") -> Page:
    asked = browser.press(browser.get(move_page(service, match_id)), "Look at it first", move=move)
    return browser.press(asked, "Not yet: keep it for later")


def test_a_move_kept_for_later_waits_on_the_page_and_is_not_played(
    service: Service, site: Flask, browser: Browser, match_id: str
) -> None:
    assert KEPT in keep(service, browser, match_id).text
    worker_of(service).tick()
    assert service.matches.view(match_id, None).version == 0
    later = Browser(site).get(move_page(service, match_id))
    assert KEPT in later.text
    assert later.text.index("Your choices") < later.text.index(KEPT) < later.text.index("Cards score by majority")
    asked = browser.press(later, "Look at it again")
    assert asked.headings[1] == "Play this?"
    assert "from 1L" in asked.text
    browser.press(asked, "Yes, play it")
    assert service.matches.view(match_id, None).version >= 1


def test_one_is_kept_and_it_can_be_forgotten(service: Service, browser: Browser, match_id: str) -> None:
    keep(service, browser, match_id)
    page = keep(service, browser, match_id, "take 2R")
    assert "from 2R" in page.text.partition("Look at it again")[0].partition("Kept for later")[2]
    assert "Kept for later" not in browser.press(page, "Forget it").text
    assert "Kept for later" not in browser.get(move_page(service, match_id)).text


def test_a_kept_move_is_for_its_decision_alone(
    service: Service, browser: Browser, match_id: str, now: datetime
) -> None:
    keep(service, browser, match_id)
    play_turn(service.matches, match_id, now)
    play_turn(service.matches, match_id, now, 2)
    assert "Kept for later" not in browser.get(move_page(service, match_id)).text


def test_nobody_else_sees_a_kept_move(service: Service, browser: Browser, match_id: str, now: datetime) -> None:
    keep(service, browser, match_id)
    assert "Kept for later" not in browser.get(f"/g/{match_id}").text
    ann, ben = link_of(service.matches, match_id), MoveLink(match_id, 2, 1, 1)
    with pytest.raises(NotYours):
        drafts.keep(service.matches, MoveLink(ann.match, ann.seat, ann.asked, ann.tenure + 1), "", stamp="1-0", now=now)
    stamp = service.matches.view(match_id, 1).decision.stamp  # type: ignore[union-attr]
    holder = service.matches.holder(ben.match, ben.seat)[0]
    assert holder is not None
    assert drafts.kept(service.store, match_id, holder, stamp) is None


def test_what_is_no_legal_move_is_not_kept(service: Service, browser: Browser, match_id: str, now: datetime) -> None:
    address = move_page(service, match_id)
    once = browser.get(address).form(field="once").fields["once"]
    for move in ("take 9L", "<b>", "x" * 5000):
        assert browser.post(f"{address}/draft", {"move": move, "once": once}).status == 422
    assert browser.post(f"{address}/draft", {"move": "take 1L", "once": "x"}).status == 409
    play_first(service.matches, match_id, now, 1, "take")
    assert browser.post(f"{address}/draft", {"move": "take 1L", "once": once}).status in (409, 422)
    assert "Kept for later" not in browser.get(address).text


def test_whoever_is_forgotten_has_kept_nothing(
    service: Service, browser: Browser, match_id: str, now: datetime
) -> None:
    keep(service, browser, match_id)
    player_id = service.matches.holder(match_id, 1)[0]
    assert player_id is not None
    with service.store.reading() as session:
        assert [row["text"] for row in queries.privacy.everything_about(session, player_id)["draft"]] == ["take 1L"]
    with service.store.writing() as session:
        queries.privacy.forget(session, player_id, now)
    with service.store.reading() as session:
        assert queries.privacy.everything_about(session, player_id)["draft"] == []

"""A person's deadlines in a calendar and in a feed reader, behind an address that can be made invalid."""

from __future__ import annotations

from datetime import timedelta
from xml.etree import ElementTree

import pytest
from icalendar import Calendar

from db import queries
from server import beginning, feeds
from server.beginning import SeatWish, Wish
from server.service import Service
from tests.server.browsing import Browser
from tests.server.builders import address_of, link_of, play_to_the_end, play_turn

ATOM = "{http://www.w3.org/2005/Atom}"


@pytest.fixture
def address(service: Service, match_id: str) -> str:
    with service.store.reading() as session:
        player = queries.players.by_address(session, address_of("Ann"))
    assert player is not None
    return feeds.address_of(service, player)


def events(browser: Browser, address: str) -> list[dict[str, object]]:
    response = browser.get(f"{address}/calendar.ics").response
    assert response.content_type == "text/calendar; charset=utf-8"
    found = Calendar.from_ical(response.get_data())
    return [dict(event) for event in found.walk("VEVENT")]


def entries(browser: Browser, address: str) -> list[ElementTree.Element]:
    response = browser.get(f"{address}/news.atom").response
    assert response.content_type == "application/atom+xml; charset=utf-8"
    feed = ElementTree.fromstring(response.get_data())
    for wanted in ("id", "title", "updated", "author", "link"):
        assert feed.find(ATOM + wanted) is not None, "RFC 4287"
    found = feed.findall(f"{ATOM}entry")
    for entry in found:
        assert all(entry.find(ATOM + wanted) is not None for wanted in ("id", "title", "updated", "link", "summary"))
    return found


def test_the_account_page_has_the_addresses(ann: Browser, address: str) -> None:
    page = ann.get(ann.get("/me").link("Calendar, feed"))
    assert f'value="{address}/calendar.ics"' in page.source
    assert f'value="{address}/news.atom"' in page.source
    assert page.link("Put it into my calendar").startswith("webcal://127.0.0.1:8025/feed/")


def test_the_calendar_has_the_moment_at_which_time_is_up(
    service: Service, browser: Browser, address: str, match_id: str
) -> None:
    (event,) = events(browser, address)
    view = service.matches.view(match_id, 1)
    assert view.me is not None
    assert view.me.due_at is not None
    assert event["DTSTART"].dt == view.me.due_at.replace(microsecond=0)  # type: ignore[attr-defined]
    assert str(event["SUMMARY"]) == "Richelieu (2003): your decision"
    play_turn(service.matches, match_id, service.now())
    assert events(browser, address) == []


def test_a_match_that_begins_on_a_date_is_in_the_calendar(
    service: Service, browser: Browser, address: str, match_id: str
) -> None:
    now = service.now()
    host, _ = service.matches.holder(match_id, 1)
    wish = Wish("crusade", [SeatWish("Ann", address_of("Ann")), SeatWish(free=True), SeatWish(free=True)],
                starts_at=now + timedelta(days=2))  # fmt: skip
    beginning.create(service.matches, wish, host=host, now=now)
    assert "Richard I: the match begins" in {str(event["SUMMARY"]) for event in events(browser, address)}


def test_the_feed_has_open_decisions_and_what_ended(
    service: Service, browser: Browser, address: str, match_id: str
) -> None:
    (entry,) = entries(browser, address)
    assert entry.findtext(f"{ATOM}title") == "Richelieu (2003): your decision"
    play_to_the_end(service.matches, match_id, service.now())
    (entry,) = entries(browser, address)
    assert entry.findtext(f"{ATOM}title") == "Richelieu (2003): the match is over"
    service.clock.forward(timedelta(days=31))
    assert entries(browser, address) == []


def test_nothing_in_a_feed_lets_anybody_play(service: Service, browser: Browser, address: str, match_id: str) -> None:
    token = service.links.move_url(link_of(service.matches, match_id)).rpartition("/")[2]
    for kind in ("calendar.ics", "news.atom"):
        source = browser.get(f"{address}/{kind}").source.replace("\r\n ", "")
        assert f"/g/{match_id}" in source
        assert token not in source
        assert "/m/" not in source
        assert "@players.example" not in source


def test_making_all_links_invalid_ends_the_address(
    service: Service, browser: Browser, ann: Browser, address: str
) -> None:
    ann.press(ann.get("/me/safety"), "Make all my links invalid")
    for kind in ("calendar.ics", "news.atom"):
        assert browser.get(f"{address}/{kind}").status == 404


@pytest.mark.parametrize("token", ["x", "a" * 200, "..", "kpqws8-1"])
def test_an_address_that_is_none_is_not_found(browser: Browser, token: str) -> None:
    assert browser.get(f"/feed/{token}/calendar.ics").status == 404


def test_a_program_that_looks_again_hears_that_nothing_has_changed(
    service: Service, browser: Browser, address: str, match_id: str
) -> None:
    first = browser.get(f"{address}/calendar.ics").response
    assert first.headers["Cache-Control"] == "private, max-age=600"
    again = browser.get(f"{address}/calendar.ics", **{"If-None-Match": first.headers["ETag"]})
    assert again.status == 304
    play_turn(service.matches, match_id, service.now())
    assert browser.get(f"{address}/calendar.ics", **{"If-None-Match": first.headers["ETag"]}).status == 200


def test_a_name_made_of_code_is_text_in_the_feed(
    service: Service, browser: Browser, ann: Browser, address: str
) -> None:
    ann.press(ann.get("/me"), "Save", name="]]></title><b>&amp;\u202e")
    source = browser.get(f"{address}/news.atom").source
    title = ElementTree.fromstring(source.encode()).findtext(f"{ATOM}title")
    assert title == "Estafette: what waits for ]]></title><b>&amp;"

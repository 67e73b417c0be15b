"""Where boards are shown: on the pages, where a tap leads to the moves of a place, and in mails."""

from __future__ import annotations

import logging
import re
from datetime import datetime
from html import unescape

import pytest

from server import boards
from server.rules import GAMES
from server.service import Service
from tests.server.browsing import Browser
from tests.server.builders import PEOPLE, a_match, answers, link_of, mails, play_first, play_to_the_end, worker_of

ENDS = [f"{row}{side}" for row in "1234" for side in "LR"]

every_game = pytest.mark.parametrize("game", GAMES)


@pytest.fixture
def now(service: Service) -> datetime:
    return service.now()


def move_page(service: Service, match_id: str, seat: int = 1) -> str:
    return service.links.move_url(link_of(service.matches, match_id, seat))


def tapped(source: str, place: str) -> str:
    """Where a tap on a place of the drawing leads."""
    found = re.search(rf'<a href="([^"]*)" data-place="{re.escape(place)}"', source)
    assert found, f"{place} leads nowhere"
    return unescape(found[1])


# Pages


@every_game
def test_the_move_page_shows_the_table_as_the_player_sees_it(service, browser, now, game):
    people = PEOPLE[: GAMES[game].most_seats]
    match_id = a_match(service.matches, now, game=game, people=people)
    view = service.matches.view(match_id, 1)
    page = browser.get(move_page(service, match_id))
    title = boards.alt_text(game, view.position, view.names, 1)
    assert f'aria-label="{title}"' in unescape(page.source)
    assert page.source.count('<svg class="drawing"') == 1
    assert len(page.source.encode()) < 60_000


def test_a_tap_on_an_end_of_a_row_leads_to_the_takes_from_there(service, browser: Browser, now):
    match_id = a_match(service.matches, now)
    seat, moves, end = 1, [""], ""
    while not end:
        play_first(service.matches, match_id, now, seat)
        seat = service.matches.view(match_id, None).waiting_for[0].number
        moves = [text for text in answers(service.matches, match_id, seat) if text.startswith("take")]
        end = next((end for end in ENDS if 1 < sum(end in text.split() for text in moves) <= 8), "")
    address = move_page(service, match_id, seat)
    row = service.matches.view(match_id, seat).position["rows"][int(end[0]) - 1]
    columns = [number for number, lying in enumerate(row, 1) if lying]
    page = browser.get(tapped(browser.get(address).source, f"{end[0]}.{columns[0 if end[1] == 'L' else -1]}"))
    assert f"With {end}" in page.text
    assert page.offers() == [text for text in moves if end in text.split()]
    assert browser.get(page.link("Back to all choices")).status == 200


def test_a_tap_on_a_row_leads_to_the_marks_in_it_since_its_cards_are_too_narrow_for_a_finger(
    service, browser: Browser, now
):
    match_id = a_match(service.matches, now)
    play_first(service.matches, match_id, now, 1, "take 1L")
    source = browser.get(move_page(service, match_id)).source
    page = browser.get(tapped(source, "row 2"))
    assert page.offers() == [f"mark 2.{column}" for column in range(1, 13)]
    assert 'role="img" data-place="2.6"' in source


def test_a_tap_on_a_place_with_one_move_asks_for_it_at_once(service, browser: Browser, now):
    match_id = a_match(service.matches, now, game="crusade", people=PEOPLE[:3])
    seat = 1
    while "pawn merchant" not in answers(service.matches, match_id, seat):
        play_first(service.matches, match_id, now, seat)
        seat = service.matches.view(match_id, None).waiting_for[0].number
    made = service.matches.view(match_id, seat).version
    page = browser.get(tapped(browser.get(move_page(service, match_id, seat)).source, "merchant"))
    assert page.headings[1] == "Play this?"
    assert "pawn merchant" in page.text
    assert service.matches.view(match_id, seat).version == made


def test_a_spot_of_intrigues_leads_to_what_can_be_placed_there_step_by_step(service, browser: Browser, now):
    match_id = a_match(service.matches, now, game="intrigues")
    page = browser.get(tapped(browser.get(move_page(service, match_id)).source, "R2.5"))
    moves = [text for text in answers(service.matches, match_id) if "R2.5" in text.split()]
    assert len(moves) == 4
    assert page.offers() == moves


def test_a_place_that_is_none_shows_all_choices(service, browser: Browser, now):
    match_id = a_match(service.matches, now)
    address = move_page(service, match_id)
    for odd in ("9.9", "take", "%00", "a" * 500, "<b>"):
        page = browser.get(f"{address}?on={odd}")
        assert page.status == 200
        assert page.offers() == browser.get(address).offers()


def test_the_page_that_asks_shows_the_table_after_the_move(service, browser: Browser, now):
    match_id = a_match(service.matches, now)
    page = browser.get(move_page(service, match_id) + "?move=take+1L")
    assert 'data-place="1.2"' in page.source
    assert 'data-place="1.1"' not in page.source
    assert "<a href" not in re.search(r"<svg.*</svg>", page.source, re.DOTALL)[0]


@every_game
def test_the_match_is_drawn_for_everybody_and_step_by_step_without_secrets(service, browser: Browser, now, game):
    people = PEOPLE[: GAMES[game].least_seats]
    match_id = a_match(service.matches, now, game=game, people=people)
    play_to_the_end(service.matches, match_id, now)
    for at in ("?at=0", "?at=3", ""):
        view = service.matches.at(match_id, None, int(at[4:]))[0] if at else service.matches.view(match_id, None)
        page = browser.get(f"/g/{match_id}{at}")
        assert boards.drawing(game, view.position, view.names, None) in page.source


# Mails


@every_game
def test_a_turn_mail_brings_its_picture_with_the_position_in_words(service, now, game):
    people = PEOPLE[: GAMES[game].least_seats]
    match_id = a_match(service.matches, now, game=game, people=people)
    worker_of(service).tick(now)
    (mail,) = mails(service, to="Ann", kind="turn")
    (picture,) = [part for part in mail.walk() if part.get_content_type() == "image/png"]
    assert picture.get_content().startswith(b"\x89PNG")
    html = mail.get_body(("html",)).get_content()
    (shown,) = re.findall(r"<img[^>]*>", html)
    assert f'src="cid:{picture["Content-ID"].strip("<>")}"' in shown
    view = service.matches.view(match_id, 1)
    assert boards.alt_text(game, view.position, view.names, 1) in " ".join(unescape(shown).split())
    for line in view.words:
        assert line.strip() in mail.get_body(("plain",)).get_content()


def test_a_mail_goes_out_without_its_picture_rather_than_not_at_all(service, now, monkeypatch, caplog):
    def broken(svg: str) -> bytes:
        raise RuntimeError("no paint")

    monkeypatch.setattr("server.mailing.picture", broken)
    a_match(service.matches, now)
    with caplog.at_level(logging.ERROR):
        worker_of(service).tick(now)
    (mail,) = mails(service, to="Ann", kind="turn")
    assert "image/png" not in [part.get_content_type() for part in mail.walk()]
    assert "<img" not in mail.get_body(("html",)).get_content()
    assert "without its picture" in caplog.text

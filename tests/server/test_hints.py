"""A first match explains itself: a hint at each decision, with the paragraph to read on, until it is turned off."""

from __future__ import annotations

from datetime import datetime

import pytest

from db import queries
from server.hints import hint_for
from server.pages.home import rules_of
from server.rules import GAMES
from server.service import Service
from tests.server.browsing import Browser, sign_in
from tests.server.builders import PEOPLE, a_match, link_of, play_to_the_end, play_turn, worker_of


@pytest.fixture
def now(service: Service) -> datetime:
    return service.now()


def move_page(service: Service, match_id: str, seat: int = 1) -> str:
    return service.links.move_url(link_of(service.matches, match_id, seat))


@pytest.mark.parametrize("game", GAMES)
def test_every_kind_of_decision_has_a_hint_and_its_paragraph(game: str) -> None:
    assert set(GAMES[game].hints) == set(GAMES[game].kinds)
    for hint in GAMES[game].hints.values():
        name, _, number = hint.rule.partition(" ")
        assert name == game
        assert f'id="{number}"' in rules_of(game)


def test_the_first_match_of_a_game_is_explained_and_the_second_is_not(service, browser: Browser, now) -> None:
    first = a_match(service.matches, now)
    page = browser.get(move_page(service, first))
    assert "Cards score by majority" in page.text
    assert page.link("Rule 2.1").endswith("/rules/regions#2.1")
    play_to_the_end(service.matches, first, now)
    second = a_match(service.matches, now)
    assert "Cards score by majority" not in browser.get(move_page(service, second)).text
    other_game = a_match(service.matches, now, game="intrigues")
    assert "two sheets fight" in browser.get(move_page(service, other_game)).text


def test_hints_are_turned_off_and_on_with_a_button(service, browser: Browser, now) -> None:
    match_id = a_match(service.matches, now)
    address = move_page(service, match_id)
    page = browser.press(browser.get(address), "No more hints")
    assert "Cards score by majority" not in page.text
    page = browser.press(page, "Explain my decisions")
    assert "Cards score by majority" in page.text
    browser.press(page, "No more hints")
    play_turn(service.matches, match_id, now)
    assert "Cards score by majority" in browser.get(move_page(service, match_id, 2)).text  # Ben wants them still
    assert hint_for(service.store, service.matches.view(match_id, 2), None) is None


@pytest.mark.parametrize("game", GAMES)
def test_hints_stand_where_each_game_is_decided(service, browser: Browser, now, game: str) -> None:
    match_id = a_match(service.matches, now, game=game, people=PEOPLE[: GAMES[game].least_seats])
    seat = service.matches.view(match_id, None).waiting_for[0].number
    kind = service.matches.view(match_id, seat).decision.kind
    page = browser.get(move_page(service, match_id, seat))
    assert page.text.index(GAMES[game].hints[kind].told.template[:60]) > page.text.index("Your choices")
    assert len(page.source.encode()) < 60_000


def test_a_first_match_against_the_house_begins_from_the_rules(service: Service, browser: Browser, now) -> None:
    assert "Sign in to begin a match." in browser.press(browser.get("/rules/regions"), "Learn it").text
    known = a_match(service.matches, now)
    sign_in(service, browser, "Ann")
    browser.press(browser.get("/rules/crusade"), "Learn it")
    with service.store.reading() as session:
        (match,) = (each for each in queries.matches.with_status(session, "running") if each.id != known)
    view = service.matches.view(match.id, None)
    assert sorted(seat.house for seat in view.seats) == [False, True, True]
    assert view.pace["hours"] is None
    worker_of(service).tick()
    own = next(seat.number for seat in view.seats if not seat.house)
    decision = service.matches.view(match.id, own).decision
    assert decision is not None
    hint = GAMES["crusade"].hints[decision.kind].told.template
    assert hint[:60] in browser.get(move_page(service, match.id, own)).text

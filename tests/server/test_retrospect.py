"""After the end: how the points went, a picture to show around, and everything revealed."""

from __future__ import annotations

import random
import re
import struct
from datetime import datetime
from html import unescape

import pytest

from server.boards.chart import chart
from server.retrospect import course, course_of
from server.rules import GAMES
from server.rules.chance import Seeded
from server.rules.playing import Play
from server.service import Service
from tests.server.browsing import Browser
from tests.server.builders import PEOPLE, a_match, play_to_the_end

every_game = pytest.mark.parametrize("game", GAMES)


@pytest.fixture
def now(service: Service) -> datetime:
    return service.now()


def a_finished_match(service: Service, now: datetime, game: str = "regions", seats: int | None = None) -> str:
    people = PEOPLE[: seats or GAMES[game].least_seats]
    match_id = a_match(service.matches, now, game=game, people=people)
    play_to_the_end(service.matches, match_id, now, random.Random(game))
    return match_id


@every_game
def test_the_points_go_from_the_beginning_to_the_result(service: Service, now: datetime, game: str) -> None:
    match_id = a_finished_match(service, now, game)
    found = course(service.matches, match_id)
    outcome = service.matches.view(match_id, None).outcome
    assert found is not None
    assert outcome is not None
    assert list(found.points[-1]) == [score["total"] for score in outcome["scores"]]
    assert found.moves[0] == 0
    assert found.moves[-1] == service.matches.view(match_id, None).version
    assert len(found.moves) <= 61
    assert found.rows[-1] == (found.moves[-1], found.points[-1])
    assert len(found.rows) <= 12


def test_points_of_regions_are_those_of_the_cards_taken_so_far() -> None:
    """Two players: whoever has no card of a region or symbol has 5 points less for each of the twelve."""
    play = Play(GAMES["regions"], 2, chance=Seeded("points"))
    assert play.game.points(play.table) == [-60, -60]
    log = len(play.table.log)
    play.answer(1, play.decision(1).answers()[0])
    card = play.table.areas[1].cards[0]
    assert play.game.points(play.table)[0] == -60 + 5 + card.emblems + (5 + 1 if card.symbol else 0)
    assert len(play.table.log) > log
    told = len(play.table.log)
    play.game.points(play.table)
    assert len(play.table.log) == told


def test_the_course_of_a_match_leaves_the_match_as_it_is() -> None:
    play = Play(GAMES["regions"], 2, {"short": True}, chance=Seeded("points"))
    while play.question:
        seat = play.waiting_for()[0]
        play.answer(seat, play.decision(seat).answers()[0])
    before = play.digest()
    course_of(play)
    assert play.digest() == before


@every_game
def test_a_finished_match_shows_a_chart_and_the_same_as_a_table(
    service: Service, browser: Browser, now, game, monkeypatch
) -> None:
    monkeypatch.setattr("secrets.token_hex", "cd".__mul__)  # always the same deal: a page grows with its log
    match_id = a_finished_match(service, now, game, GAMES[game].most_seats)
    page = browser.get(f"/g/{match_id}")
    assert "How the points went" in page.headings
    chart = re.search(r'<svg class="drawing"[^>]*aria-label="(Points over[^"]*)"(.*?)</svg>', page.source, re.S)
    assert chart
    view = service.matches.view(match_id, None)
    for seat in view.seats:
        assert f"{seat.name} " in unescape(chart[1])
        assert f"l-s{seat.number}" in chart[2]
    assert chart[2].count("<polyline") == len(view.seats)
    assert "After move" in page.text
    assert len(page.source.encode()) < 60_000


def test_while_a_match_goes_on_nobody_is_told_how_the_points_stand(service: Service, browser: Browser, now) -> None:
    match_id = a_match(service.matches, now)
    page = browser.get(f"/g/{match_id}")
    assert "How the points went" not in page.text
    assert course(service.matches, match_id) is None
    assert browser.get(f"/g/{match_id}/end.png").status == 404


@every_game
def test_the_end_can_be_shown_around_as_a_picture(service: Service, browser: Browser, now, game) -> None:
    match_id = a_finished_match(service, now, game)
    page = browser.get(f"/g/{match_id}")
    link = page.link("A picture of the end")
    answer = browser.client.get(link)
    assert answer.mimetype == "image/png"
    raw = answer.get_data()
    wide, high = struct.unpack(">II", raw[16:24])
    assert wide == 720
    assert high > 500
    assert len(raw) < 100_000
    assert f'content="{service.settings.public_url}/g/{match_id}/end.png"' in page.source


def test_a_line_of_the_chart_has_a_point_where_the_points_change_and_at_its_ends() -> None:
    points = [(0, 0), (0, 0), (0, 3), (0, 3), (0, 3), (0, 1)]
    drawn = chart(("Ann", "Ben"), range(6), points, "AB", first="", last="", said="")
    assert [len(line.split()) for line in re.findall(r'<polyline points="([^"]+)"', drawn)] == [2, 5]

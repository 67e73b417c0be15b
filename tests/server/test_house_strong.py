"""Strong house players in a running instance: they think before the transaction, and answer as if nothing had been."""

from __future__ import annotations

from datetime import datetime

import pytest

from server import beginning, overtime
from server.beginning import SeatWish, Wish
from server.matches import Matches
from server.service import Service
from server.upkeep import replace
from tests.server.builders import a_match, address_of, link_of, play_first, play_turn, worker_of


def against_the_strong(matches: Matches, now: datetime, game: str = "regions") -> str:
    seats = [SeatWish("Ann", address_of("Ann")), SeatWish(house=True, strong=True)]
    return beginning.create(matches, Wish(game=game, seats=seats, options={}), host=None, now=now, start=True)


def test_a_strong_house_player_answers_and_ann_is_asked_again(service: Service, now: datetime) -> None:
    match_id = against_the_strong(service.matches, service.now())
    assert [seat.strong for seat in service.matches.view(match_id, None).seats] == [False, True]
    play_turn(service.matches, match_id, service.now())
    worker_of(service).tick()
    view = service.matches.view(match_id, None)
    assert [seat.number for seat in view.waiting_for] == [1]
    assert any(view.names[1] in told and "takes" in told for told in view.news)


def test_what_was_thought_is_not_played_when_the_match_has_moved_on(matches: Matches, now: datetime) -> None:
    match_id = against_the_strong(matches, now)
    play_turn(matches, match_id, now)
    thought = overtime._thought(matches, match_id, 2)
    assert thought is not None
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(overtime, "_thought", lambda *_: (thought[0] - 1, thought[1]))
        assert overtime.expire(matches, now) == 0
    assert [seat.number for seat in matches.view(match_id, None).waiting_for] == [2]
    assert overtime.expire(matches, now) == 1


def test_whoever_takes_the_seat_of_a_strong_house_player_thinks_alone(matches: Matches, now: datetime) -> None:
    match_id = against_the_strong(matches, now)
    replace(matches, match_id, 2, name="Ben", email=address_of("Ben"), now=now, who="operator")
    assert [seat.strong for seat in matches.view(match_id, None).seats] == [False, False]


def test_people_and_usual_house_players_are_not_thought_for(matches: Matches, now: datetime) -> None:
    match_id = a_match(matches, now, people=("Ann",), house=1)
    assert overtime._thought(matches, match_id, 1) is None
    play_first(matches, match_id, now)
    assert link_of(matches, match_id)

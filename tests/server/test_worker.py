"""A worker's tick: one question whether anything is due, and whatever is due is found by it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta

import pytest

from db import table
from server import prepared, together, upkeep
from server.inbound import take_in
from server.links import TogetherLink
from server.matches import Matches
from server.service import Service
from tests.server.builders import HOUR, a_match, play_turn, worker_of

DAY = timedelta(days=1)


def due(service: Service, at: datetime) -> set[str]:
    with service.store.reading() as session:
        return {name for name, is_due in table.work_due(session, at).items() if is_due}


@pytest.fixture
def match_id(service: Service, matches: Matches, now: datetime) -> str:
    """A match of ten hours a decision whose first mails have left."""
    match_id = a_match(matches, now, pace={"hours": 10})
    worker_of(service).tick(now)
    return match_id


def test_nothing_is_due_when_nothing_is(service: Service, match_id: str, now: datetime) -> None:
    assert due(service, now) == set()
    assert due(service, now + 4 * HOUR) == set()


DEEDS: dict[str, tuple[Callable[[Service, str, datetime], object], timedelta, str]] = {
    "a reminder": (lambda *_: None, 5 * HOUR, "remind"),
    "the end of the time": (lambda *_: None, 10 * HOUR, "expire"),
    "a letter": (lambda service, match_id, now: play_turn(service.matches, match_id, now), timedelta(), "deliver"),
    "a mail": (lambda service, match_id, now: take_in(service, b"a mail", now=now), timedelta(), "read"),
    "the end of a vote": (
        lambda service, match_id, now: together.propose(
            service.matches, TogetherLink(match_id, 1, 1), "pause", now=now
        ),
        7 * DAY,
        "return",
    ),
    "the end of a loan": (
        lambda service, match_id, now: upkeep.lend_to_the_house(
            service.matches, match_id, 1, 1, now + 2 * DAY, now=now
        ),
        2 * DAY,
        "return",
    ),
    "a prepared answer": (
        lambda service, match_id, now: (
            prepared.prepare(service.matches, TogetherLink(match_id, 2, 1), "turn", "take 1L", wait=3, now=now),
            play_turn(service.matches, match_id, now),
        ),
        3 * HOUR,
        "return",
    ),
}


@pytest.mark.parametrize("what", DEEDS)
def test_what_is_due_is_found_by_the_one_question_and_done_by_the_tick(
    service: Service, match_id: str, now: datetime, what: str
) -> None:
    deed, after, step = DEEDS[what]
    assert step not in due(service, now)
    deed(service, match_id, now)
    worker = worker_of(service)
    if after:
        worker.tick(now)
        assert step not in due(service, now + after - timedelta(seconds=1))
    assert step in due(service, now + after)
    worker.tick(now + after)
    assert step not in due(service, now + after)


def test_a_match_that_waits_for_nobody_is_not_looked_at_again_and_again(
    service: Service, matches: Matches, match_id: str, now: datetime
) -> None:
    upkeep.pause(matches, match_id, "", now=now, who="host")
    worker_of(service).tick(now)
    assert due(service, now + 30 * DAY) == set()

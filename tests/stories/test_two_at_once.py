"""Two people, or two workers, at the same instant, in processes of their own."""

from __future__ import annotations

import random
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from server import overtime
from server.matches import Matches
from server.service import Service
from tests.server.builders import a_match, answers, letters, link_of, mails, worker_of
from tests.server.builders import a_service as service_for
from tests.stories.processes import processes

ROUNDS = 200


@pytest.mark.slow
def test_case_B01_two_contributions_at_the_same_instant_resolve_the_round_once(
    database_url: str, tmp_path: Path, now: datetime
) -> None:
    service = service_for(database_url, tmp_path)
    matches, luck = service.matches, random.Random(1)
    people = ("Ann", "Ben", "Cat", "Dan")
    rounds, match_id = 0, ""
    with processes(2, database_url, tmp_path) as (third, fourth):
        while rounds < ROUNDS:
            if not match_id or matches.view(match_id, None).outcome:
                match_id = a_match(matches, now, game="crusade", people=people)
            if not _until_two_are_left(matches, match_id, luck, now):
                continue
            kind = _kind(matches, match_id)
            last = [seat.number for seat in matches.view(match_id, None).waiting_for]
            log, turns = len(matches.log(match_id, None)), _turn(matches, match_id)
            posted = len(letters(service, match_id=match_id, kind="turn"))
            for process, seat in zip((third, fourth), last, strict=True):
                text = luck.choice(answers(matches, match_id, seat))
                process.send("play", link_of(matches, match_id, seat), text, now)
            assert [len(process.result()) for process in (third, fourth)] == [1, 1], "both are played, none is stale"
            view = matches.view(match_id, None)
            told = [line for line in matches.log(match_id, None)[log:] if line.startswith("Turned up")]
            if kind == "contribution":
                assert len(told) == 1, told
                assert view.outcome or _turn(matches, match_id) == turns + 1
                rounds += 1
            asked = len(view.waiting_for)
            assert len(letters(service, match_id=match_id, kind="turn")) == posted + asked
    service.close()


def _turn(matches: Matches, match_id: str) -> int:
    turn: int = matches.view(match_id, None).position["turn"]
    return turn


def _kind(matches: Matches, match_id: str) -> str:
    seat = matches.view(match_id, None).waiting_for[0].number
    decision = matches.view(match_id, seat).decision
    assert decision is not None
    return decision.kind


def _until_two_are_left(matches: Matches, match_id: str, luck: random.Random, now: datetime) -> bool:
    """Play on to a contribution that two have still to give; False if the match ends before."""
    while (view := matches.view(match_id, None)).outcome is None:
        waiting = view.waiting_for
        if len(waiting) == 2:
            return True
        seat = waiting[0].number
        matches.play(link_of(matches, match_id, seat), luck.choice(answers(matches, match_id, seat)), now=now)
    return False


def test_case_B02_two_workers_at_the_same_instant_send_one_reminder(
    database_url: str, tmp_path: Path, now: datetime
) -> None:
    service = service_for(database_url, tmp_path)
    for _ in range(5):
        a_match(service.matches, now, pace={"hours": 10})
    worker_of(service).tick(now)
    with processes(2, database_url, tmp_path) as workers:
        for hours in (5, 8):
            for worker in workers:
                worker.send("tick", now + timedelta(hours=hours))
            assert [worker.result() for worker in workers] == ["ticked", "ticked"]
    assert len(letters(service, kind="reminder")) == 10
    assert len(mails(service, kind="reminder")) == 10
    service.close()


def test_case_B02_the_job_itself_called_twice_at_once_is_one_reminder(service: Service, now: datetime) -> None:
    a_match(service.matches, now, pace={"hours": 10})
    again = Matches(service.store)
    due = now + timedelta(hours=5)
    assert overtime.remind(service.matches, due) + overtime.remind(again, due) == 1
    assert len(letters(service, kind="reminder")) == 1

"""Time that counts for nobody: downtime is given back once, and the operator can stop the world."""

from __future__ import annotations

import threading
from datetime import datetime, timedelta

import pytest

from db import queries
from server import standstill
from server.matches import Matches
from server.service import SEEN_KEY, Service
from tests.server.builders import HOUR, a_match, letters, link_of, play_first, play_turn, worker_of


def due(matches: Matches, match_id: str, seat: int = 1) -> datetime | None:
    return matches.view(match_id, None).seats[seat - 1].due_at


def ticked(service: Service, at: datetime) -> None:
    with service.store.writing() as session:
        queries.set_world(session, SEEN_KEY, at.isoformat())


def test_time_without_a_worker_is_given_back_to_all_clocks_once(
    service: Service, matches: Matches, now: datetime
) -> None:
    first, second = a_match(matches, now, pace={"hours": 10}), a_match(matches, now, pace={"hours": 30})
    ticked(service, now + 4 * HOUR)
    assert standstill.after_downtime(service.store, now + 24 * HOUR) == 20 * HOUR
    assert standstill.after_downtime(service.store, now + 24 * HOUR) is None
    assert (due(matches, first), due(matches, second)) == (now + 30 * HOUR, now + 50 * HOUR)
    assert matches.expire(now + 24 * HOUR) == 0


def test_two_workers_that_wake_together_give_it_back_once(service: Service, matches: Matches, now: datetime) -> None:
    match_id = a_match(matches, now, pace={"hours": 10})
    ticked(service, now + 4 * HOUR)
    barrier, given = threading.Barrier(4), []

    def wake() -> None:
        barrier.wait()
        given.append(standstill.after_downtime(service.store, now + 5 * HOUR))

    threads = [threading.Thread(target=wake) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert sorted(given, key=str) == [HOUR, None, None, None]
    assert due(matches, match_id) == now + 11 * HOUR


def test_a_tick_that_is_a_little_late_is_no_downtime(service: Service, matches: Matches, now: datetime) -> None:
    match_id = a_match(matches, now, pace={"hours": 10})
    ticked(service, now + 4 * HOUR)
    assert standstill.after_downtime(service.store, now + 4 * HOUR + timedelta(minutes=9)) is None
    assert due(matches, match_id) == now + 10 * HOUR


def test_a_decision_asked_while_no_worker_ran_gets_back_only_the_time_since(
    service: Service, matches: Matches, now: datetime
) -> None:
    match_id = a_match(matches, now, pace={"hours": 10})
    ticked(service, now)
    play_turn(matches, match_id, now + 5 * HOUR)
    standstill.after_downtime(service.store, now + 8 * HOUR)
    assert due(matches, match_id, 2) == now + 18 * HOUR


def test_after_downtime_the_worker_moves_for_nobody_whose_time_was_up_in_it(service: Service, matches: Matches) -> None:
    now = service.now()
    match_id = a_match(matches, now - 12 * HOUR, pace={"hours": 10})
    ticked(service, now - 11 * HOUR)  # the demo's clock was not moved
    worker_of(service).tick()
    assert matches.view(match_id, None).version == 0
    ahead = due(matches, match_id)
    assert ahead is not None
    assert timedelta(hours=8, minutes=59) < ahead - now <= timedelta(hours=9, minutes=1)


def test_the_demos_clock_moved_forward_is_no_downtime(service: Service, matches: Matches) -> None:
    match_id = a_match(matches, service.now(), pace={"hours": 10})
    worker = worker_of(service)
    worker.tick()
    service.clock.forward(11 * HOUR)
    worker.tick()
    assert matches.view(match_id, None).version > 0


def test_while_the_world_is_stopped_nothing_is_due_but_moves_are_played(
    service: Service, matches: Matches, now: datetime
) -> None:
    waiting, played = a_match(matches, now, pace={"hours": 10}), a_match(matches, now, pace={"hours": 10})
    standstill.stop_world(service.store, "the power is off tomorrow", now + 4 * HOUR)
    worker = worker_of(service)
    worker.tick(now + 30 * HOUR)
    assert letters(service, kind="reminder") == []
    assert matches.view(waiting, None).version == 0
    play_turn(matches, played, now + 30 * HOUR)
    standstill.start_world(service.store, now + 40 * HOUR)
    assert due(matches, waiting) == now + 46 * HOUR
    assert due(matches, played, 2) == now + 50 * HOUR
    worker.tick(now + 46 * HOUR)
    assert matches.view(waiting, None).version > 0


def test_the_world_is_stopped_and_started_once(service: Service, now: datetime) -> None:
    with pytest.raises(ValueError, match="are not stopped"):
        standstill.start_world(service.store, now)
    standstill.stop_world(service.store, "", now)
    with pytest.raises(ValueError, match="stand still already"):
        standstill.stop_world(service.store, "", now)


def test_a_reminder_that_went_out_before_does_not_come_again_after_downtime(
    service: Service, matches: Matches, now: datetime
) -> None:
    a_match(matches, now, pace={"hours": 10})
    assert matches.remind(now + 5 * HOUR) == 1
    ticked(service, now + 5 * HOUR)
    standstill.after_downtime(service.store, now + 9 * HOUR)
    matches.remind(now + 9 * HOUR)
    matches.remind(now + 12 * HOUR)
    assert [letter.data["threshold"] for letter in letters(service, kind="reminder")] == ["50%", "80%"]


def test_a_move_and_the_end_of_downtime_at_one_instant_leave_one_truth(
    service: Service, matches: Matches, now: datetime
) -> None:
    match_id = a_match(matches, now, pace={"hours": 10})
    ticked(service, now)
    link, barrier = link_of(matches, match_id), threading.Barrier(2)

    def move() -> None:
        barrier.wait()
        play_first(matches, match_id, now + 5 * HOUR, 1, "take")

    def wake() -> None:
        barrier.wait()
        standstill.after_downtime(service.store, now + 5 * HOUR)

    threads = [threading.Thread(target=work) for work in (move, wake)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    seats = matches.view(match_id, None).seats
    waiting = next(seat for seat in seats if seat.asked)
    assert waiting.due_at == now + 15 * HOUR
    assert matches.standing(link) == ("open" if waiting.number == 1 else "over")

"""Time that counts for nobody: downtime is given back once, and the operator can stop the world."""

from __future__ import annotations

import threading
from datetime import datetime, timedelta

import pytest

from db import queries
from server import absence, overtime, prepared, standstill, together, upkeep
from server.links import TogetherLink
from server.matches import Matches
from server.service import SEEN_KEY, Service
from tests.server.browsing import Browser
from tests.server.builders import (
    HOUR,
    a_match,
    answers,
    asked_together,
    letters,
    link_of,
    mails,
    play_first,
    play_turn,
    text_of,
    worker_of,
)

DAY = timedelta(days=1)


def due(matches: Matches, match_id: str, seat: int = 1) -> datetime | None:
    return matches.view(match_id, None).seats[seat - 1].due_at


def ticked(service: Service, at: datetime) -> None:
    with service.store.writing() as session:
        queries.world.put(session, SEEN_KEY, at.isoformat())


def test_time_without_a_worker_is_given_back_to_all_clocks_once(
    service: Service, matches: Matches, now: datetime
) -> None:
    first, second = a_match(matches, now, pace={"hours": 10}), a_match(matches, now, pace={"hours": 30})
    ticked(service, now + 4 * HOUR)
    assert standstill.after_downtime(service.store, now + 24 * HOUR) == 20 * HOUR
    assert standstill.after_downtime(service.store, now + 24 * HOUR) is None
    assert (due(matches, first), due(matches, second)) == (now + 30 * HOUR, now + 50 * HOUR)
    assert overtime.expire(matches, now + 24 * HOUR) == 0


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
    assert overtime.remind(matches, now + 5 * HOUR) == 1
    ticked(service, now + 5 * HOUR)
    standstill.after_downtime(service.store, now + 9 * HOUR)
    overtime.remind(matches, now + 9 * HOUR)
    overtime.remind(matches, now + 12 * HOUR)
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


def test_a_move_made_while_the_world_stands_still_costs_no_time(
    service: Service, matches: Matches, now: datetime
) -> None:
    match_id = a_match(matches, now, pace={"bank": 30})
    standstill.stop_world(service.store, "", now + 4 * HOUR)
    play_turn(matches, match_id, now + 20 * HOUR)  # of the 20 hours only 4 count
    assert due(matches, match_id, 2) is None
    standstill.start_world(service.store, now + 40 * HOUR)
    assert due(matches, match_id, 2) == now + 70 * HOUR
    play_turn(matches, match_id, now + 41 * HOUR, 2)
    assert due(matches, match_id, 1) == now + 41 * HOUR + 26 * HOUR


def test_a_match_paused_while_the_world_stands_still_keeps_its_time(
    service: Service, matches: Matches, now: datetime
) -> None:
    match_id = a_match(matches, now, pace={"hours": 10})
    standstill.stop_world(service.store, "", now + 4 * HOUR)
    upkeep.pause(matches, match_id, "", now=now + 9 * HOUR, who="host")
    upkeep.resume(matches, match_id, now=now + 12 * HOUR, who="host")
    assert due(matches, match_id) is None
    upkeep.pause(matches, match_id, "", now=now + 13 * HOUR, who="host")
    standstill.start_world(service.store, now + 20 * HOUR)
    assert due(matches, match_id) is None, "it is paused still"
    upkeep.resume(matches, match_id, now=now + 30 * HOUR, who="host")
    assert due(matches, match_id) == now + 36 * HOUR


def test_a_sealed_answer_taken_back_while_the_world_stands_still_wins_no_time(
    service: Service, matches: Matches, now: datetime
) -> None:
    match_id = asked_together(matches, now, pace={"hours": 10})
    link, answer = link_of(matches, match_id), answers(matches, match_id)[0]
    matches.play(link, answer, now=now + 2 * HOUR)
    standstill.stop_world(service.store, "", now + 4 * HOUR)
    matches.undo(link, now=now + 7 * HOUR)
    assert due(matches, match_id) is None
    standstill.start_world(service.store, now + 20 * HOUR)
    assert due(matches, match_id) == now + 28 * HOUR


def test_no_more_time_is_given_while_no_clock_runs(service: Service, matches: Matches, now: datetime) -> None:
    match_id = a_match(matches, now, pace={"hours": 10})
    standstill.stop_world(service.store, "", now)
    with pytest.raises(ValueError, match="when they run again"):
        upkeep.extend(matches, match_id, 1, HOUR, now=now, who="host")


def test_hours_changed_while_the_world_stands_still_count_from_its_start_on(
    service: Service, matches: Matches, now: datetime
) -> None:
    match_id = a_match(matches, now, pace={"hours": 48})
    standstill.stop_world(service.store, "", now)
    player_id, _ = matches.holder(match_id, 1)
    assert player_id is not None
    absence.set_hours(service.store, player_id, zone="UTC", night_from="22", night_to="6", off=(), now=now)
    start = now.replace(hour=12) + 2 * DAY
    standstill.start_world(service.store, start)
    assert due(matches, match_id) == start + 72 * HOUR, "three nights lie in it"


def test_pages_and_mails_say_that_all_clocks_stand_still(service: Service, matches: Matches, browser: Browser) -> None:
    match_id = a_match(matches, service.now(), pace={"hours": 10})
    standstill.stop_world(service.store, "", service.now())
    worker_of(service).tick()
    told = text_of(mails(service, "Ann", "turn")[0])
    assert "All clocks stand still at the moment; you have about 10 hours once they run again." in told
    assert "no time limit" not in told.partition("\n\n")[0]
    page = browser.get(service.links.move_url(link_of(matches, match_id)))
    assert "All clocks stand still at the moment: nobody is late" in page.text
    assert "Your clock stands still, with about 10 hours left." in page.text
    assert "The clock stands still, with about 10 hours left." in browser.get(f"/g/{match_id}").text
    standstill.start_world(service.store, service.now())
    page = browser.get(service.links.move_url(link_of(matches, match_id)))
    assert "stand still" not in page.text
    assert "in about 10 hours" in page.text


def test_votes_are_open_for_longer_by_what_nobody_could_use(service: Service, matches: Matches, now: datetime) -> None:
    match_id = a_match(matches, now)
    ballot = together.propose(matches, TogetherLink(match_id, 1, 1), "pause", now=now)
    standstill.stop_world(service.store, "", now + 6 * DAY)
    other = TogetherLink(match_id, 2, 1)
    assert together.standing(matches, other, now + 9 * DAY), "no vote ends while the clocks stand still"
    standstill.start_world(service.store, now + 9 * DAY)
    [open_still] = together.standing(matches, other, now + 9 * DAY)
    assert open_still.until == now + 10 * DAY
    ticked(service, now + 9 * DAY)
    standstill.after_downtime(service.store, now + 11 * DAY)
    together.vote(matches, other, ballot, yes=True, now=now + 11 * DAY)
    assert matches.view(match_id, None).status == "paused"


def test_an_answer_that_waits_for_its_player_waits_longer_after_downtime(
    service: Service, matches: Matches, now: datetime
) -> None:
    match_id = a_match(matches, now, pace={"hours": 48, "night": 0})
    prepared.prepare(matches, TogetherLink(match_id, 2, 1), "turn", "take 1L", wait=10, now=now)
    play_turn(matches, match_id, now)
    ticked(service, now + 4 * HOUR)
    standstill.after_downtime(service.store, now + 30 * HOUR)
    made = matches.view(match_id, None).version
    worker = worker_of(service)
    worker.tick(now + 35 * HOUR)
    assert matches.view(match_id, None).version == made
    worker.tick(now + 36 * HOUR)
    assert matches.view(match_id, None).version > made

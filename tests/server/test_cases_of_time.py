"""Reminders and repairs as others' users reported them: B02, B06, B12, B30 and B42, step by step."""

from __future__ import annotations

import logging
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from flask import Flask

from db import queries, table
from db.models import Letter
from server import absence, overtime, standstill, upkeep
from server.matches import Matches
from server.rules.chance import commitment
from server.service import SEEN_KEY, Service
from tests.server.browsing import Browser, sign_in, url_in
from tests.server.builders import (
    HOUR,
    a_match,
    answers,
    asked_together,
    letters,
    link_of,
    mails,
    play_first,
    play_to_the_end,
    play_turn,
    text_of,
    worker_of,
)
from tests.server.test_late import answers_of
from tests.stories.processes import processes

DAY = timedelta(days=1)


# B02: a reminder in every worker


def test_case_B02_two_processes_that_call_the_job_at_once_remind_each_seat_once_and_trace_nothing(
    service: Service, database_url: str, tmp_path: Path, now: datetime, caplog: pytest.LogCaptureFixture
) -> None:
    for _ in range(20):
        a_match(service.matches, now, pace={"hours": 10})
    with caplog.at_level(logging.WARNING), processes(2, database_url, tmp_path) as workers:
        for worker in workers:
            worker.send("remind", now + 5 * HOUR)
        done = [worker.result() for worker in workers]
    assert sum(done) >= 20, "whoever comes second carries on with the other seats"
    reminders = letters(service, kind="reminder")
    assert len(reminders) == len({letter.match_id for letter in reminders}) == 20
    assert caplog.records == []


# B06: a reminder for what is over


@pytest.fixture
def reminded(service: Service, matches: Matches, now: datetime) -> str:
    """A match in which Ann's first reminder is written, and the mail server was away."""
    match_id = a_match(matches, now, pace={"hours": 10})
    worker_of(service).tick(now)
    assert overtime.remind(matches, now + 5 * HOUR) == 1
    return match_id


OVER: dict[str, Callable[[Matches, str, datetime], object]] = {
    "the turn was played": lambda matches, match_id, at: play_turn(matches, match_id, at),
    "the match is finished": lambda matches, match_id, at: play_to_the_end(matches, match_id, at),
    "the match was ended": lambda matches, match_id, at: upkeep.abort(matches, match_id, "", now=at, who="host"),
    "the match is paused": lambda matches, match_id, at: upkeep.pause(matches, match_id, "", now=at, who="host"),
    "the seat was given away": lambda matches, match_id, at: upkeep.replace(
        matches, match_id, 1, name="Cat", email="cat@players.example", now=at, who="host"
    ),
    "the seat is the house's": lambda matches, match_id, at: upkeep.replace(
        matches, match_id, 1, name="", email=None, now=at, who="host"
    ),
    "there is more time": lambda matches, match_id, at: upkeep.extend(
        matches, match_id, 1, 10 * HOUR, now=at, who="host"
    ),
}


@pytest.mark.parametrize("what", OVER)
def test_case_B06_a_reminder_whose_reason_is_gone_does_not_leave(
    service: Service, matches: Matches, reminded: str, now: datetime, what: str
) -> None:
    OVER[what](matches, reminded, now + 6 * HOUR)
    worker_of(service).tick(now + 6 * HOUR)
    assert mails(service, kind="reminder") == []
    (closed,) = letters(service, kind="reminder", match_id=reminded)
    assert closed.state == "dropped"
    assert closed.why


def test_case_B06_after_more_time_exactly_one_reminder_leaves_at_the_new_time(
    service: Service, matches: Matches, reminded: str, now: datetime
) -> None:
    worker = worker_of(service)
    upkeep.extend(matches, reminded, 1, 10 * HOUR, now=now + 6 * HOUR, who="host")
    for half_hours in range(12, 31):
        worker.tick(now + half_hours * HOUR / 2)
    (mail,) = mails(service, "Ann", "reminder")
    assert "in about 10 hours" in " ".join(text_of(mail).split())


def test_case_B06_a_move_between_looking_and_sending_stops_the_reminder(
    service: Service, matches: Matches, reminded: str, now: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    worker = worker_of(service)
    write, left = worker.mailing.write, ["a move"]

    def played_meanwhile(letter: Letter, at: datetime) -> object:
        if letter.kind == "reminder" and left:
            left.clear()
            play_turn(matches, reminded, now + 5 * HOUR)
        return write(letter, at)

    monkeypatch.setattr(worker.mailing, "write", played_meanwhile)
    worker.tick(now + 5 * HOUR)
    assert left == []
    assert mails(service, kind="reminder") == []
    assert [letter.state for letter in letters(service, kind="reminder")] == ["dropped"]


# B12: after downtime


@pytest.fixture
def five(service: Service, matches: Matches, now: datetime) -> list[str]:
    """Five matches of four days a decision; their players are reminded after 24, 48 and 72 hours."""
    found = []
    for name in ("Ann", "Ben", "Cat", "Dan", "Eve"):
        found.append(a_match(matches, now, people=(name, "Finn"), pace={"hours": 96, "night": 0, "days": 0}))
        player_id, _ = matches.holder(found[-1], 1)
        assert player_id is not None
        absence.set_reminders(service.store, player_id, "72h 48h 24h", now)
    worker_of(service).tick(now)
    play_turn(matches, found[0], now + HOUR)
    return found


def test_case_B12_after_a_long_stop_each_waiting_player_gets_one_mail_the_latest(
    service: Service, five: list[str], now: datetime
) -> None:
    worker = worker_of(service)
    worker.tick(now + 20 * HOUR)
    worker.tick(now + 80 * HOUR)  # nothing is given back: whoever moves the clock has left this time out
    reminders = letters(service, kind="reminder", state="sent")
    at_seat_one = [letter for letter in reminders if letter.seat == 1]
    assert sorted(letter.match_id or "" for letter in at_seat_one) == sorted(five[1:]), "none for the turn played"
    assert {letter.data["threshold"] for letter in at_seat_one} == {"24h"}


def test_case_B12_time_without_a_worker_makes_nobody_late_and_brings_no_flood(
    service: Service, matches: Matches, five: list[str], now: datetime
) -> None:
    worker_of(service).tick(now + 20 * HOUR)
    with service.store.writing() as session:
        queries.world.put(session, SEEN_KEY, (now + 20 * HOUR).isoformat())
    standstill.after_downtime(service.store, now + 80 * HOUR)
    worker = worker_of(service)
    worker.tick(now + 80 * HOUR)
    assert letters(service, kind="reminder") == []
    worker.tick(now + 84 * HOUR)
    at_seat_one = [letter for letter in letters(service, kind="reminder", state="sent") if letter.seat == 1]
    assert [letter.data["threshold"] for letter in at_seat_one] == ["72h"] * 4


def test_case_B12_with_a_restart_every_ten_minutes_each_step_fires_once_and_on_time(
    service: Service, five: list[str], now: datetime
) -> None:
    for minutes in range(0, 30 * 60 + 1, 10):
        moment = now + timedelta(minutes=minutes)
        overtime.remind(Matches(service.store), moment)
    fired = [letter for letter in letters(service, kind="reminder") if letter.seat == 1]
    assert len(fired) == 4
    assert {letter.created_at for letter in fired} == {now + DAY}


# B30: one tablet for two


def test_case_B30_two_tabs_of_a_couple_do_not_mix(
    service: Service, matches: Matches, browser: Browser, now: datetime
) -> None:
    match_id = a_match(matches, service.now())
    worker_of(service).tick()
    sign_in(service, browser, "Ann")
    anns = url_in(mails(service, "Ann", "turn")[-1], "/m/")
    play_turn(matches, match_id, service.now())
    worker_of(service).tick()
    bens = url_in(mails(service, "Ben", "turn")[-1], "/m/")
    first_tab = browser.get(bens)
    assert first_tab.headings[0] == "Ben"
    assert "Ann" in browser.get(anns).text, "a second tab"
    page = browser.press(browser.press(first_tab, "take"), "Yes, ")
    assert page.status == 200
    with service.store.reading() as session:
        assert table.move_rows(session, match_id)[-1].seat == 2
    assert "Signed in as Ann" in browser.get("/games").text, "the session is nobody else's now"
    again = browser.get(bens)
    assert again.status == 200, "the link is not used up"


def test_case_B30_a_player_of_two_matches_plays_in_the_one_of_the_link(
    service: Service, matches: Matches, browser: Browser
) -> None:
    here, there = (a_match(matches, service.now(), people=people) for people in (("Ann", "Ben"), ("Ann", "Cat")))
    sign_in(service, browser, "Ann")
    tab_here, tab_there = (browser.get(service.links.move_url(link_of(matches, each))) for each in (here, there))
    browser.press(browser.press(tab_here, "take"), "Yes, ")
    assert (matches.view(here, None).version, matches.view(there, None).version) == (1, 0)
    browser.press(browser.press(tab_there, "take"), "Yes, ")
    assert (matches.view(here, None).version, matches.view(there, None).version) == (1, 1)


# B42: what was repaired


def test_case_B42_a_match_taken_back_across_a_reveal_fits_its_position_in_everything(
    service: Service, matches: Matches, site: Flask
) -> None:
    now = service.now()
    match_id = asked_together(matches, now, pace={"hours": 10})
    before = matches.view(match_id, None).version
    open_links = [link_of(matches, match_id, seat) for seat in (1, 2, 3)]
    for seat in (1, 2, 3):
        matches.play(open_links[seat - 1], answers(matches, match_id, seat)[0], now=now + HOUR)
    overtime.expire(matches, now + 20 * HOUR)  # somebody is late
    worker = worker_of(service)
    worker.tick(now + 20 * HOUR)
    undone = [mail for mail in mails(service, kind="turn") if mail["X-Estafette-Game"] == match_id]
    upkeep.rewind(matches, match_id, before, "a mistake", now=now + 21 * HOUR, who="operator")
    view = matches.view(match_id, None)
    assert view.version == before
    assert len(view.waiting_for) == 3
    assert {seat.due_at for seat in view.waiting_for} == {now + 31 * HOUR}
    for name in ("Ann", "Ben", "Cat"):
        assert not any(late for _, late in answers_of(service, name, now)), "what was undone counts for nothing"
    told = len(mails(service, "Ann", "notice"))
    worker.tick(now + 21 * HOUR)
    assert len(mails(service, "Ann", "notice")) == told + 1, "one mail explains"
    for mail in undone:
        page = Browser(site).get(url_in(mail, "/m/"))
        assert page.status == 200
        assert page.offers() == [], "the decision of that mail is over"
    for seat in (1, 2, 3):
        matches.play(link_of(matches, match_id, seat), answers(matches, match_id, seat)[0], now=now + 22 * HOUR)
    assert matches.view(match_id, None).version == before + 3


def test_case_B42_a_finished_match_taken_back_has_no_winner_and_its_luck_is_the_same(
    service: Service, matches: Matches, now: datetime
) -> None:
    match_id = a_match(matches, now, options={"short": True})
    play_to_the_end(matches, match_id, now)
    end = matches.view(match_id, None)
    assert end.outcome
    upkeep.rewind(matches, match_id, end.version - 3, "a mistake", now=now + HOUR, who="operator")
    view = matches.view(match_id, None)
    assert (view.status, view.outcome) == ("running", None)
    play_first(matches, match_id, now + HOUR, view.waiting_for[0].number)
    play_to_the_end(matches, match_id, now + HOUR)
    assert commitment(matches.record(match_id)["seed"]) == end.commitment

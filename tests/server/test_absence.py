"""Own hours, vacations and reminders of a player, as they reach clocks, letters, pages and the others."""

from __future__ import annotations

import threading
from contextlib import suppress
from datetime import UTC, datetime, timedelta

import pytest
from sqlmodel import select

from db import queries
from db.models import Move, Player
from emails.language import tongue
from server import absence, accounts, overtime, upkeep
from server.matches import Matches, Stale
from server.service import Service
from tests.server.browsing import Browser, sign_in
from tests.server.builders import (
    HOUR,
    a_match,
    address_of,
    answers,
    letters,
    link_of,
    mails,
    play_first,
    play_turn,
    text_of,
    worker_of,
)

DAY = timedelta(days=1)


def player(service: Service, name: str) -> Player:
    with service.store.reading() as session:
        found = queries.players.by_address(session, address_of(name))
    assert found is not None
    return found


def sleeps(
    service: Service, name: str, now: datetime, zone: str = "Europe/Brussels", off: tuple[str, ...] = ()
) -> None:
    absence.set_hours(
        service.store, player(service, name).id, zone=zone, night_from="22:00", night_to="07:00", off=off, now=now
    )


def due(matches: Matches, match_id: str, seat: int = 1) -> datetime | None:
    return matches.view(match_id, None).seats[seat - 1].due_at


# Monday the 30th of November 2026, 9:15 UTC, a quarter past ten in Brussels


def test_the_night_of_the_player_who_is_asked_stops_the_clock(
    service: Service, matches: Matches, now: datetime
) -> None:
    match_id = a_match(matches, now, pace="day")
    sleeps(service, "Ann", now)
    # 11 h 45 until ten in the evening, 12 h 15 from seven in the morning on
    assert due(matches, match_id) == datetime(2026, 12, 1, 18, 15, tzinfo=UTC)


def test_a_match_without_rest_does_not_stop_for_a_night(service: Service, matches: Matches, now: datetime) -> None:
    match_id = a_match(matches, now, pace={"hours": 24, "night": 0, "days": 0, "vacation": False})
    sleeps(service, "Ann", now)
    assert due(matches, match_id) == now + DAY


def test_changed_hours_count_from_now_on_and_not_before(service: Service, matches: Matches, now: datetime) -> None:
    match_id = a_match(matches, now, pace="day")
    morning = now + 21 * HOUR + 15 * 60 * timedelta(seconds=1)  # half past six UTC: the night is over in half an hour
    sleeps(service, "Ann", morning, zone="UTC")
    used = morning - now
    assert due(matches, match_id) == datetime(2026, 12, 1, 7, tzinfo=UTC) + DAY - used


def test_hours_cannot_be_moved_along_with_the_clock(service: Service, matches: Matches, now: datetime) -> None:
    a_match(matches, now)
    sleeps(service, "Ann", now)
    with pytest.raises(ValueError, match="can be changed again in 18 hours"):
        sleeps(service, "Ann", now + 2 * HOUR, zone="Asia/Tokyo")
    assert player(service, "Ann").zone == "Europe/Brussels"
    sleeps(service, "Ann", now + 21 * HOUR, zone="Asia/Tokyo")
    assert player(service, "Ann").zone == "Asia/Tokyo"


def test_the_mail_of_a_turn_waits_for_the_morning(service: Service, matches: Matches, now: datetime) -> None:
    match_id = a_match(matches, now)
    sleeps(service, "Ben", now)
    worker = worker_of(service)
    evening = datetime(2026, 11, 30, 22, tzinfo=UTC)
    play_turn(matches, match_id, evening)
    worker.tick(evening)
    worker.tick(evening + 6 * HOUR)
    assert mails(service, "Ben", "turn") == []
    worker.tick(datetime(2026, 12, 1, 6, tzinfo=UTC))
    assert len(mails(service, "Ben", "turn")) == 1
    assert due(matches, match_id, 2) == datetime(2026, 12, 5, 18, tzinfo=UTC)  # 15 hours a day


def test_a_mail_that_the_server_refused_all_evening_does_not_come_at_night(
    service: Service, matches: Matches, now: datetime
) -> None:
    evening = datetime(2026, 11, 30, 20, 59, tzinfo=UTC)
    a_match(matches, evening)
    sleeps(service, "Ann", evening)
    worker = worker_of(service)
    worker.tick(evening + HOUR)
    assert mails(service, "Ann", "turn") == []
    assert {letter.state for letter in letters(service, kind="turn")} == {"waiting"}
    worker.tick(datetime(2026, 12, 1, 6, tzinfo=UTC))
    assert len(mails(service, "Ann", "turn")) == 1


def test_a_vacation_stops_the_clock_and_the_others_see_until_when(
    service: Service, matches: Matches, browser: Browser
) -> None:
    now = service.now()
    match_id = a_match(matches, now, pace={"hours": 24})
    today = now.date()
    absence.go_away(service.store, player(service, "Ann").id, str(today), str(today + 4 * DAY), now)
    back = datetime(today.year, today.month, today.day, tzinfo=UTC) + 5 * DAY
    assert due(matches, match_id) == back + DAY
    page = browser.get(f"/g/{match_id}")
    assert "Ann is away until" in page.text
    absence.come_back(service.store, player(service, "Ann").id, now + HOUR)
    assert due(matches, match_id) == now + HOUR + DAY
    assert due(matches, match_id, 2) is None


def test_a_letter_that_waited_for_the_end_of_a_vacation_comes_when_its_reader_is_back_early(
    service: Service, matches: Matches, now: datetime
) -> None:
    match_id = a_match(matches, now)
    absence.go_away(service.store, player(service, "Ben").id, "2026-11-30", "2026-12-20", now)
    play_turn(matches, match_id, now)
    worker = worker_of(service)
    worker.tick(now + DAY)
    assert mails(service, "Ben", "turn") == []
    absence.come_back(service.store, player(service, "Ben").id, now + 2 * DAY)
    worker.tick(now + 2 * DAY)
    assert len(mails(service, "Ben", "turn")) == 1


def test_no_reminder_comes_on_vacation_and_none_twice_after_it(
    service: Service, matches: Matches, now: datetime
) -> None:
    a_match(matches, now, pace={"hours": 10, "vacation": True})
    worker = worker_of(service)
    worker.tick(now + 6 * HOUR)
    absence.go_away(service.store, player(service, "Ann").id, "2026-11-30", "2026-12-03", now + 6 * HOUR)
    back = datetime(2026, 12, 4, tzinfo=UTC)
    for hours in range(6, 96):
        worker.tick(now + hours * HOUR)
    told = [
        (mail["Date"].datetime, letter.data["threshold"])
        for mail, letter in zip(mails(service, "Ann", "reminder"), letters(service, kind="reminder"), strict=True)
    ]
    half, four_fifths = told
    assert half == (now + 6 * HOUR, "50%")
    assert four_fifths[1] == "80%"
    assert back + 2 * HOUR <= four_fifths[0] <= back + 3 * HOUR


def test_each_player_chooses_when_to_be_reminded(service: Service, matches: Matches, now: datetime) -> None:
    a_match(matches, now, people=("Ann", "Ben"), pace={"hours": 24})
    absence.set_reminders(service.store, player(service, "Ann").id, "12h, 2h", now)
    assert overtime.remind(matches, now + 11 * HOUR) == 0
    assert overtime.remind(matches, now + 12 * HOUR) == 1
    assert overtime.remind(matches, now + 22 * HOUR) == 1
    assert [letter.data["threshold"] for letter in letters(service, kind="reminder")] == ["12h", "2h"]


def test_whoever_wants_no_reminders_gets_none(service: Service, matches: Matches, now: datetime) -> None:
    a_match(matches, now, pace={"hours": 10})
    absence.set_reminders(service.store, player(service, "Ann").id, "", now)
    assert overtime.remind(matches, now + 9 * HOUR) == 0
    assert letters(service, kind="reminder") == []


def test_case_B49_page_mail_and_worker_name_the_same_instant_each_in_the_readers_zone(
    service: Service, matches: Matches, browser: Browser
) -> None:
    now = service.now()
    people = {"Ann": "Pacific/Kiritimati", "Ben": "Pacific/Honolulu", "Cat": "Europe/Brussels", "Dan": ""}
    for name, zone in people.items():
        match_id = a_match(matches, now, people=(name, "Gus"), pace={"hours": 24})
        accounts.change(
            service, player(service, name).id, name=name, zone=zone, language="en",
            mute_all=False, mute_reminders=False,
        )  # fmt: skip
        worker_of(service).tick(now)
        (mail,) = mails(service, name, "turn")
        up = due(matches, match_id)
        assert up == now + 24 * HOUR
        said = tongue("en").moment(up, zone or None)
        assert said.split(", ")[-1] in text_of(mail).replace("\n", " ")
        page = browser.get(service.links.move_url(link_of(matches, match_id)))
        assert said in page.text
        assert said in " ".join(text_of(mail).split())
        assert ("UTC" in said) == (not zone)
        assert overtime.expire(matches, up - timedelta(seconds=1)) == 0
        assert overtime.expire(matches, up) == 1
        upkeep.abort(matches, match_id, "enough", now=now, who="test")


def test_a_zone_changed_in_the_middle_of_a_turn_changes_how_it_reads_and_not_when_it_is(
    service: Service, matches: Matches, now: datetime
) -> None:
    match_id = a_match(matches, now, pace={"hours": 24})
    before = due(matches, match_id)
    accounts.change(
        service, player(service, "Ann").id, name="Ann", zone="Pacific/Kiritimati", language="en",
        mute_all=False, mute_reminders=False,
    )  # fmt: skip
    assert due(matches, match_id) == before


def test_time_cannot_be_won_by_taking_moves_or_sealed_answers_back(matches: Matches, now: datetime) -> None:
    match_id = a_match(matches, now, pace={"hours": 10})
    link = link_of(matches, match_id)
    up = due(matches, match_id)
    play_first(matches, match_id, now + HOUR, 1, "take")
    if matches.view(match_id, 1).may_undo:
        matches.undo(link, now=now + 2 * HOUR)
    assert due(matches, match_id) == up


def test_the_account_page_keeps_hours_reminders_and_vacation(
    service: Service, matches: Matches, browser: Browser
) -> None:
    a_match(matches, service.now())
    sign_in(service, browser, "Ann")
    page = browser.press(
        browser.get("/me"), "Save these hours", night_from="22:30", night_to="7:00", off="Sunday", reminders="6h"
    )
    assert "Saved." in page.text
    kept = player(service, "Ann")
    assert kept.hours is not None
    assert (kept.hours["night"], kept.hours["off"], kept.reminders) == ([1350, 420], [6], "6h")
    first, last = (str((service.now() + days * DAY).date()) for days in (10, 12))
    page = browser.press(page, "Go on vacation", first=first, last=last)
    assert "27 of 30 days are left" in page.text or first[:4] != last[:4]
    page = browser.press(page, "Give it up")
    assert player(service, "Ann").away == []
    page = browser.press(page, "Go on vacation", first="2020-01-01", last=last)
    assert "begins today" in page.text
    assert page.status == 422


def test_of_move_expiry_and_vacation_at_one_instant_exactly_one_wins(
    service: Service, matches: Matches, browser: Browser, now: datetime
) -> None:
    for day in range(10, 16):
        match_id = a_match(matches, now, pace={"hours": 10})
        _race(service, matches, browser, match_id, now + 10 * HOUR, f"2026-12-{day}")


def _race(service: Service, matches: Matches, browser: Browser, match_id: str, up: datetime, day: str) -> None:
    """A move, an expiry and a vacation at the instant when the time is up; then log, page, mail and rows agree."""
    other, barrier, ann = Matches(service.store), threading.Barrier(3), player(service, "Ann").id
    link, done = link_of(matches, match_id), {"moved": False, "expired": False, "away": False}
    whole_turn = f"{answers(matches, match_id)[0]}; end"

    def move() -> None:
        barrier.wait()
        with suppress(Stale):
            matches.play(link, whole_turn, now=up)
            done["moved"] = True

    def expire() -> None:
        barrier.wait()
        done["expired"] = overtime.expire(other, up) > 0

    def leave() -> None:
        barrier.wait()
        absence.go_away(service.store, ann, day, day, up)
        done["away"] = True

    threads = [threading.Thread(target=work) for work in (move, expire, leave)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert done["away"]
    assert done["moved"] != done["expired"], "exactly one of them decides"
    with service.store.reading() as session:
        rows = session.exec(select(Move).where(Move.match_id == match_id, Move.seat == 1)).all()
    assert {row.by for row in rows} == {"player" if done["moved"] else "clock"}
    assert [(row.took, row.late) for row in rows if row.took] == [(10 * HOUR, done["expired"])], (
        "moved in time is not late"
    )
    fresh = Matches(service.store)
    for viewer in (None, 1, 2):
        assert (
            fresh.position(match_id, viewer) == matches.position(match_id, viewer) == other.position(match_id, viewer)
        )
    by_the_clock = [letter for letter in letters(service, kind="notice", match_id=match_id) if letter.seat == 1]
    assert len(by_the_clock) == done["expired"]
    assert matches.standing(link) == "over"
    page = browser.get(service.links.move_url(link))
    assert page.offers() == [], "the page says so too"
    worker_of(service).tick(up)
    told = [text_of(mail) for mail in mails(service, "Ann", "notice") if mail["X-Estafette-Game"] == match_id]
    assert [text for text in told if "the house moved for you" in text] == told[: int(done["expired"])]
    assert [mail for mail in mails(service, "Ben", "turn") if mail["X-Estafette-Game"] == match_id]
    upkeep.abort(matches, match_id, "enough", now=up, who="test")

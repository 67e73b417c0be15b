"""A player's own rhythm of mail: at once, later, together, daily; who decides meanwhile gets none."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from email.message import EmailMessage

import pytest
from flask import Flask

from db import queries
from db.models import Player
from server import accounts, fresh_links, reach
from server.inbound import take_in
from server.matches import Matches
from server.rhythm import wanted_at
from server.service import Service
from tests.server.browsing import Browser, sign_in, url_in
from tests.server.builders import (
    HOUR,
    a_match,
    address_of,
    letters,
    link_of,
    mails,
    play_first,
    play_turn,
    text_of,
    worker_of,
)
from tests.stories.mail_programs import reply

MINUTE = timedelta(minutes=1)


def set_rhythm(service: Service, rhythm: str, *, minutes: int = 30, hour: int = 18, name: str = "Ann") -> str:
    """The player's id."""
    with service.store.reading() as session:
        player = queries.players.by_address(session, address_of(name))
    assert player is not None
    accounts.set_rhythm(service, player.id, rhythm=rhythm, minutes=minutes, hour=hour)
    return player.id


def turns(service: Service, name: str = "Ann") -> list[EmailMessage]:
    return mails(service, name, "turn")


# When a mail is wanted


def somebody(**columns: object) -> Player:
    return Player(
        name="Ann", email="a@b.example", email_key="a", created_at=datetime(2026, 1, 1, tzinfo=UTC), **columns
    )


@pytest.mark.parametrize(
    ("zone", "asked_at", "wanted"),
    [
        (None, "2026-11-30T09:15", "2026-11-30T18:00"),
        (None, "2026-11-30T18:00", "2026-12-01T18:00"),
        ("Europe/Brussels", "2026-11-30T16:59", "2026-11-30T17:00"),
        ("Europe/Brussels", "2026-03-28T18:00", "2026-03-29T16:00"),  # the clocks go forward in between
        ("Europe/Brussels", "2026-10-24T17:00", "2026-10-25T17:00"),  # and back
        ("Pacific/Auckland", "2026-11-30T09:15", "2026-12-01T05:00"),
    ],
)
def test_once_a_day_is_at_the_hour_of_the_players_zone(zone: str | None, asked_at: str, wanted: str) -> None:
    player = somebody(rhythm="daily", rhythm_hour=18, zone=zone)
    found = wanted_at(player, datetime.fromisoformat(asked_at).replace(tzinfo=UTC))
    assert found == datetime.fromisoformat(wanted).replace(tzinfo=UTC)


def test_an_hour_that_a_day_does_not_have_is_when_it_is_skipped() -> None:
    player = somebody(rhythm="daily", rhythm_hour=2, zone="Europe/Brussels")
    assert wanted_at(player, datetime(2026, 3, 28, 12, tzinfo=UTC)) == datetime(2026, 3, 29, 1, tzinfo=UTC)


# Later


def test_at_once_is_at_once(service: Service, matches: Matches, now: datetime) -> None:
    a_match(matches, now)
    worker_of(service).tick(now)
    assert len(turns(service)) == 1


def test_later_comes_later_if_it_is_still_the_players_turn(service: Service, matches: Matches, now: datetime) -> None:
    match_id = a_match(matches, now)
    set_rhythm(service, "later", minutes=45)
    for minutes, expected in ((0, 0), (44, 0), (46, 1), (90, 1)):
        worker_of(service).tick(now + minutes * MINUTE)
        assert len(turns(service)) == expected
    assert link_of(matches, match_id)


def test_who_decides_meanwhile_gets_no_mail(service: Service, matches: Matches, now: datetime) -> None:
    match_id = a_match(matches, now)
    set_rhythm(service, "later", minutes=45)
    worker_of(service).tick(now)
    play_turn(matches, match_id, now + 10 * MINUTE)
    worker_of(service).tick(now + HOUR)
    assert turns(service) == []
    assert [(letter.state, letter.why) for letter in letters(service, kind="turn", seat=1)] == [
        ("dropped", "the decision is over")
    ]


def test_a_mail_that_would_come_too_late_comes_at_once(service: Service, matches: Matches, now: datetime) -> None:
    a_match(matches, now, pace="hour")
    set_rhythm(service, "daily", hour=18)
    worker_of(service).tick(now)
    assert len(turns(service)) == 1


def test_reminders_come_in_their_time(service: Service, matches: Matches, now: datetime) -> None:
    a_match(matches, now, pace="day")
    set_rhythm(service, "daily", hour=8)
    worker_of(service).tick(now)
    worker_of(service).tick(now + 12 * HOUR + MINUTE)
    assert (len(turns(service)), len(mails(service, "Ann", "reminder"))) == (0, 1)


def test_a_link_that_is_asked_for_comes_at_once(service: Service, matches: Matches, now: datetime) -> None:
    match_id = a_match(matches, now)
    set_rhythm(service, "daily")
    worker_of(service).tick(now)
    fresh_links.send(matches, link_of(matches, match_id), now=now)
    worker_of(service).tick(now)
    assert len(turns(service)) == 1


def test_a_receipt_comes_at_once(service: Service, matches: Matches, now: datetime) -> None:
    a_match(matches, now)
    worker_of(service).tick(now)
    set_rhythm(service, "daily")
    take_in(service, reply(turns(service)[0], "take 1L").raw, now=now)
    worker_of(service).tick(now)
    assert len(mails(service, "Ann", "receipt")) == 1


# Together


def test_one_match_that_waits_comes_as_a_usual_mail(service: Service, matches: Matches, now: datetime) -> None:
    a_match(matches, now)
    set_rhythm(service, "together", minutes=20)
    worker_of(service).tick(now + 21 * MINUTE)
    assert len(turns(service)) == 1
    assert turns(service)[0]["Reply-To"]
    assert mails(service, "Ann", "waiting") == []


def test_all_matches_that_wait_come_in_one_mail(service: Service, matches: Matches, now: datetime) -> None:
    a_match(matches, now, pace="week")
    set_rhythm(service, "together", minutes=20)
    ids = [a_match(matches, now + minutes * MINUTE, pace="day") for minutes in (5, 19)]
    for minutes in range(0, 120, 4):
        worker_of(service).tick(now + minutes * MINUTE)
    assert turns(service) == []
    [mail] = mails(service, "Ann", "waiting")
    assert mail["Subject"] == "3 matches wait for your decision."
    text = text_of(mail)
    assert text.count("/m/") == 3
    assert text.index(f"#{ids[0]}") < text.index(f"#{ids[1]}"), "the most urgent first"
    assert text.count("By ") == 3


def test_what_comes_after_that_mail_gets_one_of_its_own(service: Service, matches: Matches, now: datetime) -> None:
    for _ in range(2):
        a_match(matches, now)
    set_rhythm(service, "together", minutes=20)
    worker_of(service).tick(now + 21 * MINUTE)
    assert len(mails(service, "Ann", "waiting")) == 1
    a_match(matches, now + 30 * MINUTE)
    worker_of(service).tick(now + 51 * MINUTE)
    assert len(mails(service, "Ann", "waiting")) == 2
    assert mails(service, "Ann", "waiting")[1]["Subject"] == "3 matches wait for your decision."


def test_what_was_in_that_mail_comes_in_none_of_its_own(service: Service, matches: Matches, now: datetime) -> None:
    first, _ = (a_match(matches, now + minutes * MINUTE) for minutes in (0, 15))
    set_rhythm(service, "together", minutes=20)
    worker_of(service).tick(now + 21 * MINUTE)
    assert len(mails(service, "Ann", "waiting")) == 1
    play_turn(matches, first, now + 25 * MINUTE)
    worker_of(service).tick(now + 36 * MINUTE)
    assert turns(service) == []


def test_what_was_decided_meanwhile_is_not_in_the_mail(service: Service, matches: Matches, now: datetime) -> None:
    ids = [a_match(matches, now) for _ in range(3)]
    set_rhythm(service, "together", minutes=20)
    play_turn(matches, ids[0], now)
    worker_of(service).tick(now + 21 * MINUTE)
    [mail] = mails(service, "Ann", "waiting")
    assert f"#{ids[0]}" not in text_of(mail)


def test_a_muted_match_is_not_in_the_mail(service: Service, matches: Matches, now: datetime) -> None:
    ids = [a_match(matches, now) for _ in range(3)]
    ann = set_rhythm(service, "together", minutes=20)
    with service.store.writing() as session:
        queries.seats.mute(session, ann, ids[1])
    worker_of(service).tick(now + 21 * MINUTE)
    [mail] = mails(service, "Ann", "waiting")
    assert f"#{ids[1]}" not in text_of(mail)


def test_the_links_of_the_mail_lead_to_the_decisions(
    service: Service, matches: Matches, now: datetime, site: Flask
) -> None:
    for _ in range(2):
        a_match(matches, now)
    set_rhythm(service, "together", minutes=20)
    worker_of(service).tick(now + 21 * MINUTE)
    page = Browser(site).get(url_in(mails(service, "Ann", "waiting")[0], "/m/"))
    assert page.headings[0] == "Ann"


def test_once_a_day_all_that_waits_comes_at_the_players_hour(service: Service, matches: Matches, now: datetime) -> None:
    for hours in range(3):
        a_match(matches, now + hours * HOUR)
    set_rhythm(service, "daily", hour=18)
    worker_of(service).tick(now + 8 * HOUR)  # 17:15
    assert turns(service) == mails(service, "Ann", "waiting") == []
    worker_of(service).tick(now + 9 * HOUR)  # 18:15
    assert len(mails(service, "Ann", "waiting")) == 1
    worker_of(service).tick(now + 20 * HOUR)
    assert len(mails(service, "Ann", "waiting")) == 1
    assert turns(service) == []


def test_after_the_way_back_what_waits_is_mailed_again(service: Service, matches: Matches, now: datetime) -> None:
    for _ in range(2):
        a_match(matches, now)
    ann = set_rhythm(service, "together", minutes=20)
    with service.store.writing() as session:
        queries.players.pause(session, ann, why="the mailbox is closed", now=now)
    worker_of(service).tick(now + 21 * MINUTE)
    with service.store.writing() as session:
        assert reach.again(session, ann, now + HOUR)
    worker_of(service).tick(now + HOUR)
    assert len(mails(service, "Ann", "waiting")) == 1


# The account page


def test_the_rhythm_is_set_on_the_account_page(service: Service, browser: Browser, matches: Matches) -> None:
    a_match(matches, service.now())
    sign_in(service, browser, "Ann")
    page = browser.get("/me")
    form = page.form(field="rhythm")
    assert form.fields["rhythm"] == "at once"
    page = browser.post(form.action, {"rhythm": "daily", "minutes": "15", "hour": "7"})
    assert "Saved." in page.text
    assert page.form(field="rhythm").fields == {"rhythm": "daily", "minutes": "15", "hour": "7"}


@pytest.mark.parametrize(
    "wrong",
    [
        {"rhythm": "never"},
        {"minutes": "0"},
        {"minutes": "1441"},
        {"hour": "24"},
        {"hour": "-1"},
        {"minutes": "½"},
        {"hour": ""},
    ],
)
def test_what_is_no_rhythm_is_a_sentence(
    service: Service, browser: Browser, matches: Matches, wrong: dict[str, str]
) -> None:
    a_match(matches, service.now())
    sign_in(service, browser, "Ann")
    page = browser.post("/me/rhythm", {"rhythm": "later", "minutes": "5", "hour": "7"} | wrong)
    assert page.status == 422
    assert "Mails come at once, after 1 to 1440 minutes, or at a whole hour from 0 to 23." in page.text


def test_a_move_of_the_own_turn_makes_no_second_mail(service: Service, matches: Matches, now: datetime) -> None:
    """Who takes and is asked again goes on; the mail that waits is about the same stretch."""
    match_id = a_match(matches, now)
    set_rhythm(service, "later", minutes=45)
    play_first(matches, match_id, now, verb="take")
    worker_of(service).tick(now + HOUR)
    assert len(turns(service)) == 1

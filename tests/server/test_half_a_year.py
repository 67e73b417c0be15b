"""Half a year of 200 players in 30 zones: reminders against a second reading of the rules, minute by minute.

Clocks change twice in it; the mail server and ours have outages; a worker is killed at its work, and there are two.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
import sqlalchemy as core
from sqlmodel import Session, select

from db import queries, table
from db.models import Letter
from emails import letters as written
from emails import outbox
from emails.letters import Content
from emails.mime import Mail
from emails.transport import Delivery, Phase, Status
from server import absence, mailing, overtime, standstill
from server.matches import Stale
from server.rules.asking import Refused
from server.service import SEEN_KEY, Service
from tests.server.builders import a_match, a_service, worker_of

STEP = timedelta(minutes=15)
HOUR = timedelta(hours=1)
DAY = timedelta(days=1)
START = datetime(2026, 10, 5, 0, 0, tzinfo=UTC)
END = START + 180 * DAY
GIVEN = 240 * HOUR

ZONES = (
    *("Pacific/Kiritimati", "Pacific/Auckland", "Pacific/Fiji", "Australia/Sydney", "Australia/Adelaide"),
    *("Australia/Lord_Howe", "Asia/Tokyo", "Asia/Shanghai", "Asia/Kathmandu", "Asia/Kolkata", "Asia/Karachi"),
    *("Asia/Tehran", "Asia/Dubai", "Africa/Nairobi", "Europe/Istanbul", "Europe/Helsinki", "Africa/Cairo"),
    *("Europe/Brussels", "Europe/London", "Africa/Casablanca", "Atlantic/Azores", "America/Sao_Paulo"),
    *("America/St_Johns", "America/Halifax", "America/New_York", "America/Chicago", "America/Denver"),
    *("America/Los_Angeles", "Pacific/Honolulu", "America/Havana"),
)


_SEAT = table.SEAT.c
_ASKED = core.select(_SEAT.match_id, _SEAT.number, _SEAT.asked, _SEAT.asked_at, _SEAT.player_id).where(
    _SEAT.asked.is_not(None)
)


class Killed(BaseException):
    """The process ends here."""


@dataclass
class Person:
    """What the test itself knows of somebody's hours: since when, which."""

    name: str
    id: str = ""
    hours: list[tuple[datetime, str, tuple[int, int] | None, frozenset[int]]] = field(default_factory=list)
    away: list[tuple[datetime, datetime]] = field(default_factory=list)

    def quiet(self, moment: datetime) -> bool:
        """Read off the clocks on the wall, without any arithmetic."""
        if any(start <= moment < until for start, until in self.away):
            return True
        _, zone, night, off = [each for each in self.hours if each[0] <= moment][-1]
        there = moment.astimezone(ZoneInfo(zone))
        minute = there.hour * 60 + there.minute
        at_night = night is not None and (
            night[0] <= minute < night[1] if night[0] < night[1] else minute >= night[0] or minute < night[1]
        )
        return at_night or there.weekday() in off


@dataclass
class Decision:
    match_id: str
    seat: int
    asked: int
    person: Person
    asked_at: datetime
    ended_at: datetime | None = None
    acts_at: datetime = END


class Post:
    """A mail server that takes note, is away now and then, and during which a worker may be killed."""

    def __init__(self) -> None:
        self.now = START
        self.away: list[tuple[datetime, datetime]] = []
        self.kill_next = False
        self.got: list[tuple[datetime, str, str]] = []

    @contextmanager
    def connection(self) -> Iterator[Post]:
        yield self

    def deliver(self, raw: bytes, envelope_from: str, rcpt: str) -> Delivery:
        if any(start <= self.now < until for start, until in self.away):
            return Delivery(Status.LATER, Phase.CONNECT, None, "no answer")
        if self.kill_next:
            self.kill_next = False
            raise Killed
        head = raw.partition(b"\r\n\r\n")[0].decode()
        fields = dict(line.split(": ", 1) for line in head.split("\r\n") if ": " in line and line[0] != " ")
        self.got.append((self.now, fields["X-Estafette-Kind"], fields["Message-ID"]))
        return Delivery(Status.SENT, Phase.DOT, 250, "2.0.0 kept")


class Year:
    """The world of the test: players who act when they please, two workers, and what goes wrong."""

    def __init__(self, services: list[Service], luck: random.Random) -> None:
        self.services, self.luck = services, luck
        self.service, self.matches = services[0], services[0].matches
        self.workers = [worker_of(service) for service in services]
        self.people: dict[str, Person] = {}
        self.open: dict[tuple[str, int], Decision] = {}
        self.done: list[Decision] = []
        self.down: list[tuple[datetime, datetime]] = []
        self.post = Post()
        for service in services:
            object.__setattr__(service, "transport", self.post)

    def begin(self) -> None:
        names = [f"Player{number}" for number in range(200)]
        for number in range(0, 200, 4):
            a_match(self.matches, START, people=names[number : number + 4], pace={"hours": GIVEN / HOUR})
        with self.service.store.reading() as session:
            for name in names:
                found = queries.players.by_address(session, f"{name.casefold()}@players.example")
                assert found is not None
                self.people[found.id] = Person(name, found.id, [(START, "UTC", None, frozenset())])
        for number, person in enumerate(self.people.values()):
            self.set_hours(person, ZONES[number % len(ZONES)], START)
        self.look(START)

    def set_hours(self, person: Person, zone: str, now: datetime) -> None:
        evening = self.luck.randrange(20 * 4, 26 * 4) * 15 % 1440
        night = (evening, (evening + self.luck.randrange(4 * 4, 10 * 4 + 1) * 15) % 1440)
        night_or_none = night if self.luck.random() < 0.8 else None
        off = frozenset(self.luck.sample(range(7), self.luck.choice((0, 0, 1, 2, 2))))
        told = [f"{minute // 60:02}:{minute % 60:02}" for minute in night_or_none] if night_or_none else ["", ""]
        absence.set_hours(
            self.service.store, person.id, zone=zone, night_from=told[0], night_to=told[1], off=tuple(off), now=now
        )
        person.hours.append((now, zone, night_or_none, off))

    def go_away(self, person: Person, now: datetime) -> None:
        zone = ZoneInfo(person.hours[-1][1])
        today = now.astimezone(zone).date()
        first, last = today + timedelta(days=self.luck.randrange(3)), today + timedelta(days=self.luck.randrange(3, 12))
        try:
            absence.go_away(self.service.store, person.id, str(first), str(last), now)
        except ValueError:  # the budget, or another vacation
            return
        start = max(now, _midnight(first, zone))
        person.away.append((start, _midnight(last + DAY, zone)))

    # -- what happens ----------------------------------------------------------------------------------------

    def run(self) -> None:
        now, whims = START, START + DAY
        outages = self.outages()
        while now < END:
            now = max(now + STEP, min(self.next_moment(now), whims, outages[0][0] if outages else END))
            self.post.now = now
            if outages and now >= outages[0][0]:
                now = self.outage(*outages.pop(0))
                self.post.now = now
            if now >= whims:
                whims += DAY
                self.whim(now)
            self.act(now)
            self.tick(now)
            self.look(now)

    def next_moment(self, now: datetime) -> datetime:
        with self.service.store.reading() as session:
            due = queries.oversight.next_due(session) or END
        moment = min(due, *(each.acts_at for each in self.open.values()), END)
        return START + -(-(moment - START) // STEP) * STEP  # up to the next quarter of an hour

    def outages(self) -> list[tuple[datetime, datetime]]:
        starts = sorted(START + self.luck.randrange(5 * 96, 175 * 96) * STEP for _ in range(8))
        found = [(start, start + self.luck.choice((1, 3, 20, 60)) * HOUR) for start in starts]
        apart = [found[0]]
        for each in found[1:]:
            if each[0] > apart[-1][1] + DAY:
                apart.append(each)
        mail = sorted(START + self.luck.randrange(5 * 96, 175 * 96) * STEP for _ in range(6))
        self.post.away = [(start, start + self.luck.choice((2, 9)) * HOUR) for start in mail]
        return apart

    def outage(self, start: datetime, until: datetime) -> datetime:
        """Nothing runs; then two workers wake at once, and the time is given back."""
        self.down.append((start, until))
        with self.service.store.writing() as session:
            queries.world.put(session, SEEN_KEY, start.isoformat())
        given = [standstill.after_downtime(service.store, until) for service in self.services]
        assert given == [until - start, None]
        return until

    def whim(self, now: datetime) -> None:
        """Somebody goes on vacation, somebody moves to another zone."""
        people = list(self.people.values())
        if self.luck.random() < 0.5:
            self.go_away(self.luck.choice(people), now)
        if self.luck.random() < 0.1:
            person = self.luck.choice(people)
            if person.hours[-1][0] < now - 2 * DAY:
                self.set_hours(person, self.luck.choice(ZONES), now)

    def act(self, now: datetime) -> None:
        for decision in [each for each in self.open.values() if each.acts_at <= now]:
            matches = self.luck.choice(self.services).matches
            link = matches.link_of(decision.match_id, decision.seat)
            while link is not None and link.asked == decision.asked:
                view = matches.view(decision.match_id, decision.seat)
                if view.decision is None:
                    break
                text = self.luck.choice([choice.text for choice in view.decision.choices])
                try:
                    matches.play(link, text, now=now)
                except (Refused, Stale):
                    break
                link = matches.link_of(decision.match_id, decision.seat)

    def tick(self, now: datetime) -> None:
        first, second = self.luck.sample(self.workers, 2)
        fate = self.luck.random()
        if fate < 0.02:
            self.post.kill_next = True
        try:
            if 0.02 <= fate < 0.04:
                self.killed_while_reminding(now)
            first.tick(now)
        except Killed:
            pass
        self.post.kill_next = False
        if fate < 0.3:
            second.tick(now)

    def killed_while_reminding(self, now: datetime) -> None:
        kept = table.set_reminders

        def dies(session: Session, changes: Any) -> None:
            raise Killed

        table.set_reminders = dies
        try:
            overtime.remind(self.matches, now)
        finally:
            table.set_reminders = kept

    def look(self, now: datetime) -> None:
        """Which decisions are open now; those that are not any more have ended."""
        with self.service.store.reading() as session:
            rows = session.connection().execute(_ASKED).all()
        asked = {(row.match_id, row.number): row for row in rows}
        for key, decision in list(self.open.items()):
            if key not in asked or asked[key].asked != decision.asked:
                decision.ended_at = now
                self.done.append(self.open.pop(key))
        for key, row in asked.items():
            if (
                key not in self.open
                and row.asked_at is not None
                and row.player_id is not None
                and row.asked is not None
            ):
                delay = self.luck.choice((2, 300, 500, 700, 900)) * HOUR
                delay += self.luck.randrange(96) * STEP
                self.open[key] = Decision(
                    row.match_id, row.number, row.asked, self.people[row.player_id], row.asked_at,
                    acts_at=row.asked_at + delay,
                )  # fmt: skip


def _midnight(day: date, zone: ZoneInfo) -> datetime:
    return datetime(day.year, day.month, day.day, tzinfo=zone).astimezone(UTC)


def expected(decision: Decision, down: list[tuple[datetime, datetime]]) -> dict[str, datetime]:
    """When which reminder has to come, counted quarter by quarter; without those that the end came before."""
    assert decision.ended_at is not None
    used, found, pending = timedelta(), {}, dict.fromkeys(())
    at = decision.asked_at
    while at < decision.ended_at:
        stopped = any(start <= at < until for start, until in down)
        quiet = decision.person.quiet(at)
        if not stopped and not quiet:
            for threshold in pending:
                found[threshold] = at
            pending.clear()
        for threshold, share in (("50%", 0.5), ("80%", 0.8)):
            if used >= GIVEN * share and threshold not in found and threshold not in pending:
                if stopped or quiet:
                    pending[threshold] = None
                else:
                    found[threshold] = at
        if not stopped and not quiet:
            used += STEP
        at += STEP
    return found


@pytest.mark.slow
def test_half_a_year_of_200_players_brings_every_reminder_once_and_in_time(
    database_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(written, "_letter", lambda *told, **facts: Content("subject", "text", "<p>text</p>"))
    monkeypatch.setattr(mailing.Mailing, "_asking", lambda *told: (Content("subject", "text", ""), mailing._Terms()))
    monkeypatch.setattr(mailing, "_drawing", lambda view: None)
    monkeypatch.setattr(outbox, "compose", _in_short)
    luck = random.Random(20261130)
    services = [a_service(database_url, tmp_path) for _ in range(2)]
    year = Year(services, luck)
    year.begin()
    year.run()
    reminders = _reminders(services[0])
    assert len(year.done) > 600
    assert len(reminders) > 400

    sent = [message for _, kind, message in year.post.got if kind == "reminder"]
    assert len(sent) == len(set(sent)), "no reminder twice"
    by_decision: dict[tuple[str, int, int], dict[str, Letter]] = {}
    for letter in reminders:
        assert letter.match_id is not None
        assert letter.seat is not None
        assert letter.asked is not None
        threshold = str(letter.data["threshold"])
        told = by_decision.setdefault((letter.match_id, letter.seat, letter.asked), {})
        assert threshold not in told, "one letter a threshold"
        told[threshold] = letter

    troubled = [*year.post.away, *year.down]
    missing, wanted = [], 0
    for decision in year.done:
        assert decision.ended_at is not None
        told = by_decision.get((decision.match_id, decision.seat, decision.asked), {})
        for letter in told.values():
            if letter.state == "sent":
                assert letter.sent_at is not None
                assert letter.sent_at <= decision.ended_at, "none after the answer"
                assert not decision.person.quiet(letter.sent_at), "none in quiet hours"
        due = expected(decision, year.down)
        for threshold, moment in due.items():
            later = due.get("80%", decision.ended_at) if threshold == "50%" else decision.ended_at
            last_moment = min(later, decision.ended_at)
            if last_moment <= moment + HOUR or any(a - HOUR < moment < b + 5 * HOUR for a, b in troubled):
                continue
            wanted += 1
            letter_or_none = told.get(threshold)
            if letter_or_none is None or letter_or_none.state != "sent":
                missing.append((decision, threshold, moment))
                continue
            assert letter_or_none.sent_at is not None
            assert moment - STEP <= letter_or_none.sent_at
            late = [moment + n * STEP for n in range(3, (letter_or_none.sent_at - moment) // STEP)]
            assert all(decision.person.quiet(quarter) for quarter in late), "in time, or in the first waking hour"
    assert wanted > 300
    assert missing == [], "none missing"
    for service in services:
        service.close()


def _in_short(mail: Mail) -> bytes:
    """What the mail server of the test looks at."""
    return f"X-Estafette-Kind: {mail.kind}\r\nMessage-ID: {mail.message_id}\r\n\r\n".encode()


def _reminders(service: Service) -> list[Letter]:
    with service.store.reading() as session:
        return list(session.exec(select(Letter).where(Letter.kind == "reminder")).all())


def test_the_test_itself_reads_the_clock_on_the_wall() -> None:
    person = Person("Ann", "", [(START, "Europe/Brussels", (22 * 60, 7 * 60), frozenset({6}))])
    assert person.quiet(datetime(2026, 10, 24, 20, 30, tzinfo=UTC))  # half past ten, summer time
    assert not person.quiet(datetime(2026, 10, 26, 6, 30, tzinfo=UTC))  # half past seven, winter time
    assert person.quiet(datetime(2026, 10, 25, 12, tzinfo=UTC))  # a Sunday

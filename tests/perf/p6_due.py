"""P6: 100,000 open decisions: a tick with nothing due, and reminders into the outbox, beside APScheduler's store."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from statistics import median

from apscheduler.jobstores.sqlalchemy import SQLAlchemyJobStore
from apscheduler.schedulers.background import BackgroundScheduler
from apscheduler.triggers.date import DateTrigger
from sqlalchemy import insert

from db import table
from db.engine import Store
from db.migrate import upgrade
from db.models import Match, Player, Seat
from server import overtime
from server.clock import Worker
from server.config import Settings
from server.matches import Matches
from server.service import open_service
from tests.perf.figures import Figure

NOW = datetime(2026, 11, 30, 9, 15, tzinfo=UTC)
PENDING = 100_000
DUE = 4_000
ROUNDS = 5
JOBS = 1_000


@contextmanager
def a_store(pending: int) -> Iterator[Store]:
    """A database with that many open decisions, none due before tomorrow."""
    with tempfile.TemporaryDirectory() as folder:
        store = Store(f"sqlite:///{folder}/estafette.db")
        upgrade(store)
        with store.writing() as session:
            session.execute(
                insert(Player),
                [Player(id="ann", name="Ann", email="a@x", email_key="a@x", created_at=NOW).model_dump()],
            )
            for first in range(0, pending, 10_000):
                numbers = range(first, min(first + 10_000, pending))
                session.execute(insert(table.MATCH), [_match(n) for n in numbers])
                session.execute(insert(table.SEAT), [_seat(n) for n in numbers])
        yield store
        store.close()


def _match(number: int) -> dict[str, object]:
    return Match(
        id=f"m{number}", game="regions", edition="house", rules="1", options={}, seed="s", commitment="c",
        pace={"hours": 72}, status="running", created_at=NOW,
    ).model_dump()  # fmt: skip


def _seat(number: int) -> dict[str, object]:
    asked_at = NOW + timedelta(seconds=number % 80_000)
    return Seat(
        match_id=f"m{number}", number=1, player_id="ann", name="Ann", asked=1, asked_at=asked_at,
        due_at=asked_at + timedelta(hours=72), remind_at=asked_at + timedelta(hours=36),
        time_given=timedelta(hours=72), time_left=timedelta(hours=72), runs_since=asked_at,
    ).model_dump()  # fmt: skip


def a_worker(store: Store) -> Worker:
    """One that has ticked before, as nearly always."""
    settings = {"ESTAFETTE_DATABASE_URL": str(store.url), "ESTAFETTE_DATA": str(Path(store.url.database or "").parent)}
    worker = Worker(open_service(Settings.load(settings | {"ESTAFETTE_SECRET_KEYS": "k" * 40})))
    worker.tick(NOW)
    return worker


def idle_tick(worker: Worker) -> float:
    """Milliseconds of processor time of a worker's whole tick when nothing is due."""
    begun = time.process_time()
    for _ in range(200):
        worker.tick(NOW)
    return (time.process_time() - begun) * 5


def fire(matches: Matches, hours: int) -> float:
    """Reminders a second of processor time when `DUE` of them are due at once."""
    moment = NOW + timedelta(hours=36, seconds=hours)
    begun, posted = time.process_time(), 0
    while done := overtime.remind(matches, moment):
        posted += done
    return posted / (time.process_time() - begun) if posted else 0.0


def apscheduler_adds() -> float:
    """Jobs a second of processor time into APScheduler's own store."""
    with tempfile.TemporaryDirectory() as folder:
        scheduler = BackgroundScheduler(timezone="UTC")
        scheduler.add_jobstore(SQLAlchemyJobStore(f"sqlite:///{Path(folder)}/jobs.db"))
        scheduler.start(paused=True)
        begun = time.process_time()
        for number in range(JOBS):
            scheduler.add_job(idle, DateTrigger(NOW + timedelta(days=300, seconds=number)))
        took = time.process_time() - begun
        scheduler.shutdown()
        return JOBS / took


def idle() -> None:
    """What the anchor's jobs do."""


def measured() -> list[Figure]:
    with a_store(100) as few, a_store(PENDING) as many:
        workers = a_worker(few), a_worker(many)
        ticks = [(idle_tick(workers[0]), idle_tick(workers[1])) for _ in range(ROUNDS)]
        idle_few, idle_many = (median(each[which] for each in ticks) for which in (0, 1))
        step = max(1, DUE * 80_000 // PENDING)
        rates = [fire(Matches(many), step * (round_ + 1)) for round_ in range(ROUNDS)]
    adds = median(apscheduler_adds() for _ in range(3))
    rate = median(rates)
    print(f"P6  due times, {PENDING:,} open decisions, {ROUNDS} rounds, all in processor time")
    print(f"idle tick, 100 pending     {idle_few:8.3f} ms")
    print(f"idle tick, {PENDING:,} pending  {idle_many:8.3f} ms  goal 1 ms: {verdict(idle_many < 1)}")
    print(f"reminders into the outbox   {rate:8,.0f}/s  goal 2,000/s: {verdict(rate >= 2000)}")
    print(f"APScheduler adds jobs       {adds:8,.0f}/s")
    few_ms, added = f"with 100: {idle_few:.2f} ms", f"APScheduler adds {adds:,.0f} jobs/s"
    return [
        Figure("P6", f"a tick with nothing due of {PENDING:,}", idle_many, "ms", 1, False, few_ms),
        Figure("P6", "reminders into the outbox", rate, "a second", 2000, True, added),
    ]


def verdict(reached: bool) -> str:
    return "reached" if reached else "missed"


if __name__ == "__main__":
    measured()

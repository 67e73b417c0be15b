"""Jobs on PostgreSQL: they commit with their cause, any worker does them, and what is lost is found again."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from sqlalchemy import text

from db import queries
from db.engine import Store
from emails.transport import Delivers, Delivery, Phase, Status
from server import jobs
from server.clock import Again, Worker
from server.service import TICK_KEY, Service
from server.workers import JobsWorker, worker_of
from tests.conftest import POSTGRES
from tests.server.builders import a_match, a_service, letters, link_of, mails, play_first

on_postgres = pytest.mark.skipif(POSTGRES is None, reason="jobs are for PostgreSQL")


@pytest.fixture
def service(database_url: str, tmp_path: Path) -> Iterator[Service]:
    """An instance whose jobs' tables are there and empty."""
    service = a_service(database_url, tmp_path)
    jobs.prepare(service.store)
    if not service.store.is_sqlite:
        with service.store.writing() as session:
            session.execute(text("TRUNCATE procrastinate_jobs CASCADE"))
    yield service
    service.close()


@pytest.fixture
def worker(service: Service) -> Iterator[JobsWorker]:
    worker = JobsWorker(service, sweep="* * * * * */1")
    worker.start()
    yield worker
    worker.stop()


def waiting(store: Store) -> list[str]:
    with store.reading() as session:
        found = session.execute(text("SELECT task_name FROM procrastinate_jobs WHERE status = 'todo' ORDER BY 1"))
        return [name for (name,) in found]


def soon(is_so: Callable[[], object]) -> bool:
    until = time.monotonic() + 20
    while not is_so():
        if time.monotonic() > until:
            return False
        time.sleep(0.05)
    return True


def test_on_sqlite_there_are_no_jobs_and_the_worker_ticks(tmp_path: Path) -> None:
    service = a_service(f"sqlite:///{tmp_path}/alone.db", tmp_path)
    assert service.store.before_commit is None
    assert isinstance(worker_of(service), Worker)
    service.close()


@on_postgres
def test_a_job_commits_with_its_cause(service: Service, now: datetime) -> None:
    match_id = a_match(service.matches, now)
    assert waiting(service.store) == ["estafette.deliver"]
    play_first(service.matches, match_id, now)
    assert waiting(service.store).count("estafette.expire") == 1


@on_postgres
def test_what_is_rolled_back_leaves_no_job(service: Service, now: datetime) -> None:
    match_id = a_match(service.matches, now)
    before = waiting(service.store)

    def breaks(_session: object) -> None:
        raise RuntimeError("power cut")

    view = service.matches.view(match_id, 1)
    assert view.decision is not None
    with pytest.raises(RuntimeError):
        service.matches.play(link_of(service.matches, match_id), view.decision.choices[0].text, now=now, also=breaks)
    assert waiting(service.store) == before


@on_postgres
def test_without_the_jobs_tables_a_move_is_a_move_all_the_same(
    database_url: str, tmp_path: Path, now: datetime
) -> None:
    service = a_service(database_url, tmp_path)
    with service.store.writing() as session:
        queries.world.drop(session, jobs.READY_KEY)
    play_first(service.matches, a_match(service.matches, now), now)
    service.close()


@on_postgres
def test_a_worker_sends_what_a_job_was_deferred_for(service: Service, worker: JobsWorker) -> None:
    a_match(service.matches, service.now())
    assert soon(lambda: len(mails(service, kind="turn")) == 1)
    assert soon(lambda: not letters(service, state="waiting"))


@on_postgres
def test_the_house_moves_as_soon_as_it_is_asked(service: Service, worker: JobsWorker) -> None:
    match_id = a_match(service.matches, service.now(), people=(), house=2)
    assert soon(lambda: service.matches.view(match_id, None).outcome is not None)


class _Slow:
    """A mail server that takes nothing until it is let go."""

    def __init__(self) -> None:
        self.asked, self.go_on = threading.Event(), threading.Event()

    @contextmanager
    def connection(self) -> Iterator[Delivers]:
        yield self

    def deliver(self, raw: bytes, envelope_from: str, rcpt: str) -> Delivery:
        self.asked.set()
        assert self.go_on.wait(60)
        return Delivery(Status.SENT, Phase.DOT, 250, "2.0.0 Ok")


def test_a_slow_mail_server_holds_up_neither_the_house_nor_the_workers_tick(service: Service) -> None:
    slow = _Slow()
    slowed = replace(service, transport=slow)
    for people in (("Ann", "Ben"), ("Cat", "Dan"), ("Eve", "Finn"), ("Gus", "Hal"), ("Ann", "Cat"), ("Ben", "Dan")):
        a_match(service.matches, service.now(), people=people)  # more jobs for letters than a worker has hands
    worker = worker_of(slowed)
    worker.start()
    try:
        assert slow.asked.wait(20)
        service.clock.forward(timedelta(minutes=1))
        match_id = a_match(service.matches, service.now(), people=(), house=2)
        slowed.wake.set()
        assert soon(lambda: service.matches.view(match_id, None).outcome is not None)
        assert soon(lambda: service.now() - ticked(service) < timedelta(seconds=50))
        assert not slow.go_on.is_set()
    finally:
        slow.go_on.set()
        worker.stop()


def ticked(service: Service) -> datetime:
    with service.store.reading() as session:
        return datetime.fromisoformat(queries.world.value(session, TICK_KEY) or "2000-01-01T00:00:00+00:00")


def test_work_that_is_asked_for_while_it_is_done_is_done_once_more() -> None:
    begun, go_on, done = threading.Semaphore(0), threading.Semaphore(0), []

    def work() -> None:
        done.append(1)
        begun.release()
        assert go_on.acquire(timeout=20)

    again = Again(work)
    thread = threading.Thread(target=again)
    thread.start()
    assert begun.acquire(timeout=20)
    again()  # comes back at once
    again()
    go_on.release()
    assert begun.acquire(timeout=20)
    go_on.release()
    thread.join(20)
    assert len(done) == 2


@on_postgres
def test_a_sweep_defers_again_what_was_lost(service: Service) -> None:
    a_match(service.matches, service.now())
    with service.store.writing() as session:
        session.execute(text("TRUNCATE procrastinate_jobs CASCADE"))
    worker = JobsWorker(service, sweep="* * * * * */1")
    worker.start()
    assert soon(lambda: len(mails(service, kind="turn")) == 1)
    worker.stop()


@on_postgres
def test_sweeping_is_the_workers_tick(service: Service, worker: JobsWorker) -> None:
    assert soon(lambda: ticked(service).year > 2000)


@on_postgres
def test_tables_of_another_procrastinate_are_made_anew(service: Service) -> None:
    with service.store.writing() as session:
        session.execute(text("DROP FUNCTION procrastinate_defer_jobs_v1"))
        queries.world.put(session, jobs.READY_KEY, "another")
    jobs.prepare(service.store)
    jobs.prepare(service.store)
    with service.store.reading() as session:
        assert session.execute(text("SELECT count(*) FROM procrastinate_jobs")).scalar() == 0


@on_postgres
def test_a_worker_outlives_a_database_that_goes_away(
    service: Service, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    from server import workers

    monkeypatch.setattr(workers, "_TRY_AGAIN", 0.1)
    real, failures = jobs.app_for, iter([OSError("gone"), OSError("gone")])

    def app_for(store: Store) -> object:
        for failure in failures:
            raise failure
        return real(store)

    monkeypatch.setattr(jobs, "app_for", app_for)
    worker = JobsWorker(service, sweep="* * * * * */1")
    worker.start()
    with service.store.writing() as session:
        session.execute(text("TRUNCATE procrastinate_jobs CASCADE"))
    assert soon(lambda: caplog.text.count("no jobs can be had") == 2)
    worker.stop()

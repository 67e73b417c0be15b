"""The worker of an instance: on SQLite it ticks; on PostgreSQL procrastinate hands the same steps to any of many."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Final, Protocol

from sqlalchemy import text

from db import table
from server import jobs
from server.clock import Worker
from server.service import Service

SWEEP: Final = "* * * * * */5"
"""When the sweep looks at the rows for what no job was deferred for, as cron says it, seconds last."""

_TIDY_EVERY: Final = 120  # sweeps
_TRY_AGAIN: Final = 5.0  # seconds after the database went away
_AT_ONCE: Final = 4
_CLEAR: Final = """
DELETE FROM procrastinate_jobs WHERE status NOT IN ('todo', 'doing')
    OR (status = 'doing' AND (worker_id IS NULL OR id IN (
        SELECT job_id FROM procrastinate_events WHERE type = 'started' AND at < now() - interval '1 hour')))
"""

log = logging.getLogger("estafette.worker")


class Working(Protocol):
    """Works until it is stopped."""

    def start(self) -> None: ...
    def stop(self) -> None: ...


def worker_of(service: Service) -> Working:
    return JobsWorker(service) if jobs.available(service.store) else Worker(service)


class JobsWorker:
    """One of any number on PostgreSQL: does what jobs ask for, and sweeps in turn with the others."""

    def __init__(self, service: Service, *, sweep: str = SWEEP) -> None:
        self.service = service
        self.worker = Worker(service)
        self._sweep_at = sweep
        self._sweeps = 0
        self._ended = threading.Event()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._running: asyncio.Task[None] | None = None
        self._thread = threading.Thread(target=lambda: asyncio.run(self._run()), name="jobs", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """Finish what is being done, then end."""
        self._ended.set()
        if self._loop and self._running:
            self._loop.call_soon_threadsafe(self._running.cancel)
        self._thread.join(timeout=30)

    async def _run(self) -> None:
        self._loop = asyncio.get_running_loop()
        while not self._ended.is_set():
            self._running = asyncio.create_task(self._work())
            try:
                await self._running
            except asyncio.CancelledError:
                pass
            except Exception as error:
                log.error("the worker waits: no jobs can be had (%s)", type(error).__name__)
                await asyncio.to_thread(self._ended.wait, _TRY_AGAIN)

    async def _work(self) -> None:
        await asyncio.to_thread(jobs.prepare, self.service.store)
        app = jobs.app_for(self.service.store)
        for name in ("read", "expire", "remind", "deliver", "call"):
            app.task(name=f"estafette.{name}", queue=jobs.QUEUE)(self._step(name))
        sweep = app.task(
            name="estafette.sweep", queue=jobs.QUEUE, queueing_lock="sweep", priority=jobs.URGENCY["sweep"]
        )
        sweeping = sweep(self._sweep)
        app.periodic(cron=self._sweep_at)(sweeping)
        async with app.open_async():
            self._app = app
            await app.run_worker_async(
                queues=[jobs.QUEUE],
                concurrency=_AT_ONCE,
                delete_jobs="always",
                install_signal_handlers=False,
                shutdown_graceful_timeout=20,
            )

    def _step(self, name: str) -> Callable[[], None]:
        def step() -> None:
            self.worker.do(name)

        return step

    async def _sweep(self, timestamp: int) -> None:
        """The rows are the truth: where they say that something is due, there has to be a job for it."""
        from procrastinate.exceptions import AlreadyEnqueued

        for name in await asyncio.to_thread(self._due):
            with suppress(AlreadyEnqueued):
                await self._app.configure_task(
                    f"estafette.{name}", queue=jobs.QUEUE, queueing_lock=name, priority=jobs.URGENCY[name]
                ).defer_async()

    def _due(self) -> list[str]:
        now = self.service.now()
        for name in ("awake", "mark"):
            self.worker.do(name)
        self._sweeps += 1
        if self._sweeps % _TIDY_EVERY == 0:
            self._tidy()
        with self.service.store.reading() as session:
            due = table.work_due(session, now)
        if due.pop("return"):
            self.worker.do("return")
        return [name for name, is_due in due.items() if is_due]

    def _tidy(self) -> None:
        """Jobs of workers that were killed stay behind; what they were about is in the rows."""
        self.worker.do("tidy")
        with self.service.store.writing() as session:
            session.execute(text(_CLEAR))

"""The worker: APScheduler as a metronome. What is due stands in rows; the rows decide, never the scheduler."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from datetime import datetime
from typing import Any, Final

from apscheduler.events import EVENT_JOB_ERROR, JobExecutionEvent
from apscheduler.schedulers.background import BackgroundScheduler

from db import queries
from db.turns import DatabaseBusy
from emails import mime, outbox
from server import inbound, prepared, reach, standstill, together, upkeep
from server.config import Dkim
from server.devices import SIGNED_IN_FOR
from server.home import Home, move_in_if_new
from server.mailing import Mailing
from server.schema import SchemaWatch
from server.service import TICK_KEY, Service

EVERY_SECONDS: Final = 2
STEPS: Final = ("read", "return", "expire", "remind", "deliver", "mark")
MAILS_A_MINUTE: Final = 600
"""To one destination domain, from one worker."""
_TIDY_EVERY = 300  # ticks
_ROUNDS = 50

log = logging.getLogger("estafette.worker")


class Worker:
    """Read, expire, remind, deliver, tidy: again and again, any number of workers at the same time."""

    def __init__(self, service: Service) -> None:
        self.service = service
        self.mailing = Mailing(service)
        self._pressure = outbox.Pressure(per_minute=MAILS_A_MINUTE)
        self._sign = _signing(service.settings.dkim)
        self._home = Home(service)
        self._said = ""
        self._moved_in = False
        self._schema = SchemaWatch(service.store)
        self._wrong = ""
        self._ticks = 0
        self.steps: dict[str, Callable[[datetime], Any]] = {
            "awake": lambda now: standstill.after_downtime(service.store, now, offset=service.clock.offset()),
            "read": lambda now: self._drained(self._read, now),  # first: a mail that came in time counts
            "expire": lambda now: self._running(self.service.matches.expire, now),
            "remind": lambda now: self._running(self.service.matches.remind, now),
            "return": lambda now: self._running(self._return, now),
            "deliver": self._deliver,
            "mark": self._mark,
            "tidy": self._tidy,
        }
        self._doing = {name: threading.Lock() for name in self.steps}
        self._scheduler: BackgroundScheduler | None = None
        self._ticking = threading.Lock()
        self._ended = threading.Event()

    def tick(self, now: datetime | None = None) -> None:
        """All that is due at `now`. Each step stands alone: one that fails does not hold up the others."""
        with self._ticking:
            if not self._may_work():
                return
            moment = now or self.service.now()
            if now is None:  # whoever gives the time has left out some of it; none was lost
                self._step("awake", moment)
            for name in STEPS:
                self._step(name, moment)
            self._ticks += 1
            if self._ticks % _TIDY_EVERY == 0:
                self._step("tidy", moment)

    def do(self, name: str) -> None:
        """One of the steps, as a job asks for it; a second thread waits for the first."""
        with self._doing[name]:
            if self._may_work():
                self.steps[name](self.service.now())

    def _may_work(self) -> bool:
        """Not while another process brings the database up to date, or has brought it further than we know."""
        try:
            wrong = self._schema.what_is_wrong()
        except DatabaseBusy as error:
            wrong = str(error)
        if wrong and wrong != self._wrong:
            log.error("the worker waits: %s", wrong)
        self._wrong = wrong
        return not wrong

    def start(self) -> None:
        """Tick in a thread of the scheduler's, and at once whenever the service wakes us."""
        self._scheduler = BackgroundScheduler(timezone="UTC")
        self._scheduler.add_job(
            self.tick, "interval", seconds=EVERY_SECONDS, max_instances=1, coalesce=True, misfire_grace_time=None
        )
        self._scheduler.add_listener(_log_error, EVENT_JOB_ERROR)
        self._scheduler.start()
        threading.Thread(target=self._listen, name="wake", daemon=True).start()

    def stop(self) -> None:
        self._ended.set()
        self.service.wake.set()
        if self._scheduler:
            self._scheduler.shutdown(wait=True)

    def _listen(self) -> None:
        while not self._ended.is_set():
            self.service.wake.wait()
            self.service.wake.clear()
            if not self._ended.is_set():
                self.tick()

    def _drained(self, work: Callable[[datetime], int], now: datetime) -> None:
        """Work off all that is due; a house player's move may make the next one due."""
        for _ in range(_ROUNDS):
            if not work(now):
                return

    def _running(self, work: Callable[[datetime], int], now: datetime) -> None:
        """Work off what the passing of time brings, unless the operator has stopped the world."""
        with self.service.store.reading() as session:
            still = standstill.stopped_since(session)
        if still is None:
            self._drained(work, now)

    def _return(self, now: datetime) -> int:
        """Seats that were lent go back, votes that nobody finished lapse, answers given ahead are played."""
        matches = self.service.matches
        return upkeep.give_back(matches, now) + together.lapse(matches, now) + prepared.play_due(matches, now)

    def _read(self, now: datetime) -> int:
        return inbound.act(self.service, now)

    def _deliver(self, now: datetime) -> None:
        why_silent = self._home.why_silent()
        if why_silent:
            if why_silent != self._said:
                log.error("No mail leaves. %s If this is the instance now, type: estafette moved", why_silent)
            self._said = why_silent
            return
        if not self._moved_in:
            move_in_if_new(self.service)
            self._moved_in = True
        for _ in range(_ROUNDS):
            done = outbox.deliver(
                self.service.store,
                self.service.transport,
                lambda letter: self.mailing.write(letter, now),
                now,
                bounced=reach.when_refused(self.service, now),
                sign=self._sign,
                pressure=self._pressure,
            )
            if done.alarms:
                with self.service.store.writing() as session:
                    reach.alarm(self.service, session, "our own mail server does not take it", now)
            if not done.claimed:
                return

    def _tidy(self, now: datetime) -> None:
        inbound.tidy(self.service, now)
        with self.service.store.writing() as session:
            queries.forget_tallies(session, now)
            queries.forget_devices(session, now - SIGNED_IN_FOR)
        self.service.store.tidy()

    def _mark(self, now: datetime) -> None:
        with self.service.store.writing() as session:
            queries.set_world(session, TICK_KEY, now.isoformat())

    def _step(self, name: str, now: datetime) -> None:
        try:
            self.steps[name](now)
        except Exception as error:
            log.exception("the step “%s” of a tick failed: %s", name, type(error).__name__)


def _signing(dkim: Dkim | None) -> Callable[[bytes], bytes] | None:
    if dkim is None:
        return None
    key = dkim.key.encode("ascii")
    return lambda raw: mime.sign(raw, key, dkim.selector, dkim.domain)


def _log_error(event: JobExecutionEvent) -> None:
    log.error("a tick failed: %s", type(event.exception).__name__)

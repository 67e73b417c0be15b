"""The worker: APScheduler as a metronome. What is due stands in rows; the rows decide, never the scheduler."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from datetime import datetime, timedelta
from functools import partial
from typing import Any, Final

from apscheduler.events import EVENT_JOB_ERROR, JobExecutionEvent
from apscheduler.schedulers.background import BackgroundScheduler

from db import queries, table
from db.turns import DatabaseBusy
from emails import mime, outbox
from server import (
    apprising,
    calls,
    inbound,
    lobby,
    overtime,
    prepared,
    push,
    reach,
    standstill,
    together,
    upkeep,
    webhooks,
)
from server.config import Dkim
from server.devices import SIGNED_IN_FOR
from server.home import Home, move_in_if_new, why_not_at_home
from server.mailing import Mailing
from server.schema import SchemaWatch
from server.service import TICK_KEY, Service

EVERY_SECONDS: Final = 2
STEPS: Final = ("read", "return", "expire", "remind", "mark")
MAILS_A_MINUTE: Final = 600
"""To one destination domain, from one worker."""
_TIDY_EVERY = 300  # ticks
_ROUNDS = 50
_SEEN_EVERY: Final = timedelta(seconds=20)

log = logging.getLogger("estafette.worker")


class Again:
    """Work that many ask for: one at a time does it, and once more for those who asked meanwhile. Nobody waits."""

    def __init__(self, work: Callable[[], object]) -> None:
        self._work = work
        self._asked = threading.Event()
        self._doing = threading.Lock()

    def __call__(self) -> None:
        self._asked.set()
        while self._asked.is_set() and self._doing.acquire(blocking=False):
            try:
                self._asked.clear()
                self._work()
            finally:
                self._doing.release()


class Worker:
    """Read, expire, remind, deliver, tidy: again and again, any number of workers at the same time."""

    def __init__(self, service: Service) -> None:
        self.service = service
        self.mailing = Mailing(service)
        self._pressure = outbox.Pressure(per_minute=MAILS_A_MINUTE)
        self._sign = _signing(service.settings.dkim)
        self._home = Home(service)
        self._senders: dict[str, calls.Tell] = {
            "webhook": webhooks.tell_webhook,
            "push": push.tell,
            "apprise": apprising.tell,
        }
        self._said = ""
        self._moved_in = False
        self._schema = SchemaWatch(service.store)
        self._wrong = ""
        self._ticks = 0
        self._noted_at: datetime | None = None
        self._marked_at: datetime | None = None
        self.steps: dict[str, Callable[[datetime], Any]] = {
            "awake": self._awake,
            "read": lambda now: self._drained(self._read, now),  # first: a mail that came in time counts
            "expire": lambda now: self._running(partial(overtime.expire, self.service.matches), now),
            "remind": lambda now: self._running(partial(overtime.remind, self.service.matches), now),
            "return": lambda now: self._running(self._return, now),
            "deliver": self._deliver,
            "call": self._call,
            "mark": self._mark,
            "tidy": self._tidy,
        }
        self._asked_for = {name: Again(partial(self._do, name)) for name in self.steps}
        self._scheduler: BackgroundScheduler | None = None
        self._ticking, self._sending, self._telling = threading.Lock(), threading.Lock(), threading.Lock()
        self._posted, self._called = threading.Event(), threading.Event()
        self._threads: list[threading.Thread] = []
        self._ended = threading.Event()

    def tick(self, now: datetime | None = None) -> None:
        """All that is due at `now`. Each step stands alone: one that fails does not hold up the others."""
        self._tend(now)
        self._send(now)
        self._tell(now)

    def _tend(self, now: datetime | None = None) -> None:
        """All but the mails that leave: a mail server may take its time."""
        with self._ticking:
            if not self._may_work():
                return
            moment = now or self.service.now()
            if now is None:  # whoever gives the time has left out some of it; none was lost
                self._step("awake", moment)
            for name in STEPS if self._has_work(moment) else ("mark",):
                self._step(name, moment)
            self._ticks += 1
            if self._ticks % _TIDY_EVERY == 0:
                self._step("tidy", moment)

    def _send(self, now: datetime | None = None) -> None:
        with self._sending:
            if self._may_work():
                self._step("deliver", now or self.service.now())

    def _tell(self, now: datetime | None = None) -> None:
        """On other channels than mail; whoever is called may take their time."""
        with self._telling:
            if self._may_work():
                self._step("call", now or self.service.now())

    def do(self, name: str) -> None:
        """One of the steps, as a job asks for it; while another thread is at it, that one does it once more."""
        self._asked_for[name]()

    def _do(self, name: str) -> None:
        if self._may_work():
            self.steps[name](self.service.now())

    def _has_work(self, now: datetime) -> bool:
        """Who cannot look may have some: each step then says for itself what is wrong."""
        try:
            with self.service.store.reading() as session:
                due = table.work_due(session, now)
        except DatabaseBusy:
            return True
        return any(due[name] for name in due if name != "deliver")

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
        """Tick in a thread of the scheduler's, and at once whenever the service wakes us; mails leave beside it."""
        self._scheduler = BackgroundScheduler(timezone="UTC")
        self._scheduler.add_job(
            self._beat, "interval", seconds=EVERY_SECONDS, max_instances=1, coalesce=True, misfire_grace_time=None
        )
        self._scheduler.add_listener(_log_error, EVENT_JOB_ERROR)
        self._scheduler.start()
        for name, asked, work in (
            ("wake", self.service.wake, self._beat),
            ("post", self._posted, self._send),
            ("call", self._called, self._tell),
        ):
            thread = threading.Thread(target=self._whenever, args=(asked, work), name=name, daemon=True)
            thread.start()
            self._threads.append(thread)

    def stop(self) -> None:
        self._ended.set()
        for asked in (self.service.wake, self._posted, self._called):
            asked.set()
        if self._scheduler:
            self._scheduler.shutdown(wait=True)
        for thread in self._threads:
            thread.join(timeout=20)

    def _beat(self) -> None:
        self._tend()
        self._posted.set()
        self._called.set()

    def _whenever(self, asked: threading.Event, work: Callable[[], None]) -> None:
        while True:
            asked.wait()
            asked.clear()
            if self._ended.is_set():
                return
            work()

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
        """Seats lent go back, votes that nobody finished lapse, answers given ahead are played, matches begin."""
        deeds = (upkeep.give_back, together.lapse, prepared.play_due, lobby.begin_due)
        return sum(deed(self.service.matches, now) for deed in deeds)

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
            if self._ended.is_set():
                return
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

    def _call(self, now: datetime) -> None:
        """Never from a copy, whatever way its mails go."""
        with self.service.store.reading() as session:
            if not table.call_is_due(session, now):
                return
        if why_not_at_home(self.service):
            return
        for _ in range(_ROUNDS):
            if not calls.deliver(self.service, self._senders, now):
                return

    def _tidy(self, now: datetime) -> None:
        inbound.tidy(self.service, now)
        with self.service.store.writing() as session:
            queries.tallies.forget(session, now)
            queries.calls.forget(session, now - calls.KEPT_FOR)
            queries.access.forget_devices(session, now - SIGNED_IN_FOR)
        self.service.store.tidy()

    def _awake(self, now: datetime) -> None:
        """Note that a worker is there; after downtime the clocks get it back."""
        offset = self.service.clock.offset()
        if _is_just_past(self._noted_at, now - offset, standstill.NOTED_EVERY):
            return
        standstill.after_downtime(self.service.store, now, offset=offset)
        self._noted_at = now - offset

    def _mark(self, now: datetime) -> None:
        if _is_just_past(self._marked_at, now, _SEEN_EVERY):
            return
        self._marked_at = now
        with self.service.store.writing() as session:
            queries.world.put(session, TICK_KEY, now.isoformat())

    def _step(self, name: str, now: datetime) -> None:
        try:
            self.steps[name](now)
        except Exception as error:
            log.exception("the step “%s” of a tick failed: %s", name, type(error).__name__)


def _is_just_past(moment: datetime | None, now: datetime, span: timedelta) -> bool:
    return moment is not None and timedelta() <= now - moment < span


def _signing(dkim: Dkim | None) -> Callable[[bytes], bytes] | None:
    if dkim is None:
        return None
    key = dkim.key.encode("ascii")
    return lambda raw: mime.sign(raw, key, dkim.selector, dkim.domain)


def _log_error(event: JobExecutionEvent) -> None:
    log.error("a tick failed: %s", type(event.exception).__name__)

"""The parts of a running instance, put together once for web, worker and commands."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final

from db import queries
from db.engine import Store
from emails.mailbox import MailboxTransport
from emails.transport import SmtpTransport, Transport, parse_mail_url
from server import jobs
from server.config import Settings
from server.links import Links
from server.matches import Matches

CLOCK_KEY: Final = "clock offset in seconds"
TICK_KEY: Final = "worker's last tick"
SEEN_KEY: Final = "a worker was seen"


class Clock:
    """What time it is: the machine's, moved forward in the demo by an offset that all processes share."""

    def __init__(self, store: Store, *, movable: bool) -> None:
        self._store = store
        self._movable = movable

    def now(self) -> datetime:
        """An aware instant in UTC."""
        return datetime.now(UTC) + self.offset()

    def offset(self) -> timedelta:
        if not self._movable:
            return timedelta()
        with self._store.reading() as session:
            return timedelta(seconds=float(queries.world.value(session, CLOCK_KEY) or 0))

    def forward(self, by: timedelta) -> None:
        """Move the demo's clock; never back."""
        if not self._movable:
            raise ValueError("Only the clock of a demo can be moved.")
        if by <= timedelta():
            raise ValueError("The clock can only be moved forward.")
        with self._store.writing() as session:
            moved = float(queries.world.value(session, CLOCK_KEY) or 0) + by.total_seconds()
            queries.world.put(session, CLOCK_KEY, str(moved))


@dataclass(frozen=True)
class Service:
    """One instance: settings, database, links, matches, mail, clock. `wake` tells the worker that there is work."""

    settings: Settings
    store: Store
    links: Links
    matches: Matches
    transport: Transport
    clock: Clock
    wake: threading.Event
    demo: bool = False

    def now(self) -> datetime:
        return self.clock.now()

    def close(self) -> None:
        self.store.close()


def open_service(settings: Settings, *, demo: bool = False) -> Service:
    """The service of these settings. The database's schema must be there (`db.migrate.upgrade`)."""
    store = Store(settings.database_url)
    jobs.defer_with_commits(store)
    return Service(
        settings=settings,
        store=store,
        links=Links(settings.secret_keys, settings.public_url),
        matches=Matches(store, admins=settings.admins),
        transport=_transport(settings, store),
        clock=Clock(store, movable=demo),
        wake=threading.Event(),
        demo=demo,
    )


def _transport(settings: Settings, store: Store) -> Transport:
    if settings.mail_url == "mailbox:":
        return MailboxTransport(store)
    return SmtpTransport(parse_mail_url(settings.mail_url))

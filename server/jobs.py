"""On PostgreSQL, procrastinate tells any of the workers that there is work, as soon as its cause is committed.

A job is a word like "deliver", deferred on the session's own connection, so it commits with the move or not at all.
It says that there is something to do; the rows say what. A lost job does no harm: a sweep looks at the rows and defers
again. So the jobs' tables hold nothing of worth, and are made anew where another procrastinate needs other ones.
"""

from __future__ import annotations

import hashlib
import importlib.util
import time
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import text
from sqlalchemy.exc import ProgrammingError
from sqlmodel import Session

from db import queries
from db.engine import Store

if TYPE_CHECKING:
    import procrastinate

READY_KEY: Final = "jobs' tables"
QUEUE: Final = "estafette"
WORK: Final = {"letter": "deliver", "call": "call", "inbound_mail": "read", "move": "expire"}
"""Table → what its new rows want: after a move the house may be asked, and it moves when time is up at once."""

URGENCY: Final = {"sweep": 3, "read": 2, "expire": 1, "remind": 1, "deliver": 0}
"""Higher ones go first: thousands of mails may wait for a slow server, and nobody's move does."""

_LOOK_EVERY: Final = 5.0  # seconds, while the tables are not there
_LOCK: Final = 0x45535442
_DROP: Final = """
DO $$
DECLARE found record;
BEGIN
    FOR found IN SELECT tablename AS name FROM pg_tables
        WHERE schemaname = current_schema() AND tablename LIKE 'procrastinate\\_%'
    LOOP EXECUTE format('DROP TABLE %I CASCADE', found.name); END LOOP;
    FOR found IN SELECT oid::regprocedure AS name FROM pg_proc
        WHERE pronamespace = current_schema()::regnamespace AND proname LIKE 'procrastinate\\_%'
    LOOP EXECUTE format('DROP FUNCTION %s CASCADE', found.name); END LOOP;
    FOR found IN SELECT typname AS name FROM pg_type
        WHERE typnamespace = current_schema()::regnamespace
            AND typname LIKE 'procrastinate\\_%' AND typtype IN ('e', 'c')
    LOOP EXECUTE format('DROP TYPE %I CASCADE', found.name); END LOOP;
END $$
"""


def available(store: Store) -> bool:
    """PostgreSQL, and procrastinate is installed (`pip install 'estafette[postgres]'`)."""
    return not store.is_sqlite and importlib.util.find_spec("procrastinate") is not None


def prepare(store: Store) -> None:
    """Make the jobs' tables, if these are not the ones that this procrastinate needs."""
    if not available(store):
        return
    wanted = _schema()
    with store.reading() as session:
        if _are_there(session, wanted):
            return
    with store.writing() as session:
        session.execute(text("SELECT pg_advisory_xact_lock(:number)"), {"number": _LOCK})
        if _are_there(session, wanted):
            return
        driver: Any = session.connection().connection.driver_connection
        driver.execute(_DROP)
        driver.execute(wanted)
        queries.world.put(session, READY_KEY, _mark(wanted))


def defer_with_commits(store: Store) -> None:
    """From now on, whoever commits something to do commits a job for it."""
    if available(store):
        store.before_commit = _Deferrer(store)


class _Deferrer:
    """Writes jobs into other people's transactions, once the tables for them are there."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._app: procrastinate.App | None = None
        self._looked_at = -_LOOK_EVERY
        self._ready = False

    def __call__(self, session: Session, touched: set[str]) -> None:
        names = sorted({WORK[table] for table in touched if table in WORK})
        if not names or not self._is_ready():
            return
        if self._app is None:
            self._app = app_for(self._store)
        driver = session.connection().connection.driver_connection
        jobs = [
            self._app.configure_task(f"estafette.{name}", queue=QUEUE, allow_unknown=True, priority=URGENCY[name]).job
            for name in names
        ]
        self._app.job_manager.batch_defer_jobs(jobs, connection=driver)

    def _is_ready(self) -> bool:
        if not self._ready and time.monotonic() - self._looked_at >= _LOOK_EVERY:
            self._looked_at = time.monotonic()
            try:
                with self._store.reading() as session:
                    self._ready = _are_there(session, _schema())
            except ProgrammingError:  # no table of ours yet
                self._ready = False
        return self._ready


def app_for(store: Store) -> procrastinate.App:
    import procrastinate

    url = store.url.set(drivername="postgresql").render_as_string(hide_password=False)
    return procrastinate.App(connector=procrastinate.PsycopgConnector(conninfo=url, min_size=1, max_size=6))


def _schema() -> str:
    from procrastinate.schema import SchemaManager

    return SchemaManager.get_schema()


def _are_there(session: Session, wanted: str) -> bool:
    """Rows may have been copied here from a database that had the tables."""
    there = session.execute(text("SELECT to_regclass('procrastinate_jobs') IS NOT NULL")).scalar()
    return bool(there) and queries.world.value(session, READY_KEY) == _mark(wanted)


def _mark(schema: str) -> str:
    return hashlib.sha256(schema.encode()).hexdigest()[:16]

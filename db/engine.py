"""The way to the database: `reading()` sees one moment and changes nothing, `writing()` is all or nothing.

SQLite in one file for one machine, PostgreSQL for several; the callers cannot tell which.
"""

import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from pathlib import Path
from typing import Any, Protocol

from sqlalchemy import URL, Connection, Engine, create_engine, event, make_url
from sqlalchemy.exc import OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from sqlmodel import Session

from db.ready import DRIVER, driver_of, send
from db.turns import DatabaseGone, InUse, WriterTurns, busy

TOUCHED = "touched"
"""Where a session's `info` keeps the names of tables whose new rows want to be acted on."""

PATIENCE = 20.0  # seconds a writer waits for its turn
_MIGRATION_PATIENCE = 600.0
_CHECKPOINT_PAGES = 8_000  # with SQLite's 1,000 every hundredth commit pays for a checkpoint
_SYNCHRONOUS = "FULL"  # a commit is on the disk before anybody is told of it
_OLDEST_SQLITE = (3, 35, 0)  # the first with RETURNING


class Store:
    """The database of one process. Threads may share it; a forked child gets connections of its own.

    Raises DatabaseBusy where there can be none, or while its file is exchanged.
    """

    def __init__(self, url: URL | str, *, patience: float = PATIENCE) -> None:
        self.url = make_url(url)
        self._patience = patience
        self._trouble_named = _TroubleNamed(patience)
        self._closed = False
        self.before_commit: Callable[[Session, set[str]], None] | None = None
        """Told which tables got rows that somebody should act on (`TOUCHED`), in the transaction that wrote them."""
        self._connect()

    def __repr__(self) -> str:
        return f"Store({self.url.render_as_string(hide_password=True)!r})"

    @property
    def is_sqlite(self) -> bool:
        return self.url.get_backend_name() == "sqlite"

    @contextmanager
    def reading(self) -> Iterator[Session]:
        """All that is read inside is of one moment. The database refuses any change. Raises DatabaseBusy."""
        self._mind_forks()
        with (
            self._trouble_named,
            self._backend.reader.begin() as connection,
            Session(connection, autoflush=False, info={DRIVER: driver_of(connection)}) as session,
        ):
            yield session

    @contextmanager
    def writing(self) -> Iterator[Session]:
        """Commits on leaving, changes nothing at an error. Raises DatabaseBusy, also if its turn does not come."""
        self._mind_forks()
        with (
            self._trouble_named,
            self._backend.turn(self._patience) as connection,
            connection.begin(),
            Session(connection, info={DRIVER: driver_of(connection)}) as session,
        ):
            yield session
            if self.before_commit and (touched := session.info.get(TOUCHED)):
                self.before_commit(session, touched)
            session.flush()

    @contextmanager
    def rebuilding(self) -> Iterator[Connection]:
        """One transaction, alone, for a change of the schema: foreign keys are checked once, at its end."""
        self._mind_forks()
        with self._trouble_named, self._backend.turn(_MIGRATION_PATIENCE) as connection:
            self._backend.check_keys_later(connection)
            try:
                connection.begin()
                yield connection
                self._backend.check_keys_now(connection)
                connection.commit()
            finally:
                connection.invalidate()  # its pragmas are not for others

    def tidy(self) -> None:
        """Bring the write-ahead log back into the file while nobody has to wait for it."""
        if self.is_sqlite:
            with self._backend.reader.connect() as connection:
                connection.connection.execute("PRAGMA wal_checkpoint(PASSIVE)")

    def close(self) -> None:
        """Closing twice does no harm."""
        if not self._closed:
            self._closed = True
            self._backend.close()

    def _connect(self) -> None:
        self._process = os.getpid()
        try:
            self._backend: _Backend = _Sqlite(self.url, self._patience) if self.is_sqlite else _Postgres(self.url)
        except (OSError, sqlite3.Error) as error:
            raise DatabaseGone() from error

    def _mind_forks(self) -> None:
        if self._process != os.getpid():
            self._backend.forget()
            self._parents = self._backend  # never let go of: rolling back in here would be felt over there
            self._connect()


class _TroubleNamed:
    """While this lasts, what goes wrong with the database is a DatabaseBusy."""

    def __init__(self, patience: float) -> None:
        self._patience = patience

    def __enter__(self) -> None:
        pass

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> None:
        if isinstance(error, PoolTimeout):
            raise busy(self._patience) from error
        if isinstance(error, OperationalError):
            code = getattr(error.orig, "sqlite_errorcode", 0) & 0xFF
            if code in (sqlite3.SQLITE_ERROR, sqlite3.SQLITE_READONLY):
                return  # our own fault: a wrong statement, or a change while reading
            if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
                raise busy(self._patience) from error  # a program that does not wait in our line
            raise DatabaseGone() from error


class _Backend(Protocol):
    reader: Engine

    def turn(self, patience: float) -> AbstractContextManager[Connection]: ...
    def check_keys_later(self, connection: Connection) -> None: ...
    def check_keys_now(self, connection: Connection) -> None: ...
    def close(self) -> None: ...
    def forget(self) -> None: ...


class _Sqlite:
    def __init__(self, url: URL, patience: float) -> None:
        if sqlite3.sqlite_version_info < _OLDEST_SQLITE:
            raise RuntimeError(f"SQLite 3.35 or newer is needed, this Python has {sqlite3.sqlite_version}.")
        if not url.database or url.database == ":memory:":
            raise ValueError("SQLite needs a file, like sqlite:////var/lib/estafette/estafette.db.")
        file = Path(url.database).absolute()
        file.parent.mkdir(parents=True, exist_ok=True)
        self._in_use = InUse(file, patience=patience)
        self._turns = WriterTurns(file)
        self._turns.acquire(patience)
        try:
            _write_ahead(file, patience)
        finally:
            self._turns.release()
        arguments = {"check_same_thread": False, "timeout": patience}
        self.reader = create_engine(url, hide_parameters=True, connect_args=arguments, pool_size=8, max_overflow=56)
        self._writer = create_engine(url, hide_parameters=True, connect_args=arguments, pool_size=1, max_overflow=0)
        self._writing: Connection | None = None
        _prepare(self._writer, begin="BEGIN IMMEDIATE")
        _prepare(self.reader, "PRAGMA query_only = ON", begin="BEGIN")

    @contextmanager
    def turn(self, patience: float) -> Iterator[Connection]:
        """The one connection that writes is kept; after an error it goes back to its pool, which rolls back."""
        self._turns.acquire(patience)
        try:
            if self._writing is None:
                self._writing = self._writer.connect()
            yield self._writing
        except BaseException:
            broken, self._writing = self._writing, None
            if broken:
                broken.close()
            raise
        finally:
            self._turns.release()

    def check_keys_later(self, connection: Connection) -> None:
        connection.connection.cursor().execute("PRAGMA foreign_keys = OFF")

    def check_keys_now(self, connection: Connection) -> None:
        broken = connection.exec_driver_sql("PRAGMA foreign_key_check").all()
        if broken:
            raise RuntimeError(f"The change would leave {len(broken)} rows pointing nowhere. Nothing was changed.")

    def close(self) -> None:
        if self._writing and not self._writing.in_transaction():
            self._writing.close()
        self.reader.dispose()
        self._writer.dispose()
        self._turns.close()
        self._in_use.close()

    def forget(self) -> None:
        self.reader.dispose(close=False)
        self._writer.dispose(close=False)
        self._turns.close()
        self._in_use.close()


class _Postgres:
    def __init__(self, url: URL) -> None:
        self._writer = create_engine(
            url, hide_parameters=True, pool_size=8, max_overflow=8, pool_pre_ping=True, pool_recycle=1800
        )
        self.reader: Engine = self._writer.execution_options(
            isolation_level="REPEATABLE READ", postgresql_readonly=True
        )

    def turn(self, patience: float) -> Connection:
        return self._writer.connect()

    def check_keys_later(self, connection: Connection) -> None:
        pass  # PostgreSQL alters tables in place

    def check_keys_now(self, connection: Connection) -> None:
        pass

    def close(self) -> None:
        self._writer.dispose()

    def forget(self) -> None:
        self._writer.dispose(close=False)


def _write_ahead(file: Path, patience: float) -> None:
    """Kept in the file from then on. Two at once would not wait for each other but fail."""
    with closing(sqlite3.connect(file, timeout=patience)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")


def _prepare(engine: Engine, *more: str, begin: str) -> None:
    pragmas = (
        f"PRAGMA synchronous = {_SYNCHRONOUS}",
        "PRAGMA foreign_keys = ON",
        f"PRAGMA wal_autocheckpoint = {_CHECKPOINT_PAGES}",
        "PRAGMA journal_size_limit = 67108864",
        *more,
    )

    def set_up(connection: Any, _record: object) -> None:
        connection.isolation_level = None  # we say BEGIN ourselves
        for pragma in pragmas:
            connection.execute(pragma)

    def start(connection: Connection) -> None:
        send(connection, driver_of(connection), begin)

    event.listen(engine, "connect", set_up)
    event.listen(engine, "begin", start)

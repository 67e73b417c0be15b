"""Core statements made ready once for each kind of database, for the few that stand in the path of every move.

What SQLAlchemy does around a statement takes five times as long as SQLite itself, and most of it comes out the same
each time: the text, the order of the values, what turns them into the database's types and back.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from typing import Any, Final

from sqlalchemy import Connection, CursorResult, Row
from sqlalchemy.engine import Dialect, result_tuple
from sqlalchemy.exc import DBAPIError
from sqlmodel import Session

DRIVER = "driver"
"""Where the `info` of a session keeps the driver's connection, if statements go there by the shortest way."""


def driver_of(connection: Connection) -> sqlite3.Connection | None:
    """The driver's own connection, where nothing else has to know of a statement.

    For an answer of which it knows nothing, SQLAlchemy works out each time what every column might be. But it tells
    whoever listens to the engine; and on PostgreSQL it has to notice that a connection broke.
    """
    heard = connection.engine.dispatch
    driver = connection.connection.dbapi_connection
    if not isinstance(driver, sqlite3.Connection) or heard.before_cursor_execute or heard.after_cursor_execute:
        return None
    return driver


def send(
    connection: Connection, driver: sqlite3.Connection | None, text: str, values: Any = ()
) -> CursorResult[Any] | sqlite3.Cursor:
    """A statement in the driver's own words, by the shortest way that there is (`driver_of`)."""
    if driver is None:
        return connection.exec_driver_sql(text, values)
    try:
        return driver.execute(text, values)
    except sqlite3.Error as error:
        raise DBAPIError.instance(text, None, error, sqlite3.Error, hide_parameters=True) from error


class Ready:
    """A statement whose values all have names; those of an INSERT or UPDATE that are columns' are set.

    It runs in the transaction of the session that it is handed; who listens to an engine (Sentry, OpenTelemetry)
    when that begins hears of it as of any other.
    """

    def __init__(self, statement: Any) -> None:
        self._statement: Final = statement
        self._made: dict[tuple[str, ...], _Made] = {}

    def rows(self, session: Session, /, **values: Any) -> list[Row[Any]]:
        """What a SELECT finds."""
        made, sent = self._sent(session, values)
        return made.rows(sent.fetchall())

    def change(self, session: Session, /, **values: Any) -> int:
        """How many rows an INSERT or UPDATE has hit."""
        return self._sent(session, values)[1].rowcount

    def _sent(self, session: Session, values: dict[str, Any]) -> tuple[_Made, CursorResult[Any] | sqlite3.Cursor]:
        connection = session.bind if isinstance(session.bind, Connection) else session.connection()
        made = self._made_for(connection.dialect, values)
        return made, send(connection, session.info.get(DRIVER), made.text, made.told(values))

    def _made_for(self, dialect: Dialect, names: dict[str, Any]) -> _Made:
        key = (dialect.name, *names)
        made = self._made.get(key)
        if made is None:
            made = self._made[key] = _Made(self._statement, dialect, [*names])
        return made


class _Made:
    """A statement for one kind of database, with values of these names."""

    def __init__(self, statement: Any, dialect: Dialect, names: list[str]) -> None:
        compiled = statement.compile(dialect=dialect, column_keys=names)
        self.text: Final = str(compiled)
        binds = {name: bind for bind, name in compiled.bind_names.items()}
        self._fixed = {name: bind.value for name, bind in binds.items() if not bind.required}
        self._places = [
            (name, binds[name].type.dialect_impl(dialect).bind_processor(dialect))
            for name in compiled.positiontup or binds
        ]
        self._by_place = dialect.positional
        if statement.is_select:
            columns = statement.selected_columns
            self._row = result_tuple(columns.keys())
            turns = [each.type.dialect_impl(dialect).result_processor(dialect, None) for each in columns]
            self._turns = [(index, turn) for index, turn in enumerate(turns) if turn]

    def told(self, values: dict[str, Any]) -> Any:
        """The values as the driver takes them."""
        if self._fixed:
            values = self._fixed | values
        if self._by_place:
            return tuple([turn(values[name]) if turn else values[name] for name, turn in self._places])
        return {name: turn(values[name]) if turn else values[name] for name, turn in self._places}

    def rows(self, found: Sequence[Sequence[Any]]) -> list[Row[Any]]:
        """What the driver has found, in the columns' types; what is null is None in all of them."""
        rows = []
        for each in found:
            row = list(each)
            for index, turn in self._turns:
                if row[index] is not None:
                    row[index] = turn(row[index])
            rows.append(self._row(row))
        return rows

"""Every row of one database into another, whatever kinds the two are: SQLite to PostgreSQL, and into a backup."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sqlalchemy import Connection, Table, func, insert, select, text

from db.engine import Store
from db.models import Row

_AT_ONCE = 1_000


class NotEmpty(Exception):
    """The database that should be filled has rows already."""


def copy_rows(source: Store, target: Store, told: Callable[[str, int], None] = lambda _table, _rows: None) -> int:
    """All rows as they are at one moment of `source`; how many. All of them arrive or none.

    Both need this program's schema, and `target` must be empty, else NotEmpty. `told` hears how far it is.
    """
    copied = 0
    with source.reading() as theirs, target.writing() as ours:
        reader, writer = theirs.connection(), ours.connection()
        _must_be_empty(writer)
        for table in Row.metadata.sorted_tables:
            for rows in _rows_of(reader, table):
                writer.execute(insert(table), rows)
                copied += len(rows)
                told(table.name, copied)
            if not target.is_sqlite:
                _go_on_counting(writer, table)
    return copied


def count_rows(store: Store) -> int:
    """To tell how far a copy is."""
    with store.reading() as session:
        connection = session.connection()
        tables = Row.metadata.sorted_tables
        return sum(connection.execute(select(func.count()).select_from(table)).scalar_one() for table in tables)


def _rows_of(reader: Connection, table: Table) -> Any:
    found = reader.execute(select(table), execution_options={"yield_per": _AT_ONCE})
    return ([dict(row) for row in rows] for rows in found.mappings().partitions())


def _must_be_empty(writer: Connection) -> None:
    for table in Row.metadata.sorted_tables:
        if writer.execute(select(func.count()).select_from(table)).scalar():
            raise NotEmpty(f"The database has rows already (table {table.name}). It takes an empty one.")


def _go_on_counting(writer: Connection, table: Table) -> None:
    """PostgreSQL counts ids by itself and must know which ones are taken."""
    column = table.autoincrement_column
    taken = writer.execute(select(func.max(column))).scalar() if column is not None else None
    if column is not None and taken:
        statement = text("SELECT setval(pg_get_serial_sequence(:table, :column), :taken)")
        writer.execute(statement, {"table": table.name, "column": column.name, "taken": taken})

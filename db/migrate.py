"""Brings the schema up to date: one process migrates, the others wait for it; all of it or nothing.

A migration runs in one transaction on both databases, so a process that is killed half-way leaves the old schema.
"""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from sqlalchemy import Connection, inspect, text

from db.engine import Store

if TYPE_CHECKING:
    from alembic.config import Config

HEAD = "0014"
"""The revision this program is written for; known here so that a start need not load Alembic."""

_FOLDER = Path(__file__).parent / "migrations"
_LOCK = 0x45535441  # "ESTA": the number of PostgreSQL's advisory lock


class SchemaError(Exception):
    """The database's schema does not fit this program. Says what to type."""


def current(store: Store) -> str | None:
    """The revision of the database; None while it is empty."""
    with store.reading() as session:
        return _revision(session.connection())


def is_current(store: Store) -> bool:
    return current(store) == HEAD


def require_current(store: Store) -> None:
    """Raises SchemaError if this program cannot work with the database as it is."""
    if refuse_newer(store) != HEAD:
        raise SchemaError("The database is not up to date. Type: estafette migrate")


def refuse_newer(store: Store) -> str | None:
    """The revision of the database, if it is not newer than this program; else SchemaError."""
    found = current(store)
    if found is not None and found > HEAD:
        raise SchemaError(_newer(found))
    return found


def upgrade(store: Store, *, before: Callable[[str], None] | None = None) -> bool:
    """Bring the database to HEAD; False if it was there already. Safe to repeat, and in many processes at once.

    `before` is called with the old revision when everybody else waits and nothing is changed yet: for a backup.
    """
    if is_current(store):
        return False
    with store.rebuilding() as connection:
        if not store.is_sqlite:
            connection.execute(text("SELECT pg_advisory_xact_lock(:number)"), {"number": _LOCK})
        found = _revision(connection)
        if before and found is not None and found < HEAD:
            before(found)
        return upgrade_on(connection)


def upgrade_on(connection: Connection) -> bool:
    """The same on a connection of the caller's, in the caller's transaction."""
    from alembic import command

    found = _revision(connection)
    if found is not None and found > HEAD:
        raise SchemaError(_newer(found))
    if found == HEAD:
        return False
    command.upgrade(alembic_config(connection), "head")
    return True


def alembic_config(connection: Connection) -> "Config":
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(_FOLDER).replace("%", "%%"))
    config.attributes["connection"] = connection
    return config


def _revision(connection: Connection) -> str | None:
    if not inspect(connection).has_table("alembic_version"):
        return None
    revision: str | None = connection.execute(text("SELECT version_num FROM alembic_version")).scalar()
    return revision


def _newer(found: str) -> str:
    return (
        f"The database's schema is {found}, this program knows {HEAD} at most. "
        "Install the newer Estafette again, or restore the backup that was taken before its upgrade."
    )

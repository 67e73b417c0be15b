"""What all questions to the database are made with: tables of models, rows changed, rows put in once."""

import functools
from typing import Any, cast

from sqlalchemy import CursorResult, Table
from sqlalchemy.dialects import postgresql, sqlite
from sqlmodel import Session, SQLModel

from db.engine import TOUCHED
from db.models import Match, Player, new_id
from db.ready import Ready


def table_of(model: type[SQLModel]) -> Table:
    return cast(Table, model.__table__)  # type: ignore[attr-defined]


INSERT: dict[str, Any] = {"sqlite": sqlite.insert, "postgresql": postgresql.insert}
"""Of each dialect: the inserts that say what to do about a row that is there already."""


def dialect_of(session: Session) -> str:
    bind = session.bind or session.get_bind()
    return bind.dialect.name


def changed(session: Session, statement: Any) -> bool:
    """Execute a statement; whether it changed any row."""
    return rows_changed(session, statement) > 0


def rows_changed(session: Session, statement: Any) -> int:
    """Execute a statement; how many rows it changed."""
    result = session.execute(statement, execution_options={"synchronize_session": False})
    return cast(CursorResult[Any], result).rowcount


def insert_once(session: Session, model: type[SQLModel], columns: dict[str, Any]) -> bool:
    """Put a row in; False if its key, or what else is unique of it, is there already."""
    session.info.setdefault(TOUCHED, set()).add(model.__tablename__)
    return _insert_where_new(dialect_of(session), model).change(session, **columns) > 0


@functools.cache
def _insert_where_new(dialect: str, model: type[SQLModel]) -> Ready:
    return Ready(INSERT[dialect](table_of(model)).on_conflict_do_nothing())


def free_id(session: Session, model: type[Match] | type[Player]) -> str:
    """A public id that no row has yet."""
    while session.get(model, candidate := new_id()) is not None:
        pass
    return candidate

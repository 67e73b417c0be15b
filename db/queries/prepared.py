"""Answers given ahead of time."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import delete, select
from sqlmodel import Session, col

from db.models import Prepared
from db.statements import INSERT, dialect_of, table_of


def put(session: Session, row: dict[str, Any]) -> None:
    """One a seat and kind; a later one takes its place."""
    statement = INSERT[dialect_of(session)](table_of(Prepared)).values(row)
    session.execute(statement.on_conflict_do_update(index_elements=["match_id", "seat", "kind"], set_=row))


def drop(session: Session, match_id: str, seat: int, kind: str) -> None:
    session.execute(
        delete(Prepared).where(
            col(Prepared.match_id) == match_id, col(Prepared.seat) == seat, col(Prepared.kind) == kind
        )
    )


def of_holder(session: Session, match_id: str, seat: int, tenure: int) -> Sequence[Prepared]:
    """What the present holder of a seat has prepared, by kind."""
    return session.scalars(
        select(Prepared)
        .where(col(Prepared.match_id) == match_id, col(Prepared.seat) == seat, col(Prepared.tenure) == tenure)
        .order_by(col(Prepared.kind))
    ).all()

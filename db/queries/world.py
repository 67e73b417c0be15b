"""What the whole instance remembers by name."""

from sqlalchemy import delete, select
from sqlmodel import Session, col

from db.models import World
from db.statements import INSERT, dialect_of, insert_once, table_of


def value(session: Session, key: str) -> str | None:
    return session.scalars(select(col(World.value)).where(col(World.key) == key)).one_or_none()


def put(session: Session, key: str, value: str) -> None:
    statement = INSERT[dialect_of(session)](table_of(World)).values(key=key, value=value)
    session.execute(statement.on_conflict_do_update(index_elements=["key"], set_={"value": value}))


def put_once(session: Session, key: str, value: str) -> bool:
    """False if the key has a value already."""
    return insert_once(session, World, {"key": key, "value": value})


def drop(session: Session, key: str) -> None:
    session.execute(delete(World).where(col(World.key) == key))

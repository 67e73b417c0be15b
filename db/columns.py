"""Kinds of column: points in time that always have a zone, lengths of time, and small data as JSON."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import JSON, BigInteger, DateTime, Dialect
from sqlalchemy.types import TypeDecorator


class Instant(TypeDecorator[datetime]):
    """Aware on the way in, UTC in the row, aware on the way out. A naive one names no moment and is refused."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        return _utc(value)

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)

    def bind_processor(self, dialect: Dialect) -> Callable[[datetime | None], Any] | None:
        return _in_sqlite if dialect.name == "sqlite" else super().bind_processor(dialect)

    def result_processor(self, dialect: Dialect, coltype: object) -> Callable[[Any], datetime | None] | None:
        return _from_sqlite if dialect.name == "sqlite" else super().result_processor(dialect, coltype)


# SQLAlchemy's text for a moment in SQLite, in one step instead of three: a move has twenty of them


def _utc(value: datetime | None) -> datetime | None:
    if value is None:
        return None
    if value.utcoffset() is None:
        raise ValueError(f"{value} has no time zone. Give an aware datetime, like datetime.now(UTC).")
    return value.astimezone(UTC)


def _in_sqlite(value: datetime | None) -> str | None:
    utc = _utc(value)
    return None if utc is None else utc.isoformat(" ", "microseconds")[:26]


def _from_sqlite(value: str | None) -> datetime | None:
    return None if value is None else datetime.fromisoformat(value).replace(tzinfo=UTC)


_MICROSECOND = timedelta(microseconds=1)


class Span(TypeDecorator[timedelta]):
    """A length of time, in the row as whole microseconds."""

    impl = BigInteger
    cache_ok = True

    def process_bind_param(self, value: timedelta | None, dialect: Dialect) -> int | None:
        return None if value is None else value // _MICROSECOND

    def process_result_value(self, value: int | None, dialect: Dialect) -> timedelta | None:
        return None if value is None else timedelta(microseconds=value)


class Json(JSON):
    """JSON whose None is the database's NULL."""

    def __init__(self) -> None:
        super().__init__(none_as_null=True)

"""Kinds of column: points in time that always have a zone, lengths of time, and small data as JSON."""

from datetime import UTC, datetime, timedelta

from sqlalchemy import JSON, BigInteger, DateTime, Dialect
from sqlalchemy.types import TypeDecorator


class Instant(TypeDecorator[datetime]):
    """Aware on the way in, UTC in the row, aware on the way out. A naive one names no moment and is refused."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        if value is None:
            return None
        if value.utcoffset() is None:
            raise ValueError(f"{value} has no time zone. Give an aware datetime, like datetime.now(UTC).")
        return value.astimezone(UTC)

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


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

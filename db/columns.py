"""Two kinds of column: points in time that always have a zone, and small data as JSON."""

from datetime import UTC, datetime

from sqlalchemy import JSON, DateTime, Dialect
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


class Json(JSON):
    """JSON whose None is the database's NULL."""

    def __init__(self) -> None:
        super().__init__(none_as_null=True)

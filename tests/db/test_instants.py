"""Times come back as the moments they were, whatever zone they were written in and the machine lives in."""

import os
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from sqlalchemy import DateTime, inspect, select
from sqlalchemy.exc import StatementError
from sqlmodel import col

from db.columns import Instant
from db.engine import Store
from db.models import Row, Seat
from db.table import seats_out_of_time
from tests.db.builders import NOW, a_match, a_seat

AUCKLAND = ZoneInfo("Pacific/Auckland")


@pytest.fixture(params=["UTC", "Pacific/Auckland", "America/St_Johns"])
def machine_zone(request: pytest.FixtureRequest) -> Iterator[str]:
    before = os.environ.get("TZ")
    os.environ["TZ"] = request.param
    time.tzset()
    yield request.param
    os.environ.pop("TZ") if before is None else os.environ.update(TZ=before)
    time.tzset()


@pytest.mark.parametrize("written_in", [UTC, AUCKLAND, ZoneInfo("America/St_Johns")])
def test_case_B11_a_deadline_is_the_same_moment_after_reloading(
    store: Store, machine_zone: str, written_in: ZoneInfo
) -> None:
    match = a_match()
    with store.writing() as session:
        session.add(match)
        session.flush()
        session.add(a_seat(match, asked=1, asked_at=NOW, due_at=NOW.astimezone(written_in)))

    with store.reading() as session:
        due_at = session.get_one(Seat, (match.id, 1)).due_at
        assert due_at == NOW
        assert due_at is not None
        assert due_at.tzinfo is UTC
        for moment in (NOW - timedelta(microseconds=1), NOW, NOW + timedelta(microseconds=1)):
            overdue = seats_out_of_time(session, moment.astimezone(AUCKLAND), 10)
            assert bool(overdue) == (due_at <= moment), "the query and Python disagree"


def test_case_B11_a_naive_time_is_refused_when_it_is_written(store: Store) -> None:
    with pytest.raises(StatementError, match="has no time zone"), store.writing() as session:
        session.add(a_match(created_at=NOW.replace(tzinfo=None)))


def test_case_B11_a_naive_time_is_refused_in_a_question(store: Store) -> None:
    with store.reading() as session, pytest.raises(StatementError, match="has no time zone"):
        session.execute(select(col(Seat.number)).where(col(Seat.due_at) <= datetime(2026, 11, 30)))  # noqa: DTZ001


def test_case_B11_every_time_in_every_table_is_an_instant() -> None:
    bare = [
        f"{table.name}.{column.name}"
        for table in Row.metadata.tables.values()
        for column in table.columns
        if isinstance(column.type, DateTime) and not isinstance(column.type, Instant)
    ]
    assert bare == []


def test_case_B11_postgresql_keeps_the_zone_too(store: Store) -> None:
    if store.is_sqlite:
        pytest.skip("SQLite has no type for it; the column type does it")
    with store.reading() as session:
        found = inspect(session.connection()).get_columns("seat")
    assert all(column["type"].timezone for column in found if isinstance(column["type"], DateTime))

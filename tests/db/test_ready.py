"""Statements made ready once do what SQLAlchemy does with them each time: same rows, same errors, same listeners."""

from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import Engine, bindparam, column, event, insert, select, table, update
from sqlalchemy.exc import IntegrityError, OperationalError, ProgrammingError
from sqlmodel import Session

from db.engine import Store
from db.models import Match, Seat
from db.ready import Ready
from db.table import MATCH, SEAT
from tests.db.builders import NOW, a_match, a_seat

OF_MATCH = select(MATCH, SEAT).join(SEAT, SEAT.c.match_id == MATCH.c.id).where(MATCH.c.id == bindparam("match"))
FULL: dict[str, Any] = {"options": {"short": True}, "outcome": {"winners": [1]}, "public": True, "finished_at": NOW}
SEAT_FULL: dict[str, Any] = {"house": True, "due_at": NOW, "time_left": timedelta(hours=5, microseconds=1), "asked": 3}


@pytest.fixture
def session(store: Store) -> Any:
    with store.writing() as session:
        yield session


def a_match_of(session: Session, *, seat: dict[str, Any] | None = None, **columns: Any) -> Match:
    match = a_match(**columns)
    session.add(match)
    session.flush()
    session.add(a_seat(match, **(seat or {})))
    session.flush()
    return match


@pytest.mark.parametrize(("columns", "seat"), [({}, {}), (FULL, SEAT_FULL)])
def test_rows_are_those_that_a_session_finds(session: Session, columns: dict[str, Any], seat: dict[str, Any]) -> None:
    match = a_match_of(session, seat=seat, **columns)
    found = Ready(OF_MATCH).rows(session, match=match.id)
    assert [tuple(row) for row in found] == [tuple(row) for row in session.execute(OF_MATCH, {"match": match.id})]
    assert (found[0].commitment, found[0].options) == (match.commitment, match.options)


def test_what_was_changed_is_what_a_session_reads(session: Session) -> None:
    match = a_match_of(session)
    change = Ready(
        update(SEAT).where(SEAT.c.match_id == bindparam("of_match"), SEAT.c.number == bindparam("of_number"))
    )
    assert change.change(session, of_match=match.id, of_number=1, **SEAT_FULL) == 1
    assert change.change(session, of_match=match.id, of_number=2, **SEAT_FULL) == 0
    session.expire_all()
    seat = session.get_one(Seat, (match.id, 1))
    assert {name: getattr(seat, name) for name in SEAT_FULL} == SEAT_FULL


def test_a_value_that_nobody_gave_is_a_mistake(session: Session) -> None:
    with pytest.raises(KeyError):
        Ready(OF_MATCH).rows(session)


def test_errors_are_those_of_sqlalchemy(store: Store) -> None:
    with store.writing() as session:
        match = a_match_of(session)
    values = {"match_id": match.id, "number": 1, "name": "Ann", "house": False, "tenure": 1, "muted": False}
    with pytest.raises(IntegrityError), store.writing() as session:
        Ready(insert(SEAT)).change(session, **values, strong=False, answered=False)
    with pytest.raises((OperationalError, ProgrammingError)), store.writing() as session:
        Ready(select(table("nowhere", column("nothing")))).rows(session)


def test_who_listens_to_the_engine_hears_them(store: Store) -> None:
    heard: list[str] = []

    def listen(_connection: Any, _cursor: Any, statement: str, *_: Any) -> None:
        heard.append(statement)

    event.listen(Engine, "before_cursor_execute", listen)
    try:
        for transaction in (store.writing, store.reading):
            with transaction() as session:
                Ready(OF_MATCH).rows(session, match="none")
    finally:
        event.remove(Engine, "before_cursor_execute", listen)
    assert [statement for statement in heard if not statement.startswith("BEGIN")] == [heard[-1]] * 2
    assert "JOIN seat" in heard[-1]

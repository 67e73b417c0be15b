"""What is asked all the time is answered from an index, and a move takes little room."""

from collections.abc import Callable
from pathlib import Path

import pytest
from sqlalchemy import Engine, event, insert
from sqlmodel import Session

from db import queries, table
from db.engine import Store
from db.models import Letter, Move
from tests.db.builders import NOW, a_match

QUESTIONS: dict[str, Callable[[Session], object]] = {
    "a match": lambda session: table.match_row(session, "k7f3qx"),
    "its seats": lambda session: table.seat_rows(session, "k7f3qx"),
    "its moves": lambda session: table.move_rows(session, "k7f3qx"),
    "a submission": lambda session: table.question_of_submission(session, "k7f3qx", 1, "once"),
    "reminders due": lambda session: table.any_to_remind(session, NOW),
    "expiries due": lambda session: table.seats_out_of_time(session, NOW, 10),
    "matches waiting for a player": lambda session: table.next_waiting(session, "b7f3qx"),
    "matches of a player": lambda session: queries.matches.of_player(session, "b7f3qx"),
    "letters due": lambda session: queries.letters.claim(session, NOW, until=NOW),
    "letters of a player": lambda session: queries.letters.of_player(session, "b7f3qx"),
    "the next due moment": queries.oversight.next_due,
    "the oldest unsent letter": lambda session: queries.oversight.oldest_unsent(session, NOW),
    "decisions that nobody will make": lambda session: queries.oversight.stuck_decisions(
        session, asked_before=NOW, due_before=NOW
    ),
    "the newest letters": lambda session: queries.letters.newest(session),
    "the newest letters that failed": lambda session: queries.letters.newest(session, "failed"),
    "people who cannot be reached": queries.oversight.unreachable_players,
    "people by name": lambda session: queries.players.called(session, "", limit=10),
    "mails read long ago": lambda session: queries.inbound.empty_old(session, NOW),
    "mails to be read": lambda session: queries.inbound.waiting(session, limit=10),
    "counts of attempts that are over": lambda session: queries.tallies.forget(session, NOW),
    "a person": lambda session: queries.players.by_address(session, "ann@example.org"),
}


@pytest.mark.parametrize("name", QUESTIONS)
def test_no_table_is_read_through(store: Store, name: str) -> None:
    if not store.is_sqlite:
        pytest.skip("the plans of an empty PostgreSQL say nothing")
    asked: list[tuple[str, tuple[object, ...]]] = []

    def listen(
        _connection: object, _cursor: object, statement: str, parameters: tuple[object, ...], *_: object
    ) -> None:
        if not statement.startswith("BEGIN"):
            asked.append((statement, parameters))

    event.listen(Engine, "before_cursor_execute", listen)
    try:
        with store.writing() as session:
            QUESTIONS[name](session)
    finally:
        event.remove(Engine, "before_cursor_execute", listen)
    assert asked
    with store.writing() as session:
        for statement, parameters in asked:
            plan = session.connection().exec_driver_sql(f"EXPLAIN QUERY PLAN {statement}", parameters)
            steps = [step.detail for step in plan]
            assert not [
                step for step in steps if step.startswith("SCAN") and "INDEX" not in step and "CONSTANT" not in step
            ]


def test_a_move_takes_less_than_600_bytes_with_its_indexes(store: Store) -> None:
    if not store.is_sqlite:
        pytest.skip("weighed as a file")
    file, match = Path(str(store.url.database)), a_match()
    with store.writing() as session:
        session.add(match)
    store.tidy()
    before = file.stat().st_size
    moves = [
        {
            "match_id": match.id,
            "question": number,
            "seat": 1 + number % 4,
            "text": "take 2R 3L; mark 1.5 2.7",
            "once": f"{number:032x}",
            "at": NOW,
            "by": "player",
            "shows": False,
            "digest": f"{number:064x}",
        }
        for number in range(5000)
    ]
    with store.writing() as session:
        session.execute(insert(Move), moves)
    store.tidy()
    assert (file.stat().st_size - before) / len(moves) < 600


def test_a_letter_keeps_no_body() -> None:
    assert not {"body", "text", "html", "raw", "subject"} & set(Letter.model_fields)

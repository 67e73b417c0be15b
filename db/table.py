"""The statements of a match's table: the one hot path, as Core statements on the models' tables."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any, Final

from sqlalchemy import ColumnElement, Row, and_, bindparam, delete, exists, insert, literal, or_, select, update
from sqlmodel import Session

from db.engine import TOUCHED
from db.models import Ballot, Call, Event, InboundMail, Letter, Match, Move, Player, Prepared, Seat, World
from db.ready import Ready
from db.statements import INSERT, dialect_of, table_of

MATCH, SEAT, MOVE, LETTER, EVENT = (table_of(model) for model in (Match, Seat, Move, Letter, Event))
PLAYER, PREPARED, BALLOT, WORLD = (table_of(model) for model in (Player, Prepared, Ballot, World))
INBOUND, CALL = table_of(InboundMail), table_of(Call)

STOPPED_KEY: Final = "all clocks stopped since"
_stopped = select(WORLD.c.value).where(WORLD.c.key == STOPPED_KEY).scalar_subquery().label("stopped")
_one_match = select(MATCH, _stopped).where(MATCH.c.id == bindparam("match"))
_match, _match_locked = Ready(_one_match), Ready(_one_match.with_for_update(of=MATCH))
_OF_THE_HOLDER = (PLAYER.c.zone, PLAYER.c.hours, PLAYER.c.away, PLAYER.c.reminders)
_has_prepared = exists().where(
    PREPARED.c.match_id == SEAT.c.match_id, PREPARED.c.seat == SEAT.c.number, PREPARED.c.tenure == SEAT.c.tenure
)
_seats = Ready(
    select(
        SEAT,
        PLAYER.c.paused_at.is_not(None).label("unreachable"),
        *_OF_THE_HOLDER,
        _has_prepared.correlate(SEAT).label("has_prepared"),
    )
    .outerjoin(PLAYER, PLAYER.c.id == SEAT.c.player_id)
    .where(SEAT.c.match_id == bindparam("match"))
    .order_by(SEAT.c.number)
)
_moves = Ready(
    select(MOVE.c.question, MOVE.c.seat, MOVE.c.text, MOVE.c.digest)
    .where(MOVE.c.match_id == bindparam("match"), MOVE.c.question >= bindparam("since"))
    .order_by(MOVE.c.question, MOVE.c.seat)
)
_once = Ready(
    select(MOVE.c.question).where(
        MOVE.c.match_id == bindparam("match"), MOVE.c.seat == bindparam("seat"), MOVE.c.once == bindparam("once")
    )
)


def _put(insert_into: Any) -> Ready:
    statement = insert_into(MOVE)
    key = ("match_id", "question", "seat")
    changed = {column.name: statement.excluded[column.name] for column in MOVE.c if column.name not in key}
    return Ready(statement.on_conflict_do_update(index_elements=key, set_=changed))


_put_move = {dialect: _put(insert_into) for dialect, insert_into in INSERT.items()}
_change_match = Ready(update(MATCH).where(MATCH.c.id == bindparam("of_match"), MATCH.c.revision == bindparam("seen")))
_finish_match = Ready(update(MATCH).where(MATCH.c.id == bindparam("of_match")))
_change_seat = Ready(
    update(SEAT).where(SEAT.c.match_id == bindparam("of_match"), SEAT.c.number == bindparam("of_number"))
)


_is_running = exists().where(MATCH.c.id == SEAT.c.match_id, MATCH.c.status == "running").correlate(SEAT)
"""As a join, SQLite would begin with all running matches instead of the few seats that are due."""

_now = bindparam("now", type_=SEAT.c.due_at.type)


def _in(column: ColumnElement[str], state: str) -> ColumnElement[bool]:
    """With the state in the statement's text: PostgreSQL keeps one plan for whatever a parameter may be, and so would
    read all letters that were ever sent."""
    return column == literal(state, literal_execute=True)


_UNSENT = ("waiting", "claimed", "unknown")
_a_letter = or_(*(exists().where(_in(LETTER.c.state, state), LETTER.c.send_at <= _now) for state in _UNSENT))
_a_seat = {
    column.name: exists().where(column.is_not(None), column <= _now, _is_running)
    for column in (SEAT.c.due_at, SEAT.c.remind_at, SEAT.c.play_at)
}
_to_return = or_(
    _a_seat["play_at"],
    exists().where(BALLOT.c.settled_at.is_(None), BALLOT.c.until <= _now),
    exists().where(SEAT.c.lent_until.is_not(None), SEAT.c.lent_until <= _now),
    exists().where(MATCH.c.starts_at.is_not(None), MATCH.c.starts_at <= _now, MATCH.c.status == "open"),
)
_a_call = or_(*(exists().where(_in(CALL.c.state, state), CALL.c.send_at <= _now) for state in ("waiting", "claimed")))
_work_due = select(
    exists().where(_in(INBOUND.c.state, "waiting")).label("read"),
    _a_seat["due_at"].label("expire"),
    _a_seat["remind_at"].label("remind"),
    _to_return.label("return"),
    _a_letter.label("deliver"),
    _a_call.label("call"),
)
_letter_due, _call_due = select(_a_letter), select(_a_call)


def match_row(session: Session, match_id: str, *, locked: bool = False) -> Row[Any] | None:
    """One match; `locked` keeps other writers of this match waiting until the transaction ends.

    `stopped`: since when the clocks of all matches stand still, as text; null while they run.
    """
    found = (_match_locked if locked else _match).rows(session, match=match_id)
    return found[0] if found else None


def seat_rows(session: Session, match_id: str) -> Sequence[Row[Any]]:
    """The seats of a match in order, with their holders' hours.

    `unreachable`: mails to the holder come back; `has_prepared`: the holder has answers ready for questions to come.
    """
    return _seats.rows(session, match=match_id)


def move_rows(session: Session, match_id: str, *, since: int = 0) -> Sequence[Row[Any]]:
    """(question, seat, text, digest) of a match's moves from question `since` on, as they were played."""
    return _moves.rows(session, match=match_id, since=since)


def question_of_submission(session: Session, match_id: str, seat: int, once: str) -> int | None:
    """The question that a submission already answered, None if it is new."""
    found = _once.rows(session, match=match_id, seat=seat, once=once)
    return found[0].question if found else None


def put_move(session: Session, **values: Any) -> None:
    """Write a move; a sealed answer of the same seat to the same question is replaced."""
    _put_move[dialect_of(session)].change(session, **values)
    session.info.setdefault(TOUCHED, set()).add("move")


def drop_move(session: Session, match_id: str, question: int, seat: int) -> None:
    session.execute(delete(MOVE).where(MOVE.c.match_id == match_id, MOVE.c.question == question, MOVE.c.seat == seat))


def drop_moves_from(session: Session, match_id: str, question: int) -> None:
    """Take back this question's moves and all later ones."""
    session.execute(delete(MOVE).where(MOVE.c.match_id == match_id, MOVE.c.question >= question))


def change_match(session: Session, match_id: str, revision: int, **values: Any) -> bool:
    """Move a match on from `revision`; False when somebody was faster."""
    changed = _change_match.change(session, of_match=match_id, seen=revision, revision=revision + 1, **values)
    return changed > 0


def finish_match(session: Session, match_id: str, **values: Any) -> None:
    """What is said of a match that ends with the move whose `change_match` follows."""
    _finish_match.change(session, of_match=match_id, **values)


def change_seat(session: Session, match_id: str, number: int, **values: Any) -> None:
    _change_seat.change(session, of_match=match_id, of_number=number, **values)


def work_due(session: Session, now: datetime) -> dict[str, bool]:
    """Which steps of a worker have something to do: one question, because most of the time none has."""
    return dict(session.execute(_work_due, {"now": now}).mappings().one())


def letter_is_due(session: Session, now: datetime) -> bool:
    return bool(session.execute(_letter_due, {"now": now}).scalar())


def call_is_due(session: Session, now: datetime) -> bool:
    return bool(session.execute(_call_due, {"now": now}).scalar())


def any_to_remind(session: Session, now: datetime) -> bool:
    return bool(session.execute(select(exists().where(SEAT.c.remind_at <= now))).scalar())


def seats_to_remind(session: Session, now: datetime, limit: int) -> Sequence[Row[Any]]:
    """Seats whose next reminder is due with their match's `pace`, locked; other workers pass them over."""
    pace = select(MATCH.c.pace).where(MATCH.c.id == SEAT.c.match_id).scalar_subquery().label("pace")
    statement = (
        select(SEAT, *_OF_THE_HOLDER, pace)
        .outerjoin(PLAYER, PLAYER.c.id == SEAT.c.player_id)
        .where(SEAT.c.remind_at <= now, _is_running)
        .order_by(SEAT.c.remind_at)
        .limit(limit)
        .with_for_update(skip_locked=True, of=SEAT)
    )
    return session.execute(statement).all()


def set_reminders(session: Session, changes: Sequence[dict[str, Any]]) -> None:
    """[{"match", "seat", "next"}]: when each seat's next reminder is due."""
    if changes:
        statement = (
            update(SEAT)
            .where(SEAT.c.match_id == bindparam("match"), SEAT.c.number == bindparam("seat"))
            .values(remind_at=bindparam("next"))
        )
        session.connection().execute(statement, list(changes))


def running_clocks(session: Session) -> Sequence[Row[Any]]:
    """Seats whose clocks run, with their match's `pace`; their matches are locked."""
    return _clocks(session, SEAT.c.due_at.is_not(None), SEAT.c.runs_since.is_not(None))


def standing_clocks(session: Session) -> Sequence[Row[Any]]:
    """Seats of running matches that are asked and have not answered, and whose clocks stand still all the same."""
    is_asked = (SEAT.c.asked.is_not(None), SEAT.c.answered.is_(False), SEAT.c.time_left.is_not(None))
    return _clocks(session, *is_asked, SEAT.c.runs_since.is_(None), _is_running)


def _clocks(session: Session, *which: Any) -> Sequence[Row[Any]]:
    """Whoever moves locks the match first, so that is what is locked here, in the order of all who lock several."""
    of_these = select(SEAT.c.match_id).where(*which)
    session.execute(select(MATCH.c.id).where(MATCH.c.id.in_(of_these)).order_by(MATCH.c.id).with_for_update()).all()
    pace = select(MATCH.c.pace).where(MATCH.c.id == SEAT.c.match_id).scalar_subquery().label("pace")
    statement = (
        select(SEAT, *_OF_THE_HOLDER, pace)
        .outerjoin(PLAYER, PLAYER.c.id == SEAT.c.player_id)
        .where(*which)
        .order_by(SEAT.c.match_id, SEAT.c.number)
    )
    return session.execute(statement).all()


def seats_that_will_play(session: Session) -> Sequence[Row[Any]]:
    """(match_id, number, asked_at, play_at, due_at and the holder's hours) of seats with an answer prepared."""
    columns = (SEAT.c.match_id, SEAT.c.number, SEAT.c.asked_at, SEAT.c.play_at, SEAT.c.due_at)
    statement = (
        select(*columns, *_OF_THE_HOLDER)
        .outerjoin(PLAYER, PLAYER.c.id == SEAT.c.player_id)
        .where(SEAT.c.play_at.is_not(None))
    )
    return session.execute(statement).all()


def open_ballots(session: Session) -> Sequence[Row[Any]]:
    """(id, opened_at, until) of all that is voted on in any match."""
    return session.execute(
        select(BALLOT.c.id, BALLOT.c.opened_at, BALLOT.c.until).where(BALLOT.c.settled_at.is_(None))
    ).all()


def vote_until(session: Session, ballot_id: str, until: datetime) -> None:
    session.execute(update(BALLOT).where(BALLOT.c.id == ballot_id).values(until=until))


def set_clocks(session: Session, changes: Sequence[dict[str, Any]]) -> None:
    """[{"match", "seat", and the columns of a clock}]"""
    if changes:
        columns: dict[str, Any] = {
            name: bindparam(f"to_{name}") for name in changes[0] if name not in ("match", "seat")
        }
        statement = (
            update(SEAT)
            .where(SEAT.c.match_id == bindparam("match"), SEAT.c.number == bindparam("seat"))
            .values(columns)
        )
        rows = [{key if key in ("match", "seat") else f"to_{key}": row[key] for key in row} for row in changes]
        session.connection().execute(statement, rows)


def seats_out_of_time(session: Session, now: datetime, limit: int) -> Sequence[tuple[str, int]]:
    """(match, seat) of open decisions whose time is up, the longest waiting first."""
    statement = (
        select(SEAT.c.match_id, SEAT.c.number)
        .where(SEAT.c.due_at <= now, _is_running)
        .order_by(SEAT.c.due_at)
        .limit(limit)
    )
    return [(row.match_id, row.number) for row in session.execute(statement)]


def seats_lent(session: Session, now: datetime, *, player_id: str | None = None) -> Sequence[tuple[str, int]]:
    """(match, seat) of those to be given back: their time has come, or `player_id` wants theirs at once."""
    whose = SEAT.c.lent_until <= now if player_id is None else SEAT.c.lent_by == player_id
    statement = select(SEAT.c.match_id, SEAT.c.number).where(
        whose, SEAT.c.lent_by.is_not(None), SEAT.c.lent_until.is_not(None)
    )
    return [(row.match_id, row.number) for row in session.execute(statement)]


def seats_held(session: Session, player_id: str) -> Sequence[tuple[str, int]]:
    """(match, seat) of all that a player holds in matches that go on or are paused."""
    statement = (
        select(SEAT.c.match_id, SEAT.c.number)
        .join(MATCH, MATCH.c.id == SEAT.c.match_id)
        .where(SEAT.c.player_id == player_id, MATCH.c.status.in_(("running", "paused")))
    )
    return [(row.match_id, row.number) for row in session.execute(statement)]


def prepared_for(session: Session, match_id: str) -> dict[tuple[int, int, str], timedelta | None]:
    """(seat, tenure, kind of decision) -> how long an answer prepared for it waits for its player's own."""
    statement = select(PREPARED.c.seat, PREPARED.c.tenure, PREPARED.c.kind, PREPARED.c.wait).where(
        PREPARED.c.match_id == match_id
    )
    return {(row.seat, row.tenure, row.kind): row.wait for row in session.execute(statement)}


def seats_to_play(session: Session, now: datetime, limit: int = 100) -> Sequence[Row[Any]]:
    """(match_id, number, asked, tenure) of seats for which an answer prepared is to be played."""
    statement = (
        select(SEAT.c.match_id, SEAT.c.number, SEAT.c.asked, SEAT.c.tenure)
        .where(SEAT.c.play_at <= now, _is_running)
        .order_by(SEAT.c.play_at)
        .limit(limit)
    )
    return session.execute(statement).all()


def played_ahead(session: Session, match_id: str, number: int, asked: int, now: datetime) -> None:
    """It was tried; nothing more is to be played for this seat until it is asked for something else."""
    session.execute(
        update(SEAT)
        .where(SEAT.c.match_id == match_id, SEAT.c.number == number, SEAT.c.asked == asked, SEAT.c.play_at <= now)
        .values(play_at=None)
    )


def next_waiting(session: Session, player_id: str, *, other_than: str | None = None) -> Sequence[Row[Any]]:
    """The open decisions of a player, the most urgent first."""
    seat = SEAT.c
    statement = (
        select(
            seat.match_id, seat.number, seat.asked, seat.asked_at, seat.tenure, seat.due_at, seat.muted, MATCH.c.game
        )
        .join(MATCH, and_(MATCH.c.id == SEAT.c.match_id, MATCH.c.status == "running"))
        .where(SEAT.c.player_id == player_id, SEAT.c.asked.is_not(None), SEAT.c.answered.is_(False))
        .order_by(SEAT.c.due_at.is_(None), SEAT.c.due_at, SEAT.c.match_id)
    )
    if other_than:
        statement = statement.where(SEAT.c.match_id != other_than)
    return session.execute(statement).all()


def note(session: Session, now: datetime, who: str, what: str, *, match_id: str | None = None, why: str = "") -> None:
    """Write into the operator's log."""
    session.execute(insert(EVENT).values(match_id=match_id, at=now, who=who, what=what, why=why or None))

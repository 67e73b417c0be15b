"""What is told on other channels than mail."""

import functools
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import String, and_, bindparam, case, delete, func, literal, or_, select, update
from sqlmodel import Session, col

from db.engine import TOUCHED
from db.models import Call, CallState, Channel
from db.ready import Ready
from db.statements import INSERT, changed, dialect_of, insert_once, rows_changed, table_of

OF_A_MATCH = ("started", "turn", "finished")
"""What a channel of a whole match tells; all of it is public."""


def put(session: Session, **letter: Any) -> None:
    """On every channel of the player whom a letter is for, and of its match, what the letter says is told too.

    Webhooks are for programs, which sleep never; all others wait as long as the letter.
    """
    if _put(dialect_of(session)).change(session, **letter) > 0:
        session.info.setdefault(TOUCHED, set()).add("call")


@functools.cache
def _put(dialect: str) -> Ready:
    """One statement, as it stands in the path of every move."""
    found = ("kind", "match_id", "seat", "tenure", "asked", "occasion", "created_at")
    table = table_of(Call)
    told = [bindparam(name, type_=table.c[name].type).label(name) for name in found]
    send_at = case(
        (col(Channel.kind) == "webhook", bindparam("created_at", type_=table.c.created_at.type)),
        else_=bindparam("send_at", type_=table.c.send_at.type),
    )
    own = and_(col(Channel.match_id).is_(None), col(Channel.player_id) == bindparam("player_id", type_=String))
    of_match = and_(
        col(Channel.match_id) == bindparam("match_id", type_=String),
        or_(*(bindparam("kind", type_=String) == kind for kind in OF_A_MATCH)),
    )
    rows = select(col(Channel.id), *told, send_at, literal("waiting"), literal(0)).where(
        col(Channel.off_at).is_(None), or_(own, of_match)
    )
    names = ("channel_id", *found, "send_at", "state", "attempts")
    return Ready(INSERT[dialect](table).from_select(names, rows).on_conflict_do_nothing())


def add(session: Session, call: Call) -> bool:
    """False if the channel was told of this occasion already."""
    return insert_once(session, Call, call.model_dump(exclude={"id"}))


def claim(session: Session, now: datetime, *, until: datetime, limit: int) -> Sequence[Call]:
    """Take due calls for oneself until then, one of each channel: a slow one holds up none but itself."""
    due = (
        select(func.min(col(Call.id)))
        .where(
            col(Call.state).in_(("waiting", "claimed")),
            col(Call.send_at) <= now,
            col(Call.channel_id).not_in(_being_called(now)),
        )
        .group_by(col(Call.channel_id))
        .limit(limit)
    )
    return session.scalars(
        update(Call)
        .where(col(Call.id).in_(due), col(Call.send_at) <= now)
        .values(state="claimed", send_at=until, attempts=col(Call.attempts) + 1)
        .returning(Call),
        execution_options={"synchronize_session": False, "populate_existing": True},
    ).all()


def _being_called(now: datetime) -> Any:
    return select(col(Call.channel_id)).where(col(Call.state) == "claimed", col(Call.send_at) > now)


def settle(session: Session, call: Call, state: CallState, **columns: Any) -> bool:
    """Report how a claimed call went. False if the claim lapsed and somebody else has it now."""
    return changed(
        session,
        update(Call)
        .where(col(Call.id) == call.id, col(Call.state) == "claimed", col(Call.attempts) == call.attempts)
        .values(state=state, **columns),
    )


def drop_of_channel(session: Session, channel_id: str, *, why: str) -> None:
    rows_changed(
        session,
        update(Call)
        .where(col(Call.channel_id) == channel_id, col(Call.state).in_(("waiting", "claimed")))
        .values(state="dropped", said=why),
    )


def drop_all(session: Session, *, why: str) -> int:
    """Tell nothing of what waits on any channel."""
    return rows_changed(
        session,
        update(Call).where(col(Call.state).in_(("waiting", "claimed"))).values(state="dropped", said=why),
    )


def next_of_channel(session: Session, channel_id: str) -> datetime | None:
    """When something is told on a channel next."""
    waiting = select(func.min(col(Call.send_at))).where(
        col(Call.channel_id) == channel_id, col(Call.state).in_(("waiting", "claimed"))
    )
    found: datetime | None = session.execute(waiting).scalar()
    return found


def forget(session: Session, before: datetime) -> int:
    """Those that were told, or given up, before then."""
    return rows_changed(
        session,
        delete(Call).where(col(Call.created_at) < before, col(Call.state).in_(("done", "failed", "dropped"))),
    )

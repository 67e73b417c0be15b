"""What an operator asks about the whole instance."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import and_, exists, func, or_, select
from sqlmodel import Session, col

from db.models import Event, Letter, Match, Player, Seat
from db.queries import letters


def next_due(session: Session) -> datetime | None:
    """When the next reminder, expiry or letter is due: how far a demo's clock can jump."""
    moments = (
        select(func.min(col(Seat.remind_at))).where(col(Seat.remind_at).is_not(None)).scalar_subquery(),
        select(func.min(col(Seat.due_at))).where(col(Seat.due_at).is_not(None)).scalar_subquery(),
        select(func.min(col(Match.starts_at)))
        .where(col(Match.starts_at).is_not(None), col(Match.status) == "open")
        .scalar_subquery(),
        select(func.min(col(Letter.send_at))).where(col(Letter.state).in_(letters.UNSENT)).scalar_subquery(),
    )
    found = session.execute(select(*moments)).one()
    return min((moment for moment in found if moment is not None), default=None)


def oldest_unsent(session: Session, now: datetime) -> Letter | None:
    """The letter that has been waiting longest and should be out."""
    return session.scalars(
        select(Letter)
        .where(
            col(Letter.state).in_(letters.UNSENT),
            or_(col(Letter.send_at) <= now, col(Letter.attempts) > 0),
        )
        .order_by(col(Letter.created_at))
        .limit(1)
    ).first()


def last_posted(session: Session) -> datetime | None:
    """When the last letter was posted."""
    return session.execute(select(func.max(col(Letter.created_at)))).scalar()


def letters_by_state(session: Session) -> dict[str, int]:
    found = session.execute(select(col(Letter.state), func.count()).group_by(col(Letter.state)))
    return {str(state): count for state, count in found}


def refusals_by_code(session: Session) -> dict[str, int]:
    """The mail server's last code → letters that wait or failed with it; "none" where no server spoke."""
    found = session.execute(
        select(col(Letter.last_status), func.count())
        .where(col(Letter.state).in_(("waiting", "unknown", "failed")), col(Letter.attempts) > 0)
        .group_by(col(Letter.last_status))
    )
    return {str(code or "none"): count for code, count in found}


def matches_by_status(session: Session) -> dict[str, int]:
    found = session.execute(select(col(Match.status), func.count()).group_by(col(Match.status)))
    return {str(status): count for status, count in found}


def moves_made(session: Session) -> int:
    """As the matches count them: counting the rows of millions would take too long."""
    return int(session.execute(select(func.coalesce(func.sum(col(Match.version)), 0))).scalar_one())


def unreachable_players(session: Session) -> int:
    """How many people's mails come back."""
    return int(session.execute(select(func.count()).where(col(Player.paused_at).is_not(None))).scalar_one())


def events_of(session: Session, match_id: str) -> Sequence[Event]:
    """The oldest first."""
    return session.scalars(select(Event).where(col(Event.match_id) == match_id).order_by(col(Event.id))).all()


def newest_events(session: Session, *, limit: int) -> Sequence[Event]:
    """The newest first."""
    return session.scalars(select(Event).order_by(col(Event.id).desc()).limit(limit)).all()


def stuck_decisions(
    session: Session, *, asked_before: datetime, due_before: datetime, limit: int = 100
) -> Sequence[Any]:
    """Open decisions that nobody will make soon: (match_id, number, name, asked_at, due_at, unreachable).

    The time is up and nobody has moved, there is no time limit and no answer since long, or mails come back. Each is
    looked up by itself: asked in one sentence, the database would look at all open decisions.
    """
    unreachable = col(Player.paused_at).is_not(None)
    # as a join, SQLite would begin with all running matches
    running = exists().where(col(Match.id) == col(Seat.match_id), col(Match.status) == "running").correlate(Seat)
    waits = (
        select(
            *(col(Seat.match_id), col(Seat.number), col(Seat.name), col(Seat.asked_at), col(Seat.due_at)),
            unreachable.label("unreachable"),
        )
        .outerjoin(Player, col(Player.id) == col(Seat.player_id))
        .where(running, col(Seat.asked).is_not(None), col(Seat.answered).is_(False))
        .order_by(col(Seat.asked_at))
        .limit(limit)
    )
    whose = select(col(Player.id)).where(unreachable)
    found: dict[tuple[str, int], Any] = {}
    for why in (
        col(Seat.due_at) < due_before,
        and_(col(Seat.due_at).is_(None), col(Seat.asked_at) < asked_before),
        col(Seat.player_id).in_(whose),
    ):
        found |= {(row.match_id, row.number): row for row in session.execute(waits.where(why))}
    return sorted(found.values(), key=lambda row: row.asked_at)[:limit]


def noted_since(session: Session, what: str, since: datetime) -> bool:
    """Whether the operator's log has this since then."""
    found = session.scalars(select(col(Event.id)).where(col(Event.at) > since, col(Event.what) == what).limit(1))
    return found.first() is not None

"""Matches: one, those of a person, those to join or to begin."""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import exists, func, select
from sqlmodel import Session, col

from db.models import Match, Seat
from db.statements import table_of


def by_id(session: Session, match_id: str) -> Match | None:
    return session.get(Match, match_id)


def of_player(session: Session, player_id: str) -> list[tuple[Match, Seat]]:
    """All matches in which this player holds a seat, the newest first."""
    found = session.execute(
        select(Match, Seat)
        .join(Match, col(Match.id) == col(Seat.match_id))
        .where(col(Seat.player_id) == player_id)
        .order_by(col(Match.created_at).desc(), col(Seat.number))
    )
    return [(match, seat) for match, seat in found]


def has_played_before(session: Session, player_id: str, game: str, match_id: str) -> bool:
    """Whether somebody has begun another match of this game, before this one."""
    this, earlier = table_of(Match).alias(), table_of(Match)
    found = (
        select(earlier.c.id)
        .join(table_of(Seat), col(Seat.match_id) == earlier.c.id)
        .join(this, this.c.id == match_id)
        .where(
            col(Seat.player_id) == player_id,
            earlier.c.game == game,
            earlier.c.id != match_id,
            earlier.c.started_at <= this.c.started_at,
        )
    )
    return session.execute(found.limit(1)).first() is not None


def with_status(session: Session, *status: str, limit: int = 100) -> Sequence[Match]:
    """The newest first."""
    return session.scalars(
        select(Match).where(col(Match.status).in_(status)).order_by(col(Match.created_at).desc()).limit(limit)
    ).all()


def to_join(session: Session, *, limit: int) -> Sequence[Match]:
    """Those with free seats for anybody, the newest first."""
    free = exists().where(
        col(Seat.match_id) == col(Match.id), col(Seat.player_id).is_(None), col(Seat.house).is_(False)
    )
    return session.scalars(
        select(Match)
        .where(col(Match.status) == "open", col(Match.public), free)
        .order_by(col(Match.created_at).desc(), col(Match.id))
        .limit(limit)
    ).all()


def to_begin(session: Session, now: datetime) -> Sequence[str]:
    """Those whose date has come."""
    return session.scalars(
        select(col(Match.id))
        .where(col(Match.starts_at) <= now, col(Match.status) == "open")
        .order_by(col(Match.starts_at))
    ).all()


def again_of(session: Session, match_id: str) -> Match | None:
    """The one that the same people play after this one."""
    return session.scalars(select(Match).where(col(Match.again_of) == match_id)).one_or_none()


def how_many_live(session: Session, player_id: str) -> int:
    """In how many matches that are not over a player holds or is offered a seat."""
    found = session.execute(
        select(func.count())
        .select_from(Seat)
        .join(Match, col(Match.id) == col(Seat.match_id))
        .where(col(Seat.player_id) == player_id, col(Match.status).in_(("open", "running", "paused")))
    )
    return int(found.scalar_one())

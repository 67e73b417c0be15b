"""What is said at the table, and what people note for themselves."""

from datetime import datetime

from sqlalchemy import func, select
from sqlmodel import Session, col

from db.models import Move, Note, Remark, Seat


def remarks_of(session: Session, match_id: str, *, limit: int) -> list[Remark]:
    """The latest, the oldest of them first."""
    latest = select(Remark).where(col(Remark.match_id) == match_id).order_by(col(Remark.id).desc()).limit(limit)
    return [*session.execute(latest).scalars()][::-1]


def remarks_since(session: Session, player_id: str, since: datetime) -> int:
    """How many remarks somebody has made, in all matches."""
    counted = select(func.count()).where(col(Remark.player_id) == player_id, col(Remark.at) > since)
    return int(session.execute(counted).scalar_one())


def note_of(session: Session, match_id: str, player_id: str) -> Note | None:
    return session.get(Note, (match_id, player_id))


def last_at_the_table(session: Session, match_id: str, seat: int, player_id: str) -> datetime | None:
    """When somebody last did something at their seat: moved, spoke, or said that they have read."""
    told = (
        select(func.max(col(Move.at))).where(
            col(Move.match_id) == match_id, col(Move.seat) == seat, col(Move.player_id) == player_id,
            col(Move.by).in_(("player", "reply", "api")),
        ),
        select(func.max(col(Remark.at))).where(col(Remark.match_id) == match_id, col(Remark.player_id) == player_id),
        select(col(Seat.heard_at)).where(col(Seat.match_id) == match_id, col(Seat.number) == seat),
    )  # fmt: skip
    return max((at for each in told if (at := session.execute(each).scalar()) is not None), default=None)

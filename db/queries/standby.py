"""Who waits for a seat that somebody gives up."""

from datetime import datetime

from sqlalchemy import delete, select
from sqlmodel import Session, col

from db.models import Player, Seat, Standby
from db.statements import insert_once


def wait(session: Session, player_id: str, game: str, now: datetime) -> bool:
    """False if this person waits already."""
    return insert_once(session, Standby, Standby(player_id=player_id, game=game, since=now).model_dump())


def stop(session: Session, player_id: str, game: str) -> None:
    session.execute(delete(Standby).where(col(Standby.player_id) == player_id, col(Standby.game) == game))


def games_of(session: Session, player_id: str) -> set[str]:
    return set(session.scalars(select(col(Standby.game)).where(col(Standby.player_id) == player_id)))


def longest_waiting(session: Session, game: str, *, not_in: str) -> str | None:
    """Who waits longest for a seat of this game, can be reached, and has none in this match."""
    inside = select(col(Seat.player_id)).where(col(Seat.match_id) == not_in, col(Seat.player_id).is_not(None))
    return session.scalars(
        select(col(Standby.player_id))
        .join(Player, col(Player.id) == col(Standby.player_id))
        .where(
            col(Standby.game) == game,
            col(Standby.player_id).not_in(inside),
            col(Player.paused_at).is_(None),
            col(Player.email) != "",
        )
        .order_by(col(Standby.since), col(Standby.player_id))
        .limit(1)
    ).first()

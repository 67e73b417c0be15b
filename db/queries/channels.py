"""Where people and matches are told of what happens, other than by mail."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import delete, select
from sqlmodel import Session, col

from db.models import Call, Channel
from db.statements import changed


def add(session: Session, channel: Channel) -> None:
    session.add(channel)
    session.flush()


def of_player(session: Session, player_id: str) -> Sequence[Channel]:
    """The oldest first."""
    return session.scalars(
        select(Channel).where(col(Channel.player_id) == player_id).order_by(col(Channel.created_at), col(Channel.id))
    ).all()


def by_id(session: Session, channel_id: str) -> Channel | None:
    return session.get(Channel, channel_id)


def drop(session: Session, player_id: str, channel_id: str) -> bool:
    """With all that was to be told on it. False if it is not this person's."""
    found = session.get(Channel, channel_id)
    if found is None or found.player_id != player_id:
        return False
    session.execute(delete(Call).where(col(Call.channel_id) == channel_id))
    return changed(session, delete(Channel).where(col(Channel.id) == channel_id))


def ids_of_player(player_id: str) -> Any:
    return select(col(Channel.id)).where(col(Channel.player_id) == player_id)

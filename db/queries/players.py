"""People: who they are, whether mail reaches them, and how they answer."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from sqlalchemy import delete, func, null, or_, select, true, update
from sqlmodel import Session, col

from db.models import Bounce, Move, Player, Seat, email_key
from db.statements import changed, free_id, insert_once


def pause(session: Session, player_id: str, *, why: str, now: datetime) -> bool:
    """Send this person nothing any more; False if that was so already."""
    return changed(
        session,
        update(Player)
        .where(col(Player.id) == player_id, col(Player.paused_at).is_(None))
        .values(paused_at=now, paused_why=why),
    )


def reach(session: Session, player_id: str) -> bool:
    """Send to this person again, with a clean slate; False if nothing had been stopped."""
    session.execute(delete(Bounce).where(col(Bounce.player_id) == player_id))
    return changed(
        session,
        update(Player)
        .where(col(Player.id) == player_id, col(Player.paused_at).is_not(None))
        .values(paused_at=None, paused_why=None),
    )


def add_bounce(session: Session, bounce: Bounce) -> bool:
    """False if this day is counted already."""
    return insert_once(session, Bounce, bounce.model_dump())


def bounce_days(session: Session, player_id: str, *, since: str) -> int:
    """On how many days since then mails to this person came back."""
    found = session.execute(select(func.count()).where(col(Bounce.player_id) == player_id, col(Bounce.day) >= since))
    return int(found.scalar_one())


def mute(session: Session, player_id: str) -> bool:
    """Nothing but what they ask for; False if that was so already."""
    return changed(
        session,
        update(Player).where(col(Player.id) == player_id, col(Player.mute_all).is_(False)).values(mute_all=True),
    )


def paused(session: Session) -> Sequence[Player]:
    """Whose addresses cannot be reached, the longest first."""
    return session.scalars(
        select(Player).where(col(Player.paused_at).is_not(None)).order_by(col(Player.paused_at), col(Player.id))
    ).all()


def latest_answers(session: Session, player_id: str, *, limit: int = 200) -> list[tuple[timedelta | None, bool]]:
    """(how long it took, whether it was late) of a player's latest decisions; None where the match ended for it."""
    answers = session.execute(
        select(col(Move.at), col(Move.took), col(Move.late))
        .where(col(Move.player_id) == player_id, or_(col(Move.took).is_not(None), col(Move.late)))
        .order_by(col(Move.at).desc())
        .limit(limit)
    )
    ended = session.execute(
        select(col(Seat.late_at), null(), true()).where(
            col(Seat.player_id) == player_id, col(Seat.late_at).is_not(None)
        )
    )
    latest = sorted([*answers, *ended], key=lambda row: row[0], reverse=True)[:limit]
    return [(took, bool(late)) for _, took, late in latest]


def by_id(session: Session, player_id: str) -> Player | None:
    return session.get(Player, player_id)


def locked(session: Session, player_id: str) -> Player | None:
    """Other changes of this person wait; letters to them do not."""
    return session.get(Player, player_id, with_for_update={"key_share": True})


def by_address(session: Session, address: str) -> Player | None:
    return session.scalars(select(Player).where(col(Player.email_key) == email_key(address))).one_or_none()


def for_address(session: Session, address: str, *, name: str, now: datetime, language: str = "en") -> Player:
    """The person with this address; a new one if there was none. Two at the same moment get the same one."""
    new = Player(
        id=free_id(session, Player), name=name, email=address.strip(), email_key=email_key(address), created_at=now,
        language=language,
    )  # fmt: skip
    insert_once(session, Player, new.model_dump())
    return session.scalars(select(Player).where(col(Player.email_key) == email_key(address))).one()


def called(session: Session, asked: str, *, limit: int) -> Sequence[Player]:
    """Whose name begins like this or whose address it is, by name; with nothing asked the first of all."""
    wanted = or_(col(Player.name).startswith(asked, autoescape=True), col(Player.email_key) == email_key(asked))
    statement = select(Player).order_by(col(Player.name), col(Player.id)).limit(limit)
    return session.scalars(statement.where(wanted) if asked else statement).all()


def everybody(session: Session) -> Sequence[Player]:
    """Everybody, by name."""
    return session.scalars(select(Player).order_by(col(Player.name), col(Player.id))).all()

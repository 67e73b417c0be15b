"""Incoming mail, from its arrival until somebody has acted on it."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import func, select, true, update
from sqlmodel import Session, col

from db.models import InboundMail, InboundState
from db.statements import changed, insert_once, rows_changed


def add(session: Session, mail: InboundMail) -> int:
    """Store an incoming mail; its id. One that is stored already keeps its own."""
    insert_once(session, InboundMail, mail.model_dump(exclude={"id"}))
    return int(session.execute(select(col(InboundMail.id)).where(col(InboundMail.hash) == mail.hash)).scalar_one())


def waiting(session: Session, *, limit: int) -> list[int]:
    """The ids of the mails that nobody has acted on, in the order in which they came."""
    found = session.scalars(
        select(col(InboundMail.id))
        .where(col(InboundMail.state) == "waiting")
        .order_by(col(InboundMail.received_at), col(InboundMail.id))
        .limit(limit)
    )
    return [mail_id for mail_id in found if mail_id is not None]


def by_id(session: Session, mail_id: int) -> InboundMail | None:
    return session.get(InboundMail, mail_id)


def newest(session: Session, *states: str, limit: int = 50) -> Sequence[Any]:
    """The newest first, without their bytes: (id, received_at, state, why, octets)."""
    wanted = col(InboundMail.state).in_(states) if states else true()
    return session.execute(
        select(
            col(InboundMail.id),
            col(InboundMail.received_at),
            col(InboundMail.state),
            col(InboundMail.why),
            func.length(col(InboundMail.raw)).label("octets"),
        )
        .where(wanted)
        .order_by(col(InboundMail.received_at).desc(), col(InboundMail.id).desc())
        .limit(limit)
    ).all()


def begin(session: Session, mail_id: int) -> InboundMail | None:
    """Count one more attempt; the mail, or None if it does not wait any more."""
    return session.scalars(
        update(InboundMail)
        .where(col(InboundMail.id) == mail_id, col(InboundMail.state) == "waiting")
        .values(attempts=col(InboundMail.attempts) + 1)
        .returning(InboundMail),
        execution_options={"synchronize_session": False, "populate_existing": True},
    ).one_or_none()


def is_first_of_its_kind(session: Session, mail_id: int, key: str) -> bool:
    """Whether no other mail has this key; from then on it is this mail's."""
    others = select(InboundMail).where(col(InboundMail.message_key) == key, col(InboundMail.id) != mail_id).exists()
    return changed(session, update(InboundMail).where(col(InboundMail.id) == mail_id, ~others).values(message_key=key))


def settle(session: Session, mail_id: int, state: InboundState, **columns: Any) -> bool:
    """Say what came of a mail. False if somebody else did."""
    return changed(
        session,
        update(InboundMail)
        .where(col(InboundMail.id) == mail_id, col(InboundMail.state) == "waiting")
        .values(state=state, **columns),
    )


def reread(session: Session, mail_id: int) -> bool:
    """Let a mail that was put aside be acted on anew."""
    return changed(
        session,
        update(InboundMail)
        .where(
            col(InboundMail.id) == mail_id,
            col(InboundMail.state).in_(("ignored", "quarantined")),
            func.length(col(InboundMail.raw)) > 0,
        )
        .values(state="waiting", attempts=0, why=None),
    )


def empty_old(session: Session, before: datetime) -> int:
    """Forget what settled mails said; that they came is kept, so that none is taken in twice."""
    return rows_changed(
        session,
        update(InboundMail)
        .where(
            col(InboundMail.received_at) < before,
            col(InboundMail.state) != "waiting",
            func.length(col(InboundMail.raw)) > 0,
        )
        .values(raw=b"", envelope_to=None, envelope_from=None),
    )

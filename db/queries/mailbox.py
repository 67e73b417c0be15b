"""The built-in mailbox."""

from collections.abc import Sequence

from sqlalchemy import func, select
from sqlmodel import Session, col

from db.models import MailboxMail
from db.statements import insert_once


def addresses(session: Session) -> list[tuple[str, int]]:
    """Who got mail, and how many."""
    found = session.execute(
        select(col(MailboxMail.to_address), func.count())
        .group_by(col(MailboxMail.to_address))
        .order_by(col(MailboxMail.to_address))
    )
    return [(address, count) for address, count in found]


def of_address(session: Session, address: str, *, limit: int = 100) -> Sequence[MailboxMail]:
    """The newest first."""
    return session.scalars(
        select(MailboxMail)
        .where(col(MailboxMail.to_address) == address)
        .order_by(col(MailboxMail.id).desc())
        .limit(limit)
    ).all()


def since(session: Session, mail_id: int) -> Sequence[MailboxMail]:
    """What came after this mail, the oldest first."""
    return session.scalars(select(MailboxMail).where(col(MailboxMail.id) > mail_id).order_by(col(MailboxMail.id))).all()


def by_id(session: Session, mail_id: int) -> MailboxMail | None:
    return session.get(MailboxMail, mail_id)


def add(session: Session, mail: MailboxMail) -> bool:
    """False if a mail with this Message-ID is there already."""
    return insert_once(session, MailboxMail, mail.model_dump(exclude={"id"}))

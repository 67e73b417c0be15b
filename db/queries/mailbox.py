"""The built-in mailbox."""

from collections.abc import Sequence

from sqlalchemy import func, select
from sqlmodel import Session, col

from db.models import MailboxMail
from db.statements import insert_once, table_of

_LATELY = 1_000  # mails


def addresses(session: Session, *, limit: int) -> list[tuple[str, int, MailboxMail]]:
    """Who got mail last, in the order of their addresses: how many mails, and the newest."""
    mails, other = table_of(MailboxMail), table_of(MailboxMail).alias()
    lately = select(mails.c.id, mails.c.to_address).order_by(mails.c.id.desc()).limit(_LATELY).subquery()
    newest = func.max(lately.c.id)
    last = select(newest).group_by(lately.c.to_address).order_by(newest.desc()).limit(limit)
    count = select(func.count()).where(other.c.to_address == mails.c.to_address).scalar_subquery()
    found = session.execute(select(MailboxMail, count).where(mails.c.id.in_(last)).order_by(mails.c.to_address))
    return [(mail.to_address, count, mail) for mail, count in found]


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

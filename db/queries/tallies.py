"""How often somebody did something in a stretch of time."""

from datetime import datetime

from sqlalchemy import case, delete
from sqlmodel import Session, col

from db.models import Tally
from db.statements import INSERT, dialect_of, rows_changed, table_of


def count_once_more(session: Session, who: str, now: datetime, *, until: datetime) -> int:
    """How often that makes in this stretch of time, which begins anew once the old one is over."""
    insert = INSERT[dialect_of(session)](table_of(Tally)).values(who=who, until=until, times=1)
    over = col(Tally.until) <= now
    changed = {
        "times": case((over, 1), else_=col(Tally.times) + 1),
        "until": case((over, insert.excluded.until), else_=col(Tally.until)),
    }
    statement = insert.on_conflict_do_update(index_elements=["who"], set_=changed).returning(col(Tally.times))
    return int(session.execute(statement).scalar_one())


def forget(session: Session, now: datetime) -> int:
    """Those whose time is over."""
    return rows_changed(session, delete(Tally).where(col(Tally.until) <= now))

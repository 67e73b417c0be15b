"""What players decide together."""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import select, update
from sqlmodel import Session, col

from db.models import Ballot, Vote
from db.statements import INSERT, dialect_of, insert_once, rows_changed, table_of


def add(session: Session, ballot: Ballot) -> bool:
    """False if the players of the match vote on the same already."""
    return insert_once(session, Ballot, ballot.model_dump())


def locked(session: Session, ballot_id: str) -> Ballot | None:
    return session.get(Ballot, ballot_id, with_for_update=True, populate_existing=True)


def open_of(session: Session, match_id: str) -> Sequence[Ballot]:
    """The oldest first."""
    return session.scalars(
        select(Ballot)
        .where(col(Ballot.match_id) == match_id, col(Ballot.settled_at).is_(None))
        .order_by(col(Ballot.opened_at), col(Ballot.id))
    ).all()


def lapsed(session: Session, now: datetime) -> Sequence[str]:
    """The matches with open ballots whose time is over."""
    return session.scalars(
        select(col(Ballot.match_id)).where(col(Ballot.settled_at).is_(None), col(Ballot.until) <= now).distinct()
    ).all()


def settle(session: Session, ballot_id: str, now: datetime, *, carried: bool) -> None:
    rows_changed(session, update(Ballot).where(col(Ballot.id) == ballot_id).values(settled_at=now, carried=carried))


def put_vote(session: Session, ballot_id: str, seat: int, tenure: int, *, yes: bool, at: datetime) -> None:
    """One a seat; a later one takes its place."""
    row = {"ballot_id": ballot_id, "seat": seat, "tenure": tenure, "yes": yes, "at": at}
    statement = INSERT[dialect_of(session)](table_of(Vote)).values(row)
    session.execute(statement.on_conflict_do_update(index_elements=["ballot_id", "seat"], set_=row))


def votes_of(session: Session, ballot_id: str) -> list[tuple[int, int, bool]]:
    """(seat, tenure, yes)"""
    found = session.execute(
        select(col(Vote.seat), col(Vote.tenure), col(Vote.yes)).where(col(Vote.ballot_id) == ballot_id)
    )
    return [(seat, tenure, yes) for seat, tenure, yes in found]

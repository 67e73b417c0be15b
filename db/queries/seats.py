"""The seats of matches, and what goes with them to the next number of their holder."""

from collections.abc import Sequence

from sqlalchemy import select, update
from sqlmodel import Session, col

from db.models import Ballot, Letter, Match, Player, Prepared, Seat, Vote
from db.queries import letters
from db.statements import changed, rows_changed


def of_each(session: Session, match_ids: Sequence[str]) -> dict[str, list[Seat]]:
    """Of several matches at once, in the order of their numbers."""
    found: dict[str, list[Seat]] = {match_id: [] for match_id in match_ids}
    for seat in session.scalars(select(Seat).where(col(Seat.match_id).in_(found)).order_by(col(Seat.number))):
        found[seat.match_id].append(seat)
    return found


def of(session: Session, match_id: str) -> Sequence[Seat]:
    """In the order of their numbers."""
    return session.scalars(select(Seat).where(col(Seat.match_id) == match_id).order_by(col(Seat.number))).all()


def go_along(session: Session, match_id: str, seat: int, tenure: int, new: int) -> None:
    """What belongs to a seat's holder is theirs under a new number too: letters to come, votes, prepared answers."""
    of_seat = (col(Letter.match_id) == match_id, col(Letter.seat) == seat, col(Letter.tenure) == tenure)
    ballots = select(col(Ballot.id)).where(col(Ballot.match_id) == match_id)
    of_voter = (col(Vote.ballot_id).in_(ballots), col(Vote.seat) == seat, col(Vote.tenure) == tenure)
    rows_changed(session, update(Letter).where(*of_seat, col(Letter.state).in_(letters.UNSENT)).values(tenure=new))
    rows_changed(session, update(Vote).where(*of_voter).values(tenure=new))
    rows_changed(
        session,
        update(Prepared)
        .where(col(Prepared.match_id) == match_id, col(Prepared.seat) == seat, col(Prepared.tenure) == tenure)
        .values(tenure=new),
    )


def offered_to(session: Session, player_id: str) -> Sequence[Seat]:
    """Of matches that go on, those that this person may take over by a link."""
    return session.scalars(
        select(Seat)
        .join(Match, col(Match.id) == col(Seat.match_id))
        .where(col(Seat.offered_to) == player_id, col(Match.status).in_(("running", "paused")))
        .order_by(col(Seat.match_id), col(Seat.number))
    ).all()


def unreachable(session: Session, match_id: str) -> set[int]:
    """The seats of those to whom mails come back."""
    found = session.scalars(
        select(col(Seat.number))
        .join(Player, col(Player.id) == col(Seat.player_id))
        .where(col(Seat.match_id) == match_id, col(Player.paused_at).is_not(None))
    )
    return set(found)


def mute(session: Session, player_id: str, match_id: str, *, muted: bool = True) -> bool:
    """False if this person holds no seat of the match."""
    return changed(
        session,
        update(Seat).where(col(Seat.match_id) == match_id, col(Seat.player_id) == player_id).values(muted=muted),
    )

"""Links for old ones: a seat's links made void, and an open decision's mail once more."""

from __future__ import annotations

from datetime import datetime

from sqlmodel import Session

from db import queries, table
from server.links import MoveLink
from server.matches import Matches, rows_of
from server.seats import invite, post_to


def renew(session: Session, match_id: str, number: int, now: datetime) -> None:
    """In the caller's transaction: the seat's links are void from now on, what is open for it is mailed anew.

    Its holder is the same: votes, prepared answers and what waits to be mailed go along.
    """
    match = table.match_row(session, match_id, locked=True)
    if match is None or match.status in ("finished", "aborted"):
        return
    old = table.seat_rows(session, match_id)[number - 1]
    table.change_seat(session, match_id, number, tenure=old.tenure + 1)
    seat = table.seat_rows(session, match_id)[number - 1]
    queries.letters.drop_of_seat(
        session, match_id, number, why="a fresh one is on its way", kinds=("turn", "invitation")
    )
    queries.seats.go_along(session, match_id, number, old.tenure, seat.tenure)
    if seat.offered_to:
        invite(session, seat, now, player_id=seat.offered_to)
    if match.status == "open" and seat.accepted_at is None:
        invite(session, seat, now)
    elif seat.asked is not None and not seat.answered:
        occasion = f"turn/{match_id}/{number}/{seat.tenure}/{seat.asked}"
        post_to(session, "turn", seat, now, occasion=occasion, asked=seat.asked, due=seat.due_at)


def send(matches: Matches, link: MoveLink, *, now: datetime) -> None:
    """The open decision's mail once more, to the seat's holder, at most once an hour; nothing if none is open."""
    with matches.store.writing() as session:
        match, seats = rows_of(session, link.match)
        seat = next((each for each in seats if each.number == link.seat), None)
        if seat is None or match.status != "running" or seat.tenure != link.tenure or not seat.player_id:
            return
        if seat.asked is not None and not seat.answered:
            occasion = f"fresh/{match.id}/{seat.number}/{seat.tenure}/{seat.asked}/{int(now.timestamp()) // 3600}"
            post_to(session, "turn", seat, now, occasion=occasion, asked=seat.asked)

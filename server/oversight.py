"""What an operator sees of a whole instance, and the one way to a match's secrets."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from sqlmodel import Session

from db import queries, table
from db.models import Event
from emails.language import gettext as _
from server import standstill
from server.service import Service
from server.views import MatchView

SLOW: Final = timedelta(days=7)
LATE: Final = timedelta(minutes=10)
_AGAIN: Final = timedelta(days=1)
_BY_PROGRAM: Final = "by the programs' interface"
LOOKED: Final = "looked at all hidden things, and does not play here"


@dataclass(frozen=True)
class Stuck:
    """A match that does not go on, and why."""

    match_id: str
    why: str


def stuck_matches(session: Session, now: datetime) -> list[Stuck]:
    """Frozen ones first, then those that wait for somebody who will hardly answer."""
    stopped = standstill.stopped_since(session) is not None
    frozen = [
        Stuck(match.id, f"frozen: {match.frozen_why or 'unknown'}")
        for match in queries.matches.with_status(session, "frozen")
    ]
    waiting = [
        Stuck(row.match_id, _why_waiting(row, now))
        for row in queries.oversight.stuck_decisions(session, asked_before=now - SLOW, due_before=now - LATE)
        if not (stopped and not row.unreachable and row.asked_at > now - SLOW)
    ]
    return frozen + waiting


def _why_waiting(row: object, now: datetime) -> str:
    name, asked_at, due_at = (getattr(row, column) for column in ("name", "asked_at", "due_at"))
    if getattr(row, "unreachable"):  # noqa: B009 - a row's columns are known to the query alone
        return f"mails to {name} come back"
    if due_at is not None and due_at < now - LATE:
        return f"the time of {name} is up, and nobody has moved: does a worker run?"
    return f"{name} was asked {(now - asked_at).days} days ago"


def look_at_secrets(service: Service, match_id: str, player_id: str, *, who: str, why: str, now: datetime) -> MatchView:
    """Everything about a match, for somebody who says that they do not play it. Logged, and shown to its players.

    Raises ValueError for who holds a seat, NotFound, Frozen.
    """
    if service.matches.seat_of(match_id, player_id) is not None:
        raise ValueError(_("You hold a seat of this match. Who plays does not look."))
    view = service.matches.view(match_id, "host")
    with service.store.writing() as session:
        table.note(session, now, who, LOOKED, match_id=match_id, why=why)
    return view


def looked_by_program(service: Service, match_id: str, *, who: str, now: datetime) -> None:
    """An operator's program was shown a running match's hidden things: logged and shown too, once a day."""
    with service.store.writing() as session:
        for event in queries.oversight.events_of(session, match_id):
            if (event.what, event.who) == (LOOKED, who) and event.at > now - _AGAIN:
                return
        table.note(session, now, who, LOOKED, match_id=match_id, why=_BY_PROGRAM)


def lookers(service: Service, match_id: str) -> list[Event]:
    """Who has looked, for the players to see."""
    with service.store.reading() as session:
        return [event for event in queries.oversight.events_of(session, match_id) if event.what == LOOKED]

"""Time that counts for nobody: the server was down, or the operator has stopped the world. All clocks get it back.

So do votes, and answers that are prepared. A day that somebody named, like the end of a vacation or of a loan, stays.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any, Final

from sqlalchemy import Row
from sqlmodel import Session

from db import queries, table
from db.engine import Store
from server import clocks
from server.hours import NONE
from server.service import SEEN_KEY

DOWN_AFTER: Final = timedelta(minutes=10)
"""Where no worker was seen for so long, the server was down."""
NOTED_EVERY: Final = timedelta(minutes=1)


def after_downtime(store: Store, now: datetime, *, offset: timedelta = NONE) -> timedelta | None:
    """Note that a worker is there; if none was for a while, give the clocks that time. Once, whoever tries.

    `offset`: how far the demo's clock was moved forward. What was left out there is no downtime.
    """
    here = now - offset
    with store.reading() as session:
        told = queries.world.value(session, SEEN_KEY)
    seen = datetime.fromisoformat(told) if told else None
    if seen is not None and here - seen < NOTED_EVERY:
        return None
    with store.writing() as session:
        if seen is None or here - seen < DOWN_AFTER:
            queries.world.put(session, SEEN_KEY, here.isoformat())
            return None
        if not queries.world.put_once(session, f"downtime since {seen.isoformat()}", here.isoformat()):
            return None
        queries.world.put(session, SEEN_KEY, here.isoformat())
        if queries.world.value(session, table.STOPPED_KEY) is None:  # else the stop gives it back, as a whole
            give_back(session, seen + offset, now)
        why = str(here - seen)
        table.note(session, now, "server", "gave the time without a worker back to all clocks", why=why)
    return here - seen


def give_back(session: Session, start: datetime, end: datetime) -> int:
    """What every clock had at `start` it has at `end`; how many clocks run."""
    changes = []
    for seat in table.running_clocks(session):
        clock = clocks.clock_of(seat, seat.pace)
        if clock is None:
            continue
        columns = clocks.columns_of(clock.stood_still(start, end), seat, end, again=True)
        changes.append({"match": seat.match_id, "seat": seat.number, **columns})
    table.set_clocks(session, changes)
    _wait_longer(session, start, end)
    return len(changes)


def stop_world(store: Store, why: str, now: datetime) -> None:
    """No reminder, no expiry until it is started again; moves are possible, and cost no time.

    Raises ValueError if it stands already.
    """
    with store.writing() as session:
        if not queries.world.put_once(session, table.STOPPED_KEY, now.isoformat()):
            raise ValueError("The clocks of all matches stand still already.")
        running = [(seat, clocks.clock_of(seat, seat.pace)) for seat in table.running_clocks(session)]
        table.set_clocks(
            session,
            [
                {"match": seat.match_id, "seat": seat.number, **clocks.columns_standing(clock.at(now))}
                for seat, clock in running
                if clock
            ],
        )
        table.note(session, now, "operator", "stopped all clocks", why=why)


def start_world(store: Store, now: datetime) -> timedelta:
    """Let all clocks go on with what they had; how long they stood. Raises ValueError if they run."""
    with store.writing() as session:
        since = stopped_since(session)
        if since is None:
            raise ValueError("The clocks are not stopped.")
        queries.world.drop(session, table.STOPPED_KEY)
        give_back(session, since, now)  # to one that was set running by a move at the moment of the stop
        table.set_clocks(session, [_going_on(seat, now) for seat in table.standing_clocks(session)])
        table.note(session, now, "operator", "started all clocks again")
    return now - since


def stopped_since(session: Session) -> datetime | None:
    """Since when the world stands still; None while it goes on."""
    told = queries.world.value(session, table.STOPPED_KEY)
    return datetime.fromisoformat(told) if told else None


def _going_on(seat: Row[Any], now: datetime) -> dict[str, Any]:
    columns = clocks.columns_of(clocks.stopped_clock(seat, seat.pace, now), seat, now, again=True)
    return {"match": seat.match_id, "seat": seat.number, **columns}


def _wait_longer(session: Session, start: datetime, end: datetime) -> None:
    """For votes, and with answers that were prepared: all that had not come at `start` comes later by as much."""
    for ballot in table.open_ballots(session):
        if ballot.until > start:
            table.vote_until(session, ballot.id, ballot.until + (end - max(start, ballot.opened_at)))
    for seat in table.seats_that_will_play(session):
        if seat.play_at > start:
            later = seat.play_at + (end - max(start, seat.asked_at))
            at = clocks.quiet_of(seat).quiet_until(later)
            play_at = at if seat.due_at is None or at < seat.due_at else later
            table.change_seat(session, seat.match_id, seat.number, play_at=play_at)

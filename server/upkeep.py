"""What a host or operator does to a match: give a seat away, extend, pause, resume, abort, rewind."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Row
from sqlmodel import Session

from db import table
from server import clocks
from server.matches import HOUSE_NAMES, Matches, NotFound, Stale, free_name, player_for, post_to, rows_of
from server.words import clean_name


@contextmanager
def _held(matches: Matches, match_id: str) -> Iterator[tuple[Session, Row[Any], Sequence[Row[Any]]]]:
    """One transaction over one match; what memory knew of it is forgotten after."""
    with matches.plays.holding() as hold:
        with matches.store.writing() as session:
            hold(match_id)
            match, seats = rows_of(session, match_id, locked=True)
            yield session, match, seats
        matches.plays.forget(match_id)


def _change(session: Session, match: Row[Any], **values: Any) -> None:
    if not table.change_match(session, match.id, match.revision, **values):
        raise Stale


def replace(
    matches: Matches, match_id: str, number: int, *, name: str, email: str | None, now: datetime, who: str
) -> None:
    """Give a seat to somebody else, or to the house (`email` None).

    Old links die; a sealed answer stays until the new holder changes it; an open decision starts its time anew.
    """
    with _held(matches, match_id) as (session, match, seats):
        old = _seat(seats, number)
        player = player_for(session, name, email, now) if email else None
        if player and any(seat.player_id == player.id for seat in seats):
            raise ValueError("This person holds a seat of the match already.")
        taken = {seat.name for seat in seats if seat.number != number}
        new_name = free_name(clean_name(name) or HOUSE_NAMES[number - 1], taken)
        table.change_seat(
            session,
            match_id,
            number,
            player_id=player.id if player else None,
            house=player is None,
            name=new_name,
            tenure=old.tenure + 1,
            muted=False,
            accepted_at=now,
        )
        kept = "; the sealed answer stays until it is changed" if old.answered else ""
        table.note(session, now, who, f"seat {number} was given to {new_name}{kept}", match_id=match_id)
        if match.status == "running":
            fresh = table.seat_rows(session, match_id)[number - 1]
            if player:
                post_to(session, "started", fresh, now, occasion=f"started/{match_id}/{number}/{fresh.tenure}")
            if old.asked is not None and not old.answered:
                matches.ask(session, match, fresh, now, afresh=True)
        _change(session, match)


def extend(matches: Matches, match_id: str, number: int, by: timedelta, *, now: datetime, who: str) -> datetime:
    """Give an open decision more time; when it is due now. Raises ValueError if none is open or has a time."""
    if by <= timedelta():
        raise ValueError("An extension is a positive number of hours.")
    with _held(matches, match_id) as (session, match, seats):
        seat = _seat(seats, number)
        due = give_time(session, match, seat, by, now)
        table.note(session, now, who, f"seat {number} has until {due:%Y-%m-%d %H:%M} UTC", match_id=match_id)
        _change(session, match)
        return due


def give_time(session: Session, match: Row[Any], seat: Row[Any], by: timedelta, now: datetime) -> datetime:
    """In the caller's transaction: more time for an open decision, and whoever was late with it is not any more."""
    clock = clocks.clock_of(seat, match.pace)
    if seat.asked is None or clock is None or seat.house:
        raise ValueError(f"Seat {seat.number} has no open decision with a time limit.")
    longer = clock.with_more(by, now)
    columns = clocks.columns_of(longer, seat, now) | {"overdue_at": None}
    table.change_seat(session, match.id, seat.number, **columns)
    return longer.due


def pause(matches: Matches, match_id: str, why: str, *, now: datetime, who: str) -> None:
    """Stop all clocks of a running match."""
    with _held(matches, match_id) as (session, match, seats):
        pause_in(session, match, seats, why, now=now, who=who)


def pause_in(
    session: Session, match: Row[Any], seats: Sequence[Row[Any]], why: str, *, now: datetime, who: str
) -> None:
    """The same in the caller's transaction."""
    _must_be(match, "running")
    _change(session, match, status="paused")
    for seat in seats:
        clock = clocks.clock_of(seat, match.pace)
        if clock:
            left = {"time_left": clock.left_at(now)}
            table.change_seat(session, match.id, seat.number, **(clocks.STOPPED | left))
    _tell_all(session, match, seats, now, about="paused", why=why, who=who)


def resume(matches: Matches, match_id: str, *, now: datetime, who: str) -> None:
    """Let a paused match go on; every open decision has the time that it had left."""
    with _held(matches, match_id) as (session, match, seats):
        resume_in(session, match, seats, now=now, who=who)


def resume_in(session: Session, match: Row[Any], seats: Sequence[Row[Any]], *, now: datetime, who: str) -> None:
    """The same in the caller's transaction."""
    _must_be(match, "paused")
    _change(session, match, status="running")
    for seat in seats:
        if seat.asked is None or seat.answered:
            continue
        clock = clocks.stopped_clock(seat, match.pace, now)
        if clock:
            table.change_seat(session, match.id, seat.number, **clocks.columns_of(clock, seat, now))
        if seat.player_id:
            occasion = f"turn/{match.id}/{seat.number}/{seat.tenure}/resumed/{match.revision}"
            due = clock.due if clock else None
            post_to(session, "turn", seat, now, occasion=occasion, asked=seat.asked, due=due)
    _tell_all(session, match, seats, now, about="resumed", why="", who=who)


def abort(matches: Matches, match_id: str, why: str, *, now: datetime, who: str) -> None:
    """End a match without a result."""
    with _held(matches, match_id) as (session, match, seats):
        abort_in(matches, session, match, seats, why, now=now, who=who)


def abort_in(
    matches: Matches,
    session: Session,
    match: Row[Any],
    seats: Sequence[Row[Any]],
    why: str,
    *,
    now: datetime,
    who: str,
) -> None:
    """The same in the caller's transaction."""
    _must_be(match, "open", "running", "paused", "frozen")
    _change(session, match, status="aborted", finished_at=now)
    for seat in seats:
        matches.unask(session, match, seat, now)
    _tell_all(session, match, seats, now, about="aborted", why=why, who=who)


def rewind(matches: Matches, match_id: str, moves: int, why: str, *, now: datetime, who: str) -> None:
    """Take a match back to how it stood after so many moves: same luck, fresh time, a finished one goes on."""
    with _held(matches, match_id) as (session, match, seats):
        _must_be(match, "running", "paused", "finished", "frozen")
        play = matches.replayed(session, match, seats)
        if not 0 <= moves < play.version:
            raise ValueError(f"The match has {play.version} moves; give a number from 0 to {play.version - 1}.")
        before = play.at(min(moves, len(play.moves)))
        while before.moves and len(play.moves) > len(before.moves) and _cuts_a_round(play, len(before.moves)):
            before = play.at(len(before.moves) - 1)
        table.drop_moves_from(session, match_id, before.number)
        for seat in seats:
            matches.unask(session, match, seat, now)
            table.change_seat(session, match_id, seat.number, bank=None)
        _change(
            session,
            match,
            status="running",
            version=before.version,
            question=before.number,
            outcome=None,
            finished_at=None,
            frozen_why=None,
        )
        again, fresh = rows_of(session, match_id)
        matches.settle(session, again, fresh, before, waited=frozenset(), mover=None, now=now)
        _tell_all(session, match, seats, now, about="rewound", why=why, who=who)


def _cuts_a_round(play: Any, moves: int) -> bool:
    """Whether the moves before and after this point answered one question together."""
    return bool(play.moves[moves - 1].question == play.moves[moves].question)


def _tell_all(
    session: Session, match: Row[Any], seats: Sequence[Row[Any]], now: datetime, *, about: str, why: str, who: str
) -> None:
    table.note(session, now, who, f"the match was {about}", match_id=match.id, why=why)
    for seat in seats:
        if seat.player_id:
            occasion = f"{about}/{match.id}/{seat.number}/{seat.tenure}/{match.revision}"
            post_to(session, "notice", seat, now, occasion=occasion, data={"about": about, "why": why})


def _seat(seats: Sequence[Row[Any]], number: int) -> Row[Any]:
    if not 1 <= number <= len(seats):
        raise NotFound
    return seats[number - 1]


def _must_be(match: Row[Any], *statuses: str) -> None:
    if match.status not in statuses:
        raise ValueError(f"The match is {match.status}; that takes one that is {' or '.join(statuses)}.")

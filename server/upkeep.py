"""What a host or operator does to a match: give a seat away, extend, pause, resume, abort, rewind."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime, timedelta
from typing import Any, Final

from sqlalchemy import Row
from sqlmodel import Session

from db import queries, table
from emails.language import gettext as _
from emails.language import spoken
from server import clocks
from server import seats as seats_
from server.matches import Matches, NotFound, NotYours, change, end, hand_over, rows_of, settle, unask
from server.pace import LONGEST_HOURS
from server.plays import sound_part
from server.seats import player_for, post_to, tell_all

GONE_AFTER: Final = timedelta(days=7)
"""Who lets a match without a time limit wait for so long can lose the seat."""


@contextmanager
def held(matches: Matches, match_id: str) -> Iterator[tuple[Session, Row[Any], Sequence[Row[Any]]]]:
    """One transaction over one match; what memory knew of it is forgotten after."""
    with matches.plays.holding() as hold:
        with matches.store.writing() as session:
            hold(match_id)
            match, seats = rows_of(session, match_id, locked=True)
            yield session, match, seats
        matches.plays.forget(match_id)


def seat_at(seats: Sequence[Row[Any]], number: int) -> Row[Any]:
    """Raises NotFound."""
    if not 1 <= number <= len(seats):
        raise NotFound
    return seats[number - 1]


def replace(
    matches: Matches, match_id: str, number: int, *, name: str, email: str | None, now: datetime, who: str
) -> None:
    """Give a seat to somebody else, or to the house (`email` None).

    Old links die; a sealed answer stays until the new holder changes it; an open decision starts its time anew.
    """
    with held(matches, match_id) as (session, match, seats):
        seat_at(seats, number)
        player = player_for(session, name, email, now) if email else None
        if player and any(seat.player_id == player.id for seat in seats):
            raise ValueError(_("This person holds a seat of the match already."))
        hand_over(session, match, seats, number, player, now, name=name, who=who)
        change(session, match)


def offer(
    matches: Matches,
    match_id: str,
    number: int,
    *,
    name: str,
    email: str,
    now: datetime,
    who: str,
    until: datetime | None = None,
) -> None:
    """Invite somebody to take a seat over, by a link in a mail; `until` then, if it is lent. Raises ValueError."""
    with held(matches, match_id) as (session, match, seats):
        _must_be(match, "running", "paused")
        seat = seat_at(seats, number)
        player = player_for(session, name, email, now)
        if any(each.player_id == player.id for each in seats):
            raise ValueError(_("This person holds a seat of the match already."))
        if until is not None and until <= now:
            raise ValueError(_("A seat is lent until a moment that is still to come."))
        seats_.offer(session, seat, player.id, now, until=until)
        table.note(session, now, who, f"seat {number} was offered to {player.name}", match_id=match_id)
        change(session, match)


def leave(matches: Matches, match_id: str, number: int, tenure: int, *, now: datetime) -> None:
    """A player resigns: the house plays the seat on, and a substitute may take it. Raises NotYours."""
    with held(matches, match_id) as (session, match, seats):
        _must_be(match, "running", "paused", "open")
        seat = seat_at(seats, number)
        if seat.tenure != tenure or seat.house:
            raise NotYours
        vacant = hand_over(session, match, seats, number, None, now, who=f"seat {number}")
        seats_.tell_leaver(session, seat, now, about="left")
        if match.status != "open":
            seats_.offer_to_the_first_waiting(session, match, vacant, now)
        _tell_others(session, match, seats, seat, now, about="resigned")
        change(session, match)


def removable(matches: Matches, match_id: str, host_id: str, now: datetime) -> tuple[int, ...]:
    """Whose seats the host may give to the house: of whoever is gone; if the host does not play, of everybody."""
    with matches.store.reading() as session:
        return _removable(*rows_of(session, match_id), host_id, now)


def _removable(match: Row[Any], seats: Sequence[Row[Any]], host_id: str, now: datetime) -> tuple[int, ...]:
    if match.host_id != host_id or match.status not in ("running", "paused"):
        return ()
    plays = any(seat.player_id == host_id for seat in seats)
    others = [seat for seat in seats if seat.player_id and seat.player_id != host_id]
    return tuple(seat.number for seat in others if not plays or _is_gone(seat, now))


def _is_gone(seat: Row[Any], now: datetime) -> bool:
    """Where there is a time limit, the clock sees to whoever is only slow."""
    lets_wait = seat.asked is not None and not seat.answered and seat.time_given is None
    is_here = clocks.quiet_of(seat).quiet_until(now) == now
    return bool(seat.unreachable or (lets_wait and is_here and now - seat.asked_at >= GONE_AFTER))


def remove(matches: Matches, match_id: str, number: int, host_id: str, *, now: datetime) -> None:
    """The host gives a seat to the house; a substitute may take it. Raises NotYours, ValueError with a sentence."""
    with held(matches, match_id) as (session, match, seats):
        if match.host_id != host_id:
            raise NotYours
        seat = seat_at(seats, number)
        if number not in _removable(match, seats, host_id, now):
            raise ValueError(
                _(
                    "A seat is taken from somebody who cannot be reached, or who lets a match without a time limit "
                    "wait for %(days)s days.",
                    days=GONE_AFTER.days,
                )
            )
        vacant = hand_over(session, match, seats, number, None, now, who="host")
        seats_.tell_leaver(session, seat, now, about="removed")
        seats_.offer_to_the_first_waiting(session, match, vacant, now)
        _tell_others(session, match, seats, seat, now, about="resigned")
        change(session, match)


def lend_to_the_house(
    matches: Matches, match_id: str, number: int, tenure: int, until: datetime, *, now: datetime
) -> None:
    """The house plays a seat until its holder is back from vacation. Raises NotYours, ValueError."""
    with held(matches, match_id) as (session, match, seats):
        _must_be(match, "running", "paused")
        seat = seat_at(seats, number)
        if seat.tenure != tenure or seat.house:
            raise NotYours
        if until <= now:
            raise ValueError(_("A seat is lent until a moment that is still to come."))
        lent = {"lent_by": seat.player_id, "lent_until": until}
        hand_over(session, match, seats, number, None, now, who=f"seat {number}", **lent)
        change(session, match)


def give_back(matches: Matches, now: datetime, *, player_id: str | None = None) -> int:
    """Seats that were lent go back when their time has come, those of `player_id` at once; how many."""
    with matches.store.reading() as session:
        lent = table.seats_lent(session, now, player_id=player_id)
    return sum(_given_back(matches, match_id, number, now, early=player_id is not None) for match_id, number in lent)


def _given_back(matches: Matches, match_id: str, number: int, now: datetime, *, early: bool) -> bool:
    with held(matches, match_id) as (session, match, seats):
        seat = seat_at(seats, number)
        if seat.lent_by is None or seat.lent_until is None or (seat.lent_until > now and not early):
            return False
        player = queries.players.by_id(session, seat.lent_by)
        if player is None or not player.email or match.status not in ("running", "paused"):
            table.change_seat(session, match_id, number, lent_by=None, lent_until=None)
            return True
        if seat.player_id:
            seats_.tell_leaver(session, seat, now, about="returned")
        hand_over(session, match, seats, number, player, now, who="server")
        change(session, match)
        return True


def _tell_others(
    session: Session, match: Row[Any], seats: Sequence[Row[Any]], of: Row[Any], now: datetime, *, about: str
) -> None:
    for seat in seats:
        if seat.player_id and seat.number != of.number:
            occasion = f"{about}/{match.id}/{of.number}/{of.tenure}/{seat.number}/{seat.tenure}"
            post_to(session, "notice", seat, now, occasion=occasion, data={"about": about, "name": of.name})


def more_time(hours: float) -> timedelta:
    """An extension of so many hours. Raises ValueError where that is none, or more than any pace gives."""
    if not 0 < hours <= LONGEST_HOURS:
        raise ValueError(_("An extension is a number of hours up to %(most)s.", most=spoken().number(LONGEST_HOURS)))
    return timedelta(hours=hours)


def extend(matches: Matches, match_id: str, number: int, by: timedelta, *, now: datetime, who: str) -> datetime:
    """Give an open decision more time; when it is due now. Raises ValueError if none is open or has a time."""
    with held(matches, match_id) as (session, match, seats):
        return extend_in(session, match, seats, number, by, now, who=who)


def extend_in(
    session: Session,
    match: Row[Any],
    seats: Sequence[Row[Any]],
    number: int,
    by: timedelta,
    now: datetime,
    *,
    who: str,
) -> datetime:
    """The same in the caller's transaction."""
    due = give_time(session, match, seat_at(seats, number), by, now)
    table.note(session, now, who, f"seat {number} has until {due:%Y-%m-%d %H:%M} UTC", match_id=match.id)
    change(session, match)
    return due


def give_time(session: Session, match: Row[Any], seat: Row[Any], by: timedelta, now: datetime) -> datetime:
    """In the caller's transaction: more time for an open decision, and whoever was late with it is not any more."""
    clock = clocks.clock_of(seat, match.pace)
    if match.stopped:
        raise ValueError(_("The clocks of all matches stand still: give more time when they run again."))
    if seat.asked is None or clock is None or seat.house:
        raise ValueError(_("Seat %(number)s has no open decision with a time limit.", number=seat.number))
    longer = clock.with_more(by, now)
    columns = clocks.columns_of(longer, seat, now) | {"overdue_at": None}
    table.change_seat(session, match.id, seat.number, **columns)
    return longer.due


def pause(matches: Matches, match_id: str, why: str, *, now: datetime, who: str) -> None:
    """Stop all clocks of a running match."""
    with held(matches, match_id) as (session, match, seats):
        pause_in(session, match, seats, why, now=now, who=who)


def pause_in(
    session: Session, match: Row[Any], seats: Sequence[Row[Any]], why: str, *, now: datetime, who: str
) -> None:
    """The same in the caller's transaction."""
    _must_be(match, "running")
    change(session, match, status="paused")
    for seat in seats:
        clock = clocks.clock_of(seat, match.pace)
        if clock:
            left = {"time_left": clock.left_at(now)}
            table.change_seat(session, match.id, seat.number, **(clocks.STOPPED | left))
    tell_all(session, match, seats, now, about="paused", why=why, who=who)


def resume(matches: Matches, match_id: str, *, now: datetime, who: str) -> None:
    """Let a paused match go on; every open decision has the time that it had left."""
    with held(matches, match_id) as (session, match, seats):
        resume_in(session, match, seats, now=now, who=who)


def resume_in(session: Session, match: Row[Any], seats: Sequence[Row[Any]], *, now: datetime, who: str) -> None:
    """The same in the caller's transaction."""
    _must_be(match, "paused")
    change(session, match, status="running")
    for seat in seats:
        if seat.asked is None or seat.answered:
            continue
        clock = None if match.stopped else clocks.stopped_clock(seat, match.pace, now)
        if clock:
            table.change_seat(session, match.id, seat.number, **clocks.columns_of(clock, seat, now))
        if seat.player_id:
            occasion = f"turn/{match.id}/{seat.number}/{seat.tenure}/resumed/{match.revision}"
            due = clock.due if clock else None
            post_to(session, "turn", seat, now, occasion=occasion, asked=seat.asked, due=due)
    tell_all(session, match, seats, now, about="resumed", why="", who=who)


def abort(matches: Matches, match_id: str, why: str, *, now: datetime, who: str) -> None:
    """End a match without a result."""
    with held(matches, match_id) as (session, match, seats):
        _must_be(match, "open", "running", "paused", "frozen")
        end(session, match, seats, why, now, who=who)


def rewind(matches: Matches, match_id: str, moves: int, why: str, *, now: datetime, who: str) -> None:
    """Take a match back to how it stood after so many moves: same luck, fresh time; one that is over goes on.

    One that was ended before its end, for lateness or by a vote, can go on from its last move; a frozen one from the
    last move that still leads where it led.
    """
    with held(matches, match_id) as (session, match, seats):
        _must_be(match, "running", "paused", "finished", "frozen", "aborted")
        if match.started_at is None:
            raise ValueError(_("The match had not begun."))
        frozen = match.status == "frozen"
        play = sound_part(session, match, seats) if frozen else matches.replayed(session, match, seats)
        goes_on = frozen or (match.status in ("finished", "aborted") and not play.over)
        last = play.version if goes_on else play.version - 1
        if last < 0:
            raise ValueError(_("No move has been made that could be taken back."))
        if not 0 <= moves <= last:
            raise ValueError(
                _(
                    "The match has %(number)s moves; give a number from 0 to %(most)s.",
                    number=play.version,
                    most=last,
                )
            )
        before = play.at(min(moves, len(play.moves)))
        while before.moves and len(play.moves) > len(before.moves) and _cuts_a_round(play, len(before.moves)):
            before = play.at(len(before.moves) - 1)
        table.drop_moves_from(session, match_id, before.number)
        for seat in seats:
            unask(session, match, seat, now)
            table.change_seat(session, match_id, seat.number, bank=None, late_at=None)
        change(
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
        settle(session, again, fresh, before, waited=frozenset(), mover=None, now=now)
        tell_all(session, match, seats, now, about="rewound", why=why, who=who)


def _cuts_a_round(play: Any, moves: int) -> bool:
    """Whether the moves before and after this point answered one question together."""
    return bool(play.moves[moves - 1].question == play.moves[moves].question)


def _must_be(match: Row[Any], *statuses: str) -> None:
    if match.status not in statuses:
        raise ValueError(
            _(
                "The match is %(status)s; that takes one that is %(known)s.",
                status=match.status,
                known=" or ".join(statuses),
            )
        )

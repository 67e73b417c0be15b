"""What time does to a match: reminders, grace, and the house that moves where it sits or where time is up."""

from __future__ import annotations

import logging
import random
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Row
from sqlalchemy.exc import OperationalError
from sqlmodel import Session

from db import table
from db.turns import DatabaseBusy
from server import clocks, house, pace
from server.hours import Clock
from server.matches import Frozen, Matches, Stale, end, hand_over, move_on, rows_of, settle_after, write_moves
from server.reminders import latest_reminder, next_reminder
from server.rules import GAMES
from server.rules.playing import Play
from server.seats import offer_to_the_first_waiting, post_to, tell_leaver

log = logging.getLogger("estafette.overtime")

_HOUSE_STRETCH = 60  # decisions a house player makes in one transaction at the most
_DUE_AT_ONCE = 500


def remind(matches: Matches, now: datetime, *, limit: int = _DUE_AT_ONCE) -> int:
    """Post the reminders that are due, only the latest of each decision; how many."""
    with matches.store.reading() as session:
        if not table.any_to_remind(session, now):
            return 0
    with matches.store.writing() as session:
        due = table.seats_to_remind(session, now, limit)
        changes = []
        for seat in due:
            clock = clocks.clock_of(seat, seat.pace)
            found = clocks.reminders_of(seat, clock) if clock else ()
            latest = latest_reminder(found, now)
            if clock and latest and not seat.answered and seat.player_id and now < seat.due_at:
                _remind(session, seat, clock, str(latest.threshold), now)
            changes.append({"match": seat.match_id, "seat": seat.number, "next": next_reminder(found, now)})
        table.set_reminders(session, changes)
        return len(changes)


def _remind(session: Session, seat: Row[Any], clock: Clock, threshold: str, now: datetime) -> None:
    """One letter a threshold; more time given by somebody makes it a new one."""
    given = int(clock.given.total_seconds())
    occasion = f"reminder/{seat.match_id}/{seat.number}/{seat.tenure}/{seat.asked}/{given}/{threshold}"
    data = {"threshold": threshold, "given": given}
    post_to(session, "reminder", seat, now, occasion=occasion, asked=seat.asked, data=data, due=seat.due_at)


def expire(matches: Matches, now: datetime, *, limit: int = 100) -> int:
    """Where time is up, and where the house sits, the house moves; for how many seats it did."""
    with matches.store.reading() as session:
        due = table.seats_out_of_time(session, now, limit)
    return sum(_moved_for(matches, match_id, seat, now) for match_id, seat in due)


def _moved_for(matches: Matches, match_id: str, seat: int, now: datetime) -> bool:
    """One match that cannot go on is frozen, and never holds up the others."""
    try:
        return _move_for(matches, match_id, seat, now)
    except Frozen as error:
        matches.freeze(match_id, str(error), now=now)
    except (DatabaseBusy, OperationalError, Stale):
        raise
    except Exception as error:
        log.exception("match %s: the house could not move", match_id)
        matches.freeze(match_id, f"the house could not move ({type(error).__name__})", now=now)
    return False


def _move_for(matches: Matches, match_id: str, number: int, now: datetime) -> bool:
    """The house answers all that a seat is asked in a row. False when somebody was faster."""
    thought = _thought(matches, match_id, number)
    with matches.plays.holding() as hold:
        with matches.store.writing() as session:
            hold(match_id)
            match, seats = rows_of(session, match_id, locked=True)
            seat = seats[number - 1]
            if match.status != "running" or seat.due_at is None or seat.due_at > now:
                return False
            agreed = pace.pace_of(match.pace)
            if not seat.house and agreed.grace and seat.overdue_at is None:
                _begin_grace(session, match, seat, agreed, now)
                return True
            if not seat.house and agreed.late == "end":
                _end_late(session, match, seats, now)
                return True
            if seat.strong and (thought is None or thought[0] != match.revision):
                return False
            play = matches.taken(session, match, seats)
            by = "house" if seat.house else "clock"
            texts: list[str] = []
            waited, together = frozenset(play.waiting_for()), len(play.question) > 1
            while number in play.waiting_for() and len(texts) < (1 if seat.strong else _HOUSE_STRETCH):
                if seat.strong and thought:
                    text = thought[1]
                else:
                    luck = _luck_of(match, play.number, number)
                    text = house.choose(play.game, play.decision(number), play.position(number), number, luck)
                made, question = len(play.moves), play.number
                play.answer(number, text)
                first = not texts
                write_moves(session, match, play, seat, made, question, by=by, once=None, first=first, now=now)
                texts.append(text)
            settle_after(session, match, seats, play, number, waited, together, now)
            if by == "clock":
                _when_late(session, match, seat, play, agreed, texts, now)
            move_on(session, match, play)
        matches.plays.keep(match_id, match.revision + 1, play)
    return True


def _thought(matches: Matches, match_id: str, number: int) -> tuple[int, str] | None:
    """What a strong house player answers, and at which revision: it thinks for long, so before any transaction."""
    with matches.plays.locked(match_id), matches.store.reading() as session:
        match, seats = rows_of(session, match_id)
        if match.status != "running" or not seats[number - 1].strong:
            return None
        with matches.seen(session, match, seats) as play:
            if number not in play.waiting_for():
                return None
            decision, position, options = play.decision(number), play.position(number), play.options
            decision.answers()  # from now on nothing of the table is read
            luck = _luck_of(match, play.number, number)
    game = GAMES[match.game]
    return match.revision, house.choose(game, decision, position, number, luck, strong=True, options=options)


def _end_late(session: Session, match: Row[Any], seats: Sequence[Row[Any]], now: datetime) -> None:
    """The match ends, as was agreed on; that is booked on all seats whose time is up, and on no other."""
    late = [seat for seat in seats if seat.player_id and seat.due_at is not None and seat.due_at <= now]
    for seat in late:
        table.change_seat(session, match.id, seat.number, late_at=now)
    names = [seat.name for seat in late]
    why = f"The time of {' and '.join(names)} was up."
    end(session, match, seats, why, now, who="clock", data={"late": names})


def _begin_grace(session: Session, match: Row[Any], seat: Row[Any], agreed: pace.Pace, now: datetime) -> None:
    """The time is up; until the grace is over, an answer still counts, though as late."""
    grace = timedelta(hours=agreed.grace)
    clock = Clock(seat.time_given + grace, grace, seat.due_at, clocks.calendar_of(seat, agreed))
    columns = clocks.columns_of(clock, seat, now) | {"overdue_at": seat.due_at, "remind_at": None}
    table.change_seat(session, match.id, seat.number, **columns)
    occasion = f"overdue/{match.id}/{seat.number}/{seat.tenure}/{seat.asked}/{int(seat.due_at.timestamp())}"
    data = {"overdue": True, "given": int(clock.given.total_seconds())}
    post_to(session, "reminder", seat, now, occasion=occasion, asked=seat.asked, data=data, due=clock.due)


def _when_late(
    session: Session,
    match: Row[Any],
    seat: Row[Any],
    play: Play,
    agreed: pace.Pace,
    texts: list[str],
    now: datetime,
) -> None:
    """The house has moved for the late seat once; whether it goes on, the match has agreed on."""
    table.note(session, now, "clock", f"the house moved for seat {seat.number}", match_id=match.id)
    if agreed.late == "once" or play.over:
        occasion = f"late/{match.id}/{seat.number}/{seat.tenure}/{seat.asked}"
        post_to(session, "notice", seat, now, occasion=occasion, data={"about": "late", "moves": texts})
        return
    seats = table.seat_rows(session, match.id)
    vacant = hand_over(session, match, seats, seat.number, None, now, who="clock")
    tell_leaver(session, seat, now, about="left late")
    if agreed.late == "substitute":
        offer_to_the_first_waiting(session, match, vacant, now)


def _luck_of(match: Row[Any], question: int, seat: int) -> random.Random:
    """For a house player; it only picks among good moves."""
    return random.Random(f"{match.seed}/{question}/{seat}")  # noqa: S311

"""Matches being looked at and played: views, moves, and who is asked, told and timed after them.

A deed is one transaction. How a match begins is in `beginning`, what time does to it in `overtime`, what its host,
its players and an operator do to it in `lobby`, `together` and `upkeep`; all of them lead here. `now` comes from
outside; nobody talks to a mail server in here.
"""

from __future__ import annotations

import random
import secrets
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Row
from sqlmodel import Session

from db import table
from db.engine import Store
from db.models import Player
from server import clocks, pace
from server.alarms import tell_operators
from server.hours import Clock
from server.links import MoveLink
from server.plays import Diverged, Plays, replayed
from server.rules.asking import Refused
from server.rules.playing import Play
from server.rules.record import record_of
from server.rules.showing import log_of, position_json
from server.rules.telling import Viewer, sentence
from server.seats import give, post_to, tell_all
from server.speech import speech_of
from server.views import MatchView, PreviewView, preview_of, stamp_of, view_of

HOUR = timedelta(hours=1)


class NotFound(LookupError):
    """There is no such match."""


class NotYours(Exception):
    """The seat has another holder now."""


class Stale(Exception):
    """The match has moved on since the page was made; nothing was changed."""


class Frozen(Exception):
    """The match's moves no longer lead to its position; it waits for the operator."""


@dataclass(frozen=True)
class Played:
    """What came of a submission: its moves, and whether this very submission had been played before."""

    texts: tuple[str, ...]
    again: bool = False


class Matches:
    """All matches of one database, those lately played kept in memory.

    `admins` hear by mail of a match that is stopped; `luck` draws seats.
    """

    def __init__(self, store: Store, *, admins: Sequence[str] = (), luck: random.Random | None = None) -> None:
        self.store = store
        self.admins = admins
        self.plays = Plays()
        self.luck = luck or secrets.SystemRandom()

    # -- looking ---------------------------------------------------------------------------------------------

    def view(self, match_id: str, viewer: Viewer, *, since: int | None = None, of: int | None = None) -> MatchView:
        """The match as `viewer` may see it. Raises NotFound, Frozen.

        News begin at question `since`, else at the last own decision of seat `of`, else of the viewer.
        """
        with self.plays.locked(match_id), self.store.reading() as session:
            match, seats = rows_of(session, match_id)
            with self.seen(session, match, seats) as play:
                return view_of(match, seats, play, viewer, since=since, of=of)

    def standing(self, link: MoveLink) -> str:
        """What a move link is worth now: "open" (the decision waits), "over", or "gone" (another holder)."""
        with self.store.reading() as session:
            seat = next((s for s in table.seat_rows(session, link.match) if s.number == link.seat), None)
        if seat is None:
            raise NotFound
        return _standing(seat, link)

    def holder(self, match_id: str, seat: int) -> tuple[str | None, int]:
        """(player id, tenure) of a seat."""
        with self.store.reading() as session:
            for row in table.seat_rows(session, match_id):
                if row.number == seat:
                    return row.player_id, row.tenure
        raise NotFound

    def seat_of(self, match_id: str, player_id: str) -> int | None:
        """The seat that a player holds in a match."""
        with self.store.reading() as session:
            rows = table.seat_rows(session, match_id)
        return next((row.number for row in rows if row.player_id == player_id), None)

    def link_of(self, match_id: str, seat: int) -> MoveLink | None:
        """The link to a seat's open decision, None when none is open."""
        with self.store.reading() as session:
            for row in table.seat_rows(session, match_id):
                if row.number == seat and row.asked is not None:
                    return MoveLink(match_id, seat, row.asked, row.tenure)
        return None

    def position(self, match_id: str, viewer: Viewer) -> dict[str, Any]:
        """The contract's position JSON as `viewer` may see it."""
        with self.plays.locked(match_id), self.store.reading() as session:
            match, seats = rows_of(session, match_id)
            with self.seen(session, match, seats) as play:
                return position_json(play, viewer)

    def at(self, match_id: str, viewer: Viewer, moves: int) -> tuple[MatchView, tuple[str, ...]]:
        """The match as it stood after that many moves, in the viewer's eyes, and the log until then."""
        with self.store.reading() as session:
            match, seats = rows_of(session, match_id)
            play = self.replayed(session, match, seats)
        before = play.at(min(moves, len(play.moves)))
        view = view_of(match, seats, before, viewer, past=True)
        return view, log_of(before, viewer, speech=speech_of(before.game))

    def log(self, match_id: str, viewer: Viewer) -> tuple[str, ...]:
        """The whole log in the viewer's eyes."""
        with self.plays.locked(match_id), self.store.reading() as session:
            match, seats = rows_of(session, match_id)
            with self.seen(session, match, seats) as play:
                return log_of(play, viewer, speech=speech_of(play.game))

    def record(self, match_id: str) -> dict[str, Any]:
        """The whole match as a record, its seed included: for finished matches, or the operator."""
        with self.store.reading() as session:
            match, seats = rows_of(session, match_id)
            play = self.replayed(session, match, seats)
        words = [seat.word for seat in seats]
        return record_of(play, seed=match.seed, words=words, edition=match.edition, rules=match.rules)

    def status(self, match_id: str) -> Row[Any]:
        with self.store.reading() as session:
            return rows_of(session, match_id)[0]

    # -- moves -----------------------------------------------------------------------------------------------

    def preview(self, link: MoveLink, submission: str, *, follow: bool = True) -> tuple[MatchView, PreviewView]:
        """The match now, and what it would be after the submission. Changes nothing.

        With `follow`: where only one answer of the same seat can come next, the preview's submission has it too.
        """
        with self.plays.locked(link.match), self.store.reading() as session:
            match, seats = rows_of(session, link.match)
            _must_be_open(match, seats[link.seat - 1], link)
            with self.seen(session, match, seats) as play:
                shown = play.preview(link.seat, submission, follow=follow)
                return view_of(match, seats, play, link.seat), preview_of(play, link.seat, shown)

    def play(
        self,
        link: MoveLink,
        submission: str,
        *,
        now: datetime,
        once: str | None = None,
        question: int | None = None,
        stamp: str | None = None,
        version: int | None = None,
        by: str = "player",
        also: Callable[[Session], None] | None = None,
    ) -> Played:
        """Play a submission of the seat that the link names.

        `question`, `stamp` (of a page) or `version` (of a position) is what the player saw: another question is
        open by now → `Stale`. The same `once` twice finds its first result. `by` says which way it came. `also`
        happens in the same transaction or not at all. Raises Refused, Stale, NotYours, NotFound, Frozen; then
        nothing is changed, but a match whose moves lead elsewhere is frozen.
        """
        with self._freezing(link.match, now), self.plays.holding() as hold:
            with self.store.writing() as session:
                hold(link.match)
                match, seats = rows_of(session, link.match, locked=True)
                seat = seats[link.seat - 1]
                if once and table.question_of_submission(session, link.match, link.seat, once) is not None:
                    return Played((), again=True)
                _must_be_open(match, seat, link)
                play = self.taken(session, match, seats)
                if _moved_on(play, link.seat, question=question, stamp=stamp, version=version):
                    self.plays.keep(link.match, match.revision, play)
                    raise Stale
                waited, together = frozenset(play.waiting_for()), len(play.question) > 1
                made, number = len(play.moves), play.number
                try:
                    texts = play.submit(link.seat, submission)
                except Refused:
                    self.plays.keep(link.match, match.revision, play)
                    raise
                first = together or not made or play.moves[made - 1].seat != link.seat
                write_moves(session, match, play, seat, made, number, by=by, once=once, first=first, now=now)
                settle_after(session, match, seats, play, link.seat, waited, together, now)
                move_on(session, match, play)
                if also:
                    also(session)
            self.plays.keep(link.match, match.revision + 1, play)
        return Played(texts)

    def undo(self, link: MoveLink, *, now: datetime, stamp: str | None = None) -> None:
        """Take back the seat's own last move, or its sealed answer. Raises Refused with the reason, Stale as `play`."""
        with self.plays.holding() as hold:
            with self.store.writing() as session:
                hold(link.match)
                match, seats = rows_of(session, link.match, locked=True)
                seat = seats[link.seat - 1]
                _must_be_open(match, seat, link)
                with self.seen(session, match, seats) as play:
                    if _moved_on(play, link.seat, stamp=stamp):
                        raise Stale
                    before = play.undone(link.seat)
                question = play.number if link.seat in play.sealed else play.moves[-1].question
                table.drop_move(session, link.match, question, link.seat)
                table.note(session, now, f"seat {link.seat}", "took back a move", match_id=link.match)
                settle(session, match, seats, before, waited=frozenset(play.waiting_for()), mover=link.seat, now=now)
                move_on(session, match, before)
            self.plays.keep(link.match, match.revision + 1, before)

    # -- helpers ---------------------------------------------------------------------------------------------

    @contextmanager
    def seen(self, session: Session, match: Row[Any], seats: Sequence[Row[Any]]) -> Iterator[Play]:
        """The play of a match whose lock is held, to look at and not to change. Raises Frozen."""
        play = self.taken(session, match, seats)
        try:
            yield play
        finally:
            self.plays.keep(match.id, match.revision, play)

    def taken(self, session: Session, match: Row[Any], seats: Sequence[Row[Any]]) -> Play:
        """The play of a match whose lock is held, out of memory: `plays.keep` it, or it is lost. Raises Frozen."""
        if match.status == "frozen":
            raise Frozen
        try:
            return self.plays.take(session, match, seats)
        except Diverged as error:
            raise Frozen(str(error)) from error

    def replayed(self, session: Session, match: Row[Any], seats: Sequence[Row[Any]]) -> Play:
        """The play anew from its moves, for oneself alone. Raises Frozen."""
        try:
            return replayed(session, match, seats)
        except Diverged as error:
            raise Frozen(str(error)) from error

    @contextmanager
    def _freezing(self, match_id: str, now: datetime) -> Iterator[None]:
        """A match that turns out to be frozen is stopped, once the transaction that found it so is over."""
        try:
            yield
        except Frozen as error:
            self.freeze(match_id, str(error), now=now)
            raise

    def freeze(self, match_id: str, why: str, *, now: datetime) -> None:
        """Stop a match whose moves no longer lead to its position, with a notice to the operator and its players."""
        with self.store.writing() as session:
            match, seats = rows_of(session, match_id, locked=True)
            if match.status != "running":
                return
            table.change_match(session, match_id, match.revision, status="frozen", frozen_why=why)
            table.note(session, now, "server", "the match was frozen", match_id=match_id, why=why)
            for seat in seats:
                if seat.player_id:
                    of = f"{match_id}/{seat.number}/{seat.tenure}/{match.revision}"
                    post_to(session, "notice", seat, now, occasion=f"frozen/{of}", data={"about": "frozen"})
            data = {"match": match_id, "why": why}
            tell_operators(
                session, self.admins, "does not replay", of=f"{match_id}/{match.revision}", data=data, now=now
            )


# What follows happens in the transaction of whoever calls it: the moves


def write_moves(
    session: Session,
    match: Row[Any],
    play: Play,
    row: Row[Any],
    made: int,
    number: int,
    *,
    by: str,
    once: str | None,
    first: bool,
    now: datetime,
) -> None:
    """The rows of the moves a seat has just made, the digest of the position with the last.

    `first`: with them the decision is taken up, so here stands how long it took and whether that was late.
    """
    seat: int = row.number
    late = by == "clock" or row.overdue_at is not None
    took = now - row.asked_at if first and row.player_id and row.asked_at else None
    own = [(move.question, move.text, move.shows) for move in play.moves[made:] if move.seat == seat]
    if not own:
        own = [(number, next(text for each, text in play.sealed.items() if each == seat), False)]
    digest = None if play.sealed else play.digest()
    for question, text, shows in own:
        last = question == own[-1][0]
        table.put_move(
            session,
            match_id=match.id,
            question=question,
            seat=int(seat),
            text=text,
            once=once,
            at=now,
            by=by,
            shows=shows,
            digest=digest if last else None,
            player_id=row.player_id,
            took=took,
            late=first and late,
        )
        once, took, first = None, None, False


def change(session: Session, match: Row[Any], **values: Any) -> None:
    """Move the match's row on. Raises Stale when somebody was faster."""
    if not table.change_match(session, match.id, match.revision, **values):
        raise Stale


def move_on(session: Session, match: Row[Any], play: Play) -> None:
    """The match's row follows its play. Raises Stale when somebody was faster."""
    change(session, match, version=play.version, question=play.number)


# Who is asked


def settle_after(
    session: Session,
    match: Row[Any],
    seats: Sequence[Row[Any]],
    play: Play,
    mover: int,
    waited: frozenset[int],
    together: bool,
    now: datetime,
) -> None:
    """Whoever decides alone and is asked again goes on; after a question to several it is a new matter for all."""
    if together:
        settle(session, match, seats, play, waited=waited - {mover}, mover=None, now=now)
    else:
        settle(session, match, seats, play, waited=waited, mover=mover, now=now)


def settle(
    session: Session,
    match: Row[Any],
    seats: Sequence[Row[Any]],
    play: Play,
    *,
    waited: frozenset[int],
    mover: int | None,
    now: datetime,
) -> None:
    """Seats and letters after a change: who is asked now and was not before gets the mail."""
    if play.over:
        _finish(session, match, seats, play, now)
        return
    waits = frozenset(play.waiting_for())
    asked = [seat for seat in seats if seat.number in waits and (seat.number == mover or seat.number not in waited)]
    for seat in seats:
        if seat.number in waits:
            if seat.number == mover and seat.asked is not None:
                _go_on(session, match, seat, now)
            elif seat.number not in waited:
                ask(session, match, seat, now)
        elif seat.number in play.sealed:
            if not seat.answered:
                _answered(session, match, seat, now)
        elif seat.asked is not None:
            unask(session, match, seat, now)
    if any(seat.has_prepared for seat in asked):
        _answer_ahead(session, match, asked, play, now)


def _answer_ahead(session: Session, match: Row[Any], asked: Sequence[Row[Any]], play: Play, now: datetime) -> None:
    """Where an answer is prepared, set the moment at which it is played: one that looks like anybody's."""
    ahead = table.prepared_for(session, match.id)
    for seat in asked:
        key = (seat.number, seat.tenure, play.decision(seat.number).kind)
        if key not in ahead:
            continue
        luck = random.Random(f"ahead/{match.seed}/{play.number}/{seat.number}")  # noqa: S311 - drawn from the secret seed
        after = ahead[key]
        at = clocks.quiet_of(seat).quiet_until(now + (luck.uniform(0.03, 0.7) * HOUR if after is None else after))
        due = table.seat_rows(session, match.id)[seat.number - 1].due_at
        if due is not None and at >= due:
            at = now + (due - now) * luck.uniform(0.3, 0.9)
        table.change_seat(session, match.id, seat.number, play_at=at)


def ask(session: Session, match: Row[Any], seat: Row[Any], now: datetime, *, afresh: bool = False) -> None:
    """A new decision of a seat: its clock begins, its mail goes out. `afresh`: with a bank as at the beginning."""
    asked, agreed = match.revision + 1, pace.pace_of(match.pace)
    bank = None if afresh else _bank_after(match, seat, now)
    clock = None if seat.house else agreed.new_clock(bank, now, clocks.calendar_of(seat, agreed))
    columns = clocks.NO_CLOCK | {"due_at": now} if seat.house else _columns(match, clock, seat, now)
    values = {"asked": asked, "asked_at": now, "answered": False, "overdue_at": None, "bank": bank, "play_at": None}
    table.change_seat(session, match.id, seat.number, **(columns | values))
    if seat.player_id:
        occasion = f"turn/{match.id}/{seat.number}/{seat.tenure}/{asked}"
        due = clock.due if clock and not match.stopped else None
        post_to(session, "turn", seat, now, occasion=occasion, asked=asked, due=due)


def hand_over(
    session: Session,
    match: Row[Any],
    seats: Sequence[Row[Any]],
    number: int,
    player: Player | None,
    now: datetime,
    **how: Any,
) -> Row[Any]:
    """Give a seat to somebody else or the house; what is open for it is asked anew, with a fresh clock."""
    fresh = give(session, match, seats, number, player, now, **how)
    if match.status == "running" and fresh.asked is not None and not fresh.answered:
        ask(session, match, fresh, now, afresh=True)
    return fresh


def _go_on(session: Session, match: Row[Any], seat: Row[Any], now: datetime) -> None:
    """The same decision goes on: with the time that it had, so nobody gains any by taking back."""
    if seat.house:
        table.change_seat(session, match.id, seat.number, due_at=now)
    elif seat.answered:
        clock = clocks.stopped_clock(seat, match.pace, now)
        table.change_seat(session, match.id, seat.number, answered=False, **_columns(match, clock, seat, now))


def _answered(session: Session, match: Row[Any], seat: Row[Any], now: datetime) -> None:
    """A sealed answer is in: the clock stops, and keeps what is left in case it is taken back."""
    clock = clocks.clock_of(seat, match.pace)
    left = {"time_left": clock.left_at(now)} if clock else {}
    table.change_seat(session, match.id, seat.number, answered=True, play_at=None, **(clocks.STOPPED | left))


def unask(session: Session, match: Row[Any], seat: Row[Any], now: datetime) -> None:
    """The decision of a seat is over; its bank pays for it."""
    values = {"asked": None, "asked_at": None, "answered": False, "play_at": None}
    bank = _bank_after(match, seat, now)
    table.change_seat(session, match.id, seat.number, bank=bank, **(clocks.NO_CLOCK | values))


def _bank_after(match: Row[Any], seat: Row[Any], now: datetime) -> timedelta | None:
    used = clocks.used_by(seat, match.pace, now) if seat.asked is not None else None
    bank: timedelta | None = seat.bank
    return bank if used is None else pace.pace_of(match.pace).bank_after(bank, used)


def _columns(match: Row[Any], clock: Clock | None, seat: Row[Any], now: datetime) -> dict[str, Any]:
    """Of a clock that begins to run, or stands still with all others."""
    if match.stopped and clock:
        return clocks.columns_standing(clock)
    return clocks.columns_of(clock, seat, now)


# How it ends


def _finish(session: Session, match: Row[Any], seats: Sequence[Row[Any]], play: Play, now: datetime) -> None:
    outcome = play.outcome()
    assert outcome is not None
    table.finish_match(session, match.id, status="finished", finished_at=now, outcome=outcome.as_json())
    for seat in seats:
        unask(session, match, seat, now)
        if seat.player_id:
            post_to(session, "finished", seat, now, occasion=f"finished/{match.id}/{seat.number}/{seat.tenure}")


def end(
    session: Session,
    match: Row[Any],
    seats: Sequence[Row[Any]],
    why: str,
    now: datetime,
    *,
    who: str,
    data: dict[str, Any] | None = None,
) -> None:
    """The match is over without a result, and everybody is told why, or by `data`."""
    change(session, match, status="aborted", finished_at=now)
    for seat in seats:
        unask(session, match, seat, now)
    tell_all(session, match, seats, now, about="aborted", why=why, who=who, data=data)


def end_drawn(session: Session, match: Row[Any], seats: Sequence[Row[Any]], now: datetime, *, who: str) -> None:
    """The match is finished, and all share the win, because they agreed to that."""
    outcome = {"scores": [], "winners": [seat.number for seat in seats], "agreed": True}
    change(session, match, status="finished", finished_at=now, outcome=outcome)
    for seat in seats:
        unask(session, match, seat, now)
    tell_all(session, match, seats, now, about="drawn", why="", who=who)


# Helpers


def rows_of(session: Session, match_id: str, *, locked: bool = False) -> tuple[Row[Any], Sequence[Row[Any]]]:
    """A match's row and those of its seats. Raises NotFound."""
    match = table.match_row(session, match_id, locked=locked)
    if match is None:
        raise NotFound
    return match, table.seat_rows(session, match_id)


def _standing(seat: Row[Any], link: MoveLink) -> str:
    if seat.tenure != link.tenure or seat.house:
        return "gone"
    return "open" if seat.asked == link.asked else "over"


def _must_be_open(match: Row[Any], seat: Row[Any], link: MoveLink) -> None:
    standing = _standing(seat, link)
    if match.status == "paused":
        raise Refused(sentence("The match is paused; it goes on when it is resumed."))
    if standing == "gone":
        raise NotYours
    if standing == "over":
        raise Stale


def _moved_on(
    play: Play, seat: int, *, question: int | None = None, stamp: str | None = None, version: int | None = None
) -> bool:
    """Whether the open question is another than the one that was seen. Sealed answers of others change nothing."""
    return (
        (question is not None and question != play.number)
        or (stamp is not None and stamp != stamp_of(play, seat))
        or (version is not None and not len(play.moves) <= version <= play.version)
    )

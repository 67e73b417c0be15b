"""What can happen to a match: start, join, play, undo, remind, expire. One transaction each.

The only place where rules, database, letters and house players meet. `now` comes from outside; nobody talks to
a mail server in here.
"""

from __future__ import annotations

import logging
import random
import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Row
from sqlalchemy.exc import OperationalError
from sqlmodel import Session

from db import queries, table
from db.engine import Store
from db.models import Match, Player, Seat, email_key
from db.statements import free_id
from db.turns import DatabaseBusy
from emails.language import gettext as _
from server import clocks, house, pace
from server.hours import Clock, latest_reminder, next_reminder
from server.links import JoinLink, MoveLink, OfferLink
from server.plays import Diverged, Plays, replayed
from server.rules import GAMES
from server.rules.asking import Refused
from server.rules.chance import commitment
from server.rules.playing import Play, full_options
from server.rules.record import record_of
from server.rules.showing import log_of, position_json
from server.rules.telling import Viewer, sentence
from server.seats import (
    HOUSE_NAMES,
    free_name,
    free_seat,
    give,
    invite,
    offer_to_the_first_waiting,
    player_for,
    post_to,
    tell_all,
    tell_leaver,
)
from server.speech import speech_of
from server.views import MatchView, PreviewView, preview_of, stamp_of, view_of
from server.words import clean_name

log = logging.getLogger("estafette.matches")

_HOUSE_STRETCH = 60  # decisions a house player makes in one transaction at the most
_DUE_AT_ONCE = 500
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
class SeatWish:
    """A seat of a new match: a person by address or, known already, by id; the house, perhaps strong; or free."""

    name: str = ""
    email: str | None = None
    house: bool = False
    strong: bool = False
    player: str | None = None
    free: bool = False

    @property
    def is_somebodys(self) -> bool:
        return self.player is not None or bool(self.email)


@dataclass(frozen=True)
class Wish:
    """A new match as somebody wants it."""

    game: str
    seats: Sequence[SeatWish]
    options: dict[str, object] = field(default_factory=dict)
    pace: object = None
    public: bool = False
    starts_at: datetime | None = None
    again_of: str | None = None


@dataclass(frozen=True)
class Played:
    """What came of a submission: its moves, and whether this very submission had been played before."""

    texts: tuple[str, ...]
    again: bool = False


class Matches:
    """The verbs. `luck` draws seats, ids and seeds."""

    def __init__(self, store: Store, *, luck: random.Random | None = None) -> None:
        self.store = store
        self.plays = Plays()
        self._luck = luck or secrets.SystemRandom()

    # -- setting up ------------------------------------------------------------------------------------------

    def create(self, wish: Wish, *, host: str | None, now: datetime, start: bool = False) -> str:
        """A new match; its id. Invites everybody, or starts at once. Raises ValueError with a sentence."""
        game = GAMES.get(wish.game)
        if game is None:
            raise ValueError(
                _("There is no game “%(game)s”. There are: %(known)s.", game=wish.game, known=", ".join(GAMES))
            )
        if not game.least_seats <= len(wish.seats) <= game.most_seats:
            raise ValueError(
                _(
                    "%(game)s is for %(least)s to %(most)s seats, not %(number)s.",
                    game=game.title,
                    least=game.least_seats,
                    most=game.most_seats,
                    number=len(wish.seats),
                )
            )
        options = full_options(game, wish.options)
        its_pace = pace.read_pace(wish.pace)
        wishes = self._drawn(wish.seats)
        seed = secrets.token_hex(32)
        with self.store.writing() as session:
            match = Match(
                id=free_id(session, Match),
                game=game.name,
                edition=game.edition,
                rules=game.rules,
                options=options,
                seed=seed,
                commitment=commitment(seed),
                pace=its_pace.as_json(),
                host_id=host,
                created_at=now,
                public=wish.public,
                starts_at=wish.starts_at,
                again_of=wish.again_of,
            )
            session.add(match)
            session.flush()
            for number, (name, each) in enumerate(zip(_names(wishes), wishes, strict=True), start=1):
                player = _wished_for(session, name, each, now)
                here = each.house or (player is not None and (start or player.id == host))
                seat = Seat(
                    match_id=match.id,
                    number=number,
                    name=name,
                    house=each.house,
                    strong=each.house and each.strong,
                    tenure=1,
                    player_id=player.id if player else None,
                    invited_at=now,
                    accepted_at=now if here else None,
                )
                session.add(seat)
            session.flush()
            for row in table.seat_rows(session, match.id):
                if row.player_id and row.accepted_at is None:
                    invite(session, row, now)
            self.start_if_full(session, match.id, now)
            return match.id

    def _drawn(self, wishes: Sequence[SeatWish]) -> list[SeatWish]:
        for wish in wishes:
            if not (wish.house or wish.free or wish.is_somebodys):
                raise ValueError(_("Each seat needs a mail address, or is for the house."))
        keys = [email_key(wish.email) for wish in wishes if wish.email and not wish.house]
        if len(set(keys)) < len(keys):
            raise ValueError(_("One address cannot hold two seats of a match."))
        drawn = list(wishes)
        self._luck.shuffle(drawn)
        return drawn

    def accept(self, link: JoinLink | OfferLink, *, name: str | None, word: str = "", now: datetime) -> None:
        """Take the seat of an invitation; the match starts with the last. Doing it again does no harm.

        `word` is mixed into the shuffles, which begin with the match.
        """
        with self.store.writing() as session:
            match = table.match_row(session, link.match, locked=True)
            seat = session.get(Seat, (link.match, link.seat))
            if match is None or seat is None:
                raise NotFound
            if seat.tenure != link.tenure:
                raise NotYours
            if isinstance(link, OfferLink):
                if seat.offered_to != link.player or match.status not in ("running", "paused"):
                    raise NotYours
                self._take_over(session, match, seat.number, link.epoch, name, now)
                return
            if seat.house or seat.player_id is None:
                raise NotYours
            if seat.accepted_at is not None or match.status != "open":
                return
            if name:
                taken = {each.name for each in table.seat_rows(session, match.id) if each.number != seat.number}
                seat.name = free_name(clean_name(name) or seat.name, taken)
            seat.accepted_at = now
            seat.word = clean_name(word) or None
            session.add(seat)
            session.flush()
            self.start_if_full(session, match.id, now)

    def start_if_full(self, session: Session, match_id: str, now: datetime) -> None:
        """In the caller's transaction: begin with the last seat that is taken, unless a date is set."""
        match = table.match_row(session, match_id, locked=True)
        if match and match.starts_at is None and all(each.accepted_at for each in table.seat_rows(session, match_id)):
            self.start(session, match_id, now)

    def _take_over(
        self, session: Session, match: Row[Any], number: int, epoch: int, name: str | None, now: datetime
    ) -> None:
        """Somebody takes the seat that was offered to them; one that is lent is given back later."""
        seats = table.seat_rows(session, match.id)
        old = seats[number - 1]
        player = queries.players.by_id(session, old.offered_to)
        if player is None or player.links_epoch != epoch or any(seat.player_id == player.id for seat in seats):
            raise NotYours
        lent = {"lent_by": old.player_id, "lent_until": old.lent_until} if old.player_id and old.lent_until else {}
        self.hand_over(session, match, seats, number, player, now, name=name or "", who="invitation", **lent)
        if not table.change_match(session, match.id, match.revision):
            raise Stale

    def hand_over(
        self,
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
            self.ask(session, match, fresh, now, afresh=True)
        return fresh

    def start(self, session: Session, match_id: str, now: datetime) -> None:
        """In the caller's transaction: all seats are taken, and the match begins."""
        match = table.match_row(session, match_id, locked=True)
        assert match is not None
        seats = table.seat_rows(session, match_id)
        play = replayed(session, match, seats)
        table.change_match(session, match_id, match.revision, status="running", started_at=now, question=play.number)
        for seat in seats:
            if seat.player_id:
                post_to(session, "started", seat, now, occasion=f"started/{match_id}/{seat.number}/{seat.tenure}")
        self.settle(session, match, seats, play, waited=frozenset(), mover=None, now=now)

    # -- looking ---------------------------------------------------------------------------------------------

    def view(self, match_id: str, viewer: Viewer, *, since: int | None = None, of: int | None = None) -> MatchView:
        """The match as `viewer` may see it. Raises NotFound, Frozen.

        News begin at question `since`, else at the last own decision of seat `of`, else of the viewer.
        """
        with self.plays.locked(match_id), self.store.reading() as session:
            match, seats = rows_of(session, match_id)
            play = self.taken(session, match, seats)
            try:
                return view_of(match, seats, play, viewer, since=since, of=of)
            finally:
                self.plays.keep(match_id, match.revision, play)

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
            play = self.taken(session, match, seats)
            try:
                return position_json(play, viewer)
            finally:
                self.plays.keep(match_id, match.revision, play)

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
            play = self.taken(session, match, seats)
            try:
                return log_of(play, viewer, speech=speech_of(play.game))
            finally:
                self.plays.keep(match_id, match.revision, play)

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
            play = self.taken(session, match, seats)
            try:
                shown = play.preview(link.seat, submission, follow=follow)
                return view_of(match, seats, play, link.seat), preview_of(play, link.seat, shown)
            finally:
                self.plays.keep(link.match, match.revision, play)

    def play(self, link: MoveLink, submission: str, *, now: datetime, **how: Any) -> Played:
        """Play a submission of the seat that the link names.

        `question` is the question that the player saw: another one is open by now → `Stale`. The same `once`
        twice finds its first result. `by` says which way it came. Raises Refused, Stale, NotYours, NotFound, Frozen;
        then nothing is changed.
        """
        try:
            return self._play(link, submission, now=now, **how)
        except Frozen as error:
            self.freeze(link.match, str(error), now=now)
            raise

    def _play(
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
        open by now → `Stale`. The same `once` twice finds its first result. `also` happens in the same transaction
        or not at all. Raises Refused, Stale, NotYours, NotFound, Frozen; then nothing is changed.
        """
        with self.plays.holding() as hold:
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
                self._write(session, match, play, seat, made, number, by=by, once=once, first=first, now=now)
                self._settle_after(session, match, seats, play, link.seat, waited, together, now)
                self._move_on(session, match, play)
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
                play = self.taken(session, match, seats)
                sealed = link.seat in play.sealed
                try:
                    if _moved_on(play, link.seat, stamp=stamp):
                        raise Stale
                    before = play.undone(link.seat)
                finally:
                    self.plays.keep(link.match, match.revision, play)
                question = play.number if sealed else play.moves[-1].question
                table.drop_move(session, link.match, question, link.seat)
                table.note(session, now, f"seat {link.seat}", "took back a move", match_id=link.match)
                self.settle(
                    session, match, seats, before, waited=frozenset(play.waiting_for()), mover=link.seat, now=now
                )
                self._move_on(session, match, before)
            self.plays.keep(link.match, match.revision + 1, before)

    def renew_link(self, session: Session, match_id: str, number: int, now: datetime) -> None:
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

    def send_fresh_link(self, link: MoveLink, *, now: datetime) -> None:
        """The open decision's mail once more, to the seat's holder, at most once an hour; nothing if none is open."""
        with self.store.writing() as session:
            match, seats = rows_of(session, link.match)
            seat = next((each for each in seats if each.number == link.seat), None)
            if seat is None or match.status != "running" or seat.tenure != link.tenure or not seat.player_id:
                return
            if seat.asked is not None and not seat.answered:
                occasion = f"fresh/{match.id}/{seat.number}/{seat.tenure}/{seat.asked}/{int(now.timestamp()) // 3600}"
                post_to(session, "turn", seat, now, occasion=occasion, asked=seat.asked)

    def _write(
        self,
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

    def _move_on(self, session: Session, match: Row[Any], play: Play) -> None:
        values: dict[str, Any] = {"version": play.version, "question": play.number}
        if not table.change_match(session, match.id, match.revision, **values):
            raise Stale

    def _settle_after(
        self,
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
            self.settle(session, match, seats, play, waited=waited - {mover}, mover=None, now=now)
        else:
            self.settle(session, match, seats, play, waited=waited, mover=mover, now=now)

    def settle(
        self,
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
            self._finish(session, match, seats, play, now)
            return
        waits = frozenset(play.waiting_for())
        asked = [seat for seat in seats if seat.number in waits and (seat.number == mover or seat.number not in waited)]
        for seat in seats:
            if seat.number in waits:
                if seat.number == mover and seat.asked is not None:
                    self._go_on(session, match, seat, now)
                elif seat.number not in waited:
                    self.ask(session, match, seat, now)
            elif seat.number in play.sealed:
                if not seat.answered:
                    self._answered(session, match, seat, now)
            elif seat.asked is not None:
                self.unask(session, match, seat, now)
        if any(seat.has_prepared for seat in asked):
            self._answer_ahead(session, match, asked, play, now)

    def _answer_ahead(
        self, session: Session, match: Row[Any], asked: Sequence[Row[Any]], play: Play, now: datetime
    ) -> None:
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

    def ask(self, session: Session, match: Row[Any], seat: Row[Any], now: datetime, *, afresh: bool = False) -> None:
        """A new decision of a seat: its clock begins, its mail goes out. `afresh`: with a bank as at the beginning."""
        asked, agreed = match.revision + 1, pace.pace_of(match.pace)
        bank = None if afresh else self._bank_after(match, seat, now)
        clock = None if seat.house else agreed.new_clock(bank, now, clocks.calendar_of(seat, agreed))
        columns = clocks.NO_CLOCK | {"due_at": now} if seat.house else _columns(match, clock, seat, now)
        values = {"asked": asked, "asked_at": now, "answered": False, "overdue_at": None, "bank": bank, "play_at": None}
        table.change_seat(session, match.id, seat.number, **(columns | values))
        if seat.player_id:
            occasion = f"turn/{match.id}/{seat.number}/{seat.tenure}/{asked}"
            due = clock.due if clock and not match.stopped else None
            post_to(session, "turn", seat, now, occasion=occasion, asked=asked, due=due)

    def _go_on(self, session: Session, match: Row[Any], seat: Row[Any], now: datetime) -> None:
        """The same decision goes on: with the time that it had, so nobody gains any by taking back."""
        if seat.house:
            table.change_seat(session, match.id, seat.number, due_at=now)
        elif seat.answered:
            clock = clocks.stopped_clock(seat, match.pace, now)
            table.change_seat(session, match.id, seat.number, answered=False, **_columns(match, clock, seat, now))

    def _answered(self, session: Session, match: Row[Any], seat: Row[Any], now: datetime) -> None:
        """A sealed answer is in: the clock stops, and keeps what is left in case it is taken back."""
        clock = clocks.clock_of(seat, match.pace)
        left = {"time_left": clock.left_at(now)} if clock else {}
        table.change_seat(session, match.id, seat.number, answered=True, play_at=None, **(clocks.STOPPED | left))

    def unask(self, session: Session, match: Row[Any], seat: Row[Any], now: datetime) -> None:
        """The decision of a seat is over; its bank pays for it."""
        values = {"asked": None, "asked_at": None, "answered": False, "play_at": None}
        bank = self._bank_after(match, seat, now)
        table.change_seat(session, match.id, seat.number, bank=bank, **(clocks.NO_CLOCK | values))

    def _bank_after(self, match: Row[Any], seat: Row[Any], now: datetime) -> timedelta | None:
        used = clocks.used_by(seat, match.pace, now) if seat.asked is not None else None
        bank: timedelta | None = seat.bank
        return bank if used is None else pace.pace_of(match.pace).bank_after(bank, used)

    def _finish(self, session: Session, match: Row[Any], seats: Sequence[Row[Any]], play: Play, now: datetime) -> None:
        outcome = play.outcome()
        assert outcome is not None
        session.execute(
            table.MATCH.update()
            .where(table.MATCH.c.id == match.id)
            .values(status="finished", finished_at=now, outcome=outcome.as_json())
        )
        for seat in seats:
            self.unask(session, match, seat, now)
            if seat.player_id:
                post_to(session, "finished", seat, now, occasion=f"finished/{match.id}/{seat.number}/{seat.tenure}")

    def end(
        self,
        session: Session,
        match: Row[Any],
        seats: Sequence[Row[Any]],
        why: str,
        now: datetime,
        *,
        who: str,
        data: dict[str, Any] | None = None,
    ) -> None:
        """In the caller's transaction: the match is over without a result, and everybody is told why, or by `data`."""
        if not table.change_match(session, match.id, match.revision, status="aborted", finished_at=now):
            raise Stale
        for seat in seats:
            self.unask(session, match, seat, now)
        tell_all(session, match, seats, now, about="aborted", why=why, who=who, data=data)

    def end_drawn(
        self, session: Session, match: Row[Any], seats: Sequence[Row[Any]], now: datetime, *, who: str
    ) -> None:
        """In the caller's transaction: the match is finished, and all share the win, because they agreed to that."""
        outcome = {"scores": [], "winners": [seat.number for seat in seats], "agreed": True}
        values = {"status": "finished", "finished_at": now, "outcome": outcome}
        if not table.change_match(session, match.id, match.revision, **values):
            raise Stale
        for seat in seats:
            self.unask(session, match, seat, now)
        tell_all(session, match, seats, now, about="drawn", why="", who=who)

    # -- time ------------------------------------------------------------------------------------------------

    def remind(self, now: datetime, *, limit: int = _DUE_AT_ONCE) -> int:
        """Post the reminders that are due, only the latest of each decision; how many."""
        with self.store.reading() as session:
            if not table.any_to_remind(session, now):
                return 0
        with self.store.writing() as session:
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

    def expire(self, now: datetime, *, limit: int = 100) -> int:
        """Where time is up, and where the house sits, the house moves; for how many seats it did."""
        with self.store.reading() as session:
            due = table.seats_out_of_time(session, now, limit)
        return sum(self._moved_for(match_id, seat, now) for match_id, seat in due)

    def _moved_for(self, match_id: str, seat: int, now: datetime) -> bool:
        """One match that cannot go on is frozen, and never holds up the others."""
        try:
            return self._move_for(match_id, seat, now)
        except Frozen as error:
            self.freeze(match_id, str(error), now=now)
        except (DatabaseBusy, OperationalError, Stale):
            raise
        except Exception as error:
            log.exception("match %s: the house could not move", match_id)
            self.freeze(match_id, f"the house could not move ({type(error).__name__})", now=now)
        return False

    def _move_for(self, match_id: str, number: int, now: datetime) -> bool:
        """The house answers all that a seat is asked in a row. False when somebody was faster."""
        thought = self._thought(match_id, number)
        with self.plays.holding() as hold:
            with self.store.writing() as session:
                hold(match_id)
                match, seats = rows_of(session, match_id, locked=True)
                seat = seats[number - 1]
                if match.status != "running" or seat.due_at is None or seat.due_at > now:
                    return False
                agreed = pace.pace_of(match.pace)
                if not seat.house and agreed.grace and seat.overdue_at is None:
                    self._begin_grace(session, match, seat, agreed, now)
                    return True
                if not seat.house and agreed.late == "end":
                    self._end_late(session, match, seats, now)
                    return True
                if seat.strong and (thought is None or thought[0] != match.revision):
                    return False
                play = self.taken(session, match, seats)
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
                    self._write(session, match, play, seat, made, question, by=by, once=None, first=first, now=now)
                    texts.append(text)
                self._settle_after(session, match, seats, play, number, waited, together, now)
                if by == "clock":
                    self._when_late(session, match, seat, play, agreed, texts, now)
                self._move_on(session, match, play)
            self.plays.keep(match_id, match.revision + 1, play)
        return True

    def _thought(self, match_id: str, number: int) -> tuple[int, str] | None:
        """What a strong house player answers, and at which revision: it thinks for long, so before any transaction."""
        with self.plays.locked(match_id), self.store.reading() as session:
            match, seats = rows_of(session, match_id)
            if match.status != "running" or not seats[number - 1].strong:
                return None
            play = self.taken(session, match, seats)
            try:
                if number not in play.waiting_for():
                    return None
                decision, position, options = play.decision(number), play.position(number), play.options
                decision.answers()  # from now on nothing of the table is read
                luck = _luck_of(match, play.number, number)
            finally:
                self.plays.keep(match_id, match.revision, play)
        game = GAMES[match.game]
        return match.revision, house.choose(game, decision, position, number, luck, strong=True, options=options)

    def _end_late(self, session: Session, match: Row[Any], seats: Sequence[Row[Any]], now: datetime) -> None:
        """The match ends, as was agreed on; that is booked on all seats whose time is up, and on no other."""
        late = [seat for seat in seats if seat.player_id and seat.due_at is not None and seat.due_at <= now]
        for seat in late:
            table.change_seat(session, match.id, seat.number, late_at=now)
        names = [seat.name for seat in late]
        why = f"The time of {' and '.join(names)} was up."
        self.end(session, match, seats, why, now, who="clock", data={"late": names})

    def _begin_grace(self, session: Session, match: Row[Any], seat: Row[Any], agreed: pace.Pace, now: datetime) -> None:
        """The time is up; until the grace is over, an answer still counts, though as late."""
        grace = timedelta(hours=agreed.grace)
        clock = Clock(seat.time_given + grace, grace, seat.due_at, clocks.calendar_of(seat, agreed))
        columns = clocks.columns_of(clock, seat, now) | {"overdue_at": seat.due_at, "remind_at": None}
        table.change_seat(session, match.id, seat.number, **columns)
        occasion = f"overdue/{match.id}/{seat.number}/{seat.tenure}/{seat.asked}/{int(seat.due_at.timestamp())}"
        data = {"overdue": True, "given": int(clock.given.total_seconds())}
        post_to(session, "reminder", seat, now, occasion=occasion, asked=seat.asked, data=data, due=clock.due)

    def _when_late(
        self,
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
        vacant = self.hand_over(session, match, seats, seat.number, None, now, who="clock")
        tell_leaver(session, seat, now, about="left late")
        if agreed.late == "substitute":
            offer_to_the_first_waiting(session, match, vacant, now)

    # -- helpers ---------------------------------------------------------------------------------------------

    def taken(self, session: Session, match: Row[Any], seats: Sequence[Row[Any]]) -> Play:
        if match.status == "frozen":
            raise Frozen
        try:
            return self.plays.take(session, match, seats)
        except Diverged as error:
            raise Frozen(str(error)) from error

    def replayed(self, session: Session, match: Row[Any], seats: Sequence[Row[Any]]) -> Play:
        try:
            return replayed(session, match, seats)
        except Diverged as error:
            raise Frozen(str(error)) from error

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


def _luck_of(match: Row[Any], question: int, seat: int) -> random.Random:
    """For a house player; it only picks among good moves."""
    return random.Random(f"{match.seed}/{question}/{seat}")  # noqa: S311


def _columns(match: Row[Any], clock: Clock | None, seat: Row[Any], now: datetime) -> dict[str, Any]:
    """Of a clock that begins to run, or stands still with all others."""
    if match.stopped and clock:
        return clocks.columns_standing(clock)
    return clocks.columns_of(clock, seat, now)


def rows_of(session: Session, match_id: str, *, locked: bool = False) -> tuple[Row[Any], Sequence[Row[Any]]]:
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


def _wished_for(session: Session, name: str, wish: SeatWish, now: datetime) -> Player | None:
    if wish.player:
        return queries.players.by_id(session, wish.player)
    return player_for(session, name, wish.email, now) if wish.email and not wish.house else None


def _names(wishes: Sequence[SeatWish]) -> list[str]:
    names: list[str] = []
    for number, wish in enumerate(wishes):
        fallback = HOUSE_NAMES[number] if wish.house else f"Player {number + 1}"
        if wish.free:
            fallback = free_seat(number + 1)
        names.append(free_name(clean_name(wish.name) or fallback, set(names)))
    return names


def _remind(session: Session, seat: Row[Any], clock: Clock, threshold: str, now: datetime) -> None:
    """One letter a threshold; more time given by somebody makes it a new one."""
    given = int(clock.given.total_seconds())
    occasion = f"reminder/{seat.match_id}/{seat.number}/{seat.tenure}/{seat.asked}/{given}/{threshold}"
    data = {"threshold": threshold, "given": given}
    post_to(session, "reminder", seat, now, occasion=occasion, asked=seat.asked, data=data, due=seat.due_at)

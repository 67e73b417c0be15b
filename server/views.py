"""What one reader may see of a match: the only way from a match's state to a page, a mail or an answer to a program."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Row

from emails.language import gettext as _
from server.hours import away_from_json
from server.rules import GAMES
from server.rules.asking import Refused
from server.rules.playing import Play, Preview
from server.rules.showing import Say, log_of, sayer
from server.rules.telling import Viewer, say
from server.speech import speech_of


@dataclass(frozen=True)
class SeatView:
    """A seat as everybody may see it."""

    number: int
    name: str
    house: bool
    strong: bool
    asked: bool
    answered: bool
    asked_at: datetime | None
    due_at: datetime | None
    unreachable: bool = False  # mails to who sits here come back
    away: tuple[tuple[datetime, datetime], ...] = ()  # vacations of who sits here, from and until
    overdue_at: datetime | None = None  # the time was up then; `due_at` is the end of the grace
    left: timedelta | None = None  # what an open decision's clock has while it stands still
    player_id: str | None = None
    word: str | None = None  # the first holder's own, mixed into the shuffles

    def away_until(self, now: datetime) -> datetime | None:
        """When who sits here is back from vacation; None if they are here."""
        return next((until for start, until in self.away if start <= now < until), None)


@dataclass(frozen=True)
class Choice:
    """One legal move: its canonical text and the move in words."""

    text: str
    says: str


@dataclass(frozen=True)
class DecisionView:
    """The reader's own open decision. `question` is its number; `sealed` the reader's answer that may still change.

    `stamp` goes into forms: it is another one as soon as the question, or what the reader did before it, is another.
    """

    kind: str
    prompt: str
    question: int
    choices: tuple[Choice, ...]
    sealed: str | None
    together: bool  # others decide at the same time, secretly
    stamp: str


@dataclass(frozen=True)
class MatchView:
    """A match as `viewer` may see it. `news` is the log since the viewer's last own decision."""

    id: str
    game: str
    title: str
    status: str
    options: dict[str, Any]
    pace: dict[str, Any]
    version: int
    viewer: Viewer
    seats: tuple[SeatView, ...]
    position: dict[str, Any]
    words: tuple[str, ...]
    news: tuple[str, ...]
    decision: DecisionView | None
    outcome: dict[str, Any] | None
    commitment: str
    may_undo: bool
    still: bool = False  # the clocks of all matches stand still

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(seat.name for seat in self.seats)

    @property
    def waiting_for(self) -> tuple[SeatView, ...]:
        return tuple(seat for seat in self.seats if seat.asked and not seat.answered)

    @property
    def me(self) -> SeatView | None:
        """The viewer's own seat."""
        return self.seats[self.viewer - 1] if isinstance(self.viewer, int) else None

    @property
    def subject(self) -> str:
        """The one subject of all mails of this match; it holds no secret."""
        return f"{self.title} · {', '.join(self.names)} · #{self.id}"


def decision_of(play: Play, viewer: Viewer, read: Say) -> DecisionView | None:
    """The open decision of the viewer's own seat, None if there is none."""
    if not isinstance(viewer, int) or viewer not in play.question:
        return None
    decision = play.decision(viewer)
    return DecisionView(
        kind=decision.kind,
        prompt=read(decision.prompt),
        question=play.number,
        choices=tuple(Choice(text, read(decision.say(text))) for text in decision.answers()),
        sealed=next((text for seat, text in play.sealed.items() if seat == viewer), None),
        together=len(play.question) > 1,
        stamp=stamp_of(play, viewer),
    )


@dataclass(frozen=True)
class PreviewView:
    """What a submission of the reader's would bring: its text, its moves in words, the log's sentences, the table
    after it as far as the reader can know it. `shows`: then something new will be seen."""

    submission: str
    says: tuple[str, ...]
    told: tuple[str, ...]
    words: tuple[str, ...]
    position: dict[str, Any]
    shows: bool


def stamp_of(play: Play, seat: int) -> str:
    """The number of the open question, and a trace of the seat's own moves right before it (they can be undone)."""
    own = []
    for move in reversed(play.moves):
        if move.seat != seat:
            break
        own.append(move.text)
    trace = hashlib.sha256(";".join(own).encode()).hexdigest()[:6] if own else "0"
    return f"{play.number}-{trace}"


def refusal(view: MatchView, refused: Refused) -> str:
    """Why a move was refused, as the viewer reads it."""
    return say(refused.why, view.viewer, view.names, speech_of(GAMES[view.game]))


def paragraph(view: MatchView, refused: Refused | None) -> str | None:
    """The rule to read on after a refusal; where no rule forbids it (an empty line, say), that of the open decision."""
    if refused is not None and refused.rule is not None:
        return refused.rule
    return GAMES[view.game].hints[view.decision.kind].rule if view.decision else None


def view_of(
    match: Row[Any],
    seats: Sequence[Row[Any]],
    play: Play,
    viewer: Viewer,
    *,
    past: bool = False,
    since: int | None = None,
    of: int | None = None,
) -> MatchView:
    speech = speech_of(play.game)
    read = sayer(play, viewer, speech)
    news_from = _last_own_move(play, of or viewer) if since is None else _moves_before(play, since)
    position = play.position(viewer)
    outcome = play.outcome()
    decision: DecisionView | None = None if past else decision_of(play, viewer, read)
    return MatchView(
        id=match.id,
        game=match.game,
        title=play.game.title,
        status=match.status,
        options=match.options,
        pace=match.pace,
        version=play.version,
        viewer=viewer,
        seats=tuple(_seat_view(seat, past=past, begun=match.status != "open") for seat in seats),
        position=position,
        words=tuple(play.game.words(position, play.names, viewer, speech)),
        news=log_of(play, viewer, since=news_from, speech=speech),
        decision=decision,
        outcome=outcome.as_json() if outcome else None if past else match.outcome,
        commitment=match.commitment,
        may_undo=decision is not None and isinstance(viewer, int) and play.undo_refusal(viewer) is None,
        still=match.stopped is not None,
    )


def name_of(seat: Any) -> str:
    """What a seat is called: by its holder's name, or that nobody has it, in its reader's language."""
    return seat.name if seat.house or seat.player_id else _("Free seat %(number)s", number=seat.number)


def _seat_view(seat: Row[Any], *, past: bool, begun: bool) -> SeatView:
    asked = seat.asked is not None and not past
    return SeatView(
        number=seat.number,
        name=name_of(seat),
        house=seat.house,
        strong=seat.strong,
        asked=asked,
        answered=asked and seat.answered,
        asked_at=seat.asked_at,
        due_at=seat.due_at,
        unreachable=seat.unreachable,
        player_id=seat.player_id,
        away=tuple((each.start, each.end) for each in away_from_json(seat.away)),
        overdue_at=None if past else seat.overdue_at,
        word=seat.word if begun else None,
        left=seat.time_left if asked and not seat.answered and seat.runs_since is None else None,
    )


def _last_own_move(play: Play, viewer: Viewer) -> int:
    """The number of moves before the viewer's last own stretch of moves: what came since is news."""
    moves, at = play.moves, len(play.moves)
    while at and viewer in play.question and moves[at - 1].seat == viewer:
        at -= 1
    while at and moves[at - 1].seat != viewer:
        at -= 1
    while at and moves[at - 1].seat == viewer:
        at -= 1
    return at


def _moves_before(play: Play, question: int) -> int:
    """The number of moves made before this question was asked."""
    at = len(play.moves)
    while at and play.moves[at - 1].question >= question:
        at -= 1
    return at


def preview_of(play: Play, seat: int, shown: Preview) -> PreviewView:
    speech = speech_of(play.game)
    read = sayer(play, seat, speech)
    return PreviewView(
        submission="; ".join(shown.texts),
        says=tuple(read(told) for told in shown.says),
        told=tuple(read(told) for told in shown.told),
        words=tuple(play.game.words(shown.position, play.names, seat, speech)),
        position=shown.position,
        shows=shown.shows,
    )

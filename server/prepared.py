"""Answers given ahead of time: to the next decision of a kind, or to each of them. Nobody can tell them from others.

They are played after a while that nobody can foresee, when their player is awake, as the player's own.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from sqlmodel import Session

from db import queries, table
from db.models import Prepared
from emails.language import gettext as _
from emails.language import speaking, spoken, tongue
from server.links import MoveLink, TogetherLink
from server.matches import Frozen, Matches, NotFound, NotYours, Stale, rows_of
from server.rules import GAMES
from server.rules.asking import Refused
from server.seats import post_to
from server.views import MatchView, refusal

LONGEST_TEXT: Final = 200
LONGEST_WAIT: Final = 24 * 14.0
_SOON: Final = timedelta(minutes=20)


@dataclass(frozen=True)
class Ahead:
    """What a seat has prepared for decisions of a kind; `wait`: only if it has not answered within so many hours."""

    kind: str
    text: str
    standing: bool
    wait: float | None


def prepare(
    matches: Matches,
    link: TogetherLink,
    kind: str,
    text: str,
    *,
    standing: bool = False,
    wait: float | None = None,
    now: datetime,
) -> None:
    """Keep an answer for decisions that are still to come; it takes the place of an earlier one of this kind.

    Whether it is legal shows when the decision is asked. Raises ValueError with a sentence, NotYours, NotFound.
    """
    line = " ".join(text.split())
    if not line or len(line) > LONGEST_TEXT:
        raise ValueError(
            _("An answer prepared is a move as you would type it, of at most %(most)s letters.", most=LONGEST_TEXT)
        )
    if wait is not None and not 0 <= wait <= LONGEST_WAIT:
        raise ValueError(_("An answer can wait for you up to %(most)s hours.", most=spoken().number(LONGEST_WAIT)))
    view = matches.view(link.match, link.seat)
    with matches.store.writing() as session:
        match, seats = rows_of(session, link.match, locked=True)
        seat = seats[link.seat - 1]
        if seat.tenure != link.tenure or seat.player_id is None:
            raise NotYours
        kinds = GAMES[match.game].kinds
        if kind not in kinds:
            raise ValueError(
                _(
                    "%(title)s asks for: %(known)s. There is no “%(kind)s”.",
                    title=GAMES[match.game].title,
                    known=", ".join(kinds),
                    kind=kind[:20],
                )
            )
        if match.status not in ("running", "paused"):
            raise ValueError(_("The match is over, or has not begun: nothing is asked."))
        is_open = seat.asked is not None and view.decision is not None and view.decision.kind == kind
        if is_open and not standing:
            raise ValueError(_("This decision is open now: answer it on its own page."))
        span = None if wait is None else timedelta(hours=wait)
        if is_open and not seat.answered:  # a rule for each of them holds for this one too
            table.change_seat(session, match.id, seat.number, play_at=now + (_SOON if span is None else span))
        row = {"match_id": match.id, "seat": seat.number, "kind": kind, "tenure": seat.tenure, "text": line}
        queries.prepared.put(session, row | {"standing": standing, "wait": span, "created_at": now})


def forget(matches: Matches, link: TogetherLink, kind: str) -> None:
    """Take an answer back that was prepared. Doing it again does no harm."""
    with matches.store.writing() as session:
        _, seats = rows_of(session, link.match)
        if seats[link.seat - 1].tenure != link.tenure:
            raise NotYours
        queries.prepared.drop(session, link.match, link.seat, kind)


def listed(matches: Matches, link: TogetherLink) -> tuple[Ahead, ...]:
    """What the holder of a seat has prepared; for their eyes only. Raises NotYours."""
    with matches.store.reading() as session:
        _, seats = rows_of(session, link.match)
        if seats[link.seat - 1].tenure != link.tenure:
            raise NotYours
        rows = queries.prepared.of_holder(session, link.match, link.seat, link.tenure)
    return tuple(
        Ahead(r.kind, r.text, r.standing, None if r.wait is None else r.wait / timedelta(hours=1)) for r in rows
    )


def play_due(matches: Matches, now: datetime) -> int:
    """Play the answers whose moment has come; how many seats were looked at."""
    with matches.store.reading() as session:
        due = table.seats_to_play(session, now)
    for row in due:
        link = MoveLink(row.match_id, row.number, row.asked, row.tenure)
        with suppress(Stale, NotYours, NotFound, Frozen):  # somebody was faster
            _play(matches, link, now)
        with matches.store.writing() as session:
            table.played_ahead(session, link.match, link.seat, link.asked, now)
    return len(due)


def _play(matches: Matches, link: MoveLink, now: datetime) -> None:
    view = matches.view(link.match, link.seat)
    decision = view.decision
    if decision is None or decision.sealed is not None or view.status != "running":
        return
    with matches.store.reading() as session:
        rows = queries.prepared.of_holder(session, link.match, link.seat, link.tenure)
    kept = next((row for row in rows if row.kind == decision.kind), None)
    if kept is None:
        return
    try:
        matches.play(
            link,
            kept.text,
            now=now,
            question=decision.question,
            once=f"ahead-{link.asked}-{decision.question}",
            also=lambda session: _used(session, kept),
        )
    except Refused as refused:
        _drop(matches, link, kept, _why(matches, view, refused), now)


def _why(matches: Matches, view: MatchView, refused: Refused) -> str:
    """In the language of whose answer it was."""
    with matches.store.reading() as session:
        player = queries.players.by_id(session, (view.me and view.me.player_id) or "")
    with speaking(tongue(player.language if player else "en")):
        return refusal(view, refused)


def _used(session: Session, kept: Prepared) -> None:
    if not kept.standing:
        queries.prepared.drop(session, kept.match_id, kept.seat, kept.kind)


def _drop(matches: Matches, link: MoveLink, kept: Prepared, why: str, now: datetime) -> None:
    """It is not possible here: its player is told, and decides as ever."""
    with matches.store.writing() as session:
        _, seats = rows_of(session, link.match)
        seat = seats[link.seat - 1]
        queries.prepared.drop(session, kept.match_id, kept.seat, kept.kind)
        occasion = f"ahead/{link.match}/{link.seat}/{link.tenure}/{link.asked}/{kept.kind}"
        data = {"about": "ahead", "text": kept.text, "why": why}
        post_to(session, "notice", seat, now, occasion=occasion, data=data, due=seat.due_at)

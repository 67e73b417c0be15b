"""What the players of a match say to each other, and what each notes for themselves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from sqlalchemy import Row
from sqlmodel import Session

from db import queries, table
from db.models import Note, Remark
from emails.language import gettext as _
from server.links import TogetherLink
from server.matches import Matches, rows_of
from server.seats import post_to
from server.together import own_seat
from server.words import clean_lines

LONGEST: Final = 1_000
LONGEST_NOTE: Final = 4_000
MOST_AN_HOUR: Final = 20
SHOWN: Final = 200
"""The latest so many remarks of a match."""


@dataclass(frozen=True)
class Said:
    """A remark as a seat reads it; `who` is None when its author has left the seat."""

    who: str | None
    seat: int
    mine: bool
    text: str
    at: datetime
    is_new: bool


@dataclass(frozen=True)
class Talk:
    """All that was said in a match, the oldest first, and the reader's own note."""

    remarks: tuple[Said, ...]
    note: str

    @property
    def new(self) -> tuple[Said, ...]:
        return tuple(each for each in self.remarks if each.is_new)


def heard(matches: Matches, link: TogetherLink) -> Talk:
    """As the link's seat reads it; reading changes nothing. Raises NotFound, NotYours."""
    with matches.store.reading() as session:
        _, seats = rows_of(session, link.match)
        own = own_seat(seats, link)
        since = queries.talk.last_at_the_table(session, link.match, own.number, own.player_id)
        remarks = queries.talk.remarks_of(session, link.match, limit=SHOWN)
        note = queries.talk.note_of(session, link.match, own.player_id)
        return Talk(tuple(_said(each, seats, own, since) for each in remarks), note.text if note else "")


def say(matches: Matches, link: TogetherLink, text: str, now: datetime) -> None:
    """To all others; a mail goes to whoever has none yet about what is unread. Raises ValueError, NotYours."""
    said = clean_lines(text, LONGEST)
    if not said:
        raise ValueError(_("There is nothing in it yet."))
    with matches.store.writing() as session:
        match, seats = rows_of(session, link.match)
        own = own_seat(seats, link)
        if match.status == "open":
            raise ValueError(_("The match has not begun; then you can talk."))
        if queries.talk.remarks_since(session, own.player_id, now - timedelta(hours=1)) >= MOST_AN_HOUR:
            raise ValueError(_("That is enough for one hour. The others will want to read it first."))
        remark = Remark(match_id=match.id, seat=own.number, player_id=own.player_id, text=said, at=now)
        session.add(remark)
        session.flush()
        for seat in seats:
            if seat.player_id and seat.number != own.number and not seat.muted:
                _tell(session, seat, remark, now)


def mark_read(matches: Matches, link: TogetherLink, now: datetime) -> None:
    with matches.store.writing() as session:
        _, seats = rows_of(session, link.match)
        table.change_seat(session, link.match, own_seat(seats, link).number, heard_at=now)


def keep_note(matches: Matches, link: TogetherLink, text: str, now: datetime) -> None:
    """The whole note anew; empty: none."""
    noted = clean_lines(text, LONGEST_NOTE)
    with matches.store.writing() as session:
        _, seats = rows_of(session, link.match)
        own = own_seat(seats, link)
        found = queries.talk.note_of(session, link.match, own.player_id)
        if found is None and noted:
            session.add(Note(match_id=link.match, player_id=own.player_id, text=noted, at=now))
        elif found is not None and noted:
            found.text, found.at = noted, now
            session.add(found)
        elif found is not None:
            session.delete(found)


def _tell(session: Session, seat: Row[Any], remark: Remark, now: datetime) -> None:
    """One mail about the first that somebody has not read; the next one only after they have come back."""
    occasion = f"talk/{seat.match_id}/{seat.number}/{seat.tenure}/"
    told = queries.letters.told_last(session, seat.match_id, seat.number, occasion)
    came = queries.talk.last_at_the_table(session, seat.match_id, seat.number, seat.player_id)
    if told is None or (came is not None and came > told):
        post_to(session, "notice", seat, now, occasion=f"{occasion}{remark.id}", data={"about": "talk"})


def _said(remark: Remark, seats: Sequence[Row[Any]], own: Row[Any], since: datetime | None) -> Said:
    seat = seats[remark.seat - 1]
    mine = remark.player_id == own.player_id
    return Said(
        who=seat.name if seat.player_id == remark.player_id else None,
        seat=remark.seat,
        mine=mine,
        text=remark.text,
        at=remark.at,
        is_new=not mine and (since is None or remark.at > since),
    )

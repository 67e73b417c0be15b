"""What the players of a match decide together, by votes that are mailed; and a kind word to whoever is waited for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from sqlalchemy import Row
from sqlmodel import Session

from db import queries
from db.models import Ballot, Motion
from emails.language import gettext as _
from emails.language import marked, spoken
from server import upkeep
from server.links import TogetherLink
from server.matches import Matches, NotFound, NotYours, end, end_drawn, rows_of
from server.seats import post_to
from server.words import clean_text

OPEN_FOR: Final = timedelta(days=7)
LONGEST_EXTENSION: Final = 24 * 14.0
LONGEST_WHY: Final = 200

MOTIONS: Final[dict[str, str]] = {
    "pause": marked("pause the match: all clocks stand still"),
    "resume": marked("go on with the match"),
    "extend": marked("give more time"),
    "abort": marked("end the match without a result"),
    "draw": marked("end the match with a shared win"),
}
"""Each as it stands behind “Ann proposes to …”."""


@dataclass(frozen=True)
class Standing:
    """An open ballot as a seat sees it. `mine`: None while it has not voted; `waits_for`: who else has not."""

    id: str
    what: str
    about: str
    why: str
    by: str
    until: datetime
    mine: bool | None
    waits_for: tuple[str, ...]


def propose(
    matches: Matches,
    link: TogetherLink,
    what: str,
    *,
    why: str = "",
    hours: float | None = None,
    for_seat: int | None = None,
    now: datetime,
) -> str:
    """A ballot; its id. Whoever proposes votes for it; alone among house players that settles it.

    Raises ValueError with a sentence, NotYours, NotFound.
    """
    with upkeep.held(matches, link.match) as (session, match, seats):
        own = own_seat(seats, link)
        motion = _motion(match, what)
        if motion == "extend":
            hours, for_seat = _extension(seats, hours, for_seat)
        _lapse(session, match, seats, now)
        ballot = Ballot(
            match_id=match.id, what=motion, why=clean_text(why, LONGEST_WHY), by_seat=own.number,
            hours=hours if motion == "extend" else None, for_seat=for_seat if motion == "extend" else None,
            opened_at=now, until=now + OPEN_FOR,
        )  # fmt: skip
        if not queries.ballots.add(session, ballot):
            raise ValueError(_("The players vote on that already. Vote on it, or wait for its end."))
        queries.ballots.put_vote(session, ballot.id, own.number, own.tenure, yes=True, at=now)
        if not _settled(session, match, seats, ballot, now):
            for seat in _voters(seats):
                if seat.number != own.number:
                    occasion = f"ballot/{ballot.id}/{seat.number}/{seat.tenure}"
                    post_to(
                        session, "notice", seat, now, occasion=occasion, data={"about": "ballot", "ballot": ballot.id}
                    )
        return ballot.id


def vote(matches: Matches, link: TogetherLink, ballot_id: str, *, yes: bool, now: datetime) -> None:
    """One seat's vote; it can be changed while the ballot is open. The last yes carries it, one no ends it."""
    with upkeep.held(matches, link.match) as (session, match, seats):
        own = own_seat(seats, link)
        ballot = queries.ballots.locked(session, ballot_id)
        if ballot is None or ballot.match_id != match.id:
            raise NotFound
        if ballot.settled_at is not None or _is_over(match, ballot, now):
            raise ValueError(_("This vote is over."))
        queries.ballots.put_vote(session, ballot.id, own.number, own.tenure, yes=yes, at=now)
        _settled(session, match, seats, ballot, now)


def standing(matches: Matches, link: TogetherLink, now: datetime) -> tuple[Standing, ...]:
    """The open ballots of a match, for a holder of one of its seats. Raises NotYours."""
    with matches.store.reading() as session:
        match, seats = rows_of(session, link.match)
        own = own_seat(seats, link)
        found = []
        for ballot in queries.ballots.open_of(session, link.match):
            if _is_over(match, ballot, now):
                continue
            votes = _votes(session, seats, ballot.id)
            waits_for = [seat for seat in _needed(seats, ballot) if seat.number not in (own.number, *votes)]
            found.append(
                Standing(
                    id=ballot.id,
                    what=ballot.what,
                    about=about(ballot, seats),
                    why=ballot.why,
                    by=seats[ballot.by_seat - 1].name,
                    until=ballot.until,
                    mine=votes.get(own.number),
                    waits_for=tuple(seat.name for seat in waits_for),
                )
            )
        return tuple(found)


def about(ballot: Ballot, seats: Sequence[Any]) -> str:
    """What it would bring, in words."""
    return motion_in_words(ballot.what, _named(ballot, seats), ballot.hours)


def motion_in_words(what: str, name: str | None, hours: float | None) -> str:
    """A motion as it stands behind “Ann proposes to …”; with more time for somebody, for whom and how much."""
    if what == "extend" and name:
        return _(
            "give %(name)s %(hours)s hours more for the open decision", name=name, hours=spoken().number(hours or 0)
        )
    return _(MOTIONS.get(what, what))


def _named(ballot: Ballot, seats: Sequence[Any]) -> str | None:
    """Who is to get more time."""
    return seats[ballot.for_seat - 1].name if ballot.for_seat else None


def nudge(matches: Matches, link: TogetherLink, number: int, now: datetime) -> bool:
    """A polite word to a seat that is waited for, from another; False if there was one today. Raises ValueError."""
    with matches.store.writing() as session:
        match, seats = rows_of(session, link.match)
        own = own_seat(seats, link)
        if not 1 <= number <= len(seats):
            raise NotFound
        seat = seats[number - 1]
        if number == own.number:
            raise ValueError(_("You need not be asked by yourself."))
        if match.status != "running" or seat.asked is None or seat.answered or not seat.player_id:
            raise ValueError(_("The match does not wait for %(name)s.", name=seat.name))
        occasion = f"nudge/{match.id}/{number}/{seat.tenure}/{now.date().isoformat()}"
        data = {"by": own.name}
        return post_to(session, "nudge", seat, now, occasion=occasion, asked=seat.asked, data=data, due=seat.due_at)


def lapse(matches: Matches, now: datetime) -> int:
    """Ballots whose time is over fail; how many."""
    with matches.store.reading() as session:
        found = queries.ballots.lapsed(session, now)
    for match_id in found:
        with matches.store.writing() as session:
            match, seats = rows_of(session, match_id, locked=True)
            _lapse(session, match, seats, now)
    return len(found)


def _is_over(match: Row[Any], ballot: Ballot, now: datetime) -> bool:
    """While all clocks stand still, no vote comes to its end."""
    return ballot.until <= (datetime.fromisoformat(match.stopped) if match.stopped else now)


def _lapse(session: Session, match: Row[Any], seats: Sequence[Row[Any]], now: datetime) -> None:
    for ballot in queries.ballots.open_of(session, match.id):
        if _is_over(match, ballot, now):
            _close(session, match, seats, ballot, now, carried=False)


def _settled(session: Session, match: Row[Any], seats: Sequence[Row[Any]], ballot: Ballot, now: datetime) -> bool:
    """Carry it out if all have said yes, end it if one has said no."""
    votes = _votes(session, seats, ballot.id)
    if not all(votes.values()):
        _close(session, match, seats, ballot, now, carried=False)
        return True
    if any(seat.number not in votes for seat in _needed(seats, ballot)):
        return False
    queries.ballots.settle(session, ballot.id, now, carried=True)
    who = "the players"
    match ballot.what:
        case "pause":
            upkeep.pause_in(session, match, seats, ballot.why, now=now, who=who)
        case "resume":
            upkeep.resume_in(session, match, seats, now=now, who=who)
        case "abort":
            end(session, match, seats, ballot.why or marked("All agreed to that."), now, who=who)
        case "draw":
            end_drawn(session, match, seats, now, who=who)
        case "extend":
            upkeep.extend_in(
                session, match, seats, ballot.for_seat or 0, timedelta(hours=ballot.hours or 0), now, who=who
            )
    return True


def _close(
    session: Session, match: Row[Any], seats: Sequence[Row[Any]], ballot: Ballot, now: datetime, *, carried: bool
) -> None:
    queries.ballots.settle(session, ballot.id, now, carried=carried)
    data = {"about": "not carried", "motion": ballot.what, "name": _named(ballot, seats), "hours": ballot.hours}
    for seat in _voters(seats):
        occasion = f"ballot over/{ballot.id}/{seat.number}/{seat.tenure}"
        post_to(session, "notice", seat, now, occasion=occasion, data=data)


def _motion(match: Row[Any], what: str) -> Motion:
    possible: dict[str, tuple[Motion, ...]] = {
        "running": ("pause", "extend", "abort", "draw"),
        "paused": ("resume", "abort"),
    }
    for each in possible.get(match.status, ()):
        if each == what:
            return each
    if what not in MOTIONS:
        raise ValueError(_("The players can vote to: %(known)s.", known=", ".join(MOTIONS)))
    raise ValueError(_("As the match stands, that cannot be voted on."))


def _extension(seats: Sequence[Row[Any]], hours: float | None, for_seat: int | None) -> tuple[float, int]:
    if hours is None or not 0 < hours <= LONGEST_EXTENSION:
        raise ValueError(
            _("An extension is a number of hours up to %(most)s.", most=spoken().number(LONGEST_EXTENSION))
        )
    if for_seat is None or not 1 <= for_seat <= len(seats) or seats[for_seat - 1].runs_since is None:
        raise ValueError(_("More time is for a seat whose clock runs."))
    return hours, for_seat


def own_seat(seats: Sequence[Row[Any]], link: TogetherLink) -> Row[Any]:
    """The seat of a link; strangers and former holders have none. Raises NotFound, NotYours."""
    if not 1 <= link.seat <= len(seats):
        raise NotFound
    own = seats[link.seat - 1]
    if own.tenure != link.tenure or own.house or own.player_id is None:
        raise NotYours
    return own


def _voters(seats: Sequence[Row[Any]]) -> list[Row[Any]]:
    return [seat for seat in seats if seat.player_id is not None and not seat.house]


def _needed(seats: Sequence[Row[Any]], ballot: Ballot) -> list[Row[Any]]:
    """Whose yes it takes: whoever gets more time need not say that they want it."""
    return [seat for seat in _voters(seats) if seat.number != ballot.for_seat]


def _votes(session: Session, seats: Sequence[Row[Any]], ballot_id: str) -> dict[int, bool]:
    """By seat; a vote of somebody who has left does not count."""
    voters = {seat.number: seat.tenure for seat in _voters(seats)}
    return {
        number: yes
        for number, tenure, yes in queries.ballots.votes_of(session, ballot_id)
        if voters.get(number) == tenure
    }

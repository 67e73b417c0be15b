"""How a match that has not begun gets its people: free seats, invitations, its beginning; and the same people again."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from sqlalchemy import Row
from sqlalchemy.exc import IntegrityError
from sqlmodel import Session

from db import queries, table
from db.engine import Store
from db.models import Player
from emails.language import gettext as _
from emails.language import marked, spoken
from emails.outbox import post
from server import absence
from server.beginning import SeatWish, Wish, create, start, start_if_full
from server.hours import zone_of
from server.links import JoinLink
from server.matches import Matches, NotYours, change, end, rows_of
from server.seats import free_name, free_seat, give, invite, player_for, tell_leaver
from server.upkeep import held, seat_at
from server.words import clean_name

LATEST_BEGIN: Final = timedelta(days=120)

DECISIONS_SEEN: Final = 10
"""Before somebody has made so many, nobody can say that they let others wait."""

SHARE_IN_TIME: Final = 0.8
MOST_FOR_THE_LATE: Final = 3
"""Matches at a time for those who answer fewer of their decisions in time."""


def refusal(store: Store, player_id: str) -> str | None:
    """Why somebody who lets others wait cannot begin or join one more match; None if they can."""
    kept = absence.record(store, player_id)
    if kept.decisions < DECISIONS_SEEN or kept.share >= SHARE_IN_TIME:
        return None
    with store.reading() as session:
        if queries.matches.how_many_live(session, player_id) < MOST_FOR_THE_LATE:
            return None
    return _(
        "Others had to wait for you. %(record)s Until %(share)s are, you can be in %(most)s matches at a time. "
        "Decide what is open, or wait until a match is over.",
        record=kept.told,
        share=spoken().percent(SHARE_IN_TIME),
        most=MOST_FOR_THE_LATE,
    )


def read_begin(told: str, zone: str | None, now: datetime) -> datetime | None:
    """The moment that a form names, on the clock of its zone; None for an empty one. Raises ValueError."""
    if not told.strip():
        return None
    try:
        begins = datetime.fromisoformat(told.strip()).replace(tzinfo=zone_of(zone)).astimezone(UTC)
    except (ValueError, OverflowError):
        raise ValueError(_("This is no day and time, like 2026-12-24T18:00.")) from None
    if not now < begins <= now + LATEST_BEGIN:
        raise ValueError(_("A match begins on a day to come, %(most)s days ahead at most.", most=LATEST_BEGIN.days))
    return begins


# Taking a seat, and leaving it


def take(
    matches: Matches, match_id: str, player_id: str, *, name: str, now: datetime, by_round: int | None = None
) -> None:
    """Sit down on a free seat: of a public match, or with the link of this round. Raises ValueError, NotYours."""
    late = refusal(matches.store, player_id)
    if late:
        raise ValueError(late)
    with held(matches, match_id) as (session, match, seats):
        player = queries.players.by_id(session, player_id)
        if player is None or not (match.public or by_round == match.round):
            raise NotYours
        if any(seat.player_id == player_id for seat in seats):
            raise ValueError(_("You have a seat in this match already."))
        seat = _free(match, seats)
        _sit_down(session, seats, seat, player, name or player.name, now, accepted_at=now)
        change(session, match)
        start_if_full(session, match_id, now)


def ask_by_mail(matches: Matches, match_id: str, *, address: str, name: str, now: datetime, by_round: int) -> None:
    """Somebody without account has a link to free seats: one is kept for them, and a mail brings the invitation.

    Whether the address has a seat here already is told to nobody but its holder. Raises ValueError, NotYours.
    """
    with held(matches, match_id) as (session, match, seats):
        if by_round != match.round:
            raise NotYours
        known = queries.players.by_address(session, address)
        own = next((seat for seat in seats if known and seat.player_id == known.id), None)
        if own is not None:
            _invite_again(session, own, now)
            return
        player = player_for(session, name, address, now)
        fresh = _sit_down(session, seats, _free(match, seats), player, name or player.name, now, accepted_at=None)
        invite(session, fresh, now)
        change(session, match)


def decline(matches: Matches, link: JoinLink, *, now: datetime) -> None:
    """An invitation is turned down: the seat is free, and the host is told. Raises NotYours."""
    with held(matches, link.match) as (session, match, seats):
        seat = seat_at(seats, link.seat)
        if match.status != "open" or seat.tenure != link.tenure or seat.player_id is None or seat.accepted_at:
            raise NotYours
        _set_free(session, match, seat)
        _tell_host(session, match, seat, now)


def say_word(matches: Matches, match_id: str, number: int, tenure: int, word: str) -> None:
    """Who has the seat adds a word of their own to the shuffles, or takes it back; until the match begins.

    Raises ValueError, NotYours.
    """
    with held(matches, match_id) as (session, match, seats):
        seat = next((each for each in seats if (each.number, each.tenure) == (number, tenure)), None)
        if seat is None or seat.player_id is None or seat.accepted_at is None:
            raise NotYours
        if match.status != "open":
            raise ValueError(_("The match has begun, and all shuffles are fixed."))
        table.change_seat(session, match_id, number, word=clean_name(word) or None)
        change(session, match)


def leave(matches: Matches, match_id: str, player_id: str, *, now: datetime) -> None:
    """Somebody gets up before the match begins. Raises ValueError, NotYours."""
    with held(matches, match_id) as (session, match, seats):
        _must_be_open(match)
        seat = next((each for each in seats if each.player_id == player_id), None)
        if seat is None:
            raise NotYours
        _set_free(session, match, seat)
        _tell_host(session, match, seat, now)


# What the host does


def invite_to(matches: Matches, match_id: str, number: int, *, address: str, name: str, now: datetime) -> None:
    """Offer a free seat to somebody by mail. Raises ValueError."""
    with held(matches, match_id) as (session, match, seats):
        _must_be_open(match)
        seat = seat_at(seats, number)
        if not is_free(seat):
            raise ValueError(_("This seat is not free any more."))
        player = player_for(session, name, address, now)
        if any(each.player_id == player.id for each in seats):
            raise ValueError(_("This person has a seat in the match already."))
        fresh = _sit_down(session, seats, seat, player, name or player.name, now, accepted_at=None)
        invite(session, fresh, now)
        change(session, match)


def take_back(matches: Matches, match_id: str, number: int, *, now: datetime) -> None:
    """An invitation that nobody has accepted is void. Raises ValueError."""
    with held(matches, match_id) as (session, match, seats):
        _must_be_open(match)
        seat = seat_at(seats, number)
        if seat.house or seat.accepted_at or seat.player_id is None:
            raise ValueError(_("This seat is taken."))
        _set_free(session, match, seat)


def give_to_house(matches: Matches, match_id: str, number: int, *, now: datetime) -> None:
    """The house plays a free seat; with the last one the match begins. Raises ValueError."""
    with held(matches, match_id) as (session, match, seats):
        _must_be_open(match)
        if not is_free(seat_at(seats, number)):
            raise ValueError(_("This seat is not free any more."))
        give(session, match, seats, number, None, now, who="host")
        change(session, match)
        start_if_full(session, match_id, now)


def new_round(matches: Matches, match_id: str) -> None:
    """Links to free seats that were passed on so far are void."""
    with held(matches, match_id) as (session, match, _):
        _must_be_open(match)
        change(session, match, round=match.round + 1)


def begin(matches: Matches, match_id: str, *, now: datetime, who: str) -> None:
    """Now, with those who are there; the house plays the other seats. Raises ValueError."""
    with held(matches, match_id) as (session, match, seats):
        _must_be_open(match)
        if not _people(seats):
            raise ValueError(_("Nobody is there yet."))
        _begin(session, match, seats, now, who=who)


def begin_due(matches: Matches, now: datetime) -> int:
    """Matches whose date has come begin; those to which hardly anybody came are called off. How many."""
    with matches.store.reading() as session:
        due = queries.matches.to_begin(session, now)
    for match_id in due:
        with held(matches, match_id) as (session, match, seats):
            if match.status != "open" or match.starts_at is None or match.starts_at > now:
                continue
            if len(_people(seats)) < 2 and not all(seat.accepted_at for seat in seats):
                end(session, match, seats, marked("Too few people had come by its date."), now, who="clock")
            else:
                _begin(session, match, seats, now, who="clock")
    return len(due)


def _begin(session: Session, match: Row[Any], seats: Sequence[Row[Any]], now: datetime, *, who: str) -> None:
    for seat in seats:
        if seat.accepted_at is None:
            if seat.player_id:
                tell_leaver(session, seat, now, about="too late")
            give(session, match, seats, seat.number, None, now, who=who)
    start(session, match.id, now)


# The same people again


def again(matches: Matches, match_id: str, player_id: str, *, now: datetime) -> str:
    """A new match of the same game with the same people and terms; its id, or that of the one there is already.

    Raises ValueError, NotYours.
    """
    with matches.store.reading() as session:
        match, seats = rows_of(session, match_id)
        there = queries.matches.again_of(session, match_id)
        people = {seat.player_id: queries.players.by_id(session, seat.player_id) for seat in seats if seat.player_id}
    if player_id not in people:
        raise NotYours
    if there is not None and there.status != "aborted":
        return there.id
    if match.status != "finished":
        raise ValueError(_("The match is not over yet."))
    late = refusal(matches.store, player_id)
    if late:
        raise ValueError(late)
    if there is not None:
        _forget_again(matches, there.id)
    wishes = [_same(seat, people.get(seat.player_id)) for seat in seats]
    wish = Wish(match.game, wishes, options=match.options, pace=match.pace, again_of=match_id)
    try:
        return create(matches, wish, host=player_id, now=now)
    except IntegrityError:  # another of them pressed at the same moment
        with matches.store.reading() as session:
            found = queries.matches.again_of(session, match_id)
        assert found is not None
        return found.id


def _same(seat: Row[Any], player: Player | None) -> SeatWish:
    if player is not None and player.email:
        return SeatWish(seat.name, player=player.id)
    return SeatWish(seat.name if seat.house else "", house=seat.house, strong=seat.strong, free=not seat.house)


def _forget_again(matches: Matches, match_id: str) -> None:
    with held(matches, match_id) as (session, match, _):
        change(session, match, again_of=None)


# Helpers


def is_free(seat: Any) -> bool:
    return not seat.house and seat.player_id is None


def _people(seats: Sequence[Row[Any]]) -> list[Row[Any]]:
    """Who has said that they play."""
    return [seat for seat in seats if seat.player_id and seat.accepted_at]


def _free(match: Row[Any], seats: Sequence[Row[Any]]) -> Row[Any]:
    _must_be_open(match)
    found = next((seat for seat in seats if is_free(seat)), None)
    if found is None:
        raise ValueError(_("Somebody was faster: no seat is free any more."))
    return found


def _sit_down(
    session: Session,
    seats: Sequence[Row[Any]],
    seat: Row[Any],
    player: Player,
    name: str,
    now: datetime,
    *,
    accepted_at: datetime | None,
) -> Row[Any]:
    """The seat's new row."""
    taken = {each.name for each in seats if each.number != seat.number}
    table.change_seat(
        session, seat.match_id, seat.number,
        player_id=player.id, name=free_name(clean_name(name) or player.name, taken), tenure=seat.tenure + 1,
        muted=False, invited_at=now, accepted_at=accepted_at,
    )  # fmt: skip
    fresh: Row[Any] = table.seat_rows(session, seat.match_id)[seat.number - 1]
    return fresh


def _set_free(session: Session, match: Row[Any], seat: Row[Any]) -> None:
    values = {"player_id": None, "name": free_seat(seat.number), "accepted_at": None, "invited_at": None, "word": None}
    table.change_seat(session, match.id, seat.number, tenure=seat.tenure + 1, **values)
    change(session, match)


def _invite_again(session: Session, seat: Row[Any], now: datetime) -> None:
    """At most once an hour."""
    if seat.accepted_at is None:
        post(
            session, "invitation", player_id=seat.player_id, match_id=seat.match_id, seat=seat.number,
            occasion=f"invitation/{seat.match_id}/{seat.number}/{seat.tenure}/{int(now.timestamp()) // 3600}",
            tenure=seat.tenure, now=now,
        )  # fmt: skip


def _tell_host(session: Session, match: Row[Any], seat: Row[Any], now: datetime) -> None:
    if match.host_id and match.host_id != seat.player_id:
        occasion = f"declined/{match.id}/{seat.number}/{seat.tenure}"
        data = {"about": "declined", "name": seat.name, "match": match.id}
        post(session, "notice", occasion=occasion, player_id=match.host_id, data=data, now=now)


def _must_be_open(match: Row[Any]) -> None:
    if match.status != "open":
        raise ValueError(_("The match has begun, or it was called off."))

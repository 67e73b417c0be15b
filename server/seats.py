"""Who holds a seat, and what is mailed to them: parts of somebody else's transaction."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Row
from sqlmodel import Session

from db import queries, table
from db.models import Player
from emails.language import gettext as _
from emails.language import spoken
from emails.mime import mail_address
from emails.outbox import post
from server import clocks
from server.hours import notify_at
from server.words import clean_name

HOUSE_NAMES = ("Courier", "Herald", "Postmaster", "Rider", "Scribe", "Warden", "Steward", "Page")


def post_to(
    session: Session,
    kind: str,
    seat: Any,
    now: datetime,
    *,
    occasion: str,
    asked: int | None = None,
    data: dict[str, Any] | None = None,
    due: datetime | None = None,
) -> bool:
    """Post a letter to a seat's holder: in their quiet hours it waits, unless the time would be up (`due`) by then."""
    return post(
        session,
        kind,
        occasion=occasion,
        player_id=seat.player_id,
        match_id=seat.match_id,
        seat=seat.number,
        tenure=seat.tenure,
        asked=asked,
        data=data or {},
        now=now,
        send_at=notify_at(clocks.quiet_of(seat), now, due),
    )


def tell_all(
    session: Session,
    match: Row[Any],
    seats: Sequence[Row[Any]],
    now: datetime,
    *,
    about: str,
    why: str,
    who: str,
    data: dict[str, Any] | None = None,
) -> None:
    """A notice to everybody, and a line in the operator's log."""
    table.note(session, now, who, f"the match was {about}", match_id=match.id, why=why)
    for seat in seats:
        if seat.player_id:
            occasion = f"{about}/{match.id}/{seat.number}/{seat.tenure}/{match.revision}"
            post_to(session, "notice", seat, now, occasion=occasion, data={"about": about, "why": why, **(data or {})})


def invite(session: Session, seat: Any, now: datetime, *, player_id: str | None = None) -> None:
    """The mail with the link by which the seat is taken; by its holder, or by whom it is offered to."""
    occasion = f"invitation/{seat.match_id}/{seat.number}/{seat.tenure}"
    if player_id is None:
        post_to(session, "invitation", seat, now, occasion=occasion)
        return
    player = queries.players.by_id(session, player_id)
    epoch = player.links_epoch if player else 0
    post(
        session,
        "invitation",
        occasion=f"{occasion}/{player_id}/{epoch}/{int(now.timestamp())}",
        player_id=player_id,
        match_id=seat.match_id,
        seat=seat.number,
        tenure=seat.tenure,
        now=now,
    )


def offer(session: Session, seat: Row[Any], player_id: str, now: datetime, *, until: datetime | None = None) -> None:
    """Somebody may take the seat over by a link (`until` then it is lent); whoever has it keeps it until they do."""
    table.change_seat(session, seat.match_id, seat.number, offered_to=player_id, lent_until=until)
    invite(session, seat, now, player_id=player_id)


def offer_to_the_first_waiting(session: Session, match: Row[Any], seat: Row[Any], now: datetime) -> bool:
    """To whoever waits longest for a seat of this game; False if nobody does."""
    found = queries.standby.longest_waiting(session, match.game, not_in=match.id)
    if found is None:
        return False
    queries.standby.stop(session, found, match.game)
    offer(session, seat, found, now)
    return True


def give(
    session: Session,
    match: Row[Any],
    seats: Sequence[Row[Any]],
    number: int,
    player: Player | None,
    now: datetime,
    *,
    name: str = "",
    who: str,
    **columns: Any,
) -> Row[Any]:
    """The seat has another holder from now on, the house without `player`; old links die. The seat's new row."""
    old = seats[number - 1]
    taken = {seat.name for seat in seats if seat.number != number}
    new_name = free_name(clean_name(name) or (player.name if player else HOUSE_NAMES[number - 1]), taken)
    values = {"lent_by": None, "lent_until": None, "offered_to": None, "muted": False, "accepted_at": now} | columns
    if match.status == "open":
        values["word"] = None  # it was the former holder's
    table.change_seat(
        session,
        match.id,
        number,
        player_id=player.id if player else None,
        house=player is None,
        strong=False,
        name=new_name,
        tenure=old.tenure + 1,
        play_at=None,
        **values,
    )
    kept = "; the sealed answer stays until it is changed" if old.answered else ""
    table.note(session, now, who, f"seat {number} was given to {new_name}{kept}", match_id=match.id)
    fresh = table.seat_rows(session, match.id)[number - 1]
    if player and match.status in ("running", "paused"):
        post_to(session, "started", fresh, now, occasion=f"started/{match.id}/{number}/{fresh.tenure}")
    return fresh


def tell_leaver(session: Session, seat: Row[Any], now: datetime, *, about: str) -> None:
    """A notice to who held the seat until now."""
    post(
        session,
        "notice",
        occasion=f"{about}/{seat.match_id}/{seat.number}/{seat.tenure}",
        player_id=seat.player_id,
        data={"about": about, "match": seat.match_id},
        now=now,
        send_at=notify_at(clocks.quiet_of(seat), now),
    )


def player_for(session: Session, name: str, email: str | None, now: datetime) -> Player:
    """Somebody new reads what is spoken now, the language of whoever invites them, until they choose another.

    Raises AddressError where no mail can be sent.
    """
    address = email or ""
    mail_address(address)
    called = clean_name(name) or _("Player")
    return queries.players.for_address(session, address, name=called, now=now, language=spoken().tag)


def free_seat(number: int) -> str:
    """What a seat is called while nobody has it, in the rows: its readers see `views.name_of`."""
    return f"Free seat {number}"


def free_name(name: str, taken: set[str]) -> str:
    """The name, with a number behind it where another seat is called so."""
    keys = {each.casefold() for each in taken}
    return next(
        each for each in (name, *(f"{name} {number}" for number in range(2, 20))) if each.casefold() not in keys
    )

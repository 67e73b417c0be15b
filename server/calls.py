"""Telling on other channels than mail, by the worker: what is true still, how it reads, and what became of it."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final, TypeAlias

from sqlalchemy import Row
from sqlmodel import Session

from db import queries, table
from db.models import Call, CallState, Channel, Player
from emails.language import gettext as _
from emails.language import speaking, spoken, tongue
from emails.outbox import RETRIES, post
from server.rules import GAMES
from server.service import Service

LEASE: Final = timedelta(minutes=3)
GIVEN_UP_AFTER: Final = timedelta(days=1)
"""So long something is tried to be told."""

OFF_AFTER: Final = timedelta(days=5)
"""A channel on which nothing could be told for so long is switched off."""

KEPT_FOR: Final = timedelta(days=14)
_AT_ONCE: Final = 8
_ABOUT_A_DECISION: Final = ("turn", "reminder", "nudge")

log = logging.getLogger("estafette.calls")


@dataclass(frozen=True)
class News:
    """What is to be told, without a secret of anybody. `title` and `text` are in its reader's language."""

    call: Call
    channel: Channel
    title: str
    text: str
    url: str
    data: Mapping[str, Any]


@dataclass(frozen=True)
class Told:
    """How it went. `gone`: the other side wants to hear no more."""

    done: bool
    said: str
    gone: bool = False
    status: int = 0


Tell: TypeAlias = Callable[[Service, News, datetime], Told]


def deliver(service: Service, senders: Mapping[str, Tell], now: datetime) -> int:
    """Tell what is due, one thing on each channel, several at once; how many. No transaction is open meanwhile."""
    with service.store.writing() as session:
        claimed = queries.calls.claim(session, now, until=now + LEASE, limit=_AT_ONCE)
    if claimed:
        with ThreadPoolExecutor(_AT_ONCE, thread_name_prefix="call") as threads:
            list(threads.map(lambda call: _tell(service, senders, call, now), claimed))
    return len(claimed)


def _tell(service: Service, senders: Mapping[str, Tell], call: Call, now: datetime) -> None:
    with service.store.reading() as session:
        channel = queries.channels.by_id(session, call.channel_id)
        owner = queries.players.by_id(session, channel.player_id) if channel else None
    try:
        with speaking(tongue(owner.language if owner else "en")):
            _tell_in_words(service, senders, call, channel, owner, now)
    except Exception as error:  # the call lapses and is tried again
        log.exception("call %s could not be made (%s)", call.id, type(error).__name__)


def _tell_in_words(
    service: Service,
    senders: Mapping[str, Tell],
    call: Call,
    channel: Channel | None,
    owner: Player | None,
    now: datetime,
) -> None:
    if channel is None or owner is None or not owner.email or channel.off_at:
        news: News | str = "the channel was switched off"
    else:
        news = _news(service, call, channel, owner)
    if isinstance(news, str):
        with service.store.writing() as session:
            queries.calls.settle(session, call, "dropped", said=news)
        return
    sender = senders.get(news.channel.kind)
    told = sender(service, news, now) if sender else Told(False, _("this way is not open here any more"))
    with service.store.writing() as session:
        _note(session, news.channel, call, told, now)


def _note(session: Session, channel: Channel, call: Call, told: Told, now: datetime) -> None:
    """On the call and on its channel; nothing if the claim has lapsed."""
    late = now - call.created_at >= GIVEN_UP_AFTER
    state: CallState = "done" if told.done else "failed" if late or told.gone else "waiting"
    again = {"send_at": now + RETRIES[min(call.attempts, len(RETRIES)) - 1]} if state == "waiting" else {}
    if not queries.calls.settle(session, call, state, said=told.said, **again):
        return
    present = queries.channels.by_id(session, channel.id)
    if present is None:
        return
    present.tried_at, present.said = now, told.said
    present.failing_since = None if told.done else present.failing_since or now
    if told.gone or (present.failing_since and now - present.failing_since >= OFF_AFTER):
        switch_off(session, present, now)
    session.add(present)


def switch_off(session: Session, channel: Channel, now: datetime) -> None:
    """In the caller's transaction; its owner is told by mail, but of a browser that has simply gone."""
    channel.off_at = now
    queries.calls.drop_of_channel(session, channel.id, why="the channel was switched off")
    if channel.kind != "push":
        occasion = f"channel/{channel.id}/{int(now.timestamp())}"
        data = {"about": "channel", "name": channel.name, "why": channel.said or ""}
        post(session, "notice", occasion=occasion, player_id=channel.player_id, data=data, now=now)


# What is told


def _news(service: Service, call: Call, channel: Channel, owner: Player) -> News | str:
    """What to tell, or why nothing is told any more."""
    if call.match_id is None:
        url = service.links.url("me/channels")
        return News(call, channel, "Estafette", _("This is a test. It has arrived."), url, {})
    with service.store.reading() as session:
        match = table.match_row(session, call.match_id)
        seats = table.seat_rows(session, call.match_id)
    if match is None:
        return "the match is gone"
    seat = seats[call.seat - 1] if call.seat and call.seat <= len(seats) else None
    over = _over(call, channel, match, seat)
    return over or _about(service, call, channel, owner, match, seats, seat)


def _over(call: Call, channel: Channel, match: Row[Any], seat: Row[Any] | None) -> str:
    """Why it is not true any more; empty while it is."""
    if seat is None or (channel.match_id is None and seat.tenure != call.tenure):
        return "" if call.kind in ("started", "finished") else "the seat has another holder"
    if call.kind in _ABOUT_A_DECISION and (match.status != "running" or seat.asked != call.asked or seat.answered):
        return "the decision is over"
    if channel.kind != "webhook" and seat.muted:
        return "the match is muted"
    return ""


def _about(
    service: Service,
    call: Call,
    channel: Channel,
    owner: Player,
    match: Row[Any],
    seats: Sequence[Row[Any]],
    seat: Row[Any] | None,
) -> News:
    """Only what stands on the match's public page, whoever reads it."""
    title, url = GAMES[match.game].title, service.links.url(f"g/{match.id}")
    name = seat.name if seat else ""
    due = seat.due_at if seat is not None and call.kind in _ABOUT_A_DECISION else None
    data = {
        "match": match.id,
        "game": match.game,
        "title": title,
        "status": match.status,
        "version": match.version,
        "players": [each.name for each in seats],
        "waits_for": [each.number for each in seats if each.asked is not None and not each.answered],
        "seat": seat.number if seat and call.kind not in ("started", "finished") else None,
        "name": name if call.kind not in ("started", "finished") else None,
        "due_at": due.isoformat() if due else None,
        "url": url,
    }
    text = {
        "invitation": lambda: _("You are invited. The link is in your mail."),
        "started": lambda: _("The match has begun."),
        "finished": lambda: _("The match is over."),
    }.get(call.kind, lambda: _turn(name, due, owner.zone))()
    return News(call, channel, title, text, url, data)


def _turn(name: str, due: datetime | None, zone: str | None) -> str:
    if due is None:
        return _("%(name)s, it is your turn.", name=name)
    return _("%(name)s, it is your turn, until %(moment)s.", name=name, moment=spoken().moment(due, zone))

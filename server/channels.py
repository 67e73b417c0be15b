"""What somebody does with their other channels: add, try, switch on again, remove. One transaction each."""

from __future__ import annotations

from datetime import datetime

from sqlmodel import Session

from db import queries
from db.models import Call, Channel, ChannelKind
from emails.language import gettext as _
from server import outgoing, webhooks
from server.service import Service
from server.words import clean_name

MOST = 12
"""Channels of one person."""


def add_webhook(service: Service, player_id: str, url: str, *, name: str, match_id: str | None) -> Channel:
    """A new one, which is tried at once. Raises ValueError with a sentence."""
    target = outgoing.read(url.strip(), service.settings.hook_networks)
    secret = webhooks.new_secret()
    return add(service, player_id, "webhook", target.url, secret=secret, name=name or target.host, match_id=match_id)


def add(
    service: Service,
    player_id: str,
    kind: ChannelKind,
    address: str,
    *,
    secret: str,
    name: str,
    match_id: str | None = None,
) -> Channel:
    now = service.now()
    with service.store.writing() as session:
        known = queries.channels.of_player(session, player_id)
        if len(known) >= MOST:
            raise ValueError(_("You have %(most)s channels already. Remove one that you do not need.", most=MOST))
        if match_id is not None:
            _must_play(session, player_id, match_id)
        channel = Channel(
            player_id=player_id, match_id=match_id, kind=kind, name=clean_name(name), address=address, secret=secret,
            created_at=now,
        )  # fmt: skip
        queries.channels.add(session, channel)
        _try(session, channel, now)
    service.wake.set()
    return channel


def remove(service: Service, player_id: str, channel_id: str) -> None:
    with service.store.writing() as session:
        queries.channels.drop(session, player_id, channel_id)


def test(service: Service, player_id: str, channel_id: str) -> None:
    """Try it, switched on again if it was off."""
    now = service.now()
    with service.store.writing() as session:
        channel = queries.channels.by_id(session, channel_id)
        if channel is None or channel.player_id != player_id:
            return
        if channel.off_at is not None:
            channel.off_at, channel.failing_since = None, None
            session.add(channel)
        _try(session, channel, now)
    service.wake.set()


def _try(session: Session, channel: Channel, now: datetime) -> None:
    """At most once in ten seconds."""
    occasion = f"test/{int(now.timestamp()) // 10}"
    queries.calls.add(session, Call(channel_id=channel.id, occasion=occasion, kind="test", created_at=now, send_at=now))


def _must_play(session: Session, player_id: str, match_id: str) -> None:
    if not any(seat.player_id == player_id for seat in queries.seats.of(session, match_id)):
        raise ValueError(_("You have no seat in this match."))

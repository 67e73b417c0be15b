"""Where people are signed in: a row for each browser, so that it can be shown and ended from another one."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Final

from db import queries
from db.models import Device, Player
from server.service import Service

SIGNED_IN_FOR: Final = timedelta(days=90)

_SEEN_EVERY: Final = timedelta(days=1)
_BROWSERS: Final = (
    *(("Edg", "Edge"), ("OPR/", "Opera"), ("SamsungBrowser", "Samsung Internet"), ("FxiOS", "Firefox")),
    *(("Firefox/", "Firefox"), ("CriOS", "Chrome"), ("Chrome/", "Chrome"), ("Safari/", "Safari")),
)
_SYSTEMS: Final = (
    *(("iPhone", "iPhone"), ("iPad", "iPad"), ("Android", "Android"), ("CrOS", "ChromeOS")),
    *(("Windows", "Windows"), ("Mac OS X", "Mac"), ("Linux", "Linux")),
)


def enter(service: Service, player_id: str, agent: str) -> str:
    """Somebody signs in with a browser that calls itself so; the device's id, for its cookie."""
    now = service.now()
    device = Device(player_id=player_id, about=about(agent), created_at=now, seen_at=now)
    with service.store.writing() as session:
        session.add(device)
        session.flush()
        return device.id


def whose(service: Service, device_id: str) -> Player | None:
    """Who is signed in there; None if that was ended, or is too long ago."""
    now = service.now()
    with service.store.reading() as session:
        found = queries.access.device_with_player(session, device_id)
    if found is None or found[0].created_at <= now - SIGNED_IN_FOR:
        return None
    device, player = found
    if device.seen_at <= now - _SEEN_EVERY:
        with service.store.writing() as session:
            queries.access.see_device(session, device_id, now)
    return player


def about(agent: str) -> str:
    """A browser in words that its owner knows, like "Firefox, Android"; empty if it tells nothing."""
    found = (
        next((name for mark, name in marks if re.search(rf"\b{re.escape(mark)}", agent)), "")
        for marks in (_BROWSERS, _SYSTEMS)
    )
    return ", ".join(name for name in found if name)

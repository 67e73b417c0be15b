"""A player's own rhythm of mail: at once, after some minutes, all that waits in one mail, or once a day at an hour.

Arithmetic on aware instants. Whatever the rhythm: who decides meanwhile gets no mail, and reminders come in their time.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Final, get_args

from db.models import Player, Rhythm
from emails.language import marked
from server.hours import DAY, instant_of, zone_of

RHYTHMS: Final[dict[Rhythm, str]] = {
    "at once": marked("At once"),
    "later": marked("After some minutes, if it is still my turn"),
    "together": marked("After some minutes, and all matches that wait in one mail"),
    "daily": marked("Once a day at my hour, all matches that wait in one mail"),
}
"""Each with what it is called."""

MINUTES: Final = (1, 24 * 60)
HOURS: Final = (0, 23)

assert set(RHYTHMS) == set(get_args(Rhythm))


def wanted_at(player: Player, asked_at: datetime) -> datetime:
    """When this player wants the mail about a decision that was asked for at that instant."""
    match player.rhythm:
        case "later" | "together":
            return asked_at + timedelta(minutes=player.rhythm_minutes)
        case "daily":
            return _next_hour(player, asked_at)
        case _:
            return asked_at


def gathers(player: Player) -> bool:
    """Whether several matches that wait come in one mail."""
    return player.rhythm in ("together", "daily")


def _next_hour(player: Player, after: datetime) -> datetime:
    zone = zone_of(player.zone)
    day = after.astimezone(zone).date()
    today = instant_of(zone, day, player.rhythm_hour * 60)
    found = today if today > after else instant_of(zone, day + DAY, player.rhythm_hour * 60)
    return found.astimezone(UTC)

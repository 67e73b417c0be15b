"""What can happen to a person: found, changed, muted, given a program's key, forgotten. One transaction each."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlmodel import Session

from db import queries
from db.models import ApiKey, Player, Rhythm, email_key
from emails.language import gettext as _
from server import absence, fresh_links, seats, upkeep
from server.config import Settings
from server.links import UnsubscribeLink
from server.rhythm import HOURS, MINUTES, RHYTHMS
from server.service import Service
from server.words import clean_name

KEY_PREFIX = "estafette-"


def person(session: Session, address: str) -> Player:
    """The person of an address; raises ValueError with a sentence."""
    found = queries.players.by_address(session, address)
    if found is None:
        raise ValueError(_("Nobody has this address here."))
    return found


def is_admin(settings: Settings, address: str) -> bool:
    return email_key(address) in {email_key(admin) for admin in settings.admins}


def new_api_key(session: Session, player_id: str | None, now: datetime) -> str:
    """A new key for programs, shown this once; without a player it is the operator's."""
    key = KEY_PREFIX + secrets.token_urlsafe(32)
    session.add(ApiKey(key_hash=key_hash(key), player_id=player_id, created_at=now))
    session.flush()
    return key


def key_hash(key: str) -> str:
    """What is kept of a key: 256 random bits need no salt."""
    return hashlib.sha256(key.encode()).hexdigest()


def login_code(settings: Settings, player: Player, until: datetime, *, key: int = 0) -> str:
    """Six digits that sign this person in once, until then; made from the secret key, so nothing is stored."""
    said = f"login code/{player.id}/{player.logins}/{int(until.timestamp()) // 60}"
    digest = hmac.digest(settings.secret_keys[key].encode(), said.encode(), "sha256")
    return f"{int.from_bytes(digest[:8], 'big') % 1_000_000:06d}"


def forget(service: Service, address: str) -> None:
    """Remove a person's data; their matches stay, and the house plays where they sat. Raises ValueError."""
    now = service.now()
    with service.store.reading() as session:
        found = person(session, address)
        seats = [(match.id, seat.number, match.status) for match, seat in queries.matches.of_player(session, found.id)]
    for match_id, number, status in seats:
        if status in ("open", "running", "paused"):
            upkeep.replace(service.matches, match_id, number, name="", email=None, now=now, who="forgotten")
    with service.store.writing() as session:
        queries.privacy.forget(session, found.id, now)


def is_same_address(typed: str, address: str) -> bool:
    """Whether a person would call them the same: letter case and blanks around it do not count."""
    return email_key(typed) == email_key(address)


def own_data(service: Service, player_id: str) -> dict[str, Any]:
    """All that is kept about a person, by table, as JSON: for them alone, and without what others keep secret."""
    with service.store.reading() as session:
        found = queries.privacy.everything_about(session, player_id)
    return {"format": "estafette-own-data/1", "at": service.now().isoformat()} | {
        table: [{name: _as_json(value) for name, value in row.items()} for row in rows] for table, rows in found.items()
    }


def _as_json(value: Any) -> Any:
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, timedelta):
        return value.total_seconds()
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else value


@dataclass(frozen=True)
class Bearer:
    """Who a program's key speaks for: a player, the operator, or a player who is both."""

    player_id: str | None
    operator: bool


def bearer_of(service: Service, key: str) -> Bearer | None:
    """None if the key is none of ours, or was revoked."""
    with service.store.reading() as session:
        found = queries.access.live_api_key(session, key_hash(key))
        if found is None:
            return None
        if found.player_id is None:
            return Bearer(None, operator=True)
        player = queries.players.by_id(session, found.player_id)
    if player is None or not player.email:
        return None
    return Bearer(player.id, operator=is_admin(service.settings, player.email))


def change(
    service: Service,
    player_id: str,
    *,
    name: str,
    zone: str | None,
    language: str,
    mute_all: bool,
    mute_reminders: bool,
) -> None:
    """What a person says about themselves. Raises ValueError with a sentence."""
    cleaned = clean_name(name)
    if not cleaned:
        raise ValueError(_("Give a name that the others can read."))
    with service.store.writing() as session:
        player = queries.players.locked(session, player_id)
        if player is not None:
            player.name, player.language = cleaned, language
            player.mute_all, player.mute_reminders = mute_all, mute_reminders
            session.add(player)
            absence.set_zone(session, player, zone or "", service.now())


def set_rhythm(service: Service, player_id: str, *, rhythm: str, minutes: int, hour: int) -> None:
    """When mails about a person's decisions come. Raises ValueError with a sentence."""
    known: dict[str, Rhythm] = {each: each for each in RHYTHMS}
    if rhythm not in known or not MINUTES[0] <= minutes <= MINUTES[1] or not HOURS[0] <= hour <= HOURS[1]:
        raise ValueError(
            _(
                "Mails come at once, after %(least)s to %(most)s minutes, or at a whole hour from 0 to 23.",
                least=MINUTES[0],
                most=MINUTES[1],
            )
        )
    with service.store.writing() as session:
        player = queries.players.locked(session, player_id)
        if player is not None:
            player.rhythm, player.rhythm_minutes, player.rhythm_hour = known[rhythm], minutes, hour
            session.add(player)


def mute(service: Service, link: UnsubscribeLink) -> None:
    """Stop the mails that the link names. Doing it again does no harm."""
    with service.store.writing() as session:
        mute_in(session, link)


def mute_in(session: Session, link: UnsubscribeLink) -> None:
    """The same in the caller's transaction."""
    player = queries.players.by_id(session, link.player)
    if player is None:
        return
    if link.scope in ("all", "reminders"):
        player.mute_all = player.mute_all or link.scope == "all"
        player.mute_reminders = player.mute_reminders or link.scope == "reminders"
        session.add(player)
    else:
        queries.seats.mute(session, player.id, link.scope)


def renew_links(service: Service, player_id: str) -> None:
    """Make all links and sessions of a person invalid; what is open is mailed anew."""
    with service.store.writing() as session:
        player = queries.players.by_id(session, player_id)
        if player is not None:
            renew_in(service, session, player, service.now())


def renew_in(service: Service, session: Session, player: Player, now: datetime) -> None:
    """The same in the caller's transaction."""
    held = [(match.id, seat.number) for match, seat in queries.matches.of_player(session, player.id)]
    for match_id, number in sorted(held):
        fresh_links.renew(session, match_id, number, now)
    player.links_epoch += 1
    player.logins += 1
    session.add(player)
    queries.access.end_devices(session, player.id)
    for seat in queries.seats.offered_to(session, player.id):
        seats.invite(session, seat, now, player_id=player.id)

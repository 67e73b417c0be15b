"""What can happen to a person: found, given a program's key, forgotten. One transaction each."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from datetime import datetime

from sqlmodel import Session

from db import queries
from db.models import ApiKey, Player
from server import upkeep
from server.config import Settings
from server.service import Service

KEY_PREFIX = "estafette-"


def person(session: Session, address: str) -> Player:
    """The person of an address; raises ValueError with a sentence."""
    found = queries.player_by_address(session, address)
    if found is None:
        raise ValueError("Nobody has this address here.")
    return found


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
        seats = [(match.id, seat.number, match.status) for match, seat in queries.matches_of(session, found.id)]
    for match_id, number, status in seats:
        if status in ("open", "running", "paused"):
            upkeep.replace(service.matches, match_id, number, name="", email=None, now=now, who="forgotten")
    with service.store.writing() as session:
        queries.forget_player(session, found.id, now)

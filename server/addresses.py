"""A person's new address: a code goes there, and whoever types it on their own account page has it from then on.

The code is made from the secret key, so nothing is stored but which address was asked for.
"""

from __future__ import annotations

import hashlib
import hmac
from datetime import datetime, timedelta
from typing import Final

from sqlmodel import Session

from db import queries
from db.models import Player, email_key
from emails.language import gettext as _
from emails.mime import mail_address
from emails.outbox import post
from server import accounts
from server.config import Settings
from server.service import Service

GOOD_FOR: Final = timedelta(minutes=30)
"""A code works for this long at least, and for twice as long at most."""

_NEXT_LETTER: Final = timedelta(minutes=5)


def ask(service: Service, player_id: str, address: str) -> None:
    """Send a code to the new address, at most one in five minutes. Raises ValueError if no mail can be sent there.

    Where somebody else has the address none is sent, and the answer is the same.
    """
    mail_address(address)
    now = service.now()
    with service.store.writing() as session:
        player = queries.players.by_id(session, player_id)
        if player is None or email_key(address) == player.email_key:
            raise ValueError(_("This is your address already."))
        player.new_email = address
        session.add(player)
        if queries.players.by_address(session, address) is None:
            _post_code(session, player, address, now)
    service.wake.set()


def change(service: Service, player_id: str, code: str) -> bool:
    """Take the new address if the code is right; the old one is told, and mails go to the new one at once.

    Whoever reads the old mailbox can do nothing any more: its links are void, and fresh ones go to the new address.
    """
    now = service.now()
    typed = "".join(code.split())
    with service.store.writing() as session:
        player = queries.players.by_id(session, player_id)
        if player is None or not player.new_email or not _is_right(service.settings, player, typed, now):
            return False
        if queries.players.by_address(session, player.new_email) is not None:
            return False
        _tell_old_address(session, player, now)
        accounts.renew_in(service, session, player, now)
        player.email, player.email_key = player.new_email, email_key(player.new_email)
        player.email_since, player.new_email = now, None
        session.add(player)
        session.flush()
        queries.players.reach(session, player.id)
    service.wake.set()
    return True


def code_for(settings: Settings, player: Player, address: str, now: datetime, *, key: int = 0, ago: int = 0) -> str:
    """Six digits for this person, this address and this half hour, or so many before."""
    window = int(now.timestamp() // GOOD_FOR.total_seconds()) - ago
    said = f"address code/{player.id}/{player.logins}/{email_key(address)}/{window}"
    digest = hmac.digest(settings.secret_keys[key].encode(), said.encode(), "sha256")
    return f"{int.from_bytes(digest[:8], 'big') % 1_000_000:06d}"


def _is_right(settings: Settings, player: Player, typed: str, now: datetime) -> bool:
    address = player.new_email or ""
    codes = [
        code_for(settings, player, address, now, key=key, ago=ago)
        for key in range(len(settings.secret_keys))
        for ago in (0, 1)
    ]
    return any(hmac.compare_digest(code.encode(), typed.encode()) for code in codes)


def _post_code(session: Session, player: Player, address: str, now: datetime) -> None:
    window = int(now.timestamp() // _NEXT_LETTER.total_seconds())
    named = hashlib.sha256(email_key(address).encode()).hexdigest()[:12]
    post(
        session,
        "address",
        occasion=f"address/{player.id}/{named}/{player.logins}/{window}",
        player_id=player.id,
        address=address,
        data={"about": "new address"},
        now=now,
    )


def _tell_old_address(session: Session, player: Player, now: datetime) -> None:
    post(
        session,
        "address",
        occasion=f"address changed/{player.id}/{int(now.timestamp())}",
        player_id=player.id,
        address=player.email,
        data={"about": "old address"},
        now=now,
    )

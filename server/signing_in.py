"""Signing in without a password: a mail with a link and a six-digit code, each good for once and for half an hour.

Whoever asks gets the same answer whether an address is known here or not.
"""

from __future__ import annotations

import hmac
from datetime import datetime, timedelta
from typing import Final

from sqlmodel import Session

from db import queries
from db.models import Player, SignIn
from emails.language import gettext as _
from emails.language import spoken
from emails.mime import AddressError, mail_address
from emails.outbox import post
from server import reach
from server.accounts import is_admin, login_code
from server.links import LoginLink
from server.service import Service

GOOD_FOR: Final = timedelta(minutes=30)
WRONG_A_DAY: Final = 10
"""So many wrong codes a day; after that only links work. A stranger hits one of a million codes with one in 100,000."""

_NEXT_LETTER: Final = timedelta(minutes=5)
_DAY: Final = timedelta(days=1)


def ask(service: Service, address: str) -> None:
    """Post the mail, at most one in five minutes. Raises ValueError if no mail can be sent to such an address."""
    mail_address(address)
    now = service.now()
    with service.store.writing() as session:
        player = queries.players.by_address(session, address)
        if player is None:
            if not (service.settings.open_signup or is_admin(service.settings, address)):
                return
            player = queries.players.for_address(session, address, name=_("New player"), now=now, language=spoken().tag)
        until = _until(session, player, now)
        window = int(now.timestamp() // _NEXT_LETTER.total_seconds())
        post(
            session,
            "login",
            occasion=f"login/{player.id}/{player.logins}/{window}",
            player_id=player.id,
            data={"logins": player.logins, "until": int(until.timestamp())},
            now=now,
        )
    service.wake.set()


def _is_address(text: str) -> bool:
    try:
        return bool(mail_address(text))
    except AddressError:
        return False


def _until(session: Session, player: Player, now: datetime) -> datetime:
    """How long the way in is open. Asked again soon, it stays the same: no mail makes an earlier one useless."""
    asked = queries.access.sign_in_of(session, player.id)
    if asked is None:
        asked = SignIn(player_id=player.id, until=now, wrong_since=now)
    if asked.until < now + GOOD_FOR / 2:
        asked.until = (now + GOOD_FOR).replace(second=0, microsecond=0)
    session.add(asked)
    return asked.until


def by_link(service: Service, link: LoginLink) -> Player | None:
    """The person whom the link signs in; None if it was used before. Only for a form: opening the link does nothing."""
    with service.store.writing() as session:
        player = queries.players.by_id(session, link.player)
        if player is None or player.logins != link.logins or not player.email:
            return None
        return _entered(session, player, service.now())


def by_code(service: Service, address: str, code: str) -> Player | None:
    """The person whom the code signs in; None if it is wrong, too old, or was guessed at too often."""
    if not _is_address(address):
        return None
    now = service.now()
    typed = "".join(code.split())
    with service.store.writing() as session:
        player = queries.players.by_address(session, address)
        asked = queries.access.sign_in_of(session, player.id) if player else None
        if player is None or asked is None or asked.until <= now:
            return None
        if asked.wrong_since <= now - _DAY:
            asked.wrong, asked.wrong_since = 0, now
        if asked.wrong >= WRONG_A_DAY:
            return None
        if not _is_right(service, player, asked.until, typed):
            asked.wrong += 1
            session.add(asked)
            return None
        return _entered(session, player, now)


def _is_right(service: Service, player: Player, until: datetime, typed: str) -> bool:
    codes = (login_code(service.settings, player, until, key=key) for key in range(len(service.settings.secret_keys)))
    return any(hmac.compare_digest(code.encode(), typed.encode()) for code in codes)


def _entered(session: Session, player: Player, now: datetime) -> Player:
    """A mail has reached them, so more can be sent."""
    reach.again(session, player.id, now)
    player.logins += 1
    session.add(player)
    return player

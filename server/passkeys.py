"""Signing in with a passkey: a key pair of which the person's device keeps one half and we the other (WebAuthn).

Nothing is stored between the two halves of a ceremony: the challenge signs itself, names its purpose, and works once.
"""

from __future__ import annotations

import base64
import binascii
import hmac
import ipaddress
import json
import secrets
from datetime import UTC, datetime, timedelta
from typing import Any, Final
from urllib.parse import urlsplit

from db import queries
from db.models import Passkey, Player
from emails.language import gettext as _
from emails.language import marked
from emails.outbox import post
from server.config import Settings
from server.service import Service

MOST: Final = 10
"""Passkeys of one person."""

GOOD_FOR: Final = timedelta(minutes=15)
LONGEST: Final = 20_000
"""Letters of what a device answers; attestations with certificates can be long."""

_ENTER: Final = "enter"
_RANDOM, _TIME, _MARK = 16, 5, 16
_REFUSED: Final = marked("This passkey could not be read, or it took too long. Try once more, or sign in by mail.")


class PasskeyError(ValueError):
    """Says what to do instead."""


def possible(settings: Settings) -> bool:
    """Passkeys belong to the name of a host; an instance that is reached by a number can have none."""
    host = urlsplit(settings.public_url).hostname or ""
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return True
    return False


# Making one


def options_to_add(service: Service, player: Player) -> str:
    """What the browser needs to make a passkey, as JSON."""
    import webauthn
    from webauthn.helpers import structs

    with service.store.reading() as session:
        known = [_bytes(each.id) for each in queries.access.passkeys_of(session, player.id)]
    options = webauthn.generate_registration_options(
        rp_id=_host(service.settings),
        rp_name="Estafette",
        user_id=player.id.encode(),
        user_name=player.email,
        user_display_name=player.name,
        challenge=_challenge(service, f"add/{player.id}"),
        exclude_credentials=[structs.PublicKeyCredentialDescriptor(id=each) for each in known],
        authenticator_selection=structs.AuthenticatorSelectionCriteria(
            resident_key=structs.ResidentKeyRequirement.REQUIRED,
            user_verification=structs.UserVerificationRequirement.REQUIRED,
        ),
    )
    return webauthn.options_to_json(options)


def add(service: Service, player: Player, answer: str, *, name: str) -> None:
    """Keep the public half, and tell its owner by mail. Raises PasskeyError."""
    import webauthn
    from webauthn.helpers.exceptions import WebAuthnException

    told, now = _read(answer), service.now()
    challenge = _ours(service, told, f"add/{player.id}", now)
    try:
        made = webauthn.verify_registration_response(
            credential=told,
            expected_challenge=challenge,
            expected_rp_id=_host(service.settings),
            expected_origin=_origin(service.settings),
            require_user_verification=True,
        )
    except (WebAuthnException, *_MALFORMED):
        raise PasskeyError(_(_REFUSED)) from None
    with service.store.writing() as session:
        if len(queries.access.passkeys_of(session, player.id)) >= MOST:
            raise PasskeyError(_("You have %(number)s passkeys already. Remove one that you do not need.", number=MOST))
        passkey = Passkey(
            id=_text(made.credential_id), player_id=player.id, public_key=made.credential_public_key,
            uses=made.sign_count, name=name, created_at=now,
        )  # fmt: skip
        if not queries.access.add_passkey(session, passkey):
            raise PasskeyError(_("This passkey is known here already."))
        occasion = f"passkey/{player.id}/{passkey.id[:40]}"
        post(session, "notice", occasion=occasion, player_id=player.id, data={"about": "passkey"}, now=now)
    service.wake.set()


# Using one


def options_to_enter(service: Service) -> str:
    """What the browser needs to ask for a passkey, as JSON; whose it is, the passkey says."""
    import webauthn
    from webauthn.helpers import structs

    options = webauthn.generate_authentication_options(
        rp_id=_host(service.settings),
        challenge=_challenge(service, _ENTER),
        user_verification=structs.UserVerificationRequirement.REQUIRED,
    )
    return webauthn.options_to_json(options)


def enter(service: Service, answer: str) -> Player:
    """Whose passkey it is. Raises PasskeyError."""
    import webauthn
    from webauthn.helpers.exceptions import WebAuthnException

    told, now = _read(answer), service.now()
    challenge = _ours(service, told, _ENTER, now)
    with service.store.writing() as session:
        passkey = queries.access.passkey_locked(session, str(told.get("id", "")))
        player = queries.players.by_id(session, passkey.player_id) if passkey else None
        if passkey is None or player is None or not player.email:
            raise PasskeyError(_("This passkey is not known here any more. Sign in by mail."))
        try:
            used = webauthn.verify_authentication_response(
                credential=told,
                expected_challenge=challenge,
                expected_rp_id=_host(service.settings),
                expected_origin=_origin(service.settings),
                credential_public_key=passkey.public_key,
                credential_current_sign_count=passkey.uses,
                require_user_verification=True,
            )
        except (WebAuthnException, *_MALFORMED):
            raise PasskeyError(_(_REFUSED)) from None
        passkey.uses, passkey.used_at = used.new_sign_count, now
        session.add(passkey)
    return player


# Challenges


def _challenge(service: Service, purpose: str) -> bytes:
    until = int((service.now() + GOOD_FOR).timestamp()).to_bytes(_TIME, "big")
    said = secrets.token_bytes(_RANDOM) + until
    return said + _mark(service.settings.secret_keys[0], purpose, said)


def _mark(key: str, purpose: str, said: bytes) -> bytes:
    return hmac.digest(key.encode(), b"passkey/" + purpose.encode() + b"/" + said, "sha256")[:_MARK]


def _ours(service: Service, told: dict[str, Any], purpose: str, now: datetime) -> bytes:
    """The challenge that a device has answered, if it is one of ours, in time, and for the first time."""
    try:
        challenge = _bytes(json.loads(_bytes(told["response"]["clientDataJSON"]))["challenge"])
    except _MALFORMED:
        raise PasskeyError(_(_REFUSED)) from None
    said, mark = challenge[: _RANDOM + _TIME], challenge[_RANDOM + _TIME :]
    until = int.from_bytes(said[_RANDOM:], "big")
    ours = any(hmac.compare_digest(_mark(key, purpose, said), mark) for key in service.settings.secret_keys)
    if not ours or until <= now.timestamp():
        raise PasskeyError(_(_REFUSED))
    over = datetime.fromtimestamp(until, UTC)
    with service.store.writing() as session:
        if queries.tallies.count_once_more(session, f"challenge/{mark.hex()}", now, until=over) > 1:
            raise PasskeyError(_(_REFUSED))
    return challenge


def _host(settings: Settings) -> str:
    return urlsplit(settings.public_url).hostname or ""


def _origin(settings: Settings) -> str:
    public = urlsplit(settings.public_url)
    return f"{public.scheme}://{public.netloc}"


_MALFORMED: Final = (ValueError, KeyError, TypeError, AttributeError, binascii.Error, OverflowError, RecursionError)


def _read(answer: str) -> dict[str, Any]:
    try:
        told = json.loads(answer) if len(answer) <= LONGEST else None
    except (ValueError, RecursionError):
        told = None
    if not isinstance(told, dict):
        raise PasskeyError(_(_REFUSED))
    return told


def _bytes(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def _text(octets: bytes) -> str:
    return base64.urlsafe_b64encode(octets).rstrip(b"=").decode()

"""Messages to a browser that shows them when no page is open: Web Push (RFC 8030), encrypted (8291), from us (8292)."""

from __future__ import annotations

import base64
import json
import time
from dataclasses import dataclass
from datetime import datetime
from email.utils import parseaddr
from functools import lru_cache
from typing import Any, Final
from urllib.parse import urlsplit

from db.models import Channel
from emails.language import gettext as _
from server import channels, outgoing
from server.calls import News, Told
from server.config import Settings
from server.service import Service
from server.settings import make_key
from server.webhooks import posted

KEY_FILE: Final = "push-key"
LONGEST: Final = 2_000
"""Letters of what a browser tells of itself."""

_GOOD_FOR: Final = 12 * 3600
_KEPT_FOR: Final = 24 * 3600
"""Seconds that a push service keeps a message for a phone that is off."""


@dataclass(frozen=True)
class Subscription:
    """Where a browser gets its messages, and what encrypts them for its eyes alone."""

    endpoint: str
    p256dh: str
    auth: str


def read(told: str, settings: Settings) -> Subscription:
    """What a browser has answered. Raises ValueError with a sentence."""
    try:
        answer: Any = json.loads(told) if len(told) <= LONGEST else None
        keys, endpoint = answer["keys"], answer["endpoint"]
        found = Subscription(str(endpoint), str(keys["p256dh"]), str(keys["auth"]))
        public, auth = _bytes(found.p256dh), _bytes(found.auth)
        _public_key(public)
    except (ValueError, TypeError, KeyError, RecursionError):
        raise ValueError(_("This browser has said nothing that we can use.")) from None
    if len(auth) != 16:
        raise ValueError(_("This browser has said nothing that we can use."))
    outgoing.read(found.endpoint, settings.hook_networks)
    return found


def subscribe(service: Service, player_id: str, told: str, *, name: str) -> Channel:
    """From now on this browser shows what happens. Raises ValueError."""
    found = read(told, service.settings)
    secret = json.dumps({"p256dh": found.p256dh, "auth": found.auth})
    return channels.add(service, player_id, "push", found.endpoint, secret=secret, name=name or "Web Push")


def tell(service: Service, news: News, now: datetime) -> Told:
    """Only who has the browser's key can read it, and only where its player is signed in does it lead to secrets."""
    import http_ece
    from cryptography.hazmat.primitives.asymmetric import ec

    key = key_of(service.settings)
    if key is None:
        return Told(False, _("this way is not open here any more"))
    keys = json.loads(news.channel.secret)
    about = {"title": news.title, "text": news.text, "url": news.url, "tag": news.call.match_id or "estafette"}
    body = http_ece.encrypt(
        json.dumps(about, ensure_ascii=False).encode(),
        private_key=ec.generate_private_key(ec.SECP256R1()),
        dh=_bytes(keys["p256dh"]),
        auth_secret=_bytes(keys["auth"]),
    )
    headers = {
        "Content-Type": "application/octet-stream",
        "Content-Encoding": "aes128gcm",
        "TTL": str(_KEPT_FOR),
        "Urgency": "normal",
        "Authorization": _we_are(service, key, news.channel.address),
    }
    told = posted(service, news.channel.address, body, headers)
    return told if told.done or told.status != 404 else Told(False, told.said, gone=True)


# Our own key


def key_of(settings: Settings) -> str | None:
    """What signs our messages: as set, or made into the data folder; None where it has to be set."""
    if settings.push_key or not settings.database_url.startswith("sqlite"):
        return settings.push_key
    file = settings.data / KEY_FILE
    if not file.exists():
        settings.data.mkdir(mode=0o700, parents=True, exist_ok=True)
        make_key(file)
    return file.read_text(encoding="ascii").strip()


def public_key(key: str) -> str:
    """Its public half, as browsers want it when they subscribe."""
    from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

    return _text(_private_key(key).public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint))


@lru_cache(maxsize=2)
def _private_key(key: str) -> Any:
    from cryptography.hazmat.primitives.asymmetric import ec

    return ec.derive_private_key(int(key, 16), ec.SECP256R1())


def _public_key(point: bytes) -> Any:
    from cryptography.hazmat.primitives.asymmetric import ec

    return ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), point)


def _we_are(service: Service, key: str, endpoint: str) -> str:
    """Signed for this push service alone; it looks at the real clock, whatever a demo's says."""
    from cryptography.hazmat.primitives import hashes
    from cryptography.hazmat.primitives.asymmetric import ec
    from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature

    where = urlsplit(endpoint)
    claims = {
        "aud": f"{where.scheme}://{where.netloc}",
        "exp": int(time.time()) + _GOOD_FOR,
        "sub": f"mailto:{parseaddr(service.settings.mail_from)[1]}",
    }
    said = ".".join(_text(json.dumps(part).encode()) for part in ({"typ": "JWT", "alg": "ES256"}, claims))
    r, s = decode_dss_signature(_private_key(key).sign(said.encode(), ec.ECDSA(hashes.SHA256())))
    return f"vapid t={said}.{_text(r.to_bytes(32, 'big') + s.to_bytes(32, 'big'))}, k={public_key(key)}"


def _bytes(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def _text(octets: bytes) -> str:
    return base64.urlsafe_b64encode(octets).rstrip(b"=").decode()

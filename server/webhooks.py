"""Telling a program by a POST, signed as https://www.standardwebhooks.com says."""

from __future__ import annotations

import base64
import binascii
import hmac
import json
import secrets
from collections.abc import Mapping
from datetime import datetime

from emails.language import gettext as _
from server import outgoing
from server.calls import News, Told
from server.service import Service


def new_secret() -> str:
    return "whsec_" + base64.b64encode(secrets.token_bytes(32)).decode()


def signature(secret: str, call_id: str, at: int, body: bytes) -> str:
    """What the `webhook-signature` header has."""
    key = base64.b64decode(secret.removeprefix("whsec_"))
    digest = hmac.digest(key, f"{call_id}.{at}.".encode() + body, "sha256")
    return "v1," + base64.b64encode(digest).decode()


def tell_webhook(service: Service, news: News, now: datetime) -> Told:
    """POST the news as JSON. The same call has the same id on every attempt."""
    body = json.dumps(
        {"type": news.call.kind, "timestamp": news.call.created_at.isoformat(), "data": dict(news.data)},
        ensure_ascii=False,
    ).encode()
    call_id, at = f"call-{news.channel.id}-{news.call.id}", int(now.timestamp())
    headers = {
        "Content-Type": "application/json; charset=utf-8",
        "webhook-id": call_id,
        "webhook-timestamp": str(at),
        "webhook-signature": signature(news.channel.secret, call_id, at, body),
    }
    return posted(service, news.channel.address, body, headers)


def posted(service: Service, url: str, body: bytes, headers: Mapping[str, str]) -> Told:
    """What came of a request, in words for the channel's owner."""
    allowed = service.settings.hook_networks
    try:
        status = outgoing.send(outgoing.read(url, allowed), body, headers, allowed)
    except (outgoing.Unreachable, outgoing.Refused, binascii.Error) as error:
        return Told(False, str(error).rstrip("."))
    if 200 <= status < 300:
        return Told(True, _("it answered %(status)s", status=status))
    if 300 <= status < 400:
        return Told(False, _("it answered %(status)s and points elsewhere, where we do not follow", status=status))
    return Told(False, _("it answered %(status)s", status=status), gone=status == 410, status=status)

"""Incoming mail: stored first, then acknowledged, then acted on; wherever that stops, each mail counts once.

A mail's outcome and its effects are one transaction, so a process that dies leaves the mail waiting, and the next one
reads it again.
"""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Final

from sqlalchemy.exc import OperationalError

from db import queries
from db.models import InboundMail
from db.turns import DatabaseBusy
from server import accounts, reach
from server.links import BadLink, BounceAddress, UnsubscribeLink
from server.service import Service

if TYPE_CHECKING:
    from server.replies import Address, Arrived

LARGEST: Final = 5 * 1024 * 1024
BEGINNING: Final = 64 * 1024
"""Octets. Of a mail larger than the first only the second is kept, for the operator to look at."""

KEPT_FOR: Final = timedelta(days=30)
"""After that it is forgotten what a mail said, not that it came."""

_AT_ONCE: Final = 50
_MOST_ATTEMPTS: Final = 10
_ADDRESS_MOST: Final = 320

log = logging.getLogger("estafette.inbound")


def take_in(
    service: Service,
    raw: bytes,
    *,
    envelope_to: str | None = None,
    envelope_from: str | None = None,
    size: int | None = None,
    now: datetime,
) -> int:
    """Store a mail as it came, and wake the worker; its id. The same mail again finds its first one.

    `envelope_to` and `envelope_from` ("" for none) are what the mail server told, `size` is the mail's where `raw`
    is only its beginning. Raises DatabaseBusy: nothing was stored then, and whoever brings the mail brings it again.
    """
    large = max(len(raw), size or 0) > LARGEST
    mail = InboundMail(
        hash=_hash(raw, envelope_to),
        raw=raw[:BEGINNING] if large else raw,
        envelope_to=_shown(envelope_to),
        envelope_from=_shown(envelope_from),
        received_at=now,
        state="quarantined" if large else "waiting",
        why=f"it is larger than {LARGEST // 1024**2} MB" if large else None,
    )
    with service.store.writing() as session:
        mail_id = queries.inbound.add(session, mail)
    service.wake.set()
    return mail_id


def act(service: Service, now: datetime) -> int:
    """Act on the mails that wait, in their order; how many were settled. One that cannot be read stops no other."""
    with service.store.reading() as session:
        waiting = queries.inbound.waiting(session, limit=_AT_ONCE)
    return sum(_settled(service, mail_id, now) for mail_id in waiting)


def tidy(service: Service, now: datetime) -> None:
    """Forget what old mails said."""
    with service.store.writing() as session:
        queries.inbound.empty_old(session, now - KEPT_FOR)


def _settled(service: Service, mail_id: int, now: datetime) -> bool:
    """False if somebody else did it."""
    from server.replies import AlreadySettled

    with service.store.writing() as session:
        mail = queries.inbound.begin(session, mail_id)
    if mail is None:
        return False
    try:
        if mail.attempts > _MOST_ATTEMPTS:
            _put_aside(service, mail_id, f"it was begun {_MOST_ATTEMPTS} times and never got done")
        else:
            _act_on(service, mail, now)
    except AlreadySettled:
        return False
    except (OperationalError, DatabaseBusy):  # the database's trouble, not the mail's
        raise
    except Exception as error:
        log.error("incoming mail %s could not be acted on: %s", mail_id, type(error).__name__)
        _put_aside(service, mail_id, f"acting on it failed ({type(error).__name__})")
    return True


def _act_on(service: Service, mail: InboundMail, now: datetime) -> None:
    # imported here, because the reader's phrase books are slow to load and most starts need none of them
    from emails.inbox import read_mail
    from emails.inbox.mime import MAX_PARTS, open_mail
    from server.replies import Arrived, Reply

    assert mail.id is not None
    if sum(1 for _ in open_mail(mail.raw).walk()) >= MAX_PARTS:
        _put_aside(service, mail.id, f"it has {MAX_PARTS} parts or more")
        return
    settings = service.settings
    read = read_mail(
        mail.raw,
        authserv_id=settings.authserv_id,
        envelope_recipient=mail.envelope_to or "",
        envelope_sender=mail.envelope_from,
        reply_domain=settings.reply_domain,
    )
    arrived = Arrived(mail.id, mail.hash, read)
    if not _is_first(service, mail, arrived):
        _ignore(service, arrived, "it is a copy of a mail that was taken in before")
        return
    addresses = _addresses(service, read.tokens)
    leave = next((each for each in addresses if isinstance(each, UnsubscribeLink)), None)
    if read.unreadable:
        _put_aside(service, mail.id, read.why)
    elif read.kind == "bounce":
        _act_on_bounce(service, arrived, addresses, now)
    elif read.kind == "complaint":
        _act_on_complaint(service, arrived, addresses, now)
    elif leave is not None:
        _unsubscribe(service, arrived, leave)
    elif read.kind == "machine":
        _act_on_machine(service, arrived, now)
    else:
        Reply(service, arrived, now).act(addresses)


def _addresses(service: Service, tokens: Sequence[str]) -> list[Address]:
    """Those of ours among what the mail names, the envelope's first."""
    found: list[Address] = []
    for token in tokens:
        try:
            found.append(service.links.read_local_part(token))
        except BadLink:
            continue
    return found


def _is_first(service: Service, mail: InboundMail, arrived: Arrived) -> bool:
    """Whether no mail with this Message-ID came to this address of ours before, on whatever way."""
    if not arrived.read.message_id:
        return True
    where = arrived.read.token or mail.envelope_to or ""
    key = hashlib.sha256(f"{arrived.read.message_id}\0{where}".encode("utf-8", "replace")).hexdigest()
    with service.store.writing() as session:
        return queries.inbound.is_first_of_its_kind(session, arrived.id, key)


def _act_on_bounce(service: Service, arrived: Arrived, addresses: list[Address], now: datetime) -> None:
    read = arrived.read
    address = next((each for each in addresses if isinstance(each, BounceAddress)), None)
    verdict = (read.status, read.permanent, read.our_fault)
    why = next((each.why for each in read.failures if (each.status, each.permanent, each.our_fault) == verdict), "")
    trouble = reach.Trouble(why, *verdict)
    with service.store.writing() as session:
        letter = queries.letters.by_id(session, address.letter) if address else None
        if letter is None:
            arrived.settle(session, "ignored", "it reports about a mail that is not ours")
            return
        reach.came_back(service, session, letter, trouble, now)
        arrived.settle(session, "done", f"a letter came back: {trouble.told}", player_id=letter.player_id)


def _act_on_complaint(service: Service, arrived: Arrived, addresses: list[Address], now: datetime) -> None:
    """By the address that the report came to, else by the Message-ID of the letter that it encloses."""
    named = [each.letter for each in addresses if isinstance(each, BounceAddress)]
    named.append(arrived.read.original_message_id.strip("<>").partition("@")[0])
    with service.store.writing() as session:
        letter = next((found for each in named if (found := queries.letters.by_id(session, each))), None)
        if letter is None or letter.player_id is None:
            arrived.settle(session, "ignored", "it complains about a mail that is not ours")
            return
        reach.complained(session, letter.player_id, now)
        arrived.settle(session, "done", "a complaint: only what is essential is sent now", player_id=letter.player_id)


def _act_on_machine(service: Service, arrived: Arrived, now: datetime) -> None:
    with service.store.writing() as session:
        if arrived.read.our_fault:
            reach.alarm(service, session, "a mail provider could not verify our mail", now)
        arrived.settle(session, "ignored", arrived.read.why)


def _unsubscribe(service: Service, arrived: Arrived, link: UnsubscribeLink) -> None:
    with service.store.writing() as session:
        accounts.mute_in(session, link)
        arrived.settle(session, "done", "its sender wanted fewer mails", player_id=link.player)


def _ignore(service: Service, arrived: Arrived, why: str) -> None:
    with service.store.writing() as session:
        arrived.settle(session, "ignored", why)


def _put_aside(service: Service, mail_id: int, why: str) -> None:
    with service.store.writing() as session:
        queries.inbound.settle(session, mail_id, "quarantined", why=why)


def _hash(raw: bytes, envelope_to: str | None) -> str:
    """Two recipients of ours each get their own copy."""
    return hashlib.sha256((envelope_to or "").strip("<> ").lower().encode("utf-8", "replace") + b"\0" + raw).hexdigest()


def _shown(address: str | None) -> str | None:
    if address is None:
        return None
    return "".join(letter for letter in address.strip("<> ") if letter.isprintable())[:_ADDRESS_MOST]

"""The built-in mailbox: finished mails stay in the database, byte for byte, and can be read there."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from email import message_from_bytes, policy
from email.message import EmailMessage
from email.parser import BytesHeaderParser
from email.utils import format_datetime, make_msgid
from functools import cached_property
from html.parser import HTMLParser
from typing import Self

from sqlalchemy.exc import OperationalError

from db import queries
from db.engine import Store
from db.models import Letter, MailboxMail
from db.turns import DatabaseBusy
from emails.transport import Delivery, Phase, Status

_URL = re.compile(r"https?://[^\s<>\"]+")
_CLOSING = ".,;:!?)]}’”'"


class MailboxTransport:
    """Takes mails like a mail server and keeps them. A repeat with the same Message-ID is taken and not kept."""

    def __init__(self, store: Store) -> None:
        self._store = store

    @contextmanager
    def connection(self) -> Iterator[Self]:
        yield self

    def deliver(self, raw: bytes, envelope_from: str, rcpt: str) -> Delivery:
        try:
            self._keep(raw, rcpt)
        except (OperationalError, DatabaseBusy) as error:
            return Delivery(Status.LATER, Phase.DATA, None, f"The mail could not be kept: {type(error).__name__}.")
        return Delivery(Status.SENT, Phase.DOT, 250, "2.0.0 Kept in the built-in mailbox")

    def _keep(self, raw: bytes, rcpt: str) -> None:
        head = message_from_bytes(raw.partition(b"\r\n\r\n")[0] + b"\r\n\r\n", policy=policy.default)
        own = head["Message-ID"]
        with self._store.writing() as session:
            letter = session.get(Letter, own.strip("<>").partition("@")[0])
            queries.mailbox.add(
                session,
                MailboxMail(
                    letter_id=letter.id if letter else None,
                    to_address=rcpt,
                    kind=head["X-Estafette-Kind"],
                    match_id=letter.match_id if letter else None,
                    message_id=own,
                    raw=raw,
                    at=head["Date"].datetime,
                ),
            )


@dataclass(frozen=True)
class KeptPicture:
    """A picture of a mail: its `cid`, type and octets."""

    cid: str
    content_type: str
    content: bytes


class KeptMail:
    """A mail as a mail program shows it."""

    def __init__(self, row: MailboxMail) -> None:
        self.id = row.id
        self.to_address = row.to_address
        self.kind = row.kind
        self.match_id = row.match_id
        self.at = row.at
        self.raw = row.raw

    @cached_property
    def _message(self) -> EmailMessage:
        return message_from_bytes(self.raw, policy=policy.default)

    @property
    def subject(self) -> str:
        head = self.raw.partition(b"\r\n\r\n")[0]  # of a whole list of mails only this is wanted
        return str(BytesHeaderParser(policy=policy.default).parsebytes(head)["Subject"])

    @property
    def headers(self) -> list[tuple[str, str]]:
        """In order, decoded and unfolded."""
        return [(name, str(value)) for name, value in self._message.items()]

    @property
    def reply_to(self) -> str:
        """Where an answer goes; empty where none is read."""
        return str(self._message["Reply-To"] or "")

    def reply(self, words: str, now: datetime) -> bytes:
        """What a mail program makes of an answer: the words, the older mail quoted below, and the thread's headers."""
        own, answered = str(self._message["Message-ID"]), EmailMessage(policy=policy.SMTP)
        answered["From"] = str(self._message["To"])
        answered["To"] = self.reply_to
        answered["Subject"] = f"Re: {self.subject.removeprefix('Re: ')}"
        answered["Date"] = format_datetime(now)
        answered["Message-ID"] = make_msgid(domain="mailbox.localhost")
        answered["In-Reply-To"] = own
        answered["References"] = own
        quoted = "\n".join(f"> {line}".rstrip() for line in self.text.rstrip().split("\n"))
        answered.set_content(
            f"{words.strip()}\n\nOn {self.at:%d %b %Y at %H:%M}, {self._message['From']} wrote:\n{quoted}\n"
        )
        return answered.as_bytes()

    @property
    def raw_headers(self) -> str:
        """As they went over the line."""
        return self.raw.partition(b"\r\n\r\n")[0].decode("ascii", "replace").replace("\r\n", "\n")

    @cached_property
    def text(self) -> str:
        return self._part("plain")

    @cached_property
    def html(self) -> str:
        return self._part("html")

    @property
    def pictures(self) -> list[KeptPicture]:
        return [
            KeptPicture(str(part["Content-ID"]).strip("<> "), part.get_content_type(), part.get_content())
            for part in self._message.walk()
            if part.get_content_maintype() == "image" and part["Content-ID"]
        ]

    @cached_property
    def links(self) -> list[str]:
        """The addresses in text and HTML, each once, in order."""
        found = [url.rstrip(_CLOSING) for url in _URL.findall(self.text)]
        return list(dict.fromkeys([*found, *_Hrefs.of(self.html)]))

    def _part(self, subtype: str) -> str:
        part = self._message.get_body((subtype,))
        return str(part.get_content()).replace("\r\n", "\n") if part else ""


def inbox(store: Store, address: str, *, limit: int = 100) -> Sequence[KeptMail]:
    """The mails to an address, the newest first."""
    with store.reading() as session:
        return [KeptMail(row) for row in queries.mailbox.of_address(session, address, limit=limit)]


def latest_inboxes(store: Store, *, limit: int) -> Sequence[tuple[str, int, KeptMail]]:
    """Who got mail last, by address: how many mails, and the newest."""
    with store.reading() as session:
        found = queries.mailbox.addresses(session, limit=limit)
        return [(address, count, KeptMail(newest)) for address, count, newest in found]


def kept_mail(store: Store, mail_id: int) -> KeptMail | None:
    with store.reading() as session:
        row = queries.mailbox.by_id(session, mail_id)
        return KeptMail(row) if row else None


class _Hrefs(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    @classmethod
    def of(cls, html: str) -> list[str]:
        parser = cls()
        parser.feed(html)
        return parser.found

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found += [value for name, value in attrs if name == "href" and value and _URL.fullmatch(value)]

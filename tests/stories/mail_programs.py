"""Replies as mail programs write them: the words above or below the quote, in several languages and forms."""

from __future__ import annotations

import base64
import itertools
import quopri
from collections.abc import Callable
from dataclasses import dataclass, field
from email.message import EmailMessage
from html import escape

from tests.server.builders import address_of, text_of

_NUMBERS = itertools.count(1)


@dataclass
class Reply:
    """What a person sends back; each field can be bent."""

    to: str
    sender: str
    body: bytes
    content_type: str = "text/plain; charset=utf-8"
    encoding: str = "8bit"
    subject: str = "Re: your turn"
    in_reply_to: str = ""
    message_id: str = field(default_factory=lambda: f"<{next(_NUMBERS)}.reply@players.example>")
    more: dict[str, str] = field(default_factory=dict)

    @property
    def raw(self) -> bytes:
        headers = {
            "From": self.sender,
            "To": self.to,
            "Subject": self.subject,
            "Message-ID": self.message_id,
            "In-Reply-To": self.in_reply_to,
            "References": self.in_reply_to,
            "Date": "Mon, 30 Nov 2026 10:20:00 +0100",
            "MIME-Version": "1.0",
            "Content-Type": self.content_type,
            "Content-Transfer-Encoding": self.encoding,
        } | self.more
        head = "".join(f"{name}: {value}\r\n" for name, value in headers.items() if value)
        return head.encode("utf-8") + b"\r\n" + self.body


def reply(mail: EmailMessage, words: str, program: str = "gmail", **bent: object) -> Reply:
    """The answer to a mail of ours, from whom it was sent to, as this program writes it."""
    made = Reply(
        to=str(mail["Reply-To"] or mail["From"]),
        sender=str(mail["To"]),
        in_reply_to=str(mail["Message-ID"]),
        subject=f"Re: {mail['Subject']}".encode("ascii", "ignore").decode(),
        body=b"",
    )
    PROGRAMS[program](made, words, text_of(mail))
    for name, value in bent.items():
        setattr(made, name, value)
    return made


def _quoted(text: str) -> str:
    return "\n".join(f"> {line}".rstrip() for line in text.split("\n"))


def _plain(text: str) -> bytes:
    return text.replace("\n", "\r\n").encode()


def _gmail(made: Reply, words: str, older: str) -> None:
    plain = f"{words}\n\nOn Mon, Nov 30, 2026 at 10:15 AM Estafette <{made.to}>\nwrote:\n\n{_quoted(older)}\n"
    rich = (
        f'<div dir="ltr">{escape(words)}</div><br><div class="gmail_quote gmail_quote_container"><div dir="ltr" '
        f'class="gmail_attr">On Mon, Nov 30, 2026 at 10:15 AM Estafette &lt;{made.to}&gt; wrote:<br></div>'
        f'<blockquote class="gmail_quote">{escape(older)}</blockquote></div>'
    )
    made.content_type = 'multipart/alternative; boundary="0000"'
    made.encoding = ""
    made.body = _alternative(plain, rich)


def _alternative(plain: str, rich: str) -> bytes:
    parts = [("text/plain", plain), ("text/html", rich)]
    lines = []
    for kind, text in parts:
        head = f'--0000\r\nContent-Type: {kind}; charset="UTF-8"\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n'
        lines.append(head.encode() + quopri.encodestring(text.encode()).replace(b"\n", b"\r\n"))
    return b"\r\n".join([*lines, b"--0000--\r\n"])


def _outlook_de(made: Reply, words: str, older: str) -> None:
    """HTML alone, the older mail below a line and a block of headers."""
    lines = "".join(f"<p>{escape(line)}</p>" for line in words.split("\n"))
    rich = (
        f'<html><body lang="DE"><div class="WordSection1">{lines}<div style="border:none;border-top:solid #E1E1E1">'
        f"<p><b>Von:</b> Estafette &lt;{made.to}&gt;<br><b>Gesendet:</b> Montag, 30. November 2026 10:15<br>"
        f"<b>An:</b> Ann<br><b>Betreff:</b> Ihr Zug</p></div><p>{escape(older)}</p></div></body></html>"
    )
    made.content_type = 'text/html; charset="utf-8"'
    made.encoding = "base64"
    made.body = base64.encodebytes(rich.encode()).replace(b"\n", b"\r\n")


def _apple_nl(made: Reply, words: str, older: str) -> None:
    announced = f"> Op 30 nov. 2026 om 10:15 heeft Estafette <{made.to}> het volgende geschreven:\n>\n"
    written = f"{words}\n\nVerstuurd vanaf mijn iPhone\n\n{announced}"
    made.body = _plain(written + _quoted(older))


def _thunderbird_fr(made: Reply, words: str, older: str) -> None:
    """Below the quote, as some people answer."""
    made.content_type = "text/plain; charset=UTF-8; format=flowed"
    made.body = _plain(f"Le 30/11/2026 à 10:15, Estafette a écrit :\n{_quoted(older)}\n\n{words}\n")


def _mutt(made: Reply, words: str, older: str) -> None:
    made.body = _plain(
        f"{words}\n\nOn Mon, Nov 30, 2026 at 10:15:00AM +0100, Estafette wrote:\n{_quoted(older)}\n\n-- \nAnn\n"
    )


def _phone(made: Reply, words: str, _older: str) -> None:
    """A capital at the head, a full stop at the end, nothing quoted."""
    made.body = _plain(f"{words[:1].upper()}{words[1:]}.\n\nSent from my phone\n")


PROGRAMS: dict[str, Callable[[Reply, str, str], None]] = {
    "gmail": _gmail,
    "outlook_de": _outlook_de,
    "apple_nl": _apple_nl,
    "thunderbird_fr": _thunderbird_fr,
    "mutt": _mutt,
    "phone": _phone,
}

__all__ = ["PROGRAMS", "Reply", "address_of", "reply"]

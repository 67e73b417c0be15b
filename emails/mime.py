"""A finished mail: headers, text, HTML and pictures, as the bytes that leave."""

import base64
import binascii
import hashlib
import re
import unicodedata
from dataclasses import dataclass
from datetime import datetime
from email import policy
from email.header import Header
from email.headerregistry import BaseHeader, HeaderRegistry
from email.policy import Policy
from email.utils import format_datetime
from functools import lru_cache
from typing import Any, ClassVar, Final, Literal

from emails.language import gettext as _

CRLF = "\r\n"
FOLDED = 78
"""Where a header line is folded, if it has white space there (RFC 5322 2.1.1)."""

SUBJECT_MOST = 200
NAME_MOST = 64
TOKEN_MOST = 900
"""A token cannot be folded, so it has to fit into a line of 998 together with the header's name."""

SIGNED = (
    *("From", "Sender", "To", "Cc", "Reply-To", "Subject", "Date", "Message-ID", "In-Reply-To", "References"),
    *("MIME-Version", "Content-Type", "Content-Transfer-Encoding", "Content-Disposition"),
    *("List-Id", "List-Unsubscribe", "List-Unsubscribe-Post", "List-Help", "List-Subscribe", "List-Post"),
    *("List-Owner", "List-Archive", "Auto-Submitted", "Feedback-ID", "Disposition-Notification-To"),
)
"""What a mail program shows or acts on: signed once more than it occurs, so that none can be added."""


LONGEST_ADDRESS: Final = 254


class AddressError(ValueError):
    """An address that no mail can be sent to. The sentence does not repeat the address."""


@dataclass(frozen=True, slots=True)
class Address:
    """Somebody a mail is from or to; the name is as its owner typed it."""

    name: str
    address: str


@dataclass(frozen=True, slots=True)
class Unsubscribe:
    """Where "unsubscribe" leads: a page that takes a one-click POST (RFC 8058), and an address."""

    url: str
    mailto: str = ""


@dataclass(frozen=True, slots=True)
class Picture:
    """A PNG that the HTML shows as `cid:<cid>`."""

    cid: str
    png: bytes


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Mail:
    """Everything a mail is made from. There is one recipient, and nothing to name a second one with.

    `message_id`, `in_reply_to` and `references` have their angle brackets; `envelope_from` is the
    address with the bounce token, which the transport uses and the mail itself does not show.
    """

    kind: str
    to: Address
    sender: Address
    envelope_from: str
    subject: str
    text: str
    message_id: str
    date: datetime
    html: str = ""
    pictures: tuple[Picture, ...] = ()
    game: str = ""
    reply_to: str = ""
    in_reply_to: str = ""
    references: tuple[str, ...] = ()
    list_id: str = ""
    unsubscribe: Unsubscribe | None = None
    auto_submitted: Literal["auto-generated", "auto-replied"] = "auto-generated"

    def __repr__(self) -> str:
        """Fit for a log: no address, no text, no token."""
        return f"<Mail {self.kind} {self.message_id}>"


def compose(mail: Mail) -> bytes:
    """The mail as it leaves: 7bit, CRLF, the same bytes each time. Raises ValueError for what cannot be sent."""
    headers = [*_who_and_what(mail), *_thread(mail), *_list(mail), *_machine(mail), ("MIME-Version", "1.0")]
    head = "".join(header_line(name, value) for name, value in headers)
    return head.encode("ascii") + _body(mail)


def header_line(name: str, value: str) -> str:
    """One header, folded and ended, in ASCII."""
    line: str = POLICY.fold(*POLICY.header_store_parse(name, value))
    return line


def message_id(left: str, sender: str) -> str:
    """`<left@domain of the sender>`; a machine's own name, such as localhost, never gets in."""
    domain = mail_address(sender).partition("@")[2]
    if "." not in domain:
        domain += ".invalid"
    made = f"<{left}@{domain}>"
    if not _MESSAGE_ID.fullmatch(made):
        raise ValueError("The left side of a Message-ID is letters, digits, full stops and hyphens.")
    return made


def one_line(text: str, most: int) -> str:
    """What somebody typed, fit for a header: one line, no control or direction characters, at most so long."""
    text = _decode_words(text[: 10 * most])
    text = " ".join(_UNSEEN.sub("", _CONTROL.sub(" ", text)).split())
    return text if len(text) <= most else text[: most - 1].rstrip() + "…"


def mail_address(address: str) -> str:
    """The address as SMTP and headers take it, with an international domain in its ASCII form."""
    local, at, domain = address.strip().rpartition("@")
    if not domain.isascii():  # as `email_key` tells people apart: nobody gets the mail of whom they are taken for
        domain = unicodedata.normalize("NFKC", domain).casefold()
    try:
        domain = domain.encode("idna").decode("ascii")
    except UnicodeError:
        domain = ""
    if not at or not _LOCAL.fullmatch(local) or not _DOMAIN.fullmatch(domain) or len(domain) > 253:
        raise AddressError(
            _(
                "This is not an address that mail can be sent to. It takes one @, before it unaccented letters, "
                "digits or signs without spaces, and after it the name of a mail domain."
            )
        )
    if len(local) + 1 + len(domain) > LONGEST_ADDRESS:
        raise AddressError(_("This is too long for a mail address."))
    return f"{local}@{domain}"


def sign(raw: bytes, key: bytes, selector: str, domain: str) -> bytes:
    """The mail with a DKIM signature (rsa-sha256) in front; `key` is PEM. Raises ValueError for a key that is none."""
    import dkim  # brings a DNS library along, which only those who sign should load

    present = [line.partition(b":")[0].lower() for line in _unfolded_head(raw)]
    names = [name.lower().encode() for name in SIGNED]
    try:
        signature: bytes = dkim.sign(
            raw,
            selector.encode("ascii"),
            domain.encode("idna"),
            key.replace(b"\r\n", b"\n"),
            canonicalize=(b"relaxed", b"relaxed"),
            include_headers=[name for name in names for _ in range(present.count(name) + 1)],
        )
    except dkim.KeyFormatError as error:
        raise ValueError("The DKIM key cannot be read. It is an RSA private key in PEM form.") from error
    return signature + raw


# Headers. The policies of the standard library encode long tokens and trip over quoted names, so the classes
# here say how each header is folded: tokens at white space only, text and names as encoded words where needed.


class TokenHeader(BaseHeader):
    """A header of bare tokens: folded at white space only, never encoded."""

    max_count: ClassVar[Literal[1] | None] = 1

    @classmethod
    def parse(cls, value: str, kwds: dict[str, Any]) -> None:
        if not _TOKENS.fullmatch(value) or max(map(len, value.split(" "))) > TOKEN_MOST:
            raise ValueError(
                f"This header takes printable ASCII with single spaces, and words of at most {TOKEN_MOST} letters."
            )
        kwds["decoded"] = value
        kwds["parse_tree"] = None

    def fold(self, *, policy: Policy) -> str:
        return _fold_words(f"{self.name}: {self}")


class TextHeader(BaseHeader):
    """A header for people: as it stands if it is ASCII, else as encoded words."""

    max_count: ClassVar[Literal[1] | None] = 1

    @classmethod
    def parse(cls, value: str, kwds: dict[str, Any]) -> None:
        if value != one_line(value, max(len(value), 1)):
            raise ValueError("This header takes one line without control characters.")
        kwds["decoded"] = value
        kwds["parse_tree"] = None

    def fold(self, *, policy: Policy) -> str:
        if _is_plain(self):
            return _fold_words(f"{self.name}: {self}")
        return f"{self.name}: {_encoded_words(self, len(self.name) + 2)}{CRLF}"


class AddressHeader(TextHeader):
    """One `name <address>`, or the address alone."""

    def fold(self, *, policy: Policy) -> str:
        name, _, address = self.rpartition(" ")
        if not name:
            return f"{self.name}: {address}{CRLF}"
        phrase = _phrase(name, len(self.name) + 2)
        start = f"{self.name}: {phrase}"
        fits = len(start.rpartition(CRLF)[2]) + 1 + len(address) <= FOLDED
        return f"{start}{' ' if fits else CRLF + ' '}{address}{CRLF}"


def _registry() -> HeaderRegistry:
    registry = HeaderRegistry(
        default_class=TokenHeader,  # type: ignore[arg-type]  # a value_parser is only for the library's own classes
        use_default_map=False,
    )
    registry.map_to_type("subject", TextHeader)
    for name in ("from", "to", "reply-to"):
        registry.map_to_type(name, AddressHeader)
    return registry


POLICY = policy.SMTP.clone(header_factory=_registry(), cte_type="7bit")

_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029]")
_UNSEEN = re.compile(  # direction marks and overrides, zero-width characters, halves of pairs, no characters
    "[\u061c\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff\ud800-\udfff\ufffe\uffff]"
)
_ENCODED_WORD = re.compile(r"=\?[^?]*\?([bBqQ])\?([^?]*)\?=")
_TOKENS = re.compile(r"[!-~]+(?: [!-~]+)*")
_ATOMS = re.compile(r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?: [A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*")
_LOCAL = re.compile(r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~.-]{1,64}")
_DOMAIN = re.compile(r"[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63})*")
_MESSAGE_ID = re.compile(r"<[!-;=?A-~]{1,200}@[!-;=?A-~]{1,253}>")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
_CID = re.compile(r"[A-Za-z0-9._-]{1,60}(?:@[A-Za-z0-9.-]{1,60})?")
_URI = re.compile(r"[!-;=?-~]{1,880}")
_TRAILING = re.compile(r"(?<!\n--)[ \t]+(?=\n)")  # b2a_qp makes lines of 77 from it; "-- " starts a signature
_LINE_END = re.compile("\r\n?|[\x0b\x0c\x85\u2028\u2029]")
_NOT_IN_TEXT = re.compile("[\x00-\x08\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")


def _fold_words(line: str) -> str:
    name, first, *words = line.split(" ")
    lines = [f"{name} {first}"]  # a line with nothing but the header's name puzzles some programs
    for word in words:
        if len(lines[-1]) + 1 + len(word) <= FOLDED:
            lines[-1] += f" {word}"
        else:
            lines.append(f" {word}")
    return CRLF.join(lines) + CRLF


def _is_plain(text: str) -> bool:
    return text.isascii() and "=?" not in text


@lru_cache(maxsize=4096)  # of each match all mails have one subject
def _encoded_words(text: str, column: int) -> str:
    return Header(text, "utf-8", maxlinelen=76, header_name="x" * (column - 2)).encode(linesep=CRLF)


def _phrase(name: str, column: int) -> str:
    if not _is_plain(name):
        return _encoded_words(name, column)
    if _ATOMS.fullmatch(name):
        return name
    escaped = name.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _decode_words(text: str) -> str:
    """Encoded words that somebody typed, decoded until none is left: only so can what they hide be refused."""
    for _again in range(len(text)):
        plain = _ENCODED_WORD.sub(_decode_word, text)
        if plain == text:
            break
        text = plain
    return text


def _decode_word(word: re.Match[str]) -> str:
    payload = word[2].encode("utf-8", "replace")
    try:
        decoded = binascii.a2b_base64(payload) if word[1] in "bB" else binascii.a2b_qp(payload, header=True)
    except binascii.Error:
        return ""
    return decoded.decode("utf-8", "replace")


def _who_and_what(mail: Mail) -> list[tuple[str, str]]:
    headers = [("From", _named(mail.sender)), ("To", _named(mail.to))]
    if mail.reply_to:
        headers.append(("Reply-To", mail_address(mail.reply_to)))
    if mail.date.tzinfo is None:
        raise ValueError("The date of a mail needs its time zone.")
    subject = one_line(mail.subject, SUBJECT_MOST)
    if not subject:
        raise ValueError("A mail needs a subject.")
    return [*headers, ("Subject", subject), ("Date", format_datetime(mail.date))]


def _named(party: Address) -> str:
    name = one_line(party.name, NAME_MOST)
    address = mail_address(party.address)
    return f"{name} <{address}>" if name else address


def _thread(mail: Mail) -> list[tuple[str, str]]:
    """Message-ID and what it answers. A foreign mail's id may be anything: what is none is left out."""
    if not _MESSAGE_ID.fullmatch(mail.message_id):
        raise ValueError("A Message-ID reads <left@right>, in printable ASCII without spaces.")
    headers = [("Message-ID", mail.message_id)]
    references = list(filter(_MESSAGE_ID.fullmatch, mail.references))
    answered = mail.in_reply_to if _MESSAGE_ID.fullmatch(mail.in_reply_to) else "".join(references[-1:])
    if answered:
        headers += [("In-Reply-To", answered), ("References", " ".join(references or [answered]))]
    return headers


def _list(mail: Mail) -> list[tuple[str, str]]:
    headers = []
    if mail.list_id:
        headers.append(("List-Id", f"<{_checked(_DOMAIN, mail.list_id, 'A list id')}>"))
    if mail.unsubscribe:
        url, mailto = mail.unsubscribe.url, mail.unsubscribe.mailto
        ways = [_checked(_URI, way, "A way to unsubscribe") for way in (url, mailto) if way]
        headers.append(("List-Unsubscribe", ", ".join(f"<{way}>" for way in ways)))
        if url.startswith("https:"):
            headers.append(("List-Unsubscribe-Post", "List-Unsubscribe=One-Click"))
    return headers


def _machine(mail: Mail) -> list[tuple[str, str]]:
    kind = _checked(_NAME, mail.kind, "A kind of mail")
    headers = [
        ("Auto-Submitted", mail.auto_submitted),
        ("X-Auto-Response-Suppress", "OOF, AutoReply"),
        ("Feedback-ID", f"{kind}:estafette"),
        ("X-Estafette-Kind", kind),
    ]
    if mail.game:
        headers.append(("X-Estafette-Game", _checked(_NAME, mail.game, "The id of a game")))
    return headers


def _checked(pattern: re.Pattern[str], value: str, what: str) -> str:
    if not pattern.fullmatch(value):
        raise ValueError(f"{what} is made of letters, digits and signs, without spaces and not too long.")
    return value


# Parts. `email.message` takes 5 to 7 ms for a letter of 25 kB, `binascii` a tenth of that.


def _body(mail: Mail) -> bytes:
    if not mail.text.strip():
        raise ValueError("A mail needs its text part.")
    text = _text_part("plain", mail.text)
    if not mail.html:
        return text
    page = _text_part("html", mail.html)
    if mail.pictures:
        pictures = [_picture_part(picture) for picture in mail.pictures]
        page = _multipart('related; type="text/html"', [page, *pictures], _boundary(mail, "related"))
    return _multipart("alternative", [text, page], _boundary(mail, "alternative"))


def _text_part(subtype: str, text: str) -> bytes:
    text = _NOT_IN_TEXT.sub("", _LINE_END.sub("\n", text)).rstrip("\n") + "\n"
    if " \n" in text or "\t\n" in text:
        text = _TRAILING.sub("", text)
    octets = text.replace("\n", CRLF).encode("utf-8")
    if 3 * (len(octets) - len(text)) > 2 * len(text):
        encoding, body = "base64", _base64(octets)
    else:
        encoding, body = "quoted-printable", binascii.b2a_qp(octets, istext=True)
    head = f'Content-Type: text/{subtype}; charset="utf-8"{CRLF}Content-Transfer-Encoding: {encoding}{CRLF}{CRLF}'
    return head.encode("ascii") + body


def _picture_part(picture: Picture) -> bytes:
    cid = _checked(_CID, picture.cid, "The cid of a picture")
    head = CRLF.join(
        (
            "Content-Type: image/png",
            "Content-Transfer-Encoding: base64",
            f"Content-ID: <{cid}>",
            f'Content-Disposition: inline; filename="{cid.partition("@")[0]}.png"',
            CRLF,
        )
    )
    return head.encode("ascii") + _base64(picture.png)


def _base64(octets: bytes) -> bytes:
    return base64.encodebytes(octets).replace(b"\n", b"\r\n")


def _multipart(subtype: str, parts: list[bytes], boundary: str) -> bytes:
    head = f'Content-Type: multipart/{subtype};{CRLF} boundary="{boundary}"{CRLF}'
    between = f"{CRLF}--{boundary}{CRLF}".encode("ascii")
    end = f"{CRLF}--{boundary}--{CRLF}".encode("ascii")
    return head.encode("ascii") + between + between.join(parts) + end


def _boundary(mail: Mail, part: str) -> str:
    """The same on every retry; `=_` can stand in no encoded body."""
    return "=_" + hashlib.sha256(f"{part} {mail.message_id}".encode()).hexdigest()[:24]


def _unfolded_head(raw: bytes) -> list[bytes]:
    head = raw.partition(b"\r\n\r\n")[0]
    return re.sub(rb"\r\n[ \t]", b" ", head).split(b"\r\n")

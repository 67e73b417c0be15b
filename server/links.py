"""Signed links and addresses: one purpose each, short enough for one line of a mail, read in any case.

A token is its fields and 100 bits of signature, in small letters, digits and hyphens: `k7f3qx-2-e-1` and twenty more.
Whether what it names is still open is for the caller to compare; each class says with what.
"""

import base64
import hashlib
import hmac
import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import ClassVar, TypeVar

from itsdangerous import BadSignature, Signer
from itsdangerous.signer import SigningAlgorithm

from emails.language import marked

_SIGNATURE_LENGTH = 20  # letters of 5 bits
_SIGNATURE_BYTES = 15  # of which these letters are made
_LONGEST = 128
_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
_FIELD = re.compile(r"[a-z0-9]+")
_AROUND = re.compile(r"\A[^a-z0-9]+|[^a-z0-9]+\Z")
_NONE_OF_OURS = marked(
    "This link is not complete, or not one of ours any more. Open it from the mail once more, or ask for a fresh one."
)
_TOO_LATE = marked("This sign-in link was for a short time only. Ask for a fresh one.")


class BadLink(Exception):
    """Says that the token is no good and what to do; never how close it was."""


@dataclass(frozen=True)
class _Link:
    purpose: ClassVar[str]


@dataclass(frozen=True)
class MoveLink(_Link):
    """To one open decision; over when the seat's `asked` or `tenure` is another."""

    purpose = "move"
    match: str
    seat: int
    asked: int
    tenure: int


@dataclass(frozen=True)
class SeenLink(_Link):
    """Beside a MoveLink, for the minutes after a move: its result from this question on, in the player's own eyes."""

    purpose = "seen"
    match: str
    seat: int
    asked: int
    tenure: int
    question: int
    until: int  # minutes since 1970


@dataclass(frozen=True)
class TogetherLink(_Link):
    """To what the players of a match decide together, as one of them; over when the seat's `tenure` is another."""

    purpose = "together"
    match: str
    seat: int
    tenure: int


@dataclass(frozen=True)
class JoinLink(_Link):
    """To an invitation; over when the seat's `tenure` is another."""

    purpose = "join"
    match: str
    seat: int
    tenure: int


@dataclass(frozen=True)
class OfferLink(_Link):
    """To a seat of a match that goes on; over when it is offered to somebody else, its `tenure` is another, or the
    player's `links_epoch`."""

    purpose = "offer"
    match: str
    seat: int
    tenure: int
    player: str
    epoch: int


@dataclass(frozen=True)
class OpenLink(_Link):
    """To the free seats of a match that has not begun, to be passed on; over when the match's `round` is another."""

    purpose = "open"
    match: str
    round: int


@dataclass(frozen=True)
class LoginLink(_Link):
    """To sign in once; over when the player's `logins` is another, or its time has come."""

    purpose = "login"
    player: str
    logins: int
    until: int  # minutes since 1970


@dataclass(frozen=True)
class UnsubscribeLink(_Link):
    """To mute one match (its id), "reminders", or "all" that is not essential; never over."""

    purpose = "unsubscribe"
    player: str
    scope: str


@dataclass(frozen=True)
class FeedLink(_Link):
    """To what waits for a person, for their programs to read; over when the player's `links_epoch` is another."""

    purpose = "feed"
    player: str
    epoch: int


@dataclass(frozen=True)
class ReplyAddress(_Link):
    """Where a reply with a move goes; over as a MoveLink is."""

    purpose = "reply"
    match: str
    seat: int
    asked: int
    tenure: int


@dataclass(frozen=True)
class BounceAddress(_Link):
    """The envelope's sender, to which a mail server returns the letter."""

    purpose = "bounce"
    letter: str


_Some = TypeVar("_Some", bound=_Link)
_ADDRESSES: dict[str, type[_Link]] = {"r": ReplyAddress, "b": BounceAddress, "u": UnsubscribeLink}


class Links:
    """Makes and reads them. Every address on the web begins with the configured one, never with a request's."""

    def __init__(self, keys: Sequence[str], public_url: str) -> None:
        """The newest key first: it signs, and all of them verify."""
        self._public_url = public_url.rstrip("/")
        self._signers = {
            kind.purpose: _ShortSigner(list(reversed(keys)), salt=f"estafette {kind.purpose}")
            for kind in (
                *(MoveLink, SeenLink, TogetherLink, JoinLink, OfferLink, OpenLink),
                *(FeedLink, LoginLink, UnsubscribeLink, ReplyAddress, BounceAddress),
            )
        }

    def url(self, path: str = "") -> str:
        """A page that needs no token: `url("g/k7f3qx")`."""
        return f"{self._public_url}/{path}"

    def move_url(self, link: MoveLink) -> str:
        return self.url(f"m/{self._token(link)}")

    def together_url(self, link: TogetherLink) -> str:
        return self.url(f"t/{self._token(link)}")

    def read_together(self, token: str) -> TogetherLink:
        return self._read(TogetherLink, token)

    def join_url(self, link: JoinLink | OfferLink | OpenLink) -> str:
        return self.url(f"join/{self._token(link)}")

    def login_url(self, player: str, logins: int, until: datetime) -> str:
        return self.url(f"login/{self._token(LoginLink(player, logins, int(until.timestamp()) // 60))}")

    def feed_url(self, link: FeedLink) -> str:
        return self.url(f"feed/{self._token(link)}")

    def read_feed(self, token: str) -> FeedLink:
        return self._read(FeedLink, token)

    def unsubscribe_url(self, link: UnsubscribeLink) -> str:
        return self.url(f"unsubscribe/{self._token(link)}")

    def read_move(self, token: str) -> MoveLink:
        return self._read(MoveLink, token)

    def seen_token(self, link: MoveLink, question: int, until: datetime) -> str:
        minutes = int(until.timestamp()) // 60
        return self._token(SeenLink(link.match, link.seat, link.asked, link.tenure, question, minutes))

    def read_seen(self, token: str, beside: MoveLink, now: datetime) -> SeenLink | None:
        """None if its time is over, or if it is none of this move link's."""
        try:
            link = self._read(SeenLink, token)
        except BadLink:
            return None
        same = (link.match, link.seat, link.asked, link.tenure) == (
            beside.match, beside.seat, beside.asked, beside.tenure
        )  # fmt: skip
        return link if same and now.timestamp() < link.until * 60 else None

    def read_join(self, token: str) -> JoinLink | OfferLink | OpenLink:
        kinds: tuple[type[JoinLink | OfferLink | OpenLink], ...] = (JoinLink, OfferLink)
        for kind in kinds:
            with suppress(BadLink):
                return self._read(kind, token)
        return self._read(OpenLink, token)

    def read_login(self, token: str, now: datetime) -> LoginLink:
        link = self._read(LoginLink, token)
        if now.timestamp() >= link.until * 60:
            raise BadLink(_TOO_LATE)
        return link

    def read_unsubscribe(self, token: str) -> UnsubscribeLink:
        return self._read(UnsubscribeLink, token)

    def local_part(self, link: ReplyAddress | BounceAddress | UnsubscribeLink) -> str:
        """What stands before the @ of the address: `r-…`, `b-…` or `u-…`."""
        letter = next(letter for letter, kind in _ADDRESSES.items() if kind is type(link))
        return f"{letter}-{self._token(link)}"

    def read_local_part(self, local: str) -> ReplyAddress | BounceAddress | UnsubscribeLink:
        letter, _, token = _plain(local).partition("-")
        link = self._read(_ADDRESSES.get(letter, ReplyAddress), token)
        assert isinstance(link, ReplyAddress | BounceAddress | UnsubscribeLink)
        return link

    def _token(self, link: _Link) -> str:
        payload = "-".join([_write(value) for value in vars(link).values()])
        return self._signers[link.purpose].sign(payload).decode("ascii")

    def _read(self, kind: type[_Some], token: str) -> _Some:
        try:
            payload = self._signers[kind.purpose].unsign(_plain(token)).decode("ascii")
        except BadSignature:
            raise BadLink(_NONE_OF_OURS) from None
        values = zip(kind.__annotations__.values(), payload.split("-"), strict=True)
        return kind(*[int(text, 36) if of is int else text for of, text in values])


def fingerprint(token: str) -> str:
    """What a log may say of a token: enough to find lines about the same one, of no use to open anything."""
    return hashlib.sha256(token.encode()).hexdigest()[:8]


class _ShortHmac(SigningAlgorithm):
    def get_signature(self, key: bytes, value: bytes) -> bytes:
        signed = _hmac_of(key).copy()
        signed.update(value)
        return base64.b32encode(signed.digest()[:_SIGNATURE_BYTES]).lower()[:_SIGNATURE_LENGTH]


@cache
def _hmac_of(key: bytes) -> hmac.HMAC:
    """Of nothing yet: to take in a key costs more than to sign a link with it."""
    return hmac.new(key, digestmod="sha256")


class _ShortSigner(Signer):
    """itsdangerous' Signer, with a signature of fixed length right behind what it signs."""

    default_digest_method = staticmethod(hashlib.sha256)
    default_key_derivation = "hmac"

    def __init__(self, keys: list[str], salt: str) -> None:
        super().__init__(keys, salt=salt, algorithm=_ShortHmac())
        self._derived = [self.derive_key(key) for key in reversed(self.secret_keys)]  # once, the newest first

    def get_signature(self, value: str | bytes) -> bytes:
        return self.algorithm.get_signature(self._derived[0], _bytes(value))

    def verify_signature(self, value: str | bytes, sig: str | bytes) -> bool:
        said, signature = _bytes(value), _bytes(sig)
        return any(self.algorithm.verify_signature(key, said, signature) for key in self._derived)

    def sign(self, value: str | bytes) -> bytes:
        return _bytes(value) + self.get_signature(value)

    def unsign(self, signed_value: str | bytes) -> bytes:
        signed = _bytes(signed_value)
        value, signature = signed[:-_SIGNATURE_LENGTH], signed[-_SIGNATURE_LENGTH:]
        if not self.verify_signature(value, signature):
            raise BadSignature("no key fits")
        return value


def _bytes(value: str | bytes) -> bytes:
    return value.encode("ascii") if isinstance(value, str) else value


def _write(value: str | int) -> str:
    if isinstance(value, int):
        return _base36(value)
    if not _FIELD.fullmatch(value):
        raise ValueError(f"{value!r} cannot stand in a link: small letters and digits only.")
    return value


def _base36(number: int) -> str:
    if number < 0:
        raise ValueError(f"{number} cannot stand in a link: zero or more.")
    text = ""
    while True:
        number, digit = divmod(number, 36)
        text = _DIGITS[digit] + text
        if number == 0:
            return text


def _plain(token: str) -> str:
    """As we wrote it: mail programs add brackets and full stops, people type capitals."""
    if len(token) > _LONGEST or not token.isascii():
        raise BadLink(_NONE_OF_OURS)
    return _AROUND.sub("", token.lower())

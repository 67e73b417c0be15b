"""Everything that reads what strangers write, as functions of bytes: they return, or refuse in the way they say.

python -m tests.fuzz.readers mail -max_total_time=60     # coverage-guided, with atheris
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from functools import cache
from pathlib import Path

from emails import inbox
from server.links import BadLink, JoinLink, Links, MoveLink, SeenLink, TogetherLink, UnsubscribeLink
from server.pages import once
from server.rules.asking import Refused
from server.rules.playing import Play
from server.rules.record import RecordError, check, read_record, replay
from tests.emails.inbox_mails import a_status_report
from tests.rules.matches import CASES, played

RECORDS = Path(__file__).parents[1] / "records"
LINKS = Links(["k" * 40, "o" * 40], "https://play.example")
MOVE = MoveLink("k7f3qx", 2, 14, 1)


def text_of(raw: bytes) -> str:
    return raw.decode("utf-8", "surrogateescape")


def token(raw: bytes) -> None:
    """No token but one that was made by us is read, whatever is written around it."""
    text = text_of(raw)
    readers: list[Callable[[str], object]] = [
        *(LINKS.read_move, LINKS.read_together, LINKS.read_join, LINKS.read_unsubscribe, LINKS.read_local_part),
    ]
    for read in readers:
        try:
            link = read(text)
        except BadLink:
            continue
        assert link in TOKENS.values(), f"a forged token was read: {link}"
    form = once.read(text)
    assert form is None or str(form) == text


def _token_of(address: str) -> str:
    return address.rpartition("/")[2]


TOKENS = {
    _token_of(LINKS.move_url(MOVE)): MOVE,
    _token_of(LINKS.together_url(TogetherLink("k7f3qx", 2, 1))): TogetherLink("k7f3qx", 2, 1),
    _token_of(LINKS.join_url(JoinLink("k7f3qx", 2, 1))): JoinLink("k7f3qx", 2, 1),
    _token_of(LINKS.unsubscribe_url(UnsubscribeLink("abc", "all"))): UnsubscribeLink("abc", "all"),
}
assert SeenLink.purpose != MoveLink.purpose


@cache
def stopped() -> list[Play]:
    """A match of each game, in the middle."""
    names = {case.game.name: case for case in CASES}
    return [played(case, "fuzz", most=25) for case in names.values()]


def move(raw: bytes) -> None:
    """A line is one of the legal moves, or refused."""
    text = text_of(raw)
    for play in stopped():
        for seat in play.waiting_for():
            before = play.digest()
            try:
                meant = play.decision(seat).read(text)
            except Refused:
                meant = None
            assert meant is None or meant in play.decision(seat).answers()
            assert play.digest() == before


def record(raw: bytes) -> None:
    """A record is replayed or refused with a sentence; what holds, is made of legal moves."""
    try:
        told = read_record(raw)
        play = replay(told)
        assert play.version >= len(told.moves)
        check(told)
    except RecordError:
        pass


def mail(raw: bytes) -> None:
    """A mail is something, whatever it is."""
    told = inbox.read_mail(raw)
    assert told.kind in ("move", "person", "machine", "bounce", "complaint")
    assert told.why
    json.dumps(inbox.explain(raw))


READERS: dict[str, Callable[[bytes], None]] = {"token": token, "move": move, "record": record, "mail": mail}


def seeds(name: str) -> list[bytes]:
    """Something right, to begin with."""
    if name == "token":
        return [each.encode() for each in TOKENS]
    if name == "move":
        return [
            answer.encode()
            for play in stopped()
            for decision in play.question.values()
            for answer in decision.answers()[:5]
        ]
    if name == "record":
        return [file.read_bytes() for file in sorted(RECORDS.glob("regions-*.json"))]
    report = a_status_report("smtp; 550 5.1.1 No such user", status="5.1.1", to="b-x@play.example", message_id="<1@x>")
    return [report, REPLY, REPLY.replace(b"text/plain", b"text/html")]


REPLY = b"""From: Ann <ann@players.example>\r
To: r-k7f3qx@play.example\r
Subject: Re: your turn\r
Content-Type: text/plain; charset=utf-8\r
\r
take 1L\r
\r
On Mon, Nov 30, 2026 Estafette wrote:\r
> Your turn\r
"""


_TROUBLE = [b"\0", b"\r\n", b"\xff", b"=?utf-8?q?", b"--", b"<", b"9" * 30, b'"', b"[", b"{"]


def bent(raw: bytes, luck: random.Random) -> bytes:
    """Some octets changed, cut out, doubled or moved."""
    made = bytearray(raw)
    for _ in range(luck.randint(1, 6)):
        at, length = luck.randrange(len(made) + 1), luck.randint(1, 40)
        how = luck.randrange(5)
        if how == 0:
            made[at:at] = luck.randbytes(luck.randint(1, 4))
        elif how == 1:
            del made[at : at + length]
        elif how == 2:
            made[at:at] = made[at : at + length]
        elif how == 3 and at < len(made):
            made[at] ^= 1 << luck.randrange(8)
        else:
            made[at:at] = luck.choice(
                [b"\0", b"\r\n", b"\xff", b"=?utf-8?q?", b"--", b"<", b"9" * 30, b'"', b"[", b"{"]
            )
    return bytes(made)

"""Any bytes are read, none raise, and time and memory stay small."""

# ruff: noqa: E501  pieces of mails, however long

import time
import tracemalloc

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from emails.inbox import Incoming, explain, own_words, read_mail
from tests.emails.inbox_mails import a_mail, a_part, a_status_report

HEAD = b"From: ann@example.org\r\nTo: r-7k2m@play.example.net\r\nSubject: x\r\n"
LINES = [
    b"Content-Type: multipart/mixed; boundary=b\r\n", b"--b\r\n", b"--b--\r\n", b"\r\n", b"Content-Type: message/rfc822\r\n",
    b"Content-Type: message/delivery-status\r\n", b"Final-Recipient: rfc822;a@b.c\r\n", b"Action: failed\r\n", b"Status: 5.1.1\r\n",
    b"Content-Type: text/html; charset=\xff\r\n", b"Content-Transfer-Encoding: base64\r\n", b"From: \xe9 <\xff@\x00>\r\n",
    b"Subject: =?utf-8?b?////?= =?x?q?=\r\n", b"On 3/6/24 10:12, Ben wrote:\r\n", b"> quoted\r\n", b"<div><blockquote>", b"</p>", b"-- \r\n",
    b"Content-Type: multipart/report; report-type=feedback-report; boundary=b\r\n", b"Content-Type: message/feedback-report\r\n",
    b"take 1L\r\n", b" folded\r\n", b"no colon\r\n", b"\x00\x80\xff", b"<!-- ", b"=3D=", b"From MAILER-DAEMON Mon\n",
]  # fmt: skip


@given(st.binary(max_size=400))
def test_no_bytes_raise(raw: bytes) -> None:
    assert isinstance(read_mail(raw), Incoming)


@settings(max_examples=200, deadline=None)
@given(st.lists(st.sampled_from(LINES), max_size=40))
def test_no_order_of_a_mails_pieces_raises(lines: list[bytes]) -> None:
    raw = b"".join(lines)
    assert set(explain(raw)) == {"kind", "address", "status", "permanent", "text", "moves", "why"}
    assert not read_mail(raw).why.startswith("It could not be read")


TAGS = ["<script>", "</script", "<style", "</style>", "<!--", "-->", "<", ">", "<p>", "</p>", "<br>", "<blockquote>", "</blockquote>",
        "<div style='display:none'>", "<a b='", '"', "&amp;", "&#xD800;", "<td>", "</table>", "<!x", "<?", "</", "end", "\n"]  # fmt: skip


@given(st.lists(st.sampled_from(TAGS), max_size=40))
def test_no_soup_of_tags_raises_or_goes_round_for_ever(tags: list[str]) -> None:
    raw = a_mail("".join(tags), content_type="text/html")
    assert not read_mail(raw).why.startswith("It could not be read")


@given(st.text(max_size=300))
def test_a_persons_plain_line_is_never_made_longer(text: str) -> None:
    assert len(own_words(text)) <= len(text)


MISSHAPEN = {
    "nothing": b"",
    "one blank": b" ",
    "no body": HEAD,
    "no headers": b"\r\ntake 1L\r\n",
    "nul bytes": HEAD + b"\r\n\x00\x00take 1L\x00",
    "raw letters in headers": "Subject: één\r\nFrom: Änn <ann@example.org>\r\n\r\nend".encode("latin-1"),
    "a header without an end": b"Subject: " + b"x" * 300_000,
    "a stray line among headers": HEAD + b"this is no header\r\nX-A: b\r\n\r\nend\r\n",
    "carriage returns alone": HEAD.replace(b"\r\n", b"\r") + b"\rtake 1L\r",
    "a mailbox line on top": b"From ann@example.org Mon Jun  3 10:12:00 2024\n" + HEAD + b"\r\nend\r\n",
    "boundary never there": HEAD + b"Content-Type: multipart/mixed; boundary=zzz\r\n\r\ntake 1L\r\n",
    "boundary not named": HEAD + b"Content-Type: multipart/mixed\r\n\r\ntake 1L\r\n",
    "boundary of itself": HEAD + b"Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n\r\nend\r\n",
    "torn type": HEAD + b'Content-Type: text/plain; charset="utf-8\r\n\r\nend\r\n',
    "absurd charset": HEAD + b"Content-Type: text/plain; charset=\x00hex\r\n\r\nend\r\n",
    "hex as charset": HEAD + b"Content-Type: text/plain; charset=hex\r\n\r\nend\r\n",
    "broken base64": HEAD + b"Content-Transfer-Encoding: base64\r\n\r\n=====A\r\n",
    "broken encoded words": b"Subject: =?utf-8?b?a?= =?nosuch?q?=ZZ?=\r\nFrom: =?utf-8?q?a@b?=\r\n\r\nend\r\n",
    "mail in mail in mail": HEAD + b"Content-Type: message/rfc822\r\n\r\n" * 3_000,
}  # fmt: skip


@pytest.mark.parametrize("raw", MISSHAPEN.values(), ids=MISSHAPEN)
def test_misshapen_mail_is_read_as_far_as_it_goes(raw: bytes) -> None:
    mail = read_mail(raw)
    assert mail.kind in ("move", "person", "machine")
    assert not mail.why.startswith("It could not be read")


@pytest.mark.parametrize(
    "name", ["no headers", "nul bytes", "a stray line among headers", "carriage returns alone", "a mailbox line on top",
             "boundary never there", "boundary not named", "torn type", "hex as charset"],
)  # fmt: skip
def test_the_words_survive_the_misshape(name: str) -> None:
    assert read_mail(MISSHAPEN[name]).text in ("take 1L", "end")


def test_a_fault_of_ours_stops_no_other_mail(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> None:
        raise RecursionError

    monkeypatch.setattr("emails.inbox.incoming.complaints.read_complaint", broken)
    mail = read_mail(a_mail("secret words"))
    assert (mail.kind, mail.why, mail.text) == ("machine", "It could not be read (RecursionError).", "")


MEGABYTES = 50 * 1024 * 1024
PART = a_part("take 1L\r\n").encode()
HUGE = {
    "one long line": lambda: HEAD + b"\r\n" + b"x" * MEGABYTES,
    "many lines": lambda: HEAD + b"\r\n" + b"take 1L\r\n" * (MEGABYTES // 9),
    "only headers": lambda: b"X-A: b\r\n" * (MEGABYTES // 8),
    "a picture": lambda: HEAD + b"Content-Type: image/png\r\nContent-Transfer-Encoding: base64\r\n\r\n" + b"AAAA\r\n" * (MEGABYTES // 6),
    "ten thousand parts": lambda: HEAD + b"Content-Type: multipart/mixed; boundary=b\r\n\r\n" + (b"--b\r\n" + PART) * 10_000,
    "a million boundaries": lambda: HEAD + b"Content-Type: multipart/mixed; boundary=b\r\n\r\n" + b"--b\r\n" * 1_000_000,
    "nested parts": lambda: HEAD + b"".join(b"Content-Type: multipart/mixed; boundary=b%d\r\n\r\n--b%d\r\n" % (n, n) for n in range(10_000)),
    "tags": lambda: HEAD + b"Content-Type: text/html\r\n\r\n" + b"<div><p>a" * (MEGABYTES // 9),
    "tags without an end": lambda: HEAD + b"Content-Type: text/html\r\n\r\n" + b"<a b='" * (MEGABYTES // 6),
    "recipients": lambda: a_status_report("", more="\r\nFinal-Recipient: rfc822;a@b.c\r\nAction: failed\r\nStatus: 5.1.1\r\n" * 100_000),
    "refusals": lambda: b"From: mailer-daemon@x.org\r\nSubject: failure notice\r\n\r\n" + b"a@b.c: 550 user mailbox \n" * 1_000_000,
    "announcements": lambda: HEAD + b"\r\n" + b"On Mon 3 Jun 2024 10:12 Ann <a@b.c>\n" * 1_000_000,
}  # fmt: skip


@pytest.mark.parametrize("build", HUGE.values(), ids=HUGE)
def test_a_huge_mail_takes_little_time(build: object) -> None:
    assert callable(build)
    raw = build()
    start = time.process_time()
    read_mail(raw)
    assert time.process_time() - start < 5


def test_a_huge_mail_takes_little_memory() -> None:
    raw = HUGE["many lines"]()
    tracemalloc.start()
    read_mail(raw)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 20 * 1024 * 1024

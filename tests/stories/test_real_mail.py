"""Through Debian's Postfix and Dovecot: a match by replies over IMAP, a real bounce, and a mail server's faults."""

from __future__ import annotations

import email
import email.policy
import smtplib
import time
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from email.message import EmailMessage
from pathlib import Path

import pytest

from db import queries
from db.turns import DatabaseGone
from server.imap import ImapReader
from server.inbound import take_in
from server.service import Service
from tests.crashes.whole import what_is_wrong
from tests.emails.inbox_mails import a_mail
from tests.server.builders import a_match, a_service, letters, worker_of
from tests.stories.mail_programs import Reply
from tests.stories.mail_servers import OURS, Imap, dovecot, installed, postfix, smtp_sink
from tests.stories.test_replies import Correspondence

pytestmark = [
    pytest.mark.postfix,
    pytest.mark.skipif(
        not installed("postfix", "dovecot", "smtp-sink"),
        reason="Debian's postfix, dovecot-imapd and dovecot-lmtpd are not installed, or this is not root",
    ),
]

SETTINGS = {
    "ESTAFETTE_PUBLIC_URL": f"https://{OURS}",
    "ESTAFETTE_MAIL_FROM": f"games@{OURS}",
}


def until(what: Callable[[], bool], seconds: float = 60) -> None:
    deadline = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.05)


@pytest.fixture(scope="module")
def imap() -> Iterator[Imap]:
    with dovecot("estafette", "ann", "ben") as running:
        yield running


@pytest.fixture(scope="module")
def smtp(imap: Imap) -> Iterator[int]:
    with postfix(imap) as port:
        yield port


@pytest.fixture
def trusted(imap: Imap, monkeypatch: pytest.MonkeyPatch) -> None:
    """The test's own authority is one that this machine trusts."""
    monkeypatch.setenv("SSL_CERT_FILE", str(imap.authority.certificate))


@pytest.fixture
def service(database_url: str, tmp_path: Path, imap: Imap, smtp: int, trusted: None) -> Iterator[Service]:
    url = f"smtp+plain://127.0.0.1:{smtp}"
    service = a_service(database_url, tmp_path, ESTAFETTE_MAIL_URL=url, ESTAFETTE_INBOUND=imap.url(), **SETTINGS)
    yield service
    service.close()


@pytest.fixture
def reader(service: Service) -> Iterator[ImapReader]:
    assert service.settings.inbound is not None
    reader = ImapReader(service, service.settings.inbound)
    reader.start()
    yield reader
    reader.stop()


def received(service: Service) -> int:
    with service.store.reading() as session:
        return len(queries.inbound.newest(session, limit=10_000))


class ThroughPostfix(Correspondence):
    """The players' mails lie in Dovecot's mailboxes; what they answer goes the whole way."""

    imap: Imap
    read: dict[str, int]

    def run(self) -> None:
        worker = worker_of(self.service)
        self.read = {name: len(self.imap.inbox(name)) for name in ("ann", "ben")}
        for _ in range(500):
            worker.tick(self.now)
            self.now += timedelta(minutes=1)
            if self.service.matches.view(self.match_id, None).outcome is not None:
                return
            sent = received(self.service)
            answered = sum(self.answer(mail, "gmail") for mail in self.newest_mails())
            until(lambda sent=sent, answered=answered: received(self.service) >= sent + answered)  # type: ignore[misc]
        pytest.fail("the match never ended")

    def newest_mails(self) -> list[EmailMessage]:
        """Of each mailbox the newest mail that can be answered, once all that was sent has arrived."""
        out = len([letter for letter in letters(self.service) if letter.state == "sent"])
        until(lambda: sum(len(self.imap.inbox(name)) - self.read[name] for name in self.read) >= out)
        waiting = self.service.matches.view(self.match_id, None).waiting_for
        boxes = [self.imap.inbox(seat.name.casefold()) for seat in waiting]
        return [next(mail for raw in reversed(box) if (mail := _read(raw))["Reply-To"]) for box in boxes]


def _read(raw: bytes) -> EmailMessage:
    return email.message_from_bytes(raw, policy=email.policy.default)


@pytest.mark.slow
def test_a_match_is_played_by_replies_over_smtp_and_imap(
    service: Service, reader: ImapReader, imap: Imap, smtp: int, now: datetime
) -> None:
    def hand_over(mail: Reply) -> None:
        with smtplib.SMTP("127.0.0.1", smtp) as client:
            client.sendmail(mail.sender.partition("<")[2].rstrip(">"), [mail.to], mail.raw)

    match_id = a_match(service.matches, now, options={"short": True})
    story = ThroughPostfix(service, match_id, now, hand_over)
    story.imap = imap
    story.run()
    receipts = letters(service, kind="receipt")
    assert len(receipts) == story.replies
    assert all(letter.data.get("played") for letter in receipts)


def test_a_real_bounce_to_our_token_stops_the_mail(service: Service, reader: ImapReader, now: datetime) -> None:
    before = received(service)
    a_match(service.matches, now, people=("Nobody", "Ben"))
    worker_of(service).tick(now)
    until(lambda: received(service) >= before + 2)  # both mails come back
    worker_of(service).tick(now)
    with service.store.reading() as session:
        player = queries.players.by_address(session, "nobody@players.example")
    assert player is not None
    assert player.paused_at == now
    assert "5.1.1" in str(player.paused_why)
    assert {letter.state for letter in letters(service, player_id=player.id, kind="turn")} == {"failed"}


def test_a_mail_counts_as_seen_when_it_is_stored_and_not_before(
    service: Service, imap: Imap, smtp: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The database is away at first: the mail stays unseen, and is read when it is back."""
    away = [True]
    taken = []

    def take_in_if_there(*arguments: object, **more: object) -> int:
        if away[0]:
            taken.append("away")
            raise DatabaseGone
        return take_in(*arguments, **more)  # type: ignore[arg-type]

    monkeypatch.setattr("server.imap.take_in", take_in_if_there)
    seen = sum(imap.seen())
    before = received(service)
    send(smtp, a_mail("take 1L\r\n", message_id="<seen@players.example>"))
    until(lambda: len(imap.seen()) > seen)
    reader = ImapReader(service, imap.url())
    reader.start()
    until(lambda: bool(taken))
    assert sum(imap.seen()) == seen
    away[0] = False
    until(lambda: received(service) == before + 1)
    until(lambda: sum(imap.seen()) == seen + 1)
    reader.stop()


def send(port: int, raw: bytes) -> None:
    with smtplib.SMTP("127.0.0.1", port) as client:
        client.sendmail("ann@players.example", [f"r-7k2m9q@{OURS}"], raw)


def test_a_mail_of_eight_megabytes_is_put_aside_and_the_next_is_read(
    service: Service, reader: ImapReader, smtp: int
) -> None:
    before = received(service)
    send(smtp, a_mail("x" * 70 + "\r\n" + ("x" * 70 + "\r\n") * 115_000, message_id="<large@players.example>"))
    send(smtp, a_mail("hello\r\n", message_id="<small@players.example>"))
    until(lambda: received(service) == before + 2, seconds=60)
    with service.store.reading() as session:
        large = [each for each in queries.inbound.newest(session) if each.state == "quarantined"]
    assert len(large) == 1
    assert large[0].octets < 100_000


@pytest.mark.slow
def test_a_server_that_cannot_tell_us_is_looked_at(
    database_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with dovecot("estafette", tells=False) as imap:
        monkeypatch.setenv("SSL_CERT_FILE", str(imap.authority.certificate))
        service = a_service(database_url, tmp_path)
        reader = ImapReader(service, imap.url(), look_every=0.2)
        reader.start()
        for number in range(2):
            with smtplib.LMTP("127.0.0.1", imap.lmtp) as client:
                client.sendmail(
                    "a@b.example", ["estafette@players.example"], a_mail(message_id=f"<{number}@b.example>")
                )
            until(lambda number=number: received(service) == number + 1)  # type: ignore[misc]
        reader.stop()
        service.close()


@pytest.mark.slow
def test_after_a_connection_that_failed_the_reader_comes_back(
    database_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """The first try meets a server that it has no reason to trust."""
    with dovecot("estafette") as imap:
        service = a_service(database_url, tmp_path)
        reader = ImapReader(service, imap.url())
        reader.start()
        until(lambda: "the mailbox cannot be read now" in caplog.text)
        monkeypatch.setenv("SSL_CERT_FILE", str(imap.authority.certificate))
        with smtplib.LMTP("127.0.0.1", imap.lmtp) as client:
            client.sendmail("a@b.example", ["estafette@players.example"], a_mail())
        until(lambda: received(service) == 1)
        reader.stop()
        service.close()
    assert "opensesame" not in caplog.text


# The faults of Postfix's test server: its options, and what becomes of the letter

FAULTS = {
    "refuses the connection for now": (["-r", "connect"], "waiting"),
    "refuses the greeting for now": (["-r", "ehlo,helo"], "waiting"),
    "refuses the sender for now": (["-r", "mail"], "waiting"),
    "refuses the recipient for now": (["-r", "rcpt"], "waiting"),
    "refuses the data for now": (["-r", "data"], "waiting"),
    "refuses the mail for now": (["-r", "."], "waiting"),
    "refuses the connection for good": (["-f", "connect"], "waiting"),
    "refuses the sender for good": (["-f", "mail"], "waiting"),
    "refuses the recipient for good": (["-f", "rcpt"], "failed"),
    "hangs up at the sender": (["-q", "mail"], "waiting"),
    "hangs up at the recipient": (["-q", "rcpt"], "waiting"),
    "hangs up at the data": (["-q", "data"], "waiting"),
    "hangs up after the final dot": (["-q", "."], "unknown"),
    "answers after two seconds": (["-w", "2"], "sent"),
    "says 421 at the recipient": (["-Q", "rcpt"], "waiting"),
}


@pytest.mark.parametrize(("faults", "state"), FAULTS.values(), ids=FAULTS)
def test_case_B03_whatever_the_mail_server_does_the_letter_says_how_it_fared(
    database_url: str, tmp_path: Path, now: datetime, faults: list[str], state: str
) -> None:
    with smtp_sink(*faults) as port:
        service = a_service(database_url, tmp_path, ESTAFETTE_MAIL_URL=f"smtp+plain://127.0.0.1:{port}", **SETTINGS)
        match_id = a_match(service.matches, now)
        worker_of(service).tick(now)
        turn = letters(service, match_id=match_id, kind="turn")[0]
        assert turn.state == state
        assert any(letter.last_answer for letter in letters(service))
        with service.store.reading() as session:
            assert not queries.players.paused(session), "a vague refusal is no verdict on the address"
        unmailed = [f"seat 1 of {match_id} is asked, and has 0 turn letters"] if state == "failed" else []
        assert what_is_wrong(service) == unmailed
        service.close()


@pytest.mark.slow
def test_case_B03_after_a_lost_connection_the_mail_is_repeated_twice_under_one_message_id(
    database_url: str, tmp_path: Path, now: datetime
) -> None:
    with smtp_sink("-q", ".") as port:
        url = f"smtp+plain://127.0.0.1:{port}"
        service = a_service(database_url, tmp_path, ESTAFETTE_MAIL_URL=url, **SETTINGS)
        a_match(service.matches, now, pace="none")
        for hours in range(0, 30, 2):
            worker_of(service).tick(now + timedelta(hours=hours))
        turn = letters(service, kind="turn")[0]
        assert (turn.state, turn.unknown, turn.attempts) == ("failed", 3, 3)
        assert turn.message_id is not None
        service.close()

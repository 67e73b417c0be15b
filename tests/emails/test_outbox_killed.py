"""The outbox when its process is killed: no letter is lost, and a repeat has the same Message-ID."""

from __future__ import annotations

import multiprocessing
import os
import signal
from datetime import datetime, timedelta
from email import message_from_bytes
from multiprocessing.context import SpawnProcess
from typing import Any

import pytest
from aiosmtpd.smtp import SMTP, Envelope
from aiosmtpd.smtp import Session as SmtpSession

from db.engine import Store
from db.models import Letter
from emails.mime import Mail
from emails.outbox import LEASE, Delivered, deliver, post
from emails.transport import MailServer, SmtpTransport
from tests.emails.builders import a_mail
from tests.emails.servers import Postbox, a_mail_server

ADDRESSES = ("ann@example.org", "ben@example.org", "cat@example.org")


class KillingPostbox(Postbox):
    """Takes the second mail and kills its sender before the answer can get there."""

    sender: SpawnProcess | None = None

    async def handle_DATA(self, server: SMTP, session: SmtpSession, envelope: Envelope) -> str:
        answer = await super().handle_DATA(server, session, envelope)
        if len(self.got) == 2 and self.sender and self.sender.is_alive():
            self.sender.kill()
            self.sender.join()
        return answer


def send_all(database_url: str, port: int, now: datetime) -> None:
    store = Store(database_url)
    deliver(store, SmtpTransport(MailServer("plain", "127.0.0.1", port), ehlo="client.test"), a_mail, now)
    store.close()


def die_while_writing(database_url: str, port: int, now: datetime) -> None:
    def write(letter: Letter) -> Mail:
        os.kill(os.getpid(), signal.SIGKILL)
        raise AssertionError

    store = Store(database_url)
    deliver(store, SmtpTransport(MailServer("plain", "127.0.0.1", port), ehlo="client.test"), write, now)


@pytest.fixture
def posted(database_url, now) -> Store:
    store = Store(database_url)
    with store.writing() as session:
        for address in ADDRESSES:
            post(session, "turn", occasion=address, address=address, now=now)
    yield store
    store.close()


def a_process(target: Any, *arguments: Any) -> SpawnProcess:
    return multiprocessing.get_context("spawn").Process(target=target, args=arguments)


def got(postbox: Postbox) -> list[tuple[str, str]]:
    return [(rcpts[0], message_from_bytes(raw)["Message-ID"]) for _, rcpts, raw in postbox.got]


def test_case_B03_killed_between_acceptance_and_record_a_letter_is_repeated_once_at_most(posted, database_url, now):
    postbox = KillingPostbox()
    with a_mail_server(postbox) as port:
        postbox.sender = a_process(send_all, database_url, port, now)
        postbox.sender.start()
        postbox.sender.join(60)
        assert postbox.sender.exitcode == -signal.SIGKILL
        before = got(postbox)
        assert len(before) == 2
        transport = SmtpTransport(MailServer("plain", "127.0.0.1", port), ehlo="client.test")
        assert deliver(posted, transport, a_mail, now + timedelta(minutes=1)) == Delivered()
        assert deliver(posted, transport, a_mail, now + LEASE).sent == 2
        assert deliver(posted, transport, a_mail, now + timedelta(days=1)) == Delivered()
    repeated = before[1]
    after = got(postbox)
    assert sorted({address for address, _ in after}) == sorted(ADDRESSES)
    assert len(after) == 4
    assert after.count(repeated) == 2
    assert len(set(after)) == 3


def test_case_B03_killed_before_sending_a_letter_is_sent_once_after_the_restart(posted, database_url, now):
    postbox = Postbox()
    with a_mail_server(postbox) as port:
        process = a_process(die_while_writing, database_url, port, now)
        process.start()
        process.join(60)
        assert process.exitcode == -signal.SIGKILL
        assert postbox.got == []
        transport = SmtpTransport(MailServer("plain", "127.0.0.1", port), ehlo="client.test")
        assert deliver(posted, transport, a_mail, now + LEASE).sent == 3
    assert sorted(address for address, _ in got(postbox)) == sorted(ADDRESSES)

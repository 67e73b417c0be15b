"""The ways on which mail comes in: a mail server's pipe and LMTP. A mail is acknowledged when it is stored."""

from __future__ import annotations

import os
import smtplib
import socket
import subprocess
import sys
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

import pytest
from sqlmodel import select

from db.models import InboundMail
from db.turns import DatabaseGone
from server.lmtp import TAKEN_MOST, LmtpServer
from server.service import Service
from server.ways_in import NoWayIn, way_in
from tests.emails.inbox_mails import a_mail
from tests.server.builders import a_service

OURS = "r-7k2m9q@estafette.localhost"


def stored(service: Service) -> list[InboundMail]:
    with service.store.reading() as session:
        return list(session.exec(select(InboundMail).order_by(InboundMail.id)).all())  # type: ignore[arg-type]


# LMTP


@pytest.fixture
def lmtp(service: Service) -> Iterator[LmtpServer]:
    server = LmtpServer(service, "127.0.0.1", 0)
    server.start()
    yield server
    server.stop()


@pytest.fixture
def client(lmtp: LmtpServer) -> Iterator[smtplib.LMTP]:
    with smtplib.LMTP("127.0.0.1", lmtp.port) as client:
        client.ehlo()
        yield client


def test_a_mail_is_stored_with_its_envelope_before_it_is_acknowledged(service: Service, client: smtplib.LMTP) -> None:
    raw = a_mail("take 1L\r\n")
    assert client.sendmail("ann@example.org", [OURS], raw) == {}
    [mail] = stored(service)
    assert (mail.raw, mail.envelope_to, mail.envelope_from) == (raw, OURS, "ann@example.org")
    assert mail.state == "waiting"
    assert service.wake.is_set()


def test_a_report_without_a_sender_is_stored_as_such(service: Service, client: smtplib.LMTP) -> None:
    client.sendmail("", [OURS], a_mail())
    assert stored(service)[0].envelope_from == ""


def test_mail_for_another_domain_is_refused(service: Service, client: smtplib.LMTP) -> None:
    client.mail("ann@example.org")
    assert client.rcpt("r-7k2m9q@elsewhere.example")[0] == 550
    assert stored(service) == []


def test_a_second_recipient_comes_in_a_mail_of_its_own(client: smtplib.LMTP) -> None:
    client.mail("ann@example.org")
    assert client.rcpt(OURS)[0] == 250
    assert client.rcpt("u-abc@estafette.localhost")[0] == 452


def test_a_mail_that_cannot_be_stored_is_not_acknowledged_and_the_next_is(
    service: Service, client: smtplib.LMTP, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def gone(*_arguments: object, **_more: object) -> None:
        raise DatabaseGone

    with monkeypatch.context() as broken:
        broken.setattr("server.lmtp.take_in", gone)
        with pytest.raises(smtplib.SMTPDataError) as refused:
            client.sendmail("ann@example.org", [OURS], a_mail())
    assert refused.value.smtp_code == 451
    assert OURS not in caplog.text
    client.sendmail("ann@example.org", [OURS], a_mail())
    assert len(stored(service)) == 1


def test_a_mail_too_large_is_returned_to_its_sender_and_the_next_is_taken(
    service: Service, client: smtplib.LMTP
) -> None:
    assert client.esmtp_features["size"] == str(TAKEN_MOST)
    client.mail("ann@example.org")
    client.rcpt(OURS)
    assert client.data(b"x" * 70 + (b"\r\n" + b"x" * 70) * (TAKEN_MOST // 70))[0] == 552
    client.sendmail("ann@example.org", [OURS], a_mail())
    assert len(stored(service)) == 1


def test_a_line_of_half_a_megabyte_is_taken(service: Service, client: smtplib.LMTP) -> None:
    client.sendmail("ann@example.org", [OURS], a_mail("x" * 500_000))
    assert len(stored(service)[0].raw) > 500_000


def test_a_client_that_breaks_off_leaves_nothing_behind(service: Service, lmtp: LmtpServer) -> None:
    with socket.create_connection(("127.0.0.1", lmtp.port)) as rude:
        rude.sendall(f"LHLO x\r\nMAIL FROM:<a@b.example>\r\nRCPT TO:<{OURS}>\r\nDATA\r\nSubject: half".encode())
    with smtplib.LMTP("127.0.0.1", lmtp.port) as client:
        client.sendmail("ann@example.org", [OURS], a_mail())
    assert len(stored(service)) == 1


def test_a_port_that_is_taken_is_an_error(service: Service, lmtp: LmtpServer) -> None:
    with pytest.raises(OSError, match="in use"):
        LmtpServer(service, "127.0.0.1", lmtp.port)


def test_the_setting_chooses_the_way_in(database_url: str, tmp_path: Path) -> None:
    service = a_service(database_url, tmp_path)
    assert isinstance(way_in(service), NoWayIn)
    service.close()
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    service = a_service(database_url, tmp_path, ESTAFETTE_INBOUND=f"lmtp://127.0.0.1:{port}")
    chosen = way_in(service)
    chosen.start()
    with smtplib.LMTP("127.0.0.1", port) as client:
        client.sendmail("ann@example.org", [OURS], a_mail())
    chosen.stop()
    assert len(stored(service)) == 1
    service.close()


# The pipe


def piped(raw: bytes, folder: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-c", "from server.cli import main; main()", "inbound", *arguments],
        input=raw,
        env={**os.environ, "ESTAFETTE_DATA": str(folder), "ESTAFETTE_SECRET_KEYS": "k" * 40, **environment},
        capture_output=True,
        timeout=60,
        check=False,
    )


def test_a_mail_servers_pipe_gets_0_when_the_mail_is_stored(
    service: Service, database_url: str, tmp_path: Path
) -> None:
    raw = a_mail(bytes(range(256)) * 4)
    done = piped(raw, tmp_path, ESTAFETTE_DATABASE_URL=database_url, ORIGINAL_RECIPIENT=OURS, SENDER="")
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    [mail] = stored(service)
    assert (mail.raw, mail.envelope_to, mail.envelope_from) == (raw, OURS, "")


def test_the_pipes_arguments_go_before_its_environment(service: Service, database_url: str, tmp_path: Path) -> None:
    piped(
        a_mail(), tmp_path, "--to", OURS, "--from", "ann@example.org",
        ESTAFETTE_DATABASE_URL=database_url, RECIPIENT="x@y.example", SENDER="z@y.example",
    )  # fmt: skip
    [mail] = stored(service)
    assert (mail.envelope_to, mail.envelope_from) == (OURS, "ann@example.org")


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"ESTAFETTE_DATABASE_URL": "sqlite:////dev/null/no.db"}, "could not be stored"),
        ({"ESTAFETTE_LISTEN": "nonsense"}, "ESTAFETTE_LISTEN needs host and port"),
        ({}, "estafette migrate"),
    ],
    ids=["no database", "a wrong setting", "an empty database"],
)
def test_a_pipe_whose_mail_was_not_stored_gets_75_and_a_sentence(
    tmp_path: Path, wrong: dict[str, str], said: str
) -> None:
    done = piped(a_mail(), tmp_path / "empty", **wrong)
    assert done.returncode == 75
    assert said in done.stderr.decode()
    assert "Traceback" not in done.stderr.decode()


def test_a_pipe_takes_fifty_megabytes(service: Service, database_url: str, tmp_path: Path, now: datetime) -> None:
    done = piped(a_mail("x" * 50_000_000), tmp_path, ESTAFETTE_DATABASE_URL=database_url)
    assert done.returncode == 0
    assert stored(service)[0].state == "quarantined"

"""Mail servers for tests: a real one that keeps what it gets, and ones that misbehave."""

import contextlib
import socket
import ssl
import subprocess
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, AuthResult, Envelope, LoginPassword, Session


@dataclass
class Postbox:
    """What a server got. `answers` has its words for a command, a recipient, or the final dot, other than yes."""

    answers: dict[str, str] = field(default_factory=dict)
    got: list[tuple[str, list[str], bytes]] = field(default_factory=list)
    names: list[str] = field(default_factory=list)
    """How clients introduced themselves: one for each EHLO."""
    asked: list[str] = field(default_factory=list)
    """Recipients that were asked about."""
    login: tuple[str, str] = ("u", "pw")
    signed_in: list[str] = field(default_factory=list)

    def authenticate(self, server: SMTP, session: Session, envelope: Envelope, way: str, said: Any) -> AuthResult:
        """For aiosmtpd's `authenticator`."""
        user, password = (part.encode() for part in self.login)
        known = isinstance(said, LoginPassword) and said == LoginPassword(user, password)
        if known:
            self.signed_in.append(way)
        return AuthResult(success=known, handled=False)

    async def handle_EHLO(
        self, server: SMTP, session: Session, envelope: Envelope, hostname: str, responses: list[str]
    ) -> list[str]:
        session.host_name = hostname
        self.names.append(hostname)
        return [self.answers["EHLO"]] if "EHLO" in self.answers else responses

    async def handle_MAIL(
        self, server: SMTP, session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        if "MAIL" not in self.answers:
            envelope.mail_from = address
        return self.answers.get("MAIL", "250 OK")

    async def handle_RCPT(
        self, server: SMTP, session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        self.asked.append(address)
        answer = self.answers.get(address) or self.answers.get("RCPT", "250 OK")
        if answer.startswith("25"):
            envelope.rcpt_tos.append(address)
        return answer

    async def handle_DATA(self, server: SMTP, session: Session, envelope: Envelope) -> str:
        answer = self.answers.get("dot", "250 2.0.0 Queued as 1A2B")
        if answer.startswith("25"):
            content = envelope.content
            assert isinstance(content, bytes)
            self.got.append((envelope.mail_from or "", list(envelope.rcpt_tos), content))
        return answer

    async def handle_NOOP(self, server: SMTP, session: Session, envelope: Envelope, arg: str) -> str:
        return self.answers.get("NOOP", "250 OK")


class _Server(SMTP):
    """aiosmtpd, which has no hook for the answer to DATA itself."""

    async def smtp_DATA(self, arg: str) -> None:
        answer = self.event_handler.answers.get("DATA")
        if answer:
            await self.push(answer)
        else:
            await super().smtp_DATA(arg)


class _Controller(Controller):
    def factory(self) -> SMTP:
        return _Server(self.handler, **self.SMTP_kwargs)


@contextlib.contextmanager
def a_mail_server(postbox: Postbox, **options: Any) -> Iterator[int]:
    """aiosmtpd on a free port of 127.0.0.1."""
    controller = _Controller(
        postbox, hostname="127.0.0.1", port=free_port(), server_hostname="mail.test", enable_SMTPUTF8=False, **options
    )
    controller.start()
    try:
        yield controller.port
    finally:
        controller.stop()


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


class Talk:
    """One connection as a misbehaving server sees it."""

    def __init__(self, connection: socket.socket) -> None:
        self.connection = connection
        self._lines = connection.makefile("rb")

    def say(self, *lines: str) -> None:
        self.connection.sendall("".join(f"{line}\r\n" for line in lines).encode())

    def hear(self) -> str:
        return self._lines.readline().decode().strip()

    def hear_mail(self) -> bytes:
        """Everything up to the final dot."""
        mail = b""
        while (line := self._lines.readline()) not in (b".\r\n", b""):
            mail += line
        return mail

    def secure(self, context: ssl.SSLContext) -> None:
        """TLS from here on."""
        self.connection = context.wrap_socket(self.connection, server_side=True)
        self._lines = self.connection.makefile("rb")

    def agree(self, commands: int) -> None:
        """Says 250 to so many commands, and 354 to DATA."""
        for _ in range(commands):
            self.say("354 Go on" if self.hear().upper() == "DATA" else "250 OK")

    def close(self) -> None:
        self._lines.close()
        self.connection.close()


@contextlib.contextmanager
def a_server_that(*talks: Callable[[Talk], None]) -> Iterator[int]:
    """A server that treats its first client as the first function says, and so on; the last function stays."""
    listener = socket.create_server(("127.0.0.1", 0))
    threads: list[threading.Thread] = []
    connections: list[Talk] = []

    def serve() -> None:
        number = 0
        with contextlib.suppress(OSError):
            while True:
                talk = Talk(listener.accept()[0])
                connections.append(talk)
                thread = threading.Thread(target=converse, args=(talk, talks[min(number, len(talks) - 1)]))
                thread.start()
                threads.append(thread)
                number += 1

    def converse(talk: Talk, how: Callable[[Talk], None]) -> None:
        with contextlib.suppress(OSError, ValueError):
            how(talk)
        with contextlib.suppress(OSError):
            talk.close()

    server = threading.Thread(target=serve)
    server.start()
    try:
        yield listener.getsockname()[1]
    finally:
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()
        server.join()
        for talk in connections:
            with contextlib.suppress(OSError):
                talk.connection.shutdown(socket.SHUT_RDWR)
        for thread in threads:
            thread.join()


@dataclass(frozen=True)
class Authority:
    """A certificate authority of the test's own."""

    folder: Path

    @property
    def certificate(self) -> Path:
        return self.folder / "ca.pem"

    def trusted(self) -> ssl.SSLContext:
        """What a client that trusts it uses: as checked as the real thing."""
        return ssl.create_default_context(cafile=self.certificate)

    def server(self, name: str, *, days: int = 2) -> ssl.SSLContext:
        """For a server with a certificate for this name (`IP:…` or `DNS:…`); with -1 day it was over yesterday."""
        stem = self.folder / name.replace(":", "-")
        _openssl("req", "-new", *_new_key(stem, name), "-out", stem.with_suffix(".csr"))
        stem.with_suffix(".ext").write_text(f"subjectAltName={name}\n")
        signing = ("-CA", self.certificate, "-CAkey", self.folder / "ca.key", "-CAcreateserial", "-days", str(days))
        files = (
            "-in",
            stem.with_suffix(".csr"),
            "-extfile",
            stem.with_suffix(".ext"),
            "-out",
            stem.with_suffix(".pem"),
        )
        _openssl("x509", "-req", *signing, *files)
        return _server_context(stem)

    def self_signed(self, name: str) -> ssl.SSLContext:
        stem = self.folder / f"self-{name.replace(':', '-')}"
        _self_signed(stem, name, f"subjectAltName={name}")
        return _server_context(stem)


def an_authority(folder: Path) -> Authority:
    _self_signed(folder / "ca", "Test authority", "keyUsage=critical,keyCertSign,cRLSign")
    return Authority(folder)


def _self_signed(stem: Path, name: str, extension: str) -> None:
    files = (*_new_key(stem, name), "-out", stem.with_suffix(".pem"))
    _openssl("req", "-x509", *files, "-days", "2", "-addext", extension)


def _new_key(stem: Path, name: str) -> tuple[str | Path, ...]:
    return ("-newkey", "rsa:2048", "-nodes", "-keyout", stem.with_suffix(".key"), "-subj", f"/CN={name}")


def _openssl(*arguments: str | Path) -> None:
    subprocess.run(["openssl", *arguments], check=True, capture_output=True)


def _server_context(stem: Path) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(stem.with_suffix(".pem"), stem.with_suffix(".key"))
    return context

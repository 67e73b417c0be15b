"""The way to the mail server: Flask-Mail, with a connection and a message that know how each mail fared."""

import base64
import functools
import re
import select
import smtplib
import socket
import ssl
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import StrEnum
from types import TracebackType
from typing import Any, NoReturn, Protocol, Self
from urllib.parse import unquote, urlsplit

import flask_mail
from flask import current_app, has_app_context

from emails.mime import AddressError, mail_address, one_line

ANSWER_MOST = 500
"""So many letters of a server's answer are kept."""

REPLY_MOST = 64 * 1024
"""Whoever says more than this in one answer is no mail server."""

LINE_MOST = 998


class Phase(StrEnum):
    """How far a transaction came."""

    CONNECT = "connect"
    TLS = "tls"
    LOGIN = "login"
    MAIL = "mail"
    RCPT = "rcpt"
    DATA = "data"
    DOT = "dot"


class Status(StrEnum):
    """What became of a mail."""

    SENT = "sent"
    LATER = "later"
    """Temporary: a 4xx, or nobody there."""
    BOUNCED = "bounced"
    """This recipient is refused for good."""
    ALARM = "alarm"
    """Refused for something that the operator has to put right; says nothing about the recipient."""
    UNKNOWN = "unknown"
    """The connection broke after the final dot: the mail may have arrived."""


@dataclass(frozen=True, slots=True)
class Delivery:
    """How one transaction ended: in which phase, with which code and which words of the server.

    Where no server spoke, `code` is None and `answer` our own sentence.
    """

    status: Status
    phase: Phase
    code: int | None = None
    answer: str = ""

    @property
    def enhanced(self) -> str:
        """The enhanced status code (RFC 3463), such as "5.1.1", or nothing."""
        found = _ENHANCED.match(self.answer) if self.code else None
        return found[0] if found else ""

    @property
    def said(self) -> str:
        return f"{self.code} {self.answer}".strip() if self.code else self.answer

    @property
    def concerns_all(self) -> bool:
        """Nobody can be reached through this server now: the next mail would fare the same."""
        return self.phase in (Phase.CONNECT, Phase.TLS, Phase.LOGIN)


class Delivers(Protocol):
    """Takes a finished mail for one recipient."""

    def deliver(self, raw: bytes, envelope_from: str, rcpt: str) -> Delivery:
        """Never raises for what mail, recipient or server are like: the outcome says it."""


class Transport(Delivers, Protocol):
    """A way for mails to leave: a mail server, or the built-in mailbox."""

    def connection(self) -> AbstractContextManager[Delivers]:
        """For a batch. Each thread has its own."""


class MailUrlError(ValueError):
    """`ESTAFETTE_MAIL_URL` cannot be used. The sentence repeats nothing of it: it may hold a password."""


class MailServerError(Exception):
    """The dialogue with the mail server failed; `lines` tells what went well before."""

    def __init__(self, sentence: str, lines: list[str]) -> None:
        super().__init__(sentence)
        self.lines = lines


class NotDelivered(Exception):
    """Tells those who use Flask-Mail's own `send` the outcome."""

    def __init__(self, delivery: Delivery) -> None:
        super().__init__(f"{delivery.status} at {delivery.phase}: {delivery.said}")
        self.delivery = delivery


@dataclass(frozen=True, slots=True)
class MailServer:
    """Where mail goes: the built-in `mailbox`, or a server reached by `starttls`, `tls` or `plain`."""

    security: str
    host: str = ""
    port: int = 0
    user: str = ""
    password: str = field(default="", repr=False)

    @property
    def is_mailbox(self) -> bool:
        return self.security == "mailbox"

    def __str__(self) -> str:
        return "the built-in mailbox" if self.is_mailbox else f"{self.host}, port {self.port}"


def parse_mail_url(url: str) -> MailServer:
    """Reads `ESTAFETTE_MAIL_URL`. Raises MailUrlError."""
    scheme, _, rest = url.strip().partition(":")
    scheme = scheme.lower()
    if url.strip() == "mailbox:":
        return MailServer("mailbox")
    if scheme not in _SCHEMES or not rest.startswith("//"):
        raise MailUrlError(f"The mail URL begins with no known way to send. {_FORMS}")
    security, usual_port = _SCHEMES[scheme]
    try:
        parts = urlsplit(f"smtp:{rest}")
        host = (parts.hostname or "").encode("idna").decode("ascii")
        port = usual_port if parts.port is None else parts.port
        user, password = (unquote(part or "", errors="strict") for part in (parts.username, parts.password))
    except ValueError:
        raise MailUrlError(f"Host, port or password of the mail URL cannot be read. {_ENCODE}") from None
    if parts.path.strip("/") or parts.query or parts.fragment or not _HOST.fullmatch(host) or not port:
        raise MailUrlError(f"The mail URL needs a host, and ends after host and port. {_ENCODE}")
    server = MailServer(security, host, port, user, password)
    _check_login(server)
    return server


def _check_login(server: MailServer) -> None:
    if bool(server.user) != bool(server.password):
        raise MailUrlError("The mail URL needs both a user and a password, or neither.")
    if not _LOGIN.fullmatch(server.user + server.password):
        raise MailUrlError("User and password of the mail URL can have printable ASCII characters only.")
    if server.user and server.security == "plain" and not _LOOPBACK.fullmatch(server.host):
        raise MailUrlError(
            "The mail URL would send a password over the network in the clear. "
            "Use smtp+starttls:// or smtps://, or smtp+plain:// without user and password."
        )


@dataclass(frozen=True, slots=True)
class Timeouts:
    """Seconds: to be reached, for each answer, for the one after the final dot.

    A connection idle for `idle` is not used again, and a server that could not be used is left alone for `rest`.
    """

    connect: float = 15
    answer: float = 20
    dot: float = 20
    idle: float = 30
    rest: float = 30


class SmtpTransport(flask_mail.Mail):
    """Flask-Mail with our connections; it keeps no connection itself, so threads may share it.

    `ehlo` is the name that this machine gives itself, best the host of the public address.
    """

    def __init__(
        self,
        server: MailServer,
        *,
        ehlo: str = "",
        timeouts: Timeouts | None = None,
        tls: ssl.SSLContext | None = None,
        mails_per_connection: int = 100,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        super().__init__()
        if server.is_mailbox:
            raise ValueError("The built-in mailbox is no mail server.")
        self.server = server
        self.ehlo = ehlo
        self.timeouts = timeouts or Timeouts()
        self.tls = tls
        self.mails_per_connection = mails_per_connection
        self.clock = clock

    def __getattr__(self, name: str) -> Any:
        """Flask-Mail answers None for every name that does not exist."""
        raise AttributeError(name)

    def connection(self) -> "Connection":
        return Connection(self)

    connect = connection  # Flask-Mail's name for it

    def deliver(self, raw: bytes, envelope_from: str, rcpt: str) -> Delivery:
        with self.connection() as connection:
            return connection.deliver(raw, envelope_from, rcpt)

    def new_dialogue(self) -> "Dialogue":
        """Not yet begun."""
        if self.tls is None and self.server.security != "plain":
            self.tls = ssl.create_default_context()
        return Dialogue(self.server, self.ehlo or _own_name(), self.timeouts, self.tls)


class Message(flask_mail.Message):
    """A finished mail for Flask-Mail, with its one recipient. Raises NotDelivered for what no server need see."""

    def __init__(self, raw: bytes, envelope_from: str, rcpt: str) -> None:
        # Flask-Mail's own constructor would look up this machine's name for a Message-ID, each time.
        self.rcpt = _fit_address(rcpt, Status.BOUNCED, Phase.RCPT)
        self.envelope_from = envelope_from and _fit_address(envelope_from, Status.ALARM, Phase.MAIL)
        if not _is_seven_bit(raw):
            raise NotDelivered(Delivery(Status.ALARM, Phase.DATA, None, _NOT_SEVEN_BIT))
        self.raw = raw
        self.sender = self.envelope_from
        self.recipients = [self.rcpt]
        self.cc = []
        self.bcc = []

    def as_bytes(self) -> bytes:
        return self.raw

    def as_string(self) -> str:
        return self.raw.decode("ascii", "replace")

    def add_recipient(self, recipient: str | tuple[str, str]) -> NoReturn:
        raise TypeError("A mail has one recipient. Make one mail for each.")

    def attach(self, *args: object, **kwargs: object) -> NoReturn:
        raise TypeError("This mail is finished. Pictures are given to compose().")


class Connection(flask_mail.Connection):
    """Mails one after the other over one connection, which is opened when needed and again when lost."""

    def __init__(self, transport: SmtpTransport) -> None:
        super().__init__(transport)
        self.transport = transport
        self.dialogue: Dialogue | None = None
        self._used_at = 0.0
        self._failed: Delivery | None = None
        self._failed_at = 0.0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        if self.dialogue:
            self.dialogue.end()
        self.dialogue = None

    def deliver(self, raw: bytes, envelope_from: str, rcpt: str) -> Delivery:
        try:
            message = Message(raw, envelope_from, rcpt)
        except NotDelivered as error:
            return error.delivery
        return self._deliver(message)

    def send(self, message: flask_mail.Message, envelope_from: str | tuple[str, str] | None = None) -> None:
        """Flask-Mail's verb, for our messages only. Raises NotDelivered."""
        if not isinstance(message, Message) or envelope_from is not None:
            raise TypeError("Only a finished mail can be sent: Message(compose(mail), mail.envelope_from, address).")
        delivery = self._deliver(message)
        if delivery.status is not Status.SENT:
            raise NotDelivered(delivery)

    def configure_host(self) -> "Dialogue":
        """A server that has greeted us over verified TLS and knows us. Raises NotDelivered."""
        dialogue = self.transport.new_dialogue()
        try:
            dialogue.begin()
        except BaseException:
            dialogue.close()
            raise
        return dialogue

    def _deliver(self, message: Message) -> Delivery:
        delivery = self._open() or self._transact(message)
        if delivery.status is Status.SENT and has_app_context():
            app = current_app._get_current_object()  # type: ignore[attr-defined]
            flask_mail.email_dispatched.send(app, message=message)
        return delivery

    def _open(self) -> Delivery | None:
        """Sees to it that there is a dialogue, or says why there is none."""
        if self.dialogue and self._is_stale(self.dialogue):
            self._drop()
        if self.dialogue and self.num_emails >= self.transport.mails_per_connection:
            self.close()
        if self.dialogue:
            return None
        if self._failed and self.transport.clock() - self._failed_at < self.transport.timeouts.rest:
            return self._failed
        try:
            self.dialogue = self.configure_host()
        except NotDelivered as error:
            self._failed, self._failed_at = error.delivery, self.transport.clock()
            return error.delivery
        self.num_emails = 0
        self._used_at = self.transport.clock()
        return None

    def _is_stale(self, dialogue: "Dialogue") -> bool:
        idle = self.transport.clock() - self._used_at
        return idle > self.transport.timeouts.idle or dialogue.has_something_to_say()

    def _transact(self, message: Message) -> Delivery:
        assert self.dialogue
        self.num_emails += 1
        try:
            delivery = self.dialogue.transact(message)
        except NotDelivered as error:
            delivery = error.delivery
            if not self.dialogue.recovers_from(delivery):
                self._drop()
        except BaseException:  # in the middle of a transaction nothing can be said any more, not even goodbye
            self._drop()
            raise
        self._used_at = self.transport.clock()
        return delivery

    def _drop(self) -> None:
        if self.dialogue:
            self.dialogue.close()
        self.dialogue = None


class Dialogue(smtplib.SMTP):
    """smtplib's dialogue, with a deadline for every answer, verified TLS, and the phase known when it fails."""

    def __init__(self, server: MailServer, ehlo: str, timeouts: Timeouts, tls: ssl.SSLContext | None) -> None:
        super().__init__(local_hostname=ehlo)
        self.server = server
        self.timeouts = timeouts
        self.tls = tls
        self.phase = Phase.CONNECT
        self.patience = timeouts.answer
        self.lines: list[str] = []
        """What went well so far, for the operator."""

    def begin(self) -> None:
        """From nothing to where mails can be handed over. Raises NotDelivered."""
        with self._outcome_of_failures():
            self._reach()
            if self.server.security == "tls":
                self._encrypt()
            self.lines.append(f"Greeting: {_clean(_expect(self.getreply(), 2)[1])}")
            self._introduce()
            if self.server.security == "starttls":
                self._start_tls()
                self._introduce()
            if self.server.user:
                self._sign_in()
            self.phase = Phase.MAIL

    def transact(self, message: Message) -> Delivery:
        """Hands over one mail. Raises NotDelivered."""
        with self._outcome_of_failures():
            self.patience = self.timeouts.answer
            size = f" SIZE={len(message.raw)}" if self.has_extn("size") else ""
            self._command(Phase.MAIL, f"MAIL FROM:<{message.envelope_from}>{size}")
            self._command(Phase.RCPT, f"RCPT TO:<{message.rcpt}>")
            self._command(Phase.DATA, "DATA", wanted=3)
            self._send_body(message.raw)
            code, answer = _expect(self.getreply(), 2)
            return Delivery(Status.SENT, Phase.DOT, code, _clean(answer))

    def rehearse(self) -> None:
        """Where a mail would follow, nothing does. Raises NotDelivered."""
        with self._outcome_of_failures():
            _expect(self.noop(), 2)
            _expect(self.docmd("QUIT"), 2)
            self.lines.append("NOOP and QUIT: answered.")

    def recovers_from(self, delivery: Delivery) -> bool:
        """Makes ready for the next mail after a refused one; False where the connection is of no more use."""
        if self.sock is None or delivery.code is None or delivery.code < 400 or delivery.code == 421:
            return False
        if delivery.phase is Phase.DOT:
            return True
        try:
            return self.rset()[0] == 250
        except OSError:
            return False

    def has_something_to_say(self) -> bool:
        """Between mails a server has nothing to say but that it hangs up."""
        if self.sock is None or (self.file and self.file.unread):
            return True
        poll = select.poll()
        poll.register(self.sock, select.POLLIN)
        return bool(poll.poll(0))

    def end(self) -> None:
        """Says goodbye, without waiting long for the answer."""
        self.patience = min(self.timeouts.answer, 2)
        with suppress(OSError):
            self.quit()
        self.close()

    def send(self, s: Any) -> None:
        if self.sock:
            self.sock.settimeout(self.patience)
        super().send(s)

    def getreply(self) -> tuple[int, bytes]:
        if self.file is None and self.sock:
            self.file = _Answers(self.sock)
        if self.file:
            self.file.expect_within(self.patience)
        return super().getreply()

    def _reach(self) -> None:
        """Tries the server's addresses in turn; together they have the time for connecting."""
        found = socket.getaddrinfo(self.server.host, self.server.port, type=socket.SOCK_STREAM)
        until = time.monotonic() + self.timeouts.connect
        for left, (*_, address) in zip(range(len(found), 0, -1), found, strict=True):
            host = str(address[0])
            seconds = max(until - time.monotonic(), 0.1) / left
            try:
                self.sock = socket.create_connection((host, self.server.port), seconds)
                break
            except OSError:
                if left == 1:
                    raise
        self.lines.append(f"Connected to {self.server} ({host}).")

    def _introduce(self) -> None:
        _expect(self.ehlo(), 2)
        offers = ", ".join(f"{name} {value}".strip().upper() for name, value in self.esmtp_features.items())
        self.lines.append(f"EHLO {self.local_hostname}: the server offers {offers or 'nothing'}.")

    def _start_tls(self) -> None:
        self.phase = Phase.TLS
        if not self.has_extn("starttls"):
            raise smtplib.SMTPNotSupportedError("starttls")
        _expect(self.docmd("STARTTLS"), 2)
        self._encrypt()

    def _encrypt(self) -> None:
        """Whatever was said in the clear is forgotten (RFC 3207)."""
        self.phase = Phase.TLS
        assert self.tls
        assert self.sock
        self.sock.settimeout(self.patience)
        self.sock = self.tls.wrap_socket(self.sock, server_hostname=self.server.host)
        self.file = None
        self.ehlo_resp = self.helo_resp = None
        self.esmtp_features = {}
        self.lines.append(_about_tls(self.sock))

    def _sign_in(self) -> None:
        """One way is tried, the simplest: a second one after a refusal only locks accounts."""
        self.phase = Phase.LOGIN
        offered = self.esmtp_features.get("auth", "").upper().split()
        way = next((way for way in ("PLAIN", "LOGIN", "CRAM-MD5") if way in offered), None)
        if way is None:
            raise smtplib.SMTPNotSupportedError("auth")
        self.user, self.password = self.server.user, self.server.password
        self.auth(way, getattr(self, f"auth_{way.lower().replace('-', '_')}"))
        self.lines.append(f"Signed in as {self.server.user} ({way}).")

    def _command(self, phase: Phase, command: str, wanted: int = 2) -> None:
        self.phase = phase
        _expect(self.docmd(command), wanted)

    def _send_body(self, raw: bytes) -> None:
        """While this fails, the final dot has not left; only afterwards nobody can tell what became of the mail."""
        stuffed = raw.replace(b"\r\n.", b"\r\n..")
        start = b"." if raw.startswith(b".") else b""
        end = b".\r\n" if raw.endswith(b"\r\n") else b"\r\n.\r\n"
        self.patience = self.timeouts.dot
        self.send(start + stuffed + end)
        self.phase = Phase.DOT

    @contextmanager
    def _outcome_of_failures(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:  # smtplib's exceptions are of this family too
            raise NotDelivered(self._outcome(error)) from None

    def _outcome(self, error: OSError) -> Delivery:
        if isinstance(error, smtplib.SMTPResponseException) and self.sock and error.smtp_code > 0:
            answer = self._without_secrets(_clean(error.smtp_error))
            return Delivery(_verdict(self.phase, error.smtp_code, answer), self.phase, error.smtp_code, answer)
        if self.phase is Phase.DOT:
            status = Status.UNKNOWN
        else:
            status = Status.ALARM if _needs_the_operator(error) else Status.LATER
        return Delivery(status, self.phase, None, self._sentence(error))

    def _without_secrets(self, answer: str) -> str:
        """Some servers repeat what they were sent."""
        user, password = self.server.user, self.server.password
        for said in (f"\0{user}\0{password}", password):
            if password:
                answer = answer.replace(base64.b64encode(said.encode()).decode(), "…").replace(said, "…")
        return answer

    def _sentence(self, error: OSError) -> str:
        """What happened where no server said it, and what to do."""
        cause = error.__context__ if isinstance(error, smtplib.SMTPServerDisconnected) else error
        match cause:
            case TimeoutError():
                return (
                    f"{self.server} gave no answer in time ({self.phase}). A firewall? smtps:// on a port for STARTTLS?"
                )
            case ssl.SSLCertVerificationError():
                return f"The certificate of {self.server} cannot be trusted: {cause.verify_message}."
            case ssl.SSLError() if self.phase is Phase.TLS:
                return (
                    f"No TLS with {self.server} ({cause.reason}). "
                    "smtps:// encrypts from the start, smtp+starttls:// after a greeting."
                )
            case smtplib.SMTPNotSupportedError() if self.phase is Phase.TLS:
                return f"{self.server} offers no STARTTLS, so nothing was sent. If it encrypts from the start: smtps://"
            case smtplib.SMTPNotSupportedError():
                return f"{self.server} offers no way to sign in that is known here (PLAIN, LOGIN, CRAM-MD5)."
            case socket.gaierror():
                return f"No address is found for {self.server}: {cause.strerror}."
            case OSError() if self.phase is Phase.CONNECT and cause.strerror:
                return f"{self.server} cannot be reached: {cause.strerror}."
        return f"{self.server} broke off the connection ({self.phase})."


def check(
    server: MailServer, *, ehlo: str = "", timeouts: Timeouts | None = None, tls: ssl.SSLContext | None = None
) -> list[str]:
    """Goes through the dialogue up to where a mail would follow, and tells it. Raises MailServerError."""
    if server.is_mailbox:
        return ["Mail stays in the built-in mailbox; nothing leaves this machine."]
    dialogue = SmtpTransport(server, ehlo=ehlo, timeouts=timeouts, tls=tls).new_dialogue()
    try:
        dialogue.begin()
        dialogue.rehearse()
    except NotDelivered as error:
        raise MailServerError(_STOPPED[error.delivery.phase] + error.delivery.said, dialogue.lines) from None
    finally:
        dialogue.close()
    return dialogue.lines


class _Answers:
    """What the server says, line by line, until a deadline that holds however slowly it drips."""

    def __init__(self, sock: socket.socket) -> None:
        self._sock = sock
        self._until = 0.0
        self._left = 0
        self.unread = b""

    def expect_within(self, seconds: float) -> None:
        self._until = time.monotonic() + seconds
        self._left = REPLY_MOST

    def readline(self, most: int) -> bytes:
        while b"\n" not in self.unread and len(self.unread) < most:
            seconds = self._until - time.monotonic()
            if seconds <= 0 or self._left <= 0:
                raise TimeoutError
            self._sock.settimeout(seconds)
            got = self._sock.recv(8192)
            if not got:
                return b""
            self._left -= len(got)
            self.unread += got
        end = min(self.unread.find(b"\n") + 1 or most, most)
        line, self.unread = self.unread[:end], self.unread[end:]
        return line

    def close(self) -> None:
        """The socket is closed by its owner."""


def _fit_address(address: str, status: Status, phase: Phase) -> str:
    try:
        return mail_address(address)
    except AddressError as error:
        raise NotDelivered(Delivery(status, phase, None, str(error))) from None


def _is_seven_bit(raw: bytes) -> bool:
    """ASCII in lines that end in CRLF and nothing else: a bare CR or LF is where mails are smuggled."""
    lines = raw.split(b"\r\n")
    return (
        raw.isascii()
        and b"\0" not in raw
        and raw.count(b"\n") == raw.count(b"\r") == len(lines) - 1
        and max(map(len, lines)) <= LINE_MOST
    )


def _expect(reply: tuple[int, bytes], hundreds: int) -> tuple[int, bytes]:
    if reply[0] // 100 != hundreds:
        raise smtplib.SMTPResponseException(*reply)
    return reply


def _clean(answer: bytes | str) -> str:
    text = answer.decode("utf-8", "replace") if isinstance(answer, bytes) else answer
    return one_line(text, ANSWER_MOST)


def _verdict(phase: Phase, code: int, answer: str) -> Status:
    """Whose matter a refusal is.

    Servers put off what they have against us until RCPT, and some tell only after the dot that there is no
    such mailbox; the enhanced code, where there is one, tells the two apart.
    """
    if not 500 <= code <= 599:
        return Status.UNKNOWN if phase is Phase.DOT and code < 400 else Status.LATER
    if phase is Phase.RCPT and code not in (503, 530) and not _ABOUT_US.match(answer):
        return Status.BOUNCED
    if phase is Phase.DOT and _ABOUT_RECIPIENT.match(answer):
        return Status.BOUNCED
    return Status.ALARM


def _needs_the_operator(error: OSError) -> bool:
    match error:
        case ssl.SSLEOFError() | ssl.SSLZeroReturnError():
            return False
        case socket.gaierror():
            return error.errno == socket.EAI_NONAME
    return isinstance(error, ssl.SSLError | smtplib.SMTPNotSupportedError)


def _about_tls(sock: ssl.SSLSocket) -> str:
    certificate: dict[str, Any] = sock.getpeercert() or {}
    names = ", ".join(name for _, name in certificate.get("subjectAltName", ()))
    until = datetime.fromtimestamp(ssl.cert_time_to_seconds(certificate["notAfter"]), UTC)
    return f"{sock.version()}, trusted certificate for {names}, valid until {until:%Y-%m-%d}."


@functools.cache
def _own_name() -> str:
    """This machine's name if it is one that others could know, else the form for those that have none."""
    name = socket.getfqdn()
    return name if "." in name and not name.endswith((".local", ".localdomain")) else "[127.0.0.1]"


_SCHEMES = {"smtp+starttls": ("starttls", 587), "smtps": ("tls", 465), "smtp+plain": ("plain", 25)}
_FORMS = (
    'It is one of "mailbox:", "smtp+starttls://user:password@host:587", "smtps://user:password@host:465", '
    '"smtp+plain://127.0.0.1:25".'
)
_ENCODE = "In user and password @ : / ? # % are written %40 %3A %2F %3F %23 %25."
_HOST = re.compile(r"[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})*|[0-9a-f.]*:[0-9a-f:.]+")
_LOGIN = re.compile(r"[ -~]*")
_LOOPBACK = re.compile(r"localhost|127(?:\.\d{1,3}){3}|::1")
_ENHANCED = re.compile(r"[245]\.\d{1,3}\.\d{1,3}\b")
_ABOUT_US = re.compile(r"5\.(?:1\.[78]\b|[567]\.)")
_ABOUT_RECIPIENT = re.compile(r"5\.(?:1\.(?:[1236]|10)|2\.\d+|4\.1)\b")
_NOT_SEVEN_BIT = f"This mail is not finished: it takes ASCII, lines of at most {LINE_MOST}, and CRLF after each."
_STOPPED = {
    Phase.CONNECT: "Connecting: ",
    Phase.TLS: "Encryption: ",
    Phase.LOGIN: "Signing in: ",
    Phase.MAIL: "Before the first mail: ",
}

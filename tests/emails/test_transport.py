"""How mails reach a mail server, and what is known of them when they do not."""

import socket
import time
from collections.abc import Callable, Iterator
from urllib.parse import quote

import flask
import flask_mail
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from emails.mime import Address, compose
from emails.transport import (
    ANSWER_MOST,
    Delivery,
    MailServer,
    MailServerError,
    MailUrlError,
    Message,
    NotDelivered,
    Phase,
    SmtpTransport,
    Status,
    Timeouts,
    check,
    parse_mail_url,
)
from tests.emails.servers import (
    Authority,
    Postbox,
    Talk,
    a_mail_server,
    a_server_that,
    an_authority,
    free_port,
)
from tests.emails.test_mime import a_mail

RAW = compose(a_mail())
BOUNCES = "b-7qk@play.example"
ANN = "ann@example.org"
SHORT = Timeouts(connect=0.8, answer=0.8, dot=0.8)


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return an_authority(tmp_path_factory.mktemp("ca"))


@pytest.fixture
def postbox() -> Postbox:
    return Postbox()


@pytest.fixture
def port(postbox: Postbox) -> Iterator[int]:
    with a_mail_server(postbox) as port:
        yield port


def plain(port: int, **options: object) -> SmtpTransport:
    options = {"ehlo": "play.example", "timeouts": Timeouts(connect=5, answer=5, dot=5)} | options
    return SmtpTransport(MailServer("plain", "127.0.0.1", port), **options)  # type: ignore[arg-type]


class Watch:
    """A clock that a test turns."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


# The mail URL


@pytest.mark.parametrize(
    ("url", "server"),
    [
        ("mailbox:", MailServer("mailbox")),
        ("smtp+starttls://user:pw@host:587", MailServer("starttls", "host", 587, "user", "pw")),
        ("smtps://host:465", MailServer("tls", "host", 465)),
        ("smtp+plain://127.0.0.1:25", MailServer("plain", "127.0.0.1", 25)),
        ("smtp+starttls://host", MailServer("starttls", "host", 587)),
        ("SMTPS://Mail.Example.org/", MailServer("tls", "mail.example.org", 465)),
        ("smtp+plain://[::1]:2525", MailServer("plain", "::1", 2525)),
        ("smtps://me@example.org:a%2Fb%3A%40@host", MailServer("tls", "host", 465, "me@example.org", "a/b:@")),
        ("smtps://bücher.example", MailServer("tls", "xn--bcher-kva.example", 465)),
        ("smtp+plain://user:pw@localhost", MailServer("plain", "localhost", 25, "user", "pw")),
    ],
)
def test_a_mail_url_is_read(url: str, server: MailServer):
    assert parse_mail_url(url) == server


@pytest.mark.parametrize(
    ("url", "sentence"),
    [
        ("", "begins with no known way"),
        ("mailbox", "begins with no known way"),
        ("smtp://u:sesame@host", "smtp\\+starttls://"),
        ("https://u:sesame@host", "begins with no known way"),
        ("smtps:u:sesame@host", "begins with no known way"),
        ("smtps://", "needs a host"),
        ("smtps://u:sesame@", "needs a host"),
        ("smtps://u:sesame@host:x", "cannot be read"),
        ("smtps://u:sesame@host:99999", "cannot be read"),
        ("smtps://u:sesame@host:0", "needs a host"),
        ("smtps://u:ses/ame@host", "%2F"),
        ("smtps://u:sesame#1@host", "%23"),
        ("smtps://u:sesame@ho st", "needs a host"),
        ("smtps://u:sesame@[::1", "cannot be read"),
        ("smtps://u:sesame@host/inbox", "ends after host"),
        ("smtps://u:sesame@host?x=1", "ends after host"),
        ("smtps://sesame@host", "both a user and a password"),
        ("smtps://:sesame@host", "both a user and a password"),
        ("smtps://u:sesam%C3%A9@host", "ASCII"),
        ("smtps://u:sesame%0A@host", "ASCII"),
        ("smtps://u:sesame%FF@host", "cannot be read"),
        ("smtp+plain://u:sesame@host", "in the clear"),
        ("smtp+plain://u:sesame@127.example.org", "in the clear"),
    ],
)
def test_a_mail_url_that_cannot_be_used_is_refused_without_repeating_it(url: str, sentence: str):
    with pytest.raises(MailUrlError, match=sentence) as refused:
        parse_mail_url(url)

    assert "sesam" not in repr(refused.value)
    assert refused.value.__cause__ is None
    assert refused.value.__suppress_context__ or refused.value.__context__ is None


@given(st.text(st.characters(min_codepoint=32, max_codepoint=126), min_size=1), st.integers(1, 65535))
def test_any_password_can_be_written_and_none_is_shown(password: str, port: int):
    server = parse_mail_url(f"smtps://user:{quote(password, safe='')}@host:{port}")

    assert server == MailServer("tls", "host", port, "user", password)
    assert repr(server) == f"MailServer(security='tls', host='host', port={port}, user='user')"
    assert str(server) == f"host, port {port}"


def test_the_mailbox_is_not_reached_by_smtp():
    with pytest.raises(ValueError, match="no mail server"):
        SmtpTransport(MailServer("mailbox"))


# Mails that arrive


def test_a_mail_arrives_byte_for_byte(postbox: Postbox, port: int):
    delivery = plain(port).deliver(RAW, BOUNCES, ANN)

    assert delivery == Delivery(Status.SENT, Phase.DOT, 250, "2.0.0 Queued as 1A2B")
    assert postbox.got == [(BOUNCES, [ANN], RAW)]
    assert postbox.names == ["play.example"]


def test_long_lines_and_lines_of_dots_arrive_as_they_are(postbox: Postbox, port: int):
    raw = compose(a_mail(text="x" * 1507 + "\n.\n..\n.dot\n" + "é" * 1507, html="<p>" + "y" * 5000))

    assert plain(port).deliver(raw, BOUNCES, ANN).status is Status.SENT

    assert postbox.got == [(BOUNCES, [ANN], raw)]


def test_any_finished_lines_arrive_as_they_are(postbox: Postbox, port: int):
    with plain(port).connection() as connection:

        @settings(max_examples=40, deadline=None)
        @given(st.lists(st.text(".a ", max_size=5), min_size=1))
        def arrives(lines: list[str]) -> None:
            raw = "".join(f"{line}\r\n" for line in lines).encode()
            assert connection.deliver(raw, BOUNCES, ANN).status is Status.SENT
            assert postbox.got.pop() == (BOUNCES, [ANN], raw)

        arrives()


def test_the_last_line_gets_its_end(postbox: Postbox, port: int):
    plain(port).deliver(b"Subject: x\r\n\r\nend", BOUNCES, ANN)

    assert postbox.got[0][2] == b"Subject: x\r\n\r\nend\r\n"


def test_a_mail_arrives_over_starttls_after_signing_in(postbox: Postbox, authority: Authority):
    options = {"require_starttls": True, "auth_required": True, "authenticator": postbox.authenticate}
    with a_mail_server(postbox, tls_context=authority.server("IP:127.0.0.1"), **options) as port:
        server = MailServer("starttls", "127.0.0.1", port, "u", "pw")
        delivery = SmtpTransport(server, tls=authority.trusted()).deliver(RAW, BOUNCES, ANN)

    assert delivery.status is Status.SENT
    assert postbox.got == [(BOUNCES, [ANN], RAW)]
    assert postbox.signed_in == ["PLAIN"]


def test_a_mail_arrives_over_tls_from_the_start(postbox: Postbox, authority: Authority):
    options = {"auth_require_tls": False, "authenticator": postbox.authenticate}
    with a_mail_server(postbox, ssl_context=authority.server("DNS:localhost"), **options) as port:
        server = MailServer("tls", "localhost", port, "u", "pw")
        delivery = SmtpTransport(server, tls=authority.trusted()).deliver(RAW, BOUNCES, ANN)

    assert delivery.status is Status.SENT
    assert postbox.got == [(BOUNCES, [ANN], RAW)]
    assert postbox.signed_in == ["PLAIN"]


@pytest.mark.parametrize("way", ["LOGIN", "CRAM-MD5"])
def test_a_server_that_knows_only_another_way_to_sign_in_is_signed_in_to(way: str):
    heard = []

    def talk(server: Talk) -> None:
        server.say("220 mail.test")
        server.hear()
        server.say("250-mail.test", f"250 AUTH XOAUTH2 {way}")
        for answer in ("334 UGFzc3dvcmQ6", "235 OK", "250 OK", "221 Bye"):
            heard.append(server.hear())
            server.say(answer)

    with a_server_that(talk) as port:
        lines = check(MailServer("plain", "127.0.0.1", port, "u", "pw"))

    assert heard[0].startswith(f"AUTH {way}")
    assert f"Signed in as u ({way})." in lines


def test_answers_to_bounces_can_leave_without_a_sender(postbox: Postbox, port: int):
    assert plain(port).deliver(RAW, "", ANN).status is Status.SENT
    assert postbox.got[0][0] == "<>"


def test_an_international_domain_is_asked_for_by_its_ascii_name(postbox: Postbox, port: int):
    plain(port).deliver(RAW, BOUNCES, "ann@bücher.example")

    assert postbox.asked == ["ann@xn--bcher-kva.example"]


def test_this_machine_never_introduces_itself_as_localhost(postbox: Postbox, port: int):
    plain(port, ehlo="").deliver(RAW, BOUNCES, ANN)

    assert "." in postbox.names[0]
    assert "localhost" not in postbox.names[0]


def test_case_B50_each_mail_has_one_recipient(postbox: Postbox, port: int):
    people = ["ann@example.org", "ben@example.org", "cat@example.org"]

    with plain(port).connection() as connection:
        for person in people:
            connection.deliver(compose(a_mail(to=Address("", person))), BOUNCES, person)

    assert [rcpts for _, rcpts, _ in postbox.got] == [[person] for person in people]
    for _, [person], raw in postbox.got:
        assert [other for other in people if other.encode() in raw] == [person]


# Encryption


def test_a_self_signed_certificate_is_refused(postbox: Postbox, authority: Authority):
    with a_mail_server(postbox, tls_context=authority.self_signed("IP:127.0.0.1")) as port:
        delivery = SmtpTransport(MailServer("starttls", "127.0.0.1", port)).deliver(RAW, BOUNCES, ANN)

    assert (delivery.status, delivery.phase, delivery.code) == (Status.ALARM, Phase.TLS, None)
    assert "cannot be trusted: self-signed certificate" in delivery.answer
    assert not postbox.got


@pytest.mark.parametrize("security", ["starttls", "tls"])
def test_a_certificate_for_another_host_is_refused(security: str, postbox: Postbox, authority: Authority):
    context = authority.server("DNS:other.example")
    options = {"tls_context": context} if security == "starttls" else {"ssl_context": context}
    with a_mail_server(postbox, **options) as port:
        server = MailServer(security, "localhost", port, "u", "pw")
        delivery = SmtpTransport(server, tls=authority.trusted()).deliver(RAW, BOUNCES, ANN)

    assert (delivery.status, delivery.phase) == (Status.ALARM, Phase.TLS)
    assert "not valid for 'localhost'" in delivery.answer
    assert not postbox.got


def test_without_starttls_nothing_is_sent_in_the_clear(postbox: Postbox, port: int):
    delivery = SmtpTransport(MailServer("starttls", "127.0.0.1", port, "u", "pw")).deliver(RAW, BOUNCES, ANN)

    assert (delivery.status, delivery.phase) == (Status.ALARM, Phase.TLS)
    assert "offers no STARTTLS" in delivery.answer
    assert not postbox.asked


def test_tls_from_the_start_with_a_server_that_greets_first_is_explained(port: int, authority: Authority):
    delivery = SmtpTransport(MailServer("tls", "127.0.0.1", port), tls=authority.trusted()).deliver(RAW, BOUNCES, ANN)

    assert (delivery.status, delivery.phase) == (Status.ALARM, Phase.TLS)
    assert "smtp+starttls:// after a greeting" in delivery.answer


def test_words_slipped_in_before_encryption_are_not_believed(authority: Authority):
    context = authority.server("IP:127.0.0.1")

    def talk(server: Talk) -> None:
        server.say("220 mail.test")
        server.hear()
        server.say("250-mail.test", "250 STARTTLS")
        server.hear()
        server.say("220 Go on", "250-evil.test", "250 AUTH PLAIN")
        encrypted = Talk(context.wrap_socket(server.connection, server_side=True))
        for answer in ("250 mail.test", "250 OK", "221 Bye"):
            encrypted.hear()
            encrypted.say(answer)
        encrypted.close()

    with a_server_that(talk) as port:
        lines = check(MailServer("starttls", "127.0.0.1", port), ehlo="play.example", tls=authority.trusted())

    assert lines[-2:] == ["EHLO play.example: the server offers nothing.", "NOOP and QUIT: answered."]


# Refusals


@pytest.mark.parametrize(
    ("command", "answer", "status", "phase"),
    [
        ("EHLO", "421 4.3.2 Closing", Status.LATER, Phase.CONNECT),
        ("EHLO", "550 5.7.1 Go away", Status.ALARM, Phase.CONNECT),
        ("MAIL", "451 4.3.0 Later", Status.LATER, Phase.MAIL),
        ("MAIL", "550 5.7.1 Not from you", Status.ALARM, Phase.MAIL),
        ("MAIL", "552 5.3.4 Too big", Status.ALARM, Phase.MAIL),
        ("RCPT", "450 4.7.1 Greylisted", Status.LATER, Phase.RCPT),
        ("RCPT", "452 4.2.2 Full", Status.LATER, Phase.RCPT),
        ("RCPT", "550 5.1.1 No such user", Status.BOUNCED, Phase.RCPT),
        ("RCPT", "550 No such user", Status.BOUNCED, Phase.RCPT),
        ("RCPT", "550 5.4.1 Recipient address rejected", Status.BOUNCED, Phase.RCPT),
        ("RCPT", "552 5.2.2 Mailbox full", Status.BOUNCED, Phase.RCPT),
        ("RCPT", "554 5.7.1 Relay access denied", Status.ALARM, Phase.RCPT),
        ("RCPT", "553 5.1.8 Sender address rejected", Status.ALARM, Phase.RCPT),
        ("RCPT", "504 5.5.2 Helo command rejected", Status.ALARM, Phase.RCPT),
        ("RCPT", "530 Authentication required", Status.ALARM, Phase.RCPT),
        ("RCPT", "250 OK", Status.SENT, Phase.DOT),
        ("RCPT", "251 Will forward", Status.SENT, Phase.DOT),
        ("DATA", "451 4.3.0 Later", Status.LATER, Phase.DATA),
        ("DATA", "554 5.5.1 No", Status.ALARM, Phase.DATA),
        ("DATA", "250 What?", Status.LATER, Phase.DATA),
        ("dot", "452 4.3.1 Disk full", Status.LATER, Phase.DOT),
        ("dot", "550 5.7.1 Looks like spam", Status.ALARM, Phase.DOT),
        ("dot", "554 No", Status.ALARM, Phase.DOT),
        ("dot", "550 5.1.1 No such user", Status.BOUNCED, Phase.DOT),
        ("dot", "354 What?", Status.UNKNOWN, Phase.DOT),
    ],
)
def test_each_refusal_is_known_by_phase_and_by_whose_matter_it_is(
    command: str, answer: str, status: Status, phase: Phase, postbox: Postbox, port: int
):
    postbox.answers[command] = answer

    delivery = plain(port).deliver(RAW, BOUNCES, ANN)

    assert (delivery.status, delivery.phase) == (status, phase)
    if status is not Status.SENT:
        assert delivery.said == answer
        assert delivery.concerns_all == (phase is Phase.CONNECT)
        assert not postbox.got


@pytest.mark.parametrize(
    ("greeting", "status"), [("554 5.7.1 Your address is listed", Status.ALARM), ("421 4.7.0 Too many", Status.LATER)]
)
def test_a_server_may_refuse_at_once(greeting: str, status: Status):
    with a_server_that(lambda server: server.say(greeting)) as port:
        delivery = plain(port).deliver(RAW, BOUNCES, ANN)

    assert (delivery.status, delivery.phase, delivery.said) == (status, Phase.CONNECT, greeting)


def test_a_wrong_password_is_an_alarm_and_stays_secret(postbox: Postbox, authority: Authority):
    options = {"tls_context": authority.server("IP:127.0.0.1"), "authenticator": postbox.authenticate}
    with a_mail_server(postbox, **options) as port:
        server = MailServer("starttls", "127.0.0.1", port, "u", "sesame")
        delivery = SmtpTransport(server, tls=authority.trusted()).deliver(RAW, BOUNCES, ANN)

    assert (delivery.status, delivery.phase, delivery.code) == (Status.ALARM, Phase.LOGIN, 535)
    assert delivery.enhanced == "5.7.8"
    assert "sesame" not in repr(delivery)


@pytest.mark.parametrize(
    ("answer", "status"), [("535 5.7.8 No", Status.ALARM), ("454 4.7.0 Later", Status.LATER), ("421 Bye", Status.LATER)]
)
def test_whoever_refuses_to_sign_us_in_does_not_see_the_password_again(answer: str, status: Status):
    heard = []

    def talk(server: Talk) -> None:
        server.say("220 mail.test")
        server.hear()
        server.say("250-mail.test", "250 AUTH CRAM-MD5 LOGIN PLAIN")
        heard.append(server.hear())
        server.say(f"{answer}: {heard[0]} sesame")

    with a_server_that(talk) as port:
        delivery = plain_with_login(port).deliver(RAW, BOUNCES, ANN)

    assert (delivery.status, delivery.phase) == (status, Phase.LOGIN)
    assert heard == ["AUTH PLAIN AHUAc2VzYW1l"]
    assert delivery.said == f"{answer}: AUTH PLAIN … …"


def plain_with_login(port: int) -> SmtpTransport:
    server = MailServer("plain", "127.0.0.1", port, "u", "sesame")
    return SmtpTransport(server, ehlo="play.example")


def test_a_server_without_a_known_way_to_sign_in_is_an_alarm(port: int):
    delivery = plain_with_login(port).deliver(RAW, BOUNCES, ANN)

    assert (delivery.status, delivery.phase) == (Status.ALARM, Phase.LOGIN)
    assert "no way to sign in" in delivery.answer


def test_a_long_answer_with_control_characters_is_kept_short_and_clean():
    def talk(server: Talk) -> None:
        server.say("220-one\x1b[31m", "220-two\0\x85", "220 " + "x" * 2000)
        server.hear()
        server.say("550-5.7.1 one\x1b[31m two\0", "550 " + "x" * 2000)

    with a_server_that(talk) as port:
        delivery = plain(port).deliver(RAW, BOUNCES, ANN)

    assert delivery.answer.startswith("5.7.1 one [31m two xxx")
    assert len(delivery.answer) == ANSWER_MOST
    assert delivery.enhanced == "5.7.1"


def test_case_B27_one_bad_recipient_of_five_stops_nobody_elses_mail(postbox: Postbox, port: int):
    postbox.answers["p2@example.org"] = "550 5.1.1 No such user"

    with plain(port).connection() as connection:
        outcomes = [connection.deliver(RAW, BOUNCES, f"p{number}@example.org").status for number in range(1, 6)]

    assert outcomes == [Status.SENT, Status.BOUNCED, Status.SENT, Status.SENT, Status.SENT]
    assert [rcpts for _, rcpts, _ in postbox.got] == [[f"p{number}@example.org"] for number in (1, 3, 4, 5)]
    assert len(postbox.names) == 1


@pytest.mark.parametrize(
    "address",
    ["", "ann", "a b@example.org", "ann@exa\nmple.org", "änn@example.org", "ann@" + "x" * 70 + ".org", "\udc80@x"],
)
def test_case_B27_an_address_that_cannot_be_one_is_refused_without_asking(address: str, postbox: Postbox, port: int):
    with plain(port).connection() as connection:
        refused = connection.deliver(RAW, BOUNCES, address)
        sent = connection.deliver(RAW, BOUNCES, ANN)

    assert (refused.status, refused.phase, refused.code) == (Status.BOUNCED, Phase.RCPT, None)
    assert sent.status is Status.SENT
    assert postbox.asked == [ANN]


def test_an_envelope_sender_that_is_none_is_the_operators_matter(port: int):
    delivery = plain(port).deliver(RAW, "no sender", ANN)

    assert (delivery.status, delivery.phase) == (Status.ALARM, Phase.MAIL)


@pytest.mark.parametrize(
    "raw",
    [
        "Subject: é\r\n\r\n".encode(),
        b"Subject: x\n\nx\n",
        b"Subject: x\r\n\r\nx\n.\r\nMAIL FROM:<eve@example.org>\r\n",
        b"Subject: x\r\n\r\nx\r.\r\n",
        b"Subject: x\r\n\r\n\0\r\n",
        b"Subject: x\r\n\r\n" + b"x" * 999 + b"\r\n",
    ],
)
def test_an_unfinished_mail_does_not_leave(raw: bytes, postbox: Postbox, port: int):
    delivery = plain(port).deliver(raw, BOUNCES, ANN)

    assert (delivery.status, delivery.phase, delivery.code) == (Status.ALARM, Phase.DATA, None)
    assert not postbox.asked


# Servers that are slow, silent or gone


def test_nothing_is_waited_for_longer_than_twenty_seconds():
    assert max(Timeouts().connect, Timeouts().answer, Timeouts().dot) <= 20


def silent(server: Talk) -> None:
    server.hear()


def dripping(server: Talk) -> None:
    for letter in "220 mail.test is slow" * 100:
        server.connection.sendall(letter.encode())
        time.sleep(0.05)


def endless(server: Talk) -> None:
    while True:
        server.say("220-and another thing")


def binary(server: Talk) -> None:
    server.connection.sendall(b"\xff\x00" * 5000 + b"\r\n")


@pytest.mark.parametrize("how", [silent, dripping, endless])
def test_case_B27_a_server_that_never_finishes_its_answer_is_left(how: Callable[[Talk], None]):
    with a_server_that(how) as port:
        began = time.monotonic()
        delivery = plain(port, timeouts=SHORT).deliver(RAW, BOUNCES, ANN)
        took = time.monotonic() - began

    assert (delivery.status, delivery.phase, delivery.code) == (Status.LATER, Phase.CONNECT, None)
    assert "no answer in time" in delivery.answer
    assert took < 8


def test_case_B27_a_batch_for_a_silent_server_waits_once():
    watch = Watch()
    with a_server_that(silent) as port:
        began = time.monotonic()
        with plain(port, timeouts=SHORT, clock=watch).connection() as connection:
            outcomes = {connection.deliver(RAW, BOUNCES, f"p{number}@example.org") for number in range(20)}
        took = time.monotonic() - began

    [delivery] = outcomes
    assert delivery.concerns_all
    assert took < 8


def test_a_server_that_could_not_be_reached_is_tried_again_after_a_rest(postbox: Postbox):
    watch = Watch()
    port = free_port()
    with plain(port, clock=watch).connection() as connection:
        assert connection.deliver(RAW, BOUNCES, ANN).status is Status.LATER
        with a_server_that(lambda server: (server.say("220 mail.test"), server.agree(5))) as other:
            connection.transport.server = MailServer("plain", "127.0.0.1", other)
            watch.now = 29
            assert connection.deliver(RAW, BOUNCES, ANN).status is Status.LATER
            watch.now = 31
            assert connection.deliver(RAW, BOUNCES, ANN).phase is not Phase.CONNECT


def test_a_server_that_speaks_another_protocol_is_left():
    with a_server_that(binary) as port:
        delivery = plain(port).deliver(RAW, BOUNCES, ANN)

    assert (delivery.status, delivery.phase, delivery.code) == (Status.LATER, Phase.CONNECT, None)


def test_nobody_at_the_port_means_later():
    delivery = plain(free_port()).deliver(RAW, BOUNCES, ANN)

    assert (delivery.status, delivery.phase) == (Status.LATER, Phase.CONNECT)
    assert "cannot be reached: Connection refused" in delivery.answer


@pytest.mark.parametrize(("number", "status"), [(socket.EAI_NONAME, Status.ALARM), (socket.EAI_AGAIN, Status.LATER)])
def test_a_name_that_does_not_exist_is_an_alarm_and_a_silent_name_server_is_not(
    number: int, status: Status, monkeypatch: pytest.MonkeyPatch
):
    def resolve(*args: object, **kwargs: object) -> None:
        raise socket.gaierror(number, "reason")

    monkeypatch.setattr(socket, "getaddrinfo", resolve)

    delivery = SmtpTransport(MailServer("plain", "mail.example"), ehlo="x.y").deliver(RAW, BOUNCES, ANN)

    assert (delivery.status, delivery.phase) == (status, Phase.CONNECT)
    assert delivery.answer == "No address is found for mail.example, port 0: reason."


def test_the_second_address_of_a_server_is_tried(postbox: Postbox, port: int, monkeypatch: pytest.MonkeyPatch):
    usual = socket.getaddrinfo

    def resolve(host: str, *args: object, **kwargs: object) -> list[object]:
        real = usual(host if host != "mail.example" else "127.0.0.1", *args, **kwargs)  # type: ignore[arg-type]
        dead = [(*entry[:4], ("127.0.0.1", free_port())) for entry in real]
        return [*[(*entry[:4], ("127.0.0.2", port)) for entry in dead], *real] if host == "mail.example" else real

    monkeypatch.setattr(socket, "getaddrinfo", resolve)
    transport = SmtpTransport(MailServer("plain", "mail.example", port), ehlo="x.y")

    assert transport.deliver(RAW, BOUNCES, ANN).status is Status.SENT


@pytest.mark.parametrize(("commands", "phase"), [(0, Phase.CONNECT), (1, Phase.MAIL), (2, Phase.RCPT), (3, Phase.DATA)])
@pytest.mark.parametrize("wait", [True, False])
def test_a_connection_that_breaks_before_the_mail_means_later(commands: int, phase: Phase, wait: bool):
    def talk(server: Talk) -> None:
        server.say("220 mail.test")
        server.agree(commands)
        if wait:
            server.hear()
            server.hear()

    with a_server_that(talk) as port:
        delivery = plain(port, timeouts=SHORT).deliver(RAW, BOUNCES, ANN)

    assert (delivery.status, delivery.phase, delivery.code) == (Status.LATER, phase, None)


def test_a_connection_that_breaks_in_the_middle_of_the_mail_means_later():
    def talk(server: Talk) -> None:
        server.say("220 mail.test")
        server.agree(4)
        server.connection.recv(1000)

    raw = b"Subject: x\r\n\r\n" + (b"x" * 900 + b"\r\n") * 20_000
    with a_server_that(talk) as port:
        delivery = plain(port).deliver(raw, BOUNCES, ANN)

    assert (delivery.status, delivery.phase, delivery.code) == (Status.LATER, Phase.DATA, None)


@pytest.mark.parametrize("wait", [True, False])
def test_a_connection_that_breaks_after_the_final_dot_leaves_the_mail_unknown(wait: bool):
    arrived = []

    def talk(server: Talk) -> None:
        server.say("220 mail.test")
        server.agree(4)
        arrived.append(server.hear_mail())
        if wait:
            server.hear()

    with a_server_that(talk) as port:
        delivery = plain(port, timeouts=SHORT).deliver(RAW, BOUNCES, ANN)

    assert (delivery.status, delivery.phase, delivery.code) == (Status.UNKNOWN, Phase.DOT, None)
    assert arrived == [RAW]
    assert not delivery.concerns_all


def test_only_the_answer_to_the_dot_counts_not_the_farewell():
    def talk(server: Talk) -> None:
        server.say("220 mail.test")
        server.agree(4)
        server.hear_mail()
        server.say("250 OK")

    with a_server_that(talk) as port:
        assert plain(port).deliver(RAW, BOUNCES, ANN).status is Status.SENT


# Batches


def test_a_batch_goes_over_one_connection(postbox: Postbox, port: int):
    with plain(port).connection() as connection:
        for _ in range(5):
            assert connection.deliver(RAW, BOUNCES, ANN).status is Status.SENT

    assert len(postbox.got) == 5
    assert len(postbox.names) == 1


@pytest.mark.parametrize("command", ["MAIL", "RCPT", "DATA", "dot"])
@pytest.mark.parametrize("answer", ["451 4.3.0 Later", "554 5.5.1 No"])
def test_after_a_refusal_the_next_mail_goes_over_the_same_connection(
    command: str, answer: str, postbox: Postbox, port: int
):
    with plain(port).connection() as connection:
        postbox.answers[command] = answer
        assert connection.deliver(RAW, BOUNCES, "ben@example.org").status is not Status.SENT
        postbox.answers.clear()
        assert connection.deliver(RAW, BOUNCES, ANN).status is Status.SENT

    assert postbox.got == [(BOUNCES, [ANN], RAW)]
    assert len(postbox.names) == 1


@pytest.mark.parametrize("command", ["MAIL", "RCPT", "DATA", "dot"])
def test_after_a_421_the_next_mail_goes_over_a_new_connection(command: str, postbox: Postbox, port: int):
    with plain(port).connection() as connection:
        postbox.answers[command] = "421 4.3.2 Closing"
        assert connection.deliver(RAW, BOUNCES, ANN).status is Status.LATER
        postbox.answers.clear()
        assert connection.deliver(RAW, BOUNCES, ANN).status is Status.SENT

    assert len(postbox.names) == 2


def test_a_connection_is_given_up_after_so_many_mails(postbox: Postbox, port: int):
    with plain(port, mails_per_connection=2).connection() as connection:
        for _ in range(5):
            connection.deliver(RAW, BOUNCES, ANN)

    assert len(postbox.got) == 5
    assert len(postbox.names) == 3


def test_a_connection_that_lay_idle_is_opened_anew(postbox: Postbox, port: int):
    watch = Watch()
    with plain(port, clock=watch).connection() as connection:
        connection.deliver(RAW, BOUNCES, ANN)
        watch.now = 30
        connection.deliver(RAW, BOUNCES, ANN)
        watch.now = 61
        connection.deliver(RAW, BOUNCES, ANN)

    assert len(postbox.got) == 3
    assert len(postbox.names) == 2


@pytest.mark.parametrize("farewell", ["", "421 4.4.2 Timeout"])
def test_a_server_that_hung_up_between_two_mails_costs_none(farewell: str):
    arrived = []

    def talk(server: Talk) -> None:
        server.say("220 mail.test")
        server.agree(4)
        arrived.append(server.hear_mail())
        server.say(*["250 OK", farewell][: 2 if farewell else 1])
        if farewell:
            server.hear()

    with a_server_that(talk) as port, plain(port).connection() as connection:
        for _ in range(3):
            assert connection.deliver(RAW, BOUNCES, ANN).status is Status.SENT
            time.sleep(0.05)

    assert arrived == [RAW] * 3


def test_an_interruption_in_the_middle_of_a_mail_closes_the_connection(postbox: Postbox, port: int, monkeypatch):
    with plain(port).connection() as connection:
        connection.deliver(RAW, BOUNCES, ANN)

        def interrupted(raw: bytes) -> None:
            raise KeyboardInterrupt

        monkeypatch.setattr(connection.dialogue, "_send_body", interrupted)
        with pytest.raises(KeyboardInterrupt):
            connection.deliver(RAW, BOUNCES, ANN)
        assert connection.dialogue is None

    assert len(postbox.got) == 1


# Flask-Mail


@pytest.fixture
def app() -> flask.Flask:
    return flask.Flask("test")


def test_flask_mail_sends_our_message_and_tells_its_listeners(app: flask.Flask, postbox: Postbox, port: int):
    transport = plain(port)
    message = Message(RAW, BOUNCES, ANN)

    with app.app_context(), transport.record_messages() as sent:
        transport.send(message)

    assert postbox.got == [(BOUNCES, [ANN], RAW)]
    assert sent == [message]
    assert isinstance(message, flask_mail.Message)
    assert bytes(message) == RAW
    assert str(message) == RAW.decode()
    assert message.send_to == {ANN}


def test_flask_mails_own_send_raises_what_became_of_the_mail(postbox: Postbox, port: int):
    postbox.answers["RCPT"] = "550 5.1.1 No such user"

    with pytest.raises(NotDelivered, match=r"bounced at rcpt: 550 5\.1\.1 No such user") as failed:
        plain(port).send(Message(RAW, BOUNCES, ANN))

    assert failed.value.delivery.status is Status.BOUNCED


def test_a_message_that_flask_mail_made_itself_is_refused(app: flask.Flask, postbox: Postbox, port: int):
    with app.app_context(), pytest.raises(TypeError, match="finished mail"):
        plain(port).send(flask_mail.Message("Hello", ["a@b.c", "d@e.f"], "text", sender="x@y.z"))

    assert not postbox.asked


def test_a_finished_message_takes_no_second_recipient_and_no_attachment():
    message = Message(RAW, BOUNCES, ANN)

    with pytest.raises(TypeError, match="one recipient"):
        message.add_recipient("ben@example.org")
    with pytest.raises(TypeError, match="finished"):
        message.attach("board.png", "image/png", b"")


# The operator's check


def test_the_dialogue_is_told_line_by_line(postbox: Postbox, authority: Authority):
    options = {"tls_context": authority.server("IP:127.0.0.1"), "authenticator": postbox.authenticate}
    with a_mail_server(postbox, **options) as port:
        server = MailServer("starttls", "127.0.0.1", port, "u", "pw")
        lines = check(server, ehlo="play.example", tls=authority.trusted())

    assert lines[0] == f"Connected to 127.0.0.1, port {port} (127.0.0.1)."
    assert lines[1].startswith("Greeting: mail.test")
    assert "EHLO play.example: the server offers" in lines[2]
    assert "STARTTLS" in lines[2]
    assert lines[3].startswith("TLSv1.")
    assert ", trusted certificate for 127.0.0.1, valid until 2" in lines[3]
    assert "AUTH" in lines[4]
    assert lines[5:] == ["Signed in as u (PLAIN).", "NOOP and QUIT: answered."]
    assert not postbox.asked


@pytest.mark.parametrize(
    ("answers", "sentence", "lines"),
    [
        ({"EHLO": "550 Go away"}, "Connecting: 550 Go away", 2),
        ({"NOOP": "500 What?"}, "Before the first mail: 500 What?", 3),
    ],
)
def test_a_check_that_fails_says_where(answers: dict[str, str], sentence: str, lines: int, postbox: Postbox, port: int):
    postbox.answers |= answers

    with pytest.raises(MailServerError) as failed:
        check(MailServer("plain", "127.0.0.1", port), ehlo="play.example")

    assert str(failed.value) == sentence
    assert len(failed.value.lines) == lines


def test_a_check_never_shows_the_password(authority: Authority, postbox: Postbox):
    options = {"tls_context": authority.server("IP:127.0.0.1"), "authenticator": postbox.authenticate}
    with a_mail_server(postbox, **options) as port, pytest.raises(MailServerError, match="Signing in: 535") as failed:
        check(MailServer("starttls", "127.0.0.1", port, "u", "sesame"), tls=authority.trusted())

    assert "sesame" not in str(failed.value) + "".join(failed.value.lines)


def test_there_is_nothing_to_check_with_the_mailbox():
    assert check(MailServer("mailbox")) == ["Mail stays in the built-in mailbox; nothing leaves this machine."]

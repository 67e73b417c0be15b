"""What a finished mail looks like, whatever names, subjects and texts went into it."""

import dataclasses
import email
import email.policy
import re
import subprocess
import sys
from datetime import UTC, datetime, timedelta, timezone
from email.header import decode_header, make_header
from email.message import EmailMessage
from email.utils import parseaddr
from pathlib import Path

import dkim
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from db.models import email_key
from emails.mime import (
    NAME_MOST,
    SUBJECT_MOST,
    Address,
    AddressError,
    Mail,
    Picture,
    Unsubscribe,
    compose,
    mail_address,
    message_id,
    one_line,
    sign,
)

HEADERS = [
    *("From", "To", "Reply-To", "Subject", "Date", "Message-ID", "In-Reply-To", "References", "List-Id"),
    *("List-Unsubscribe", "List-Unsubscribe-Post", "Auto-Submitted", "X-Auto-Response-Suppress", "Feedback-ID"),
    *("X-Estafette-Kind", "X-Estafette-Game", "MIME-Version", "Content-Type"),
]

INJECTIONS = [
    "A\r\nBcc: eve@example.org",
    "A\nBcc: eve@example.org",
    "A\rBcc: eve@example.org",
    "A\x85Bcc: eve@example.org",
    "A\u2028Bcc: eve@example.org",
    "A\u2029Bcc: eve@example.org",
    "A\x0b\x0c\x1c\x1d\x1eBcc: eve@example.org",
    "A\0Bcc: eve@example.org",
    "A =?UTF-8?Q?=0A?=Bcc: eve@example.org",
    "A =?utf-8?q?=0D=0A?= Bcc: eve@example.org",
    "A =?utf-8?b?DQpCY2M6IGV2ZUBleGFtcGxlLm9yZw==?=",
    "A =?utf-16?b?AAoAQgBjAGM6?=",
    "A =?utf-8?q?=3D=3Futf-8=3Fq=3F=0ABcc:_eve=40example.org=3F=3D?=",
    "A =?utf-8*en?Q?=0A?=Bcc: eve@example.org",
    "A =?x-none?Q?=0A?=Bcc: eve@example.org",
    "A =?utf-8?b?%%%?=Bcc: eve@example.org",
    '"A" <eve@example.org>, "',
    "A <eve@example.org>,",
    "A\udc0aBcc: eve@example.org",
]

hostile = st.lists(
    st.one_of(
        st.text(max_size=60), st.sampled_from(INJECTIONS), st.sampled_from(['"', "\\", ",", "<", ">", "=?", "?="])
    ),
    max_size=6,
).map("".join)


def a_mail(**changes: object) -> Mail:
    mail = Mail(
        kind="turn",
        to=Address("Ann", "ann@example.org"),
        sender=Address("Estafette", "games@play.example"),
        envelope_from="b-7qk@play.example",
        subject="Richelieu (2012) · Ann, Ben, Cat · #k7f3q",
        text="Your turn, by Tuesday.\n\nhttps://play.example/m/abc\n",
        message_id="<letter-1@play.example>",
        date=datetime(2026, 11, 30, 12, 5, tzinfo=UTC),
        html="<p>Your turn, by Tuesday.</p>\n",
        game="k7f3q",
        reply_to="r-abc@play.example",
        references=("<root@play.example>", "<last@play.example>"),
        list_id="k7f3q.play.example",
        unsubscribe=Unsubscribe("https://play.example/unsubscribe/t", "mailto:u-t@play.example?subject=unsubscribe"),
    )
    return dataclasses.replace(mail, **changes)


def read(raw: bytes) -> EmailMessage:
    message = email.message_from_bytes(raw, policy=email.policy.default)
    assert isinstance(message, EmailMessage)
    return message


def head_and_body(raw: bytes) -> tuple[list[str], list[str]]:
    head, _, body = raw.decode("ascii").partition("\r\n\r\n")
    return head.split("\r\n"), body.split("\r\n")


def unfolded(raw: bytes) -> list[tuple[str, str]]:
    head = raw.decode("ascii").partition("\r\n\r\n")[0]
    return [tuple(line.split(": ", 1)) for line in re.sub("\r\n ", " ", head).split("\r\n")]  # type: ignore[misc]


def header(raw: bytes, name: str) -> str:
    [value] = [value for found, value in unfolded(raw) if found == name]
    return value


def shown(value: str) -> str:
    return str(make_header(decode_header(value)))


def part(raw: bytes, kind: str) -> str:
    [found] = [part for part in read(raw).walk() if part.get_content_type() == kind]
    return found.get_payload(decode=True).decode("utf-8").replace("\r\n", "\n")


def assert_well_formed(raw: bytes) -> None:
    assert raw.isascii()
    assert raw.count(b"\n") == raw.count(b"\r") == raw.count(b"\r\n")
    assert b"\0" not in raw
    head, body = head_and_body(raw)
    for line in head:
        assert len(line) <= 998
        assert len(line) <= 78 or " " not in line.strip().partition(": ")[2]
        assert line.strip()
    assert max(map(len, body)) <= 76
    assert [name for name, _ in unfolded(raw)] == HEADERS


def test_a_mail_has_the_headers_of_a_game_and_no_others():
    raw = compose(a_mail())

    assert [name for name, _ in unfolded(raw)] == HEADERS
    assert header(raw, "From") == "Estafette <games@play.example>"
    assert header(raw, "To") == "Ann <ann@example.org>"
    assert header(raw, "Reply-To") == "r-abc@play.example"
    assert header(raw, "Date") == "Mon, 30 Nov 2026 12:05:00 +0000"
    assert header(raw, "Message-ID") == "<letter-1@play.example>"
    assert header(raw, "In-Reply-To") == "<last@play.example>"
    assert header(raw, "References") == "<root@play.example> <last@play.example>"
    assert header(raw, "List-Id") == "<k7f3q.play.example>"
    assert header(raw, "List-Unsubscribe") == (
        "<https://play.example/unsubscribe/t>, <mailto:u-t@play.example?subject=unsubscribe>"
    )
    assert header(raw, "List-Unsubscribe-Post") == "List-Unsubscribe=One-Click"
    assert header(raw, "Auto-Submitted") == "auto-generated"
    assert header(raw, "X-Auto-Response-Suppress") == "OOF, AutoReply"
    assert header(raw, "Feedback-ID") == "turn:estafette"
    assert header(raw, "X-Estafette-Kind") == "turn"
    assert header(raw, "X-Estafette-Game") == "k7f3q"


def test_a_mail_outside_a_game_has_only_what_it_needs():
    mail = a_mail(kind="login", game="", list_id="", unsubscribe=None, references=(), reply_to="")

    names = [name for name, _ in unfolded(compose(mail))]

    assert names == [
        *("From", "To", "Subject", "Date", "Message-ID", "Auto-Submitted", "X-Auto-Response-Suppress"),
        *("Feedback-ID", "X-Estafette-Kind", "MIME-Version", "Content-Type"),
    ]


def test_an_answer_says_that_it_is_one_and_what_it_answers():
    raw = compose(a_mail(auto_submitted="auto-replied", in_reply_to="<from-ann@example.org>"))

    assert header(raw, "Auto-Submitted") == "auto-replied"
    assert header(raw, "In-Reply-To") == "<from-ann@example.org>"


def test_a_mail_that_answers_without_a_thread_starts_one():
    raw = compose(a_mail(references=(), in_reply_to="<from-ann@example.org>"))

    assert header(raw, "References") == "<from-ann@example.org>"


def test_the_envelope_sender_is_not_shown_in_the_mail():
    assert b"b-7qk" not in compose(a_mail())


def test_a_mail_shows_neither_address_nor_text_nor_token_in_a_log():
    assert repr(a_mail()) == "<Mail turn <letter-1@play.example>>"


def test_composing_twice_makes_the_same_bytes():
    mail = a_mail(pictures=(Picture("board", b"\x89PNG"),))

    assert compose(mail) == compose(mail)


def test_one_click_is_promised_only_where_it_is_encrypted():
    raw = compose(a_mail(unsubscribe=Unsubscribe("http://127.0.0.1:8025/unsubscribe/t")))

    assert header(raw, "List-Unsubscribe") == "<http://127.0.0.1:8025/unsubscribe/t>"
    assert b"List-Unsubscribe-Post" not in raw


@given(st.integers(0, 120), st.integers(10, 200))
@example(100, 60)
@example(100, 200)
def test_references_are_never_encoded_nor_broken(count: int, length: int):
    ids = tuple(f"<{number:0{length}d}@play.example>" for number in range(count))

    raw = compose(a_mail(references=ids, in_reply_to="<x@y>", html=""))

    assert header(raw, "References") == (" ".join(ids) or "<x@y>")
    head, _ = head_and_body(raw)
    assert not [line for line in head if "=?" in line and not line.startswith(("Subject", " ="))]
    assert all(line.count("<") <= 1 or len(line) <= 78 for line in head)


def test_a_long_way_to_unsubscribe_stays_whole():
    url = "https://play.example/unsubscribe/" + "x" * 400

    raw = compose(a_mail(unsubscribe=Unsubscribe(url, "mailto:u@play.example")))

    assert f"\r\n <{url}>,\r\n <mailto:u@play.example>\r\n".encode() in raw or f": <{url}>,".encode() in raw
    assert header(raw, "List-Unsubscribe") == f"<{url}>, <mailto:u@play.example>"


def test_ids_of_foreign_mails_that_are_none_are_left_out():
    foreign = ("no id", "<a b@c>", "<a@b>\r\nBcc: eve@example.org", "<ü@b>", "<" + "x" * 999 + "@b>", "<fine@b>")

    raw = compose(a_mail(references=foreign, in_reply_to="<a@b>\nBcc: eve@example.org"))

    assert header(raw, "References") == "<fine@b>"
    assert header(raw, "In-Reply-To") == "<fine@b>"


@pytest.mark.parametrize("words", INJECTIONS)
@pytest.mark.parametrize("place", ["subject", "to", "sender"])
def test_no_name_or_subject_adds_a_header_or_an_address(words: str, place: str):
    change = {
        "subject": words,
        "to": Address(words, "ann@example.org"),
        "sender": Address(words, "games@play.example"),
    }[place]

    raw = compose(a_mail(**{place: change}))

    assert_well_formed(raw)
    message = read(raw)
    assert message["Bcc"] is None
    assert [a.addr_spec for a in message["To"].addresses] == ["ann@example.org"]
    assert [a.addr_spec for a in message["From"].addresses] == ["games@play.example"]
    assert "\n" not in shown(header(raw, place.replace("sender", "from").capitalize()))


@given(subject=hostile, name=hostile, text=hostile, html=hostile)
@example(subject="x" * 300, name='"' * 200, text="x" * 3000, html="é" * 3000)
@example(subject="é" * 300, name="👩‍🚀" * 100, text=" \n" * 40, html="\t\r\r\n")
@example(subject="x " * 99, name=("x" * 7 + " ") * 8, text=" ", html="\0")
@example(subject="日本 " * 80, name="a, b; c: d@e", text=". \n.\n..\n", html="-- \nAnn")
def test_every_mail_is_well_formed_and_says_what_went_in(subject: str, name: str, text: str, html: str):
    mail = a_mail(subject=f"S{subject}", to=Address(name, "ann@example.org"), text=f"T{text}", html=f"H{html}")

    raw = compose(mail)

    assert_well_formed(raw)
    assert shown(header(raw, "Subject")) == one_line(mail.subject, SUBJECT_MOST)
    phrase, address = parseaddr(header(raw, "To"))
    assert address == "ann@example.org"
    assert shown(phrase) == one_line(name, NAME_MOST)
    assert part(raw, "text/plain").split() == plain(mail.text).split()
    assert part(raw, "text/html").split() == plain(mail.html).split()


def plain(text: str) -> str:
    text = re.sub("\r\n|[\r\x0b\x0c\x85\u2028\u2029]", "\n", text)
    return re.sub("[\x00-\x08\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]", "", text)


def test_lines_of_the_text_stay_as_they_are():
    text = "Ann: “Café”\n\n  two spaces first\n.\n.dot\nFrom Paris\n-- \n" + "long " * 300 + "end\n" + "x" * 1507 + "\n"

    assert part(compose(a_mail(text=text)), "text/plain") == text


def test_text_in_other_scripts_is_packed_tightly():
    text = "Тебе ходить. Обычно это просто.\n" * 100

    raw = compose(a_mail(text=text, html=""))

    assert part(raw, "text/plain") == text
    assert len(raw) < 1.5 * len(text.encode()) + 2000


def test_direction_marks_and_invisible_letters_leave_names():
    assert one_line("\u202eneB\u202c \u2066x\u2069\u200b\ufeff", 64) == "neB x"


def test_emoji_made_of_several_and_accents_stay():
    assert one_line("👩‍🚀 Zoë O’Brien", 64) == "👩‍🚀 Zoë O’Brien"


def test_a_long_name_is_cut_and_shows_that_it_is():
    assert one_line("Ann " * 40, 10) == "Ann Ann A…"


def test_case_B34_signs_arrive_literally_in_subject_names_and_text():
    name = """Ann 'the "Fox"' & <Co> 🦊"""
    mail = a_mail(subject=f"Richelieu · {name}", to=Address(name, "ann@example.org"), text=f"{name} has the turn.\n")

    raw = compose(mail)

    assert shown(header(raw, "Subject")) == f"Richelieu · {name}"
    assert read(raw)["To"].addresses[0].display_name == name
    assert part(raw, "text/plain") == f"{name} has the turn.\n"


def test_case_B34_the_html_part_is_not_escaped_a_second_time():
    html = "<p>Ann &amp; Ben &lt;3</p>\n"

    assert part(compose(a_mail(html=html)), "text/html") == html


def test_case_B50_one_recipient_and_no_copies():
    raw = compose(a_mail())

    assert re.findall(rb"[\w.-]+@example\.org", raw) == [b"ann@example.org"]
    assert {field.name for field in dataclasses.fields(Mail)}.isdisjoint({"cc", "bcc", "recipients"})
    assert not re.search(rb"(?im)^(b?cc|resent-\w+):", raw)


def test_text_and_page_are_alternatives_and_the_picture_belongs_to_the_page():
    png = bytes(range(256)) * 40

    message = read(compose(a_mail(html='<img src="cid:board@k7f3q" alt="…">', pictures=(Picture("board@k7f3q", png),))))

    assert message.get_content_type() == "multipart/alternative"
    text, related = message.iter_parts()
    page, picture = related.iter_parts()
    assert text.get_content_type() == "text/plain"
    assert related.get_content_type() == "multipart/related"
    assert related.get_param("type") == "text/html"
    assert page.get_content_type() == "text/html"
    assert picture.get_content_type() == "image/png"
    assert picture["Content-ID"] == "<board@k7f3q>"
    assert picture.get_content_disposition() == "inline"
    assert picture.get_content() == png
    assert not [defect for part in message.walk() for defect in part.defects]


def test_a_mail_without_page_is_plain_text():
    assert read(compose(a_mail(html=""))).get_content_type() == "text/plain"


def test_importing_flask_mail_changes_no_mail():
    program = (
        "import sys; sys.path.insert(0, '.'); {}\n"
        "from tests.emails.test_mime import a_mail, compose\n"
        "sys.stdout.buffer.write(compose(a_mail(text='Zoë\\n', html='<p>Zoë')))"
    )
    made = [
        subprocess.run([sys.executable, "-c", program.format(first)], capture_output=True, check=True).stdout
        for first in ("pass", "import flask_mail")
    ]

    assert made[0] == made[1]
    assert b"8bit" not in made[1]


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"date": datetime(2026, 11, 30)}, "time zone"),  # noqa: DTZ001
        ({"subject": " \n"}, "subject"),
        ({"text": " \n"}, "text part"),
        ({"message_id": "letter-1"}, "Message-ID"),
        ({"kind": "turn\r\nBcc: eve@example.org"}, "kind"),
        ({"game": "k7\nBcc:"}, "game"),
        ({"list_id": "k7 f3q"}, "list id"),
        ({"unsubscribe": Unsubscribe("https://play.example/u\r\nBcc: x@y")}, "unsubscribe"),
        ({"pictures": (Picture("board>\r\nX: y", b""),)}, "cid"),
        ({"to": Address("Ann", "ann@example.org\r\nBcc: eve@example.org")}, "address"),
        ({"reply_to": "r-abc"}, "address"),
    ],
)
def test_what_cannot_be_sent_is_refused_with_a_sentence(change: dict[str, object], sentence: str):
    with pytest.raises(ValueError, match=sentence) as refused:
        compose(a_mail(**change))
    assert "eve@" not in str(refused.value)


def test_the_date_keeps_its_own_zone():
    raw = compose(a_mail(date=datetime(2026, 1, 5, 9, 0, tzinfo=timezone(timedelta(hours=5, minutes=30)))))

    assert header(raw, "Date") == "Mon, 05 Jan 2026 09:00:00 +0530"


@pytest.mark.parametrize(
    ("address", "taken"),
    [
        ("ann@example.org", "ann@example.org"),
        (" ann+x@Example.org ", "ann+x@Example.org"),
        ("ann@bücher.example", "ann@xn--bcher-kva.example"),
        ("ann@straße.example", "ann@strasse.example"),
        ("ann@STRAẞE.example", "ann@strasse.example"),
        ("ann@ₑxample.org", "ann@example.org"),
        ("ann@🄰example.org", "ann@aexample.org"),
        ("games@localhost", "games@localhost"),
        ("o'neill@example.org", "o'neill@example.org"),
    ],
)
def test_an_address_is_taken_as_mail_servers_take_it(address: str, taken: str):
    assert mail_address(address) == taken


def test_no_two_mail_domains_are_one_person():
    """Who spells a domain with a letter that reads as another gets none of the mails of whom they are taken for."""
    apart = {}
    for letter in map(chr, range(0x80, 0x20000)):
        try:
            taken = mail_address(f"ann@x{letter}x.example")
        except AddressError:
            continue
        key = email_key(f"ann@x{letter}x.example")
        if key.isascii() and key != taken.lower():
            apart[letter] = (key, taken)
    assert apart == {}


@pytest.mark.parametrize(
    "address",
    [
        *("", "ann", "@example.org", "ann@", "a b@example.org", "änn@example.org", "ann@exa mple.org", "ann@.org"),
        *("ann@example..org", "<ann@example.org>", "ann@example.org, ben@example.org", "ann@[127.0.0.1]"),
        *("ann\r\n@example.org", "ann@example.org\nRCPT TO:<x@y>", '"ann"@example.org', "x" * 65 + "@example.org"),
        "ann@" + ".".join(["x" * 60] * 5),
    ],
)
def test_what_is_no_address_is_refused(address: str):
    with pytest.raises(AddressError, match="not an address"):
        mail_address(address)


def test_an_address_that_no_envelope_takes_is_too_long():
    domain = ".".join(["x" * 60] * 4)
    assert mail_address(f"{'a' * 10}@{domain}")
    with pytest.raises(AddressError, match="too long"):
        mail_address(f"{'a' * 11}@{domain}")


def test_a_message_id_is_of_the_senders_domain():
    assert message_id("letter-1", "games@play.example") == "<letter-1@play.example>"


def test_no_message_id_names_the_machine():
    assert message_id("letter-1", "games@localhost") == "<letter-1@localhost.invalid>"


def test_a_message_id_is_not_made_from_anything():
    with pytest.raises(ValueError, match="left side"):
        message_id("a b", "games@play.example")


@pytest.fixture(scope="module")
def dkim_key(tmp_path_factory: pytest.TempPathFactory) -> tuple[bytes, bytes]:
    """A private key in PEM, and the TXT record of its public half."""
    key: Path = tmp_path_factory.mktemp("dkim") / "key.pem"
    subprocess.run(["openssl", "genrsa", "-out", key, "2048"], check=True, capture_output=True)
    public = subprocess.run(["openssl", "rsa", "-in", key, "-pubout"], check=True, capture_output=True).stdout
    record = b"v=DKIM1; k=rsa; p=" + b"".join(public.splitlines()[1:-1])
    return key.read_bytes(), record


def verifies(raw: bytes, record: bytes) -> bool:
    asked = []

    def dns(name: bytes, timeout: int = 5) -> bytes:
        asked.append(name)
        return record

    verified: bool = dkim.verify(raw, dnsfunc=dns)
    assert asked == [b"mail._domainkey.play.example."]
    return verified


def test_a_signed_mail_verifies(dkim_key: tuple[bytes, bytes]):
    key, record = dkim_key

    signed = sign(compose(a_mail()), key, "mail", "play.example")

    assert verifies(signed, record)
    assert signed.endswith(compose(a_mail()))
    assert max(map(len, head_and_body(signed)[0])) <= 78


@pytest.mark.parametrize(
    "added",
    [
        *("From: Eve <eve@example.org>", "Subject: Pay here", "To: all@example.org", "Cc: all@example.org"),
        *("Date: Mon, 30 Nov 2026 12:06:00 +0000", "Message-ID: <x@y>", "Reply-To: eve@example.org"),
        *("References: <x@y>", "In-Reply-To: <x@y>", "MIME-Version: 1.0", "Content-Type: text/html"),
        *("List-Id: <x.y>", "List-Unsubscribe: <https://x>", "Sender: eve@example.org"),
        *("List-Unsubscribe-Post: List-Unsubscribe=One-Click", "Content-Transfer-Encoding: base64"),
    ],
)
def test_a_header_added_to_a_signed_mail_breaks_the_signature(added: str, dkim_key: tuple[bytes, bytes]):
    key, record = dkim_key
    signed = sign(compose(a_mail()), key, "mail", "play.example")

    assert not verifies(added.encode() + b"\r\n" + signed, record)
    assert not verifies(signed.replace(b"\r\n\r\n", b"\r\n" + added.encode() + b"\r\n\r\n", 1), record)


def test_a_hop_may_add_what_nobody_acts_on(dkim_key: tuple[bytes, bytes]):
    key, record = dkim_key
    signed = sign(compose(a_mail()), key, "mail", "play.example")

    assert verifies(b"Received: from a by b; Mon, 30 Nov 2026 12:06:00 +0000\r\n" + signed, record)


@pytest.mark.parametrize("key", [b"", b"no key", b"-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n"])
def test_a_key_that_is_none_is_refused_without_showing_it(key: bytes):
    with pytest.raises(ValueError, match="RSA private key in PEM"):
        sign(compose(a_mail()), key, "mail", "play.example")

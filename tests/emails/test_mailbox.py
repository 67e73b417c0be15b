"""The built-in mailbox: what a mail server would have got, kept once and read as a mail program would."""

from __future__ import annotations

import dataclasses
from contextlib import contextmanager
from datetime import timedelta

import pytest

from db.models import Letter
from db.turns import DatabaseBusy
from emails import letters
from emails.letters import Drawing
from emails.mailbox import MailboxTransport, inbox, kept_mail
from emails.mime import compose
from emails.outbox import deliver, post
from emails.transport import Status
from tests.db.builders import a_match
from tests.emails.builders import ANN, LINKS, NOW, a_mail, asked_view

ANN_AT = "ann@example.org"


@pytest.fixture
def letter(store, now):
    """A turn letter of a match, delivered into the mailbox."""
    content = letters.turn(ANN, asked_view(20), LINKS, NOW, drawing=Drawing(b"\x89PNG picture", "the board"))

    def write(letter):
        return a_mail(
            letter, subject=content.subject, text=content.text, html=content.html, pictures=content.pictures,
            game="k7f3q2",
        )  # fmt: skip

    with store.writing() as session:
        session.add(a_match(id="k7f3q2"))
        session.flush()
        post(session, "turn", occasion="turn", address=ANN_AT, match_id="k7f3q2", seat=1, now=now)
    assert deliver(store, MailboxTransport(store), write, now).sent == 1
    return content


def test_a_mail_is_kept_byte_for_byte_and_found_by_its_address(store, letter):
    (mail,) = inbox(store, ANN_AT)
    assert inbox(store, "ben@example.org") == []
    assert (mail.kind, mail.match_id, mail.to_address, mail.at) == ("turn", "k7f3q2", ANN_AT, NOW)
    assert mail.raw.startswith(b"From: ")
    again = kept_mail(store, mail.id)
    assert again
    assert again.raw == mail.raw
    assert kept_mail(store, mail.id + 1) is None


def test_it_is_read_as_a_mail_program_reads_it(store, letter):
    (mail,) = inbox(store, ANN_AT)
    assert mail.subject == letter.subject
    assert mail.text == letter.text
    assert mail.html.strip() == letter.html.strip()
    assert ("X-Estafette-Kind", "turn") in mail.headers
    assert "Subject: =?utf-8?" in mail.raw_headers
    (picture,) = mail.pictures
    assert f'src="cid:{picture.cid}"' in mail.html
    assert (picture.content_type, picture.content) == ("image/png", b"\x89PNG picture")


def test_its_links_are_those_of_both_parts_each_once(store, letter):
    (mail,) = inbox(store, ANN_AT)
    assert mail.links == [
        LINKS.move_url, *(tap.url for tap in LINKS.choice_urls), LINKS.mute_url, LINKS.settings_url,
        LINKS.rules_url, LINKS.game_url,
    ]  # fmt: skip


def test_links_in_sentences_lose_what_follows_them(store, now):
    with store.writing() as session:
        post(session, "notice", occasion="notice", address=ANN_AT, now=now)
    text = "See https://play.example.org/a-b (or <https://play.example.org/c>).\n"
    deliver(store, MailboxTransport(store), lambda letter: a_mail(letter, text=text, html=""), now)
    (mail,) = inbox(store, ANN_AT)
    assert mail.links == ["https://play.example.org/a-b", "https://play.example.org/c"]
    assert mail.html == ""
    assert mail.pictures == []


def test_a_repeat_with_the_same_message_id_is_taken_and_not_kept(store, letter):
    (mail,) = inbox(store, ANN_AT)
    delivery = MailboxTransport(store).deliver(mail.raw, "b@play.example.org", ANN_AT)
    assert delivery.status is Status.SENT
    assert len(inbox(store, ANN_AT)) == 1


def test_the_newest_mail_comes_first(store, now):
    with store.writing() as session:
        for number in range(3):
            post(session, "notice", occasion=str(number), address=ANN_AT, now=now + timedelta(hours=number))
    deliver(store, MailboxTransport(store), a_mail, now + timedelta(days=1))
    assert [mail.text for mail in inbox(store, ANN_AT)] == [f"Letter {number}.\n" for number in (2, 1, 0)]
    assert len(inbox(store, ANN_AT, limit=2)) == 2


def test_a_busy_database_is_a_reason_to_try_again(store, now):
    class Busy:
        @contextmanager
        def writing(self):
            raise DatabaseBusy("Others have been writing.")
            yield

    raw = compose(dataclasses.replace(a_mail(Letter(kind="turn", occasion="turn", address=ANN_AT)), date=now))
    delivery = MailboxTransport(Busy()).deliver(raw, "", ANN_AT)  # type: ignore[arg-type]
    assert delivery.status is Status.LATER

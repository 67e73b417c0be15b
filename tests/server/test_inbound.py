"""What comes in by mail: replies that play, replies that cannot, other people's mail, machines, and whatever bytes."""

from __future__ import annotations

import email
import email.policy
import logging
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlmodel import select

from db import queries
from db.models import InboundMail
from server import accounts, upkeep
from server.inbound import LARGEST, act, take_in, tidy
from server.links import MoveLink, UnsubscribeLink
from server.matches import Matches, Played
from server.service import Service
from tests.emails.inbox_mails import a_mail, a_status_report
from tests.emails.servers import Postbox, a_mail_server
from tests.server.builders import (
    HOUR,
    a_match,
    a_service,
    address_of,
    answers,
    letters,
    link_of,
    mails,
    play_turn,
    text_of,
    worker_of,
)
from tests.stories.mail_programs import PROGRAMS, Reply, reply


class Correspondence:
    """A match of Ann and Ben, and the mails about it."""

    def __init__(self, service: Service, now: datetime, **wish: object) -> None:
        self.service = service
        self.now = now
        self.match_id = a_match(service.matches, now, **wish)  # type: ignore[arg-type]
        self.tick()
        self.turn = mails(service, "Ann", "turn")[-1]

    def tick(self) -> None:
        worker_of(self.service).tick(self.now)

    def receive(self, *replies: Reply, to: str | None = None) -> None:
        for each in replies:
            take_in(self.service, each.raw, envelope_to=to, now=self.now)
        self.tick()

    def answers(self, words: str, program: str = "mutt", **bent: object) -> str:
        """Ann answers her turn mail; the mail that she gets back, as text."""
        before = mails(self.service, "Ann")
        self.receive(reply(self.turn, words, program, **bent))
        new = [mail for mail in mails(self.service, "Ann")[len(before) :] if mail["X-Estafette-Kind"] != "turn"]
        assert len(new) <= 1
        return text_of(new[0]).replace("\r\n", "\n") if new else ""

    @property
    def version(self) -> int:
        return self.service.matches.view(self.match_id, None).version

    @property
    def what_came_of_it(self) -> list[tuple[str, str | None]]:
        with self.service.store.reading() as session:
            rows = session.exec(select(InboundMail).order_by(InboundMail.id)).all()  # type: ignore[arg-type]
            return [(row.state, row.why) for row in rows]


@pytest.fixture
def story(service: Service, now: datetime) -> Correspondence:
    return Correspondence(service, now)


# Replies that play


@pytest.mark.parametrize("program", PROGRAMS)
def test_case_B55_a_reply_plays_wherever_the_mail_program_puts_the_quote(story: Correspondence, program: str) -> None:
    assert story.answers("take 1L", program).startswith("Played (move 1): Take ")
    assert story.version == 1


def test_the_receipt_answers_the_players_own_mail_in_the_thread(service: Service, story: Correspondence) -> None:
    sent = reply(story.turn, "take 1L")
    story.receive(sent)
    receipt = mails(service, "Ann", "receipt")[0]
    assert receipt["In-Reply-To"] == sent.message_id
    assert sent.message_id in str(receipt["References"])
    assert str(story.turn["References"]).split()[0] in str(receipt["References"])
    assert receipt["Subject"] == story.turn["Subject"]
    assert receipt["Auto-Submitted"] == "auto-replied"


def test_a_receipt_has_all_that_it_takes_to_answer_again(service: Service, story: Correspondence) -> None:
    told = story.answers("take 1L")
    assert "You are asked again: Put a marker on a card, or end your turn." in told
    assert "The display:" in told
    assert "reply with your move as the first line" in told
    receipt = mails(service, "Ann", "receipt")[0]
    story.receive(reply(receipt, "end"))
    assert text_of(mails(service, "Ann", "receipt")[1]).startswith("Played (move 2): ")
    assert "The match waits for Ben." in text_of(mails(service, "Ann", "receipt")[1])
    assert len(mails(service, "Ben", "turn")) == 1


def test_the_receipt_counts_the_moves_of_the_player_not_of_those_who_answered_since(
    service: Service, now: datetime
) -> None:
    story = Correspondence(service, now, people=("Ann",), house=1)
    assert story.answers("take 1L; end").startswith("Played (move 2): ")
    assert story.version > 2


def test_a_receipt_tells_what_followed_and_not_what_was_before(service: Service, now: datetime) -> None:
    story = Correspondence(service, now)
    for seat in (1, 2):
        play_turn(service.matches, story.match_id, now, seat)
    story.tick()
    story.turn = mails(service, "Ann", "turn")[-1]
    assert "- Ben takes " in text_of(story.turn)
    told = story.answers("take 1L")
    assert told.count("- Ann takes ") == 1
    assert "- Ben takes " not in told


@pytest.mark.parametrize("words", ["take 1L; end", "take 1L\nend", "Take 1l.\n\nEnd.\n\nCheers, Ann"])
def test_several_moves_are_one_submission(story: Correspondence, words: str) -> None:
    told = story.answers(words)
    assert told.startswith("Played (move 2): Take ")
    assert story.version == 2


def test_a_reply_changes_a_sealed_answer(service: Service, now: datetime) -> None:
    match_id = a_match(service.matches, now, game="crusade", people=("Ann", "Ben", "Cat"))
    for _ in range(200):
        view = service.matches.view(match_id, None)
        if len(view.waiting_for) > 1:
            break
        seat = view.waiting_for[0].number
        service.matches.play(
            link_of(service.matches, match_id, seat), answers(service.matches, match_id, seat)[0], now=now
        )
    else:
        pytest.fail("nobody was ever asked together")
    worker_of(service).tick(now)
    name, seat = view.waiting_for[0].name, view.waiting_for[0].number
    first, second = answers(service.matches, match_id, seat)[:2]
    for words in (first, second):
        take_in(service, reply(mails(service, name, "turn")[-1], words).raw, now=now)
        worker_of(service).tick(now)
    decision = service.matches.view(match_id, seat).decision
    assert decision is not None
    assert decision.sealed == second
    numbers = [text_of(mail).partition(")")[0] for mail in mails(service, name, "receipt")]
    assert len(numbers) == 2
    assert numbers[0] == numbers[1]


def test_the_token_is_found_in_any_case_and_in_the_envelope_alone(story: Correspondence) -> None:
    to = str(story.turn["Reply-To"])
    story.receive(reply(story.turn, "take 1L", to=to.upper()))
    assert story.version == 1
    story.receive(reply(story.turn, "end", to="Estafette <estafette@estafette.localhost>"), to=f"<{to}>")
    assert story.version == 2


def test_a_move_in_the_quote_the_signature_or_the_subject_is_never_played(story: Correspondence) -> None:
    for words, program in [("", "gmail"), ("Thanks!\n\n> take 1L", "phone"), ("\n\n-- \ntake 1L", "mutt")]:
        story.receive(reply(story.turn, words, program, subject="take 1L"))
    assert story.version == 0


def test_case_B55_where_nobody_reads_replies_no_mail_invites_one(
    database_url: str, tmp_path: Path, now: datetime
) -> None:
    with a_mail_server(postbox := Postbox()) as port:
        service = a_service(
            database_url,
            tmp_path,
            ESTAFETTE_MAIL_URL=f"smtp+plain://127.0.0.1:{port}",
            ESTAFETTE_PUBLIC_URL="https://play.example",
            ESTAFETTE_MAIL_FROM="games@play.example",
        )
        a_match(service.matches, now)
        worker_of(service).tick(now)
        service.close()
    letters = [email.message_from_bytes(raw, policy=email.policy.default) for _, _, raw in postbox.got]
    assert len(letters) == 3
    for letter in letters:
        assert letter["Reply-To"] is None
        assert "mailto:" not in str(letter["List-Unsubscribe"])
        assert "Replies to this mail are not read." in text_of(letter)


# Replies that cannot be played


def test_what_is_no_move_is_answered_with_what_was_read_and_what_is_possible(
    service: Service, story: Correspondence
) -> None:
    told = story.answers("take 1Q")
    assert told.startswith("Nothing was played. ")
    assert "This was read: “take 1Q”" in told
    assert "These moves are possible:\n\n  take 1L\n" in told
    assert service.links.url("m/") in told
    assert "reply with your move as the first line" in told
    assert story.version == 0


def test_talk_is_not_answered_as_if_it_were_a_move(story: Correspondence) -> None:
    told = story.answers("I would like to think, what does Ben do?")
    assert told.startswith("Nothing was played. The first line is not a move that is possible now.")
    assert "This was read: “I would like to think, what does Ben do?”" in told


def test_two_moves_that_contradict_are_not_played(service: Service, now: datetime) -> None:
    story = Correspondence(service, now)
    told = story.answers("take 1L\ntake 1R")
    assert told.startswith("Nothing was played. ")
    assert "This was read: “take 1L / take 1R”" in told
    assert story.version == 0


def test_a_reply_to_a_decision_that_is_over_gets_a_receipt_that_says_so(
    service: Service, matches: Matches, story: Correspondence
) -> None:
    play_turn(matches, story.match_id, story.now)
    story.tick()
    told = story.answers("take 2L")
    assert told.startswith("Nothing was played. The decision that your mail answers is over.")
    assert "The match waits for Ben." in told
    assert story.version == 2


def test_case_B55_a_reply_to_a_reminder_of_two_turns_ago_plays_nothing(
    service: Service, matches: Matches, story: Correspondence
) -> None:
    story.now += 40 * HOUR
    story.tick()
    reminder = mails(service, "Ann", "reminder")[-1]
    for seat in (1, 2, 1, 2):
        play_turn(matches, story.match_id, story.now, seat)
    story.tick()
    before = story.version
    story.receive(reply(reminder, "take 2L"))
    told = text_of(mails(service, "Ann", "receipt")[-1])
    assert told.startswith("Nothing was played. The decision that your mail answers is over.")
    assert "You are asked (move" in told, "the open decision is told with its link"
    assert story.version == before


def test_who_moves_on_the_page_while_the_mail_is_read_is_answered_by_how_it_stands_then(
    matches: Matches, story: Correspondence, monkeypatch: pytest.MonkeyPatch
) -> None:
    play = matches.play

    def faster(link: MoveLink, submission: str, **how: Any) -> Played:
        monkeypatch.setattr(matches, "play", play)
        play(link, "take 1L", now=story.now)
        return play(link, submission, **how)

    monkeypatch.setattr(matches, "play", faster)
    told = story.answers("take 2L")
    assert told.startswith("Nothing was played. You have taken your cards; now mark a card, or write “end”.")
    assert "Rule 3.9:\nhttp://127.0.0.1:8025/rules/regions#3.9\n" in told
    assert "Moves like these are possible:\n\n  mark " in told
    assert story.version == 1


def test_a_paused_match_says_so(matches: Matches, story: Correspondence) -> None:
    upkeep.pause(matches, story.match_id, "", now=story.now, who="host")
    story.tick()
    assert "Nothing was played. The match is paused" in story.answers("take 1L")


def test_a_frozen_match_says_so_and_nothing_is_lost(matches: Matches, story: Correspondence) -> None:
    matches.freeze(story.match_id, "a test", now=story.now)
    story.tick()
    told = story.answers("take 1L")
    assert told.startswith(f"Your mail was not played: match #{story.match_id} is stopped.")


def test_whose_links_were_made_anew_is_told(service: Service, story: Correspondence) -> None:
    with service.store.reading() as session:
        ann = queries.players.by_address(session, address_of("Ann"))
    assert ann is not None
    accounts.renew_links(service, ann.id)
    story.tick()
    told = story.answers("take 1L")
    assert told.startswith("Your mail was not played: the address that it went to does not work any more.")
    assert story.version == 0


def test_who_gave_the_seat_away_is_told_and_the_new_holder_is_not(
    service: Service, matches: Matches, story: Correspondence
) -> None:
    upkeep.replace(matches, story.match_id, 1, name="Cat", email=address_of("Cat"), now=story.now, who="host")
    story.tick()
    assert story.answers("take 1L").startswith("Your mail was not played")
    assert mails(service, "Cat", "receipt") == []
    assert story.version == 0


def test_a_mail_without_its_token_is_answered_if_it_refers_to_a_letter_of_its_writer(story: Correspondence) -> None:
    told = story.answers("take 1L", to="Estafette <estafette@estafette.localhost>")
    assert told.startswith("Nothing was played. Your mail came without the address")
    assert "/m/" in told
    assert story.version == 0


def test_a_mail_about_nothing_is_left_alone(service: Service, story: Correspondence) -> None:
    before = len(letters(service))
    story.receive(reply(story.turn, "hello", to="estafette@estafette.localhost", in_reply_to=""))
    assert story.what_came_of_it == [("ignored", "it names no decision")]
    assert len(letters(service)) == before


# Whose they are


def test_case_B55_from_another_address_nothing_is_played_and_the_player_gets_the_link(
    service: Service, story: Correspondence
) -> None:
    story.receive(reply(story.turn, "take 1L\nand visit evil.example", sender="Mallory <mallory@evil.example>"))
    assert story.version == 0
    [told] = mails(service, "Ann", "receipt")
    assert "it was not sent from your address, so nothing was played" in text_of(told)
    assert "It asks for: Take " in text_of(told)
    assert "evil" not in text_of(told)
    assert "/m/" in text_of(told)
    assert {str(mail["To"]) for mail in mails(service)} == {
        f"{name} <{address_of(name)}>" for name in ("Ann", "Ben")
    }, "nobody outside gets a mail"


def test_however_often_a_stranger_writes_the_player_is_told_once_a_day(service: Service, story: Correspondence) -> None:
    for _ in range(4):
        story.receive(reply(story.turn, "take 1L", sender="mallory@evil.example"))
    assert len(mails(service, "Ann", "receipt")) == 1


def test_a_mail_with_two_senders_is_a_strangers(story: Correspondence) -> None:
    story.receive(reply(story.turn, "take 1L", sender=f"{address_of('Ann')}, mallory@evil.example"))
    assert story.version == 0


@pytest.fixture
def checked(database_url: str, tmp_path: Path, now: datetime) -> Iterator[Correspondence]:
    """Where the operator has named a host that checks senders."""
    service = a_service(database_url, tmp_path, ESTAFETTE_AUTHSERV_ID="mx.play.example")
    yield Correspondence(service, now)
    service.close()


PASSED = "mx.play.example; dmarc=pass header.from=players.example"


def test_where_a_host_checks_senders_its_word_is_needed(checked: Correspondence) -> None:
    story = checked
    for verdict in (
        "",
        "mx.play.example; dmarc=fail header.from=players.example",
        "mx.evil.example; dmarc=pass header.from=players.example",
        f"mx.play.example; dmarc=fail\r\nAuthentication-Results: {PASSED}",
    ):
        story.receive(reply(story.turn, "take 1L", more={"Authentication-Results": verdict}))
    assert story.version == 0
    told = text_of(mails(story.service, "Ann", "receipt")[0])
    assert "our mail server could not confirm that it was you who sent it" in told
    story.receive(reply(story.turn, "take 1L", more={"Authentication-Results": PASSED}))
    assert story.version == 1


def test_a_forged_token_is_no_address_of_ours(story: Correspondence) -> None:
    to = str(story.turn["Reply-To"])
    local, _, domain = to.partition("@")
    forged = f"{local[:-1]}{'b' if local[-1] != 'b' else 'c'}@{domain}"
    story.receive(reply(story.turn, "take 1L", to=forged, in_reply_to=""))
    story.receive(reply(story.turn, "take 1L", to=f"{local}@elsewhere.example", in_reply_to=""))
    assert story.version == 0
    assert {state for state, _ in story.what_came_of_it} == {"ignored"}


# Machines and loops


def test_an_answering_machine_gets_no_answer(service: Service, story: Correspondence) -> None:
    for more in ({"Auto-Submitted": "auto-replied"}, {"Precedence": "bulk"}, {"X-Autoreply": "yes"}):
        story.receive(reply(story.turn, "take 1L", more=more))
    assert mails(service, "Ann", "receipt") == []
    assert story.version == 0


def test_a_loop_ends_with_one_answer_a_day(service: Service, story: Correspondence) -> None:
    """A machine that says nothing of itself answers every mail of ours with the same words."""
    for _ in range(10):
        newest = [mail for mail in mails(service, "Ann") if mail["Reply-To"]][-1]
        story.receive(reply(newest, "Thank you for your mail. We are closed until Monday."))
    assert len(mails(service, "Ann", "receipt")) == 1
    story.now += 24 * HOUR
    newest = [mail for mail in mails(service, "Ann", "receipt") if mail["Reply-To"]][-1]
    story.receive(reply(newest, "Thank you for your mail. We are closed until Monday."))
    assert len(mails(service, "Ann", "receipt")) == 2


def test_whoever_writes_something_else_each_time_is_answered_five_times_a_day(
    service: Service, story: Correspondence
) -> None:
    for number in range(12):
        story.receive(reply(story.turn, f"ticket {number} was opened for you"))
    assert len(mails(service, "Ann", "receipt")) == 5
    story.receive(reply(story.turn, "take 1L"))
    assert story.version == 1, "moves are played all the same"


# Leaving by mail


def test_a_mail_to_the_unsubscribe_address_mutes(service: Service, story: Correspondence) -> None:
    mailto = str(story.turn["List-Unsubscribe"]).rpartition("mailto:")[2].strip("> ")
    story.receive(reply(story.turn, "", subject="unsubscribe", to=mailto, in_reply_to=""))
    with service.store.reading() as session:
        assert [seat.muted for seat in queries.seats.of(session, story.match_id)] == [True, False]


def test_an_unsubscribe_address_for_all_mails_mutes_all(service: Service, story: Correspondence) -> None:
    with service.store.reading() as session:
        ann = queries.players.by_address(session, address_of("Ann"))
    assert ann is not None
    local = service.links.local_part(UnsubscribeLink(ann.id, "all"))
    story.receive(reply(story.turn, "", to=f"{local}@estafette.localhost", in_reply_to=""))
    with service.store.reading() as session:
        found = queries.players.by_address(session, address_of("Ann"))
    assert found is not None
    assert found.mute_all


# Stored once, acted on once


def test_the_same_bytes_twice_are_one_mail(service: Service, story: Correspondence) -> None:
    raw = reply(story.turn, "take 1L; end").raw
    first = take_in(service, raw, now=story.now)
    story.tick()
    assert take_in(service, raw, now=story.now) == first
    story.tick()
    assert story.version == 2
    assert len(mails(service, "Ann", "receipt")) == 1


def test_a_copy_that_came_on_another_way_is_not_played_again(service: Service, story: Correspondence) -> None:
    sent = reply(story.turn, "take 1L")
    story.receive(sent)
    sent.more = {"Received": "from elsewhere by mx.play.example; Mon, 30 Nov 2026 10:21:00 +0100"}
    story.receive(sent, to=str(story.turn["Reply-To"]))
    assert story.version == 1
    assert story.what_came_of_it[1] == ("ignored", "it is a copy of a mail that was taken in before")
    assert len(mails(service, "Ann", "receipt")) == 1


def test_nothing_is_acted_on_before_it_is_stored(service: Service, story: Correspondence) -> None:
    take_in(service, reply(story.turn, "take 1L").raw, now=story.now)
    assert story.what_came_of_it == [("waiting", None)]
    assert story.version == 0
    assert service.wake.is_set()


def test_mails_are_acted_on_in_the_order_in_which_they_came(story: Correspondence) -> None:
    story.receive(reply(story.turn, "take 1L"), reply(story.turn, "end"))
    assert story.version == 2


def test_a_mail_that_came_before_the_time_was_up_counts(service: Service, now: datetime) -> None:
    story = Correspondence(service, now, pace="day")
    take_in(service, reply(story.turn, "take 2L; end").raw, now=now + 23 * HOUR)
    story.now = now + 25 * HOUR  # the worker was away
    story.tick()
    assert mails(service, "Ann", "notice") == []
    assert text_of(mails(service, "Ann", "receipt")[0]).startswith("Played")


def test_what_a_mail_said_is_forgotten_after_a_month_and_that_it_came_is_not(
    service: Service, story: Correspondence
) -> None:
    raw = reply(story.turn, "take 1L").raw
    first = take_in(service, raw, now=story.now)
    story.tick()
    tidy(service, story.now + timedelta(days=31))
    with service.store.reading() as session:
        mail = queries.inbound.by_id(session, first)
    assert mail is not None
    assert mail.raw == b""
    assert take_in(service, raw, now=story.now) == first


def test_a_forgotten_persons_mails_are_emptied(service: Service, story: Correspondence) -> None:
    first = take_in(service, reply(story.turn, "take 1L").raw, now=story.now)
    story.tick()
    accounts.forget(service, address_of("Ann"))
    with service.store.reading() as session:
        mail = queries.inbound.by_id(session, first)
    assert mail is not None
    assert (mail.raw, mail.player_id) == (b"", None)


# Whatever bytes


def of_many_parts(number: int) -> bytes:
    part = b"--b\r\nContent-Type: text/plain\r\n\r\ntake 1L\r\n"
    return a_mail(part * number + b"--b--\r\n", content_type="multipart/mixed; boundary=b")


BAD = {
    "nothing": b"",
    "a line end": b"\n",
    "every byte": bytes(range(256)) * 20,
    "NULs": b"\0" * 5000,
    "headers without a body": b"From: a@b.example\r\nTo: c@d.example",
    "a body without headers": b"\r\n\r\ntake 1L",
    "unknown charset": a_mail("take 1L", content_type="text/plain; charset=x-martian"),
    "utf-7 with half a pair": a_mail(b"+2AA- take 1L", content_type="text/plain; charset=utf-7"),
    "a boundary that never ends": a_mail(b"--b\r\n" * 3, content_type="multipart/mixed; boundary=b"),
    "boundaries in boundaries": a_mail(b"--b\r\n" * 50, content_type="multipart/mixed; boundary=b"),
    "a header of a megabyte": b"Subject: " + b"x" * 1_000_000 + b"\r\n\r\ntake 1L",
    "ten thousand headers": b"X: y\r\n" * 10_000 + b"\r\ntake 1L",
    "ten thousand parts": of_many_parts(10_000),
    "NULs in the headers": a_mail("take 1L", subject="a\0b", message_id="<\0@x>"),
    "a message id of everything": a_mail("take 1L", message_id="<\u2028\x85@x>\u00a0<>"),
}  # fmt: skip


@pytest.mark.parametrize("raw", BAD.values(), ids=BAD)
def test_bad_bytes_are_put_aside_or_ignored_and_the_next_mail_is_read(
    story: Correspondence, raw: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.WARNING)
    take_in(
        story.service,
        raw,
        envelope_to=str(story.turn["Reply-To"]),
        envelope_from="ann@players.example\0",
        now=story.now,
    )
    story.receive(reply(story.turn, "take 2L"))
    assert story.version == 1
    assert story.what_came_of_it[0][0] in ("ignored", "quarantined", "done")
    assert caplog.records == []


def test_fifty_megabytes_are_put_aside_with_a_reason_and_only_their_beginning_is_kept(story: Correspondence) -> None:
    raw = reply(story.turn, "take 1L").raw + b"x" * 50_000_000
    mail_id = take_in(story.service, raw, now=story.now)
    story.receive(reply(story.turn, "take 2L"))
    assert story.what_came_of_it[0] == ("quarantined", "it is larger than 5 MB")
    assert story.version == 1
    with story.service.store.reading() as session:
        mail = queries.inbound.by_id(session, mail_id)
    assert mail is not None
    assert len(mail.raw) < LARGEST // 10


def test_a_mail_of_two_hundred_parts_is_put_aside(story: Correspondence) -> None:
    sent = reply(story.turn, "take 1L", content_type="multipart/mixed; boundary=b", encoding="")
    sent.body = b"--b\r\nContent-Type: text/plain\r\n\r\ntake 1L\r\n" * 250 + b"--b--\r\n"
    story.receive(sent)
    assert story.what_came_of_it == [("quarantined", "it has 200 parts or more")]
    assert story.version == 0


INJECTIONS = [
    "\r\nBcc: mallory@evil.example",
    "\nX-Evil: 1",
    "\x85X-Evil: 1",
    "\u2028X-Evil: 1",
    "=?utf-8?q?=0AX-Evil: 1?=",
]


@pytest.mark.parametrize("injected", INJECTIONS)
def test_nothing_of_a_mail_gets_into_the_headers_of_its_answer(story: Correspondence, injected: str) -> None:
    sent = reply(
        story.turn, f"what{injected} now", message_id=f"<1{injected}@players.example>", subject=f"Re{injected}"
    )
    story.receive(sent)
    [answer] = mails(story.service, "Ann", "receipt")
    assert "X-Evil" not in answer
    assert "Bcc" not in answer
    assert [line for line in str(answer).split("\n\n")[0].split("\n") if line.startswith(("X-Evil", "Bcc"))] == []


def test_a_mail_on_which_acting_fails_is_put_aside_and_the_next_is_read(
    story: Correspondence, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fall_over(*_arguments: object, **_more: object) -> None:
        raise ZeroDivisionError("take 1L")

    with monkeypatch.context() as broken:
        broken.setattr(story.service.matches, "preview", fall_over)
        take_in(story.service, reply(story.turn, "take 1L").raw, now=story.now)
        assert act(story.service, story.now) == 1
    assert story.what_came_of_it == [("quarantined", "acting on it failed (ZeroDivisionError)")]
    assert "take 1L" not in caplog.text
    story.receive(reply(story.turn, "take 2L"))
    assert story.version == 1


def test_a_mail_that_cannot_be_read_is_put_aside_and_the_next_is_read(
    story: Correspondence, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fall_over(*_arguments: object) -> None:
        raise RecursionError

    with monkeypatch.context() as broken:
        broken.setattr("emails.inbox.incoming._read", fall_over)
        story.receive(reply(story.turn, "take 1L"))
    assert story.what_came_of_it == [("quarantined", "It could not be read (RecursionError).")]
    story.receive(reply(story.turn, "take 2L"))
    assert story.version == 1


def test_a_mail_that_is_begun_again_and_again_is_put_aside(story: Correspondence) -> None:
    """Whatever kills the process each time, it cannot go on for ever."""
    mail_id = take_in(story.service, reply(story.turn, "take 1L").raw, now=story.now)
    with story.service.store.writing() as session:
        for _ in range(10):
            queries.inbound.begin(session, mail_id)
    story.receive(reply(story.turn, "take 2L"))
    assert story.what_came_of_it[0] == ("quarantined", "it was begun 10 times and never got done")
    assert story.version == 1


# Logs


def test_case_B36_no_token_and_no_words_of_a_mail_get_into_the_log(
    story: Correspondence, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    to = str(story.turn["Reply-To"])
    for words in ("take 1L", "what a secret plan", "take 1Q"):
        story.receive(reply(story.turn, words), reply(story.turn, words, sender="mallory@evil.example"), to=to)
    take_in(story.service, a_status_report("550 5.1.1 ann@players.example is unknown", to=to), now=story.now)
    story.tick()
    told = caplog.text.lower()
    assert to.partition("@")[0] not in told
    assert to.partition("@")[0].rpartition("-")[2] not in told
    assert "secret plan" not in told
    assert "ann@players.example" not in told

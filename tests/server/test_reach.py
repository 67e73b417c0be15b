"""Who can be reached: refusals and reports, days that are counted, who is told, complaints, and the way back."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from email.message import EmailMessage
from pathlib import Path

import pytest
from flask import Flask
from sqlmodel import select

from db import queries
from db.models import Event, Player
from server import beginning, create_app
from server.beginning import SeatWish, Wish
from server.inbound import take_in
from server.links import BounceAddress
from server.service import Service
from tests.emails.inbox_mails import a_letter_of_ours, a_multipart, a_part, a_status_report
from tests.emails.servers import Postbox, a_mail_server
from tests.server.browsing import Browser, sign_in
from tests.server.builders import (
    HOUR,
    a_match,
    a_service,
    address_of,
    letters,
    mails,
    play_turn,
    text_of,
    worker_of,
)
from tests.stories.mail_programs import reply

DAY = timedelta(days=1)
GONE = "550 5.1.1 <ann@players.example>: Recipient address rejected: User unknown"
FULL = "552 5.2.2 The mailbox is full"


def player(service: Service, name: str = "Ann") -> Player:
    with service.store.reading() as session:
        found = queries.players.by_address(session, address_of(name))
    assert found is not None
    return found


def events(service: Service) -> list[tuple[str, str | None]]:
    with service.store.reading() as session:
        return [(event.what, event.why) for event in session.exec(select(Event)).all()]


def report(service: Service, letter_id: str, diagnostic: str, *, status: str, **more: str) -> bytes:
    """A mail server's report about a letter, sent to its envelope's sender."""
    to = f"{service.links.local_part(BounceAddress(letter_id))}@estafette.localhost"
    return a_status_report(diagnostic, status=status, recipient=address_of("Ann"), to=to, **more)


@dataclass
class Story:
    """A match of Ann and Ben, and reports about the mails to Ann."""

    service: Service
    match_id: str
    now: datetime

    def tick(self) -> None:
        worker_of(self.service).tick(self.now)

    def comes_back(self, diagnostic: str, *, status: str, letter: str = "", number: int = 0, **more: str) -> None:
        letter = letter or letters(self.service, kind="turn", player_id=player(self.service).id)[-1].id
        raw = report(
            self.service, letter, diagnostic, status=status, message_id=f"<{number}.{self.now:%d}@mx.example>", **more
        )
        take_in(self.service, raw, envelope_from="", now=self.now)
        self.tick()

    def mails(self, name: str, kind: str) -> list[EmailMessage]:
        return mails(self.service, name, kind)


@pytest.fixture
def story(service: Service, now: datetime) -> Story:
    story = Story(service, a_match(service.matches, now), now)
    story.tick()
    return story


# Reports


def test_case_B53_an_address_that_is_gone_gets_no_more_mail_at_once(service: Service, story: Story) -> None:
    story.comes_back(f"smtp; {GONE}", status="5.1.1")
    ann = player(service)
    assert ann.paused_at == story.now
    assert str(ann.paused_why).endswith(" (5.1.1)")
    story.now += HOUR
    for seat in (1, 2):
        play_turn(service.matches, story.match_id, story.now, seat)
    story.tick()
    assert len(story.mails("Ann", "turn")) == 1
    last = letters(service, kind="turn", player_id=ann.id)[-1]
    assert (last.state, last.why) == ("dropped", "the address cannot be reached")


def test_what_came_back_is_written_on_the_letter(service: Service, story: Story) -> None:
    story.comes_back(f"smtp; {GONE}", status="5.1.1")
    letter = letters(service, kind="turn", player_id=player(service).id)[0]
    assert letter.state == "failed"
    assert str(letter.why).startswith("it came back: ")
    assert letter.last_answer == "5.1.1"


@pytest.mark.parametrize(
    ("diagnostic", "status", "action"),
    [
        ("smtp; 452 4.2.2 The mailbox is full", "4.2.2", "failed"),
        (f"smtp; {FULL}", "5.2.2", "failed"),
        ("smtp; 451 4.7.1 Greylisted, try again later", "4.7.1", "delayed"),
        ("smtp; 550 No", "5.0.0", "failed"),
    ],
)
def test_case_B53_what_may_pass_stops_nothing_at_first(
    service: Service, story: Story, diagnostic: str, status: str, action: str
) -> None:
    story.comes_back(diagnostic, status=status, action=action)
    assert player(service).paused_at is None


def test_case_B53_five_days_of_it_within_thirty_stop_the_mail(service: Service, story: Story) -> None:
    for number in range(4):
        story.comes_back(f"smtp; {FULL}", status="5.2.2", number=number)
        story.comes_back(f"smtp; {FULL}", status="5.2.2", number=100 + number)  # twice a day counts once
        story.now += DAY
    assert player(service).paused_at is None
    story.comes_back(f"smtp; {FULL}", status="5.2.2", number=5)
    assert player(service).paused_why == "mails came back on 5 days, the last time because the mailbox is full (5.2.2)"


def test_days_that_are_long_past_do_not_count(service: Service, story: Story) -> None:
    for number in range(8):
        story.comes_back(f"smtp; {FULL}", status="5.2.2", number=number)
        story.now += 9 * DAY
    assert player(service).paused_at is None


def test_the_same_report_twice_counts_once(service: Service, story: Story) -> None:
    letter = letters(service, kind="turn", player_id=player(service).id)[0]
    raw = report(service, letter.id, f"smtp; {FULL}", status="5.2.2")
    for days in range(5):
        take_in(service, raw, envelope_from="", now=story.now + days * DAY)
        worker_of(service).tick(story.now + days * DAY)
    with service.store.reading() as session:
        assert queries.players.bounce_days(session, player(service).id, since="2026-01-01") == 1


def test_a_report_about_no_letter_of_ours_does_nothing(service: Service, story: Story) -> None:
    for to in ("b-k7f3q2m9x4w8aaaaaaaaaaaaaaaaaaaa@estafette.localhost", "estafette@estafette.localhost"):
        take_in(service, a_status_report(f"smtp; {GONE}", status="5.1.1", to=to), envelope_from="", now=story.now)
    story.tick()
    assert player(service).paused_at is None


def test_a_report_about_our_signature_is_the_operators_alarm_and_no_verdict(
    database_url: str, tmp_path: Path, now: datetime
) -> None:
    service = a_service(database_url, tmp_path, ESTAFETTE_ADMINS="op@host.example")
    story = Story(service, a_match(service.matches, now), now)
    story.tick()
    for number in range(3):
        diagnostic = "smtp; 550 5.7.26 This mail is unauthenticated: SPF and DKIM did not pass"
        story.comes_back(diagnostic, status="5.7.26", number=number)
    assert player(service).paused_at is None
    assert [what for what, _ in events(service)] == ["our mail is refused"]
    [told] = [mail for mail in mails(service, kind="notice") if "op@host.example" in str(mail["To"])]
    assert told["Subject"] == "A mail server refuses our mail."
    assert "estafette mail list" in text_of(told)
    service.close()


# Refusals while sending


@pytest.fixture
def postbox() -> Postbox:
    return Postbox()


@pytest.fixture
def abroad(database_url: str, tmp_path: Path, postbox: Postbox) -> Iterator[Service]:
    """An instance whose mails leave, to a mail server that answers as the postbox says."""
    with a_mail_server(postbox) as port:
        service = a_service(
            database_url,
            tmp_path,
            ESTAFETTE_MAIL_URL=f"smtp+plain://127.0.0.1:{port}",
            ESTAFETTE_PUBLIC_URL="https://play.example",
            ESTAFETTE_MAIL_FROM="games@play.example",
            ESTAFETTE_INBOUND="lmtp://127.0.0.1:8024",
        )
        yield service
        service.close()


def test_case_B53_a_refusal_for_good_while_sending_stops_the_mail(
    abroad: Service, postbox: Postbox, now: datetime
) -> None:
    postbox.answers[address_of("Ann")] = GONE
    a_match(abroad.matches, now)
    worker_of(abroad).tick(now)
    assert player(abroad).paused_at == now
    assert {recipient for _, [recipient], _ in postbox.got} == {address_of("Ben")}, "the others get theirs"


def test_case_B53_a_refusal_for_now_is_tried_again_and_counts_for_nothing(
    abroad: Service, postbox: Postbox, now: datetime
) -> None:
    postbox.answers[address_of("Ann")] = "450 4.2.1 Try again later"
    a_match(abroad.matches, now, pace="week")
    for hours in range(0, 72, 3):
        worker_of(abroad).tick(now + hours * HOUR)
    assert player(abroad).paused_at is None
    del postbox.answers[address_of("Ann")]
    worker_of(abroad).tick(now + 80 * HOUR)
    assert address_of("Ann") in {recipient for _, [recipient], _ in postbox.got}


def test_what_is_refused_until_it_is_useless_counts_as_one_day(
    abroad: Service, postbox: Postbox, now: datetime
) -> None:
    postbox.answers[address_of("Ann")] = "450 4.2.2 Mailbox full"
    a_match(abroad.matches, now, pace="none")
    for hours in range(0, 100, 2):
        worker_of(abroad).tick(now + hours * HOUR)
    with abroad.store.reading() as session:
        assert queries.players.bounce_days(session, player(abroad).id, since="2026-01-01") == 1
    assert player(abroad).paused_at is None


def test_a_mail_server_that_refuses_us_is_the_operators_alarm(abroad: Service, postbox: Postbox, now: datetime) -> None:
    postbox.answers["MAIL"] = "550 5.7.1 You may not send here"
    a_match(abroad.matches, now)
    for hours in range(3):
        worker_of(abroad).tick(now + hours * HOUR)
    assert events(abroad) == [("our mail is refused", "our own mail server does not take it")]
    with abroad.store.reading() as session:
        assert not queries.players.paused(session)


# Who is told


def test_the_others_are_told_by_mail_and_on_the_page(service: Service, story: Story) -> None:
    story.comes_back(f"smtp; {GONE}", status="5.1.1")
    [told] = story.mails("Ben", "notice")
    assert text_of(told).startswith("Mails to Ann come back, so Ann gets none until that is put right.")
    assert "The clock goes on" in text_of(told)
    assert "The match waits for Ann (cannot be reached)." in text_of(told)
    page = Browser(create_app(service)).get(f"/g/{story.match_id}")
    assert "Ann cannot be reached: mails to this address come back. The clock goes on" in page.text
    assert [what for what, _ in events(service)] == ["an address cannot be reached"]


def test_the_host_is_told_of_an_invitation_that_came_back(service: Service, now: datetime) -> None:
    with service.store.writing() as session:
        host = queries.players.for_address(session, address_of("Hal"), name="Hal", now=now)
    wish = Wish(game="regions", seats=[SeatWish("Ann", address_of("Ann")), SeatWish("Hal", address_of("Hal"))])
    match_id = beginning.create(service.matches, wish, host=host.id, now=now)
    story = Story(service, match_id, now)
    story.tick()
    invitation = letters(service, kind="invitation")[0]
    story.comes_back(f"smtp; {GONE}", status="5.1.1", letter=invitation.id)
    [told] = story.mails("Hal", "notice")
    assert "Mails to Ann come back" in text_of(told)
    assert service.links.url(f"g/{match_id}") in text_of(told)
    page = Browser(create_app(service)).get(f"/g/{match_id}")
    assert ": invited, but mails to this address come back" in page.text


def test_without_a_time_limit_the_others_read_what_can_be_done(service: Service, now: datetime) -> None:
    story = Story(service, a_match(service.matches, now, pace="none"), now)
    story.tick()
    story.comes_back(f"smtp; {GONE}", status="5.1.1")
    assert "Whoever set up the match can give the seat to somebody else." in text_of(story.mails("Ben", "notice")[0])


# The way back


def test_a_mail_from_the_address_is_a_way_back(service: Service, story: Story) -> None:
    turn = story.mails("Ann", "turn")[0]
    story.comes_back(f"smtp; {GONE}", status="5.1.1")
    take_in(service, reply(turn, "take 1L").raw, now=story.now)
    story.tick()
    assert player(service).paused_at is None
    assert text_of(story.mails("Ann", "receipt")[0]).startswith("Played")


def test_a_strangers_mail_is_no_way_back(service: Service, story: Story) -> None:
    turn = story.mails("Ann", "turn")[0]
    story.comes_back(f"smtp; {GONE}", status="5.1.1")
    take_in(service, reply(turn, "take 1L", sender="mallory@evil.example").raw, now=story.now)
    story.tick()
    assert player(service).paused_at is not None


def test_signing_in_is_a_way_back_and_what_is_open_is_mailed_again(service: Service, story: Story) -> None:
    site: Flask = create_app(service)
    story.now = service.now()
    story.comes_back(f"smtp; {GONE}", status="5.1.1")
    browser = Browser(site)
    sign_in(service, browser, "Ann")
    assert player(service).paused_at is None
    worker_of(service).tick()
    assert len(story.mails("Ann", "turn")) == 2


def test_after_the_way_back_the_days_are_counted_anew(service: Service, story: Story) -> None:
    for number in range(4):
        story.comes_back(f"smtp; {FULL}", status="5.2.2", number=number)
        story.now += DAY
    story.comes_back(f"smtp; {GONE}", status="5.1.1", number=10)
    take_in(service, reply(story.mails("Ann", "turn")[0], "hello").raw, now=story.now)
    story.tick()
    story.comes_back(f"smtp; {FULL}", status="5.2.2", number=11)
    assert player(service).paused_at is None


# Complaints


def a_complaint(message_id: str, to: str) -> bytes:
    ours = a_letter_of_ours(address_of("Ann")).replace("<turn-9@play.example.net>", message_id)
    return a_multipart(
        a_part("This is an abuse report."),
        a_part("Feedback-Type: abuse\r\nUser-Agent: SomeGenerator/1.0\r\nVersion: 1\r\n", "message/feedback-report"),
        a_part(ours, "message/rfc822"),
        subtype="report",
        parameters="report-type=feedback-report; ",
        to=to,
        **{"from": "fbl@provider.example", "in_reply_to": ""},
    )


def test_case_B53_after_a_complaint_only_what_is_asked_for_is_sent(service: Service, story: Story) -> None:
    turn = story.mails("Ann", "turn")[0]
    raw = a_complaint(str(turn["Message-ID"]), "abuse@estafette.localhost")
    take_in(service, raw, now=story.now)
    story.tick()
    ann = player(service)
    assert ann.mute_all
    assert ann.paused_at is None
    assert ("a complaint stopped all mails to a player", f"player {ann.id}") in events(service)
    take_in(service, reply(turn, "take 1L; end").raw, now=story.now)
    story.tick()
    assert text_of(story.mails("Ann", "receipt")[0]).startswith("Played"), "an answer is asked for"
    play_turn(service.matches, story.match_id, story.now, 2)
    story.tick()
    assert len(story.mails("Ann", "turn")) == 1


def test_a_complaint_about_somebody_elses_mail_does_nothing(service: Service, story: Story) -> None:
    take_in(service, a_complaint("<made-up@estafette.localhost>", "abuse@estafette.localhost"), now=story.now)
    story.tick()
    assert not player(service).mute_all


# Logs


def test_case_B36_reports_leave_no_token_and_no_address_behind(
    service: Service, story: Story, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    letter = letters(service, kind="turn", player_id=player(service).id)[0]
    token = service.links.local_part(BounceAddress(letter.id))
    story.comes_back(f"smtp; 550 5.1.1 no user, said for {token}", status="5.1.1")
    assert token.rpartition(letter.id)[2] not in caplog.text
    assert address_of("Ann") not in caplog.text
    fresh = letters(service, kind="turn", player_id=player(service).id)[0]
    assert token not in f"{fresh.last_answer} {fresh.why}"
    assert all(token not in f"{what} {why}" for what, why in events(service))

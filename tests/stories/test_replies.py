"""Whole matches by replies alone, through every way in: each move is a line in a mail, each mail is answered."""

from __future__ import annotations

import email
import email.policy
import itertools
import os
import random
import smtplib
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from email.message import EmailMessage
from pathlib import Path

import pytest

from server import house
from server.cli.demo import mailbox_reader
from server.inbound import take_in
from server.lmtp import LmtpServer
from server.rules import GAMES
from server.rules.asking import Decision
from server.rules.telling import sentence
from server.service import Service
from tests.server.builders import a_match, mails, text_of, worker_of
from tests.stories.mail_programs import PROGRAMS, Reply, reply

PEOPLE = {"regions": ("Ann", "Ben"), "intrigues": ("Ann", "Ben", "Cat"), "crusade": ("Ann", "Ben", "Cat")}

Deliver = Callable[[Reply], None]


@dataclass
class Correspondence:
    """Everybody answers the newest mail that can be answered, with what a house player would do."""

    service: Service
    match_id: str
    now: datetime
    deliver: Deliver
    luck: random.Random = field(default_factory=lambda: random.Random(7))
    replies: int = 0

    def run(self) -> None:
        """Until the match is over."""
        worker = worker_of(self.service)
        programs = itertools.cycle(PROGRAMS)
        inbox = mailbox_reader(self.service)
        for _ in range(2_000):
            worker.tick(self.now)
            self.now += timedelta(minutes=3)
            new = [email.message_from_bytes(raw, policy=email.policy.default) for raw in inbox()]
            if self.service.matches.view(self.match_id, None).outcome is not None:
                return
            newest = {str(mail["To"]): mail for mail in new if mail["Reply-To"]}
            answered = [self.answer(mail, next(programs)) for mail in newest.values()]
            assert any(answered), "the match waits, and no mail that can be answered has come"
        pytest.fail("the match never ended")

    def answer(self, mail: EmailMessage, program: str) -> bool:
        name = str(mail["To"]).partition(" <")[0]
        view = self.service.matches.view(self.match_id, None)
        seat = next(seat for seat in view.seats if seat.name == name)
        if not seat.asked or seat.answered:
            return False
        self.deliver(reply(mail, self.choice(seat.number), program))
        self.replies += 1
        return True

    def choice(self, seat: int) -> str:
        view = self.service.matches.view(self.match_id, seat)
        assert view.decision is not None
        texts = [choice.text for choice in view.decision.choices]
        asked = Decision(
            view.decision.kind,
            sentence(view.decision.prompt),
            listing=lambda: texts,
            reading=" ".join,
            saying=lambda text: sentence("{text}", text=text),
        )
        return house.choose(GAMES[view.game], asked, view.position, seat, self.luck)


def straight_in(service: Service, now: datetime) -> Deliver:
    def deliver(mail: Reply) -> None:
        take_in(service, mail.raw, now=now)

    return deliver


@pytest.mark.slow
@pytest.mark.parametrize("game", GAMES)
def test_a_match_is_played_to_its_end_by_replies_alone(service: Service, now: datetime, game: str) -> None:
    people = PEOPLE[game]
    match_id = a_match(service.matches, now, game=game, people=people)
    story = Correspondence(service, match_id, now, straight_in(service, now))
    story.run()
    view = service.matches.view(match_id, None)
    assert view.outcome is not None
    receipts = mails(service, kind="receipt")
    assert len(receipts) == story.replies
    assert all(text_of(mail).startswith("Played (move ") for mail in receipts)
    assert {mail["To"].addresses[0].display_name for mail in mails(service, kind="finished")} == set(people)


@pytest.fixture
def lmtp(service: Service) -> Iterator[LmtpServer]:
    server = LmtpServer(service, "127.0.0.1", 0)
    server.start()
    yield server
    server.stop()


@pytest.mark.slow
def test_a_match_is_played_through_lmtp(service: Service, now: datetime, lmtp: LmtpServer) -> None:
    def hand_over(mail: Reply) -> None:
        with smtplib.LMTP("127.0.0.1", lmtp.port) as client:
            assert client.sendmail("ann@players.example", [mail.to], mail.raw) == {}

    match_id = a_match(service.matches, now, options={"short": True})
    Correspondence(service, match_id, now, hand_over).run()


def test_a_reply_comes_through_a_mail_servers_pipe(
    service: Service, now: datetime, database_url: str, tmp_path: Path
) -> None:
    match_id = a_match(service.matches, now)
    worker_of(service).tick(now)
    turn = mails(service, "Ann", "turn")[0]
    environment = {
        **os.environ,
        "ESTAFETTE_DATABASE_URL": database_url,
        "ESTAFETTE_DATA": str(tmp_path),
        "ESTAFETTE_SECRET_KEYS": "k" * 40,
    }
    done = subprocess.run(
        [sys.executable, "-c", "from server.cli import main; main()", "inbound", "--to", str(turn["Reply-To"])],
        input=reply(turn, "take 1L").raw,
        env=environment,
        capture_output=True,
        timeout=60,
    )
    assert (done.returncode, done.stdout) == (0, b"")
    worker_of(service).tick(now)
    assert service.matches.view(match_id, None).version == 1

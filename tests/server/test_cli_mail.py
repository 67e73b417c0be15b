"""`estafette mail …`: the outbox as it stands, who cannot be reached, and what came in."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import pytest

from db import queries
from server.inbound import take_in
from server.service import Service
from tests.emails.inbox_mails import a_mail
from tests.server.builders import a_match, address_of, letters, mails, worker_of
from tests.server.commands import Commands
from tests.stories.mail_programs import reply


@pytest.fixture
def match_id(service: Service, now: datetime) -> str:
    return a_match(service.matches, now)


def turn_letter(service: Service) -> str:
    return letters(service, kind="turn")[0].id


def settle(service: Service, letter_id: str, **columns: object) -> None:
    """As a worker would report."""
    with service.store.writing() as session:
        letter = queries.letters.by_id(session, letter_id)
        assert letter is not None
        for name, value in columns.items():
            setattr(letter, name, value)
        session.add(letter)


def test_list_shows_each_letter_and_how_many_are_in_which_state(
    service: Service, estafette: Commands, match_id: str
) -> None:
    said = estafette("mail", "list")
    assert said.status == 0
    [line] = [line for line in said.out.split("\n") if " turn " in line]
    assert line.startswith(turn_letter(service))
    assert f"turn #{match_id} to {address_of('Ann')}  waiting" in line
    assert said.out.rstrip().endswith("3 waiting")


def test_list_of_one_state_shows_no_others(service: Service, estafette: Commands, match_id: str, now: datetime) -> None:
    settle(
        service, turn_letter(service), state="failed", why="refused for good", last_status=550, last_answer="5.1.1 No"
    )
    said = estafette("mail", "list", "--state", "failed")
    assert "550 5.1.1 No  [refused for good]" in said.out
    assert said.out.count("\n") == 1
    assert estafette("mail", "list", "--state", "late").status == 2


def test_show_tells_all_about_a_letter(service: Service, estafette: Commands, match_id: str, now: datetime) -> None:
    worker_of(service).tick(now)
    said = estafette("mail", "show", turn_letter(service))
    told = {line[:12].strip(): line[13:] for line in said.out.rstrip().split("\n")}
    assert told["to"] == f"Ann <{address_of('Ann')}>"
    assert told["match"] == f"{match_id}, seat 1"
    assert told["state"] == "sent"
    assert told["sent"] == "2026-11-30 09:15 UTC"
    assert told["last answer"] == "250 2.0.0 Kept in the built-in mailbox"
    assert told["Message-ID"] == str(mails(service, "Ann", "turn")[0]["Message-ID"])


@pytest.mark.parametrize("command", ["show", "retry", "drop"])
def test_a_letter_that_is_not_there_is_a_sentence(estafette: Commands, command: str) -> None:
    said = estafette("mail", command, "nothing")
    assert (said.status, said.out) == (1, "")
    assert said.err == "There is no such letter. This lists them: estafette mail list\n"


def test_retry_sends_a_letter_that_had_failed(service: Service, estafette: Commands, match_id: str) -> None:
    letter = turn_letter(service)
    settle(service, letter, state="failed", why="too late", attempts=9, unknown=2)
    assert estafette("mail", "retry", letter).status == 0
    worker_of(service).tick()
    assert len(mails(service, "Ann", "turn")) == 1


def test_retry_of_one_that_is_out_is_refused(
    service: Service, estafette: Commands, match_id: str, now: datetime
) -> None:
    worker_of(service).tick(now)
    said = estafette("mail", "retry", turn_letter(service))
    assert said.status == 1
    assert "The letter is sent already" in said.err


def test_drop_gives_a_letter_up(service: Service, estafette: Commands, match_id: str, now: datetime) -> None:
    letter = turn_letter(service)
    assert estafette("mail", "drop", letter).status == 0
    worker_of(service).tick(now)
    assert mails(service, "Ann", "turn") == []
    assert letters(service, id=letter)[0].why == "the operator gave it up"
    assert "The letter is dropped" in estafette("mail", "drop", letter).err


def test_suppressions_lists_who_cannot_be_reached_and_lifts_it(
    service: Service, estafette: Commands, match_id: str, now: datetime
) -> None:
    assert estafette("mail", "suppressions").out == ""
    with service.store.writing() as session:
        ann = queries.players.by_address(session, address_of("Ann"))
        assert ann is not None
        queries.players.pause(session, ann.id, why="the mailbox is closed (5.2.1)", now=now)
    said = estafette("mail", "suppressions")
    assert said.out == f"{ann.id}  {address_of('Ann')}  since 2026-11-30 09:15 UTC: the mailbox is closed (5.2.1)\n"
    assert estafette("mail", "suppressions", "--lift", address_of("Ann")).status == 0
    assert estafette("mail", "suppressions").out == ""
    again = estafette("mail", "suppressions", "--lift", address_of("Ann"))
    assert (again.status, again.err) == (1, "Nothing had been stopped for this address.\n")
    assert estafette("mail", "suppressions", "--lift", "zoe@players.example").status == 1


def test_incoming_shows_what_came_and_what_became_of_it(
    service: Service, estafette: Commands, match_id: str, now: datetime
) -> None:
    worker_of(service).tick(now)
    raw = reply(mails(service, "Ann", "turn")[0], "take 1L").raw
    take_in(service, raw, now=now)
    take_in(service, b"x" * 6_000_000, now=now)
    worker_of(service).tick(now)
    said = estafette("mail", "incoming")
    assert f"2026-11-30 09:15 UTC  {len(raw)} octets  done: its moves were played" in said.out
    said = estafette("mail", "incoming", "--state", "quarantined")
    assert said.out.rstrip().endswith("quarantined: it is larger than 5 MB")
    assert "take 1L" not in said.out


def test_a_mail_that_was_put_aside_can_be_read_again(
    service: Service, estafette: Commands, match_id: str, now: datetime
) -> None:
    worker_of(service).tick(now)
    mail_id = take_in(service, reply(mails(service, "Ann", "turn")[0], "take 1L").raw, now=now)
    with service.store.writing() as session:
        queries.inbound.settle(session, mail_id, "quarantined", why="a fault of ours")
    assert estafette("mail", "incoming", "--reread", str(mail_id)).status == 0
    worker_of(service).tick(now)
    assert service.matches.view(match_id, None).version == 1
    assert estafette("mail", "incoming", "--reread", str(mail_id)).status == 1


def test_explain_belongs_to_the_group(estafette: Commands, tmp_path: Path) -> None:
    file = tmp_path / "mail"
    file.write_bytes(a_mail("take 1L\r\n"))
    said = estafette("mail", "explain", str(file))
    assert said.status == 0
    assert "moves       take 1L" in said.out

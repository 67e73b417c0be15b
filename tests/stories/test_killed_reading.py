"""`kill -9` at every statement of taking a mail in and of acting on it: none is lost, none counts twice."""

from __future__ import annotations

from datetime import datetime
from email.message import EmailMessage
from pathlib import Path

from db import queries
from server import upkeep
from server.inbound import act, take_in
from server.links import BounceAddress
from server.service import Service
from tests.emails.inbox_mails import a_status_report
from tests.server.builders import a_match, a_service, address_of, letters, mails, worker_of
from tests.stories.mail_programs import reply
from tests.stories.test_killed import deaths


def a_turn_mail(service: Service, now: datetime) -> tuple[str, EmailMessage]:
    """A fresh match, and the mail that asks Ann for her first move."""
    match_id = a_match(service.matches, now)
    worker_of(service).tick(now)
    return match_id, next(mail for mail in mails(service, "Ann", "turn") if mail["X-Estafette-Game"] == match_id)


def test_a_mail_that_was_acknowledged_is_stored_wherever_the_process_dies(
    database_url: str, tmp_path: Path, now: datetime
) -> None:
    service = a_service(database_url, tmp_path)
    match_id, turn = a_turn_mail(service, now)
    raw = reply(turn, "take 1L; end").raw

    def store(service: Service) -> None:
        take_in(service, raw, now=now)

    for _ in deaths(database_url, tmp_path, lambda number: store):
        store(service)  # the mail server brings what was not acknowledged once more
        act(service, now)
        assert service.matches.view(match_id, None).version == 2
        assert len(letters(service, match_id=match_id, kind="receipt")) == 1
        match_id, turn = a_turn_mail(service, now)
        raw = reply(turn, "take 1L; end").raw
    service.close()


def test_a_reply_is_played_and_answered_once_wherever_the_worker_dies(
    database_url: str, tmp_path: Path, now: datetime
) -> None:
    service = a_service(database_url, tmp_path)
    match_id, turn = a_turn_mail(service, now)
    take_in(service, reply(turn, "take 1L; end").raw, now=now)

    def read(service: Service) -> None:
        act(service, now)

    for _ in deaths(database_url, tmp_path, lambda number: read):
        fresh = a_service(database_url, tmp_path)
        assert fresh.matches.view(match_id, None).version in (0, 2), "half a reply was played"
        assert len(letters(fresh, match_id=match_id, kind="receipt")) == fresh.matches.view(match_id, None).version // 2
        act(fresh, now)
        assert fresh.matches.view(match_id, None).version == 2
        assert len(letters(fresh, match_id=match_id, kind="receipt")) == 1
        assert len(letters(fresh, match_id=match_id, kind="turn", seat=2)) == 1
        fresh.close()
        match_id, turn = a_turn_mail(service, now)
        take_in(service, reply(turn, "take 1L; end").raw, now=now)
    service.close()


def test_what_is_no_move_is_answered_once_wherever_the_worker_dies(
    database_url: str, tmp_path: Path, now: datetime
) -> None:
    service = a_service(database_url, tmp_path)
    match_id, turn = a_turn_mail(service, now)
    take_in(service, reply(turn, "take everything").raw, now=now)

    def read(service: Service) -> None:
        act(service, now)

    for _ in deaths(database_url, tmp_path, lambda number: read):
        act(service, now)
        assert len(letters(service, match_id=match_id, kind="receipt")) == 1
        _forget_the_answers(service)
        match_id, turn = a_turn_mail(service, now)
        take_in(service, reply(turn, "take everything").raw, now=now)
    service.close()


def test_a_report_counts_once_wherever_the_worker_dies(database_url: str, tmp_path: Path, now: datetime) -> None:
    service = a_service(database_url, tmp_path)

    def read(service: Service) -> None:
        act(service, now)

    match_id = a_match(service.matches, now)
    a_report_comes(service, match_id, now)
    for _ in deaths(database_url, tmp_path, lambda number: read):
        act(service, now)
        with service.store.writing() as session:
            ann = queries.players.by_address(session, address_of("Ann"))
            assert ann is not None
            assert ann.paused_at == now
            assert queries.players.reach(session, ann.id)
        assert len(letters(service, match_id=match_id, kind="notice")) == 1
        upkeep.abort(service.matches, match_id, "", now=now, who="operator")
        match_id = a_match(service.matches, now)
        a_report_comes(service, match_id, now)
    service.close()


def a_report_comes(service: Service, match_id: str, now: datetime) -> None:
    letter = letters(service, match_id=match_id, kind="turn", seat=1)[0]
    to = f"{service.links.local_part(BounceAddress(letter.id))}@estafette.localhost"
    raw = a_status_report("smtp; 550 5.1.1 No such user", status="5.1.1", to=to, message_id=f"<{letter.id}@mx.example>")
    take_in(service, raw, envelope_from="", now=now)


def _forget_the_answers(service: Service) -> None:
    """So many a day are sent and no more, which is not what is tested here."""
    from sqlmodel import col, delete

    from db.models import Letter

    with service.store.writing() as session:
        session.exec(delete(Letter).where(col(Letter.kind) == "receipt"))

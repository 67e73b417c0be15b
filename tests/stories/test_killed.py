"""`kill -9` at every statement of a move, a delivery and a reminder: nothing is lost, nothing comes twice.

The child counts the statements and commits it sends to the database and kills itself before the Nth; N goes up until
it gets through. After each death somebody does the same again, as people and workers do.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from email import message_from_bytes
from pathlib import Path
from typing import Any

from server import overtime
from server.clock import Worker
from server.service import Service
from tests.crashes import dying
from tests.crashes.whole import repeats_of, what_is_wrong
from tests.emails.servers import Postbox, a_mail_server
from tests.server.builders import a_match, a_service, answers, letters, link_of, mails, worker_of


def deaths(database_url: str, folder: Path, do: Callable[[int], Callable[[Service], Any]]) -> Iterator[int]:
    """Yields after each death of somebody who does it on a service of their own; and then all is whole."""
    for number in dying.deaths(lambda: do(0)(a_service(database_url, folder)), folder=folder):
        yield number
        fresh = a_service(database_url, folder)
        assert what_is_wrong(fresh, mailed=False) == []
        fresh.close()


def test_a_move_is_made_once_wherever_the_process_dies(database_url: str, tmp_path: Path, now: datetime) -> None:
    service = a_service(database_url, tmp_path)
    matches = service.matches
    match_id, link, text, done = "", None, "", 0

    def a_fresh_match() -> None:
        nonlocal match_id, link, text
        match_id = a_match(matches, now)
        link = link_of(matches, match_id)
        take = next(each for each in answers(matches, match_id) if not matches.preview(link, each)[1].shows)
        text = f"{take}; end"

    def submit(service: Service) -> None:
        assert link is not None
        service.matches.play(link, text, now=now, once="1.tap")

    a_fresh_match()
    for _ in deaths(database_url, tmp_path, lambda number: submit):
        fresh = a_service(database_url, tmp_path)
        made = fresh.matches.view(match_id, None).version
        assert made in (0, 2), "half a submission was kept"
        submit(fresh)  # the player taps again
        view = fresh.matches.view(match_id, None)
        assert view.version == 2
        assert [seat.name for seat in view.waiting_for] == ["Ben"]
        turns = Counter(letter.seat for letter in letters(fresh, match_id=match_id, kind="turn"))
        assert turns == {1: 1, 2: 1}
        fresh.close()
        done += made == 2
        a_fresh_match()
    assert done >= 1, "no child got as far as its commit"
    service.close()


def test_every_letter_arrives_once_wherever_the_worker_dies(database_url: str, tmp_path: Path, now: datetime) -> None:
    service = a_service(database_url, tmp_path)
    match_id = a_match(service.matches, now, people=("Ann", "Ben", "Cat"))

    def tick(service: Service) -> None:
        Worker(service).tick(now)

    for number in deaths(database_url, tmp_path, lambda number: tick):
        later = now + timedelta(minutes=30)  # claims of the dead have lapsed
        worker_of(service).tick(later)
        kinds = Counter((mail["X-Estafette-Kind"], str(mail["To"])) for mail in mails(service))
        assert set(kinds.values()) == {1}, kinds
        assert len({mail["Message-ID"] for mail in mails(service)}) == len(mails(service)) == 4, number
        _forget_the_mails(service, match_id)
    service.close()


def test_every_letter_reaches_a_mail_server_at_most_twice_under_one_id_wherever_the_worker_dies(
    database_url: str, tmp_path: Path, now: datetime
) -> None:
    """Whoever dies between the server's yes and the note of it leaves a letter that is repeated, once."""
    postbox, repeated = Postbox(), 0
    with a_mail_server(postbox) as port:

        def a_sender() -> Service:
            return a_service(
                database_url,
                tmp_path,
                ESTAFETTE_MAIL_URL=f"smtp+plain://127.0.0.1:{port}",
                ESTAFETTE_MAIL_FROM="games@club.example",
                ESTAFETTE_PUBLIC_URL="https://club.example",
            )

        service = a_sender()
        match_id = a_match(service.matches, now)
        for _ in dying.deaths(lambda: Worker(a_sender()).tick(now), folder=tmp_path):
            for minutes in (0, 11, 30, 90):  # claims of the dead have lapsed
                worker_of(service).tick(now + timedelta(minutes=minutes))
            assert what_is_wrong(service) == []
            posted = letters(service, match_id=match_id)
            assert {letter.state for letter in posted} == {"sent"}
            came = [message_from_bytes(raw) for _, _, raw in postbox.got]
            assert {str(mail["Message-ID"]) for mail in came} == {letter.message_id for letter in posted}
            assert set(repeats_of([str(mail["Message-ID"]) for mail in came]).values()) <= {2}
            repeated += len(came) > len(posted)
            postbox.got.clear()
            match_id = a_match(service.matches, now)
        service.close()
    assert repeated, "nobody died between the server's yes and the note of it"


def _forget_the_mails(service: Service, match_id: str) -> None:
    """As before the tick: the letters wait, the mailbox is empty."""
    from sqlmodel import delete, update

    from db.models import Letter, MailboxMail

    with service.store.writing() as session:
        session.exec(delete(MailboxMail))
        session.exec(
            update(Letter).values(state="waiting", attempts=0, message_id=None, sent_at=None, send_at=Letter.created_at)
        )


def test_a_reminder_is_posted_once_wherever_the_worker_dies(database_url: str, tmp_path: Path, now: datetime) -> None:
    service = a_service(database_url, tmp_path)
    due = now + timedelta(hours=5)

    def remind(service: Service) -> None:
        overtime.remind(service.matches, due)

    match_id = a_match(service.matches, now, pace={"hours": 10})
    for _ in deaths(database_url, tmp_path, lambda number: remind):
        overtime.remind(service.matches, due)
        assert len(letters(service, match_id=match_id, kind="reminder")) == 1
        match_id = a_match(service.matches, now, pace={"hours": 10})
    service.close()


def test_the_house_moves_once_wherever_the_worker_dies(database_url: str, tmp_path: Path, now: datetime) -> None:
    service = a_service(database_url, tmp_path)
    late = now + timedelta(hours=24)

    def expire(service: Service) -> None:
        overtime.expire(service.matches, late)

    match_id = a_match(service.matches, now, pace="day")
    for _ in deaths(database_url, tmp_path, lambda number: expire):
        overtime.expire(service.matches, late)
        view = service.matches.view(match_id, None)
        assert [seat.name for seat in view.waiting_for] == ["Ben"]
        assert len(letters(service, match_id=match_id, kind="notice")) == 1
        assert len(letters(service, match_id=match_id, kind="turn", seat=2)) == 1
        match_id = a_match(service.matches, now, pace="day")
    service.close()

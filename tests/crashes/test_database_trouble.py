"""The database gone and back, the disk full, the clock moved: people hear of it, and afterwards all is whole."""

from __future__ import annotations

import itertools
import os
import resource
import signal
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import event
from sqlalchemy.engine import Engine
from sqlalchemy.exc import OperationalError

from db.turns import DatabaseBusy, DatabaseGone
from emails.mailbox import MailboxTransport
from emails.transport import Delivery, Phase, Status
from server import fresh_links, upkeep
from server.matches import Stale
from server.service import Service
from tests.conftest import POSTGRES
from tests.crashes.dying import LONG
from tests.crashes.whole import what_is_wrong
from tests.server.builders import HOUR, a_match, a_service, answers, letters, link_of, mails, worker_of


@pytest.fixture
def service(database_url: str, tmp_path: Path) -> Iterator[Service]:
    service = a_service(database_url, tmp_path)
    yield service
    service.close()


@contextmanager
def the_database_gone_at(number: int) -> Iterator[Callable[[], bool]]:
    """From statement `number` on nothing answers any more; tells whether it came to that."""
    countdown = itertools.count(1)
    gone = False

    def fail(connection: Any, *_: Any) -> None:
        nonlocal gone
        if next(countdown) < number:
            return
        gone = True
        if POSTGRES:
            connection.connection.driver_connection.pgconn.finish()
            return
        raise OperationalError("the test", None, Exception("the disk cannot be read"))

    event.listen(Engine, "before_cursor_execute", fail)
    try:
        yield lambda: gone
    finally:
        event.remove(Engine, "before_cursor_execute", fail)


def the_move(service: Service, now: datetime) -> tuple[str, Callable[[], Any]]:
    """A fresh match, and Ann's whole first turn, as the page submits it."""
    match_id = a_match(service.matches, now)
    link = link_of(service.matches, match_id)
    take = next(each for each in answers(service.matches, match_id) if not service.matches.preview(link, each)[1].shows)
    return match_id, lambda: service.matches.play(link, f"{take}; end", now=now, once="1.tap")


def test_a_move_is_made_whole_or_not_at_all_wherever_the_database_goes_away(service: Service, now: datetime) -> None:
    for number in range(1, 200):
        match_id, move = the_move(service, now)
        with the_database_gone_at(number) as gone:
            try:
                move()
            except (DatabaseGone, DatabaseBusy, OperationalError):
                assert gone()
        assert service.matches.view(match_id, None).version in (0, 2)
        move()
        assert service.matches.view(match_id, None).version == 2
        assert what_is_wrong(service) == []
        if not gone():
            assert number > 5, "nothing failed"
            return
    pytest.fail("the move never got through")


def test_letters_and_reminders_come_once_wherever_the_database_goes_away(service: Service, now: datetime) -> None:
    worker = worker_of(service)
    for number in range(1, 400) if LONG else (*range(1, 10), *range(10, 400, 20)):
        match_id = a_match(service.matches, now, pace={"hours": 10})
        with the_database_gone_at(number) as gone:
            worker.tick(now + 5 * HOUR)
        for minutes in (0, 30, 60, 120):
            worker.tick(now + 5 * HOUR + timedelta(minutes=minutes))
        assert what_is_wrong(service) == []
        assert len(letters(service, match_id=match_id, kind="reminder")) == 1
        came = [mail for mail in mails(service) if mail["X-Estafette-Game"] == match_id]
        assert sorted({str(mail["X-Estafette-Kind"]) for mail in came} - {"turn"}) == ["reminder", "started"]
        if not gone():
            assert number > 5, "nothing failed"
            return
    pytest.fail("the tick never got through")


# The disk


@pytest.mark.skipif(POSTGRES is not None, reason="the disk of PostgreSQL is its own business")
def test_with_a_full_disk_nothing_is_acknowledged_that_is_not_kept(
    service: Service, database_url: str, tmp_path: Path, now: datetime
) -> None:
    """A child whose files cannot grow beyond a bound, which it meets in the middle of its writing, plays on until
    that happens, and writes down what was acknowledged to its players."""
    refused = 0
    for room in range(4_096, 200_000, 8_192 if LONG else 49_152):
        acknowledged = tmp_path / f"acknowledged-{room}"
        child = os.fork()
        if child == 0:
            _play_until_the_disk_is_full(database_url, tmp_path, room, acknowledged, now)
        _, status = os.waitpid(child, 0)
        assert os.waitstatus_to_exitcode(status) in (0, 7)
        refused += os.waitstatus_to_exitcode(status) == 7
        fresh = a_service(database_url, tmp_path)
        for line in acknowledged.read_text().splitlines():
            match_id, version = line.split()
            assert fresh.matches.view(match_id, None).version == int(version)
        assert what_is_wrong(fresh) == []
        match_id, move = the_move(fresh, now)  # the disk has room again
        move()
        assert fresh.matches.view(match_id, None).version == 2
        fresh.close()
    assert refused > 1, "the disk was never full"


def _play_until_the_disk_is_full(database_url: str, folder: Path, room: int, acknowledged: Path, now: datetime) -> None:
    """Never returns: 0 if there was room, 7 if there was not and that was said, 1 if something else happened."""
    try:
        service = a_service(database_url, folder)
        moves = [the_move(service, now) for _ in range(6)]
        largest = max(file.stat().st_size for file in folder.glob("estafette.db*"))
        told = os.open(acknowledged, os.O_CREAT | os.O_WRONLY)
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (largest + room, resource.RLIM_INFINITY))
        for match_id, move in moves:
            move()
            os.write(told, f"{match_id} 2\n".encode())
    except (DatabaseGone, DatabaseBusy):
        os._exit(7)
    except BaseException:
        import traceback

        traceback.print_exc()
        os._exit(1)
    os._exit(0)


# The clock


@pytest.mark.parametrize("jump", [-400 * 24 * HOUR, -25 * HOUR, -HOUR, HOUR, 9 * HOUR])
def test_a_clock_that_is_moved_doubles_and_loses_nothing(service: Service, now: datetime, jump: timedelta) -> None:
    """The machine's clock jumps between two ticks, and is put right later."""
    worker = worker_of(service)
    match_id = a_match(service.matches, now, pace={"hours": 20})
    for moment in (now, now + HOUR, now + HOUR + jump, now + jump + 2 * HOUR, now + 2 * HOUR, now + 10 * HOUR):
        worker.tick(moment)
        assert what_is_wrong(service) == []
    worker.tick(now + 19 * HOUR)
    assert len(letters(service, match_id=match_id, kind="turn", seat=1)) == 1
    thresholds = [each.data["threshold"] for each in letters(service, match_id=match_id, kind="reminder")]
    assert len(thresholds) == len(set(thresholds))
    assert thresholds
    _, move = the_move(service, now + 19 * HOUR)
    move()
    with pytest.raises(Stale):
        service.matches.play(link_of(service.matches, match_id), "end", now=now, question=99)
    assert what_is_wrong(service) == []


# The mail server


def test_a_turn_that_is_asked_for_anew_while_no_mail_leaves_comes_once(
    service: Service, now: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The match was paused and resumed, and somebody asked for a fresh link, before the first mail could leave."""
    worker = worker_of(service)
    match_id = a_match(service.matches, now)
    away = Delivery(Status.LATER, Phase.CONNECT, None, "Nobody there.")
    with monkeypatch.context() as patch:
        patch.setattr(MailboxTransport, "deliver", lambda *_: away)
        worker.tick(now)
        upkeep.pause(service.matches, match_id, "", now=now + HOUR, who="operator")
        upkeep.resume(service.matches, match_id, now=now + 2 * HOUR, who="operator")
        worker.tick(now + 2 * HOUR)
        fresh_links.send(service.matches, link_of(service.matches, match_id), now=now + 3 * HOUR)
        worker.tick(now + 3 * HOUR)
    for hours in (4, 8, 12):
        worker.tick(now + hours * HOUR)
    assert len(mails(service, "Ann", "turn")) == 1
    assert Counter(each.why for each in letters(service, kind="turn") if each.state == "dropped") == {
        "a newer mail asks for it": 2
    }
    assert what_is_wrong(service) == []

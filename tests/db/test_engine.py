"""Reading sees one moment and changes nothing; writing is all or nothing, and each writer gets a turn."""

import fcntl
import multiprocessing
import os
import signal
import sqlite3
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from multiprocessing.connection import Connection
from pathlib import Path

import pytest
from sqlalchemy import func, select
from sqlalchemy.exc import DBAPIError, IntegrityError

from db import queries
from db.engine import Store
from db.models import World
from db.turns import DatabaseBusy, DatabaseGone, FileTurns, ThreadTurns
from tests.db.builders import a_letter, a_player


@pytest.fixture
def sqlite_store(store: Store) -> Store:
    if not store.is_sqlite:
        pytest.skip("PostgreSQL lets writers of different matches work at once")
    return store


def test_what_is_written_is_read_by_others(store: Store) -> None:
    with store.writing() as session:
        queries.world.put(session, "weather", "rain")
    with store.reading() as session:
        assert queries.world.value(session, "weather") == "rain"


def test_after_an_error_nothing_is_written(store: Store) -> None:
    def write_and_fail() -> None:
        with store.writing() as session:
            queries.world.put(session, "weather", "rain")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        write_and_fail()
    with store.reading() as session:
        assert queries.world.value(session, "weather") is None


def test_rows_can_be_used_after_the_commit(store: Store) -> None:
    with store.writing() as session:
        player = a_player("Ann")
        session.add(player)
    assert player.name == "Ann"


def test_reading_cannot_change_anything(store: Store) -> None:
    with store.reading() as session, pytest.raises(DBAPIError, match=r"(?i)read-?only"):
        queries.world.put(session, "weather", "rain")
    with store.writing() as session:
        queries.world.put(session, "weather", "sun")


def test_all_that_is_read_together_is_of_one_moment(store: Store) -> None:
    with store.writing() as session:
        queries.world.put(session, "weather", "rain")
    with store.reading() as session:
        assert queries.world.value(session, "weather") == "rain"
        with store.writing() as other:
            queries.world.put(other, "weather", "sun")
        assert queries.world.value(session, "weather") == "rain"
    with store.reading() as session:
        assert queries.world.value(session, "weather") == "sun"


def test_a_row_that_points_nowhere_is_refused(store: Store) -> None:
    with pytest.raises(IntegrityError), store.writing() as session:
        session.add(a_letter(match_id="nomatch"))


def test_an_error_of_the_database_does_not_show_the_values(store: Store) -> None:
    with store.writing() as session:
        session.add(a_player("Ann", email="ann@secret.example"))
    with pytest.raises(IntegrityError) as caught, store.writing() as session:
        session.add(a_player("Ben", email="ANN@secret.example", zone="Atlantis"))
    assert "Atlantis" not in str(caught.value)


def test_the_store_does_not_show_its_password() -> None:
    store = Store("postgresql+psycopg://estafette:opensesame@127.0.0.1:1/estafette")
    assert "opensesame" not in repr(store)


@pytest.mark.parametrize("url", ["sqlite://", "sqlite:///:memory:"])
def test_sqlite_without_a_file_is_refused(url: str) -> None:
    with pytest.raises(ValueError, match="SQLite needs a file"):
        Store(url)


def test_a_commit_on_sqlite_survives_a_power_cut(as_in_real_life: None, sqlite_store: Store) -> None:
    with sqlite_store.writing() as session:
        ask = session.connection().exec_driver_sql
        assert ask("PRAGMA journal_mode").scalar() == "wal"
        assert ask("PRAGMA synchronous").scalar() == 2
        assert ask("PRAGMA foreign_keys").scalar() == 1


def test_one_writing_inside_another_is_told_so_at_once(sqlite_store: Store) -> None:
    with sqlite_store.writing():
        with pytest.raises(RuntimeError, match="writing already"), sqlite_store.writing():
            pass
        with sqlite_store.reading() as session:
            assert queries.world.value(session, "weather") is None
    with sqlite_store.writing() as session:
        queries.world.put(session, "weather", "rain")


def test_threads_get_the_turn_in_the_order_of_asking() -> None:
    turns, served = ThreadTurns(), []
    turns.acquire(0)

    def stand_in_line(number: int) -> None:
        assert turns.acquire(20)
        served.append(number)
        turns.release()

    line = [threading.Thread(target=stand_in_line, args=(number,)) for number in range(6)]
    for position, thread in enumerate(line, start=1):
        thread.start()
        while len(turns._waiting) < position:
            time.sleep(0.001)
    turns.release()
    for thread in line:
        thread.join(20)
    assert served == [0, 1, 2, 3, 4, 5]


def test_who_gives_up_waiting_does_not_hold_up_the_others() -> None:
    turns = ThreadTurns()
    turns.acquire(0)
    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(turns.acquire, 0.01).result(20) is False
        turns.release()
        assert pool.submit(turns.acquire, 0).result(20) is True


def test_a_process_that_waits_is_not_overtaken_by_the_last_holder(tmp_path: Path) -> None:
    busy, waiting = FileTurns(tmp_path / "x.db"), FileTurns(tmp_path / "x.db")
    assert busy.acquire(0)
    served = []

    def wait_for_the_turn() -> None:
        assert waiting.acquire(20)
        served.append("the one who waited")
        waiting.release()

    thread = threading.Thread(target=wait_for_the_turn)
    thread.start()
    while not _gate_is_taken(tmp_path / "x.db"):
        time.sleep(0.001)
    busy.release()
    assert busy.acquire(20)
    served.append("the one who had it")
    thread.join(20)
    assert served == ["the one who waited", "the one who had it"]
    busy.close()
    waiting.close()


def _gate_is_taken(database: Path) -> bool:
    with open(f"{database}-gate") as gate:
        try:
            fcntl.flock(gate, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        return False


def test_case_B13_a_program_outside_our_line_is_waited_for(sqlite_store: Store) -> None:
    outsider = sqlite3.connect(str(sqlite_store.url.database), isolation_level=None, check_same_thread=False)
    outsider.execute("BEGIN IMMEDIATE")
    release = threading.Timer(0.5, outsider.execute, ["COMMIT"])
    release.start()
    with sqlite_store.writing() as session:
        queries.world.put(session, "weather", "rain")
    release.join(20)
    outsider.close()


def test_case_B13_waiting_too_long_ends_in_a_sentence_and_changes_nothing(sqlite_store: Store) -> None:
    hasty = Store(sqlite_store.url, patience=0.2)
    outsider = sqlite3.connect(str(sqlite_store.url.database), isolation_level=None)
    outsider.execute("BEGIN IMMEDIATE")
    with pytest.raises(DatabaseBusy, match=r"for 0\.2 seconds\. Nothing was changed"), hasty.writing() as session:
        queries.world.put(session, "weather", "rain")
    outsider.execute("COMMIT")
    outsider.close()

    with sqlite_store.writing(), ThreadPoolExecutor(1) as pool:
        refused = pool.submit(_write, hasty, "weather", "rain").exception(20)
    assert isinstance(refused, DatabaseBusy)
    with hasty.reading() as session:
        assert queries.world.value(session, "weather") is None
    hasty.close()


def test_a_database_that_is_not_there_is_told_in_a_sentence() -> None:
    store = Store("postgresql+psycopg://nobody@127.0.0.1:1/nothing")
    for way in (store.reading, store.writing):
        with pytest.raises(DatabaseGone, match="does not answer") as caught, way() as session:
            queries.world.value(session, "weather")
        assert caught.value.__cause__ is not None
    store.close()


def test_a_full_disk_is_told_in_a_sentence_and_changes_nothing(sqlite_store: Store) -> None:
    def fill() -> None:
        with sqlite_store.writing() as session:
            session.connection().exec_driver_sql("PRAGMA max_page_count = 1")  # never below what is in use
            queries.world.put(session, "weather", "rain" * 100_000)

    with pytest.raises(DatabaseGone):
        fill()
    with sqlite_store.reading() as session:
        assert queries.world.value(session, "weather") is None


def test_a_wrong_statement_is_not_called_the_databases_trouble(store: Store) -> None:
    def misspell() -> None:
        with store.writing() as session:
            session.connection().exec_driver_sql("SELECT weathr FROM world")

    with pytest.raises(DBAPIError, match="weathr"):
        misspell()


def _write(store: Store, key: str, value: str) -> None:
    with store.writing() as session:
        queries.world.put(session, key, value)


def test_case_B13_eight_writers_readers_and_a_clean_up_lose_nothing(store: Store) -> None:
    def write_thirty(writer: int) -> None:
        for number in range(30):
            _write(store, f"{writer}-{number}", "here")

    def hold_a_second() -> None:
        with store.writing() as session:
            queries.world.put(session, "slow", "here")
            session.flush()
            time.sleep(1)

    def clean_up() -> None:
        for _ in range(10):
            store.tidy()
            with store.reading() as session:
                session.scalar(select(func.count()).select_from(World))

    with ThreadPoolExecutor(10) as pool:
        jobs = [pool.submit(write_thirty, writer) for writer in range(8)]
        jobs += [pool.submit(hold_a_second), pool.submit(clean_up)]
        for job in jobs:
            job.result(60)
    with store.reading() as session:
        assert session.scalar(select(func.count()).select_from(World)) == 8 * 30 + 1


def _write_in_process(url: str, patience: float, ready: Connection, die: bool) -> None:
    store = Store(url, patience=patience)
    with store.writing() as session:
        queries.world.put(session, "weather", "rain")
        session.flush()
        ready.send("writing")
        if die:
            os.kill(os.getpid(), signal.SIGKILL)
    store.close()


def test_a_writer_that_is_killed_changes_nothing_and_holds_up_nobody(store: Store, database_url: str) -> None:
    spawn = multiprocessing.get_context("spawn")
    receiver, sender = spawn.Pipe(duplex=False)
    process = spawn.Process(target=_write_in_process, args=(database_url, 20, sender, True))
    process.start()
    assert receiver.recv() == "writing"
    process.join(20)
    assert process.exitcode == -signal.SIGKILL
    with store.writing() as session:
        assert queries.world.value(session, "weather") is None
        queries.world.put(session, "weather", "sun")


def test_a_forked_child_waits_for_its_parent_like_anybody_else(sqlite_store: Store) -> None:
    hasty = Store(sqlite_store.url, patience=0.2)

    def child(answer: Connection) -> None:
        try:
            _write(hasty, "weather", "rain")
            answer.send("written")
        except DatabaseBusy:
            answer.send("busy")

    fork = multiprocessing.get_context("fork")
    receiver, sender = fork.Pipe(duplex=False)
    with hasty.writing() as session:
        queries.world.put(session, "weather", "sun")
        during = fork.Process(target=child, args=(sender,))
        during.start()
        assert receiver.recv() == "busy"
        during.join(20)
    after = fork.Process(target=child, args=(sender,))
    after.start()
    assert receiver.recv() == "written"
    after.join(20)
    with hasty.reading() as session:
        assert queries.world.value(session, "weather") == "rain"
    hasty.close()

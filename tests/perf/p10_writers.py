"""P10: eight writers at once on SQLite, four in each of two processes, and readers beside them.

A write is what a confirmed move writes: match, move, seats, letter. The anchor writes the same through SQLite's own
busy handler.
"""

from __future__ import annotations

import argparse
import multiprocessing
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from multiprocessing.synchronize import Barrier
from statistics import median, quantiles
from typing import Any, Protocol

from sqlalchemy import create_engine, event
from sqlalchemy.exc import OperationalError
from sqlmodel import Session

from db import queries, table
from db.engine import Store
from db.migrate import upgrade
from db.models import Letter, Match, Player, Seat
from db.turns import DatabaseBusy
from tests.perf.figures import Figure

ROUNDS = 5
SECONDS_A_ROUND = 12.0  # five of them are the minute
PROCESSES = 2
WRITERS = 4  # in each process
READERS = 1
NOW = datetime(2026, 11, 30, 9, 15, tzinfo=UTC)


class Way(Protocol):
    def reading(self) -> Any: ...
    def writing(self) -> Any: ...


class BusyHandler:
    """The usual way: WAL, `synchronous=FULL`, BEGIN IMMEDIATE, and SQLite's own waiting."""

    def __init__(self, url: str) -> None:
        self.engine = create_engine(url, connect_args={"timeout": 20}, pool_size=16)
        event.listen(self.engine, "connect", self._connect)
        event.listen(self.engine, "begin", lambda connection: connection.exec_driver_sql("BEGIN"))
        self.writer = create_engine(url, connect_args={"timeout": 20}, pool_size=16)
        event.listen(self.writer, "connect", self._connect)
        event.listen(self.writer, "begin", lambda connection: connection.exec_driver_sql("BEGIN IMMEDIATE"))

    @staticmethod
    def _connect(connection: Any, _record: object) -> None:
        connection.isolation_level = None
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("PRAGMA foreign_keys = ON")

    @contextmanager
    def reading(self) -> Iterator[Session]:
        with Session(self.engine) as session:
            yield session

    @contextmanager
    def writing(self) -> Iterator[Session]:
        with Session(self.writer) as session:
            yield session
            session.commit()


WAYS = {"taking turns": Store, "busy handler": BusyHandler}


@dataclass
class Seen:
    """Milliseconds of each write and read, and how many were refused."""

    writes: list[float] = field(default_factory=list)
    reads: list[float] = field(default_factory=list)
    alone: list[float] = field(default_factory=list)
    refused: int = 0

    def add(self, other: Seen) -> None:
        self.writes += other.writes
        self.reads += other.reads
        self.alone += other.alone
        self.refused += other.refused


def set_up(url: str) -> None:
    store = Store(url)
    upgrade(store)
    with store.writing() as session:
        player = Player(name="Ann", email="ann@example.org", email_key="ann@example.org", created_at=NOW)
        session.add(player)
        session.flush()
        for number in range(PROCESSES * WRITERS):
            match = Match(
                id=f"match{number}",
                game="regions",
                edition="house",
                rules="1",
                options={},
                seed="seed",
                commitment="commitment",
                pace={},
                status="running",
                created_at=NOW,
            )
            session.add(match)
            session.flush()
            for seat in (1, 2):
                session.add(Seat(match_id=match.id, number=seat, player_id=player.id, name="Ann"))
    store.close()


def one_move(way: Way, match: str, question: int) -> None:
    with way.writing() as session:
        table.change_match(session, match, question, version=question + 1, question=question + 1)
        table.put_move(
            session,
            match_id=match,
            question=question,
            seat=1 + question % 2,
            text="take 2R 3L",
            once=f"once{question}",
            at=NOW,
            by="player",
            shows=False,
            digest="0123456789abcdef",
            late=False,
        )
        table.change_seat(session, match, 1 + question % 2, asked=None, due_at=None, remind_at=None)
        table.change_seat(session, match, 2 - question % 2, asked=question + 1, asked_at=NOW, due_at=NOW, remind_at=NOW)
        letter = Letter(
            kind="turn", match_id=match, occasion=f"turn {match} {question}", created_at=NOW, send_at=NOW, data={}
        )
        queries.letters.add(session, letter)


def write(way: Way, match: str, until: float, seen: Seen) -> None:
    with way.reading() as session:
        row = table.match_row(session, match)
    assert row is not None
    question = row.revision
    while time.perf_counter() < until:
        start = time.perf_counter()
        try:
            one_move(way, match, question)
        except (DatabaseBusy, OperationalError):
            seen.refused += 1
            continue
        seen.writes.append((time.perf_counter() - start) * 1000)
        question += 1


def read(way: Way, match: str, until: float, into: list[float]) -> None:
    while time.perf_counter() < until:
        start = time.perf_counter()
        with way.reading() as session:
            table.match_row(session, match)
            table.seat_rows(session, match)
        into.append((time.perf_counter() - start) * 1000)
        time.sleep(0.005)


def process(kind: str, url: str, number: int, seconds: float, together: Barrier, answers: Any) -> None:
    way, seen = WAYS[kind](url), Seen()
    together.wait(60)
    read(way, "match0", time.perf_counter() + 1, seen.alone)
    together.wait(60)
    until = time.perf_counter() + seconds
    mine = [f"match{number * WRITERS + writer}" for writer in range(WRITERS)]
    threads = [threading.Thread(target=write, args=(way, match, until, seen)) for match in mine]
    threads += [threading.Thread(target=read, args=(way, mine[0], until, seen.reads)) for _ in range(READERS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    answers.put(seen)


def one_round(kind: str, seconds: float) -> Seen:
    spawn = multiprocessing.get_context("spawn")
    with tempfile.TemporaryDirectory() as folder:
        url = f"sqlite:///{folder}/p10.db"
        set_up(url)
        together, answers = spawn.Barrier(PROCESSES), spawn.Queue()
        running = [
            spawn.Process(target=process, args=(kind, url, number, seconds, together, answers))
            for number in range(PROCESSES)
        ]
        for each in running:
            each.start()
        seen = Seen()
        for _ in running:
            seen.add(answers.get(timeout=seconds + 120))
        for each in running:
            each.join()
    return seen


def p99(values: list[float]) -> float:
    return quantiles(values, n=100)[98]


def measured() -> list[Figure]:
    return by(parsed([]))


def parsed(arguments: list[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.perf.p10_writers", description=__doc__)
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--seconds", type=float, default=SECONDS_A_ROUND, help="of each round")
    return parser.parse_args(arguments)


def by(chosen: argparse.Namespace) -> list[Figure]:
    rounds: dict[str, list[Seen]] = {kind: [] for kind in WAYS}
    for _ in range(chosen.rounds):
        for kind, seen in rounds.items():
            seen.append(one_round(kind, chosen.seconds))
    writers = PROCESSES * WRITERS
    print(f"P10  {writers} writers on one SQLite file, {chosen.rounds} alternating rounds of {chosen.seconds:g} s")
    print(
        f"{'':14}{'writes/s':>9}{'p50':>8}{'p99':>8}{'worst':>8}"
        f"{'slowest':>9}{'refused':>9}{'read p99':>10}{'alone':>8}"
    )
    for kind, seen in rounds.items():
        print(
            f"{kind:14}{median(len(each.writes) for each in seen) / chosen.seconds:9.0f}"
            f"{median(median(each.writes) for each in seen):7.1f} {median(p99(each.writes) for each in seen):7.1f} "
            f"{max(p99(each.writes) for each in seen):7.1f} {max(max(each.writes) for each in seen):8.1f} "
            f"{sum(each.refused for each in seen):8} "
            f"{median(p99(each.reads) for each in seen):9.1f} {median(p99(each.alone) for each in seen):7.1f}"
        )
    ours = rounds["taking turns"]
    ratio = median(p99(each.writes) / median(each.writes) for each in ours)
    slow = median(p99(each.writes) for each in ours)
    refused = sum(each.refused for each in ours)
    reached = ratio <= 6 and slow <= 250 and refused == 0
    print(
        f"milliseconds; goal: p99 at most 6 times p50 and 250, none refused: {ratio:.1f} times, {slow:.0f}, {refused}: "
        f"{'reached' if reached else 'missed'}"
    )
    plain = rounds["busy handler"]
    waits = f"the plain busy handler: {median(p99(each.writes) for each in plain):.0f} ms"
    return [
        Figure("P10", f"{writers} writers on SQLite: p99 beside p50", ratio, "times", 6, False, ""),
        Figure("P10", f"{writers} writers on SQLite: p99", slow, "ms", 250, False, waits),
    ]


if __name__ == "__main__":
    by(parsed())

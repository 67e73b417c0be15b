"""P1: a confirmed move over HTTP, eight matches at once, beside the least that Flask can do.

Both are served the same way (waitress, two processes on one socket) and asked by the same clients. The anchor reads a
token, reads a row, writes a row and an outbox row with raw sqlite3 (WAL, `synchronous=FULL`), and answers with a page
of the size of ours.
"""

from __future__ import annotations

import http.client
import multiprocessing
import os
import random
import shutil
import socket
import sqlite3
import sys
import tempfile
import threading
import time
import urllib.parse
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from statistics import median
from typing import Any

from db.migrate import upgrade
from server import beginning
from server.beginning import SeatWish, Wish
from server.config import Settings
from server.rules import GAMES
from server.rules.chance import Seeded
from server.rules.playing import Play
from server.service import Service, open_service
from server.views import stamp_of
from server.web import Web, bound
from tests.perf.figures import Figure

ROUNDS = 5
SECONDS = 6.0
MATCHES = 8
EACH = 12  # matches that each client plays, one after the other: more than the time is enough for
PROCESSES = 2
KEY = "k" * 40
_FORK = multiprocessing.get_context("fork")


@dataclass(frozen=True)
class Result:
    """Moves a second, and milliseconds of processor time of the server for each."""

    rate: float
    milliseconds: float


def settings(folder: Path, port: int) -> Settings:
    return Settings.load(
        {
            "ESTAFETTE_DATA": str(folder),
            "ESTAFETTE_LISTEN": f"127.0.0.1:{port}",
            "ESTAFETTE_SECRET_KEYS": KEY,
        }
    )


def serve_ours(listening: socket.socket, folder: Path) -> None:
    from server import create_app

    service = open_service(settings(folder, listening.getsockname()[1]))
    Web(create_app(service), listening).run()


def serve_least(listening: socket.socket, folder: Path) -> None:
    """The least: one route, raw sqlite3."""
    from flask import Flask, request
    from itsdangerous import URLSafeSerializer

    app, reads = Flask("least"), URLSafeSerializer(KEY)
    local, lock = threading.local(), threading.Lock()

    def database() -> sqlite3.Connection:
        if not hasattr(local, "connection"):
            local.connection = sqlite3.connect(folder / "least.db", isolation_level=None, timeout=20)
            local.connection.execute("PRAGMA synchronous = FULL")
        connection: sqlite3.Connection = local.connection
        return connection

    @app.post("/m/<token>")
    def move(token: str) -> str:
        match = reads.loads(token)
        connection = database()
        with lock:
            connection.execute("BEGIN IMMEDIATE")
            version = connection.execute("SELECT version FROM match WHERE id = ?", (match,)).fetchone()[0]
            connection.execute("UPDATE match SET version = ? WHERE id = ?", (version + 1, match))
            connection.execute("INSERT INTO move VALUES (?, ?, ?)", (match, version, request.form["move"]))
            connection.execute("INSERT INTO outbox VALUES (?, ?, 'turn')", (match, version))
            connection.execute("COMMIT")
        return "played"

    Web(app, listening).run()


def prepare_least(folder: Path) -> None:
    connection = sqlite3.connect(folder / "least.db")
    connection.executescript(
        "PRAGMA journal_mode = WAL; CREATE TABLE match (id INTEGER PRIMARY KEY, version INTEGER);"
        "CREATE TABLE move (match INTEGER, version INTEGER, text TEXT, PRIMARY KEY (match, version));"
        "CREATE TABLE outbox (match INTEGER, version INTEGER, kind TEXT, PRIMARY KEY (match, version, kind));"
    )
    connection.executemany("INSERT INTO match VALUES (?, 0)", [(n,) for n in range(MATCHES)])
    connection.commit()
    connection.close()


class Planned:
    """The requests of several matches, one after the other, as their players would send them."""

    def __init__(self, requests: Iterator[tuple[str, dict[str, str]]]) -> None:
        self.request = requests.__next__


def plan(folder: Path) -> tuple[Path, list[list[tuple[str, dict[str, str]]]]]:
    """A database of matches that have just begun, and for each client the requests that play some of them to their end.

    What comes next follows from seeds and links, so it is played once beforehand: the clients then only post.
    """
    service = open_service(settings(folder, 8025))
    upgrade(service.store)
    luck = random.Random(1)
    matches = [[begun_match(service, luck) for _ in range(EACH)] for _ in range(MATCHES)]
    begun = folder / "begun.db"
    with sqlite3.connect(str(service.store.url.database)) as source, sqlite3.connect(begun) as copy:
        source.backup(copy)
    requests = [[each for match in client for each in played_through(service, match, luck)] for client in matches]
    service.close()
    return begun, requests


def begun_match(service: Service, luck: random.Random) -> str:
    people = [SeatWish(name, f"{name}{luck.random()}@bench.example".casefold()) for name in ("Ann", "Ben")]
    return beginning.create(service.matches, Wish("regions", people), host=None, now=datetime.now(UTC), start=True)


def played_through(service: Service, match_id: str, luck: random.Random) -> Iterator[tuple[str, dict[str, str]]]:
    play = Play(GAMES["regions"], 2, chance=Seeded(service.matches.status(match_id).seed))
    while not play.over:
        (seat,) = play.waiting_for()
        link = service.matches.link_of(match_id, seat)
        assert link is not None
        text = luck.choice(play.decision(seat).answers())
        fields = {"move": text, "confirm": "1", "once": f"{stamp_of(play, seat)}-{luck.getrandbits(60):015x}"}
        service.matches.play(link, text, now=datetime.now(UTC))
        play.answer(seat, text)
        yield urllib.parse.urlsplit(service.links.move_url(link)).path, fields


class LeastMatch:
    def __init__(self, number: int) -> None:
        from itsdangerous import URLSafeSerializer

        self.token = URLSafeSerializer(KEY).dumps(number)

    def request(self) -> tuple[str, dict[str, str]]:
        return f"/m/{self.token}", {"move": "take 1L", "confirm": "1", "once": "1-abc-0123456789abcdef"}


def measure(serve: Callable[[socket.socket, Path], None], folder: Path, matches: list[Any], port: int) -> Result:
    listening = bound("127.0.0.1", port)
    servers = [_FORK.Process(target=serve, args=(listening, folder)) for _ in range(PROCESSES)]
    for server in servers:
        server.start()
    _wait_for(port)
    for match in matches:
        _post(port, match)  # warm
    before, begun = _processor_time(servers), time.perf_counter()
    until, counts = begun + SECONDS, [0] * len(matches)

    def play(index: int) -> None:
        while time.perf_counter() < until:
            _post(port, matches[index])
            counts[index] += 1

    threads = [threading.Thread(target=play, args=(index,)) for index in range(len(matches))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    took, spent = time.perf_counter() - begun, _processor_time(servers) - before
    for server in servers:
        server.terminate()
        server.join()
    listening.close()
    return Result(sum(counts) / took, 1000 * spent / sum(counts))


def _post(port: int, match: Any) -> None:
    path, fields = match.request()
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    head = {"Content-Type": "application/x-www-form-urlencoded"}
    connection.request("POST", path, urllib.parse.urlencode(fields), head)
    answer = connection.getresponse()
    body = answer.read()
    connection.close()
    if answer.status not in (200, 303):
        sys.exit(f"{path} answers {answer.status}: {body[:2000]!r}")


def free_port() -> int:
    listening = bound("127.0.0.1", 0)
    port: int = listening.getsockname()[1]
    listening.close()
    return port


def _wait_for(port: int) -> None:
    for _ in range(200):
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return
        except OSError:
            time.sleep(0.05)


def _processor_time(servers: list[Any]) -> float:
    ticks = 0
    for server in servers:
        fields = Path(f"/proc/{server.pid}/stat").read_text().rpartition(")")[2].split()
        ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")


def measured() -> list[Figure]:
    ours: list[Result] = []
    least: list[Result] = []
    with tempfile.TemporaryDirectory() as planning:
        begun, requests = plan(Path(planning))
        for _ in range(ROUNDS):
            with tempfile.TemporaryDirectory() as name:
                folder, port = Path(name), free_port()
                prepare_least(folder)
                least.append(measure(serve_least, folder, [LeastMatch(n) for n in range(MATCHES)], port))
                service = open_service(settings(folder, port))
                service.close()
                shutil.copy(begun, str(service.store.url.database))
                ours.append(measure(serve_ours, folder, [Planned(iter(each)) for each in requests], port))
    rate = median(a.rate / b.rate for a, b in zip(ours, least, strict=True))
    cost = median(a.milliseconds / b.milliseconds for a, b in zip(ours, least, strict=True))
    print(f"P1  a confirmed move over HTTP, {MATCHES} matches at once, {PROCESSES} processes, {ROUNDS} rounds")
    print(f"{'':14}{'moves/s':>10}{'processor ms':>14}")
    for title, seen in (("Estafette", ours), ("least Flask", least)):
        print(f"{title:14}{median(r.rate for r in seen):10.0f}{median(r.milliseconds for r in seen):14.2f}")
    print(f"rate {rate:.2f} of least (goal 0.6), processor time {cost:.2f} times (goal 1.7)")
    beside, spent = (
        f"least Flask: {median(r.rate for r in least):.0f}/s",
        f"{median(r.milliseconds for r in least):.2f} ms",
    )
    return [
        Figure("P1", "confirmed moves over HTTP: share of the rate", rate, "", 0.6, True, beside),
        Figure("P1", "confirmed moves over HTTP: times the processor time", cost, "times", 1.7, False, spent),
    ]


if __name__ == "__main__":
    measured()

"""P9: one, two and three web and worker processes on PostgreSQL, beside bare psycopg with the statements of a move.

Needs ESTAFETTE_TEST_POSTGRES, like postgresql+psycopg://postgres@127.0.0.1/test. Each web has its worker beside it; the
clients post confirmed moves of eight matches, planned beforehand, and every letter goes into the built-in mailbox
meanwhile.
"""

from __future__ import annotations

import http.client
import multiprocessing
import os
import secrets
import tempfile
import threading
import time
import urllib.parse
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from statistics import median

import psycopg
from sqlalchemy import create_engine, make_url, text

from db.copying import copy_rows
from db.engine import Store
from db.migrate import upgrade
from server import create_app, jobs
from server.config import Settings
from server.service import Service, open_service
from server.web import Web, bound
from server.workers import JobsWorker
from tests.perf.figures import Figure
from tests.perf.p1_moves import KEY, MATCHES, Planned, plan

ROUNDS = 3
SECONDS = 5.0
_SPAWN = multiprocessing.get_context("spawn")


def settings(url: str, folder: str) -> Settings:
    return Settings.load(
        {
            "ESTAFETTE_DATABASE_URL": url,
            "ESTAFETTE_DATA": folder,
            "ESTAFETTE_LISTEN": "127.0.0.1:0",
            "ESTAFETTE_SECRET_KEYS": KEY,
        }
    )


def serve(url: str, folder: str, port: int) -> None:
    service = open_service(settings(url, folder))
    Web(create_app(service), bound("127.0.0.1", port)).run()


def work(url: str, folder: str) -> None:
    JobsWorker(open_service(settings(url, folder))).start()
    threading.Event().wait()


@contextmanager
def a_database(server: str) -> Iterator[str]:
    """A schema of its own, migrated, with the jobs' tables."""
    name = f"bench_{secrets.token_hex(4)}"
    admin = create_engine(server, isolation_level="AUTOCOMMIT")
    with admin.connect() as connection:
        connection.execute(text(f"CREATE SCHEMA {name}"))
    url = make_url(server).update_query_dict({"options": f"-csearch_path={name}"})
    try:
        yield url.render_as_string(hide_password=False)
    finally:
        with admin.connect() as connection:
            connection.execute(text(f"DROP SCHEMA {name} CASCADE"))
        admin.dispose()


Requests = list[list[tuple[str, dict[str, str]]]]


def ours(
    url: str, folder: str, processes: int, workers: int, begun: Path, requests: Requests
) -> tuple[float, float, int]:
    """Moves a second, how busy the processors were, and how many moves were not exactly once."""
    service = open_service(settings(url, folder))
    upgrade(service.store)
    copy_rows(Store(f"sqlite:///{begun}"), service.store)
    jobs.prepare(service.store)
    ports = []
    for _ in range(processes):
        with bound("127.0.0.1", 0) as listening:
            ports.append(listening.getsockname()[1])
    running = [_SPAWN.Process(target=serve, args=(url, folder, port), daemon=True) for port in ports]
    running += [_SPAWN.Process(target=work, args=(url, folder), daemon=True) for _ in range(workers)]
    for process in running:
        process.start()
    try:
        for port in ports:
            _wait_for(port)
        before = _moves(service)
        busy, total = _processor_time()
        accepted = _ask(requests, ports)
        busier, later = _processor_time()
        return accepted / SECONDS, (busier - busy) / (later - total), abs(_moves(service) - before - accepted)
    finally:
        for process in running:
            process.kill()
            process.join()
        service.close()


def _processor_time() -> tuple[int, int]:
    """Of the whole machine, clients and database included: busy, and all."""
    with open("/proc/stat", encoding="ascii") as stat:
        ticks = [int(field) for field in stat.readline().split()[1:9]]
    return sum(ticks) - ticks[3] - ticks[4], sum(ticks)


def _moves(service: Service) -> int:
    with service.store.reading() as session:
        return int(session.execute(text("SELECT count(*) FROM move")).scalar_one())


def _wait_for(port: int) -> None:
    until = time.monotonic() + 30
    while time.monotonic() < until:
        try:
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
            connection.request("GET", "/healthz")
            connection.getresponse().read()
            return
        except OSError:
            time.sleep(0.05)
    raise TimeoutError


def _ask(requests: Requests, ports: list[int]) -> int:
    matches = [Planned(iter(each)) for each in requests]
    until = time.monotonic() + SECONDS
    accepted = [0] * MATCHES

    def client(number: int) -> None:
        connection = http.client.HTTPConnection("127.0.0.1", ports[number % len(ports)], timeout=30)
        while time.monotonic() < until:
            path, fields = matches[number].request()
            connection.request(
                "POST", path, urllib.parse.urlencode(fields), {"Content-Type": "application/x-www-form-urlencoded"}
            )
            answer = connection.getresponse()
            answer.read()
            assert answer.status == 303, answer.status
            accepted[number] += 1

    threads = [threading.Thread(target=client, args=(number,)) for number in range(MATCHES)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return sum(accepted)


def bare(url: str, clients: int) -> float:
    """A move's statements and nothing else: read, lock, insert a move and a letter, change match and seats, commit."""
    conninfo = make_url(url).set(drivername="postgresql").render_as_string(hide_password=False)
    with psycopg.connect(conninfo, autocommit=True) as connection:
        connection.execute("DROP TABLE IF EXISTS m, s, mv, l")
        connection.execute("CREATE TABLE m (id int PRIMARY KEY, revision int, version int)")
        connection.execute("CREATE TABLE s (match int, seat int, asked int, PRIMARY KEY (match, seat))")
        connection.execute("CREATE TABLE mv (match int, question int, text text, PRIMARY KEY (match, question))")
        connection.execute("CREATE TABLE l (id bigserial PRIMARY KEY, occasion text UNIQUE, at timestamptz)")
        for match in range(clients):
            connection.execute("INSERT INTO m VALUES (%s, 0, 0)", (match,))
            connection.execute("INSERT INTO s VALUES (%s, 1, 0), (%s, 2, NULL)", (match, match))
    until, done = time.monotonic() + SECONDS, [0] * clients

    def client(match: int) -> None:
        with psycopg.connect(conninfo) as connection:
            while time.monotonic() < until:
                row = connection.execute("SELECT revision FROM m WHERE id = %s FOR UPDATE", (match,)).fetchone()
                assert row
                connection.execute("SELECT * FROM s WHERE match = %s", (match,)).fetchall()
                connection.execute("SELECT 1 FROM mv WHERE match = %s AND question = %s", (match, row[0])).fetchone()
                connection.execute("INSERT INTO mv VALUES (%s, %s, 'take 1L')", (match, row[0]))
                connection.execute("UPDATE s SET asked = NULL WHERE match = %s AND seat = 1", (match,))
                connection.execute("UPDATE s SET asked = %s WHERE match = %s AND seat = 2", (row[0], match))
                connection.execute("INSERT INTO l (occasion, at) VALUES (%s, now())", (f"{match}/{row[0]}",))
                connection.execute("UPDATE m SET revision = revision + 1 WHERE id = %s", (match,))
                connection.commit()
                done[match] += 1

    threads = [threading.Thread(target=client, args=(number,)) for number in range(clients)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return sum(done) / SECONDS


def measured() -> list[Figure]:
    print("P9: moves a second by web and worker processes on PostgreSQL (median of", ROUNDS, "rounds)")
    server = os.environ.get("ESTAFETTE_TEST_POSTGRES")
    if server is None:
        print("  skipped: ESTAFETTE_TEST_POSTGRES names no PostgreSQL")
        return []
    rates: dict[str, list[float]] = {}
    shares: dict[str, list[float]] = {}
    wrong = 0
    begun, requests = plan(Path(tempfile.mkdtemp(prefix="estafette-p9-")))
    for _ in range(ROUNDS):
        for clients in (1, 8):
            with a_database(server) as url:
                rates.setdefault(f"bare psycopg, {clients} clients", []).append(bare(url, clients))
        for webs, workers in ((1, 0), (2, 0), (3, 0), (1, 1), (2, 2), (3, 3)):
            with a_database(server) as url, tempfile.TemporaryDirectory() as folder:
                rate, share, off = ours(url, folder, webs, workers, begun, requests)
                name = f"{webs} web, {workers} worker"
                rates.setdefault(name, []).append(rate)
                shares.setdefault(name, []).append(share)
                wrong += off
    for name, found in rates.items():
        full = f"   processors {median(shares[name]):.0%} busy" if name in shares else ""
        print(f"  {name:<26} {median(found):>7.0f}/s{full}")
    for fewer, more in (("1 web, 0 worker", "2 web, 0 worker"), ("1 web, 1 worker", "2 web, 2 worker")):
        times = median(rates[more]) / median(rates[fewer])
        print(f"  {more} / {fewer}: {times:.2f} (goal 1.6 until the processors are full)")
    print(f"  {os.cpu_count()} processors; moves that were not exactly once: {wrong}; {datetime.now(UTC):%Y-%m-%d}")
    one, two = "1 web, 0 worker", "2 web, 0 worker"
    ratio = median(rates[two]) / median(rates[one])
    same_work = ratio * median(shares[one]) / median(shares[two])
    print(
        f"  in a second of a processor two make {same_work:.2f} times as many moves as one (1: being two costs nothing)"
    )
    beside = (
        f"one: {median(rates[one]):.0f}/s, bare psycopg: {median(rates['bare psycopg, 8 clients']):.0f}/s; "
        f"processors {median(shares[one]):.0%} and {median(shares[two]):.0%} busy, {same_work:.2f} times as many moves "
        "in a second of one"
    )
    return [
        Figure("P9", "two processes beside one on PostgreSQL", ratio, "times", 1.6, True, beside),
        Figure("P9", "moves that were not exactly once", wrong, "", 0, False),
    ]


if __name__ == "__main__":
    measured()

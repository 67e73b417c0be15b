"""Several web and worker processes at one database, killed and started again while people play."""

from __future__ import annotations

import http.client
import multiprocessing
import random
import threading
import time
import urllib.parse
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from multiprocessing.process import BaseProcess
from pathlib import Path

from server import create_app
from server.links import MoveLink
from server.service import Service
from server.views import MatchView
from server.web import Web, bound
from server.workers import JobsWorker
from tests.server.builders import a_service

_SPAWN = multiprocessing.get_context("spawn")
PATIENCE = 300.0


def serve(database_url: str, folder: Path, port: int) -> None:
    service = a_service(database_url, folder)
    Web(create_app(service), bound("127.0.0.1", port)).run()


def work(database_url: str, folder: Path) -> None:
    service = a_service(database_url, folder)
    worker = JobsWorker(service)
    worker.start()
    threading.Event().wait()


@dataclass
class Fleet:
    """Web processes on these ports, and workers; `kill_one` takes any of them away and starts it anew."""

    database_url: str
    folder: Path
    ports: list[int]
    workers: int
    luck: random.Random
    running: dict[str, BaseProcess] = field(default_factory=dict)
    killed: int = 0

    def start(self, name: str) -> None:
        kind, _, number = name.partition(" ")
        told = (self.database_url, self.folder)
        process = (
            _SPAWN.Process(target=serve, args=(*told, self.ports[int(number)]), daemon=True)
            if kind == "web"
            else _SPAWN.Process(target=work, args=told, daemon=True)
        )
        process.start()
        self.running[name] = process

    def kill_one(self) -> None:
        name = self.luck.choice(sorted(self.running))
        process = self.running[name]
        process.kill()
        process.join(10)
        self.killed += 1
        self.start(name)

    def stop(self) -> None:
        for process in self.running.values():
            process.kill()
            process.join(10)


@contextmanager
def a_fleet(database_url: str, folder: Path, ports: list[int], *, workers: int, luck: random.Random) -> Iterator[Fleet]:
    fleet = Fleet(database_url, folder, ports, workers, luck)
    try:
        for number in range(len(ports)):
            fleet.start(f"web {number}")
        for number in range(workers):
            fleet.start(f"worker {number}")
        yield fleet
    finally:
        fleet.stop()


@contextmanager
def kills(fleet: Fleet, every: float) -> Iterator[None]:
    """While this lasts, processes are killed at random."""
    ended = threading.Event()

    def run() -> None:
        while not ended.wait(every * fleet.luck.uniform(0.5, 1.5)):
            fleet.kill_one()

    thread = threading.Thread(target=run)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join(30)


class People:
    """Those who play: they post forms to any web, and once more to another if it does not answer."""

    def __init__(self, service: Service, ports: list[int], seed: int) -> None:
        self.service = service
        self.ports = ports
        self.luck = random.Random(seed)
        self.played: dict[str, list[tuple[int, str]]] = {}
        self.repeated = 0

    def play(self, match_id: str) -> None:
        """One match to its end."""
        mine = self.played.setdefault(match_id, [])
        until = time.monotonic() + PATIENCE
        while (view := self.service.matches.view(match_id, None)).outcome is None:
            assert time.monotonic() < until, f"match {match_id} stands still"
            seat = next((seat.number for seat in view.waiting_for if not seat.house), None)
            link = self.service.matches.link_of(match_id, seat) if seat else None
            own = self.service.matches.view(match_id, seat) if seat else None
            if seat is None or link is None or own is None or own.decision is None:
                time.sleep(0.05)  # the house is on turn: a worker will move
                continue
            text = self.luck.choice(own.decision.choices).text
            self._post(link, text, own)
            mine.append((seat, text))
            until = time.monotonic() + PATIENCE

    def _post(self, link: MoveLink, text: str, view: MatchView) -> None:
        assert view.decision is not None
        fields = {
            "move": text,
            "confirm": "1",
            "once": f"{view.decision.stamp}-{self.luck.getrandbits(60):015x}",
        }
        path = urllib.parse.urlsplit(self.service.links.move_url(link)).path
        until = time.monotonic() + PATIENCE
        while True:
            assert time.monotonic() < until, "no web answers"
            with suppress(OSError, http.client.HTTPException):
                status = self._send(self.luck.choice(self.ports), path, fields)
                if status == 303:
                    return
                assert status in (500, 502, 503), f"a legal move is answered with {status}"
            self.repeated += 1
            time.sleep(0.05)

    def _send(self, port: int, path: str, fields: dict[str, str]) -> int:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
        try:
            connection.request(
                "POST",
                path,
                urllib.parse.urlencode(fields),
                {"Content-Type": "application/x-www-form-urlencoded"},
            )
            answer = connection.getresponse()
            answer.read()
            return answer.status
        finally:
            connection.close()

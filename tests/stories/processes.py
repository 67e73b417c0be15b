"""Other processes at the same instance, told what to do over a pipe: for what two people do at the same moment."""

from __future__ import annotations

import multiprocessing
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from server import overtime
from server.clock import Worker
from server.links import MoveLink
from server.matches import Stale
from server.rules.asking import Refused
from server.service import Service
from tests.server.builders import a_service

_SPAWN = multiprocessing.get_context("spawn")


class Process:
    """One more process. `send` starts something there, `result` waits for what came of it."""

    def __init__(self, database_url: str, folder: Path) -> None:
        self._pipe, theirs = _SPAWN.Pipe()
        self._process = _SPAWN.Process(target=_serve, args=(theirs, database_url, folder), daemon=True)
        self._process.start()
        theirs.close()
        assert self.result() == "ready"

    def send(self, what: str, *arguments: Any) -> None:
        self._pipe.send((what, arguments))

    def result(self, patience: float = 60) -> Any:
        assert self._pipe.poll(patience), "the other process does not answer"
        return self._pipe.recv()

    def stop(self) -> None:
        if self._process.is_alive():
            self._pipe.send(("stop", ()))
        self._process.join(20)
        self._pipe.close()


@contextmanager
def processes(number: int, database_url: str, folder: Path) -> Iterator[list[Process]]:
    started = [Process(database_url, folder) for _ in range(number)]
    try:
        yield started
    finally:
        for each in started:
            each.stop()


def _serve(pipe: Connection, database_url: str, folder: Path) -> None:
    service = a_service(database_url, folder)
    worker = Worker(service)
    pipe.send("ready")
    while True:
        what, arguments = pipe.recv()
        if what == "stop":
            service.close()
            return
        try:
            pipe.send(_DO[what](service, worker, *arguments))
        except (Refused, Stale) as error:
            pipe.send(type(error).__name__)
        except Exception as error:
            pipe.send(repr(error))


def _play(service: Service, _worker: Worker, link: MoveLink, text: str, now: datetime) -> Any:
    return service.matches.play(link, text, now=now).texts


def _remind(service: Service, _worker: Worker, now: datetime) -> int:
    return overtime.remind(service.matches, now)


def _tick(_service: Service, worker: Worker, now: datetime) -> str:
    worker.tick(now)
    return "ticked"


_DO = {"play": _play, "remind": _remind, "tick": _tick}

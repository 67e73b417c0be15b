"""P7: what an idle `estafette serve` holds, how soon it answers, `estafette --help`, and the move page's weight."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from datetime import UTC, datetime
from pathlib import Path
from statistics import median

from db.migrate import upgrade
from server import beginning, create_app
from server.beginning import SeatWish, Wish
from server.config import Settings
from server.rules import GAMES
from server.service import open_service
from server.web import bound
from tests.perf.figures import Figure

ROUNDS = 5
ESTAFETTE = Path(sys.executable).with_name("estafette")
LEAST = """
import sys
from flask import Flask
from waitress import serve
app = Flask("least")
app.add_url_rule("/", "home", lambda: "x" * 4000)
serve(app, host="127.0.0.1", port=int(sys.argv[1]), threads=8)
"""


def held(pid: int) -> float:
    """Megabytes of memory, shared pages counted by their share (PSS)."""
    text = Path(f"/proc/{pid}/smaps_rollup").read_text()
    found = re.search(r"^Pss:\s+(\d+) kB", text, re.MULTILINE)
    assert found
    return int(found[1]) / 1024


def run_until_it_answers(command: list[str], port: int, path: str, environ: dict[str, str]) -> tuple[float, float]:
    """(seconds until it answers, megabytes held some seconds later)."""
    begun = time.perf_counter()
    process = subprocess.Popen(command, env=environ, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while True:
        try:
            urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=2).close()
            break
        except OSError:
            time.sleep(0.02)
    ready = time.perf_counter() - begun
    time.sleep(3)
    memory = held(process.pid)
    process.send_signal(signal.SIGTERM)
    process.wait(20)
    return ready, memory


def a_port() -> int:
    listening: socket.socket = bound("127.0.0.1", 0)
    port: int = listening.getsockname()[1]
    listening.close()
    return port


def serving() -> tuple[float, float]:
    with tempfile.TemporaryDirectory() as folder:
        port = a_port()
        environ = {**os.environ, "ESTAFETTE_DATA": folder, "ESTAFETTE_LISTEN": f"127.0.0.1:{port}"}
        return run_until_it_answers([str(ESTAFETTE), "serve"], port, "/healthz", environ)


def least() -> tuple[float, float]:
    port = a_port()
    return run_until_it_answers([sys.executable, "-c", LEAST, str(port)], port, "/", dict(os.environ))


def help_seconds(command: list[str]) -> float:
    begun = time.perf_counter()
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
    return time.perf_counter() - begun


def move_pages() -> dict[str, int]:
    """Octets of each game's move page, the first of a match."""
    sizes = {}
    with tempfile.TemporaryDirectory() as folder:
        service = open_service(Settings.load({"ESTAFETTE_DATA": folder, "ESTAFETTE_SECRET_KEYS": "k" * 40}))
        upgrade(service.store)
        client = create_app(service).test_client()
        for game in GAMES.values():
            people = [SeatWish(f"P{n}", f"p{n}@bench.example") for n in range(game.most_seats)]
            wish = Wish(game.name, people)
            match_id = beginning.create(service.matches, wish, host=None, now=datetime.now(UTC), start=True)
            link = service.matches.link_of(match_id, 1)
            assert link is not None
            sizes[game.name] = len(client.get(service.links.move_url(link)).data)
        service.close()
    return sizes


def measured() -> list[Figure]:
    ours, anchor = [serving() for _ in range(ROUNDS)], [least() for _ in range(ROUNDS)]
    helps = median(help_seconds([str(ESTAFETTE), "--help"]) for _ in range(ROUNDS))
    bare = median(help_seconds([sys.executable, "-c", "import click"]) for _ in range(ROUNDS))
    ready, memory = median(r for r, _ in ours), median(m for _, m in ours)
    print(f"P7  start and size, {ROUNDS} rounds")
    print(f"serve ready     {ready:6.2f} s   goal 2 s    least waitress {median(r for r, _ in anchor):.2f} s")
    print(f"serve idle      {memory:6.1f} MB  goal 110 MB least waitress {median(m for _, m in anchor):.1f} MB")
    print(f"--help          {helps:6.2f} s   goal 0.4 s  python with click {bare:.2f} s")
    pages = move_pages()
    for game, size in pages.items():
        print(f"move page {game:10}{size / 1000:6.1f} kB  goal 60 kB")
    least_ready, least_memory = median(r for r, _ in anchor), median(m for _, m in anchor)
    return [
        Figure("P7", "serve: ready", ready, "s", 2, False, f"least waitress: {least_ready:.2f} s"),
        Figure("P7", "serve: at rest", memory, "MB", 110, False, f"least waitress: {least_memory:.0f} MB"),
        Figure("P7", "--help", helps, "s", 0.4, False, f"Python with click: {bare:.2f} s"),
        *(Figure("P7", f"{game}: the move page", size / 1000, "kB", 60) for game, size in pages.items()),
    ]


if __name__ == "__main__":
    measured()

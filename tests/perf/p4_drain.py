"""P4: finished letters drained through our transport, against bare smtplib with the same bytes.

Both have one connection a worker and send to Postfix's `smtp-sink`, or, where it is not installed, to a sink of our own
in a process of its own. Alone: `python -m tests.perf.p4_drain [LETTERS]`.
"""

import asyncio
import os
import shutil
import smtplib
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from statistics import median

from emails.mime import Address, Mail, compose
from emails.transport import MailServer, SmtpTransport, Status
from tests.perf.figures import Figure

ROUNDS = 5
LETTERS = 2000
WORKERS = (1, 4)
GOAL = 0.7
HOST = "127.0.0.1"

Letter = tuple[bytes, str, str]
"""Finished mail, envelope sender, recipient."""


def measured(count: int = LETTERS) -> list[Figure]:
    letters = some_letters(count)
    figures: list[Figure] = []
    with a_sink() as (name, port):
        print(f"P4: {len(letters):,} letters of {len(letters[0][0]):,} octets to {name}, median of {ROUNDS} rounds")
        print(f"{'connections':>12} {'bare smtplib':>14} {'our transport':>14} {'ratio':>7} {'goal':>6}")
        for workers in WORKERS:
            bare, ours = rates(letters, workers, port)
            print(f"{workers:>12} {bare:>12,.0f}/s {ours:>12,.0f}/s {ours / bare:>7.2f} {GOAL:>6}")
            what = f"letters sent, connections: {workers}"
            figures.append(Figure("P4", what, ours / bare, "times", GOAL, True, f"bare smtplib: {bare:,.0f}/s"))
    return figures


def rates(letters: list[Letter], workers: int, port: int) -> tuple[float, float]:
    """Letters a second of bare smtplib and of ours, in rounds that alternate who begins."""
    found: dict[Callable[[list[Letter], int], None], list[float]] = {drain_bare: [], drain_ours: []}
    for number in range(ROUNDS):
        for drain in sorted(found, key=lambda way: way is drain_bare, reverse=number % 2 == 0):
            found[drain].append(rate(drain, letters, workers, port))
    return median(found[drain_bare]), median(found[drain_ours])


def rate(drain: Callable[[list[Letter], int], None], letters: list[Letter], workers: int, port: int) -> float:
    shares = [letters[worker::workers] for worker in range(workers)]
    with ThreadPoolExecutor(workers) as pool:
        began = time.perf_counter()
        list(pool.map(drain, shares, [port] * workers))
        return len(letters) / (time.perf_counter() - began)


def drain_bare(letters: list[Letter], port: int) -> None:
    with smtplib.SMTP(HOST, port, local_hostname="play.example") as server:
        for raw, envelope_from, rcpt in letters:
            server.sendmail(envelope_from, [rcpt], raw)


def drain_ours(letters: list[Letter], port: int) -> None:
    with SmtpTransport(MailServer("plain", HOST, port), ehlo="play.example").connection() as connection:
        for raw, envelope_from, rcpt in letters:
            delivery = connection.deliver(raw, envelope_from, rcpt)
            if delivery.status is not Status.SENT:
                raise RuntimeError(f"{delivery.status}: {delivery.said}")


def some_letters(count: int) -> list[Letter]:
    """As long as a turn letter without its picture."""
    mail = Mail(
        kind="turn",
        to=Address("Ann", "ann@example.org"),
        sender=Address("Estafette", "games@play.example"),
        envelope_from="b-7qk@play.example",
        subject="Richelieu (2012) · Ann, Ben, Cat · #k7f3q",
        text="Ben places an agent of value 3 on the café’s second spot for 4 crowns.\n" * 60,
        html='<p style="margin:0;font-size:16px">Ben places an agent of value 3 for <b>4</b> crowns.</p>\n' * 210,
        message_id="<letter@play.example>",
        date=datetime(2026, 11, 30, 12, 0, tzinfo=UTC),
        game="k7f3q",
    )
    finished = [compose(replace(mail, message_id=f"<letter-{number}@play.example>")) for number in range(20)]
    return [(finished[number % 20], f"b-{number}@play.example", f"p{number}@example.org") for number in range(count)]


@contextmanager
def a_sink() -> Iterator[tuple[str, int]]:
    """A sink that listens, its name and its port."""
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        port = probe.getsockname()[1]
    postfix = shutil.which("smtp-sink") or shutil.which("smtp-sink", path="/usr/sbin")
    if postfix:
        user = ["-u", "nobody"] if os.geteuid() == 0 else []
        command, name = [postfix, *user, "-c", f"{HOST}:{port}", "1000"], "Postfix's smtp-sink"
    else:
        command, name = [sys.executable, "-c", f"from tests.perf.p4_drain import sink; sink({port})"], "our own sink"
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as process:
        try:
            wait_for(port)
            yield name, port
        finally:
            process.terminate()


def wait_for(port: int) -> None:
    for _ in range(100):
        try:
            socket.create_connection((HOST, port), 1).close()
        except OSError:
            time.sleep(0.05)
        else:
            return
    raise RuntimeError("The sink does not listen.")


class Sink(asyncio.Protocol):
    """Says yes to everything and keeps nothing."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        self.tail = b""
        self.in_mail = False
        transport.write(b"220 sink\r\n")

    def data_received(self, data: bytes) -> None:
        if self.in_mail:
            self.tail = (self.tail + data)[-5:]
            if self.tail == b"\r\n.\r\n":
                self.in_mail = False
                self.transport.write(b"250 2.0.0 Ok\r\n")
        elif data[:4].upper() == b"DATA":
            self.in_mail = True
            self.tail = b""
            self.transport.write(b"354 Go on\r\n")
        elif data[:4].upper() == b"QUIT":
            self.transport.write(b"221 Bye\r\n")
            self.transport.close()
        else:
            self.transport.write(b"250 2.0.0 Ok\r\n")


def sink(port: int) -> None:
    async def serve() -> None:
        server = await asyncio.get_running_loop().create_server(Sink, HOST, port)
        await server.serve_forever()

    asyncio.run(serve())


if __name__ == "__main__":
    measured(*map(int, sys.argv[1:2]))

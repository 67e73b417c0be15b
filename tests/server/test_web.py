"""The web server sends what a thread has answered, whole, also to a reader who is slow."""

import socket
import time
from collections.abc import Callable, Iterator

import pytest
from flask import Flask, Response

from server.web import Web, bound

LARGE = 20 * 1024 * 1024  # more than waitress keeps before a thread has to wait for the reader


@pytest.fixture
def ask() -> Iterator[Callable[[str], socket.socket]]:
    app = Flask("large")
    app.add_url_rule("/at-once", view_func=lambda: Response(b"x" * LARGE), endpoint="at once")
    app.add_url_rule(
        "/in-pieces", view_func=lambda: Response(b"x" * (LARGE // 20) for _ in range(20)), endpoint="in pieces"
    )
    listening = bound("127.0.0.1", 0)
    web = Web(app, listening)
    web.start()

    def connected(path: str) -> socket.socket:
        reader = socket.create_connection(listening.getsockname(), timeout=20)
        reader.sendall(f"GET {path} HTTP/1.0\r\nHost: localhost\r\n\r\n".encode())
        return reader

    yield connected
    web.stop()


@pytest.mark.parametrize("path", ["/at-once", "/in-pieces"])
def test_a_slow_reader_gets_all_of_a_large_answer(ask: Callable[[str], socket.socket], path: str) -> None:
    with ask(path) as reader:
        time.sleep(0.2)
        said = b""
        while some := reader.recv(1 << 20):
            said += some
    head, _, body = said.partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.0 200")
    assert len(body) == LARGE


def test_a_reader_who_leaves_holds_up_nobody(ask: Callable[[str], socket.socket]) -> None:
    for _ in range(10):  # more than there are threads
        ask("/in-pieces").close()
    with ask("/at-once") as reader:
        assert reader.recv(12) == b"HTTP/1.0 200"

"""The web server: waitress on a socket that is bound before anything is said about its address."""

from __future__ import annotations

import socket
import threading
from typing import Any

from flask import Flask
from waitress.channel import HTTPChannel
from waitress.server import create_server

THREADS = 8


def bound(host: str, port: int) -> socket.socket:
    """A listening socket; port 0 takes any free one. Raises OSError."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((host, port))
        listening.listen(256)
    except OSError:
        listening.close()
        raise
    return listening


class _Channel(HTTPChannel):  # type: ignore[misc]  # waitress has no types
    """A connection that is left alone while a thread answers on it, for the thread sends by itself.

    Otherwise waitress's loop looks dozens of times whether the thread is done, and so takes the time that it needs.
    """

    def writable(self) -> bool:
        being_answered = self.requests and self.total_outbufs_len <= self.adj.outbuf_high_watermark
        return bool(self.will_close or self.close_when_flushed or (self.total_outbufs_len and not being_answered))


class Web:
    """The application served on a bound socket, in this thread (`run`) or beside it (`start`)."""

    def __init__(self, app: Flask, listening: socket.socket) -> None:
        self._server: Any = create_server(
            app, sockets=[listening], threads=THREADS, ident=None, clear_untrusted_proxy_headers=False
        )
        self._server.channel_class = _Channel
        self._thread: threading.Thread | None = None

    def run(self) -> None:
        self._server.run()

    def start(self) -> None:
        self._thread = threading.Thread(target=self._server.run, name="web", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Answer what is being answered, then close."""
        self._server.task_dispatcher.shutdown(timeout=5)
        self._server.close()
        if self._thread:
            self._thread.join(timeout=10)

"""A mailbox read over IMAP: told of new mail by IDLE, or looking by itself; a mail counts as seen when it is stored."""

from __future__ import annotations

import logging
import random
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from imaplib import IMAP4
from typing import Any, Final
from urllib.parse import unquote, urlsplit

from imapclient import SEEN, IMAPClient
from sqlalchemy.exc import OperationalError

from db.turns import DatabaseBusy
from server.inbound import BEGINNING, LARGEST, take_in
from server.service import Service

FIRST_WAIT: Final = 1.0
LONGEST_WAIT: Final = 300.0
"""Seconds until the next try after a connection that failed: doubled each time, and shaken a little."""

_PATIENCE: Final = 60.0  # seconds for an answer of the server
_IDLE_FOR: Final = 9 * 60.0  # seconds; servers hang up after 29 minutes, routers after 10
_LOOK_EVERY: Final = 30.0  # seconds, where a server cannot tell us
_SLICE: Final = 1.0

log = logging.getLogger("estafette.inbound")
logging.getLogger("imapclient").setLevel(logging.WARNING)  # below that it writes down whole mails


class ImapReader:
    """Reads in a thread of its own from `start` to `stop`. `url` is `imaps://user:password@host/folder`."""

    def __init__(self, service: Service, url: str, *, look_every: float = _LOOK_EVERY) -> None:
        parts = urlsplit(url)
        self._service = service
        self._host = parts.hostname or ""
        self._port = parts.port or 993
        self._user = unquote(parts.username or "")
        self._password = unquote(parts.password or "")
        self._folder = unquote(parts.path.strip("/")) or "INBOX"
        self._look_every = look_every
        self._passed_over: set[int] = set()
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, name="imap", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._ended.set()
        self._thread.join(timeout=10)

    def _run(self) -> None:
        wait = FIRST_WAIT
        while not self._ended.is_set():
            began = datetime.now(UTC)
            try:
                with self._connected() as client:
                    self._read_on(client)
            except (IMAP4.error, OSError) as error:
                log.warning("the mailbox cannot be read now: %s", type(error).__name__)
            except (DatabaseBusy, OperationalError) as error:
                log.warning("incoming mail stays in its mailbox for now: %s", type(error).__name__)
            if (datetime.now(UTC) - began).total_seconds() > LONGEST_WAIT:
                wait = FIRST_WAIT  # it went well for a while
            self._ended.wait(wait * random.uniform(0.8, 1.2))  # noqa: S311 - it only spreads the tries
            wait = min(2 * wait, LONGEST_WAIT)

    @contextmanager
    def _connected(self) -> Iterator[IMAPClient]:
        client = IMAPClient(self._host, self._port, ssl_context=ssl.create_default_context(), timeout=_PATIENCE)
        try:
            client.login(self._user, self._password)
            client.select_folder(self._folder)
            yield client
        finally:
            with suppress(IMAP4.error, OSError):
                client.logout()

    def _read_on(self, client: IMAPClient) -> None:
        tells = client.has_capability("IDLE")
        while not self._ended.is_set():
            self._take_all(client)
            if tells:
                self._wait_to_be_told(client)
            elif not self._ended.wait(self._look_every):
                client.noop()

    def _wait_to_be_told(self, client: IMAPClient) -> None:
        client.idle()
        waited = 0.0
        while not self._ended.is_set() and waited < _IDLE_FOR and not client.idle_check(timeout=_SLICE):
            waited += _SLICE
        client.idle_done()

    def _take_all(self, client: IMAPClient) -> None:
        for uid in client.search(["UNSEEN"]):
            if self._ended.is_set():
                return
            if uid not in self._passed_over:
                self._take(client, uid)

    def _take(self, client: IMAPClient, uid: int) -> None:
        """Store a mail, then mark it as seen. One that the server cannot give holds up no other."""
        try:
            raw, size = _fetched(client, uid)
        except IMAP4.abort:
            raise
        except (IMAP4.error, KeyError) as error:
            log.warning("a mail of the mailbox cannot be fetched: %s", type(error).__name__)
            self._passed_over.add(uid)
            return
        take_in(self._service, raw, size=size, now=self._service.now())
        client.add_flags([uid], [SEEN])


def _fetched(client: IMAPClient, uid: int) -> tuple[bytes, int]:
    """The mail and its size; of a large one only the beginning."""
    size = int(client.fetch([uid], ["RFC822.SIZE"])[uid][b"RFC822.SIZE"])
    wanted = "BODY.PEEK[]" if size <= LARGEST else f"BODY.PEEK[]<0.{BEGINNING}>"
    answer: dict[bytes, Any] = client.fetch([uid], [wanted])[uid]
    return next(value for name, value in answer.items() if name.startswith(b"BODY[]")), size

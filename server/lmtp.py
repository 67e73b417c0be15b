"""LMTP, the way on which a mail server hands mail over: a mail is acknowledged when it is stored, not before."""

from __future__ import annotations

import asyncio
import logging
import socket
from typing import Any, Final

from aiosmtpd.controller import Controller
from aiosmtpd.lmtp import LMTP

from server.inbound import take_in
from server.service import Service
from server.web import bound

TAKEN_MOST: Final = 32 * 1024 * 1024
"""Octets. The mail server is told so, and returns what is larger to its sender."""

_LONGEST_LINE: Final = 1024 * 1024  # some programs write a whole HTML page as one line
_SILENCE: Final = 300.0  # seconds

log = logging.getLogger("estafette.inbound")
logging.getLogger("mail.log").setLevel(logging.ERROR)  # the library's own log names recipients, and so tokens


class LmtpServer:
    """Listens as soon as it is made, serves from `start` to `stop`. Raises OSError if the port cannot be had."""

    def __init__(self, service: Service, host: str, port: int) -> None:
        self._listening = bound(host, port)
        self.port: int = self._listening.getsockname()[1]
        self._controller = _Controller(_Handler(service), self._listening, host, self.port)

    def start(self) -> None:
        self._controller.start()

    def stop(self) -> None:
        self._controller.stop(no_assert=True)
        self._listening.close()


class _Handler:
    """One recipient a mail, so that each answer is about one."""

    def __init__(self, service: Service) -> None:
        self._service = service

    async def handle_RCPT(self, _server: Any, _session: Any, envelope: Any, address: str, _options: list[str]) -> str:
        if envelope.rcpt_tos:
            return "452 4.5.3 One recipient a mail, please; send the others after it"
        if address.rpartition("@")[2].strip("<> ").lower() != self._service.settings.reply_domain:
            return "550 5.1.2 Mail for this domain is not read here"
        envelope.rcpt_tos.append(address)
        return "250 2.1.5 OK"

    async def handle_DATA(self, _server: Any, _session: Any, envelope: Any) -> str:
        loop = asyncio.get_running_loop()
        try:
            await loop.run_in_executor(None, self._store, envelope)
        except Exception as error:
            log.error("an incoming mail could not be stored: %s", type(error).__name__)
            return "451 4.3.0 The mail could not be stored; try again later"
        return "250 2.0.0 Stored"

    def _store(self, envelope: Any) -> None:
        take_in(
            self._service,
            envelope.original_content,
            envelope_to=envelope.rcpt_tos[0],
            envelope_from=envelope.mail_from or "",
            now=self._service.now(),
        )


class _Server(LMTP):
    line_length_limit = _LONGEST_LINE


class _Controller(Controller):
    def __init__(self, handler: _Handler, listening: socket.socket, host: str, port: int) -> None:
        super().__init__(handler, hostname=host, port=port)
        self._listening = listening

    def factory(self) -> LMTP:
        return _Server(
            self.handler,
            data_size_limit=TAKEN_MOST,
            enable_SMTPUTF8=True,
            hostname="estafette",
            ident="Estafette",
            timeout=_SILENCE,
            loop=self.loop,
        )

    def _create_server(self) -> Any:
        return self.loop.create_server(self._factory_invoker, sock=self._listening)

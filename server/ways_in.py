"""The way in that the operator has chosen: a mail server brings mail by LMTP, or we fetch it by IMAP."""

from __future__ import annotations

from typing import Protocol
from urllib.parse import urlsplit

from server.service import Service


class WayIn(Protocol):
    """Runs beside everything else, and stores whatever mail comes."""

    def start(self) -> None: ...
    def stop(self) -> None: ...


class NoWayIn:
    """Mail comes by `estafette inbound` alone, or not at all."""

    def start(self) -> None:
        pass

    def stop(self) -> None:
        pass


def way_in(service: Service) -> WayIn:
    """That of ESTAFETTE_INBOUND. Raises OSError if a port cannot be listened on."""
    url = service.settings.inbound
    if url is None:
        return NoWayIn()
    if url.startswith("imaps:"):
        from server.imap import ImapReader

        return ImapReader(service, url)
    from server.lmtp import LmtpServer

    parts = urlsplit(url)
    return LmtpServer(service, parts.hostname or "127.0.0.1", parts.port or 0)

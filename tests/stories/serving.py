"""An instance whose pages are served on loopback, at the address that its mails name."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from server import create_app
from server.service import Service
from server.web import Web, bound
from tests.server.builders import a_service, address_of

OPERATOR = "Olga"


@contextmanager
def serving(database_url: str, folder: Path) -> Iterator[Service]:
    """Olga operates it."""
    listening = bound("127.0.0.1", 0)
    public = f"http://127.0.0.1:{listening.getsockname()[1]}"
    service = a_service(database_url, folder, ESTAFETTE_PUBLIC_URL=public, ESTAFETTE_ADMINS=address_of(OPERATOR))
    web = Web(create_app(service), listening)
    web.start()
    try:
        yield service
    finally:
        web.stop()
        service.close()

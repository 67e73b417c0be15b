"""A running instance, and its verbs."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from server import create_app
from server.matches import Matches
from server.service import Service
from server.web import Web, bound
from tests.server.builders import a_service, address_of
from tests.stories.tour import OPERATOR


@pytest.fixture
def service(database_url: str, tmp_path: Path) -> Iterator[Service]:
    service = a_service(database_url, tmp_path)
    yield service
    service.close()


@pytest.fixture
def matches(service: Service) -> Matches:
    return service.matches


@pytest.fixture
def served(database_url: str, tmp_path: Path) -> Iterator[Service]:
    """An instance whose pages are served on loopback, at the address that its mails name."""
    listening = bound("127.0.0.1", 0)
    public = f"http://127.0.0.1:{listening.getsockname()[1]}"
    admins = address_of(OPERATOR)
    service = a_service(database_url, tmp_path, ESTAFETTE_PUBLIC_URL=public, ESTAFETTE_ADMINS=admins)
    web = Web(create_app(service), listening)
    web.start()
    yield service
    web.stop()
    service.close()

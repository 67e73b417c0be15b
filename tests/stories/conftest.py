"""A running instance, and its verbs."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from server.matches import Matches
from server.service import Service
from tests.server.builders import a_service
from tests.stories.serving import serving


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
    with serving(database_url, tmp_path) as service:
        yield service

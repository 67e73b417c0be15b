"""A running instance, and its verbs."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from flask import Flask

from server import create_app
from server.matches import Matches
from server.service import Service
from tests.server.browsing import Browser, sign_in
from tests.server.builders import a_match, a_service
from tests.server.commands import Commands
from tests.server.receivers import Receiver, a_receiver


@pytest.fixture
def service(database_url: str, tmp_path: Path) -> Iterator[Service]:
    service = a_service(database_url, tmp_path)
    yield service
    service.close()


@pytest.fixture
def matches(service: Service) -> Matches:
    return service.matches


@pytest.fixture
def site(service: Service) -> Flask:
    """The web application of the instance; an error in it is an error of the test."""
    site = create_app(service)
    site.testing = True
    return site


@pytest.fixture
def browser(site: Flask) -> Browser:
    """A device on which nobody is signed in."""
    return Browser(site)


@pytest.fixture
def match_id(service: Service) -> str:
    """Ann's and Ben's, three days a decision."""
    return a_match(service.matches, service.now(), pace="three days")


@pytest.fixture
def ann(service: Service, site: Flask, match_id: str) -> Browser:
    """A device on which Ann is signed in."""
    browser = Browser(site)
    sign_in(service, browser, "Ann")
    return browser


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    """Somebody else's web server, which takes all that it gets."""
    with a_receiver() as receiver:
        yield receiver


@pytest.fixture
def estafette(
    database_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Commands:
    """The command, for the same database as `service`."""
    return Commands(database_url, tmp_path, monkeypatch, capsys)

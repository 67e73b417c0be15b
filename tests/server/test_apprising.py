"""By way of Apprise: off unless the operator names services, and then to these alone."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from server import create_app
from server.service import Service
from tests.server.browsing import Browser, sign_in
from tests.server.builders import a_match, a_service, a_turn_for_ann, worker_of
from tests.server.receivers import Receiver

pytest.importorskip("apprise")
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")  # Apprise loads all of its services


@pytest.fixture
def service(database_url: str, tmp_path: Path) -> Iterator[Service]:
    service = a_service(database_url, tmp_path, ESTAFETTE_APPRISE="json")
    yield service
    service.close()


def test_a_turn_is_told_through_the_service_that_was_added(
    service: Service, receiver: Receiver, ann: Browser, match_id: str
) -> None:
    page = ann.post("/me/channels/apprise", {"address": f"json://127.0.0.1:{receiver.port}/secret", "name": "chat"})
    assert "We try it now." in page.text
    worker_of(service).tick()
    a_turn_for_ann(service.matches, match_id, service.now())
    worker_of(service).tick()
    test, turn = (json.loads(body) for _, _, body in receiver.got)
    assert "It has arrived" in test["message"]
    assert turn["title"] == "Richelieu (2003)"
    assert turn["message"].startswith("Ann, it is your turn, until ")
    assert f"/g/{match_id}" in turn["message"]
    assert "/m/" not in turn["message"]
    page = ann.get("/me/channels")
    assert "It works." in page.text
    assert "/secret" not in page.source


def test_what_the_service_does_not_take_is_on_the_page(service: Service, receiver: Receiver, ann: Browser) -> None:
    receiver.answers = [500]
    ann.post("/me/channels/apprise", {"address": f"json://127.0.0.1:{receiver.port}/"})
    worker_of(service).tick()
    assert ": it was not taken." in ann.get("/me/channels").text


@pytest.mark.parametrize(
    "address",
    ["", "file:///etc/passwd", "syslog://", "xml://127.0.0.1/", "json", "json://", "json://x\ny", "JSONS://x"],
)
def test_only_what_the_operator_names_is_taken(ann: Browser, address: str) -> None:
    page = ann.post("/me/channels/apprise", {"address": address})
    assert page.status == 422
    assert "://" not in address or address not in page.source


def test_it_is_off_unless_the_operator_says_so(database_url: str, tmp_path: Path) -> None:
    service = a_service(database_url, tmp_path)
    a_match(service.matches, service.now())
    browser = Browser(create_app(service))
    sign_in(service, browser, "Ann")
    assert "Apprise" not in browser.get("/me/channels").text
    assert browser.post("/me/channels/apprise", {"address": "json://127.0.0.1/"}).status == 422
    service.close()

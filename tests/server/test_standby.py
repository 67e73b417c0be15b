"""While the database is not this program's, pages say so and nothing breaks; a copy says that it is one."""

from __future__ import annotations

import logging
from datetime import datetime
from pathlib import Path

import pytest
from sqlalchemy import text

from db import queries
from db.engine import Store
from db.migrate import HEAD
from server import create_app, home, schema
from server.service import TICK_KEY, Service
from tests.server.browsing import Browser
from tests.server.builders import a_match, a_service, link_of, play_first, worker_of

ABROAD = {
    "ESTAFETTE_PUBLIC_URL": "https://games.example.org",
    "ESTAFETTE_MAIL_URL": "smtp+plain://127.0.0.1:9",
    "ESTAFETTE_MAIL_FROM": "games@example.org",
}


@pytest.fixture(autouse=True)
def _look_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(schema, "_LOOK_EVERY", 0.0)


def set_schema(store: Store, revision: str) -> None:
    with store.writing() as session:
        session.connection().execute(text("UPDATE alembic_version SET version_num = :to"), {"to": revision})


@pytest.mark.parametrize("revision", ["0001", "9999"])
@pytest.mark.parametrize("address", ["/", "/g/k7f3qx", "/m/k7f3qx-1-1-1", "/login", "/api/v1/games/k7f3qx"])
def test_case_B51_a_web_whose_database_has_another_schema_says_so_and_when_to_come_back(
    browser: Browser, service: Service, revision: str, address: str
) -> None:
    set_schema(service.store, revision)
    page = browser.get(address)
    assert page.status == 503
    assert page.response.headers["Retry-After"] == "30"
    assert "being brought up to date" in page.source
    assert "9999" not in page.source
    assert browser.get("/healthz").status == 200, "the process lives, nobody need restart it"
    assert browser.get("/readyz").status == 503


def test_case_B51_after_the_migration_the_same_process_goes_on(
    browser: Browser, service: Service, now: datetime
) -> None:
    match_id = a_match(service.matches, now)
    set_schema(service.store, "0001")
    assert browser.get(f"/g/{match_id}").status == 503
    set_schema(service.store, HEAD)
    assert browser.get(f"/g/{match_id}").status == 200
    play_first(service.matches, match_id, now)


def test_a_form_sent_during_the_migration_changes_nothing(browser: Browser, service: Service, now: datetime) -> None:
    match_id = a_match(service.matches, now)
    url = service.links.move_url(link_of(service.matches, match_id))
    set_schema(service.store, "0001")
    page = browser.post(url, {"move": "take 1L", "once": "x" * 20, "confirm": "1"})
    assert page.status == 503
    set_schema(service.store, HEAD)
    assert service.matches.view(match_id, None).version == 0


def test_a_worker_waits_while_the_schema_is_another_and_says_so_once(
    service: Service, now: datetime, caplog: pytest.LogCaptureFixture
) -> None:
    worker = worker_of(service)
    set_schema(service.store, "9999")
    with caplog.at_level(logging.ERROR):
        worker.tick(now)
        worker.tick(now)
    assert caplog.text.count("the worker waits") == 1
    with service.store.reading() as session:
        assert queries.world.value(session, TICK_KEY) is None
    set_schema(service.store, HEAD)
    worker.tick(now)
    with service.store.reading() as session:
        assert queries.world.value(session, TICK_KEY) == now.isoformat()


def test_case_B56_the_pages_of_a_copy_say_that_no_mail_leaves(database_url: str, tmp_path: Path) -> None:
    service = a_service(database_url, tmp_path, demo=False, **ABROAD)
    browser = Browser(create_app(service), Host="games.example.org")
    assert "no mail leaves" not in browser.get("/").text
    with service.store.writing() as session:
        queries.world.put(session, home.COPIED_KEY, "2026-11-29T03:00:00+00:00")
    fresh = Browser(create_app(service), Host="games.example.org")
    assert "This is a copy of Estafette, to try things out: no mail leaves from here." in fresh.get("/").text
    service.close()

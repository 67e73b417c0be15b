"""Alive, ready, and numbers for Prometheus."""

from __future__ import annotations

import json
import re
from pathlib import Path

from flask import Flask
from sqlalchemy import text

from server import create_app
from server.pages.counting import Counts
from server.service import Service
from tests.server.browsing import Browser
from tests.server.builders import HOUR, a_match, a_service, link_of, play_first, worker_of

NAMES = re.compile(r"\bestafette_\w+")


def test_the_process_says_that_it_is_alive(browser: Browser) -> None:
    response = browser.get("/healthz").response
    assert (response.status_code, response.get_data(as_text=True)) == (200, "ok\n")


def test_it_is_ready_when_a_worker_ticks(service: Service, browser: Browser) -> None:
    assert browser.get("/readyz").status == 503
    assert "worker: no tick yet" in browser.get("/readyz").text
    worker_of(service).tick()
    assert browser.get("/readyz").status == 200
    service.clock.forward(HOUR)
    late = browser.get("/readyz")
    assert late.status == 503
    assert re.search(r"worker: last tick 36\d\d s ago", late.text)


def test_it_is_not_ready_with_an_old_schema(service: Service, browser: Browser) -> None:
    worker_of(service).tick()
    with service.store.writing() as session:
        session.connection().execute(text("UPDATE alembic_version SET version_num = '0000'"))
    page = browser.get("/readyz")
    assert page.status == 503
    assert "estafette migrate" in page.text


def values(source: str) -> dict[str, float]:
    lines = [line for line in source.splitlines() if line and not line.startswith("#")]
    return {name: float(value) for name, value in (line.rsplit(" ", 1) for line in lines)}


def test_the_numbers_are_those_of_the_instance(service: Service, site: Flask, browser: Browser) -> None:
    site.extensions["estafette: counts"] = Counts(lambda: service.now().timestamp())  # none is good for two hours
    a_match(service.matches, service.now(), pace="hour")
    before = values(browser.get("/metrics").source)
    assert before['estafette_letters{state="waiting"}'] == 3
    assert before["estafette_overdue_decisions"] == 0
    worker_of(service).tick()
    service.clock.forward(2 * HOUR)
    after = values(browser.get("/metrics").source)
    assert after['estafette_letters{state="sent"}'] == 3
    assert after['estafette_letters{state="waiting"}'] == 0
    assert after["estafette_overdue_decisions"] == 1
    assert after["estafette_oldest_unsent_seconds"] == 0
    assert 7200 <= after["estafette_tick_lag_seconds"] < 7300


def test_every_number_is_explained(browser: Browser) -> None:
    browser.get("/metrics")
    source = browser.get("/metrics").source
    named = {line.partition("{")[0].partition(" ")[0] for line in source.splitlines() if not line.startswith("#")}
    of_the_histogram = {f"estafette_request_seconds_{part}" for part in ("bucket", "sum", "count")}
    assert of_the_histogram <= named
    for name in {*(named - of_the_histogram), "estafette_request_seconds"}:
        assert f"# HELP {name} " in source
        kind = {"estafette_requests_total": "counter", "estafette_request_seconds": "histogram"}.get(name, "gauge")
        assert f"# TYPE {name} {kind}\n" in source


def test_with_a_token_the_numbers_are_for_its_bearer(database_url: str, tmp_path: Path) -> None:
    service = a_service(database_url, tmp_path, ESTAFETTE_METRICS_TOKEN="m" * 20)
    browser = Browser(create_app(service))
    assert browser.get("/metrics").status == 401
    assert browser.get("/metrics", Authorization="Bearer " + "n" * 20).status == 401
    assert browser.get("/metrics", Authorization="Bearer " + "m" * 20).status == 200
    service.close()


def test_refusals_matches_moves_and_requests_are_counted(service: Service, browser: Browser) -> None:
    match_id = a_match(service.matches, service.now())
    play_first(service.matches, match_id, service.now())
    with service.store.writing() as session:
        session.execute(text("UPDATE letter SET attempts = 2, last_status = 451 WHERE kind = 'turn'"))
    url = service.links.move_url(link_of(service.matches, match_id))
    for address in ("/", url, "/nowhere"):
        browser.get(address)
    source = browser.get("/metrics").source
    found = values(source)
    assert found['estafette_letters_refused{code="451"}'] == 1
    assert found['estafette_matches{status="running"}'] == 1
    assert found["estafette_moves"] == 1
    assert found["estafette_unreachable_players"] == 0
    assert found['estafette_requests_total{page="turn.show",status="2xx"}'] == 1
    assert found['estafette_requests_total{page="none",status="4xx"}'] == 1
    assert found["estafette_request_seconds_count"] == 3
    assert url.rpartition("/")[2] not in source


def test_the_dashboard_shows_numbers_that_exist(browser: Browser) -> None:
    file = Path(__file__).parent.parent.parent / "deploy/grafana/estafette.json"
    told = json.loads(file.read_text(encoding="utf-8"))
    asked = {name for panel in told["panels"] for target in panel["targets"] for name in NAMES.findall(target["expr"])}
    there = set(re.findall(r"^# TYPE (\S+)", browser.get("/metrics").source, re.MULTILINE))
    assert {re.sub(r"_(bucket|sum|count)$", "", name) for name in asked} == there

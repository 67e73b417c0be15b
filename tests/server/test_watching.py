"""Sentry and OpenTelemetry really start, and what they are told holds no link, no address and no player's words."""

from __future__ import annotations

import gzip
import http.server
import json
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

pytest.importorskip("sentry_sdk")
pytest.importorskip("opentelemetry.sdk")

PROGRAM = """
import sys
from pathlib import Path
from server import create_app, watching
from server.matches import Matches
from tests.server.builders import a_match, a_service, link_of

service = a_service(sys.argv[1], Path(sys.argv[2]))
match_id = a_match(service.matches, service.now())
url = service.links.move_url(link_of(service.matches, match_id))
watching.watch()
site = create_app(service)

def breaks(*_told, **_more):
    raise ValueError("my plan is take 2R of ann@players.example")

browser = site.test_client()
print(url.rpartition("/")[2])
assert browser.get(url + "?plan=take-2R").status_code == 200
Matches.view = breaks
assert browser.get(url + "?plan=take-2R").status_code == 500

import sentry_sdk
from opentelemetry import trace
sentry_sdk.flush(20)
trace.get_tracer_provider().force_flush()
"""


class _Collector(http.server.BaseHTTPRequestHandler):
    got: list[tuple[str, bytes]]

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        packed = self.headers.get("Content-Encoding") == "gzip"
        self.got.append((self.path, gzip.decompress(body) if packed else body))
        self.send_response(200)
        self.end_headers()

    def log_message(self, *_told: object) -> None:
        pass


@pytest.fixture
def collected(database_url: str, tmp_path: Path) -> tuple[str, dict[str, bytes]]:
    """The token of a link whose page broke, and what came to each address of the collector."""
    handler = type("Collector", (_Collector,), {"got": []})
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        place = f"127.0.0.1:{server.server_address[1]}"
        told = {"SENTRY_DSN": f"http://key@{place}/1", "OTEL_EXPORTER_OTLP_ENDPOINT": f"http://{place}"}
        done = subprocess.run(
            [sys.executable, "-c", PROGRAM, database_url, str(tmp_path)],
            env=os.environ | told | {"PYTHONPATH": os.getcwd()},
            capture_output=True,
            text=True,
            timeout=120,
        )
        server.shutdown()
    assert done.returncode == 0, done.stderr
    bodies: dict[str, bytes] = {}
    for path, body in handler.got:
        bodies[path] = bodies.get(path, b"") + body
    return done.stdout.strip(), bodies


@pytest.mark.slow
def test_an_error_and_every_request_are_told_without_links_and_words(collected: tuple[str, dict[str, bytes]]) -> None:
    token, bodies = collected
    assert set(bodies) == {"/api/1/envelope/", "/v1/traces"}
    for body in bodies.values():
        for secret in (token, token[-12:], "players.example", "take 2R", "take-2R", "k" * 40):
            assert secret.encode() not in body, secret
    events = [json.loads(line) for line in bodies["/api/1/envelope/"].splitlines() if b'"event_id"' in line]
    errors = [event["exception"]["values"][-1] for event in events if "exception" in event]
    assert [(error["type"], error["value"]) for error in errors] == [("ValueError", "")]
    assert any(frame["function"] == "breaks" for frame in errors[0]["stacktrace"]["frames"]), "where it was, is told"
    for told in (b"turn.show", b"/m/<token>", b"http.response.status_code", b"estafette"):
        assert told in bodies["/v1/traces"]

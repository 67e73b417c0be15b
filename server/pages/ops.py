"""What watches over an instance: alive, ready, and numbers for Prometheus."""

from __future__ import annotations

import hmac
from datetime import datetime, timedelta
from typing import Final

from flask import Blueprint, Response, request

from db import queries, table
from db.migrate import is_current
from db.turns import DatabaseBusy, DatabaseGone
from server.pages.showing import service
from server.service import TICK_KEY

pages = Blueprint("ops", __name__)

LATE_TICK: Final = timedelta(minutes=2)
_COUNTED: Final = 10_000
_STATES: Final = ("waiting", "claimed", "sent", "unknown", "failed", "dropped")


@pages.get("/healthz")
def healthz() -> Response:
    """The process answers."""
    return _lines("ok")


@pages.get("/readyz")
def readyz() -> Response:
    """The schema is the program's, and a worker ticks; else 503 and what is missing."""
    try:
        missing = [] if is_current(service().store) else ["schema: not up to date; type: estafette migrate"]
        lag = None if missing else tick_lag()
    except (DatabaseBusy, DatabaseGone):
        return _lines("database: does not answer", status=503)
    if not missing and (lag is None or lag > LATE_TICK):
        missing.append("worker: no tick yet" if lag is None else f"worker: last tick {lag.total_seconds():.0f} s ago")
    return _lines(*missing, status=503) if missing else _lines("ready")


@pages.get("/metrics")
def metrics() -> Response:
    token = service().settings.metrics_token
    if token:
        said = request.headers.get("Authorization", "").removeprefix("Bearer ").strip()
        if not hmac.compare_digest(said.encode(), token.encode()):
            refused = _lines("a token is needed: Authorization: Bearer <ESTAFETTE_METRICS_TOKEN>", status=401)
            refused.headers["WWW-Authenticate"] = 'Bearer realm="metrics"'
            return refused
    now = service().now()
    with service().store.reading() as session:
        letters = queries.letters_by_state(session)
        oldest = queries.oldest_unsent(session, now)
        overdue = len(table.seats_out_of_time(session, now, _COUNTED))
    lag = tick_lag()
    lines = [
        *_metric("estafette_letters", "gauge", "Letters in the outbox by state."),
        *(f'estafette_letters{{state="{state}"}} {letters.get(state, 0)}' for state in _STATES),
        *_metric("estafette_oldest_unsent_seconds", "gauge", "Age of the oldest letter that should be out."),
        f"estafette_oldest_unsent_seconds {(now - oldest.created_at).total_seconds() if oldest else 0:.0f}",
        *_metric("estafette_overdue_decisions", "gauge", "Open decisions whose time is up."),
        f"estafette_overdue_decisions {overdue}",
        *_metric("estafette_tick_lag_seconds", "gauge", "Time since the worker's last tick; NaN before the first."),
        f"estafette_tick_lag_seconds {'NaN' if lag is None else format(lag.total_seconds(), '.1f')}",
    ]
    return Response("\n".join(lines) + "\n", content_type="text/plain; version=0.0.4; charset=utf-8")


def tick_lag() -> timedelta | None:
    """Time since a worker's last tick; None if there was none."""
    with service().store.reading() as session:
        told = queries.world(session, TICK_KEY)
    return service().now() - datetime.fromisoformat(told) if told else None


def _metric(name: str, kind: str, about: str) -> tuple[str, str]:
    return f"# HELP {name} {about}", f"# TYPE {name} {kind}"


def _lines(*lines: str, status: int = 200) -> Response:
    return Response("\n".join(lines) + "\n", status=status, content_type="text/plain; charset=utf-8")

"""What watches over an instance: alive, ready, and numbers for Prometheus."""

from __future__ import annotations

import hmac
import threading
import time
from bisect import bisect_left
from collections import Counter
from datetime import datetime, timedelta
from itertools import accumulate
from typing import Final

from flask import Blueprint, Flask, Response, current_app, g, request

from db import queries, table
from db.migrate import is_current
from db.turns import DatabaseBusy, DatabaseGone
from server.pages.counting import counts
from server.pages.showing import service
from server.service import TICK_KEY

pages = Blueprint("ops", __name__)

LATE_TICK: Final = timedelta(minutes=2)
_COUNTED: Final = 10_000
_STATUSES: Final = ("open", "running", "paused", "finished", "aborted", "frozen")
_BUCKETS: Final = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5)
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
        letters = counts().of("letters", lambda: queries.oversight.letters_by_state(session))
        oldest = queries.oversight.oldest_unsent(session, now)
        refusals = queries.oversight.refusals_by_code(session)
        matches, moves = (
            counts().of("matches", lambda: queries.oversight.matches_by_status(session)),
            counts().of("moves", lambda: queries.oversight.moves_made(session)),
        )
        paused = queries.oversight.unreachable_players(session)
        overdue = len(table.seats_out_of_time(session, now, _COUNTED))
    lag = tick_lag()
    lines = [
        *_metric("estafette_letters", "gauge", "Letters in the outbox by state."),
        *(f'estafette_letters{{state="{state}"}} {letters.get(state, 0)}' for state in _STATES),
        *_metric("estafette_oldest_unsent_seconds", "gauge", "Age of the oldest letter that should be out."),
        f"estafette_oldest_unsent_seconds {(now - oldest.created_at).total_seconds() if oldest else 0:.0f}",
        *_metric(
            "estafette_letters_refused", "gauge", "Letters that did not leave at once, by the server's last code."
        ),
        *(f'estafette_letters_refused{{code="{code}"}} {count}' for code, count in sorted(refusals.items())),
        *_metric("estafette_matches", "gauge", "Matches by status."),
        *(f'estafette_matches{{status="{status}"}} {matches.get(status, 0)}' for status in _STATUSES),
        *_metric("estafette_moves", "gauge", "Moves in all matches."),
        f"estafette_moves {moves}",
        *_metric("estafette_unreachable_players", "gauge", "People whose mail comes back."),
        f"estafette_unreachable_players {paused}",
        *_requests(),
        *_metric("estafette_overdue_decisions", "gauge", "Open decisions whose time is up."),
        f"estafette_overdue_decisions {overdue}",
        *_metric("estafette_tick_lag_seconds", "gauge", "Time since the worker's last tick; NaN before the first."),
        f"estafette_tick_lag_seconds {'NaN' if lag is None else format(lag.total_seconds(), '.1f')}",
    ]
    return Response("\n".join(lines) + "\n", content_type="text/plain; version=0.0.4; charset=utf-8")


class Requests:
    """What this process has answered since it started: how many of which kind, and how long they took."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self.answered: Counter[tuple[str, int]] = Counter()
        self.took: Counter[int] = Counter()  # by the number of the bucket
        self.seconds = 0.0

    def count(self, endpoint: str, status: int, seconds: float) -> None:
        with self._guard:
            self.answered[endpoint, status // 100] += 1
            self.took[bisect_left(_BUCKETS, seconds)] += 1
            self.seconds += seconds


def count_requests(site: Flask) -> None:
    """From now on; by the name of the page, never by its address, which may hold a link."""
    requests = site.extensions["estafette: requests"] = Requests()

    def begin() -> None:
        g.began = time.perf_counter()

    def end(response: Response) -> Response:
        took = time.perf_counter() - g.get("began", time.perf_counter())
        requests.count(request.endpoint or "none", response.status_code, took)
        return response

    site.before_request(begin)
    site.after_request(end)


def _requests() -> list[str]:
    requests: Requests = current_app.extensions["estafette: requests"]
    total = sum(requests.answered.values())
    within = accumulate(requests.took[number] for number in range(len(_BUCKETS)))
    name = "estafette_request_seconds"
    return [
        *_metric("estafette_requests_total", "counter", "Requests answered by this process."),
        *(
            f'estafette_requests_total{{page="{endpoint}",status="{hundreds}xx"}} {count}'
            for (endpoint, hundreds), count in sorted(requests.answered.items())
        ),
        *_metric(name, "histogram", "How long the answers of this process took."),
        *(f'{name}_bucket{{le="{bucket}"}} {count}' for bucket, count in zip(_BUCKETS, within, strict=True)),
        f'{name}_bucket{{le="+Inf"}} {total}',
        f"{name}_sum {requests.seconds:.3f}",
        f"{name}_count {total}",
    ]


def tick_lag() -> timedelta | None:
    """Time since a worker's last tick; None if there was none."""
    with service().store.reading() as session:
        told = queries.world.value(session, TICK_KEY)
    return service().now() - datetime.fromisoformat(told) if told else None


def _metric(name: str, kind: str, about: str) -> tuple[str, str]:
    return f"# HELP {name} {about}", f"# TYPE {name} {kind}"


def _lines(*lines: str, status: int = 200) -> Response:
    return Response("\n".join(lines) + "\n", status=status, content_type="text/plain; charset=utf-8")

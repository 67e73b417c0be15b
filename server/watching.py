"""Sentry and OpenTelemetry, where the operator has them: what broke and how long it took, and no word of a player's."""

from __future__ import annotations

import importlib.util
import logging
import os
from collections.abc import Callable
from typing import Any, Final

from flask import Flask, Response, g, request

from server.logs import told_by, without_secrets

_EXTRAS: Final = {
    "SENTRY_DSN": ("sentry", "sentry_sdk"),
    "OTEL_EXPORTER_OTLP_ENDPOINT": ("telemetry", "opentelemetry.sdk"),
}
"""Variable → our extra, and the package that it brings."""

_TOLD_TO_SENTRY: Final = frozenset(
    {"event_id", "timestamp", "level", "platform", "release", "environment", "server_name", "transaction", "logger"}
    | {"exception", "logentry", "sdk", "modules"}
)
"""Of an event; its request has the link, its breadcrumbs and other parts who knows what."""

log = logging.getLogger("estafette.watching")


def watch() -> None:
    """Tell Sentry, and let OpenTelemetry collect, where their own variables name a place."""
    if _is_wanted("SENTRY_DSN"):
        import sentry_sdk

        sentry_sdk.init(
            send_default_pii=False,
            include_local_variables=False,
            max_request_body_size="never",
            max_breadcrumbs=0,
            before_send=_without_players,
            before_send_transaction=lambda _event, _hint: None,
        )
    if _is_wanted("OTEL_EXPORTER_OTLP_ENDPOINT"):
        from opentelemetry import trace
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.sdk.resources import Resource
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor

        provider = TracerProvider(resource=Resource.create({"service.name": "estafette"}))
        provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
        trace.set_tracer_provider(provider)


def trace_requests(site: Flask) -> None:
    """A span for each request: by the name of the page and its rule, never by its address, which may hold a link."""
    if not _is_wanted("OTEL_EXPORTER_OTLP_ENDPOINT"):
        return
    from opentelemetry import trace

    tracer = trace.get_tracer("estafette")

    def begin() -> None:
        g.span = tracer.start_span(
            request.endpoint or "none",
            kind=trace.SpanKind.SERVER,
            attributes={"http.request.method": request.method, "http.route": str(request.url_rule or "")},
        )

    def end(response: Response) -> Response:
        span = g.pop("span", None)
        if span is not None:
            span.set_attribute("http.response.status_code", response.status_code)
            span.end()
        return response

    _first(site, begin)
    site.after_request(end)


def _first(site: Flask, hook: Callable[[], None]) -> None:
    """Before the hooks that may answer the request themselves."""
    site.before_request_funcs.setdefault(None, []).insert(0, hook)


def _is_wanted(variable: str) -> bool:
    if not os.environ.get(variable):
        return False
    extra, package = _EXTRAS[variable]
    try:
        there = importlib.util.find_spec(package) is not None
    except ModuleNotFoundError:
        there = False
    if not there:
        log.warning("%s is set, but its package is not installed: pip install 'estafette[%s]'", variable, extra)
    return there


def _without_players(event: Any, hint: dict[str, Any]) -> Any:
    """Kinds and places of errors, as in the log; words only where they come from the system."""
    kept = {name: value for name, value in event.items() if name in _TOLD_TO_SENTRY}
    error = (hint.get("exc_info") or (None, None))[1]
    for each in kept.get("exception", {}).get("values", ()):
        each["value"] = told_by(error) if error is not None and each.get("type") == type(error).__name__ else ""
    if "logentry" in kept:
        kept["logentry"] = {"message": without_secrets(str(kept["logentry"].get("message", "")))}
    return kept

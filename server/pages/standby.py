"""What stands before every page: a notice during a migration, on a copy that sends no mail, while all clocks stand."""

from __future__ import annotations

from typing import Any, Final

from flask import Flask, current_app, request
from werkzeug.exceptions import HTTPException

from emails.language import marked
from server import standstill
from server.home import Home
from server.schema import SchemaWatch
from server.service import Service

RETRY_AFTER: Final = "30"
_ALWAYS: Final = frozenset({"ops.healthz", "ops.readyz", "ops.metrics", "static"})


class Maintenance(HTTPException):
    """The schema is not this program's: nothing can be read or changed, and nothing is lost."""

    code = 503
    description = marked(
        "Estafette is being brought up to date. Nothing is lost, and this page works again in a few minutes."
    )


def _stands_still(service: Service) -> bool:
    with service.store.reading() as session:
        return standstill.stopped_since(session) is not None


def register(site: Flask, service: Service) -> None:
    watch, home = SchemaWatch(service.store), Home(service)
    said = ""

    def look() -> None:
        nonlocal said
        if request.endpoint in _ALWAYS:
            return
        wrong = watch.what_is_wrong()
        if wrong and wrong != said:
            current_app.logger.error("every page says that it is being brought up to date: %s", wrong)
        said = wrong
        if wrong:
            raise Maintenance

    def notice() -> dict[str, Any]:
        return {"copy": bool(not said and home.why_silent()), "still": not said and _stands_still(service)}

    site.before_request(look)
    site.context_processor(notice)

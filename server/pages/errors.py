"""What goes wrong, as a page with a sentence, or as JSON for programs. Never a trace, never what was asked for."""

from __future__ import annotations

from typing import Final

from flask import Flask, Response, current_app, jsonify, request, url_for
from werkzeug.exceptions import Forbidden, HTTPException, SecurityError

from db.turns import DatabaseBusy, DatabaseGone
from emails.language import gettext as _
from emails.language import marked
from server.links import BadLink
from server.matches import Frozen, NotFound
from server.pages.showing import sentence_page
from server.pages.standby import RETRY_AFTER, Maintenance

_SAID: Final[dict[int, tuple[str, str]]] = {
    400: (
        marked("This cannot be read"),
        marked("Something in this request is not as it should be. Go back and try again."),
    ),
    403: (marked("Not allowed"), marked("This is not open to you.")),
    404: (
        marked("Nothing here"),
        marked("There is no page at this address. Perhaps it was cut off: try it once more from the mail."),
    ),
    405: (marked("Not like this"), marked("This address cannot be used in this way. Open it from its page.")),
    413: (marked("Too much"), marked("This is more than fits. Send less.")),
    415: (marked("Another form is needed"), marked("Programs send JSON here: Content-Type: application/json.")),
    429: (marked("A little slower"), marked("That was a lot in a short time. Wait some minutes and try again.")),
    500: (
        marked("Something went wrong here"),
        marked("This is our mistake, not yours. Nothing was changed. Try again in a moment."),
    ),
    503: (marked("One moment, please"), marked("The server is busy. Nothing was changed. Try again in a moment.")),
}


class ForeignForm(Forbidden):
    description = marked("This form was sent from another site. Open the page here and send it again.")


class TooOften(HTTPException):
    code = 429
    description = _SAID[429][1]


def register(site: Flask) -> None:
    site.register_error_handler(HTTPException, of_http)
    site.register_error_handler(Maintenance, of_maintenance)
    site.register_error_handler(SecurityError, of_foreign_host)
    site.register_error_handler(BadLink, of_bad_link)
    site.register_error_handler(NotFound, of_not_found)
    site.register_error_handler(Frozen, of_frozen)
    site.register_error_handler(DatabaseBusy, of_busy)
    site.register_error_handler(DatabaseGone, of_no_database)


def of_foreign_host(_error: SecurityError) -> Response:
    """No page: its links would need a host that we know."""
    said = _("This server is not known under this name. Use the address from your mail.")
    return Response(f"{said}\n", status=400, content_type="text/plain; charset=utf-8")


def of_http(error: HTTPException) -> Response:
    code = error.code if error.code in _SAID else (400 if (error.code or 500) < 500 else 500)
    title, said = _SAID[code]
    if isinstance(error, (ForeignForm, TooOften)):
        said = str(error.description)
    answer = _answer(code, title, said)
    if code == 405 and error.get_headers():
        answer.headers.extend({name: value for name, value in error.get_headers() if name == "Allow"})
    if code == 429:
        answer.headers["Retry-After"] = "300"
    return answer


def of_maintenance(error: Maintenance) -> Response:
    answer = _answer(503, marked("Back in a moment"), str(error.description))
    answer.headers["Retry-After"] = RETRY_AFTER
    return answer


def of_bad_link(error: BadLink) -> Response:
    return _answer(404, marked("This link does not work"), str(error))


def of_not_found(_error: NotFound) -> Response:
    return _answer(404, marked("No such match"), marked("There is no match with this name here."))


def of_frozen(_error: Frozen) -> Response:
    return _answer(
        503,
        marked("This match is stopped"),
        marked(
            "Something is wrong with this match, and the operator has been told. Nothing is lost, and no time runs out."
        ),
    )


def of_busy(_error: DatabaseBusy) -> Response:
    answer = _answer(503, *_SAID[503])
    answer.headers["Retry-After"] = "5"
    return answer


def of_no_database(_error: DatabaseGone) -> Response:
    current_app.logger.error("the database does not answer")
    answer = _answer(503, *_SAID[503])
    answer.headers["Retry-After"] = "30"
    return answer


def _answer(code: int, title: str, said: str) -> Response:
    if is_for_a_program():
        answer = jsonify(error=_(said))
        answer.status_code = code
        return answer
    return sentence_page(_(title), _(said), status=code, links=[(_("To the start page"), url_for("home.start"))])


def is_for_a_program() -> bool:
    return request.path.startswith("/api/")

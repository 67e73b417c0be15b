"""What all pages share: how a page is made, who reads it, and how moments read."""

from __future__ import annotations

import base64
import functools
import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, Concatenate, Final, ParamSpec, cast

from flask import Flask, Response, current_app, g, make_response, render_template, request, session, url_for
from markupsafe import Markup
from werkzeug.datastructures import Headers

from db import queries, table
from db.models import Player
from emails.language import Tongue, marked, spoken
from emails.language import gettext as _
from server import boards, devices, passkeys
from server.links import MoveLink
from server.retrospect import Course
from server.rules import GAMES
from server.rules.playing import Game
from server.service import Service
from server.views import MatchView, SeatView

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIEnvironment

_STYLE: Final = (Path(__file__).parent / "static" / "estafette.css").read_text(encoding="utf-8") + boards.stylesheet()
_STYLE_HASH: Final = base64.b64encode(hashlib.sha256(_STYLE.encode()).digest()).decode()

_P = ParamSpec("_P")

HEADERS: Final = {
    # The one style sheet stands in the page, so that a page needs one request; its hash is all that is allowed.
    "Content-Security-Policy": (
        f"default-src 'none'; style-src 'self' 'sha256-{_STYLE_HASH}'; img-src 'self'; form-action 'self'; "
        "frame-src 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cache-Control": "no-store",
    "X-Robots-Tag": "noindex",
}


@dataclass(frozen=True)
class Reader:
    """Whose language and clock a page speaks; whose that is, `server.pages.languages` finds out."""

    tongue: Tongue
    zone: str | None = None

    def moment(self, instant: datetime) -> str:
        """Weekday, date, time and the zone's name."""
        return self.tongue.moment(instant, self.zone)

    def ahead(self, instant: datetime) -> str:
        """In how long that is, or that it is past."""
        span = instant - service().now()
        return _("in %(span)s", span=self.tongue.ahead(span)) if span.total_seconds() > 0 else _("the time is up")

    def span(self, span: timedelta) -> str:
        """How long that is, about."""
        return self.tongue.ahead(span)

    def away_until(self, seat: SeatView) -> datetime | None:
        """When who sits there is back from vacation."""
        return seat.away_until(service().now())

    def weekday(self, day: int) -> str:
        """The name of a day of the week, 0 is Monday."""
        return self.tongue.weekday(day)

    def number(self, number: float) -> str:
        return self.tongue.number(number)


def reader_of(player: Player | None) -> Reader:
    return Reader(spoken(), player.zone if player else None)


def service() -> Service:
    return cast(Service, current_app.extensions["estafette"])


def page(template: str, status: int = 200, *, reader: Reader | None = None, **facts: Any) -> Response:
    """A page from its template."""
    return make_response(render_template(template, reader=reader or reader_of(None), **facts), status)


def scripted(answer: Response) -> Response:
    """The same page, which may run our own scripts; pages work without, so most of them may not."""
    ours = "; script-src 'self'; worker-src 'self'; manifest-src 'self'"
    answer.headers["Content-Security-Policy"] = HEADERS["Content-Security-Policy"] + ours
    return answer


def login_page(status: int = 200, *, why: str = "", asked: str = "", said: str = "") -> Response:
    """How to sign in, and `why`. `asked` is the address that a mail is on its way to."""
    possible = passkeys.possible(service().settings) and not asked
    options = passkeys.options_to_enter(service()) if possible else ""
    answer = page("account/login.html", status, why=why, asked=asked, said=said, options=options)
    return scripted(answer) if options else answer


def to(address: str) -> Response:
    """The answer to a form that did something: go and look there."""
    said = {"Location": address, "Content-Length": "0"}
    return _Elsewhere(status="303 SEE OTHER", headers=said, content_type="text/html; charset=utf-8")


class _Elsewhere(Response):
    """Complete as it is: werkzeug would take the address apart once more, to make it ASCII."""

    def get_wsgi_headers(self, environ: WSGIEnvironment) -> Headers:
        return self.headers


def sentence_page(title: str, *sentences: str, status: int = 200, links: Sequence[tuple[str, str]] = ()) -> Response:
    """A page that says something: `links` are (label, address) of where to go from here."""
    return page("sentence.html", status, title=title, sentences=sentences, links=links)


def signed_in() -> Player | None:
    """The person whose session this is. Moves never ask: there the link decides."""
    if "player" not in g:
        g.player = _of_session()
    return cast("Player | None", g.player)


def for_the_signed_in(
    why: str = marked("Sign in to see your account."), *, status: int | None = None
) -> Callable[[Callable[Concatenate[Player, _P], Response]], Callable[_P, Response]]:
    """The view is given the person who is signed in. Nobody is: the page to sign in, and `why`.

    Its status is 200 where somebody looks and 401 where they do something, or `status`.
    """

    def wrap(view: Callable[Concatenate[Player, _P], Response]) -> Callable[_P, Response]:
        @functools.wraps(view)
        def shown(*values: _P.args, **named: _P.kwargs) -> Response:
            player = signed_in()
            if player is None:
                return login_page(status or (401 if request.method == "POST" else 200), why=_(why))
            return view(player, *values, **named)

        return shown

    return wrap


def _of_session() -> Player | None:
    device_id = this_device()
    return devices.whose(service(), device_id) if device_id else None


def this_device() -> str | None:
    """What the cookie of this browser names; None if nobody has signed in."""
    device_id = session.get("device")
    return device_id if isinstance(device_id, str) else None


def sign_in(player: Player) -> None:
    """From now on this browser is that person's; whoever was signed in here is signed out."""
    sign_out()
    session.permanent = True
    session["device"] = devices.enter(service(), player.id, request.user_agent.string)
    g.player = player


def stay_signed_in() -> None:
    """On this device, after all other links and sessions of the signed-in person were made void."""
    player = signed_in()
    if player is not None:
        sign_in(player)


def sign_out() -> None:
    present, device_id = signed_in(), this_device()
    if present and device_id:
        with service().store.writing() as database:
            queries.access.end_device(database, present.id, device_id)
    session.clear()
    g.player = None


@dataclass(frozen=True)
class Waiting:
    """A decision that waits for somebody: `address` is its move page."""

    game: str
    match_id: str
    address: str
    due_at: datetime | None


def waiting_for(player: Player | None, *, other_than: str | None = None) -> list[Waiting]:
    """The open decisions of a player, the most urgent first."""
    if player is None:
        return []
    with service().store.reading() as database:
        rows = table.next_waiting(database, player.id, other_than=other_than)
    links = service().links
    return [
        Waiting(
            row.game,
            row.match_id,
            links.move_url(MoveLink(row.match_id, row.number, row.asked, row.tenure)),
            row.due_at,
        )
        for row in rows
    ]


def in_words(about: str, word: str) -> str:
    """A word of forms and tables in the reader's language; `about` is a game's name, or "letter"."""
    return spoken().label(about, word)


def value_in_words(game: Game, value: object) -> str:
    """ "yes" """
    if isinstance(value, bool):
        return _("yes") if value else _("no")
    return in_words(game.name, str(value))


def option_in_words(game: Game, name: str, value: object) -> str:
    """ "Short: yes." """
    return _(
        "%(option)s: %(value)s.",
        option=begin(in_words(game.name, name.replace("_", " "))),
        value=value_in_words(game, value),
    )


def begin(words: str) -> str:
    """The words as the beginning of a sentence."""
    return words[:1].upper() + words[1:]


def people(names: Sequence[str]) -> Markup:
    """Names in a sentence, each kept apart from what stands around it, whatever its direction of writing."""
    return Markup(spoken().names([Markup("<bdi>{}</bdi>").format(name) for name in names]))


def named(view: MatchView, seats: Sequence[int]) -> list[str]:
    """The names of these seats."""
    return [view.names[seat - 1] for seat in seats]


def rule_url(game: str, rule: str | None) -> str | None:
    """Where the paragraph that a refusal names ("regions 2.2") can be read."""
    if not rule:
        return None
    return url_for("home.rules", game=game, _anchor=rule.rpartition(" ")[2])


def drawing(view: MatchView, position: dict[str, Any] | None = None, links: Mapping[str, str] | None = None) -> Markup:
    """The table as the viewer sees it, or another position of it; `links` say where its places lead."""
    shown = view.position if position is None else position
    return Markup(boards.drawing(view.game, shown, view.names, view.viewer, links=links))


def chart(view: MatchView, course: Course) -> Markup:
    """How the points of a finished match went."""
    totals = ", ".join(f"{name} {total}" for name, total in zip(view.names, course.points[-1], strict=True))
    words = {
        "first": _("first move"),
        "last": _("move %(number)s", number=course.moves[-1]),
        "said": _("Points over the match, after each move. At the end: %(totals)s.", totals=totals),
    }
    return Markup(boards.course(view.game, view.names, course.moves, course.points, **words))


def register(site: Flask) -> None:
    site.jinja_env.globals.update(
        style=Markup(_STYLE),
        drawing=drawing,
        chart=chart,
        games=GAMES,
        in_words=in_words,
        named=named,
        option_in_words=option_in_words,
        people=people,
        value_in_words=value_in_words,
        rule_url=rule_url,
        has_mailbox="mailbox" in site.blueprints,
    )
    site.jinja_env.filters["begin"] = begin
    site.jinja_env.filters["number"] = lambda number: str(number).replace("-", "−")

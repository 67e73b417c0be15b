"""What all pages share: how a page is made, who reads it, and how moments read."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Final, cast

from flask import Flask, Response, current_app, g, make_response, render_template, session, url_for
from markupsafe import Markup

from db import queries, table
from db.models import Player
from emails.language import Tongue, tongue
from server import boards
from server.links import MoveLink
from server.rules import GAMES
from server.service import Service
from server.views import MatchView, SeatView

_STYLE: Final = (Path(__file__).parent / "static" / "estafette.css").read_text(encoding="utf-8") + boards.stylesheet()
_STYLE_HASH: Final = base64.b64encode(hashlib.sha256(_STYLE.encode()).digest()).decode()

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
    """Whose language and clock a page speaks."""

    tongue: Tongue
    zone: str | None = None

    def moment(self, instant: datetime) -> str:
        """Weekday, date, time and the zone's name."""
        return self.tongue.moment(instant, self.zone)

    def ahead(self, instant: datetime) -> str:
        """In how long that is, or that it is past."""
        span = instant - service().now()
        return f"in {self.tongue.ahead(span)}" if span.total_seconds() > 0 else "the time is up"

    def away_until(self, seat: SeatView) -> datetime | None:
        """When who sits there is back from vacation."""
        return seat.away_until(service().now())

    def names(self, names: Sequence[str]) -> str:
        return self.tongue.names(names)


ANYBODY: Final = Reader(tongue("en"))


def reader_of(player: Player | None) -> Reader:
    return Reader(tongue(player.language), player.zone) if player else ANYBODY


def service() -> Service:
    return cast(Service, current_app.extensions["estafette"])


def page(template: str, status: int = 200, *, reader: Reader = ANYBODY, **facts: Any) -> Response:
    """A page from its template."""
    return make_response(render_template(template, reader=reader, **facts), status)


def to(address: str) -> Response:
    """The answer to a form that did something: go and look there."""
    return Response(status=303, headers={"Location": address})


def sentence_page(title: str, *sentences: str, status: int = 200, links: Sequence[tuple[str, str]] = ()) -> Response:
    """A page that says something: `links` are (label, address) of where to go from here."""
    return page("sentence.html", status, title=title, sentences=sentences, links=links)


def signed_in() -> Player | None:
    """The person whose session this is. Moves never ask: there the link decides."""
    if "player" not in g:
        g.player = _of_session()
    return cast("Player | None", g.player)


def _of_session() -> Player | None:
    player_id = session.get("player")
    if not isinstance(player_id, str):
        return None
    with service().store.reading() as database:
        player = queries.player_by_id(database, player_id)
    return player if player and player.links_epoch == session.get("epoch") else None


def sign_in(player: Player) -> None:
    session.clear()
    session.permanent = True
    session["player"] = player.id
    session["epoch"] = player.links_epoch
    g.player = player


def stay_signed_in() -> None:
    """On this device, after all other links and sessions of the signed-in person were made void."""
    with service().store.reading() as database:
        player = queries.player_by_id(database, session["player"])
    if player is not None:
        sign_in(player)


def sign_out() -> None:
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


def option_in_words(name: str, value: object) -> str:
    """ "short: yes" """
    told = {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)
    return f"{name.replace('_', ' ')}: {told}"


def rule_url(game: str, rule: str | None) -> str | None:
    """Where the paragraph that a refusal names ("regions 2.2") can be read."""
    if not rule:
        return None
    return url_for("home.rules", game=game, _anchor=rule.rpartition(" ")[2])


def drawing(view: MatchView, position: dict[str, Any] | None = None, links: Mapping[str, str] | None = None) -> Markup:
    """The table as the viewer sees it, or another position of it; `links` say where its places lead."""
    shown = view.position if position is None else position
    return Markup(boards.drawing(view.game, shown, view.names, view.viewer, links=links))


def register(site: Flask) -> None:
    site.jinja_env.globals.update(
        style=Markup(_STYLE),
        drawing=drawing,
        games=GAMES,
        option_in_words=option_in_words,
        rule_url=rule_url,
        has_mailbox="mailbox" in site.blueprints,
    )
    site.jinja_env.filters["number"] = lambda number: str(number).replace("-", "−")

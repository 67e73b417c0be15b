"""How else somebody hears of their matches: calendar, feed, and webhooks that fare as the page says."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any, Final

from flask import Blueprint, Response, request, url_for

from db import queries
from db.models import Player
from emails.language import gettext as _
from emails.language import marked
from server import channels, feeds
from server.pages.showing import login_page, page, reader_of, service, signed_in, to
from server.rules import GAMES
from server.service import Service

pages = Blueprint("channels", __name__)

_LIVE: Final = ("open", "running", "paused")
_DONE: Final = {
    "removed": marked("Nothing is told there any more."),
    "tried": marked("We try it now. Look again in a moment: this page says how it went."),
}
_CACHED: Final = f"private, max-age={int(feeds.LOOK_EVERY.total_seconds()) // 3}"


@pages.get("/me/channels")
def show() -> Response:
    player = signed_in()
    if player is None:
        return login_page(why=_("Sign in to see your account."))
    return _channels(player)


def _channels(player: Player, status: int = 200, **facts: Any) -> Response:
    address = feeds.address_of(service(), player)
    with service().store.reading() as session:
        known = queries.channels_of(session, player.id)
        ways = [(each, queries.next_call(session, each.id)) for each in known]
        held = {match.id: match for match, _ in queries.matches_of(session, player.id) if match.status in _LIVE}
    return page(
        "account/channels.html",
        status,
        reader=reader_of(player),
        player=player,
        calendar=f"{address}/calendar.ics",
        webcal=f"webcal:{address.partition(':')[2]}/calendar.ics",
        atom=f"{address}/news.atom",
        ways=ways,
        held={match_id: f"{GAMES[match.game].title} · #{match_id}" for match_id, match in held.items()},
        chosen=request.args.get("match", ""),
        **{"said": "", "done": _(_DONE.get(request.args.get("done", ""), "")), "new": None, **facts},
    )


@pages.post("/me/channels")
def add() -> Response:
    """A webhook, for all of one's matches or for one and everybody in it."""
    player = signed_in()
    if player is None:
        return _sign_in_first()
    form = request.form
    try:
        new = channels.add_webhook(
            service(), player.id, form.get("url", ""), name=form.get("name", ""), match_id=form.get("match") or None
        )
    except ValueError as error:
        return _channels(player, 422, said=str(error))
    return _channels(player, new=new)


@pages.post("/me/channels/change")
def change() -> Response:
    """`test` it or `remove` it."""
    player = signed_in()
    if player is None:
        return _sign_in_first()
    if request.form.get("test"):
        channels.test(service(), player.id, request.form["test"])
        return to(url_for(".show", done="tried"))
    channels.remove(service(), player.id, request.form.get("remove", ""))
    return to(url_for(".show", done="removed"))


def _sign_in_first() -> Response:
    return login_page(401, why=_("Sign in to see your account."))


# Feeds


@pages.get("/feed/<token>/calendar.ics")
def calendar(token: str) -> Response:
    return _fed(token, feeds.calendar, "text/calendar; charset=utf-8")


@pages.get("/feed/<token>/news.atom")
def atom(token: str) -> Response:
    return _fed(token, feeds.atom, "application/atom+xml; charset=utf-8")


def _fed(token: str, made: Callable[[Service, Player, datetime], bytes], kind: str) -> Response:
    """Programs look often, so they hear when nothing has changed."""
    player = feeds.reader_of(service(), token)
    answer = Response(made(service(), player, service().now()), content_type=kind)
    answer.headers["Cache-Control"] = _CACHED
    answer.add_etag()
    answer.make_conditional(request)
    return answer

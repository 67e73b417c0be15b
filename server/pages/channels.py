"""How else somebody hears of their matches: calendar and feed."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any, Final

from flask import Blueprint, Response, request

from db.models import Player
from server import feeds
from server.pages.showing import login_page, page, reader_of, service, signed_in
from server.service import Service

pages = Blueprint("channels", __name__)

_CACHED: Final = f"private, max-age={int(feeds.LOOK_EVERY.total_seconds()) // 3}"


@pages.get("/me/channels")
def show() -> Response:
    player = signed_in()
    if player is None:
        return login_page(why="Sign in to see your account.")
    return _channels(player)


def _channels(player: Player, status: int = 200, **facts: Any) -> Response:
    address = feeds.address_of(service(), player)
    return page(
        "account/channels.html",
        status,
        reader=reader_of(player),
        player=player,
        calendar=f"{address}/calendar.ics",
        webcal=f"webcal:{address.partition(':')[2]}/calendar.ics",
        atom=f"{address}/news.atom",
        **{"said": "", "done": "", **facts},
    )


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

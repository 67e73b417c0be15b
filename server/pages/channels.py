"""How else somebody hears of their matches: on this phone, by calendar and feed, by webhooks."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import datetime
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

from flask import Blueprint, Response, abort, current_app, request, url_for

from db import queries
from db.models import Player
from emails.language import gettext as _
from emails.language import marked
from server import apprising, channels, devices, feeds, push
from server.pages.showing import for_the_signed_in, page, reader_of, scripted, service, to
from server.rules import GAMES
from server.service import Service

pages = Blueprint("channels", __name__)

_LIVE: Final = ("open", "running", "paused")
_DONE: Final = {
    "removed": marked("Nothing is told there any more."),
    "tried": marked("We try it now. Look again in a moment: this page says how it went."),
}
_ICONS: Final = (192, 512)
_CACHED: Final = f"private, max-age={int(feeds.LOOK_EVERY.total_seconds()) // 3}"


@pages.get("/me/channels")
@for_the_signed_in()
def show(player: Player) -> Response:
    return _channels(player)


def _channels(player: Player, status: int = 200, **facts: Any) -> Response:
    address = feeds.address_of(service(), player)
    with service().store.reading() as session:
        known = queries.channels.of_player(session, player.id)
        ways = [(each, queries.calls.next_of_channel(session, each.id)) for each in known]
        held = {match.id: match for match, _ in queries.matches.of_player(session, player.id) if match.status in _LIVE}
    key = push.key_of(service().settings)
    answer = page(
        "account/channels.html",
        status,
        reader=reader_of(player),
        player=player,
        calendar=f"{address}/calendar.ics",
        webcal=f"webcal:{address.partition(':')[2]}/calendar.ics",
        atom=f"{address}/news.atom",
        ways=ways,
        held={match_id: f"{GAMES[match.game].title} · #{match_id}" for match_id, match in held.items()},
        push_key=push.public_key(key) if key else "",
        services=apprising.services(service().settings),
        chosen=request.args.get("match", ""),
        **{"said": "", "done": _(_DONE.get(request.args.get("done", ""), "")), "new": None, **facts},
    )
    return scripted(answer) if key else answer


@pages.post("/me/channels")
@for_the_signed_in()
def add(player: Player) -> Response:
    """A webhook, for all of one's matches or for one and everybody in it."""
    form = request.form
    try:
        new = channels.add_webhook(
            service(), player.id, form.get("url", ""), name=form.get("name", ""), match_id=form.get("match") or None
        )
    except ValueError as error:
        return _channels(player, 422, said=str(error))
    return _channels(player, new=new)


@pages.post("/me/channels/apprise")
@for_the_signed_in()
def add_by_apprise(player: Player) -> Response:
    """One of the services that the operator allows."""
    try:
        apprising.add(service(), player.id, request.form.get("address", ""), name=request.form.get("name", ""))
    except ValueError as error:
        return _channels(player, 422, said=str(error))
    return to(url_for(".show", done="tried"))


@pages.post("/me/channels/push")
@for_the_signed_in()
def subscribe(player: Player) -> Response:
    """This browser shows what happens from now on."""
    try:
        name = devices.about(request.user_agent.string)
        push.subscribe(service(), player.id, request.form.get("answer", ""), name=name)
    except ValueError as error:
        return _channels(player, 422, said=str(error))
    return to(url_for(".show", done="tried"))


@pages.post("/me/channels/change")
@for_the_signed_in()
def change(player: Player) -> Response:
    """`test` it or `remove` it."""
    if request.form.get("test"):
        channels.test(service(), player.id, request.form["test"])
        return to(url_for(".show", done="tried"))
    channels.remove(service(), player.id, request.form.get("remove", ""))
    return to(url_for(".show", done="removed"))


# What makes the site an app on a phone


@pages.get("/sw.js")
def worker() -> Response:
    """At the top, because a worker is for what lies below it."""
    answer = Response(_static("sw.js"), mimetype="text/javascript")
    answer.headers["Cache-Control"] = "no-cache"
    return answer


@pages.get("/app.webmanifest")
def manifest() -> Response:
    start = url_for("home.start")
    icons = [
        {"src": url_for(".icon", size=size), "sizes": f"{size}x{size}", "type": "image/png", "purpose": "any"}
        for size in _ICONS
    ]
    told = {
        "name": "Estafette",
        "short_name": "Estafette",
        "id": start,
        "start_url": start,
        "scope": start,
        "display": "standalone",
        "background_color": "#f6f3ec",
        "theme_color": "#1b4a8a",
        "icons": icons,
    }
    answer = Response(json.dumps(told), mimetype="application/manifest+json")
    answer.headers["Cache-Control"] = "public, max-age=86400"
    return answer


@pages.get("/icon-<int:size>.png")
def icon(size: int) -> Response:
    if size not in _ICONS:
        abort(404)
    answer = Response(_icon(size), mimetype="image/png")
    answer.headers["Cache-Control"] = "public, max-age=86400"
    return answer


@lru_cache(maxsize=len(_ICONS))
def _icon(size: int) -> bytes:
    import resvg_py

    return bytes(resvg_py.svg_to_bytes(svg_string=_static("icon.svg"), width=size))


def _static(name: str) -> str:
    return (Path(str(current_app.static_folder)) / name).read_text(encoding="utf-8")


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

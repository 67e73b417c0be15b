"""The move page of one seat's open decision. The link decides whose it is; a GET shows, a POST acts.

Mail scanners open links, run scripts and follow what they find, so nothing here changes anything on a GET.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, Final
from urllib.parse import quote

from flask import Blueprint, Response, request, url_for

from db import queries
from db.models import Player
from emails.language import gettext as _
from server import drafts, fresh_links, talk
from server.hints import hint_for, want
from server.links import Links, MoveLink, SeenLink, TogetherLink
from server.matches import NotYours, Stale
from server.pages import once as one
from server.pages.choices import beginnings, level, words_in
from server.pages.once import Once
from server.pages.showing import Reader, page, reader_of, service, to, waiting_for
from server.rules.asking import Refused
from server.views import paragraph, refusal

pages = Blueprint("turn", __name__)

LONGEST_MOVE: Final = 1_000
_SEEN_FOR: Final = timedelta(minutes=15)


def of_now(view: Callable[[MoveLink, str], Response]) -> Callable[[str], Response]:
    """A view of a link and its token; where its decision or the holder of its seat is another now, it says so."""

    @functools.wraps(view)
    def shown(token: str) -> Response:
        link = service().links.read_move(token)
        try:
            return view(link, token)
        except Stale:  # a page of before, or between two looks
            return moved_on(link, token)
        except NotYours:
            return gone(link)

    return shown


@pages.get("/m/<token>")
@of_now
def show(link: MoveLink, token: str) -> Response:
    """What happened, the table, the choices. With `move`: the page that asks whether this is meant.

    So what somebody was about to do stands in the address, and is there again when the phone has dropped the page.
    """
    move, form = request.args.get("move"), one.read(request.args.get("once"))
    standing = service().matches.standing(link)
    if standing == "gone":
        return gone(link)
    if standing == "over":
        return over(link, token) if form is None else moved_on(link, token)
    if move is not None:
        return confirm(link, token, move, form=form, asked_by_form=form is not None)
    return choose(link, token, at=request.args.get("at", ""), on=request.args.get("on", ""))


@pages.get("/m/<token>/<int:question>-<int:number>")
def one_tap(token: str, question: int, number: int) -> Response:
    """A choice of the mail, by its number among those of its question; it only shows, as all links do."""
    link = service().links.read_move(token)
    if service().matches.standing(link) != "open":
        return show(token)
    decision = service().matches.view(link.match, link.seat).decision
    if decision is None or decision.question != question or not 1 <= number <= len(decision.choices):
        return choose(link, token, said=_("This choice of the mail is over: the match has moved on since."))
    return confirm(link, token, decision.choices[number - 1].text)


@pages.post("/m/<token>")
@of_now
def play(link: MoveLink, token: str) -> Response:
    """Preview a move; with `confirm=1` play it, once."""
    here, said = service(), request.form
    move, form, now = said.get("move", "").strip(), one.read(said.get("once")), here.now()
    try:
        if form is None or len(move) > LONGEST_MOVE or said.get("confirm") != "1":
            return confirm(link, token, move, form=form, asked_by_form=True)
        here.matches.play(link, move, now=now, once=form.of(move), stamp=form.stamp)
    except Refused as refused:
        return refuse(link, token, move, refused, form)
    here.wake.set()
    return to(_result_url(here.links, link, form.stamp, now + _SEEN_FOR))


@pages.post("/m/<token>/undo")
@of_now
def undo(link: MoveLink, token: str) -> Response:
    """Take back the last own move, or a sealed answer."""
    form = one.read(request.form.get("once"))
    if form is None:
        return moved_on(link, token)
    try:
        service().matches.undo(link, now=service().now(), stamp=form.stamp)
    except Refused as refused:
        return refuse(link, token, "", refused, form)
    service().wake.set()
    return to(url_for(".show", token=token, undone=1))


@pages.post("/m/<token>/draft")
@of_now
def keep(link: MoveLink, token: str) -> Response:
    """Keep a move for later, for the holder's eyes alone; an empty one: forget what was kept."""
    move = request.form.get("move", "").strip()[:LONGEST_MOVE]
    form = one.read(request.form.get("once"))
    if form is None:
        return moved_on(link, token)
    try:
        drafts.keep(service().matches, link, move, stamp=form.stamp, now=service().now())
    except Refused as refused:
        return refuse(link, token, move, refused, form)
    return to(url_for(".show", token=token, kept=1 if move else None, _anchor="choices"))


@pages.post("/m/<token>/hints")
def explain(token: str) -> Response:
    """Decisions are explained to the seat's holder from now on, or not any more."""
    link = service().links.read_move(token)
    player_id, tenure = service().matches.holder(link.match, link.seat)
    if player_id is None or tenure != link.tenure:
        return gone(link)
    want(service().store, player_id, hints=request.form.get("hints") == "1")
    return to(url_for(".show", token=token))


@pages.post("/m/<token>/fresh")
def fresh_link(token: str) -> Response:
    """A mail with a link that works, to the address on file; the answer never says whether one was sent."""
    link = service().links.read_move(token)
    fresh_links.send(service().matches, link, now=service().now())
    service().wake.set()
    return page("turn/fresh.html", link=link)


def choose(
    link: MoveLink, token: str, *, at: str = "", on: str = "", said: str = "", status: int = 200, **facts: Any
) -> Response:
    """The page with the choices, one level of them; with `on` only the moves that name this place."""
    seen = _seen(link)
    view = service().matches.view(link.match, link.seat, since=seen.question if seen else None)
    decision = view.decision
    if decision is None:
        raise Stale
    every = [choice.text for choice in decision.choices]
    naming = words_in(every)
    on = on if on in naming else ""
    texts = naming.get(on, every)
    at = at if any(text.startswith(at) for text in texts) else ""
    entries = level(texts, at)
    says = {choice.text: choice.says for choice in decision.choices}
    holder = _holder(link)
    return page(
        "turn/choose.html",
        status,
        reader=reader_of(holder),
        token=token,
        view=view,
        at=at,
        on=on,
        entries=entries,
        links=_places(token, naming),
        says=says,
        beginnings=beginnings(entries, says),
        once=one.fresh(decision.stamp),
        said=said,
        just=seen is not None,
        undone="undone" in request.args,
        kept="kept" in request.args,
        draft=drafts.kept(service().store, link.match, holder.id, decision.stamp) if holder else None,
        hint=hint_for(service().store, view, holder),
        talk=talk.heard(service().matches, _at_the_table(link)),
        talk_url=_talk_url(link),
        **{"rule": None, "typed": "", **facts},
    )


def confirm(
    link: MoveLink, token: str, move: str, *, form: Once | None = None, asked_by_form: bool = False
) -> Response:
    """The move in words and the table after it, with a button; nothing is stored.

    `form` is that of the page which led here: it must have shown the decision of now.
    """
    move = move.strip()
    if len(move) > LONGEST_MOVE:
        return choose(link, token, said=_("This line is too long for a move."), status=422)
    try:
        view, preview = service().matches.preview(link, move)
    except Refused as refused:
        return refuse(link, token, move, refused, form, status=422 if asked_by_form else 200)
    if view.decision is None or (form is not None and form.stamp != view.decision.stamp):
        raise Stale
    return page(
        "turn/confirm.html",
        reader=_reader(link),
        token=token,
        view=view,
        preview=preview,
        once=one.fresh(view.decision.stamp),
    )


def refuse(
    link: MoveLink, token: str, move: str, refused: Refused, form: Once | None, *, status: int = 422
) -> Response:
    """Why the move is not possible, with its rule, over the same choices and with what was typed."""
    view = service().matches.view(link.match, link.seat)
    if view.decision is None or (form is not None and form.stamp != view.decision.stamp):
        return moved_on(link, token)
    return choose(link, token, said=refusal(view, refused), status=status, rule=paragraph(view, refused), typed=move)


def over(link: MoveLink, token: str) -> Response:
    """The decision was taken: what happened, for all eyes. Right after the own move: in the player's own."""
    seen = _seen(link)
    if seen is None:
        view = service().matches.view(link.match, None, of=link.seat)
        return page("turn/over.html", token=token, link=link, view=view, just=False, next_ones=[])
    view = service().matches.view(link.match, link.seat, since=seen.question)
    player = _holder(link)
    return page(
        "turn/over.html",
        reader=reader_of(player),
        token=token,
        link=link,
        view=view,
        just=True,
        next_ones=waiting_for(player, other_than=link.match)[:3],
    )


def moved_on(link: MoveLink, token: str) -> Response:
    """A page of before: nothing was changed, here is how it stands now."""
    standing = service().matches.standing(link)
    if standing == "gone":
        return gone(link)
    is_open = standing == "open"
    view = service().matches.view(link.match, link.seat if is_open else None, of=link.seat)
    return page("turn/moved_on.html", 409, token=token, link=link, view=view, is_open=is_open)


def gone(link: MoveLink) -> Response:
    return page("turn/gone.html", link=link)


def _result_url(links: Links, link: MoveLink, stamp: str, until: datetime) -> str:
    question = int(stamp.partition("-")[0])
    return f"{request.script_root}{quote(request.path)}?seen={links.seen_token(link, question, until)}"


def _seen(link: MoveLink) -> SeenLink | None:
    """What the redirect after a move carries for some minutes: only with it the result is shown in the own eyes."""
    text = request.args.get("seen")
    return service().links.read_seen(text, link, service().now()) if text else None


def _places(token: str, naming: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """Where a tap on a place leads, by the word for it in moves: to its one move, or to the choices among several."""
    here = url_for(".show", token=token)
    return {
        word: f"{here}?move={quote(named[0])}" if len(named) == 1 else f"{here}?on={quote(word)}#choices"
        for word, named in naming.items()
    }


def _at_the_table(link: MoveLink) -> TogetherLink:
    return TogetherLink(link.match, link.seat, link.tenure)


def _talk_url(link: MoveLink) -> str:
    *_, token = service().links.together_url(_at_the_table(link)).split("/")
    return url_for("together.talk_page", token=token)


def _holder(link: MoveLink) -> Player | None:
    player_id, _ = service().matches.holder(link.match, link.seat)
    if player_id is None:
        return None
    with service().store.reading() as session:
        return queries.players.by_id(session, player_id)


def _reader(link: MoveLink) -> Reader:
    return reader_of(_holder(link))

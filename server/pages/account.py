"""Signing in and out, what a person sets for themselves, and leaving mails."""

from __future__ import annotations

from datetime import timedelta
from functools import lru_cache
from typing import Any, Final
from zoneinfo import available_timezones

from flask import Blueprint, Response, abort, request, url_for

from db import queries
from db.models import Player
from emails.language import gettext as _
from emails.language import marked, offered
from server import absence, accounts, addresses, clocks, reach, signing_in
from server.hours import WEEKDAYS
from server.links import UnsubscribeLink
from server.pages.errors import TooOften
from server.pages.often import Often
from server.pages.showing import (
    for_the_signed_in,
    login_page,
    page,
    reader_of,
    sentence_page,
    service,
    sign_in,
    sign_out,
    signed_in,
    stay_signed_in,
    to,
)
from server.rhythm import RHYTHMS
from server.rules import GAMES
from server.vacations import VACATION_BUDGET

pages = Blueprint("account", __name__)

_LETTERS_SHOWN: Final = 30
_WRONG: Final = marked(
    "This code is not right, or it does not work any more. Ask for a new mail, or open the link in it."
)
_USED: Final = marked("This link was used before, or a newer sign-in made it useless. Ask for a fresh one.")
_DONE: Final = {
    "saved": marked("Saved."),
    "again": marked("We try again."),
    "address": marked("This is your address now."),
}

_SIGN_INS: Final = Often("sign-ins", 30, minutes=10)


# Signing in


@pages.get("/login")
def login() -> Response:
    return login_page()


@pages.post("/login")
def ask() -> Response:
    """Send the mail with link and code; the answer is the same whether the address is known."""
    _slowly()
    address = request.form.get("email", "").strip()
    try:
        signing_in.ask(service(), address)
    except ValueError as error:
        return login_page(422, said=str(error))
    return login_page(asked=address)


@pages.post("/login/code")
def enter_code() -> Response:
    _slowly()
    address = request.form.get("email", "").strip()
    player = signing_in.by_code(service(), address, request.form.get("code", ""))
    if player is None:
        return login_page(422, asked=address, said=_(_WRONG))
    sign_in(player)
    return to(url_for("game.own"))


@pages.get("/login/<token>")
def entrance(token: str) -> Response:
    """A button; mail scanners open links, so opening signs nobody in."""
    link = service().links.read_login(token, service().now())
    with service().store.reading() as session:
        player = queries.players.by_id(session, link.player)
    if player is None or player.logins != link.logins:
        return _used()
    other = signed_in()
    return page(
        "account/enter.html", player=player, token=token, other=other if other and other.id != player.id else None
    )


@pages.post("/login/<token>")
def enter(token: str) -> Response:
    link = service().links.read_login(token, service().now())
    player = signing_in.by_link(service(), link)
    if player is None:
        return _used()
    sign_in(player)
    return to(url_for("game.own"))


@pages.post("/logout")
def logout() -> Response:
    sign_out()
    return to(url_for("home.start"))


def _used() -> Response:
    return sentence_page(_("This link is over"), _(_USED), links=[(_("Sign in"), url_for(".login"))])


# The account


@pages.get("/me")
@for_the_signed_in()
def me(player: Player) -> Response:
    return _account(player, done=_(_DONE.get(request.args.get("done", ""), "")))


@pages.post("/me")
@for_the_signed_in()
def change(player: Player) -> Response:
    language = request.form.get("language", "")
    wanted: dict[str, Any] = {
        "name": request.form.get("name", ""),
        "zone": request.form.get("zone", "").strip(),
        "language": language if language in offered() else player.language,
        "mute_all": bool(request.form.get("mute_all")),
        "mute_reminders": bool(request.form.get("mute_reminders")),
    }
    try:
        accounts.change(service(), player.id, **wanted)
    except ValueError as error:
        return _account(player, status=422, said=str(error), form=wanted)
    return to(url_for(".me", done="saved"))


@pages.post("/me/rhythm")
@for_the_signed_in()
def change_rhythm(player: Player) -> Response:
    wanted = {name: _whole(request.form.get(name, "")) for name in ("minutes", "hour")}
    try:
        accounts.set_rhythm(service(), player.id, rhythm=request.form.get("rhythm", ""), **wanted)
    except ValueError as error:
        return _account(player, 422, said=str(error))
    return to(url_for(".me", done="saved"))


@pages.post("/me/address")
@for_the_signed_in()
def ask_for_address(player: Player) -> Response:
    """Send a code to a new address; the answer is the same whether somebody has it."""
    _slowly()
    try:
        addresses.ask(service(), player.id, request.form.get("email", "").strip())
    except ValueError as error:
        return _account(player, 422, said=str(error))
    return to(url_for(".me", _anchor="address"))


@pages.post("/me/address/code")
@for_the_signed_in()
def change_address(player: Player) -> Response:
    _slowly(f"address of {player.id}")
    if not addresses.change(service(), player.id, request.form.get("code", "")):
        return _account(player, 422, said=_("This code is not right, or its time is over. Ask for a new one."))
    stay_signed_in()
    return to(url_for(".me", done="address"))


@pages.post("/me/again")
@for_the_signed_in()
def again(player: Player) -> Response:
    """The way back for an address that could not be reached."""
    with service().store.writing() as session:
        reach.again(session, player.id, service().now())
    service().wake.set()
    return to(url_for(".me", done="again"))


@pages.get("/p/<player_id>")
def person(player_id: str) -> Response:
    """What everybody may know of a player: how they answer, and whether they are away."""
    with service().store.reading() as session:
        player = queries.players.by_id(session, player_id)
    if player is None or not player.email:
        abort(404)
    now = service().now()
    away = next((each.end for each in absence.vacations(player, now) if each.start <= now), None)
    told = [_("Away until %(moment)s.", moment=reader_of(signed_in()).moment(away))] if away else []
    return sentence_page(player.name, absence.record(service().store, player.id).told, *told)


@pages.post("/me/hours")
@for_the_signed_in()
def change_hours(player: Player) -> Response:
    """Zone, night, days off and reminders: when this person is not to be disturbed, and how often to remind."""
    form, now = request.form, service().now()
    try:
        absence.set_hours(
            service().store,
            player.id,
            zone=form.get("zone", player.zone or ""),
            night_from=form.get("night_from", ""),
            night_to=form.get("night_to", ""),
            off=form.getlist("off"),
            now=now,
        )
        absence.set_reminders(service().store, player.id, form.get("reminders", ""), now)
    except ValueError as error:
        return _account(player, status=422, said=str(error))
    service().wake.set()
    return to(url_for(".me", done="saved"))


@pages.post("/me/standby")
@for_the_signed_in()
def wait_for_seats(player: Player) -> Response:
    """The games in which this person would take a seat over."""
    wanted = set(request.form.getlist("standby"))
    with service().store.writing() as session:
        for game in GAMES:
            if game in wanted:
                queries.standby.wait(session, player.id, game, service().now())
            else:
                queries.standby.stop(session, player.id, game)
    return to(url_for(".me", done="saved"))


@pages.post("/me/vacation")
@for_the_signed_in()
def change_vacation(player: Player) -> Response:
    """Book one, give one up (`cancel`), or come back early (`back`)."""
    form, now, store = request.form, service().now(), service().store
    try:
        if form.get("back"):
            absence.come_back(store, player.id, now)
        elif form.get("cancel"):
            absence.cancel(store, player.id, form["cancel"], now)
        else:
            absence.go_away(store, player.id, form.get("first", ""), form.get("last", ""), now)
    except ValueError as error:
        return _account(player, status=422, said=str(error))
    service().wake.set()
    return to(url_for(".me", done="saved"))


def _account(player: Player, status: int = 200, *, form: Any = None, **facts: Any) -> Response:
    with service().store.reading() as session:
        sent = queries.letters.of_player(session, player.id, limit=_LETTERS_SHOWN)
    return page(
        "account/me.html",
        status,
        reader=reader_of(player),
        player=player,
        form=form or player,
        # not those to an address that is not yet theirs: their absence would tell that somebody has it
        letters=[letter for letter in sent if letter.address is None],
        time=_own_time(player),
        zones=zones(),
        languages=offered(),
        rhythms=RHYTHMS,
        **{"said": "", "done": "", **facts},
    )


def _own_time(player: Player) -> dict[str, Any]:
    """What the account page shows of somebody's hours and vacations."""
    now, hours = service().now(), clocks.hours_of(player)
    night = [f"{minute // 60:02}:{minute % 60:02}" for minute in hours.night] if hours.night else ["", ""]
    left = VACATION_BUDGET - absence.budget_used(player, now)
    with service().store.reading() as session:
        standby = queries.standby.games_of(session, player.id)
    return {
        "night": night,
        "off": hours.off,
        "weekdays": WEEKDAYS,
        "reminders": " ".join(str(each) for each in clocks.thresholds_of(player)),
        "vacations": absence.vacations(player, now),
        "days_left": reader_of(player).number(round(left / timedelta(days=1), 1)),
        "budget": VACATION_BUDGET.days,
        "now": now,
        "standby": standby,
        "record": absence.record(service().store, player.id).told,
    }


@lru_cache
def zones() -> tuple[str, ...]:
    """The names of zones that people look for."""
    return tuple(sorted(name for name in available_timezones() if "/" in name and not name.startswith("Etc/")))


# Leaving mails


@pages.get("/unsubscribe/<token>")
def leave(token: str) -> Response:
    return _left(service().links.read_unsubscribe(token), token, done=False)


@pages.post("/unsubscribe/<token>")
def unsubscribe(token: str) -> Response:
    """Also the one click of a mail program (RFC 8058)."""
    link = service().links.read_unsubscribe(token)
    accounts.mute(service(), link)
    return _left(link, token, done=True)


def _left(link: UnsubscribeLink, token: str, *, done: bool) -> Response:
    match_id = link.scope if link.scope not in ("all", "reminders") else None
    what = {
        "all": _("Mails that you did not ask for will not be sent to you any more."),
        "reminders": _("Reminders will not be sent to you any more."),
    }.get(link.scope) or _("Mails about the match #%(match)s will not be sent to you any more.", match=match_id)
    return page("account/unsubscribe.html", token=token, what=what, match_id=match_id, done=done)


def _whole(text: str) -> int:
    """A number as people type it; -1 for what is none."""
    return int(text) if text.strip().isdecimal() else -1


def _slowly(who: str = "") -> None:
    if not _SIGN_INS.may(service(), who or request.remote_addr or "", service().now()):
        raise TooOften

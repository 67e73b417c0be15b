"""What keeps an account its owner's: where they are signed in, passkeys, keys, links; and leaving for good."""

from __future__ import annotations

import json
from typing import Any, Final

from flask import Blueprint, Response, request, url_for

from db import queries
from db.models import Player
from emails.language import gettext as _
from emails.language import marked
from server import accounts, devices, passkeys
from server.pages.errors import TooOften
from server.pages.often import Often
from server.pages.showing import (
    for_the_signed_in,
    login_page,
    page,
    reader_of,
    scripted,
    sentence_page,
    service,
    sign_in,
    sign_out,
    this_device,
    to,
)

pages = Blueprint("safety", __name__)

_DONE: Final = {
    "revoked": marked("The key does not work any more."),
    "ended": marked("Signed out there."),
    "passkey": marked("You can sign in with this passkey from now on."),
    "removed": marked("The passkey does not work any more."),
}
_TRIES: Final = Often("passkeys", 30, minutes=10)


@pages.get("/me/safety")
@for_the_signed_in()
def show(player: Player) -> Response:
    return _safety(player)


def _safety(player: Player, status: int = 200, **facts: Any) -> Response:
    with service().store.reading() as session:
        where = queries.access.devices_of(session, player.id)
        keys = queries.access.api_keys_of(session, player.id)
        known = queries.access.passkeys_of(session, player.id)
    options = passkeys.options_to_add(service(), player) if passkeys.possible(service().settings) else ""
    answer = page(
        "account/safety.html",
        status,
        reader=reader_of(player),
        player=player,
        devices=where,
        this_device=this_device(),
        keys=keys,
        passkeys=known,
        options=options,
        **{"said": "", "done": _(_DONE.get(request.args.get("done", ""), "")), "new_key": "", **facts},
    )
    return scripted(answer) if options else answer


# Where somebody is signed in


@pages.post("/me/devices/end")
@for_the_signed_in()
def end_device(player: Player) -> Response:
    """Sign out in one browser (`device`), or in all others."""
    with service().store.writing() as session:
        if request.form.get("device"):
            queries.access.end_device(session, player.id, request.form["device"])
        else:
            queries.access.end_devices(session, player.id, but=this_device())
    return to(url_for(".show", done="ended"))


@pages.post("/me/links")
@for_the_signed_in()
def renew_links(player: Player) -> Response:
    accounts.renew_links(service(), player.id)
    service().wake.set()
    sign_out()
    return sentence_page(
        _("All your links are invalid now"),
        _("You are signed out everywhere. Mails with fresh links to what is open are on their way to your address."),
        links=[(_("Sign in"), url_for("account.login"))],
    )


# Passkeys


@pages.post("/me/passkeys")
@for_the_signed_in()
def add_passkey(player: Player) -> Response:
    try:
        name = devices.about(request.user_agent.string)
        passkeys.add(service(), player, request.form.get("answer", ""), name=name)
    except passkeys.PasskeyError as error:
        return _safety(player, 422, said=str(error))
    return to(url_for(".show", done="passkey"))


@pages.post("/me/passkeys/remove")
@for_the_signed_in()
def remove_passkey(player: Player) -> Response:
    with service().store.writing() as session:
        queries.access.drop_passkey(session, player.id, request.form.get("passkey", ""))
    return to(url_for(".show", done="removed"))


@pages.post("/login/passkey")
def enter() -> Response:
    if not _TRIES.may(service(), request.remote_addr or "", service().now()):
        raise TooOften
    try:
        player = passkeys.enter(service(), request.form.get("answer", ""))
    except passkeys.PasskeyError as error:
        return login_page(422, said=str(error))
    sign_in(player)
    return to(url_for("game.own"))


# Keys for programs


@pages.post("/me/keys")
@for_the_signed_in()
def make_key(player: Player) -> Response:
    with service().store.writing() as session:
        key = accounts.new_api_key(session, player.id, service().now())
    return _safety(player, new_key=key)


@pages.post("/me/keys/<id:key_id>/revoke")
@for_the_signed_in()
def revoke_key(player: Player, key_id: str) -> Response:
    with service().store.writing() as session:
        queries.access.revoke_api_key(session, player.id, key_id, service().now())
    return to(url_for(".show", done="revoked"))


# Taking one's data along, and leaving for good


@pages.get("/me/data")
@for_the_signed_in(status=401)
def data(player: Player) -> Response:
    """Everything that is kept about somebody, as a file."""
    text = json.dumps(accounts.own_data(service(), player.id), ensure_ascii=False, indent=1)
    answer = Response(text, mimetype="application/json")
    answer.headers["Content-Disposition"] = 'attachment; filename="estafette-my-data.json"'
    return answer


@pages.get("/me/leave")
@for_the_signed_in()
def ask_to_leave(player: Player) -> Response:
    return page("account/leave.html", player=player, said="")


@pages.post("/me/leave")
@for_the_signed_in()
def leave(player: Player) -> Response:
    """Whoever types their own address is forgotten."""
    if not accounts.is_same_address(request.form.get("email", ""), player.email):
        return page("account/leave.html", 422, player=player, said=_("This is not the address of your account."))
    accounts.forget(service(), player.email)
    service().wake.set()
    sign_out()
    return sentence_page(
        _("You are forgotten here"),
        _("Your name, your address and all that was kept with them are gone. In matches that go on, the house plays."),
        links=[(_("Start page"), url_for("home.start"))],
    )

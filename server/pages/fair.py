"""How anybody can check the shuffles: the seal, the players' own words, and after the end the seed."""

from __future__ import annotations

import json
from dataclasses import dataclass

from flask import Blueprint, Response, request, url_for

from db.models import Player
from emails.language import gettext as _
from emails.language import marked
from server import lobby
from server.links import JoinLink
from server.matches import NotYours
from server.pages.lobby import open_page, rows_of
from server.pages.showing import for_the_signed_in, page, sentence_page, service, to
from server.rules.record import RecordError, check, read_record

pages = Blueprint("fair", __name__)


@dataclass(frozen=True)
class Checked:
    """What came of recomputing a finished match; `wrong` says why it does not hold, empty if it does."""

    seed: str
    moves: int = 0
    shuffles: tuple[tuple[str, tuple[str, ...]], ...] = ()
    wrong: str = ""


@pages.get("/g/<id:match_id>/fair")
def show(match_id: str) -> Response:
    """Before the end what is sealed, after it the seed, every shuffle recomputed, and how to do that at home."""
    match, seats = rows_of(match_id)
    return page(
        "game/fair.html",
        match=match,
        words=[(seat.name, seat.word) for seat in seats if seat.word] if match.status != "open" else [],
        checked=_checked(match_id) if match.status == "finished" else None,
    )


def _checked(match_id: str) -> Checked:
    told = service().matches.record(match_id)
    try:
        play = check(read_record(json.dumps(told)), to_the_end=False)
    except RecordError as error:
        return Checked(told["seed"], wrong=str(error))
    return Checked(told["seed"], play.version, tuple((each.name, each.order) for each in play.chance.orders))


@pages.post("/g/<id:match_id>/word")
@for_the_signed_in(marked("Sign in to add a word of your own."))
def say(player: Player, match_id: str) -> Response:
    """A word of one's own for the shuffles, before the match begins."""
    seats = rows_of(match_id)[1]
    seat = next((each for each in seats if each.player_id == player.id), None)
    try:
        if seat is None:
            raise NotYours
        lobby.say_word(service().matches, match_id, seat.number, seat.tenure, request.form.get("word", ""))
    except NotYours:
        return open_page(match_id, said=_("You have no seat in this match."), status=422)
    except ValueError as error:
        return sentence_page(_("Too late"), str(error), status=422, links=[_to_match(match_id)])
    return to(url_for("game.show", match_id=match_id, done="word"))


@pages.post("/join/<token>/word")
def say_by_link(token: str) -> Response:
    """The same by the link of an invitation that was accepted."""
    link = service().links.read_join(token)
    try:
        if not isinstance(link, JoinLink):
            raise NotYours
        lobby.say_word(service().matches, link.match, link.seat, link.tenure, request.form.get("word", ""))
    except NotYours:
        return to(url_for("game.invitation", token=token))
    except ValueError as error:
        return sentence_page(_("Too late"), str(error), status=422, links=[_to_match(link.match)])
    return to(url_for("game.invitation", token=token))


def _to_match(match_id: str) -> tuple[str, str]:
    return (_("Show the match"), url_for("game.show", match_id=match_id))

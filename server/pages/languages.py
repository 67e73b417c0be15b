"""Which language a page speaks: of whose link it is, of who is signed in, or what the browser asks for."""

from __future__ import annotations

from babel.support import NullTranslations
from flask import Flask, request
from flask_babel import Babel, Domain

from db import queries
from db.models import Player
from db.turns import DatabaseBusy, DatabaseGone
from emails.language import Tongue, offered, speak, spoken, tongue
from server.links import BadLink, JoinLink, OfferLink
from server.matches import NotFound
from server.pages.showing import service, signed_in


class _Spoken(Domain):  # type: ignore[misc]  # Flask-Babel has no types
    """The catalogue of the language that is spoken: the one that mails and refusals use too."""

    def get_translations(self) -> NullTranslations:
        return spoken().translations


def register(site: Flask) -> None:
    babel = Babel(site, locale_selector=lambda: spoken().locale)
    babel.domain_instance = _Spoken()
    site.before_request(lambda: speak(_of_the_reader))
    site.teardown_request(lambda _error: speak(tongue("en")))


def _of_the_reader() -> Tongue:
    """Asked for when the first word is said: most answers to forms say none."""
    if request.path.startswith("/api/"):
        return tongue("en")
    try:
        player = _whose_link() if "token" in (request.view_args or {}) else signed_in()
    except (BadLink, NotFound, DatabaseBusy, DatabaseGone):  # the page says so, in what language we can
        player = None
    return tongue(player.language) if player else _of_the_browser()


def _of_the_browser() -> Tongue:
    return tongue(request.accept_languages.best_match(list(offered()), "en"))


def _whose_link() -> Player | None:
    """The person for whom a link was made; None if it is not theirs any more."""
    player_id = _holder_of((request.view_args or {})["token"])
    if player_id is None:
        return None
    with service().store.reading() as session:
        return queries.players.by_id(session, player_id)


def _holder_of(token: str) -> str | None:
    links = service().links
    match request.endpoint, request.blueprint:
        case "account.leave" | "account.unsubscribe", _:
            return links.read_unsubscribe(token).player
        case "account.entrance" | "account.enter", _:
            return links.read_login(token, service().now()).player
        case _, "turn":
            link = links.read_move(token)
            return _holder(link.match, link.seat, link.tenure)
        case _, "together":
            seat = links.read_together(token)
            return _holder(seat.match, seat.seat, seat.tenure)
        case _, "game" | "lobby":
            match links.read_join(token):
                case OfferLink(player=player):
                    return player
                case JoinLink(match_id, seat_, tenure):
                    return _holder(match_id, seat_, tenure)
    return None


def _holder(match_id: str, seat: int, tenure: int) -> str | None:
    holder, its_tenure = service().matches.holder(match_id, seat)
    return holder if its_tenure == tenure else None

"""Matches that have not begun: who is there, taking a free seat, what their host does; and the same people again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from flask import Blueprint, Response, request, url_for

from db import queries
from db.models import Match, Player, Seat
from emails.language import gettext as _
from emails.language import marked
from server import lobby, upkeep
from server.links import JoinLink, OpenLink
from server.matches import NotFound, NotYours
from server.pace import pace_of
from server.pages.errors import TooOften
from server.pages.often import Often
from server.pages.showing import for_the_signed_in, login_page, page, reader_of, sentence_page, service, signed_in, to
from server.rules import GAMES

pages = Blueprint("lobby", __name__)

MOST_SHOWN: Final = 30
_ASKED: Final = Often("seats by mail", 20, minutes=10)
_DONE: Final = {
    "taken": marked("You are in."),
    "word": marked("Your word is kept, and mixed into the shuffles when the match begins."),
    "left": marked("You have given up your seat."),
    "invited": marked("The invitation is on its way."),
    "free": marked("The seat is free."),
    "house": marked("The house plays there."),
    "round": marked("Links that you passed on before do not work any more."),
}


@dataclass(frozen=True)
class Open:
    """A match with free seats, as the start page lists it."""

    match: Match
    here: tuple[str, ...]
    free: int

    @property
    def pace(self) -> tuple[str, str]:
        return pace_told(self.match)


def to_join() -> list[Open]:
    """What anybody may join, the newest first."""
    with service().store.reading() as session:
        found = [
            (match, queries.seats.of(session, match.id)) for match in queries.matches.to_join(session, limit=MOST_SHOWN)
        ]
    return [
        Open(match, tuple(seat.name for seat in seats if not lobby.is_free(seat)), sum(map(lobby.is_free, seats)))
        for match, seats in found
    ]


# The page of a match that has not begun


def open_page(match_id: str, *, by: OpenLink | None = None, said: str = "", status: int = 200) -> Response:
    """`by` is the link that the reader was given, if they came by one."""
    match, seats = rows_of(match_id)
    if by is not None and (match.status != "open" or match.round != by.round):
        return _link_over(match_id)
    player = signed_in()
    own = next((seat for seat in seats if player and seat.player_id == player.id), None)
    free = [seat for seat in seats if lobby.is_free(seat)]
    is_host = player is not None and player.id == match.host_id
    with service().store.reading() as session:
        unreachable = queries.seats.unreachable(session, match_id)
    link = OpenLink(match.id, match.round)
    return page(
        "game/open.html",
        status,
        reader=reader_of(player),
        player=player,
        match=match,
        seats=seats,
        free=free,
        own=own,
        is_host=is_host,
        may_join=bool(free) and own is None and (match.public or by is not None),
        token=service().links.join_url(by).rpartition("/")[2] if by else "",
        share=service().links.join_url(link) if (is_host or (own and own.accepted_at)) and free else "",
        unreachable=unreachable,
        game=GAMES[match.game],
        pace=pace_told(match),
        said=said,
        done=_(_DONE.get(request.args.get("done", ""), "")),
    )


def rows_of(match_id: str) -> tuple[Match, Sequence[Seat]]:
    with service().store.reading() as session:
        match = queries.matches.by_id(session, match_id)
        if match is None:
            raise NotFound
        return match, queries.seats.of(session, match_id)


def pace_told(match: Any) -> tuple[str, str]:
    """What was agreed on about time: how much there is, and when it stands still and what lateness brings."""
    pace = pace_of(match.pace)
    return pace.about, " ".join(told for told in (pace.about_rest, pace.about_late) if told)


def _link_over(match_id: str) -> Response:
    return sentence_page(
        _("This link is over"),
        _("The match has begun, or the link was made anew. Ask whoever gave it to you."),
        links=[(_("Show the match"), url_for("game.show", match_id=match_id))],
    )


# Taking a seat, and leaving it


@pages.post("/g/<id:match_id>/join")
@for_the_signed_in(marked("Sign in to join the match."))
def join(player: Player, match_id: str) -> Response:
    """Take a free seat of a public match."""
    return _taken(match_id, player, None)


def join_by(link: OpenLink) -> Response:
    """The same by a link that was passed on; who has no account gives an address, and gets the invitation by mail."""
    player = signed_in()
    if player is not None and not request.form.get("email"):
        return _taken(link.match, player, link)
    if not _ASKED.may(service(), request.remote_addr or "", service().now()):
        raise TooOften
    address = request.form.get("email", "").strip()
    try:
        lobby.ask_by_mail(
            service().matches,
            link.match,
            address=address,
            name=request.form.get("name", ""),
            now=service().now(),
            by_round=link.round,
        )
    except NotYours:
        return _link_over(link.match)
    except ValueError as error:
        return open_page(link.match, by=link, said=str(error), status=422)
    service().wake.set()
    return sentence_page(
        _("Look into your mail"),
        _("An invitation is on its way to %(address)s. Its link takes the seat.", address=address),
    )


def _taken(match_id: str, player: Player, by: OpenLink | None) -> Response:
    name, now = request.form.get("name", ""), service().now()
    try:
        by_round = by.round if by else None
        lobby.take(service().matches, match_id, player.id, name=name, now=now, by_round=by_round)
    except NotYours:
        return _link_over(match_id)
    except ValueError as error:
        return open_page(match_id, by=by, said=str(error), status=422)
    service().wake.set()
    return to(url_for("game.show", match_id=match_id, done="taken"))


@pages.post("/join/<token>/decline")
def decline(token: str) -> Response:
    """Whoever does not want to play says so, and need not be waited for."""
    link = service().links.read_join(token)
    if not isinstance(link, JoinLink):
        return to(url_for("game.invitation", token=token))
    try:
        lobby.decline(service().matches, link, now=service().now())
    except NotYours:
        return to(url_for("game.invitation", token=token))
    service().wake.set()
    return sentence_page(_("You do not play"), _("Whoever invited you is told, and you get no mails about this match."))


@pages.post("/g/<id:match_id>/leave")
@for_the_signed_in(marked("Sign in to leave the match."))
def leave(player: Player, match_id: str) -> Response:
    """Get up before the match begins."""
    return _done(match_id, "left", lambda: lobby.leave(service().matches, match_id, player.id, now=service().now()))


@pages.post("/g/<id:match_id>/again")
@for_the_signed_in(marked("Sign in to play again."))
def again(player: Player, match_id: str) -> Response:
    """The same game with the same people; the second of them to press comes to the first one's match."""
    try:
        new = lobby.again(service().matches, match_id, player.id, now=service().now())
    except NotYours:
        return sentence_page(_("Not yours"), _("Only who has played the match can ask for another one."), status=403)
    except ValueError as error:
        return sentence_page(_("Not yet"), str(error), status=422)
    service().wake.set()
    return to(url_for("game.show", match_id=new))


# What the host does


@pages.post("/g/<id:match_id>/host")
def host(match_id: str) -> Response:
    """`do` says what: invite, free, house, round, begin or off."""
    player = signed_in()
    match = rows_of(match_id)[0]
    if player is None:
        return login_page(401, why=_("Sign in to change the match."))
    if player.id != match.host_id:
        return sentence_page(_("Not yours"), _("Only who set up the match can change it."), status=403)
    form, matches, now = request.form, service().matches, service().now()
    told, number = form.get("do", ""), form.get("seat", "")
    seat = int(number) if number.isascii() and number.isdecimal() and len(number) < 3 else 0
    deeds: dict[str, Callable[[], Any]] = {
        "invite": lambda: lobby.invite_to(
            matches, match_id, seat, address=form.get("email", "").strip(), name=form.get("name", ""), now=now
        ),
        "free": lambda: lobby.take_back(matches, match_id, seat, now=now),
        "house": lambda: lobby.give_to_house(matches, match_id, seat, now=now),
        "round": lambda: lobby.new_round(matches, match_id),
        "begin": lambda: lobby.begin(matches, match_id, now=now, who="host"),
        "off": lambda: upkeep.abort(matches, match_id, marked("It was called off."), now=now, who="host"),
    }
    if told not in deeds:
        return open_page(match_id, status=422)
    return _done(match_id, {"invite": "invited"}.get(told, told), deeds[told])


def _done(match_id: str, done: str, deed: Callable[[], Any]) -> Response:
    try:
        deed()
    except NotYours:
        return open_page(match_id, said=_("You have no seat in this match."), status=422)
    except ValueError as error:
        return open_page(match_id, said=str(error), status=422)
    service().wake.set()
    return to(url_for("game.show", match_id=match_id, done=done))

"""Matches as their people and everybody see them: the table and its log, one's own matches, new ones, invitations."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import UTC, datetime

from flask import Blueprint, Response, abort, request, url_for
from werkzeug.datastructures import MultiDict

from db import queries
from db.models import Match, Player, Seat
from emails.language import gettext as _
from emails.language import marked
from emails.mime import AddressError, mail_address
from server import accounts, beginning, lobby, upkeep
from server.beginning import SeatWish, Wish
from server.links import JoinLink, OfferLink, OpenLink, TogetherLink
from server.matches import NotYours
from server.oversight import lookers
from server.pace import LATE, PACES, read_pace
from server.pages.errors import TooOften
from server.pages.lobby import join_by, open_page, pace_told, rows_of
from server.pages.often import BEGUN
from server.pages.showing import for_the_signed_in, page, reader_of, sentence_page, service, signed_in, to
from server.retrospect import course, picture
from server.rules import GAMES
from server.rules.playing import Game
from server.rules.telling import Viewer
from server.views import name_of

pages = Blueprint("game", __name__)

_LAST = datetime.max.replace(tzinfo=UTC)


@pages.get("/g/<id:match_id>")
def show(match_id: str) -> Response:
    """The match for all eyes, step by step with `at`; with a session of its own player, in that player's eyes."""
    matches = service().matches
    row = matches.status(match_id)
    player = signed_in()
    if row.status == "open":
        return open_page(match_id)
    own = matches.seat_of(match_id, player.id) if player else None
    viewer: Viewer = None if request.args.get("as") == "everybody" else own
    now = matches.view(match_id, viewer)
    last = now.version - sum(seat.answered for seat in now.seats)
    at = _step(request.args.get("at"), last)
    view, log = (now, matches.log(match_id, viewer)) if at is None else matches.at(match_id, viewer, at)
    before = matches.at(match_id, viewer, at - 1)[1] if at else ()
    link = matches.link_of(match_id, own) if own and viewer else None
    return page(
        "game/show.html",
        removable=upkeep.removable(matches, match_id, player.id, service().now()) if player else (),
        reader=reader_of(player),
        view=view,
        now=now,
        log=log,
        step=log[len(before) :] if at else (),
        at=at,
        last=last,
        own=own,
        everybody={"as": "everybody"} if own and viewer is None else {},
        move_url=service().links.move_url(link) if link and now.decision else None,
        finished_at=row.finished_at,
        pace=pace_told(row),
        lookers=lookers(service(), match_id),
        together_url=_together_url(match_id, own) if own and viewer else None,
        course=course(matches, match_id) if at is None and row.status == "finished" else None,
        picture_url=service().links.url(f"g/{match_id}/end.png"),
    )


@pages.post("/g/<id:match_id>/remove")
@for_the_signed_in(marked("Sign in to change the match."))
def remove(player: Player, match_id: str) -> Response:
    """The host gives the seat of somebody who is gone to the house, and has said to be sure."""
    number = request.form.get("seat", "")
    seat = int(number) if number.isascii() and number.isdecimal() and len(number) < 3 else 0
    try:
        if request.form.get("sure") != "1":
            raise ValueError(_("Tick the box if you are sure: the links of whoever sits there become void."))
        upkeep.remove(service().matches, match_id, seat, player.id, now=service().now())
    except NotYours:
        return sentence_page(_("Not yours"), _("Only who set up the match can change it."), status=403)
    except ValueError as error:
        return sentence_page(_("Not yet"), str(error), status=422)
    service().wake.set()
    return to(url_for(".show", match_id=match_id))


@pages.get("/g/<id:match_id>/end.png")
def end_picture(match_id: str) -> Response:
    """A picture of the end of a match, to show around."""
    view = service().matches.view(match_id, None)
    if view.status != "finished" or not view.outcome or not view.outcome["scores"]:
        abort(404)
    answer = Response(picture(view), mimetype="image/png")
    answer.headers["Content-Disposition"] = f'inline; filename="estafette-{match_id}.png"'
    answer.headers["Cache-Control"] = "private, max-age=3600"
    return answer


@pages.get("/g/<id:match_id>/record")
def record(match_id: str) -> Response:
    """The whole match as a file, seed included, once it is finished."""
    if service().matches.status(match_id).status != "finished":
        return sentence_page(
            _("Not yet"),
            _("The record of a match tells everything, so it can be had when the match is finished."),
            status=403,
            links=[(_("Show the match"), url_for("game.show", match_id=match_id))],
        )
    text = json.dumps(service().matches.record(match_id), ensure_ascii=False, indent=1)
    answer = Response(text, mimetype="application/json")
    answer.headers["Content-Disposition"] = f'attachment; filename="estafette-{match_id}.json"'
    return answer


@dataclass(frozen=True)
class Held:
    """A seat of the reader's, and its match."""

    match: Match
    seat: Seat
    others: tuple[str, ...]

    @property
    def waits(self) -> bool:
        return self.match.status == "running" and self.seat.asked is not None and not self.seat.answered

    def urgency(self) -> tuple[int, datetime]:
        """Decisions first, by the time left; then what runs, what has not begun, what is over."""
        if self.waits:
            return 0, self.seat.due_at or _LAST
        rank = {"running": 1, "paused": 1, "frozen": 1, "open": 2}.get(self.match.status, 3)
        return rank, self.match.created_at


@pages.get("/games")
@for_the_signed_in(marked("Sign in to see your matches."))
def own(player: Player) -> Response:
    with service().store.reading() as session:
        held = [
            Held(match, seat, tuple(name_of(each) for each in queries.seats.of(session, match.id) if each is not seat))
            for match, seat in queries.matches.of_player(session, player.id)
        ]
    held.sort(key=Held.urgency)
    links = {
        each.match.id: service().links.move_url(link)
        for each in held
        if each.waits and (link := service().matches.link_of(each.match.id, each.seat.number))
    }
    return page("game/own.html", reader=reader_of(player), player=player, held=held, links=links)


# New matches


@pages.get("/games/new")
@for_the_signed_in(marked("Sign in to begin a match."))
def new(player: Player) -> Response:
    name = request.args.get("game", "")
    if name not in GAMES:
        return page("game/pick.html")
    return _form(GAMES[name], player, MultiDict({"me": "1"}))


@pages.post("/games/new")
@for_the_signed_in(marked("You were signed out. Sign in to begin a match."))
def create(player: Player) -> Response:
    game = GAMES.get(request.form.get("game", ""))
    if game is None:
        return page("game/pick.html", 422)
    late = lobby.refusal(service().store, player.id)
    if late:
        return _form(game, player, request.form, said=late, status=422)
    operator = accounts.is_admin(service().settings, player.email)
    if not operator and not BEGUN.may(service(), player.id, service().now()):
        raise TooOften
    try:
        wish = read_wish(game, request.form, player)
        match_id = beginning.create(service().matches, wish, host=player.id, now=service().now())
    except ValueError as error:
        return _form(game, player, request.form, said=str(error), status=422)
    service().wake.set()
    return to(url_for(".show", match_id=match_id))


@pages.post("/games/try")
@for_the_signed_in(marked("Sign in to begin a match."))
def first_match(player: Player) -> Response:
    """A match against the house alone, at once and without a clock, whose decisions are explained to beginners."""
    game = GAMES.get(request.form.get("game", ""))
    if game is None:
        return page("game/pick.html", 422)
    seats = [SeatWish(player.name, player.email), *[SeatWish(house=True)] * (game.least_seats - 1)]
    short: dict[str, object] = {option.name: True for option in game.options if option.name == "short"}
    wish = Wish(game=game.name, seats=seats, options=short, pace="none")
    try:
        match_id = beginning.create(service().matches, wish, host=player.id, now=service().now())
    except ValueError as error:
        return _form(game, player, request.form, said=str(error), status=422)
    service().wake.set()
    return to(url_for(".show", match_id=match_id))


def read_wish(game: Game, form: MultiDict[str, str], player: Player) -> Wish:
    """The match that a form asks for; raises ValueError with a sentence."""
    seats = [SeatWish(player.name, player.email)] if form.get("me") else []
    for row in range(1, game.most_seats + 1):
        name, email = form.get(f"name{row}", "").strip(), form.get(f"email{row}", "").strip()
        if form.get(f"house{row}"):
            seats.append(SeatWish(name, house=True, strong=form.get("strong") == "1"))
        elif email:
            _check_address(row, email)
            seats.append(SeatWish(name, email))
        elif form.get(f"free{row}"):
            seats.append(SeatWish(free=True))
        elif name:
            raise ValueError(
                _(
                    "Seat %(number)s (%(name)s) has no mail address. Give one, or let the house play there.",
                    number=row,
                    name=name,
                )
            )
    options: dict[str, object] = {option.name: form[option.name] for option in game.options if option.name in form}
    return Wish(
        game=game.name,
        seats=seats,
        options=options,
        pace=_wanted_pace(form),
        public=bool(form.get("public")),
        starts_at=lobby.read_begin(form.get("begins", ""), player.zone, service().now()),
    )


def _wanted_pace(form: MultiDict[str, str]) -> object:
    """A preset or own numbers, and what happens when the time is up."""
    own, more = form.get("own", "").strip(), {key: form[key] for key in ("late", "grace") if form.get(key)}
    pace = read_pace(own or form.get("pace"))
    return pace.as_json() | more if more and pace.is_timed else pace.as_json()


def _check_address(row: int, address: str) -> None:
    try:
        mail_address(address)
    except AddressError as error:
        raise ValueError(_("The address of seat %(number)s cannot be used. %(why)s", number=row, why=error)) from None


def _form(game: Game, player: Player, form: MultiDict[str, str], *, said: str = "", status: int = 200) -> Response:
    return page(
        "game/new.html",
        status,
        reader=reader_of(player),
        player=player,
        game=game,
        form=form,
        paces=PACES.values(),
        late=LATE,
        said=said,
    )


# Invitations


@pages.get("/join/<token>")
def invitation(token: str) -> Response:
    link = service().links.read_join(token)
    return open_page(link.match, by=link) if isinstance(link, OpenLink) else _invited(link, token)


@pages.post("/join/<token>")
def accept(token: str) -> Response:
    """Take the seat, perhaps under another name."""
    link = service().links.read_join(token)
    if isinstance(link, OpenLink):
        return join_by(link)
    try:
        form = request.form
        word = form.get("word", "")
        beginning.accept(service().matches, link, name=form.get("name"), word=word, now=service().now())
    except NotYours:
        return _invited(link, token)
    service().wake.set()
    if service().matches.holder(link.match, link.seat)[1] != link.tenure:
        return sentence_page(
            _("You are in"),
            _("The seat is yours. If a decision is open for it, a mail brings it; your mails have the links to it."),
            links=[(_("Show the match"), url_for("game.show", match_id=link.match))],
        )
    return to(url_for(".invitation", token=token))


def _invited(link: JoinLink | OfferLink, token: str) -> Response:
    match, seats = rows_of(link.match)
    seat = next((each for each in seats if each.number == link.seat), None)
    with service().store.reading() as session:
        player = queries.players.by_id(
            session, (link.player if isinstance(link, OfferLink) else seat and seat.player_id) or ""
        )
        host = queries.players.by_id(session, match.host_id) if match.host_id else None
    if seat is None or not _still_holds(link, match, seat, player):
        return sentence_page(
            _("This invitation is over"),
            _("The seat has another holder, the match was called off, or the invitation was sent anew."),
            links=[(_("Show the match"), url_for("game.show", match_id=link.match))],
        )
    return page(
        "game/join.html",
        reader=reader_of(player),
        token=token,
        match=match,
        seat=seat,
        offered=player if isinstance(link, OfferLink) else None,
        others=[name_of(each) for each in seats if each.number != seat.number and not _is_hosts(each, match)],
        open_seats=[name_of(each) for each in seats if each.accepted_at is None],
        host=host.name if host else None,
        game=GAMES[match.game],
        pace=pace_told(match),
    )


def _is_hosts(seat: Seat, match: Match) -> bool:
    return match.host_id is not None and seat.player_id == match.host_id


def _still_holds(link: JoinLink | OfferLink, match: Match, seat: Seat, player: Player | None) -> bool:
    """Whether an invitation is one to its reader, or was and they have taken it."""
    if seat.tenure != link.tenure:
        return False
    if isinstance(link, OfferLink):
        is_theirs = player is not None and seat.offered_to == player.id and player.links_epoch == link.epoch
        return is_theirs and match.status in ("running", "paused")
    return not seat.house and match.status != "aborted"


def _together_url(match_id: str, own: int) -> str:
    _, tenure = service().matches.holder(match_id, own)
    return service().links.together_url(TogetherLink(match_id, own, tenure))


def _step(told: str | None, last: int) -> int | None:
    """The number of moves after which the match is to be shown; None: as it stands."""
    if told is None:
        return None
    if not told.isdecimal() or len(told) > 6:
        abort(404)
    return min(int(told), last)

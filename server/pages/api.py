"""The same actions for programs: JSON in, JSON out, a key in the header. `openapi.json` describes it."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import lru_cache, wraps
from importlib import resources
from typing import Any, Final, TypeAlias

from flask import Blueprint, Response, g, jsonify, request

from db import queries, table
from emails.mime import AddressError, mail_address
from server import accounts, beginning, oversight
from server.accounts import Bearer
from server.beginning import SeatWish, Wish
from server.matches import NotFound, NotYours, Stale
from server.pages.often import BEGUN
from server.pages.showing import service
from server.rules.asking import Refused
from server.rules.telling import HOST, Viewer
from server.views import refusal

pages = Blueprint("api", __name__, url_prefix="/api/v1")

_MOST_SEATS: Final = 32
_MOVED_ON: Final = "The match has moved on since. Nothing was changed; look at the position again."

Answer: TypeAlias = Response | tuple[Response, int]
Action: TypeAlias = Callable[..., Answer]


class Bad(Exception):
    """What a program sent is not what is needed, in a sentence."""

    def __init__(self, said: str, status: int = 422) -> None:
        super().__init__(said)
        self.status = status


def for_bearers(action: Action) -> Action:
    """Only with a key; what is wrong becomes `{"error": sentence}`."""

    @wraps(action)
    def answer(**arguments: str) -> Answer:
        scheme, _, key = request.headers.get("Authorization", "").partition(" ")
        bearer = accounts.bearer_of(service(), key.strip()) if scheme.lower() == "bearer" and key else None
        if bearer is None:
            refused = jsonify(error="A key is needed: Authorization: Bearer <key>. Your account page makes one.")
            refused.headers["WWW-Authenticate"] = 'Bearer realm="estafette"'
            return refused, 401
        g.bearer = bearer
        try:
            return action(**arguments)
        except Bad as bad:
            return jsonify(error=str(bad)), bad.status
        except NotYours:
            return jsonify(error="This seat is not yours."), 403

    return answer


@pages.get("/openapi.json")
def openapi() -> Response:
    described = dict(_description(), servers=[{"url": service().links.url("api/v1")}])
    answer = jsonify(described)
    answer.headers["Cache-Control"] = "public, max-age=3600"
    return answer


@pages.post("/games")
@for_bearers
def create() -> Answer:
    """A new match: invited, or begun at once with `start`."""
    told = _body("game", "options", "seats", "pace", "start")
    seats = told.get("seats")
    if not isinstance(seats, list) or not 0 < len(seats) <= _MOST_SEATS:
        raise Bad('“seats” is a list of {"name", "email"} or {"house": true}, one for each seat.')
    options = told.get("options") or {}
    start = told.get("start", False)
    if not isinstance(options, dict):
        raise Bad("“options” is an object of the game's options.")
    if not isinstance(start, bool):
        raise Bad("“start” is true or false.")
    bearer = _bearer()
    if not bearer.operator and not BEGUN.may(service(), bearer.player_id or "", service().now()):
        raise Bad("That were many new matches within an hour. Wait a while, then begin the next.", 429)
    wish = Wish(
        game=_text(told, "game"),
        seats=[_seat(number, each) for number, each in enumerate(seats, start=1)],
        options=options,
        pace=told.get("pace"),
    )
    try:
        match_id = beginning.create(service().matches, wish, host=_bearer().player_id, now=service().now(), start=start)
    except ValueError as error:
        raise Bad(str(error)) from error
    service().wake.set()
    answer = jsonify(id=match_id)
    answer.headers["Location"] = service().links.url(f"api/v1/games/{match_id}")
    return answer, 201


@pages.get("/games/<id:match_id>")
@for_bearers
def position(match_id: str) -> Answer:
    """The position as the bearer may see it: the own seat's eyes, the operator's, or everybody's."""
    _begun(match_id)
    return jsonify(service().matches.position(match_id, _eyes(match_id)))


@pages.get("/games/<id:match_id>/moves")
@for_bearers
def moves(match_id: str) -> Answer:
    """The legal moves of an open decision."""
    _begun(match_id)
    seat = _own_seat(match_id, request.args.get("seat", ""))
    _eyes(match_id)
    view = service().matches.view(match_id, seat)
    if view.decision is None:
        raise Bad(_not_asked(match_id), 409)
    decision = view.decision
    return jsonify(
        seat=seat,
        version=view.version,
        kind=decision.kind,
        prompt=decision.prompt,
        moves=[choice.text for choice in decision.choices],
    )


@pages.post("/games/<id:match_id>/moves")
@for_bearers
def play(match_id: str) -> Answer:
    """Play a move; refused with 409 if another question is open than at `version`."""
    told = _body("seat", "move", "version")
    _begun(match_id)
    seat = _own_seat(match_id, told.get("seat"))
    move, version = _text(told, "move"), told.get("version")
    if version is not None and (not isinstance(version, int) or isinstance(version, bool)):
        raise Bad("“version” is the number of moves of the position that you saw.")
    matches = service().matches
    link = matches.link_of(match_id, seat)
    if link is None:
        raise Bad(_not_asked(match_id), 409)
    try:
        matches.play(link, move, now=service().now(), version=version, by="api")
    except Stale:
        raise Bad(_MOVED_ON, 409) from None
    except Refused as refused:
        said = refusal(matches.view(match_id, seat), refused)
        return jsonify(error=said, rule=refused.rule), 422
    if _viewer(match_id) == HOST:
        _note_move_of_another(match_id, seat)
    service().wake.set()
    return jsonify(matches.position(match_id, _eyes(match_id)))


@pages.get("/games/<id:match_id>/record")
@for_bearers
def record(match_id: str) -> Answer:
    """The record of a finished match; the operator's of any."""
    status = service().matches.status(match_id).status
    bearer = _bearer()
    plays = bearer.player_id is not None and service().matches.seat_of(match_id, bearer.player_id) is not None
    if status != "finished" and (not bearer.operator or plays):
        raise Bad("The record tells everything: it can be had when the match is finished.", 403)
    _eyes(match_id)
    return jsonify(service().matches.record(match_id))


@lru_cache
def _description() -> dict[str, Any]:
    text = (resources.files("server.pages") / "openapi.json").read_text(encoding="utf-8")
    described: dict[str, Any] = json.loads(text)
    return described


def _bearer() -> Bearer:
    bearer: Bearer = g.bearer
    return bearer


def _viewer(match_id: str) -> Viewer:
    """An operator who plays in the match sees it as that player: nobody sees more by accident."""
    bearer = _bearer()
    seat = service().matches.seat_of(match_id, bearer.player_id) if bearer.player_id else None
    return seat or (HOST if bearer.operator else None)


def _eyes(match_id: str) -> Viewer:
    """The same, to show something: who sees hidden things of a match that is played is written down for its players."""
    viewer = _viewer(match_id)
    if viewer == HOST and service().matches.status(match_id).status != "finished":
        oversight.looked_by_program(service(), match_id, who=_who(), now=service().now())
    return viewer


def _who() -> str:
    player_id = _bearer().player_id
    return f"operator program of {player_id}" if player_id else "operator program"


def _note_move_of_another(match_id: str, seat: int) -> None:
    with service().store.writing() as session:
        table.note(session, service().now(), _who(), f"moved for seat {seat}", match_id=match_id)


def _own_seat(match_id: str, told: object) -> int:
    """The seat that is named, if the bearer may act for it."""
    viewer = _viewer(match_id)
    if isinstance(told, str) and told.isdecimal() and len(told) < 4:
        told = int(told)
    if told in (None, "") and isinstance(viewer, int):
        return viewer
    if not isinstance(told, int) or isinstance(told, bool):
        raise Bad("“seat” is the number of a seat.")
    with service().store.reading() as session:
        if not any(seat.number == told for seat in queries.seats.of(session, match_id)):
            raise Bad(f"The match has no seat {told}.", 404)
    if viewer not in (told, HOST):
        raise NotYours
    return told


def _begun(match_id: str) -> None:
    if service().matches.status(match_id).status == "open":
        raise Bad("This match has not begun: not everybody has accepted.", 409)


def _not_asked(match_id: str) -> str:
    view = service().matches.view(match_id, None)
    if view.outcome is not None:
        return "The match is over."
    names = ", ".join(f"seat {seat.number} ({seat.name})" for seat in view.waiting_for)
    return f"No decision of this seat is open: the match waits for {names}." if names else "No decision is open."


def _body(*known: str) -> dict[str, Any]:
    if request.mimetype != "application/json":
        raise Bad("Send JSON: Content-Type: application/json.", 415)
    try:
        told = json.loads(request.get_data())
    except (ValueError, RecursionError):
        raise Bad("This is not JSON.", 400) from None
    if not isinstance(told, dict):
        raise Bad("Send an object: {…}.", 400)
    unknown = sorted(set(told) - set(known))
    if unknown:
        raise Bad(f"“{unknown[0][:40]}” is not known here. Known are: {', '.join(known)}.")
    return told


def _text(told: dict[str, Any], key: str) -> str:
    value = told.get(key)
    if not isinstance(value, str) or len(value) > 1_000:
        raise Bad(f"“{key}” is a text.")
    return value


def _seat(number: int, told: object) -> SeatWish:
    if not isinstance(told, dict):
        raise Bad(f'Seat {number} is {{"name", "email"}} or {{"house": true}}.')
    unknown = sorted(set(told) - {"name", "email", "house", "strong"})
    if unknown:
        raise Bad(f"Seat {number}: “{unknown[0][:40]}” is not known here. Known are: name, email, house, strong.")
    name, email, house, strong = told.get("name", ""), told.get("email"), told.get("house", False), told.get("strong")
    if not isinstance(name, str) or not isinstance(house, bool):
        raise Bad(f"Seat {number}: “name” is a text, “house” is true or false.")
    if strong is not None and not (isinstance(strong, bool) and house):
        raise Bad(f"Seat {number}: “strong” is true or false, and only for the house.")
    if house and email is not None:
        raise Bad(f"Seat {number}: it is the house's or that of the person with this address, not both.")
    if house:
        return SeatWish(name, house=True, strong=bool(strong))
    try:
        mail_address(email if isinstance(email, str) else "")
    except AddressError as error:
        raise Bad(f"Seat {number}: {error}") from None
    return SeatWish(name, email)


@pages.errorhandler(NotFound)
def no_such_match(_error: NotFound) -> Answer:
    return jsonify(error="There is no such match."), 404

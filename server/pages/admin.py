"""The operator's console: what is stuck and why, matches, mails, people. Every deed is logged with who and why."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from flask import Blueprint, Response, abort, g, request, url_for

from db import queries, table
from db.models import Player
from server import accounts, reach, standstill, upkeep
from server.matches import Frozen, NotFound, Stale
from server.oversight import look_at_secrets, stuck_matches
from server.pages.counting import counts
from server.pages.ops import LATE_TICK, tick_lag
from server.pages.showing import drawing, page, reader_of, service, signed_in, to

pages = Blueprint("admin", __name__, url_prefix="/admin")

_SHOWN: Final = 100
_STATUSES: Final = ("running", "open", "paused", "frozen", "finished", "aborted")
_STATES: Final = ("waiting", "unknown", "failed", "sent", "dropped")


@pages.before_request
def only_operators() -> None:
    """Nobody else learns that there is something here."""
    player = signed_in()
    if player is None or not accounts.is_admin(service().settings, player.email):
        abort(404)
    g.operator = player


def operator() -> Player:
    player: Player = g.operator
    return player


def _who() -> str:
    """The name may change, the id never."""
    return f"operator {operator().name} ({operator().id})"


def _why() -> str:
    why = " ".join(request.form.get("why", "").split())[:300]
    if not why:
        raise ValueError("Say why: it is kept in the log.")
    return why


def _number(field: str, what: str) -> int:
    try:
        return int(request.form.get(field, ""))
    except ValueError:
        raise ValueError(f"{what} is a number.") from None


def _shown(template: str, status: int = 200, **facts: Any) -> Response:
    facts.setdefault("said", "")
    return page(
        f"admin/{template}.html", status, reader=reader_of(operator()), done=request.args.get("done") == "1", **facts
    )


def _done(address: str, deed: Callable[[], object], again: Callable[[str], Response]) -> Response:
    """Do it and go there; where it is refused, show the page again and say why."""
    try:
        deed()
    except Stale:
        return again("Somebody moved at the same moment. Nothing was changed.")
    except Frozen:
        return again("The match is frozen: its moves lead elsewhere than they did. Rewind it, or end it.")
    except ValueError as error:
        return again(str(error))
    return to(f"{address}?done=1")


# The whole instance


@pages.get("")
def home() -> Response:
    return _home()


def _home(said: str = "") -> Response:
    now, lag = service().now(), tick_lag()
    with service().store.reading() as session:
        return _shown(
            "home",
            422 if said else 200,
            said=said,
            stuck=stuck_matches(session, now),
            letters=counts().of("letters", lambda: queries.oversight.letters_by_state(session)),
            oldest=queries.oversight.oldest_unsent(session, now),
            counts=counts().of("matches", lambda: queries.oversight.matches_by_status(session)),
            unreachable=queries.oversight.unreachable_players(session),
            stopped=standstill.stopped_since(session),
            lag=lag,
            late=lag is None or lag > LATE_TICK,
        )


@pages.post("/world")
def world() -> Response:
    """Stop or start the clocks of all matches."""
    now = service().now()

    def deed() -> None:
        why = _why()
        if request.form.get("do") == "stop":
            standstill.stop_world(service().store, why, now)
        else:
            standstill.start_world(service().store, now)
        _note("asked for it" if request.form.get("do") == "stop" else "started all clocks", why)

    return _done(url_for(".home"), deed, _home)


def _note(what: str, why: str, *, match_id: str | None = None) -> None:
    with service().store.writing() as session:
        table.note(session, service().now(), _who(), what, match_id=match_id, why=why)


@pages.get("/log")
def log() -> Response:
    with service().store.reading() as session:
        return _shown("log", events=queries.oversight.newest_events(session, limit=_SHOWN))


# Matches


@pages.get("/matches")
def matches() -> Response:
    status = request.args.get("status", "running")
    if status not in _STATUSES:
        abort(404)
    with service().store.reading() as session:
        found = queries.matches.with_status(session, status, limit=_SHOWN)
        seats = queries.seats.of_each(session, [match.id for match in found])
    return _shown("matches", found=found, seats=seats, which=status, statuses=_STATUSES, most=_SHOWN)


@pages.get("/m/<id:match_id>")
def match(match_id: str) -> Response:
    return _match(match_id)


def _match(match_id: str, said: str = "") -> Response:
    with service().store.reading() as session:
        found = queries.matches.by_id(session, match_id)
        if found is None:
            raise NotFound
        return _shown(
            "match",
            422 if said else 200,
            said=said,
            match=found,
            seats=queries.seats.of(session, match_id),
            events=queries.oversight.events_of(session, match_id),
        )


@pages.post("/m/<id:match_id>")
def act(match_id: str) -> Response:
    """One of the operator's hands on a match."""
    deed = _DEEDS.get(request.form.get("do", ""))
    if deed is None:
        abort(400)

    def logged() -> None:
        why = _why()
        deed(match_id, why)
        if deed in (_extend, _replace, _resume):  # the others write it down themselves
            _note("gave as the reason", why, match_id=match_id)

    return _done(url_for(".match", match_id=match_id), logged, lambda said: _match(match_id, said))


def _pause(match_id: str, why: str) -> None:
    upkeep.pause(service().matches, match_id, why, now=service().now(), who=_who())


def _resume(match_id: str, _why: str) -> None:
    upkeep.resume(service().matches, match_id, now=service().now(), who=_who())


def _abort(match_id: str, why: str) -> None:
    upkeep.abort(service().matches, match_id, why, now=service().now(), who=_who())


def _rewind(match_id: str, why: str) -> None:
    moves = _number("moves", "The number of moves that stay")
    upkeep.rewind(service().matches, match_id, moves, why, now=service().now(), who=_who())


def _extend(match_id: str, _why: str) -> None:
    by = upkeep.more_time(_number("hours", "The time"))
    upkeep.extend(service().matches, match_id, _number("seat", "The seat"), by, now=service().now(), who=_who())


def _replace(match_id: str, _why: str) -> None:
    email = request.form.get("email", "").strip() or None
    name = request.form.get("name", "").strip() or (email or "").partition("@")[0]
    number = _number("seat", "The seat")
    upkeep.replace(service().matches, match_id, number, name=name, email=email, now=service().now(), who=_who())


_DEEDS: Final[dict[str, Callable[[str, str], None]]] = {
    "pause": _pause,
    "resume": _resume,
    "abort": _abort,
    "rewind": _rewind,
    "extend": _extend,
    "replace": _replace,
}


@pages.post("/m/<id:match_id>/secrets")
def secrets(match_id: str) -> Response:
    """Everything, after “I am not playing here”: logged, and shown to the players."""
    try:
        if request.form.get("not_playing") != "1":
            raise ValueError("Only who does not play here may look: tick it first.")
        view = look_at_secrets(service(), match_id, operator().id, who=_who(), why=_why(), now=service().now())
    except ValueError as error:
        return _match(match_id, str(error))
    everything = service().matches.log(match_id, "host")
    return _shown("secrets", view=view, log=everything, drawn=drawing(view))


# Mails and people


@pages.get("/mails")
def mails() -> Response:
    return _mails()


def _mails(said: str = "") -> Response:
    state = request.args.get("state", "")
    with service().store.reading() as session:
        found = queries.letters.newest(session, *([state] if state in _STATES else []), limit=_SHOWN)
    return _shown("mails", 422 if said else 200, said=said, found=found, state=state, states=_STATES)


@pages.post("/mails/<id:letter_id>")
def mail(letter_id: str) -> Response:
    """Try a letter again now, or give it up."""
    again = request.form.get("do") == "retry"

    def deed() -> None:
        why = _why()
        with service().store.writing() as session:
            if again:
                changed = queries.letters.retry(session, letter_id, service().now())
            else:
                changed = queries.letters.drop(session, letter_id, why="the operator gave it up")
            if not changed:
                raise ValueError("The letter is out already, or in a worker's hand.")
            what = f"{'tried again' if again else 'gave up'} letter {letter_id}"
            table.note(session, service().now(), _who(), what, why=why)

    return _done(url_for(".mails"), deed, _mails)


@pages.get("/people")
def people() -> Response:
    return _people()


def _people(said: str = "") -> Response:
    asked = request.args.get("who", "").strip()
    with service().store.reading() as session:
        found = queries.players.called(session, asked, limit=_SHOWN)
    return _shown("people", 422 if said else 200, said=said, people=found, asked=asked, most=_SHOWN)


@pages.post("/people/<id:player_id>/reach")
def lift(player_id: str) -> Response:
    """Send to an address again that mails came back from."""

    def deed() -> None:
        why = _why()
        with service().store.writing() as session:
            if not reach.again(session, player_id, service().now()):
                raise ValueError("Nothing had been stopped for this person.")
            table.note(session, service().now(), _who(), f"sends to player {player_id} again", why=why)

    return _done(url_for(".people"), deed, _people)

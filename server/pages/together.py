"""What the players of a match decide together, as one of them: votes, a kind word, leaving. The link says who it is."""

from __future__ import annotations

from datetime import datetime

from flask import Blueprint, Response, request, url_for

from db import queries
from emails.language import gettext as _
from emails.language import spoken
from server import absence, prepared, talk, together, upkeep
from server.links import TogetherLink
from server.matches import NotYours
from server.pages.showing import page, reader_of, sentence_page, service, to
from server.rules import GAMES
from server.together import MOTIONS

pages = Blueprint("together", __name__)


@pages.get("/t/<token>")
def show(token: str) -> Response:
    """Whom the match waits for, what is voted on, what can be proposed; a GET changes nothing."""
    return _page(service().links.read_together(token), token)


@pages.post("/t/<token>")
def act(token: str) -> Response:
    """`do`: vote, propose, nudge, leave, lend, take back."""
    link = service().links.read_together(token)
    try:
        done = _do(link, request.form.get("do", ""), service().now())
    except ValueError as error:
        return _page(link, token, said=str(error), status=422)
    except NotYours:
        return _gone(link)
    service().wake.set()
    return done or to(url_for(".show", token=token, done=1))


@pages.get("/t/<token>/talk")
def talk_page(token: str) -> Response:
    """What was said, and the own note; that it was read is said with a button, since a GET changes nothing."""
    return _talk(service().links.read_together(token), token)


@pages.post("/t/<token>/talk")
def speak(token: str) -> Response:
    """`do`: say, read, note."""
    link, text = service().links.read_together(token), request.form.get("text", "")
    matches, now = service().matches, service().now()
    try:
        match request.form.get("do"):
            case "say":
                talk.say(matches, link, text, now)
            case "read":
                talk.mark_read(matches, link, now)
            case "note":
                talk.keep_note(matches, link, text, now)
            case _:
                raise ValueError(_("This page does not know what you want to do."))
    except ValueError as error:
        return _talk(link, token, said=str(error), typed=text, status=422)
    except NotYours:
        return _gone(link)
    service().wake.set()
    return to(url_for(".talk_page", token=token, done=1))


def _talk(link: TogetherLink, token: str, *, said: str = "", typed: str = "", status: int = 200) -> Response:
    matches = service().matches
    try:
        heard = talk.heard(matches, link)
    except NotYours:
        return _gone(link)
    player_id, _tenure = matches.holder(link.match, link.seat)
    with service().store.reading() as session:
        player = queries.players.by_id(session, player_id or "")
    return page(
        "together/talk.html",
        status,
        reader=reader_of(player),
        token=token,
        view=matches.view(link.match, link.seat),
        talk=heard,
        longest=(talk.LONGEST, talk.LONGEST_NOTE),
        said=said,
        typed=typed,
        done="done" in request.args,
    )


def _do(link: TogetherLink, what: str, now: datetime) -> Response | None:
    form, matches = request.form, service().matches
    match what:
        case "vote":
            together.vote(matches, link, form.get("ballot", ""), yes=form.get("yes") == "1", now=now)
        case "propose":
            together.propose(
                matches,
                link,
                form.get("what", ""),
                why=form.get("why", ""),
                hours=_number(form.get("hours", "")),
                for_seat=int(_number(form.get("seat", "")) or 0),
                now=now,
            )
        case "prepare":
            prepared.prepare(
                matches,
                link,
                form.get("kind", ""),
                form.get("text", ""),
                standing=form.get("standing") == "1",
                wait=_wait(form.get("wait", "").strip()),
                now=now,
            )
        case "forget":
            prepared.forget(matches, link, form.get("kind", ""))
        case "nudge":
            if not together.nudge(matches, link, int(_number(form.get("seat", "")) or 0), now):
                raise ValueError(_("Somebody has asked today already; tomorrow is another day."))
        case "leave":
            if form.get("sure") != "1":
                raise ValueError(_("Tick the box if you really want to leave: there is no way back."))
            upkeep.leave(matches, link.match, link.seat, link.tenure, now=now)
            return _left(link, _("The house plays your seat on."))
        case "lend":
            return _lend(link, now)
        case _:
            raise ValueError(_("This page does not know what you want to do."))
    return None


def _lend(link: TogetherLink, now: datetime) -> Response | None:
    """To the house, or by an invitation to a person; until the present or next vacation ends."""
    with service().store.reading() as session:
        player_id, tenure = service().matches.holder(link.match, link.seat)
        player = queries.players.by_id(session, player_id or "")
    if player is None or tenure != link.tenure:
        raise NotYours
    vacations = absence.vacations(player, now)
    if not vacations:
        raise ValueError(_("A seat is lent for a vacation: first say on your account's page when you are away."))
    until, email = vacations[0].end, request.form.get("email", "").strip()
    if not email:
        upkeep.lend_to_the_house(service().matches, link.match, link.seat, link.tenure, until, now=now)
        return _left(link, _("The house plays your seat until you are back; then a mail brings you fresh links."))
    name = request.form.get("name", "").strip() or email.partition("@")[0]
    who = f"seat {link.seat}"
    upkeep.offer(service().matches, link.match, link.seat, name=name, email=email, now=now, who=who, until=until)
    return None


def _page(link: TogetherLink, token: str, *, said: str = "", status: int = 200) -> Response:
    matches = service().matches
    try:
        ballots = together.standing(matches, link, service().now())
    except NotYours:
        return _gone(link)
    view = matches.view(link.match, link.seat)
    player_id, _tenure = matches.holder(link.match, link.seat)
    with service().store.reading() as session:
        player = queries.players.by_id(session, player_id or "")
    move_link = matches.link_of(link.match, link.seat)
    return page(
        "together/show.html",
        status,
        reader=reader_of(player),
        token=token,
        view=view,
        ballots=ballots,
        motions=[name for name in MOTIONS if (name == "resume") == (view.status == "paused") or name == "abort"],
        about={name: _(about) for name, about in MOTIONS.items()},
        move_url=service().links.move_url(move_link) if move_link and view.decision else None,
        vacation=bool(player and absence.vacations(player, service().now())),
        ahead=prepared.listed(matches, link),
        kinds=GAMES[view.game].kinds,
        said=said,
        done="done" in request.args,
    )


def _left(link: TogetherLink, what: str) -> Response:
    return sentence_page(
        _("You have left the table"), what, links=[(_("Show the match"), url_for("game.show", match_id=link.match))]
    )


def _gone(link: TogetherLink) -> Response:
    return page("turn/gone.html", link=link)


def _wait(told: str) -> float | None:
    """So many hours; nothing for at once. Raises ValueError: what cannot be read is not at once."""
    if not told:
        return None
    number = _number(told)
    if number is None:
        raise ValueError(
            _("An answer can wait for you up to %(most)s hours.", most=spoken().number(prepared.LONGEST_WAIT))
        )
    return number


def _number(told: str) -> float | None:
    try:
        number = float(told)
    except ValueError:
        return None
    return number if abs(number) < 1e6 else None

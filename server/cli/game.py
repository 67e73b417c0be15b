"""`estafette game …`: the operator's hands on a match."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from pathlib import Path
from typing import get_args

import click

from db import queries
from db.models import MatchStatus
from server import beginning, standstill, upkeep
from server.beginning import SeatWish, Wish
from server.cli.run import opened
from server.matches import Frozen, NotFound, Stale
from server.rules import GAMES
from server.rules.record import write_record
from server.service import Service

_ALL = 10_000_000


@contextmanager
def at_work() -> Iterator[Service]:
    """The instance, for one command; what a match refuses is a sentence."""
    service = opened()
    try:
        yield service
    except NotFound as error:
        raise click.ClickException("There is no such match or seat.") from error
    except Frozen as error:
        raise click.ClickException(f"The match is frozen: {error}.") from error
    except Stale as error:
        raise click.ClickException("Somebody moved at the same moment; nothing was changed. Try again.") from error
    except ValueError as error:
        raise click.ClickException(str(error)) from error
    finally:
        service.close()


def when(moment: datetime | None) -> str:
    return moment.strftime("%Y-%m-%d %H:%M UTC") if moment else "–"


@click.group()
def game() -> None:
    """The operator's hands on a match."""


@game.command()
@click.argument("name", metavar="GAME")
@click.option(
    "--seat", "seats", multiple=True, required=True, metavar="NAME <ADDRESS>|house|strong", help="One a seat."
)
@click.option("--option", "options", multiple=True, metavar="NAME=VALUE")
@click.option("--pace", default=None, help="day, three days, week, hour, none, or a number of hours.")
@click.option("--start", is_flag=True, help="Start at once, without waiting for everybody to accept.")
def new(name: str, seats: tuple[str, ...], options: tuple[str, ...], pace: str | None, start: bool) -> None:
    """A new match; its invitations go out by mail."""
    given: dict[str, object] = {}
    for each in options:
        key, _, value = each.partition("=")
        given[key.strip()] = value.strip()
    with at_work() as service:
        wish = Wish(game=name, seats=[_seat(each) for each in seats], options=given, pace=pace)
        match_id = beginning.create(service.matches, wish, host=None, now=service.now(), start=start)
        click.echo(f"{match_id}  {service.links.url(f'g/{match_id}')}")


def _seat(told: str) -> SeatWish:
    if (word := told.strip().casefold()) in ("house", "strong"):
        return SeatWish(house=True, strong=word == "strong")
    name, bracket, rest = told.partition("<")
    address = rest.rstrip("> ") if bracket else told.strip()
    if "@" not in address:
        raise click.UsageError(f"A seat is written “Ann <ann@example.org>”, “house” or “strong”, not “{told}”.")
    return SeatWish(name.strip() or address.partition("@")[0], address.strip())


@game.command("list")
@click.option("--status", "statuses", multiple=True, type=click.Choice(get_args(MatchStatus)))
def list_(statuses: tuple[str, ...]) -> None:
    """Matches, the newest first; those that are not over if no status is given."""
    with at_work() as service, service.store.reading() as session:
        wanted = statuses or ("open", "running", "paused", "frozen")
        for match in queries.matches.with_status(session, *wanted, limit=_ALL):
            seats = ", ".join(seat.name for seat in queries.seats.of(session, match.id))
            click.echo(f"{match.id}  {match.status:<8}  {match.version:>4} moves  {GAMES[match.game].title}: {seats}")


@game.command()
@click.argument("match_id", metavar="MATCH")
def show(match_id: str) -> None:
    """Who sits where, whom the match waits for and since when, and what was done to it."""
    with at_work() as service, service.store.reading() as session:
        match = queries.matches.by_id(session, match_id)
        if match is None:
            raise NotFound
        click.echo(f"{match.id}  {GAMES[match.game].title}  {match.status}  {match.version} moves")
        if match.frozen_why:
            click.echo(f"frozen: {match.frozen_why}")
        for seat in queries.seats.of(session, match_id):
            waits = f"asked since {when(seat.asked_at)}, due {when(seat.due_at)}" if seat.asked else "not asked"
            holder = "the house" if seat.house else "answered" if seat.answered else waits
            click.echo(f"  {seat.number} {seat.name}: {holder}")
        for event in queries.oversight.events_of(session, match_id):
            click.echo(f"  {when(event.at)}  {event.who}: {event.what}{f' ({event.why})' if event.why else ''}")


@game.command()
@click.argument("match_id", metavar="MATCH")
@click.option("--seat", type=int, required=True)
@click.option("--hours", type=float, required=True, help="How much more time this decision gets.")
def extend(match_id: str, seat: int, hours: float) -> None:
    """Give an open decision more time."""
    with at_work() as service:
        by = upkeep.more_time(hours)
        due = upkeep.extend(service.matches, match_id, seat, by, now=service.now(), who="operator")
        click.echo(f"Seat {seat} has until {when(due)}.")


@game.command()
@click.argument("match_id", metavar="MATCH")
@click.option("--seat", type=int, required=True)
@click.option("--by", "new_holder", required=True, metavar="NAME <ADDRESS>|house")
def replace(match_id: str, seat: int, new_holder: str) -> None:
    """Give a seat to somebody else; old links die, a sealed answer stays until it is changed."""
    wish = _seat(new_holder)
    if wish.strong:
        raise click.UsageError("A seat is given to a person, like “Ann <ann@example.org>”, or to “house”.")
    with at_work() as service:
        upkeep.replace(
            service.matches, match_id, seat, name=wish.name, email=wish.email, now=service.now(), who="operator"
        )
        click.echo(f"Seat {seat} is held by {wish.name or 'the house'} now.")


@game.command()
@click.argument("match_id", metavar="MATCH")
@click.option("--out", type=click.Path(dir_okay=False, path_type=Path), help="Write it to this file.")
def record(match_id: str, out: Path | None) -> None:
    """The whole match as a record, its secret seed included."""
    with at_work() as service:
        text = write_record(service.matches.record(match_id))
    if out:
        out.write_text(text, encoding="utf-8")
    else:
        click.echo(text, nl=False)


@game.command()
@click.argument("match_id", metavar="MATCH")
@click.option("--why", required=True, help="Told to the players.")
def abort(match_id: str, why: str) -> None:
    """End a match without a result."""
    with at_work() as service:
        upkeep.abort(service.matches, match_id, why, now=service.now(), who="operator")
        click.echo("The match is aborted; its players are told by mail.")


@game.command()
@click.argument("match_id", metavar="MATCH")
@click.option("--to", "moves", type=int, required=True, help="The number of moves that stay.")
@click.option("--why", required=True, help="Told to the players.")
def rewind(match_id: str, moves: int, why: str) -> None:
    """Take the match back to an earlier move; a finished one goes on from there."""
    with at_work() as service:
        upkeep.rewind(service.matches, match_id, moves, why, now=service.now(), who="operator")
        click.echo(f"The match stands after move {moves} again; its players are told by mail.")


@game.command()
@click.argument("match_id", metavar="MATCH")
@click.option("--why", default="", help="Told to the players.")
def pause(match_id: str, why: str) -> None:
    """Stop all clocks of a match; nobody can move."""
    with at_work() as service:
        upkeep.pause(service.matches, match_id, why, now=service.now(), who="operator")
        click.echo("The match is paused.")


@game.command()
@click.argument("match_id", metavar="MATCH")
def resume(match_id: str) -> None:
    """Let a paused match go on; each clock has what it had."""
    with at_work() as service:
        upkeep.resume(service.matches, match_id, now=service.now(), who="operator")
        click.echo("The match goes on.")


@game.command("stop-all")
@click.option("--why", required=True, help="Kept in the log.")
def stop_all(why: str) -> None:
    """Stop the clocks of all matches; moves stay possible, and nobody is reminded."""
    with at_work() as service:
        standstill.stop_world(service.store, why, service.now())
        click.echo("All clocks stand still. To let them go on, type: estafette game start-all")


@game.command("start-all")
def start_all() -> None:
    """Let the clocks of all matches go on; each has what it had."""
    with at_work() as service:
        stood = standstill.start_world(service.store, service.now())
        click.echo(f"All clocks go on; they stood still for {stood / timedelta(hours=1):.1f} hours.")


@game.command()
@click.argument("match_id", metavar="MATCH")
@click.option("--seat", type=int, required=True)
@click.option("--to", "holder", required=True, metavar="NAME <ADDRESS>")
def offer(match_id: str, seat: int, holder: str) -> None:
    """Invite somebody to take a seat over; its holder, or the house, keeps it until they accept."""
    wish = _seat(holder)
    if wish.email is None:
        raise click.UsageError("A seat is offered to a person, like “Ann <ann@example.org>”.")
    with at_work() as service:
        upkeep.offer(
            service.matches, match_id, seat, name=wish.name, email=wish.email, now=service.now(), who="operator"
        )
        click.echo(f"An invitation to seat {seat} is on its way to {wish.name}.")

"""`estafette player …`: people."""

from __future__ import annotations

from datetime import timedelta

import click

from db import queries
from server import accounts
from server.cli.game import at_work, when
from server.seats import player_for


@click.group()
def player() -> None:
    """People: list, show, sign in, forget."""


@player.command("list")
def list_() -> None:
    """Everybody who was ever invited."""
    with at_work() as service, service.store.reading() as session:
        for each in queries.players.everybody(session):
            paused = "  (cannot be reached)" if each.paused_at else ""
            click.echo(f"{each.id}  {each.name} <{each.email}>{paused}")


@player.command()
@click.argument("address")
def show(address: str) -> None:
    """One person: their matches and the last letters to them."""
    with at_work() as service, service.store.reading() as session:
        found = accounts.person(session, address)
        click.echo(f"{found.id}  {found.name} <{found.email}>  since {when(found.created_at)}")
        for match, seat in queries.matches.of_player(session, found.id):
            click.echo(f"  match {match.id} ({match.game}, {match.status}), seat {seat.number}")
        for letter in queries.letters.of_player(session, found.id, limit=20):
            answer = f": {letter.last_answer}" if letter.last_answer else ""
            click.echo(f"  {when(letter.created_at)}  {letter.kind} {letter.state}{answer}")


@player.command("login-link")
@click.argument("address")
@click.option("--minutes", type=click.IntRange(1, 24 * 60), default=30, show_default=True)
def login_link(address: str, minutes: int) -> None:
    """A link that signs this person in, once: for those whose mail does not arrive."""
    with at_work() as service:
        with service.store.reading() as session:
            found = accounts.person(session, address)
        until = service.now() + timedelta(minutes=minutes)
        click.echo(service.links.login_url(found.id, found.logins, until))


@player.command()
@click.argument("address")
@click.option("--name", default="", help="What the person is called, if they are new here.")
def key(address: str, name: str) -> None:
    """A new key for programs of this person; those of an ESTAFETTE_ADMINS address are the operator's."""
    with at_work() as service, service.store.writing() as session:
        found = player_for(session, name or address.partition("@")[0], address, service.now())
        click.echo(accounts.new_api_key(session, found.id, service.now()))


@player.command()
@click.argument("address")
@click.option("--yes", is_flag=True, help="Do not ask.")
def forget(address: str, yes: bool) -> None:
    """Remove a person's data and keep the matches: the house takes over where they play."""
    if not yes:
        click.confirm(f"Forget {address} for good?", abort=True)
    with at_work() as service:
        accounts.forget(service, address)
        click.echo("Forgotten.")

"""`estafette mail …`: the outbox as it stands, who cannot be reached, and what came in; `estafette inbound`."""

from __future__ import annotations

import contextlib
import os
import sys
from datetime import datetime
from typing import get_args

import click

from db import queries
from db.models import InboundState, Letter, LetterState, Player
from server import accounts, reach
from server.cli.explain import explain
from server.cli.game import at_work, when
from server.cli.run import opened
from server.inbound import take_in

TRY_AGAIN = 75
"""What a mail server's pipe takes as "keep the mail and try again later" (EX_TEMPFAIL)."""

_STATES = click.Choice(get_args(LetterState))
_INBOUND_STATES = click.Choice(get_args(InboundState))


@click.group()
def mail() -> None:
    """The outbox as it stands."""


mail.add_command(explain)


@mail.command("list")
@click.option("--state", "states", multiple=True, type=_STATES, help="Only these; all if not given.")
@click.option("--limit", type=click.IntRange(1, 10_000), default=50, show_default=True)
def list_(states: tuple[str, ...], limit: int) -> None:
    """Letters, the newest first, each with the last answer of the mail server."""
    with at_work() as service, service.store.reading() as session:
        for letter, player in queries.letters.newest(session, *states, limit=limit):
            click.echo(_line(letter, player))
        if not states:
            counted = queries.oversight.letters_by_state(session)
            click.echo(", ".join(f"{number} {state}" for state, number in sorted(counted.items())) or "No letters yet.")


@mail.command()
@click.argument("letter_id", metavar="ID")
def show(letter_id: str) -> None:
    """One letter: whom, about what, how often it was tried, and what the mail server said."""
    with at_work() as service, service.store.reading() as session:
        letter = _letter(queries.letters.by_id(session, letter_id))
        player = queries.players.by_id(session, letter.player_id) if letter.player_id else None
    for name, value in _facts(letter, player):
        click.echo(f"{name:<12} {value}")


@mail.command()
@click.argument("letter_id", metavar="ID")
def retry(letter_id: str) -> None:
    """Try a letter again now, from the beginning; it keeps its Message-ID."""
    with at_work() as service, service.store.writing() as session:
        letter = _letter(queries.letters.by_id(session, letter_id))
        if not queries.letters.retry(session, letter.id, service.now()):
            raise ValueError(f"The letter is {_is(letter)}; that takes one that waits, failed or was dropped.")
    click.echo("It is tried again with the worker's next tick, if it still makes sense then.")


@mail.command()
@click.argument("letter_id", metavar="ID")
def drop(letter_id: str) -> None:
    """Give a letter up that has not left."""
    with at_work() as service, service.store.writing() as session:
        letter = _letter(queries.letters.by_id(session, letter_id))
        if not queries.letters.drop(session, letter.id, why="the operator gave it up"):
            raise ValueError(f"The letter is {_is(letter)}; that takes one that waits.")
    click.echo("Dropped.")


@mail.command()
@click.option("--lift", metavar="ADDRESS", help="Send to this address again.")
def suppressions(lift: str | None) -> None:
    """The addresses that get no mail because it came back, since when and why."""
    with at_work() as service:
        if lift:
            with service.store.writing() as session:
                if not reach.again(session, accounts.person(session, lift).id, service.now()):
                    raise ValueError("Nothing had been stopped for this address.")
            click.echo("Mails go there again, beginning with what is open.")
            return
        with service.store.reading() as session:
            for player in queries.players.paused(session):
                click.echo(f"{player.id}  {player.email}  since {when(player.paused_at)}: {player.paused_why or '–'}")


@mail.command()
@click.option("--state", "states", multiple=True, type=_INBOUND_STATES, help="Only these; all if not given.")
@click.option("--limit", type=click.IntRange(1, 10_000), default=50, show_default=True)
@click.option("--reread", type=int, metavar="ID", help="Act anew on a mail that was ignored or put aside.")
def incoming(states: tuple[str, ...], limit: int, reread: int | None) -> None:
    """The mails that came in, the newest first, and what became of each."""
    with at_work() as service:
        if reread is not None:
            with service.store.writing() as session:
                if not queries.inbound.reread(session, reread):
                    raise ValueError("That takes a mail that was ignored or quarantined, and is not forgotten yet.")
            click.echo("It is read again with the worker's next tick.")
            return
        with service.store.reading() as session:
            for each in queries.inbound.newest(session, *states, limit=limit):
                why = f": {each.why}" if each.why else ""
                click.echo(f"{each.id}  {when(each.received_at)}  {each.octets} octets  {each.state}{why}")


@click.command()
@click.option("--to", "recipient", default=None, help="The envelope's recipient; else ORIGINAL_RECIPIENT or RECIPIENT.")
@click.option("--from", "sender", default=None, help="The envelope's sender; else SENDER.")
def inbound(recipient: str | None, sender: str | None) -> None:
    """Take one raw mail from standard input.

    Exit status 0 when the mail is stored, and 75 when it could not be: then the mail server keeps it and tries again.
    """
    environment = os.environ
    recipient = recipient or environment.get("ORIGINAL_RECIPIENT") or environment.get("RECIPIENT")
    sender = environment.get("SENDER") if sender is None else sender
    try:
        raw = sys.stdin.buffer.read()
        service = opened()
        with contextlib.closing(service):
            take_in(service, raw, envelope_to=recipient, envelope_from=sender, now=service.now())
    except click.ClickException as error:
        _keep_it(error.format_message())
    except Exception as error:  # whatever it was, the mail server still has the mail
        _keep_it(f"The mail could not be stored ({type(error).__name__}). Try again later.")


def _keep_it(why: str) -> None:
    click.echo(why, err=True)
    sys.exit(TRY_AGAIN)


def _letter(found: Letter | None) -> Letter:
    if found is None:
        raise ValueError("There is no such letter. This lists them: estafette mail list")
    return found


def _is(letter: Letter) -> str:
    return {"sent": "sent already", "claimed": "in a worker's hand right now"}.get(letter.state, letter.state)


def _line(letter: Letter, player: Player | None) -> str:
    about = f" #{letter.match_id}" if letter.match_id else ""
    said = _said(letter)
    why = f"  [{letter.why}]" if letter.why else ""
    whom = letter.address or (player.email if player else "–")
    return (
        f"{letter.id}  {when(letter.created_at)}  {letter.kind}{about} to {whom}  {letter.state}"
        f"{f', {letter.attempts} tries' if letter.attempts > 1 else ''}{f'  {said}' if said else ''}{why}"
    )


def _said(letter: Letter) -> str:
    return " ".join(str(part) for part in (letter.last_status, letter.last_answer) if part)


def _facts(letter: Letter, player: Player | None) -> list[tuple[str, str]]:
    whom = letter.address or (player.email if player else "")
    return [
        ("letter", letter.id),
        ("kind", letter.kind),
        ("to", f"{player.name} <{whom}>" if player else whom or "–"),
        ("match", f"{letter.match_id}, seat {letter.seat}" if letter.match_id else "–"),
        ("state", f"{letter.state}{f': {letter.why}' if letter.why else ''}"),
        ("created", when(letter.created_at)),
        ("due", when(_due(letter))),
        ("sent", when(letter.sent_at)),
        ("tries", f"{letter.attempts}, of which {letter.unknown} ended unknown"),
        ("last answer", _said(letter) or "–"),
        ("Message-ID", letter.message_id or "–"),
    ]


def _due(letter: Letter) -> datetime | None:
    return letter.send_at if letter.state in queries.letters.UNSENT else None

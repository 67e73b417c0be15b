"""`estafette replay` and `estafette check-record`: records, replayed and verified."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import click

from server.rules.playing import Play
from server.rules.record import LARGEST, Record, RecordError, check, read_record
from server.rules.record import replay as replayed
from server.rules.showing import english_of, log_of, position_json
from server.rules.telling import HOST, Viewer, say


def _record(path: str) -> Record:
    try:
        if path == "-":
            return read_record(sys.stdin.buffer.read(LARGEST + 1))
        with Path(path).open("rb") as file:
            return read_record(file.read(LARGEST + 1))
    except OSError as error:
        raise click.ClickException(f"{path} cannot be read: {error.strerror}.") from error
    except RecordError as error:
        raise click.ClickException(f"{path}: {error}") from error


@click.command()
@click.argument("file")
@click.option("--seat", type=int, help="Show what this seat may see.")
@click.option("--host", is_flag=True, help="Show everything.")
@click.option("--at", type=int, help="The position after that many single moves.")
@click.option("--json", "as_json", is_flag=True, help="Print the position as JSON.")
def replay(file: str, seat: int | None, host: bool, at: int | None, as_json: bool) -> None:
    """Replay a record and show the position; without --seat or --host as a spectator sees it."""
    if host and seat is not None:
        raise click.UsageError("Give --seat or --host, not both.")
    record = _record(file)
    if seat is not None and not 1 <= seat <= len(record.players):
        raise click.ClickException(f"{file}: there is no seat {seat}; the match has seats 1 to {len(record.players)}.")
    viewer: Viewer = HOST if host else seat
    try:
        play = replayed(record, at=at)
    except RecordError as error:
        raise click.ClickException(f"{file}: {error}") from error
    if as_json:
        click.echo(json.dumps(position_json(play, viewer), ensure_ascii=False, indent=2))
    else:
        _show(play, viewer)


def _show(play: Play, viewer: Viewer) -> None:
    for line in play.game.words(play.position(viewer), play.names, viewer):
        click.echo(line)
    click.echo()
    for told in log_of(play, viewer)[-12:]:
        click.echo(told)
    for seat, decision in play.question.items():
        click.echo()
        click.echo(say(decision.prompt, viewer, play.names, english_of(play.game)))
        if viewer in (seat, HOST):
            click.echo("  " + "\n  ".join(decision.answers()))
    outcome = play.outcome()
    if outcome:
        click.echo()
        for score in outcome.scores:
            parts = ", ".join(f"{name} {value}" for name, value in score.parts.items())
            click.echo(f"{play.names[score.seat - 1]}: {score.total} ({parts})")
        click.echo("Won by " + " and ".join(play.names[seat - 1] for seat in outcome.winners) + ".")


@click.command("check-record")
@click.argument("files", nargs=-1, required=True, metavar="FILE…")
def check_record(files: tuple[str, ...]) -> None:
    """Replay finished matches under today's rules and verify their shuffles against the commitment."""
    failed = 0
    for file in files:
        try:
            play = check(_record(file))
        except (RecordError, click.ClickException) as error:
            told = error.format_message() if isinstance(error, click.ClickException) else f"{file}: {error}"
            click.echo(told, err=True)
            failed += 1
        else:
            orders = len(play.chance.orders)
            click.echo(f"{file}: right. {play.version} moves and {orders} shuffles come from the committed seed.")
    if failed:
        raise click.ClickException(f"{failed} of {len(files)} records did not hold.")

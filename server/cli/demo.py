"""`estafette demo`: everything on this machine, to try it, or to let it play a whole match by itself."""

from __future__ import annotations

import random
import secrets
import shutil
import socket
import tempfile
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import click

from db import queries
from db.migrate import SchemaError, upgrade
from db.turns import DatabaseBusy, InUse
from server import beginning, create_app
from server.autoplay import Autoplay, Broken
from server.beginning import SeatWish, Wish
from server.clock import Worker
from server.config import Settings, SettingsError
from server.rules import GAMES
from server.service import Service, open_service
from server.web import Web, bound

PEOPLE: Final = ("Ann", "Ben", "Cat", "Dan", "Eve", "Finn", "Gus", "Hal")
YOU: Final = "you@demo.example"
_USUAL_LENGTH: Final = {"regions": 60, "intrigues": 90, "crusade": 50}


@click.command()
@click.option("--game", default=None, help="regions, intrigues or crusade (default regions).")
@click.option("--seats", type=int, default=None, help="How many play; you are one of them.")
@click.option("--strong", is_flag=True, help="Against house players that think ahead.")
@click.option("--auto", is_flag=True, help="Play a whole match through the real mails, links and forms.")
@click.option("--port", type=click.IntRange(0, 65535), default=8025, show_default=True, help="0: any free port.")
@click.option("--reset", is_flag=True, help="Forget the last demo and begin anew.")
def demo(game: str | None, seats: int | None, strong: bool, auto: bool, port: int, reset: bool) -> None:
    """Try everything on this machine: one running match, all mailboxes, no set-up."""
    chosen = _game(game or "regions")
    number = seats if seats is not None else max(chosen.least_seats, 2)
    if not chosen.least_seats <= number <= chosen.most_seats:
        raise click.ClickException(
            f"{chosen.title} is for {chosen.least_seats} to {chosen.most_seats} seats, not {number}."
        )
    if auto:
        _play_by_itself(chosen.name, number)
    else:
        wanted = game is not None or seats is not None or strong
        _serve(chosen.name, number, port, reset, wanted=wanted, strong=strong)


def _game(name: str) -> Any:
    if name not in GAMES:
        raise click.ClickException(f"There is no game “{name}”. There are: {', '.join(GAMES)}.")
    return GAMES[name]


@dataclass
class _Running:
    service: Service
    worker: Worker
    web: Web
    address: str


@contextmanager
def _running(folder: Path, listening: socket.socket, *, anew: bool = False) -> Iterator[_Running]:
    port = listening.getsockname()[1]
    with ExitStack() as stack:
        stack.callback(listening.close)
        if anew and folder.exists():
            _forget(folder)
        try:
            settings = Settings.load({"ESTAFETTE_DATA": str(folder), "ESTAFETTE_LISTEN": f"127.0.0.1:{port}"})
            service = open_service(settings, demo=True)
            stack.callback(service.close)
            upgrade(service.store)
        except (SettingsError, SchemaError) as error:
            raise click.ClickException(str(error)) from error
        web = Web(create_app(service), listening)
        yield _Running(service, Worker(service), web, f"http://127.0.0.1:{port}")


def _serve(game: str, seats: int, port: int, reset: bool, *, wanted: bool, strong: bool) -> None:
    folder = Path("var") / "demo"
    try:
        listening = bound("127.0.0.1", port)
    except OSError as error:
        raise click.ClickException(
            f"Port {port} of this machine is taken ({error.strerror}). Try --port 0 for any free one."
        ) from error
    with _running(folder, listening, anew=reset) as running:
        service = running.service
        with service.store.reading() as session:
            going = queries.matches.with_status(session, "running", limit=1)
        if wanted or not going:
            house = [SeatWish(house=True, strong=strong)] * (seats - 1)
            wish = Wish(game=game, seats=[SeatWish("Robin", YOU), *house])
            beginning.create(service.matches, wish, host=None, now=service.now(), start=True)
        running.worker.tick()
        running.worker.start()
        running.web.start()
        click.echo(f"Estafette's demo is running: {running.address}")
        click.echo(f"Your mailbox, where the match waits for you: {running.address}/mailbox")
        click.echo("Stop it with Ctrl-C; it goes on from there next time, or begins anew with --reset.")
        try:
            threading.Event().wait()
        except KeyboardInterrupt:
            click.echo("\nStopped.")
        finally:
            running.worker.stop()
            running.web.stop()


def _forget(folder: Path) -> None:
    """The last demo, unless it is running."""
    try:
        InUse(folder / "estafette.db", alone=True).close()
    except DatabaseBusy as error:
        raise click.ClickException("A demo is running here. Stop it first (Ctrl-C), then begin anew.") from error
    shutil.rmtree(folder)


def _play_by_itself(game: str, seats: int) -> None:
    with tempfile.TemporaryDirectory(prefix="estafette-") as folder:
        listening = bound("127.0.0.1", 0)
        with _running(Path(folder), listening) as running:
            running.web.start()
            try:
                _play(running, game, seats)
            except Broken as error:
                raise click.ClickException(f"The match broke off: {error}") from error
            finally:
                running.web.stop()


def _play(running: _Running, game: str, seats: int) -> None:
    service = running.service
    people = [SeatWish(name, f"{name.casefold()}@demo.example") for name in PEOPLE[:seats]]
    wish = Wish(game=game, seats=people)
    match_id = beginning.create(service.matches, wish, host=None, now=service.now(), start=True)
    length = _USUAL_LENGTH.get(game, 60) * seats // 2
    with click.progressbar(length=length, label=f"{GAMES[game].title}, {seats} seats") as bar:
        play = Autoplay(
            service,
            match_id,
            inbox=mailbox_reader(service),
            tick=running.worker.tick,
            luck=random.Random(secrets.randbits(64)),  # noqa: S311 - it only varies the play
            progress=lambda moves: bar.update(1) if moves < length else None,
        )
        outcome = play.run()
        bar.update(max(0, length - bar.pos))
    view = service.matches.view(match_id, None)
    for score in outcome["scores"]:
        click.echo(f"{view.names[score['seat'] - 1]}: {score['total']}")
    winners = " and ".join(view.names[seat - 1] for seat in outcome["winners"])
    click.echo(f"Won by {winners}. {play.moves} moves through {play.mails} mails.")


def mailbox_reader(service: Service) -> Callable[[], Sequence[bytes]]:
    """A function that gives the mails that came into the built-in mailbox since it was last asked."""
    seen = 0

    def read() -> list[bytes]:
        nonlocal seen
        with service.store.reading() as session:
            mails = queries.mailbox.since(session, seen)
        seen = max((mail.id or 0 for mail in mails), default=seen)
        return [mail.raw for mail in mails]

    return read

"""`estafette serve`, `web` and `worker`: the processes of an instance."""

from __future__ import annotations

import signal
import threading
from pathlib import Path
from types import FrameType

import click

from db.migrate import SchemaError, refuse_newer, require_current, upgrade
from db.turns import DatabaseBusy
from server import backups, create_app, jobs, logs, watching
from server.backups import BackupError
from server.config import Settings, SettingsError
from server.service import Service, open_service
from server.ways_in import WayIn, way_in
from server.web import Web, bound
from server.workers import worker_of


def load_settings() -> Settings:
    """The settings of this process; a wrong one is a sentence."""
    try:
        return Settings.load()
    except SettingsError as error:
        raise click.ClickException(str(error)) from error


def opened(*, migrate: bool = False, wait: bool = False) -> Service:
    """The instance of the settings, its schema as the program needs it.

    With `migrate` it is made so; with `wait` an older one is left for another process to migrate.
    """
    settings = load_settings()
    logs.set_up(settings.log)
    service = open_service(settings)
    try:
        if migrate:
            brought_up(service)
        if not wait:
            require_current(service.store)
        refuse_newer(service.store)
    except (SchemaError, BackupError) as error:
        service.close()
        raise click.ClickException(str(error)) from error
    except DatabaseBusy:
        service.close()
        raise
    return service


def brought_up(service: Service) -> Path | None:
    """Bring the schema up to this program, after a backup; that backup, or None. SchemaError, BackupError."""
    made: list[Path] = []

    def before(schema: str) -> None:
        if service.store.is_sqlite:
            file = backups.usual_file(service.settings, service.now(), why=f"-schema-{schema}")
            backups.make(service.settings, service.store, file, service.now())
            made.append(file)

    upgrade(service.store, before=before)
    jobs.prepare(service.store)
    return made[0] if made else None


def _until_told_to_stop() -> None:
    told = threading.Event()

    def stop(_number: int, _frame: FrameType | None) -> None:
        told.set()

    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGINT, stop)
    told.wait()


def _web_of(service: Service) -> Web:
    host, port = service.settings.host, service.settings.port
    try:
        listening = bound(host, port)
    except OSError as error:
        raise click.ClickException(
            f"{host}:{port} cannot be listened on ({error.strerror}); see ESTAFETTE_LISTEN."
        ) from error
    return Web(create_app(service), listening)


def _way_in(service: Service) -> WayIn:
    try:
        return way_in(service)
    except OSError as error:
        raise click.ClickException(
            f"The address of ESTAFETTE_INBOUND cannot be listened on ({error.strerror})."
        ) from error


@click.command()
def serve() -> None:
    """Web and worker in one process, for a small host."""
    service = opened(migrate=True)
    watching.watch()
    web, worker, incoming = _web_of(service), worker_of(service), _way_in(service)
    worker.start()
    incoming.start()
    web.start()
    click.echo(f"Estafette listens on {service.settings.host}:{service.settings.port}")
    click.echo(f"Its links begin with {service.settings.public_url}")
    _until_told_to_stop()
    incoming.stop()
    worker.stop()
    web.stop()
    service.close()


@click.command()
def web() -> None:
    """The web alone; any number of them on PostgreSQL."""
    service = opened(wait=True)
    watching.watch()
    running = _web_of(service)
    running.start()
    click.echo(f"Estafette's web listens on {service.settings.host}:{service.settings.port}")
    _until_told_to_stop()
    running.stop()
    service.close()


@click.command()
def worker() -> None:
    """The worker alone: read, deliver, remind, expire."""
    service = opened(wait=True)
    watching.watch()
    running, incoming = worker_of(service), _way_in(service)
    running.start()
    incoming.start()
    click.echo("Estafette's worker is running")
    _until_told_to_stop()
    incoming.stop()
    running.stop()
    service.close()

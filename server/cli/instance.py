"""`estafette init`, `migrate`, `backup`, `restore`, `moved`, `keys …`: the instance itself."""

from __future__ import annotations

import json
import os
import secrets
import shutil
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import click

from db.copying import NotEmpty, copy_rows, count_rows
from db.engine import Store
from db.migrate import HEAD, SchemaError, current, require_current, upgrade
from db.turns import DatabaseBusy, InUse
from server import backups, checks, home, jobs
from server.backups import BackupError, key_file, key_mark, own_keys
from server.cli.game import at_work
from server.cli.run import brought_up, load_settings
from server.config import Settings, SettingsError
from server.restoring import Restored, put_back, write_keys
from server.service import open_service

UNIT: Final = """\
[Unit]
Description=Estafette: slow board games by email
Documentation=file:{documentation}
After=network-online.target
Wants=network-online.target
StartLimitIntervalSec=300
StartLimitBurst=5

[Service]
Type=simple
User={user}
Group={user}
Environment=ESTAFETTE_CONFIG={config}
ExecStart={program} {command}
Restart=on-failure
RestartSec=10
TimeoutStopSec=30
StateDirectory=estafette
StateDirectoryMode=0700
UMask=0077

NoNewPrivileges=yes
CapabilityBoundingSet=
AmbientCapabilities=
ProtectSystem=strict
ProtectHome={protect_home}
ReadWritePaths={data}
PrivateTmp=yes
PrivateDevices=yes
ProtectClock=yes
ProtectControlGroups=yes
ProtectHostname=yes
ProtectKernelLogs=yes
ProtectKernelModules=yes
ProtectKernelTunables=yes
ProtectProc=invisible
ProcSubset=pid
RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX
RestrictNamespaces=yes
RestrictRealtime=yes
RestrictSUIDSGID=yes
LockPersonality=yes
MemoryDenyWriteExecute=yes
RemoveIPC=yes
SystemCallArchitectures=native
SystemCallFilter=@system-service
SystemCallFilter=~@privileged @resources

[Install]
WantedBy=multi-user.target
"""


def unit(
    *,
    program: str = "/opt/estafette/bin/estafette",
    command: str = "serve",
    config: str = "/etc/estafette/estafette.toml",
    data: str = "/var/lib/estafette",
    user: str = "estafette",
    documentation: str = "/opt/estafette/deploy/README.md",
    protect_home: bool = True,
) -> str:
    """A systemd unit with everything taken away that Estafette does not need."""
    return UNIT.format(
        program=program,
        command=command,
        config=config,
        data=data,
        user=user,
        documentation=documentation,
        protect_home="yes" if protect_home else "read-only",
    )


@click.command()
@click.option("--public-url", help="The address where players reach it, like https://games.example.org.")
@click.option("--mail-url", help="mailbox: or smtp+starttls://user:password@host:587 or smtps:// or smtp+plain://.")
@click.option("--mail-from", help="The sender of all mails, like games@example.org.")
@click.option("--data", type=click.Path(file_okay=False, path_type=Path), help="The data folder (default ./var).")
@click.option("--out", type=click.Path(file_okay=False, path_type=Path), default=Path(), help="Where both files go.")
@click.option("--force", is_flag=True, help="Overwrite files that are there, without asking.")
def init(
    public_url: str | None, mail_url: str | None, mail_from: str | None, data: Path | None, out: Path, force: bool
) -> None:
    """Ask for public address and mail server, write the settings file and a systemd unit."""
    files = [(out / name).absolute() for name in ("estafette.toml", "estafette.service")]
    for file in files:
        if file.exists() and not force:
            _ask_to_overwrite(file)
    if public_url is None:
        public_url = click.prompt("Public address, where players reach it", default="http://127.0.0.1:8025")
    if mail_url is None:
        mail_url = click.prompt("Mail server (mailbox: keeps all mail here, to try things out)", default="mailbox:")
    if mail_from is None and mail_url != "mailbox:":
        mail_from = click.prompt("Sender of the mails, like Estafette <games@example.org>")
    folder = (data or Path("var")).absolute()
    text = _toml(public_url or "", mail_url or "", mail_from, folder)
    out.mkdir(parents=True, exist_ok=True)
    _write_settings(files[0], text)
    files[1].write_text(
        unit(
            program=shutil.which("estafette", path=str(Path(sys.executable).parent)) or "estafette",
            config=str(files[0]),
            data=str(folder),
            user=os.environ.get("USER") or "estafette",
            protect_home=not str(files[0]).startswith("/home/"),
        ),
        encoding="utf-8",
    )
    click.echo(f"Wrote {files[0]} and {files[1]}.")
    click.echo(f"Check it:  ESTAFETTE_CONFIG={files[0]} estafette doctor")
    click.echo(f"Start it:  ESTAFETTE_CONFIG={files[0]} estafette serve")
    click.echo(f"As a service (as root): cp {files[1]} /etc/systemd/system/ && systemctl enable --now estafette")


def _ask_to_overwrite(file: Path) -> None:
    if not sys.stdin.isatty() and not os.environ.get("ESTAFETTE_TEST_ASKS"):
        raise click.ClickException(f"{file} is there already; nothing was written. Overwrite it with --force.")
    click.confirm(f"{file} is there already. Overwrite it?", abort=True)


def _toml(public_url: str, mail_url: str, mail_from: str | None, data: Path) -> str:
    lines = [
        "# Estafette's settings. deploy/README.md explains each; the environment wins over this file.",
        f"public_url = {json.dumps(public_url, ensure_ascii=False)}",
        f"mail_url = {json.dumps(mail_url, ensure_ascii=False)}",
        *([f"mail_from = {json.dumps(mail_from, ensure_ascii=False)}"] if mail_from else []),
        f"data = {json.dumps(str(data), ensure_ascii=False)}",
    ]
    if public_url.startswith("https:"):
        lines.append("trusted_proxies = 1  # the one that has the certificate: Caddy or nginx")
    return "\n".join(lines) + "\n"


def _write_settings(file: Path, text: str) -> None:
    """For the owner alone: it may hold a password. What Estafette would refuse is not left behind."""
    draft = file.with_name(f".{file.name}-draft")
    with os.fdopen(os.open(draft, os.O_CREAT | os.O_WRONLY | os.O_TRUNC, 0o600), "w", encoding="utf-8") as written:
        written.write(text)
    try:
        Settings.load({"ESTAFETTE_CONFIG": str(draft)})
    except SettingsError as error:
        draft.unlink()
        raise click.ClickException(f"{error} Nothing was written.") from error
    os.replace(draft, file)


@click.command()
def migrate() -> None:
    """Bring the database's schema up to this program: under a lock, and on SQLite after a backup."""
    service = open_service(load_settings())
    try:
        before = current(service.store)
        backup = brought_up(service)
        broken = backups.that_do_not_replay(service.store)[1]
        for match_id, why in broken.items():
            service.matches.freeze(match_id, why, now=service.now())
    except (SchemaError, BackupError) as error:
        raise click.ClickException(str(error)) from error
    finally:
        service.close()
    if backup:
        click.echo(f"The database as it was is in {backup}.")
    if before == HEAD:
        click.echo(f"The database is up to date (schema {HEAD}).")
    else:
        click.echo(f"The database went from {f'schema {before}' if before else 'nothing'} to schema {HEAD}.")
    if broken:
        raise click.ClickException(_not_replaying(broken))


def _not_replaying(broken: dict[str, str]) -> str:
    told = "; ".join(f"{match_id}: {why}" for match_id, why in broken.items())
    return f"Matches whose moves lead elsewhere than they did (they are stopped): {told}"


@click.command()
@click.argument("file", required=False, type=click.Path(dir_okay=False, path_type=Path))
def backup(file: Path | None) -> None:
    """Copy the database, and the keys that Estafette keeps, to one file while everything runs.

    Whoever has the file can read all and sign links: keep it as you keep the machine.
    """
    settings = load_settings()
    service = open_service(settings)
    try:
        now = service.now()
        target = file or backups.usual_file(settings, now)
        backups.make(settings, service.store, target, now)
    except BackupError as error:
        raise click.ClickException(str(error)) from error
    finally:
        service.close()
    click.echo(f"{target}  {target.stat().st_size} octets")
    if not own_keys(settings):
        click.echo("The keys of ESTAFETTE_SECRET_KEYS are not in it. Keep them too: without them all links are void.")


@click.command()
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@click.option("--check", is_flag=True, help="Only say whether it could be put back.")
@click.option("--yes", is_flag=True, help="Do not ask.")
def restore(file: Path, check: bool, yes: bool) -> None:
    """Put a backup back, or check one: its checksums, the database, and that every running match replays."""
    settings = load_settings()
    now = datetime.now(UTC)
    try:
        with backups.unpacked(file) as found:
            playing, broken = backups.checked(found)
            click.echo(f"Made {found.made_at:%Y-%m-%d %H:%M} UTC for {found.public_url}, schema {found.schema}.")
            click.echo(f"The database is whole; {playing} matches are being played, {len(broken)} do not replay.")
            if broken:
                raise click.ClickException(_not_replaying(broken))
            _say_about_keys(settings, found)
            if check:
                return
            if not yes:
                click.confirm(f"Put it in the place of {_place(settings)}?", abort=True)
            _say_what_was_done(put_back(settings, found, now))
    except BackupError as error:
        raise click.ClickException(str(error)) from error


def _place(settings: Settings) -> str:
    url = settings.database_url
    return url.removeprefix("sqlite:///") if url.startswith("sqlite") else "the empty PostgreSQL database"


def _say_about_keys(settings: Settings, found: backups.Backup) -> None:
    marks = {key_mark(key) for key in (*settings.secret_keys, *found.keys)}
    missing = [mark for mark in found.key_marks if mark not in marks]
    if missing:
        click.echo(
            f"Missing: {len(missing)} of its {len(found.key_marks)} signing keys. Links signed with them will be void; "
            "if you have them, add them at the end of ESTAFETTE_SECRET_KEYS."
        )


def _say_what_was_done(done: Restored) -> None:
    click.echo("The backup is back." + (f" The database before it is {done.aside}." if done.aside else ""))
    if done.set_back:
        click.echo(f"{len(done.set_back)} matches were set back; their players are told by mail.")
    if done.gone:
        click.echo(f"Begun after the backup, so lost: {', '.join(done.gone)}. Tell their players.")
    if done.letters_dropped:
        click.echo(f"{done.letters_dropped} letters that may have been sent since are not sent again.")
    if done.keys_added:
        click.echo(f"{done.keys_added} signing keys came back with it.")
    click.echo("No mail leaves until you say that this is the instance that players know: estafette moved")


@click.group()
def db() -> None:
    """The data as a whole."""


@db.command()
@click.argument("target", required=False, metavar="URL")
@click.option("--url-file", type=click.Path(dir_okay=False, path_type=Path), help="Read the URL from this file.")
def copy(target: str | None, url_file: Path | None) -> None:
    """Copy everything into the empty PostgreSQL database at URL, while nothing else runs.

    The database of the settings stays as it is. Then name the new one in ESTAFETTE_DATABASE_URL and say
    `estafette moved`. A password on the command line can be seen by others: --url-file avoids it.
    """
    settings = load_settings()
    url = _target(target or (url_file.read_text(encoding="utf-8").strip() if url_file else ""))
    try:
        if settings.database_url.startswith("sqlite"):
            InUse(checks.database_file(settings), alone=True).close()
    except DatabaseBusy as error:
        raise click.ClickException(f"{error} Stop it first: systemctl stop estafette") from error
    source, into = Store(settings.database_url), Store(url)
    try:
        require_current(source)
        upgrade(into)
        with click.progressbar(length=count_rows(source), label="Rows", file=sys.stderr) as bar:
            rows = copy_rows(source, into, lambda _table, done: bar.update(done - bar.pos))
        jobs.prepare(into)
    except (SchemaError, NotEmpty, DatabaseBusy) as error:
        raise click.ClickException(str(error)) from error
    finally:
        source.close()
        into.close()
    click.echo(f"{rows} rows copied. Set ESTAFETTE_DATABASE_URL to the new database and keep the keys:")
    if own_keys(settings):
        click.echo(f"  ESTAFETTE_SECRET_KEYS_FILE={key_file(settings)}  (the same on every machine)")
    click.echo("Then: estafette moved, and start the processes.")


def _target(url: str) -> str:
    scheme, _, rest = url.partition("://")
    if scheme not in ("postgresql", "postgres", "postgresql+psycopg") or not rest:
        raise click.UsageError("Name the new database: postgresql://user:password@host/database")
    return f"postgresql+psycopg://{rest}"


@click.command()
@click.option("--yes", is_flag=True, help="Do not ask.")
def moved(yes: bool) -> None:
    """Say that this is the instance now: mail leaves from here.

    A database that was copied, put back from a backup, moved to another machine or given another public address
    sends no mail until then, so that no test copy writes to players.
    """
    with at_work() as service:
        why = home.why_silent(service)
        if not service.settings.mail_leaves:
            raise ValueError("Mail stays in the built-in mailbox here; nothing is held back.")
        if why and not yes:
            click.echo(why)
            click.confirm(
                "If another one still runs with this data, all mail goes out twice. Send from here?", abort=True
            )
        home.move_in(service, service.now(), who="operator")
        click.echo(f"Mail leaves from here, with links to {service.settings.public_url}.")


@click.group()
def keys() -> None:
    """The signing keys: every link in a mail is signed with one."""


@keys.command("list")
def list_() -> None:
    """The keys in use by their marks, the newest first."""
    settings = load_settings()
    for number, key in enumerate(settings.secret_keys):
        click.echo(f"{key_mark(key)}  {'signs and reads' if number == 0 else 'reads'}")


@keys.command()
@click.option("--keep", type=click.IntRange(min=0), help="So many old keys go on working; all if not given.")
def rotate(keep: int | None) -> None:
    """Put a new signing key in front; links signed with the old ones go on working."""
    settings = load_settings()
    old = settings.secret_keys if keep is None else settings.secret_keys[:keep]
    fresh = secrets.token_hex(32)
    if own_keys(settings):
        write_keys(key_file(settings), (fresh, *old))
        click.echo(f"{key_mark(fresh)} signs from the next start on; {len(old)} old keys go on reading.")
        click.echo("Restart Estafette: systemctl restart estafette")
        return
    click.echo("These keys are yours to keep (ESTAFETTE_SECRET_KEYS), so nothing was changed. With several machines:")
    click.echo("1. Everywhere, so that all can read what the new key signs, and restart:")
    click.echo(f"   ESTAFETTE_SECRET_KEYS={','.join((*old, fresh))}")
    click.echo("2. Then everywhere, so that it signs, and restart:")
    click.echo(f"   ESTAFETTE_SECRET_KEYS={','.join((fresh, *old))}")

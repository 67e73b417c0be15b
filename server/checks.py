"""What `estafette doctor` looks at: one finding each, that says what is wrong and what to type."""

from __future__ import annotations

import os
import shutil
import socket
import sqlite3
import ssl
import stat
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import closing, suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from imaplib import IMAP4
from pathlib import Path
from typing import Any, Final, Literal
from urllib.parse import unquote, urlsplit

from sqlalchemy import text
from sqlalchemy.exc import DBAPIError

from db import queries
from db.engine import Store
from db.migrate import SchemaError, current, require_current
from db.turns import DatabaseBusy
from emails.transport import MailServerError, Timeouts, check, parse_mail_url
from server.backups import key_file, own_keys
from server.config import Settings
from server.home import COPIED_KEY, why_silent
from server.service import TICK_KEY, Service
from server.settings import in_a_container

LATE_TICK: Final = timedelta(minutes=2)
LATE_LETTER: Final = timedelta(minutes=15)
LEAST_SPACE: Final = 200 << 20
"""Octets that should be free, and at least twice the size of the database: for its log, and for a backup."""

SAFE_SQLITE: Final = (3, 37, 0)
"""Older ones are in use, but get no corrections any more."""

WRITTEN: Final = datetime(2026, 11, 1, tzinfo=UTC)
"""No clock that goes right shows a time before this program was written."""

NETWORK_FILE_SYSTEMS: Final = frozenset(
    {"nfs", "nfs4", "cifs", "smb3", "smbfs", "9p", "afs", "ceph", "glusterfs", "fuse.glusterfs", "fuse.sshfs"}
    | {"fuse.s3fs", "fuse.rclone", "fuse.davfs", "lustre", "gpfs", "ocfs2", "gfs2", "virtiofs", "fuse.juicefs"}
)
MOUNTS: Final = Path("/proc/mounts")
_PATIENCE: Final = 8.0
_QUICK_CHECK_MOST: Final = 2 << 30  # octets; a larger database takes too long to read through


@dataclass(frozen=True)
class Finding:
    """How one thing stands; `more` are lines below it."""

    state: Literal["ok", "wrong", "note"]
    what: str
    says: str
    more: tuple[str, ...] = ()


def _ok(what: str, says: str, *more: str) -> Finding:
    return Finding("ok", what, says, more)


def _wrong(what: str, says: str, *more: str) -> Finding:
    return Finding("wrong", what, says, more)


def _note(what: str, says: str) -> Finding:
    return Finding("note", what, says)


def before_opening(settings: Settings, environ: Mapping[str, str]) -> Iterator[Finding]:
    """What can be told without the database."""
    yield settings_file(environ)
    yield data_folder(settings)
    yield keys(settings)
    yield public_address(settings)
    yield proxies(settings)
    yield machine_clock(datetime.now(UTC))
    if settings.database_url.startswith("sqlite"):
        yield sqlite_version(sqlite3.sqlite_version_info)
        yield file_system(database_file(settings), _mounts())
    yield disk_space(settings)


def of_the_instance(service: Service) -> Iterator[Finding]:
    """What the database tells, once it can be opened and has the right schema."""
    now = service.now()
    yield place(service)
    yield database_clock(service.store, now)
    yield worker_tick(service, now)
    yield outbox(service, now)
    yield frozen(service)


def around(settings: Settings) -> Iterator[Finding]:
    """What other machines answer: the mail server, the way in, and our own public address."""
    yield mail_server(settings)
    yield way_in(settings)
    yield reachability(settings)


# On this machine


def settings_file(environ: Mapping[str, str]) -> Finding:
    named = environ.get("ESTAFETTE_CONFIG")
    if named is None:
        return _ok("settings", "complete; from the environment")
    if Path(named).stat().st_mode & (stat.S_IRWXG | stat.S_IRWXO) & ~stat.S_IRGRP:
        return _wrong("settings", f"others can read {named}, which may hold passwords. Type: chmod 600 {named}")
    return _ok("settings", f"complete; from {named}")


def data_folder(settings: Settings) -> Finding:
    folder = settings.data
    if not settings.database_url.startswith("sqlite") and not folder.exists():
        return _ok("data folder", "not needed with PostgreSQL")
    if not folder.is_dir():
        return _wrong("data folder", f"{folder} is no folder. Type: mkdir -m 700 {folder}")
    if not os.access(folder, os.R_OK | os.W_OK | os.X_OK):
        return _wrong("data folder", f"{folder} cannot be written to. Type: chown $(id -un) {folder}")
    if folder.stat().st_mode & stat.S_IRWXO:
        return _wrong("data folder", f"everybody on this machine can look into {folder}. Type: chmod 700 {folder}")
    return _ok("data folder", str(folder))


def keys(settings: Settings) -> Finding:
    file = key_file(settings)
    if not own_keys(settings):
        return _ok("signing keys", f"{len(settings.secret_keys)}, from ESTAFETTE_SECRET_KEYS")
    if file.stat().st_mode & (stat.S_IRWXG | stat.S_IRWXO):
        return _wrong("signing keys", f"others can read {file} and make links. Type: chmod 600 {file}")
    return _ok("signing keys", f"{len(settings.secret_keys)}, in {file}")


def public_address(settings: Settings) -> Finding:
    host = str(urlsplit(settings.public_url).hostname)
    if settings.mail_leaves and (host == "localhost" or host.startswith("127.") or host == "::1"):
        return _wrong(
            "public address",
            f"mails leave, and their links go to {settings.public_url}, which is this machine only for itself. "
            "Set ESTAFETTE_PUBLIC_URL to the address that players use.",
        )
    return _ok("public address", settings.public_url)


def proxies(settings: Settings) -> Finding:
    """Who holds the certificate is not us, so behind https there is a proxy; and only its word counts."""
    behind_one = settings.public_url.startswith("https:")
    everywhere = settings.host in ("0.0.0.0", "::", "")  # noqa: S104 - it is named to warn of it
    if behind_one and settings.trusted_proxies == 0:
        return _wrong(
            "proxy",
            "the public address is https, so a proxy is in front, but none is trusted: every request seems to come "
            "from it, and limits hit everybody at once. Set ESTAFETTE_TRUSTED_PROXIES=1.",
        )
    if not behind_one and settings.trusted_proxies:
        return _wrong(
            "proxy",
            "a proxy is trusted, but the public address is http on this machine. Set ESTAFETTE_TRUSTED_PROXIES=0.",
        )
    if settings.trusted_proxies and everywhere and not in_a_container():
        return _wrong(
            "proxy",
            f"{settings.host} can be reached past the proxy, and then anybody's X-Forwarded-For is believed. "
            "Set ESTAFETTE_LISTEN=127.0.0.1:8025.",
        )
    return _ok("proxy", f"{settings.trusted_proxies} trusted, listening on {settings.host}:{settings.port}")


def machine_clock(now: datetime) -> Finding:
    if now < WRITTEN:
        return _wrong("clock", f"this machine says {now:%Y-%m-%d %H:%M} UTC. Type: timedatectl set-ntp true")
    return _ok("clock", f"{now:%Y-%m-%d %H:%M:%S} UTC")


def sqlite_version(version: tuple[int, ...]) -> Finding:
    said = ".".join(map(str, version))
    if version < SAFE_SQLITE:
        return _wrong("SQLite", f"{said} is old and known for faults. Use a Python with SQLite 3.37 or newer.")
    return _ok("SQLite", said)


def file_system(file: Path, mounts: list[tuple[str, str]]) -> Finding:
    """Locks of a network's file system do not hold what SQLite needs of them."""
    where = str(file.absolute().parent)
    over = [(point, kind) for point, kind in mounts if where == point or where.startswith(point.rstrip("/") + "/")]
    point, kind = max(over, key=lambda each: len(each[0]), default=("/", "unknown"))
    if kind in NETWORK_FILE_SYSTEMS:
        return _wrong(
            "file system",
            f"{point} is {kind}, a file system of the network: SQLite loses data there. "
            "Set ESTAFETTE_DATA to a disk of this machine, or use PostgreSQL.",
        )
    return _ok("file system", f"{kind} at {point}")


def disk_space(settings: Settings) -> Finding:
    folder = _first_that_exists(settings.data)
    free = shutil.disk_usage(folder).free
    size = 0
    if settings.database_url.startswith("sqlite"):
        with suppress(OSError):
            size = database_file(settings).stat().st_size
    if free < max(LEAST_SPACE, 2 * size):
        return _wrong(
            "disk space",
            f"{free >> 20} MB free at {folder}; a database that cannot grow stops everything. Type: df -h {folder}",
        )
    return _ok("disk space", f"{free >> 20} MB free")


def database_file(settings: Settings) -> Path:
    return Path(settings.database_url.removeprefix("sqlite:///"))


# The database


def database(settings: Settings) -> Finding:
    """Whether it can be opened, is whole, can be written to, and has this program's schema."""
    if settings.database_url.startswith("sqlite"):
        found = _sqlite_file(database_file(settings))
        if found:
            return found
    try:
        store = Store(settings.database_url, patience=3)
    except (DatabaseBusy, DBAPIError, ValueError, RuntimeError) as error:
        return _wrong(
            "database", f"it cannot be opened: {_first_line(error.__cause__ or error)}. See ESTAFETTE_DATABASE_URL."
        )
    try:
        found_schema = current(store)
        require_current(store)
        with store.writing() as session:
            session.execute(text("UPDATE world SET value = value WHERE key = 'nothing'"))
    except SchemaError as error:
        return _wrong("database", str(error))
    except (DatabaseBusy, DBAPIError, sqlite3.Error) as error:
        return _wrong("database", f"{_first_line(error.__cause__ or error)}. {_what_to_do(settings)}")
    finally:
        store.close()
    return _ok("database", f"{store.url.render_as_string(hide_password=True)}, schema {found_schema}")


def _sqlite_file(file: Path) -> Finding | None:
    if not file.exists():
        return _wrong("database", f"there is none yet at {file}. Type: estafette migrate")
    if not os.access(file, os.R_OK | os.W_OK):
        return _wrong("database", f"{file} cannot be written to. Type: chown $(id -un) {file}")
    try:
        with closing(sqlite3.connect(f"file:{file}?mode=ro", uri=True, timeout=3)) as connection:
            connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
            small = file.stat().st_size < _QUICK_CHECK_MOST
            said = connection.execute("PRAGMA quick_check(1)").fetchone()[0] if small else "ok"
    except sqlite3.OperationalError as error:
        return _wrong("database", f"{file} cannot be read ({error}). Who holds it? Type: fuser {file}")
    except sqlite3.DatabaseError as error:
        said = str(error)
    if said != "ok":
        return _wrong(
            "database",
            f"{file} is damaged ({_first_line(said)}). Stop Estafette, then put the last backup back: "
            "estafette restore FILE",
        )
    return None


def _what_to_do(settings: Settings) -> str:
    if settings.database_url.startswith("sqlite"):
        return "Is the disk full, or another program at the file? Type: df -h; fuser " + str(database_file(settings))
    return "Is the server running, and are host, user and password right? See ESTAFETTE_DATABASE_URL."


def place(service: Service) -> Finding:
    why = why_silent(service)
    if why:
        return _wrong("this instance", f"no mail leaves. {why} If it is the one that players know: estafette moved")
    if service.settings.mail_leaves:
        return _ok("this instance", "the one that players know: mail leaves from here")
    with service.store.reading() as session:
        copied = queries.world.value(session, COPIED_KEY)
    return _ok(
        "this instance", "all mail stays in the built-in mailbox" + (" (put back from a backup)" if copied else "")
    )


def database_clock(store: Store, now: datetime) -> Finding:
    """Deadlines are moments, so a clock that was set back makes everybody wait."""
    with store.reading() as session:
        newest = queries.oversight.last_posted(session)
        theirs = None
        if not store.is_sqlite:
            theirs = session.execute(text("SELECT clock_timestamp()")).scalar_one()
    if theirs is not None and abs(theirs - now) > timedelta(seconds=30):
        return _wrong(
            "clocks",
            f"the database server's is {abs(theirs - now).total_seconds():.0f} s off. Type on both: timedatectl status",
        )
    if newest is not None and newest > now + timedelta(minutes=5):
        return _wrong(
            "clocks",
            f"the database has letters of {newest:%Y-%m-%d %H:%M} UTC, so this machine's clock was set back. "
            "Type: timedatectl status",
        )
    return _ok("clocks", "database and machine agree")


def worker_tick(service: Service, now: datetime) -> Finding:
    with service.store.reading() as session:
        told = queries.world.value(session, TICK_KEY)
    if told is None:
        return _wrong("worker", "none has ever ticked. Type: systemctl start estafette (or estafette serve)")
    ago = now - datetime.fromisoformat(told)
    if ago > LATE_TICK:
        return _wrong(
            "worker",
            f"its last tick was {_long(ago)} ago, so no mail and no reminder leaves. "
            "Type: systemctl status estafette; journalctl -u estafette -n 50",
        )
    return _ok("worker", f"ticked {max(ago.total_seconds(), 0):.0f} s ago")


def outbox(service: Service, now: datetime) -> Finding:
    with service.store.reading() as session:
        oldest = queries.oversight.oldest_unsent(session, now)
    if oldest is None:
        return _ok("outbox", "nothing waits")
    age = now - oldest.created_at
    said = " ".join(str(part) for part in (oldest.last_status, oldest.last_answer) if part)
    if age > LATE_LETTER or (oldest.why and oldest.attempts):
        return _wrong(
            "outbox",
            f"a letter has been waiting for {_long(age)}, tried {oldest.attempts} times"
            f"{f'; the mail server said: {said}' if said else ''}. Type: estafette mail show {oldest.id}",
        )
    return _ok("outbox", f"the oldest letter is {_long(age)} old")


def frozen(service: Service) -> Finding:
    with service.store.reading() as session:
        stopped = [match.id for match in queries.matches.with_status(session, "frozen")]
    if stopped:
        return _wrong("matches", f"frozen: {', '.join(stopped[:10])}. Type: estafette game show {stopped[0]}")
    return _ok("matches", "none is frozen")


# Other machines


def mail_server(settings: Settings) -> Finding:
    host = str(urlsplit(settings.public_url).hostname)
    try:
        lines = check(
            parse_mail_url(settings.mail_url), ehlo=host, timeouts=Timeouts(connect=_PATIENCE, answer=_PATIENCE)
        )
    except MailServerError as error:
        return _wrong("mail server", f"{error} See ESTAFETTE_MAIL_URL.", *error.lines)
    return _ok("mail server", lines[0], *lines[1:])


def way_in(settings: Settings) -> Finding:
    if settings.inbound is None:
        if settings.replies and settings.mail_leaves:
            return _ok("replies", f"to …@{settings.reply_domain}, by estafette inbound")
        return _ok("replies", "not read; players use the links")
    parts = urlsplit(settings.inbound)
    host, port = str(parts.hostname), parts.port or 993
    try:
        if parts.scheme == "lmtp":
            return _lmtp(host, port)
        _imap(host, port, unquote(parts.username or ""), unquote(parts.password or ""), parts.path)
    except IMAP4.error:
        return _wrong("replies", f"{host} refuses user, password or folder. See ESTAFETTE_INBOUND.")
    except ssl.SSLCertVerificationError as error:
        return _wrong(
            "replies",
            f"the certificate of {host} cannot be trusted: {error.verify_message}. "
            "It has to be renewed there, or another host named in ESTAFETTE_INBOUND.",
        )
    except OSError as error:
        return _wrong("replies", f"{host}:{port} cannot be reached ({error.strerror or error}). See ESTAFETTE_INBOUND.")
    return _ok("replies", f"read from {host}")


def _lmtp(host: str, port: int) -> Finding:
    try:
        with socket.create_connection((host, port), _PATIENCE) as connection:
            connection.settimeout(_PATIENCE)
            greeting = connection.recv(200).decode("ascii", "replace")
    except ConnectionRefusedError:
        return _wrong("replies", f"nobody takes mail at {host}:{port}: no worker is running. Type: estafette serve")
    if "Estafette" not in greeting:
        return _wrong("replies", f"another program answers at {host}:{port}. Use another port in ESTAFETTE_INBOUND.")
    return _ok("replies", f"taken at {host}:{port}")


def _imap(host: str, port: int, user: str, password: str, folder: str) -> None:
    from imapclient import IMAPClient

    client: Any = IMAPClient(host, port, ssl_context=ssl.create_default_context(), timeout=_PATIENCE)
    try:
        client.login(user, password)
        client.select_folder(unquote(folder.strip("/")) or "INBOX", readonly=True)
    finally:
        with suppress(IMAP4.error, OSError):
            client.logout()


def reachability(settings: Settings) -> Finding:
    """What a player's browser would get, as far as this machine can tell."""
    url = f"{settings.public_url}/healthz"
    try:
        with urllib.request.urlopen(url, timeout=_PATIENCE) as answer:  # noqa: S310 - the configured address
            said = answer.read(200).decode("utf-8", "replace").strip()
    except urllib.error.HTTPError as error:
        said = error.read(200).decode("utf-8", "replace").strip()
        if "not known under this name" in said:
            return _wrong(
                "web", f"the proxy at {settings.public_url} does not pass on the Host header. See deploy/nginx.conf."
            )
        return _wrong("web", f"{url} answers {error.code}. Does the proxy lead here? See its log.")
    except OSError as error:
        reason = getattr(error, "reason", error)
        if isinstance(reason, ssl.SSLCertVerificationError):
            return _wrong(
                "web",
                f"the certificate of {settings.public_url} is not valid: {reason.verify_message}. "
                "Type: systemctl status caddy (or nginx, and certbot renew)",
            )
        return _wrong(
            "web",
            f"{settings.public_url} does not answer ({getattr(reason, 'strerror', None) or reason}). "
            "Type: systemctl status estafette; then look at the proxy.",
        )
    if said != "ok":
        return _wrong("web", f"{url} is answered by something else than Estafette. Look at the proxy and at DNS.")
    return _ok("web", f"{settings.public_url} answers")


# Helpers


def _mounts() -> list[tuple[str, str]]:
    """(mount point, kind); nothing where the system does not tell."""
    try:
        lines = MOUNTS.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return []
    fields = [line.split() for line in lines]
    return [(each[1].replace("\\040", " "), each[2]) for each in fields if len(each) > 2]


def _first_that_exists(folder: Path) -> Path:
    absolute = folder.absolute()
    return next(each for each in (absolute, *absolute.parents) if each.exists())


def _first_line(error: object) -> str:
    said = str(getattr(error, "orig", None) or error).strip()
    return said.splitlines()[0].rstrip(".") if said else type(error).__name__


def _long(span: timedelta) -> str:
    seconds = max(int(span.total_seconds()), 0)
    for size, name in ((86400, "days"), (3600, "hours"), (60, "minutes")):
        if seconds >= 2 * size:
            return f"{seconds // size} {name}"
    return f"{seconds} seconds"

"""Backups: one file with the whole database and the signing keys, made while everything runs, and what it is worth.

The file is a zip: `manifest.json` with a checksum of everything else, the database as one SQLite file (whatever the
instance runs on), and the keys that the instance made itself. Whoever has it has everything: it is for the owner's eyes
alone.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import sqlite3
import tempfile
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Final

from sqlalchemy.exc import SQLAlchemyError

from db import queries, table
from db.copying import copy_rows
from db.engine import Store
from db.migrate import HEAD, current, upgrade
from server.config import Settings
from server.home import COPIED_KEY
from server.plays import Diverged, replayed
from server.push import KEY_FILE as PUSH_KEY

FORMAT: Final = "estafette-backup/1"
DATABASE: Final = "estafette.db"
KEYS: Final = "secret-keys"
_MANIFEST = "manifest.json"
_CHUNK = 1 << 20
_DRAFT = ".backup-"
_LEFT_FOR = timedelta(days=1)
_UNREADABLE = (
    zipfile.BadZipFile,
    zlib.error,
    EOFError,
    LookupError,
    TypeError,
    ValueError,
    AttributeError,
    RuntimeError,
)


class BackupError(Exception):
    """The file is no backup, or not a whole one; or it cannot be written. Says which."""


@dataclass(frozen=True)
class Backup:
    """A backup that was unpacked into a folder and found whole."""

    made_at: datetime
    schema: str
    public_url: str
    database: Path
    keys: tuple[str, ...]
    """Empty where the keys were not in the instance's own hands (`ESTAFETTE_SECRET_KEYS`)."""
    key_marks: tuple[str, ...]
    push_key: str | None
    """Browsers that subscribed listen to who has this key; None where the instance had not made one."""


def key_mark(key: str) -> str:
    """Tells keys apart and gives nothing away."""
    return hashlib.sha256(f"estafette key {key}".encode()).hexdigest()[:12]


def key_file(settings: Settings) -> Path:
    return settings.data / KEYS


def own_keys(settings: Settings) -> bool:
    """Whether the keys in use are those of the key file."""
    try:
        written = key_file(settings).read_text(encoding="ascii")
    except (OSError, UnicodeDecodeError):
        return False
    return tuple(written.replace(",", " ").split()) == settings.secret_keys


def usual_file(settings: Settings, now: datetime, *, why: str = "") -> Path:
    return settings.data / "backups" / f"estafette-{now:%Y%m%dT%H%M%SZ}{why}.zip"


# Making one


def make(settings: Settings, store: Store, file: Path, now: datetime) -> None:
    """Write a backup while everything runs. Raises BackupError; then there is no half file."""
    if file.exists():
        raise BackupError(f"{file} exists already. Name another file.")
    try:
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        _remove_what_was_left(file.parent, now)
        with tempfile.TemporaryDirectory(dir=file.parent, prefix=_DRAFT) as folder:
            _write(settings, store, file, Path(folder), now)
    except OSError as error:
        raise BackupError(f"The backup could not be written: {error.strerror} ({file}).") from None
    except sqlite3.Error as error:
        raise BackupError(f"The database could not be copied ({error}). No backup was made.") from None


def _remove_what_was_left(folder: Path, now: datetime) -> None:
    """By a backup that was killed: it holds a whole copy of the database."""
    for draft in folder.glob(f"{_DRAFT}*"):
        if draft.stat().st_mtime < (now - _LEFT_FOR).timestamp():
            shutil.rmtree(draft, ignore_errors=True)


def _write(settings: Settings, store: Store, file: Path, folder: Path, now: datetime) -> None:
    if current(store) is None:
        raise BackupError("There is nothing to back up: this database has no tables yet (estafette migrate).")
    database = folder / DATABASE
    schema = _copy_sqlite(store, database, now) if store.is_sqlite else _copy_rows(store, database, now)
    parts = {DATABASE: database}
    if own_keys(settings):
        parts[KEYS] = key_file(settings)
    if (settings.data / PUSH_KEY).exists():
        parts[PUSH_KEY] = settings.data / PUSH_KEY
    manifest = {
        "format": FORMAT,
        "made_at": now.isoformat(),
        "schema": schema,
        "public_url": settings.public_url,
        "key_marks": [key_mark(key) for key in settings.secret_keys],
        "files": {name: {"sha256": _sum_of(path), "octets": path.stat().st_size} for name, path in parts.items()},
    }
    draft = folder / "whole.zip"
    os.close(os.open(draft, os.O_CREAT | os.O_WRONLY, 0o600))
    with zipfile.ZipFile(draft, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for name, path in parts.items():
            archive.write(path, name)
        archive.writestr(_MANIFEST, json.dumps(manifest, indent=2))
    with draft.open("rb") as written:
        os.fsync(written.fileno())
    os.link(draft, file)  # never over another one


def _copy_sqlite(store: Store, file: Path, now: datetime) -> str:
    """SQLite's own online copy: of one moment, and nobody waits for it."""
    os.close(os.open(file, os.O_CREAT | os.O_WRONLY, 0o600))
    with (
        closing(sqlite3.connect(f"file:{store.url.database}?mode=ro", uri=True, timeout=20)) as source,
        closing(sqlite3.connect(file)) as copy,
    ):
        source.backup(copy)
        copy.execute("PRAGMA journal_mode = DELETE")
        copy.execute("INSERT OR REPLACE INTO world (key, value) VALUES (?, ?)", (COPIED_KEY, now.isoformat()))
        copy.commit()
        return str(copy.execute("SELECT version_num FROM alembic_version").fetchone()[0])


def _copy_rows(store: Store, file: Path, now: datetime) -> str:
    """PostgreSQL's rows into a SQLite file of the same schema. Another schema is for pg_dump."""
    if current(store) != HEAD:
        raise BackupError("This database has another schema than this program. Use pg_dump for it.")
    copy = Store(f"sqlite:///{file}")
    try:
        upgrade(copy)
        copy_rows(store, copy)
        with copy.writing() as session:
            queries.world.put(session, COPIED_KEY, now.isoformat())
    finally:
        copy.close()
    with closing(sqlite3.connect(file)) as whole:
        whole.execute("PRAGMA journal_mode = DELETE")
    return HEAD


# What one is worth


@contextmanager
def unpacked(file: Path, folder: Path | None = None) -> Iterator[Backup]:
    """The backup, every checksum right and the database whole, in a folder of its own that goes away. BackupError."""
    with tempfile.TemporaryDirectory(prefix=".restore-", dir=folder) as name:
        try:
            yield _unpack(file, Path(name))
        except OSError as error:
            raise BackupError(f"{error.strerror}: {error.filename or name}.") from None


def _unpack(file: Path, folder: Path) -> Backup:
    try:
        with zipfile.ZipFile(file) as archive:
            manifest = _manifest(archive)
            for name, told in manifest["files"].items():
                _extract(archive, name, told, folder)
    except FileNotFoundError:
        raise BackupError(f"There is no file {file}.") from None
    except _UNREADABLE as error:
        raise BackupError(
            f"{file} is no whole backup of Estafette: it was cut off, changed, or is something else ({error})."
        ) from None
    keys, push_key = folder / KEYS, folder / PUSH_KEY
    backup = Backup(
        made_at=datetime.fromisoformat(manifest["made_at"]),
        schema=str(manifest["schema"]),
        public_url=str(manifest["public_url"]),
        database=folder / DATABASE,
        keys=tuple(keys.read_text(encoding="ascii").replace(",", " ").split()) if keys.exists() else (),
        key_marks=tuple(manifest["key_marks"]),
        push_key=push_key.read_text(encoding="ascii").strip() if push_key.exists() else None,
    )
    _must_be_whole(backup)
    return backup


def _manifest(archive: zipfile.ZipFile) -> dict[str, Any]:
    manifest: dict[str, Any] = json.loads(archive.read(_MANIFEST))
    if manifest["format"] != FORMAT:
        raise ValueError(f"its format is {str(manifest['format'])[:40]}, this program reads {FORMAT}")
    if DATABASE not in manifest["files"] or not set(manifest["files"]) <= {DATABASE, KEYS, PUSH_KEY}:
        raise ValueError("its list of files is not that of a backup")
    datetime.fromisoformat(manifest["made_at"])
    return manifest


def _extract(archive: zipfile.ZipFile, name: str, told: dict[str, Any], folder: Path) -> None:
    target = folder / name
    left = int(told["octets"])
    with archive.open(name) as packed, os.fdopen(os.open(target, os.O_CREAT | os.O_WRONLY, 0o600), "wb") as out:
        while chunk := packed.read(_CHUNK):
            left -= len(chunk)
            if left < 0:
                raise ValueError(f"{name} is longer than it should be")
            out.write(chunk)
    if _sum_of(target) != told["sha256"]:
        raise ValueError(f"the checksum of {name} is wrong")


def _must_be_whole(backup: Backup) -> None:
    try:
        with closing(sqlite3.connect(backup.database)) as connection:
            said = connection.execute("PRAGMA integrity_check(3)").fetchall()
            pointing_nowhere = connection.execute("PRAGMA foreign_key_check").fetchall()
    except sqlite3.Error as error:
        raise BackupError(f"The database of the backup cannot be read ({error}).") from None
    if said != [("ok",)]:
        raise BackupError(f"The database of the backup is damaged: {said[0][0]}.")
    if pointing_nowhere:
        raise BackupError(f"The database of the backup has rows that point nowhere ({len(pointing_nowhere)}).")
    if backup.schema > HEAD:
        raise BackupError(
            f"The backup's schema is {backup.schema}, this program knows {HEAD} at most. Install the newer Estafette."
        )


def that_do_not_replay(store: Store) -> tuple[int, dict[str, str]]:
    """How many matches are being played, and those whose moves no longer lead to their position, with the reason."""
    broken = {}
    with store.reading() as session:
        playing = [match.id for match in queries.matches.with_status(session, "running", "paused", limit=10_000_000)]
        for match_id in playing:
            match = table.match_row(session, match_id)
            try:
                replayed(session, match, table.seat_rows(session, match_id))  # type: ignore[arg-type]
            except (Diverged, KeyError) as error:
                broken[match_id] = str(error)
    return len(playing), broken


def checked(backup: Backup) -> tuple[int, dict[str, str]]:
    """The same for a backup, brought to this program's schema first; its unpacked copy is changed."""
    store = Store(f"sqlite:///{backup.database}")
    try:
        upgrade(store)
        return that_do_not_replay(store)
    except SQLAlchemyError as error:
        raise BackupError(f"The database of the backup cannot be used ({type(error).__name__}).") from None
    finally:
        store.close()


def _sum_of(file: Path) -> str:
    with file.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()

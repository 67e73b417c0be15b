"""Putting a backup back: the old database aside, keys kept, nothing sent twice, and everybody told who lost moves."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Mapping
from contextlib import closing, suppress
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from sqlalchemy import Row, update
from sqlmodel import Session

from db import queries, table
from db.copying import copy_rows
from db.engine import Store
from db.migrate import current, upgrade
from db.models import Player
from db.turns import DatabaseBusy, InUse
from server import standstill
from server.backups import Backup, BackupError, key_file
from server.config import Settings
from server.push import KEY_FILE as PUSH_KEY
from server.seats import post_to
from server.service import SEEN_KEY, TICK_KEY

_LEAP = 1_000
"""Counters that links name go on so far behind what may have been used since the backup."""


@dataclass(frozen=True)
class Known:
    """What the exchanged database knew: how far each match was, and which letters had left."""

    revisions: Mapping[str, int]
    left: frozenset[str]
    """Their occasions."""


@dataclass
class Restored:
    """What was done, for the operator."""

    aside: Path | None = None
    set_back: list[str] = field(default_factory=list)
    gone: list[str] = field(default_factory=list)
    letters_dropped: int = 0
    keys_added: int = 0


def put_back(settings: Settings, backup: Backup, now: datetime) -> Restored:
    """Make a checked backup the database of this instance. Raises BackupError; then nothing has changed."""
    done = Restored()
    if settings.database_url.startswith("sqlite"):
        known = _exchange(settings, backup, now, done)
    else:
        known = None
        _fill(settings, backup)
    done.keys_added = _keep_keys(settings, backup)
    _go_on_with_its_push_key(settings, backup)
    store = Store(settings.database_url)
    try:
        with store.writing() as session:
            _after(session, backup, known, now, done)
    finally:
        store.close()
    return done


# The file, or the rows


def _exchange(settings: Settings, backup: Backup, now: datetime, done: Restored) -> Known | None:
    """The backup's file in place of the present one, in one step; that one is kept beside it."""
    file = Path(settings.database_url.removeprefix("sqlite:///"))
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    try:
        alone = InUse(file, alone=True)
    except DatabaseBusy:
        raise BackupError(
            f"A process of Estafette uses {file}. Stop it first (systemctl stop estafette), then try again."
        ) from None
    with closing(alone):
        known = known_by(file)
        if file.exists():
            done.aside = _set_aside(file, now)
        ready = file.with_name(f".{file.name}-restored")
        ready.write_bytes(b"")
        ready.chmod(0o600)
        with closing(sqlite3.connect(backup.database)) as source, closing(sqlite3.connect(ready)) as target:
            source.backup(target)
        os.replace(ready, file)
    return known


def _set_aside(file: Path, now: datetime) -> Path:
    with suppress(sqlite3.Error), closing(sqlite3.connect(file, timeout=5)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    aside = file.with_name(f"{file.name}.before-restore-{now:%Y%m%dT%H%M%SZ}")
    os.link(file, aside)
    for more in ("-wal", "-shm"):  # of a file that could not be read: they belong to it
        with suppress(FileNotFoundError):
            os.rename(f"{file}{more}", f"{aside}{more}")
    return aside


def _fill(settings: Settings, backup: Backup) -> None:
    target = Store(settings.database_url)
    source = Store(f"sqlite:///{backup.database}")
    try:
        if current(target) is not None:
            raise BackupError(
                "On PostgreSQL a backup goes into an empty database, so that the old one stays. "
                "Make one (createdb estafette2), name it in ESTAFETTE_DATABASE_URL, and try again."
            )
        upgrade(target)
        copy_rows(source, target)
    finally:
        source.close()
        target.close()


def _keep_keys(settings: Settings, backup: Backup) -> int:
    """Links signed with the backup's keys go on working, behind the keys of now; how many came in."""
    missing = [key for key in backup.keys if key not in settings.secret_keys]
    if missing:
        write_keys(key_file(settings), (*settings.secret_keys, *missing))
    return len(missing)


def _go_on_with_its_push_key(settings: Settings, backup: Backup) -> None:
    """The browsers of the backup's players listen to nobody else."""
    if backup.push_key and settings.push_key is None and settings.database_url.startswith("sqlite"):
        write_keys(settings.data / PUSH_KEY, (backup.push_key,))


def write_keys(file: Path, keys: tuple[str, ...]) -> None:
    """Whole or not at all, for the owner alone."""
    draft = file.with_name(f".{file.name}-new")
    with os.fdopen(os.open(draft, os.O_CREAT | os.O_WRONLY | os.O_TRUNC, 0o600), "w", encoding="ascii") as written:
        written.write("".join(f"{key}\n" for key in keys))
        written.flush()
        os.fsync(written.fileno())
    os.replace(draft, file)


def known_by(file: Path) -> Known | None:
    """What a database file tells before it is exchanged; None if it cannot be read."""
    if not file.exists():
        return None
    try:
        with closing(sqlite3.connect(f"file:{file}?mode=ro", uri=True, timeout=5)) as connection:
            revisions = dict(connection.execute("SELECT id, revision FROM match"))
            left = connection.execute("SELECT occasion FROM letter WHERE state IN ('sent', 'unknown', 'claimed')")
            return Known(revisions, frozenset(occasion for (occasion,) in left))
    except sqlite3.Error:
        return None


# What follows


def _after(session: Session, backup: Backup, known: Known | None, now: datetime, done: Restored) -> None:
    """The world has gone on since the backup: mails are out, links were used, deadlines have passed."""
    done.letters_dropped = _drop_what_left(session, known)
    queries.calls.drop_all(session, why="it may have been told before the backup was put back")
    session.execute(update(Player).values(logins=Player.logins + _LEAP))  # a sign-in link works once
    playing = queries.matches.with_status(session, "running", "paused", "finished", limit=10_000_000)
    for match in playing:
        before = known.revisions.get(match.id) if known else None
        if match.status == "finished" or before == match.revision:
            continue
        _set_back(session, match.id, before, now)
        done.set_back.append(match.id)
    if known:
        restored = {match.id for match in queries.matches.with_status(session, *_EVERY, limit=10_000_000)}
        done.gone = sorted(set(known.revisions) - restored)
    _give_time_back(session, backup, now, lost=bool(done.set_back))
    why = f"made at {backup.made_at:%Y-%m-%d %H:%M} UTC; {len(done.set_back)} matches were set back"
    table.note(session, now, "operator", "a backup was put back", why=why)


_EVERY = ("open", "running", "paused", "finished", "aborted", "frozen")


def _give_time_back(session: Session, backup: Backup, now: datetime, *, lost: bool) -> None:
    """Where moves were lost, every clock stands where it stood; the next worker does not give the time once more."""
    if lost and standstill.stopped_since(session) is None:
        standstill.give_back(session, backup.made_at, now)
    for key in (TICK_KEY, SEEN_KEY):
        queries.world.put(session, key, now.isoformat())


def _drop_what_left(session: Session, known: Known | None) -> int:
    """Letters that waited when the backup was made, and may be out since, are not sent again."""
    dropped = 0
    for letter in queries.letters.unsent(session):
        if known is None or letter.occasion in known.left:
            letter.state = "dropped"
            letter.why = "it may have been sent before the backup was put back"
            session.add(letter)
            dropped += 1
    session.flush()
    return dropped


def _set_back(session: Session, match_id: str, before: int | None, now: datetime) -> None:
    """Moves are lost: no old link fits a later question, and everybody is told."""
    match = table.match_row(session, match_id, locked=True)
    assert match is not None
    revision = max(before or 0, match.revision) + _LEAP
    session.execute(table.MATCH.update().where(table.MATCH.c.id == match_id).values(revision=revision))
    for seat in table.seat_rows(session, match_id):
        if seat.player_id:
            _tell(session, match, seat, revision, now)
    table.note(session, now, "server", "moves were lost: a backup was put back", match_id=match_id)


def _tell(session: Session, match: Row[Any], seat: Row[Any], revision: int, now: datetime) -> None:
    of = f"{match.id}/{seat.number}/{seat.tenure}/restored/{revision}"
    post_to(session, "notice", seat, now, occasion=f"notice/{of}", data={"about": "restored"})
    if match.status == "running" and seat.asked is not None and not seat.answered:
        post_to(session, "turn", seat, now, occasion=f"turn/{of}", asked=seat.asked)

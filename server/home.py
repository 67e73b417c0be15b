"""Where a database is at home: a copy of it, on another machine or for another address, sends no mail.

A second server with last night's data would write to every player again. So the database knows for which public
address and in which place it was last used; elsewhere nothing leaves until an operator says `estafette moved`.
"""

from __future__ import annotations

import hashlib
import json
import socket
import time
from datetime import datetime
from pathlib import Path
from typing import Final

from sqlalchemy import text
from sqlalchemy.exc import DBAPIError
from sqlmodel import Session

from db import queries, table
from db.engine import Store
from server.service import Service

HOME_KEY: Final = "home"
COPIED_KEY: Final = "copied"
"""Set in every backup, so it holds wherever and however that is put to use."""

_LOOK_EVERY = 5.0  # seconds
_MACHINE_ID = Path("/etc/machine-id")


class Home:
    """Whether mail may leave from here, asked often and looked up rarely."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self._looked_at = -_LOOK_EVERY
        self._why = ""

    def why_silent(self) -> str:
        """Why no mail leaves from here; empty if it may."""
        if self._service.settings.mail_leaves and time.monotonic() - self._looked_at >= _LOOK_EVERY:
            self._why = why_silent(self._service)
            self._looked_at = time.monotonic()
        return self._why


def why_silent(service: Service) -> str:
    """As things stand now."""
    return why_not_at_home(service) if service.settings.mail_leaves else ""


def why_not_at_home(service: Service) -> str:
    """Why this is a copy. Without any note of a home nothing speaks against this one."""
    with service.store.reading() as session:
        copied, known = queries.world.value(session, COPIED_KEY), queries.world.value(session, HOME_KEY)
        here = _here(service, session)
    if copied:
        return f"This database was put back from the backup of {copied}."
    if known is None:
        return ""
    home = json.loads(known)
    if home["url"] != here["url"]:
        return f"This database belongs to {home['url']}, and the public address here is {here['url']}."
    if home["place"] != here["place"]:
        return f"This database was last used on {home['host']} as {home['database']}, and this is another place."
    return ""


def move_in(service: Service, now: datetime, *, who: str) -> None:
    """Be at home here from now on: mail leaves."""
    with service.store.writing() as session:
        _note_home(service, session)
        queries.world.drop(session, COPIED_KEY)
        table.note(session, now, who, "mail leaves from here now", why=service.settings.public_url)


def move_in_if_new(service: Service) -> None:
    """A database that was never used for real mail is at home where that begins."""
    if not service.settings.mail_leaves:
        return
    with service.store.reading() as session:
        known = queries.world.value(session, HOME_KEY) or queries.world.value(session, COPIED_KEY)
    if known is None:
        with service.store.writing() as session:
            _note_home(service, session)


def _note_home(service: Service, session: Session) -> None:
    queries.world.put(session, HOME_KEY, json.dumps(_here(service, session)))


def _here(service: Service, session: Session) -> dict[str, str]:
    database = _database(service.store, session)
    return {
        "url": service.settings.public_url,
        "place": database if not service.store.is_sqlite else f"{_machine()} {database}",
        "host": socket.gethostname(),
        "database": database,
    }


def _database(store: Store, session: Session) -> str:
    """PostgreSQL's cluster has a number of its own, which a dump does not take along."""
    if store.is_sqlite:
        return str(Path(store.url.database or "").resolve())
    name = str(session.execute(text("SELECT current_database() || '/' || current_schema()")).scalar())
    try:
        with session.begin_nested():
            number = session.execute(text("SELECT system_identifier FROM pg_control_system()")).scalar()
    except DBAPIError:  # a host that does not tell
        return name
    return f"{name} of {number}"


def _machine() -> str:
    """The machine's own number if it has one, else its name; not to be shown as it is, says machine-id(5)."""
    try:
        number = _MACHINE_ID.read_text(encoding="ascii").strip()
    except (OSError, UnicodeDecodeError):
        number = ""
    return hashlib.sha256(f"estafette {number or socket.gethostname()}".encode()).hexdigest()[:16]

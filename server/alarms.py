"""What an operator has to hear of at once: by mail, besides the line in the log of events."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from sqlmodel import Session

from db import queries
from emails.outbox import post


def tell_operators(
    session: Session, admins: Iterable[str], about: str, *, of: str, data: dict[str, Any], now: datetime
) -> None:
    """A notice to each of the admins' addresses; once for each `of`."""
    for address in admins:
        admin = queries.players.for_address(session, address, name="Operator", now=now)
        occasion = f"alarm/{about}/{admin.id}/{of}"
        post(session, "notice", occasion=occasion, player_id=admin.id, data={"about": about, **data}, now=now)

"""A database as the first landed schema left it, with a match of each game and an open link of each."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from alembic import command
from sqlalchemy import JSON, Boolean, DateTime, MetaData

from db.engine import Store
from db.migrate import alembic_config

ROWS = Path(__file__).parent.parent / "records" / "schema-0001.json"


def build_first_schema(url: str) -> dict[str, str]:
    """Into an empty database; the tokens of the open links by match."""
    told = json.loads(ROWS.read_text(encoding="utf-8"))
    store = Store(url)
    with store.rebuilding() as connection:
        command.upgrade(alembic_config(connection), told["schema"])
        then = MetaData()
        then.reflect(connection)
        for table in then.sorted_tables:
            rows = [
                {name: _as_then(table.c[name].type, value) for name, value in row.items()}
                for row in told["rows"].get(table.name, ())
            ]
            if rows:
                connection.execute(table.insert(), rows)
    store.close()
    links: dict[str, str] = told["links"]
    return links


def _as_then(kind: Any, value: Any) -> Any:
    if value is None:
        return None
    if isinstance(kind, DateTime):
        return datetime.fromisoformat(value).replace(tzinfo=UTC)
    if isinstance(kind, JSON):
        return json.loads(value)
    return bool(value) if isinstance(kind, Boolean) else value

"""Alembic's entry: runs on the connection that `db.migrate` hands over, inside its transaction."""

from typing import Any, Literal

from alembic import context
from sqlalchemy import inspect
from sqlmodel import AutoString

from db.columns import Instant, Json, Span
from db.models import Row


def _plain(kind: str, item: Any, _context: Any) -> str | Literal[False]:
    """Column types as a migration writes them: it must read the same when the models have long changed."""
    if kind == "type":
        for ours, theirs in (
            (AutoString, "sa.String()"),
            (Instant, "sa.DateTime(timezone=True)"),
            (Span, "sa.BigInteger()"),
            (Json, "sa.JSON()"),
        ):
            if isinstance(item, ours):
                return theirs
    return False


connection = context.config.attributes["connection"]
context.configure(
    connection=connection,
    target_metadata=Row.metadata,
    render_item=_plain,
    render_as_batch=inspect(connection).has_table("alembic_version"),
    transactional_ddl=True,
    compare_type=True,
)
context.run_migrations()

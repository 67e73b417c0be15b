"""Indexes for what would take longer with every player, match and mail."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision: str = "0009"
down_revision: str | None = "0008"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

_PARTIAL = (
    ("player", "paused_at", "paused_at IS NOT NULL"),
    ("seat", "asked_at", "asked IS NOT NULL AND due_at IS NULL"),
    ("inbound_mail", "received_at", "length(raw) > 0"),
)


def upgrade() -> None:
    op.create_index(op.f("ix_player_name_id"), "player", ["name", "id"])
    for table, column, where in _PARTIAL:
        op.create_index(
            op.f(f"ix_{table}_{column}"),
            table,
            [column],
            sqlite_where=sa.text(where),
            postgresql_where=sa.text(where),
        )

"""Matches that anybody may join, that begin on a date, and that are the same again."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision: str = "0007"
down_revision: str | None = "0006"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None


def upgrade() -> None:
    with op.batch_alter_table("match") as match:
        match.add_column(sa.Column("public", sa.Boolean(), nullable=False, server_default=sa.false()))
        match.add_column(sa.Column("round", sa.Integer(), nullable=False, server_default="1"))
        match.add_column(sa.Column("starts_at", sa.DateTime(timezone=True), nullable=True))
        match.add_column(sa.Column("again_of", sa.String(), nullable=True))
    op.create_index(
        op.f("ix_match_starts_at"),
        "match",
        ["starts_at"],
        sqlite_where=sa.text("starts_at IS NOT NULL"),
        postgresql_where=sa.text("starts_at IS NOT NULL"),
    )
    op.create_index(
        "uq_match_again_of",
        "match",
        ["again_of"],
        unique=True,
        sqlite_where=sa.text("again_of IS NOT NULL"),
        postgresql_where=sa.text("again_of IS NOT NULL"),
    )

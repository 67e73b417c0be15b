"""What players mean to answer and have not answered yet."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision: str = "0014"
down_revision: str | None = "0013"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None


def upgrade() -> None:
    op.create_table(
        "draft",
        sa.Column("match_id", sa.String(), nullable=False),
        sa.Column("player_id", sa.String(), nullable=False),
        sa.Column("stamp", sa.String(), nullable=False),
        sa.Column("text", sa.String(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["match_id"], ["match.id"], name=op.f("fk_draft_match_id_match")),
        sa.ForeignKeyConstraint(["player_id"], ["player.id"], name=op.f("fk_draft_player_id_player")),
        sa.PrimaryKeyConstraint("match_id", "player_id", name=op.f("pk_draft")),
    )
    op.create_index(op.f("ix_draft_player_id"), "draft", ["player_id"])

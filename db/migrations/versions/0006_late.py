"""Whose lateness ended a match is booked on their seat."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision: str = "0006"
down_revision: str | None = "0005"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None


def upgrade() -> None:
    op.add_column("seat", sa.Column("late_at", sa.DateTime(timezone=True), nullable=True))

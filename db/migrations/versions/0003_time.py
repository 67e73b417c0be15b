"""Clocks, own hours, vacations, votes, answers prepared, substitutes."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision: str = "0003"
down_revision: str | None = "0002"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None


def upgrade() -> None:
    with op.batch_alter_table("player") as player:
        player.add_column(sa.Column("hours", sa.JSON(), nullable=True))
        player.add_column(sa.Column("away", sa.JSON(), nullable=True))
        player.add_column(sa.Column("reminders", sa.String(), nullable=True))
    with op.batch_alter_table("seat") as seat:
        seat.add_column(sa.Column("time_given", sa.BigInteger(), nullable=True))
        seat.add_column(sa.Column("time_left", sa.BigInteger(), nullable=True))
        seat.add_column(sa.Column("runs_since", sa.DateTime(timezone=True), nullable=True))
        seat.add_column(sa.Column("bank", sa.BigInteger(), nullable=True))
        seat.add_column(sa.Column("overdue_at", sa.DateTime(timezone=True), nullable=True))
        seat.add_column(sa.Column("play_at", sa.DateTime(timezone=True), nullable=True))
        seat.add_column(sa.Column("lent_by", sa.String(), nullable=True))
        seat.add_column(sa.Column("lent_until", sa.DateTime(timezone=True), nullable=True))
        seat.add_column(sa.Column("offered_to", sa.String(), nullable=True))
        seat.create_foreign_key(op.f("fk_seat_lent_by"), "player", ["lent_by"], ["id"])
        seat.create_foreign_key(op.f("fk_seat_offered_to"), "player", ["offered_to"], ["id"])
    for column in ("play_at", "lent_until"):
        op.create_index(
            op.f(f"ix_seat_{column}"),
            "seat",
            [column],
            unique=False,
            sqlite_where=sa.text(f"{column} IS NOT NULL"),
            postgresql_where=sa.text(f"{column} IS NOT NULL"),
        )
    op.execute(
        "UPDATE seat SET time_given = 0, time_left = 0, runs_since = due_at "
        "WHERE due_at IS NOT NULL AND player_id IS NOT NULL"
    )
    with op.batch_alter_table("move", table_kwargs={"sqlite_with_rowid": False}) as move:
        move.add_column(sa.Column("player_id", sa.String(), nullable=True))
        move.add_column(sa.Column("took", sa.BigInteger(), nullable=True))
        move.add_column(sa.Column("late", sa.Boolean(), nullable=False, server_default=sa.false()))
        move.create_foreign_key(op.f("fk_move_player_id"), "player", ["player_id"], ["id"])
    op.create_index(
        op.f("ix_move_player_id_at"),
        "move",
        ["player_id", "at"],
        unique=False,
        sqlite_where=sa.text("player_id IS NOT NULL"),
        postgresql_where=sa.text("player_id IS NOT NULL"),
    )
    op.create_table(
        "prepared",
        sa.Column("match_id", sa.String(), nullable=False),
        sa.Column("seat", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("tenure", sa.Integer(), nullable=False),
        sa.Column("text", sa.String(), nullable=False),
        sa.Column("standing", sa.Boolean(), nullable=False),
        sa.Column("wait", sa.BigInteger(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["match_id"], ["match.id"], name=op.f("fk_prepared_match_id")),
        sa.PrimaryKeyConstraint("match_id", "seat", "kind", name=op.f("pk_prepared")),
    )
    op.create_table(
        "ballot",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("match_id", sa.String(), nullable=False),
        sa.Column("what", sa.String(), nullable=False),
        sa.Column("why", sa.String(), nullable=False),
        sa.Column("hours", sa.Float(), nullable=True),
        sa.Column("for_seat", sa.Integer(), nullable=True),
        sa.Column("by_seat", sa.Integer(), nullable=False),
        sa.Column("opened_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("until", sa.DateTime(timezone=True), nullable=False),
        sa.Column("settled_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("carried", sa.Boolean(), nullable=True),
        sa.ForeignKeyConstraint(["match_id"], ["match.id"], name=op.f("fk_ballot_match_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_ballot")),
    )
    op.create_index(op.f("ix_ballot_match_id"), "ballot", ["match_id"], unique=False)
    op.create_index(
        op.f("ix_ballot_until"),
        "ballot",
        ["until"],
        unique=False,
        sqlite_where=sa.text("settled_at IS NULL"),
        postgresql_where=sa.text("settled_at IS NULL"),
    )
    op.create_index(
        "uq_ballot_open",
        "ballot",
        ["match_id", "what"],
        unique=True,
        sqlite_where=sa.text("settled_at IS NULL"),
        postgresql_where=sa.text("settled_at IS NULL"),
    )
    op.create_table(
        "vote",
        sa.Column("ballot_id", sa.String(), nullable=False),
        sa.Column("seat", sa.Integer(), nullable=False),
        sa.Column("tenure", sa.Integer(), nullable=False),
        sa.Column("yes", sa.Boolean(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["ballot_id"], ["ballot.id"], name=op.f("fk_vote_ballot_id")),
        sa.PrimaryKeyConstraint("ballot_id", "seat", name=op.f("pk_vote")),
    )
    op.create_table(
        "standby",
        sa.Column("player_id", sa.String(), nullable=False),
        sa.Column("game", sa.String(), nullable=False),
        sa.Column("since", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["player_id"], ["player.id"], name=op.f("fk_standby_player_id")),
        sa.PrimaryKeyConstraint("player_id", "game", name=op.f("pk_standby")),
    )

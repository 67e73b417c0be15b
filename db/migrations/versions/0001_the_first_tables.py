"""The first tables."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision: str = "0001"
down_revision: str | None = None
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None


def upgrade() -> None:
    op.create_table(
        "player",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("email", sa.String(), nullable=False),
        sa.Column("email_key", sa.String(), nullable=False),
        sa.Column("language", sa.String(), nullable=False),
        sa.Column("zone", sa.String(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("paused_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("paused_why", sa.String(), nullable=True),
        sa.Column("email_since", sa.DateTime(timezone=True), nullable=True),
        sa.Column("new_email", sa.String(), nullable=True),
        sa.Column("rhythm", sa.String(), nullable=False),
        sa.Column("rhythm_minutes", sa.Integer(), nullable=False),
        sa.Column("rhythm_hour", sa.Integer(), nullable=False),
        sa.Column("mute_all", sa.Boolean(), nullable=False),
        sa.Column("mute_reminders", sa.Boolean(), nullable=False),
        sa.Column("links_epoch", sa.Integer(), nullable=False),
        sa.Column("logins", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_player")),
        sa.UniqueConstraint("email_key", name=op.f("uq_player_email_key")),
    )
    op.create_table(
        "inbound_mail",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("hash", sa.String(), nullable=False),
        sa.Column("message_key", sa.String(), nullable=True),
        sa.Column("raw", sa.LargeBinary(), nullable=False),
        sa.Column("envelope_to", sa.String(), nullable=True),
        sa.Column("envelope_from", sa.String(), nullable=True),
        sa.Column("received_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("player_id", sa.String(), nullable=True),
        sa.Column("why", sa.String(), nullable=True),
        sa.ForeignKeyConstraint(["player_id"], ["player.id"], name=op.f("fk_inbound_mail_player_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_inbound_mail")),
        sa.UniqueConstraint("hash", name=op.f("uq_inbound_mail_hash")),
        sa.UniqueConstraint("message_key", name=op.f("uq_inbound_mail_message_key")),
    )
    op.create_index(op.f("ix_inbound_mail_player_id"), "inbound_mail", ["player_id"], unique=False)
    op.create_index(op.f("ix_inbound_mail_state_received_at"), "inbound_mail", ["state", "received_at"], unique=False)
    op.create_table(
        "bounce",
        sa.Column("player_id", sa.String(), nullable=False),
        sa.Column("day", sa.String(), nullable=False),
        sa.Column("status", sa.String(), nullable=False),
        sa.Column("why", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(["player_id"], ["player.id"], name=op.f("fk_bounce_player_id")),
        sa.PrimaryKeyConstraint("player_id", "day", name=op.f("pk_bounce")),
    )
    op.create_table(
        "world",
        sa.Column("key", sa.String(), nullable=False),
        sa.Column("value", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("key", name=op.f("pk_world")),
    )
    op.create_table(
        "api_key",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("key_hash", sa.String(), nullable=False),
        sa.Column("player_id", sa.String(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("revoked_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(["player_id"], ["player.id"], name=op.f("fk_api_key_player_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_api_key")),
        sa.UniqueConstraint("key_hash", name=op.f("uq_api_key_key_hash")),
    )
    op.create_index(op.f("ix_api_key_player_id"), "api_key", ["player_id"], unique=False)
    op.create_table(
        "match",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("game", sa.String(), nullable=False),
        sa.Column("edition", sa.String(), nullable=False),
        sa.Column("rules", sa.String(), nullable=False),
        sa.Column("options", sa.JSON(), nullable=False),
        sa.Column("seed", sa.String(), nullable=False),
        sa.Column("commitment", sa.String(), nullable=False),
        sa.Column("pace", sa.JSON(), nullable=False),
        sa.Column("status", sa.String(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("question", sa.Integer(), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("host_id", sa.String(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("started_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("finished_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("outcome", sa.JSON(), nullable=True),
        sa.Column("frozen_why", sa.String(), nullable=True),
        sa.ForeignKeyConstraint(["host_id"], ["player.id"], name=op.f("fk_match_host_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_match")),
    )
    op.create_index(op.f("ix_match_host_id"), "match", ["host_id"], unique=False)
    op.create_index(op.f("ix_match_status_created_at"), "match", ["status", "created_at"], unique=False)
    op.create_table(
        "event",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("match_id", sa.String(), nullable=True),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("who", sa.String(), nullable=False),
        sa.Column("what", sa.String(), nullable=False),
        sa.Column("why", sa.String(), nullable=True),
        sa.ForeignKeyConstraint(["match_id"], ["match.id"], name=op.f("fk_event_match_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_event")),
    )
    op.create_index(op.f("ix_event_at"), "event", ["at"], unique=False)
    op.create_index(op.f("ix_event_match_id"), "event", ["match_id"], unique=False)
    op.create_table(
        "letter",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("player_id", sa.String(), nullable=True),
        sa.Column("address", sa.String(), nullable=True),
        sa.Column("match_id", sa.String(), nullable=True),
        sa.Column("seat", sa.Integer(), nullable=True),
        sa.Column("tenure", sa.Integer(), nullable=True),
        sa.Column("asked", sa.Integer(), nullable=True),
        sa.Column("occasion", sa.String(), nullable=False),
        sa.Column("data", sa.JSON(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("send_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("unknown", sa.Integer(), nullable=False),
        sa.Column("last_status", sa.Integer(), nullable=True),
        sa.Column("last_answer", sa.String(), nullable=True),
        sa.Column("message_id", sa.String(), nullable=True),
        sa.Column("sent_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("why", sa.String(), nullable=True),
        sa.ForeignKeyConstraint(["match_id"], ["match.id"], name=op.f("fk_letter_match_id")),
        sa.ForeignKeyConstraint(["player_id"], ["player.id"], name=op.f("fk_letter_player_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_letter")),
        sa.UniqueConstraint("occasion", name=op.f("uq_letter_occasion")),
    )
    op.create_index(op.f("ix_letter_match_id_seat"), "letter", ["match_id", "seat"], unique=False)
    op.create_index(op.f("ix_letter_player_id_created_at"), "letter", ["player_id", "created_at"], unique=False)
    op.create_index(op.f("ix_letter_state_send_at"), "letter", ["state", "send_at"], unique=False)
    op.create_table(
        "move",
        sa.Column("match_id", sa.String(), nullable=False),
        sa.Column("question", sa.Integer(), nullable=False),
        sa.Column("seat", sa.Integer(), nullable=False),
        sa.Column("text", sa.String(), nullable=False),
        sa.Column("once", sa.String(), nullable=True),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("by", sa.String(), nullable=False),
        sa.Column("shows", sa.Boolean(), nullable=False),
        sa.Column("digest", sa.String(), nullable=True),
        sa.ForeignKeyConstraint(["match_id"], ["match.id"], name=op.f("fk_move_match_id")),
        sa.PrimaryKeyConstraint("match_id", "question", "seat", name=op.f("pk_move")),
        sqlite_with_rowid=False,
    )
    op.create_index(
        "uq_move_once",
        "move",
        ["match_id", "seat", "once"],
        unique=True,
        sqlite_where=sa.text("once IS NOT NULL"),
        postgresql_where=sa.text("once IS NOT NULL"),
    )
    op.create_table(
        "seat",
        sa.Column("match_id", sa.String(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("player_id", sa.String(), nullable=True),
        sa.Column("house", sa.Boolean(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("tenure", sa.Integer(), nullable=False),
        sa.Column("invited_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("accepted_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("muted", sa.Boolean(), nullable=False),
        sa.Column("asked", sa.Integer(), nullable=True),
        sa.Column("asked_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("due_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("remind_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("answered", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(["match_id"], ["match.id"], name=op.f("fk_seat_match_id")),
        sa.ForeignKeyConstraint(["player_id"], ["player.id"], name=op.f("fk_seat_player_id")),
        sa.PrimaryKeyConstraint("match_id", "number", name=op.f("pk_seat")),
    )
    op.create_index(
        op.f("ix_seat_due_at"),
        "seat",
        ["due_at"],
        unique=False,
        sqlite_where=sa.text("due_at IS NOT NULL"),
        postgresql_where=sa.text("due_at IS NOT NULL"),
    )
    op.create_index(op.f("ix_seat_player_id"), "seat", ["player_id"], unique=False)
    op.create_index(
        op.f("ix_seat_player_id_due_at"),
        "seat",
        ["player_id", "due_at"],
        unique=False,
        sqlite_where=sa.text("asked IS NOT NULL"),
        postgresql_where=sa.text("asked IS NOT NULL"),
    )
    op.create_index(
        op.f("ix_seat_remind_at"),
        "seat",
        ["remind_at"],
        unique=False,
        sqlite_where=sa.text("remind_at IS NOT NULL"),
        postgresql_where=sa.text("remind_at IS NOT NULL"),
    )
    op.create_table(
        "mailbox_mail",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("letter_id", sa.String(), nullable=True),
        sa.Column("to_address", sa.String(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("match_id", sa.String(), nullable=True),
        sa.Column("message_id", sa.String(), nullable=False),
        sa.Column("raw", sa.LargeBinary(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["letter_id"], ["letter.id"], name=op.f("fk_mailbox_mail_letter_id")),
        sa.ForeignKeyConstraint(["match_id"], ["match.id"], name=op.f("fk_mailbox_mail_match_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_mailbox_mail")),
        sa.UniqueConstraint("message_id", name=op.f("uq_mailbox_mail_message_id")),
    )
    op.create_index(op.f("ix_mailbox_mail_letter_id"), "mailbox_mail", ["letter_id"], unique=False)
    op.create_index(op.f("ix_mailbox_mail_match_id"), "mailbox_mail", ["match_id"], unique=False)
    op.create_index(op.f("ix_mailbox_mail_to_address"), "mailbox_mail", ["to_address"], unique=False)

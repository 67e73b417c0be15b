"""All that is known of a person: to show it to them, and to forget it."""

from datetime import datetime
from typing import Any

from sqlalchemy import Table, delete, or_, select, tuple_, update
from sqlmodel import Session, col

from db.models import (
    ApiKey,
    Bounce,
    Call,
    Channel,
    Device,
    Draft,
    InboundMail,
    Letter,
    MailboxMail,
    Note,
    Passkey,
    Player,
    Remark,
    Row,
    Seat,
    SignIn,
    Standby,
)
from db.queries import channels, letters, players
from db.statements import rows_changed, table_of

_KEPT_BACK = frozenset({"seed", "commitment", "digest", "key_hash", "public_key", "email_key", "secret"})
"""What rows about a person hold that is a secret of the match or of ours."""

_OF_A_SEAT = frozenset({"match_id", "seat", "tenure"})


def everything_about(session: Session, player_id: str) -> dict[str, list[dict[str, Any]]]:
    """{table: rows} of all that points to this person, and of what they keep at the seats that they hold."""
    found: dict[str, list[dict[str, Any]]] = {}
    for table in Row.metadata.sorted_tables:
        whose = _whose(table, player_id)
        if whose is None:
            continue
        columns = [column for column in table.c if column.name not in _KEPT_BACK]
        rows = session.execute(select(*columns).where(whose).order_by(*table.primary_key)).mappings()
        found[table.name] = [dict(row) for row in rows]
    return found


def _whose(table: Table, player_id: str) -> Any:
    """Which rows of a table are about a person; None if none can be."""
    players = table_of(Player)
    if table is players:
        return players.c.id == player_id
    pointing = [column for column in table.c if any(key.column.table is players for key in column.foreign_keys)]
    if pointing:
        return or_(*(column == player_id for column in pointing))
    if set(table.c.keys()) >= _OF_A_SEAT:
        held = select(col(Seat.match_id), col(Seat.number), col(Seat.tenure)).where(col(Seat.player_id) == player_id)
        return tuple_(table.c.match_id, table.c.seat, table.c.tenure).in_(held)
    return None


def forget(session: Session, player_id: str, now: datetime) -> None:
    """Remove what is known of a person; rows that matches need stay, without a name or an address."""
    known = players.by_id(session, player_id)
    address = known.email if known else ""
    blank = {name: Player.model_fields[name].default for name in ("language", "zone", "hours", "away", "reminders")}
    nobody = {
        "name": "Somebody",
        "email": "",
        "email_key": f"forgotten {player_id}",
        "new_email": None,
        "paused_why": None,
        "mute_all": True,
    }
    session.execute(
        update(Player)
        .where(col(Player.id) == player_id)
        .values(**nobody, **blank, links_epoch=col(Player.links_epoch) + 1)
    )
    session.execute(update(ApiKey).where(col(ApiKey.player_id) == player_id).values(revoked_at=now))
    session.execute(update(Seat).where(col(Seat.player_id) == player_id).values(name="Somebody"))
    session.execute(delete(Call).where(col(Call.channel_id).in_(channels.ids_of_player(player_id))))
    for model in (Bounce, Channel, Device, Draft, Note, Passkey, Remark, SignIn, Standby):
        session.execute(delete(model).where(table_of(model).c.player_id == player_id))
    session.execute(delete(MailboxMail).where(col(MailboxMail.to_address) == address))
    session.execute(
        update(InboundMail)
        .where(col(InboundMail.player_id) == player_id)
        .values(raw=b"", envelope_to=None, envelope_from=None, player_id=None)
    )
    rows_changed(
        session,
        update(Letter)
        .where(col(Letter.player_id) == player_id, col(Letter.state).in_(letters.UNSENT))
        .values(state="dropped", why="the person was forgotten"),
    )
    session.execute(
        update(Letter).where(col(Letter.player_id) == player_id).values(address=None, data={}, last_answer=None)
    )

"""How people and programs come in: by mail, on known devices, with passkeys and keys."""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import delete, select, true, update
from sqlmodel import Session, col

from db.models import ApiKey, Device, Passkey, Player, SignIn
from db.statements import changed, insert_once, rows_changed


def sign_in_of(session: Session, player_id: str) -> SignIn | None:
    return session.get(SignIn, player_id, with_for_update=True)


def device_with_player(session: Session, device_id: str) -> tuple[Device, Player] | None:
    """None if it was signed out."""
    found = session.execute(
        select(Device, Player).join(Player, col(Player.id) == col(Device.player_id)).where(col(Device.id) == device_id)
    ).first()
    return (found[0], found[1]) if found else None


def devices_of(session: Session, player_id: str) -> Sequence[Device]:
    """Where this person is signed in, the last seen first."""
    return session.scalars(
        select(Device)
        .where(col(Device.player_id) == player_id)
        .order_by(col(Device.seen_at).desc(), col(Device.created_at).desc())
    ).all()


def see_device(session: Session, device_id: str, now: datetime) -> None:
    rows_changed(session, update(Device).where(col(Device.id) == device_id).values(seen_at=now))


def end_device(session: Session, player_id: str, device_id: str) -> bool:
    """False if this person is not signed in there."""
    return changed(session, delete(Device).where(col(Device.id) == device_id, col(Device.player_id) == player_id))


def end_devices(session: Session, player_id: str, *, but: str | None = None) -> int:
    """Sign a person out everywhere, or everywhere but there."""
    kept = col(Device.id) != but if but else true()
    return rows_changed(session, delete(Device).where(col(Device.player_id) == player_id, kept))


def forget_devices(session: Session, before: datetime) -> int:
    """Those signed in before then, whose cookies are too old to be worth anything."""
    return rows_changed(session, delete(Device).where(col(Device.created_at) < before))


def passkeys_of(session: Session, player_id: str) -> Sequence[Passkey]:
    """The oldest first."""
    return session.scalars(
        select(Passkey).where(col(Passkey.player_id) == player_id).order_by(col(Passkey.created_at), col(Passkey.id))
    ).all()


def passkey_locked(session: Session, passkey_id: str) -> Passkey | None:
    return session.get(Passkey, passkey_id, with_for_update=True)


def add_passkey(session: Session, passkey: Passkey) -> bool:
    """False if it is somebody's already."""
    return insert_once(session, Passkey, passkey.model_dump())


def drop_passkey(session: Session, player_id: str, passkey_id: str) -> bool:
    """False if it is not this person's."""
    return changed(session, delete(Passkey).where(col(Passkey.id) == passkey_id, col(Passkey.player_id) == player_id))


def api_keys_of(session: Session, player_id: str) -> Sequence[ApiKey]:
    """Those that still work, the newest first."""
    return session.scalars(
        select(ApiKey)
        .where(col(ApiKey.player_id) == player_id, col(ApiKey.revoked_at).is_(None))
        .order_by(col(ApiKey.created_at).desc())
    ).all()


def revoke_api_key(session: Session, player_id: str, key_id: str, now: datetime) -> bool:
    return changed(
        session,
        update(ApiKey)
        .where(col(ApiKey.id) == key_id, col(ApiKey.player_id) == player_id, col(ApiKey.revoked_at).is_(None))
        .values(revoked_at=now),
    )


def live_api_key(session: Session, key_hash: str) -> ApiKey | None:
    return session.scalars(
        select(ApiKey).where(col(ApiKey.key_hash) == key_hash, col(ApiKey.revoked_at).is_(None))
    ).one_or_none()

"""The outbox: letters to be sent, in a worker's hand, and settled."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, get_args

from sqlalchemy import func, select, true, update
from sqlmodel import Session, col

from db.models import Letter, LetterState, Player, new_id
from db.statements import changed, insert_once, rows_changed

UNSENT: tuple[LetterState, ...] = ("waiting", "claimed", "unknown")


def add(session: Session, letter: Letter) -> bool:
    """Put a letter into the outbox. False if its occasion has one already, whoever posted it."""
    return insert_once(session, Letter, letter.model_dump())


def put(session: Session, **columns: Any) -> bool:
    """The same from columns alone: making a model of them would cost more than writing them."""
    return insert_once(session, Letter, {**_BLANK_LETTER, "id": new_id(12), **columns})


_BLANK_LETTER = {name: Letter.model_fields[name].default for name in ("state", "attempts", "unknown")}


def claim(session: Session, now: datetime, *, until: datetime, limit: int = 20) -> list[Letter]:
    """Take due letters for oneself until then; nobody else gets them before. The oldest first.

    A claim that lapsed is due again: its holder died, perhaps after sending, so the Message-ID stays.
    """
    due = (
        select(col(Letter.id))
        .where(col(Letter.state).in_(UNSENT), col(Letter.send_at) <= now)
        .order_by(col(Letter.send_at))
        .limit(limit)
        .with_for_update(skip_locked=True)
    )
    claimed = session.scalars(
        update(Letter)
        .where(col(Letter.id).in_(due))
        .values(state="claimed", send_at=until, attempts=col(Letter.attempts) + 1)
        .returning(Letter),
        execution_options={"synchronize_session": False, "populate_existing": True},
    ).all()
    return sorted(claimed, key=lambda letter: (letter.created_at, letter.kind, letter.id))


def settle(session: Session, letter: Letter, **columns: Any) -> bool:
    """Report how a claimed letter went. False if the claim lapsed and somebody else has it now."""
    return changed(
        session,
        update(Letter)
        .where(
            col(Letter.id) == letter.id,
            col(Letter.state) == "claimed",
            col(Letter.attempts) == letter.attempts,
        )
        .values(**columns),
    )


def drop_of_seat(session: Session, match_id: str, seat: int, *, why: str, kinds: Sequence[str] = ()) -> int:
    """Drop what waits for this seat and is now out of date; how many letters that were."""
    of_kind = col(Letter.kind).in_(kinds) if kinds else true()
    return rows_changed(
        session,
        update(Letter)
        .where(
            col(Letter.match_id) == match_id,
            col(Letter.seat) == seat,
            col(Letter.state).in_(("waiting", "unknown")),
            of_kind,
        )
        .values(state="dropped", why=why),
    )


def look_again(session: Session, player_id: str, now: datetime) -> None:
    """What waits for this person's morning is due now; when it is written, their hours are asked again."""
    rows_changed(
        session,
        update(Letter)
        .where(
            col(Letter.player_id) == player_id,
            col(Letter.state) == "waiting",
            col(Letter.attempts) == 0,
            col(Letter.send_at) > now,
        )
        .values(send_at=now),
    )


def unsent(session: Session) -> Sequence[Letter]:
    """All that have not left for certain."""
    return session.scalars(select(Letter).where(col(Letter.state).in_(UNSENT))).all()


def of_player(session: Session, player_id: str, *, limit: int = 100) -> Sequence[Letter]:
    """The newest first."""
    return session.scalars(
        select(Letter).where(col(Letter.player_id) == player_id).order_by(col(Letter.created_at).desc()).limit(limit)
    ).all()


def of_seat(session: Session, match_id: str, seat: int) -> Sequence[Letter]:
    """The oldest first."""
    return session.scalars(
        select(Letter)
        .where(col(Letter.match_id) == match_id, col(Letter.seat) == seat)
        .order_by(col(Letter.created_at), col(Letter.id))
    ).all()


def by_id(session: Session, letter_id: str) -> Letter | None:
    return session.get(Letter, letter_id)


def newest(session: Session, *states: str, limit: int = 50) -> list[tuple[Letter, Player | None]]:
    """Those whose time to leave came last, each with the person it is for."""
    newest: list[tuple[Letter, Player | None]] = []
    for state in states or get_args(LetterState):  # one state at a time: the index begins with it
        found = session.execute(
            select(Letter, Player)
            .outerjoin(Player, col(Player.id) == col(Letter.player_id))
            .where(col(Letter.state) == state)
            .order_by(col(Letter.send_at).desc())
            .limit(limit)
        )
        newest += [(letter, player) for letter, player in found]
    newest.sort(key=lambda pair: (pair[0].send_at, pair[0].created_at, pair[0].id), reverse=True)
    return newest[:limit]


def retry(session: Session, letter_id: str, now: datetime) -> bool:
    """Let a letter be tried from the beginning; False if it is out, or in a worker's hand."""
    return changed(
        session,
        update(Letter)
        .where(col(Letter.id) == letter_id, col(Letter.state).in_(("waiting", "unknown", "failed", "dropped")))
        .values(state="waiting", send_at=now, attempts=0, unknown=0, why=None),
    )


def drop(session: Session, letter_id: str, *, why: str) -> bool:
    """False if the letter is out, in a worker's hand, or given up already."""
    return changed(
        session,
        update(Letter)
        .where(col(Letter.id) == letter_id, col(Letter.state).in_(("waiting", "unknown")))
        .values(state="dropped", why=why),
    )


def note_return(session: Session, letter_id: str, *, why: str, status: str, given_up: bool) -> None:
    """Write on a letter that it came back."""
    values: dict[str, Any] = {"why": why, "last_answer": status or None}
    if given_up:
        values["state"] = "failed"
    session.execute(
        update(Letter).where(col(Letter.id) == letter_id, col(Letter.state).in_(("sent", "failed"))).values(**values)
    )


def how_many_for(session: Session, player_id: str, *, occasions: str, since: datetime) -> int:
    """How many letters this person got since then whose occasions begin like this."""
    found = session.execute(
        select(func.count()).where(
            col(Letter.player_id) == player_id,
            col(Letter.created_at) >= since,
            col(Letter.occasion).startswith(occasions, autoescape=True),
        )
    )
    return int(found.scalar_one())


def newer_turn(session: Session, letter: Letter) -> bool:
    """Whether the same decision was asked for once more since this letter was posted."""
    found = session.scalars(
        select(col(Letter.id))
        .where(
            col(Letter.match_id) == letter.match_id,
            col(Letter.seat) == letter.seat,
            col(Letter.tenure) == letter.tenure,
            col(Letter.asked) == letter.asked,
            col(Letter.kind) == "turn",
            col(Letter.created_at) > letter.created_at,
            col(Letter.state) != "dropped",
        )
        .limit(1)
    )
    return found.first() is not None


def told_of_all(session: Session, player_id: str, *, since: datetime) -> bool:
    """Whether a mail about all that waits for this person is out or on its way since then."""
    found = session.scalars(
        select(col(Letter.id))
        .where(
            col(Letter.player_id) == player_id,
            col(Letter.created_at) >= since,
            col(Letter.kind) == "waiting",
            col(Letter.state).in_((*UNSENT, "sent")),
        )
        .limit(1)
    )
    return found.first() is not None


def mails_in_thread(session: Session, letter: Letter) -> tuple[int, str | None]:
    """How many mails about this match went to this holder of the seat before, and the Message-ID of the last one."""
    found = session.execute(
        select(col(Letter.message_id), func.count().over())
        .where(
            col(Letter.match_id) == letter.match_id,
            col(Letter.seat) == letter.seat,
            col(Letter.tenure).is_not_distinct_from(letter.tenure),
            col(Letter.message_id).is_not(None),
            col(Letter.sent_at).is_not(None),
            col(Letter.id) != letter.id,
        )
        .order_by(col(Letter.sent_at).desc(), col(Letter.created_at).desc(), col(Letter.id))
        .limit(1)
    ).first()
    return (found[1], found[0]) if found else (0, None)


def told_last(session: Session, match_id: str, seat: int, occasion: str) -> datetime | None:
    """When the last letter with an occasion that begins so was posted to a seat."""
    found = select(func.max(col(Letter.created_at))).where(
        col(Letter.match_id) == match_id, col(Letter.seat) == seat, col(Letter.occasion).startswith(occasion)
    )
    told: datetime | None = session.execute(found).scalar()
    return told

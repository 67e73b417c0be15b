"""Every question to the database has a name, here or, for the table of a match, in `db.table`."""

import functools
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any, cast, get_args

from sqlalchemy import (
    CursorResult,
    String,
    Table,
    and_,
    bindparam,
    case,
    delete,
    exists,
    func,
    literal,
    null,
    or_,
    select,
    true,
    tuple_,
    update,
)
from sqlalchemy.dialects import postgresql, sqlite
from sqlmodel import Session, SQLModel, col

from db.engine import TOUCHED
from db.models import (
    ApiKey,
    Ballot,
    Bounce,
    Call,
    CallState,
    Channel,
    Device,
    Event,
    InboundMail,
    InboundState,
    Letter,
    LetterState,
    MailboxMail,
    Match,
    Move,
    Note,
    Passkey,
    Player,
    Prepared,
    Remark,
    Row,
    Seat,
    SignIn,
    Standby,
    Tally,
    Vote,
    World,
    email_key,
    new_id,
)

UNSENT: tuple[LetterState, ...] = ("waiting", "claimed", "unknown")


# Matches and seats


def match_by_id(session: Session, match_id: str) -> Match | None:
    return session.get(Match, match_id)


def seats_of_each(session: Session, match_ids: Sequence[str]) -> dict[str, list[Seat]]:
    """Of several matches at once, in the order of their numbers."""
    found: dict[str, list[Seat]] = {match_id: [] for match_id in match_ids}
    for seat in session.scalars(select(Seat).where(col(Seat.match_id).in_(found)).order_by(col(Seat.number))):
        found[seat.match_id].append(seat)
    return found


def seats_of(session: Session, match_id: str) -> Sequence[Seat]:
    """In the order of their numbers."""
    return session.scalars(select(Seat).where(col(Seat.match_id) == match_id).order_by(col(Seat.number))).all()


def matches_of(session: Session, player_id: str) -> list[tuple[Match, Seat]]:
    """All matches in which this player holds a seat, the newest first."""
    found = session.execute(
        select(Match, Seat)
        .join(Match, col(Match.id) == col(Seat.match_id))
        .where(col(Seat.player_id) == player_id)
        .order_by(col(Match.created_at).desc(), col(Seat.number))
    )
    return [(match, seat) for match, seat in found]


def has_played_before(session: Session, player_id: str, game: str, match_id: str) -> bool:
    """Whether somebody has begun another match of this game, before this one."""
    this, earlier = _table(Match).alias(), _table(Match)
    found = (
        select(earlier.c.id)
        .join(_table(Seat), col(Seat.match_id) == earlier.c.id)
        .join(this, this.c.id == match_id)
        .where(
            col(Seat.player_id) == player_id,
            earlier.c.game == game,
            earlier.c.id != match_id,
            earlier.c.started_at <= this.c.started_at,
        )
    )
    return session.execute(found.limit(1)).first() is not None


def matches_with_status(session: Session, *status: str, limit: int = 100) -> Sequence[Match]:
    """The newest first."""
    return session.scalars(
        select(Match).where(col(Match.status).in_(status)).order_by(col(Match.created_at).desc()).limit(limit)
    ).all()


# Matches that have not begun


def matches_to_join(session: Session, *, limit: int) -> Sequence[Match]:
    """Those with free seats for anybody, the newest first."""
    free = exists().where(
        col(Seat.match_id) == col(Match.id), col(Seat.player_id).is_(None), col(Seat.house).is_(False)
    )
    return session.scalars(
        select(Match)
        .where(col(Match.status) == "open", col(Match.public), free)
        .order_by(col(Match.created_at).desc(), col(Match.id))
        .limit(limit)
    ).all()


def matches_to_begin(session: Session, now: datetime) -> Sequence[str]:
    """Those whose date has come."""
    return session.scalars(
        select(col(Match.id))
        .where(col(Match.starts_at) <= now, col(Match.status) == "open")
        .order_by(col(Match.starts_at))
    ).all()


def match_again(session: Session, match_id: str) -> Match | None:
    """The one that the same people play after this one."""
    return session.scalars(select(Match).where(col(Match.again_of) == match_id)).one_or_none()


def live_matches(session: Session, player_id: str) -> int:
    """In how many matches that are not over a player holds or is offered a seat."""
    found = session.execute(
        select(func.count())
        .select_from(Seat)
        .join(Match, col(Match.id) == col(Seat.match_id))
        .where(col(Seat.player_id) == player_id, col(Match.status).in_(("open", "running", "paused")))
    )
    return int(found.scalar_one())


# Due times


def next_due(session: Session) -> datetime | None:
    """When the next reminder, expiry or letter is due: how far a demo's clock can jump."""
    moments = (
        select(func.min(col(Seat.remind_at))).where(col(Seat.remind_at).is_not(None)).scalar_subquery(),
        select(func.min(col(Seat.due_at))).where(col(Seat.due_at).is_not(None)).scalar_subquery(),
        select(func.min(col(Match.starts_at)))
        .where(col(Match.starts_at).is_not(None), col(Match.status) == "open")
        .scalar_subquery(),
        select(func.min(col(Letter.send_at))).where(col(Letter.state).in_(UNSENT)).scalar_subquery(),
    )
    found = session.execute(select(*moments)).one()
    return min((moment for moment in found if moment is not None), default=None)


# Letters


def add_letter(session: Session, letter: Letter) -> bool:
    """Put a letter into the outbox. False if its occasion has one already, whoever posted it."""
    return _insert_once(session, Letter, letter.model_dump())


def put_letter(session: Session, **columns: Any) -> bool:
    """The same from columns alone: making a model of them would cost more than writing them."""
    return _insert_once(session, Letter, {**_BLANK_LETTER, "id": new_id(12), **columns})


_BLANK_LETTER = {name: field.default for name, field in Letter.model_fields.items() if not field.is_required()}


def claim_letters(session: Session, now: datetime, *, until: datetime, limit: int = 20) -> list[Letter]:
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


def settle_letter(session: Session, letter: Letter, **columns: Any) -> bool:
    """Report how a claimed letter went. False if the claim lapsed and somebody else has it now."""
    return _changed(
        session,
        update(Letter)
        .where(
            col(Letter.id) == letter.id,
            col(Letter.state) == "claimed",
            col(Letter.attempts) == letter.attempts,
        )
        .values(**columns),
    )


def drop_letters(session: Session, match_id: str, seat: int, *, why: str, kinds: Sequence[str] = ()) -> int:
    """Drop what waits for this seat and is now out of date; how many letters that were."""
    of_kind = col(Letter.kind).in_(kinds) if kinds else true()
    return _rows(
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


def go_along(session: Session, match_id: str, seat: int, tenure: int, new: int) -> None:
    """What belongs to a seat's holder is theirs under a new number too: letters to come, votes, prepared answers."""
    of_seat = (col(Letter.match_id) == match_id, col(Letter.seat) == seat, col(Letter.tenure) == tenure)
    ballots = select(col(Ballot.id)).where(col(Ballot.match_id) == match_id)
    of_voter = (col(Vote.ballot_id).in_(ballots), col(Vote.seat) == seat, col(Vote.tenure) == tenure)
    _rows(session, update(Letter).where(*of_seat, col(Letter.state).in_(UNSENT)).values(tenure=new))
    _rows(session, update(Vote).where(*of_voter).values(tenure=new))
    _rows(
        session,
        update(Prepared)
        .where(col(Prepared.match_id) == match_id, col(Prepared.seat) == seat, col(Prepared.tenure) == tenure)
        .values(tenure=new),
    )


def seats_offered_to(session: Session, player_id: str) -> Sequence[Seat]:
    """Of matches that go on, those that this person may take over by a link."""
    return session.scalars(
        select(Seat)
        .join(Match, col(Match.id) == col(Seat.match_id))
        .where(col(Seat.offered_to) == player_id, col(Match.status).in_(("running", "paused")))
        .order_by(col(Seat.match_id), col(Seat.number))
    ).all()


def look_again_at_letters(session: Session, player_id: str, now: datetime) -> None:
    """What waits for this person's morning is due now; when it is written, their hours are asked again."""
    _rows(
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


def oldest_unsent(session: Session, now: datetime) -> Letter | None:
    """The letter that has been waiting longest and should be out."""
    return session.scalars(
        select(Letter)
        .where(
            col(Letter.state).in_(UNSENT),
            or_(col(Letter.send_at) <= now, col(Letter.attempts) > 0),
        )
        .order_by(col(Letter.created_at))
        .limit(1)
    ).first()


def newest_moment(session: Session) -> datetime | None:
    """When the last letter was posted."""
    return session.execute(select(func.max(col(Letter.created_at)))).scalar()


def unsent_letters(session: Session) -> Sequence[Letter]:
    """All that have not left for certain."""
    return session.scalars(select(Letter).where(col(Letter.state).in_(UNSENT))).all()


def letters_by_state(session: Session) -> dict[str, int]:
    found = session.execute(select(col(Letter.state), func.count()).group_by(col(Letter.state)))
    return {str(state): count for state, count in found}


def refusals_by_code(session: Session) -> dict[str, int]:
    """The mail server's last code → letters that wait or failed with it; "none" where no server spoke."""
    found = session.execute(
        select(col(Letter.last_status), func.count())
        .where(col(Letter.state).in_(("waiting", "unknown", "failed")), col(Letter.attempts) > 0)
        .group_by(col(Letter.last_status))
    )
    return {str(code or "none"): count for code, count in found}


def matches_by_status(session: Session) -> dict[str, int]:
    found = session.execute(select(col(Match.status), func.count()).group_by(col(Match.status)))
    return {str(status): count for status, count in found}


def moves_made(session: Session) -> int:
    """As the matches count them: counting the rows of millions would take too long."""
    return int(session.execute(select(func.coalesce(func.sum(col(Match.version)), 0))).scalar_one())


def letters_of_player(session: Session, player_id: str, *, limit: int = 100) -> Sequence[Letter]:
    """The newest first."""
    return session.scalars(
        select(Letter).where(col(Letter.player_id) == player_id).order_by(col(Letter.created_at).desc()).limit(limit)
    ).all()


def letters_of_seat(session: Session, match_id: str, seat: int) -> Sequence[Letter]:
    """The oldest first."""
    return session.scalars(
        select(Letter)
        .where(col(Letter.match_id) == match_id, col(Letter.seat) == seat)
        .order_by(col(Letter.created_at), col(Letter.id))
    ).all()


def letter_by_id(session: Session, letter_id: str) -> Letter | None:
    return session.get(Letter, letter_id)


def newest_letters(session: Session, *states: str, limit: int = 50) -> list[tuple[Letter, Player | None]]:
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


def retry_letter(session: Session, letter_id: str, now: datetime) -> bool:
    """Let a letter be tried from the beginning; False if it is out, or in a worker's hand."""
    return _changed(
        session,
        update(Letter)
        .where(col(Letter.id) == letter_id, col(Letter.state).in_(("waiting", "unknown", "failed", "dropped")))
        .values(state="waiting", send_at=now, attempts=0, unknown=0, why=None),
    )


def drop_letter(session: Session, letter_id: str, *, why: str) -> bool:
    """False if the letter is out, in a worker's hand, or given up already."""
    return _changed(
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


def letters_for(session: Session, player_id: str, *, occasions: str, since: datetime) -> int:
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


# Other channels than mail

OF_A_MATCH = ("started", "turn", "finished")
"""What a channel of a whole match tells; all of it is public."""


def put_calls(session: Session, **letter: Any) -> None:
    """On every channel of the player whom a letter is for, and of its match, what the letter says is told too.

    Webhooks are for programs, which sleep never; all others wait as long as the letter.
    """
    if session.connection().execute(_put_calls(_dialect(session)), letter).rowcount > 0:
        session.info.setdefault(TOUCHED, set()).add("call")


@functools.cache
def _put_calls(dialect: str) -> Any:
    """One statement, as it stands in the path of every move."""
    found = ("kind", "match_id", "seat", "tenure", "asked", "occasion", "created_at")
    table = _table(Call)
    told = [bindparam(name, type_=table.c[name].type).label(name) for name in found]
    send_at = case(
        (col(Channel.kind) == "webhook", bindparam("created_at", type_=table.c.created_at.type)),
        else_=bindparam("send_at", type_=table.c.send_at.type),
    )
    own = and_(col(Channel.match_id).is_(None), col(Channel.player_id) == bindparam("player_id", type_=String))
    of_match = and_(
        col(Channel.match_id) == bindparam("match_id", type_=String),
        bindparam("kind", type_=String).in_(OF_A_MATCH),
    )
    rows = select(col(Channel.id), *told, send_at, literal("waiting"), literal(0)).where(
        col(Channel.off_at).is_(None), or_(own, of_match)
    )
    names = ("channel_id", *found, "send_at", "state", "attempts")
    return _INSERT[dialect](table).from_select(names, rows).on_conflict_do_nothing()


def add_channel(session: Session, channel: Channel) -> None:
    session.add(channel)
    session.flush()


def channels_of(session: Session, player_id: str) -> Sequence[Channel]:
    """The oldest first."""
    return session.scalars(
        select(Channel).where(col(Channel.player_id) == player_id).order_by(col(Channel.created_at), col(Channel.id))
    ).all()


def channel_by_id(session: Session, channel_id: str) -> Channel | None:
    return session.get(Channel, channel_id)


def drop_channel(session: Session, player_id: str, channel_id: str) -> bool:
    """With all that was to be told on it. False if it is not this person's."""
    found = session.get(Channel, channel_id)
    if found is None or found.player_id != player_id:
        return False
    session.execute(delete(Call).where(col(Call.channel_id) == channel_id))
    return _changed(session, delete(Channel).where(col(Channel.id) == channel_id))


def _channels_of(player_id: str) -> Any:
    return select(col(Channel.id)).where(col(Channel.player_id) == player_id)


def add_call(session: Session, call: Call) -> bool:
    """False if the channel was told of this occasion already."""
    return _insert_once(session, Call, call.model_dump(exclude={"id"}))


def claim_calls(session: Session, now: datetime, *, until: datetime, limit: int) -> Sequence[Call]:
    """Take due calls for oneself until then, one of each channel: a slow one holds up none but itself."""
    due = (
        select(func.min(col(Call.id)))
        .where(
            col(Call.state).in_(("waiting", "claimed")),
            col(Call.send_at) <= now,
            col(Call.channel_id).not_in(_being_called(now)),
        )
        .group_by(col(Call.channel_id))
        .limit(limit)
    )
    return session.scalars(
        update(Call)
        .where(col(Call.id).in_(due), col(Call.send_at) <= now)
        .values(state="claimed", send_at=until, attempts=col(Call.attempts) + 1)
        .returning(Call),
        execution_options={"synchronize_session": False, "populate_existing": True},
    ).all()


def _being_called(now: datetime) -> Any:
    return select(col(Call.channel_id)).where(col(Call.state) == "claimed", col(Call.send_at) > now)


def settle_call(session: Session, call: Call, state: CallState, **columns: Any) -> bool:
    """Report how a claimed call went. False if the claim lapsed and somebody else has it now."""
    return _changed(
        session,
        update(Call)
        .where(col(Call.id) == call.id, col(Call.state) == "claimed", col(Call.attempts) == call.attempts)
        .values(state=state, **columns),
    )


def drop_calls(session: Session, channel_id: str, *, why: str) -> None:
    _rows(
        session,
        update(Call)
        .where(col(Call.channel_id) == channel_id, col(Call.state).in_(("waiting", "claimed")))
        .values(state="dropped", said=why),
    )


def drop_all_calls(session: Session, *, why: str) -> int:
    """Tell nothing of what waits on any channel."""
    return _rows(
        session,
        update(Call).where(col(Call.state).in_(("waiting", "claimed"))).values(state="dropped", said=why),
    )


def next_call(session: Session, channel_id: str) -> datetime | None:
    """When something is told on a channel next."""
    waiting = select(func.min(col(Call.send_at))).where(
        col(Call.channel_id) == channel_id, col(Call.state).in_(("waiting", "claimed"))
    )
    found: datetime | None = session.execute(waiting).scalar()
    return found


def forget_calls(session: Session, before: datetime) -> int:
    """Those that were told, or given up, before then."""
    return _rows(
        session,
        delete(Call).where(col(Call.created_at) < before, col(Call.state).in_(("done", "failed", "dropped"))),
    )


# Incoming mail


def add_inbound(session: Session, mail: InboundMail) -> int:
    """Store an incoming mail; its id. One that is stored already keeps its own."""
    _insert_once(session, InboundMail, mail.model_dump(exclude={"id"}))
    return int(session.execute(select(col(InboundMail.id)).where(col(InboundMail.hash) == mail.hash)).scalar_one())


def waiting_inbound(session: Session, *, limit: int) -> list[int]:
    """The ids of the mails that nobody has acted on, in the order in which they came."""
    found = session.scalars(
        select(col(InboundMail.id))
        .where(col(InboundMail.state) == "waiting")
        .order_by(col(InboundMail.received_at), col(InboundMail.id))
        .limit(limit)
    )
    return [mail_id for mail_id in found if mail_id is not None]


def inbound_by_id(session: Session, mail_id: int) -> InboundMail | None:
    return session.get(InboundMail, mail_id)


def newest_inbound(session: Session, *states: str, limit: int = 50) -> Sequence[Any]:
    """The newest first, without their bytes: (id, received_at, state, why, octets)."""
    wanted = col(InboundMail.state).in_(states) if states else true()
    return session.execute(
        select(
            col(InboundMail.id),
            col(InboundMail.received_at),
            col(InboundMail.state),
            col(InboundMail.why),
            func.length(col(InboundMail.raw)).label("octets"),
        )
        .where(wanted)
        .order_by(col(InboundMail.received_at).desc(), col(InboundMail.id).desc())
        .limit(limit)
    ).all()


def begin_inbound(session: Session, mail_id: int) -> InboundMail | None:
    """Count one more attempt; the mail, or None if it does not wait any more."""
    return session.scalars(
        update(InboundMail)
        .where(col(InboundMail.id) == mail_id, col(InboundMail.state) == "waiting")
        .values(attempts=col(InboundMail.attempts) + 1)
        .returning(InboundMail),
        execution_options={"synchronize_session": False, "populate_existing": True},
    ).one_or_none()


def is_first_of_its_kind(session: Session, mail_id: int, key: str) -> bool:
    """Whether no other mail has this key; from then on it is this mail's."""
    others = select(InboundMail).where(col(InboundMail.message_key) == key, col(InboundMail.id) != mail_id).exists()
    return _changed(session, update(InboundMail).where(col(InboundMail.id) == mail_id, ~others).values(message_key=key))


def settle_inbound(session: Session, mail_id: int, state: InboundState, **columns: Any) -> bool:
    """Say what came of a mail. False if somebody else did."""
    return _changed(
        session,
        update(InboundMail)
        .where(col(InboundMail.id) == mail_id, col(InboundMail.state) == "waiting")
        .values(state=state, **columns),
    )


def reread_inbound(session: Session, mail_id: int) -> bool:
    """Let a mail that was put aside be acted on anew."""
    return _changed(
        session,
        update(InboundMail)
        .where(
            col(InboundMail.id) == mail_id,
            col(InboundMail.state).in_(("ignored", "quarantined")),
            func.length(col(InboundMail.raw)) > 0,
        )
        .values(state="waiting", attempts=0, why=None),
    )


def empty_old_inbound(session: Session, before: datetime) -> int:
    """Forget what settled mails said; that they came is kept, so that none is taken in twice."""
    return _rows(
        session,
        update(InboundMail)
        .where(
            col(InboundMail.received_at) < before,
            col(InboundMail.state) != "waiting",
            func.length(col(InboundMail.raw)) > 0,
        )
        .values(raw=b"", envelope_to=None, envelope_from=None),
    )


# Who can be reached


def pause_player(session: Session, player_id: str, *, why: str, now: datetime) -> bool:
    """Send this person nothing any more; False if that was so already."""
    return _changed(
        session,
        update(Player)
        .where(col(Player.id) == player_id, col(Player.paused_at).is_(None))
        .values(paused_at=now, paused_why=why),
    )


def reach_player(session: Session, player_id: str) -> bool:
    """Send to this person again, with a clean slate; False if nothing had been stopped."""
    session.execute(delete(Bounce).where(col(Bounce.player_id) == player_id))
    return _changed(
        session,
        update(Player)
        .where(col(Player.id) == player_id, col(Player.paused_at).is_not(None))
        .values(paused_at=None, paused_why=None),
    )


def unreachable_seats(session: Session, match_id: str) -> set[int]:
    """The seats of those to whom mails come back."""
    found = session.scalars(
        select(col(Seat.number))
        .join(Player, col(Player.id) == col(Seat.player_id))
        .where(col(Seat.match_id) == match_id, col(Player.paused_at).is_not(None))
    )
    return set(found)


def add_bounce(session: Session, bounce: Bounce) -> bool:
    """False if this day is counted already."""
    return _insert_once(session, Bounce, bounce.model_dump())


def bounce_days(session: Session, player_id: str, *, since: str) -> int:
    """On how many days since then mails to this person came back."""
    found = session.execute(select(func.count()).where(col(Bounce.player_id) == player_id, col(Bounce.day) >= since))
    return int(found.scalar_one())


def mute_player(session: Session, player_id: str) -> bool:
    """Nothing but what they ask for; False if that was so already."""
    return _changed(
        session,
        update(Player).where(col(Player.id) == player_id, col(Player.mute_all).is_(False)).values(mute_all=True),
    )


def paused_players(session: Session) -> Sequence[Player]:
    """Whose addresses cannot be reached, the longest first."""
    return session.scalars(
        select(Player).where(col(Player.paused_at).is_not(None)).order_by(col(Player.paused_at), col(Player.id))
    ).all()


# Answers given ahead of time


def put_prepared(session: Session, row: dict[str, Any]) -> None:
    """One a seat and kind; a later one takes its place."""
    statement = _INSERT[_dialect(session)](_table(Prepared)).values(row)
    session.execute(statement.on_conflict_do_update(index_elements=["match_id", "seat", "kind"], set_=row))


def drop_prepared(session: Session, match_id: str, seat: int, kind: str) -> None:
    session.execute(
        delete(Prepared).where(
            col(Prepared.match_id) == match_id, col(Prepared.seat) == seat, col(Prepared.kind) == kind
        )
    )


def prepared_of(session: Session, match_id: str, seat: int, tenure: int) -> Sequence[Prepared]:
    """What the present holder of a seat has prepared, by kind."""
    return session.scalars(
        select(Prepared)
        .where(col(Prepared.match_id) == match_id, col(Prepared.seat) == seat, col(Prepared.tenure) == tenure)
        .order_by(col(Prepared.kind))
    ).all()


# What players decide together


def add_ballot(session: Session, ballot: Ballot) -> bool:
    """False if the players of the match vote on the same already."""
    return _insert_once(session, Ballot, ballot.model_dump())


def ballot_locked(session: Session, ballot_id: str) -> Ballot | None:
    return session.get(Ballot, ballot_id, with_for_update=True, populate_existing=True)


def open_ballots(session: Session, match_id: str) -> Sequence[Ballot]:
    """The oldest first."""
    return session.scalars(
        select(Ballot)
        .where(col(Ballot.match_id) == match_id, col(Ballot.settled_at).is_(None))
        .order_by(col(Ballot.opened_at), col(Ballot.id))
    ).all()


def lapsed_ballots(session: Session, now: datetime) -> Sequence[str]:
    """The matches with open ballots whose time is over."""
    return session.scalars(
        select(col(Ballot.match_id)).where(col(Ballot.settled_at).is_(None), col(Ballot.until) <= now).distinct()
    ).all()


def settle_ballot(session: Session, ballot_id: str, now: datetime, *, carried: bool) -> None:
    _rows(session, update(Ballot).where(col(Ballot.id) == ballot_id).values(settled_at=now, carried=carried))


def put_vote(session: Session, ballot_id: str, seat: int, tenure: int, *, yes: bool, at: datetime) -> None:
    """One a seat; a later one takes its place."""
    row = {"ballot_id": ballot_id, "seat": seat, "tenure": tenure, "yes": yes, "at": at}
    statement = _INSERT[_dialect(session)](_table(Vote)).values(row)
    session.execute(statement.on_conflict_do_update(index_elements=["ballot_id", "seat"], set_=row))


def votes_of(session: Session, ballot_id: str) -> list[tuple[int, int, bool]]:
    """(seat, tenure, yes)"""
    found = session.execute(
        select(col(Vote.seat), col(Vote.tenure), col(Vote.yes)).where(col(Vote.ballot_id) == ballot_id)
    )
    return [(seat, tenure, yes) for seat, tenure, yes in found]


def ballot_by_id(session: Session, ballot_id: str) -> Ballot | None:
    return session.get(Ballot, ballot_id)


# Substitutes and how people answer


def wait_for_a_seat(session: Session, player_id: str, game: str, now: datetime) -> bool:
    """False if this person waits already."""
    return _insert_once(session, Standby, Standby(player_id=player_id, game=game, since=now).model_dump())


def stop_waiting(session: Session, player_id: str, game: str) -> None:
    session.execute(delete(Standby).where(col(Standby.player_id) == player_id, col(Standby.game) == game))


def games_waited_for(session: Session, player_id: str) -> set[str]:
    return set(session.scalars(select(col(Standby.game)).where(col(Standby.player_id) == player_id)))


def longest_waiting(session: Session, game: str, *, not_in: str) -> str | None:
    """Who waits longest for a seat of this game, can be reached, and has none in this match."""
    inside = select(col(Seat.player_id)).where(col(Seat.match_id) == not_in, col(Seat.player_id).is_not(None))
    return session.scalars(
        select(col(Standby.player_id))
        .join(Player, col(Player.id) == col(Standby.player_id))
        .where(
            col(Standby.game) == game,
            col(Standby.player_id).not_in(inside),
            col(Player.paused_at).is_(None),
            col(Player.email) != "",
        )
        .order_by(col(Standby.since), col(Standby.player_id))
        .limit(1)
    ).first()


def latest_answers(session: Session, player_id: str, *, limit: int = 200) -> list[tuple[timedelta | None, bool]]:
    """(how long it took, whether it was late) of a player's latest decisions; None where the match ended for it."""
    answers = session.execute(
        select(col(Move.at), col(Move.took), col(Move.late))
        .where(col(Move.player_id) == player_id, or_(col(Move.took).is_not(None), col(Move.late)))
        .order_by(col(Move.at).desc())
        .limit(limit)
    )
    ended = session.execute(
        select(col(Seat.late_at), null(), true()).where(
            col(Seat.player_id) == player_id, col(Seat.late_at).is_not(None)
        )
    )
    latest = sorted([*answers, *ended], key=lambda row: row[0], reverse=True)[:limit]
    return [(took, bool(late)) for _, took, late in latest]


# The built-in mailbox


def mailbox_addresses(session: Session) -> list[tuple[str, int]]:
    """Who got mail, and how many."""
    found = session.execute(
        select(col(MailboxMail.to_address), func.count())
        .group_by(col(MailboxMail.to_address))
        .order_by(col(MailboxMail.to_address))
    )
    return [(address, count) for address, count in found]


def mailbox_of(session: Session, address: str, *, limit: int = 100) -> Sequence[MailboxMail]:
    """The newest first."""
    return session.scalars(
        select(MailboxMail)
        .where(col(MailboxMail.to_address) == address)
        .order_by(col(MailboxMail.id).desc())
        .limit(limit)
    ).all()


def mailbox_since(session: Session, mail_id: int) -> Sequence[MailboxMail]:
    """What came after this mail, the oldest first."""
    return session.scalars(select(MailboxMail).where(col(MailboxMail.id) > mail_id).order_by(col(MailboxMail.id))).all()


def mailbox_mail(session: Session, mail_id: int) -> MailboxMail | None:
    return session.get(MailboxMail, mail_id)


def add_to_mailbox(session: Session, mail: MailboxMail) -> bool:
    """False if a mail with this Message-ID is there already."""
    return _insert_once(session, MailboxMail, mail.model_dump(exclude={"id"}))


# People and programs


def player_by_id(session: Session, player_id: str) -> Player | None:
    return session.get(Player, player_id)


def player_locked(session: Session, player_id: str) -> Player | None:
    """Other changes of this person wait; letters to them do not."""
    return session.get(Player, player_id, with_for_update={"key_share": True})


def player_by_address(session: Session, address: str) -> Player | None:
    return session.scalars(select(Player).where(col(Player.email_key) == email_key(address))).one_or_none()


def player_for_address(session: Session, address: str, *, name: str, now: datetime, language: str = "en") -> Player:
    """The person with this address; a new one if there was none. Two at the same moment get the same one."""
    new = Player(
        id=free_id(session, Player), name=name, email=address.strip(), email_key=email_key(address), created_at=now,
        language=language,
    )  # fmt: skip
    _insert_once(session, Player, new.model_dump())
    return session.scalars(select(Player).where(col(Player.email_key) == email_key(address))).one()


def unreachable_players(session: Session) -> int:
    """How many people's mails come back."""
    return int(session.execute(select(func.count()).where(col(Player.paused_at).is_not(None))).scalar_one())


def players_called(session: Session, asked: str, *, limit: int) -> Sequence[Player]:
    """Whose name begins like this or whose address it is, by name; with nothing asked the first of all."""
    wanted = or_(col(Player.name).startswith(asked, autoescape=True), col(Player.email_key) == email_key(asked))
    statement = select(Player).order_by(col(Player.name), col(Player.id)).limit(limit)
    return session.scalars(statement.where(wanted) if asked else statement).all()


def players(session: Session) -> Sequence[Player]:
    """Everybody, by name."""
    return session.scalars(select(Player).order_by(col(Player.name), col(Player.id))).all()


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
    players = _table(Player)
    if table is players:
        return players.c.id == player_id
    pointing = [column for column in table.c if any(key.column.table is players for key in column.foreign_keys)]
    if pointing:
        return or_(*(column == player_id for column in pointing))
    if set(table.c.keys()) >= _OF_A_SEAT:
        held = select(col(Seat.match_id), col(Seat.number), col(Seat.tenure)).where(col(Seat.player_id) == player_id)
        return tuple_(table.c.match_id, table.c.seat, table.c.tenure).in_(held)
    return None


def forget_player(session: Session, player_id: str, now: datetime) -> None:
    """Remove what is known of a person; rows that matches need stay, without a name or an address."""
    known = player_by_id(session, player_id)
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
    session.execute(delete(Call).where(col(Call.channel_id).in_(_channels_of(player_id))))
    for model in (Bounce, Channel, Device, Note, Passkey, Remark, SignIn, Standby):
        session.execute(delete(model).where(_table(model).c.player_id == player_id))
    session.execute(delete(MailboxMail).where(col(MailboxMail.to_address) == address))
    session.execute(
        update(InboundMail)
        .where(col(InboundMail.player_id) == player_id)
        .values(raw=b"", envelope_to=None, envelope_from=None, player_id=None)
    )
    _rows(
        session,
        update(Letter)
        .where(col(Letter.player_id) == player_id, col(Letter.state).in_(UNSENT))
        .values(state="dropped", why="the person was forgotten"),
    )
    session.execute(
        update(Letter).where(col(Letter.player_id) == player_id).values(address=None, data={}, last_answer=None)
    )


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
    _rows(session, update(Device).where(col(Device.id) == device_id).values(seen_at=now))


def end_device(session: Session, player_id: str, device_id: str) -> bool:
    """False if this person is not signed in there."""
    return _changed(session, delete(Device).where(col(Device.id) == device_id, col(Device.player_id) == player_id))


def end_devices(session: Session, player_id: str, *, but: str | None = None) -> int:
    """Sign a person out everywhere, or everywhere but there."""
    kept = col(Device.id) != but if but else true()
    return _rows(session, delete(Device).where(col(Device.player_id) == player_id, kept))


def forget_devices(session: Session, before: datetime) -> int:
    """Those signed in before then, whose cookies are too old to be worth anything."""
    return _rows(session, delete(Device).where(col(Device.created_at) < before))


def passkeys_of(session: Session, player_id: str) -> Sequence[Passkey]:
    """The oldest first."""
    return session.scalars(
        select(Passkey).where(col(Passkey.player_id) == player_id).order_by(col(Passkey.created_at), col(Passkey.id))
    ).all()


def passkey_locked(session: Session, passkey_id: str) -> Passkey | None:
    return session.get(Passkey, passkey_id, with_for_update=True)


def add_passkey(session: Session, passkey: Passkey) -> bool:
    """False if it is somebody's already."""
    return _insert_once(session, Passkey, passkey.model_dump())


def drop_passkey(session: Session, player_id: str, passkey_id: str) -> bool:
    """False if it is not this person's."""
    return _changed(session, delete(Passkey).where(col(Passkey.id) == passkey_id, col(Passkey.player_id) == player_id))


def api_keys_of(session: Session, player_id: str) -> Sequence[ApiKey]:
    """Those that still work, the newest first."""
    return session.scalars(
        select(ApiKey)
        .where(col(ApiKey.player_id) == player_id, col(ApiKey.revoked_at).is_(None))
        .order_by(col(ApiKey.created_at).desc())
    ).all()


def revoke_api_key(session: Session, player_id: str, key_id: str, now: datetime) -> bool:
    return _changed(
        session,
        update(ApiKey)
        .where(col(ApiKey.id) == key_id, col(ApiKey.player_id) == player_id, col(ApiKey.revoked_at).is_(None))
        .values(revoked_at=now),
    )


def mute_seat(session: Session, player_id: str, match_id: str, *, muted: bool = True) -> bool:
    """False if this person holds no seat of the match."""
    return _changed(
        session,
        update(Seat).where(col(Seat.match_id) == match_id, col(Seat.player_id) == player_id).values(muted=muted),
    )


def live_api_key(session: Session, key_hash: str) -> ApiKey | None:
    return session.scalars(
        select(ApiKey).where(col(ApiKey.key_hash) == key_hash, col(ApiKey.revoked_at).is_(None))
    ).one_or_none()


# The instance


def world(session: Session, key: str) -> str | None:
    return session.scalars(select(col(World.value)).where(col(World.key) == key)).one_or_none()


def set_world(session: Session, key: str, value: str) -> None:
    statement = _INSERT[_dialect(session)](_table(World)).values(key=key, value=value)
    session.execute(statement.on_conflict_do_update(index_elements=["key"], set_={"value": value}))


def count_once_more(session: Session, who: str, now: datetime, *, until: datetime) -> int:
    """How often that makes in this stretch of time, which begins anew once the old one is over."""
    insert = _INSERT[_dialect(session)](_table(Tally)).values(who=who, until=until, times=1)
    over = col(Tally.until) <= now
    changed = {
        "times": case((over, 1), else_=col(Tally.times) + 1),
        "until": case((over, insert.excluded.until), else_=col(Tally.until)),
    }
    statement = insert.on_conflict_do_update(index_elements=["who"], set_=changed).returning(col(Tally.times))
    return int(session.execute(statement).scalar_one())


def forget_tallies(session: Session, now: datetime) -> int:
    """Those whose time is over."""
    return _rows(session, delete(Tally).where(col(Tally.until) <= now))


def set_world_once(session: Session, key: str, value: str) -> bool:
    """False if the key has a value already."""
    return _insert_once(session, World, {"key": key, "value": value})


def drop_world(session: Session, key: str) -> None:
    session.execute(delete(World).where(col(World.key) == key))


def events_of(session: Session, match_id: str) -> Sequence[Event]:
    """The oldest first."""
    return session.scalars(select(Event).where(col(Event.match_id) == match_id).order_by(col(Event.id))).all()


def newest_events(session: Session, *, limit: int) -> Sequence[Event]:
    """The newest first."""
    return session.scalars(select(Event).order_by(col(Event.id).desc()).limit(limit)).all()


def stuck_decisions(
    session: Session, *, asked_before: datetime, due_before: datetime, limit: int = 100
) -> Sequence[Any]:
    """Open decisions that nobody will make soon: (match_id, number, name, asked_at, due_at, unreachable).

    The time is up and nobody has moved, there is no time limit and no answer since long, or mails come back. Each is
    looked up by itself: asked in one sentence, the database would look at all open decisions.
    """
    unreachable = col(Player.paused_at).is_not(None)
    # as a join, SQLite would begin with all running matches
    running = exists().where(col(Match.id) == col(Seat.match_id), col(Match.status) == "running").correlate(Seat)
    waits = (
        select(
            *(col(Seat.match_id), col(Seat.number), col(Seat.name), col(Seat.asked_at), col(Seat.due_at)),
            unreachable.label("unreachable"),
        )
        .outerjoin(Player, col(Player.id) == col(Seat.player_id))
        .where(running, col(Seat.asked).is_not(None), col(Seat.answered).is_(False))
        .order_by(col(Seat.asked_at))
        .limit(limit)
    )
    whose = select(col(Player.id)).where(unreachable)
    found: dict[tuple[str, int], Any] = {}
    for why in (
        col(Seat.due_at) < due_before,
        and_(col(Seat.due_at).is_(None), col(Seat.asked_at) < asked_before),
        col(Seat.player_id).in_(whose),
    ):
        found |= {(row.match_id, row.number): row for row in session.execute(waits.where(why))}
    return sorted(found.values(), key=lambda row: row.asked_at)[:limit]


def noted_since(session: Session, what: str, since: datetime) -> bool:
    """Whether the operator's log has this since then."""
    found = session.scalars(select(col(Event.id)).where(col(Event.at) > since, col(Event.what) == what).limit(1))
    return found.first() is not None


def free_id(session: Session, model: type[Match] | type[Player]) -> str:
    """A public id that no row has yet."""
    while session.get(model, candidate := new_id()) is not None:
        pass
    return candidate


def _changed(session: Session, statement: Any) -> bool:
    return _rows(session, statement) > 0


def _rows(session: Session, statement: Any) -> int:
    result = session.execute(statement, execution_options={"synchronize_session": False})
    return cast(CursorResult[Any], result).rowcount


def _insert_once(session: Session, model: type[SQLModel], columns: dict[str, Any]) -> bool:
    session.info.setdefault(TOUCHED, set()).add(model.__tablename__)
    statement = _insert_where_new(_dialect(session), model, tuple(columns))
    return session.connection().execute(statement, columns).first() is not None


@functools.cache
def _insert_where_new(dialect: str, model: type[SQLModel], columns: tuple[str, ...]) -> Any:
    """Built once for each set of columns: building costs more than executing."""
    table = _table(model)
    values: dict[str, Any] = {column: bindparam(column) for column in columns}
    return _INSERT[dialect](table).values(values).on_conflict_do_nothing().returning(*table.primary_key)


_INSERT: dict[str, Any] = {"sqlite": sqlite.insert, "postgresql": postgresql.insert}


def _dialect(session: Session) -> str:
    return session.get_bind().dialect.name


def _table(model: type[SQLModel]) -> Table:
    return cast(Table, model.__table__)  # type: ignore[attr-defined]


# What is said at the table


def remarks_of(session: Session, match_id: str, *, limit: int) -> list[Remark]:
    """The latest, the oldest of them first."""
    latest = select(Remark).where(col(Remark.match_id) == match_id).order_by(col(Remark.id).desc()).limit(limit)
    return [*session.execute(latest).scalars()][::-1]


def remarks_since(session: Session, player_id: str, since: datetime) -> int:
    """How many remarks somebody has made, in all matches."""
    counted = select(func.count()).where(col(Remark.player_id) == player_id, col(Remark.at) > since)
    return int(session.execute(counted).scalar_one())


def note_of(session: Session, match_id: str, player_id: str) -> Note | None:
    return session.get(Note, (match_id, player_id))


def last_at_the_table(session: Session, match_id: str, seat: int, player_id: str) -> datetime | None:
    """When somebody last did something at their seat: moved, spoke, or said that they have read."""
    told = (
        select(func.max(col(Move.at))).where(
            col(Move.match_id) == match_id, col(Move.seat) == seat, col(Move.player_id) == player_id,
            col(Move.by).in_(("player", "reply", "api")),
        ),
        select(func.max(col(Remark.at))).where(col(Remark.match_id) == match_id, col(Remark.player_id) == player_id),
        select(col(Seat.heard_at)).where(col(Seat.match_id) == match_id, col(Seat.number) == seat),
    )  # fmt: skip
    return max((at for each in told if (at := session.execute(each).scalar()) is not None), default=None)


def told_last(session: Session, match_id: str, seat: int, occasion: str) -> datetime | None:
    """When the last letter with an occasion that begins so was posted to a seat."""
    found = select(func.max(col(Letter.created_at))).where(
        col(Letter.match_id) == match_id, col(Letter.seat) == seat, col(Letter.occasion).startswith(occasion)
    )
    told: datetime | None = session.execute(found).scalar()
    return told

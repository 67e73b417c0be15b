"""The outbox: a letter is a row posted with its cause; later it is written, sent, and what became of it recorded."""

from __future__ import annotations

import logging
import random
import time
from collections import Counter, defaultdict, deque
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final, TypeAlias

from sqlalchemy.exc import OperationalError
from sqlmodel import Session

from db import queries, table
from db.engine import Store
from db.models import Letter
from db.turns import DatabaseBusy
from emails.mime import Mail, compose, message_id
from emails.transport import Delivers, Delivery, Phase, Status, Transport

LEASE: Final = timedelta(minutes=10)
"""So long a claim holds. Who dies with a letter in hand leaves it to the next one after that."""

RETRIES: Final = tuple(timedelta(minutes=minutes) for minutes in (1, 5, 15, 30, 60, 120, 180))
"""After which time a letter is tried again; from then on every three hours."""

USELESS_AFTER: Final = timedelta(days=4)
UNKNOWN_REPEATS: Final = 2
THREAD_MOST: Final = 90
"""So many mails hang on one root; some programs stop at 100."""

CALLED: Final = frozenset({"invitation", "started", "turn", "reminder", "nudge", "finished"})
"""Letters of which the other channels tell too."""

_MINUTE = timedelta(minutes=1)
_ABOUT_THE_LETTER = (Phase.RCPT, Phase.DATA, Phase.DOT)

log = logging.getLogger("estafette.outbox")


@dataclass(frozen=True)
class Drop:
    """Instead of a mail: the letter no longer makes sense, and why."""

    reason: str


@dataclass(frozen=True)
class Later:
    """Instead of a mail: its reader is not to be disturbed until then."""

    until: datetime


@dataclass(frozen=True)
class Thread:
    """Who a mail is and what it answers, with angle brackets."""

    message_id: str
    in_reply_to: str
    references: tuple[str, ...]


@dataclass(frozen=True)
class Delivered:
    """How many letters a round claimed, and what became of how many of them."""

    claimed: int = 0
    sent: int = 0
    dropped: int = 0
    later: int = 0
    bounced: int = 0
    alarms: int = 0
    unknown: int = 0
    failed: int = 0
    held: int = 0


Write: TypeAlias = Callable[[Letter], Mail | Drop | Later]
"""Makes the mail from the row, at the moment of sending; looks once more whether it still makes sense."""

Bounced: TypeAlias = Callable[[Session, Letter, Delivery], None]
"""Told in the transaction that records a refusal for good, or that a letter was refused until it was of no use."""


class Pressure:
    """At most so many mails a minute to one destination domain, from this process."""

    def __init__(self, per_minute: int = 60) -> None:
        self._most = per_minute
        self._sent: dict[str, deque[datetime]] = defaultdict(deque)
        self._held: dict[str, deque[datetime]] = defaultdict(deque)

    def room_at(self, address: str, now: datetime) -> datetime:
        """`now` if there is room for a mail to this address, else when to ask again; those held queue up."""
        domain = address.rpartition("@")[2].casefold()
        sent, held = self._sent[domain], self._held[domain]
        while sent and sent[0] <= now - _MINUTE:
            sent.popleft()
        while held and held[0] <= now:
            held.popleft()
        if len(sent) < self._most:
            sent.append(now)
            return now
        held.append((held if len(held) >= self._most else sent)[-self._most] + _MINUTE)
        return held[-1]


def post(
    session: Session,
    kind: str,
    *,
    occasion: str,
    now: datetime,
    player_id: str | None = None,
    address: str | None = None,
    match_id: str | None = None,
    seat: int | None = None,
    tenure: int | None = None,
    asked: int | None = None,
    data: dict[str, Any] | None = None,
    send_at: datetime | None = None,
) -> bool:
    """Put a letter into the outbox, in the caller's transaction. False if this occasion has one already.

    One that is not to leave before `send_at` is as old as if it had been posted then: it is of use for as long.
    """
    about = {"match_id": match_id, "seat": seat, "tenure": tenure, "asked": asked}
    posted = queries.letters.put(
        session, kind=kind, occasion=occasion, player_id=player_id, address=address,
        data=data or {}, created_at=send_at or now, send_at=send_at or now, **about,
    )  # fmt: skip
    if posted and kind in CALLED:
        same = occasion if asked is not None else f"{kind}/{match_id}/{int(now.timestamp())}"
        queries.calls.put(
            session, kind=kind, occasion=same, player_id=player_id, created_at=now, send_at=send_at or now, **about
        )
    return posted


def thread_of(session: Session, letter: Letter, sender: str) -> Thread:
    """The letter's Message-ID and its place in the thread that each holder of a seat has with a match.

    The roots are mails that nobody ever got: their names follow from the thread, so nothing has to be stored.
    """
    own = letter.message_id or message_id(letter.id, sender)
    if letter.match_id is None or letter.seat is None:
        return Thread(own, "", ())
    before, last = queries.letters.mails_in_thread(session, letter)
    root = message_id(f"{letter.match_id}-{letter.seat}-{letter.tenure or 0}-{before // THREAD_MOST}", sender)
    if last is None or before % THREAD_MOST == 0:
        return Thread(own, root, (root,))
    return Thread(own, last, (root, last))


def deliver(
    store: Store,
    transport: Transport,
    write: Write,
    now: datetime,
    *,
    limit: int = 100,
    bounced: Bounced | None = None,
    sign: Callable[[bytes], bytes] | None = None,
    pressure: Pressure | None = None,
    luck: Callable[[], float] = random.random,
    clock: Callable[[], float] = time.monotonic,
) -> Delivered:
    """Send what is due. Each letter stands alone: whatever happens to one, the others leave.

    No transaction is open while a letter is written or sent. `sign` gets the finished mail and gives it back signed.
    """
    began = clock()
    with store.reading() as session:
        if not table.letter_is_due(session, now):
            return Delivered()
    with store.writing() as session:
        letters = queries.letters.claim(session, now, until=now + LEASE, limit=limit)
    if not letters:
        return Delivered()
    round_ = _Round(store, write, now, bounced, sign, pressure or Pressure(per_minute=limit), luck)
    with transport.connection() as connection:
        for number, letter in enumerate(letters):
            if clock() - began > LEASE.total_seconds() / 2 or round_.server_is_away:
                round_.release(letters[number:])
                break
            round_.send(letter, connection)
    return Delivered(claimed=len(letters), **round_.counts)


class _Round:
    """One round of deliveries and what came of it."""

    def __init__(
        self,
        store: Store,
        write: Write,
        now: datetime,
        bounced: Bounced | None,
        sign: Callable[[bytes], bytes] | None,
        pressure: Pressure,
        luck: Callable[[], float],
    ) -> None:
        self._store = store
        self._write = write
        self._now = now
        self._bounced = bounced
        self._sign = sign
        self._pressure = pressure
        self._luck = luck
        self.counts: Counter[str] = Counter()
        self.server_is_away = False

    def send(self, letter: Letter, connection: Delivers) -> None:
        try:
            if letter.attempts > 1 and letter.created_at + USELESS_AFTER < self._now:
                return self._settle(letter, "failed", state="failed", why="too late")
            mail = self._write(letter)
            if isinstance(mail, Drop):
                return self._settle(letter, "dropped", state="dropped", why=mail.reason)
            if isinstance(mail, Later):
                return self._hold(letter, mail.until, created_at=mail.until)  # as old as if it was posted then
            room_at = self._pressure.room_at(mail.to.address, self._now)
            if room_at > self._now:
                return self._hold(letter, room_at)
            raw = compose(mail)
            if self._sign:
                raw = self._sign(raw)
        except (OperationalError, DatabaseBusy) as error:  # the database's trouble, not the letter's
            return self._again(letter, "later", why=type(error).__name__)
        except Exception as error:
            log.error("letter %s (%s) cannot be written: %s", letter.id, letter.kind, type(error).__name__)
            return self._settle(letter, "failed", state="failed", why=type(error).__name__)
        letter.message_id = mail.message_id
        return self._record(letter, mail, connection.deliver(raw, mail.envelope_from, mail.to.address))

    def release(self, letters: list[Letter]) -> None:
        """Leave the rest to a later round."""
        for letter in letters:
            self._hold(letter, self._now + self._jittered(RETRIES[0]))

    def _record(self, letter: Letter, mail: Mail, delivery: Delivery) -> None:
        self.server_is_away = delivery.concerns_all
        answer = _without_tokens(delivery.answer, mail)
        said: dict[str, Any] = {"last_status": delivery.code, "last_answer": answer, "message_id": mail.message_id}
        match delivery.status:
            case Status.SENT:
                self._settle(letter, "sent", state="sent", sent_at=self._now, why=None, **said)
            case Status.BOUNCED:
                self._settle(letter, "bounced", refusal=delivery, state="failed", why="refused for good", **said)
            case Status.UNKNOWN if letter.unknown >= UNKNOWN_REPEATS:
                why = "nobody knows whether it arrived"
                self._settle(letter, "unknown", state="failed", why=why, unknown=letter.unknown + 1, **said)
            case Status.UNKNOWN:
                self._again(letter, "unknown", state="unknown", unknown=letter.unknown + 1, **said)
            case Status.ALARM:
                log.error(
                    "letter %s (%s): the mail server refuses us: %s at %s",
                    *(letter.id, letter.kind, delivery.code, delivery.phase),
                )
                self._again(letter, "alarms", why="the operator has to put something right", **said)
            case Status.LATER:
                self._again(letter, "later", refusal=delivery, **said)

    def _again(
        self,
        letter: Letter,
        outcome: str,
        *,
        state: str = "waiting",
        refusal: Delivery | None = None,
        **columns: Any,
    ) -> None:
        """Try again after a while that grows, as long as the letter is of use."""
        send_at = self._now + self._jittered(RETRIES[min(letter.attempts, len(RETRIES)) - 1])
        if send_at > letter.created_at + USELESS_AFTER:
            given_up_on = refusal if refusal and refusal.phase in _ABOUT_THE_LETTER else None
            columns |= {"state": "failed", "why": "too late"}
            return self._settle(letter, "failed", refusal=given_up_on, **columns)
        return self._settle(letter, outcome, state=state, send_at=send_at, **columns)

    def _hold(self, letter: Letter, until: datetime, **columns: Any) -> None:
        """Put it back untried."""
        self._settle(letter, "held", state="waiting", send_at=until, attempts=letter.attempts - 1, **columns)

    def _settle(self, letter: Letter, outcome: str, *, refusal: Delivery | None = None, **columns: Any) -> None:
        with self._store.writing() as session:
            mine = queries.letters.settle(session, letter, **columns)
            if mine and refusal:
                self._tell_bounced(session, letter, refusal)
        if mine:
            self.counts[outcome] += 1
        else:
            log.warning("letter %s (%s) was taken over by another worker", letter.id, letter.kind)

    def _tell_bounced(self, session: Session, letter: Letter, refusal: Delivery) -> None:
        """What goes wrong there must neither undo the report nor stop the others."""
        if self._bounced is None:
            return
        try:
            with session.begin_nested():
                self._bounced(session, letter, refusal)
        except Exception as error:
            log.error("the refusal of letter %s could not be acted on: %s", letter.id, type(error).__name__)

    def _jittered(self, span: timedelta) -> timedelta:
        return span * (0.9 + 0.2 * self._luck())


def _without_tokens(answer: str, mail: Mail) -> str:
    """What a mail server repeats of the addresses that carry our tokens is not kept."""
    for address in (mail.envelope_from, mail.reply_to):
        local = address.rpartition("@")[0]
        if local and local in answer:
            answer = answer.replace(local, "…")
    return answer

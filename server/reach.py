"""Whether people can be reached by mail: what comes back is counted, a dead address gets no more, and the way back.

Only "the address is gone" counts at once; what may pass counts by the days on which it happened. A refusal for
something of ours says nothing about the player: it is the operator's alarm.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from sqlmodel import Session

from db import queries, table
from db.models import Bounce, Letter, Match, Player
from emails.outbox import Bounced, post
from emails.transport import Delivery
from server.alarms import tell_operators
from server.service import Service

DAYS: Final = 5
WITHIN: Final = timedelta(days=30)
"""Mails that come back on so many days within this time stop the mail, though no server called the address gone."""

REFUSED: Final = "our mail is refused"
_ALARM_EVERY: Final = timedelta(hours=6)
_LIVE: Final = ("open", "running", "paused")


@dataclass(frozen=True)
class Trouble:
    """Why a mail was not delivered. `permanent`: the address is gone; None: nobody says."""

    why: str
    status: str = ""
    permanent: bool | None = None
    our_fault: bool = False

    @property
    def told(self) -> str:
        return f"{self.why} ({self.status})" if self.status else self.why


def when_refused(service: Service, now: datetime) -> Bounced:
    """What the outbox calls for a letter that a mail server does not take for good."""

    def refused(session: Session, letter: Letter, delivery: Delivery) -> None:
        count(service, session, letter, _trouble_of(delivery), now)

    return refused


def came_back(service: Service, session: Session, letter: Letter, trouble: Trouble, now: datetime) -> None:
    """A report says that a letter was not delivered after all."""
    given_up = trouble.permanent is True or trouble.our_fault or trouble.status.startswith("5")
    queries.letters.note_return(
        session, letter.id, why=f"it came back: {trouble.why}", status=trouble.status, given_up=given_up
    )
    count(service, session, letter, trouble, now)


def count(service: Service, session: Session, letter: Letter, trouble: Trouble, now: datetime) -> None:
    """What a returned letter means for the mails to its player."""
    if trouble.our_fault:
        alarm(service, session, trouble.told, now)
        return
    player = queries.players.by_id(session, letter.player_id) if letter.player_id else None
    if player is None or _went_elsewhere(letter, player):
        return
    if trouble.permanent:
        _pause(session, player, trouble.told, now)
        return
    queries.players.add_bounce(
        session, Bounce(player_id=player.id, day=_day(now), status=trouble.status, why=trouble.why)
    )
    days = queries.players.bounce_days(session, player.id, since=_day(now - WITHIN))
    if days >= DAYS:
        _pause(session, player, f"mails came back on {days} days, the last time because {trouble.told}", now)


def again(session: Session, player_id: str, now: datetime) -> bool:
    """Send to this person again, beginning with what is open for them. False if nothing had been stopped."""
    if not queries.players.reach(session, player_id):
        return False
    for seat in table.next_waiting(session, player_id):
        post(
            session,
            "turn",
            occasion=f"back/{seat.match_id}/{seat.number}/{seat.tenure}/{seat.asked}/{int(now.timestamp())}",
            player_id=player_id,
            match_id=seat.match_id,
            seat=seat.number,
            tenure=seat.tenure,
            asked=seat.asked,
            now=now,
        )
    return True


def complained(session: Session, player_id: str, now: datetime) -> None:
    """Somebody called a mail of ours spam: from now on they get only what they ask for."""
    if queries.players.mute(session, player_id):
        table.note(session, now, "mail", "a complaint stopped all mails to a player", why=f"player {player_id}")


def alarm(service: Service, session: Session, why: str, now: datetime) -> None:
    """Tell the operator that something of ours is refused: in the log of events, and by mail to the admins."""
    if queries.oversight.noted_since(session, REFUSED, now - _ALARM_EVERY):
        return
    table.note(session, now, "mail", REFUSED, why=why)
    tell_operators(session, service.settings.admins, "refused", of=_day(now), data={"why": why}, now=now)


def _trouble_of(delivery: Delivery) -> Trouble:
    # imported here, because the phrase book is slow to load and few processes ever need it
    from emails.inbox import verdicts

    status = delivery.enhanced or str(delivery.code or "")
    verdict = verdicts.judge(delivery.said, delivery.enhanced, gave_up=True)
    return Trouble(verdict.why, status, verdict.permanent, verdict.our_fault)


def _went_elsewhere(letter: Letter, player: Player) -> bool:
    """Was it sent to another address than the player has now?"""
    if letter.address is not None:
        return True
    sent_at = letter.sent_at or letter.created_at
    return player.email_since is not None and sent_at < player.email_since


def _pause(session: Session, player: Player, why: str, now: datetime) -> None:
    if not queries.players.pause(session, player.id, why=why, now=now):
        return
    table.note(session, now, "mail", "an address cannot be reached", why=f"player {player.id}: {why}")
    for match, seat in queries.matches.of_player(session, player.id):
        if match.status in _LIVE:
            _tell_others(session, match, player, seat.name, now)


def _tell_others(session: Session, match: Match, player: Player, name: str, now: datetime) -> None:
    """Those who play with them, and whoever set up the match."""
    data = {"about": "unreachable", "name": name}
    occasion = f"unreachable/{player.id}/{int(now.timestamp())}/{match.id}"
    seats = queries.seats.of(session, match.id) if match.status != "open" else ()
    others = [seat for seat in seats if seat.player_id and seat.player_id != player.id]
    for seat in others:
        post(
            session,
            "notice",
            occasion=f"{occasion}/{seat.number}",
            player_id=seat.player_id,
            match_id=match.id,
            seat=seat.number,
            tenure=seat.tenure,
            data=data,
            now=now,
        )
    if match.host_id and match.host_id not in {player.id, *(seat.player_id for seat in others)}:
        post(
            session,
            "notice",
            occasion=f"{occasion}/host",
            player_id=match.host_id,
            match_id=match.id,
            data=data,
            now=now,
        )


def _day(moment: datetime) -> str:
    return moment.date().isoformat()

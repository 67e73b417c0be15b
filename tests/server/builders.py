"""A running instance for tests, with sensible defaults: Ann has the turn, Ben waits, Cat is not in the match."""

from __future__ import annotations

import email
import email.policy
import random
from collections.abc import Sequence
from datetime import datetime, timedelta
from email.message import EmailMessage
from pathlib import Path
from typing import Any

from sqlmodel import Session, select

from db import queries
from db.models import Letter, MailboxMail
from server import beginning
from server.beginning import SeatWish, Wish
from server.clock import Worker
from server.config import Settings
from server.links import MoveLink
from server.matches import Matches
from server.service import Service, open_service

PEOPLE = ("Ann", "Ben", "Cat", "Dan", "Eve", "Finn", "Gus", "Hal")


class Unshuffled(random.Random):
    """Draws seats in the order in which they were wished for: Ann sits on 1, Ben on 2."""

    def shuffle(self, x: Any) -> None:
        return None


def address_of(name: str) -> str:
    return f"{name.casefold()}@players.example"


def settings_for(database_url: str, folder: Path, **more: str) -> Settings:
    return Settings.load(
        {
            "ESTAFETTE_DATABASE_URL": database_url,
            "ESTAFETTE_DATA": str(folder),
            "ESTAFETTE_SECRET_KEYS": "k" * 40,
            **more,
        }
    )


def a_service(database_url: str, folder: Path, *, demo: bool = True, **more: str) -> Service:
    """An instance whose clock can be moved; seats are taken in the order of the wish."""
    service = open_service(settings_for(database_url, folder, **more), demo=demo)
    service.matches.luck = Unshuffled()
    return service


def a_match(
    matches: Matches,
    now: datetime,
    *,
    game: str = "regions",
    people: Sequence[str] = ("Ann", "Ben"),
    house: int = 0,
    start: bool = True,
    host: str | None = None,
    **wish: Any,
) -> str:
    """A started match of these people (and house seats behind them); its id."""
    seats = [SeatWish(name, address_of(name)) for name in people] + [SeatWish(house=True)] * house
    return beginning.create(matches, Wish(game=game, seats=seats, **wish), host=host, now=now, start=start)


def asked_together(matches: Matches, now: datetime, **wish: Any) -> str:
    """A match of `crusade` in which all three are asked at once."""
    match_id = a_match(matches, now, game="crusade", people=("Ann", "Ben", "Cat"), **wish)
    while len(waiting := matches.view(match_id, None).waiting_for) < 3:
        seat = waiting[0].number
        matches.play(link_of(matches, match_id, seat), answers(matches, match_id, seat)[-1], now=now)
    return match_id


def link_of(matches: Matches, match_id: str, seat: int = 1) -> MoveLink:
    link = matches.link_of(match_id, seat)
    assert link is not None, f"seat {seat} is not asked"
    return link


def answers(matches: Matches, match_id: str, seat: int = 1) -> list[str]:
    """The legal moves of a seat that is asked."""
    decision = matches.view(match_id, seat).decision
    assert decision is not None, f"seat {seat} is not asked"
    return [choice.text for choice in decision.choices]


def play_first(matches: Matches, match_id: str, now: datetime, seat: int = 1, verb: str = "") -> str:
    """The seat plays its first legal move (of a verb)."""
    text = next(text for text in answers(matches, match_id, seat) if text.startswith(verb))
    matches.play(link_of(matches, match_id, seat), text, now=now)
    return text


def play_turn(matches: Matches, match_id: str, now: datetime, seat: int = 1) -> None:
    """A whole turn of `regions`: a take that shows nothing where there is one, then `end`."""
    play_first(matches, match_id, now, seat, "take")
    if matches.link_of(match_id, seat):
        play_first(matches, match_id, now, seat, "end")


def play_to_the_end(matches: Matches, match_id: str, now: datetime, luck: random.Random | None = None) -> None:
    """Everybody plays at random until the match is over."""
    luck = luck or random.Random(match_id)
    while (view := matches.view(match_id, None)).outcome is None:
        for seat in view.waiting_for:
            text = luck.choice(answers(matches, match_id, seat.number))
            matches.play(link_of(matches, match_id, seat.number), text, now=now)


def a_turn_for_ann(matches: Matches, match_id: str, now: datetime) -> None:
    """Ann and Ben play a turn of `regions` each, and Ann is asked again."""
    play_turn(matches, match_id, now, 1)
    play_turn(matches, match_id, now, 2)


def id_of(service: Service, name: str = "Ann") -> str:
    with service.store.reading() as session:
        player = queries.players.by_address(session, address_of(name))
    assert player is not None
    return player.id


def worker_of(service: Service) -> Worker:
    return Worker(service)


def letters(service: Service, **wanted: Any) -> list[Letter]:
    """The outbox's rows with these columns, oldest first."""
    with service.store.reading() as session:
        return _letters(session, **wanted)


def _letters(session: Session, **wanted: Any) -> list[Letter]:
    found = session.exec(select(Letter).filter_by(**wanted)).all()
    return sorted(found, key=lambda row: (row.created_at, row.kind, row.id))


def mails(service: Service, to: str | None = None, kind: str | None = None) -> list[EmailMessage]:
    """The mails in the built-in mailbox, oldest first."""
    with service.store.reading() as session:
        rows = session.exec(select(MailboxMail).order_by(MailboxMail.id)).all()  # type: ignore[arg-type]
    return [
        email.message_from_bytes(row.raw, policy=email.policy.default)
        for row in rows
        if (to is None or row.to_address == address_of(to)) and (kind is None or row.kind == kind)
    ]


def text_of(mail: EmailMessage) -> str:
    body = mail.get_body(("plain",))
    assert body is not None
    return str(body.get_content())


HOUR = timedelta(hours=1)

"""How a match comes about: somebody wants it, its seats are taken, and it begins with the last of them."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from sqlalchemy import Row
from sqlmodel import Session

from db import queries, table
from db.models import Match, Player, Seat, email_key
from db.statements import free_id
from emails.language import gettext as _
from server import pace
from server.links import JoinLink, OfferLink
from server.matches import Matches, NotFound, NotYours, change, hand_over, settle
from server.plays import replayed
from server.rules import GAMES
from server.rules.chance import commitment
from server.rules.playing import full_options
from server.seats import HOUSE_NAMES, free_name, free_seat, invite, player_for, post_to
from server.words import clean_name


@dataclass(frozen=True)
class SeatWish:
    """A seat of a new match: a person by address or, known already, by id; the house, perhaps strong; or free."""

    name: str = ""
    email: str | None = None
    house: bool = False
    strong: bool = False
    player: str | None = None
    free: bool = False

    @property
    def is_somebodys(self) -> bool:
        return self.player is not None or bool(self.email)


@dataclass(frozen=True)
class Wish:
    """A new match as somebody wants it."""

    game: str
    seats: Sequence[SeatWish]
    options: dict[str, object] = field(default_factory=dict)
    pace: object = None
    public: bool = False
    starts_at: datetime | None = None
    again_of: str | None = None


def create(matches: Matches, wish: Wish, *, host: str | None, now: datetime, start: bool = False) -> str:
    """A new match; its id. Invites everybody, or starts at once. Raises ValueError with a sentence."""
    game = GAMES.get(wish.game)
    if game is None:
        raise ValueError(
            _("There is no game “%(game)s”. There are: %(known)s.", game=wish.game, known=", ".join(GAMES))
        )
    if not game.least_seats <= len(wish.seats) <= game.most_seats:
        raise ValueError(
            _(
                "%(game)s is for %(least)s to %(most)s seats, not %(number)s.",
                game=game.title,
                least=game.least_seats,
                most=game.most_seats,
                number=len(wish.seats),
            )
        )
    options = full_options(game, wish.options)
    its_pace = pace.read_pace(wish.pace)
    wishes = _drawn(matches, wish.seats)
    seed = secrets.token_hex(32)
    with matches.store.writing() as session:
        match = Match(
            id=free_id(session, Match),
            game=game.name,
            edition=game.edition,
            rules=game.rules,
            options=options,
            seed=seed,
            commitment=commitment(seed),
            pace=its_pace.as_json(),
            host_id=host,
            created_at=now,
            public=wish.public,
            starts_at=wish.starts_at,
            again_of=wish.again_of,
        )
        session.add(match)
        session.flush()
        for number, (name, each) in enumerate(zip(_names(wishes), wishes, strict=True), start=1):
            player = _wished_for(session, name, each, now)
            here = each.house or (player is not None and (start or player.id == host))
            seat = Seat(
                match_id=match.id,
                number=number,
                name=name,
                house=each.house,
                strong=each.house and each.strong,
                tenure=1,
                player_id=player.id if player else None,
                invited_at=now,
                accepted_at=now if here else None,
            )
            session.add(seat)
        session.flush()
        for row in table.seat_rows(session, match.id):
            if row.player_id and row.accepted_at is None:
                invite(session, row, now)
        start_if_full(session, match.id, now)
        return match.id


def _drawn(matches: Matches, wishes: Sequence[SeatWish]) -> list[SeatWish]:
    for wish in wishes:
        if not (wish.house or wish.free or wish.is_somebodys):
            raise ValueError(_("Each seat needs a mail address, or is for the house."))
    keys = [email_key(wish.email) for wish in wishes if wish.email and not wish.house]
    if len(set(keys)) < len(keys):
        raise ValueError(_("One address cannot hold two seats of a match."))
    drawn = list(wishes)
    matches.luck.shuffle(drawn)
    return drawn


def _wished_for(session: Session, name: str, wish: SeatWish, now: datetime) -> Player | None:
    if wish.player:
        return queries.players.by_id(session, wish.player)
    return player_for(session, name, wish.email, now) if wish.email and not wish.house else None


def _names(wishes: Sequence[SeatWish]) -> list[str]:
    names: list[str] = []
    for number, wish in enumerate(wishes):
        fallback = HOUSE_NAMES[number] if wish.house else f"Player {number + 1}"
        if wish.free:
            fallback = free_seat(number + 1)
        names.append(free_name(clean_name(wish.name) or fallback, set(names)))
    return names


def accept(matches: Matches, link: JoinLink | OfferLink, *, name: str | None, word: str = "", now: datetime) -> None:
    """Take the seat of an invitation; the match starts with the last. Doing it again does no harm.

    `word` is mixed into the shuffles, which begin with the match.
    """
    with matches.store.writing() as session:
        match = table.match_row(session, link.match, locked=True)
        seat = session.get(Seat, (link.match, link.seat))
        if match is None or seat is None:
            raise NotFound
        if seat.tenure != link.tenure:
            raise NotYours
        if isinstance(link, OfferLink):
            if seat.offered_to != link.player or match.status not in ("running", "paused"):
                raise NotYours
            _take_over(session, match, seat.number, link.epoch, name, now)
            return
        if seat.house or seat.player_id is None:
            raise NotYours
        if seat.accepted_at is not None or match.status != "open":
            return
        if name:
            taken = {each.name for each in table.seat_rows(session, match.id) if each.number != seat.number}
            seat.name = free_name(clean_name(name) or seat.name, taken)
        seat.accepted_at = now
        seat.word = clean_name(word) or None
        session.add(seat)
        session.flush()
        start_if_full(session, match.id, now)


def start_if_full(session: Session, match_id: str, now: datetime) -> None:
    """In the caller's transaction: begin with the last seat that is taken, unless a date is set."""
    match = table.match_row(session, match_id, locked=True)
    if match and match.starts_at is None and all(each.accepted_at for each in table.seat_rows(session, match_id)):
        start(session, match_id, now)


def _take_over(session: Session, match: Row[Any], number: int, epoch: int, name: str | None, now: datetime) -> None:
    """Somebody takes the seat that was offered to them; one that is lent is given back later."""
    seats = table.seat_rows(session, match.id)
    old = seats[number - 1]
    player = queries.players.by_id(session, old.offered_to)
    if player is None or player.links_epoch != epoch or any(seat.player_id == player.id for seat in seats):
        raise NotYours
    lent = {"lent_by": old.player_id, "lent_until": old.lent_until} if old.player_id and old.lent_until else {}
    hand_over(session, match, seats, number, player, now, name=name or "", who="invitation", **lent)
    change(session, match)


def start(session: Session, match_id: str, now: datetime) -> None:
    """In the caller's transaction: all seats are taken, and the match begins."""
    match = table.match_row(session, match_id, locked=True)
    assert match is not None
    seats = table.seat_rows(session, match_id)
    play = replayed(session, match, seats)
    table.change_match(session, match_id, match.revision, status="running", started_at=now, question=play.number)
    for seat in seats:
        if seat.player_id:
            post_to(session, "started", seat, now, occasion=f"started/{match_id}/{seat.number}/{seat.tenure}")
    settle(session, match, seats, play, waited=frozenset(), mover=None, now=now)

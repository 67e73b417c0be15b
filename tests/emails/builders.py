"""Matches as a reader sees them, and the links and readers of letters, with sensible defaults."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any

from db.models import Letter
from emails.letters import Links, OneTap, Reader
from emails.mime import Address, Mail, message_id
from server.rules import GAMES
from server.rules.chance import Seeded
from server.rules.playing import Play
from server.rules.showing import log_of, sayer
from server.rules.telling import Viewer
from server.views import MatchView, SeatView, decision_of

NOW = datetime(2026, 12, 1, 16, 47, tzinfo=UTC)
DUE = datetime(2026, 12, 3, 17, 0, tzinfo=UTC)
SENDER = "play@play.example.org"
SITE = "https://play.example.org"
TOKEN = "mabcdefghijklmnopqrstuvwxyz234567abc"
NAMES = ("Ann", "Ben", "Cat", "Dan", "Eve", "Flo", "Gus", "Hal")

ANN = Reader("Ann", zone="Europe/Brussels")

LINKS = Links(
    settings_url=f"{SITE}/me",
    game_url=f"{SITE}/g/k7f3q2",
    rules_url=f"{SITE}/rules/regions",
    mute_url=f"{SITE}/unsubscribe/{TOKEN}",
    move_url=f"{SITE}/m/{TOKEN}",
    choice_urls=tuple(OneTap(f"Choice {number}.", f"{SITE}/m/{TOKEN}c{number}") for number in (1, 2, 3)),
    reply_to="r-abcdefghijklmnop@play.example.org",
)


def a_play(
    moves: int = 0, *, game: str = "regions", seats: int = 2, names: Sequence[str] = NAMES, seed: str = "1",
    options: Mapping[str, object] | None = None,
) -> Play:  # fmt: skip
    """A match of the game after that many random moves."""
    play = Play(GAMES[game], seats, options, chance=Seeded(seed), names=list(names[:seats]))
    luck = Random(seed)
    for _ in range(moves):
        if play.over:
            break
        seat = play.waiting_for()[0]
        play.answer(seat, luck.choice(play.decision(seat).answers()))
    return play


def a_view(play: Play | None = None, viewer: Viewer = 1, *, since: int = 0, **changes: Any) -> MatchView:
    """The match in the eyes of `viewer`; what happened since move `since` of the record is news."""
    play = play or a_play()
    asked = set(play.question)
    outcome = play.outcome()
    seats = tuple(
        SeatView(
            number=seat, name=play.names[seat - 1], house=False, strong=False,
            asked=seat in asked, answered=seat in play.sealed,
            asked_at=DUE - timedelta(days=3) if seat in asked else None, due_at=DUE if seat in asked else None,
        )
        for seat in play.seats
    )  # fmt: skip
    position = play.position(viewer)
    facts: dict[str, Any] = {
        "id": "k7f3q2", "game": play.game.name, "title": play.game.title,
        "status": "finished" if play.over else "running", "options": play.options,
        "pace": {"name": "three days", "hours": 72}, "version": play.version, "viewer": viewer, "seats": seats,
        "position": position, "words": tuple(play.game.words(position, play.names, viewer)),
        "news": log_of(play, viewer, since=since), "decision": decision_of(play, viewer, sayer(play, viewer)),
        "outcome": outcome.as_json() if outcome else None,
        "commitment": "3f1c" * 16, "may_undo": False,
    }  # fmt: skip
    return MatchView(**(facts | changes))


def asked_view(moves: int = 0, **keywords: Any) -> MatchView:
    """In the eyes of a seat that has to decide."""
    play = a_play(moves, **keywords)
    return a_view(play, int(play.waiting_for()[0]), since=max(0, moves - 6))


def a_mail(letter: Letter, *, to: str | None = None, **changes: Any) -> Mail:
    """A small mail for a letter, as a server would write it."""
    facts: dict[str, Any] = {
        "kind": letter.kind, "to": Address("", to or letter.address or ""), "sender": Address("Estafette", SENDER),
        "envelope_from": f"b-{letter.id}@play.example.org", "subject": "Richelieu (2003) · Ann, Ben · #k7f3q2",
        "text": f"Letter {letter.occasion}.\n", "html": f"<p>Letter {letter.occasion}.</p>", "date": NOW,
        "message_id": letter.message_id or message_id(letter.id, SENDER),
    }  # fmt: skip
    return Mail(**(facts | changes))

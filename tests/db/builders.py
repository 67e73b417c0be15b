"""Rows with sensible defaults, so a test mentions only what it is about."""

from datetime import UTC, datetime
from typing import Any

from db.models import Letter, Match, Player, Seat, email_key

NOW = datetime(2026, 11, 30, 9, 15, tzinfo=UTC)


def a_player(name: str = "Ann", **columns: Any) -> Player:
    address = columns.pop("email", f"{name.lower()}@example.org")
    defaults: dict[str, Any] = {"created_at": NOW}
    return Player(name=name, email=address, email_key=email_key(address), **(defaults | columns))


def a_match(**columns: Any) -> Match:
    defaults: dict[str, Any] = {
        "game": "regions",
        "edition": "house",
        "rules": "1",
        "options": {"short": False},
        "seed": "seed",
        "commitment": "commitment",
        "pace": {},
        "status": "running",
        "created_at": NOW,
    }
    return Match(**(defaults | columns))


def a_seat(match: Match, number: int = 1, **columns: Any) -> Seat:
    defaults: dict[str, Any] = {"name": f"Seat {number}"}
    return Seat(match_id=match.id, number=number, **(defaults | columns))


def a_letter(occasion: str = "turn", **columns: Any) -> Letter:
    defaults: dict[str, Any] = {"kind": "turn", "created_at": NOW, "send_at": NOW}
    return Letter(occasion=occasion, **(defaults | columns))

"""The position as JSON: what a viewer may know, built from nothing."""

from __future__ import annotations

from typing import Any

from server.rules.crusade.counselors import names_held
from server.rules.crusade.table import SIDES, CrusadeTable
from server.rules.playing import Position
from server.rules.telling import HOST, Seat, Viewer


def position_of(table: CrusadeTable, viewer: Viewer) -> Position:
    return {
        "tracks": dict(table.tracks),
        "first": int(table.first),
        "turn": table.turn,
        "phase": table.phase,
        "reserve": {colour: len(pile) for colour, pile in table.reserve.items()},
        "supply": len(table.supply),
        "crusade_deck": len(table.crusade_deck),
        "counselor_decks": {side: len(table.counselor_decks[side]) for side in SIDES},
        "turned_up": list(table.turned_up),
        "event": table.event,
        "events_left": len(table.events),
        "offers": None if table.offers is None else [{"seat": int(s), "offer": number} for s, number in table.offers],
        "seats": [_seat(table, seat, viewer) for seat in table.seats],
    }


def _seat(table: CrusadeTable, seat: Seat, viewer: Viewer) -> dict[str, Any]:
    public = {
        "loyalty": table.loyalty.get(seat),
        "pp": table.pp[seat],
        "character": table.characters.get(seat),
        "last_character": table.last_characters.get(seat),
        "cards": len(table.hands[seat]),
        "counselors": len(table.counselors[seat]),
        "revealed": list(table.revealed[seat]),
    }
    if viewer not in (seat, HOST):
        return public
    return {
        **public,
        "hand": table.held(seat),
        "counselor_names": names_held(table, seat),
        "sealed": table.sealed.get(seat),
    }

"""What a viewer may know of the table, built from nothing, as the contract names it."""

from __future__ import annotations

from typing import Any

from server.rules.intrigues.table import Agent, Colour, Field, IntriguesTable, Piece, Royal
from server.rules.playing import Position
from server.rules.telling import HOST, Seat, Viewer


def position(table: IntriguesTable, viewer: Viewer) -> Position:
    shown: Position = {
        "boxes": [
            {"richelieu": field(box.richelieu, viewer), "opposing": field(box.opposing, viewer)} for box in table.boxes
        ],
        "cardinal": table.cardinal,
        "stacks": {name: len(stack) for name, stack in table.stacks.items()},
        "city": {"agents": city(table, viewer), "jewels": table.city_jewels},
        "seats": [seat_as_seen(table, seat, viewer) for seat in table.seats],
        "turn": {
            "seat": int(table.turn.seat),
            "action": table.turn.action,
            "of": table.turn.of,
            "agents_placed": table.turn.agents_placed,
        },
        "resolving": table.resolving.number if table.resolving else None,
    }
    if "neutral" in table.hands:
        shown["neutral_agents"] = values(table, "neutral")
    return shown


def field(lying: Field, viewer: Viewer) -> dict[str, Any] | None:
    sheet = lying.sheet
    if sheet is None:
        return None
    spots = [
        {"cost": cost, "piece": piece(spot.piece, viewer)} for cost, spot in zip(sheet.costs, lying.spots, strict=True)
    ]
    return {"sheet": sheet.name, "spots": spots}


def piece(lying: Piece | None, viewer: Viewer) -> dict[str, Any] | None:
    if lying is None:
        return None
    if isinstance(lying, Royal):
        return {lying.value: True}
    return {
        "owner": owner(lying.colour),
        "value": lying.card.read(viewer),
        "face": "up" if lying.face_up else "down",
    }


def owner(colour: Colour) -> int | str:
    return int(colour) if isinstance(colour, Seat) else colour


def city(table: IntriguesTable, viewer: Viewer) -> list[dict[str, Any] | None]:
    agents: list[Agent] = sorted(table.city, key=lambda agent: (str(agent.colour), agent.value))
    return [piece(agent, viewer) for agent in agents]


def values(table: IntriguesTable, colour: Colour) -> list[int]:
    return sorted(agent.value for agent in table.hands[colour])


def seat_as_seen(table: IntriguesTable, seat: Seat, viewer: Viewer) -> dict[str, Any]:
    """Public things first, then what stands behind the screen, as far as the viewer looks behind it."""
    behind_screen = table.over or viewer in (seat, HOST)
    shown: dict[str, Any] = {
        "prestige": table.prestige[seat],
        "income": table.income[seat],
        "military": table.military[seat],
        "sheets": list(table.sheets[seat]) if behind_screen else len(table.sheets[seat]),
        "agents_in_hand": len(table.hands[seat]),
    }
    if behind_screen:
        shown["agents"] = values(table, seat)
    if behind_screen or table.open_coffers:
        shown["money"] = table.money[seat]
        shown["jewels"] = table.jewels[seat]
    colour = table.neutral.get(seat)
    if colour is not None and colour != "neutral":
        shown["neutral_in_hand"] = len(table.hands[colour])
        if behind_screen:
            shown["neutral_agents"] = values(table, colour)
    return shown

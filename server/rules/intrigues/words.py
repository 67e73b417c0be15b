"""The position in words, for mails: own secrets first, then everybody, then the boxes. At most 40 columns a line."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

from server.rules.intrigues.edition import Bonus, Edition, Sheet
from server.rules.intrigues.wording import WORDS, bonus_words
from server.rules.playing import Position
from server.rules.telling import Viewer, say

COLUMNS = 40


def position_words(edition: Edition, position: Position, names: Sequence[str], viewer: Viewer) -> list[str]:
    lines: list[str] = []
    if isinstance(viewer, int):
        lines += [*own_words(edition, position["seats"][viewer - 1]), ""]
    lines += [*state_words(position, names), ""]
    for number, seat in enumerate(position["seats"], 1):
        lines += seat_words(seat, names[number - 1], behind_screen=viewer != number)
    for number, box in enumerate(position["boxes"], 1):
        lines += ["", *box_words(edition, number, box, _Owners(names, viewer), position["resolving"] == number)]
    lines += ["", *city_words(position["city"], _Owners(names, viewer))]
    return [fitted for line in lines for fitted in fit(line)]


def fit(line: str) -> list[str]:
    """The line, or its pieces when it is too long."""
    if len(line) <= COLUMNS:
        return [line]
    return textwrap.wrap(line, COLUMNS, subsequent_indent="    ")


def own_words(edition: Edition, seat: dict[str, Any]) -> Iterator[str]:
    yield f"Your agents: {row(seat['agents'])}"
    if "neutral_agents" in seat:
        yield f"Your neutral agents: {row(seat['neutral_agents'])}"
    yield f"Your money: {seat['money']}"
    yield f"Your jewels: {seat['jewels']}"
    yield f"Your sheets: {sheet_names(seat['sheets'])}"
    if seat["military"] < edition.military_end:
        yield f"Your next commission costs {edition.military_costs[seat['military']]}"


def state_words(position: Position, names: Sequence[str]) -> Iterator[str]:
    turn = position["turn"]
    if any(box["richelieu"] for box in position["boxes"]):
        yield f"Turn of {names[turn['seat'] - 1]}: action {turn['action']} of {turn['of']}"
    yield f"The Cardinal stands on {position['cardinal']}"
    if "neutral_agents" in position:
        yield f"Neutral agents: {row(position['neutral_agents'])}"
    stacks = position["stacks"]
    yield f"Sheets to come: {stacks['richelieu']} and {stacks['opposition']}"


def seat_words(seat: dict[str, Any], name: str, *, behind_screen: bool) -> Iterator[str]:
    """One player's public state; what is seen behind another's screen too."""
    yield f"{name}:"
    yield f"  prestige {seat['prestige']}, income {seat['income']}, military {seat['military']}"
    sheets = seat["sheets"]
    yield f"  sheets {sheets if isinstance(sheets, int) else len(sheets)}, agents in hand {seat['agents_in_hand']}"
    if "neutral_in_hand" in seat:
        yield f"  neutral agents in hand {seat['neutral_in_hand']}"
    if not behind_screen:
        return
    if "money" in seat:
        yield f"  money {seat['money']}, jewels {seat['jewels']}"
    if "agents" in seat:
        yield f"  agents {row(seat['agents'])}"
        yield f"  sheets {sheet_names(sheets)}"
    if "neutral_agents" in seat:
        yield f"  neutral agents {row(seat['neutral_agents'])}"


def box_words(edition: Edition, number: int, box: dict[str, Any], owners: _Owners, resolving: bool) -> Iterator[str]:
    if box["richelieu"] is None:
        yield f"Box {number} is empty"
        return
    if resolving:
        yield f"Box {number}, being resolved"
    elif any(all(spot["piece"] for spot in field["spots"]) for field in box.values()):
        yield f"Box {number}, complete: it waits"
    else:
        yield f"Box {number}"
    for side, letter in (("richelieu", "R"), ("opposing", "O")):
        yield from sheet_words(edition.sheets[box[side]["sheet"]])
        for index, spot in enumerate(box[side]["spots"], 1):
            yield f"  {letter}{number}.{index} cost {spot['cost']}: {owners.piece(spot['piece'])}"


@cache
def sheet_words(sheet: Sheet) -> tuple[str, ...]:
    return (
        f"{sheet.title}, Cardinal {signed(sheet.cardinal)}",
        f"  1st: {bonus_text(sheet.first)}",
        f"  2nd: {bonus_text(sheet.second)}",
    )


def city_words(city: dict[str, Any], owners: _Owners) -> Iterator[str]:
    yield f"City: jewels {city['jewels']}"
    by_owner: dict[Any, list[int]] = {}
    for agent in city["agents"]:
        by_owner.setdefault(agent["owner"], []).append(agent["value"])
    for owner, values in by_owner.items():
        yield f"  {owners.name(owner)}: {row(values)}"


class _Owners:
    """How the viewer reads the owners of pieces."""

    def __init__(self, names: Sequence[str], viewer: Viewer) -> None:
        self._names: dict[int | str, str] = dict(enumerate(names, 1))
        self._names["neutral"] = "neutral"
        for number, name in enumerate(names[:2], 1):
            self._names[f"neutral {number}"] = "your neutral" if number == viewer else f"neutral of {name}"
        if isinstance(viewer, int):
            self._names[viewer] = "you"

    def name(self, owner: int | str) -> str:
        return self._names[owner]

    def piece(self, piece: dict[str, Any] | None) -> str:
        if piece is None:
            return "empty"
        if "owner" not in piece:
            return "the Queen" if "queen" in piece else "the Éminence Grise"
        value = "" if piece["value"] is None else f" {number_text(piece['value'])}"
        return f"{self.name(piece['owner'])}{value}, face {piece['face']}"


def row(values: Sequence[int]) -> str:
    return " ".join(map(number_text, values)) or "none"


def sheet_names(sheets: Sequence[str]) -> str:
    return ", ".join(WORDS[sheet] for sheet in sheets) or "none"


def bonus_text(bonus: Bonus) -> str:
    return ", ".join(say(symbol, None, ()) for symbol in bonus_words(bonus))


def number_text(number: int) -> str:
    return str(number).replace("-", "−")


def signed(number: int) -> str:
    return f"+{number}" if number > 0 else number_text(number)

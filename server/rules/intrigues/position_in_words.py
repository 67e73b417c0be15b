"""The position in words, for mails: own secrets first, then everybody, then the boxes. At most 40 columns a line."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from typing import Any

from server.rules.intrigues.edition import Bonus, Edition, Sheet
from server.rules.intrigues.wording import bonus_words
from server.rules.playing import Position
from server.rules.telling import Reading, Speech, Viewer

COLUMNS = 40


def position_in_words(
    edition: Edition, position: Position, names: Sequence[str], viewer: Viewer, speech: Speech
) -> list[str]:
    words = _Words(edition, names, viewer, speech)
    return [fitted for line in words.position(position) for fitted in fit(line)]


def fit(line: str) -> list[str]:
    """The line, or its pieces when it is too long."""
    if len(line) <= COLUMNS:
        return [line]
    return textwrap.wrap(line, COLUMNS, subsequent_indent="    ")


class _Words(Reading):
    """A position in one language, as the viewer reads it."""

    def __init__(self, edition: Edition, names: Sequence[str], viewer: Viewer, speech: Speech) -> None:
        super().__init__(names, viewer, speech)
        self.edition = edition
        self.owners: dict[int | str, str] = dict(enumerate(names, 1))
        self.owners["neutral"] = self.say("neutral")
        for number, name in enumerate(names[:2], 1):
            mine = number == viewer
            self.owners[f"neutral {number}"] = (
                self.say("your neutral") if mine else self.say("neutral of {name}", name=name)
            )
        if isinstance(viewer, int):
            self.owners[viewer] = self.say("you")

    def position(self, position: Position) -> Iterator[str]:
        if isinstance(self.viewer, int):
            yield from self.own(position["seats"][self.viewer - 1])
            yield ""
        yield from self.state(position)
        yield ""
        for number, seat in enumerate(position["seats"], 1):
            yield from self.seat(seat, self.names[number - 1], behind_screen=self.viewer != number)
        for number, box in enumerate(position["boxes"], 1):
            yield ""
            yield from self.box(number, box, resolving=position["resolving"] == number)
        yield ""
        yield from self.city(position["city"])

    def own(self, seat: dict[str, Any]) -> Iterator[str]:
        yield self.say("Your agents: {agents}", agents=self.row(seat["agents"]))
        if "neutral_agents" in seat:
            yield self.say("Your neutral agents: {agents}", agents=self.row(seat["neutral_agents"]))
        yield self.say("Your money: {number}", number=seat["money"])
        yield self.say("Your jewels: {number}", number=seat["jewels"])
        yield self.say("Your sheets: {sheets}", sheets=self.sheets(seat["sheets"]))
        if seat["military"] < self.edition.military_end:
            yield self.say("Your next commission costs {cost}", cost=self.edition.military_costs[seat["military"]])

    def state(self, position: Position) -> Iterator[str]:
        turn = position["turn"]
        if any(box["richelieu"] for box in position["boxes"]):
            name = self.names[turn["seat"] - 1]
            yield self.say("Turn of {name}: action {number} of {of}", name=name, number=turn["action"], of=turn["of"])
        yield self.say("The Cardinal stands on {space}", space=position["cardinal"])
        if "neutral_agents" in position:
            yield self.say("Neutral agents: {agents}", agents=self.row(position["neutral_agents"]))
        stacks = position["stacks"]
        yield self.say(
            "Sheets to come: {richelieu} and {opposing}", richelieu=stacks["richelieu"], opposing=stacks["opposition"]
        )

    def seat(self, seat: dict[str, Any], name: str, *, behind_screen: bool) -> Iterator[str]:
        """One player's public state; what is seen behind another's screen too."""
        yield f"{name}:"
        yield "  " + self.say(
            "prestige {prestige}, income {income}, military {military}",
            prestige=seat["prestige"],
            income=seat["income"],
            military=seat["military"],
        )
        sheets = seat["sheets"]
        yield "  " + self.say(
            "sheets {sheets}, agents in hand {agents}",
            sheets=sheets if isinstance(sheets, int) else len(sheets),
            agents=seat["agents_in_hand"],
        )
        if "neutral_in_hand" in seat:
            yield "  " + self.say("neutral agents in hand {number}", number=seat["neutral_in_hand"])
        if not behind_screen:
            return
        if "money" in seat:
            yield "  " + self.say("money {money}, jewels {jewels}", money=seat["money"], jewels=seat["jewels"])
        if "agents" in seat:
            yield "  " + self.say("agents {agents}", agents=self.row(seat["agents"]))
            yield "  " + self.say("sheets {sheets}", sheets=self.sheets(sheets))
        if "neutral_agents" in seat:
            yield "  " + self.say("neutral agents {agents}", agents=self.row(seat["neutral_agents"]))

    def box(self, number: int, box: dict[str, Any], *, resolving: bool) -> Iterator[str]:
        if box["richelieu"] is None:
            yield self.say("Box {number} is empty", number=number)
            return
        if resolving:
            yield self.say("Box {number}, being resolved", number=number)
        elif any(all(spot["piece"] for spot in field["spots"]) for field in box.values()):
            yield self.say("Box {number}, complete: it waits", number=number)
        else:
            yield self.say("Box {number}", number=number)
        for side, letter in (("richelieu", "R"), ("opposing", "O")):
            yield from self.sheet(self.edition.sheets[box[side]["sheet"]])
            for index, spot in enumerate(box[side]["spots"], 1):
                yield "  " + self.say(
                    "{spot} cost {cost}: {piece}",
                    spot=f"{letter}{number}.{index}",
                    cost=spot["cost"],
                    piece=self.piece(spot["piece"]),
                )

    def sheet(self, sheet: Sheet) -> Iterator[str]:
        yield self.say("{sheet}, Cardinal {steps}", sheet=self.word(sheet.name), steps=signed(sheet.cardinal))
        yield "  " + self.say("1st: {bonus}", bonus=self.bonus(sheet.first))
        yield "  " + self.say("2nd: {bonus}", bonus=self.bonus(sheet.second))

    def city(self, city: dict[str, Any]) -> Iterator[str]:
        yield self.say("City: jewels {number}", number=city["jewels"])
        by_owner: dict[Any, list[int]] = {}
        for agent in city["agents"]:
            by_owner.setdefault(agent["owner"], []).append(agent["value"])
        for owner, values in by_owner.items():
            yield f"  {self.owners[owner]}: {self.row(values)}"

    def piece(self, piece: dict[str, Any] | None) -> str:
        if piece is None:
            return self.say("empty")
        if "owner" not in piece:
            return self.say("the Queen") if "queen" in piece else self.say("the Éminence Grise")
        value = "" if piece["value"] is None else f" {number_text(piece['value'])}"
        owned = f"{self.owners[piece['owner']]}{value}"
        if piece["face"] == "up":
            return self.say("{agent}, face up", agent=owned)
        return self.say("{agent}, face down", agent=owned)

    def row(self, values: Sequence[int]) -> str:
        return " ".join(map(number_text, values)) or self.say("none")

    def sheets(self, sheets: Sequence[str]) -> str:
        return ", ".join(map(self.word, sheets)) or self.say("none")

    def bonus(self, bonus: Bonus) -> str:
        return ", ".join(self.read(symbol) for symbol in bonus_words(bonus))


def number_text(number: int) -> str:
    return str(number).replace("-", "−")


def signed(number: int) -> str:
    return f"+{number}" if number > 0 else number_text(number)

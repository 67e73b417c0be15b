"""The end of a match as one picture: the result above the table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import ModuleType
from typing import Any, Final

from server.boards.colours import Theme
from server.boards.pen import LEFT, RIGHT, Pen, box, number, rule, text, use
from server.boards.text import SIZE, fitted
from server.rules.playing import Game
from server.speech import speech_of

ROW: Final = 28
BAR: Final = 110
"""How long the bar of the most points is."""


def draw(
    board: ModuleType,
    game: Game,
    position: Mapping[str, Any],
    names: Sequence[str],
    outcome: Mapping[str, Any],
    theme: Theme,
) -> str:
    pen = Pen(theme, names, {})
    height = board.draw(pen, position, None)
    table = "".join(pen.parts)
    pen.parts.clear()
    top = _result(pen, game, outcome)
    pen.add(f'<g transform="translate(0 {top:g})">{table}</g>')
    said = f"{_won(game, pen.names, outcome['winners'])} {board.alt_text(position, pen.names, None)}"
    return pen.finish(said, top + height)


def _result(pen: Pen, game: Game, outcome: Mapping[str, Any]) -> float:
    """Where the table may begin below it."""
    room = RIGHT - LEFT
    pen.add(text(LEFT, 20, fitted(f"{game.title} · Estafette", room), "soft"))
    pen.add(text(LEFT, 42, fitted(_won(game, pen.names, outcome["winners"]), room * SIZE / 15, SIZE, True), "b lg"))
    y = 56.0
    most = max(1, *(score["total"] for score in outcome["scores"])) if outcome["scores"] else 1
    for score in sorted(outcome["scores"], key=lambda each: -each["total"]):
        seat, total = score["seat"], score["total"]
        told = number(total)
        pen.add(use(f"s{seat}", LEFT + 12, y + 12))
        own_room = RIGHT - BAR - 40 - (LEFT + 30)
        style = "b" if seat in outcome["winners"] else ""
        pen.add(text(LEFT + 30, y + 16, fitted(pen.names[seat - 1], own_room, SIZE, True), style))
        pen.add(box(RIGHT - BAR - 34, y + 5, max(2, round(BAR * max(0, total) / most)), 14, f"s{seat}"))
        pen.add(text(RIGHT, y + 16, told, "e b" if style else "e"))
        y += ROW
    pen.add(rule(y + 4))
    return y + 10


def _won(game: Game, names: Sequence[str], winners: Sequence[int]) -> str:
    told = ", ".join(names[seat - 1] for seat in winners)
    speech = speech_of(game)
    return speech.say("{seat} wins.", seat=told) if len(winners) == 1 else speech.say("Winners: {seats}.", seats=told)

"""Boards as pictures: the SVG of a position, made from the position alone, and the same said in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import ModuleType
from typing import Any, Final

from server.boards import chart, colours, crusade, intrigues, regions, souvenir
from server.boards.colours import Theme
from server.boards.pen import Pen
from server.rules import GAMES
from server.rules.telling import Viewer

BOARDS: Final[Mapping[str, ModuleType]] = {"regions": regions, "intrigues": intrigues, "crusade": crusade}


def drawing(
    game: str,
    position: Mapping[str, Any],
    names: Sequence[str],
    viewer: Viewer,
    *,
    theme: Theme = "page",
    links: Mapping[str, str] | None = None,
) -> str:
    """The position as SVG text, 360 units wide, as far as `position` shows it.

    links   where a place leads, by the word that names it in moves ("1L", "R2.3", "merchant"), or a place with others
            in it by the beginning of their words ("2" of "2.5")
    """
    board = BOARDS[game]
    pen = Pen(theme, names, links or {})
    height = board.draw(pen, position, viewer)
    return pen.finish(board.alt_text(position, pen.names, viewer), height)


def alt_text(game: str, position: Mapping[str, Any], names: Sequence[str], viewer: Viewer) -> str:
    """The position in some sentences, for those who do not see the picture."""
    said: str = BOARDS[game].alt_text(position, names, viewer)
    return said


def course(game: str, names: Sequence[str], moves: Sequence[int], points: Sequence[Sequence[int]], **words: str) -> str:
    """How the points of a match went, as SVG text for a page: `points[k]` are those of all seats after `moves[k]`."""
    return chart.chart(names, moves, points, BOARDS[game].SIGNS, **words)


def the_end(
    game: str, position: Mapping[str, Any], names: Sequence[str], outcome: Mapping[str, Any], *, theme: Theme = "light"
) -> str:
    """A finished match to show around: who won with how many points, and the table as it lay, as SVG text."""
    return souvenir.draw(BOARDS[game], GAMES[game], position, names, outcome, theme)


def stylesheet() -> str:
    """What a page with drawings needs in its style sheet."""
    return colours.for_pages()

"""Boards as pictures: the SVG of a position, made from the position alone, and the same said in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import ModuleType
from typing import Any, Final

from server.boards import colours, crusade, intrigues, regions
from server.boards.colours import Theme
from server.boards.pen import Pen
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

    links   where a place leads, by the word that names it in moves ("1L", "R2.3", "merchant")
    """
    board = BOARDS[game]
    pen = Pen(theme, names, links or {})
    height = board.draw(pen, position, viewer)
    return pen.finish(board.alt_text(position, pen.names, viewer), height)


def alt_text(game: str, position: Mapping[str, Any], names: Sequence[str], viewer: Viewer) -> str:
    """The position in some sentences, for those who do not see the picture."""
    said: str = BOARDS[game].alt_text(position, names, viewer)
    return said


def stylesheet() -> str:
    """What a page with drawings needs in its style sheet."""
    return colours.for_pages()

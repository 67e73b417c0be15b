"""How wide a text is, and how it is made to fit: drawings have no line breaks and no ellipsis of their own."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import Final

from server.boards.font import ADVANCES

SIZE: Final = 12.0
_UNKNOWN: Final = 0.66
_WIDE: Final = 1.3

_TURNING: Final = (*range(0x20), *range(0x7F, 0xA0), 0x200E, 0x200F, *range(0x2028, 0x202F), *range(0x2066, 0x206A))
_ESCAPES: Final = str.maketrans(
    {"<": "&lt;", ">": "&gt;", "&": "&amp;", '"': "&quot;", "'": "&#39;", **dict.fromkeys(map(chr, _TURNING), "")}
)
_NOT_XML: Final = re.compile("[\ud800-\udfff\ufffe\uffff]")


def escaped(said: str) -> str:
    """Fit to stand in a drawing: nothing ends the text, turns its direction or is no character of XML."""
    plain = said.translate(_ESCAPES)
    return plain if plain.isascii() else _NOT_XML.sub("", plain)


def in_our_font(said: str) -> str:
    """What of a text a picture can show."""
    return " ".join("".join(glyph for glyph in said if glyph in ADVANCES[False]).split())


@lru_cache(maxsize=4096)
def width(said: str, size: float = SIZE, bold: bool = False) -> float:
    """How wide the text is drawn in our font; what it lacks is guessed."""
    advances = ADVANCES[bold]
    return sum(advances.get(glyph) or _guessed(glyph) for glyph in said) * size


def _guessed(glyph: str) -> float:
    if unicodedata.combining(glyph):
        return 0
    if unicodedata.east_asian_width(glyph) in "WF" or unicodedata.category(glyph) == "So":
        return _WIDE
    return _UNKNOWN


@lru_cache(maxsize=4096)
def fitted(said: str, room: float, size: float = SIZE, bold: bool = False) -> str:
    """The text, or as much of its beginning as fits with an ellipsis."""
    if width(said, size, bold) <= room:
        return said
    while said and width(f"{said}…", size, bold) > room:
        said = said[:-1]
    return f"{said.rstrip()}…"


@lru_cache(maxsize=1024)
def wrapped(said: str, room: float, size: float = SIZE) -> tuple[str, ...]:
    """The text in lines; a word that is longer than a line is cut. No-break spaces hold."""
    lines: list[str] = []
    for word in said.split(" ") if said else ():
        longer = f"{lines[-1]} {word}" if lines else word
        if lines and width(longer, size) <= room:
            lines[-1] = longer
        else:
            lines.append(fitted(word, room, size))
    return tuple(lines)

"""The font that we ship: which characters it has, and how far each moves the pen."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Final

FAMILY: Final = "Open Sans"
_FOLDER: Final = Path(__file__).parent / "font"
REGULAR: Final = _FOLDER / "OpenSans-Regular.ttf"
BOLD: Final = _FOLDER / "OpenSans-Semibold.ttf"


def advances(file: Path) -> dict[str, float]:
    """How far each character of a TrueType font moves the pen, as a part of the font size."""
    font = file.read_bytes()
    tables = {
        tag: offset
        for tag, _, offset, _ in struct.iter_unpack(">4sLLL", font[12 : 12 + 16 * struct.unpack_from(">H", font, 4)[0]])
    }
    (units,) = struct.unpack_from(">H", font, tables[b"head"] + 18)
    (metrics,) = struct.unpack_from(">H", font, tables[b"hhea"] + 34)
    return {
        chr(code): struct.unpack_from(">H", font, tables[b"hmtx"] + 4 * min(glyph, metrics - 1))[0] / units
        for code, glyph in _glyphs(font, tables[b"cmap"]).items()
    }


def _glyphs(font: bytes, cmap: int) -> dict[int, int]:
    """The glyph of each character, from the table's part of format 4 (the characters below U+10000)."""
    (parts,) = struct.unpack_from(">H", font, cmap + 2)
    offsets = [struct.unpack_from(">HHL", font, cmap + 4 + 8 * part)[2] for part in range(parts)]
    at = next(cmap + offset for offset in offsets if struct.unpack_from(">H", font, cmap + offset) == (4,))
    (twice,) = struct.unpack_from(">H", font, at + 6)
    ends, starts, deltas, jumps = (
        struct.unpack_from(f">{twice // 2}H", font, at + 14 + part * twice + 2 * bool(part)) for part in range(4)
    )
    found: dict[int, int] = {}
    for segment, (start, end, delta, jump) in enumerate(zip(starts, ends, deltas, jumps, strict=True)):
        for code in range(start, min(end, 0xFFFE) + 1):
            glyph = code
            if jump:
                place = at + 16 + 3 * twice + 2 * segment + jump + 2 * (code - start)
                (glyph,) = struct.unpack_from(">H", font, place)
            if (glyph + delta) & 0xFFFF and (glyph or not jump):
                found[code] = (glyph + delta) & 0xFFFF
    return found


ADVANCES: Final = {False: advances(REGULAR), True: advances(BOLD)}
"""Of the regular font, and of the bold one."""

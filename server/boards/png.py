"""Drawings as PNG for mails: twice as large, in few colours.

resvg draws each sign and each letter once; they are put together and packed here. A board that resvg draws whole takes
six times as long and three times the room: most of both goes into packing four bytes a pixel. What is read here is
what `pen` writes, not SVG in general.
"""

from __future__ import annotations

import struct
import zlib
from functools import lru_cache
from typing import Final, NamedTuple
from xml.etree import ElementTree

import resvg_py

from server.boards.colours import SHADES, SIZES
from server.boards.font import ADVANCES, BOLD, FAMILY, REGULAR
from server.boards.text import SIZE, width

SCALE: Final = 2
KEPT: Final = 128
"""So many pictures are kept: a reminder shows what the letter before it showed."""

_LEVELS: Final = 6
"""From the ground to the full colour, at the edges of letters and signs."""

_REACH: Final = 14.0
"""How far a sign reaches from its middle at the most."""

_SVG: Final = "{http://www.w3.org/2000/svg}"
_SHADE: Final = {name: index for index, name in enumerate(SHADES)}
_FONTS: Final = [str(REGULAR), str(BOLD)]
_PNG: Final = b"\x89PNG\r\n\x1a\n"


@lru_cache(maxsize=KEPT)
def picture(svg: str) -> bytes:
    """The PNG of a drawing that stands alone (theme `light` or `dark`)."""
    drawing = ElementTree.fromstring(svg)  # noqa: S314 - our own: it comes from `drawing`
    _, _, wide, high = map(float, drawing.attrib["viewBox"].split())
    canvas = _Canvas(round(wide * SCALE), round(high * SCALE), ground=int(drawing.attrib["class"] == "dark"))
    known = {f"#{each.attrib['id']}": each for each in drawing.iterfind(f"{_SVG}defs/{_SVG}g")}
    for part in drawing:
        _draw(canvas, part, known, 0, 0)
    return canvas.packed()


def _draw(
    canvas: _Canvas, part: ElementTree.Element, known: dict[str, ElementTree.Element], x: float, y: float
) -> None:
    """One element and what is in it, with its origin moved to x, y."""
    told = part.attrib
    match part.tag.removeprefix(_SVG):
        case "g":
            if "transform" in told:
                right, down = told["transform"].removeprefix("translate(").removesuffix(")").split()
                x, y = x + float(right), y + float(down)
            for inner in part:
                _draw(canvas, inner, known, x, y)
        case "use":
            x, y = x + float(told.get("x", 0)), y + float(told.get("y", 0))
            for inner in known[told["href"]]:
                _draw(canvas, inner, known, x, y)
        case "text":
            _write(canvas, part.text or "", told.get("class", "").split(), x + float(told["x"]), y + float(told["y"]))
        case "rect":
            _fill(canvas, told, x, y)
        case "path" | "circle":
            style = told["class"].split()
            canvas.stamp(_sign(part.tag, told.get("d", told.get("r", ""))), x, y, _SHADE[style[0]])
        case "title" | "style" | "defs":
            pass
        case other:
            raise ValueError(f"A drawing has no <{other}>.")


def _fill(canvas: _Canvas, told: dict[str, str], x: float, y: float) -> None:
    """A box, its edge half within and half without."""
    style = told["class"].split()
    edge = next((name[2:] for name in style if name.startswith("l-")), "")
    thick = 3 if "w3" in style else 2 if "w2" in style else int(bool(edge))
    left, top = x + float(told.get("x", 0)) - thick / 2, y + float(told.get("y", 0)) - thick / 2
    right, bottom = left + float(told["width"]) + thick, top + float(told["height"]) + thick
    if edge:
        canvas.fill(left, top, right, top + thick, _SHADE[edge])
        canvas.fill(left, bottom - thick, right, bottom, _SHADE[edge])
        canvas.fill(left, top, left + thick, bottom, _SHADE[edge])
        canvas.fill(right - thick, top, right, bottom, _SHADE[edge])
    if style[0] != "no":
        canvas.fill(left + thick, top + thick, right - thick, bottom - thick, _SHADE[style[0]])


def _write(canvas: _Canvas, said: str, style: list[str], x: float, y: float) -> None:
    size, bold = next((SIZES[name] for name in style if name in SIZES), SIZE), "b" in style
    shade = next((_SHADE[name] for name in style if name in _SHADE), _SHADE["ink"])
    if "m" in style:
        x -= width(said, size, bold) / 2
    elif "e" in style:
        x -= width(said, size, bold)
    ground = canvas.shade_at(x, y - size / 3)
    for letter in said:
        canvas.stamp(_letter(letter, size, bold), x, y, shade, ground)
        x += width(letter, size, bold)


class _Run(NamedTuple):
    """A stretch of one row of pixels: where it begins, and how much of its colour each pixel has."""

    down: int
    right: int
    levels: bytes


_Mask = tuple[_Run, ...]


class _Canvas:
    """Rows of pixels, each a number in the palette: first the shades, then what is between two of them."""

    def __init__(self, wide: int, high: int, *, ground: int) -> None:
        self.wide = wide
        self.rows = [bytearray(wide) for _ in range(high)]
        self._palette = [bytes.fromhex(shades[ground][1:]) for shades in SHADES.values()]
        self._blends: dict[tuple[int, int], bytes] = {}

    def fill(self, left: float, top: float, right: float, bottom: float, shade: int) -> None:
        at, end = round(left * SCALE), round(right * SCALE)
        stretch = bytes([shade]) * (end - at)
        for row in self.rows[round(top * SCALE) : round(bottom * SCALE)]:
            row[at:end] = stretch

    def shade_at(self, x: float, y: float) -> int:
        return self.rows[round(y * SCALE)][round(x * SCALE)]

    def stamp(self, mask: _Mask, x: float, y: float, shade: int, ground: int | None = None) -> None:
        """A letter or a sign, over one ground."""
        left, top = round(x * SCALE), round(y * SCALE)
        blend = self._blend(self.rows[top][left] if ground is None else ground, shade)
        for down, right, levels in mask:
            at = left + right
            self.rows[top + down][at : at + len(levels)] = levels.translate(blend)

    def _blend(self, ground: int, shade: int) -> bytes:
        """From a level to a number in the palette."""
        if (ground, shade) not in self._blends:
            under, over = self._palette[ground], self._palette[shade]
            between = [
                self._number(bytes(round(a + (b - a) * level / _LEVELS) for a, b in zip(under, over, strict=True)))
                for level in range(1, _LEVELS)
            ]
            self._blends[ground, shade] = bytes([ground, *between, shade]).ljust(256, b"\0")
        return self._blends[ground, shade]

    def _number(self, colour: bytes) -> int:
        if len(self._palette) < 256:
            self._palette.append(colour)
            return len(self._palette) - 1
        return min(
            range(256), key=lambda number: sum((a - b) ** 2 for a, b in zip(self._palette[number], colour, strict=True))
        )

    def packed(self) -> bytes:
        head = struct.pack(">2L5B", self.wide, len(self.rows), 8, 3, 0, 0, 0)
        pixels = zlib.compress(b"".join(b"\0" + row[: self.wide] for row in self.rows), 6)
        chunks = ((b"IHDR", head), (b"PLTE", b"".join(self._palette)), (b"IDAT", pixels), (b"IEND", b""))
        return _PNG + b"".join(map(_chunk, chunks))


def _chunk(told: tuple[bytes, bytes]) -> bytes:
    kind, data = told
    return struct.pack(">L", len(data)) + kind + data + struct.pack(">L", zlib.crc32(kind + data))


# What resvg draws


@lru_cache(maxsize=4096)
def _letter(letter: str, size: float, bold: bool) -> _Mask:
    style = f'font-family="{FAMILY}" font-size="{size:g}" font-weight="{600 if bold else 400}"'
    text = f"<text {style}>&#{ord(letter)};</text>" if letter in ADVANCES[bold] and letter != " " else ""
    return _mask(text, -2, -18, 2 * size, 6) if text else ()


@lru_cache(maxsize=256)
def _sign(tag: str, told: str) -> _Mask:
    drawn = f'<path d="{told}"/>' if tag.endswith("path") else f'<circle r="{told}"/>'
    return _mask(drawn, -_REACH, -_REACH, _REACH, _REACH)


def _mask(drawn: str, left: float, top: float, right: float, bottom: float) -> _Mask:
    """What is drawn within these bounds around the origin."""
    wide, high = right - left, bottom - top
    svg = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{left} {top} {wide} {high}">{drawn}</svg>'
    png = resvg_py.svg_to_bytes(svg_string=svg, width=round(wide * SCALE), skip_system_fonts=True, font_files=_FONTS)
    runs = []
    for down, row in enumerate(_opacity(bytes(png)), round(top * SCALE)):
        levels = bytes(round(each * _LEVELS / 255) for each in row)
        begin = len(levels) - len(levels.lstrip(b"\0"))
        if levels.strip(b"\0"):
            runs.append(_Run(down, begin + round(left * SCALE), levels.strip(b"\0")))
    return tuple(runs)


def _opacity(png: bytes) -> list[bytes]:
    """The rows of a PNG of four bytes a pixel, and of each pixel the fourth."""
    wide = struct.unpack_from(">L", png, 16)[0]
    packed, at = b"", len(_PNG)
    while at < len(png):
        (size,) = struct.unpack_from(">L", png, at)
        packed += png[at + 8 : at + 8 + size] if png[at + 4 : at + 8] == b"IDAT" else b""
        at += size + 12
    lines = zlib.decompress(packed)
    rows, above = [], bytes(wide)
    for start in range(0, len(lines), 4 * wide + 1):
        above = _unfiltered(lines[start], lines[start + 4 : start + 4 * wide + 1 : 4], above)
        rows.append(above)
    return rows


def _unfiltered(kind: int, row: bytes, above: bytes) -> bytes:
    """A row as it was before PNG's filter of that kind."""
    left, corner = 0, 0
    plain = bytearray()
    for each, up in zip(row, above, strict=True):
        guess = (0, left, up, (left + up) // 2, _paeth(left, up, corner))[kind]
        left, corner = (each + guess) & 0xFF, up
        plain.append(left)
    return bytes(plain)


def _paeth(left: int, up: int, corner: int) -> int:
    guess = left + up - corner
    return min((left, up, corner), key=lambda each: abs(guess - each))

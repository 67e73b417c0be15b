"""The pictures of mails: what resvg would draw, small, quick to make, and never made twice."""

from __future__ import annotations

import base64
import re
import struct
import zlib
from typing import Any

import pytest
import resvg_py

from server import boards
from server.boards import font, png
from server.boards.colours import SHADES
from server.boards.pen import box, frame
from server.boards.png import picture
from tests.rules.matches import NAMES
from tests.server.drawings import Moment, moments

FONTS = [str(font.REGULAR), str(font.BOLD)]
MOST_OCTETS = 60_000

every_game = pytest.mark.parametrize("game", boards.BOARDS)


def of_game(game: str) -> list[Moment]:
    """Some moments of a game, with as many seats as it has."""
    of_it = [moment for moment in moments() if moment.case.game.name == game]
    most = max(moment.case.seats for moment in of_it)
    return [moment for moment in of_it if moment.case.seats == most][::9]


def drawn(moment: Moment, **how: Any) -> str:
    names = NAMES[: moment.case.seats]
    return boards.drawing(moment.case.game.name, moment.position, names, moment.viewer, **{"theme": "light"} | how)


def rows_of(picture_: bytes) -> tuple[list[bytes], list[bytes]]:
    """The rows of a picture of one octet a pixel, and its colours; every check sum is looked at."""
    assert picture_.startswith(b"\x89PNG\r\n\x1a\n")
    chunks, at = {}, 8
    while at < len(picture_):
        size, kind = struct.unpack_from(">L4s", picture_, at)
        data = picture_[at + 8 : at + 8 + size]
        assert struct.unpack_from(">L", picture_, at + 8 + size) == (zlib.crc32(kind + data),)
        chunks[kind], at = data, at + size + 12
    assert list(chunks) == [b"IHDR", b"PLTE", b"IDAT", b"IEND"]
    wide, high, *kind_of_picture = struct.unpack(">2L5B", chunks[b"IHDR"])
    assert kind_of_picture == [8, 3, 0, 0, 0]
    pixels = zlib.decompress(chunks[b"IDAT"])
    assert len(pixels) == high * (wide + 1)
    rows = [pixels[start + 1 : start + 1 + wide] for start in range(0, len(pixels), wide + 1)]
    colours = [chunks[b"PLTE"][start : start + 3] for start in range(0, len(chunks[b"PLTE"]), 3)]
    assert len(colours) <= 256
    assert max(map(max, rows)) < len(colours)
    return rows, colours


@every_game
def test_a_picture_is_twice_as_large_as_the_drawing_and_small_to_send(game):
    for moment in of_game(game):
        svg = drawn(moment)
        made = picture(svg)
        rows, _ = rows_of(made)
        height = float(re.search(r'viewBox="0 0 360 ([\d.]+)"', svg)[1])  # type: ignore[index]
        assert len(rows[0]) == 720
        assert len(rows) == round(2 * height)
        assert len(made) < MOST_OCTETS, moment


@pytest.mark.parametrize("theme", ["light", "dark"])
@every_game
def test_a_picture_is_what_resvg_draws(game, theme):
    """Both over each other, one taken from the other: next to nothing is left anywhere."""
    svg = drawn(of_game(game)[5], theme=theme)
    left = difference(svg, picture(svg))
    assert max(left) < 0.13
    assert sum(left) / len(left) < 0.012


def test_a_picture_that_lacks_a_word_or_has_a_wrong_colour_would_be_noticed():
    svg = drawn(of_game("regions")[1])
    without_a_word = re.sub(r"<text[^>]*>Still on the table[^<]*</text>", "", svg)
    for wrong in (without_a_word, svg.replace('class="r3"', 'class="r4"')):
        assert wrong != svg
        assert max(difference(svg, picture(wrong))) > 0.16


@every_game
def test_texts_are_in_the_picture(game):
    """Letters whose font is not found would simply not be drawn."""
    svg = drawn(of_game(game)[1])
    rows, colours = rows_of(picture(svg))
    without, _ = rows_of(picture(re.sub(r"(<text[^>]*>)[^<]*", r"\1", svg)))
    of_text = sum(
        one != other for row, bare in zip(rows, without, strict=True) for one, other in zip(row, bare, strict=True)
    )
    assert 10_000 < of_text < 200_000
    assert len(colours) > len(SHADES)


@pytest.mark.parametrize("thick", [1, 2])
def test_a_frame_has_its_edge_all_around_and_lies_on_whole_pixels(thick):
    inside = box(0, 0, 8, 7, "ground") + frame(1, 1, 6, 5, "face l-ink", thick)
    rows, _ = rows_of(
        picture(f'<svg xmlns="http://www.w3.org/2000/svg" class="light" viewBox="0 0 8 7">{inside}</svg>')
    )
    ground, face, ink = (bytes([list(SHADES).index(name)]) for name in ("ground", "face", "ink"))
    edge = ground * 2 + ink * 12 + ground * 2
    middle = ground * 2 + ink * 2 * thick + face * (12 - 4 * thick) + ink * 2 * thick + ground * 2
    across = [edge] * 2 * thick
    assert rows == [ground * 16] * 2 + across + [middle] * (10 - 4 * thick) + across + [ground * 16] * 2


@pytest.mark.parametrize("bold", [False, True])
def test_every_letter_of_the_font_is_drawn(bold):
    blank = [letter for letter in font.ADVANCES[bold] if not png._letter(letter, 12.0, bold)]
    assert blank == [" ", "\N{NO-BREAK SPACE}", "\N{SOFT HYPHEN}"]


def test_what_the_font_lacks_is_left_out():
    assert png._letter("王", 12.0, True) == ()


# Made once


def test_the_same_drawing_is_not_made_a_second_time(monkeypatch):
    picture.cache_clear()
    svg = drawn(of_game("regions")[0])
    first = picture(svg)
    monkeypatch.setattr(png, "_Canvas", None)
    assert picture(svg) is first


def test_only_so_many_pictures_are_kept():
    picture.cache_clear()
    drawing = '<svg xmlns="{}" class="light" viewBox="0 0 360 {}"></svg>'
    for height in range(1, png.KEPT + 20):
        picture(drawing.format("http://www.w3.org/2000/svg", height))
    assert picture.cache_info().currsize == png.KEPT


def test_two_processes_make_the_same_octets():
    svg = drawn(of_game("crusade")[2])
    made = picture(svg)
    for cache in (picture, png._letter, png._sign):
        cache.cache_clear()
    assert picture(svg) == made


def test_what_no_drawing_has_is_refused():
    with pytest.raises(ValueError, match="no <image>"):
        picture('<svg xmlns="http://www.w3.org/2000/svg" class="light" viewBox="0 0 360 10"><image/></svg>')


def difference(svg: str, made: bytes) -> list[float]:
    """How far our picture is from resvg's, from 0 to 1, smoothed, at points all over it."""
    high = float(re.search(r'viewBox="0 0 360 ([\d.]+)"', svg)[1])  # type: ignore[index]
    inside = svg[svg.index("<style>") : svg.rindex("</svg>")]
    ours = base64.b64encode(made).decode()
    into_alpha = "0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 .33 .34 .33 0 0"
    both = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 360 {high}">'
        '<filter id="smooth" color-interpolation-filters="sRGB" x="0" y="0" width="1" height="1">'
        f'<feColorMatrix values="{into_alpha}"/><feGaussianBlur stdDeviation="3"/></filter>'
        f'<g filter="url(#smooth)"><image href="data:image/png;base64,{ours}" width="360" height="{high}"/>'
        f'<g style="mix-blend-mode:difference">{inside}</g></g></svg>'
    )
    left = bytes(resvg_py.svg_to_bytes(svg_string=both, width=720, skip_system_fonts=True, font_files=FONTS))
    return [octet / 255 for row in png._opacity(left) for octet in row]

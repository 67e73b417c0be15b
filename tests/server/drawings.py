"""A drawing as an eye meets it: each text with its place, its colour and what it stands on."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from typing import Any
from xml.etree import ElementTree

from server.boards.colours import SHADES, SIZES
from server.boards.text import SIZE, width
from server.rules.telling import HOST, Viewer
from tests.rules.matches import CASES, Case, viewers

SVG = "{http://www.w3.org/2000/svg}"
LOOKS = 4
"""So many moments of each match are looked at, and its end."""


@dataclass(frozen=True)
class Moment:
    """A position of a match, as one viewer may know it."""

    case: Case
    moves: int
    viewer: Viewer
    position: dict[str, Any]
    answers: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.case} after {self.moves} moves, seen by {self.viewer}"


@cache
def moments() -> tuple[Moment, ...]:
    """Beginning, some moments between, and the end of a random match of each case, in everybody's eyes."""
    return tuple(moment for case in CASES for moment in _of(case))


def _of(case: Case) -> Iterator[Moment]:
    luck = random.Random(str(case))
    play = case.play("boards")
    wanted = {0, 1, *(luck.randint(2, 60 + 40 * case.seats) for _ in range(LOOKS - 2))}
    moves = 0
    while True:
        if moves in wanted or play.over:
            for viewer in (*viewers(play), HOST):
                asked = isinstance(viewer, int) and viewer in play.waiting_for()
                answers = tuple(play.decision(viewer).answers()) if asked else ()  # type: ignore[arg-type]
                yield Moment(case, moves, viewer, play.position(viewer), answers)
        if play.over:
            return
        seat = luck.choice(play.waiting_for())
        play.answer(seat, luck.choice(play.decision(seat).answers()))
        moves += 1


@dataclass(frozen=True)
class Box:
    """A surface: where it is and the name of its colour, None for a mere frame or ring."""

    left: float
    top: float
    right: float
    bottom: float
    shade: str | None

    def holds(self, x: float, y: float) -> bool:
        return self.left <= x <= self.right and self.top <= y <= self.bottom


@dataclass(frozen=True)
class Written:
    """A text: from where to where it goes, and the surface right beneath its middle."""

    said: str
    left: float
    right: float
    y: float
    size: float
    shade: str
    ground: Box


@dataclass
class Looked:
    """What there is to see; `places` by the name for programs, with what is said of each."""

    width: float
    height: float
    texts: list[Written] = field(default_factory=list)
    surfaces: list[Box] = field(default_factory=list)
    places: dict[str, str] = field(default_factory=dict)
    numbers: list[str] = field(default_factory=list)


def look(svg: str) -> Looked:
    """Reads a drawing, with or without the namespace."""
    whole = svg if "xmlns=" in svg else svg.replace("<svg ", f'<svg xmlns="{SVG[1:-1]}" ', 1)
    root = ElementTree.fromstring(whole)
    _, _, wide, high = map(float, root.attrib["viewBox"].split())
    looked = Looked(wide, high, surfaces=[Box(0, 0, wide, high, "ground")])
    known = {f"#{each.attrib['id']}": each for each in root.iterfind(f"{SVG}defs/{SVG}g")}
    for part in root:
        if part.tag != f"{SVG}defs":
            _look(looked, part, known, 0, 0)
    return looked


def _look(looked: Looked, part: ElementTree.Element, known: dict[str, ElementTree.Element], x: float, y: float) -> None:
    told = part.attrib
    looked.numbers += [told[name] for name in ("x", "y", "width", "height", "transform", "d", "r") if name in told]
    if "transform" in told:
        right, down = told["transform"].removeprefix("translate(").removesuffix(")").split()
        x, y = x + float(right), y + float(down)
    if "data-place" in told:
        assert told["data-place"] not in looked.places
        looked.places[told["data-place"]] = part.findtext(f"{SVG}title") or ""
    kind = part.tag.removeprefix(SVG)
    classes = told.get("class", "").split()
    shade = next((name for name in classes if name in SHADES), None)
    x, y = x + float(told.get("x", 0)), y + float(told.get("y", 0))
    if kind == "rect":
        looked.surfaces.append(Box(x, y, x + float(told["width"]), y + float(told["height"]), shade))
    elif kind in ("path", "circle"):
        looked.surfaces.append(Box(x - 9, y - 9, x + 9, y + 9, None if shade == "edge" else shade))
    elif kind == "text":
        looked.texts.append(_written(looked, part.text or "", classes, shade or "ink", x, y))
    for inner in known[told["href"]] if kind == "use" else part:
        _look(looked, inner, known, x, y)


def _written(looked: Looked, said: str, classes: list[str], shade: str, x: float, y: float) -> Written:
    size = next((SIZES[name] for name in classes if name in SIZES), SIZE)
    wide = width(said, size, "b" in classes)
    left = x - wide / 2 if "m" in classes else x - wide if "e" in classes else x
    ground = next(box for box in reversed(looked.surfaces) if box.shade and box.holds(left + wide / 2, y - size / 3))
    return Written(said, left, left + wide, y, size, shade, ground)

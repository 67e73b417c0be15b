"""What all boards are drawn with: texts, boxes, badges of the seats, and places that have a name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from emails.language import gettext as _
from server.boards.colours import SIZES, Theme, alone
from server.boards.font import ADVANCES
from server.boards.text import SIZE, escaped, fitted, in_our_font, width, wrapped

WIDTH: Final = 360
LEFT: Final = 6
RIGHT: Final = WIDTH - LEFT
LINE: Final = 16  # from one line of text to the next
FINGER: Final = 48  # as wide and as high as what a finger is to meet
_SHORT: Final = 2  # a single letter runs into nothing

_SEATS: Final = (
    '<circle r="10" class="s1"/>',
    '<path d="M-9.5-9.5h19v19h-19z" class="s2"/>',
    '<path d="M0-12 12 0 0 12-12 0z" class="s3"/>',
    '<path d="M-6-10h12l6 10-6 10h-12l-6-10z" class="s4"/>',
    '<path d="M0-12 11-3v13h-22v-13z" class="s5"/>',
    '<path d="M0 12 11 3v-13h-22v13z" class="s6"/>',
    '<path d="M-11-10h22l-4 10 4 10h-22l4-10z" class="s7"/>',
    '<path d="M-7-10h14l4 10-4 10h-14l-4-10z" class="s8"/>',
)
"""A shape for each seat, around its sign."""


class Pen:
    """Draws one board, piece by piece.

    theme   `page`: places are focusable and may lead somewhere, and the page's style sheet colours them
    names   as the drawing shows them: a picture leaves out what our font does not have
    links   where places lead, by the words that name them in moves ("1L", "R2.3", "merchant")
    """

    def __init__(self, theme: Theme, names: Sequence[str], links: Mapping[str, str]) -> None:
        self.theme = theme
        self.links = links
        self.names = (
            names
            if theme == "page"
            else [in_our_font(name) or _("Seat %(number)s", number=n) for n, name in enumerate(names, 1)]
        )
        self.parts: list[str] = []
        self.defs: list[str] = []

    def add(self, *parts: str) -> None:
        self.parts += parts

    def define(self, name: str, drawn: str) -> None:
        """Something that is drawn more than once, see `use`."""
        self.defs.append(f'<g id="d-{name}">{drawn}</g>')

    def define_seats(self, signs: Iterable[str]) -> None:
        """The badges "s1", "s2", …, each in its own shape around its own sign."""
        for number, (sign, shape) in enumerate(zip(signs, _SEATS[: len(self.names)], strict=False), 1):
            self.define(f"s{number}", f"{shape}{text(0, 4.5, sign, 'b m on')}")

    def place(
        self, words: Sequence[str], said: str, drawn: str, at: str = "", *, by: Sequence[str] | None = None
    ) -> str:
        """A place with its name in words; it leads where a link for one of its own words goes, or for one of `by`.

        `at` moves it.
        """
        inner = f"<title>{escaped(said)}</title>{drawn}"
        moved = f' transform="translate({at})"' if at else ""
        if self.theme != "page":
            return f'<g data-place="{words[0]}"{moved}>{inner}</g>'
        for word in words if by is None else by:
            if word in self.links:
                return f'<a href="{escaped(self.links[word])}" data-place="{words[0]}"{moved}>{inner}</a>'
        return f'<g tabindex="0" role="img" data-place="{words[0]}"{moved}>{inner}</g>'

    def leads(self, words: Sequence[str]) -> bool:
        return any(word in self.links for word in words)

    def finish(self, said: str, height: float) -> str:
        """The whole drawing as SVG."""
        head = f'viewBox="0 0 {WIDTH} {height:g}" aria-label="{escaped(said)}"'
        inside = f"<defs>{''.join(self.defs)}</defs>{''.join(self.parts)}"
        if self.theme == "page":
            return f'<svg class="drawing" {head} role="group">{inside}</svg>'
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" class="{self.theme}" {head} role="img">'
            f"<style>{alone(self.theme)}</style>"
            f'<rect class="ground" width="{WIDTH}" height="{height:g}"/>{inside}</svg>'
        )


def text(x: float, y: float, said: str, style: str = "") -> str:
    """A line of text. `style` are classes: b bold, m middle, e end, xs small, lg large, or a colour."""
    classes = f' class="{style}"' if style else ""
    return f'<text x="{x:g}" y="{y:g}"{classes}{_held(said, style.split())}>{escaped(said)}</text>'


def _held(said: str, styles: Sequence[str]) -> str:
    """The font of a page may be wider than ours: its letters are drawn as narrow as the drawing was made for."""
    if len(said) < _SHORT or not all(glyph in ADVANCES[False] for glyph in said):
        return ""
    size = next((SIZES[name] for name in styles if name in SIZES), SIZE)
    return f' textLength="{width(said, size, "b" in styles):.4g}" lengthAdjust="spacingAndGlyphs"'


def box(x: float, y: float, w: float, h: float, style: str) -> str:
    return f'<rect x="{x:g}" y="{y:g}" width="{w:g}" height="{h:g}" class="{style}"/>'


def frame(x: float, y: float, w: float, h: float, style: str, thick: int = 1) -> str:
    """A box with an edge that does not reach beyond it. `style` has its fill and "l-" with the colour of its edge."""
    return box(x + thick / 2, y + thick / 2, w - thick, h - thick, f"{style} w{thick}" if thick > 1 else style)


def use(name: str, x: float = 0, y: float = 0) -> str:
    """Something defined, at a point."""
    return f'<use href="#d-{name}" x="{x:g}" y="{y:g}"/>' if x or y else f'<use href="#d-{name}"/>'


def rule(y: float) -> str:
    """A thin line across."""
    return box(LEFT, y, RIGHT - LEFT, 1, "rule")


def lines(said: str, y: float, style: str = "", left: float = LEFT, right: float = RIGHT) -> tuple[str, float]:
    """A text in as many lines as it takes, and where the next line may begin."""
    drawn = ""
    for line in wrapped(said, right - left):
        drawn += text(left, y + 12, line, style)
        y += LINE
    return drawn, y


def name_line(name: str, facts: Sequence[str], left: float, right: float, y: float, *, own: bool = False) -> str:
    """A name on the left and facts on the right; the name gives way."""
    told, you = " · ".join(facts), f" {_('(you)')}" if own else ""
    room = right - left - 8 - width(told) - width(you, SIZE, True)
    return text(left, y, f"{fitted(name, room, SIZE, True)}{you}", "b") + text(right, y, told, "e soft")


def number(value: int) -> str:
    return str(value).replace("-", "−")

"""An HTML mail as a mail program shows it: its words, its links, and the colours and sizes of each."""

from __future__ import annotations

import colorsys
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser

Colour = tuple[float, float, float]
Style = dict[str, str]

BLACK: Colour = (0.0, 0.0, 0.0)
WHITE: Colour = (1.0, 1.0, 1.0)
DARK_CANVAS: Colour = (0x12 / 255,) * 3

_VOID = {"meta", "img", "br", "hr", "link", "input"}
_DARK = re.compile(r"@media \(prefers-color-scheme: ?dark\) ?\{(.*?\})\s*\}", re.DOTALL)
_RULE = re.compile(r"([^{}]+)\{([^{}]*)\}")


@dataclass(frozen=True)
class Shown:
    """A stretch of text with the styles of the elements around it, outermost first, as (tag, classes, style)."""

    text: str
    around: tuple[tuple[str, tuple[str, ...], Style], ...]

    @property
    def tags(self) -> tuple[str, ...]:
        return tuple(tag for tag, _, _ in self.around)

    def inherited(self, name: str, default: str) -> str:
        """A property that children take over from their parents."""
        return next((style[name] for _, _, style in reversed(self.around) if name in style), default)

    def colours(self, canvas: tuple[Colour, Colour], dark: dict[str, Style] | None = None) -> tuple[Colour, Colour]:
        """(text, background): the inline styles on a canvas, the rules of the dark block over them."""
        text, background = canvas
        for tag, classes, style in self.around:
            shown = dict(style)
            for selector in (tag, *(f".{name}" for name in classes)):
                shown |= (dark or {}).get(selector, {})
            text = colour(shown["color"]) if "color" in shown else text
            background = colour(shown["background-color"]) if "background-color" in shown else background
        return text, background


@dataclass(frozen=True)
class Link:
    url: str
    words: str
    style: Style


@dataclass
class Page:
    """What a mail's HTML part holds."""

    language: str = ""
    metas: dict[str, str] = field(default_factory=dict)
    style_block: str = ""
    shown: list[Shown] = field(default_factory=list)
    links: list[Link] = field(default_factory=list)
    images: list[dict[str, str]] = field(default_factory=list)
    tags: set[str] = field(default_factory=set)
    attributes: list[tuple[str, str, str]] = field(default_factory=list)

    @property
    def words(self) -> str:
        """All that is read, on one line."""
        return " ".join(" ".join(shown.text for shown in self.shown).split())

    @property
    def dark(self) -> dict[str, Style]:
        """The rules for dark screens, by selector; only those that beat inline styles count."""
        rules: dict[str, Style] = {}
        for block in _DARK.findall(self.style_block):
            for selectors, told in _RULE.findall(block):
                style = {
                    name: value.replace("!important", "").strip()
                    for name, value in style_of(told).items()
                    if value.endswith("!important")
                }
                for selector in selectors.split(","):
                    rules.setdefault(selector.strip(), {}).update(style)
        return rules


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.page = Page()
        self._open: list[tuple[str, tuple[str, ...], Style]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        told = {name: value or "" for name, value in attrs}
        self.page.tags.add(tag)
        self.page.attributes += [(tag, name, value) for name, value in told.items()]
        style = style_of(told.get("style", ""))
        if tag == "html":
            self.page.language = told.get("lang", "")
        elif tag == "meta" and "name" in told:
            self.page.metas[told["name"]] = told.get("content", "")
        elif tag == "img":
            self.page.images.append(told)
        elif tag == "a":
            self.page.links.append(Link(told["href"], "", style))
        if tag not in _VOID:
            self._open.append((tag, tuple(told.get("class", "").split()), style))

    def handle_endtag(self, tag: str) -> None:
        assert self._open[-1][0] == tag, f"<{self._open[-1][0]}> is closed by </{tag}>"
        self._open.pop()

    def handle_data(self, data: str) -> None:
        tags = [tag for tag, _, _ in self._open]
        if tags[-1:] == ["style"]:
            self.page.style_block += data
        elif "body" in tags and data.strip():
            self.page.shown.append(Shown(data, tuple(self._open)))
            if "a" in tags:
                link = self.page.links[-1]
                self.page.links[-1] = Link(link.url, link.words + data, link.style)


def page(html: str) -> Page:
    reader = _Reader()
    reader.feed(html)
    reader.close()
    return reader.page


def style_of(told: str) -> Style:
    declarations = (each.partition(":") for each in told.split(";") if ":" in each)
    return {name.strip(): value.strip() for name, _, value in declarations}


def pixels(value: str) -> float:
    assert value.endswith("px"), f"{value} is not in pixels"
    return float(value[:-2])


def colour(told: str) -> Colour:
    assert re.fullmatch("#[0-9a-f]{6}", told), f"{told} is not a colour that this reads"
    red, green, blue = (int(told[at : at + 2], 16) / 255 for at in (1, 3, 5))
    return red, green, blue


def contrast(one: Colour, other: Colour) -> float:
    """As WCAG 2 computes it, from 1 to 21."""
    light, dark = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def inverted(told: Colour) -> Colour:
    return 1 - told[0], 1 - told[1], 1 - told[2]


def lightness_inverted(told: Colour) -> Colour:
    """As programs do that keep the hue."""
    hue, lightness, saturation = colorsys.rgb_to_hls(*told)
    return colorsys.hls_to_rgb(hue, 1 - lightness, saturation)


def _luminance(told: Colour) -> float:
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in told)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def looks(shown: Shown, dark: dict[str, Style]) -> Iterator[tuple[str, Colour, Colour]]:
    """How a stretch of text may come out: (which way, text, background)."""
    text, background = shown.colours((BLACK, WHITE))
    yield "light", text, background
    yield "light without backgrounds", text, WHITE
    yield "inverted", inverted(text), inverted(background)
    yield "inverted without backgrounds", inverted(text), BLACK
    yield "inverted in lightness", lightness_inverted(text), lightness_inverted(background)
    text, background = shown.colours((WHITE, DARK_CANVAS), dark)
    yield "dark", text, background
    yield "dark without backgrounds", text, DARK_CANVAS
    yield "dark without backgrounds on black", text, BLACK

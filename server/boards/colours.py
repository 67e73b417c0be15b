"""The colours of the drawings, on light and on dark ground, and the style sheets made from them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, Literal, TypeAlias

from server.boards.font import FAMILY

Theme: TypeAlias = Literal["page", "light", "dark"]
"""`page` is styled by the page's style sheet; the others stand alone, with their own colours and ground."""

SHADES: Final = {
    "ground": ("#fffdf8", "#1e2125"),
    "face": ("#ffffff", "#2b3036"),
    "tray": ("#f1ebdd", "#262a2f"),
    "ink": ("#211e19", "#ece9e3"),
    "soft": ("#5c5447", "#b9b3a8"),
    "on": ("#ffffff", "#14171b"),
    "rule": ("#cfc6b4", "#434951"),
    "edge": ("#857b69", "#8a929c"),
    "back": ("#4a4238", "#66727f"),
    "onback": ("#ffffff", "#ffffff"),
    "lead": ("#efe3c2", "#4a4228"),
    "go": ("#1b4a8a", "#8db8f5"),
    # seats
    "s1": ("#1f5fa8", "#8cbdf5"),
    "s2": ("#b3261e", "#f5998f"),
    "s3": ("#2a7238", "#8fd19e"),
    "s4": ("#7a3d9e", "#d3aaf0"),
    "s5": ("#8d5200", "#f0b869"),
    "s6": ("#0b6b7d", "#7fd3e0"),
    "s7": ("#a8246a", "#f59ac5"),
    "s8": ("#4d4d4d", "#c9c9c9"),
    # regions, in alphabetical order
    "r1": ("#a83a2c", "#f09a8e"),
    "r2": ("#2a7549", "#86d3a2"),
    "r3": ("#7b2d5b", "#e6a8cf"),
    "r4": ("#1f5f8b", "#8cc4ee"),
    "r5": ("#7d6200", "#e3c45e"),
    "r6": ("#4b4b9c", "#b9b7f2"),
    "r7": ("#97490f", "#f0ae7c"),
    "r8": ("#4a661c", "#b5d08a"),
    "r9": ("#0b6a6a", "#7fd6d6"),
    # influence cards
    "blue": ("#2f6fc4", "#6ea5ea"),
    "yellow": ("#f2c52e", "#e8c04a"),
    "purple": ("#8443b0", "#b786dd"),
    "white": ("#ffffff", "#f4f1ea"),
    "red": ("#cc3a2f", "#e8766b"),
    "green": ("#37924c", "#67bd7b"),
}
"""By name: on light and on dark ground."""

STROKES: Final = ("rule", "edge", "ink", "go")
"""What lines are drawn in."""

LINES_OF_CHARTS: Final = tuple(f"s{seat}" for seat in range(1, 9))
"""The same of charts, which only pages have."""

SIZES: Final = {"xs": 11.0, "lg": 15.0}
"""Of text that is not as usual."""

_PLAIN: Final = {
    "text.b": "font-weight:600",
    "text.m": "text-anchor:middle",
    "text.e": "text-anchor:end",
    ".no": "fill:none",
    ".tap": "fill:transparent",  # but a finger meets it
    ".w2": "stroke-width:2",
    ".w3": "stroke-width:3",
    **{f"text.{name}": f"font-size:{size:g}px" for name, size in SIZES.items()},
}
"""What is the same on every ground."""

_PAGE_FAMILIES: Final = f'"{FAMILY}",Roboto,"Segoe UI","Helvetica Neue",Arial,"Liberation Sans","Noto Sans",sans-serif'


def for_pages() -> str:
    """The style sheet of drawings in pages: light, and dark where the reader wants it so.

    Classes cannot be told by what is around them: what is drawn by `<use>` does not see it.
    """
    return (
        f".drawing{{display:block;width:100%;max-width:30rem;height:auto;margin:0 auto;font:12px {_PAGE_FAMILIES}}}"
        f"{_rules(_PLAIN)}{_rules(_ground(0, LINES_OF_CHARTS))}"
        f"@media (prefers-color-scheme:dark){{{_rules(_ground(1, LINES_OF_CHARTS))}}}"
    )


def alone(theme: Theme) -> str:
    """The style sheet inside a drawing that stands alone."""
    return f'text{{font:12px "{FAMILY}"}}{_rules(_PLAIN)}{_rules(_ground(int(theme == "dark")))}'


def _ground(ground: int, more: Sequence[str] = ()) -> dict[str, str]:
    return {
        "text": f"fill:{SHADES['ink'][ground]}",
        **{f".{name}": f"fill:{shades[ground]}" for name, shades in SHADES.items()},
        **{f".l-{name}": f"stroke:{SHADES[name][ground]}" for name in (*STROKES, *more)},
    }


def _rules(told: Mapping[str, str]) -> str:
    return "".join(f"{selector}{{{style}}}" for selector, style in told.items())

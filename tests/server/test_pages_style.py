"""The one style sheet: readable in light and dark, targets large enough for a thumb."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import server.pages

STYLE = (Path(server.pages.__file__).parent / "static" / "estafette.css").read_text(encoding="utf-8")


def colours(dark: bool) -> dict[str, str]:
    blocks = re.findall(r":root \{([^}]*)\}", STYLE)
    assert len(blocks) == 2
    found = dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6});", blocks[0]))
    return found | (dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6});", blocks[1])) if dark else {})


def luminance(colour: str) -> float:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def test_contrast_is_computed_as_the_guidelines_say() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize(
    ("text", "ground"),
    [
        *((text, ground) for text in ("ink", "soft", "blue-deep", "warn") for ground in ("paper", "sheet")),
        *(("ink", ground) for ground in ("tint", "warn-tint")),
        *(("blue-deep", ground) for ground in ("tint", "warn-tint")),
        ("on-blue", "blue"),
        ("on-blue", "blue-deep"),
    ],
)
def test_text_can_be_read(dark: bool, text: str, ground: str) -> None:
    palette = colours(dark)
    assert contrast(palette[text], palette[ground]) >= 4.5


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_the_edges_of_what_can_be_pressed_and_the_focus_are_seen(dark: bool) -> None:
    palette = colours(dark)
    for edge in ("edge", "blue"):
        for ground in ("paper", "sheet"):
            assert contrast(palette[edge], palette[ground]) >= 3


def test_buttons_and_fields_are_48_pixels_high() -> None:
    for rule in (r"button, \.button \{\s*display", r"input:not\(", r"summary \{", r"\.tick \{", r"body > header a \{"):
        found = re.search(rule + r"[^}]*min-height: 3rem", STYLE)
        assert found, rule


def test_nothing_is_fetched_by_the_style() -> None:
    assert "url(" not in STYLE
    assert "@import" not in STYLE
    assert "@font-face" not in STYLE

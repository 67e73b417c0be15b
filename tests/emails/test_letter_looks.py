"""How letters look: readable on a phone, on dark screens, with colours turned around, and with nothing from outside."""

from __future__ import annotations

import re
import shutil
import subprocess
from html import escape
from pathlib import Path

import pytest

from emails import letters
from emails.letters import Drawing
from server.rules import GAMES
from tests.emails.builders import ANN, LINKS, NOW, a_play, a_view
from tests.emails.pages import contrast, looks, page, pixels
from tests.emails.test_letters import each_letter

CHROMIUM = shutil.which("chromium")
LEAST_CONTRAST = 4.5


def every_html() -> dict[str, str]:
    """Each kind of letter, and the turn letter of each game, with a picture."""
    pages = {kind: content.html for kind, content in each_letter().items()}
    for game in GAMES.values():
        play = a_play(25, game=game.name, seats=game.most_seats)
        match = a_view(play, int(play.waiting_for()[0]), since=10)
        drawing = Drawing(b"PNG", "the board")
        pages[f"turn of {game.name}"] = letters.turn(ANN, match, LINKS, NOW, drawing=drawing).html
    return pages


EVERY_HTML = every_html()
PAGES = {name: page(html) for name, html in EVERY_HTML.items()}


@pytest.mark.parametrize("name", PAGES)
def test_case_B60_words_stand_out_in_light_dark_inverted_and_without_backgrounds(name):
    faint = [
        f"{way}: {shown.text.strip()[:30]} has {contrast(text, background):.1f}"
        for shown in PAGES[name].shown
        for way, text, background in looks(shown, PAGES[name].dark)
        if contrast(text, background) < LEAST_CONTRAST
    ]
    assert faint == []


def test_the_measure_of_contrast_finds_faint_words():
    told = page('<body><p class="x" style="color:#888888">grey</p></body>')
    assert [way for way, text, background in looks(told.shown[0], {}) if contrast(text, background) < LEAST_CONTRAST]
    assert contrast((1, 1, 1), (0, 0, 0)) == pytest.approx(21)
    assert contrast((1, 1, 1), (0x76 / 255,) * 3) == pytest.approx(4.54, abs=0.01)


@pytest.mark.parametrize("name", PAGES)
def test_the_rules_for_dark_screens_survive_and_name_every_colour_that_is_set(name):
    told = PAGES[name]
    assert told.metas["color-scheme"] == "light dark"
    dark = told.dark
    assert {"color", "background-color"} <= dark["body"].keys()
    for shown in told.shown:
        for _, classes, style in shown.around:
            coloured = {"color", "background-color"} & style.keys()
            overruled = {name for each in classes for name in dark.get(f".{each}", {})}
            assert coloured <= overruled, f"{classes} keep their colours on dark screens"


@pytest.mark.parametrize("name", PAGES)
def test_nothing_comes_from_outside_and_nothing_runs(name):
    told = PAGES[name]
    assert not told.tags & {
        "script",
        "svg",
        "iframe",
        "object",
        "embed",
        "form",
        "input",
        "video",
        "audio",
        "link",
        "base",
    }
    loaded = [
        value for _, attribute, value in told.attributes if attribute in ("src", "srcset", "background", "poster")
    ]
    assert [value for value in loaded if not value.startswith("cid:")] == []
    assert not [attribute for _, attribute, _ in told.attributes if attribute.startswith("on")]
    written = " ".join(value for _, _, value in told.attributes) + told.style_block
    assert not re.search(r"data:|javascript:|url\(|@import|@font-face|expression\(", written)


@pytest.mark.parametrize("name", PAGES)
def test_words_have_16_pixels_and_links_44(name):
    told = PAGES[name]
    assert told.language == "en"
    small = [shown.text for shown in told.shown if pixels(shown.inherited("font-size", "0px")) < 16]
    assert small == []
    assert told.links
    for link in told.links:
        above, below = _vertical_padding(link.style["padding"])
        assert link.style["display"] == "block"
        assert above + pixels(link.style["line-height"]) + below >= 44, link.words
        assert link.words.strip()


def _vertical_padding(told: str) -> tuple[float, float]:
    values = [0.0 if value == "0" else pixels(value) for value in told.split()]
    return values[0], values[2] if len(values) > 2 else values[0]


@pytest.mark.parametrize("name", PAGES)
def test_tables_stand_only_where_there_is_a_table(name):
    assert ("table" in PAGES[name].tags) == (name == "finished")


def test_every_picture_has_words():
    images = [image for told in PAGES.values() for image in told.images]
    assert images
    assert all(image["alt"] for image in images)


@pytest.mark.browser
@pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed")
def test_letters_are_one_column_of_360_pixels(tmp_path):
    widths = _widths(EVERY_HTML, tmp_path)
    assert widths.keys() == EVERY_HTML.keys()
    assert {name: width for name, width in widths.items() if width > 360} == {}


def _widths(pages: dict[str, str], folder: Path) -> dict[str, int]:
    """How wide Chromium lays them out where 360 pixels are to be had; boxes that scroll count with what they hide."""
    widest = "Math.max(...[...document.querySelectorAll('*')].map(e => e.scrollWidth))"
    frames = []
    for name, told in pages.items():
        script = f"<script>parent.document.body.append('{name}: ' + {widest} + ';')</script>"
        inside = escape(told.replace("</body>", f"{script}</body>"))
        frames.append(f'<iframe width="360" height="640" frameborder="0" srcdoc="{inside}"></iframe>')
    (folder / "mails.html").write_text(f"<!DOCTYPE html><body>{''.join(frames)}</body>", encoding="utf-8")
    arguments = ["--headless=new", "--no-sandbox", "--disable-gpu", f"--user-data-dir={folder}/profile", "--dump-dom"]
    assert CHROMIUM
    done = subprocess.run(
        [CHROMIUM, *arguments, f"file://{folder}/mails.html"], capture_output=True, text=True, timeout=60, check=True
    )
    told = re.sub(r"<iframe.*?</iframe>", "", done.stdout, flags=re.DOTALL)
    return {name: int(width) for name, width in re.findall(r"([a-z ]+): (\d+);", told)}

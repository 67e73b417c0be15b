"""The HTML of every letter: valid, and with a fallback for whatever some mail program does not know."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path
from typing import Final

import pytest

from tests.emails.test_letter_looks import EVERY_HTML
from tests.stories.node import CANIEMAIL, HTML_VALIDATE, needs_mail_checks

pytestmark = [pytest.mark.browser, needs_mail_checks]

FALLBACKS: Final = {
    "<body> element": "such programs put the mail into a box of their own; what it says stands within .column",
    "<code> element": "a move is in quotes' place as plain letters; nothing is told by the typeface alone",
    "<style> element": "every rule stands at its element too; only the colours for dark screens need the sheet",
    "@media": "without it the light colours stay, which stand out on dark ground as well (case B60)",
    "Class selector": "as <style>: the rules stand at the elements",
    "border-radius": "corners are square then",
    "height property": "heights come from the text and its padding; only the picture says auto, which is what is usual",
    "lang attribute": "a screen reader takes its own language then",
    "text-decoration": "a link has its border, or is underlined as all links",
    "white-space": "the board is <pre>, which keeps its blanks by itself",
    "width attribute": "the picture has its width in its style too",
    "word-break": "a long address is broken by the program, or sticks out; it is the last thing in its paragraph",
}
"""What some program out there does not know at all, and what a reader has instead."""

_SCRIPT: Final = f"""
import {{ caniemail }} from {json.dumps(CANIEMAIL.as_uri())};
let html = "";
for await (const piece of process.stdin) html += piece;
const found = new Set();
for (const [, issues] of caniemail({{ clients: ["*"], html }}).issues.errors) {{
  issues.forEach(each => found.add(each.title));
}}
console.log(JSON.stringify([...found]));
"""


@pytest.fixture(scope="module")
def unsupported(tmp_path_factory: pytest.TempPathFactory) -> dict[str, set[str]]:
    """Of each letter what some mail program does not support, as caniemail.com knows it."""
    script = tmp_path_factory.mktemp("caniemail") / "ask.mjs"
    script.write_text(_SCRIPT, encoding="utf-8")
    return {name: _asked(script, html) for name, html in EVERY_HTML.items()}


def _asked(script: Path, html: str) -> set[str]:
    done = subprocess.run(["node", script], input=html, capture_output=True, text=True, timeout=120, check=True)
    return set(json.loads(done.stdout))


def test_whatever_a_mail_program_does_not_know_has_a_fallback(unsupported: dict[str, set[str]]) -> None:
    unknown = {name: found - set(FALLBACKS) for name, found in unsupported.items()}
    assert not any(unknown.values()), unknown
    assert set().union(*unsupported.values()) == set(FALLBACKS), "and no fallback is told for what is not there"


def test_what_the_fallbacks_promise_is_so() -> None:
    for name, html in EVERY_HTML.items():
        body = html.partition("<body")[2]
        assert "<svg" not in body, name
        for board in re.findall(r'<[^>]*class="board"[^>]*>', body):
            assert board.startswith("<pre"), name
        for link in re.findall(r"<a [^>]*>", body):
            assert "style=" in link, name
        for picture in re.findall(r"<img [^>]*>", body):
            assert "width:100%" in picture.replace(" ", ""), name


def test_every_letter_is_valid_html(tmp_path: Path) -> None:
    for name, html in EVERY_HTML.items():
        (tmp_path / f"{name.replace(' ', '-')}.html").write_text(html, encoding="utf-8")
    done = subprocess.run(
        ["node", HTML_VALIDATE, "--preset", "standard", "--formatter", "text", *sorted(tmp_path.iterdir())],
        cwd=tmp_path, capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (0, "")
    (tmp_path / "wrong.html").write_text("<!doctype html><p>not closed<div>", encoding="utf-8")
    wrong = subprocess.run(["node", HTML_VALIDATE, tmp_path / "wrong.html"], capture_output=True, timeout=120)
    assert wrong.returncode == 1, "the check finds what is wrong"

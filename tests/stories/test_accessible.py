"""Every page, in every look, before axe: the rules of WCAG 2.2 at level AA."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

import pytest

from server.service import Service
from tests.stories.chromium import DESK, PHONE, Tab, a_browser, needs_chromium, same_site
from tests.stories.node import AXE, needs_axe
from tests.stories.tour import Stop, tour

LOOKS: Final = [(size, dark) for size in (PHONE, DESK) for dark in (False, True)]
AA: Final = ("wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa")
MORE: Final = (*AA, "best-practice")
"""For our own pages; a mail stands in its program's page and has no landmarks."""

_ONCE = re.compile(r' value="[^"]*"|in [0-9]+ (?:hours|minutes)')

_CLASHES: Final = """(() => {
  const drawn = [...document.querySelectorAll(".drawing text")].map(each => [each, each.getBoundingClientRect()]);
  const texts = drawn.filter(([, box]) => box.width);
  const clash = (a, b) => a.left < b.right + 2 && b.left < a.right + 2 && Math.abs(a.top - b.top) < 9;
  return texts.flatMap(([one, a], at) => texts.slice(at + 1).filter(([, b]) => clash(a, b)).map(
    ([other]) => [one.textContent, other.textContent]));
})()"""


def visit(tab: Tab, stop: Stop, *, scripts: bool) -> str:
    """The page as it stands after loading, but for what is another each time."""
    tab.scripts(scripts)
    if stop.fields:
        tab.send(stop.address, stop.fields)
    else:
        tab.open(stop.address)
    return _ONCE.sub("", str(tab.ask("document.documentElement.outerHTML")))


def complaints(tab: Tab) -> list[str]:
    """What axe has against the page as it stands, in each of its looks."""
    tab.scripts(True)  # for axe alone: a page that was loaded without runs none of its own now
    tab.ask(AXE.read_text(encoding="utf-8") + "; true")
    rules = AA if tab.address.endswith("/html") else MORE
    asked = {"runOnly": rules, "resultTypes": ["violations"], "iframes": False, "preload": False}
    found = []
    for size, dark in LOOKS:
        tab.held_as(size, dark=dark)
        found += [f"{size[0]}: {each}" for each in awkward(tab, size)]
        told = tab.ask(f"axe.run(document, {json.dumps(asked)}).then(found => found.violations)")
        found += [f"{size[0]} {'dark' if dark else 'light'}: {_in_words(each)}" for each in told]
    return found


def awkward(tab: Tab, size: tuple[int, int]) -> list[str]:
    """What sticks out of the screen, comes from elsewhere, or, in a drawing, lies on another text."""
    wide = [f"{tab.width():g} pixels wide"] if tab.width() > size[0] else []
    wide += [f"fetches {each.address}" for each in tab.fetched() if not same_site(each.address, tab.address)]
    return wide + [f"“{one}” runs into “{other}”" for one, other in tab.ask(_CLASHES)]


def _in_words(violation: dict[str, Any]) -> str:
    nodes = [f"{node['target'][-1]}: {node['failureSummary']}" for node in violation["nodes"]]
    return f"{violation['id']} ({len(nodes)}), {'; '.join(' '.join(each.split()) for each in nodes[:2])}"


@pytest.mark.browser
@pytest.mark.slow
@needs_chromium
@needs_axe
def test_axe_has_nothing_against_any_page_with_scripts_or_without(served: Service, tmp_path: Path) -> None:
    walked = tour(served)
    wrong, who = [], None
    with a_browser(tmp_path / "browser") as tab:
        tab.call("Page.setBypassCSP", enabled=True)  # so that axe may look at a mail in its sandbox
        for stop in walked.stops:
            if who != stop.who:
                who = stop.who
                tab.session(served.links.url(""), walked.sessions[who])
            without = visit(tab, stop, scripts=False)
            wrong += [f"{stop.name} ({stop.address}) without scripts, {each}" for each in complaints(tab)]
            if visit(tab, stop, scripts=True) != without:  # else axe has seen it
                wrong += [f"{stop.name} ({stop.address}) with scripts, {each}" for each in complaints(tab)]
    assert not wrong, "\n".join(wrong)
    assert len(walked.stops) > 60


@pytest.mark.browser
@needs_chromium
@needs_axe
def test_axe_complains_where_something_is_wrong(tmp_path: Path) -> None:
    """What the test above relies on: also of a page that was loaded without scripts, and of its dark look alone."""
    phone = '<meta name="viewport" content="width=device-width">'
    style = "<style>@media (prefers-color-scheme: dark) { p { color: #333; background: #222 } }</style>"
    page = f"<!doctype html><html lang=en><title>A page</title>{phone}{style}<main><h1>A page</h1><p>Dark</main></html>"
    with a_browser(tmp_path / "browser") as tab:
        visit(tab, Stop("a page", f"data:text/html,{quote(page)}"), scripts=False)
        found = complaints(tab)
    assert [each.partition(" (")[0] for each in found] == ["360 dark: color-contrast", "1280 dark: color-contrast"]

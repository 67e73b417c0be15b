"""A match of each game, played to its end with Tab, Enter and Space alone."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

from server import create_app
from server.service import Service
from tests.server.browsing import Browser, sign_in
from tests.server.builders import a_match, worker_of
from tests.stories.chromium import DESK, Tab, a_browser, needs_chromium
from tests.stories.tour import session_of

HOUSES = {"regions": (3, {"short": True}), "intrigues": (3, {}), "crusade": (7, {"events": "on"})}
"""The more of them play, the fewer decisions are the player's."""

_FOCUS = """(selector => {
  const at = document.activeElement;
  const box = at.getBoundingClientRect(), look = getComputedStyle(at);
  return {
    there: at.matches(selector),
    what: at.tagName + " " + (at.getAttribute("class") || "") + " " + at.textContent.trim().slice(0, 60),
    nowhere: at === document.body,
    ringed: look.outlineStyle !== "none" && parseFloat(look.outlineWidth) >= 2,
    seen: box.bottom > 0 && box.top < innerHeight && box.right > 0 && box.left < innerWidth,
  };
})"""


class Keyboard:
    """What somebody does who has no pointer, and sees where the focus is only if it is shown."""

    def __init__(self, tab: Tab) -> None:
        self._tab = tab

    def to(self, selector: str, *, times: int = 1, most: int = 300) -> None:
        """Tab on until the focus has come to so many elements like this."""
        for _ in range(most):
            self._tab.press("Tab")
            focus = self.focus(selector)
            assert focus["nowhere"] or (focus["ringed"] and focus["seen"]), f"the focus is not to be seen: {focus}"
            times -= focus["there"]
            if not times:
                return
        raise AssertionError(f"no way to {selector} in {self._tab.address}")

    def focus(self, selector: str) -> dict[str, Any]:
        found: dict[str, Any] = self._tab.ask(f"{_FOCUS}({json.dumps(selector)})")
        return found

    def enter(self) -> None:
        """Follow the link, press the button."""
        self._tab.press("Enter", leads=True)

    def space(self) -> None:
        self._tab.press("Space", leads=True)


def decide(tab: Tab, luck: random.Random) -> None:
    """Choose something, step by step, and confirm it."""
    keys = Keyboard(tab)
    while not tab.all("button[name=confirm]"):
        keys.to("a.jump[href='#choices']")
        keys.enter()
        entries = "ul.choices button, ul.choices a"
        keys.to(entries, times=luck.randint(1, len(tab.all(entries))))
        keys.enter()
    keys.to("button[name=confirm]")
    keys.space()


def read_the_table_in_words(tab: Tab) -> None:
    """Open what is folded, and reach what is in it."""
    keys = Keyboard(tab)
    keys.to("figure.board + p + details > summary, figure.board + details > summary")
    tab.press("Space")
    keys.to("pre.board", most=1)


def is_asked(tab: Tab) -> bool:
    return any(heading.text == "Your choices" for heading in tab.all("#choices"))


@pytest.mark.browser
@pytest.mark.slow
@needs_chromium
@pytest.mark.parametrize("game", HOUSES)
def test_a_match_is_played_to_its_end_by_keyboard(served: Service, tmp_path: Path, game: str) -> None:
    houses, options = HOUSES[game]
    worker, luck = worker_of(served), random.Random(game)
    match_id = a_match(served.matches, served.now(), game=game, people=("Ann",), house=houses, options=options)
    decisions = 0
    with a_browser(tmp_path / "browser") as tab:
        tab.held_as(DESK)
        tab.session(served.links.url(""), _session(served))
        while True:
            worker.tick()
            if served.matches.view(match_id, None).outcome is not None:
                break
            tab.open(served.links.url(""))
            Keyboard(tab).to("a.button.main")
            Keyboard(tab).enter()
            if not decisions:
                read_the_table_in_words(tab)
            while is_asked(tab):
                decide(tab, luck)
                decisions += 1
            assert decisions < 300
        tab.open(served.links.url(f"g/{match_id}"))
        assert tab.all("#result")
    assert decisions > 5


def _session(service: Service) -> str:
    site = create_app(service)
    visitor = Browser(site)
    sign_in(service, visitor, "Ann")
    return session_of(site, visitor)

"""What a finger is to meet on a phone: large enough, and nothing else under it, on the pages around a move."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

from server.service import Service
from tests.server.builders import answers, link_of
from tests.stories.chromium import PHONE, Tab, a_browser, needs_chromium
from tests.stories.tour import half_way

FINGER: Final = 48
_ROUNDED: Final = 0.5

_SMALL: Final = """(least => [...document.querySelectorAll("a, button, input:not([type=hidden]), summary")]
  .filter(each => !each.closest("p, li:not(.cards li, .choices li)") || each.matches(".jump, .button, .drawing a"))
  .filter(each => !each.matches(".skip") && each.getClientRects().length)
  .map(each => [each.dataset.place || each.textContent.trim().slice(0, 40), each.getBoundingClientRect()])
  .filter(([, box]) => box.width < least || box.height < least)
  .map(([what, box]) => `${what}: ${box.width} × ${box.height}`))"""
"""Links within a sentence are as high as its line (WCAG 2.5.8 excepts them)."""

_MISSED: Final = """(() => {
  const missed = [];
  for (const place of document.querySelectorAll(".drawing a")) {
    place.scrollIntoView({ block: "center" });
    const box = place.getBoundingClientRect();
    for (const x of [0.15, 0.5, 0.85]) for (const y of [0.1, 0.5, 0.9]) {
      const met = document.elementFromPoint(box.left + x * box.width, box.top + y * box.height);
      if (!met || met.closest("a") !== place) missed.push(`${place.dataset.place} at ${x}, ${y}: ${met?.outerHTML}`);
    }
  }
  return missed;
})()"""


def too_small(tab: Tab) -> list[str]:
    found: list[str] = tab.ask(f"{_SMALL}({FINGER - _ROUNDED})")
    return found


@pytest.mark.browser
@needs_chromium
@pytest.mark.parametrize("game", ["regions", "intrigues", "crusade"])
def test_whatever_can_be_tapped_is_large_enough_and_is_what_the_finger_meets(
    served: Service, tmp_path: Path, game: str
) -> None:
    people = ("Ann", "Ben", "Cat")
    tapped = 0
    with a_browser(tmp_path / "browser") as tab:
        for moves in (0, 1, 12, 40):
            match_id = half_way(served, game, people, moves)
            address = served.links.move_url(link_of(served.matches, match_id))
            for page in (address, f"{address}?move={answers(served.matches, match_id)[-1]}", f"/g/{match_id}"):
                tab.open(served.links.url("") + page.removeprefix("/") if page[0] == "/" else page)
                assert tab.width() <= PHONE[0]
                assert too_small(tab) == [], page
                assert tab.ask(_MISSED) == [], page
                tapped += len(tab.all(".drawing a"))
    assert tapped


@pytest.mark.browser
@needs_chromium
def test_what_is_too_small_is_found(tmp_path: Path) -> None:
    """What the test above relies on."""
    page = (
        'data:text/html,<!doctype html><meta name=viewport content="width=device-width"><a class=button href=x>go</a>'
        '<p>A <a href=x>word</a></p><button style="width:60px;height:60px">large</button>'
    )
    with a_browser(tmp_path / "browser") as tab:
        tab.open(page)
        assert [each.partition(":")[0] for each in too_small(tab)] == ["go"]

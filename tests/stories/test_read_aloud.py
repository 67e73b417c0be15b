"""The move page for somebody who hears it: Chromium's accessibility tree is what a screen reader reads from."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from server import boards
from server.service import Service
from tests.server.builders import link_of
from tests.server.drawings import look
from tests.stories.chromium import Tab, a_browser, needs_chromium
from tests.stories.tour import half_way

PLAYED = {
    "regions": (("Ann", "Ben", "Cat"), 30),
    "intrigues": (("Ann", "Ben", "Cat"), 70),
    "crusade": (("Ann", "Ben", "Cat", "Dan"), 60),
}
HEADINGS = ["Ann", "Since your last decision", "The table", "Your choices"]


def tree(tab: Tab) -> list[tuple[str, str]]:
    """What is there for a screen reader, in the order in which it is read: (role, name)."""
    nodes = {node["nodeId"]: node for node in tab.call("Accessibility.getFullAXTree")["nodes"]}
    root = next(node for node in nodes.values() if "parentId" not in node)
    return list(_read(root, nodes))


def _read(node: dict[str, Any], nodes: dict[str, dict[str, Any]]) -> Iterator[tuple[str, str]]:
    if not node["ignored"]:
        yield node["role"]["value"], " ".join(node.get("name", {}).get("value", "").split())
    for child in node["childIds"]:
        if child in nodes:
            yield from _read(nodes[child], nodes)


@pytest.mark.browser
@needs_chromium
@pytest.mark.parametrize("game", PLAYED)
def test_a_screen_reader_reads_the_whole_position(served: Service, tmp_path: Path, game: str) -> None:
    match_id = half_way(served, game, *PLAYED[game])
    view = served.matches.view(match_id, 1)
    assert view.decision is not None
    with a_browser(tmp_path / "browser") as tab:
        tab.open(served.links.move_url(link_of(served.matches, match_id)))
        heard = tree(tab)
    places = look(boards.drawing(game, view.position, view.names, 1)).places  # test_boards: they say all that there is
    read = {name for role, name in heard if role in ("image", "link")}
    assert {said for said in places.values() if " ".join(said.split()) not in read} == set()
    assert ("group", boards.alt_text(game, view.position, view.names, 1)) in heard
    assert view.decision.prompt in {name for _, name in heard}
    assert [name for role, name in heard if role == "heading" and name in HEADINGS] == HEADINGS

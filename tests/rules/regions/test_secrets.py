"""What is secret (chapter 6): tiles in hand, on the display and out of the game; and what a preview shows."""

import json

import pytest

from server.rules.playing import Play
from server.rules.regions import GAME
from server.rules.showing import english_of
from server.rules.telling import Sentence, Viewer, say
from tests.rules.regions.builders import NAMES, a_match

TILES = ("tower", "regain", "sword", "cross", "anjou", "bretagne", "provence", "champagne")


def everything(match: Play, viewer: Viewer) -> str:
    """All that goes out to a viewer, in one text."""

    def read(told: Sentence) -> str:
        return say(told, viewer, match.names, english_of(GAME))

    position = match.position(viewer)
    return json.dumps(
        [
            position,
            GAME.words(position, match.names, viewer),
            [read(told) for told in match.table.log],
            [read(decision.prompt) for decision in match.question.values()],
        ]
    )


def swapped(tiles: tuple[str, ...], first: int, second: int) -> tuple[str, ...]:
    changed = list(tiles)
    changed[first], changed[second] = changed[second], changed[first]
    return tuple(changed)


ALL = (*TILES, *sorted(set(GAME.printed.tiles) - set(TILES)), "regain")


@pytest.mark.parametrize("viewer", [1, 2, None])
@pytest.mark.parametrize(("first", "second"), [(1, 4), (4, 8), (8, 13), (1, 13)])
def test_another_deal_of_tiles_that_nobody_has_seen_changes_nothing(viewer: Viewer, first: int, second: int):
    def seen(tiles: tuple[str, ...]) -> str:
        match = a_match("anjou 1, anjou 2, anjou cross, anjou sword, anjou tower", tiles=tiles)
        match.submit(1, "take 1L; mark 1.2")
        return everything(match, viewer)

    assert seen(ALL) == seen(swapped(ALL, first, second))


@pytest.mark.parametrize("viewer", [2, None])
def test_another_tile_in_a_hand_changes_nothing_for_the_others(viewer: Viewer):
    def seen(tiles: tuple[str, ...]) -> str:
        match = a_match("anjou 1", "", "", "guyenne 2, provence 2", tiles=tiles)
        match.submit(1, "take 4L; end")
        match.submit(2, "take 1L; end")
        match.submit(1, "take 4L")
        return everything(match, viewer)

    assert seen(ALL) == seen(swapped(ALL, 6, 1)) == seen(swapped(ALL, 6, 12))


def test_a_preview_shows_the_card_taken_and_its_tile_not_yet_seen():
    match = a_match("", "", "", "guyenne 2, provence 2", tiles=TILES)
    match.submit(1, "take 4L; end")
    preview = match.preview(2, "take 4L")
    assert preview.shows
    assert preview.position["seats"][1]["cards"] == ["provence 2"]
    assert preview.position["seats"][1]["tiles"] == [None]
    assert preview.position["seats"][1]["tile_count"] == 1
    assert preview.position["rows"][3][1] is None
    assert [say(told, 2, NAMES, english_of(GAME)) for told in preview.told] == ["Ben takes Provence 2 from 4L."]


def test_a_preview_shows_the_markers_settled():
    match = a_match("guyenne 2, provence 2", tiles=TILES)
    match.submit(1, "take 1L; mark 1.2")
    preview = match.preview(2, "take 1L")
    assert not preview.shows
    assert [(seat["markers_in_hand"], seat["markers_lost"]) for seat in preview.position["seats"]] == [(3, 0), (2, 1)]


def test_a_preview_of_the_last_take_does_not_show_the_others_tiles():
    match = a_match(options={"short": True}, tiles=TILES)
    while len([row for row in match.position(None)["rows"] if any(row)]) > 2 or _lying(match) > 13:
        (seat,) = match.question
        match.submit(seat, match.decision(seat).answers()[0])
        match.submit(seat, "end")
    (seat,) = match.question
    preview = match.preview(seat, "take 3L")
    assert preview.shows
    assert "tiles" not in preview.position["seats"][2 - seat]
    assert not any("scores" in told.template for told in preview.told)
    match.submit(seat, "take 3L")
    assert match.over
    assert match.position(None)["seats"][2 - seat]["tiles"]


def _lying(match: Play) -> int:
    return sum(each is not None for row in match.position(None)["rows"] for each in row)


def test_tiles_left_on_the_display_and_the_unseen_ones_stay_unknown_after_the_end():
    match = a_match(options={"short": True}, tiles=TILES)
    while not match.over:
        (seat,) = match.question
        match.submit(seat, match.decision(seat).answers()[0])
        if not match.over:
            match.submit(seat, "end")
    left = {id(tile) for tile in match.table.tiles.values()}
    dealt = match.table.secrets[:14]
    assert len(left) == 2
    assert sum(id(tile) in left or not tile.public for tile in dealt) == 2 + 6
    assert not any(tile.public for tile in match.table.tiles.values())
    assert match.position("host")["rows"][3][1]["tile"] is True

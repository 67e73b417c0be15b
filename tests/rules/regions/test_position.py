"""The position as data and in words."""

import json

import pytest

from server.rules.playing import Play
from server.rules.regions import GAME, take_turn
from server.rules.telling import Seat, Viewer
from tests.rules.regions.builders import NAMES, a_match, a_table, play

ANN = Seat(1)


def test_a_row_is_twelve_places_with_card_tile_and_marker_or_nothing():
    table = a_table("– anjou 1, bourgogne sword", marks={"1.3": 2}, tiles={"1.2": "regain"})
    assert GAME.position(table, None)["rows"] == [
        [
            None,
            {"card": "anjou 1", "tile": True, "marker": None},
            {"card": "bourgogne sword", "tile": False, "marker": 2},
            *[None] * 9,
        ],
        [None] * 12,
        [None] * 12,
        [None] * 12,
    ]


def test_a_seat_is_its_cards_markers_and_tiles_in_alphabetical_order():
    table = a_table(
        "anjou 2",
        cards={1: "bourgogne 2, anjou cross, anjou 1"},
        tiles_in_hand={1: "tower, regain, bretagne"},
        marks={"1.1": 1},
        lost={1: 1},
    )
    table.areas[ANN].regains_played = 1
    public = {
        "cards": ["anjou 1", "anjou cross", "bourgogne 2"],
        "markers_in_hand": 1,
        "markers_lost": 1,
        "tile_count": 3,
        "regains_played": 1,
    }
    assert GAME.position(table, 1)["seats"][0] == {**public, "tiles": ["bretagne", "regain", "tower"]}
    assert GAME.position(table, "host")["seats"][0] == {**public, "tiles": ["bretagne", "regain", "tower"]}
    assert GAME.position(table, 2)["seats"][0] == public
    assert GAME.position(table, None)["seats"][0] == public


def test_a_regain_takes_one_off_the_markers_lost():
    table = a_table("anjou 2, anjou 1", lost={1: 2}, tiles_in_hand={1: "regain"})
    play(take_turn(table, ANN), "regain")
    seat = GAME.position(table, None)["seats"][0]
    assert (seat["markers_lost"], seat["markers_in_hand"]) == (1, 2)
    assert (seat["regains_played"], seat["tile_count"]) == (1, 0)


@pytest.mark.parametrize("viewer", [1, 2, None, "host"])
def test_after_the_end_everybody_sees_all_tiles_in_hand(viewer: Viewer):
    table = a_table("anjou 2", tiles_in_hand={1: "tower", 2: "anjou, regain"})
    play(take_turn(table, ANN), "take 1L")
    assert [seat["tiles"] for seat in GAME.position(table, viewer)["seats"]] == [["tower"], ["anjou", "regain"]]


def test_before_the_end_of_a_match_the_outcome_is_unknown():
    match = a_match()
    assert match.outcome() is None


def test_the_outcome_has_totals_and_their_parts_in_seat_order():
    table = a_table("anjou 2", seats=3, cards={1: "auvergne cross"}, tiles_in_hand={2: "tower"})
    play(take_turn(table, ANN), "take 1L")
    assert table.outcome is not None
    assert json.loads(json.dumps(table.outcome.as_json())) == {
        "scores": [
            {"seat": 1, "total": 8, "parts": {"emblems": 3, "regions": 4, "symbols": 1}},
            {"seat": 2, "total": 1, "parts": {"emblems": 0, "regions": 0, "symbols": 1}},
            {"seat": 3, "total": 0, "parts": {"emblems": 0, "regions": 0, "symbols": 0}},
        ],
        "winners": [1],
    }


def the_words(match: Play, viewer: Viewer) -> list[str]:
    return GAME.words(match.position(viewer), match.names, viewer)


def test_the_words_say_the_own_secrets_first_then_the_board_then_the_others():
    match = a_match("anjou 1, bourgogne sword")
    match.submit(1, "take 1L; mark 1.2")
    lines = the_words(match, 2)
    assert lines[:3] == ["You:", " Tiles: none", " Markers in hand: 3, given up: 0"]
    assert lines.index("The ends of the rows:") < lines.index("The display:") < lines.index("Ann:")
    assert " 1L Bourgogne sword, marker of Ann" in lines
    assert lines[lines.index("The display:") + 1].startswith("1.1 –        Bou sw A ")


def test_the_words_name_the_tiles_of_the_viewer_alone():
    table = a_table("anjou 1, anjou 2", tiles_in_hand={1: "tower, anjou"})
    own = GAME.words(GAME.position(table, 1), NAMES[:2], 1)
    assert " Tiles: Anjou, tower" in own
    for viewer in (2, None):
        lines = GAME.words(GAME.position(table, viewer), NAMES[:2], viewer)
        assert lines[lines.index("Ann:") + 1] == " Secret tiles: 2"


def test_a_tile_that_is_not_yet_seen_is_said_so():
    match = a_match("anjou 1, bourgogne sword", "anjou 2", tiles=("tower",))
    position = match.position(1)
    position["seats"][0]["tiles"] = [None]
    assert " Tiles: one not yet seen" in GAME.words(position, NAMES[:2], 1)


def test_a_cell_of_the_display_shows_region_emblems_tile_and_marker():
    table = a_table("– anjou 1, bourgogne sword, guyenne 2", marks={"1.3": 2, "1.4": 1}, tiles={"1.3": "regain"})
    lines = GAME.words(GAME.position(table, None), NAMES[:2], None)
    assert lines[lines.index("The display:") + 1] == "1.1 –        Anj 1    Bou sw?B Guy 2  A"


def test_empty_rows_are_said_to_be_empty_and_not_drawn():
    lines = GAME.words(GAME.position(a_table("anjou 1"), None), NAMES[:2], None)
    assert " Row 2 is empty." in lines
    assert [line for line in lines if line[:2] == "2."] == []


def test_the_last_card_of_a_row_is_one_end():
    lines = GAME.words(GAME.position(a_table("anjou 1"), None), NAMES[:2], None)
    assert " 1L Anjou 1" in lines
    assert not any(line.startswith(" 1R") for line in lines)


def test_the_words_tell_which_regains_were_played():
    table = a_table("anjou 1, anjou 2", tiles_in_hand={1: "regain"}, lost={1: 1})
    play(take_turn(table, ANN), "regain")
    assert " “Regain” tiles played: 1" in GAME.words(GAME.position(table, 2), NAMES[:2], 2)


def test_a_number_stays_on_the_line_of_its_name():
    table = a_table("anjou 1", cards={1: ", ".join(GAME.printed.names)})
    lines = GAME.words(GAME.position(table, None), NAMES[:2], None)
    assert not any(line.strip()[:1].isdigit() for line in lines[lines.index("Ann:") :])


@pytest.mark.parametrize("name", ["Wolfeschlegelsteinhausenbergerdorff the Elder", "Ann " * 20, "安" * 30, "A"])
def test_no_line_of_the_words_is_wider_than_40_columns(name: str):
    table = a_table(
        *["guyenne 2, languedoc tower, champagne cross, " * 4] * 4,
        marks={"1.1": 1, "1.12": 1, "2.1": 1},
        tiles={"1.1": "champagne", "1.12": "anjou"},
        cards={1: ", ".join(GAME.printed.names)},
        tiles_in_hand={1: ", ".join(GAME.printed.tiles)},
    )
    for viewer in (1, 2, None):
        lines = GAME.words(GAME.position(table, viewer), [name, name], viewer)
        assert max(map(len, lines)) <= 40


@pytest.mark.parametrize(
    ("term", "word"),
    [
        ("bourgogne 2", "Bourgogne 2"),
        ("bourgogne sword", "Bourgogne sword"),
        ("anjou", "Anjou"),
        ("cross", "cross"),
        ("regain", "regain"),
        ("2.11", "2.11"),
        ("1L", "1L"),
    ],
)
def test_how_people_read_a_name(term: str, word: str):
    assert GAME.word(term) == word

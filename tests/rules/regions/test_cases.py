"""Faults that users of comparable games reported."""

import pytest

from server.rules.asking import Refused
from server.rules.playing import Play
from server.rules.regions import GAME, take_turn
from server.rules.regions.the_end import score
from server.rules.telling import Seat, say
from tests.rules.regions.builders import NAMES, a_match, a_table, hands, log, play, turn_moves

ANN, BEN = Seat(1), Seat(2)


def test_case_B22_two_cards_left_both_marked_by_the_other_and_no_marker_is_a_forced_pass():
    table = a_table("anjou 1", "anjou 2", marks={"1.1": 2, "2.1": 2}, lost={1: 3, 2: 1})
    assert turn_moves(table, 1) == ["pass"]
    assert play(take_turn(table, ANN), "pass") == {}
    play(take_turn(table, BEN), "take 1L", "end")
    play(take_turn(table, ANN), "pass")
    play(take_turn(table, BEN), "take 2L")
    assert table.outcome is not None
    assert sum("passes" in told for told in log(table)) == 2


def test_case_B22_markers_on_other_cards_of_the_display_pay():
    table = a_table("anjou 1, guyenne 2, anjou 2", marks={"1.1": 2, "1.3": 2, "1.2": 1}, lost={1: 2, 2: 1})
    assert turn_moves(table, 1) == ["take 1L lose 1.2", "take 1R lose 1.2"]
    play(take_turn(table, ANN), "take 1L lose 1.2")
    assert hands(table) == {1: (0, 0, 3), 2: (1, 1, 1)}


def test_case_B22_four_players_six_ends_all_marked_by_others():
    rows = ("anjou 1, guyenne 2, anjou 2", "provence 2, guyenne 2, provence 2", "bretagne 2, guyenne 2, bretagne 1")
    marks = {"1.1": 2, "1.3": 2, "2.1": 3, "2.3": 3, "3.1": 4, "3.3": 4}
    without = a_table(*rows, seats=4, marks=marks, lost={1: 3})
    assert turn_moves(without, 1) == ["pass"]
    with_one = a_table(*rows, seats=4, marks=marks, lost={1: 2})
    assert turn_moves(with_one, 1) == ["take 1L", "take 1R", "take 2L", "take 2R", "take 3L", "take 3R"]
    assert turn_moves(with_one, 2)[0] == "take 1L"


def test_case_B22_the_owner_takes_the_reserved_card_for_nothing():
    table = a_table("anjou 1", "anjou 2", marks={"1.1": 2, "2.1": 2}, lost={1: 3, 2: 1})
    play(take_turn(table, BEN), "take 1L")
    assert hands(table)[2] == (1, 1, 1)


def test_case_B25_a_take_that_showed_a_tile_cannot_be_taken_back():
    match = _before_a_tile()
    match.submit(2, "take 4L")
    with pytest.raises(Refused) as refused:
        match.undone(2)
    assert "showed you something new" in say(refused.value.why, 2, NAMES)


def test_case_B25_what_follows_the_tile_can_be_taken_back_only_while_the_turn_lasts():
    match = _before_a_tile()
    match.submit(2, "take 4L")
    match.submit(2, "end")
    with pytest.raises(Refused) as refused:
        match.undone(2)
    assert "handed over" in say(refused.value.why, 2, NAMES)


def test_case_B25_a_take_without_a_tile_can_be_taken_back_before_the_turn_ends():
    match = _before_a_tile()
    match.submit(2, "take 1L")
    undone = match.undone(2)
    assert undone.question[BEN].kind == "turn"
    assert undone.position(2) == _before_a_tile().position(2)


def test_case_B25_nobody_takes_back_anothers_move():
    match = _before_a_tile()
    match.submit(2, "take 1L")
    with pytest.raises(Refused) as refused:
        match.undone(1)
    assert "not the last one" in say(refused.value.why, 1, NAMES)


def test_case_B25_nothing_can_follow_the_take_that_shows_a_tile_in_one_submission():
    match = _before_a_tile()
    with pytest.raises(Refused) as refused:
        match.submit(2, "take 4L; end")
    assert "shows you something new" in say(refused.value.why, 2, NAMES)
    assert match.position(2) == _before_a_tile().position(2)


def _before_a_tile() -> Play:
    match = a_match("anjou 1", "", "", "guyenne 2, provence 2", tiles=("tower", "sword"))
    match.submit(1, "take 4L; end")
    return match


def test_case_B46_no_emblem_on_either_side_scores_nothing():
    assert [each.parts["emblems"] for each in score(a_table()).scores] == [0, 0]


@pytest.mark.parametrize(("tiles", "points"), [({}, [0, 2]), ({1: "anjou"}, [2, 2]), ({1: "anjou, anjou"}, [3, 0])])
def test_case_B46_a_disc_makes_and_breaks_a_tie(tiles: dict[int, str], points: list[int]):
    table = a_table(cards={1: "anjou 1", 2: "anjou 2"}, tiles_in_hand=tiles)
    assert [each.parts["emblems"] for each in score(table).scores] == points


def test_case_B46_a_disc_alone_is_not_a_card_of_the_region():
    two = score(a_table(tiles_in_hand={1: "anjou"})).scores[0]
    assert dict(two.parts) == {"emblems": 1, "regions": -45, "symbols": -15}
    three = score(a_table(seats=3, tiles_in_hand={1: "anjou"})).scores[0]
    assert dict(three.parts) == {"emblems": 1, "regions": 0, "symbols": 0}


def test_case_B46_no_symbol_of_a_kind_costs_five_with_two_players_only():
    assert score(a_table(cards={1: "anjou cross"})).scores[0].parts["symbols"] == 1 - 5 - 5
    assert score(a_table(seats=3, cards={1: "anjou cross"})).scores[0].parts["symbols"] == 1


@pytest.mark.parametrize("seats", [3, 4])
def test_case_B46_tied_for_most_with_more_players(seats: int):
    cards = {1: "anjou 2", 2: "anjou 2", 3: "anjou 1"}
    shared = score(a_table(seats=seats, cards=cards)).scores
    assert [each.parts["emblems"] for each in shared][:3] == [2, 2, 0]
    nobody = score(a_table(seats=seats, cards=cards, ties="nobody")).scores
    assert [each.parts["emblems"] for each in nobody][:3] == [0, 0, 0]


def test_case_B46_the_components_are_those_of_the_rulebook():
    deck = GAME.printed.deck
    totals = {region: sum(card.emblems for card in deck if card.region == region) for region in GAME.printed.regions}
    assert (len(deck), len(totals), min(totals.values()), max(totals.values())) == (48, 9, 5, 10)
    assert {symbol: sum(card.symbol == symbol for card in deck) for symbol in ("cross", "sword", "tower")} == {
        "cross": 9,
        "sword": 9,
        "tower": 9,
    }
    assert len(GAME.printed.tiles) == 14
    assert len(a_match().table.tiles) == 8


def test_case_B46_the_six_unused_discs_are_unknown_to_everyone():
    match = a_match()
    unused = match.table.secrets[8:]
    assert len(unused) == 6
    assert not any(tile.known_to(viewer) for tile in unused for viewer in (1, 2, None))

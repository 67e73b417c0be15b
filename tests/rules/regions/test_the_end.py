"""The end of the match and the scores (chapter 5), with the rulebook's examples."""

import pytest

from server.rules.asking import Refused
from server.rules.playing import Outcome
from server.rules.regions import take_turn
from server.rules.regions.the_end import score
from server.rules.telling import Seat
from tests.rules.regions.builders import a_match, a_table, cards_of, log, play, turn_moves

ANN, BEN = Seat(1), Seat(2)


def parts(outcome: Outcome, part: str) -> list[int]:
    return [each.parts[part] for each in outcome.scores]


def a_score(part: str, *hands: str, tiles: dict[int, str] | None = None, **options: str) -> list[int]:
    """What each seat scores for one part with these cards."""
    table = a_table(seats=len(hands), cards=dict(enumerate(hands, start=1)), tiles_in_hand=tiles, **options)
    return parts(score(table), part)


@pytest.mark.rule("regions 5.1")
def test_the_match_ends_when_the_last_card_is_taken():
    table = a_table("anjou 1")
    assert play(take_turn(table, ANN), "take 1L") == {}
    assert table.outcome is not None
    assert "The last card is taken: the match is over." in log(table)


@pytest.mark.rule("regions 5.1")
def test_it_does_not_end_while_a_card_lies_there():
    table = a_table("", "anjou 1, anjou cross")
    assert play(take_turn(table, ANN), "take 2L") != {}
    assert table.outcome is None


@pytest.mark.rule("regions 5.1")
def test_the_last_two_cards_may_be_taken_together():
    table = a_table("anjou 1", "", "", "anjou cross")
    assert play(take_turn(table, ANN), "take 1L 4L") == {}
    assert table.outcome is not None


@pytest.mark.rule("regions 5.1")
def test_without_the_option_three_empty_rows_do_not_end_it():
    table = a_table("anjou 1", "", "", "anjou 2, provence 2")
    assert play(take_turn(table, ANN), "take 1L") != {}


@pytest.mark.rule("regions 5.1")
def test_the_short_game_ends_when_three_rows_are_empty():
    table = a_table("anjou 1", "", "", "anjou 2, provence 2", short=True, marks={"4.1": 1}, tiles={"4.2": "sword"})
    assert play(take_turn(table, ANN), "take 1L") == {}
    assert table.outcome is not None
    assert "Three rows are empty: the match is over, and what still lies on the display counts for nobody." in log(
        table
    )


@pytest.mark.rule("regions 5.1")
def test_the_short_game_goes_on_with_two_empty_rows():
    table = a_table("anjou 1, anjou cross", "", "", "anjou 2, provence 2", short=True)
    assert play(take_turn(table, ANN), "take 1L") != {}


@pytest.mark.rule("regions 5.1")
def test_the_second_card_of_the_last_take_may_come_from_the_fourth_row():
    table = a_table("anjou 1", "", "", "anjou cross, provence 2", short=True)
    assert "take 1L 4L" in turn_moves(table)
    assert play(take_turn(table, ANN), "take 1L 4L") == {}
    assert cards_of(table, 1) == ["anjou 1", "anjou cross"]


@pytest.mark.rule("regions 5.1")
def test_the_short_game_may_end_with_all_cards_taken():
    table = a_table("anjou 1", "", "", "anjou cross", short=True)
    play(take_turn(table, ANN), "take 1L 4L")
    assert "The last card is taken: the match is over." in log(table)


@pytest.mark.rule("regions 5.1")
def test_what_still_lies_on_the_display_counts_for_nobody():
    table = a_table("anjou 1", "", "", "bourgogne 2, provence 2", short=True, marks={"4.1": 1}, tiles={"4.1": "tower"})
    play(take_turn(table, ANN), "take 1L")
    assert table.outcome is not None
    assert [dict(each.parts) for each in table.outcome.scores] == [
        {"emblems": 1, "regions": -40, "symbols": -15},
        {"emblems": 0, "regions": -45, "symbols": -15},
    ]


@pytest.mark.rule("regions 5.1")
def test_after_the_last_take_nothing_is_asked_not_even_for_a_regain():
    table = a_table("anjou 1", tiles_in_hand={1: "regain"}, lost={1: 1})
    assert play(take_turn(table, ANN), "take 1L") == {}
    assert table.areas[ANN].lost == 1


@pytest.mark.rule("regions 5.1")
@pytest.mark.parametrize("more", ["end", "mark 4.5", "regain"])
def test_a_submission_that_goes_on_after_the_end_is_refused(more: str):
    match = a_match(options={"short": True})
    for _ in range(35):
        (seat,) = match.question
        match.submit(seat, match.decision(seat).answers()[0])
        match.submit(seat, "end")
    before = match.digest(), len(match.moves)
    (seat,) = match.question
    with pytest.raises(Refused):
        match.submit(seat, f"take 3L; {more}")
    assert (match.digest(), len(match.moves)) == before
    match.submit(seat, "take 3L")
    assert match.over


@pytest.mark.rule("regions 5.2")
def test_five_bourgogne_and_a_tile_against_five_are_six_points_and_none():
    assert a_score(
        "emblems",
        "bourgogne 2, bourgogne 2, bourgogne 1",
        "bourgogne 2, bourgogne cross, bourgogne sword, bourgogne tower",
        tiles={1: "bourgogne"},
    ) == [6, 0]


@pytest.mark.rule("regions 5.2")
def test_two_with_four_normandie_each_score_four_each():
    assert a_score(
        "emblems", "normandie 2, normandie 2", "normandie 1, normandie cross, normandie sword, normandie tower"
    ) == [4, 4]


@pytest.mark.rule("regions 5.2")
def test_regions_are_scored_each_for_itself():
    assert a_score("emblems", "anjou 2, bretagne 1", "anjou 1, bretagne 2, guyenne 2") == [2, 4]


@pytest.mark.rule("regions 5.2")
def test_a_tile_makes_a_tie():
    assert a_score("emblems", "anjou 1", "anjou 2", tiles={1: "anjou"}) == [2, 2]


@pytest.mark.rule("regions 5.2")
def test_a_majority_by_tiles_alone_scores():
    assert a_score("emblems", "bretagne 1", "", tiles={2: "anjou"}) == [1, 1]


@pytest.mark.rule("regions 5.2")
def test_the_nobody_option_lets_nobody_score_on_a_tie():
    hands = ("anjou 2, bretagne 1", "anjou 1, anjou cross")
    assert a_score("emblems", *hands) == [3, 2]
    assert a_score("emblems", *hands, ties="nobody") == [1, 0]


@pytest.mark.rule("regions 5.2")
def test_three_with_two_tied_for_most():
    hands = ("anjou 2", "anjou 2", "anjou 1")
    assert a_score("emblems", *hands) == [2, 2, 0]
    assert a_score("emblems", *hands, ties="nobody") == [0, 0, 0]


@pytest.mark.rule("regions 5.3")
def test_most_symbols_of_a_kind_score_as_many_points():
    assert a_score("symbols", "anjou cross, bretagne cross", "guyenne cross", "auvergne tower", tiles={2: "sword"}) == [
        2,
        1,
        1,
    ]


@pytest.mark.rule("regions 5.3")
def test_symbols_on_tiles_count_and_ties_score_in_full():
    assert a_score("symbols", "anjou cross, bretagne cross", "guyenne cross", "", tiles={2: "cross"}) == [2, 2, 0]


@pytest.mark.rule("regions 5.3")
def test_the_nobody_option_holds_for_symbols_too():
    assert a_score("symbols", "anjou cross", "guyenne cross, anjou sword", "", ties="nobody") == [0, 1, 0]


@pytest.mark.rule("regions 5.4")
def test_two_players_lose_five_for_each_region_and_each_symbol_without_a_card():
    every_region = ", ".join(f"{region} cross" for region in ("anjou", "auvergne", "bourgogne", "champagne"))
    rest = "guyenne sword, languedoc sword, normandie tower, provence tower"
    all_but_one = f"{every_region}, {rest}"
    assert a_score("regions", all_but_one, f"{all_but_one}, bretagne 2") == [-5, 0]
    assert a_score("symbols", "anjou cross", "anjou cross, anjou sword, anjou tower") == [1 - 10, 1 + 1 + 1]


@pytest.mark.rule("regions 5.4")
def test_no_bretagne_card_and_no_sword_are_minus_ten():
    without = "anjou cross, auvergne tower, bourgogne 1, champagne 2, guyenne 2, languedoc 2, normandie 1, provence 2"
    table = a_table(cards={1: without, 2: f"{without}, bretagne sword"})
    first, second = score(table).scores
    assert first.parts["regions"] + first.parts["symbols"] == -5 + 1 + 1 - 5
    assert second.parts["regions"] + second.parts["symbols"] == 0 + 1 + 1 + 1


@pytest.mark.rule("regions 5.4")
def test_tiles_do_not_help_against_minus_points():
    assert a_score("regions", "", "", tiles={1: "anjou"}) == [-45, -45]
    assert a_score("symbols", "", "", tiles={1: "cross"}) == [1 - 15, -15]


@pytest.mark.rule("regions 5.5")
@pytest.mark.parametrize("seats", [3, 4])
def test_more_players_get_two_for_each_region_with_a_card(seats: int):
    hands = ["anjou 2, anjou 1, bretagne cross", "guyenne 2", "", ""][:seats]
    assert a_score("regions", *hands, tiles={3: "anjou"}) == [4, 2, 0, 0][:seats]


@pytest.mark.rule("regions 5.5")
def test_more_players_lose_nothing_for_what_they_do_not_have():
    assert a_score("symbols", "", "", "") == [0, 0, 0]


@pytest.mark.rule("regions 5.6")
def test_most_points_in_all_win_and_the_parts_add_up():
    table = a_table(cards={1: "anjou 2, bretagne cross", 2: "guyenne 2"})
    outcome = score(table)
    assert [(each.seat, each.total, dict(each.parts)) for each in outcome.scores] == [
        (1, -41, {"emblems": 3, "regions": -35, "symbols": -9}),
        (2, -53, {"emblems": 2, "regions": -40, "symbols": -15}),
    ]
    assert outcome.winners == (1,)


@pytest.mark.rule("regions 5.6")
def test_fewer_cards_win_a_tie_and_tiles_are_no_cards():
    table = a_table(seats=3, cards={1: "anjou 2", 2: "bretagne 1, bretagne 1"}, tiles_in_hand={1: "regain, regain"})
    outcome = score(table)
    assert [each.total for each in outcome.scores] == [4, 4, 0]
    assert outcome.winners == (1,)


@pytest.mark.rule("regions 5.6")
def test_with_as_many_cards_the_win_is_shared():
    outcome = score(a_table(seats=3, cards={1: "anjou 2", 2: "bretagne 2", 3: ""}))
    assert outcome.winners == (1, 2)


@pytest.mark.rule("regions 5.6")
@pytest.mark.parametrize(
    ("anns_cards", "told"),
    [
        ("anjou 2, anjou 1", "Ann wins."),
        ("anjou 2", "Ann, Cat have equally many points and cards: they share the win."),
        ("anjou 1, anjou 1", "Ann, Cat have equally many points; Cat has fewest cards and wins."),
    ],
)
def test_the_log_tells_who_wins_and_why(anns_cards: str, told: str):
    table = a_table("auvergne 2", seats=3, cards={1: anns_cards})
    play(take_turn(table, Seat(3)), "take 1L")
    assert log(table)[-1] == told


def test_at_the_end_everybodys_tiles_are_open():
    table = a_table("anjou 1", tiles_in_hand={1: "sword, anjou", 2: "regain"})
    play(take_turn(table, BEN), "take 1L")
    assert "Ann shows the tiles Anjou, sword." in log(table)
    assert "Ben shows the tiles regain." in log(table)

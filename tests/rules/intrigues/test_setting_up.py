"""Chapter 1: setting up."""

from __future__ import annotations

from collections import Counter

import pytest

from server.rules.chance import Seeded
from server.rules.intrigues import GAME
from server.rules.intrigues.turn import take_turn
from server.rules.playing import Play
from tests.rules.intrigues.builders import ANN, BEN, CAT, DAN, NAMES, a_match, a_table, in_hand, play


@pytest.mark.rule("intrigues 1.1")
def test_three_boxes_each_hold_a_richelieu_sheet_above_and_an_opposing_sheet_below():
    boxes = a_match(boxes=(("R1", "E2"), ("R5", "E3"), ("R9", "P1"))).position(None)["boxes"]
    assert [(box["richelieu"]["sheet"], box["opposing"]["sheet"]) for box in boxes] == [
        ("R1", "E2"),
        ("R5", "E3"),
        ("R9", "P1"),
    ]


@pytest.mark.rule("intrigues 1.2")
def test_26_sheets_of_five_factions_lie_in_two_stacks():
    factions = Counter(sheet.faction for sheet in GAME.printed.sheets.values())
    assert factions == {"Richelieu": 13, "England": 4, "France": 3, "Habsburg": 3, "Protestants": 3}
    assert len(GAME.printed.richelieu) == len(GAME.printed.opposition) == 13
    assert a_match().position(None)["stacks"] == {"richelieu": 10, "opposition": 10}


@pytest.mark.rule("intrigues 1.2")
def test_two_shuffles_are_made_first_richelieu_then_the_opposition():
    first, second = Play(GAME, 2, chance=Seeded("a seed")).chance.orders
    assert (first.name, second.name) == ("richelieu", "opposition")
    assert sorted(first.order) == sorted(GAME.printed.richelieu)
    assert sorted(second.order) == sorted(GAME.printed.opposition)


@pytest.mark.rule("intrigues 1.2")
def test_the_first_three_of_each_stack_come_to_boxes_1_to_3_and_the_fourth_is_next():
    match = Play(GAME, 2, chance=Seeded("another seed"))
    richelieu, opposition = (shuffle.order for shuffle in match.chance.orders)
    boxes = match.position(None)["boxes"]
    assert [box["richelieu"]["sheet"] for box in boxes] == list(richelieu[:3])
    assert [box["opposing"]["sheet"] for box in boxes] == list(opposition[:3])
    assert [card.front for card in match.table.stacks["richelieu"]] == list(richelieu[3:])
    assert [card.front for card in match.table.stacks["opposition"]] == list(opposition[3:])


@pytest.mark.rule("intrigues 1.3")
def test_every_sheet_has_five_spots_with_their_costs_from_left_to_right():
    table = a_table(boxes=(("R4", "E1"), ("R12", "H1"), ("R9", "P1")))
    assert [spot.cost for spot in table.boxes[0].richelieu.spots] == [2, 1, 1, 0, 0]
    assert [spot.cost for spot in table.boxes[0].opposing.spots] == [3, 2, 1, 1, 0]
    spots = GAME.position(table, None)["boxes"][1]["opposing"]["spots"]
    assert spots == [{"cost": cost, "piece": None} for cost in (3, 2, 1, 0, 0)]


@pytest.mark.rule("intrigues 1.3")
def test_every_sheet_has_two_bonuses_and_a_movement_of_the_cardinal():
    for sheet in GAME.printed.sheets.values():
        assert sheet.first
        assert sheet.second
        assert sheet.cardinal > 0 if sheet.faction == "Richelieu" else sheet.cardinal < 0


@pytest.mark.rule("intrigues 1.4")
@pytest.mark.parametrize(("seats", "jewels"), [(2, 6), (3, 8), (4, 10)])
def test_each_begins_with_ten_agents_7_money_and_2_jewels_and_the_city_with_2_jewels(seats, jewels):
    table = a_table(seats)
    for seat in table.seats:
        assert in_hand(table, seat) == [-2, -2, 1, 1, 1, 2, 2, 2, 3, 3]
        assert table.money[seat] == 7
        assert table.jewels[seat] == 2
    assert table.city_jewels == 2
    assert table.city_jewels + sum(table.jewels.values()) == jewels


@pytest.mark.rule("intrigues 1.4")
def test_money_never_runs_out():
    table = a_table(money={ANN: 10_000})
    play(take_turn(table, ANN), "income")
    assert table.money[ANN] == 10_001


@pytest.mark.rule("intrigues 1.5")
def test_markers_the_cardinal_and_the_royal_pieces_stand_at_their_beginnings():
    position = a_match(3).position(None)
    assert [(seat["prestige"], seat["military"], seat["income"]) for seat in position["seats"]] == [(0, 0, 1)] * 3
    assert position["cardinal"] == 7
    spots = [spot for box in position["boxes"] for side in box.values() for spot in side["spots"]]
    assert all(spot["piece"] is None for spot in spots)


@pytest.mark.rule("intrigues 1.6")
def test_only_the_owner_sees_agents_money_and_jewels_but_all_count_the_agents():
    match = a_match(3)
    own = match.position(BEN)["seats"][BEN - 1]
    assert own["agents"] == [-2, -2, 1, 1, 1, 2, 2, 2, 3, 3]
    assert (own["money"], own["jewels"]) == (7, 2)
    for viewer in (ANN, CAT, None):
        seen = match.position(viewer)["seats"][BEN - 1]
        assert seen["agents_in_hand"] == 10
        assert not {"agents", "money", "jewels"} & set(seen)


@pytest.mark.rule("intrigues 1.6")
def test_open_coffers_show_money_and_jewels_to_all_but_not_the_agents():
    seen = a_match(2, open_coffers=True).position(None)["seats"][ANN - 1]
    assert (seen["money"], seen["jewels"]) == (7, 2)
    assert "agents" not in seen


@pytest.mark.rule("intrigues 1.6")
def test_prestige_and_the_cardinal_count_on_past_29():
    table = a_table(
        2, on={"R3.1": (ANN, 3), "R3.2": (BEN, 2), "R3.3": (BEN, 1), "R3.4": (BEN, 1)}, prestige={ANN: 29}, cardinal=30
    )
    play(take_turn(table, ANN), "place 1 R3.5")
    assert table.prestige[ANN] == 29 + 6
    assert table.cardinal == 35


def test_the_seats_of_a_match_are_two_to_four():
    for seats in (1, 5):
        with pytest.raises(ValueError, match="2 to 4"):
            Play(GAME, seats, chance=Seeded("x"))
    assert Play(GAME, 4, chance=Seeded("x"), names=NAMES).seats == (ANN, BEN, CAT, DAN)

"""Setting up (chapter 1)."""

import random
from collections import Counter

import pytest

from server.rules.chance import Seeded
from server.rules.crusade import GAME
from server.rules.crusade.colours import COLOURS
from server.rules.crusade.edition import NUMERALS
from server.rules.crusade.effects import NOTHING_NAMED, draw, effect
from server.rules.crusade.ending import rounded_up
from server.rules.crusade.events import turn_event
from server.rules.crusade.setting_up import set_up, shuffle_events
from server.rules.playing import NotAsked, Play
from server.rules.telling import Seat
from tests.rules.crusade.builders import (
    Luck,
    a_match,
    a_table,
    acted,
    action_of,
    asked,
    cards_in_game,
    hand,
    play,
    play_until,
    refusal,
    step_at_random,
    told,
)

ALL_CARDS = {"blue": 24, "yellow": 24, "purple": 24, "white": 24, "red": 33, "green": 36}


@pytest.mark.rule("crusade 1.1")
def test_there_are_165_cards():
    table = a_match().table
    assert cards_in_game(table) == ALL_CARDS
    assert sum(ALL_CARDS.values()) == 165


@pytest.mark.slow
@pytest.mark.rule("crusade 1.1")
@pytest.mark.parametrize("seats", range(3, 9))
@pytest.mark.parametrize("events", ["off", "on", "history"])
def test_no_card_is_made_or_lost_at_any_step_of_a_match(seats: int, events: str):
    for seed in range(6):
        match, luck = Play(GAME, seats, {"events": events}, chance=Seeded(f"{seed}")), random.Random(seed)
        while not match.over:
            step_at_random(match, luck)
            assert cards_in_game(match.table) == ALL_CARDS
            position = match.position("host")
            assert (
                sum(position["reserve"].values())
                + position["supply"]
                + position["crusade_deck"]
                + sum(seat["cards"] for seat in position["seats"])
            ) == 165


@pytest.mark.rule("crusade 1.1")
def test_the_cards_stay_165_between_two_questions_too():
    table = GAME.set_up(4, {"events": "on"}, Seeded("between"))
    script = GAME.script(table)
    luck = random.Random(5)
    step = next(script)
    for _ in range(400):
        assert cards_in_game(table) == ALL_CARDS
        try:
            step = (
                script.send({seat: luck.choice(decision.answers()) for seat, decision in step.items()})
                if isinstance(step, dict)
                else next(script)
            )
        except StopIteration:
            break
    assert table.ending


@pytest.mark.rule("crusade 1.2")
def test_the_supply_is_twelve_of_each_colour_shuffled_and_the_reserve_all_others():
    luck = Luck()
    match = a_match(3, luck=luck)
    name, things = luck.shuffled[0]
    assert name == "supply"
    assert things == tuple(sorted(things))
    assert Counter(things) == dict.fromkeys(COLOURS, 12)
    reserve = match.position(None)["reserve"]
    assert reserve == {"blue": 12, "yellow": 12, "purple": 12, "white": 12, "red": 21, "green": 24}


@pytest.mark.rule("crusade 1.2")
def test_the_top_card_is_drawn_first():
    dealt = ["red"] * 12 + ["green"] * 6
    match = a_match(3, luck=Luck(supply=[" ".join([*dealt, "white", "blue"])]))
    assert [len(match.table.hands[seat]) for seat in match.seats] == [6, 6, 6]
    draw(match.table, Seat(3), 2)
    assert hand(match.table, 3) == "blue white green green green green green green"


@pytest.mark.rule("crusade 1.3")
@pytest.mark.parametrize(("seats", "cards"), [(3, 6), (4, 6), (5, 7), (6, 7), (7, 7), (8, 7)])
def test_each_is_dealt_six_cards_or_seven_with_five_or_more(seats: int, cards: int):
    match = a_match(seats)
    assert [seat["cards"] for seat in match.position(None)["seats"]] == [cards] * seats
    assert match.position(None)["supply"] == 72 - seats * cards


@pytest.mark.rule("crusade 1.3")
def test_a_whole_hand_is_dealt_at_a_time_seat_1_first():
    match = a_match(3, luck=Luck(supply=["red red red red red red green green green green green blue white white"]))
    assert hand(match.table, 1) == "red red red red red red"
    assert hand(match.table, 2) == "blue green green green green green"
    assert hand(match.table, 3).startswith("blue blue blue blue white white")


@pytest.mark.rule("crusade 1.4")
def test_an_empty_supply_is_refilled_in_the_middle_of_a_draw_with_five_of_each_colour():
    luck = Luck(supply=["green white"])
    table = a_table(supply="red", luck=luck)
    draw(table, Seat(1), 3)
    assert hand(table, 1) == "white red green"
    (shuffle,) = luck.shuffled
    assert shuffle.name == "supply"
    assert Counter(shuffle.order) == dict.fromkeys(COLOURS, 5)
    assert len(table.supply) == 28
    assert "The supply is used up; 5 blue, 5 yellow, 5 purple, 5 white, 5 red, 5 green" in " ".join(told(table))


@pytest.mark.rule("crusade 1.4")
def test_the_last_card_of_the_supply_alone_brings_no_new_one():
    luck = Luck()
    table = a_table(supply="red", luck=luck)
    draw(table, Seat(1), 1)
    assert table.supply == []
    assert luck.shuffled == []


@pytest.mark.rule("crusade 1.4")
def test_a_new_supply_takes_as_many_of_a_colour_as_there_are():
    luck = Luck()
    table = a_table(supply="", reserve={"blue": 2, "white": 0}, luck=luck)
    draw(table, Seat(1), 1)
    expected = {"blue": 2, "yellow": 5, "purple": 5, "red": 5, "green": 5}
    assert Counter(luck.shuffled[0].order) == expected


@pytest.mark.rule("crusade 1.4")
def test_the_reserve_of_the_moment_makes_the_new_supply():
    """The Chancellor's levy draws before it takes: the red card taken is not in the new supply's way."""
    table = acted("chancellor", "", "levy red", supply="", reserve={"red": 5})
    assert table.held(Seat(1))["red"] == 0
    assert len(table.hands[Seat(1)]) == 2


@pytest.mark.rule("crusade 1.4")
def test_when_nothing_is_left_at_all_no_card_is_drawn_and_nothing_is_shuffled():
    luck = Luck()
    table = a_table(supply="red", reserve=dict.fromkeys(COLOURS, 0), luck=luck)
    draw(table, Seat(1), 3)
    assert hand(table, 1) == "red"
    assert luck.shuffled == []
    draw(table, Seat(2), 1)
    assert hand(table, 2) == ""
    assert told(table)[-1] == "There is nothing left for Ben to draw."


@pytest.mark.rule("crusade 1.5")
def test_loyalty_is_chosen_openly_in_turn_from_seat_1():
    match = a_match(4)
    for seat, side in ((1, "richard"), (2, "john"), (3, "john")):
        assert tuple(match.question) == (seat,)
        assert list(match.decision(seat).answers()) == ["loyal richard", "loyal john"]
        match.submit(seat, f"loyal {side}")
        assert match.position(None)["seats"][seat - 1]["loyalty"] == side


@pytest.mark.rule("crusade 1.5")
@pytest.mark.parametrize(("seats", "cards"), [(3, 2), (4, 2), (5, 3), (6, 3), (7, 4), (8, 4)])
def test_a_side_has_so_many_loyalty_cards_and_a_forced_choice_is_made_for_the_player(seats: int, cards: int):
    match = a_match(seats)
    for seat in range(1, cards + 1):
        match.submit(seat, "loyal john")
    sides = [seat["loyalty"] for seat in match.position(None)["seats"]]
    assert sides == ["john"] * cards + ["richard"] * (seats - cards)
    assert len(match.moves) == cards
    assert match.position(None)["phase"] == "influencing"


@pytest.mark.rule("crusade 1.5")
def test_a_loyalty_that_has_run_out_cannot_be_chosen():
    match = a_match(4)
    match.submit(1, "loyal john")
    match.submit(2, "loyal john")
    with pytest.raises(NotAsked):
        match.submit(3, "loyal john")
    assert match.position(None)["seats"][2]["loyalty"] == "richard"


@pytest.mark.rule("crusade 1.5")
def test_a_loyalty_that_does_not_exist_is_refused():
    rule, why = refusal(a_match().decision(1), "loyal saladin")
    assert rule == "crusade 1.5"
    assert "loyal richard" in why


@pytest.mark.rule("crusade 1.6")
def test_counselors_are_shuffled_before_the_first_loyalty_and_drawn_after_the_last():
    tops = {
        "counselors richard": ["Eleanor|Longchamp"],
        "counselors john": ["Nicola of the Haye|Hugh Bardolf"],
    }
    luck = Luck(tops)
    match = a_match(4, luck=luck)
    assert [shuffle.name for shuffle in luck.shuffled] == ["supply", "counselors richard", "counselors john"]
    assert [len(shuffle.order) for shuffle in luck.shuffled[1:]] == [14, 14]
    for seat, side in ((1, "john"), (2, "richard"), (3, "john")):
        match.submit(seat, f"loyal {side}")
    held = [seat["counselor_names"] for seat in match.position("host")["seats"]]
    assert held == [["Nicola of the Haye"], ["Eleanor"], ["Hugh Bardolf"], ["Longchamp"]]
    assert match.position(None)["counselor_decks"] == {"richard": 12, "john": 12}


@pytest.mark.rule("crusade 1.6")
def test_only_the_drawer_knows_the_counselor():
    match = a_match(3)
    play_until(match, "pawn")
    (card,) = match.table.counselors[2]
    assert [card.known_to(viewer) for viewer in (None, 1, 2, 3)] == [False, False, True, False]
    name = match.position(2)["seats"][1]["counselor_names"][0]
    assert "counselor_names" not in match.position(1)["seats"][1]
    assert f"Ben draws a counselor ({name})." in told(match.table, 2)
    assert "Ben draws a counselor (kept secret)." in told(match.table, 1)


@pytest.mark.rule("crusade 1.7")
def test_the_tracks_begin_where_the_rulebook_says():
    position = a_match().position(None)
    assert position["tracks"] == {"time": 12, "crusaders": 10, "saladin": 10, "treasury": 8}
    assert [seat["pp"] for seat in position["seats"]] == [0, 0, 0]


@pytest.mark.rule("crusade 1.7")
def test_prestige_may_fall_below_zero():
    table = a_table()
    table.award(Seat(1), -2)
    assert table.pp[1] == -2
    assert told(table) == ["Ann loses 2 PP and has −2."]


@pytest.mark.rule("crusade 1.8")
@pytest.mark.parametrize(
    ("seats", "loyalties", "red", "green"),
    [(3, "jj", 4, 2), (3, "rr", 2, 4), (5, "jjj", 6, 4), (5, "rrr", 4, 6), (8, "jrjrjrj", 8, 8)],
)
def test_the_crusade_deck_begins_with_two_cards_against_each_players_wish(
    seats: int, loyalties: str, red: int, green: int
):
    match = a_match(seats)
    for seat, letter in enumerate(loyalties, start=1):
        match.submit(seat, "loyal john" if letter == "j" else "loyal richard")
    deck = Counter(card.front for card in match.table.crusade_deck)
    assert deck == {"yellow": 1, "purple": 1, "blue": 1, "white": 1, "red": red, "green": green}
    reserve = match.position(None)["reserve"]
    assert reserve == {"blue": 11, "yellow": 11, "purple": 11, "white": 11, "red": 21 - red, "green": 24 - green}


@pytest.mark.rule("crusade 1.9")
@pytest.mark.parametrize(("number", "by", "rounded"), [(8, 3, 3), (8, 2, 4), (9, 2, 5), (1, 4, 1), (0, 3, 0)])
def test_all_rounding_is_upwards(number: int, by: int, rounded: int):
    assert rounded_up(number, by) == rounded


@pytest.mark.rule("crusade 1.10")
def test_without_events_none_is_shuffled_and_none_is_turned():
    match = a_match(events="off")
    play_until(match, "pawn")
    assert not any(shuffle.name == "events" for shuffle in match.chance.orders)
    assert match.position(None)["event"] is None
    assert match.position(None)["events_left"] == 0


@pytest.mark.rule("crusade 1.10")
def test_eighteen_events_are_shuffled_after_the_counselors_were_dealt():
    luck = Luck(events=["John's plot|X Darum"])
    match = a_match(3, events="on", luck=luck)
    assert [shuffle.name for shuffle in luck.shuffled][-1] == "counselors john"
    play_until(match, "pawn")
    assert luck.shuffled[-1].name == "events"
    assert len(luck.shuffled[-1].order) == 18
    assert match.position(None)["event"] == "John's plot"
    assert match.position(None)["events_left"] == 17


@pytest.mark.rule("crusade 1.10")
def test_as_it_happened_one_to_twelve_come_in_order_and_six_are_shuffled_under_them():
    luck = Luck(events=["Letters from home|John's plot"])
    table = a_table(events="history", luck=luck)
    shuffle_events(table)
    assert len(luck.shuffled[0].order) == 6
    order = [card.front for card in reversed(table.events)]
    assert [name.split()[0] for name in order[:12]] == list(NUMERALS)
    assert order[12:14] == ["Letters from home", "John's plot"]
    assert len(order) == 18


@pytest.mark.rule("crusade 1.10")
def test_an_empty_event_deck_turns_no_event():
    table = a_table(events="on")
    table.event = "X Darum"
    assert play(turn_event(table)) == {}
    assert table.event is None


@pytest.mark.rule("crusade 1.11")
def test_a_colour_of_which_the_reserve_has_too_few_gives_what_there_is():
    table = acted("merchant", "", "stock", supply="red", reserve={"blue": 1})
    assert hand(table, 1) == "blue red"
    assert "The reserve has no more blue." in told(table)


@pytest.mark.rule("crusade 1.11")
def test_a_colour_of_choice_can_be_one_that_the_reserve_has_not():
    table = acted("chancellor", "", "levy blue", supply="red red", reserve={"blue": 0})
    assert hand(table, 1) == "red red"


@pytest.mark.rule("crusade 1.12")
def test_the_player_named_is_another_one_and_may_have_no_cards():
    table, script = action_of(2, "inquisitor", "")
    decision = asked(script)
    assert [answer for answer in decision.answers() if answer.startswith("accuse")] == ["accuse 1", "accuse 3"]
    assert refusal(decision, "accuse 2")[0] == "crusade 1.12"
    assert refusal(decision, "accuse 4") == (
        "crusade 1.12",
        "Nobody in this match is called so. The others are Ann, Cat.",
    )
    decision.read("accuse 3")
    assert table.hands[Seat(3)] == []


@pytest.mark.rule("crusade 1.12")
def test_a_number_means_the_seat_even_if_somebody_is_called_so():
    table, script = action_of(2, "inquisitor", "")
    table.names = ("3", "Ben", "Cat")
    decision = asked(script)
    assert decision.read("accuse  3") == "accuse 3"
    assert table.seat_named("3") == 3
    assert table.seat_named("cat") == 3


@pytest.mark.rule("crusade 1.12")
def test_what_happens_to_several_happens_clockwise_from_the_first_player():
    table = a_table(3, supply="blue white red", first=2)
    event = GAME.printed.events["Letters from home"].consequences[0]
    play(event.deed.carry_out(table, table.first))
    assert [hand(table, seat) for seat in (2, 3, 1)] == ["blue", "white", "red"]
    table = a_table(4, loyal="rrjr", first=2)
    play(effect("Richard's side +1 PP").carry_out(table, table.first, NOTHING_NAMED))
    assert told(table) == ["Ben gets 1 PP and has 1.", "Dan gets 1 PP and has 1.", "Ann gets 1 PP and has 1."]


@pytest.mark.rule("crusade 1.10")
def test_the_option_has_three_values_and_is_off_by_default():
    (option,) = GAME.options
    assert option.values == ("off", "on", "history")
    assert a_match().options == {"events": "off"}


@pytest.mark.rule("crusade 1.5")
def test_case_B47_everybody_wants_the_same_side_of_seven():
    """Capacity is enforced in turn: after four for John the other three are Richard's."""
    match = a_match(7)
    for seat in (1, 2, 3, 4):
        match.submit(seat, "loyal john")
    assert Counter(seat["loyalty"] for seat in match.position(None)["seats"]) == {"john": 4, "richard": 3}
    deck = Counter(card.front for card in match.table.crusade_deck)
    assert (deck["red"], deck["green"]) == (8, 6)


def test_a_table_before_its_first_shuffle_has_all_cards_in_the_reserve():
    table = GAME.set_up(3, {"events": "off"}, Luck())
    assert {colour: len(pile) for colour, pile in table.reserve.items()} == ALL_CARDS
    play(set_up(table), "loyal john", "loyal richard", "loyal john")
    assert cards_in_game(table) == ALL_CARDS

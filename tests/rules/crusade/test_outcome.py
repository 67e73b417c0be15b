"""The outcome of the Crusade (chapter 6) and its events (chapter 7, 11.2)."""

from collections import Counter

import pytest

from server.rules.crusade import GAME
from server.rules.crusade.events import resolve_event
from server.rules.crusade.outcome import clear_away, determine_outcome
from server.rules.telling import Seat
from tests.rules.crusade.builders import Luck, a_match, a_table, hand, play, play_until, told


def turned(cards: str, *, seats: int = 3, deck: str = "", **table_parts):
    """The table, and what happened, after these cards were turned up."""
    table = a_table(seats, crusade_deck=f"{cards} {deck}", luck=Luck(crusade=[cards]), **table_parts)
    outcomes = []

    def script():
        outcomes.append((yield from determine_outcome(table)))

    assert play(script()) == {}
    return table, outcomes[0]


@pytest.mark.rule("crusade 6.1")
@pytest.mark.parametrize(("seats", "cards"), [(3, 6), (4, 8), (5, 10), (6, 12), (7, 14), (8, 16)])
def test_twice_as_many_cards_as_players_are_turned_up(seats: int, cards: int):
    table, _ = turned("", seats=seats, deck=" ".join(["red", "green"] * 10))
    assert len(table.turned_up) == cards
    assert len(table.crusade_deck) == 20 - cards
    assert GAME.position(table, None)["turned_up"] == table.turned_up


@pytest.mark.rule("crusade 6.1")
def test_all_there_are_are_turned_up_if_they_are_fewer():
    table, _ = turned("red red blue")
    assert table.turned_up == ["red", "red", "blue"]
    assert table.crusade_deck == []


@pytest.mark.rule("crusade 6.1")
def test_an_empty_crusade_deck_is_not_shuffled_and_costs_time_alone():
    table, outcome = turned("")
    assert table.chance.shuffled == []
    assert table.tracks == {"time": 11, "crusaders": 10, "saladin": 10, "treasury": 8}
    assert "drawn" in outcome


@pytest.mark.rule("crusade 6.1")
def test_the_deck_is_shuffled_each_turn_under_its_name_sorted():
    table, _ = turned("red", deck="white blue green blue")
    (shuffle,) = table.chance.shuffled
    assert shuffle == ("crusade", ("blue", "blue", "green", "red", "white"))


@pytest.mark.rule("crusade 6.1")
def test_after_the_shuffle_nobody_knows_which_card_they_sent():
    table = a_table(hands={1: "red red red"}, crusade_deck="green green green green green green")
    table.send(Seat(1), ["red", "red"])
    assert [card.known_to(1) for card in table.crusade_deck] == [True] * 8
    play(determine_outcome_of(table))
    assert len(table.crusade_deck) == 2
    assert not any(card.known_to(seat) for card in table.crusade_deck for seat in (1, 2, None))


def determine_outcome_of(table):
    def script():
        yield from determine_outcome(table)

    return script()


@pytest.mark.rule("crusade 6.2")
@pytest.mark.parametrize(
    ("cards", "crusaders", "saladin", "battle"),
    [
        ("green green green red", 8, 10, "lost"),
        ("red red red red green", 10, 7, "won"),
        ("red green", 10, 10, "drawn"),
        ("blue white", 10, 10, "drawn"),
    ],
)
def test_the_weaker_army_goes_down_by_the_difference(cards: str, crusaders: int, saladin: int, battle: str):
    table, outcome = turned(cards)
    assert (table.tracks["crusaders"], table.tracks["saladin"]) == (crusaders, saladin)
    assert outcome & {"won", "lost", "drawn"} == {battle}


@pytest.mark.rule("crusade 6.3")
@pytest.mark.parametrize(
    ("cards", "time", "how"),
    [("purple purple purple blue", 9, "slowed"), ("blue purple blue blue", 7, "hastened"), ("blue purple", 8, None)],
)
def test_time_goes_down_and_purple_or_blue_slow_or_hasten_it_by_one(cards: str, time: int, how: str | None):
    table, outcome = turned(cards, tracks={"time": 9})
    assert table.tracks["time"] == time
    assert outcome & {"slowed", "hastened"} == ({how} if how else set())


@pytest.mark.rule("crusade 6.3")
def test_a_slowed_return_from_one_stops_at_zero_first():
    table, _ = turned("purple", tracks={"time": 1})
    assert table.tracks["time"] == 1
    table, _ = turned("blue", tracks={"time": 1})
    assert table.tracks["time"] == 0


@pytest.mark.rule("crusade 6.4")
@pytest.mark.parametrize(
    ("cards", "treasury", "how"),
    [
        ("white white white yellow", 6, "treasury fell"),
        ("yellow yellow yellow", 11, "treasury rose"),
        ("yellow white", 8, None),
    ],
)
def test_the_treasury_moves_by_the_difference_of_yellow_and_white(cards: str, treasury: int, how: str | None):
    table, outcome = turned(cards)
    assert table.tracks["treasury"] == treasury
    assert outcome & {"treasury rose", "treasury fell"} == ({how} if how else set())


@pytest.mark.rule("crusade 6.5")
def test_what_counts_is_what_was_turned_up_even_if_no_marker_could_move():
    table, outcome = turned("red yellow purple", tracks={"saladin": 0, "treasury": 20, "time": 12})
    assert outcome == {"won", "treasury rose", "slowed"}
    assert table.tracks == {"time": 12, "crusaders": 10, "saladin": 0, "treasury": 20}


@pytest.mark.rule("crusade 6.5")
@pytest.mark.parametrize(("track", "end"), [("time", 12), ("crusaders", 15), ("saladin", 15), ("treasury", 20)])
def test_no_marker_leaves_its_track(track: str, end: int):
    table = a_table()
    table.move(track, 30)
    assert table.tracks[track] == end
    table.move(track, -30)
    assert table.tracks[track] == 0


def after_event(name: str, outcome: set[str], **table_parts):
    table = a_table(3, events="on", **table_parts)
    table.event = name
    play(resolve_event(table, frozenset(outcome)))
    return table


@pytest.mark.rule("crusade 7.1")
def test_the_consequences_come_one_after_the_other_and_stop_at_the_ends_each_time():
    """From time 1 the turn takes it to 0, the truce tries to take it below; the slowed return begins at 0."""
    table = after_event("XII The truce", {"hastened", "won"}, tracks={"time": 0})
    assert table.tracks["time"] == 0
    table = after_event("III Cyprus", {"treasury rose"}, tracks={"treasury": 19})
    assert table.tracks["treasury"] == 20


@pytest.mark.rule("crusade 7.1")
def test_an_event_without_its_outcome_does_nothing():
    table = after_event("IV Siege of Acre", {"drawn"})
    assert told(table) == ["IV Siege of Acre has no consequence."]
    assert table.tracks == {"time": 12, "crusaders": 10, "saladin": 10, "treasury": 8}


@pytest.mark.rule("crusade 7.1")
def test_without_an_event_nothing_is_carried_out():
    table = after_event(None, {"won"})
    assert told(table) == []


@pytest.mark.rule("crusade 7.1")
@pytest.mark.parametrize("events", ["off", "on"])
def test_the_cards_turned_up_go_back_to_the_reserve(events: str):
    match = a_match(3, events=events)
    play_until(match, "contribution")
    match.table.event = None
    before = match.position(None)["reserve"]
    for seat in match.waiting_for():
        match.answer(seat, match.decision(seat).answers()[0])
    turned_up = Counter(match.position(None)["turned_up"])
    assert turned_up.total() == 6
    assert match.position(None)["reserve"] == {colour: before[colour] + turned_up[colour] for colour in before}


@pytest.mark.rule("crusade 7.1")
def test_cards_turned_up_are_not_in_the_reserve_when_the_event_makes_everyone_draw():
    """A new supply that is needed during the event is made of the reserve without them."""
    table, _ = turned("red red red red red red", supply="", reserve={"red": 0, "blue": 5})
    table.event = "Letters from home"
    play(resolve_event(table, frozenset({"won"})))
    assert "red" not in hand(table, 1) + hand(table, 2) + hand(table, 3)
    clear_away(table)
    assert len(table.reserve["red"]) == 6
    assert table.open_cards == []


@pytest.mark.rule("crusade 7.1")
def test_in_a_turn_the_cards_turned_up_lie_open_until_the_event_is_over():
    """The event makes everyone draw, the supply is empty, and all red cards are in a hand or turned up."""
    luck = Luck(events=["Letters from home"], crusade=["red red red red"])
    match = a_match(3, events="on", luck=luck)
    for text in ("loyal john", "loyal john"):
        match.submit(match.waiting_for()[0], text)
    play_until(match, "contribution")
    table = match.table
    table.put_back(table.supply)
    table.supply = []
    table.take(Seat(1), ["red"] * len(table.reserve["red"]))
    for seat in match.waiting_for():
        match.answer(seat, "send red red" if seat == 1 else match.decision(seat).answers()[0])
    assert table.turned_up[:4] == ["red"] * 4
    name, things = luck.shuffled[-1]
    assert name == "supply"
    assert "red" not in things
    assert len(table.reserve["red"]) == table.turned_up.count("red")


EVENTS = [
    ("I Vezelay", "won", {"pp": [1, 0, 1]}),
    ("I Vezelay", "drawn", {"pp": [1, 0, 1]}),
    ("I Vezelay", "lost", {"pp": [0, 1, 0]}),
    ("II Winter at Messina", "slowed", {"treasury": 7}),
    ("II Winter at Messina", "hastened", {"treasury": 9}),
    ("III Cyprus", "treasury rose", {"treasury": 10}),
    ("III Cyprus", "treasury fell", {"crusaders": 9}),
    ("IV Siege of Acre", "won", {"saladin": 9}),
    ("IV Siege of Acre", "lost", {"crusaders": 9}),
    ("V The hostages", "won", {"treasury": 9}),
    ("V The hostages", "drawn", {"saladin": 11}),
    ("V The hostages", "lost", {}),
    ("VI Arsuf", "won", {"saladin": 9}),
    ("VI Arsuf", "drawn", {"saladin": 9}),
    ("VI Arsuf", "lost", {"crusaders": 9}),
    ("VII The walls of Jaffa", "treasury rose", {"crusaders": 11}),
    ("VII The walls of Jaffa", "treasury fell", {"treasury": 7}),
    ("VIII To Jerusalem", "won", {"pp": [1, 0, 1]}),
    ("VIII To Jerusalem", "lost", {"time": 8}),
    ("VIII To Jerusalem", "drawn", {"time": 8}),
    ("IX Conrad is murdered", "won", {"crusaders": 11}),
    ("IX Conrad is murdered", "lost", {"crusaders": 11}),
    ("IX Conrad is murdered", "drawn", {}),
    ("X Darum", "won", {"treasury": 9}),
    ("X Darum", "lost", {"treasury": 7}),
    ("XI Again to Jerusalem", "won", {"saladin": 9}),
    ("XI Again to Jerusalem", "lost", {"crusaders": 9}),
    ("XI Again to Jerusalem", "slowed", {"time": 10}),
    ("XII The truce", "hastened", {"time": 8}),
    ("XII The truce", "slowed", {"pp": [0, 1, 0]}),
    ("Philip sails home", "lost", {"crusaders": 9}),
    ("Philip sails home", "treasury rose", {"pp": [1, 0, 1]}),
    ("Longchamp is deposed", "treasury rose", {"pp": [1, 0, 1]}),
    ("Longchamp is deposed", "treasury fell", {"pp": [0, -1, 0]}),
    ("Storm in the Adriatic", "slowed", {"time": 10}),
    ("Storm in the Adriatic", "hastened", {"pp": [1, 0, 1]}),
    ("John's plot", "slowed", {"pp": [0, 1, 0]}),
    ("John's plot", "hastened", {"pp": [1, 0, 1]}),
    ("The Duke's prisoner", "slowed", {"treasury": 7}),
    ("The Duke's prisoner", "hastened", {"treasury": 10}),
]


@pytest.mark.rule("crusade 11.2")
@pytest.mark.parametrize(("name", "outcome", "changes"), EVENTS)
def test_each_event_has_its_consequence(name: str, outcome: str, changes: dict):
    """Seats 1 and 3 are loyal to Richard, seat 2 to John."""
    table = after_event(name, {outcome}, tracks={"time": 9})
    start = {"time": 9, "crusaders": 10, "saladin": 10, "treasury": 8}
    assert list(table.pp.values()) == changes.get("pp", [0, 0, 0])
    assert table.tracks == {track: changes.get(track, at) for track, at in start.items()}


@pytest.mark.rule("crusade 11.2")
def test_nothing_else_is_a_consequence_of_any_event():
    """Every pair of event and outcome that has one stands in the list above, but for the letters, which always come."""
    listed = {(name, outcome) for name, outcome, changes in EVENTS if changes}
    printed = {
        (event.name, outcome)
        for event in GAME.printed.events.values()
        for consequence in event.consequences
        for outcome in consequence.outcomes
    }
    assert printed - listed == {("Letters from home", "always")}
    assert listed <= printed


@pytest.mark.rule("crusade 11.2")
def test_letters_from_home_let_everyone_draw():
    table = after_event("Letters from home", {"drawn"}, supply="red blue white")
    assert [hand(table, seat) for seat in (1, 2, 3)] == ["red", "blue", "white"]


@pytest.mark.rule("crusade 11.2")
def test_two_outcomes_of_one_event_may_hold_at_once():
    table = after_event("Philip sails home", {"lost", "treasury rose"})
    assert table.tracks["crusaders"] == 9
    assert list(table.pp.values()) == [1, 0, 1]

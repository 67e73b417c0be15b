"""The house player of Richard I."""

import random
from collections import Counter

import pytest

from server.house.crusade import choose
from server.rules.chance import Seeded
from server.rules.crusade import GAME
from server.rules.playing import Play
from tests.rules.crusade.builders import action_of, asked, play_until, played_at_random, step_at_random


def played_by_the_house(seats: int, seed: int, *, house: set[int] | None = None, events: str = "on") -> Play:
    """A match of house players, or of one among players who choose at random."""
    match, luck = Play(GAME, seats, {"events": events}, chance=Seeded(f"{seed}")), random.Random(seed)
    while not match.over:
        seat = match.waiting_for()[0]
        if house is None or seat in house:
            match.answer(seat, choose(match.decision(seat), match.position(seat), seat, luck))
        else:
            step_at_random(match, luck)
    return match


@pytest.mark.parametrize("seats", range(3, 9))
@pytest.mark.parametrize("events", ["off", "on", "history"])
def test_the_house_answers_every_question_of_a_match_legally(seats: int, events: str):
    match, luck = Play(GAME, seats, {"events": events}, chance=Seeded("house")), random.Random(seats)
    kinds = set()
    while not match.over:
        seat = match.waiting_for()[0]
        decision = match.decision(seat)
        kinds.add(decision.kind)
        answer = choose(decision, match.position(seat), seat, luck)
        assert answer in decision.answers()
        match.answer(seat, answer)
    assert kinds >= {"loyalty", "pawn", "action", "contribution"}


def test_the_same_position_and_luck_lead_to_the_same_answer():
    match = played_at_random(4, "on", 3, most=25)
    play_until(match, "contribution")
    seat = match.waiting_for()[0]
    answers = {choose(match.decision(seat), match.position(seat), seat, random.Random(9)) for _ in range(5)}
    assert len(answers) == 1


def test_the_house_wins_most_matches_against_three_who_choose_at_random():
    wins = sum(1 in played_by_the_house(4, seed, house={1}).outcome().winners for seed in range(50))
    assert wins >= 35


def test_neither_side_wins_much_more_between_house_players():
    for seats in (4, 8):
        sides: Counter[str] = Counter()
        for seed in range(40):
            match = played_by_the_house(seats, seed)
            for seat in match.outcome().winners:
                sides[match.table.loyalty[seat]] += 1
        assert min(sides.values()) * 2 >= max(sides.values())


def test_the_house_holds_the_council_when_it_can():
    table, script = action_of(1, "regent", "blue yellow purple white red green red green blue")
    assert choose(asked(script), GAME.position(table, 1), 1, random.Random(1)) == "council"


def test_the_house_offers_just_what_wins_an_open_tax():
    """Nobody comes after the resolver: two yellow cards are as good as four."""
    table, script = action_of(1, "exciseman", "yellow yellow yellow yellow", hands={2: "yellow yellow", 3: "red"})
    decision = asked(script, "tax", {2: "offer 2"}, {3: "offer 0"})
    assert choose(decision, GAME.position(table, 1), 1, random.Random(1)) == "offer 2"


def test_the_house_reveals_a_counselor_that_helps_before_it_acts():
    table, script = action_of(1, "merchant", "red", counselors={1: ["Ambroise"]})
    assert choose(asked(script), GAME.position(table, 1), 1, random.Random(1)) == "play Ambroise"


def test_the_house_sends_what_its_side_wants():
    sent = Counter()
    for seed in range(8):
        match = played_by_the_house(4, seed)
        for made in match.moves:
            if made.text.startswith("send"):
                for colour in made.text.split()[1:]:
                    sent[match.table.loyalty[made.seat], colour] += 1
    assert sent["richard", "red"] > 3 * sent["richard", "green"]
    assert sent["john", "green"] > 3 * sent["john", "red"]

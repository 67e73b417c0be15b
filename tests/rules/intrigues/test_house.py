"""The house player: sensible, from its own seat's eyes, and better than chance."""

from __future__ import annotations

import copy
import random

import pytest

from server.house.intrigues import choose
from server.rules.chance import Seeded
from server.rules.intrigues import GAME
from server.rules.intrigues.bonuses import give_bonus
from server.rules.intrigues.edition import read_bonus
from server.rules.intrigues.turn import take_turn
from server.rules.playing import Play
from tests.rules.intrigues.builders import ANN, BEN, CAT, QUEEN, Going, a_table, only_boxes, play


def chosen(table, going: Going) -> str:
    return choose(going.decision, GAME.position(table, going.seat), going.seat, random.Random(1))


def a_house_match(seats: int, seed: str, house: tuple[int, ...], **options: object) -> Play:
    """A match in which the seats of `house` think and the others throw dice."""
    luck = random.Random(seed)
    match = Play(GAME, seats, options, chance=Seeded(seed))
    while match.question:
        ((seat, decision),) = match.question.items()
        if seat in house:
            answer = choose(decision, match.position(seat), seat, luck)
            assert answer in decision.answers()
        else:
            answer = luck.choice(decision.answers())
        match.answer(seat, answer)
        assert len(match.moves) < 1500
    return match


def test_it_wins_against_random_players():
    won = 0
    for number in range(20):
        seat = 1 + number % 2
        winners = a_house_match(2, f"house {number}", (seat,)).outcome().winners
        won += winners == (seat,)
    assert won >= 16


@pytest.mark.parametrize(
    ("seats", "options"), [(2, {}), (2, {"neutral": "shared"}), (3, {}), (4, {"open_coffers": True})]
)
def test_house_players_bring_their_matches_to_an_end(seats, options):
    match = a_house_match(seats, "to the end", tuple(range(1, seats + 1)), **options)
    assert match.over


def test_it_thinks_the_same_of_the_same_and_changes_nothing():
    table = a_table(on={"R1.1": (BEN, 3), "O1.5": (CAT, 2)})
    going = play(take_turn(table, ANN))
    position = GAME.position(table, ANN)
    before = copy.deepcopy(position)
    answers = {choose(going.decision, position, ANN, random.Random(5)) for _ in range(3)}
    assert len(answers) == 1
    assert position == before


def test_it_fills_a_sheet_on_which_it_wins():
    table = a_table(on={"R1.1": (ANN, 3), "R1.2": (ANN, 2), "R1.3": (BEN, 2), "R1.4": (BEN, 1)})
    assert chosen(table, play(take_turn(table, ANN))).endswith("R1.5")


def test_it_does_not_fill_a_sheet_for_another():
    table = a_table(on={"R1.1": (BEN, 3), "R1.2": (BEN, 3), "R1.3": (CAT, 2), "R1.5": (BEN, 2)})
    assert not chosen(table, play(take_turn(table, ANN))).endswith("R1.4")


def test_it_turns_its_last_money_into_a_jewel():
    table = only_boxes(a_table(on={"R1.1": (BEN, 3), "O1.1": (CAT, 3)}, money={ANN: 12}, hands={ANN: []}), 1)
    assert chosen(table, play(take_turn(table, ANN))) == "buy"


def test_it_does_not_sell_jewels_while_it_has_money():
    table = a_table(money={ANN: 3}, hands={ANN: []})
    going = play(take_turn(table, ANN), "income")
    assert "sell" in going.moves
    assert chosen(table, going) != "sell"


def test_it_sends_the_queen_and_eminence_where_they_help():
    table = a_table(on={"R2.1": (ANN, 3), "R2.2": (ANN, 2), "R2.5": (ANN, 1), "R1.1": (BEN, 3), "O3.5": (ANN, 3)})
    assert chosen(table, play(give_bonus(table, ANN, read_bonus("Q")))).startswith("queen R2.")
    assert chosen(table, play(give_bonus(table, ANN, read_bonus("G")))).startswith("grise O3.")


def test_it_leaves_a_royal_piece_that_helps_where_it_stands():
    table = a_table(on={"R2.1": (ANN, 3), "R2.2": (ANN, 2), "R2.5": QUEEN, "O2.1": (BEN, 3), "O2.2": (BEN, 1)})
    assert chosen(table, play(give_bonus(table, ANN, read_bonus("Q")))) == "stay"


def test_it_corrupts_the_strongest_rival_away():
    table = a_table(on={"R2.1": (ANN, 2), "R2.2": (ANN, 1), "R2.5": (BEN, 3), "O1.1": (CAT, 1)})
    assert chosen(table, play(give_bonus(table, ANN, read_bonus("C")))).startswith("corrupt R2.5 ")

"""The position in words, and the names of things."""

from __future__ import annotations

import random

import pytest

from server.rules.chance import Seeded
from server.rules.intrigues import GAME
from server.rules.playing import Play
from server.rules.telling import HOST
from tests.rules.intrigues.builders import ANN, BEN, CAT, EMINENCE, QUEEN, a_table, only_boxes


def words(table, viewer=None) -> list[str]:
    return GAME.words(GAME.position(table, viewer), table.names, viewer)


def test_own_secrets_come_first():
    table = a_table(2, money={ANN: 5}, hands={ANN: [-2, 1, 3], "neutral 1": [1, 2]})
    table.sheets[ANN] = ["R4", "P1"]
    assert words(table, ANN)[:7] == [
        "Your agents: −2 1 3",
        "Your neutral agents: 1 2",
        "Your money: 5",
        "Your jewels: 2",
        "Your sheets: Richelieu 4, Protestants 1",
        "Your next commission costs 1",
        "",
    ]


def test_then_the_state_of_all():
    table = a_table(2, money={ANN: 5}, prestige={BEN: 4}, cardinal=9)
    table.sheets[BEN] = ["R4"]
    table.turn.action, table.turn.of = 1, 2
    lines = words(table, ANN)
    assert lines[7:18] == [
        "Turn of Ann: action 1 of 2",
        "The Cardinal stands on 9",
        "Sheets to come: 10 and 10",
        "",
        "Ann:",
        "  prestige 0, income 1, military 0",
        "  sheets 0, agents in hand 10",
        "  neutral agents in hand 7",
        "Ben:",
        "  prestige 4, income 1, military 0",
        "  sheets 1, agents in hand 10",
    ]


def test_a_box_shows_its_sheets_bonuses_costs_and_pieces():
    table = a_table(
        2,
        boxes=(("R4", "F1"), ("R5", "E3"), ("R9", "F3")),
        on={
            "R1.1": (BEN, 3),
            "R1.2": QUEEN,
            "R1.3": (ANN, -2),
            "R1.4": ("neutral 2", 2),
            "O1.1": EMINENCE,
            "O1.2": ("neutral 1", 2),
        },
    )
    lines = words(table, ANN)
    start = lines.index("Box 1")
    assert lines[start : start + 18] == [
        "Box 1",
        "Richelieu 4, Cardinal +2",
        "  1st: 3 prestige, move the Queen",
        "  2nd: 3 money",
        "  R1.1 cost 2: Ben, face down",
        "  R1.2 cost 1: the Queen",
        "  R1.3 cost 1: you −2, face down",
        "  R1.4 cost 0: neutral of Ben 2, face up",
        "  R1.5 cost 0: empty",
        "France 1, Cardinal −2",
        "  1st: 3 prestige, move the Éminence",
        "    Grise",
        "  2nd: 2 prestige",
        "  O1.1 cost 3: the Éminence Grise",
        "  O1.2 cost 2: your neutral 2, face down",
        "  O1.3 cost 1: empty",
        "  O1.4 cost 1: empty",
        "  O1.5 cost 0: empty",
    ]


def test_the_same_box_for_a_spectator():
    table = a_table(2, on={"R1.1": (BEN, 3), "R1.2": ("neutral 2", 2)})
    lines = words(table)
    assert "  R1.1 cost 3: Ben, face down" in lines
    assert "  R1.2 cost 2: neutral of Ben, face down" in lines


def test_a_box_says_when_it_waits_is_resolved_or_empty():
    table = a_table(on={f"R1.{i}": (BEN, value) for i, value in ((1, 3), (2, 2), (3, 2), (4, 1), (5, 1))})
    assert "Box 1, complete: it waits" in words(table)
    table.resolving = table.boxes[0]
    assert "Box 1, being resolved" in words(table)
    assert "Box 3 is empty" in words(only_boxes(table, 1, 2))


def test_the_city_by_owner():
    table = a_table(2, city=[(ANN, 2), (ANN, -2), (BEN, 1), ("neutral 2", 2)])
    lines = words(table, ANN)
    assert lines[lines.index("City: jewels 2") :] == [
        "City: jewels 2",
        "  you: −2 2",
        "  Ben: 1",
        "  neutral of Ben: 2",
    ]


def test_open_coffers_and_the_shared_reserve_are_told():
    lines = words(a_table(2, open_coffers=True, neutral="shared", money={BEN: 3}, on={"R1.1": ("neutral", 2)}))
    assert "  money 3, jewels 2" in lines
    assert "Neutral agents: −2 1 1 1 2 2" in lines
    assert "  R1.1 cost 3: neutral 2, face down" in lines


def test_at_the_end_everything_is_told_and_nobody_has_the_turn():
    table = only_boxes(a_table(2, hands={BEN: [1, 3], "neutral 2": [2]}))
    table.sheets[BEN] = ["R4"]
    table.over = True
    lines = words(table, ANN)
    start = lines.index("Ben:")
    assert lines[start : start + 8] == [
        "Ben:",
        "  prestige 0, income 1, military 0",
        "  sheets 1, agents in hand 2",
        "  neutral agents in hand 1",
        "  money 7, jewels 2",
        "  agents 1 3",
        "  sheets Richelieu 4",
        "  neutral agents 2",
    ]
    assert not any(line.startswith("Turn of") for line in lines)


def test_at_the_end_of_the_military_track_no_commission_is_told():
    table = a_table()
    table.military[CAT] = 12
    assert not any("commission" in line for line in words(table, CAT))
    table.military[CAT] = 11
    assert "Your next commission costs 12" in words(table, CAT)


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_no_line_is_longer_than_40_columns_whatever_the_names(seats):
    names = ["Maximiliana-Konstantina von und zu Hohenlohe", "A" * 60, "Ben", "Ω & <Co>"][:seats]
    luck = random.Random(seats)
    match = Play(GAME, seats, chance=Seeded("words"), names=names)
    while match.question:
        ((seat, decision),) = match.question.items()
        match.answer(seat, luck.choice(decision.answers()))
        if luck.random() < 0.2 or not match.question:
            for viewer in (1, 2, None, HOST):
                assert max(map(len, GAME.words(match.position(viewer), names, viewer))) <= 40


def test_names_of_sheets_and_agents_as_people_read_them():
    assert GAME.word("R1") == "Richelieu 1"
    assert GAME.word("P1") == "Protestants 1"
    assert GAME.word("H3") == "Habsburg 3"
    assert GAME.word("agent -2") == "agent −2"
    assert GAME.word("neutral agent 1") == "neutral agent 1"
    assert GAME.word("R1.1") == "R1.1"
    assert GAME.word("place -2 R1.1") == "place -2 R1.1"


def test_every_kind_of_bonus_has_its_words():
    texts = {
        line
        for line in words(a_table(boxes=(("R6", "H2"), ("R10", "P1"), ("R12", "E4"))))
        if "1st" in line or "2nd" in line
    }
    assert texts == {
        "  1st: income up by 1, 4 money",
        "  2nd: income up by 1",
        "  1st: 2 military, 2 prestige",
        "  2nd: 1 military",
        "  1st: 3 prestige, corruption",
        "  2nd: 2 prestige",
        "  1st: 2 prestige, place an agent",
        "  2nd: place an agent",
        "  1st: 2 military, 2 money",
        "  1st: 6 money",
        "  2nd: 3 money",
    }

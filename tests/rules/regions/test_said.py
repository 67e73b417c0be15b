"""What is asked, each kind of move in words as it stands before who confirms it, and how the majorities are told."""

from functools import partial

import pytest

from server.rules.chance import Seeded
from server.rules.playing import full_options
from server.rules.regions import GAME
from server.rules.regions.marking import mark_decision
from server.rules.regions.setting_up import lay_out
from server.rules.regions.taking import turn_decision
from server.rules.regions.the_end import tell_majorities
from server.rules.regions.tiles import see_tiles, take_tiles
from server.rules.telling import Seat
from tests.rules import matches
from tests.rules.regions.builders import NAMES, a_table, log, turn_refusal

ANN, BEN = Seat(1), Seat(2)
REGAIN = "Play your “regain” tile: everybody sees it, and one marker given up comes back to hand."
TILE = "A tile lies there: it comes to your hand, and you see it at once."

said = partial(matches.said, GAME, NAMES)


@pytest.mark.rule("regions 2.1")
@pytest.mark.rule("regions 2.4")
def test_takes_in_words():
    table = a_table("bourgogne 2, anjou 1", "bourgogne 1", lost={1: 1}, tiles={"1.1": "regain"})
    assert said(turn_decision(table, ANN), "take 1L", "take 1L 2L", "regain") == [
        "turn",
        "Take one card or two from the ends of the rows.",
        f"Take Bourgogne 2 from 1L. {TILE}",
        f"Take Bourgogne 2, Bourgogne 1 from 1L, 2L. {TILE}",
        REGAIN,
    ]
    first = a_table("bourgogne 2", first_turn=True)
    assert said(turn_decision(first, ANN))[1].startswith("Take one card from the end of a row; the very first turn")


@pytest.mark.rule("regions 2.7")
def test_a_pass_in_words():
    table = a_table("bourgogne 2", marks={"1.1": 2}, lost={1: 3})
    kind, prompt, move = said(turn_decision(table, ANN), "pass")
    assert (kind, move) == ("turn", "Pass, because you can take nothing.")
    assert prompt.startswith("Every end of a row carries another player’s marker and you have no marker left")


@pytest.mark.rule("regions 3.1")
@pytest.mark.rule("regions 3.2")
def test_the_end_of_a_turn_in_words():
    table = a_table("bourgogne 2, anjou 1", "bourgogne 1", marks={"1.1": 1})
    assert said(mark_decision(table, ANN), "mark 1.2", "move 1.1 2.1", "end", "regain") == [
        "mark",
        "Put a marker on a card, or end your turn.",
        "Put a marker on Anjou 1, 1.2.",
        "Move your marker from 1.1 to Bourgogne 1, 2.1.",
        "End your turn without marking a card.",
        REGAIN,
    ]
    table.areas[ANN].hand = 0
    assert said(mark_decision(table, ANN))[1] == "Move one of your markers to another card, or end your turn."
    all_marked = a_table("bourgogne 2", marks={"1.1": 1})
    assert said(mark_decision(all_marked, ANN))[1] == "You cannot mark a card now; end your turn."


@pytest.mark.rule("regions 2.4")
@pytest.mark.rule("regions 3.5")
def test_on_the_first_turn_too_one_card_is_refused_for_its_own_reason():
    table = a_table("bourgogne 2, anjou 1", first_turn=True)
    assert turn_refusal(table, "take 1L lose 1.2")[0] == "regions 3.5"
    assert turn_refusal(table, "take 1L 1R")[0] == "regions 2.4"


@pytest.mark.rule("regions 5.2")
@pytest.mark.parametrize(
    ("ties", "told"),
    [
        ("share", "Anjou: Ann, Ben have most and score 1 each."),
        ("nobody", "Anjou: Ann, Ben have 1 each; nobody scores on a tie."),
    ],
)
def test_majorities_as_they_are_told(ties: str, told: str):
    table = a_table(cards={1: "bourgogne 2, anjou 1", 2: "anjou 1"}, ties=ties)
    tell_majorities(table)
    assert sorted(log(table)) == [told, "Bourgogne: Ann has most and scores 2."]


def test_a_tile_that_is_not_seen_shows_its_back_and_could_be_any_other():
    table = GAME.set_up(2, full_options(GAME), Seeded("luck"))
    lay_out(table)
    place = next(iter(table.tiles))
    see_tiles(table, ANN, take_tiles(table, ANN, [place]))
    assert {(tile.group, tile.back) for tile in table.secrets} == {("tile", "a tile")}
    assert len(table.secrets) == len(table.edition.tiles) + 1

"""The edition's file and what its loader refuses."""

from __future__ import annotations

import re
from importlib.resources import files

import pytest

from server.rules.intrigues import GAME, Intrigues
from server.rules.intrigues.edition import EditionError, Symbol, load, read_bonus, read_edition

HOUSE = files("server.rules.intrigues").joinpath("house.toml").read_text(encoding="utf-8")

TABLE = """
R1 3 2 1 1 0 | P4 | M4 | +2
R2 3 2 1 1 0 | P3 I | P2 | +1
R3 2 2 1 1 0 | P3 M3 | P1 M2 | +3
R4 2 1 1 0 0 | P3 Q | M3 | +2
R5 3 2 2 1 0 | P5 | P2 M1 | +2
R6 2 2 1 0 0 | I M4 | I | +1
R7 3 1 1 1 0 | W2 P1 | W1 | +2
R8 2 1 1 1 0 | P2 A | P1 A | +1
R9 3 3 2 1 0 | P6 | P3 | +3
R10 2 2 1 1 0 | P3 C | P2 | +1
R11 3 2 1 0 0 | M7 | M4 | +4
R12 2 2 2 1 0 | W2 M2 | P2 | +2
R13 3 2 1 1 0 | P2 Q | C M1 | +3
E1 3 2 1 1 0 | P3 I | P3 M3 | -2
E2 2 2 1 1 0 | P4 M1 | P2 | -1
E3 3 2 2 1 0 | P5 | I | -3
E4 2 1 1 0 0 | M6 | M3 | -1
F1 3 2 1 1 0 | P3 G | P2 | -2
F2 2 2 1 1 0 | I M3 | P1 M1 | -1
F3 3 3 2 1 0 | P6 | P3 | -4
H1 3 2 1 0 0 | W3 | P1 | -2
H2 2 2 2 1 0 | W2 P2 | W1 | -3
H3 3 1 1 1 0 | W1 M4 | M3 | -2
P1 2 1 1 1 0 | P2 A | A | -1
P2 2 2 1 0 0 | P3 C | P2 | -2
P3 3 2 1 1 0 | P4 | C M1 | -3
"""


def test_the_house_edition_is_the_table_of_the_rules():
    for line in TABLE.strip().splitlines():
        head, first, second, cardinal = line.split("|")
        name, *costs = head.split()
        sheet = GAME.printed.sheets[name]
        assert sheet.costs == tuple(map(int, costs))
        assert sheet.first == read_bonus(first)
        assert sheet.second == read_bonus(second)
        assert sheet.cardinal == int(cardinal)
    assert len(GAME.printed.sheets) == len(TABLE.strip().splitlines()) == 26


def test_the_house_edition_has_its_tracks():
    printed = GAME.printed
    assert printed.military_costs == tuple(range(1, 13))
    assert printed.military_end == 12
    assert printed.income_squares == {2, 5, 8, 11}
    assert printed.prestige_squares == {3, 6, 9, 12}
    assert printed.income_end == 12


def test_sheets_are_handed_over_to_be_shuffled_in_one_fixed_order():
    assert GAME.printed.richelieu == [f"R{number}" for number in range(1, 14)]
    assert " ".join(GAME.printed.opposition) == "E1 E2 E3 E4 F1 F2 F3 H1 H2 H3 P1 P2 P3"


def test_the_order_of_the_file_does_not_matter(tmp_path):
    lines = HOUSE.splitlines()
    start = lines.index("[sheets]") + 1
    path = tmp_path / "turned.toml"
    path.write_text("\n".join([*lines[:start], *reversed(lines[start:])]), encoding="utf-8")
    assert load(path) == GAME.printed


def test_another_edition_is_another_file_in_the_same_form():
    other = Intrigues(read_edition(HOUSE.replace('name = "house"', 'name = "printed"').replace("P6", "P7")))
    assert other.edition == "printed"
    assert other.printed.sheets["R9"].first == (Symbol("prestige", 7),)
    assert GAME.edition == "house"


@pytest.mark.rule("intrigues 6.1")
def test_symbols_of_a_bonus():
    assert read_bonus("P3 M W2 I A C G Q") == (
        ("prestige", 3),
        ("money", 1),
        ("military", 2),
        ("income", 1),
        ("agent", 1),
        ("corruption", 1),
        ("eminence", 1),
        ("queen", 1),
    )


@pytest.mark.parametrize("symbols", ["I2", "A1", "X", "P0", "P-1", "Px", "3P", "P²", "p3"])
def test_what_is_no_symbol_is_refused(symbols):
    with pytest.raises(EditionError, match=f"“{re.escape(symbols)}” is no symbol"):
        read_bonus(symbols)


NUMBERS = "must be a list of whole numbers"
SQUARE_3 = "[tracks]: square 3 of the military track costs 3"
COSTS = "[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]"
PRESTIGE = "prestige_squares = [3, 6, 9, 12]"
NEUTRAL = "neutral_agents = [-2, 1, 1, 1,"


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ('name = "house"', "name = ", "The edition is not readable as TOML"),
        ('name = "house"', "", "the edition: name is missing."),
        ('name = "house"', "name = 3", "the edition: name must be a text."),
        ("[start]", "[stat]", "the edition: “stat” is not known here."),
        ("[tracks]", "[start.tracks]", "[start]: “tracks” is not known here."),
        ("[sheets]", "[start.sheets]", "[start]: “sheets” is not known here."),
        ("money = 7", "money = 8", "[start]: money is 8, but the rulebook says 7."),
        ("\njewels = 2", "\njewels = 3", "[start]: jewels is 3, but the rulebook says 2."),
        ("city_jewels = 2", "city_jewels = 4", "[start]: city_jewels is 4, but the rulebook says 2."),
        ("cardinal = 7", "cardinal = 8", "[start]: cardinal is 8, but the rulebook says 7."),
        ("cardinal = 7", "cardinal = true", "[start]: cardinal must be a whole number."),
        ("money = 7", 'money = "7"', "[start]: money must be a whole number."),
        ("cardinal = 7", "", "[start]: cardinal is missing."),
        ("cardinal = 7", "cardinal = 7\nqueens = 1", "[start]: “queens” is not known here."),
        ("agents = [-2, -2, 1,", "agents = [-2, 1, 1,", "[start]: agents are [-2, 1, 1, 1, 1, 2, 2, 2, 3, 3], but"),
        (
            NEUTRAL,
            "neutral_agents = [-2, 1, 1,",
            "[start]: neutral_agents are [-2, 1, 1, 2, 2, 2], but the rulebook says",
        ),
        (NEUTRAL, "neutral_agents = [-2, 1, 1, 1.5,", f"[start]: neutral_agents {NUMBERS}"),
        ("income_end = 12", "income_end = 0", "[tracks]: income_end is 0; all start on 1."),
        ("income_end = 12", "income_end = 12\nother = 1", "[tracks]: “other” is not known here."),
        (COSTS, "[1, 2, 4, 4]", SQUARE_3),
        (COSTS, "[1, 2]", SQUARE_3),
        (COSTS, "[1, -2, 3, 4]", "[tracks]: military_costs holds -2; a square costs 0 or more."),
        (
            "income_squares = [2, 5,",
            "income_squares = [0, 5,",
            "[tracks]: income_squares names 0; the military track has",
        ),
        (
            PRESTIGE,
            "prestige_squares = [13]",
            "[tracks]: prestige_squares names 13; the military track has squares 1 to 12.",
        ),
        (PRESTIGE, "prestige_squares = 3", f"[tracks]: prestige_squares {NUMBERS}"),
        (
            "[sheets]",
            "[sheets]\nE5 = 1",
            "[sheets]: “E5” is not known here. There are Richelieu 13 (R1 to R13), England 4",
        ),
        (
            "H2 = ",
            "H4 = ",
            "[sheets]: H2 is missing. There are Richelieu 13 (R1 to R13), England 4 (E1 to E4), France 3",
        ),
        ("R9 = { costs = [3, 3,", "R9 = { costs = [3,", "sheet R9: 4 costs; every sheet has 5 spots."),
        ("R9 = { costs = [3, 3,", "R9 = { costs = [3, 4,", "sheet R9: a spot costs 0 to 3, not 4."),
        ("R9 = { costs = [3, 3,", "R9 = { costs = [3, -1,", "sheet R9: a spot costs 0 to 3, not -1."),
        ("R9 = { costs", "R9 = { spots", "sheet R9: “spots” is not known here."),
        ('first = "M7"', 'first = ""', "sheet R11, first: a bonus needs at least one symbol."),
        ('first = "M7"', "first = 7", "sheet R11: first must be a text."),
        ('first = "M7"', 'first = "M7 K"', "sheet R11, first: “K” is no symbol."),
        ('"C M1", cardinal = 3', '"C1", cardinal = 3', "sheet R13, second: “C1” is no symbol."),
        ("cardinal = -4", 'cardinal = "-4"', "sheet F3: cardinal must be a whole number."),
        (", cardinal = -4", "", "sheet F3: cardinal is missing."),
    ],
)
def test_the_loader_names_what_is_wrong(old, new, why):
    assert HOUSE.count(old) == 1
    with pytest.raises(EditionError, match="^" + re.escape(why)):
        read_edition(HOUSE.replace(old, new))


def test_parts_that_are_no_tables_are_refused():
    with pytest.raises(EditionError, match=r"^the edition: start must be a table\."):
        read_edition('name = "x"\nstart = 1\ntracks = 1\nsheets = 1')
    start, _, _ = HOUSE.partition("[sheets]")
    with pytest.raises(EditionError, match=r"^the edition: sheets is missing\."):
        read_edition(start)
    numbers = HOUSE.replace("H2 = {", "H2 = 3 # {")
    with pytest.raises(EditionError, match="^" + re.escape("[sheets]: H2 must be a table.")):
        read_edition(numbers)


def test_the_rules_for_readers_list_the_same_sheets():
    rules = files("server.rules.intrigues").joinpath("rules.md").read_text(encoding="utf-8")
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in rules.splitlines() if line.startswith("| ")]
    listed = {
        title: (costs, read_bonus(first), read_bonus(second), int(cardinal.replace("−", "-")))
        for title, costs, first, second, cardinal in rows[1:]
    }
    assert listed == {
        sheet.title: (" ".join(map(str, sheet.costs)), sheet.first, sheet.second, sheet.cardinal)
        for sheet in GAME.printed.sheets.values()
    }

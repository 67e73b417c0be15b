"""The edition's file: what `house` is known to share with the printed deck, and what the loader refuses."""

import tomllib
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import server.rules.regions as regions
from server.rules.regions.edition import EditionError, edition_of, load

HOUSE = Path(regions.__file__).with_name("house.toml")


def printed() -> dict[str, Any]:
    return tomllib.loads(HOUSE.read_text(encoding="utf-8"))


def region(values: dict[str, Any], name: str) -> dict[str, Any]:
    found: dict[str, Any] = next(each for each in values["regions"] if each["name"] == name)
    return found


def test_the_house_edition_is_what_is_played():
    assert load(HOUSE) == regions.GAME.printed
    assert regions.GAME.edition == "house"


def test_each_symbol_is_there_nine_times_once_in_every_region():
    symbols = Counter((card.symbol, card.region) for card in load(HOUSE).deck if card.symbol)
    assert set(symbols.values()) == {1}
    assert Counter(symbol for symbol, _ in symbols) == {"cross": 9, "sword": 9, "tower": 9}


def test_the_totals_printed_on_the_cards_are_those_of_the_house_edition():
    totals: Counter[str] = Counter()
    for card in load(HOUSE).deck:
        totals[card.region] += card.emblems
        assert (
            card.total
            == {
                "auvergne": 5,
                "bretagne": 6,
                "anjou": 6,
                "provence": 7,
                "champagne": 7,
                "languedoc": 7,
                "normandie": 8,
                "guyenne": 9,
                "bourgogne": 10,
            }[card.region]
        )
    assert all(card.total == totals[card.region] for card in load(HOUSE).deck)


WRONG: dict[str, tuple[Callable[[dict[str, Any]], object], str]] = {
    "a card too few": (
        lambda values: region(values, "anjou").update(total=5, cards=["2", "cross", "sword", "tower"]),
        "There are 48 cards, not 47",
    ),
    "a region too few": (lambda values: values["regions"].pop(), "9 different regions, not 8"),
    "a region twice": (lambda values: region(values, "anjou").update(name="bretagne"), "9 different regions, not 8"),
    "a symbol missing": (
        lambda values: region(values, "anjou").update(cards=["1", "2", "1", "sword", "tower"]),
        "with a cross it has 0",
    ),
    "a symbol twice": (
        lambda values: region(values, "anjou").update(cards=["2", "cross", "cross", "sword", "tower"]),
        "with a cross it has 2",
    ),
    "an unknown face": (lambda values: region(values, "anjou")["cards"].append("3"), "not “3”"),
    "a total that the cards do not show": (lambda values: region(values, "anjou").update(total=7), "show 6 emblems"),
    "a total known to be otherwise": (
        lambda values: region(values, "auvergne").update(total=6, cards=["1", "2", "cross", "sword", "tower"]),
        "auvergne has 5 emblems in all, not 6",
    ),
    "totals that do not run from 5 to 10": (
        lambda values: (
            region(values, "auvergne").update(name="artois", total=6, cards=["1", "2", "cross", "sword", "tower"]),
            region(values, "anjou").update(total=5, cards=["2", "cross", "sword", "tower"]),
            region(values, "bretagne").update(total=4, cards=["1", "cross", "sword", "tower"]),
            region(values, "normandie").update(cards=["2", "1", "1", "1", "cross", "sword", "tower"]),
        ),
        "run from 5 to 10",
    ),
    "a region called like a symbol": (lambda values: region(values, "anjou").update(name="cross"), "called “cross”"),
    "a region in capitals": (lambda values: region(values, "anjou").update(name="Anjou"), "lower case"),
    "no name": (lambda values: values.pop("name"), "needs “name”"),
    "a name that is a number": (lambda values: values.update(name=3), "needs “name”"),
    "something unknown": (lambda values: values.update(price=30), "has no “price”"),
    "a region without cards": (lambda values: region(values, "anjou").pop("cards"), "A region needs “cards”"),
    "a region that is no table": (lambda values: values["regions"].append("anjou"), "is a table"),
    "seven places for tiles": (lambda values: values["tile_places"].pop(), "8 different places, not on 7"),
    "a place twice": (lambda values: values["tile_places"].__setitem__(0, "1.8"), "8 different places, not on 7"),
    "a place outside": (lambda values: values["tile_places"].__setitem__(0, "5.1"), "cannot lie on “5.1”"),
    "a place that is a number": (lambda values: values["tile_places"].__setitem__(0, 1.5), "cannot lie on “1.5”"),
}


@pytest.mark.parametrize("what", WRONG)
def test_the_loader_refuses(what: str):
    spoil, why = WRONG[what]
    values = printed()
    spoil(values)
    with pytest.raises(EditionError, match=why):
        edition_of(values)


def test_the_loader_names_a_file_that_is_not_toml(tmp_path: Path):
    file = tmp_path / "mine.toml"
    file.write_text("name = ")
    with pytest.raises(EditionError, match=r"mine\.toml cannot be read as TOML"):
        load(file)


def test_the_loader_names_a_file_that_is_missing(tmp_path: Path):
    with pytest.raises(EditionError, match=r"mine\.toml cannot be read"):
        load(tmp_path / "mine.toml")


def test_another_edition_in_the_same_form_can_be_played(tmp_path: Path):
    file = tmp_path / "mine.toml"
    file.write_text(HOUSE.read_text(encoding="utf-8").replace('"champagne"', '"artois"').replace('"house"', '"mine"'))
    game = regions.Regions(load(file))
    assert game.edition == "mine"
    assert "artois" in game.printed.tiles
    assert game.word("artois sword") == "Artois sword"

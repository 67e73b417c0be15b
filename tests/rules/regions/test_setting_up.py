"""Setting up: the cards, the tiles and the markers (chapter 1)."""

from collections import Counter

import pytest

from server.rules.chance import Recorded, Seeded, Shuffle
from server.rules.playing import Play
from server.rules.regions import GAME
from server.rules.regions.places import PLACES
from tests.rules.regions.builders import a_match


@pytest.mark.rule("regions 1.1")
def test_there_are_48_cards_of_nine_regions():
    assert len(GAME.printed.deck) == 48
    assert Counter(card.region for card in GAME.printed.deck) == {
        "auvergne": 4,
        "bretagne": 5,
        "anjou": 5,
        "provence": 5,
        "champagne": 5,
        "languedoc": 5,
        "normandie": 6,
        "guyenne": 6,
        "bourgogne": 7,
    }


@pytest.mark.rule("regions 1.1")
@pytest.mark.parametrize(
    ("name", "emblems", "symbol"), [("bourgogne 1", 1, None), ("bourgogne 2", 2, None), ("bourgogne sword", 1, "sword")]
)
def test_a_card_shows_one_emblem_or_two_or_one_and_a_symbol(name: str, emblems: int, symbol: str | None):
    card = GAME.printed.named[name]
    assert (card.region, card.emblems, card.symbol, card.total) == ("bourgogne", emblems, symbol, 10)


@pytest.mark.rule("regions 1.2")
def test_the_cards_lie_row_by_row_from_left_to_right_as_they_were_shuffled():
    order = list(reversed(GAME.printed.names))
    luck = Recorded([Shuffle("cards", tuple(order)), Shuffle("tiles", GAME.printed.tiles)])
    rows = Play(GAME, 2, chance=luck).position(None)["rows"]
    assert [len(row) for row in rows] == [12, 12, 12, 12]
    assert [each["card"] for row in rows for each in row] == order


@pytest.mark.rule("regions 1.2")
def test_what_is_shuffled_comes_in_a_fixed_order_that_shows_nothing():
    class Watched(Seeded):
        def shuffle(self, name, things):
            seen.append((name, list(things)))
            return super().shuffle(name, things)

    seen: list[tuple[str, list[str]]] = []
    Play(GAME, 2, chance=Watched("seed"))
    assert [name for name, _ in seen] == ["cards", "tiles"]
    assert all(things == sorted(things) for _, things in seen)


@pytest.mark.rule("regions 1.3")
def test_there_are_fourteen_tiles_one_of_each_kind_and_two_regain():
    assert len(GAME.printed.tiles) == 14
    assert Counter(GAME.printed.tiles) == {
        **dict.fromkeys(GAME.printed.regions, 1),
        **dict.fromkeys(("cross", "sword", "tower"), 1),
        "regain": 2,
    }


@pytest.mark.rule("regions 1.3")
def test_the_first_eight_tiles_lie_on_their_places_in_order():
    first_eight = ("tower", "sword", "cross", "regain", "regain", "provence", "normandie", "languedoc")
    table = a_match(tiles=first_eight).table
    assert {PLACES[place]: tile.front for place, tile in table.tiles.items()} == {
        "1.5": "tower",
        "1.8": "sword",
        "2.4": "cross",
        "2.9": "regain",
        "3.3": "regain",
        "3.10": "provence",
        "4.2": "normandie",
        "4.11": "languedoc",
    }


@pytest.mark.rule("regions 1.3")
def test_nobody_sees_a_tile_that_lies_on_the_display_or_is_out_of_the_game():
    table = a_match().table
    assert len(table.secrets) == 14
    assert not any(tile.known_to(viewer) for tile in table.secrets for viewer in (1, 2, None))


@pytest.mark.rule("regions 1.4")
@pytest.mark.parametrize("seats", [2, 3, 4])
def test_each_player_begins_with_three_markers_in_hand(seats: int):
    held = a_match(seats=seats).position(None)["seats"]
    assert [(each["markers_in_hand"], each["markers_lost"]) for each in held] == [(3, 0)] * seats


@pytest.mark.parametrize("seats", [1, 5])
def test_the_game_is_for_two_to_four(seats: int):
    with pytest.raises(ValueError, match="2 to 4 seats"):
        Play(GAME, seats, chance=Seeded("seed"))

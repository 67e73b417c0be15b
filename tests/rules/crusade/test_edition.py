"""The edition's file (11.1, 11.2): what the loader takes and what it refuses."""

import copy
import tomllib
from pathlib import Path
from typing import Any

import pytest

from server.rules import crusade
from server.rules.crusade.edition import NUMERALS, EditionError, edition_of, load
from server.rules.crusade.effects import EffectError, deed, effect
from tests.rules.crusade.builders import action_of, asked, hand, play, refusal

HOUSE = Path(crusade.__file__).with_name("house.toml")


def printed() -> dict[str, Any]:
    return copy.deepcopy(tomllib.loads(HOUSE.read_text(encoding="utf-8")))


def refused(values: dict[str, Any]) -> str:
    with pytest.raises(EditionError) as error:
        edition_of(values)
    return str(error.value)


def test_the_house_edition_has_what_the_rulebook_counts():
    edition = load(HOUSE)
    assert edition.name == "house"
    assert sum(edition.cards.values()) == 165
    assert [len(edition.side(side)) for side in ("richard", "john")] == [14, 14]
    assert len(edition.events) == 18
    assert [name.split()[0] for name in edition.calendar] == list(NUMERALS)


def test_a_number_of_cards_that_is_not_the_rulebooks_is_refused():
    values = printed()
    values["cards"]["red"] = 36
    assert refused(values) == "There are 33 red influence cards, not 36."
    del values["cards"]["red"]
    assert refused(values) == "[cards] needs “red”, a whole number."
    values = printed()
    values["cards"]["black"] = 2
    assert refused(values).startswith("[cards] has no “black”")


def test_a_track_must_reach_its_beginning():
    values = printed()
    values["tracks"]["crusaders"] = 9
    assert refused(values) == "The track crusaders cannot end at 9: it starts at 10."


def test_there_are_fourteen_counselors_a_side():
    values = printed()
    del values["counselors"]["john"]["Hugh Bardolf"]
    assert refused(values) == "There are 14 counselors of john, not 13."
    values = printed()
    values["counselors"]["john"]["Eleanor"] = values["counselors"]["john"].pop("Hugh Bardolf")
    assert refused(values) == "There are 14 different counselors of richard, not 13."


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ("2 PP", "Eleanor: a counselor begins with “act:” or “end:”."),
        ("end: many PP", "Eleanor: “many PP” is no bonus like “2 PP” or “3 PP if Crusaders >= 4”."),
        ("end: 2 PP if money >= 4", "Eleanor: “money” is no track; there are time, crusaders, saladin, treasury."),
        ("act: take 2 pink", "Eleanor: “pink” is no colour"),
        ("act: sing a song", "Eleanor: “sing a song” is no effect"),
        ("act: take 1 chosen, pay 1 chosen", "Eleanor: “take 1 chosen, pay 1 chosen” would name two things"),
        ("act: take 1 red and 1 chosen", "Eleanor: “1 red and 1 chosen”: “chosen” stands alone."),
        (3, "Eleanor: what the counselor does is written as a text."),
    ],
)
def test_words_that_no_counselor_can_mean_are_refused_with_its_name(words: object, why: str):
    values = printed()
    values["counselors"]["richard"]["Eleanor"] = words
    assert refused(values).startswith(why)


@pytest.mark.parametrize("name", ["Eleanor, Queen", "Eleanor; Queen", "Eleanor 2", "Eleanor the red", " Eleanor"])
def test_a_name_that_cannot_be_written_in_a_move_is_refused(name: str):
    values = printed()
    values["counselors"]["richard"][name] = values["counselors"]["richard"].pop("Eleanor")
    assert f"“{name}”" in refused(values)


def test_there_are_eighteen_events_with_each_numeral_once():
    values = printed()
    del values["events"]["John's plot"]
    assert refused(values) == "There are 18 events, not 17."
    values = printed()
    values["events"]["IV Acre again"] = values["events"].pop("John's plot")
    assert refused(values) == "There is one event with the numeral IV, not 2."


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ("rained: treasury +1", "X Darum: “rained” is no outcome"),
        ("won: take 1 chosen", "X Darum: an event cannot let anybody choose."),
        ("won: see a hand: 1 PP for 3 red", "X Darum: an event cannot let anybody choose."),
        ("won: pay 1 red", "X Darum: an event cannot make anybody pay."),
        ("won: win", "X Darum: “win” is no effect"),
        (None, "X Darum: what the event does is written as a text."),
    ],
)
def test_words_that_no_event_can_mean_are_refused_with_its_name(words: object, why: str):
    values = printed()
    values["events"]["X Darum"] = words
    assert refused(values).startswith(why)


def test_a_part_that_is_missing_or_unknown_is_named():
    values = printed()
    del values["events"]
    assert refused(values) == "The edition needs “events”, a table."
    values = printed()
    values["cards"]["blue"] = "24"
    assert refused(values) == "[cards] needs “blue”, a whole number."
    values = printed()
    values["author"] = "me"
    assert refused(values).startswith("The edition has no “author”")
    values = printed()
    del values["counselors"]["john"]
    assert refused(values) == "[counselors] needs “john”, a table."


def test_a_file_that_is_no_toml_is_refused_with_its_name(tmp_path: Path):
    broken = tmp_path / "mine.toml"
    broken.write_text("name = house", encoding="utf-8")
    with pytest.raises(EditionError, match=r"^mine\.toml cannot be read as TOML"):
        load(broken)
    with pytest.raises(EditionError, match=r"^none\.toml cannot be read"):
        load(tmp_path / "none.toml")


def test_an_edition_of_an_operators_own_can_be_played():
    values = printed()
    values["name"] = "mine"
    values["counselors"]["richard"]["Ambroise"] = "act: pay 1 chosen, 2 PP, everyone draws 1"
    game = crusade.Crusade(edition_of(values))
    assert game.edition == "mine"
    table, script = action_of(1, "merchant", "red", counselors={1: ["Ambroise"]}, supply="blue white green")
    table.edition = game.printed
    decision = asked(script)
    assert list(decision.answers()) == ["stock", "play Ambroise red"]
    assert refusal(decision, "play Ambroise blue") == ("crusade 4.10", "You hold no blue to give.")
    table, script = action_of(1, "merchant", "red", counselors={1: ["Ambroise"]}, supply="blue white green")
    table.edition = game.printed
    play(script, "play Ambroise red")
    assert [hand(table, seat) for seat in (1, 2, 3)] == ["blue", "white", "green"]
    assert table.pp[1] == 2


def test_two_things_of_one_kind_are_not_named_with_one_move():
    with pytest.raises(EffectError):
        deed("see a hand: 1 PP for 3 red", "see a hand: 1 PP for 3 blue")
    with pytest.raises(EffectError):
        effect("take two red")

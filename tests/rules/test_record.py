"""A record: read with care, replayed, checked against its commitment, and written."""

from __future__ import annotations

import json
import random
import re
from typing import Any

import pytest

from server.rules import EARLIER, GAMES, chance, game_of
from server.rules.chance import ChanceError, Recorded, Seeded, Shuffle, commitment, mixed
from server.rules.playing import Play
from server.rules.record import (
    FORMAT,
    LARGEST,
    Record,
    RecordError,
    check,
    read_record,
    record_of,
    replay,
    write_record,
)
from tests.rules.matches import steps

SEED = "5eed" * 8
WORDS = ["rhubarb", None]
REGIONS = GAMES["regions"]


def a_match(*moves: str, whole: bool = False, seed: str = SEED) -> Play:
    play = Play(REGIONS, 2, {"short": True}, chance=Seeded(seed), names=("Ann", "Ben Ö"))
    for text in moves:
        play.submit(play.waiting_for()[0], text)
    for _ in steps(play, random.Random(0)) if whole else ():
        pass
    return play


def told(**changes: Any) -> dict[str, Any]:
    """The record of a match after its first take."""
    play = a_match()
    play.answer(1, play.decision(1).answers()[0])
    return record_of(play, seed=SEED) | changes


def without(key: str) -> dict[str, Any]:
    return {name: value for name, value in told().items() if name != key}


def a_record(**changes: Any) -> Record:
    return read_record(json.dumps(told(**changes)))


def why(error: pytest.ExceptionInfo[RecordError]) -> str:
    return str(error.value)


# Reading


def test_a_record_is_read_as_it_was_written():
    record = a_record(words=WORDS)
    assert (record.game, record.rules, record.players) == (REGIONS, REGIONS.rules, ("Ann", "Ben Ö"))
    assert record.options == a_match().options
    assert record.moves == ((1, told()["moves"][0]["move"]),)
    assert record.chance is not None
    assert [shuffle.name for shuffle in record.chance] == [each["shuffle"] for each in told()["chance"]]
    assert [list(shuffle.order) for shuffle in record.chance] == [each["order"] for each in told()["chance"]]
    assert (record.seed, record.commitment, record.words) == (SEED, commitment(SEED), ("rhubarb", None))


def test_what_a_record_need_not_tell():
    few = {name: told()[name] for name in ("format", "game", "players", "moves", "seed")}
    record = read_record(json.dumps(few))
    assert (record.rules, record.options, record.words) == (REGIONS.rules, {}, ())
    assert (record.chance, record.commitment) == (None, None)
    assert read_record(json.dumps(without("seed"))).seed is None
    assert read_record(json.dumps(told(rules=7))).rules == "7"


def test_the_moves_of_a_line_are_single_moves():
    moves = [{"seat": 1, "move": "take 1L; end"}, {"seat": 2, "move": "take 2L"}]
    assert a_record(moves=moves).moves == ((1, "take 1L"), (1, "end"), (2, "take 2L"))


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"format": "estafette-record/2"}, f"This is not a record: its “format” is not “{FORMAT}”."),
        ({"game": None}, "The record's “game” must be a text."),
        ({"game": "chess"}, f"The game “chess” is not known. There are: {', '.join(GAMES)}."),
        ({"edition": "mine"}, "The edition “mine” of regions is not here; there is “house”."),
        ({"options": []}, "The record's “options” must be an object."),
        (
            {"chance": None, "seed": None},
            "The record has neither “chance” nor “seed”: nobody can tell how its shuffles fell.",
        ),
        ({"seed": 7}, "The record's “seed” must be a text."),
        ({"commitment": 7}, "The record's “commitment” must be a text."),
        ({"players": "Ann, Ben"}, "The record's “players” must be a list of names, seat 1 first."),
        ({"players": ["Ann", 2]}, "The record's “players” must be a list of names, seat 1 first."),
        ({"players": ["Ann"]}, "Richelieu (2003) is for 2 to 4 seats, not 1."),
        ({"players": list("ABCDE")}, "Richelieu (2003) is for 2 to 4 seats, not 5."),
        ({"words": "rhubarb"}, "The record's “words” must be a list with a text or null for each player."),
        ({"words": ["rhubarb", 1]}, "The record's “words” must be a list with a text or null for each player."),
        ({"moves": None}, "The record's “moves” must be a list."),
        ({"chance": {}}, "The record's “chance” must be a list of shuffles."),
    ],
)
def test_a_record_of_another_form_is_refused_with_a_sentence(changes: dict[str, Any], sentence: str):
    with pytest.raises(RecordError) as error:
        a_record(**changes)
    assert why(error) == sentence


@pytest.mark.parametrize(
    "line",
    [
        "take 1L",
        {"seat": 1},
        {"move": "take 1L"},
        {"seat": "1", "move": "a"},
        {"seat": True, "move": "a"},
        {"seat": 1, "move": 1},
    ],
)
def test_a_line_that_is_no_move_is_refused_with_its_number(line: object):
    with pytest.raises(RecordError) as error:
        a_record(moves=[{"seat": 1, "move": "take 1L"}, line])
    assert why(error) == 'Line 2 of “moves” must be like {"seat": 1, "move": "…"}.'


@pytest.mark.parametrize(
    "shuffle",
    [
        "cards",
        {"shuffle": "cards"},
        {"order": ["A"]},
        {"shuffle": 1, "order": []},
        {"shuffle": "a", "order": "A"},
        {"shuffle": "a", "order": [1]},
    ],
)
def test_a_shuffle_that_is_none_is_refused_with_its_number(shuffle: object):
    with pytest.raises(RecordError) as error:
        a_record(chance=[{"shuffle": "cards", "order": ["A"]}, shuffle])
    assert why(error) == 'Shuffle 2 of “chance” must be like {"shuffle": "cards", "order": ["…"]}.'


@pytest.mark.parametrize("text", ["", "[" * 100_000, "{", b"\xff"])
def test_what_is_not_json_is_no_record(text: str | bytes):
    with pytest.raises(RecordError) as error:
        read_record(text)
    assert why(error) == "This is not a record: it is not JSON."


@pytest.mark.parametrize("text", ["[]", "7", "{}", "null"])
def test_json_that_is_no_record_is_none(text: str):
    with pytest.raises(RecordError, match=r"^This is not a record: its “format”"):
        read_record(text)


def test_a_record_has_a_largest_size():
    assert LARGEST == 8_388_608
    with pytest.raises(RecordError, match="it is not JSON"):
        read_record("x" * LARGEST)
    with pytest.raises(RecordError) as error:
        read_record("x" * (LARGEST + 1))
    assert why(error) == "This record has 8,388,609 characters; 8,388,608 are the most."


# Replaying


def test_a_record_is_replayed_to_any_of_its_moves_and_no_further():
    play = a_match(whole=True)
    record = read_record(json.dumps(record_of(play, seed=SEED)))
    for at in (0, 1, 5, len(play.moves)):
        again = replay(record, at=at)
        assert again.digest() == play.at(at).digest()
        assert (again.names, again.options) == (["Ann", "Ben Ö"], play.options)
    assert replay(record).over
    for at in (-1, len(play.moves) + 1):
        with pytest.raises(RecordError) as error:
            replay(record, at=at)
        assert why(error) == f"The record has {len(play.moves)} moves; there is no position after move {at}."


def test_the_luck_of_a_record_is_its_shuffles_else_its_seed_with_the_words():
    assert isinstance(a_record().luck(), Recorded)
    play = a_match(seed=mixed(SEED, WORDS))
    without_shuffles = record_of(play, seed=SEED, words=WORDS) | {"chance": None}
    assert replay(read_record(json.dumps(without_shuffles))).digest() == play.digest()


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"moves": [{"seat": 2, "move": "take 1L"}]}, "Move 1 is by seat 2, but seat 1 is asked."),
        (
            {"moves": [{"seat": 1, "move": "take 9L"}]},
            "Move 1, “take 9L” by seat 1, is not legal: The ends of the rows are 1L, 1R, 2L, 2R, 3L, 3R, 4L and 4R: "
            "“take 1L 3R”. (regions 2.1)",
        ),
        (
            {"moves": [{"seat": 1, "move": "."}]},
            "Move 1, “.” by seat 1, is not legal: There is no move in this line.",
        ),
        ({"chance": []}, "The record has 0 shuffles, but shuffle 1 (cards) is needed."),
        (
            {"chance": [{"shuffle": "deck", "order": []}]},
            "Shuffle 1 of the record is “deck”, but “cards” comes here.",
        ),
        (
            {"chance": [{"shuffle": "cards", "order": []}]},
            "Shuffle 1 (cards) is not an arrangement of what is shuffled.",
        ),
        ({"options": {"short": "maybe"}}, "The option short can be: false, true."),
    ],
)
def test_a_record_that_cannot_be_played_says_where(changes: dict[str, Any], sentence: str):
    with pytest.raises(RecordError) as error:
        replay(a_record(**changes))
    assert why(error) == sentence


def test_a_record_that_goes_on_after_the_end_says_so():
    play = a_match(whole=True)
    record = record_of(play, seed=SEED)
    record["moves"].append({"seat": 1, "move": "take 1L"})
    number = len(play.moves) + 1
    with pytest.raises(RecordError) as error:
        replay(read_record(json.dumps(record)))
    assert why(error) == f"Move {number}: the match is over after {number - 1} moves, but the record goes on."


def test_a_move_while_several_are_asked_is_by_one_of_them():
    play = Play(GAMES["crusade"], 3, chance=Seeded(SEED))
    while len(play.question) < 2:
        play.answer(play.waiting_for()[0], play.decision(play.waiting_for()[0]).answers()[0])
    record = record_of(play, seed=SEED)
    record["moves"].append({"seat": 9, "move": "send red red"})
    with pytest.raises(RecordError) as error:
        replay(read_record(json.dumps(record)))
    asked = " and ".join(str(int(seat)) for seat in play.waiting_for())
    assert why(error) == f"Move {len(play.moves) + 1} is by seat 9, but seat {asked} is asked."


# Checking


def test_a_finished_match_is_verified_with_and_without_its_shuffles():
    for words in ((), WORDS):
        record = record_of(a_match(whole=True, seed=mixed(SEED, words)), seed=SEED, words=words)
        assert check(read_record(json.dumps(record))).over
        assert check(read_record(json.dumps(record | {"chance": None}))).over


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"seed": None}, "The record has no “seed”: its shuffles cannot be verified."),
        ({"commitment": None}, "The record has no “commitment”: its seed cannot be verified."),
        (
            {"commitment": "0" * 64},
            "The seed does not fit the published commitment: the shuffles were not fixed beforehand.",
        ),
        ({}, "The match is not finished: after 1 moves somebody is still asked."),
    ],
)
def test_a_match_that_cannot_be_verified_says_why(changes: dict[str, Any], sentence: str):
    with pytest.raises(RecordError) as error:
        check(a_record(**changes))
    assert why(error) == sentence


def test_a_match_that_was_ended_earlier_is_verified_if_that_is_wanted():
    assert not check(a_record(), to_the_end=False).over


def test_the_shuffle_that_does_not_come_from_the_seed_is_named():
    record = told()
    names = [each["shuffle"] for each in record["chance"]]
    record["chance"][-1]["order"] = record["chance"][-1]["order"][::-1]
    with pytest.raises(RecordError) as error:
        check(read_record(json.dumps(record)), to_the_end=False)
    assert why(error) == f"Shuffle {len(names)} ({names[-1]}) does not come from the seed."
    more = [*told()["chance"], {"shuffle": "cards", "order": []}]
    with pytest.raises(RecordError) as error:
        check(a_record(chance=more), to_the_end=False)
    assert why(error) == f"The record tells {len(names) + 1} shuffles, but the match has {len(names)}."


# Writing


def test_a_record_is_written_with_a_move_a_line():
    head = {"format": FORMAT, "players": ["Ann", "Ben Ö"]}
    start = f'{{\n "format": "{FORMAT}",\n "players": [\n  "Ann",\n  "Ben Ö"\n ],\n "moves": ['
    moves = [{"seat": 1, "move": "take ½"}, {"seat": 2, "move": "end"}]
    lines = '\n    {"seat": 1, "move": "take ½"},\n    {"seat": 2, "move": "end"}\n ]\n}\n'
    assert write_record(head | {"moves": moves}) == start + lines
    assert write_record(head | {"moves": []}) == f"{start}]\n}}\n"
    assert json.loads(write_record(told())) == told()


def test_a_record_has_what_is_sealed_too_by_seat():
    play = Play(GAMES["crusade"], 3, chance=Seeded(SEED))
    while len(play.question) < 2:
        play.answer(play.waiting_for()[0], play.decision(play.waiting_for()[0]).answers()[0])
    last, first = play.waiting_for()[-1], play.waiting_for()[0]
    for seat in (last, first):
        play.answer(seat, play.decision(seat).answers()[0])
    moves = record_of(play, seed=SEED)["moves"]
    assert moves[-2:] == [{"seat": int(seat), "move": play.sealed[seat]} for seat in (first, last)]
    assert [type(move["seat"]) for move in moves] == [int] * len(moves)
    assert replay(read_record(json.dumps(record_of(play, seed=SEED)))).sealed == play.sealed


def test_a_record_says_of_itself_what_it_is():
    record = record_of(a_match(), seed=SEED)
    assert list(record) == [
        "format", "game", "edition", "rules", "options", "players", "chance", "seed", "commitment", "moves",
    ]  # fmt: skip
    assert (record["format"], record["game"]) == (FORMAT, "regions")
    assert (record["edition"], record["rules"]) == (REGIONS.edition, REGIONS.rules)
    assert (record["seed"], record["commitment"], record["moves"]) == (SEED, commitment(SEED), [])
    earlier = record_of(a_match(), seed=SEED, words=WORDS, edition="old", rules="0")
    assert (earlier["edition"], earlier["rules"], earlier["words"]) == ("old", "0", WORDS)


def test_a_match_goes_on_by_the_rules_that_it_began_with(monkeypatch: pytest.MonkeyPatch):
    old = GAMES["crusade"]
    monkeypatch.setitem(EARLIER, ("regions", "0"), old)
    assert game_of("regions", "0") is old
    assert game_of("regions", "1") is game_of("regions", REGIONS.rules) is REGIONS


# Luck


def test_luck_begins_again():
    seeded = Seeded(SEED)
    order = seeded.shuffle("cards", "abcdef")
    assert seeded.orders == [Shuffle("cards", tuple(order))]
    assert seeded.again().shuffle("cards", "abcdef") == order
    assert seeded.shuffle("cards", "abcdef") != order
    recorded = Recorded(seeded.orders)
    assert recorded.shuffle("cards", "abcdef") == order
    assert recorded.again().shuffle("cards", "fedcba") == order
    with pytest.raises(ChanceError, match=re.escape("Shuffle 2 (cards) is not an arrangement of what is shuffled.")):
        recorded.shuffle("cards", "abcdee")


def test_a_word_behind_the_last_whole_multiple_is_drawn_again(monkeypatch: pytest.MonkeyPatch):
    """2**32 - 1 is a multiple of 3: of three things the word 2**32 - 1 would favour the first."""
    words = iter([2**32 - 1, 2**32 - 1, 2**32 - 2, 0])
    monkeypatch.setattr(chance, "_words", lambda seed, label: words)
    assert Seeded(SEED).shuffle("cards", "abc") == ["b", "a", "c"]
    assert next(words, None) is None

"""The commands of the core: replay, simulate, check-record."""

from __future__ import annotations

import copy
import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from server.cli import COMMANDS, HELP, main
from server.rules import GAMES

SHORT = ["--option", "short=true"]


def run(*arguments: str) -> int:
    """The command's exit status."""
    try:
        main(list(arguments))
    except SystemExit as end:
        return int(end.code or 0)
    return 0


@pytest.fixture
def record(tmp_path: Path) -> Path:
    """A finished match of regions."""
    assert run("simulate", "--game", "regions", "--seats", "2", "--games", "1", "--records", str(tmp_path), *SHORT) == 0
    return next(tmp_path.glob("*.json"))


def changed(record: Path, **fields: Any) -> Path:
    """The record with other fields; None removes one."""
    told = json.loads(record.read_text())
    for name, value in fields.items():
        if value is None:
            told.pop(name, None)
        else:
            told[name] = value
    record.write_text(json.dumps(told))
    return record


def test_the_help_lists_every_command() -> None:
    assert list(HELP) == list(COMMANDS)


def test_every_command_can_be_loaded(capsys: pytest.CaptureFixture[str]) -> None:
    for name in COMMANDS:
        assert run(name, "--help") == 0, name
    capsys.readouterr()


def test_the_help_comes_at_once() -> None:
    command = [str(Path(sys.executable).with_name("estafette")), "--help"]
    fastest = min(_seconds(command) for _ in range(3))
    assert fastest < 2, "something heavy is imported before it is needed"


def _seconds(command: list[str]) -> float:
    begun = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - begun


def test_wrong_usage_is_status_2_and_a_refusal_status_1(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("simulate", "--game", "regions") == 2
    assert run("nonsense") == 2
    assert run("simulate", "--game", "chess", "--seats", "2", "--games", "1") == 1
    assert "There is no game “chess”" in capsys.readouterr().err


@pytest.mark.parametrize("game", GAMES)
def test_replay_prints_the_position_as_the_contract_names_it(
    game: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    seats = str(GAMES[game].least_seats)
    assert run("simulate", "--game", game, "--seats", seats, "--games", "1", "--records", str(tmp_path)) == 0
    file = str(next(tmp_path.glob("*.json")))
    capsys.readouterr()
    for view, viewer in (([], None), (["--seat", "1"], 1), (["--host"], "host")):
        assert run("replay", file, "--at", "9", "--json", *view) == 0
        told = json.loads(capsys.readouterr().out)
        assert list(told) == [
            *("format", "game", "options", "players", "viewer", "version", "position", "decisions", "outcome", "log")
        ]
        assert (told["format"], told["viewer"], told["version"]) == ("estafette-position/1", viewer, 9)
        for decision in told["decisions"]:
            assert set(decision) == {"seat", "kind", "prompt", "moves"}
            assert decision["kind"] in GAMES[game].kinds
            assert (decision["moves"] is not None) == (viewer in (decision["seat"], "host"))
    assert run("replay", file, "--json") == 0
    outcome = json.loads(capsys.readouterr().out)["outcome"]
    assert [score["seat"] for score in outcome["scores"]] == list(range(1, int(seats) + 1))
    assert all(sum(score["parts"].values()) == score["total"] for score in outcome["scores"])


def test_simulate_plays_the_same_matches_with_the_same_seed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["simulate", "--game", "regions", "--seats", "3", "--games", "5", "--players", "house", "--json"]
    told = []
    for seed in ("one", "one", "two"):
        assert run(*arguments, "--seed", seed) == 0
        told.append(json.loads(capsys.readouterr().out))
    for each in told:
        each.pop("seconds")
        each.pop("decisions_per_second")
        each.pop("seed")
    assert told[0] == told[1] != told[2]
    assert sum(seat["wins"] for seat in told[0]["wins"]) == pytest.approx(5, abs=0.1)


def test_simulate_counts_the_wins_of_each_kind_of_player(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["simulate", "--game", "regions", "--seats", "2", "--games", "6", *SHORT, "--players"]
    assert run(*arguments, "house,random", "--json") == 0
    told = json.loads(capsys.readouterr().out)
    wins = {name: each["wins"] for name, each in told["wins_of_players"].items()}
    assert sum(wins.values()) == 6
    assert wins["house"] > wins["random"]
    assert run(*arguments, "random,house") == 0
    assert "house: won" in capsys.readouterr().out
    assert run(*arguments, "good") == 2
    assert "“good” is none of random, house, strong" in capsys.readouterr().err


def test_a_finished_record_is_verified(record: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("check-record", str(record)) == 0
    assert "come from the committed seed" in capsys.readouterr().out


def test_a_record_whose_shuffle_was_exchanged_is_found_out(record: Path, capsys: pytest.CaptureFixture[str]) -> None:
    told = json.loads(record.read_text())
    tiles = told["chance"][1]["order"]
    unseen = len(tiles) - 2
    tiles[unseen], tiles[unseen + 1] = tiles[unseen + 1], tiles[unseen]
    assert run("check-record", str(changed(record, chance=told["chance"]))) == 1
    assert "does not come from the seed" in capsys.readouterr().err


def test_another_seed_does_not_fit_the_commitment(record: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("check-record", str(changed(record, seed="another"))) == 1
    assert "does not fit the published commitment" in capsys.readouterr().err


def test_an_unfinished_match_is_no_finished_record(record: Path, capsys: pytest.CaptureFixture[str]) -> None:
    moves = json.loads(record.read_text())["moves"]
    assert run("check-record", str(changed(record, moves=moves[:-1]))) == 1
    assert "is not finished" in capsys.readouterr().err


def test_a_record_needs_no_seed_to_be_replayed(record: Path, capsys: pytest.CaptureFixture[str]) -> None:
    capsys.readouterr()
    assert run("replay", str(record), "--json") == 0
    with_both = capsys.readouterr().out
    assert run("replay", str(changed(record, seed=None, commitment=None)), "--json") == 0
    assert capsys.readouterr().out == with_both


def test_a_line_of_two_moves_is_two_moves(record: Path, capsys: pytest.CaptureFixture[str]) -> None:
    moves = json.loads(record.read_text())["moves"]
    first = {"seat": 1, "move": f"{moves[0]['move'].upper()}; {moves[1]['move']}"}
    assert run("replay", str(changed(record, moves=[first, *moves[2:]])), "--at", "2", "--json") == 0
    assert '"version": 2' in capsys.readouterr().out


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"format": "another/1"}, "its “format” is not"),
        ({"game": "chess"}, "The game “chess” is not known"),
        ({"edition": "printed"}, "The edition “printed”"),
        ({"players": ["Ann"]}, "is for 2 to 4 seats, not 1"),
        ({"players": "Ann, Ben"}, "must be a list of names"),
        ({"options": {"short": "perhaps"}}, "The option short can be"),
        ({"options": {"long": True}}, "has no option long"),
        ({"chance": None, "seed": None}, "neither “chance” nor “seed”"),
        ({"chance": [{"shuffle": "cards", "order": ["bourgogne 2"]}]}, "not an arrangement"),
        ({"chance": []}, "shuffle 1 (cards) is needed"),
        ({"moves": [{"seat": 2, "move": "take 1L"}]}, "Move 1 is by seat 2, but seat 1 is asked"),
        ({"moves": [{"seat": 1, "move": "take 9L"}]}, "Move 1, “take 9L” by seat 1, is not legal"),
        ({"moves": [{"seat": "1", "move": "take 1L"}]}, "Line 1 of “moves”"),
        ({"moves": {}}, "must be a list"),
    ],
)
def test_what_is_no_record_is_refused_with_a_sentence(
    record: Path, capsys: pytest.CaptureFixture[str], change: dict[str, Any], sentence: str
) -> None:
    assert run("replay", str(changed(record, **copy.deepcopy(change)))) == 1
    told = capsys.readouterr().err
    assert sentence in told
    assert "Traceback" not in told


def test_a_record_that_goes_on_after_the_end_is_refused(record: Path, capsys: pytest.CaptureFixture[str]) -> None:
    moves = json.loads(record.read_text())["moves"]
    assert run("replay", str(changed(record, moves=[*moves, moves[-1]]))) == 1
    assert "the match is over after" in capsys.readouterr().err


@pytest.mark.parametrize("content", ["", "{", "[]", "null", '"text"', "[" * 100_000, "\x00\xff"])
def test_any_text_at_all_is_answered_with_a_sentence(
    content: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "record.json"
    file.write_text(content, encoding="latin-1")
    assert run("replay", str(file)) == 1
    assert "This is not a record" in capsys.readouterr().err


def test_a_file_or_seat_that_is_not_there_is_a_sentence(record: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("replay", "nosuch.json") == 1
    assert run("replay", str(record), "--seat", "5") == 1
    assert run("replay", str(record), "--at", "9999") == 1
    assert run("replay", str(record), "--seat", "1", "--host") == 2
    told = capsys.readouterr().err
    assert "cannot be read" in told
    assert "there is no seat 5" in told
    assert "there is no position after move 9999" in told

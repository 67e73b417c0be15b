"""The two strengths of house players: the strong one beats the usual one, knows no more, and thinks quickly."""

from __future__ import annotations

import copy
import importlib
import os
import random
import time
from collections.abc import Iterator

import pytest

from server import house
from server.rules import GAMES
from server.rules.chance import Seeded
from server.rules.playing import Play

SEATS = {"regions": 2, "intrigues": 2, "crusade": 4}
OPTIONS = {"regions": {"short": True}}


def a_contest(game: str, number: int, seats: int) -> float:
    """The share of the win that the strong get of a match in which every other seat is one of theirs.

    Matches 2n and 2n + 1 fall alike, with the seats changed.
    """
    play, luck = (
        Play(GAMES[game], seats, OPTIONS.get(game), chance=Seeded(f"contest {number // 2}")),
        random.Random(number),
    )
    strong = {seat for seat in play.seats if (seat + number) % 2}
    while play.question:
        for seat in play.waiting_for():
            answer = house.choose(
                play.game, play.decision(seat), play.position(seat), seat, luck,
                strong=seat in strong, options=play.options,
            )  # fmt: skip
            play.answer(seat, answer)
    outcome = play.outcome()
    assert outcome is not None
    return len(strong.intersection(outcome.winners)) / len(outcome.winners)


@pytest.mark.parametrize(("game", "matches", "share"), [("regions", 4, 0.5), ("crusade", 40, 0.65)])
def test_the_strong_win_most_of_a_few_matches(game: str, matches: int, share: float, quick_thoughts: None) -> None:
    won = sum(a_contest(game, number, SEATS[game]) for number in range(matches))
    assert won / matches >= share


@pytest.mark.skipif("ESTAFETTE_TEST_LONG" not in os.environ, reason="plays for twenty minutes: set ESTAFETTE_TEST_LONG")
@pytest.mark.parametrize(("game", "matches"), [("regions", 30), ("intrigues", 30), ("crusade", 200)])
def test_the_strong_beat_the_usual_in_65_of_100(game: str, matches: int) -> None:
    won = sum(a_contest(game, number, SEATS[game]) for number in range(matches))
    assert won / matches >= 0.65


@pytest.fixture
def quick_thoughts(monkeypatch: pytest.MonkeyPatch) -> None:
    """A third of the tries: still strong, and soon done."""
    for name in ("regions", "intrigues", "crusade"):
        module = importlib.import_module(f"server.house.strong.{name}")
        for effort in ("WORK", "TRIES"):
            if hasattr(module, effort):
                monkeypatch.setattr(module, effort, getattr(module, effort) // 3)


def positions(game: str, seats: int, *, every: int) -> Iterator[tuple[Play, int]]:
    """Open questions of a match of usual house players, and who is asked."""
    play, luck = Play(GAMES[game], seats, chance=Seeded("positions")), random.Random(5)
    step = 0
    while play.question:
        for seat in play.waiting_for():
            step += 1
            if step % every == 0:
                yield play, seat
            play.answer(seat, house.choose(play.game, play.decision(seat), play.position(seat), seat, luck))


@pytest.mark.parametrize(("game", "seats"), [("regions", 2), ("regions", 4), ("intrigues", 3), ("crusade", 8)])
def test_the_strong_answer_legally_within_a_second_and_change_nothing(game: str, seats: int) -> None:
    for play, seat in positions(game, seats, every=23):
        decision, position = play.decision(seat), play.position(seat)
        before = copy.deepcopy(position)
        begun = time.process_time()
        answer = house.choose(play.game, decision, position, seat, random.Random(1), strong=True, options=play.options)
        assert time.process_time() - begun < 1
        assert answer in decision.answers()
        assert position == before


@pytest.mark.parametrize("game", GAMES)
def test_what_the_strong_do_not_see_does_not_change_their_answer(game: str, quick_thoughts: None) -> None:
    """Two matches that look alike to a seat: the hidden things of the others are exchanged among themselves."""
    for play, seat in positions(game, GAMES[game].least_seats, every=19):
        decision, position = play.decision(seat), play.position(seat)
        answers = []
        for _ in range(2):
            luck = random.Random(2)
            answers.append(house.choose(play.game, decision, position, seat, luck, strong=True, options=play.options))
            shuffled = random.Random(3)
            for group in {each.group for each in play.table.secrets}:
                hidden = [each for each in play.table.secrets if each.group == group and not each.known_to(seat)]
                fronts = [each.front for each in hidden]
                shuffled.shuffle(fronts)
                for each, front in zip(hidden, fronts, strict=True):
                    each.front = front
            assert play.position(seat) == position
        assert answers[0] == answers[1]
        return

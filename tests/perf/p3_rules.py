"""P3: decisions a second of the rules core in random matches, listing all legal moves, beside python-chess."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from functools import partial
from statistics import median

import chess

from server.rules import GAMES
from server.rules.chance import Seeded
from server.rules.playing import Game, Play
from tests.perf.figures import Figure

ROUNDS = 7
SECONDS_A_TURN = 0.4
GOALS = {"regions": 3.0}
USUAL_GOAL = 1.0


def chess_game(luck: random.Random) -> int:
    """The moves of one random game of chess."""
    board = chess.Board()
    while not board.is_game_over():
        board.push(luck.choice(list(board.legal_moves)))
    return len(board.move_stack)


def random_match(game: Game, luck: random.Random) -> int:
    """The decisions of one random match, each with all its answers listed."""
    seats = luck.randint(game.least_seats, game.most_seats)
    play = Play(game, seats, chance=Seeded(str(luck.random())))
    decisions = 0
    while play.question:
        for seat, decision in list(play.question.items()):
            play.answer(seat, luck.choice(decision.answers()))
            decisions += 1
    return decisions


def rate(play_one: Callable[[], int]) -> float:
    """Decisions a second of processor time."""
    done = 0
    start = time.process_time()
    while (spent := time.process_time() - start) < SECONDS_A_TURN:
        done += play_one()
    return done / spent


def measured() -> list[Figure]:
    luck = random.Random(2003)
    runners: dict[str, Callable[[], int]] = {"python-chess": lambda: chess_game(luck)}
    for game in GAMES.values():
        runners[game.name] = partial(random_match, game, luck)
    rates: dict[str, list[float]] = {name: [] for name in runners}
    for _ in range(ROUNDS):
        for name, play_one in runners.items():
            rates[name].append(rate(play_one))
    print(f"P3  rules core, random matches, {ROUNDS} alternating rounds, processor time")
    print(f"{'':14}{'decisions/s':>12}{'slowest':>10}{'fastest':>10}{'ratio':>8}{'goal':>7}")
    figures: list[Figure] = []
    chess = f"python-chess: {median(rates['python-chess']):,.0f}/s"
    for name, seen in rates.items():
        line = f"{name:14}{median(seen):12,.0f}{min(seen):10,.0f}{max(seen):10,.0f}"
        if name in GAMES:
            ratio = median(a / b for a, b in zip(seen, rates["python-chess"], strict=True))
            goal = GOALS.get(name, USUAL_GOAL)
            line += f"{ratio:8.2f}{goal:7.1f}  {'reached' if ratio >= goal else 'missed'}"
            figures.append(Figure("P3", f"{name}: decisions a second", ratio, "times", goal, True, chess))
        print(line)
    return figures


if __name__ == "__main__":
    measured()

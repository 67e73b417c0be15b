"""P2: a move at move 10, 100 and 300 of a match that is kept in memory, and loading a match of 400 moves cold."""

from __future__ import annotations

import random
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path
from statistics import median
from typing import Any

from sqlalchemy import update

from db import table
from db.migrate import upgrade
from server import beginning
from server.beginning import SeatWish, Wish
from server.config import Settings
from server.matches import Matches
from server.rules import GAMES
from server.rules.chance import Seeded, commitment
from server.rules.playing import Play
from server.service import open_service
from tests.perf.figures import Figure

ROUNDS = 5
AT = (10, 100, 300)
AROUND = 8
LONG = 400


def a_long_play(seats: int, moves: int) -> tuple[str, Play]:
    """A random match of crusade that lasts at least so long, and its seed."""
    for number in range(5000):
        seed = f"growth/{number}"
        play, luck = Play(GAMES["crusade"], seats, chance=Seeded(seed)), random.Random(number)
        while not play.over:
            for seat in play.waiting_for():
                play.answer(seat, luck.choice(play.decision(seat).answers()))
        if len(play.moves) >= moves:
            return seed, play
    raise SystemExit(f"no random match lasts {moves} moves")


def a_match(matches: Matches, seed: str, seats: int) -> str:
    """A running match of that seed."""
    wish = Wish("crusade", [SeatWish(f"P{n}", f"p{n}-{time.perf_counter_ns()}@bench.example") for n in range(seats)])
    match_id = beginning.create(matches, wish, host=None, now=datetime.now(UTC), start=True)
    with matches.store.writing() as session:
        session.execute(
            update(table.MATCH).where(table.MATCH.c.id == match_id).values(seed=seed, commitment=commitment(seed))
        )
    return match_id


def play_through(matches: Matches, match_id: str, moves: list[Any]) -> dict[int, list[float]]:
    """Play the moves; milliseconds of processor time of those around each mark, page and move together."""
    matches.plays.forget(match_id)
    seen: dict[int, list[float]] = {mark: [] for mark in AT}
    for number, made in enumerate(moves):
        link = matches.link_of(match_id, made.seat)
        assert link is not None
        begun = time.process_time()
        matches.view(match_id, made.seat)
        matches.play(link, made.text, now=datetime.now(UTC))
        took = (time.process_time() - begun) * 1000
        for mark in AT:
            if abs(number - mark) <= AROUND:
                seen[mark].append(took)
    return seen


def cold_loads(matches: Matches, match_id: str) -> float:
    times = []
    for _ in range(ROUNDS * 3):
        matches.plays.forget(match_id)
        begun = time.process_time()
        matches.view(match_id, None)
        times.append((time.process_time() - begun) * 1000)
    return median(times)


def measured() -> list[Figure]:
    with tempfile.TemporaryDirectory() as name:
        service = open_service(Settings.load({"ESTAFETTE_DATA": str(Path(name)), "ESTAFETTE_SECRET_KEYS": "k" * 40}))
        upgrade(service.store)
        matches = service.matches
        seed, play = a_long_play(8, LONG)
        rounds = []
        for _ in range(ROUNDS):
            match_id = a_match(matches, seed, 8)
            rounds.append(play_through(matches, match_id, play.moves[:LONG]))
        loading = cold_loads(matches, match_id)
        with service.store.reading() as session:
            rows = len(table.move_rows(session, match_id))
        service.close()
    print(f"P2  a move of crusade with eight seats, page and move, {ROUNDS} rounds, processor time")
    at = {mark: median(median(seen[mark]) for seen in rounds) for mark in AT}
    for mark, took in at.items():
        print(f"move {mark:4}      {took:8.2f} ms")
    ratio = median(median(seen[AT[-1]]) / median(seen[AT[0]]) for seen in rounds)
    print(f"move 300 / 10  {ratio:8.2f}     goal 1.3: {'reached' if ratio <= 1.3 else 'missed'}")
    print(f"cold load, {rows} moves {loading:.1f} ms  goal 15 ms: {'reached' if loading <= 15 else 'missed'}")
    return [
        Figure(
            "P2", "a move at move 300 beside one at move 10", ratio, "times", 1.3, False, f"{at[AT[0]]:.1f} ms at 10"
        ),
        Figure("P2", f"a match of {rows} moves loaded cold", loading, "ms", 15, False, "18xx replays on each request"),
    ]


if __name__ == "__main__":
    measured()

"""`estafette simulate`: whole matches in the rules core alone, counted."""

from __future__ import annotations

import json
import random
import statistics
import sys
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import click

from server import house
from server.rules import GAMES
from server.rules.chance import Seeded
from server.rules.playing import Game, Play, full_options
from server.rules.record import record_of, write_record
from server.rules.telling import HOST

PLAYERS = ("random", "house", "strong")


@dataclass
class Tally:
    """What many matches came to."""

    seats: int
    matches: int = 0
    decisions: int = 0
    seconds: float = 0.0
    lengths: list[int] = field(default_factory=list)
    totals: list[list[int]] = field(default_factory=list)
    wins: list[float] = field(default_factory=list)
    endings: Counter[str] = field(default_factory=Counter)
    sides: Counter[str] = field(default_factory=Counter)
    wins_of: dict[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.totals = [[] for _ in range(self.seats)]
        self.wins = [0.0] * self.seats

    def count(self, play: Play, players: Sequence[str]) -> None:
        """Of a match of these players, seat 1 first."""
        outcome = play.outcome()
        assert outcome is not None
        self.matches += 1
        self.lengths.append(len(play.moves))
        for score in outcome.scores:
            self.totals[score.seat - 1].append(score.total)
        self.wins_of = dict.fromkeys(sorted(players), 0.0) | self.wins_of
        for seat in outcome.winners:
            self.wins[seat - 1] += 1 / len(outcome.winners)
            self.wins_of[players[seat - 1]] += 1 / len(outcome.winners)
        if "ending" in outcome.more:
            self.endings[outcome.more["ending"]] += 1
        seats = play.position(HOST).get("seats", [])
        sides = {seats[seat - 1]["loyalty"] for seat in outcome.winners if "loyalty" in seats[seat - 1]}
        if sides:
            self.sides[sides.pop() if len(sides) == 1 else "both"] += 1

    def as_json(self) -> dict[str, Any]:
        told: dict[str, Any] = {
            "matches": self.matches,
            "moves": {
                "mean": round(statistics.fmean(self.lengths), 1),
                "min": min(self.lengths),
                "max": max(self.lengths),
            },
            "scores": [
                {"seat": number, "mean": round(statistics.fmean(all_), 2), "min": min(all_), "max": max(all_)}
                for number, all_ in enumerate(self.totals, start=1)
            ],
            "wins": [
                {"seat": number, "wins": round(won, 2), "share": round(won / self.matches, 4)}
                for number, won in enumerate(self.wins, start=1)
            ],
            "decisions": self.decisions,
            "seconds": round(self.seconds, 3),
            "decisions_per_second": round(self.decisions / self.seconds) if self.seconds else None,
        }
        if len(self.wins_of) > 1:
            told["wins_of_players"] = {
                name: {"wins": round(won, 2), "share": round(won / self.matches, 4)}
                for name, won in self.wins_of.items()
            }
        if self.endings:
            told["endings"] = dict(sorted(self.endings.items()))
        if self.sides:
            told["sides"] = dict(sorted(self.sides.items()))
        return told


def seated(players: Sequence[str], seats: int, number: int) -> list[str]:
    """Who sits where in the match of this number, seat 1 first; each match begins with another of them."""
    return [players[(seat + number) % len(players)] for seat in range(seats)]


def play_match(play: Play, players: Sequence[str], luck: random.Random) -> int:
    """Play to the end; the number of decisions."""
    decisions = 0
    while play.question:
        for seat in play.waiting_for():
            decision = play.decision(seat)
            player = players[seat - 1]
            if player == "random":
                text = luck.choice(decision.answers())
            else:
                strong = player == "strong"
                position = play.position(seat)
                text = house.choose(play.game, decision, position, seat, luck, strong=strong, options=play.options)
            play.answer(seat, text)
            decisions += 1
    return decisions


def _options(game: Game, told: tuple[str, ...]) -> dict[str, Any]:
    given: dict[str, object] = {}
    for each in told:
        name, equals, value = each.partition("=")
        if not equals:
            raise click.UsageError(f"An option is written NAME=VALUE, not “{each}”.")
        given[name.strip()] = value.strip()
    try:
        return full_options(game, given)
    except ValueError as error:
        raise click.ClickException(str(error)) from error


def _players(_context: click.Context, _parameter: click.Parameter, told: str) -> tuple[str, ...]:
    names = tuple(name.strip() for name in told.split(","))
    for name in names:
        if name not in PLAYERS:
            raise click.BadParameter(f"“{name}” is none of {', '.join(PLAYERS)}.")
    return names


@click.command()
@click.option("--game", "name", required=True, help="intrigues, regions or crusade")
@click.option("--seats", type=int, required=True)
@click.option("--games", "matches", type=click.IntRange(min=1), required=True, metavar="K")
@click.option(
    "--players",
    default="random",
    show_default=True,
    callback=_players,
    metavar="NAME[,NAME…]",
    help="random, house or strong; several take the seats in turn, and each match begins with another of them.",
)
@click.option("--option", "options", multiple=True, metavar="NAME=VALUE")
@click.option("--seed", default="estafette", show_default=True, help="The same seed plays the same matches.")
@click.option("--records", type=click.Path(file_okay=False, path_type=Path), help="Write each match's record here.")
@click.option("--json", "as_json", is_flag=True)
def simulate(
    name: str,
    seats: int,
    matches: int,
    players: tuple[str, ...],
    options: tuple[str, ...],
    seed: str,
    records: Path | None,
    as_json: bool,
) -> None:
    """Play whole matches in the rules core alone: scores, length, wins by seat, decisions per second."""
    game = GAMES.get(name)
    if game is None:
        raise click.ClickException(f"There is no game “{name}”. There are: {', '.join(GAMES)}.")
    if not game.least_seats <= seats <= game.most_seats:
        raise click.ClickException(f"{game.title} is for {game.least_seats} to {game.most_seats} seats, not {seats}.")
    chosen = _options(game, options)
    if records:
        records.mkdir(parents=True, exist_ok=True)
    tally = Tally(seats)
    with click.progressbar(range(1, matches + 1), label=game.title, file=sys.stderr) as numbers:
        for number in numbers:
            its_seed = f"{seed}/{number}"
            luck = random.Random(its_seed)  # noqa: S311 - the players' whims, not the shuffles
            begun = time.perf_counter()
            play = Play(game, seats, chosen, chance=Seeded(its_seed))
            who = seated(players, seats, number)
            tally.decisions += play_match(play, who, luck)
            tally.seconds += time.perf_counter() - begun
            tally.count(play, who)
            if records:
                text = write_record(record_of(play, seed=its_seed))
                (records / f"{name}-{seats}-{number}.json").write_text(text, encoding="utf-8")
    told = {
        "game": name,
        "seats": seats,
        "players": ",".join(players),
        "options": chosen,
        "seed": seed,
        **tally.as_json(),
    }
    click.echo(json.dumps(told, ensure_ascii=False, indent=2) if as_json else _in_words(told))


def _in_words(told: dict[str, Any]) -> str:
    moves = told["moves"]
    lines = [f"{told['matches']} matches, {moves['mean']} moves each ({moves['min']} to {moves['max']})"]
    for score, wins in zip(told["scores"], told["wins"], strict=True):
        lines.append(
            f"seat {score['seat']}: {score['mean']} points ({score['min']} to {score['max']}), "
            f"won {wins['wins']:g} ({wins['share']:.1%})"
        )
    for name, won in told.get("wins_of_players", {}).items():
        lines.append(f"{name}: won {won['wins']:g} ({won['share']:.1%})")
    for title, key in (("endings", "endings"), ("wins by side", "sides")):
        if key in told:
            lines.append(f"{title}: " + ", ".join(f"{name} {count}" for name, count in told[key].items()))
    lines.append(f"{told['decisions_per_second']} decisions a second")
    return "\n".join(lines)

"""House players: each chooses from the open decision and what its own seat may see."""

from __future__ import annotations

import importlib
import random
from collections.abc import Callable
from typing import Any, TypeAlias

from server.rules.asking import Decision
from server.rules.playing import Game

Choose: TypeAlias = Callable[[Decision, dict[str, Any], int, random.Random], str]
"""(decision, position, seat, luck) -> one of the decision's answers; it sees the position of its own seat alone."""


def player_of(game: Game) -> Choose:
    """The house player of a game: the module of its name in here."""
    choose: Choose = importlib.import_module(f"server.house.{game.name}").choose
    return choose


def choose(game: Game, decision: Decision, position: dict[str, Any], seat: int, luck: random.Random) -> str:
    """What the house answers; a decision with one answer needs no thought."""
    answers = decision.answers()
    if len(answers) == 1:
        return answers[0]
    return player_of(game)(decision, position, seat, luck)

"""House players: each chooses from the open decision and what its own seat may see."""

from __future__ import annotations

import importlib
import random
from collections.abc import Mapping
from typing import Any

from server.rules.asking import Decision
from server.rules.playing import Game


def choose(
    game: Game,
    decision: Decision,
    position: dict[str, Any],
    seat: int,
    luck: random.Random,
    *,
    strong: bool = False,
    options: Mapping[str, object] | None = None,
) -> str:
    """What the house answers; it sees the position of its own seat alone.

    The usual player of a game (the module of its name in here) judges a move by what it brings at once; the strong
    one (in `strong`) thinks ahead, which takes it up to some tenths of a second. `options` are the match's.
    """
    answers = decision.answers()
    if len(answers) == 1:
        return answers[0]
    answer: str
    if strong:
        player = importlib.import_module(f"server.house.strong.{game.name}")
        answer = player.choose(decision, position, seat, luck, options or {})
    else:
        answer = importlib.import_module(f"server.house.{game.name}").choose(decision, position, seat, luck)
    return answer

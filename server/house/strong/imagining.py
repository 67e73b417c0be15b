"""A match that is played on in the head: on a table of its own, with shuffles of its own."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

from server.rules.asking import REVEAL, Decision, Question, Script
from server.rules.chance import Shuffle
from server.rules.telling import Seat


class Whim:
    """Luck that nobody needs to check: shuffles of imagined matches."""

    def __init__(self, luck: random.Random) -> None:
        self.orders: list[Shuffle] = []
        self._luck = luck

    def shuffle(self, name: str, things: Sequence[str]) -> list[str]:
        return self._luck.sample(things, len(things))

    def again(self) -> Whim:
        return self


def play_on(script: Script, own: Seat, first: str, choose: Callable[[Seat, Decision], str], most: int = 10_000) -> None:
    """Go on with a script in which the own seat first answers so, and all else is answered by `choose`.

    It ends with the script, or after so many questions.
    """
    question = _next(script, None)
    answers = {seat: first if seat == own else choose(seat, decision) for seat, decision in question.items()}
    for _ in range(most):
        question = _next(script, answers)
        if not question:
            return
        answers = {seat: choose(seat, decision) for seat, decision in question.items()}


def _next(script: Script, answers: dict[Seat, str] | None) -> Question:
    try:
        step = next(script) if answers is None else script.send(answers)
        while step is REVEAL:
            step = next(script)
    except StopIteration:
        return {}
    return step

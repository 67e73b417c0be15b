"""The rules core: pure scripts of the games, standard library only."""

from __future__ import annotations

from typing import Final

from server.rules.crusade import GAME as CRUSADE
from server.rules.intrigues import GAME as INTRIGUES
from server.rules.playing import Game
from server.rules.regions import GAME as REGIONS

GAMES: Final[dict[str, Game]] = {game.name: game for game in (REGIONS, INTRIGUES, CRUSADE)}
"""The games by name, in the order in which people are shown them."""

EARLIER: Final[dict[tuple[str, str], Game]] = {}
"""(name, version) → a game as it was, while matches that began with it are being played."""


def game_of(name: str, rules: str) -> Game:
    """The game by the rules that a match began with; today's, where these lead to the same positions."""
    return EARLIER.get((name, rules), GAMES[name])

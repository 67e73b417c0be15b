"""How each language says what the rules say: the templates and words of the games, out of its catalogue."""

from __future__ import annotations

from functools import lru_cache, partial

from emails.language import Tongue, spoken
from server.rules import GAMES
from server.rules.playing import Game
from server.rules.telling import Speech

_NAMES_KEPT = 4_096


def speech_of(game: Game) -> Speech:
    """A game in the language that is spoken now."""
    return _speech(game.name, spoken())


@lru_cache(maxsize=256)
def _speech(name: str, language: Tongue) -> Speech:
    game = GAMES[name]
    if language.tag == "en":
        return Speech(word=game.word)
    word = lru_cache(maxsize=_NAMES_KEPT)(partial(game.word, of=partial(language.word, game.name)))
    return Speech(language.say, word)

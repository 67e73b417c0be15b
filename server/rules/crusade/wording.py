"""How people read the names of things."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from server.rules.crusade.characters import CHARACTERS
from server.rules.crusade.colours import COLOURS
from server.rules.crusade.table import SIDES, STARTS

_WORDS: Final = {
    **{character.name: character.title for character in CHARACTERS.values()},
    **{name: name.title() for name in (*SIDES, *STARTS)},
}
VOCABULARY: Final = (*COLOURS, *_WORDS.values())


def word(term: str, of: Callable[[str], str] = str) -> str:
    return of(_WORDS.get(term, term))

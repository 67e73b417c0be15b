"""The words for the things of this game: sheets, agents, bonuses, the two royal pieces."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from server.rules.intrigues.edition import FACTIONS, SHEETS, VALUES, Bonus, Symbol
from server.rules.intrigues.table import Royal
from server.rules.telling import Sentence, sentence

_NUMBERED: Final = {
    **{f"{letter}{n}": (FACTIONS[letter], f"{n}") for letter, count in SHEETS.items() for n in range(1, count + 1)},
    **{f"{kind} {n}": (kind, f"{n}".replace("-", "−")) for kind in ("agent", "neutral agent") for n in VALUES},
}
VOCABULARY: Final = (*FACTIONS.values(), "agent", "neutral agent")


def word(term: str, of: Callable[[str], str] = str) -> str:
    """A name in the data as people read it: "R4" is a sheet in the data, "Richelieu 4" in a sentence."""
    if term not in _NUMBERED:
        return of(term)
    kind, number = _NUMBERED[term]
    return f"{of(kind)} {number}"


def royal_name(royal: Royal) -> Sentence:
    if royal is Royal.EMINENCE:
        return sentence("the Éminence Grise")
    return sentence("the Queen")


def bonus_words(bonus: Bonus) -> list[Sentence]:
    return [symbol_words(symbol) for symbol in bonus]


def symbol_words(symbol: Symbol) -> Sentence:
    if symbol.kind == "prestige":
        return sentence("{n} prestige", n=symbol.number)
    if symbol.kind == "money":
        return sentence("{n} money", n=symbol.number)
    if symbol.kind == "military":
        return sentence("{n} military", n=symbol.number)
    if symbol.kind == "income":
        return sentence("income up by 1")
    if symbol.kind == "agent":
        return sentence("place an agent")
    if symbol.kind == "corruption":
        return sentence("corruption")
    if symbol.kind == "eminence":
        return sentence("move the Éminence Grise")
    return sentence("move the Queen")

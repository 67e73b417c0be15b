"""The words for the things of this game: sheets, agents, bonuses, the two royal pieces."""

from __future__ import annotations

from server.rules.intrigues.edition import FACTIONS, SHEETS, VALUES, Bonus, Symbol
from server.rules.intrigues.table import Royal
from server.rules.telling import Sentence, sentence


def _number(value: int) -> str:
    return str(value).replace("-", "−")


WORDS = {
    **{f"{letter}{n}": f"{FACTIONS[letter]} {n}" for letter, count in SHEETS.items() for n in range(1, count + 1)},
    **{f"agent {value}": f"agent {_number(value)}" for value in VALUES},
    **{f"neutral agent {value}": f"neutral agent {_number(value)}" for value in VALUES},
}
"""Names in the data and as people read them: "R4" is a sheet in the data, "Richelieu 4" in a sentence."""


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

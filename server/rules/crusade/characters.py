"""The eight characters and their two actions each (4.2 to 4.9)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from server.rules.crusade.effects import Deed, deed
from server.rules.crusade.offers import CollectTaxes, HoldTournament


@dataclass(frozen=True)
class Character:
    """A character as moves call it, as people read it, the paragraph about it, and its actions by their verbs."""

    name: str
    title: str
    rule: str
    actions: Mapping[str, Deed]


CHARACTERS: Final = {
    character.name: character
    for character in (
        Character(
            "exciseman",
            "Exciseman",
            "crusade 4.2",
            {
                "collect": deed("take 2 yellow", "draw 1"),
                "tax": Deed((CollectTaxes(),)),
            },
        ),
        Character(
            "inquisitor",
            "Inquisitor",
            "crusade 4.3",
            {
                "accuse": deed("take 1 purple and 1 green", "see a hand: 1 PP for each green"),
                "absolve": deed("pay 2 green", "1 PP", "draw 3"),
            },
        ),
        Character(
            "merchant",
            "Merchant",
            "crusade 4.4",
            {
                "stock": deed("take 2 blue", "draw 1"),
                "trade": deed("pay 2 blue and 2 white", "3 PP", "draw 2"),
            },
        ),
        Character(
            "spy",
            "Spy",
            "crusade 4.5",
            {
                "recruit": deed("take 1 purple and 1 green", "draw 1"),
                "spy": deed("pay 2 purple", "see a hand: 1 PP for each chosen", "draw 1"),
            },
        ),
        Character(
            "arms",
            "Master at arms",
            "crusade 4.6",
            {
                "drill": deed("take 2 red", "draw 1"),
                "tournament": Deed((HoldTournament(),)),
            },
        ),
        Character(
            "regent",
            "Regent",
            "crusade 4.7",
            {
                "rally": deed("take 2 white", "draw 1"),
                "council": deed(
                    "pay 1 blue and 1 yellow and 1 purple and 1 white and 1 red and 1 green", "5 PP", "draw 4"
                ),
            },
        ),
        Character(
            "chancellor",
            "Chancellor",
            "crusade 4.8",
            {
                "levy": deed("draw 2", "take 1 chosen"),
                "counsel": deed("draw a counselor", "take 1 chosen"),
            },
        ),
        Character(
            "bandit",
            "Bandit",
            "crusade 4.9",
            {
                "ambush": deed("pay 1 chosen", "1 PP", "take 1 white and 1 green"),
                "plunder": deed("pay 1 chosen", "1 PP", "take 1 yellow and 1 red"),
            },
        ),
    )
}

ACTIONS: Final = {verb: character for character in CHARACTERS.values() for verb in character.actions}
"""Whose action each verb is."""


def character_named(text: str) -> str | None:
    """The character that a move's words mean, by its short or its long name."""
    for character in CHARACTERS.values():
        if text in (character.name, character.title.casefold()):
            return character.name
    return None

"""What a decision is about, for somebody who plays the first match."""

from __future__ import annotations

from typing import Final

from server.rules.telling import Hint, sentence

HINTS: Final = {
    "turn": Hint(
        sentence(
            "Cards score by majority: at the end, whoever has most emblems of a region, or most of a "
            "symbol, scores as many points as they have. Take from the ends of the rows what brings you "
            "ahead somewhere, and look at what your take uncovers for the next player. Two cards are "
            "possible when they are of one region and have two emblems at most."
        ),
        "regions 2.1",
    ),
    "mark": Hint(
        sentence(
            "A marker keeps the others off a card: whoever takes it loses a marker of their own, and "
            "yours comes back. Mark a card that you want and that will soon lie at an end of its row, or "
            "end the turn without marking."
        ),
        "regions 3.1",
    ),
}

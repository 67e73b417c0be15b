"""What a decision is about, for somebody who plays the first match."""

from __future__ import annotations

from typing import Final

from server.rules.telling import Hint, sentence

HINTS: Final = {
    "turn": Hint(
        sentence(
            "In each of the three boxes two sheets fight. The side with more strength wins when one of "
            "them is full, and only on the winning sheet bonuses are given: the first and second of it by "
            "the sum of their agents. Income brings money, agents cost what stands at the spot; where it "
            "costs something they lie face down. While you are behind the Cardinal you have two actions."
        ),
        "intrigues 2.2",
    ),
    "neutral": Hint(
        sentence(
            "With two players you also place a neutral agent after your actions, for free. It belongs to "
            "nobody, adds its value to its side, and can take a place from your rival. It never goes to "
            "the last free spot of a sheet."
        ),
        "intrigues 7.2",
    ),
    "place": Hint(
        sentence(
            "A bonus lets you place one more agent, for free. A box that is nearly full on a side where "
            "you lead is a good place."
        ),
        "intrigues 6.2",
    ),
    "corrupt": Hint(
        sentence(
            "Corruption moves an agent of another player. Take the strongest one out of a sheet where it "
            "is ahead of you, and put it where it helps you or does no harm."
        ),
        "intrigues 6.3",
    ),
    "grise": Hint(
        sentence(
            "Éminence Grise counts 3 for an opposing sheet and belongs to nobody. Send the piece where "
            "you support the opponents."
        ),
        "intrigues 6.4",
    ),
    "queen": Hint(
        sentence(
            "The Queen counts 3 for a Richelieu sheet and belongs to nobody. Send her where you support Richelieu."
        ),
        "intrigues 6.4",
    ),
}

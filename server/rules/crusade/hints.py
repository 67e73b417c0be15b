"""What a decision is about, for somebody who plays the first match."""

from __future__ import annotations

from typing import Final

from server.rules.telling import Hint, sentence

HINTS: Final = {
    "loyalty": Hint(
        sentence(
            "You win alone, by prestige points (PP), but sides share: Richard’s side profits when Saladin "
            "falls or Richard comes home, John’s when the Crusaders fall or the treasury is empty. "
            "Everybody sees whom you are loyal to."
        ),
        "crusade 1.5",
    ),
    "pawn": Hint(
        sentence(
            "Choose whose two actions you can carry out this turn. Most of them bring cards, or turn "
            "cards into PP: look at the colours in your hand. You cannot take the same character twice in "
            "a row."
        ),
        "crusade 3.1",
    ),
    "action": Hint(
        sentence(
            "One of the character’s two actions: the first usually brings cards, the second costs some "
            "and brings PP. A counselor that acts is revealed before, and does not cost the action."
        ),
        "crusade 4.1",
    ),
    "counselor": Hint(
        sentence("You have no card for the Bandit. You may reveal a counselor that acts, or end."),
        "crusade 4.10",
    ),
    "tax": Hint(
        sentence(
            "Everybody offers yellow cards openly, one after the other. Most scores 3 PP, the next number "
            "1 PP; all that is offered is gone. Nothing costs nothing."
        ),
        "crusade 4.2",
    ),
    "tournament": Hint(
        sentence(
            "Everybody offers red cards secretly. Most scores 3 PP, second 1 PP; all that is offered is "
            "gone. Ties go to the caller, then clockwise."
        ),
        "crusade 4.6",
    ),
    "contribution": Hint(
        sentence(
            "You send two cards to the Crusade deck; some of it is turned up at once. Red helps the "
            "Crusaders, green Saladin; yellow fills the treasury and white empties it; purple slows down "
            "the return and blue hastens it. Send what your side wants, or what you can spare."
        ),
        "crusade 5.1",
    ),
}

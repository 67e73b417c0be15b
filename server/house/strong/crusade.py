"""The strong house player of Richard I: it judges closely, by the endings that are near and by what hands tend to hold.

It plays nothing on in its head: what the cards drawn and turned up change is so much more than what an answer changes
that few tries tell little.
"""

from __future__ import annotations

import math
import random
from collections.abc import Mapping
from typing import Any, Final

from server.house.crusade import View, weigh
from server.house.strong.trying import at_once
from server.rules.asking import Decision
from server.rules.crusade.ending import FAVOURED, shared_in
from server.rules.crusade.table import JOHN, RICHARD

TRACKS: Final = {"A": "crusaders", "B": "saladin", "C": "time", "D": "treasury"}
"""Which track brings each ending when it is at 0."""
NEARER: Final = 0.45
"""By how much each step nearer makes an ending likelier: so many times `e`."""
STEADY: Final = 2
"""The treasury falls and rises: as if it had so many steps more."""
RIVALS: Final = 0.5
"""What a PP of the other side's share costs."""
SHARED: Final = 0.55
"""What a PP of the own share is worth: those who share it are rivals too."""
EASIER: Final = JOHN
"""The side that wins more often, the better its players are: every green card that comes along is of use to it."""
LINGERING: Final = {
    RICHARD: {"blue": 0.7, "yellow": 0.8, "purple": 0.95, "white": 0.85, "red": 0.8, "green": 1.55},
    JOHN: {"blue": 1.15, "yellow": 0.85, "purple": 1.15, "white": 1.1, "red": 0.75, "green": 1.0},
}
"""How many cards a hand of each side holds, beside as many as by lot; counted in matches of house players."""


def choose(
    decision: Decision, position: dict[str, Any], seat: int, luck: random.Random, options: Mapping[str, object]
) -> str:
    if decision.kind == "loyalty":
        return f"loyal {EASIER}"
    return at_once(weigh(decision, Judgement(position, seat)), luck)


class Judgement(View):
    """What the strong house player makes of its seat's position; its numbers did best in some thousand matches."""

    card_worth = (0.55, 0.35, 0.2)
    turned_up = 0.5
    for_later = 0.35
    variety = (0.0, 0.3, 0.6, 0.9, 1.2, 1.8, 2.7)  # with the fifth colour the council of all six is near

    def lingering(self, loyalty: str, colour: str) -> float:
        return LINGERING[loyalty][colour]

    def wished_by_the_side(self, tracks: dict[str, int]) -> dict[str, float]:
        """How much a step up each track changes what the endings bring, each as likely as its track is near 0."""
        near = {ending: math.exp(-NEARER * tracks[track]) for ending, track in TRACKS.items()}
        near["D"] *= math.exp(-NEARER * STEADY)
        likely = {ending: each / sum(near.values()) for ending, each in near.items()}
        worth = {ending: self.share_of(ending, tracks["treasury"]) for ending in TRACKS}
        expected = sum(likely[ending] * worth[ending] for ending in TRACKS)
        wished = {track: -NEARER * likely[ending] * (worth[ending] - expected) for ending, track in TRACKS.items()}
        more = {ending: self.share_of(ending, tracks["treasury"] + 2) - worth[ending] for ending in TRACKS}
        wished["treasury"] += sum(likely[ending] * more[ending] for ending in TRACKS) / 2
        return wished

    def share_of(self, ending: str, treasury: int) -> float:
        """What an ending brings for the own seat, in PP; less than 0 if it is the other side's."""
        side = FAVOURED[ending]
        share: float = shared_in(ending, treasury) / [seat["loyalty"] for seat in self.seats].count(side)
        return SHARED * share if side == self.own["loyalty"] else -RIVALS * share

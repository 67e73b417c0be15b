"""The end of the match (chapter 8): which ending holds, what the sides share, counselors, and who has won."""

from __future__ import annotations

from server.rules.crusade.counselors import names_held, reveal_counselor
from server.rules.crusade.table import JOHN, RICHARD, CrusadeTable
from server.rules.playing import Outcome, Score
from server.rules.telling import Seat, wording

JOHNS_SHARE_OF_A = 8
JOHNS_SHARE_OF_D = 4
FAVOURED = {"A": JOHN, "B": RICHARD, "C": RICHARD, "D": JOHN}
"""The side that shares the PP of each ending, and that wins ties after it."""

_ENDED = {
    "A": wording("Ending A: the Crusaders are at 0, Richard has fallen in battle. John’s side shares {pp} PP."),
    "B": wording("Ending B: Saladin is at 0, the Crusade is won. Richard’s side shares the treasury, {pp} PP."),
    "C": wording("Ending C: time is at 0, Richard has come home. His side shares half the treasury, {pp} PP."),
    "D": wording("Ending D: the treasury is at 0, Richard is deposed. John’s side shares {pp} PP."),
}


def end_check(table: CrusadeTable) -> str | None:
    """8.1: the first ending that holds."""
    tracks = table.tracks
    if tracks["crusaders"] == 0:
        return "A"
    if tracks["saladin"] == 0:
        return "B"
    if tracks["time"] == 0:
        return "C"
    if tracks["treasury"] == 0:
        return "D"
    return None


def score_the_end(table: CrusadeTable) -> None:
    table.phase = "end"
    share_prestige(table)
    score_counselors(table)
    winners = winners_of(table)
    if len(winners) == 1:
        table.tell("{seat} wins with {pp} PP.", seat=winners[0], pp=table.pp[winners[0]])
    else:
        table.tell("{seats} win together with {pp} PP each.", seats=winners, pp=table.pp[winners[0]])


def share_prestige(table: CrusadeTable) -> None:
    """8.1: the favoured side shares, rounded up for each."""
    ending = table.ending
    assert ending is not None
    pp = shared_in(ending, table.tracks["treasury"])
    side = table.loyal_to(FAVOURED[ending])
    table.tell(_ENDED[ending], pp=pp)
    for seat in side:
        table.shares[seat] = rounded_up(pp, len(side))
        table.award(seat, table.shares[seat])


def shared_in(ending: str, treasury: int) -> int:
    if ending == "A":
        return JOHNS_SHARE_OF_A
    if ending == "B":
        return treasury
    if ending == "C":
        return rounded_up(treasury, 2)
    return JOHNS_SHARE_OF_D


def rounded_up(number: int, by: int) -> int:
    """1.9: all rounding is upwards."""
    return -(-number // by)


def score_counselors(table: CrusadeTable) -> None:
    """8.2: those that score are revealed, the others stay secret."""
    for seat in table.in_order():
        for name in names_held(table, seat):
            bonus = table.edition.counselors[name].bonus
            if bonus and bonus.holds(table.tracks):
                reveal_counselor(table, seat, name)
                table.tell("{seat} reveals {counselor}: {bonus}.", seat=seat, counselor=name, bonus=bonus.clause())
                table.bonuses[seat] += bonus.pp
                table.award(seat, bonus.pp)


def winners_of(table: CrusadeTable) -> list[Seat]:
    """8.3: most PP; of those tied the favoured side, and if none of them is on it, all."""
    assert table.ending is not None
    most = max(table.pp.values())
    tied = [seat for seat in table.seats if table.pp[seat] == most]
    favoured = [seat for seat in tied if table.loyalty[seat] == FAVOURED[table.ending]]
    return favoured or tied


def outcome_of(table: CrusadeTable) -> Outcome | None:
    """The outcome once the match has ended: PP won in play, as a share of the ending, and by own counselors."""
    if table.phase != "end":
        return None
    scores = tuple(
        Score(
            seat,
            table.pp[seat],
            {
                "prestige": table.pp[seat] - table.shares[seat] - table.bonuses[seat],
                "crusade": table.shares[seat],
                "counselors": table.bonuses[seat],
            },
        )
        for seat in table.seats
    )
    return Outcome(scores, tuple(winners_of(table)), {"ending": table.ending})

"""Chapter 8: the end, the scores and the winners."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from server.rules.asking import Script, reveal
from server.rules.intrigues.table import IntriguesTable
from server.rules.playing import Outcome, Score
from server.rules.telling import Seat

MOST_RICHELIEU, SECOND_RICHELIEU = 8, 4
JEWEL = 4


def end_match(table: IntriguesTable) -> Script:
    """INT 8.1, 8.6: it ends here, and all screens go down."""
    yield from reveal()
    table.over = True
    table.tell("The last box is resolved: the match is over, all screens go down.")
    result = outcome(table)
    for score in result.scores:
        table.tell(
            "{seat} scores {total}: prestige {prestige}, income {income}, military {military}, "
            "Richelieu sheets {richelieu}, opposing sheets {opposing}, jewels {jewels}.",
            seat=score.seat,
            total=score.total,
            **score.parts,
        )
    table.tell("Winner of the match: {seats}.", seats=list(result.winners))


def outcome(table: IntriguesTable) -> Outcome:
    """INT 8.2 to 8.5"""
    richelieu = richelieu_points({seat: len(_richelieu(table.sheets[seat])) for seat in table.seats})
    scores = tuple(
        score(
            seat,
            prestige=table.prestige[seat],
            income=table.income[seat],
            military=table.military[seat],
            richelieu=richelieu[seat],
            opposing=opposing_points(table.sheets[seat]),
            jewels=JEWEL * table.jewels[seat],
        )
        for seat in table.seats
    )
    return Outcome(scores, winners(table, scores))


def score(seat: Seat, **parts: int) -> Score:
    return Score(seat, sum(parts.values()), parts)


def richelieu_points(sheets: Mapping[Seat, int]) -> dict[Seat, int]:
    """INT 8.3: by the number of Richelieu sheets of each."""
    most, second = [*sorted({number for number in sheets.values() if number}, reverse=True), 0, 0][:2]
    first_seats = [seat for seat, number in sheets.items() if number == most and number]
    second_seats = [seat for seat, number in sheets.items() if number == second and number]
    points = dict.fromkeys(sheets, 0)
    if len(first_seats) > 1:
        points.update(dict.fromkeys(first_seats, SECOND_RICHELIEU))
        return points
    points.update(dict.fromkeys(first_seats, MOST_RICHELIEU))
    if len(second_seats) == 1:
        points[second_seats[0]] = SECOND_RICHELIEU
    return points


def opposing_points(sheets: Sequence[str]) -> int:
    """INT 8.4: per faction the square of the number of its sheets."""
    factions = [name[0] for name in sheets if name[0] != "R"]
    return sum(factions.count(faction) ** 2 for faction in set(factions))


def winners(table: IntriguesTable, scores: Sequence[Score]) -> tuple[Seat, ...]:
    """INT 8.5: most points, then most money, then most sheets; then they share."""
    rank = {each.seat: (each.total, table.money[each.seat], len(table.sheets[each.seat])) for each in scores}
    best = max(rank.values())
    return tuple(seat for seat, reached in rank.items() if reached == best)


def _richelieu(sheets: Sequence[str]) -> list[str]:
    return [name for name in sheets if name[0] == "R"]

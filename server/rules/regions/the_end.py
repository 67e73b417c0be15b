"""The end of the match (chapter 5): when it comes, what counts, who wins."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from server.rules.asking import Script, reveal
from server.rules.playing import Outcome, Score
from server.rules.regions.edition import REGAIN, SYMBOLS
from server.rules.regions.places import ROWS
from server.rules.regions.table import DisplayTable
from server.rules.telling import Seat

NO_CARD_OF_TWO: Final = -5
A_CARD_OF_MORE: Final = 2


@dataclass(slots=True)
class Holding:
    """What a player has at the end: how many of each emblem and symbol, tiles included; of which a card."""

    counts: dict[str, int]
    on_cards: set[str]


def is_over(table: DisplayTable) -> bool:
    """Whether the last card is taken, or in the short game three rows are empty (5.1)."""
    if table.options["short"]:
        return table.empty_rows() >= ROWS - 1
    return table.left == table.right


def finish(table: DisplayTable) -> Script:
    yield from reveal()
    show_tiles(table)
    outcome = score(table)
    tell_winners(table, outcome)
    table.outcome = outcome


def show_tiles(table: DisplayTable) -> None:
    if table.left == table.right:
        table.tell("The last card is taken: the match is over.")
    else:
        table.tell("Three rows are empty: the match is over, and what still lies on the display counts for nobody.")
    for seat, area in table.areas.items():
        for tile in area.tiles:
            tile.show_all()
        if area.tiles:
            table.tell("{seat} shows the tiles {tiles}.", seat=seat, tiles=sorted(tile.front for tile in area.tiles))


def score(table: DisplayTable) -> Outcome:
    tell_majorities(table)
    result = scores(table)
    return Outcome(result, winners(table, result))


def scores(table: DisplayTable) -> tuple[Score, ...]:
    """What everybody would score if the match ended now; nothing is told."""
    holdings = {seat: holding(table, seat) for seat in table.seats}
    emblems = majorities(table, holdings, table.edition.regions)
    symbols = majorities(table, holdings, SYMBOLS)
    result = []
    for seat, held in holdings.items():
        parts = {
            "emblems": emblems[seat],
            "regions": for_cards(table, held, table.edition.regions),
            "symbols": symbols[seat] + (for_cards(table, held, SYMBOLS) if len(table.seats) == 2 else 0),
        }
        result.append(Score(seat, sum(parts.values()), parts))
    return tuple(result)


def holding(table: DisplayTable, seat: Seat) -> Holding:
    area = table.areas[seat]
    held = Holding(dict.fromkeys((*table.edition.regions, *SYMBOLS), 0), set())
    for card in area.cards:
        held.counts[card.region] += card.emblems
        held.on_cards.add(card.region)
        if card.symbol:
            held.counts[card.symbol] += 1
            held.on_cards.add(card.symbol)
    for tile in area.tiles:
        if tile.front != REGAIN:
            held.counts[tile.front] += 1
    return held


def majorities(table: DisplayTable, holdings: Mapping[Seat, Holding], kinds: Iterable[str]) -> dict[Seat, int]:
    """The points for having most of each kind (5.2, 5.3), by seat."""
    points = dict.fromkeys(table.seats, 0)
    for kind in kinds:
        most, leaders = leaders_of(holdings, kind)
        if len(leaders) == 1 or table.options["ties"] == "share":
            for seat in leaders:
                points[seat] += most
    return points


def leaders_of(holdings: Mapping[Seat, Holding], kind: str) -> tuple[int, list[Seat]]:
    """How many of a kind is most, and who has so many; nobody where there is none."""
    most = max(held.counts[kind] for held in holdings.values())
    return most, [seat for seat, held in holdings.items() if most and held.counts[kind] == most]


def tell_majorities(table: DisplayTable) -> None:
    holdings = {seat: holding(table, seat) for seat in table.seats}
    for kind in (*table.edition.regions, *SYMBOLS):
        most, leaders = leaders_of(holdings, kind)
        if len(leaders) == 1:
            table.tell("{kind}: {seat} has most and scores {most}.", kind=kind, seat=leaders[0], most=most)
        elif leaders and table.options["ties"] == "nobody":
            table.tell("{kind}: {seats} have {most} each; nobody scores on a tie.", kind=kind, seats=leaders, most=most)
        elif leaders:
            table.tell("{kind}: {seats} have most and score {most} each.", kind=kind, seats=leaders, most=most)


def for_cards(table: DisplayTable, held: Holding, kinds: Iterable[str]) -> int:
    """Minus points of two players for kinds without a card (5.4), or points of more for regions with one (5.5)."""
    if len(table.seats) == 2:
        return NO_CARD_OF_TWO * sum(kind not in held.on_cards for kind in kinds)
    return A_CARD_OF_MORE * sum(kind in held.on_cards for kind in kinds)


def winners(table: DisplayTable, scores: Iterable[Score]) -> tuple[Seat, ...]:
    """Most points win, then fewest cards taken; then they share the win (5.6)."""
    ranks = {each.seat: (-each.total, len(table.areas[each.seat].cards)) for each in scores}
    best = min(ranks.values())
    return tuple(seat for seat, rank in ranks.items() if rank == best)


def tell_winners(table: DisplayTable, outcome: Outcome) -> None:
    for seat, total, parts in outcome.scores:
        table.tell(
            "{seat} scores {total}: {emblems} for emblems, {regions} for regions, {symbols} for symbols.",
            seat=seat,
            total=total,
            **parts,
        )
    most = max(each.total for each in outcome.scores)
    tied = [each.seat for each in outcome.scores if each.total == most]
    if len(outcome.winners) > 1:
        table.tell("{seats} have equally many points and cards: they share the win.", seats=list(outcome.winners))
    elif len(tied) > 1:
        table.tell(
            "{seats} have equally many points; {seat} has fewest cards and wins.", seats=tied, seat=outcome.winners[0]
        )
    else:
        table.tell("{seat} wins.", seat=outcome.winners[0])

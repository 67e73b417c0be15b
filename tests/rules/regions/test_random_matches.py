"""Random matches beside a slow and plain second reading of the rules."""

from __future__ import annotations

import random
from itertools import combinations, product

import pytest

from server.rules.chance import Seeded
from server.rules.playing import Play, Position
from server.rules.regions import GAME
from server.rules.regions.table import DisplayTable
from tests.rules.matches import MATCHES, steps

ENDS = [f"{row}{side}" for row in "1234" for side in "LR"]

every_table = pytest.mark.parametrize(
    ("seats", "short"), [(seats, short) for seats in (2, 3, 4) for short in (False, True)]
)


def legal_takes(position: Position, seat: int, *, first_turn: bool) -> set[str]:
    """Every take that is legal, tried out one by one on the position."""
    cards = {
        f"{row}.{column}": each
        for row, cells in enumerate(position["rows"], start=1)
        for column, each in enumerate(cells, start=1)
        if each
    }
    own = [place for place, each in cards.items() if each["marker"] == seat]
    hand = position["seats"][seat - 1]["markers_in_hand"]
    texts_of: dict[frozenset[str], list[str]] = {}
    for ends in [(end,) for end in ENDS] + ([] if first_turn else list(product(ENDS, ENDS))):
        places = places_taken(list(cards), ends)
        if places and may_go_together([cards[place]["card"] for place in places]) and list(ends) == sorted(ends):
            texts_of.setdefault(frozenset(places), []).append(f"take {' '.join(ends)}")
    legal = set()
    for places, texts in texts_of.items():
        markers = [cards[place]["marker"] for place in places if cards[place]["marker"]]
        back = markers.count(seat)
        from_display = max(0, len(markers) - back - (hand + back))
        for lost in combinations([place for place in own if place not in places], from_display):
            legal.add(f"{min(texts)} lose {' '.join(lost)}" if lost else min(texts))
    return legal


def places_taken(lying: list[str], ends: tuple[str, ...]) -> list[str] | None:
    taken = []
    for row, side in ends:
        left = [place for place in lying if place.startswith(f"{row}.") and place not in taken]
        if not left:
            return None
        taken.append(left[0] if side == "L" else left[-1])
    return taken


def may_go_together(cards: list[str]) -> bool:
    emblems = sum(2 if card.endswith(" 2") else 1 for card in cards)
    return len(cards) == 1 or (len({card.split()[0] for card in cards}) == 1 and emblems <= 2)


def check_table(table: DisplayTable) -> None:
    """Nothing is lost and nothing is there twice."""
    lying = [place for place in range(48) if table.has_card(place)]
    taken = [card.name for area in table.areas.values() for card in area.cards]
    assert sorted([*taken, *(table.display[place].name for place in lying)]) == list(GAME.printed.names)
    assert set(table.marked) <= set(lying)
    assert set(table.tiles) <= set(lying)
    assert table.free == [place in lying and place not in table.marked for place in range(48)]
    for seat, area in table.areas.items():
        assert sorted(area.marks) == sorted(place for place, owner in table.marked.items() if owner == seat)
        assert area.hand + len(area.marks) + area.lost == 3
        assert min(area.hand, area.lost) >= 0
        assert len(area.marks) <= (2 if len(table.seats) == 4 else 3)
    tiles = len(table.tiles) + sum(len(area.tiles) + area.regains_played for area in table.areas.values())
    assert tiles == 8


@every_table
@pytest.mark.slow
def test_every_move_that_the_plain_reading_allows_is_listed_and_no_other(seats: int, short: bool):
    for number in range(3 * MATCHES):
        luck = random.Random(f"{number} {seats} {short}")
        play = Play(GAME, seats, {"short": short}, chance=Seeded(f"{number}"))
        for _ in steps(play, luck):
            check_table(play.table)
            for seat, decision in play.question.items():
                answers = [answer for answer in decision.answers() if answer != "regain"]
                if decision.kind == "turn":
                    wanted = legal_takes(play.position(seat), seat, first_turn=not play.moves)
                    assert set(answers) == (wanted or {"pass"})
                else:
                    assert answers == legal_marks(play.position(seat), seat)


def legal_marks(position: Position, seat: int) -> list[str]:
    """What may end a turn, in the order of the places."""
    lying = {
        f"{row}.{column}": each["marker"]
        for row, cells in enumerate(position["rows"], start=1)
        for column, each in enumerate(cells, start=1)
        if each
    }
    free = [place for place, marker in lying.items() if marker is None]
    own = [place for place, marker in lying.items() if marker == seat]
    hand = position["seats"][seat - 1]["markers_in_hand"]
    if hand and not (len(position["seats"]) == 4 and len(own) == 2):
        return [*(f"mark {place}" for place in free), "end"]
    return [*(f"move {old} {new}" for old in own for new in free), "end"]


@every_table
def test_somebody_can_always_take(seats: int, short: bool):
    """Passes never go round the whole table."""
    for number in range(10 * MATCHES):
        play = Play(GAME, seats, {"short": short}, chance=Seeded(f"pass {number}"))
        passes = 0
        for _ in steps(play, random.Random(number)):
            last = play.moves[-1].text
            passes = passes + 1 if last == "pass" else 0 if last.startswith("take") else passes
            assert passes < seats

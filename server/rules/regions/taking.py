"""Taking cards (chapter 2): one or two from the ends of the rows, which text means which, and what a take does."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, lru_cache
from itertools import chain
from typing import Final, NamedTuple, TypeAlias

from server.rules.asking import Decision, Refused, Script, refuse, reveal
from server.rules.regions.paying import payments, read_payment, say_payment, settle_markers
from server.rules.regions.places import END, ENDS, PLACE, row_of
from server.rules.regions.sentences import together
from server.rules.regions.table import MARKERS, DisplayTable
from server.rules.regions.tiles import SAY_REGAIN, can_regain, no_regain, say_tiles, see_tiles, take_tiles
from server.rules.telling import Seat, Sentence, sentence

TAKE_ONE_OR_TWO: Final = sentence("Take one card or two from the ends of the rows.")
TAKE_ONE: Final = sentence("Take one card from the end of a row; the very first turn of a match takes only one.")
PASS: Final = sentence(
    "Every end of a row carries another player’s marker and you have no marker left: "
    "pass, unless you hold a “regain” tile and play it first."
)
MOST_EMBLEMS: Final = 2

Take: TypeAlias = tuple[str, tuple[int, ...]]
"""Cards that may be taken: the one text for it (2.8), without what is lost, and their places."""


class RowEnd(NamedTuple):
    """An end of a row: its name, the place of its card, the place next uncovered there, if any, and the take of it."""

    name: str
    place: int
    behind: int | None
    alone: Take


def turn_decision(table: DisplayTable, seat: Seat) -> Decision:
    """What a turn begins with: a take, or `pass` where none is legal."""
    if not can_take(table, seat):
        prompt = PASS
    elif table.is_first_turn:
        prompt = TAKE_ONE
    else:
        prompt = TAKE_ONE_OR_TWO
    return Decision(
        "turn",
        prompt,
        listing=lambda: list_turn(table, seat),
        reading=lambda words: read_turn(table, seat, words),
        saying=lambda move: say_turn(table, seat, move),
    )


def can_take(table: DisplayTable, seat: Seat) -> bool:
    """Whether any take is legal (2.7): whoever has a marker can pay for any one card."""
    if table.areas[seat].lost < MARKERS:
        return True
    return any(end.place not in table.marked for end in row_ends(table))


def list_turn(table: DisplayTable, seat: Seat) -> list[str]:
    moves: list[str] = []
    hand = table.areas[seat].hand
    are_unmarked = table.marked.keys().isdisjoint
    for text, places in takes(table):
        if are_unmarked(places) or len(places) <= hand:
            moves.append(text)
        else:
            moves += payments(table, seat, text, places)
    if not moves:
        moves.append("pass")
    if can_regain(table, seat):
        moves.append("regain")
    return moves


def takes(table: DisplayTable) -> list[Take]:
    """Each set of cards that 2.1 to 2.4 leave to choose, in the order of the texts."""
    found: list[Take] = []
    partners: dict[str, list[RowEnd]] = {}
    for end in row_ends(table):
        name, place, behind, alone = end
        found.append(alone)
        region = table.pairs[place]
        if region is None or table.is_first_turn:
            continue
        if behind is not None and table.pairs[behind] == region:
            found.append((f"take {name} {name}", (place, behind)))
        for other, other_place, other_behind, _ in partners.setdefault(region, []):
            if place != other_behind:
                found.append((f"take {other} {name}", (other_place, place)))
        partners[region].append(end)
    return sorted(found)


def row_ends(table: DisplayTable) -> list[RowEnd]:
    return list(chain.from_iterable(map(ends_of_row, table.left, table.right)))


@cache
def ends_of_row(left: int, right: int) -> tuple[RowEnd, ...]:
    """The ends of the row that lies from `left` to before `right`.

    Its last card lies at the left end, and its last two are `1L 1L` (2.8).
    """
    if left == right:
        return ()
    row, last = row_of(left), right - 1
    left_name, right_name = ENDS[2 * row], ENDS[2 * row + 1]
    if left == last:
        return (RowEnd(left_name, left, None, (f"take {left_name}", (left,))),)
    behind = last - 1 if last - left > 1 else None
    return (
        RowEnd(left_name, left, left + 1, (f"take {left_name}", (left,))),
        RowEnd(right_name, last, behind, (f"take {right_name}", (last,))),
    )


def take(table: DisplayTable, seat: Seat, move: str) -> Script:
    """The cards leave one after the other; everything else is settled when they are taken (2.3)."""
    ends, lost = parts_of(move)
    places = places_at(table, ends)
    cards = [table.display[place] for place in places]
    table.tell("{seat} takes {cards} from {ends}.", seat=seat, cards=[card.name for card in cards], ends=ends)
    for place in places:
        table.remove_card(place)
    table.areas[seat].cards += cards
    table.is_first_turn = False
    settle_markers(table, seat, places, lost)
    taken = take_tiles(table, seat, places)
    if taken:
        yield from reveal()
        see_tiles(table, seat, taken)


def pass_turn(table: DisplayTable, seat: Seat) -> None:
    table.tell(
        "{seat} passes: every end of a row carries another player’s marker, and {seat} has no marker left.", seat=seat
    )


@lru_cache(1000)
def parts_of(move: str) -> tuple[tuple[str, ...], tuple[int, ...]]:
    """The ends that a canonical take names, and the places of the markers that it gives up."""
    ends, _, lost = move.removeprefix("take ").partition(" lose ")
    return tuple(ends.split()), tuple(PLACE[name] for name in lost.split())


def places_at(table: DisplayTable, ends: Sequence[str]) -> list[int]:
    """The places of the cards at these ends, each taken after the one before. Raises `Refused`."""
    left, right = table.left.copy(), table.right.copy()
    places = []
    for end in ends:
        row, is_right = divmod(END[end], 2)
        if left[row] == right[row]:
            raise _no_card_at(table, row)
        if is_right:
            right[row] -= 1
            places.append(right[row])
        else:
            places.append(left[row])
            left[row] += 1
    return places


def read_turn(table: DisplayTable, seat: Seat, words: Sequence[str]) -> str:
    verb, *rest = words
    if verb == "take":
        return read_take(table, seat, rest)
    if verb == "regain":
        raise no_regain(table, seat, rest)
    if verb == "pass":
        raise _no_pass(table, seat)
    if verb in ("mark", "move", "end"):
        raise refuse("regions 3.9", "First take: markers are placed, moved or left alone after it.")
    raise refuse("regions 2.1", "A turn begins with “take” and one or two ends of rows: “take 1L”, “take 1L 3R”.")


def read_take(table: DisplayTable, seat: Seat, words: Sequence[str]) -> str:
    """The one text (2.8) of the take that these words mean. Raises `Refused`."""
    at = words.index("lose") if "lose" in words else len(words)
    ends = one_text(table, _named_ends(table, words[:at]))
    places = places_at(table, ends)
    if len(places) > 1:
        _check_pair(table, places)
    return " ".join(["take", *ends, *read_payment(table, seat, places, words[at:])])


def one_text(table: DisplayTable, ends: Sequence[str]) -> list[str]:
    """Of all the ends under which these cards can be taken, the ones that their text names (2.8)."""
    rows = [end[0] for end in ends]
    named = []
    for end, row in zip(ends, rows, strict=True):
        first = (int(row) - 1) * 2
        lying = table.right[first // 2] - table.left[first // 2]
        named.append(ENDS[first] if lying == rows.count(row) else end)
    return sorted(named)


def say_turn(table: DisplayTable, seat: Seat, move: str) -> Sentence:
    """The move in words, with its price."""
    if move == "pass":
        return sentence("Pass, because you can take nothing.")
    if move == "regain":
        return SAY_REGAIN
    ends, lost = parts_of(move)
    places = places_at(table, ends)
    names = [table.display[place].name for place in places]
    said = [sentence("Take {cards} from {ends}.", cards=names, ends=ends)]
    said += say_tiles(table, places)
    said += say_payment(table, seat, places, lost)
    return together(said)


def _named_ends(table: DisplayTable, words: Sequence[str]) -> list[str]:
    ends = [word.upper() for word in words]
    if not all(end in END for end in ends):
        raise refuse("regions 2.1", "The ends of the rows are 1L, 1R, 2L, 2R, 3L, 3R, 4L and 4R: “take 1L 3R”.")
    if not 1 <= len(ends) <= 2:
        raise refuse("regions 2.1", "Take one card or two: name one end or two, such as “take 1L” or “take 1L 3R”.")
    if len(ends) > 1 and table.is_first_turn:
        raise refuse("regions 2.4", "The very first turn of a match takes only one card; name one end.")
    return ends


def _check_pair(table: DisplayTable, places: Sequence[int]) -> None:
    one, other = (table.display[place] for place in places)
    if one.region != other.region:
        raise refuse(
            "regions 2.2",
            "Two cards taken together must be of one region; {one} and {other} are not.",
            one=one.name,
            other=other.name,
        )
    if one.emblems + other.emblems > MOST_EMBLEMS:
        raise refuse(
            "regions 2.2",
            "Two cards taken together may have two emblems at most; {one} and {other} have {number}.",
            one=one.name,
            other=other.name,
            number=one.emblems + other.emblems,
        )


def _no_card_at(table: DisplayTable, row: int) -> Refused:
    if table.left[row] == table.right[row]:
        return refuse("regions 2.1", "Row {row} is empty; take from another row.", row=row + 1)
    return refuse("regions 2.1", "Row {row} has only one card left; the second must come from elsewhere.", row=row + 1)


def _no_pass(table: DisplayTable, seat: Seat) -> Refused:
    if can_take(table, seat):
        return refuse("regions 2.7", "You can take a card, so you must; only who can take nothing passes.")
    return refuse("regions 2.7", "Write “pass” alone.")

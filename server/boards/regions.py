"""Regions: the display with what can be taken from its ends, and what each player has collected."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from server.boards.pen import FINGER, LEFT, LINE, RIGHT, WIDTH, Pen, box, frame, lines, name_line, rule, text, use
from server.boards.text import width
from server.rules.regions import GAME
from server.rules.regions.places import ENDS
from server.rules.telling import Viewer
from server.speech import speech_of

SIGNS: Final = "ABCD"
SYMBOLS: Final = ("cross", "sword", "tower")
COLUMN: Final = 29  # from one card to the next
CARD: Final = 28
TALL: Final = 66

_SHIELD: Final = '<path d="M-5-6.5h10v6q0 4.5-5 7-5-2.5-5-7z" class="soft"/>'
_SYMBOLS: Final = {
    "cross": '<path d="M-1.5-6.5h3v3.5h3.5v3h-3.5v6.5h-3v-6.5h-3.5v-3h3.5z" class="ink"/>',
    "sword": '<path d="M0-7.5 1.5-5v6.5h3v2h-3v3.5h-3v-3.5h-3v-2h3v-6.5z" class="ink"/>',
    "tower": '<path d="M-5-6.5h2.5v2h1.5v-2h2v2h1.5v-2h2.5v4.5h-1.5v8.5h-7v-8.5h-1.5z" class="ink"/>',
}

Data = Mapping[str, Any]


def _say(template: str, **parts: object) -> str:
    return speech_of(GAME).say(template, **parts)


def _word(term: str) -> str:
    return speech_of(GAME).word(term)


def draw(pen: Pen, position: Data, viewer: Viewer) -> float:
    """Draws it; the height it took."""
    regions = _regions(position)
    _define(pen, regions)
    y = 2.0
    for number, row in enumerate(position["rows"], 1):
        y = _row(pen, number, row, y)
    y = _legend(pen, y)
    return _collections(pen, position, regions, viewer, y + 6) + 4


def alt_text(position: Data, names: Sequence[str], viewer: Viewer) -> str:
    """The ends of the rows, and how many cards everybody has."""
    ends = [
        f"{'/'.join(end)} {_said(row[column], names)}"
        for number, row in enumerate(position["rows"], 1)
        for column, end in _ends(number, row).items()
    ]
    left = sum(1 for row in position["rows"] for card in row if card)
    held = [f"{name} {len(seat['cards'])}" for name, seat in zip(names, position["seats"], strict=True)]
    opening = (
        _say("{number} cards lie on the table; at the ends: {ends}.", number=left, ends="; ".join(ends))
        if left
        else _say("The table is empty.")
    )
    return f"{opening} {_say('Cards taken: {cards}.', cards=', '.join(held))}"


def _define(pen: Pen, regions: Mapping[str, int]) -> None:
    pen.define_seats(SIGNS)
    for region, number in regions.items():
        pen.define(region, frame(0, 0, CARD, TALL, "face l-edge") + _tab(region, number))
    for name, drawn in _SYMBOLS.items():
        pen.define(name, drawn)
    pen.define("shield", _SHIELD)
    pen.define("tile", f'<circle r="7.5" class="back"/>{text(0, 4.5, "?", "b m onback")}')
    pen.define("end", frame(0, 0, CARD, TALL, "no l-ink", 2))
    pen.define("go", frame(0, 0, CARD, TALL, "no l-go", 2))


def _tab(region: str, number: int) -> str:
    return box(0, 0, CARD, 15, f"r{number}") + text(CARD / 2, 11.5, _word(region)[:3], "b m on")


# The display


def _row(pen: Pen, number: int, row: Sequence[Data | None], y: float) -> float:
    ends = _ends(number, row)
    if not ends:
        pen.add(text(LEFT, y + 12, _say("Row {number} is empty.", number=number), "soft"))
        return y + LINE + 6
    for column, words in ends.items():
        pen.add(_end_in_words(row[column], words, y + 12))
    y += 17
    left = LEFT + _inwards(ends)
    for column in sorted(range(len(row)), key=ends.__contains__):  # ends last: a finger meets more of them than is seen
        x, lying = left + column * COLUMN, row[column]
        if lying:
            tap = _tap(left, column, ends)
            pen.add(_card(pen, f"{number}.{column + 1}", lying, ends.get(column, ()), f"{x} {y:g}", tap))
        else:
            pen.add(box(x + 12, y + TALL / 2, 4, 1, "edge"))
    if pen.leads([f"{number}"]) and not pen.leads(ENDS):  # a card is too narrow for a finger, a row is not
        wide, said = RIGHT - LEFT + 4, _say("The choices in row {number}", number=number)
        over = box(0, 0, wide, TALL + 4, "tap") + frame(0, 0, wide, TALL + 4, "no l-go", 2)
        pen.add(pen.place([f"row {number}", f"{number}"], said, over, f"{LEFT - 2} {y - 2:g}"))
    return y + TALL + 7


def _inwards(ends: Mapping[int, tuple[str, ...]]) -> float:
    """How far a row moves to the right (below 0: to the left), so that beside each of its ends is room for a finger.

    It matters for the two outermost cards of a side, when they are all that is left.
    """
    first, last = min(ends), max(ends)
    if last - first != 1:
        return 0
    room_left, room_right = LEFT + first * COLUMN + CARD - FINGER, WIDTH - FINGER - (LEFT + last * COLUMN)
    return max(0, -room_left) or min(0, room_right)


def _tap(row_left: float, column: int, ends: Mapping[int, tuple[str, ...]]) -> str:
    """Where a finger meets the card of an end: also beside it, but never on the card of the other end."""
    if column not in ends:
        return ""
    x = row_left + column * COLUMN
    left = x if ends[column][0].endswith("R") else x + CARD - FINGER
    if len(ends) == 1:
        left = x + (CARD - FINGER) / 2
    left = min(max(0, left), WIDTH - FINGER)
    right = left + FINGER
    for other in ends:
        if other > column:
            right = min(right, row_left + other * COLUMN)
        elif other < column:
            left = max(left, row_left + other * COLUMN + CARD)
    return box(left - x, 0, right - left, TALL, "tap")


def _end_in_words(lying: Data | None, words: tuple[str, ...], y: float) -> str:
    """Above the row, on the side of the end."""
    assert lying is not None
    end, card = "/".join(words), _word(lying["card"])
    beside = width(end, bold=True) + 4
    if words[0].endswith("R"):
        return text(RIGHT, y, end, "b e") + text(RIGHT - beside, y, card, "e")
    return text(LEFT, y, end, "b") + text(LEFT + beside, y, card)


def _card(pen: Pen, place: str, lying: Data, ends: tuple[str, ...], at: str, tap: str) -> str:
    region, face = lying["card"].split()
    drawn = use(region) + _face(face)
    if lying["tile"]:
        drawn += use("tile", 8, 39)
    if lying["marker"]:
        drawn += use(f"s{lying['marker']}", 16, 54)
    if pen.leads(ends):
        drawn += use("go") + tap
    elif ends:
        drawn += use("end")
    called = _say("{place}, end {ends}", place=place, ends="/".join(ends)) if ends else place
    return pen.place([place], f"{called}: {_said(lying, pen.names)}", drawn, at, by=ends)


def _face(face: str) -> str:
    if face == "1":
        return use("shield", 14, 25)
    return use("shield", 7.5, 25) + use("shield" if face == "2" else face, 20.5, 25)


def _ends(number: int, row: Sequence[Data | None]) -> dict[int, tuple[str, ...]]:
    """The columns of a row's ends, with the names of the ends; the last card has both."""
    lying = [column for column, card in enumerate(row) if card]
    if not lying:
        return {}
    if len(lying) == 1:
        return {lying[0]: (f"{number}L", f"{number}R")}
    return {lying[0]: (f"{number}L",), lying[-1]: (f"{number}R",)}


def _said(lying: Data | None, names: Sequence[str]) -> str:
    assert lying is not None
    said = [_word(lying["card"])]
    if lying["tile"]:
        said.append(_say("a tile"))
    if lying["marker"]:
        said.append(_say("marker of {name}", name=names[lying["marker"] - 1]))
    return ", ".join(said)


def _legend(pen: Pen, y: float) -> float:
    x = LEFT + 6.0
    signs = (("shield", _say("emblem")), *((symbol, _word(symbol)) for symbol in SYMBOLS), ("tile", _say("tile")))
    for sign, said in signs:
        pen.add(use(sign, x, y + 8), text(x + 11, y + 12, said, "soft"))
        x += round(width(said)) + 32
    return y + LINE


# Who has what


def _collections(pen: Pen, position: Data, regions: Mapping[str, int], viewer: Viewer, y: float) -> float:
    """A column for each region and symbol; numbers of the table and of each player."""
    kinds = (*regions, *SYMBOLS)
    pen.add(*_heads(regions, y))
    lying = [card["card"] for row in position["rows"] for card in row if card]
    on_table = _say("Still on the table, in {number} cards", number=len(lying))
    left = _counts(lying)
    drawn = text(LEFT, y + 29, on_table, "soft") + "".join(_numbers(kinds, left, {}, {}, y + 45))
    pen.add(pen.place(["table"], f"{on_table}: {_counts_said(left)}", drawn))
    y += 52
    held = [_counts(seat["cards"]) for seat in position["seats"]]
    tiles = [_counts([tile for tile in seat.get("tiles", ()) if tile]) for seat in position["seats"]]
    most = {kind: max(own[kind] + more[kind] for own, more in zip(held, tiles, strict=True)) for kind in kinds}
    for number, seat in enumerate(position["seats"], 1):
        own, more = held[number - 1], tiles[number - 1]
        is_viewer = number == viewer
        drawn = rule(y) + use(f"s{number}", LEFT + 11, y + 15) + _facts(pen, number, seat, is_viewer, y + 19)
        drawn += "".join(_numbers(kinds, own, more, most, y + 41))
        tiles_told, below = lines(_tiles_said(seat, is_viewer), y + 47)
        said = _seat_said(pen.names[number - 1], seat, own)
        pen.add(pen.place([f"seat {number}"], said, drawn + tiles_told))
        y = below
    return y


def _heads(regions: Mapping[str, int], y: float) -> Iterator[str]:
    for column, (region, number) in enumerate(regions.items()):
        yield f'<g transform="translate({LEFT + column * COLUMN} {y:g})">{_tab(region, number)}</g>'
    for column, symbol in enumerate(SYMBOLS, len(regions)):
        yield use(symbol, LEFT + column * COLUMN + 14, y + 8)


def _numbers(
    kinds: Sequence[str], own: Mapping[str, int], tiles: Mapping[str, int], most: Mapping[str, int], y: float
) -> Iterator[str]:
    """A line of counts, "3+1" where a tile counts too; where nobody has more it is set off."""
    for column, kind in enumerate(kinds):
        x = LEFT + column * COLUMN
        more = f"+{tiles[kind]}" if tiles.get(kind) else ""
        count = f"{own[kind] or ''}{more}"
        if not count:
            yield text(x + 14, y, "–", "m soft")
        elif own[kind] + tiles.get(kind, 0) == most.get(kind):
            yield box(x, y - 13, CARD, 17, "lead") + text(x + 14, y, count, "b m")
        else:
            yield text(x + 14, y, count, "m")


def _facts(pen: Pen, number: int, seat: Data, is_viewer: bool, y: float) -> str:
    facts = [_say("markers {number}", number=seat["markers_in_hand"])]
    if seat["markers_lost"]:
        facts.append(_say("given up {number}", number=seat["markers_lost"]))
    if seat["regains_played"]:
        facts.append(_say("regains {number}", number=seat["regains_played"]))
    facts.append(_say("tiles {number}", number=seat["tile_count"]))
    return name_line(pen.names[number - 1], facts, LEFT + 26, RIGHT, y, own=is_viewer)


def _tiles_said(seat: Data, is_viewer: bool) -> str:
    tiles = seat.get("tiles")
    if not tiles:
        return ""
    said = _tiles(tiles)
    return _say("Your secret tiles: {tiles}", tiles=said) if is_viewer else _say("Tiles: {tiles}", tiles=said)


def _tiles(tiles: Sequence[str | None]) -> str:
    return ", ".join(_say("one not yet seen") if tile is None else _word(tile) for tile in tiles)


def _seat_said(name: str, seat: Data, own: Mapping[str, int]) -> str:
    tiles = seat.get("tiles")
    return _say(
        "{name}. Cards {cards}; emblems and symbols: {counts}. Markers in hand {hand}, given up {lost}. "
        "Tiles {tiles}, regains played {regains}.",
        name=name,
        cards=len(seat["cards"]),
        counts=_counts_said(own),
        hand=seat["markers_in_hand"],
        lost=seat["markers_lost"],
        tiles=f"{seat['tile_count']}: {_tiles(tiles)}" if tiles else seat["tile_count"],
        regains=seat["regains_played"],
    )


def _counts_said(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{_word(kind)} {count}" for kind, count in counts.items()) or _say("none")


def _regions(position: Data) -> dict[str, int]:
    """All regions, numbered in alphabetical order: each card lies on the table or before a player."""
    cards = [card["card"] for row in position["rows"] for card in row if card]
    cards += [card for seat in position["seats"] for card in seat["cards"]]
    return {region: number for number, region in enumerate(sorted({card.split()[0] for card in cards}), 1)}


def _counts(held: Sequence[str]) -> Counter[str]:
    """Emblems of each region and symbols, of cards or tiles."""
    counts: Counter[str] = Counter()
    for name in held:
        kind, _, face = name.partition(" ")
        counts[kind] += 2 if face == "2" else 1
        if face in SYMBOLS:
            counts[face] += 1
    return counts

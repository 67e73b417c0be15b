"""Intrigues: the three boxes with their sheets and spots, the own hand, everybody's tracks, and the city."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from server.boards.colours import SIZES
from server.boards.pen import FINGER, LEFT, LINE, RIGHT, Pen, box, frame, lines, number, rule, text, use
from server.boards.text import SIZE, fitted, width
from server.rules.intrigues import GAME
from server.rules.intrigues.edition import Bonus, Sheet
from server.rules.telling import Viewer, sentence
from server.speech import speech_of

SIGNS: Final = "ABCD"
SIDES: Final = (("richelieu", "R"), ("opposing", "O"))
SPOT: Final = (FINGER, FINGER)
SHEET: Final = 68  # from one sheet to the next
SPOTS_AT: Final = RIGHT - 4 - 5 * SPOT[0]
HALF: Final = 174
COLUMNS: Final = (("prestige", 158), ("income", 211), ("military", 262), ("agents", 310), ("sheets", RIGHT))
"""The numbers of the seats, and where each column ends."""

_HEADS: Final = {
    "prestige": sentence("prestige"),
    "income": sentence("income"),
    "military": sentence("military"),
    "agents": sentence("agents"),
    "sheets": sentence("sheets"),
}
_NEUTRAL: Final = frame(-10, -8, 20, 16, "face l-ink")
_COIN: Final = '<path d="M-10 0a10 10 0 1 0 20 0a10 10 0 1 0-20 0zm1 0a9 9 0 1 1 18 0a9 9 0 1 1-18 0z" class="edge"/>'
_ROYALS: Final = {
    "queen": ("Q", sentence("the Queen"), '<path d="M-9 6v-11l4.5 4 4.5-7 4.5 7 4.5-4v11z" class="s7"/>'),
    "eminence": (
        "É",
        sentence("the Éminence Grise"),
        '<path d="M-10 6v-2q5-1.5 5-3 0-7 5-7t5 7q0 1.5 5 3v2z" class="s8"/>',
    ),
}
_CARDINAL: Final = '<path d="M-10 5v-2.5h4q0-8 6-8t6 8h4v2.5z" class="s2"/>'
_SHORT: Final = {
    "prestige": sentence("{n} prestige"),
    "money": sentence("{n} money"),
    "military": sentence("{n} military"),
    "income": sentence("income +{n}"),
    "agent": sentence("an agent"),
    "corruption": sentence("corruption"),
    "eminence": sentence("Éminence"),
    "queen": sentence("the Queen"),
}

Data = Mapping[str, Any]


def _say(template: str, **parts: object) -> str:
    return speech_of(GAME).say(template, **parts)


def _word(term: str) -> str:
    return speech_of(GAME).word(term)


def draw(pen: Pen, position: Data, viewer: Viewer) -> float:
    """Draws it; the height it took."""
    _define(pen)
    y = _moment(pen, position, 2)
    for at, told in enumerate(position["boxes"], 1):
        y = _box(pen, at, told, position["resolving"] == at, viewer, y) + 6
    y = _legend(pen, y)
    if isinstance(viewer, int):
        y = _hand(pen, position, viewer, y + 6)
    y = _seats(pen, position, viewer, y + 6)
    return _city(pen, position, viewer, y + 4) + 4


def alt_text(position: Data, names: Sequence[str], viewer: Viewer) -> str:
    """What lies in the boxes, and how far everybody is."""
    boxes = [_box_said(at, told) for at, told in enumerate(position["boxes"], 1)]
    tracks = [
        _say(
            "{name}: prestige {prestige}, income {income}, military {military}.",
            name=name,
            prestige=seat["prestige"],
            income=seat["income"],
            military=seat["military"],
        )
        for name, seat in zip(names, position["seats"], strict=True)
    ]
    return " ".join((*boxes, _say("The Cardinal stands on {space}.", space=position["cardinal"]), *tracks))


def _box_said(at: int, told: Data) -> str:
    if told["richelieu"] is None:
        return _say("Box {number}: empty.", number=at)
    here, there = (
        _say(
            "{sheet} with {number} of 5 spots taken",
            sheet=_word(told[side]["sheet"]),
            number=sum(1 for spot in told[side]["spots"] if spot["piece"]),
        )
        for side, _ in SIDES
    )
    return _say("Box {number}: {here} against {there}.", number=at, here=here, there=there)


def _define(pen: Pen) -> None:
    pen.define_seats(SIGNS)
    wide, tall = SPOT
    pen.define("up", frame(0, 0, 42, 30, "face l-ink"))
    pen.define("down", box(0, 0, 42, 30, "back"))
    pen.define("spot", box(1, 0, wide - 2, tall, "face"))
    pen.define("coin", _COIN)
    for sign, owner in (("n", "neutral"), ("nA", "neutral 1"), ("nB", "neutral 2")):
        pen.define(owner.replace(" ", ""), f"{_NEUTRAL}{text(0, 4.5, sign, 'b m')}")
    for name, (_, _, drawn) in _ROYALS.items():
        pen.define(name, drawn)
    pen.define("cardinal", _CARDINAL)
    pen.define("go", box(0, 0, wide, tall, "tap") + frame(1, 0, wide - 2, tall, "no l-go", 2))


def _moment(pen: Pen, position: Data, y: float) -> float:
    stacks, turn = position["stacks"], position["turn"]
    if not any(told["richelieu"] for told in position["boxes"]):
        pen.add(text(LEFT, y + 13, _say("The last box is resolved."), "b"))
        return y + LINE + 6
    to_come = _say(
        "sheets to come: {richelieu} and {opposing}", richelieu=stacks["richelieu"], opposing=stacks["opposition"]
    )
    said = _say(": action {number} of {of}", number=turn["action"], of=turn["of"])
    room = RIGHT - LEFT - 26 - width(said, SIZE, True) - width(to_come) - 8
    name = fitted(pen.names[turn["seat"] - 1], room, SIZE, True)
    drawn = use(f"s{turn['seat']}", LEFT + 11, y + 11) + text(LEFT + 26, y + 15, f"{name}{said}", "b")
    drawn += text(RIGHT, y + 15, to_come, "e soft")
    pen.add(pen.place(["turn"], f"{pen.names[turn['seat'] - 1]}{said}; {to_come}", drawn))
    return y + 26


# The boxes


def _box(pen: Pen, at: int, told: Data, resolving: bool, viewer: Viewer, y: float) -> float:
    if told["richelieu"] is None:
        said = _say("Box {number} is empty", number=at)
        pen.add(pen.place([f"box {at}"], said, text(LEFT, y + 12, said, "soft")))
        return y + LINE
    complete = any(all(spot["piece"] for spot in told[side]["spots"]) for side, _ in SIDES)
    state = ""
    if resolving:
        state = _say("Box {number} is being resolved", number=at)
    elif complete:
        state = _say("Box {number} is complete and waits", number=at)
    tall = 2 * SHEET + 5
    pen.add(box(LEFT, y, RIGHT - LEFT, tall + (LINE if state else 0), "tray"))
    if state:
        pen.add(pen.place([f"box {at}"], state, text(LEFT + 4, y + 13, state, "b")))
        y += LINE
    for row, (side, letter) in enumerate(SIDES):
        pen.add(_lying(pen, f"{letter}{at}", told[side], viewer, y + 4 + row * SHEET))
    return y + tall


def _lying(pen: Pen, name: str, lying: Data, viewer: Viewer, y: float) -> str:
    """A sheet: its title beside its spots, its bonuses beneath."""
    sheet, left, tall = _sheet(lying), LEFT + 4, SPOT[1]
    moves = _say("Cardinal {steps}", steps=number(sheet.cardinal) if sheet.cardinal < 0 else f"+{sheet.cardinal}")
    room = SPOTS_AT - left - 4
    drawn = text(left, y + 20, fitted(_word(sheet.name), room, SIZE, True), "b")
    drawn += text(left, y + 20 + LINE, fitted(moves, room))
    first, second = _bonus(sheet.first), _bonus(sheet.second)
    for x, place, bonus in ((left, _say("1st"), first), (left + HALF, _say("2nd"), second)):
        drawn += text(x, y + tall + 13, place, "b") + text(x + 26, y + tall + 13, fitted(bonus, HALF - 30))
    said = _say(
        "{sheet}, {moves}; first {first}; second {second}",
        sheet=_word(sheet.name),
        moves=moves,
        first=first,
        second=second,
    )
    drawn = pen.place([name], said, drawn, by=())
    for index, spot in enumerate(lying["spots"]):
        drawn += _spot(pen, f"{name}.{index + 1}", spot, viewer, f"{SPOTS_AT + index * SPOT[0]:g} {y:g}")
    return drawn


def _spot(pen: Pen, name: str, spot: Data, viewer: Viewer, at: str) -> str:
    piece, middle = spot["piece"], SPOT[0] / 2
    drawn = use("spot") + text(middle, 12, name, "m xs soft")
    if piece is None:
        drawn += use("coin", middle, 30) + text(middle, 34.5, str(spot["cost"]), "b m")
    elif "owner" in piece:
        drawn += _token(piece)
    else:
        royal = next(iter(piece))
        drawn += use(royal, 16, 30) + text(35, 34.5, _ROYALS[royal][0], "b m")
    if pen.leads([name]):
        drawn += use("go")
    return pen.place([name], _spot_said(name, spot, pen.names, viewer), drawn, at)


def _spot_said(name: str, spot: Data, names: Sequence[str], viewer: Viewer) -> str:
    piece = _piece_said(spot["piece"], names, viewer)
    return _say("{spot}, cost {cost}: {piece}", spot=name, cost=spot["cost"], piece=piece)


def _token(piece: Data) -> str:
    """An agent: light with ink when it lies face up, dark when it lies face down."""
    value = "?" if piece["value"] is None else number(piece["value"])
    up = piece["face"] == "up"
    drawn = use("up" if up else "down", 3, 15) + use(_badge(piece["owner"]), 16, 30)
    return drawn + text(36, 34.5, value, "b m" if up else "b m onback")


def _badge(owner: int | str) -> str:
    return owner.replace(" ", "") if isinstance(owner, str) else f"s{owner}"


def _piece_said(piece: Data | None, names: Sequence[str], viewer: Viewer) -> str:
    if piece is None:
        return _say("empty")
    if "owner" not in piece:
        return _say(_ROYALS[next(iter(piece))][1].template)
    owner = _owner_said(piece["owner"], names, viewer)
    if piece["value"] is None:
        return _say("agent of {owner}, face down", owner=owner)
    parts = {"value": number(piece["value"]), "owner": owner}
    if piece["face"] == "up":
        return _say("agent {value} of {owner}, face up", **parts)
    return _say("agent {value} of {owner}, face down", **parts)


def _owner_said(owner: int | str, names: Sequence[str], viewer: Viewer) -> str:
    if isinstance(owner, int):
        return _say("yours") if owner == viewer else names[owner - 1]
    of = owner.partition(" ")[2]
    if not of:
        return _say("the neutral colour")
    if int(of) == viewer:
        return _say("your neutral colour")
    return _say("the neutral colour of {name}", name=names[int(of) - 1])


def _sheet(lying: Data) -> Sheet:
    return GAME.printed.sheets[lying["sheet"]]


def _bonus(bonus: Bonus) -> str:
    return ", ".join(_say(_SHORT[symbol.kind].template, n=symbol.number) for symbol in bonus)


def _legend(pen: Pen, y: float) -> float:
    x = LEFT
    for drawn, said in (
        (box(x, y + 2, 10, 14, "back"), _say("face down")),
        (frame(x + 80, y + 2, 10, 14, "face l-ink"), _say("face up")),
    ):
        pen.add(drawn, text(x + 15, y + 13, said, "soft"))
        x += 80
    pen.add(text(RIGHT, y + 13, _say("Q the Queen, É Éminence Grise"), "e soft"))
    return y + LINE + 2


# The players


def _hand(pen: Pen, position: Data, viewer: int, y: float) -> float:
    seat = position["seats"][viewer - 1]
    coffers = _say("money {money} · jewels {jewels}", money=seat["money"], jewels=seat["jewels"])
    drawn = rule(y) + text(LEFT, y + 15, _say("Behind your screen"), "b") + text(RIGHT, y + 15, coffers, "e")
    y += 20
    said = [
        _say("Behind your screen"),
        _say("money {money}, jewels {jewels}", money=seat["money"], jewels=seat["jewels"]),
    ]
    for owner, key, title in (
        (viewer, "agents", sentence("agents {agents}")),
        (f"neutral {viewer}", "neutral_agents", sentence("neutral agents {agents}")),
    ):
        if key in seat:
            drawn += _row(seat[key], _badge(owner), y)
            said.append(_say(title.template, agents=_values(seat[key])))
            y += 24
    told = _say("Sheets: {sheets}.", sheets=", ".join(map(_word, seat["sheets"])) or _say("none"))
    if seat["military"] < GAME.printed.military_end:
        cost = GAME.printed.military_costs[seat["military"]]
        told += " " + _say("The next commission costs {cost}.", cost=cost)
    told_drawn, y = lines(told, y)
    pen.add(pen.place(["hand"], f"{', '.join(said)}. {told}", drawn + told_drawn))
    return y


def _row(values: Sequence[int], badge: str, y: float) -> str:
    """Agents in hand, side by side."""
    drawn = use(badge, LEFT + 11, y + 11)
    if not values:
        return drawn + text(LEFT + 28, y + 15, _say("no agents in hand"), "soft")
    for index, value in enumerate(values):
        x = LEFT + 28 + index * 29
        drawn += frame(x, y, 26, 21, "face l-ink") + text(x + 13, y + 15, number(value), "b m")
    return drawn


def _seats(pen: Pen, position: Data, viewer: Viewer, y: float) -> float:
    """A line of numbers for each seat, and its way along the prestige track, with the Cardinal across."""
    pen.add(rule(y))
    before = LEFT
    for title, right in COLUMNS:
        head = fitted(_say(_HEADS[title].template), right - before - 4, SIZES["xs"])
        pen.add(text(right, y + 14, head, "e soft xs"))
        before = right
    cardinal = position["cardinal"]
    furthest = max(30, cardinal, *(seat["prestige"] for seat in position["seats"]))
    scale = (RIGHT - LEFT) / furthest
    at_cardinal = LEFT + round(cardinal * scale) - 1
    y += 18
    drawn = use("cardinal", LEFT + 11, y + 8) + text(LEFT + 26, y + 13, _say("Cardinal"), "b")
    drawn += text(COLUMNS[0][1], y + 13, number(cardinal), "e b")
    drawn += text(RIGHT, y + 13, _say("behind him: two actions"), "e soft")
    said = _say("The Cardinal stands on {space}; who is behind him has two actions", space=cardinal)
    pen.add(pen.place(["cardinal"], said, drawn))
    y += 20
    for at, seat in enumerate(position["seats"], 1):
        drawn = use(f"s{at}", LEFT + 11, y + 12) + _numbers(pen, at, seat, cardinal, y + 16)
        drawn += box(LEFT, y + 26, RIGHT - LEFT, 4, "tray") + box(at_cardinal, y + 24, 2, 8, "ink")
        drawn += box(LEFT, y + 26, round(seat["prestige"] * scale), 4, f"s{at}")
        told, y = lines(_behind_screen(seat, at == viewer), y + 33, "soft")
        pen.add(pen.place([f"seat {at}"], _seat_said(pen.names[at - 1], seat, cardinal), drawn + told))
    return y


def _numbers(pen: Pen, at: int, seat: Data, cardinal: int, y: float) -> str:
    sheets = seat["sheets"] if isinstance(seat["sheets"], int) else len(seat["sheets"])
    told = (seat["prestige"], seat["income"], seat["military"], seat["agents_in_hand"], sheets)
    drawn = "".join(
        text(right, y, str(value), "e b" if title == "prestige" else "e")
        for (title, right), value in zip(COLUMNS, told, strict=True)
    )
    room = COLUMNS[0][1] - LEFT - 26 - 28
    return drawn + text(LEFT + 26, y, fitted(pen.names[at - 1], room, SIZE, True), "b")


def _behind_screen(seat: Data, is_viewer: bool) -> str:
    """What is seen behind the screen of somebody else; the viewer's own hand has its own place."""
    told = []
    if "money" in seat and not is_viewer:
        told.append(_say("money {money}, jewels {jewels}", money=seat["money"], jewels=seat["jewels"]))
    if "agents" in seat and not is_viewer:
        told.append(_say("agents {agents}", agents=_values(seat["agents"])))
        told.append(", ".join(map(_word, seat["sheets"])) or _say("no sheets"))
    if "neutral_in_hand" in seat:
        own = seat.get("neutral_agents")
        values = _values(own) if own and not is_viewer else seat["neutral_in_hand"]
        told.append(_say("neutral agents {agents}", agents=values))
    return ", ".join(told)


def _seat_said(name: str, seat: Data, cardinal: int) -> str:
    behind = _say("behind the Cardinal") if seat["prestige"] < cardinal else _say("not behind the Cardinal")
    said = _say(
        "{name}: prestige {prestige}, {behind}; income {income}, military {military}, agents in hand {agents}, "
        "sheets {sheets}.",
        name=name,
        prestige=seat["prestige"],
        behind=behind,
        income=seat["income"],
        military=seat["military"],
        agents=seat["agents_in_hand"],
        sheets=seat["sheets"] if isinstance(seat["sheets"], int) else len(seat["sheets"]),
    )
    return f"{said} {_behind_screen(seat, False)}"


def _values(values: Sequence[int]) -> str:
    return " ".join(map(number, values)) or _say("none")


def _city(pen: Pen, position: Data, viewer: Viewer, y: float) -> float:
    city = position["city"]
    by_owner: dict[int | str, list[int]] = {}
    for agent in city["agents"]:
        by_owner.setdefault(agent["owner"], []).append(agent["value"])
    drawn = rule(y) + text(LEFT, y + 15, _say("City"), "b")
    drawn += text(RIGHT, y + 15, _say("jewels {number}", number=city["jewels"]), "e")
    y += 20
    for index, (owner, values) in enumerate(by_owner.items()):
        x = LEFT + index % 2 * HALF
        drawn += use(_badge(owner), x + 11, y + 11) + text(x + 28, y + 15, _values(values))
        y += 26 * (index % 2)
    y += 26 * (len(by_owner) % 2)
    if "neutral_agents" in position:
        drawn += use("neutral", LEFT + 11, y + 11)
        reserve = _say("in the open reserve: {agents}", agents=_values(position["neutral_agents"]))
        drawn += text(LEFT + 28, y + 15, reserve)
        y += 26
    told = [f"{_owner_said(owner, pen.names, viewer)}: {_values(values)}" for owner, values in by_owner.items()]
    said = _say(
        "City: jewels {number}; agents: {agents}.", number=city["jewels"], agents="; ".join(told) or _say("none")
    )
    if "neutral_agents" in position:
        said += " " + _say("Neutral agents {where}.", where=reserve)
    pen.add(pen.place(["city"], said, drawn))
    return y

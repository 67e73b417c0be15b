"""What lies on the table: boxes with their sheets and pieces, the city, the tracks, and what is behind the screens."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, TypeAlias

from server.rules.chance import Chance
from server.rules.hidden import Hidden
from server.rules.intrigues.edition import SPOTS, Edition, Sheet
from server.rules.playing import OptionValue, Table
from server.rules.telling import Seat, Sentence, sentence, wording

Colour: TypeAlias = Seat | str
"""Whose agent it is: a player's, or of a neutral colour: "neutral 1", "neutral 2", or "neutral" when it is shared."""

BOXES = (1, 2, 3)


class Agent:
    """An agent: its colour, its value (a hidden card), and whether it lies face up."""

    __slots__ = ("card", "colour", "face_up")

    def __init__(self, colour: Colour, card: Hidden[int]) -> None:
        self.colour = colour
        self.card = card
        self.face_up = False

    @property
    def value(self) -> int:
        return self.card.front

    def turn_up(self) -> None:
        self.face_up = True
        self.card.show_all()


class Royal(Enum):
    """The two pieces that belong to nobody."""

    EMINENCE = "eminence"
    QUEEN = "queen"


Piece: TypeAlias = Agent | Royal


class Spot:
    """One of the five spots of a sheet, its cost, and the piece on it."""

    __slots__ = ("cost", "field", "name", "piece")

    def __init__(self, field: Field, index: int) -> None:
        self.field = field
        self.name = f"{'R' if field.richelieu else 'O'}{field.box.number}.{index + 1}"
        self.cost = 0
        self.piece: Piece | None = None


class Field:
    """The upper or lower field of a box: the sheet that lies there and its spots, left to right."""

    __slots__ = ("box", "richelieu", "sheet", "spots")

    def __init__(self, box: Box, *, richelieu: bool) -> None:
        self.box = box
        self.richelieu = richelieu
        self.sheet: Sheet | None = None
        self.spots = tuple(Spot(self, index) for index in range(SPOTS))

    def lay(self, sheet: Sheet) -> None:
        self.sheet = sheet
        for spot, cost in zip(self.spots, sheet.costs, strict=True):
            spot.cost = cost

    @property
    def lying(self) -> Sheet:
        """The sheet that lies here; only asked where one does."""
        assert self.sheet is not None
        return self.sheet

    @property
    def pieces(self) -> list[Piece]:
        return [spot.piece for spot in self.spots if spot.piece is not None]

    @property
    def free(self) -> list[Spot]:
        return [spot for spot in self.spots if spot.piece is None]

    @property
    def complete(self) -> bool:
        for spot in self.spots:  # noqa: SIM110 - asked at every move, and twice as fast as all()
            if spot.piece is None:
                return False
        return True


class Box:
    """An intrigue box: 1 at the top to 3 at the bottom, with its Richelieu field and its opposing field."""

    __slots__ = ("fields", "number", "opposing", "richelieu")

    def __init__(self, number: int) -> None:
        self.number = number
        self.richelieu = Field(self, richelieu=True)
        self.opposing = Field(self, richelieu=False)
        self.fields = (self.richelieu, self.opposing)

    @property
    def holds_sheets(self) -> bool:
        return self.richelieu.sheet is not None

    @property
    def complete(self) -> bool:
        """INT 4.1: one full sheet is enough."""
        return self.richelieu.complete or self.opposing.complete


@dataclass
class Turn:
    """The turn going on: whose, which of how many actions, and what was done in it."""

    seat: Seat
    of: int
    action: int = 0
    agents_placed: int = 0
    done: set[str] = field(default_factory=set)


class IntriguesTable(Table):
    """The table of one match. What is behind a screen stands in `hands`, `money` and `jewels`."""

    def __init__(self, seats: int, options: Mapping[str, OptionValue], chance: Chance, edition: Edition) -> None:
        super().__init__(seats, options, chance)
        self.edition = edition
        self.boxes = tuple(Box(number) for number in BOXES)
        self.fields = tuple(field for box in self.boxes for field in box.fields)
        self.spots = {spot.name: spot for field in self.fields for spot in field.spots}
        self.stacks: dict[str, list[Hidden[str]]] = {"richelieu": [], "opposition": []}
        self.royals: dict[Royal, Spot | None] = dict.fromkeys(Royal)
        self.cardinal = edition.cardinal
        self.city: list[Agent] = []
        self.city_jewels = edition.city_jewels
        self.prestige = dict.fromkeys(self.seats, 0)
        self.income = dict.fromkeys(self.seats, 1)
        self.military = dict.fromkeys(self.seats, 0)
        self.money = dict.fromkeys(self.seats, edition.money)
        self.jewels = dict.fromkeys(self.seats, edition.jewels)
        self.sheets: dict[Seat, list[str]] = {seat: [] for seat in self.seats}
        self.neutral = _neutral_colours(self.seats, options)
        self.keepers = _keepers(self.seats, self.neutral)
        self.hands: dict[Colour, list[Agent]] = {colour: [] for colour in self.keepers}
        self.turn = Turn(self.seats[0], of=0)
        self.resolving: Box | None = None
        self.over = False

    @property
    def open_coffers(self) -> bool:
        return self.options["open_coffers"] is True

    def behind_cardinal(self, seat: Seat) -> bool:
        return self.prestige[seat] < self.cardinal

    def is_open(self, box: Box) -> bool:
        """INT 4.2, 4.3: a box without sheets, one being resolved and a complete one are closed."""
        return box.holds_sheets and box is not self.resolving and not box.complete

    def open_fields(self) -> Iterator[Field]:
        for box in self.boxes:
            if self.is_open(box):
                yield from box.fields

    def free_spots(self) -> list[Spot]:
        """The free spots in open boxes, box by box, the Richelieu sheet first, left to right."""
        return [spot for field in self.open_fields() for spot in field.spots if spot.piece is None]

    def values_in_hand(self, colour: Colour) -> list[int]:
        """The different values that a colour has in hand, ascending."""
        return sorted({agent.card.front for agent in self.hands[colour]})

    def new_agent(self, colour: Colour, value: int) -> None:
        self.take_in_hand(Agent(colour, self.hide(value, "an agent", f"agent of {colour}")))

    def take_in_hand(self, agent: Agent) -> None:
        """Behind the screen nobody but its keeper can tell it from the others; a shared reserve lies open."""
        agent.face_up = False
        agent.card.hide()
        keeper = self.keepers[agent.colour]
        if keeper is None:
            agent.card.show_all()
        else:
            agent.card.show(keeper)
        self.hands[agent.colour].append(agent)

    def put_down(self, colour: Colour, value: int, spot: Spot) -> Agent:
        """INT 3.2: from the hand to a free spot, face up where it costs nothing."""
        hand = self.hands[colour]
        agent = next(agent for agent in hand if agent.card.front == value)
        hand.remove(agent)
        spot.piece = agent
        if spot.cost == 0:
            agent.turn_up()
        return agent

    def take_back(self, colour: Colour) -> None:
        """INT 3.4, 3.5: who has no agent in hand takes back all own agents lying in the city."""
        if self.hands[colour]:
            return
        back = [agent for agent in self.city if agent.colour == colour]
        if not back:
            return
        self.city = [agent for agent in self.city if agent.colour != colour]
        values = sorted(agent.value for agent in back)
        for agent in back:
            self.take_in_hand(agent)
        if isinstance(colour, Seat):
            self.tell(
                "{seat} has no agent left in hand and takes back from the city: {agents}.", seat=colour, agents=values
            )
        else:
            self.tell(
                "No agent of {colour} is left in reserve; back from the city come: {agents}.",
                colour=colour_name(colour),
                agents=values,
            )

    def told(self, agent: Agent) -> Hidden[str] | str:
        """The agent as the log names it now: with its value only for those who know it at this moment."""
        term = f"agent {agent.value}" if isinstance(agent.colour, Seat) else f"neutral agent {agent.value}"
        if agent.card.public:
            return term
        back = wording("an agent") if isinstance(agent.colour, Seat) else wording("a neutral agent")
        copy = self.hide(term, back, f"told {agent.card.group}")
        keeper = self.keepers[agent.colour]
        assert keeper is not None
        copy.show(keeper)
        return copy


def colour_name(colour: Colour) -> Seat | Sentence:
    """How a sentence names the owner of an agent."""
    if isinstance(colour, Seat):
        return colour
    if colour == "neutral":
        return sentence("the neutral colour")
    return sentence("the neutral colour of {seat}", seat=Seat(colour[-1]))


def _neutral_colours(seats: Sequence[Seat], options: Mapping[str, Any]) -> dict[Seat, Colour]:
    """INT 7.1, 7.6: the neutral colour that each of two players places."""
    if len(seats) != 2:
        return {}
    if options["neutral"] == "shared":
        return dict.fromkeys(seats, "neutral")
    return {seat: f"neutral {int(seat)}" for seat in seats}


def _keepers(seats: Sequence[Seat], neutral: Mapping[Seat, Colour]) -> dict[Colour, Seat | None]:
    """All colours in play and who knows their agents' values in hand and face down; None: everybody."""
    keepers: dict[Colour, Seat | None] = {seat: seat for seat in seats}
    for seat, colour in neutral.items():
        keepers[colour] = None if colour == "neutral" else seat
    return keepers

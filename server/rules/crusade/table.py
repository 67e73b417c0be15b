"""What lies on the table: influence cards in their places, tracks, pawns, loyalties, counselors and events."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Final, TypeAlias

from server.rules.chance import Chance
from server.rules.crusade.colours import COLOURS, counted
from server.rules.hidden import Hidden
from server.rules.playing import OptionValue, Table
from server.rules.telling import Seat

if TYPE_CHECKING:
    from server.rules.crusade.edition import Edition

RICHARD: Final = "richard"
JOHN: Final = "john"
SIDES: Final = (RICHARD, JOHN)
STARTS: Final = {"time": 12, "crusaders": 10, "saladin": 10, "treasury": 8}
REFILL: Final = 5

Card: TypeAlias = Hidden[str]
"""An influence card (its front is its colour), a counselor or an event (its front is its name)."""


class CrusadeTable(Table):
    """The table of one match.

    supply, crusade_deck, counselor_decks, events   the top card is the last of the list
    open_cards    turned up from the Crusade deck and not yet back in the reserve
    turned_up     the colours of the last outcome, as they were turned
    counselors    held and not revealed; `revealed` has the names of the others
    characters    whom each pawn stands on this turn; `last_characters` the turn before
    offers        yellow cards offered to the tax that is open, in the order of the offers; None when there is none
    shares, bonuses   what the end of the Crusade and the own counselors gave each seat
    """

    def __init__(self, edition: Edition, seats: int, options: Mapping[str, OptionValue], chance: Chance) -> None:
        super().__init__(seats, options, chance)
        self.edition = edition
        self.phase = "loyalty"
        self.turn = 0
        self.first = self.seats[0]
        self.reserve = {colour: self._new_cards([colour] * edition.cards[colour]) for colour in COLOURS}
        for pile in self.reserve.values():
            for card in pile:
                card.show_all()
        self.supply: list[Card] = []
        self.crusade_deck: list[Card] = []
        self.hands: dict[Seat, list[Card]] = {seat: [] for seat in self.seats}
        self.open_cards: list[Card] = []
        self.turned_up: list[str] = []
        self.tracks = dict(STARTS)
        self.pp = dict.fromkeys(self.seats, 0)
        self.loyalty: dict[Seat, str] = {}
        self.counselor_decks: dict[str, list[Card]] = {side: [] for side in SIDES}
        self.counselors: dict[Seat, list[Card]] = {seat: [] for seat in self.seats}
        self.revealed: dict[Seat, list[str]] = {seat: [] for seat in self.seats}
        self.characters: dict[Seat, str] = {}
        self.last_characters: dict[Seat, str] = {}
        self.events: list[Card] = []
        self.event: str | None = None
        self.offers: list[tuple[Seat, int]] | None = None
        self.ending: str | None = None
        self.shares = dict.fromkeys(self.seats, 0)
        self.bonuses = dict.fromkeys(self.seats, 0)

    def _new_cards(self, colours: Iterable[str]) -> list[Card]:
        return [self.hide(colour, "a card", "influence card") for colour in colours]

    def in_order(self) -> tuple[Seat, ...]:
        """All seats clockwise from the first player."""
        return self.clockwise_from(self.first)

    def loyal_to(self, side: str) -> list[Seat]:
        return [seat for seat, loyalty in sorted(self.loyalty.items()) if loyalty == side]

    def held(self, seat: Seat) -> dict[str, int]:
        """How many cards of each colour the seat holds."""
        numbers = dict.fromkeys(COLOURS, 0)
        for card in self.hands[seat]:
            numbers[card.front] += 1
        return numbers

    def take(self, seat: Seat, colours: Iterable[str]) -> list[str]:
        """Cards from the reserve into a hand; those that there were (1.11)."""
        cards = self._from_reserve(colours)
        for card in cards:
            card.hide()
            card.show(seat)
        self.hands[seat].extend(cards)
        return [card.front for card in cards]

    def give(self, seat: Seat, colours: Iterable[str]) -> None:
        """Cards from a hand to the reserve."""
        self.put_back(self._from_hand(seat, colour) for colour in colours)

    def put_back(self, cards: Iterable[Card]) -> None:
        """Cards to the reserve, where all can see them."""
        for card in cards:
            card.show_all()
            self.reserve[card.front].append(card)

    def send(self, seat: Seat, colours: Iterable[str]) -> None:
        """Cards from a hand into the Crusade deck; only the sender knows them."""
        self.crusade_deck.extend([self._from_hand(seat, colour) for colour in colours])

    def add_openly(self, colours: Iterable[str]) -> list[str]:
        """Cards from the reserve into the Crusade deck; those that there were (1.11)."""
        cards = self._from_reserve(colours)
        self.crusade_deck.extend(cards)
        return [card.front for card in cards]

    def draw(self, seat: Seat, number: int) -> list[str]:
        """Cards from the supply into a hand, one at a time; those that there were (1.4)."""
        drawn: list[str] = []
        for _ in range(number):
            if not self.supply:
                self._refill()
            if not self.supply:
                break
            card = self.supply.pop()
            card.show(seat)
            self.hands[seat].append(card)
            drawn.append(card.front)
        return drawn

    @property
    def can_draw(self) -> bool:
        return bool(self.supply) or any(self.reserve.values())

    def _refill(self) -> None:
        colours = [colour for colour in COLOURS for _ in range(REFILL)]
        cards = self._from_reserve(colours)
        if not cards:
            return
        fronts = counted(card.front for card in cards)
        self.tell("The supply is used up; {cards} from the reserve are shuffled into a new one.", cards=fronts)
        self.supply = self.shuffled("supply", cards)

    def shuffled(self, name: str, cards: Sequence[Card]) -> list[Card]:
        """The cards in the order that chance gives, the top card last; nobody knows any more which is which."""
        piles: dict[str, list[Card]] = defaultdict(list)
        for card in cards:
            card.hide()
            piles[card.front].append(card)
        order = self.chance.shuffle(name, sorted(card.front for card in cards)) if cards else []
        return [piles[front].pop() for front in reversed(order)]

    def for_eyes_of(self, seat: Seat, colours: Iterable[str], *, others: str) -> Hidden[object]:
        """These cards as they are now, as a part of a sentence that only this seat can read; others read `others`."""
        copy = self.hide(counted(colours), others, "told cards")
        copy.show(seat)
        return copy

    def award(self, seat: Seat, pp: int) -> None:
        """Prestige points for a seat, or fewer for it."""
        self.pp[seat] += pp
        if pp > 0:
            self.tell("{seat} gets {pp} PP and has {total}.", seat=seat, pp=pp, total=self.pp[seat])
        elif pp < 0:
            self.tell("{seat} loses {pp} PP and has {total}.", seat=seat, pp=-pp, total=self.pp[seat])

    def move(self, track: str, by: int) -> None:
        """Move a marker; it stops at the ends of its track (6.5)."""
        before = self.tracks[track]
        now = max(0, min(before + by, self.edition.ends[track]))
        self.tracks[track] = now
        if now > before:
            self.tell("{track}: up by {by}, to {now}.", track=track, by=now - before, now=now)
        elif now < before:
            self.tell("{track}: down by {by}, to {now}.", track=track, by=before - now, now=now)
        else:
            self.tell("{track}: still {now}, the end of the track.", track=track, now=now)

    def _from_reserve(self, colours: Iterable[str]) -> list[Card]:
        reserve = self.reserve
        return [reserve[colour].pop() for colour in colours if reserve[colour]]

    def _from_hand(self, seat: Seat, colour: str) -> Card:
        hand = self.hands[seat]
        return hand.pop(next(place for place, card in enumerate(hand) if card.front == colour))

"""What actions, counselors and events do, in a few words each: pay, take, draw, see, score, move a marker."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Final, Protocol

from server.rules.asking import Script, reveal
from server.rules.crusade.colours import COLOURS, counted
from server.rules.crusade.table import SIDES, STARTS, CrusadeTable
from server.rules.telling import Seat, Sentence, sentence, wording

CHOSEN: Final = "chosen"


class EffectError(ValueError):
    """Words that describe no effect; the text says which."""


@dataclass(frozen=True, slots=True)
class Named:
    """What a move names beside its verb: a player, colours."""

    seat: Seat | None = None
    colours: tuple[str, ...] = ()

    @property
    def other(self) -> Seat:
        assert self.seat is not None
        return self.seat


NOTHING_NAMED: Final = Named()


class Effect(Protocol):
    """One step of an action, a counselor or an event.

    `looks`: it is about a player named with the move. `chooses`: so many colours are named with the move.
    """

    @property
    def looks(self) -> bool: ...

    @property
    def chooses(self) -> int: ...

    def carry_out(self, table: CrusadeTable, seat: Seat, named: Named) -> Script: ...

    def clause(self, named: Named) -> Sentence:
        """The step in words, before it is made; in general if nothing is named."""


@dataclass(frozen=True)
class Step:
    """An effect that names nothing."""

    looks = False
    chooses = 0


@dataclass(frozen=True)
class Cards(Step):
    """Cards of colours that are fixed, or named with the move: a number of `chosen`, else `fixed`."""

    fixed: tuple[str, ...] = ()
    chooses: int = 0

    def colours(self, named: Named) -> tuple[str, ...]:
        return named.colours if self.chooses else self.fixed

    def in_words(self, named: Named) -> tuple[Sentence, ...]:
        if self.chooses and not named.colours:
            return (sentence("{number} of any colours", number=self.chooses),)
        return counted(self.colours(named))


class Pay(Cards):
    def carry_out(self, table: CrusadeTable, seat: Seat, named: Named) -> Script:
        colours = self.colours(named)
        table.give(seat, colours)
        table.tell("{seat} gives {cards} to the reserve.", seat=seat, cards=counted(colours))
        yield from ()

    def clause(self, named: Named) -> Sentence:
        return sentence("give {cards} to the reserve", cards=self.in_words(named))


class Take(Cards):
    def carry_out(self, table: CrusadeTable, seat: Seat, named: Named) -> Script:
        take(table, seat, self.colours(named))
        yield from ()

    def clause(self, named: Named) -> Sentence:
        return sentence("take {cards} from the reserve", cards=self.in_words(named))


class IntoCrusadeDeck(Cards):
    def carry_out(self, table: CrusadeTable, seat: Seat, named: Named) -> Script:
        wanted = self.colours(named)
        added = table.add_openly(wanted)
        if added:
            table.tell("{cards} from the reserve go into the Crusade deck.", cards=counted(added))
        _tell_what_is_missing(table, wanted, added)
        yield from ()

    def clause(self, named: Named) -> Sentence:
        return sentence("add {cards} from the reserve to the Crusade deck", cards=self.in_words(named))


@dataclass(frozen=True)
class Draw(Step):
    number: int

    def carry_out(self, table: CrusadeTable, seat: Seat, named: Named) -> Script:
        if table.can_draw:
            yield from reveal()
        draw(table, seat, self.number)

    def clause(self, named: Named) -> Sentence:
        return sentence("draw {number} from the supply", number=self.number)


@dataclass(frozen=True)
class EveryoneDraws(Step):
    number: int

    def carry_out(self, table: CrusadeTable, seat: Seat, named: Named) -> Script:
        if table.can_draw:
            yield from reveal()
        for each in table.in_order():
            draw(table, each, self.number)

    def clause(self, named: Named) -> Sentence:
        return sentence("everyone draws {number} from the supply", number=self.number)


@dataclass(frozen=True)
class Prestige(Step):
    pp: int

    def carry_out(self, table: CrusadeTable, seat: Seat, named: Named) -> Script:
        table.award(seat, self.pp)
        yield from ()

    def clause(self, named: Named) -> Sentence:
        return sentence("get {pp} PP", pp=self.pp)


@dataclass(frozen=True)
class SidePrestige(Step):
    side: str
    pp: int

    def carry_out(self, table: CrusadeTable, seat: Seat, named: Named) -> Script:
        for each in table.in_order():
            if table.loyalty[each] == self.side:
                table.award(each, self.pp)
        yield from ()

    def clause(self, named: Named) -> Sentence:
        if self.pp < 0:
            return sentence("each loyal to {side} loses {pp} PP", side=self.side, pp=-self.pp)
        return sentence("each loyal to {side} gets {pp} PP", side=self.side, pp=self.pp)


@dataclass(frozen=True)
class MoveMarker(Step):
    track: str
    by: int

    def carry_out(self, table: CrusadeTable, seat: Seat, named: Named) -> Script:
        table.move(self.track, self.by)
        yield from ()

    def clause(self, named: Named) -> Sentence:
        if self.by < 0:
            return sentence("{track} {by}", track=self.track, by=self.by)
        return sentence("{track} +{by}", track=self.track, by=self.by)


_ANY_PLAYER: Final = sentence("a player")


@dataclass(frozen=True)
class SeeHand(Step):
    """PP for each card of the colour in the hand that is seen; with `enough`, once if there are so many."""

    pp: int
    colour: str
    enough: int | None = None
    chooses: int = 0
    looks = True

    def carry_out(self, table: CrusadeTable, seat: Seat, named: Named) -> Script:
        yield from reveal()
        hand = [card.front for card in table.hands[named.other]]
        seen = table.for_eyes_of(seat, hand, others=wording("for nobody else to see"))
        table.tell("{seat} sees the hand of {other} ({hand}).", seat=seat, other=named.other, hand=seen)
        count = hand.count(self._colour(named))
        pp = self.pp * count if self.enough is None else self.pp * (count >= self.enough)
        if pp:
            table.award(seat, pp)
        else:
            table.tell("{seat} gets no PP for it.", seat=seat)

    def clause(self, named: Named) -> Sentence:
        parts = {
            "other": named.seat or _ANY_PLAYER,
            "pp": self.pp,
            "colour": self._colour(named) if named.seat else self.colour,
            "enough": self.enough,
        }
        if self.enough is None:
            return Sentence("see the hand of {other} and get {pp} PP for each {colour} in it", parts)
        return Sentence("see the hand of {other} and get {pp} PP if it holds {enough} {colour} or more", parts)

    def _colour(self, named: Named) -> str:
        return named.colours[0] if self.chooses else self.colour


@dataclass(frozen=True)
class DrawCounselor(Step):
    def carry_out(self, table: CrusadeTable, seat: Seat, named: Named) -> Script:
        if not table.counselor_decks[table.loyalty[seat]]:
            table.tell("There is no counselor left to draw for {seat}.", seat=seat)
            return
        yield from reveal()
        draw_counselor(table, seat)

    def clause(self, named: Named) -> Sentence:
        return sentence("draw a counselor of your side")


@dataclass(frozen=True)
class Deed:
    """Effects that are carried out together, one after the other, and what a move with them has to name."""

    effects: tuple[Effect, ...]

    @cached_property
    def looks(self) -> bool:
        return any(effect.looks for effect in self.effects)

    @cached_property
    def chooses(self) -> int:
        return max((effect.chooses for effect in self.effects), default=0)

    @cached_property
    def price(self) -> dict[str, int]:
        """Cards of fixed colours that have to be paid."""
        fixed = [colour for effect in self.effects if isinstance(effect, Pay) for colour in effect.fixed]
        return {colour: fixed.count(colour) for colour in COLOURS if colour in fixed}

    @cached_property
    def pays_chosen(self) -> bool:
        return any(isinstance(effect, Pay) and effect.chooses for effect in self.effects)

    def can_pay(self, held: dict[str, int], colours: tuple[str, ...]) -> bool:
        """Whether a hand has the price, with these colours named."""
        if any(held[colour] < number for colour, number in self.price.items()):
            return False
        return not self.pays_chosen or all(held[colour] >= colours.count(colour) for colour in colours)

    def carry_out(self, table: CrusadeTable, seat: Seat, named: Named = NOTHING_NAMED) -> Script:
        for effect in self.effects:
            yield from effect.carry_out(table, seat, named)

    def clauses(self, named: Named) -> list[Sentence]:
        return [effect.clause(named) for effect in self.effects]


def take(table: CrusadeTable, seat: Seat, wanted: tuple[str, ...]) -> None:
    """Cards from the reserve, as many as there are (1.11)."""
    taken = table.take(seat, wanted)
    if taken:
        table.tell("{seat} takes {cards} from the reserve.", seat=seat, cards=counted(taken))
    _tell_what_is_missing(table, wanted, taken)


def draw(table: CrusadeTable, seat: Seat, number: int) -> None:
    """Cards from the supply: everybody learns how many, the drawer which (4.11)."""
    drawn = table.draw(seat, number)
    if not drawn:
        table.tell("There is nothing left for {seat} to draw.", seat=seat)
        return
    seen = table.for_eyes_of(seat, drawn, others=wording("kept secret"))
    table.tell("{seat} draws {number} from the supply ({cards}).", seat=seat, number=len(drawn), cards=seen)


def draw_counselor(table: CrusadeTable, seat: Seat) -> None:
    """The top counselor of the seat's side, known to the drawer alone."""
    card = table.counselor_decks[table.loyalty[seat]].pop()
    card.show(seat)
    table.counselors[seat].append(card)
    copy = table.hide(card.front, "kept secret", "told counselors")
    copy.show(seat)
    table.tell("{seat} draws a counselor ({counselor}).", seat=seat, counselor=copy)


def _tell_what_is_missing(table: CrusadeTable, wanted: tuple[str, ...], there: list[str]) -> None:
    if len(there) == len(wanted):
        return
    missing = [colour for colour in COLOURS if there.count(colour) < wanted.count(colour)]
    table.tell("The reserve has no more {colours}.", colours=missing)


def deed(*steps: str) -> Deed:
    """The deed that these words describe, one step each. Raises `EffectError`."""
    done = Deed(tuple(effect(step) for step in steps))
    if sum(bool(each.chooses) for each in done.effects) > 1 or sum(each.looks for each in done.effects) > 1:
        raise EffectError(f"“{', '.join(steps)}” would name two things of one kind; only one step can.")
    return done


def effect(words: str) -> Effect:
    """The effect that these words describe. Raises `EffectError`."""
    for pattern, made in _WORDS:
        found = pattern.fullmatch(words.strip())
        if found:
            return made(*found.groups())
    raise EffectError(f"“{words}” is no effect that is known here.")


_NUMBER = r"([1-9]\d?)"
_COLOUR = f"({'|'.join(COLOURS)}|{CHOSEN})"
_FIXED = f"({'|'.join(COLOURS)})"
_CARDS = r"([1-9] \w+(?: and [1-9] \w+)*)"
_SIGNED = r"([+-][1-9]\d?)"


def _cards(kind: Callable[..., Effect]) -> Callable[[str], Effect]:
    def made(words: str) -> Effect:
        pairs = [part.split() for part in words.split(" and ")]
        wrong = [colour for _, colour in pairs if colour not in (*COLOURS, CHOSEN)]
        if wrong:
            raise EffectError(f"“{wrong[0]}” is no colour; there are {', '.join(COLOURS)} and “{CHOSEN}”.")
        if any(colour == CHOSEN for _, colour in pairs):
            if len(pairs) > 1:
                raise EffectError(f"“{words}”: “{CHOSEN}” stands alone.")
            return kind(chooses=int(pairs[0][0]))
        return kind(fixed=tuple(colour for number, colour in pairs for _ in range(int(number))))

    return made


def _see_hand(pp: str, colour: str) -> Effect:
    return SeeHand(int(pp), colour, chooses=1 if colour == CHOSEN else 0)


_WORDS: Final[tuple[tuple[re.Pattern[str], Callable[..., Effect]], ...]] = tuple(
    (re.compile(pattern), made)
    for pattern, made in (
        (rf"pay {_CARDS}", _cards(Pay)),
        (rf"take {_CARDS}", _cards(Take)),
        (rf"{_CARDS} into the Crusade deck", _cards(IntoCrusadeDeck)),
        (rf"draw {_NUMBER}", lambda number: Draw(int(number))),
        (rf"everyone draws {_NUMBER}", lambda number: EveryoneDraws(int(number))),
        (rf"{_NUMBER} PP", lambda pp: Prestige(int(pp))),
        (rf"see a hand: {_NUMBER} PP for each {_COLOUR}", _see_hand),
        (
            rf"see a hand: {_NUMBER} PP for {_NUMBER} {_FIXED}",
            lambda pp, enough, colour: SeeHand(int(pp), colour, int(enough)),
        ),
        (
            rf"({'|'.join(side.title() for side in SIDES)})'s side {_SIGNED} PP",
            lambda side, pp: SidePrestige(side.lower(), int(pp)),
        ),
        (
            rf"({'|'.join((*STARTS, *(track.title() for track in STARTS)))}) {_SIGNED}",
            lambda track, by: MoveMarker(track.lower(), int(by)),
        ),
        (r"draw a counselor", DrawCounselor),
    )
)

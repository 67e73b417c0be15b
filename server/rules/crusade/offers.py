"""Offers: the exciseman's tax, open and in turn (4.2), and the tournament, secret and at the same time (4.6)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache, partial

from server.rules.asking import Decision, Script, ask, ask_together, refuse, reveal
from server.rules.crusade.effects import Named, Step
from server.rules.crusade.table import CrusadeTable
from server.rules.telling import Seat, Sentence, sentence

FIRST_PRIZE = 3
SECOND_PRIZE = 1
CONSOLATION = 1
LONGEST_NUMBER = 6


class CollectTaxes(Step):
    """4.2: from the left of the resolver clockwise, the resolver last, each offers yellow cards openly."""

    def carry_out(self, table: CrusadeTable, seat: Seat, named: Named) -> Script:
        table.offers = []
        for each in table.clockwise_from(table.after(seat)):
            if not table.hands[each]:
                table.tell("{seat} has no card to offer.", seat=each)
                continue
            answer = yield from ask(each, tax_decision(table, each, seat))
            offered = number_offered(answer)
            table.offers.append((each, offered))
            table.tell("{seat} offers {number} yellow.", seat=each, number=offered)
        offers = dict(table.offers)
        table.offers = None
        give_all(table, offers, "yellow")
        award_taxes(table, offers)

    def clause(self, named: Named) -> Sentence:
        return sentence("everyone offers yellow cards, openly and in turn, you last; most: 3 PP, next: 1 PP")


def award_taxes(table: CrusadeTable, offers: Mapping[Seat, int]) -> None:
    """Equal numbers score equally; an offer of nothing never scores."""
    numbers = sorted({offered for offered in offers.values() if offered}, reverse=True)
    prizes = dict(zip(numbers, (FIRST_PRIZE, SECOND_PRIZE), strict=False))
    for seat in table.in_order():
        table.award(seat, prizes.get(offers.get(seat, 0), 0))


class HoldTournament(Step):
    """4.6: everyone offers red cards at the same time; ties go to the caller, then clockwise."""

    def carry_out(self, table: CrusadeTable, seat: Seat, named: Named) -> Script:
        question = {each: tournament_decision(table, each, seat) for each in table.seats if table.hands[each]}
        answers = (yield from ask_together(question)) if question else {}
        yield from reveal()
        offers = {each: number_offered(answers[each]) for each in table.clockwise_from(seat) if each in answers}
        for each, offered in offers.items():
            table.tell("{seat} offers {number} red.", seat=each, number=offered)
        give_all(table, offers, "red")
        award_tournament(table, seat, offers)

    def clause(self, named: Named) -> Sentence:
        return sentence(
            "everyone offers red cards, secretly; most: 3 PP, second: 1 PP, and 1 PP for you if you do not win"
        )


def award_tournament(table: CrusadeTable, caller: Seat, offers: Mapping[Seat, int]) -> None:
    """`offers` are clockwise from the caller, so that equal ones stand in the order in which they win."""
    ranking = sorted((seat for seat, offered in offers.items() if offered), key=lambda seat: -offers[seat])
    for seat, prize in zip(ranking, (FIRST_PRIZE, SECOND_PRIZE), strict=False):
        table.award(seat, prize)
    if ranking[:1] != [caller]:
        table.tell("{seat} called the tournament and did not win it.", seat=caller)
        table.award(caller, CONSOLATION)


def give_all(table: CrusadeTable, offers: Mapping[Seat, int], colour: str) -> None:
    """Whatever was offered goes to the reserve."""
    for seat, offered in offers.items():
        table.give(seat, [colour] * offered)


def tax_decision(table: CrusadeTable, seat: Seat, caller: Seat) -> Decision:
    return _offer_decision(
        "tax",
        sentence("Offer yellow cards to the tax of {seat}, openly.", seat=caller),
        table,
        seat,
        "yellow",
        "crusade 4.2",
    )


def tournament_decision(table: CrusadeTable, seat: Seat, caller: Seat) -> Decision:
    prompt = sentence("Offer red cards in the tournament of {seat}, secretly.", seat=caller)
    return _offer_decision("tournament", prompt, table, seat, "red", "crusade 4.6")


def _offer_decision(kind: str, prompt: Sentence, table: CrusadeTable, seat: Seat, colour: str, rule: str) -> Decision:
    return Decision(
        kind,
        prompt,
        listing=lambda: offers_up_to(table.held(seat)[colour]),
        reading=partial(read_offer, table, seat, colour, rule),
        saying=partial(say_offer, colour),
    )


@lru_cache
def offers_up_to(most: int) -> Sequence[str]:
    return tuple(f"offer {number}" for number in range(most + 1))


def number_offered(answer: str) -> int:
    return int(answer.removeprefix("offer "))


def read_offer(table: CrusadeTable, seat: Seat, colour: str, rule: str, words: list[str]) -> str:
    held = table.held(seat)[colour]
    if words[0] != "offer" or len(words) != 2 or not words[1].isdecimal() or len(words[1]) > LONGEST_NUMBER:
        raise refuse(
            rule, "Offer a number of {colour} cards, from “offer 0” to “{most}”.", colour=colour, most=f"offer {held}"
        )
    offered = int(words[1])
    if offered > held:
        raise refuse(
            rule,
            "You offered {offered} {colour} cards but hold {held}. You can offer 0 to {held}.",
            offered=offered,
            colour=colour,
            held=held,
        )
    return f"offer {offered}"


def say_offer(colour: str, text: str) -> Sentence:
    offered = number_offered(text)
    if not offered:
        return sentence("Offer no {colour} card; an offer of nothing gets no PP.", colour=colour)
    return sentence(
        "Offer {number} {colour}; what is offered goes to the reserve in any case.", number=offered, colour=colour
    )

"""Chapter 2: the turn, its one or two actions."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from server.rules.asking import Decision, Refused, Script, ask, refuse
from server.rules.intrigues import actions
from server.rules.intrigues.boxes import resolve_complete_boxes
from server.rules.intrigues.moves import BONUS_VERBS, without_fillers
from server.rules.intrigues.table import IntriguesTable, Turn
from server.rules.intrigues.two_players import close_turn
from server.rules.telling import Seat, Sentence, sentence


def take_turn(table: IntriguesTable, seat: Seat) -> Script:
    """INT 2.1: the number of actions is fixed here, whatever happens to the Cardinal in the turn."""
    table.turn = Turn(seat, of=2 if table.behind_cardinal(seat) else 1)
    yield from take_actions(table, seat)


def take_actions(table: IntriguesTable, seat: Seat) -> Script:
    """The actions that are left in the turn, and what closes it."""
    turn = table.turn
    while turn.action < turn.of:
        turn.action += 1
        action = yield from ask(seat, choose_action(table, seat))
        if action == "end":
            table.tell("{seat} gives up the second action.", seat=seat)
            break
        carry_out(table, seat, action)
        yield from resolve_complete_boxes(table)
        if table.over:
            return
    yield from close_turn(table, seat)


def carry_out(table: IntriguesTable, seat: Seat, action: str) -> None:
    if action in SIMPLE_DEEDS:
        SIMPLE_DEEDS[action](table, seat)
        return
    _, value, spot = action.split(" ")
    actions.place_agent(table, seat, value, spot)


def choose_action(table: IntriguesTable, seat: Seat) -> Decision:
    def listing() -> list[str]:
        return possible_actions(table, seat)

    def reading(words: list[str]) -> str:
        return read_action(table, seat, words)

    def saying(action: str) -> Sentence:
        return say_action(table, seat, action)

    return Decision("turn", action_prompt(table), listing=listing, reading=reading, saying=saying)


def action_prompt(table: IntriguesTable) -> Sentence:
    """The same whatever the player holds: what is possible tells money and agents."""
    if table.turn.action > 1:
        return sentence("Take action 2 of 2 (income, an agent, a commission or a jewel), or end the turn.")
    if table.turn.of > 1:
        return sentence("Take action 1 of 2: income, an agent, a commission or a jewel.")
    return sentence("Take your one action: income, an agent or a jewel.")


def possible_actions(table: IntriguesTable, seat: Seat) -> list[str]:
    possible = [verb for verb in ("income",) if WHY_NOT[verb](table, seat) is None]
    possible += actions.placements(table, seat)
    possible += [verb for verb in ("commission", "sell", "buy", "end") if WHY_NOT[verb](table, seat) is None]
    return possible


def read_action(table: IntriguesTable, seat: Seat, words: list[str]) -> str:
    """The action meant; raises `Refused` with the reason why it is not possible."""
    words = without_fillers(words)
    verb = words[0]
    if verb == "place":
        return actions.read_placement(table, seat, words)
    if verb in WHY_NOT:
        reason = WHY_NOT[verb](table, seat)
        if reason is not None:
            raise reason
        if len(words) > 1:
            raise refuse("intrigues 2.2", "“{text}” is said alone.", text=verb)
        return verb
    if verb == "neutral" and table.neutral:
        raise refuse("intrigues 7.5", "A neutral agent is not placed instead of an own one, but after your actions.")
    if verb in BONUS_VERBS:
        raise refuse("intrigues 2.2", "“{text}” is the bonus of a sheet, not an action.", text=verb)
    raise refuse(
        "intrigues 2.2",
        "“{text}” is no action. Actions are income, place (like “place 2 R1.3”), commission, sell and buy.",
        text=verb,
    )


def why_no_end(table: IntriguesTable, seat: Seat) -> Refused | None:
    if table.turn.action < 2:
        return refuse("intrigues 2.3", "At least one action is taken; only the second may be given up.")
    return None


def say_end(table: IntriguesTable, seat: Seat) -> Sentence:
    return sentence("Give up the second action.")


def say_action(table: IntriguesTable, seat: Seat, action: str) -> Sentence:
    if action in SIMPLE_WORDS:
        return SIMPLE_WORDS[action](table, seat)
    _, value, spot = action.split(" ")
    return actions.say_placement(table, value, spot)


SIMPLE_DEEDS: Mapping[str, Callable[[IntriguesTable, Seat], None]] = {
    "income": actions.take_income,
    "commission": actions.buy_commission,
    "sell": actions.sell_jewel,
    "buy": actions.buy_jewel,
}
WHY_NOT: Mapping[str, Callable[[IntriguesTable, Seat], Refused | None]] = {
    "income": actions.why_no_income,
    "commission": actions.why_no_commission,
    "sell": actions.why_no_sale,
    "buy": actions.why_no_purchase,
    "end": why_no_end,
}
SIMPLE_WORDS: Mapping[str, Callable[[IntriguesTable, Seat], Sentence]] = {
    "income": actions.say_income,
    "commission": actions.say_commission,
    "sell": actions.say_sale,
    "buy": actions.say_purchase,
    "end": say_end,
}

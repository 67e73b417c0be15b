"""A match from the first shuffle to the end, and the phases of a turn (chapter 2)."""

from __future__ import annotations

from server.rules.asking import Script
from server.rules.crusade.actions import carry_out_actions
from server.rules.crusade.contributions import contribute
from server.rules.crusade.ending import end_check, score_the_end
from server.rules.crusade.events import resolve_event, turn_event
from server.rules.crusade.influencing import influence_characters
from server.rules.crusade.outcome import clear_away, determine_outcome
from server.rules.crusade.setting_up import set_up
from server.rules.crusade.table import CrusadeTable


def play_match(table: CrusadeTable) -> Script:
    yield from set_up(table)
    while table.ending is None:
        yield from take_turn(table)
        if table.ending is None:
            table.first = table.after(table.first)
    score_the_end(table)


def take_turn(table: CrusadeTable) -> Script:
    table.turn += 1
    table.tell("Turn {turn} begins; {seat} is the first player.", turn=table.turn, seat=table.first)
    yield from turn_event(table)
    yield from influence_characters(table)
    yield from carry_out_actions(table)
    yield from contribute(table)
    outcome = yield from determine_outcome(table)
    yield from resolve_event(table, outcome)
    clear_away(table)
    table.last_characters, table.characters = table.characters, {}
    table.ending = end_check(table)

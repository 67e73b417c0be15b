"""Hints at each decision, for those who play their first match of a game, or want them."""

from __future__ import annotations

from dataclasses import dataclass

from db import queries
from db.engine import Store
from db.models import Player
from server.rules import GAMES
from server.rules.telling import say
from server.speech import speech_of
from server.views import MatchView


@dataclass(frozen=True)
class Explained:
    """What the open decision is about, and the paragraph of the rules to read on."""

    text: str
    rule: str


def hint_for(store: Store, view: MatchView, player: Player | None) -> Explained | None:
    """For the open decision; None for who has played before or wants none."""
    if view.decision is None or player is None or player.hints is False:
        return None
    if player.hints is None:
        with store.reading() as session:
            if queries.matches.has_played_before(session, player.id, view.game, view.id):
                return None
    game = GAMES[view.game]
    hint = game.hints[view.decision.kind]
    return Explained(say(hint.told, view.viewer, view.names, speech_of(game)), hint.rule)


def want(store: Store, player_id: str, *, hints: bool) -> None:
    """From now on, in all matches."""
    with store.writing() as session:
        player = queries.players.locked(session, player_id)
        if player is not None:
            player.hints = hints
            session.add(player)

"""A match as one viewer may see it: the log in their eyes and the position as the contract's JSON."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from server.rules.playing import Game, Play
from server.rules.telling import Sentence, Speech, Viewer, say

Say: TypeAlias = Callable[[Sentence], str]


def sayer(play: Play, viewer: Viewer, speech: Speech | None = None) -> Say:
    """A function that reads the match's sentences to `viewer`, in English unless they speak otherwise."""
    speech = speech or english_of(play.game)

    def read(told: Sentence) -> str:
        return say(told, viewer, play.names, speech)

    return read


def english_of(game: Game) -> Speech:
    return Speech(word=game.word)


def log_of(
    play: Play, viewer: Viewer, *, since: int = 0, until: int | None = None, speech: Speech | None = None
) -> tuple[str, ...]:
    """The log in the viewer's eyes, from after move `since` to move `until` of the record."""
    read = sayer(play, viewer, speech)
    begin = play.marks[min(since, len(play.marks) - 1)] if since else 0
    end = None if until is None else play.marks[min(until, len(play.marks) - 1)]
    return tuple(read(told) for told in play.table.log[begin:end])


def position_json(play: Play, viewer: Viewer) -> dict[str, Any]:
    """The form `estafette-position/1` of the contract."""
    read = sayer(play, viewer)
    outcome = play.outcome()
    return {
        "format": "estafette-position/1",
        "game": play.game.name,
        "options": dict(play.options),
        "players": list(play.names),
        "viewer": viewer,
        "version": play.version,
        "position": play.position(viewer),
        "decisions": [
            {
                "seat": int(seat),
                "kind": play.question[seat].kind,
                "prompt": read(play.question[seat].prompt),
                "moves": list(play.question[seat].answers()) if viewer in (seat, "host") else None,
            }
            for seat in sorted(play.question)
        ],
        "outcome": outcome.as_json() if outcome else None,
        "log": list(log_of(play, viewer)),
    }

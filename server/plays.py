"""Matches in memory: replayed from their moves, kept while they are played."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

from sqlalchemy import Row
from sqlmodel import Session

from db import table
from server.rules import game_of
from server.rules.chance import Seeded, mixed
from server.rules.playing import Play
from server.rules.telling import Seat

_KEPT = 400
_LOCKS = 64


class Diverged(Exception):
    """A match whose moves lead to another position than they did: it must not go on."""


class _Hold:
    """Locks that are let go at the end."""

    def __init__(self, locks: Sequence[Any]) -> None:
        self._locks = locks
        self._held: list[Any] = []

    def __enter__(self) -> _Hold:
        return self

    def __call__(self, match_id: str) -> None:
        lock = self._locks[hash(match_id) % _LOCKS]
        lock.acquire()
        self._held.append(lock)

    def __exit__(self, *_error: object) -> None:
        for lock in self._held:
            lock.release()


class Plays:
    """Live matches of this process, each at one revision of its row.

    Whoever looks at or changes a play holds its lock (`locked`); what leaves is plain data, never the play.
    """

    def __init__(self, kept: int = _KEPT) -> None:
        self._kept = kept
        self._plays: OrderedDict[str, tuple[int, Play]] = OrderedDict()
        self._guard = threading.Lock()
        self._locks = [threading.RLock() for _ in range(_LOCKS)]

    @contextmanager
    def locked(self, match_id: str) -> Iterator[None]:
        with self._locks[hash(match_id) % _LOCKS]:
            yield

    def holding(self) -> _Hold:
        """For writers, whose transaction begins before the lock and ends before it is let go: `hold(match_id)`."""
        return _Hold(self._locks)

    def take(self, session: Session, match: Row[Any], seats: Sequence[Row[Any]]) -> Play:
        """The play at the row's revision, taken out: `keep` it after the change is committed, or lose it."""
        with self._guard:
            revision, play = self._plays.pop(match.id, (-1, None))
        if play is not None and revision == match.revision:
            play.table.names = [seat.name for seat in seats]
            return play
        if play is not None and revision < match.revision:
            caught_up = _catch_up(session, match, play)
            if caught_up:
                play.table.names = [seat.name for seat in seats]
                return play
        return replayed(session, match, seats)

    def keep(self, match_id: str, revision: int, play: Play) -> None:
        with self._guard:
            self._plays[match_id] = (revision, play)
            self._plays.move_to_end(match_id)
            while len(self._plays) > self._kept:
                self._plays.popitem(last=False)

    def forget(self, match_id: str) -> None:
        with self._guard:
            self._plays.pop(match_id, None)


def replayed(session: Session, match: Row[Any], seats: Sequence[Row[Any]]) -> Play:
    """A match from its rows. Raises `Diverged` when its moves no longer lead where they led."""
    play = _begun(match, seats)
    _answer_all(play, table.move_rows(session, match.id))
    return play


def sound_part(session: Session, match: Row[Any], seats: Sequence[Row[Any]]) -> Play:
    """As many of a match's moves as still lead where they led: so far it can be taken back."""
    play, sound = _begun(match, seats), 0
    with suppress(Exception):  # whatever a changed script does with an old move
        for move in table.move_rows(session, match.id):
            if move.question != play.number:
                break
            play.answer(Seat(move.seat), move.text)
            if not play.sealed:
                if move.digest and move.digest != play.digest():
                    break
                sound = len(play.moves)
    return play.at(sound)


def _begun(match: Row[Any], seats: Sequence[Row[Any]]) -> Play:
    return Play(
        game_of(match.game, match.rules),
        len(seats),
        match.options,
        chance=Seeded(mixed(match.seed, [seat.word for seat in seats])),
        names=[seat.name for seat in seats],
    )


def _catch_up(session: Session, match: Row[Any], play: Play) -> bool:
    """Play the moves that another process has made; False if something was taken back meanwhile."""
    play.sealed.clear()
    moves = table.move_rows(session, match.id, since=play.number)
    if len(play.moves) + len(moves) != match.version or not any(move.digest for move in moves):
        return False
    try:
        _answer_all(play, moves)
    except (Diverged, KeyError):
        return False
    return True


def _answer_all(play: Play, moves: Sequence[Row[Any]]) -> None:
    digest = None
    try:
        for move in moves:
            if move.question != play.number:
                raise Diverged(f"question {move.question} is not asked")
            play.answer(Seat(move.seat), move.text)
            digest = move.digest or digest
    except Diverged:
        raise
    except Exception as error:
        raise Diverged(f"a move is no longer possible ({type(error).__name__})") from error
    if digest and moves and not play.sealed and digest != play.digest():
        raise Diverged("the position is another one")

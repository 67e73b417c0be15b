"""A finished match looked back on: how the points went, and a picture of its end."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from server import boards
from server.boards import png
from server.matches import Matches, rows_of
from server.rules.playing import Play
from server.views import MatchView

MOST: Final = 60
"""So many points in time a chart shows."""
TOLD: Final = 12
"""So many of them its table."""


@dataclass(frozen=True)
class Course:
    """The points of all seats after some moves, from the beginning to the end."""

    moves: tuple[int, ...]
    points: tuple[tuple[int, ...], ...]

    @property
    def rows(self) -> list[tuple[int, tuple[int, ...]]]:
        """Some of it, for a table."""
        return [(self.moves[index], self.points[index]) for index in _spread(len(self.moves), TOLD)]


def course(matches: Matches, match_id: str) -> Course | None:
    """How the points of a match went that was played to its end; None for others, since it betrays what is hidden."""
    with matches.store.reading() as session:
        match, seats = rows_of(session, match_id)
        if match.status != "finished":
            return None
        play = matches.replayed(session, match, seats)
    return course_of(play) if play.over else None


def course_of(play: Play) -> Course:
    wanted = _spread(len(play.moves) + 1, MOST)
    again = play.at(0)
    points = {0: tuple(again.game.points(again.table))}
    for made in play.moves:
        again.answer(made.seat, made.text)
        if (move := len(again.moves)) in wanted:
            points[move] = tuple(again.game.points(again.table))
    return Course(tuple(points), tuple(points.values()))


def picture(view: MatchView) -> bytes:
    """A PNG of the end of a finished match, for all eyes."""
    assert view.outcome is not None
    return png.picture(boards.the_end(view.game, view.position, view.names, view.outcome))


def _spread(number: int, most: int) -> Sequence[int]:
    """At most so many of the numbers from 0 to before `number`, evenly, the first and the last among them."""
    if number <= most:
        return range(number)
    return sorted({round(index * (number - 1) / (most - 1)) for index in range(most)})

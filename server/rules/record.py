"""Records: a whole match as JSON, read with care, replayed and checked (`estafette-record/1` of the contract)."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from server.rules import GAMES
from server.rules.asking import Refused, lines_of
from server.rules.chance import Chance, ChanceError, Recorded, Seeded, Shuffle, commitment, mixed
from server.rules.playing import Game, Play
from server.rules.showing import english_of
from server.rules.telling import say

FORMAT: Final = "estafette-record/1"
LARGEST: Final = 8 * 1024 * 1024
"""Octets of a record at the most; a whole match of eight has some hundred thousand."""


class RecordError(ValueError):
    """A record that cannot be read or replayed, in a sentence."""


@dataclass(frozen=True)
class Record:
    """A record that was read: its form is right; whether its moves are is found by replaying."""

    game: Game
    rules: str
    options: Mapping[str, Any]
    players: tuple[str, ...]
    moves: tuple[tuple[int, str], ...]
    chance: tuple[Shuffle, ...] | None
    seed: str | None
    commitment: str | None
    words: tuple[str | None, ...] = ()
    """What the players added to the seed, seat 1 first."""

    def luck(self) -> Chance:
        if self.chance is not None:
            return Recorded(self.chance)
        assert self.seed is not None
        return Seeded(mixed(self.seed, self.words))


def read_record(text: str | bytes) -> Record:
    """A record from its JSON text; raises RecordError."""
    if len(text) > LARGEST:
        raise RecordError(f"This record has {len(text):,} characters; {LARGEST:,} are the most.")
    try:
        told = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise RecordError("This is not a record: it is not JSON.") from error
    if not isinstance(told, dict) or told.get("format") != FORMAT:
        raise RecordError(f"This is not a record: its “format” is not “{FORMAT}”.")
    game = GAMES.get(_text(told, "game"))
    if game is None:
        raise RecordError(f"The game “{told['game']}” is not known. There are: {', '.join(GAMES)}.")
    if told.get("edition", game.edition) != game.edition:
        raise RecordError(f"The edition “{told['edition']}” of {game.name} is not here; there is “{game.edition}”.")
    options = told.get("options", {})
    if not isinstance(options, dict):
        raise RecordError("The record's “options” must be an object.")
    if told.get("chance") is None and told.get("seed") is None:
        raise RecordError("The record has neither “chance” nor “seed”: nobody can tell how its shuffles fell.")
    return Record(
        game=game,
        rules=str(told.get("rules", game.rules)),
        options=options,
        players=_players(told.get("players"), game),
        moves=_moves(told.get("moves")),
        chance=_chance(told.get("chance")),
        seed=None if told.get("seed") is None else _text(told, "seed"),
        commitment=None if told.get("commitment") is None else _text(told, "commitment"),
        words=_words(told.get("words")),
    )


def replay(record: Record, *, at: int | None = None) -> Play:
    """The match of a record, after `at` single moves or all of them; raises RecordError with the move's number."""
    try:
        play = Play(record.game, len(record.players), record.options, chance=record.luck(), names=record.players)
        _play_all(play, record, at)
    except ChanceError as error:
        raise RecordError(str(error)) from error
    except RecordError:
        raise
    except ValueError as error:
        raise RecordError(str(error)) from error
    return play


def check(record: Record, *, to_the_end: bool = True) -> Play:
    """Replay a finished match and verify its shuffles against the published commitment; raises RecordError.

    Without `to_the_end` it may have been ended earlier, because all agreed on that.
    """
    if record.seed is None:
        raise RecordError("The record has no “seed”: its shuffles cannot be verified.")
    if record.commitment is None:
        raise RecordError("The record has no “commitment”: its seed cannot be verified.")
    if commitment(record.seed) != record.commitment:
        raise RecordError("The seed does not fit the published commitment: the shuffles were not fixed beforehand.")
    play = replay(record)
    if to_the_end and not play.over:
        raise RecordError(f"The match is not finished: after {play.version} moves somebody is still asked.")
    if record.chance is not None:
        _compare(record.chance, replay(_by_seed(record)).chance.orders)
    return play


def record_of(
    play: Play,
    *,
    seed: str,
    words: Sequence[str | None] = (),
    edition: str | None = None,
    rules: str | None = None,
) -> dict[str, Any]:
    """The record of a match whose luck came from `seed` and the players' `words`, one move a line, all options."""
    return {
        "format": FORMAT,
        "game": play.game.name,
        "edition": edition or play.game.edition,
        "rules": rules or play.game.rules,
        "options": dict(play.options),
        "players": list(play.names),
        "chance": [{"shuffle": shuffle.name, "order": list(shuffle.order)} for shuffle in play.chance.orders],
        "seed": seed,
        "commitment": commitment(seed),
        **({"words": list(words)} if any(words) else {}),
        "moves": [{"seat": int(made.seat), "move": made.text} for made in play.moves]
        + [{"seat": int(seat), "move": text} for seat, text in sorted(play.sealed.items())],
    }


def write_record(told: Mapping[str, Any]) -> str:
    """A record as text, one move a line."""
    head = {key: value for key, value in told.items() if key != "moves"}
    lines = ",\n    ".join(json.dumps(move, ensure_ascii=False) for move in told["moves"])
    start = json.dumps(head, ensure_ascii=False, indent=1)[: -len("\n}")]
    return f'{start},\n "moves": [\n    {lines}\n ]\n}}\n' if told["moves"] else f'{start},\n "moves": []\n}}\n'


def _play_all(play: Play, record: Record, at: int | None) -> None:
    wanted = len(record.moves) if at is None else at
    if not 0 <= wanted <= len(record.moves):
        raise RecordError(f"The record has {len(record.moves)} moves; there is no position after move {wanted}.")
    for number, (seat, line) in enumerate(record.moves[:wanted], start=1):
        if play.over:
            raise RecordError(f"Move {number}: the match is over after {number - 1} moves, but the record goes on.")
        if seat not in play.waiting_for():
            asked = " and ".join(str(int(each)) for each in play.waiting_for())
            raise RecordError(f"Move {number} is by seat {seat}, but seat {asked} is asked.")
        try:
            play.answer(seat, play.decision(seat).read(line))
        except Refused as refused:
            rule = f" ({refused.rule})" if refused.rule else ""
            why = say(refused.why, seat, play.names, english_of(play.game))
            raise RecordError(f"Move {number}, “{line}” by seat {seat}, is not legal: {why}{rule}") from refused


def _by_seed(record: Record) -> Record:
    return Record(**{**record.__dict__, "chance": None})


def _compare(told: Sequence[Shuffle], drawn: Sequence[Shuffle]) -> None:
    if len(told) != len(drawn):
        raise RecordError(f"The record tells {len(told)} shuffles, but the match has {len(drawn)}.")
    for number, (a, b) in enumerate(zip(told, drawn, strict=True), start=1):
        if a != b:
            raise RecordError(f"Shuffle {number} ({b.name}) does not come from the seed.")


def _text(told: Mapping[str, Any], key: str) -> str:
    value = told.get(key)
    if not isinstance(value, str):
        raise RecordError(f"The record's “{key}” must be a text.")
    return value


def _players(told: object, game: Game) -> tuple[str, ...]:
    if not isinstance(told, list) or not all(isinstance(name, str) for name in told):
        raise RecordError("The record's “players” must be a list of names, seat 1 first.")
    if not game.least_seats <= len(told) <= game.most_seats:
        raise RecordError(f"{game.title} is for {game.least_seats} to {game.most_seats} seats, not {len(told)}.")
    return tuple(told)


def _words(told: object) -> tuple[str | None, ...]:
    if told is None:
        return ()
    if not isinstance(told, list) or not all(word is None or isinstance(word, str) for word in told):
        raise RecordError("The record's “words” must be a list with a text or null for each player.")
    return tuple(told)


def _moves(told: object) -> tuple[tuple[int, str], ...]:
    if not isinstance(told, list):
        raise RecordError("The record's “moves” must be a list.")
    moves: list[tuple[int, str]] = []
    for number, each in enumerate(told, start=1):
        seat = each.get("seat") if isinstance(each, dict) else None
        line = each.get("move") if isinstance(each, dict) else None
        if not isinstance(seat, int) or isinstance(seat, bool) or not isinstance(line, str):
            raise RecordError(f'Line {number} of “moves” must be like {{"seat": 1, "move": "…"}}.')
        moves.extend((seat, part) for part in lines_of(line))
    return tuple(moves)


def _chance(told: object) -> tuple[Shuffle, ...] | None:
    if told is None:
        return None
    if not isinstance(told, list):
        raise RecordError("The record's “chance” must be a list of shuffles.")
    shuffles: list[Shuffle] = []
    for number, each in enumerate(told, start=1):
        name = each.get("shuffle") if isinstance(each, dict) else None
        order = each.get("order") if isinstance(each, dict) else None
        if not isinstance(name, str) or not isinstance(order, list) or not all(isinstance(x, str) for x in order):
            raise RecordError(f'Shuffle {number} of “chance” must be like {{"shuffle": "cards", "order": ["…"]}}.')
        shuffles.append(Shuffle(name, tuple(order)))
    return tuple(shuffles)

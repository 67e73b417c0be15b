"""A match being played: the script stops at each question and goes on exactly there."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol, TypeAlias

from server.rules.asking import REVEAL, Answers, Decision, Question, Refused, Script, lines_of, refuse, words_of
from server.rules.chance import Chance
from server.rules.hidden import Hidden
from server.rules.telling import HOST, Hint, Seat, Sentence, Speech, Viewer, sentence

OptionValue: TypeAlias = bool | str
Position: TypeAlias = dict[str, Any]


@dataclass(frozen=True)
class Option:
    """A choice made with the match: its values (the first is the default) and a sentence about it."""

    name: str
    values: tuple[OptionValue, ...]
    about: str

    @property
    def default(self) -> OptionValue:
        return self.values[0]

    def read(self, value: object) -> OptionValue:
        """The option's value that `value` (a bool or its text) means; raises ValueError with a sentence."""
        for each in self.values:
            if value is each or (isinstance(value, str) and value.casefold() == str(each).casefold()):
                return each
        could = ", ".join(str(each).lower() if isinstance(each, bool) else each for each in self.values)
        raise ValueError(f"The option {self.name} can be: {could}.")


class Table:
    """What lies on the table, common to all games: the seats, the luck, the log, the hidden things."""

    def __init__(self, seats: int, options: Mapping[str, OptionValue], chance: Chance) -> None:
        self.seats = tuple(Seat(number) for number in range(1, seats + 1))
        self.options = dict(options)
        self.chance = chance
        self.names: Sequence[str] = [f"Seat {seat}" for seat in self.seats]
        self.log: list[Sentence] = []
        self.secrets: list[Hidden[Any]] = []
        self.sealed: dict[Seat, str] = {}  # kept by `Play`: answers that wait for the others; for each seat's own eyes

    def tell(self, template: str, /, **parts: Any) -> None:
        """Write a sentence into the log. Each reader reads it as far as their eyes go."""
        self.log.append(Sentence(template, parts))

    def hide(self, front: Any, back: str, group: str) -> Hidden[Any]:
        """A new hidden thing that the table knows of."""
        card: Hidden[Any] = Hidden(front, back, group)
        self.secrets.append(card)
        return card

    def after(self, seat: Seat) -> Seat:
        """The next seat clockwise."""
        return self.seats[seat % len(self.seats)]

    def clockwise_from(self, seat: Seat) -> tuple[Seat, ...]:
        """All seats, this one first."""
        return self.seats[seat - 1 :] + self.seats[: seat - 1]

    def seat_named(self, text: str) -> Seat | None:
        """The seat that a number or a player's name means."""
        plain = words_of(text)
        numbers = [str(int(seat)) for seat in self.seats]
        for names in (numbers, self.names):  # numbers first: a player may be called “2”
            for seat, name in zip(self.seats, names, strict=True):
                if plain and plain == words_of(name):
                    return seat
        return None


class Score(NamedTuple):
    seat: Seat
    total: int
    parts: Mapping[str, int]


@dataclass(frozen=True)
class Outcome:
    """Scores in seat order, the winners' seats, and what else the game says of its end."""

    scores: tuple[Score, ...]
    winners: tuple[Seat, ...]
    more: Mapping[str, Any] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        return {
            "scores": [{"seat": int(s.seat), "total": s.total, "parts": dict(s.parts)} for s in self.scores],
            "winners": [int(seat) for seat in self.winners],
            **self.more,
        }


class Game(Protocol):
    """Where the games meet. One object a game, in `GAMES`."""

    name: str
    title: str
    least_seats: int
    most_seats: int
    edition: str
    rules: str
    options: tuple[Option, ...]
    kinds: tuple[str, ...]
    hints: Mapping[str, Hint]
    parts: tuple[str, ...]
    """Of what a score is made: the keys of `Score.parts`."""
    vocabulary: tuple[str, ...]
    """The words of which the names in its sentences are made, in English: what a language has to have."""

    def set_up(self, seats: int, options: Mapping[str, OptionValue], chance: Chance) -> Any:
        """The table before the first shuffle (a subclass of `Table`)."""

    def script(self, table: Any) -> Script:
        """The whole game, from the first shuffle to the end."""

    def position(self, table: Any, viewer: Viewer) -> Position:
        """What `viewer` may know, built from nothing, as JSON data (see the contract)."""

    def outcome(self, table: Any) -> Outcome | None:
        """None while the game goes on."""

    def points(self, table: Any) -> list[int]:
        """What each seat would score if the match ended now, seat 1 first; it betrays what is hidden."""

    def words(
        self, position: Position, names: Sequence[str], viewer: Viewer, speech: Speech | None = None
    ) -> list[str]:
        """The position in words, lines of at most 40 columns, made from the position alone."""

    def word(self, term: str, of: Callable[[str], str] = str) -> str:
        """The name of a card, place or piece as people read it in a sentence; `of` says a word of the vocabulary."""


class Made(NamedTuple):
    """A move as it was made: at which question, by whom, its canonical text, whether it showed anybody anything."""

    question: int
    seat: Seat
    text: str
    shows: bool


@dataclass(frozen=True)
class Preview:
    """The position after a submission as far as the player can know it; `shows` if then something new is seen.

    `texts` are its moves, `says` the same in words, `told` what the log would say.
    """

    position: Position
    told: tuple[Sentence, ...]
    shows: bool
    texts: tuple[str, ...]
    says: tuple[Sentence, ...]


_AS_TEXT = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False)


class NotAsked(Refused):
    """A move by a seat that is not asked now."""


def full_options(game: Game, given: Mapping[str, object] | None = None) -> dict[str, OptionValue]:
    """All options of the game with defaults written out; raises ValueError with a sentence."""
    given = dict(given or {})
    full = {
        option.name: option.read(given.pop(option.name)) if option.name in given else option.default
        for option in game.options
    }
    if given:
        known = ", ".join(option.name for option in game.options) or "none"
        raise ValueError(f"{game.title} has no option {sorted(given)[0]}. Its options are: {known}.")
    return full


class Play:
    """A match in memory: its table, the open question, the moves made so far.

    `question` is {seat: Decision}, empty when the match is over. `number` counts questions from 1. `sealed` holds
    the answers of a question to several seats until the last is in. `marks[k]` is the length of the log after k
    moves of the record.
    """

    def __init__(
        self,
        game: Game,
        seats: int,
        options: Mapping[str, object] | None = None,
        *,
        chance: Chance,
        names: Sequence[str] | None = None,
    ) -> None:
        if not game.least_seats <= seats <= game.most_seats:
            raise ValueError(f"{game.title} is for {game.least_seats} to {game.most_seats} seats, not {seats}.")
        self.game = game
        self.options = full_options(game, options)
        self.chance = chance
        self.table: Any = game.set_up(seats, self.options, chance)
        if names:
            self.table.names = list(names)
        self.moves: list[Made] = []
        self.marks: list[int] = []
        self.number = 0
        self.question: Question = {}
        self._script = game.script(self.table)
        self._advance(None)
        self.marks.append(len(self.table.log))

    @property
    def seats(self) -> tuple[Seat, ...]:
        seats: tuple[Seat, ...] = self.table.seats
        return seats

    @property
    def names(self) -> Sequence[str]:
        names: Sequence[str] = self.table.names
        return names

    @property
    def sealed(self) -> dict[Seat, str]:
        sealed: dict[Seat, str] = self.table.sealed
        return sealed

    @property
    def version(self) -> int:
        """The number of single moves made, sealed ones included."""
        return len(self.moves) + len(self.sealed)

    @property
    def over(self) -> bool:
        return not self.question

    def decision(self, seat: int) -> Decision:
        """The open decision of a seat; raises `NotAsked`."""
        try:
            return self.question[Seat(seat)]
        except KeyError:
            raise self._not_asked() from None

    def waiting_for(self) -> tuple[Seat, ...]:
        """The seats whose answer is still wanted."""
        return tuple(seat for seat in self.question if seat not in self.sealed)

    def submit(self, seat: int, submission: str) -> tuple[str, ...]:
        """Play one or several moves (`a; b`) of a seat, all or none; the canonical texts. Raises `Refused`."""
        lines = lines_of(submission)
        if len(lines) == 1:
            text = self.decision(seat).read(lines[0])
            self.answer(seat, text)
            return (text,)
        trial = self.copy()
        texts = tuple(trial._read_and_answer(seat, lines))
        self.__dict__.update(trial.__dict__)
        return texts

    def _read_and_answer(self, seat: int, lines: Sequence[str]) -> list[str]:
        texts: list[str] = []
        for line in lines:
            if texts:
                self._must_let_go_on(Seat(seat), texts[-1])
            text = self.decision(seat).read(line)
            self.answer(seat, text)
            texts.append(text)
        return texts

    def _must_let_go_on(self, seat: Seat, text: str) -> None:
        """Nothing can follow on a move of the same submission when the others, or the player's eyes, are next."""
        if seat in self.sealed:
            raise refuse(None, "After “{text}” the others have to answer first.", text=text)
        if self.moves and self.moves[-1].shows:
            raise refuse(None, "“{text}” shows you something new: send it alone, then decide on.", text=text)

    def answer(self, seat: int, text: str) -> None:
        """Answer the open decision of a seat with a legal canonical text (it is not checked again)."""
        by = seat if type(seat) is Seat else Seat(seat)
        if by not in self.question:
            raise self._not_asked()
        answers: Answers = {by: text}
        if len(self.question) > 1:
            self.sealed[by] = text
            if len(self.sealed) < len(self.question):
                return
            answers = {asked: self.sealed[asked] for asked in sorted(self.question)}
            self.sealed.clear()
        number = self.number
        shows = self._advance(answers)
        for asked, told in answers.items():
            self.moves.append(Made(number, asked, told, shows))
            self.marks.append(len(self.table.log))

    def withdraw(self, seat: int) -> None:
        """Take a sealed answer back while others are still choosing."""
        if Seat(seat) not in self.sealed:
            raise refuse(None, "You have no sealed answer to take back.")
        del self.sealed[Seat(seat)]

    def undo_refusal(self, seat: int) -> Sentence | None:
        """None if the seat may take back its last move, else the reason why not."""
        if Seat(seat) in self.sealed:
            return None
        if not self.moves or self.moves[-1].seat != seat:
            return sentence("Your last move is not the last one of the match; it can no longer be taken back.")
        if tuple(self.question) != (seat,):
            return sentence("Your turn was handed over; it can no longer be taken back.")
        if self.moves[-1].shows:
            return sentence("Your last move showed you something new; it can no longer be taken back.")
        return None

    def undone(self, seat: int) -> Play:
        """This match without the seat's last move; raises `Refused`."""
        reason = self.undo_refusal(seat)
        if reason:
            raise Refused(reason)
        if Seat(seat) in self.sealed:
            before = self.copy()
            before.withdraw(seat)
            return before
        return self.at(len(self.moves) - 1)

    def copy(self) -> Play:
        """The same match replayed afresh."""
        return self.at(len(self.moves), sealed=self.sealed)

    def at(self, moves: int, *, sealed: Mapping[Seat, str] | None = None) -> Play:
        """The match as it stood after that many moves of the record."""
        before = Play(self.game, len(self.seats), self.options, chance=self.chance.again(), names=self.table.names)
        for made in self.moves[:moves]:
            before.answer(made.seat, made.text)
        before.sealed.update(sealed or {})
        return before

    def preview(self, seat: int, submission: str, *, follow: bool = False) -> Preview:
        """What the seat would see after this submission, without making it. Raises `Refused`.

        With `follow` the submission goes on for as long as the seat is asked and has only one answer.
        """
        by = Seat(seat)
        *firsts, last = lines_of(submission)
        trial = self.copy()
        texts: list[str] = []
        says: list[Sentence] = []
        for line in firsts:
            decision = trial.decision(by)
            texts.append(decision.read(line))
            says.append(decision.say(texts[-1]))
            trial.answer(by, texts[-1])
            trial._must_let_go_on(by, texts[-1])
        decision = trial.decision(by)
        text, shows = decision.read(last), False
        while True:
            texts.append(text)
            says.append(decision.say(text))
            if len(trial.question) > 1:
                trial.sealed[by] = text
                break
            shows = trial._advance({by: text}, stop_at_reveal=True)
            if shows or not follow or tuple(trial.question) != (by,) or len(trial.decision(by).answers()) != 1:
                break
            decision = trial.decision(by)
            text = decision.answers()[0]
        told = tuple(trial.table.log[len(self.table.log) :])
        return Preview(self.game.position(trial.table, by), told, shows, tuple(texts), tuple(says))

    def position(self, viewer: Viewer) -> Position:
        return self.game.position(self.table, viewer)

    def outcome(self) -> Outcome | None:
        return self.game.outcome(self.table)

    def digest(self) -> str:
        """16 hexadecimal digits of the whole position: the same moves must always lead to the same digest."""
        return hashlib.sha256(_AS_TEXT.encode(self.position(HOST)).encode()).hexdigest()[:16]

    def _advance(self, answers: Answers | None, *, stop_at_reveal: bool = False) -> bool:
        """Go on to the next question; whether anything was revealed on the way."""
        shows = False
        try:
            step = next(self._script) if answers is None else self._script.send(answers)
            while step is REVEAL:
                shows = True
                if stop_at_reveal:
                    return True
                step = next(self._script)
            self.question = step
            self.number += 1
        except StopIteration:
            self.question = {}
        return shows

    def _not_asked(self) -> NotAsked:
        if self.over:
            return NotAsked(sentence("The match is over."))
        return NotAsked(sentence("It is not your turn: the match waits for {seats}.", seats=list(self.waiting_for())))

"""Questions and decisions: who is asked, what is legal, and how a text is read."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Generator, Mapping, Sequence
from enum import Enum
from typing import TypeAlias

from server.rules.telling import Seat, Sentence, sentence


class Refused(Exception):
    """A move that is not played: the sentence for the player, and the rule's paragraph like "regions 2.2"."""

    def __init__(self, why: Sentence, rule: str | None = None) -> None:
        super().__init__(why.template)
        self.why = why
        self.rule = rule


def refuse(rule: str | None, template: str, **parts: object) -> Refused:
    """`raise refuse("regions 2.2", "Two cards must be of one region; {a} and {b} are not.", a=…, b=…)`"""
    return Refused(sentence(template, **parts), rule)


class Decision:
    """One seat's open decision.

    kind     as the contract names it ("turn", "mark", …)
    prompt   what is wanted, readable by all (no secret but as a `Hidden` part)
    listing  () -> every legal answer in canonical form, in a fixed order that tells nothing hidden
    reading  (words) -> the canonical text meant by these normalised words, when it is not spelled as listed
             (another order, a player's name for a seat); raises `Refused` with the reason and the paragraph when
             the move is not legal. What it returns must be in the listing, else it is refused all the same.
    saying   (canonical text) -> the move in words, with its price, for the page that asks to confirm
    """

    __slots__ = ("_answers", "_listing", "_reading", "_saying", "kind", "prompt")

    def __init__(
        self,
        kind: str,
        prompt: Sentence,
        *,
        listing: Callable[[], Sequence[str]],
        reading: Callable[[list[str]], str],
        saying: Callable[[str], Sentence],
    ) -> None:
        self.kind = kind
        self.prompt = prompt
        self._listing = listing
        self._reading = reading
        self._saying = saying
        self._answers: Sequence[str] | None = None

    def answers(self) -> Sequence[str]:
        """Every legal answer, canonical; never empty."""
        if self._answers is None:
            self._answers = self._listing()
        return self._answers

    def read(self, text: str) -> str:
        """The legal answer that `text` means; raises `Refused`."""
        answers = self.answers()
        if text in answers:
            return text
        words = words_of(text)
        plain = " ".join(words)
        for answer in answers:
            if answer.casefold() == plain:
                return answer
        if not words:
            raise refuse(None, "There is no move in this line.")
        meant = self._reading(words)
        if meant in answers:
            return meant
        raise refuse(None, "“{text}” is not possible here.", text=meant)

    def say(self, answer: str) -> Sentence:
        return self._saying(answer)


Question: TypeAlias = Mapping[Seat, Decision]
"""The seats asked now and what each may answer. With several seats the answers stay sealed until the last is in."""

Answers: TypeAlias = Mapping[Seat, str]


class Reveal(Enum):
    """What a script yields right before somebody sees something new: a preview stops there, an undo does not
    reach behind it, and a submission ends with it."""

    REVEAL = "reveal"


REVEAL = Reveal.REVEAL
Step: TypeAlias = Question | Reveal
Script: TypeAlias = Generator[Step, Answers, None]


def ask(seat: Seat, decision: Decision) -> Generator[Step, Answers, str]:
    """`text = yield from ask(seat, decision)`"""
    answers = yield {seat: decision}
    return answers[seat]


def ask_together(question: Question) -> Generator[Step, Answers, Answers]:
    """Ask all these seats at the same time, sealed: `answers = yield from ask_together({…})`"""
    answers = yield question
    return answers


def reveal() -> Generator[Step, Answers, None]:
    """`yield from reveal()` stands right before the first thing that shows somebody something new."""
    yield REVEAL


_MINUS = dict.fromkeys(map(ord, "‐‑‒–—−﹣－"), "-")
_UNSEEN = dict.fromkeys(map(ord, "\u200b\u200c\u200d\u2060\ufeff\u00ad"), None)


def words_of(text: str) -> list[str]:
    """A move as its words: case, extra blanks, commas, a trailing full stop and a Unicode minus are forgiven."""
    plain = unicodedata.normalize("NFKC", text.translate(_UNSEEN)).translate(_MINUS).casefold()
    return re.sub(r"[\s,]+", " ", plain).strip().removesuffix(".").split()


def lines_of(submission: str) -> list[str]:
    """The single moves of a submission: `;` separates them. An empty part at the end is forgiven."""
    parts = [part.strip() for part in submission.split(";")]
    while len(parts) > 1 and not parts[-1].strip(" ."):
        parts.pop()
    return parts

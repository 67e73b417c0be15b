"""The lines of a writer's own words that are moves. What a game allows is asked of the caller."""

import re
import unicodedata
from collections.abc import Callable, Collection
from dataclasses import dataclass
from itertools import islice

from emails.language import marked

MAX_CANDIDATES = 3
_MAX_LENGTH = 200
_MAX_WORDS = 12

VERBS = frozenset(
    {
        *("take", "mark", "move", "pass", "end", "regain"),
        *("income", "place", "commission", "sell", "buy", "neutral", "corrupt", "grise", "queen", "stay"),
        *("loyal", "pawn", "collect", "tax", "accuse", "absolve", "stock", "trade", "recruit", "spy", "drill"),
        *("tournament", "rally", "council", "levy", "counsel", "ambush", "plunder", "play", "offer", "send"),
    }
)
"""First words of moves, for readers that have no match at hand. Reading a reply for a match never uses them."""

_PROSE = frozenset(
    {
        *(
            "a",
            "an",
            "and",
            "are",
            "as",
            "at",
            "be",
            "but",
            "can",
            "care",
            "for",
            "from",
            "have",
            "he",
            "her",
            "him",
            "his",
        ),
        *(
            "i",
            "if",
            "in",
            "is",
            "it",
            "its",
            "let",
            "me",
            "my",
            "no",
            "not",
            "now",
            "on",
            "or",
            "our",
            "out",
            "please",
        ),
        *("she", "so", "some", "thank", "thanks", "that", "their", "them", "then", "they", "this", "to", "today"),
        *("tomorrow", "up", "us", "was", "we", "well", "when", "will", "with", "you", "your"),
    }
)
_QUOTATION_MARKS = str.maketrans(
    dict.fromkeys("\u2018\u2019\u201a\u201b\u2032\u00b4`", "'") | dict.fromkeys("“”„‟″«»", '"')
)
_DASHES = str.maketrans(dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe58\ufe63\uff0d\u2043", "-"))
_BULLET = re.compile(r"[-*\u2022\u00b7] +")
_MARKS_AROUND = ("***", "**", "*", "__", "_", '"', "'")
_INVISIBLE = re.compile(r"[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff\ufe0e\ufe0f\u034f\u180e]")


@dataclass(frozen=True)
class MovesRead:
    """The moves found, in the caller's canonical form, or none and why."""

    moves: tuple[str, ...]
    why: str
    lines: tuple[str, ...]
    """The lines that were looked at, as they stand in the mail: what to show a player whose mail was not understood."""


def normalised(line: str) -> str:
    """A line as a move is written: plain characters, single blanks, no capital at its head, no full stop at its end.

    A bullet before it and quotation marks or asterisks around it are no part of it: it may be copied from our words.
    """
    line = unicodedata.normalize("NFKC", line[:_MAX_LENGTH].translate(_DASHES))
    line = _INVISIBLE.sub("", line).translate(_DASHES).translate(_QUOTATION_MARKS).strip()
    line = _unwrapped(line)
    moves = [_without_capital(" ".join(move.split()).strip(".!, ")) for move in line.split(";")]
    return "; ".join(move for move in moves if move)


def _unwrapped(line: str) -> str:
    bullet = _BULLET.match(line)
    bare = line[bullet.end() if bullet else 0 :].rstrip(".!, ")
    around = next((marks for marks in _MARKS_AROUND if bare.startswith(marks) and bare.endswith(marks)), "")
    return bare[len(around) : len(bare) - len(around)]


def _without_capital(move: str) -> str:
    first, blank, rest = move.partition(" ")
    return (first.lower() if first.isalpha() else first) + blank + rest


def candidate_moves(text: str) -> list[str]:
    """The first one to three lines of the writer's own words that are not blank, normalised."""
    return [normalised(line) for line in _first_lines(text)]


def _first_lines(text: str) -> list[str]:
    return list(islice((line.strip() for line in text.split("\n") if normalised(line)), MAX_CANDIDATES))


def moves_in(text: str, reads: Callable[[str], str | None]) -> MovesRead:
    """The moves that the first lines of `text` are.

    `reads` says whether a line is legal for the open decision and gives its canonical form, or None; a line may hold
    several moves joined by `;`. The first line must be legal. Lines after it that are legal too must say the same, or
    go on from it as one submission (`first; second` is legal and `second` alone is not); two different moves cancel
    each other. Lines that are no moves (thanks, a name) end the reading.
    """
    shown = tuple(_first_lines(text))
    lines = [normalised(line) for line in shown]
    if not lines:
        return MovesRead((), marked("There are no words of your own in the mail."), ())
    first = reads(lines[0])
    if first is None:
        return MovesRead((), marked("The first line is not a move that is possible now."), shown)
    if any(reads(line) not in (None, first) for line in lines[1:]):
        return MovesRead((), marked("The first lines are different moves, and only one can be meant."), shown)
    submission = first
    for line in lines[1:]:
        if reads(line) == first:
            continue
        joined = reads(f"{submission}; {line}")
        if joined is None:
            if looks_like_a_move(line) and any(letter.isdigit() for letter in line):
                return MovesRead((), marked("One of the first lines is not a move that is possible now."), shown)
            break
        submission = joined
    return MovesRead((submission,), marked("The first lines are legal moves."), shown)


def looks_like_a_move(line: str, verbs: Collection[str] = VERBS) -> bool:
    """Does the line read like moves (first words known, short, no prose), for someone who has no match at hand?"""
    moves = [move.split() for move in normalised(line).lower().split(";")]
    return all(
        words
        and words[0].strip(",") in verbs
        and len(words) <= _MAX_WORDS
        and not any(word.strip(",") in _PROSE for word in words[1:])
        and not any(re.search(r"[?!:]|[a-z]\.$", word) for word in words)
        for words in moves
    )


def is_talk(line: str) -> bool:
    """Is it plainly a sentence to somebody, and no move that went wrong?"""
    words = normalised(line).lower().split()
    return "?" in line or len(words) > _MAX_WORDS or sum(word.strip(",") in _PROSE for word in words) > 1


def lines_like_moves(text: str, verbs: Collection[str] = VERBS) -> list[str]:
    """The leading candidate lines that look like moves."""
    found: list[str] = []
    for line in candidate_moves(text):
        if not looks_like_a_move(line, verbs):
            break
        found.append(line)
    return found

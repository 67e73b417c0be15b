"""Incoming mail read without a match at hand: what it is, from whom, for whom, and the lines that could be moves."""

from emails.inbox.bounces import Failure
from emails.inbox.incoming import Incoming, explain, read_mail
from emails.inbox.moves import (
    VERBS,
    MovesRead,
    candidate_moves,
    is_talk,
    lines_like_moves,
    looks_like_a_move,
    moves_in,
)
from emails.inbox.whose import Authentication
from emails.inbox.words import own_words

__all__ = [
    "VERBS",
    "Authentication",
    "Failure",
    "Incoming",
    "MovesRead",
    "candidate_moves",
    "explain",
    "is_talk",
    "lines_like_moves",
    "looks_like_a_move",
    "moves_in",
    "own_words",
    "read_mail",
]

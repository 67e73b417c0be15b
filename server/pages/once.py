"""The one-use mark of a form: which question its page showed, and a part that makes it the only one of its kind.

A stale page is recognised by the first, a double tap by the second. Together with the move it is the submission's id.
"""

from __future__ import annotations

import hashlib
import re
import secrets
from dataclasses import dataclass

_FORM = re.compile(r"([0-9]{1,6}-[0-9a-f]{1,8})-([a-z0-9]{12,24})")


@dataclass(frozen=True)
class Once:
    """`stamp` is the decision's, `mark` the form's own."""

    stamp: str
    mark: str

    def __str__(self) -> str:
        return f"{self.stamp}-{self.mark}"

    def of(self, move: str) -> str:
        """The id of submitting this move with this form: another move from the same page is another submission."""
        told = hashlib.sha256(" ".join(move.casefold().split()).encode()).hexdigest()[:10]
        return f"{self.mark}-{told}"


def fresh(stamp: str) -> Once:
    return Once(stamp, secrets.token_hex(8))


def read(text: str | None) -> Once | None:
    """None if no form of ours said this."""
    found = _FORM.fullmatch(text or "")
    return Once(found[1], found[2]) if found else None

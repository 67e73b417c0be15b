"""Several whole sentences as one."""

from __future__ import annotations

from collections.abc import Sequence

from server.rules.telling import Sentence


def together(told: Sequence[Sentence]) -> Sentence:
    """These sentences one after the other; each is translated for itself."""
    if len(told) == 1:
        return told[0]
    parts = {f"sentence{number}": each for number, each in enumerate(told)}
    return Sentence(" ".join(f"{{{name}}}" for name in parts), parts)

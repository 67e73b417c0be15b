"""What is drawn at random, the same in each run: for tests that compare two runs, or repeat one."""

from __future__ import annotations

import random
import secrets

import pytest


def the_same_each_time(monkeypatch: pytest.MonkeyPatch) -> random.Random:
    """What `secrets` draws from now on, ids, seeds and keys; it can be seeded anew."""
    luck = random.Random("the same each time")
    drawn = {
        "choice": luck.choice,
        "randbelow": luck.randrange,
        "token_bytes": lambda octets=32: luck.randbytes(octets),
        "token_hex": lambda octets=32: luck.randbytes(octets).hex(),
        "token_urlsafe": lambda octets=32: luck.randbytes(octets).hex(),
    }
    for name, draw in drawn.items():
        monkeypatch.setattr(secrets, name, draw)
    return luck

"""What strangers write is read or refused: right things bent at random, and anything at all."""

from __future__ import annotations

import os
import random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.fuzz.readers import READERS, bent, seeds

LONG = bool(os.environ.get("ESTAFETTE_PROOF"))
TIMES = {"token": 600, "move": 150, "record": 60, "mail": 120}


@pytest.mark.parametrize("name", READERS)
def test_right_things_are_read(name: str):
    for seed in seeds(name):
        READERS[name](seed)


@pytest.mark.parametrize("name", READERS)
def test_bent_things_are_read_or_refused(name: str):
    luck = random.Random(name if not LONG else None)
    some = seeds(name)
    for _ in range(TIMES[name] * (20 if LONG else 1)):
        raw = bent(luck.choice(some), luck)
        try:
            READERS[name](raw)
        except Exception as error:
            raise AssertionError(f"{type(error).__name__} at {raw[:2000]!r}") from error


@pytest.mark.parametrize("name", READERS)
@settings(max_examples=2_000 if LONG else 100, deadline=None, suppress_health_check=list(HealthCheck))
@given(raw=st.one_of(st.binary(max_size=400), st.text(max_size=200).map(lambda text: text.encode("utf-8", "ignore"))))
def test_anything_is_read_or_refused(name: str, raw: bytes):
    READERS[name](raw)

"""Case B05: whatever goes out to a viewer is the same byte for byte, whatever the viewer may not know.

Two matches with the same moves, dealt differently or with another secret decision, run through two instances that are
alike in everything else. The rules alone say from which move on a viewer may tell them apart; until then every page,
preview, answer, error, mail, picture, export, log line and number must be equal, in size and order too. Among the
addresses are bent ones, to other seats: what they bring must be equal too.
"""

from __future__ import annotations

import email
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from server.rules import GAMES
from tests.rules.matches import CASES, Case, Leaky
from tests.secrets.deals import Half, Twins, dealt_otherwise, decided_otherwise
from tests.secrets.product import OPERATOR, REMOVED, STRANGER, Product, Transcript, Viewer
from tests.server.commands import Commands

LONG = bool(os.environ.get("ESTAFETTE_PROOF"))
"""The long form: all ways, longer, with several matches each."""
MOVES = 60 if LONG else 20
SEEDS = range(1, 4) if LONG else range(1, 2)

Make = Callable[..., Twins | None]

SHORT_WAYS: list[tuple[str, Make]] = [
    ("regions-2-short=False", dealt_otherwise),
    ("intrigues-3", decided_otherwise),
    ("crusade-3-events=off", dealt_otherwise),
]
LONG_WAYS: list[tuple[str, Make]] = [
    ("regions-3-short=True", dealt_otherwise),
    ("regions-2-short=False", decided_otherwise),
    ("intrigues-2", decided_otherwise),
    ("crusade-4-events=on", decided_otherwise),
    ("crusade-5-events=history", dealt_otherwise),
]
WAYS = SHORT_WAYS + (LONG_WAYS if LONG else [])


def some_twins(name: str, make: Make, seed: int) -> tuple[Twins, int]:
    """A pair, and the seat that can tell them apart."""
    case = case_named(name)
    for number in range(20):
        knower = 1 + number % case.seats
        twins = make(case, f"{seed}/{number // case.seats}", knower=knower, moves=MOVES)
        if twins and twins.span(knower) > 3:
            return twins, knower
    raise AssertionError(f"no twins of {name}")


def case_named(name: str) -> Case:
    return next(case for case in CASES if str(case).startswith(name))


@pytest.fixture
def run(
    tmp_path: Path,
    migrated_file: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> Callable[[Twins, int, set[int]], Transcript]:
    def run(twins: Twins, half: int, full: set[int]) -> Transcript:
        folder = tmp_path / str(half)
        folder.mkdir(exist_ok=True)
        file = folder / "estafette.db"
        file.unlink(missing_ok=True)
        shutil.copyfile(migrated_file, file)
        url = f"sqlite:///{file}"
        with monkeypatch.context() as patch:
            commands = Commands(url, folder, patch, capsys)
            product = Product(twins.case, twins.halves[half], url, folder, patch, commands)
            try:
                return product.play(full)
            finally:
                product.close()

    return run


def until_of(twins: Twins) -> dict[Viewer, int]:
    everybody = twins.until[None]
    seats: dict[Viewer, int] = {viewer: until for viewer, until in twins.until.items() if viewer is not None}
    return seats | {STRANGER: everybody, OPERATOR: everybody, REMOVED: everybody}


def first_difference(ours: Transcript, theirs: Transcript, viewer: Viewer, until: int) -> str:
    """What differs first, in words; empty if nothing does."""
    one, other = ours.before(viewer, until), theirs.before(viewer, until)
    for (step, what, a), (its_step, its_what, b) in zip(one, other, strict=False):
        if (step, what, a) != (its_step, its_what, b):
            at = next((place for place, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), 0)
            around = slice(max(0, at - 80), at + 80)
            return f"viewer {viewer}, after {step} moves, {what} / {its_what}:\n{a[around]!r}\n{b[around]!r}"
    return "" if len(one) == len(other) else f"viewer {viewer}: {len(one)} outputs, {len(other)} outputs"


def canaries_seen(transcript: Transcript) -> list[str]:
    """Who got to see somebody else's address, key or link, or the seed, in what.

    What a viewer has typed may come back, and the operator's pages show addresses.
    """
    found = []
    for viewer, outputs in transcript.told.items():
        foreign = {each for owner, theirs in transcript.canaries.items() if owner != viewer for each in theirs}
        for step, what, said in outputs:
            text = said.decode("utf-8", "replace")
            if what.startswith("mail "):
                parts = email.message_from_bytes(said).walk()
                text += "".join((part.get_payload(decode=True) or b"").decode("utf-8", "replace") for part in parts)  # type: ignore[union-attr]
            for canary in foreign:
                if canary in text and canary not in what and not (viewer == OPERATOR and "@" in canary):
                    found.append(f"{viewer}, after {step} moves, {what}: {canary}")
    return found


@pytest.mark.slow
@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(("name", "make"), WAYS)
def test_case_B05_nothing_that_goes_out_depends_on_what_its_viewer_may_not_know(
    run: Callable[[Twins, int, set[int]], Transcript], name: str, make: Make, seed: int
) -> None:
    twins, knower = some_twins(name, make, seed)
    full = {0, twins.until[knower], twins.until[None] - 1}
    ours, theirs = run(twins, 0, full), run(twins, 1, full)
    differences = [first_difference(ours, theirs, viewer, until) for viewer, until in until_of(twins).items()]
    assert [each for each in differences if each] == []
    assert canaries_seen(ours) == []
    assert ours.told[knower] != theirs.told[knower], "the knower should have noticed something"


@pytest.mark.parametrize("part", ["position", "log"])
def test_case_B05_the_harness_notices_a_leak(
    run: Callable[[Twins, int, set[int]], Transcript], monkeypatch: pytest.MonkeyPatch, part: str
) -> None:
    """With a game that lets hidden things out, everybody's outputs differ."""
    twins, _ = some_twins("regions-2-short=False", dealt_otherwise, 1)
    twins = Twins(twins.case, tuple(Half(half.orders, half.moves[:2]) for half in twins.halves), twins.until)  # type: ignore[arg-type]
    monkeypatch.setitem(GAMES, "regions", Leaky(GAMES["regions"], part))
    ours, theirs = run(twins, 0, set()), run(twins, 1, set())
    for viewer in (1, 2, STRANGER, REMOVED):
        assert first_difference(ours, theirs, viewer, 99) != ""

"""Case B05: whatever goes out to a viewer is the same byte for byte, whatever the viewer may not know.

Two matches with the same moves, dealt differently or with another secret decision, run through two instances that are
alike in everything else; who can tell them apart also keeps another note, draft and prepared answer in each. The rules
alone say from which move on a viewer may tell; until then every page, preview, answer, error, mail, call, picture,
export, log line and number must be equal, in size and order too. Among the addresses are bent ones, to other seats, and
among the mails nonsense: what they bring must be equal too.
"""

from __future__ import annotations

import email
import logging
import os
import re
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from flask import Response, request
from werkzeug.datastructures import Headers

from server import calls, mailing
from server.links import MoveLink
from server.rules import GAMES
from tests.rules.matches import CASES, Case, Leaky
from tests.secrets.deals import Twins, dealt_otherwise, decided_otherwise, kept_otherwise
from tests.secrets.product import OPERATOR, REMOVED, STRANGER, Product, Transcript, Viewer
from tests.server.commands import Commands

LONG = bool(os.environ.get("ESTAFETTE_PROOF"))
"""The long form: all ways, longer, with two matches each."""
MOVES = 40 if LONG else 20
SEEDS = range(1, 3) if LONG else range(1, 2)

SIGNATURE = re.compile(r"[a-z2-7]{20}")
SIGNED = re.compile(r"[a-z0-9]{20,}")
"""What a link ends with: there are hundreds, and looking for one after the other would take as long as all pages."""

Make = Callable[..., Twins | None]
Run = Callable[..., Transcript]
Plant = Callable[[Product, pytest.MonkeyPatch], None]

SHORT_WAYS: list[tuple[str, Make]] = [
    ("regions-2-short=False", dealt_otherwise),
    ("intrigues-3", decided_otherwise),
    ("crusade-3-events=off", dealt_otherwise),
]
LONG_WAYS: list[tuple[str, Make]] = [
    ("regions-3-short=True", dealt_otherwise),
    ("regions-2-short=False", kept_otherwise),  # all its decisions are open
    ("intrigues-2", decided_otherwise),
    ("intrigues-4", kept_otherwise),  # nobody alone is shown anything of what is dealt
    ("crusade-4-events=on", decided_otherwise),
    ("crusade-5-events=history", dealt_otherwise),
]
WAYS = SHORT_WAYS + (LONG_WAYS if LONG else [])


def some_twins(name: str, make: Make, seed: int, *, moves: int = MOVES) -> Twins:
    """A pair that one seat can tell apart, and for a while nobody else."""
    case = case_named(name)
    for number in range(20):
        knower = 1 + (seed + number) % case.seats
        twins = make(case, f"{seed}/{number}", knower=knower, moves=moves)
        if twins and twins.span > 3:
            return twins
    raise AssertionError(f"no twins of {name} that were {make.__name__}: somebody else always notices within 3 moves")


def case_named(name: str) -> Case:
    return next(case for case in CASES if str(case).startswith(name))


@pytest.fixture
def run(
    tmp_path: Path,
    migrated_file: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> Run:
    def run(twins: Twins, half: int, full: set[int], plant: Plant | None = None) -> Transcript:
        folder = tmp_path / str(half)
        shutil.rmtree(folder, ignore_errors=True)  # nothing of an earlier run, no key of its own either
        folder.mkdir()
        file = folder / "estafette.db"
        shutil.copyfile(migrated_file, file)
        url = f"sqlite:///{file}"
        with monkeypatch.context() as patch:
            commands = Commands(url, folder, patch, capsys)
            product = Product(twins, half, url, folder, patch, commands)
            if plant:
                plant(product, patch)
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
    """Who got to see somebody else's address, key, note or link, or the seed, in what.

    What a viewer has typed may come back, and the operator's pages show addresses.
    """
    found = []
    for viewer, outputs in transcript.told.items():
        foreign = {each for owner, theirs in transcript.canaries.items() if owner != viewer for each in theirs}
        signatures = {each for each in foreign if SIGNATURE.fullmatch(each)}
        others = [each for each in foreign - signatures if not (viewer == OPERATOR and "@" in each)]
        for step, what, said in outputs:
            text = all_of(what, said)
            seen = [each for each in others if each in text]
            seen += signatures & {word[-20:] for word in SIGNED.findall(text)}
            found += [f"{viewer}, after {step} moves, {what}: {each}" for each in seen if each not in what]
    return found


def all_of(what: str, said: bytes) -> str:
    """With what the parts of a mail are when they are read."""
    text = said.decode("utf-8", "replace")
    if what.startswith("mail "):
        parts = email.message_from_bytes(said).walk()
        text += "".join((part.get_payload(decode=True) or b"").decode("utf-8", "replace") for part in parts)  # type: ignore[union-attr]
    return text


@pytest.mark.slow
@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(("name", "make"), WAYS)
def test_case_B05_nothing_that_goes_out_depends_on_what_its_viewer_may_not_know(
    run: Run, record_property: Callable[[str, object], None], name: str, make: Make, seed: int
) -> None:
    twins = some_twins(name, make, seed)
    knower = twins.knower
    full = {0, twins.until[knower], twins.until[None] - 1}
    ours, theirs = run(twins, 0, full), run(twins, 1, full)
    for viewer, until in until_of(twins).items():
        record_property(f"outputs of {viewer}", len(ours.before(viewer, until)))
    differences = [first_difference(ours, theirs, viewer, until) for viewer, until in until_of(twins).items()]
    assert [each for each in differences if each] == []
    assert canaries_seen(ours) + canaries_seen(theirs) == []
    assert ours.told[knower] != theirs.told[knower], "the knower should have noticed something"


@pytest.mark.parametrize("part", ["position", "log"])
def test_case_B05_the_harness_notices_a_leak(run: Run, monkeypatch: pytest.MonkeyPatch, part: str) -> None:
    """With a game that lets hidden things out, everybody's outputs differ."""
    twins = the_first_moves_of(some_twins("regions-2-short=False", dealt_otherwise, 1), 2)
    monkeypatch.setitem(GAMES, "regions", Leaky(GAMES["regions"], part))
    ours, theirs = run(twins, 0, set()), run(twins, 1, set())
    for viewer in (1, 2, STRANGER, REMOVED):
        assert first_difference(ours, theirs, viewer, 99) != ""


def the_first_moves_of(twins: Twins, moves: int) -> Twins:
    one, other = (replace(half, moves=half.moves[:moves]) for half in twins.halves)
    return replace(twins, halves=(one, other))


def in_answers(change: Callable[[Response], object]) -> Plant:
    """Something is done to each page of the match."""

    def changed(answer: Response) -> Response:
        if request.path.startswith("/g/"):
            change(answer)
        return answer

    return lambda product, _patch: product.app.after_request_funcs.setdefault(None, []).append(changed)


def two_lines_exchanged(answer: Response) -> None:
    *lines, one, other = answer.get_data().splitlines()
    answer.set_data(b"\n".join([*lines, other, one]))


def headers_turned_round(answer: Response) -> None:
    answer.headers = Headers(list(answer.headers)[::-1])


def with_a_link_of_another(product: Product, patch: pytest.MonkeyPatch) -> None:
    link = MoveLink(product.match_id, 2, 1, 1)
    in_answers(lambda answer: answer.set_data(answer.get_data() + product.links.move_url(link).encode()))(
        product, patch
    )


def larger_pictures(_product: Product, patch: pytest.MonkeyPatch) -> None:
    as_ever = mailing.picture
    patch.setattr(mailing, "picture", lambda drawing: as_ever(drawing) + b" ")


def calls_in_another_order(_product: Product, patch: pytest.MonkeyPatch) -> None:
    as_ever = calls._about

    def turned_round(*about: Any) -> calls.News:
        news = as_ever(*about)
        return replace(news, data=dict(reversed(news.data.items())))

    patch.setattr(calls, "_about", turned_round)


LEAKS: dict[str, tuple[Plant, Viewer]] = {
    "a page is longer by a blank": (in_answers(lambda answer: answer.set_data(answer.get_data() + b" ")), STRANGER),
    "two lines have changed places": (in_answers(two_lines_exchanged), 2),
    "there is a header more": (in_answers(lambda answer: answer.headers.set("X-Rows", "14")), REMOVED),
    "the headers stand in another order": (in_answers(headers_turned_round), 1),
    "the log has a line more": (in_answers(lambda _: logging.getLogger("estafette.pages").info("14 rows")), OPERATOR),
    "the picture of a mail is larger": (larger_pictures, 1),
    "a program hears the same in another order": (calls_in_another_order, 1),
}


_short: list[tuple[Twins, Transcript]] = []


def a_short_match(run: Run) -> tuple[Twins, Transcript]:
    """A turn, and what comes out: the same each time, so once is enough."""
    if not _short:
        twins = the_first_moves_of(some_twins("regions-2-short=False", dealt_otherwise, 1), 2)
        _short.append((twins, run(twins, 0, set())))
    return _short[0]


@pytest.mark.parametrize("leak", LEAKS)
def test_case_B05_the_harness_notices_the_least_difference(run: Run, leak: str) -> None:
    """The same half once more, with something planted."""
    twins, as_ever = a_short_match(run)
    plant, viewer = LEAKS[leak]
    assert first_difference(as_ever, run(twins, 0, set(), plant), viewer, 99) != ""


def test_case_B05_the_harness_notices_whoever_gets_to_see_the_link_of_another(run: Run) -> None:
    """And where nothing is planted it notices nothing."""
    twins, as_ever = a_short_match(run)
    again = run(twins, 0, set())
    assert [said for viewer in until_of(twins) if (said := first_difference(as_ever, again, viewer, 99))] == []
    assert canaries_seen(as_ever) == []
    found = canaries_seen(run(twins, 0, set(), with_a_link_of_another))
    assert any(each.startswith("1, ") for each in found)
    assert not any(each.startswith("2, ") for each in found)

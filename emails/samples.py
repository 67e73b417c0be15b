"""A few of many answers, as different as can be: what a reader is shown of all that is possible."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence


def varied(texts: Sequence[str], most: int) -> list[int]:
    """The places of at most so many answers, ascending: one of each kind, one of each form, others from all over."""
    first = _first_of_each_form(texts)
    kinds = {form[0]: place for form, place in reversed(first.items())}
    picked = list(dict.fromkeys([*reversed(kinds.values()), *first.values()]))[:most]
    others = [place for place in range(len(texts)) if place not in picked]
    wanted = min(most - len(picked), len(others))
    picked += [others[(number + 1) * len(others) // wanted - 1] for number in range(wanted)]
    return sorted(picked)


def examples(texts: Sequence[str]) -> tuple[str, ...]:
    """Two answers to copy: one of the form that most have, and one of another kind or form, if there is such."""
    if len(texts) < 2:
        return tuple(texts)
    first = _first_of_each_form(texts)
    usual = Counter(map(_form, texts)).most_common(1)[0][0]
    other_kinds = [place for form, place in first.items() if form[0] != usual[0]]
    other_forms = [place for form, place in first.items() if form != usual]
    place = next(iter(other_kinds or other_forms or [len(texts) // 2]))
    return texts[first[usual]], texts[place]


def one_of_each_form(texts: Sequence[str]) -> list[int]:
    """The places of the first answer of each form, ascending."""
    return list(_first_of_each_form(texts).values())


def _first_of_each_form(texts: Sequence[str]) -> dict[tuple[str, int], int]:
    first: dict[tuple[str, int], int] = {}
    for place, text in enumerate(texts):
        first.setdefault(_form(text), place)
    return first


def _form(text: str) -> tuple[str, int]:
    """What it does, and how many words it takes to say so."""
    words = text.split()
    return words[0], len(words)

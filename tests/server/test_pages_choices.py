"""The tree of choices: few are listed, many are found step by step, none is lost."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.pages.choices import AT_ONCE, Branch, Leaf, beginnings, common_words, level

ENDS = [f"{row}{end}" for row in "1234" for end in "LR"]
MARKS = [f"mark {row}.{column}" for row in range(1, 5) for column in range(1, 13)]


def reachable(texts: list[str], at: str = "") -> list[str]:
    found = []
    for entry in level(texts, at):
        if isinstance(entry, Leaf):
            found.append(entry.text)
        else:
            assert len(entry.at) > len(at)
            found += reachable(texts, entry.at)
    return found


def test_few_choices_are_listed() -> None:
    texts = [f"take {end}" for end in ENDS]
    assert level(texts) == tuple(Leaf(text) for text in texts)


def test_many_choices_begin_with_their_first_word() -> None:
    assert level([*MARKS, "end"]) == (Branch("mark ", 48, "mark 1.1"), Leaf("end"))


def test_a_step_without_a_choice_is_no_step() -> None:
    assert [entry.at for entry in level(MARKS) if isinstance(entry, Branch)] == [
        "mark 1.",
        "mark 2.",
        "mark 3.",
        "mark 4.",
    ]


def test_a_move_that_others_go_on_from_can_be_chosen_itself() -> None:
    texts = [f"take {end}" for end in ENDS] + [f"take 1L {end}" for end in ENDS]
    entries = level(texts)
    assert Leaf("take 1L") in entries
    assert Branch("take 1L ", 8, "take 1L 1L") in entries


def test_a_beginning_that_fits_nothing_shows_everything() -> None:
    assert level(MARKS, "move 7") == level(MARKS)


def test_a_branch_is_named_by_how_its_sentences_begin_where_that_tells_it_from_the_others() -> None:
    says = {text: f"Put a marker on {text[5:]}." for text in MARKS} | {"end": "End the turn."}
    assert beginnings(level([*MARKS, "end"]), says) == {"mark ": "Put a marker on"}
    assert set(beginnings(level(MARKS), says).values()) == {""}


def test_words_that_all_sentences_begin_with() -> None:
    assert common_words(["Take one, or two.", "Take one, or three."]) == "Take one, or"
    assert common_words(["Take one.", "Give one."]) == ""
    assert common_words([]) == ""


def test_a_branch_says_how_it_begins_without_trailing_blanks() -> None:
    assert Branch("mark ", 48, "mark 1.1").begins == "mark"


WORDS = st.lists(
    st.sampled_from(["take", "mark", "1L", "2.5", "2.11", "-2", "R1.2", "red", "lose", "."]), min_size=1, max_size=5
)


@given(st.lists(WORDS.map(" ".join), min_size=1, max_size=60, unique=True))
def test_every_choice_is_reached_once(texts: list[str]) -> None:
    assert sorted(reachable(texts)) == sorted(texts)


@given(st.lists(WORDS.map(" ".join), min_size=AT_ONCE + 1, max_size=60, unique=True))
def test_no_level_has_a_single_branch_alone(texts: list[str]) -> None:
    entries = level(texts)
    assert len(entries) > 1 or isinstance(entries[0], Leaf)


@pytest.mark.parametrize("count", [1, AT_ONCE, AT_ONCE + 1, 500])
def test_numbered_choices_are_all_there(count: int) -> None:
    texts = [f"give red {number}" for number in range(count)]
    assert sorted(reachable(texts)) == sorted(texts)

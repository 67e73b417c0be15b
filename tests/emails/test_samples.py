"""Which of many answers a letter shows."""

import pytest

from emails.samples import examples, varied

TURN = ["income", "place 1 R1.2", "place 1 R1.3", "place 2 R1.3", "place 2 O3.3", "sell", "end"]


@pytest.mark.parametrize(
    ("texts", "most", "shown"),
    [
        (TURN, 3, ["income", "place 1 R1.2", "sell"]),
        (TURN, 4, ["income", "place 1 R1.2", "sell", "end"]),
        (TURN, 5, ["income", "place 1 R1.2", "place 2 O3.3", "sell", "end"]),
        (["take 1L", "take 1L 2L", "take 1L 3L", "take 2L"], 2, ["take 1L", "take 1L 2L"]),
        (["take 1L", "take 1L 2L", "regain"], 2, ["take 1L", "regain"]),
        ([f"offer {number}" for number in range(11)], 3, ["offer 0", "offer 5", "offer 10"]),
        (["stay"], 3, ["stay"]),
        ([], 3, []),
    ],
)
def test_the_samples_are_of_as_many_kinds_and_from_as_far_apart_as_can_be(
    texts: list[str], most: int, shown: list[str]
) -> None:
    assert [texts[place] for place in varied(texts, most)] == shown


@pytest.mark.parametrize(
    ("texts", "two"),
    [
        (TURN, ("place 1 R1.2", "income")),
        (["take 1L", "take 1R", "take 1L 2L"], ("take 1L", "take 1L 2L")),
        (["send blue red", "send blue white", "send red red"], ("send blue red", "send blue white")),
        (["stay"], ("stay",)),
        ([], ()),
    ],
)
def test_the_examples_are_the_usual_form_and_another(texts: list[str], two: tuple[str, ...]) -> None:
    assert examples(texts) == two

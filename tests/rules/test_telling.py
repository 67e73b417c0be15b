"""Sentences as each viewer reads them, in their language; hidden things; how a move is read and put into words."""

from __future__ import annotations

from typing import Any

import pytest

from server.rules.asking import Decision, Refused, lines_of, refuse, words_of
from server.rules.hidden import Hidden
from server.rules.telling import ENGLISH, HOST, Reading, Seat, Sentence, Speech, say, sentence, wording

NAMES = ("Ann", "Ben", "Cat")
SHOUTING = Speech(translate=str.upper, word=lambda term: f"<{term}>")


def a_card(front: Any, *seats: int, back: str = "a card") -> Hidden[Any]:
    card = Hidden(front, back, "card")
    card.show(*seats)
    return card


# Sentences


@pytest.mark.parametrize(
    ("part", "read"),
    [
        ("wine", "wine"),
        (Seat(2), "Ben"),
        (-3, "−3"),
        (0, "0"),
        (1.5, "1.5"),
        (None, "None"),
        ([], "–"),
        (["wine", Seat(1), 2], "wine, Ann, 2"),
        (("a", "b"), "a, b"),
        (Sentence("{x} of {y}", {"x": 1, "y": Seat(3)}), "1 of Cat"),
        (Sentence("two {braces"), "two {braces"),
    ],
)
def test_what_a_part_of_a_sentence_reads_as(part: Any, read: str):
    assert say(sentence("It is {part}.", part=part), 1, NAMES) == f"It is {read}."


def test_a_hidden_part_reads_as_its_back_to_all_but_who_have_seen_it():
    told = sentence("{card}", card=a_card("wine", 2))
    assert [say(told, viewer, NAMES) for viewer in (1, 2, 3, None, HOST)] == [
        "a card",
        "wine",
        "a card",
        "a card",
        "wine",
    ]


def test_a_hidden_number_or_hand_is_read_whole():
    assert say(sentence("{card}", card=a_card(-2, 1)), 1, NAMES) == "-2"
    hand = a_card(("wine", Sentence("{n} eggs", {"n": 2})), 1, back="all face down")
    assert say(sentence("{hand}", hand=hand), 1, NAMES) == "wine, 2 eggs"
    assert say(sentence("{hand}", hand=hand), 2, NAMES) == "all face down"


def test_hidden_cards_of_a_list_stand_in_an_order_that_tells_nothing():
    cards = [a_card("wine", 2), a_card("eggs", 1, 2), a_card("bread", 1), a_card("corn", 1, 2, back="a bag")]
    told = sentence("{cards}", cards=cards)
    assert say(told, 1, NAMES) == "bread, corn, eggs, a card"
    assert say(told, 2, NAMES) == "corn, eggs, wine, a card"
    assert say(told, 3, NAMES) == "a card, a card, a card, a bag"
    assert say(sentence("{names}", names=["b", "a"]), 1, NAMES) == "b, a"


def test_a_sentence_is_translated_whole_and_its_words_by_themselves():
    told = sentence("{seat} takes {n}", seat=Seat(1), n="wine")
    assert say(told, 1, NAMES, Speech(translate=lambda text: f"[{text}]", word=str.upper)) == "[Ann takes WINE]"
    assert say(sentence("nothing"), 1, NAMES, SHOUTING) == "NOTHING"
    assert say(sentence("{c}", c=a_card("wine", 1)), 1, NAMES, Speech(word=str.upper)) == "WINE"
    assert say(sentence("{c}", c=a_card("wine")), 1, NAMES, Speech(translate=lambda t: t.replace("a", "e"))) == "e cerd"
    inner = sentence("{x}", x=sentence("{y}", y="wine"))
    assert say(inner, 1, NAMES, Speech(word=str.upper)) == "WINE"


@pytest.mark.parametrize("name", ["text", "move", "example"])
def test_a_move_as_it_is_typed_is_the_same_in_all_languages(name: str):
    speech = Speech(word=str.upper)
    assert say(Sentence(f"{{{name}}}", {name: "take 1L"}), 1, NAMES, speech) == "take 1L"
    assert say(Sentence(f"{{{name}}}", {name: Seat(1)}), 1, NAMES, speech) == "Ann"
    assert say(Sentence(f"{{{name}}}", {name: ["take"]}), 1, NAMES, speech) == "TAKE"


def test_a_language_says_templates_numbers_and_words():
    assert ENGLISH.say("{n} cards", n=2) == "2 cards"
    assert ENGLISH.say("{n} cards") == "{n} cards"
    assert Speech(translate=str.lower).say("Cards") == "cards"
    assert Speech(translate=lambda text: f"{text}!").say("{n} cards", n=2) == "2 cards!"
    assert [ENGLISH.number(number) for number in (-2, 3, "-")] == ["−2", "3", "−"]
    assert wording("kept secret") == "kept secret"


def test_a_reading_is_of_one_viewer_in_one_language():
    reading = Reading(NAMES, 2, Speech(word=str.upper))
    assert reading.read(sentence("{seat} {card}", seat=Seat(1), card=a_card("wine", 2))) == "Ann WINE"
    assert reading.read(sentence("{card}", card=a_card("wine", 1))) == "a card"
    assert (reading.word("wine"), reading.say("{n}", n=1)) == ("WINE", "1")
    assert (reading.names, reading.viewer) == (NAMES, 2)


# Hidden things


def test_a_hidden_thing_knows_who_has_seen_it():
    card = a_card("wine")
    assert (card.front, card.back, card.group, repr(card), card.public) == ("wine", "a card", "card", "<a card>", False)
    assert [card.read(viewer) for viewer in (1, None, HOST)] == [None, None, "wine"]
    card.show(1)
    card.show(2, 3)
    assert [card.known_to(viewer) for viewer in (1, 2, 3, 4, None)] == [True, True, True, False, False]
    card.show_all()
    assert card.public
    assert [card.read(viewer) for viewer in (4, None)] == ["wine", "wine"]
    card.hide()
    assert (card.public, card.known_to(1), card.known_to(HOST)) == (False, False, True)


# Moves as they are typed


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Take 1L", ["take", "1l"]),
        ("  take,\t1L ,3R. ", ["take", "1l", "3r"]),
        ("take 1L.", ["take", "1l"]),
        ("take 1L..", ["take", "1l."]),
        ("place −2 R1.3", ["place", "-2", "r1.3"]),
        ("place –2 ‑1 ‒1 —1 ‐1 ﹣1 －1", ["place", "-2", "-1", "-1", "-1", "-1", "-1", "-1"]),
        ("pl\u200bace\u00ad 2\ufeff", ["place", "2"]),
        ("ＴＡＫＥ\u00a01", ["take", "1"]),
        ("STRASSE straße", ["strasse", "strasse"]),
        ("", []),
        (" . ", []),
    ],
)
def test_a_move_as_its_words(text: str, words: list[str]):
    assert words_of(text) == words


@pytest.mark.parametrize(
    ("submission", "moves"),
    [
        ("take 1L", ["take 1L"]),
        ("take 1L ; mark 2.5", ["take 1L", "mark 2.5"]),
        ("take 1L;", ["take 1L"]),
        ("take 1L; . ;;", ["take 1L"]),
        ("take 1L; X", ["take 1L", "X"]),
        ("; take 1L", ["", "take 1L"]),
        ("take 1L;; end", ["take 1L", "", "end"]),
        ("", [""]),
        (";", [""]),
        (" .; ", ["."]),
    ],
)
def test_the_single_moves_of_a_submission(submission: str, moves: list[str]):
    assert lines_of(submission) == moves


def a_decision(*answers: str) -> Decision:
    def read(words: list[str]) -> str:
        if words[0] == "fly":
            raise refuse("errand 1.1", "Nobody can {deed}.", deed="fly")
        return answers[-1] if words == ["the", "last"] else " ".join(words)

    def say_it(answer: str) -> Sentence:
        return sentence("To {answer}.", answer=answer)

    return Decision("errand", sentence("Where to?"), listing=lambda: list(answers), reading=read, saying=say_it)


@pytest.mark.parametrize(
    ("text", "answer"),
    [("go 1L", "go 1L"), ("GO  1l.", "go 1L"), ("Stay", "stay"), ("the last", "stay"), ("The, last", "stay")],
)
def test_what_is_legal_is_read_however_it_is_spelled(text: str, answer: str):
    assert a_decision("go 1L", "stay").read(text) == answer


@pytest.mark.parametrize(
    ("text", "rule", "why"),
    [
        ("", None, "There is no move in this line."),
        (" . ", None, "There is no move in this line."),
        ("fly 7", "errand 1.1", "Nobody can fly."),
        ("Go 2L", None, "“go 2l” is not possible here."),
    ],
)
def test_what_is_not_legal_is_refused(text: str, rule: str | None, why: str):
    with pytest.raises(Refused) as refused:
        a_decision("go 1L", "stay").read(text)
    assert refused.value.rule == rule
    assert say(refused.value.why, 1, NAMES) == why
    assert str(refused.value) == refused.value.why.template


def test_a_decision_lists_its_answers_once():
    asked: list[int] = []

    def listing() -> list[str]:
        asked.append(1)
        return ["go"]

    decision = Decision("errand", sentence("Where to?"), listing=listing, reading=" ".join, saying=sentence)
    assert [decision.answers(), decision.read("go"), decision.read("GO")] == [["go"], "go", "go"]
    assert len(asked) == 1
    assert (decision.kind, decision.prompt, decision.say("go")) == ("errand", sentence("Where to?"), sentence("go"))

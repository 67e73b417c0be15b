"""The lines of a mail that are moves: only the first ones, only exactly, and never two that differ."""

import pytest

from emails.inbox import candidate_moves, explain, is_talk, looks_like_a_move, moves_in, read_mail
from emails.inbox.moves import normalised
from tests.emails.inbox_mails import a_mail

LEGAL = {"take 1l": "take 1L", "take 2r": "take 2R", "take 1l; end": "take 1L; end", "end": "end"}
AFTER_A_TAKE = {"take 1l": "take 1L", "take 1l; end": "take 1L; end", "take 1l; mark 2.5": "take 1L; mark 2.5"}


def reads(line: str) -> str | None:
    return LEGAL.get(line.lower())


def reads_in_order(line: str) -> str | None:
    return AFTER_A_TAKE.get(line.lower())


@pytest.mark.parametrize(
    ("line", "as_a_move_is_written"),
    [
        ("Take 1L.", "take 1L"),
        ("take\u00a01L\u200b", "take 1L"),
        ("  TAKE   1L !", "take 1L"),
        ("place −2 O1.3", "place -2 O1.3"),
        ("place –2 O1.3", "place -2 O1.3"),
        ("ｔａｋｅ １Ｌ", "take 1L"),
        ("Take 2R 3L; Mark 1.5.", "take 2R 3L; mark 1.5"),
        ("take 1L ;", "take 1L"),
        ("play “Joan of Sicily”", 'play "Joan of Sicily"'),
        ("mark 2.5.", "mark 2.5"),
        ("e\u0301nd", "énd"),
        ("“Take 1L.”", "take 1L"),
        ("„take 1L“.", "take 1L"),
        ("« take 1L »", "take 1L"),
        ("`take 1L`", "take 1L"),
        ("**take 1L**", "take 1L"),
        ("_take 1L_", "take 1L"),
        ("- take 1L", "take 1L"),
        ("• Take 1L", "take 1L"),
        ("* take 1L", "take 1L"),
        ('"', ""),
    ],
)
def test_what_a_keyboard_adds_is_forgiven(line: str, as_a_move_is_written: str) -> None:
    assert normalised(line) == as_a_move_is_written


def test_the_candidates_are_the_first_three_lines_that_are_not_blank() -> None:
    assert candidate_moves("\n\u200b\nOne\n\ntwo\n\u00a0\nthree\nfour") == ["one", "two", "three"]


@pytest.mark.parametrize("text", ["take 1L", "Take 1L.\n\nThanks, Ann", "take 1L\ntake 1L", "\n\ntake 1l\n"])
def test_a_legal_first_line_is_the_move(text: str) -> None:
    assert moves_in(text, reads).moves == ("take 1L",)


@pytest.mark.parametrize("text", ["take 1L\ntake 2R", "take 1L\n\nthank you\n\nend", "end\ntake 1L\ntake 2R"])
def test_two_different_moves_cancel_each_other(text: str) -> None:
    assert moves_in(text, reads).moves == ()


def test_two_different_first_lines_are_not_played_and_the_lines_are_told() -> None:
    read = moves_in("Take 1L.\n\n take 2R\n", reads)
    assert (read.moves, read.lines) == ((), ("Take 1L.", "take 2R"))
    assert read.why == "The first lines are different moves, and only one can be meant."


@pytest.mark.parametrize(
    "text", ["Hello,\ntake 1L", "I think I take 1L", "take 9X", "take 1L please", "> take 1L", '"take 1L"?']
)
def test_a_first_line_that_is_no_legal_move_plays_nothing(text: str) -> None:
    assert moves_in(text, reads).moves == ()


def test_no_words_play_nothing_and_say_so() -> None:
    assert moves_in(" \n", reads).why == "There are no words of your own in the mail."


def test_several_moves_in_a_line_are_one_submission() -> None:
    assert moves_in("take 1L; end", reads).moves == ("take 1L; end",)


def test_a_second_line_that_goes_on_from_the_first_is_played_with_it() -> None:
    assert moves_in("take 1L\nmark 2.5\nBye", reads_in_order).moves == ("take 1L; mark 2.5",)


def test_a_second_line_that_would_be_a_move_but_cannot_be_played_stops_the_first() -> None:
    assert moves_in("take 1L\nmark 9.9\n", reads_in_order).moves == ()


def test_only_the_first_three_lines_are_looked_at() -> None:
    assert moves_in("take 1L\na\nb\ntake 2R", reads).moves == ("take 1L",)


@pytest.mark.parametrize(
    "line", ["take 1L 3R", "Stay.", "place -2 O1.3", "play Joan of Sicily blue red", "offer 2", "end; pass"]
)
def test_a_line_that_begins_with_a_moves_word_looks_like_a_move(line: str) -> None:
    assert looks_like_a_move(line)


@pytest.mark.parametrize(
    "line",
    [
        "Take care!",
        "Place your bets",
        "Can you take 1L?",
        "Thanks",
        "",
        "Pass it on to Ben please",
        "Send me the rules",
        "end; and then?",
    ],
)
def test_a_sentence_does_not_look_like_a_move(line: str) -> None:
    assert not looks_like_a_move(line)


def test_the_words_that_begin_moves_can_be_given() -> None:
    assert looks_like_a_move("roque 1", verbs={"roque"})
    assert not looks_like_a_move("take 1L", verbs={"roque"})


@pytest.mark.parametrize(
    "body",
    [
        "Later.\n\nOn 3/6/24 10:12, Ben wrote:\n> take 1L\n",
        "> take 1L\n",
        "-- \ntake 1L\n",
        "Sent from my iPhone\ntake 1L\n",
        "CAUTION: external mail.\ntake care of the links: do not click.\n\nLater.\n",
        "From: Ben\nSent: Monday\nTo: Ann\nSubject: x\n\ntake 1L\n",
        "-----Original Message-----\ntake 1L\n",
    ],
)
def test_a_move_planted_in_quote_signature_or_banner_is_never_one(body: str) -> None:
    mail = read_mail(a_mail(body))
    assert mail.moves == ()
    assert moves_in(mail.text, reads).moves == ()


def test_a_mail_is_explained_in_the_form_that_operators_rely_on() -> None:
    assert explain(a_mail("Take 2R 3L; mark 1.5.\n\nAnn\n")) == {
        "kind": "move",
        "address": "ann@example.org",
        "status": None,
        "permanent": None,
        "text": "Take 2R 3L; mark 1.5.\n\nAnn",
        "moves": ["take 2R 3L; mark 1.5"],
        "why": "A person wrote it, and its first lines look like moves.",
    }


@pytest.mark.parametrize(
    ("line", "talk"),
    [
        ("I would like to think about it.", True),
        ("Is it my turn?", True),
        ("Take your time, I am on a train", True),
        ("take 1L and 4R", False),
        ("take 1L please", False),
        ("1L", False),
        ("palce 2 at O1.3", False),
    ],
)
def test_talk_is_told_from_a_move_that_went_wrong(line: str, talk: bool) -> None:
    assert is_talk(line) is talk

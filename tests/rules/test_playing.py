"""A match in memory, of a game with a few questions: submissions, sealed answers, previews and what is taken back."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import pytest

from server.rules.asking import Decision, Refused, Script, ask, ask_together, refuse, reveal
from server.rules.chance import Seeded
from server.rules.playing import Made, NotAsked, Option, Outcome, Play, Score, Table, full_options
from server.rules.showing import log_of, position_json
from server.rules.telling import Seat, Sentence, Speech, say

NAMES = ("Ann", "Ben", "Cat")


def choice(kind: str, *answers: str) -> Decision:
    def read(words: list[str]) -> str:
        if words[0] == "fly":
            raise refuse("errand 1.1", "Nobody can fly.")
        return " ".join(words)

    prompt = Sentence(f"{kind}?")
    return Decision(kind, prompt, listing=lambda: answers, reading=read, saying=lambda text: Sentence(f"To {text}."))


class Errand:
    """Ann goes or looks twice and rests, all offer, Ben goes home."""

    name, title, edition, rules = "errand", "An errand", "house", "1"
    least_seats, most_seats = 2, 3
    options = (
        Option("way", ("road", "river"), "How they go."),
        Option("far", (False, True), "Whether it is far."),
    )

    def set_up(self, seats: int, options: Any, chance: Any) -> Table:
        return Table(seats, options, chance)

    def script(self, table: Table) -> Script:
        ann, ben = table.seats[:2]
        for kind in ("first", "second"):
            answer = yield from ask(ann, choice(kind, "go", "look"))
            if answer == "look":
                yield from reveal()
            table.tell("{seat} {text}", seat=ann, text=answer)
        yield from ask(ann, choice("rest", "rest"))
        table.tell("{seat} rests", seat=ann)
        answers = yield from ask_together({seat: choice("offer", "0", "1", "2") for seat in table.seats})
        table.tell("offers: {answers}", answers=list(answers.values()))
        yield from ask(ben, choice("home", "home"))
        table.tell("home")

    def position(self, table: Table, viewer: Any) -> dict[str, Any]:
        return {"told": told(table.log), "own": table.sealed.get(viewer)}

    def outcome(self, table: Table) -> Outcome | None:
        return Outcome((), (Seat(2),)) if told(table.log)[-1:] == ["home"] else None

    def word(self, term: str, of: Any = str) -> str:
        return term


def a_match(*moves: tuple[int, str], seats: int = 2) -> Play:
    play = Play(Errand(), seats, chance=Seeded("errand"), names=NAMES[:seats])  # type: ignore[arg-type]
    for seat, text in moves:
        play.answer(seat, text)
    return play


AT_THE_OFFERS = ((1, "go"), (1, "go"), (1, "rest"))


def told(log: Sequence[Sentence]) -> list[str]:
    return [say(each, None, NAMES) for each in log]


def kinds(play: Play) -> dict[int, str]:
    return {int(seat): decision.kind for seat, decision in play.question.items()}


def refusal(refused: pytest.ExceptionInfo[Refused]) -> str:
    return say(refused.value.why, None, NAMES)


# Options and seats


def test_options_that_are_not_given_have_their_first_value():
    assert full_options(Errand()) == {"way": "road", "far": False}  # type: ignore[arg-type]
    given = {"far": "TRUE", "way": "River"}
    assert full_options(Errand(), given) == {"way": "river", "far": True}  # type: ignore[arg-type]
    assert given == {"far": "TRUE", "way": "River"}


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({"way": "air"}, "The option way can be: road, river."),
        ({"far": 1}, "The option far can be: false, true."),
        ({"far": "yes"}, "The option far can be: false, true."),
        ({"zeal": 1, "haste": 1}, "An errand has no option haste. Its options are: way, far."),
    ],
)
def test_a_wrong_option_is_refused_with_what_there_is(given: dict[str, object], why: str):
    with pytest.raises(ValueError, match=f"^{re.escape(why)}$"):
        full_options(Errand(), given)  # type: ignore[arg-type]


def test_a_game_without_options_says_so():
    errand = Errand()
    errand.options = ()  # type: ignore[assignment]
    with pytest.raises(ValueError, match=r"Its options are: none\.$"):
        full_options(errand, {"far": True})  # type: ignore[arg-type]


def test_a_seat_is_named_by_its_number_or_by_its_player_and_numbers_come_first():
    table = Table(3, {}, Seeded(""))
    assert table.names == ["Seat 1", "Seat 2", "Seat 3"]
    table.names = ["Ann  B", "3", "Cat"]
    named = {text: table.seat_named(text) for text in ("1", "ann b", "3", "CAT", "2", "Dan", "", "0", "4")}
    assert named == {"1": 1, "ann b": 1, "3": 3, "CAT": 3, "2": 2, "Dan": None, "": None, "0": None, "4": None}


def test_seats_go_clockwise():
    table = Table(3, {}, Seeded(""))
    assert [table.after(seat) for seat in table.seats] == [2, 3, 1]
    assert table.clockwise_from(Seat(1)) == (1, 2, 3)
    assert table.clockwise_from(Seat(3)) == (3, 1, 2)


def test_an_outcome_as_json_has_what_the_game_adds():
    outcome = Outcome((Score(Seat(1), 3, {"cards": 3}),), (Seat(1),), {"end": "A"})
    assert outcome.as_json() == {
        "scores": [{"seat": 1, "total": 3, "parts": {"cards": 3}}],
        "winners": [1],
        "end": "A",
    }
    assert Outcome((), ()).as_json() == {"scores": [], "winners": []}


# Submissions


def test_a_match_goes_from_question_to_question_and_keeps_what_was_made():
    play = a_match()
    asked = [(play.number, kinds(play))]
    for seat, text in (*AT_THE_OFFERS, (1, "2"), (2, "0"), (2, "home")):
        assert play.submit(seat, text) == (text,)
        asked.append((play.number, kinds(play)))
    offer = (4, {1: "offer", 2: "offer"})
    assert asked == [(1, {1: "first"}), (2, {1: "second"}), (3, {1: "rest"}), offer, offer, (5, {2: "home"}), (5, {})]
    assert play.over
    assert play.moves[2:] == [
        Made(3, Seat(1), "rest", False),
        Made(4, Seat(1), "2", False),
        Made(4, Seat(2), "0", False),
        Made(5, Seat(2), "home", False),
    ]
    assert play.marks == [0, 1, 2, 3, 4, 4, 5]


def test_several_moves_are_made_at_once():
    play = a_match()
    assert play.submit(1, "GO; look") == ("go", "look")
    assert kinds(play) == {1: "rest"}
    assert [made.shows for made in play.moves] == [False, True]
    assert told(play.table.log) == ["Ann go", "Ann look"]


@pytest.mark.parametrize(
    ("moves", "submission", "why"),
    [
        ((), "look; go", "“look” shows you something new: send it alone, then decide on."),
        ((), "go; fly", "Nobody can fly."),
        ((), "go; swim", "“swim” is not possible here."),
        (AT_THE_OFFERS[:2], "rest; 2; 1", "After “2” the others have to answer first."),
        (AT_THE_OFFERS[:2], "rest; go", "“go” is not possible here."),
    ],
)
def test_of_several_moves_all_are_made_or_none(moves: Any, submission: str, why: str):
    play = a_match(*moves, seats=3)
    before = play.digest(), play.version, dict(play.sealed)
    for attempt in (play.submit, play.preview):
        with pytest.raises(Refused) as refused:
            attempt(1, submission)
        assert refusal(refused) == why
        assert (play.digest(), play.version, play.sealed) == before


def test_nothing_can_follow_on_the_last_sealed_answer_of_whoever_is_not_asked_then():
    play = a_match(*AT_THE_OFFERS, (2, "1"))
    with pytest.raises(NotAsked) as refused:
        play.submit(1, "2; 0")
    assert refusal(refused) == "It is not your turn: the match waits for Ben."
    assert play.submit(1, "2") == ("2",)


def test_the_last_sealed_answer_can_be_followed_by_the_own_turn():
    play = a_match(*AT_THE_OFFERS, (1, "1"))
    assert play.submit(2, "2; home") == ("2", "home")
    assert play.over


def test_whoever_is_not_asked_hears_for_whom_the_match_waits():
    play = a_match(*AT_THE_OFFERS, (3, "1"), seats=3)
    assert play.waiting_for() == (1, 2)
    play.answer(1, "0")
    play.answer(2, "0")
    for deed in (play.decision, lambda seat: play.answer(seat, "home")):
        with pytest.raises(NotAsked) as refused:
            deed(3)
        assert refusal(refused) == "It is not your turn: the match waits for Ben."
    play.answer(2, "home")
    with pytest.raises(NotAsked) as refused:
        play.decision(2)
    assert refusal(refused) == "The match is over."


# Sealed answers


def test_answers_of_several_stay_sealed_until_the_last_is_in_and_count_as_moves_made():
    play = a_match(*AT_THE_OFFERS, (2, "1"))
    assert (play.sealed, play.version, len(play.moves)) == ({2: "1"}, 4, 3)
    play.answer(2, "2")
    assert (play.sealed, play.version) == ({2: "2"}, 4)
    play.answer(1, "0")
    assert (play.sealed, play.version, len(play.moves)) == ({}, 5, 5)
    assert told(play.table.log)[-1] == "offers: 0, 2"


def test_a_sealed_answer_is_taken_back_while_others_choose():
    play = a_match(*AT_THE_OFFERS, (2, "1"))
    play.withdraw(2)
    assert (play.sealed, play.waiting_for()) == ({}, (1, 2))
    with pytest.raises(Refused) as refused:
        play.withdraw(2)
    assert refusal(refused) == "You have no sealed answer to take back."


# Taking back


@pytest.mark.parametrize(
    ("moves", "seat", "why"),
    [
        ((), 1, "Your last move is not the last one of the match; it can no longer be taken back."),
        (AT_THE_OFFERS, 2, "Your last move is not the last one of the match; it can no longer be taken back."),
        (AT_THE_OFFERS, 1, "Your turn was handed over; it can no longer be taken back."),
        (((1, "look"),), 1, "Your last move showed you something new; it can no longer be taken back."),
    ],
)
def test_a_move_is_not_taken_back_when_others_or_the_own_eyes_came_next(moves: Any, seat: int, why: str):
    play = a_match(*moves)
    reason = play.undo_refusal(seat)
    assert reason
    assert say(reason, None, NAMES) == why
    with pytest.raises(Refused) as refused:
        play.undone(seat)
    assert refusal(refused) == why


def test_the_last_move_is_taken_back_and_what_was_sealed_too():
    play = a_match((1, "go"), (1, "go"))
    assert play.undo_refusal(1) is None
    assert play.undone(1).moves == play.moves[:1]
    sealed = a_match(*AT_THE_OFFERS, (1, "1"), (2, "2"), seats=3)
    before = sealed.undone(1)
    assert (before.sealed, sealed.sealed) == ({2: "2"}, {1: "1", 2: "2"})
    assert (before.names, before.waiting_for()) == (["Ann", "Ben", "Cat"], (1, 3))


def test_an_earlier_position_has_no_sealed_answers():
    play = a_match(*AT_THE_OFFERS, (2, "1"))
    assert (play.at(3).sealed, play.at(1).number, play.at(0).marks) == ({}, 2, [0])
    assert play.copy().sealed == {2: "1"}


# Previews


def test_a_preview_shows_all_moves_of_the_submission_and_changes_nothing():
    play = a_match((1, "go"))
    preview = play.preview(1, "GO; rest")
    assert preview.texts == ("go", "rest")
    assert told(preview.says) == ["To go.", "To rest."]
    assert told(preview.told) == ["Ann go", "Ann rests"]
    assert preview.position == {"told": ["Ann go", "Ann go", "Ann rests"], "own": None}
    assert not preview.shows
    assert (play.version, kinds(play), play.sealed) == (1, {1: "second"}, {})


def test_a_preview_stops_before_something_new_is_seen():
    preview = a_match().preview(1, "go; look", follow=True)
    assert (preview.texts, preview.shows) == (("go", "look"), True)
    assert preview.position["told"] == ["Ann go"]


def test_a_preview_of_a_sealed_answer_shows_it_to_the_own_eyes_alone():
    play = a_match(*AT_THE_OFFERS, (2, "1"))
    preview = play.preview(1, "2", follow=True)
    assert preview.position == {"told": ["Ann go", "Ann go", "Ann rests"], "own": "2"}
    assert (preview.texts, preview.told, preview.shows) == (("2",), (), False)
    assert play.sealed == {2: "1"}


def test_a_preview_follows_while_the_same_seat_has_one_answer_only():
    play = a_match()
    assert play.preview(1, "go", follow=True).texts == ("go",)
    followed = play.preview(1, "go; go", follow=True)
    assert followed.texts == ("go", "go", "rest")
    assert told(followed.says) == ["To go.", "To go.", "To rest."]
    assert play.preview(1, "go; go").texts == ("go", "go")
    assert a_match(*AT_THE_OFFERS, (1, "0"), (2, "0")).preview(2, "home", follow=True).texts == ("home",)


# What a viewer gets


def test_a_position_as_json_is_in_the_eyes_of_its_viewer():
    play = a_match((1, "go"))
    secret = play.table.hide("second", "something", "errand")
    secret.show(1)
    decision = choice("second", "go", "look")
    decision.prompt = Sentence("{what}?", {"what": secret})
    play.question = {Seat(1): decision}
    told_to = {viewer: position_json(play, viewer) for viewer in (1, 2, None, "host")}
    assert told_to[1] == {
        "format": "estafette-position/1",
        "game": "errand",
        "options": {"way": "road", "far": False},
        "players": ["Ann", "Ben"],
        "viewer": 1,
        "version": 1,
        "position": {"told": ["Ann go"], "own": None},
        "decisions": [{"seat": 1, "kind": "second", "prompt": "second?", "moves": ["go", "look"]}],
        "outcome": None,
        "log": ["Ann go"],
    }
    asked = {viewer: told["decisions"][0] for viewer, told in told_to.items()}
    assert {viewer: each["prompt"] for viewer, each in asked.items()} == {
        1: "second?",
        2: "something?",
        None: "something?",
        "host": "second?",
    }
    assert [viewer for viewer, each in asked.items() if each["moves"] is None] == [2, None]
    over = a_match(*AT_THE_OFFERS, (1, "0"), (2, "0"), (2, "home"))
    assert position_json(over, None)["outcome"] == {"scores": [], "winners": [2]}


def test_the_log_is_read_from_one_move_to_another():
    play = a_match(*AT_THE_OFFERS)
    whole = ("Ann go", "Ann go", "Ann rests")
    assert log_of(play, 1) == log_of(play, 1, since=0) == log_of(play, 1, until=3) == log_of(play, 1, until=9) == whole
    assert log_of(play, 1, since=1) == whole[1:]
    assert log_of(play, 1, since=1, until=2) == whole[1:2]
    assert log_of(play, 1, until=0) == log_of(play, 1, since=9) == ()
    secret = play.table.hide("wine", "a bottle", "errand")
    secret.show(1)
    play.table.tell("{seat} hides {what}", seat=Seat(1), what=secret)
    assert [log_of(play, viewer)[-1] for viewer in (1, 2)] == ["Ann hides wine", "Ann hides a bottle"]
    assert log_of(play, 1, speech=Speech(word=str.upper))[-1] == "Ann hides WINE"

"""What holds for every game, with every number of seats and all options."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from collections import Counter
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from server.rules import GAMES
from server.rules.asking import Decision, Refused, lines_of
from server.rules.chance import Recorded, Seeded
from server.rules.playing import Game, Made, NotAsked, Play
from server.rules.record import read_record, replay
from server.rules.showing import english_of, log_of, position_json, sayer
from server.rules.telling import HOST, Sentence, say
from tests.rules.fair_check import ascending
from tests.rules.matches import (
    CASES,
    MATCHES,
    NAMES,
    Case,
    Leaky,
    a_record,
    beside,
    different,
    fingerprint,
    leaks,
    outputs,
    pairs,
    played,
    state,
    steps,
    viewers,
)
from tests.rules.test_paragraphs import paragraphs, rules_of

ROOT = Path(__file__).parents[2]
LONG_NAMES = (
    "Maximiliane von Hohenburg-Freudenfeld zu Aulendorf",
    "Q",
    "A,B. C",
    "1",
    "{seat}",
    "Ann Ann",
    "O’Neil",
    "Ø",
)


def first_of_its_game(case: Case) -> bool:
    return case == next(each for each in CASES if each.game is case.game)


every_case = pytest.mark.parametrize(
    "case",
    [pytest.param(case, marks=() if first_of_its_game(case) else pytest.mark.slow, id=str(case)) for case in CASES],
)
every_game = pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)


# What a game says of itself


@every_game
def test_a_game_says_what_it_is(game: Game):
    assert GAMES[game.name] is game
    assert 2 <= game.least_seats <= game.most_seats <= 8
    assert game.title
    assert game.edition
    assert game.rules
    assert len(set(game.kinds)) == len(game.kinds) > 0
    assert all(len(option.values) > 1 and option.about.endswith(".") for option in game.options)


@every_game
def test_a_wrong_number_of_seats_is_refused(game: Game):
    for seats in (game.least_seats - 1, game.most_seats + 1, 0):
        with pytest.raises(ValueError, match=f"{game.least_seats} to {game.most_seats}"):
            Play(game, seats, chance=Seeded("seed"))


# What is offered


def spellings(text: str) -> list[str]:
    """Other ways to write a move that are forgiven."""
    return [
        text.upper(),
        text.lower(),
        f"  {text.replace(' ', '    ')}\t",
        text.replace(" ", ", "),
        text.replace(" ", "\u00a0"),
        f"{text}.",
        text.replace("-", "−"),
        text.replace("-", "–").title(),
        text.replace(" ", " \u200b"),
    ]


@every_case
def test_what_is_offered_reads_back_and_is_said(case: Case):
    luck = random.Random(str(case))
    play = case.play("offers")
    for _ in steps(play, luck):
        for seat, decision in play.question.items():
            answers = decision.answers()
            assert decision.kind in case.game.kinds
            assert len(set(answers)) == len(answers) > 0
            for answer in luck.sample(list(answers), min(3, len(answers))):
                assert decision.read(answer) == answer
                for spelling in spellings(answer):
                    assert decision.read(spelling) == answer
                assert is_a_sentence(say(decision.say(answer), seat, play.names, english_of(case.game)))


@every_case
def test_what_is_offered_is_accepted(case: Case):
    luck = random.Random(str(case))
    play = case.play("accepted")
    for number in steps(play, luck):
        if number % 17 == 0:
            for seat in play.waiting_for():
                for answer in luck.sample(list(play.decision(seat).answers()), 1):
                    after = play.copy()
                    assert after.submit(seat, answer) == (answer,)
                    assert after.version == play.version + 1


def is_a_sentence(text: str) -> bool:
    return len(text) > 8 and text[-1] in ".?!”" and not text[0].islower()


# What is refused


@cache
def samples(name: str) -> list[Play]:
    """Matches of a game, each stopped somewhere."""
    luck = random.Random(name)
    some = [case for case in CASES if case.game.name == name]
    stopped = [played(case, number, most=luck.randint(1, 120)) for number, case in enumerate(some * 2)]
    return [play for play in stopped if not play.over]


@cache
def vocabulary(name: str) -> list[str]:
    """All words that occur in moves, and some that never do."""
    words = {
        word
        for play in samples(name)
        for decision in play.question.values()
        for answer in decision.answers()
        for word in answer.split()
    }
    strange = [
        "0",
        "-1",
        "99",
        "1.13",
        "½",
        "²",
        "٣",
        "lose",
        "end",
        "pass",
        "stay",
        "take",
        "to",
        "seat",
        "Ann",
        "ben",
    ]
    return [*sorted(words), *strange]


def changed(draw: st.DrawFn, answer: str, words: list[str]) -> str:
    """A move with something changed in it."""
    parts = answer.split()
    place = draw(st.integers(0, len(parts) - 1))
    how = draw(st.sampled_from(["drop", "double", "other", "more", "swap", "letter", "cut"]))
    if how == "drop":
        del parts[place]
    elif how == "double":
        parts.insert(place, parts[place])
    elif how == "other":
        parts[place] = draw(st.sampled_from(words))
    elif how == "more":
        parts.append(draw(st.sampled_from(words)))
    elif how == "swap":
        parts[0], parts[place] = parts[place], parts[0]
    elif how == "letter":
        parts[place] += draw(st.characters(exclude_categories=["Cs"]))
    else:
        parts[place] = parts[place][:-1]
    return " ".join(parts)


@st.composite
def attempts(draw: st.DrawFn, name: str) -> tuple[Play, int, str]:
    """A match, a seat that is asked, and something that it might write."""
    play = draw(st.sampled_from(samples(name)))
    seat = draw(st.sampled_from(play.waiting_for()))
    words = vocabulary(name)
    kind = draw(st.sampled_from(["changed", "changed", "words", "text"]))
    if kind == "changed":
        some = draw(st.sampled_from(samples(name)))
        decision = draw(st.sampled_from([play.decision(seat), *some.question.values()]))
        return play, seat, changed(draw, draw(st.sampled_from(list(decision.answers()))), words)
    if kind == "words":
        return play, seat, " ".join(draw(st.lists(st.sampled_from(words), max_size=6)))
    return play, seat, draw(st.text(max_size=60))


@pytest.mark.slow
@pytest.mark.parametrize("name", GAMES)
@settings(max_examples=250, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_anything_else_is_refused_with_a_sentence_and_changes_nothing(name: str, data: st.DataObject):
    play, seat, text = data.draw(attempts(name))
    decision = play.decision(seat)
    before = state(play)
    try:
        meant = decision.read(text)
    except Refused as refused:
        check_refusal(play, seat, refused)
        if len(lines_of(text)) == 1:
            with pytest.raises(Refused):
                play.submit(seat, text)
            with pytest.raises(Refused):
                play.preview(seat, text)
    else:
        assert meant in decision.answers()
    assert state(play) == before


def check_refusal(play: Play, seat: int, refused: Refused) -> None:
    assert isinstance(refused.why, Sentence)
    assert is_a_sentence(say(refused.why, seat, play.names, english_of(play.game)))
    if refused.rule is not None:
        game, _, number = refused.rule.partition(" ")
        assert game == play.game.name
        assert number in paragraphs(rules_of(game))


@every_case
def test_whoever_is_not_asked_is_refused(case: Case):
    play = played(case, "not asked", most=20)
    before = state(play)
    asked = play.decision(play.waiting_for()[0])
    for seat in set(play.seats) - set(play.question):
        for text in (asked.answers()[0], "end", ""):
            with pytest.raises(NotAsked) as refused:
                play.submit(seat, text)
            check_refusal(play, seat, refused.value)
    assert state(play) == before


@every_case
def test_a_submission_is_played_whole_or_not_at_all(case: Case):
    luck = random.Random(str(case))
    play = case.play("whole")
    for number in steps(play, luck):
        if number % 23 == 0 and not play.over:
            seat = play.waiting_for()[0]
            before = state(play)
            with pytest.raises(Refused) as refused:
                play.submit(seat, f"{play.decision(seat).answers()[-1]}; nonsense")
            check_refusal(play, seat, refused.value)
            assert state(play) == before


@every_case
def test_when_the_match_is_over_nobody_is_asked(case: Case):
    play = played(case, "over")
    for seat in play.seats:
        with pytest.raises(NotAsked) as refused:
            play.submit(seat, "end")
        assert refused.value.why.template == "The match is over."


# Matches


@every_case
def test_no_match_comes_to_a_dead_end(case: Case):
    for number in range(MATCHES):
        play = played(case, number)
        outcome = play.outcome()
        assert outcome is not None
        assert [score.seat for score in outcome.scores] == list(play.seats)
        assert all(sum(score.parts.values()) == score.total for score in outcome.scores)
        assert outcome.winners
        assert set(outcome.winners) <= set(play.seats)
        assert list(outcome.winners) == sorted(outcome.winners)


@every_case
def test_there_is_no_outcome_before_the_end(case: Case):
    play = case.play("outcome")
    for _ in steps(play, random.Random(1)):
        assert (play.outcome() is None) == (not play.over)


@every_case
def test_a_shuffle_gets_its_things_in_an_order_that_tells_nothing(case: Case):
    """What is handed over comes in an order that only depends on which things they are; and is never nothing."""

    class Watched(Seeded):
        def shuffle(self, name: str, things: Any) -> list[str]:
            assert things
            handed_over.setdefault((name, frozenset(Counter(things).items())), set()).add(tuple(things))
            assert list(things) == ascending(things), "the description of the shuffles says so"
            return super().shuffle(name, things)

    handed_over: dict[tuple[str, frozenset[tuple[str, int]]], set[tuple[str, ...]]] = {}
    for seed in range(2):
        play = Play(case.game, case.seats, dict(case.options), chance=Watched(str(seed)))
        for _ in steps(play, random.Random(seed)):
            pass
    assert all(len(orders) == 1 for orders in handed_over.values())


@every_case
def test_replay_equals_play(case: Case):
    play = played(case, "replay", most=150)
    recorded = Play(
        case.game, case.seats, dict(case.options), chance=Recorded(play.chance.orders), names=NAMES[: case.seats]
    )
    for made in play.moves:
        recorded.answer(made.seat, made.text)
    for seat, text in play.sealed.items():
        recorded.answer(seat, text)
    assert fingerprint(recorded) == fingerprint(play)
    assert recorded.moves == play.moves
    assert recorded.chance.orders == play.chance.orders
    assert fingerprint(replay(read_record(a_record(play)))) == fingerprint(play)


@pytest.mark.slow
@every_game
@pytest.mark.parametrize("hash_seed", ["0", "4711"])
def test_replay_equals_play_in_a_fresh_process_with_another_hash_seed(game: Game, hash_seed: str):
    cases = [case for case in CASES if case.game is game]
    plays = [played(case, "fresh", most=20 + 5 * number) for number, case in enumerate(cases)]
    fresh = subprocess.run(
        [sys.executable, "-m", "tests.rules.matches"],
        input="\n".join(map(a_record, plays)),
        env={**os.environ, "PYTHONHASHSEED": hash_seed},
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    assert fresh.stdout.split() == [fingerprint(play) for play in plays]


@every_case
def test_a_copy_and_every_earlier_position_agree_with_what_was(case: Case):
    luck = random.Random(str(case))
    play = case.play("at")
    digests = {0: play.digest()}
    for number in steps(play, luck):
        digests[len(play.moves)] = play.digest() if not play.sealed else digests.get(len(play.moves), "")
        if number > 80:
            break
    before = state(play)
    copy = play.copy()
    assert state(copy) == before
    assert fingerprint(copy) == fingerprint(play)
    for moves in luck.sample(sorted(digests), min(5, len(digests))):
        if digests[moves]:
            assert play.at(moves).digest() == digests[moves]
    for _ in zip(steps(copy, luck), range(3), strict=False):
        pass
    assert state(play) == before


@every_case
def test_what_is_taken_back_is_as_it_was_and_can_be_done_again(case: Case):
    luck = random.Random(str(case))
    play = case.play("undo")
    taken_back = refused = 0
    for number in steps(play, luck):
        if number > 150:
            break
        for seat in play.seats:
            before = state(play)
            reason = play.undo_refusal(seat)
            if reason is not None:
                refused += 1
                assert is_a_sentence(say(reason, seat, play.names, english_of(case.game)))
                with pytest.raises(Refused):
                    play.undone(seat)
            elif luck.random() < 0.3:
                taken_back += 1
                text = play.sealed.get(seat) or play.moves[-1].text
                undone = play.undone(seat)
                assert undone.version == play.version - 1
                assert seat in undone.waiting_for()
                undone.submit(seat, text)
                assert state(undone) == before
            assert state(play) == before
    assert refused


@every_case
def test_nothing_is_taken_back_behind_what_somebody_saw_or_was_asked(case: Case):
    play = case.play("behind")
    for number in steps(play, random.Random(3)):
        if number > 60:
            break
        last = play.moves[-1] if play.moves else None
        for seat in play.seats:
            if last and play.undo_refusal(seat) is None and seat not in play.sealed:
                assert last.seat == seat
                assert not last.shows
                assert tuple(play.question) == (seat,)


# Previews


@every_case
def test_a_preview_changes_nothing_and_shows_what_then_happens(case: Case):
    luck = random.Random(str(case))
    play = case.play("preview")
    for number in steps(play, luck):
        if number > 120:
            break
        if number % 12 or play.over:
            continue
        seat = luck.choice(play.waiting_for())
        answer = luck.choice(play.decision(seat).answers())
        before, seen = state(play), fingerprint(play)
        preview = play.preview(seat, answer)
        assert state(play) == before
        assert fingerprint(play) == seen
        assert preview.texts == (answer,)
        for told in (*preview.told, *preview.says):
            assert say(told, seat, play.names, english_of(case.game))
        assert case.game.words(preview.position, play.names, seat)
        after = play.copy()
        after.submit(seat, answer)
        goes_on = len(play.question) == 1 or len(play.waiting_for()) > 1
        if goes_on and not preview.shows:
            assert preview.position == after.position(seat)
        if len(play.question) == 1:
            assert preview.shows == after.moves[-1].shows


# Secrets


@every_case
def test_what_goes_out_does_not_depend_on_what_the_viewer_has_not_seen(case: Case):
    luck = random.Random(str(case))
    play = case.play("twin")
    for number in steps(play, luck):
        if number > 160:
            break
        if number % 19 == 0:
            seen = {viewer: parts for viewer, parts in leaks(play, luck).items() if parts}
            assert seen == {}, f"after {play.moves[-3:]}"


@every_case
def test_what_goes_out_at_the_end_does_not_depend_on_what_stays_secret(case: Case):
    luck = random.Random(str(case))
    play = played(case, "end")
    assert not any(leaks(play, luck).values())


@every_case
def test_another_deal_looks_the_same_until_somebody_sees_it(case: Case):
    """What differs first, differs for those who then came to know something hidden, and for nobody else."""
    luck = random.Random(str(case))
    play = played(case, "deals", most=60)
    looked = 0
    for pair in pairs(play, luck, tries=8):
        looked += 1
        assert pair.leaks == {}, f"after {pair.move}"
        if pair.move:
            one, other = (match.at(len(match.moves) - 1) for match in (pair.ours, pair.theirs))
            if len(one.question) == 1:
                assert previewed(one, pair.move) == previewed(other, pair.move)
    assert looked


@every_case
def test_a_preview_is_the_same_for_a_player_who_cannot_tell_two_deals_apart(case: Case):
    """Also of the move that ends the match."""
    luck = random.Random(str(case))
    play = played(case, "preview deals")
    looked = 0
    for number in range(60):
        if looked == 5:
            break
        moves = len(play.moves) - 1 if number % 2 else luck.randrange(len(play.moves))
        both = beside(play, moves, luck)
        move = play.moves[moves]
        if both and not different(*both, int(move.seat)):
            looked += 1
            assert previewed(both[0], move) == previewed(both[1], move), f"of {move}"
    assert looked


def previewed(play: Play, move: Made) -> str:
    """A preview of a move, as text."""
    preview = play.preview(move.seat, move.text)
    told = [say(each, int(move.seat), NAMES, english_of(play.game)) for each in (*preview.told, *preview.says)]
    return json.dumps([preview.position, preview.shows, told])


@every_game
@pytest.mark.parametrize("part", ["position", "log"])
def test_the_tests_of_secrecy_notice_a_leak(game: Game, part: str):
    case = next(case for case in CASES if case.game is game)
    play = played(Case(Leaky(game, part), case.seats, case.options), "leak", most=40)
    luck = random.Random(1)
    if part == "position":
        assert all({"position", "words"} <= set(parts) for parts in leaks(play, luck).values())
    else:
        noticed = [pair.leaks for pair in pairs(play, luck, tries=10)]
        assert any("log" in parts for each in noticed for parts in each.values())


@every_game
@pytest.mark.parametrize("part", ["prompt", "listing", "saying"])
def test_the_tests_of_secrecy_look_at_questions_too(game: Game, part: str):
    case = next(case for case in CASES if case.game is game)
    play = played(case, "question", most=30)
    (seat, *_) = play.waiting_for()
    decision = play.question[seat]

    def seen(front: str) -> dict[str, str]:
        leaky = Decision(
            decision.kind,
            Sentence(front) if part == "prompt" else decision.prompt,
            listing=lambda: [front] if part == "listing" else decision.answers(),
            reading=str,
            saying=lambda answer: Sentence(front) if part == "saying" else Sentence("a move"),
        )
        play.question = {**play.question, seat: leaky}
        return outputs(play, int(seat))

    assert seen("one") != seen("another")
    assert seen("one") == seen("one")


@every_case
def test_a_sealed_answer_shows_nobody_else_what_it_is(case: Case):
    luck = random.Random(str(case))
    play = case.play("sealed")
    looked = 0
    for _ in steps(play, luck):
        waiting = play.waiting_for()
        if len(waiting) < 2 or looked > 3:
            continue
        seat = luck.choice(waiting)
        answers = play.decision(seat).answers()
        if len(answers) < 2:
            continue
        looked += 1
        sealed = []
        for answer in (answers[0], answers[-1]):
            after = play.copy()
            after.submit(seat, answer)
            sealed.append(after)
        for viewer in viewers(play):
            if viewer != seat:
                assert different(sealed[0], sealed[1], viewer) == []


@every_case
def test_positions_hold_only_data(case: Case):
    play = case.play("data")
    for number in steps(play, random.Random(5)):
        if number % 25 == 0 or play.over:
            for viewer in (*viewers(play), HOST):
                position = play.position(viewer)
                assert json.loads(json.dumps(position)) == position
                told = position_json(play, viewer)
                assert json.loads(json.dumps(told)) == told


def test_a_hidden_thing_has_no_json_form_and_its_repr_is_its_back():
    play = CASES[0].play("repr")
    secret = play.table.secrets[0]
    assert str(secret.front) not in repr(secret)
    with pytest.raises(TypeError):
        json.dumps({"secret": secret})


# Words


@every_case
def test_no_line_of_the_words_is_wider_than_40_columns(case: Case):
    for names in (NAMES, LONG_NAMES):
        play = case.play("words", names=names)
        for number in steps(play, random.Random(7)):
            if number % 11 == 0:
                for viewer in (*viewers(play), HOST):
                    lines = case.game.words(play.position(viewer), play.names, viewer)
                    assert lines
                    assert [line for line in lines if len(line) > 40 or "\n" in line] == []


@every_case
def test_prompts_and_log_can_be_read_by_everybody(case: Case):
    play = case.play("log", names=LONG_NAMES)
    for number in steps(play, random.Random(9)):
        if number % 5 == 0:
            for viewer in (*viewers(play), HOST):
                read = sayer(play, viewer)
                assert all(is_a_sentence(read(decision.prompt)) for decision in play.question.values())
    for viewer in (*viewers(play), HOST):
        lines = log_of(play, viewer)
        assert len(lines) == len(play.table.log)
        assert all(len(line) > 3 for line in lines)


@every_case
def test_the_log_only_grows_and_stays_as_it_was_read(case: Case):
    """A sentence reads the same to a reader for as long as the match lasts."""
    play = case.play("grows")
    read: dict[Any, tuple[str, ...]] = dict.fromkeys(viewers(play), ())
    for number in steps(play, random.Random(11)):
        if number > 150:
            break
        if number % 10 == 0:
            for viewer in viewers(play):
                lines = log_of(play, viewer)
                assert lines[: len(read[viewer])] == read[viewer]
                read[viewer] = lines


@every_case
def test_every_move_but_a_sealed_one_is_in_the_log(case: Case):
    play = case.play("told")
    luck = random.Random(13)
    for _ in range(40):
        if play.over:
            break
        before, sealed = len(play.table.log), len(play.sealed)
        seat = luck.choice(play.waiting_for())
        play.answer(seat, luck.choice(play.decision(seat).answers()))
        if not sealed and not play.sealed:
            assert len(play.table.log) > before


@every_game
def test_the_rules_are_there_to_read(game: Game):
    text = (resources.files(f"server.rules.{game.name}") / "rules.md").read_text(encoding="utf-8")
    assert text.startswith("# ")
    assert "house" in text

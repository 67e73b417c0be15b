"""What is secret (9.1), how moves are written (10.1), and the position in JSON and in words."""

import json
import random
import re
from collections import defaultdict
from typing import Any

import pytest

from server.rules.asking import Decision, Refused
from server.rules.chance import Recorded, Seeded
from server.rules.crusade import GAME
from server.rules.hidden import Hidden
from server.rules.playing import Play
from server.rules.showing import english_of, log_of, position_json
from server.rules.telling import Viewer, say
from tests.rules.crusade.builders import (
    NAMES,
    a_match,
    a_table,
    action_of,
    asked,
    play_until,
    played_at_random,
    step_at_random,
    told,
)

LONG_NAMES = ("Maximiliane von Hohenburg-Freudenfeld", "Ben", "A,B. C", "Dan", "Eve", "Fay", "Gus", "Hal")


def seen_by(match: Play, viewer: Viewer) -> str:
    """All that a viewer can get hold of."""
    position = position_json(match, viewer)
    words = GAME.words(position["position"], match.names, viewer)
    return json.dumps([position, words], ensure_ascii=False)


def exchange_what_is_hidden(match: Play, viewer: Viewer, luck: random.Random) -> bool:
    """Exchange all fronts that the viewer has not seen, within their groups; whether anything changed."""
    groups: dict[str, list[Any]] = defaultdict(list)
    for card in match.table.secrets:
        if not card.known_to(viewer):
            groups[card.group].append(card)
    changed = False
    for cards in groups.values():
        fronts = [card.front for card in cards]
        luck.shuffle(fronts)
        for card, front in zip(cards, fronts, strict=True):
            changed = changed or card.front != front
            card.front = front
    return changed


@pytest.mark.slow
@pytest.mark.rule("crusade 9.1")
@pytest.mark.parametrize("events", ["off", "on", "history"])
@pytest.mark.parametrize("seats", [3, 5, 8])
def test_nothing_that_a_viewer_sees_depends_on_what_the_viewer_has_not_seen(seats: int, events: str):
    for seed in range(4):
        luck = random.Random(seed)
        match = played_at_random(seats, events, seed, most=luck.randrange(seats, 20 * seats))
        for viewer in (None, *range(1, seats + 1)):
            other = match.copy()
            assert exchange_what_is_hidden(other, viewer, luck)
            assert seen_by(other, viewer) == seen_by(match, viewer)


@pytest.mark.rule("crusade 9.1")
def test_in_a_match_with_events_in_their_order_only_the_last_six_are_unknown():
    match = a_match(3, events="history")
    play_until(match, "pawn")
    deck = match.table.events
    assert [card.known_to(None) for card in deck] == [False] * 6 + [True] * 11
    match = a_match(3, events="on")
    play_until(match, "pawn")
    assert not any(card.known_to(1) for card in match.table.events)


@pytest.mark.rule("crusade 9.1")
def test_a_position_shows_own_secrets_to_the_seat_and_the_host_alone():
    match = a_match(4)
    play_until(match, "contribution")
    secrets = {"hand", "counselor_names", "sealed"}
    for viewer in (None, 1, 2, 3, 4, "host"):
        for number, seat in enumerate(match.position(viewer)["seats"], start=1):
            assert set(seat) & secrets == (secrets if viewer in (number, "host") else set())


@pytest.mark.rule("crusade 9.1")
def test_a_sealed_answer_is_seen_by_its_seat_and_the_host_alone():
    match = a_match(3)
    play_until(match, "contribution")
    before = {viewer: seen_by(match, viewer).replace(f'"version": {match.version}', "") for viewer in (None, 1, 3)}
    text = match.decision(2).answers()[0]
    match.submit(2, text)
    for viewer, seen in before.items():
        assert seen_by(match, viewer).replace(f'"version": {match.version}', "") == seen
    assert match.position(2)["seats"][1]["sealed"] == text
    assert match.position("host")["seats"][1]["sealed"] == text
    assert f"sealed answer: {text}" in " ".join(GAME.words(match.position(2), NAMES[:3], 2)).replace("   ", " ")


@pytest.mark.rule("crusade 9.1")
def test_a_card_of_a_hand_is_known_to_its_holder_alone_also_when_it_was_taken_openly():
    table = a_table(hands={1: "red blue"}, supply="green")
    table.draw(table.seats[1], 1)
    for seat, hand in table.hands.items():
        assert all(card.known_to(seat) for card in hand)
        assert not any(card.known_to(other) for card in hand for other in (None, *table.seats) if other != seat)


@pytest.mark.rule("crusade 9.1")
def test_each_hidden_part_of_the_log_is_read_by_one_seat():
    match = played_at_random(5, "on", 6)
    hidden = [part for line in match.table.log for part in line.parts.values() if isinstance(part, Hidden)]
    assert len(hidden) > 40
    for part in hidden:
        assert not part.known_to(None)
        assert sum(part.known_to(seat) for seat in match.seats) == 1


@pytest.mark.rule("crusade 9.1")
def test_the_supply_is_known_to_nobody():
    match = played_at_random(4, "off", 2, most=60)
    assert not any(card.known_to(viewer) for card in match.table.supply for viewer in (None, 1, 2, 3, 4))


@pytest.mark.rule("crusade 9.1")
def test_a_preview_stops_before_a_draw():
    match = a_match(3)
    for text in ("loyal john", "loyal richard", "loyal john", "pawn merchant", "pawn spy", "pawn regent take red"):
        match.submit(match.waiting_for()[0], text)
    before = match.position(1)["seats"][0]
    preview = match.preview(1, "stock")
    after = preview.position["seats"][0]
    assert preview.shows
    assert after["hand"] == {**before["hand"], "blue": before["hand"]["blue"] + 2}
    assert preview.position["supply"] == match.position(1)["supply"]


@pytest.mark.rule("crusade 9.1")
def test_a_preview_of_a_contribution_shows_it_sealed():
    match = a_match(3)
    play_until(match, "contribution")
    text = match.decision(1).answers()[0]
    preview = match.preview(1, text)
    assert not preview.shows
    assert preview.position["seats"][0]["sealed"] == text
    assert match.position(1)["seats"][0]["sealed"] is None


@pytest.mark.rule("crusade 9.1")
def test_a_preview_of_the_last_contribution_turns_nothing_up():
    """Only one seat has more than two cards: its answer would end the round."""
    match = a_match(3)
    play_until(match, "contribution")
    for seat in (2, 3):
        match.submit(seat, match.decision(seat).answers()[0])
    turned_up = match.position(1)["turned_up"]
    preview = match.preview(1, match.decision(1).answers()[0])
    assert preview.position["turned_up"] == turned_up
    assert not any("Turned up" in sentence.template for sentence in preview.told)


@pytest.mark.rule("crusade 9.1")
def test_a_refusal_names_no_secret_of_another_seat():
    match = a_match(3)
    for text in ("loyal john", "loyal richard", "loyal john", "pawn merchant", "pawn spy", "pawn regent take red"):
        match.submit(match.waiting_for()[0], text)
    names = (
        match.position("host")["seats"][1]["counselor_names"] + match.position("host")["seats"][2]["counselor_names"]
    )
    for text in ("play nobody", "play", "trade 2", "spy 2 red", "offer 3", "send red red", ""):
        with pytest.raises(Refused) as refused:
            match.submit(1, text)
        sentence = say(refused.value.why, 1, match.names, english_of(GAME))
        assert not any(name in sentence for name in names)


@pytest.mark.rule("crusade 10.1")
def test_players_are_named_by_number_or_by_name():
    table, script = action_of(1, "spy", "purple purple")
    table.names = ("Ann", "Red Bess", "A,B. C")
    decision = asked(script)
    assert decision.read("spy 2 red") == "spy 2 red"
    assert decision.read("Spy red bess red") == "spy 2 red"
    assert decision.read("spy a,b. c blue.") == "spy 3 blue"


@pytest.mark.rule("crusade 10.1")
def test_case_blanks_commas_and_a_full_stop_are_forgiven():
    _, script = action_of(1, "merchant", "", counselors={1: ["Joan of Sicily", "Peter of Blois"]})
    decision = asked(script)
    assert decision.read("PLAY  joan of sicily, red, blue.") == "play Joan of Sicily blue red"
    assert decision.read("play peter of blois ben") == "play Peter of Blois 2"
    assert decision.read("Stock.") == "stock"


@pytest.mark.slow
@pytest.mark.rule("crusade 10.1")
def test_every_answer_is_read_as_itself_and_has_a_sentence():
    """Also in small letters, and none of the sentences is a mere template."""
    for seed in range(12):
        match = played_at_random(3 + seed % 6, "on", seed, most=0)
        luck = random.Random(seed)
        while not match.over:
            for decision in match.question.values():
                answers = decision.answers()
                assert len(set(answers)) == len(answers) > 0
                assert decision.kind in GAME.kinds
                for answer in answers:
                    assert decision.read(answer.upper()) == answer
                    sentence = say(decision.say(answer), 1, match.names, english_of(GAME))
                    assert "{" not in sentence
                    assert sentence.endswith(".")
            step_at_random(match, luck)


SALAD = (
    *("pawn", "take", "play", "send", "offer", "end", "loyal", "spy", "accuse", "levy", "ambush", "council", "arms"),
    *(
        "red",
        "blue",
        "pink",
        "1",
        "2",
        "3",
        "9",
        "0",
        "-1",
        "²",
        "9" * 5000,
        "Ann",
        "Ben",
        "Joan of Sicily",
        "Ambroise",
    ),
    *("master at arms", ",", ".", "{seat}", "", "\u200b", "Ⅳ"),
)


def is_read_or_refused(match: Play, decision: Decision, text: str) -> bool:
    try:
        return decision.read(text) in decision.answers()
    except Refused as refused:
        return say(refused.why, 1, match.names, english_of(GAME)) != ""


@pytest.mark.slow
@pytest.mark.rule("crusade 10.1")
def test_whatever_a_player_writes_is_read_as_a_legal_answer_or_refused():
    luck = random.Random(4)
    match = played_at_random(4, "on", 4, most=0)
    while not match.over:
        for decision in match.question.values():
            for _ in range(25):
                text = " ".join(luck.choices(SALAD, k=luck.randint(1, 5)))
                assert is_read_or_refused(match, decision, text)
        step_at_random(match, luck)


def test_the_position_has_the_form_of_the_contract():
    match = a_match(3, events="on")
    play_until(match, "contribution")
    position = match.position(2)
    assert list(position) == [
        *("tracks", "first", "turn", "phase", "reserve", "supply", "crusade_deck", "counselor_decks", "turned_up"),
        *("event", "events_left", "offers", "seats"),
    ]
    assert position["phase"] == "contributions"
    assert list(position["seats"][1]) == [
        *("loyalty", "pp", "character", "last_character", "cards", "counselors", "revealed"),
        *("hand", "counselor_names", "sealed"),
    ]
    assert list(position["seats"][1]["hand"]) == ["blue", "yellow", "purple", "white", "red", "green"]
    assert json.loads(json.dumps(position)) == position


def test_a_recorded_match_replays_to_the_same_position_from_its_seed_and_from_its_shuffles():
    for seats in (3, 8):
        match = played_at_random(seats, "on", 7)
        for chance in (Seeded("7"), Recorded(match.chance.orders)):
            again = Play(GAME, seats, {"events": "on"}, chance=chance)
            for made in match.moves:
                again.submit(made.seat, made.text)
            assert again.digest() == match.digest()
            assert log_of(again, 1) == log_of(match, 1)


def test_the_words_have_at_most_forty_columns_and_say_everything_public():
    for seed in range(6):
        seats = 3 + seed
        match = played_at_random(seats, "on", seed, most=30 + 10 * seed)
        names = LONG_NAMES[:seats]
        for viewer in (None, 1, seats, "host"):
            position = match.position(viewer)
            lines = GAME.words(position, names, viewer)
            assert max(map(len, lines)) <= 40
            assert [line for line in lines if re.search(r"(?:^|[,:] ) *\d+$", line)] == []  # numbers stay with things
            text = " ".join(" ".join(lines).split())
            for track, at in position["tracks"].items():
                assert f"{GAME.word(track)} {at}" in text
            assert f"Supply {position['supply']}, Crusade deck {position['crusade_deck']}" in text
            for seat in position["seats"]:
                assert f"cards {seat['cards']}, counselors {seat['counselors']}" in text


def test_the_words_begin_with_the_own_hand_and_tell_what_own_counselors_do():
    table = a_table(hands={2: "red red blue"}, counselors={2: ["Eleanor", "Joan of Sicily", "Peter of Blois"]})
    lines = GAME.words(GAME.position(table, 2), table.names, 2)
    text = " ".join(" ".join(lines).split())
    assert "Your hand (3): 1 blue, 2 red." in text
    assert "Your counselor Eleanor: 3 PP at the end if Treasury ≥ 8." in text
    assert "Your counselor Joan of Sicily: play: take 2 of any colours from the reserve." in text
    assert "Your counselor Peter of Blois: play: see the hand of a player and get 1 PP if it holds 3 green or" in text
    assert text.index("Your hand") < text.index("Tracks")


def test_the_words_show_open_offers():
    table, script = action_of(1, "exciseman", "yellow", hands={2: "yellow", 3: "yellow"})
    asked(script, "tax", {2: "offer 1"})
    assert "Yellow offered to the tax: Ben 1." in GAME.words(GAME.position(table, None), table.names, None)


def test_the_log_tells_of_every_card_that_changes_its_place_openly():
    """The reserve can be followed from the log alone."""
    match = played_at_random(4, "on", 11)
    text = " ".join(told(match.table))
    assert text.count("Turned up from the Crusade deck") == match.table.turn
    assert "wins with" in text or "win together" in text

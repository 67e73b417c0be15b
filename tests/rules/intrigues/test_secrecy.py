"""What nobody but its owner may know of an agent; beside the contract tests over all games."""

from __future__ import annotations

import json
import random

import pytest

from server.rules.hidden import Hidden
from server.rules.intrigues import GAME
from server.rules.intrigues.table import Agent
from server.rules.playing import Play
from server.rules.showing import english_of, position_json
from server.rules.telling import Viewer, say
from tests.rules.intrigues.builders import ANN, BEN, NAMES, a_match, a_table


def outputs(match: Play, viewer: Viewer) -> str:
    """All that a viewer gets: position, words, log, prompts, own answers."""
    position = match.position(viewer)
    return json.dumps(
        [
            position_json(match, viewer),
            position,
            GAME.words(position, match.names, viewer),
            [say(each, viewer, match.names, english_of(GAME)) for each in match.table.log],
        ]
    )


def test_a_hidden_thing_shows_its_back_and_could_be_any_of_its_kind():
    table = a_table(2, on={"R1.1": (ANN, 3)})
    kinds = {(card.group, card.back) for card in table.secrets}
    assert kinds == {
        ("agent of 1", "an agent"),
        ("agent of 2", "an agent"),
        ("agent of neutral 1", "an agent"),
        ("agent of neutral 2", "an agent"),
        ("richelieu stack", "a sheet"),
        ("opposition stack", "a sheet"),
    }
    agent = table.spots["R1.1"].piece
    assert isinstance(agent, Agent)
    told = table.told(agent)
    assert isinstance(told, Hidden)
    assert (told.group, told.back, told.read(ANN), told.read(BEN)) == ("told agent of 1", "an agent", "agent 3", None)


def shuffle_unseen(match: Play, viewer: Viewer, luck: random.Random) -> None:
    groups: dict[str, list] = {}
    for card in match.table.secrets:
        if not card.known_to(viewer):
            groups.setdefault(card.group, []).append(card)
    for cards in groups.values():
        fronts = [card.front for card in cards]
        luck.shuffle(fronts)
        for card, front in zip(cards, fronts, strict=True):
            card.front = front


@pytest.mark.slow
@pytest.mark.parametrize(
    ("seats", "options"), [(2, {}), (2, {"neutral": "shared"}), (3, {"open_coffers": True}), (4, {})]
)
def test_what_a_viewer_has_not_seen_changes_nothing_of_what_goes_out(seats, options):
    luck = random.Random(seats)
    match = a_match(seats, boxes=(("R8", "P1"), ("R10", "P2"), ("R13", "F1")), **options)
    for number in range(75):
        ((seat, decision),) = match.question.items()
        match.answer(seat, luck.choice(decision.answers()))
        for viewer in (*match.seats, None) if number % 5 == 0 else ():
            twin = match.copy()
            before = outputs(twin, viewer)
            shuffle_unseen(twin, viewer, luck)
            assert outputs(twin, viewer) == before


def test_a_face_down_agents_value_is_in_nothing_that_others_get():
    seen: dict[int, str] = {}
    for value in (1, 2, 3):
        match = a_match(3)
        match.submit(ANN, f"place {value} R1.1; income")
        seen[value] = outputs(match, BEN) + outputs(match, None)
    assert seen[1] == seen[2] == seen[3]


def test_after_a_resolution_what_was_turned_up_stays_in_the_log():
    match = a_match(3)
    for seat, moves in ((1, "place 3 O1.1; place 2 O1.5"), (2, "place 2 O1.3; end"), (3, "place 2 O1.4; end")):
        match.submit(seat, moves)
    match.submit(1, "place 1 O1.2")
    log = [say(each, None, NAMES, english_of(GAME)) for each in match.table.log]
    assert "Ann places an agent face down on England 2, spot O1.1, for 2 money." in log
    assert (
        "On England 2 lie: 3 of Ann on O1.1, 1 of Ann on O1.2, 2 of Ben on O1.3, 2 of Cat on O1.4, 2 of Ann on O1.5."
        in log
    )


def test_whether_a_seat_is_asked_and_how_does_not_depend_on_its_hand():
    prompts = []
    for value in (-2, 3):
        match = a_match(2)
        match.submit(ANN, f"place {value} R1.1")
        prompts.append([(seat, decision.kind, decision.prompt) for seat, decision in match.question.items()])
    assert prompts[0] == prompts[1]


def test_agents_of_the_city_are_sorted_so_that_their_order_tells_nothing():
    match = a_match(3)
    for seat, moves in (
        (1, "place 3 O1.1; place 2 O1.5"),
        (2, "place 3 O1.3; place -2 R1.5"),
        (3, "place 2 O1.4; end"),
    ):
        match.submit(seat, moves)
    match.submit(1, "place -2 O1.2")
    agents = match.position(None)["city"]["agents"]
    assert [(agent["owner"], agent["value"]) for agent in agents] == [(1, -2), (1, 2), (1, 3), (2, -2), (2, 3), (3, 2)]


def test_the_hidden_agents_show_no_value_in_a_trace():
    match = a_match(2)
    match.submit(ANN, "place 3 R1.1")
    assert {repr(card) for card in match.table.secrets} == {"<an agent>", "<a sheet>"}

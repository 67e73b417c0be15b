"""Random matches of every table: no dead end, nothing lost, every text either legal or refused with its paragraph."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence

import pytest

from server.rules.asking import Decision, Refused
from server.rules.chance import Seeded
from server.rules.intrigues import GAME
from server.rules.intrigues.moves import SPOT_NAMES
from server.rules.intrigues.table import Agent, IntriguesTable, Royal
from server.rules.playing import Play
from server.rules.telling import HOST

TABLES = [(2, {}), (2, {"neutral": "shared"}), (3, {}), (4, {"open_coffers": True})]


def check_pieces(table: IntriguesTable) -> None:
    """No agent, royal piece, jewel or sheet is ever lost or doubled."""
    on_sheets = [spot.piece for spot in table.spots.values() if spot.piece is not None]
    agents = [piece for piece in on_sheets if isinstance(piece, Agent)]
    for colour, hand in table.hands.items():
        own = [*hand, *(agent for agent in (*agents, *table.city) if agent.colour == colour)]
        printed = table.edition.agents if colour in table.seats else table.edition.neutral_agents
        assert sorted(agent.value for agent in own) == sorted(printed)
        assert hand or not any(agent.colour == colour for agent in table.city)
    for royal in Royal:
        start = table.royals[royal]
        assert on_sheets.count(royal) == (start is not None)
        assert start is None or start.piece is royal
    assert table.city_jewels + sum(table.jewels.values()) == 2 + 2 * len(table.seats)
    assert min(*table.jewels.values(), table.city_jewels, *table.money.values()) >= 0
    sheets = [card.front for stack in table.stacks.values() for card in stack]
    sheets += [field.sheet.name for box in table.boxes for field in box.fields if field.sheet]
    sheets += [name for won in table.sheets.values() for name in won]
    assert max(Counter(sheets).values(), default=1) == 1
    assert len(table.stacks["richelieu"]) == len(table.stacks["opposition"])


def check_faces(table: IntriguesTable) -> None:
    """What lies face up is public; what lies face down only its keeper knows."""
    for colour, hand in table.hands.items():
        keeper = table.keepers[colour]
        for agent in hand:
            assert agent.card.public is (keeper is None)
            assert keeper is None or agent.card.known_to(keeper)
    for spot in table.spots.values():
        if isinstance(spot.piece, Agent):
            keeper = table.keepers[spot.piece.colour]
            assert spot.piece.card.public is (spot.piece.face_up or keeper is None)
            if table.resolving is not spot.field.box and spot.cost == 0:
                assert spot.piece.face_up
    assert all(agent.face_up and agent.card.public for agent in table.city)


@pytest.mark.slow
@pytest.mark.parametrize(("seats", "options"), TABLES)
def test_random_matches_end_and_keep_agents_sheets_and_jewels(seats, options):
    for number in range(40):
        luck = random.Random(number)
        match = Play(GAME, seats, options, chance=Seeded(f"{seats} {number}"))
        while match.question:
            ((seat, decision),) = match.question.items()
            assert decision.answers()
            assert len(set(decision.answers())) == len(decision.answers())
            match.answer(seat, luck.choice(decision.answers()))
            check_pieces(match.table)
            check_faces(match.table)
            assert len(match.moves) < 1000
        result = match.outcome()
        assert result is not None
        assert result.winners
        assert all(score.total == sum(score.parts.values()) for score in result.scores)


@pytest.mark.parametrize(("seats", "options"), TABLES)
def test_a_match_without_money_or_jewels_ends_too(seats, options):
    """Everybody places the first agent that can be placed, and takes income only when none can."""
    match = Play(GAME, seats, options, chance=Seeded("poor"))
    match.table.money = dict.fromkeys(match.seats, 0)
    match.table.jewels = dict.fromkeys(match.seats, 0)
    while match.question:
        ((seat, decision),) = match.question.items()
        answers = decision.answers()
        match.answer(seat, next((each for each in answers if each.split()[0] not in ("income", "end")), answers[0]))
        assert len(match.moves) < 2000
    assert match.over


@pytest.mark.slow
@pytest.mark.parametrize(("seats", "options"), TABLES)
def test_every_text_of_the_notation_is_either_legal_or_refused_with_a_paragraph(seats, options):
    texts = ["income", "commission", "sell", "buy", "end", "stay", "pass", "place", "neutral", "corrupt", "dance"]
    texts += [
        f"{verb} {value} {spot}" for verb in ("place", "neutral") for value in (-2, 1, 2, 3) for spot in SPOT_NAMES
    ]
    texts += [f"{verb} {spot}" for verb in ("grise", "queen") for spot in SPOT_NAMES]
    luck = random.Random(seats)
    kinds = set()
    for number in range(6):
        match = Play(GAME, seats, options, chance=Seeded(f"text {number}"))
        while match.question:
            ((seat, decision),) = match.question.items()
            answers = decision.answers()
            if decision.kind not in ("turn", "neutral") or luck.random() < 0.03:
                kinds.add(decision.kind)
                moves = [f"corrupt {luck.choice(SPOT_NAMES)} {luck.choice(SPOT_NAMES)}" for _ in range(200)]
                for text in (*texts, *moves):
                    check_reading(decision, text, answers)
            match.answer(seat, luck.choice(answers))
    assert kinds >= {"turn", "place", "corrupt", "grise", "queen"}


def check_reading(decision: Decision, text: str, answers: Sequence[str]) -> None:
    meant, rule = reading(decision, text)
    assert (meant == text) if text in answers else (meant is None)
    assert text in answers or (rule is not None and rule.startswith("intrigues "))


def reading(decision: Decision, text: str) -> tuple[str | None, str | None]:
    """What a text is read as, or the paragraph with which it is refused."""
    try:
        return decision.read(text), None
    except Refused as refused:
        return None, refused.rule


@pytest.mark.parametrize(("seats", "options"), TABLES)
def test_every_legal_move_reads_back_in_other_spellings_and_has_its_words(seats, options):
    luck = random.Random(seats + 10)
    match = Play(GAME, seats, options, chance=Seeded("spelling"))
    while match.question:
        ((seat, decision),) = match.question.items()
        for answer in luck.sample(list(decision.answers()), min(6, len(decision.answers()))):
            assert decision.read(f"  {answer.upper().replace('-', '−')}. ") == answer
            assert decision.read(answer.replace(" ", ",  ").lower()) == answer
            assert decision.say(answer).template.endswith((".", "resolved."))
        match.answer(seat, luck.choice(decision.answers()))


@pytest.mark.parametrize(("seats", "options"), TABLES)
def test_a_replay_of_the_moves_is_the_same_match(seats, options):
    luck = random.Random(seats + 20)
    match = Play(GAME, seats, options, chance=Seeded("replay"))
    while match.question:
        ((seat, decision),) = match.question.items()
        match.answer(seat, luck.choice(decision.answers()))
    again = match.copy()
    assert again.digest() == match.digest()
    assert [each.template for each in again.table.log] == [each.template for each in match.table.log]
    assert again.position(HOST) == match.position(HOST)

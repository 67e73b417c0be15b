"""Case B14: the rules change while matches run. A match goes on where it led, or stops and says so; it never jumps."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any

import pytest

from server.matches import Frozen, Matches
from server.rules import GAMES, chance
from server.rules.asking import Decision, Script, ask
from server.rules.telling import sentence
from server.service import Service
from tests.server.browsing import Browser
from tests.server.builders import HOUR, a_match, link_of, mails, play_turn, text_of, worker_of


class Changed:
    """The game under new rules."""

    def __init__(self, game: Any, script: Callable[[Any], Script]) -> None:
        self._game, self.script = game, script

    def __getattr__(self, name: str) -> Any:
        return getattr(self._game, name)


def a_forced_choice_first(game: Any) -> Callable[[Any], Script]:
    """Before anything else the first seat has to say yes."""

    def script(table: Any) -> Script:
        yes = Decision(
            "turn", sentence("Say yes."), listing=lambda: ["yes"], reading=lambda _: "yes",
            saying=lambda _: sentence("Yes."),
        )  # fmt: skip
        yield from ask(table.seats[0], yes)
        yield from game.script(table)

    return script


def another_shuffle(monkeypatch: pytest.MonkeyPatch) -> None:
    words = chance._words
    monkeypatch.setattr(chance, "_words", lambda seed, label: words(seed, f"{label} "))


@pytest.mark.parametrize("change", ["a forced choice", "the shuffles"])
def test_case_B14_a_match_that_the_new_rules_lead_elsewhere_stops_and_everybody_hears_of_it_once(
    service: Service, browser: Browser, now: datetime, monkeypatch: pytest.MonkeyPatch, change: str
) -> None:
    match_id = a_match(service.matches, now, pace={"hours": 10})
    play_turn(service.matches, match_id, now)
    worker_of(service).tick(now)
    asked = service.links.move_url(link_of(service.matches, match_id, 2))
    before = len(mails(service))
    service.matches.admins = ("oona@bench.example",)
    with monkeypatch.context() as patch:
        if change == "the shuffles":
            another_shuffle(patch)
        else:
            game = GAMES["regions"]
            patch.setitem(GAMES, "regions", Changed(game, a_forced_choice_first(game)))  # type: ignore[arg-type]
        service.matches.plays.forget(match_id)
        page = browser.get(asked)
        assert page.status == 503
        assert "the operator has been told" in page.text
        with pytest.raises(Frozen):
            service.matches.play(link_of(service.matches, match_id, 2), "take 1L", now=now)
        for hours in (5, 9, 11, 40):
            worker_of(service).tick(now + hours * HOUR)
        assert service.matches.status(match_id).status == "frozen"
        assert service.matches.status(match_id).version == 2, "nothing of it was changed"
        told = mails(service)[before:]
        to = {str(mail["To"]).partition(" <")[0]: text_of(mail) for mail in told}
        assert (len(told), sorted(to)) == (3, ["Ann", "Ben", "Operator"])
        assert "is stopped" in to["Ann"]
        assert "is stopped" in to["Ben"]
        assert f"Match #{match_id} is frozen" in to["Operator"]
        assert f"estafette game show {match_id}" in to["Operator"]


def test_case_B14_a_move_that_new_rules_forbid_stays_where_it_was_made(service: Service, now: datetime) -> None:
    match_id = a_match(service.matches, now)
    play_turn(service.matches, match_id, now)
    before = service.matches.position(match_id, None)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Decision, "answers", lambda _: ("end",))
        patch.setattr(Decision, "read", lambda _decision, _text: "end")
        fresh = Matches(service.store)
        assert fresh.view(match_id, None).version == 2
    assert Matches(service.store).position(match_id, None) == before

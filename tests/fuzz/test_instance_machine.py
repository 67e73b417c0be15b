"""An instance to which anything happens in any order: moves, double taps, faults of the mail server, jumps of the time.

After every step the checker counts moves, letters and mails; at the end, when the mail server answers again, every
letter that is still true has arrived once, or once more with the same Message-ID where nobody knew.
"""

from __future__ import annotations

import os
import random
import shutil
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from email import message_from_bytes, policy
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from emails.transport import Delivery, Phase, Status
from server import upkeep
from server.clock import Worker
from server.inbound import take_in
from server.links import MoveLink
from server.matches import NotYours, Stale
from server.rules.asking import Refused
from server.service import Service
from tests.crashes.whole import what_is_wrong
from tests.luck import the_same_each_time
from tests.server.builders import PEOPLE, a_match, a_service, address_of, letters
from tests.stories.mail_programs import reply

LONG = bool(os.environ.get("ESTAFETTE_PROOF"))
SEATS = {"regions": 2, "intrigues": 3, "crusade": 4}


class FaultyServer:
    """A mail server that does what it is told to; `got` is all that it has taken, `refused` what it will never take."""

    def __init__(self) -> None:
        self.mood = Status.SENT
        self.got: list[bytes] = []

    @contextmanager
    def connection(self) -> Iterator[FaultyServer]:
        yield self

    def deliver(self, raw: bytes, envelope_from: str, rcpt: str) -> Delivery:
        if self.mood in (Status.SENT, Status.UNKNOWN):  # of the second nobody hears
            self.got.append(raw)
        return {
            Status.SENT: Delivery(Status.SENT, Phase.DOT, 250, "2.0.0 Queued"),
            Status.LATER: Delivery(Status.LATER, Phase.RCPT, 451, "4.3.0 Try again"),
            Status.ALARM: Delivery(Status.ALARM, Phase.MAIL, 550, "5.7.1 You are on a list"),
            Status.UNKNOWN: Delivery(Status.UNKNOWN, Phase.DOT, None, "The connection broke."),
        }[self.mood]


class Instance(RuleBasedStateMachine):
    """Some matches, their people, one worker, one mail server."""

    file: Path
    luck: random.Random

    def __init__(self) -> None:
        super().__init__()
        self.luck.seed(1)  # what Hypothesis draws follows from ids and deals
        self.folder = Path(tempfile.mkdtemp(prefix="estafette-machine-"))
        shutil.copyfile(self.file, self.folder / "estafette.db")
        service = a_service(f"sqlite:///{self.folder}/estafette.db", self.folder)
        self.server = FaultyServer()
        self.service: Service = replace(service, transport=self.server)
        self.worker = Worker(self.service)
        self.now = datetime(2026, 11, 30, 9, 15, tzinfo=UTC)
        self.matches: list[str] = []
        self.once = 0
        self.last: tuple[MoveLink, str, str] | None = None

    def teardown(self) -> None:
        self.server.mood = Status.SENT
        for hours in (1, 4, 8, 24, 120):
            self.worker.tick(self.now + timedelta(hours=hours))
        waiting = [each for each in letters(self.service) if each.state in ("waiting", "claimed", "unknown")]
        assert [each for each in waiting if each.send_at < self.now + timedelta(hours=100)] == []
        self._each_arrived_once()
        self.service.close()
        shutil.rmtree(self.folder)

    def _each_arrived_once(self) -> None:
        came = Counter(str(message_from_bytes(raw)["Message-ID"]) for raw in self.server.got)
        for letter in letters(self.service):
            times = sum(count for message_id, count in came.items() if letter.id in message_id)
            if letter.state == "sent":
                assert 1 <= times <= 1 + letter.unknown, f"{letter.kind} came {times} times"
            elif letter.unknown == 0:
                assert times == 0, f"{letter.kind} came, and is {letter.state}"

    @initialize(game=st.sampled_from(sorted(SEATS)), pace=st.sampled_from(["none", "day", "three days"]))
    def begin(self, game: str, pace: str) -> None:
        self._begin(game, pace)

    @precondition(lambda self: len(self.matches) < 3)
    @rule(game=st.sampled_from(sorted(SEATS)), pace=st.sampled_from(["none", "day"]))
    def begin_another(self, game: str, pace: str) -> None:
        self._begin(game, pace)

    def _begin(self, game: str, pace: str) -> None:
        people = PEOPLE[: SEATS[game]]
        self.matches.append(a_match(self.service.matches, self.now, game=game, people=people, pace=pace))

    @rule(data=st.data(), way=st.sampled_from(["page", "page", "api", "reply"]))
    def move(self, data: st.DataObject, way: str) -> None:
        """Somebody who is asked plays something legal."""
        found = self._somebody(data)
        if found is None:
            return
        link, texts = found
        text = data.draw(st.sampled_from(texts))
        self.once += 1
        once = f"{self.once}.tap"
        if way == "reply":
            mail = self._mail_that_asks(link)
            if mail is not None:
                take_in(self.service, mail.replace(b"MOVE", text.encode()), now=self.now)
                self.worker.tick(self.now)
            return
        self.service.matches.play(link, text, now=self.now, once=once if way == "page" else None, by="player")
        self.last = (link, text, once) if way == "page" else None

    def _mail_that_asks(self, link: MoveLink) -> bytes | None:
        token = self.service.links.move_url(link)
        for raw in reversed(self.server.got):
            mail = message_from_bytes(raw, policy=policy.default)
            body = mail.get_body(("plain",))
            if mail["Reply-To"] and body is not None and token in body.get_content():
                return reply(mail, "MOVE", message_id=f"<{self.once}@players.example>").raw
        return None

    def _somebody(self, data: st.DataObject) -> tuple[MoveLink, list[str]] | None:
        match_id = data.draw(st.sampled_from(self.matches))
        matches = self.service.matches
        if matches.status(match_id).status != "running":
            return None
        waiting = [seat.number for seat in matches.view(match_id, None).waiting_for if not seat.house]
        if not waiting:
            return None
        seat = data.draw(st.sampled_from(waiting))
        decision, link = matches.view(match_id, seat).decision, matches.link_of(match_id, seat)
        assert decision is not None
        assert link is not None
        return link, [choice.text for choice in decision.choices]

    @precondition(lambda self: self.last is not None)
    @rule()
    def tap_twice(self) -> None:
        """The last form once more."""
        assert self.last is not None
        link, text, once = self.last
        before = self.service.matches.view(link.match, None).version
        try:
            assert self.service.matches.play(link, text, now=self.now, once=once).again
        except (Stale, NotYours, Refused):  # the match was stopped, or the seat has another holder
            pass
        else:
            assert self.service.matches.view(link.match, None).version == before

    @rule(data=st.data())
    def nonsense(self, data: st.DataObject) -> None:
        found = self._somebody(data)
        if found:
            with pytest.raises(Refused):
                self.service.matches.play(found[0], "nonsense", now=self.now)

    @rule(data=st.data())
    def take_back(self, data: st.DataObject) -> None:
        found = self._somebody(data)
        if found:
            with suppress(Refused):
                self.service.matches.undo(found[0], now=self.now)
                self.last = None  # who goes back to its form and confirms once more means it

    @rule(mood=st.sampled_from([Status.SENT, Status.LATER, Status.ALARM, Status.UNKNOWN]))
    def mail_server(self, mood: Status) -> None:
        self.server.mood = mood

    @rule(minutes=st.sampled_from([0, 1, 10, 60, 8 * 60, 30 * 60]))
    def time_goes_on(self, minutes: int) -> None:
        self.now += timedelta(minutes=minutes)
        self.worker.tick(self.now)

    @rule()
    def the_worker_starts_again(self) -> None:
        self.worker = Worker(self.service)
        self.worker.tick(self.now)

    @rule(data=st.data(), what=st.sampled_from(["pause", "resume", "replace"]))
    def the_operator(self, data: st.DataObject, what: str) -> None:
        match_id = data.draw(st.sampled_from(self.matches))
        matches, now = self.service.matches, self.now
        try:
            if what == "pause":
                upkeep.pause(matches, match_id, "", now=now, who="operator")
            elif what == "resume":
                upkeep.resume(matches, match_id, now=now, who="operator")
            else:
                self.once += 1
                name = f"Sub {self.once}"
                upkeep.replace(
                    matches, match_id, 1, name=name, email=address_of(f"sub{self.once}"), now=now, who="operator"
                )
        except ValueError:
            pass

    @invariant()
    def all_is_whole(self) -> None:
        assert what_is_wrong(self.service, mailed=False) == []


@pytest.mark.slow
@pytest.mark.parametrize("_part", range(4 if LONG else 1))
def test_whatever_happens_nothing_is_lost_and_nothing_comes_twice(
    migrated_file: Path, monkeypatch: pytest.MonkeyPatch, _part: int
) -> None:
    """The long form in parts, so that all processors have something to do."""
    Instance.file, Instance.luck = migrated_file, the_same_each_time(monkeypatch)
    run_state_machine_as_test(
        Instance,
        settings=settings(
            max_examples=40 if LONG else 8,
            stateful_step_count=40 if LONG else 25,
            deadline=None,
            suppress_health_check=list(HealthCheck),
        ),
    )

"""Three web and three worker processes on PostgreSQL, killed at random: every move once, every letter sent."""

from __future__ import annotations

import os
import random
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path

import pytest
from sqlmodel import select

from db.models import Letter, MailboxMail
from server import jobs
from server.service import Service
from tests.conftest import POSTGRES
from tests.emails.servers import free_port
from tests.server.builders import a_match, a_service
from tests.stories.fleet import People, a_fleet, kills

MATCHES = int(os.environ.get("ESTAFETTE_TEST_MATCHES", "30"))
"""300 in the long form."""

KILLED_EVERY = float(os.environ.get("ESTAFETTE_TEST_KILLED_EVERY", "5"))
"""Seconds; on a machine that is busy otherwise, a process needs some of them only to start."""

HANDS = 6

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(POSTGRES is None, reason="several machines need PostgreSQL"),
]


def soon(is_so: Callable[[], object], patience: float = 90) -> bool:
    until = time.monotonic() + patience
    while not is_so():
        if time.monotonic() > until:
            return False
        time.sleep(0.2)
    return True


def some_matches(service: Service) -> list[str]:
    """Of every ten: seven of `regions`, one of them with the house, two of `intrigues`, one of `crusade`."""
    made = []
    for number in range(MATCHES):
        game = ("crusade", "intrigues", "intrigues")[number % 10] if number % 10 < 3 else "regions"
        people = ("Ann", "Ben", "Cat")[: 3 if game == "crusade" else 2]
        house = 1 if number % 10 == 3 else 0
        made.append(a_match(service.matches, service.now(), game=game, people=people, house=house, pace="week"))
    return made


def unsent(service: Service) -> list[Letter]:
    with service.store.reading() as session:
        return list(session.exec(select(Letter).where(Letter.state.in_(["waiting", "claimed", "unknown"]))).all())  # type: ignore[attr-defined]


def test_three_webs_and_three_workers_carry_matches_to_their_end_while_they_are_killed(
    database_url: str, tmp_path: Path
) -> None:
    service = a_service(database_url, tmp_path)
    jobs.prepare(service.store)
    playing = some_matches(service)
    waiting = a_match(service.matches, service.now(), people=("Eve", "Finn"), pace="day")
    ports = [free_port() for _ in range(3)]
    luck = random.Random(8)
    people = [People(service, ports, seed) for seed in range(HANDS)]
    with a_fleet(database_url, tmp_path, ports, workers=3, luck=luck) as fleet:
        with kills(fleet, every=KILLED_EVERY), ThreadPoolExecutor(HANDS) as hands:
            list(hands.map(lambda pair: people[pair[0] % HANDS].play(pair[1]), enumerate(playing)))
        assert fleet.killed >= 3
        for _ in range(2):  # letters in the hands of a worker that was killed are free again after ten minutes
            service.clock.forward(timedelta(minutes=11))
            assert soon(lambda: all(letter.send_at > service.now() for letter in unsent(service)))
        service.clock.forward(timedelta(hours=20))  # Eve's day is nearly over
        assert soon(lambda: reminders(service, waiting))
        assert soon(lambda: not unsent(service)), [(letter.kind, letter.state) for letter in unsent(service)]

    for person in people:
        for match_id, moves in person.played.items():
            by_house = {seat.number for seat in service.matches.view(match_id, None).seats if seat.house}
            record = service.matches.record(match_id)["moves"]
            in_it = [(move["seat"], move["move"]) for move in record if move["seat"] not in by_house]
            assert in_it == moves, "every move once, in its order"
    with service.store.reading() as session:
        letters = session.exec(select(Letter)).all()
        kept = Counter(mail.letter_id for mail in session.exec(select(MailboxMail)).all())
    assert {letter.state for letter in letters} == {"sent", "dropped"}
    for letter in letters:
        told = f"{letter.occasion} ({letter.state}, {letter.attempts} tries) arrived {kept[letter.id]} times"
        if letter.state == "sent":
            assert kept[letter.id] == 1, told
        else:  # one killed between sending and saying so left a mail that the next one rightly gave up
            assert kept[letter.id] <= (letter.attempts > 1), told
    finished = Counter((letter.match_id, letter.kind) for letter in letters if letter.kind == "finished")
    assert {match_id for match_id, _ in finished} == set(playing)
    assert len(reminders(service, waiting)) == 1, "no reminder twice"
    service.close()


def reminders(service: Service, match_id: str) -> list[Letter]:
    with service.store.reading() as session:
        found = select(Letter).where(Letter.match_id == match_id, Letter.kind == "reminder", Letter.state == "sent")
        return list(session.exec(found).all())

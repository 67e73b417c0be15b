"""Who tries many times is slowed down, by all processes together."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path

import pytest
from sqlmodel import select

from db.models import Tally
from server import create_app
from server.pages.often import Often
from server.service import Service
from tests.server.browsing import Browser
from tests.server.builders import a_service, worker_of


def test_after_so_many_tries_one_waits_until_the_time_is_over(service: Service, now: datetime) -> None:
    often = Often("tries", 3, minutes=10)
    assert [often.may(service, "192.0.2.1", now) for _ in range(5)] == [True, True, True, False, False]
    assert often.may(service, "192.0.2.2", now), "somebody else"
    assert Often("others", 3, minutes=10).may(service, "192.0.2.1", now), "something else"
    assert not often.may(service, "192.0.2.1", now + timedelta(minutes=9, seconds=59))
    assert often.may(service, "192.0.2.1", now + timedelta(minutes=10))


def test_two_processes_count_together(service: Service, database_url: str, tmp_path: Path, now: datetime) -> None:
    other = a_service(database_url, tmp_path)
    often = Often("tries", 4, minutes=10)
    said = [often.may(each, "192.0.2.1", now) for each in (service, other, service, other, service, other)]
    assert said == [True, True, True, True, False, False]
    other.close()


def test_a_home_with_many_addresses_is_one(service: Service, now: datetime) -> None:
    often = Often("tries", 2, minutes=10)
    assert [often.may(service, f"2001:db8:1:2::{number:x}", now) for number in (1, 2, 3)] == [True, True, False]
    assert often.may(service, "2001:db8:1:3::1", now)


def test_no_address_is_kept_and_what_is_over_is_forgotten(service: Service, now: datetime) -> None:
    Often("tries", 2, minutes=10).may(service, "192.0.2.1", now)
    with service.store.reading() as session:
        assert "192.0.2" not in str(session.exec(select(Tally)).all())
    worker_of(service).steps["tidy"](now + timedelta(minutes=11))
    with service.store.reading() as session:
        assert session.exec(select(Tally)).all() == []


@pytest.mark.parametrize("address", ["/login", "/login/code"])
def test_signing_in_is_slowed_down_whichever_web_answers(
    service: Service, database_url: str, tmp_path: Path, address: str
) -> None:
    other = a_service(database_url, tmp_path)
    webs = [Browser(create_app(service)), Browser(create_app(other))]
    statuses = [
        webs[n % 2].post(address, {"email": f"p{n}@players.example", "code": "123456"}).status for n in range(40)
    ]
    assert 429 not in statuses[:30]
    assert set(statuses[30:]) == {429}
    other.close()

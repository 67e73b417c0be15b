"""Case B18: scanners open every link of every mail before its reader does, and nothing happens."""

from __future__ import annotations

import urllib.request
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select
from sqlmodel import SQLModel

from db.models import Row, World
from server import overtime, upkeep
from server.autoplay import links_in
from server.service import Service
from tests.server.builders import a_match, address_of, answers, link_of, mails, worker_of
from tests.stories.chromium import a_browser, needs_chromium


@pytest.fixture
def links(served: Service) -> list[str]:
    """The links of one mail of each kind that there is."""
    worker, now = worker_of(served), served.now()
    a_match(served.matches, now, people=("Ann", "Ben"), start=False)
    running = a_match(served.matches, now, pace={"hours": 10})
    worker.tick(now)
    overtime.remind(served.matches, now + timedelta(hours=5))
    upkeep.extend(served.matches, running, 1, timedelta(hours=20), now=now, who="operator")
    worker.tick(now + timedelta(hours=5))
    urllib.request.urlopen(  # a sign-in mail, as the page asks for it
        urllib.request.Request(served.links.url("login"), data=f"email={address_of('Ann')}".encode())
    ).close()
    worker.tick(served.now())
    kinds = {str(mail["X-Estafette-Kind"]) for mail in mails(served)}
    assert kinds >= {"invitation", "started", "turn", "login"}, kinds
    found = [url for mail in mails(served) for url in [*links_in(mail), *_unsubscribe(mail)]]
    return list(dict.fromkeys(found))


def _unsubscribe(mail: Any) -> list[str]:
    return [part.strip("<> \r\n") for part in str(mail["List-Unsubscribe"] or "").split(",") if "http" in part]


def everything(service: Service) -> dict[str, list[Any]]:
    """All rows of all tables but what the worker writes of itself."""
    tables = [table for table in Row.metadata.sorted_tables if table.name != World.__tablename__]
    assert isinstance(Row, type)
    assert issubclass(Row, SQLModel)
    with service.store.reading() as session:
        return {table.name: [tuple(row) for row in session.execute(select(table))] for table in tables}


def test_case_B18_opening_links_changes_nothing(served: Service, links: list[str]) -> None:
    before = everything(served)
    for url in links:
        for method in ("HEAD", "GET", "GET", "GET"):
            with urllib.request.urlopen(urllib.request.Request(url, method=method)) as answer:
                assert answer.status == 200, f"{method} of {url}"
                assert "set-cookie" not in answer.headers, f"{method} of {url} sets a cookie"
    assert everything(served) == before


@pytest.mark.browser
@pytest.mark.slow
@needs_chromium
def test_case_B18_a_browser_that_runs_scripts_and_presses_nothing_changes_nothing(
    served: Service, links: list[str], tmp_path: Path
) -> None:
    before = everything(served)
    with a_browser(tmp_path / "browser") as browser:
        for url in links:
            for _ in range(3):
                browser.open(url)
    assert everything(served) == before


def test_case_B18_the_player_can_still_do_everything_afterwards(served: Service, links: list[str]) -> None:
    for url in links:
        urllib.request.urlopen(url).close()
    running = next(url for url in links if "/m/" in url)
    match_id = served.links.read_move(running.rpartition("/")[2]).match
    text = answers(served.matches, match_id)[0]
    assert served.matches.play(link_of(served.matches, match_id), text, now=served.now()).texts == (text,)

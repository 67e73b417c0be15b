"""The log: one JSON object a line, and nothing in it that lets anybody play or that somebody wrote."""

from __future__ import annotations

import io
import json
import logging
from collections.abc import Iterator
from datetime import datetime
from typing import Any

import pytest

from server import logs
from server.links import JoinLink, MoveLink, ReplyAddress
from server.service import Service
from tests.server.browsing import Browser
from tests.server.builders import a_match, link_of


@pytest.fixture
def log() -> Iterator[io.StringIO]:
    stream = io.StringIO()
    root = logging.getLogger()
    level = root.level
    logs.set_up("info", stream=stream)
    yield stream
    root.removeHandler(root.handlers[-1])
    root.setLevel(level)


def lines(log: io.StringIO) -> list[dict[str, Any]]:
    return [json.loads(line) for line in log.getvalue().splitlines()]


def test_each_line_is_an_object_with_time_level_and_who_says_it(log: io.StringIO) -> None:
    logging.getLogger("estafette.worker").warning("the step “%s” failed", "read")
    (line,) = lines(log)
    assert line["event"] == "the step “read” failed"
    assert (line["level"], line["logger"]) == ("warning", "estafette.worker")
    assert datetime.fromisoformat(line["timestamp"]).utcoffset() is not None


def test_no_token_gets_into_the_log_whoever_logs_it(log: io.StringIO, service: Service, now: datetime) -> None:
    links = service.links
    tokens = [
        links.move_url(MoveLink("k7f3qx", 2, 14, 1)),
        links.join_url(JoinLink("k7f3qx", 2, 1)),
        links.login_url("k7f3qx", 3, now),
        links.local_part(ReplyAddress("k7f3qx", 2, 14, 1)),
    ]
    for token in tokens:
        logging.getLogger("somebody").error("cannot open %s", token)
    for token in tokens:
        assert token.rpartition("/")[2][-20:] not in log.getvalue()
    assert len([line for line in lines(log) if line["logger"] == "somebody"]) == 4


def test_passwords_and_addresses_are_left_out(log: io.StringIO) -> None:
    logging.getLogger("a").error("smtps://me:opensesame@mx.example.org refuses ann.smith@players.example")
    assert "opensesame" not in log.getvalue()
    assert "ann.smith" not in log.getvalue()


def test_an_error_says_its_kind_and_place_but_not_its_words(log: io.StringIO) -> None:
    try:
        raise ValueError("“offer 3 red to Ben, the fool” is no move")
    except ValueError:
        logging.getLogger("estafette").exception("it failed")
    assert "fool" not in log.getvalue()
    (line,) = lines(log)
    assert line["error"] == "ValueError"
    assert "test_logs.py" in line["where"][-1]


def test_a_page_that_breaks_leaves_no_link_in_the_log(
    log: io.StringIO, service: Service, browser: Browser, now: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    match_id = a_match(service.matches, now)
    url = service.links.move_url(link_of(service.matches, match_id))

    def breaks(*_arguments: object, **_more: object) -> None:
        raise RuntimeError(f"the secret of {url}")

    monkeypatch.setattr(service.matches, "view", breaks)
    browser.client.application.testing = False
    assert browser.get(url).status == 500
    assert "RuntimeError" in log.getvalue()
    assert url.rpartition("/")[2] not in log.getvalue()

"""A whole match whose mails leave through a real SMTP server on loopback instead of the built-in mailbox."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from server import create_app
from server.autoplay import Autoplay, Broken
from server.service import Service
from server.web import Web, bound
from tests.emails.servers import Postbox, a_mail_server
from tests.server.builders import a_match, a_service, worker_of


@pytest.fixture
def postbox() -> Postbox:
    return Postbox()


@pytest.fixture
def by_smtp(database_url: str, tmp_path: Path, postbox: Postbox) -> Iterator[Service]:
    """An instance with a web server and a mail server, both on loopback."""
    listening = bound("127.0.0.1", 0)
    with a_mail_server(postbox) as mail_port:
        service = a_service(
            database_url,
            tmp_path,
            ESTAFETTE_MAIL_URL=f"smtp+plain://127.0.0.1:{mail_port}",
            ESTAFETTE_MAIL_FROM="Estafette <games@club.example>",
            ESTAFETTE_PUBLIC_URL=f"http://127.0.0.1:{listening.getsockname()[1]}",
        )
        web = Web(create_app(service), listening)
        web.start()
        yield service
        web.stop()
        service.close()


def the_match(service: Service, postbox: Postbox, match_id: str) -> Autoplay:
    seen = 0

    def inbox() -> list[bytes]:
        nonlocal seen
        fresh = [raw for _, _, raw in postbox.got[seen:]]
        seen += len(fresh)
        return fresh

    return Autoplay(service, match_id, inbox=inbox, tick=worker_of(service).tick, luck=random.Random(7))


@pytest.mark.slow
@pytest.mark.parametrize(("game", "seats"), [("regions", 2), ("intrigues", 2), ("crusade", 3)])
def test_a_match_is_played_to_its_end_through_smtp(by_smtp: Service, postbox: Postbox, game: str, seats: int) -> None:
    people = ("Ann", "Ben", "Cat")[:seats]
    match_id = a_match(by_smtp.matches, by_smtp.now(), game=game, people=people)
    outcome = the_match(by_smtp, postbox, match_id).run()
    assert outcome["winners"]
    assert all(len(recipients) == 1 for _, recipients, _ in postbox.got)
    assert len({sender for sender, _, _ in postbox.got}) == len(postbox.got), "each envelope has its own token"


def test_a_mail_that_never_arrives_ends_the_play_with_a_sentence(by_smtp: Service, postbox: Postbox) -> None:
    match_id = a_match(by_smtp.matches, by_smtp.now())
    postbox.answers["RCPT"] = "451 4.7.1 Try again later"
    with pytest.raises(Broken, match="waits for Ann, but no mail"):
        the_match(by_smtp, postbox, match_id).run()

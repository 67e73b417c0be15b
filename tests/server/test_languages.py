"""Each reader reads their own language: pages, mails, the log of others' moves, refusals; and nothing else in them.

Ann reads a language in which every letter of a translation is a dot (`tests.veiled`): a word that can still be read
on her pages or in her mails is one that no translator could have translated. Ben reads English.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from db import queries
from emails.language import offered
from server import create_app
from server.matches import Matches
from server.pace import PACES
from server.rules.crusade.characters import CHARACTERS
from server.service import Service
from tests import veiled
from tests.server.browsing import Browser, url_in
from tests.server.builders import (
    PEOPLE,
    a_match,
    a_service,
    address_of,
    answers,
    link_of,
    mails,
    text_of,
    worker_of,
)
from tests.veiled import DOT, TAG, read_in, shown

SEATS = {"regions": 2, "intrigues": 2, "crusade": 3}
OPTIONS = {"regions": {}, "intrigues": {}, "crusade": {"events": "on"}}


@pytest.fixture
def service(database_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Service]:
    with veiled.spoken_here(tmp_path / "veiled", monkeypatch):
        service = a_service(database_url, tmp_path, ESTAFETTE_OPEN_SIGNUP="true")
        yield service
        service.close()


def reads(service: Service, name: str, tag: str) -> None:
    """This person reads that language."""
    with service.store.writing() as session:
        player = queries.players.by_address(session, address_of(name))
        assert player is not None
        player.language = tag
        session.add(player)


def begun(service: Service, game: str) -> str:
    match_id = a_match(
        service.matches, service.now(), game=game, people=PEOPLE[: SEATS[game]], options=dict(OPTIONS[game])
    )
    reads(service, "Ann", TAG)
    return match_id


def play_on(matches: Matches, match_id: str, service: Service, luck: random.Random, moves: int) -> list[str]:
    """So many moves by chance; their texts."""
    played = []
    while len(played) < moves and (view := matches.view(match_id, None)).outcome is None:
        for seat in view.waiting_for:
            text = luck.choice(answers(matches, match_id, seat.number))
            matches.play(link_of(matches, match_id, seat.number), text, now=service.now())
            played.append(text)
    return played


def known_of(matches: Matches, match_id: str, played: list[str]) -> list[str]:
    """Names, and the words of moves."""
    view = matches.view(match_id, 1)
    choices = [choice.text for choice in view.decision.choices] if view.decision else []
    verbs = [text.split()[0] for text in (*choices, *played)]
    verbs += [verb for character in CHARACTERS.values() for verb in character.actions]
    return [*view.names, *PEOPLE, *choices, *played, *verbs]


@pytest.mark.parametrize("game", SEATS)
def test_a_match_speaks_to_each_player_in_their_language(service: Service, game: str) -> None:
    matches, luck, played = service.matches, random.Random(game), []
    match_id = begun(service, game)
    browser, seen = Browser(create_app(service)), 0
    worker = worker_of(service)
    while matches.view(match_id, None).outcome is None:
        worker.tick()
        known = known_of(matches, match_id, played)
        for mail in mails(service)[seen:]:
            html = mail.get_body(("html",))
            assert html is not None
            parts = text_of(mail), shown(str(html.get_content()))
            if mail["To"].addresses[0].addr_spec == address_of("Ann"):
                assert [read_in(part, known) for part in parts] == [[], []], mail["X-Estafette-Kind"]
            else:
                assert not any(DOT in part for part in parts), mail["X-Estafette-Kind"]
        seen = len(mails(service))
        if matches.view(match_id, 1).decision:
            page = browser.get(service.links.move_url(link_of(matches, match_id)))
            assert read_in(shown(page.source), known) == []
            move = luck.choice(answers(matches, match_id))
            asked = browser.get(f"{page.address}?move={move}")
            assert read_in(shown(asked.source), [*known, move]) == []
            refused = browser.get(f"{page.address}?move=burn+everything")
            assert read_in(shown(refused.source), [*known, "burn", "everything"]) == []
        played += play_on(matches, match_id, service, luck, 25)
    known = known_of(matches, match_id, played)
    for seat, name in ((1, "Ann"), (2, "Ben")):
        log = " ".join(matches.log(match_id, seat))
        assert DOT not in log, f"{name}: without a reader it is English"
    worker.tick()
    last = mails(service, "Ann", "finished")[-1]
    assert read_in(text_of(last), known) == []


def known_to_all() -> list[str]:
    """Names of people and languages, and what a mail server said."""
    return [*PEOPLE, *offered().values(), "Kept in the built-in mailbox"]


NOBODYS = [
    "/",
    "/login",
    "/games",
    "/games/new",
    "/nothing-here",
    "/login/none-of-ours",
    "/m/none-of-ours",
    "/g/nobody",
]
OWN = [
    "/", "/games", "/games/new", "/games/new?game=regions", "/games/new?game=intrigues", "/games/new?game=crusade",
    "/me", "/me?done=saved", "/me/safety", "/me/leave", "/mailbox",
]  # fmt: skip


@pytest.mark.parametrize("address", NOBODYS)
def test_a_stranger_reads_the_language_of_the_browser(service: Service, address: str) -> None:
    page = Browser(create_app(service), **{"Accept-Language": "tlh, eo;q=0.8, en;q=0.5"}).get(address)
    assert read_in(shown(page.source)) == []
    assert f'lang="{TAG}"' in page.source
    assert DOT not in Browser(create_app(service)).get(address).source


@pytest.fixture
def at_home(service: Service) -> Browser:
    """Ann, signed in, with a match that waits for her."""
    begun(service, "regions")
    browser = Browser(create_app(service))
    browser.post("/login", {"email": address_of("Ann")})
    worker_of(service).tick()
    page = browser.get(url_in(mails(service, "Ann", "login")[-1], "/login/"))
    assert read_in(shown(page.source), PEOPLE) == []
    browser.post(page.forms[0].action, page.forms[0].fields)
    return browser


@pytest.mark.parametrize("address", OWN)
def test_who_is_signed_in_reads_their_own_language_whatever_the_browser_asks_for(
    at_home: Browser, address: str
) -> None:
    page = at_home.get(address, **{"Accept-Language": "en"})
    assert page.status == 200
    assert read_in(shown(page.source), known_to_all()) == []


REFUSED = [
    ("/me", {"name": ""}),
    ("/me/hours", {"night_from": "25:00", "night_to": "7"}),
    ("/me/vacation", {"first": "2020-01-01", "last": "2020-01-02"}),
    ("/me/rhythm", {"rhythm": "never", "minutes": "1", "hour": "1"}),
    ("/me/address", {"email": "no address"}),
    ("/games/new", {"game": "regions", "me": "1"}),
    ("/games/new", {"game": "regions", "me": "1", "name1": "Ben", "email1": "ben@players.example", "own": "-3"}),
]


@pytest.mark.parametrize(("address", "typed"), REFUSED)
def test_what_is_refused_is_refused_in_the_readers_language(
    at_home: Browser, address: str, typed: dict[str, str]
) -> None:
    page = at_home.post(address, typed)
    assert page.status == 422
    assert read_in(shown(page.source), [*known_to_all(), *PACES]) == []


def test_whoever_is_invited_reads_the_language_of_the_host_until_they_choose_another(
    service: Service, at_home: Browser
) -> None:
    at_home.post("/games/new", {"game": "regions", "me": "1", "name1": "Cat", "email1": address_of("Cat")})
    worker_of(service).tick()
    mail = mails(service, "Cat", "invitation")[-1]
    assert read_in(text_of(mail), PEOPLE) == []
    page = Browser(create_app(service)).get(url_in(mail, "/join/"), **{"Accept-Language": "en"})
    assert read_in(shown(page.source), PEOPLE) == []


def test_whoever_signs_up_reads_the_language_of_the_browser(service: Service) -> None:
    Browser(create_app(service), **{"Accept-Language": TAG}).post("/login", {"email": address_of("Dan")})
    worker_of(service).tick()
    assert read_in(text_of(mails(service, "Dan", "login")[-1])) == []


def test_programs_are_answered_in_english(service: Service) -> None:
    answer = Browser(create_app(service), **{"Accept-Language": TAG}).client.get("/api/v1/games/nobody")
    assert DOT not in answer.get_data(as_text=True)

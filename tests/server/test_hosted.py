"""What went wrong on hosted instances elsewhere: links made in the background, changed rules, rotated keys."""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from db import table
from server import create_app, rules, upkeep
from server.matches import Frozen
from server.rules import GAMES
from server.rules.asking import Decision, Script, ask
from server.rules.chance import Chance
from server.rules.telling import sentence
from server.service import Service
from tests.server.browsing import Browser, Page, sign_in, url_in
from tests.server.builders import (
    HOUR,
    a_match,
    a_service,
    address_of,
    letters,
    link_of,
    mails,
    play_turn,
    text_of,
    worker_of,
)

# B10: links built without a request


def test_case_B10_a_reminder_has_the_link_that_a_page_behind_a_proxy_gives(database_url: str, tmp_path: Path) -> None:
    service = a_service(
        database_url,
        tmp_path,
        ESTAFETTE_PUBLIC_URL="https://play.example/by-mail",
        ESTAFETTE_TRUSTED_PROXIES="1",
    )
    match_id = a_match(service.matches, service.now(), pace="day")
    worker_of(service).tick(service.now())
    worker_of(service).tick(service.now() + 13 * HOUR)  # nobody asks for a page: no request, no Host header
    by_mail = {url_in(mail, "/m/") for kind in ("turn", "reminder") for mail in mails(service, "Ann", kind)}
    assert len(mails(service, "Ann", "reminder")) == 1

    proxied = {"Host": "127.0.0.1:8025", "X-Forwarded-Host": "play.example", "X-Forwarded-Proto": "https"}
    ann = Browser(create_app(service), **proxied)
    ann.post("/by-mail/login", {"email": address_of("Ann")})
    worker_of(service).tick()
    entry = url_in(mails(service, "Ann", "login")[-1], "/login/")
    ann.press(ann.get(entry), "Sign in")
    shown = [address for _, address in ann.get(f"/by-mail/g/{match_id}").links if "/m/" in address]
    shown += [address for _, address in ann.get("/by-mail/games").links if "/m/" in address]
    assert len(shown) >= 2
    assert by_mail == {service.links.move_url(link_of(service.matches, match_id))}
    assert set(shown) == by_mail
    assert next(iter(by_mail)).startswith("https://play.example/by-mail/m/")
    service.close()


# B14: other rules while matches run


class _Changed:
    """`regions` by rules that somebody has changed since."""

    def __init__(self) -> None:
        self._was = GAMES["regions"]
        self.rules = "2"

    def __getattr__(self, name: str) -> Any:
        return getattr(self._was, name)


class _Forbids(_Changed):
    """What was played first is possible no more."""

    def __init__(self, forbidden: str) -> None:
        super().__init__()
        self.forbidden = forbidden

    def script(self, table: Any) -> Script:
        script, answers = self._was.script(table), None
        try:
            step = next(script)
            while True:
                answers = yield step
                if answers and self.forbidden in answers.values():
                    raise ValueError(self.forbidden)
                step = script.send(answers)  # type: ignore[arg-type]
        except StopIteration:
            return


class _AsksMore(_Changed):
    """The first player has to choose something before all else."""

    def script(self, table: Any) -> Script:
        def say(_text: str) -> Any:
            return sentence("Go")

        yield from ask(
            table.seats[0],
            Decision("mark", sentence("Go?"), listing=lambda: ("go",), reading=lambda _words: "go", saying=say),
        )
        yield from self._was.script(table)


class _Shuffles(_Changed):
    """The same seed deals otherwise."""

    def set_up(self, seats: int, options: Mapping[str, Any], chance: Chance) -> Any:
        class Other:
            def shuffle(self, name: str, things: Any) -> Any:
                return list(reversed(chance.shuffle(name, things)))

            def __getattr__(self, name: str) -> Any:
                return getattr(chance, name)

        return self._was.set_up(seats, options, Other())  # type: ignore[arg-type]


@pytest.fixture
def begun(service: Service) -> tuple[str, str]:
    """A match in which some turns were played, and its first move."""
    match_id = a_match(service.matches, service.now(), pace="day")
    for _ in range(4):
        play_turn(service.matches, match_id, service.now(), service.matches.view(match_id, None).waiting_for[0].number)
    return match_id, _first_move(service, match_id)


def _first_move(service: Service, match_id: str) -> str:
    with service.store.reading() as session:
        return str(table.move_rows(session, match_id)[0].text)


CHANGES = {
    "a move is forbidden": _Forbids,
    "a choice is added": lambda _move: _AsksMore(),
    "the shuffle is another": lambda _move: _Shuffles(),
}


@pytest.mark.parametrize("change", CHANGES)
def test_case_B14_a_match_goes_on_by_the_rules_that_it_began_with(
    service: Service, begun: tuple[str, str], change: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    match_id, first = begun
    was = service.matches.position(match_id, None)
    monkeypatch.setitem(rules.EARLIER, ("regions", GAMES["regions"].rules), GAMES["regions"])
    monkeypatch.setitem(GAMES, "regions", CHANGES[change](first))
    with a_fresh(service) as again:
        assert again.matches.position(match_id, None) == was
        play_turn(again.matches, match_id, again.now(), again.matches.view(match_id, None).waiting_for[0].number)
        assert again.matches.status(match_id).status == "running"
        assert again.matches.at(match_id, None, 0)[0].version == 0, "its history can be read"
        begun_since = a_match(again.matches, again.now(), people=("Cat", "Dan"))
        assert again.matches.status(begun_since).rules == "2"


@pytest.mark.parametrize("change", CHANGES)
def test_case_B14_a_match_that_cannot_go_on_says_so_to_its_players_and_reminds_nobody(
    service: Service, begun: tuple[str, str], change: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    match_id, first = begun
    worker_of(service).tick(service.now())
    monkeypatch.setitem(GAMES, "regions", CHANGES[change](first))
    with a_fresh(service) as again:
        with pytest.raises(Frozen):
            again.matches.view(match_id, 1)
        for hours in (13, 14):  # the reminder cannot be written, and why is written instead
            worker_of(again).tick(again.now() + hours * HOUR)
        told = [mail for mail in mails(again, kind="notice") if "is stopped" in text_of(mail)]
        assert sorted(str(mail["To"]) for mail in told) == [f"{name} <{address_of(name)}>" for name in ("Ann", "Ben")]
        worker_of(again).tick(again.now() + 60 * HOUR)
        assert not letters(again, kind="reminder", state="sent")
        page = Browser(create_app(again)).get(f"/g/{match_id}")
        assert (page.status, "Nothing is lost" in page.text) == (503, True)
        play_on = partial(upkeep.rewind, again.matches, match_id, why="the rules", now=again.now(), who="operator")
        sound = {"a move is forbidden": 0, "a choice is added": 0, "the shuffle is another": 0}[change]
        with pytest.raises(ValueError, match=f"has {sound} moves"):
            play_on(sound + 1)
    monkeypatch.undo()
    with a_fresh(service) as mended:  # where the fault was one of the program, nothing has to be taken back
        moves = mended.matches.status(match_id).version
        upkeep.rewind(mended.matches, match_id, moves, "mended", now=mended.now(), who="operator")
        assert mended.matches.view(match_id, None).version == moves
        play_turn(mended.matches, match_id, mended.now(), mended.matches.view(match_id, None).waiting_for[0].number)


def a_fresh(service: Service) -> Any:
    """Another process at the same database."""
    return closing(a_service(service.store.url.render_as_string(hide_password=False), service.settings.data))


# B37: rotated keys


def test_case_B37_links_forms_and_sessions_work_while_a_key_is_rotated_and_not_after(
    database_url: str, tmp_path: Path
) -> None:
    old, new = "k" * 40, "n" * 40
    first = a_service(database_url, tmp_path, ESTAFETTE_SECRET_KEYS=old)
    for name in ("Eve", "Finn", "Gus", "Hal", "Ike", "Joe", "Kim", "Lea", "Max", "Ned"):
        a_match(first.matches, first.now(), people=(name, "Ben"))
    worker_of(first).tick()
    out = [url_in(mail, "/m/") for mail in mails(first, kind="turn")]
    assert len(out) == 10
    device = Browser(create_app(first))
    sign_in(first, device, "Eve")
    open_form = device.get(out[0])
    first.close()

    for keys in (f"{old},{new}", f"{new},{old}"):  # as `keys rotate` says: first all read it, then it signs
        during = a_service(database_url, tmp_path, ESTAFETTE_SECRET_KEYS=keys)
        site = create_app(during)
        browser = Browser(site)
        browser.client._cookies = device.client._cookies
        assert [browser.get(url).status for url in out] == [200] * 10
        assert "My matches" in browser.get("/games").headings, "still signed in"
        if keys.startswith(new):
            assert _sends(browser, open_form) == 200, "a form that was open is taken"
        during.close()

    after = a_service(database_url, tmp_path, ESTAFETTE_SECRET_KEYS=new)
    browser = Browser(create_app(after))
    browser.client._cookies = device.client._cookies
    for url in out:
        page = browser.get(url)
        assert page.status == 404
        assert "This link does not work" in page.headings
    assert "My matches" not in browser.get("/games").headings
    after.close()


def _sends(browser: Browser, page: Page) -> int:
    """The status after a confirmed move of a form, wherever it leads."""
    mark = re.search(r'name="once" value="([^"]+)"', page.source)
    assert mark
    return browser.post(page.address, {"move": page.offers()[0], "confirm": "1", "once": mark[1]}).status

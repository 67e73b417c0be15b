"""Changing the mail address: all goes to the old one until the change is confirmed, and nothing after it."""

from __future__ import annotations

from email.message import EmailMessage

import pytest
from flask import Flask

from server import overtime, prepared, together, upkeep
from server.links import TogetherLink
from server.service import Service
from tests.server.browsing import Browser, sign_in, url_in
from tests.server.builders import (
    HOUR,
    a_match,
    address_of,
    id_of,
    letters,
    link_of,
    mails,
    play_turn,
    text_of,
    worker_of,
)
from tests.server.test_addresses import NEW, address_on_file, ask, code_at, mails_to

OLD = address_of("Ann")
NEWER = "ann@newer.example"
PACE = {"hours": 0.5}
MINUTE = HOUR / 60


@pytest.fixture
def three(service: Service) -> list[str]:
    """Matches of half an hour for each decision: Ann has the turn in two, and Dan in the third."""
    now = service.now()
    found = [
        a_match(service.matches, now, people=people, pace=PACE)
        for people in (("Ann", "Ben"), ("Ann", "Cat"), ("Dan", "Ann"))
    ]
    worker_of(service).tick()
    return found


@pytest.fixture
def ann(service: Service, site: Flask, three: list[str]) -> Browser:
    """A device on which Ann is signed in."""
    browser = Browser(site)
    sign_in(service, browser, "Ann")
    return browser


def leave_work(service: Service, three: list[str]) -> None:
    """A reminder of the first match that has not left, one due in the second, an unsent mail about the third."""
    upkeep.extend(service.matches, three[1], 1, 6 * MINUTE, now=service.now(), who="host")
    service.clock.forward(16 * MINUTE)
    overtime.remind(service.matches, service.now())
    play_turn(service.matches, three[2], service.now(), 1)
    service.clock.forward(4 * MINUTE)
    waiting = [(letter.kind, letter.match_id) for letter in letters(service, state="waiting", player_id=id_of(service))]
    assert sorted(waiting) == sorted([("turn", three[2]), ("reminder", three[0])])


def about(mails: list[EmailMessage]) -> list[tuple[str, str]]:
    return sorted((mail["X-Estafette-Kind"], mail["X-Estafette-Game"] or "") for mail in mails)


def confirm(service: Service, browser: Browser, address: str = NEW) -> None:
    page = browser.press(ask(service, browser, address), "Use this address", code=code_at(service, address))
    assert "This is your address now." in page.text


def test_case_B28_until_it_is_confirmed_everything_goes_to_the_old_address(
    service: Service, ann: Browser, three: list[str]
) -> None:
    ask(service, ann)
    before = len(mails_to(service, OLD))
    leave_work(service, three)
    worker_of(service).tick(service.now())
    first, second, third = three
    expected = [("reminder", first), ("reminder", second), ("turn", third)]
    assert about(mails_to(service, OLD)[before:]) == sorted(expected)
    assert [kind for kind, _ in about(mails_to(service, NEW))] == ["address"]
    assert address_on_file(service, id_of(service)) == OLD


def test_case_B28_after_it_everything_goes_to_the_new_one_what_was_queued_too(
    service: Service, ann: Browser, three: list[str]
) -> None:
    player = id_of(service)
    page = ask(service, ann)
    before = len(mails_to(service, OLD))
    leave_work(service, three)
    assert "This is your address now." in ann.press(page, "Use this address", code=code_at(service)).text
    worker_of(service).tick(service.now())
    first, second, _ = three
    [notice] = mails_to(service, OLD)[before:]
    assert text_of(notice).startswith("Your mails go to another address from now on.")
    assert NEW not in notice.as_string(), "whoever reads the old mailbox does not learn the new address"
    came = about(mails_to(service, NEW))
    assert came.count(("reminder", first)) == came.count(("reminder", second)) == 1
    assert [match for kind, match in came if kind == "turn"] == sorted(three), "one about each open decision"
    assert not letters(service, state="waiting", player_id=player)
    worker_of(service).tick(service.now())
    assert about(mails_to(service, NEW)) == came, "and nothing twice"


def test_case_B28_a_link_in_the_old_mailbox_opens_nothing_any_more_and_acts_on_nothing(
    service: Service, ann: Browser, site: Flask, three: list[str]
) -> None:
    ann.post("/login", {"email": OLD})
    worker_of(service).tick()
    turn, login = mails_to(service, OLD, "turn")[0], mails_to(service, OLD, "login")[-1]
    together_url = url_in(turn, "/t/")
    confirm(service, ann)
    thief = Browser(site)
    for url in (url_in(turn, "/m/"), together_url):
        page = thief.get(url)
        assert "Your hand" not in page.text
        assert page.offers() == []
    page = thief.post(url_in(turn, "/m/"), {"move": "take 1L", "confirm": "1", "once": "1-0.aaaaaaaaaaaaaaaa"})
    assert service.matches.view(three[0], None).version == 0
    thief.post(url_in(login, "/login/"), {})
    assert "My matches" not in thief.get("/me").text, "the way in is closed"
    assert ann.get("/me").status == 200
    assert NEW in ann.get("/me").text, "who changed the address stays signed in"
    worker_of(service).tick()
    fresh = [mail for mail in mails_to(service, NEW, "turn") if mail["X-Estafette-Game"] == three[0]][-1]
    assert thief.get(url_in(fresh, "/m/")).offers(), "the new mailbox has links that work"


def test_case_B28_other_devices_are_signed_out(service: Service, ann: Browser, site: Flask, three: list[str]) -> None:
    tablet = Browser(site)
    sign_in(service, tablet, "Ann")
    confirm(service, ann)
    assert tablet.get("/me").source.count(NEW) == 0
    assert NEW in ann.get("/me").text


def test_case_B28_only_the_latest_request_counts(service: Service, ann: Browser, three: list[str]) -> None:
    player, page = id_of(service), ask(service, ann, NEW)
    first = code_at(service, NEW)
    ask(service, ann, NEWER)
    assert ann.press(page, "Use this address", code=first).status == 422
    assert address_on_file(service, player) == OLD
    assert "This is your address now." in ann.press(page, "Use this address", code=code_at(service, NEWER)).text
    assert address_on_file(service, player) == NEWER
    assert ann.post("/me/address/code", {"code": first}).status == 422


def test_case_B28_a_code_works_once(service: Service, ann: Browser, three: list[str]) -> None:
    page = ask(service, ann)
    code = code_at(service)
    ann.press(page, "Use this address", code=code)
    assert ann.post("/me/address/code", {"code": code}).status == 422
    worker_of(service).tick()
    assert len(mails_to(service, OLD, "address")) == 1


def test_case_B28_votes_and_prepared_answers_stay_with_who_changed_the_address(
    service: Service, ann: Browser, three: list[str]
) -> None:
    matches, now, match_id = service.matches, service.now(), three[0]
    _, tenure = matches.holder(match_id, 1)
    own = TogetherLink(match_id, 1, tenure)
    together.propose(matches, own, "pause", now=now)
    prepared.prepare(matches, own, "mark", "end", standing=True, now=now)
    confirm(service, ann)
    own = TogetherLink(match_id, 1, matches.holder(match_id, 1)[1])
    assert own.tenure > tenure
    assert [ahead.text for ahead in prepared.listed(matches, own)] == ["end"]
    other = TogetherLink(match_id, 2, matches.holder(match_id, 2)[1])
    [ballot] = together.standing(matches, other, now)
    together.vote(matches, other, ballot.id, yes=True, now=now)
    assert matches.view(match_id, None).status == "paused"


def test_case_B28_a_seat_that_is_offered_is_offered_at_the_new_address(
    service: Service, ann: Browser, site: Flask, three: list[str]
) -> None:
    other = a_match(service.matches, service.now(), people=("Eve", "Finn"))
    upkeep.offer(service.matches, other, 1, name="Ann", email=OLD, now=service.now(), who="host")
    worker_of(service).tick()
    old = url_in(mails(service, "Ann", "invitation")[-1], "/join/")
    confirm(service, ann)
    worker_of(service).tick()
    thief = Browser(site)
    assert "This invitation is over" in thief.post(old, {"name": "Ann"}).text
    assert service.matches.view(other, None).names == ("Eve", "Finn")
    fresh = url_in(mails_to(service, NEW, "invitation")[-1], "/join/")
    assert "You are in" in thief.post(fresh, {"name": "Ann"}).text
    assert service.matches.view(other, None).names == ("Ann", "Finn")


def test_case_B28_an_offer_of_the_own_seat_stays_open(service: Service, ann: Browser, three: list[str]) -> None:
    upkeep.offer(
        service.matches, three[0], 1, name="Eve", email=address_of("Eve"), now=service.now(), who="seat 1"
    )  # fmt: skip
    worker_of(service).tick()
    confirm(service, ann)
    worker_of(service).tick()
    _, newest = mails(service, "Eve", "invitation")
    assert "You are in" in ann.post(url_in(newest, "/join/"), {"name": "Eve"}).text
    assert link_of(service.matches, three[0], 1)

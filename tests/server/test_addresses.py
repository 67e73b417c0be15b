"""A new address: a code goes there, and only who can read it has the address from then on."""

from __future__ import annotations

import re
from datetime import timedelta
from email.message import EmailMessage

import pytest

from db import queries
from server.inbound import take_in
from server.links import BounceAddress
from server.service import Service
from tests.emails.inbox_mails import a_status_report
from tests.server.browsing import Browser, Page
from tests.server.builders import a_match, address_of, id_of, letters, mails, text_of, worker_of
from tests.stories.mail_programs import reply

NEW = "ann@new.example"


@pytest.fixture
def match_id(service: Service) -> str:
    match_id = a_match(service.matches, service.now())
    worker_of(service).tick()
    return match_id


def ask(service: Service, browser: Browser, address: str = NEW) -> Page:
    page = browser.press(browser.get("/me"), "Send a code there", email=address)
    worker_of(service).tick()
    return page


def mails_to(service: Service, address: str, *kinds: str) -> list[EmailMessage]:
    """Those of these kinds that went to an address, the oldest first."""
    return [
        mail
        for mail in mails(service)
        if str(mail["To"]).endswith(f"<{address}>") and (not kinds or mail["X-Estafette-Kind"] in kinds)
    ]


def mails_at(service: Service, address: str) -> list[str]:
    return [text_of(mail) for mail in mails_to(service, address)]


def code_at(service: Service, address: str = NEW) -> str:
    found = re.search(r"\b[0-9]{6}\b", mails_at(service, address)[-1])
    assert found is not None
    return found[0]


def address_on_file(service: Service, player_id: str) -> str:
    with service.store.reading() as session:
        player = queries.players.by_id(session, player_id)
    assert player is not None
    return player.email


def test_case_B53_the_player_puts_the_address_right_and_mails_go_there(
    service: Service, ann: Browser, match_id: str
) -> None:
    player = id_of(service)
    with service.store.writing() as session:
        queries.players.pause(session, player, why="the address does not exist (any more)", now=service.now())
    page = ask(service, ann)
    assert address_on_file(service, player) == address_of("Ann"), "nothing changes before the code is typed"
    page = ann.press(page, "Use this address", code=code_at(service))
    assert "This is your address now." in page.text
    assert NEW in page.text
    assert "come back" not in page.text
    worker_of(service).tick()
    assert "Your turn" in mails_at(service, NEW)[-1], "what is open is mailed to the new address"
    assert mails_at(service, address_of("Ann"))[-1].startswith("Your mails go to another address from now on.")


def test_replies_are_expected_from_the_new_address_then(service: Service, ann: Browser, match_id: str) -> None:
    old = mails(service, "Ann", "turn")[0]
    ann.press(ask(service, ann), "Use this address", code=code_at(service))
    worker_of(service).tick()
    fresh = mails_to(service, NEW, "turn")[-1]
    for turn, sender, moves in ((old, NEW, 0), (fresh, address_of("Ann"), 0), (fresh, NEW, 1)):
        take_in(service, reply(turn, "take 1L", sender=sender).raw, now=service.now())
        worker_of(service).tick()
        assert service.matches.view(match_id, None).version == moves


def test_reports_about_mails_to_the_old_address_are_no_verdict_on_the_new_one(
    service: Service, ann: Browser, match_id: str
) -> None:
    player = id_of(service)
    old = letters(service, kind="turn", player_id=player)[0]
    ann.press(ask(service, ann), "Use this address", code=code_at(service))
    worker_of(service).tick()
    told = next(each for each in letters(service, kind="address") if each.address == address_of("Ann"))
    for number, letter in enumerate((old, told)):
        to = f"{service.links.local_part(BounceAddress(letter.id))}@estafette.localhost"
        raw = a_status_report(
            "smtp; 550 5.1.1 No such user", status="5.1.1", to=to, message_id=f"<{number}@mx.example>"
        )
        take_in(service, raw, envelope_from="", now=service.now())
    worker_of(service).tick()
    with service.store.reading() as session:
        assert not queries.players.paused(session)


@pytest.mark.parametrize("code", ["", "000000x", "12345", "½½½½½½"])
def test_a_wrong_code_changes_nothing(service: Service, ann: Browser, match_id: str, code: str) -> None:
    player = id_of(service)
    page = ask(service, ann)
    page = ann.press(page, "Use this address", code=code)
    assert page.status == 422
    assert "This code is not right" in page.text
    assert address_on_file(service, player) == address_of("Ann")


def test_a_code_is_over_after_an_hour(service: Service, ann: Browser, match_id: str) -> None:
    page = ask(service, ann)
    code = code_at(service)
    service.clock.forward(timedelta(minutes=61))
    assert ann.press(page, "Use this address", code=code).status == 422


def test_a_code_is_for_the_address_that_was_asked_for_last(service: Service, ann: Browser, match_id: str) -> None:
    ask(service, ann)
    first = code_at(service)
    page = ask(service, ann, "ann@newer.example")
    assert ann.press(page, "Use this address", code=first).status == 422


def test_somebody_elses_address_cannot_be_had_and_the_answer_does_not_tell(
    service: Service, ann: Browser, match_id: str
) -> None:
    before = len(mails(service, "Ben"))
    taken = ask(service, ann, address_of("Ben").upper())
    assert len(mails(service, "Ben")) == before
    free = ask(service, ann)
    assert taken.source.replace(address_of("Ben").upper(), "…") == free.source.replace(NEW, "…")


def test_an_address_that_somebody_took_meanwhile_cannot_be_had(service: Service, ann: Browser, match_id: str) -> None:
    page = ask(service, ann)
    with service.store.writing() as session:
        queries.players.for_address(session, NEW, name="Eve", now=service.now())
    assert ann.press(page, "Use this address", code=code_at(service)).status == 422


@pytest.mark.parametrize("address", ["", "nobody", "a@b@c.example", "a b@c.example", "x" * 300 + "@c.example"])
def test_what_is_no_address_is_a_sentence(service: Service, ann: Browser, match_id: str, address: str) -> None:
    assert ask(service, ann, address).status == 422
    assert letters(service, kind="address") == []


def test_the_own_address_is_no_new_one(service: Service, ann: Browser, match_id: str) -> None:
    assert "This is your address already." in ask(service, ann, address_of("Ann").upper()).text


def test_asking_often_sends_one_mail_in_five_minutes(service: Service, ann: Browser, match_id: str) -> None:
    for _ in range(4):
        ask(service, ann)
    assert len(letters(service, kind="address")) in (1, 2)  # two where a window began in between


def test_nobody_changes_an_address_without_a_session(service: Service, browser: Browser, match_id: str) -> None:
    assert browser.post("/me/address", {"email": NEW}).status == 401
    assert browser.post("/me/address/code", {"code": "123456"}).status == 401

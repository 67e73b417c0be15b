"""The built-in mailbox: every inbox, every mail as it would have left, and a clock that goes forward."""

from __future__ import annotations

from pathlib import Path

import pytest
from flask import Flask

from emails.mailbox import inbox
from server import create_app
from server.service import Service
from tests.server.browsing import Browser
from tests.server.builders import HOUR, a_match, a_service, address_of, mails, worker_of


@pytest.fixture
def match_id(service: Service) -> str:
    match_id = a_match(service.matches, service.now())
    worker_of(service).tick()
    return match_id


def test_from_the_mailbox_to_the_move(browser: Browser, match_id: str) -> None:
    page = browser.get("/mailbox")
    assert [heading for heading in page.headings if "@" in heading] == [address_of("Ann"), address_of("Ben")]
    page = browser.get(page.link("2 mails"))
    page = browser.get(page.link("turn:"))
    move = next(address for words, address in page.links if "/m/" in address and address.count("/") == 4)
    page = browser.get(move)
    assert page.headings[0] == "Ann"
    page = browser.press(browser.press(page, "take 1L"), "Yes, ")
    assert "Played." in page.text


def test_a_mail_is_shown_with_its_raw_headers_and_both_parts(service: Service, browser: Browser, match_id: str) -> None:
    mail = mails(service, "Ann", "turn")[0]
    page = browser.get(browser.get(f"/mailbox?of={address_of('Ann')}").link("turn:"))
    assert "X-Estafette-Kind: turn" in page.source
    assert str(mail["Message-ID"]).strip("<>") in page.text
    assert "Your turn" in page.text
    html = browser.get(f"{page.address}/html")
    assert html.status == 200
    assert "Your turn" in html.text


def test_the_html_of_a_mail_can_do_nothing_but_lead_to_links(browser: Browser, match_id: str) -> None:
    page = browser.get(browser.get(f"/mailbox?of={address_of('Ann')}").link("turn:"))
    assert 'sandbox="allow-top-navigation-by-user-activation"' in page.source
    policy = browser.get(f"{page.address}/html").response.headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "sandbox allow-top-navigation-by-user-activation" in policy
    assert "script" not in policy
    assert '<base target="_top">' in browser.get(f"{page.address}/html").source


def test_the_raw_mail_is_plain_text(browser: Browser, match_id: str) -> None:
    page = browser.get(browser.get(f"/mailbox?of={address_of('Ann')}").link("turn:"))
    response = browser.get(page.link("The raw mail")).response
    assert response.content_type == "text/plain; charset=utf-8"
    assert response.get_data().startswith(b"From:") or b"\r\nFrom:" in response.get_data()


@pytest.mark.parametrize(
    "path", ["/mailbox/999999", "/mailbox/999999/html", "/mailbox/1/picture/none", f"/mailbox/{10**30}"]
)
def test_a_mail_that_is_none_is_not_found(browser: Browser, match_id: str, path: str) -> None:
    assert browser.get(path).status == 404


def test_the_clock_goes_forward_and_reminders_come(service: Service, browser: Browser, match_id: str) -> None:
    begun = service.now()
    page = browser.press(browser.get("/mailbox"), "Forward by 12 hours")
    assert service.now() - begun >= 12 * HOUR
    for _ in range(2):
        page = browser.press(page, "Forward by 12 hours")
    page = browser.press(page, "Forward by 1 hour")
    worker_of(service).tick()
    assert len(mails(service, "Ann", "reminder")) == 1


def test_the_clock_can_jump_to_what_is_due_next(service: Service, browser: Browser, match_id: str) -> None:
    browser.press(browser.get("/mailbox"), "Forward to what is due next")
    worker_of(service).tick()
    assert len(mails(service, "Ann", "reminder")) == 1


@pytest.mark.parametrize("by", ["", "-5h", "99h", "backwards"])
def test_the_clock_goes_no_other_way(service: Service, browser: Browser, match_id: str, by: str) -> None:
    before = service.clock.offset()
    assert browser.post("/mailbox/clock", {"by": by}).status == 200
    assert service.clock.offset() == before


def test_only_the_demos_clock_can_be_moved(database_url: str, tmp_path: Path) -> None:
    service = a_service(database_url, tmp_path, demo=False)
    browser = Browser(create_app(service))
    assert "Forward" not in browser.get("/mailbox").text
    assert browser.post("/mailbox/clock", {"by": "1h"}).status == 404
    service.close()


def test_a_reply_from_the_mailbox_plays_and_is_answered(service: Service, browser: Browser, match_id: str) -> None:
    page = browser.get(browser.get(f"/mailbox?of={address_of('Ann')}").link("turn:"))
    page = browser.press(page, "Send the reply", reply="take 1L\nend\n\nGood luck, Ben!")
    assert page.headings[0] == address_of("Ann")
    assert "Your reply is on its way" in page.text
    assert service.matches.view(match_id, None).version == 0, "it is read like any mail: later"
    worker_of(service).tick()
    page = browser.get(browser.get(page.link("Look again")).link("receipt:"))
    assert "Played (move 2): Take " in page.text
    assert service.matches.view(match_id, None).version == 2


def test_a_reply_that_is_no_move_is_answered_in_the_mailbox(service: Service, browser: Browser, match_id: str) -> None:
    page = browser.get(browser.get(f"/mailbox?of={address_of('Ann')}").link("turn:"))
    page = browser.press(page, "Send the reply", reply="Größe, “ok”?")
    worker_of(service).tick()
    page = browser.get(browser.get(page.link("Look again")).link("receipt:"))
    assert "Nothing was played." in page.text
    assert "This was read: “" in page.text


def test_an_empty_reply_is_not_sent(service: Service, browser: Browser, match_id: str) -> None:
    page = browser.get(browser.get(f"/mailbox?of={address_of('Ann')}").link("turn:"))
    assert browser.press(page, "Send the reply", reply=" \n").status == 422


def test_a_mail_that_cannot_be_answered_has_no_form(browser: Browser, match_id: str) -> None:
    page = browser.get(browser.get(f"/mailbox?of={address_of('Ben')}").link("started:"))
    assert "Send the reply" not in page.text
    assert browser.post(f"{page.address}/reply", {"reply": "take 1L"}).status == 422


def test_where_mails_leave_there_is_no_mailbox(database_url: str, tmp_path: Path) -> None:
    service = a_service(
        database_url,
        tmp_path,
        ESTAFETTE_MAIL_URL="smtp+plain://127.0.0.1:2525",
        ESTAFETTE_MAIL_FROM="games@play.example",
        ESTAFETTE_PUBLIC_URL="https://play.example",
    )
    site: Flask = create_app(service)
    for path in ("/mailbox", "/mailbox/1", "/mailbox/1/html", "/mailbox/1/raw"):
        assert Browser(site).get(path).status == 404
    assert "mailbox" not in Browser(site).get("/").text
    service.close()


def test_of_many_inboxes_those_stand_there_that_got_mail_last(
    service: Service, browser: Browser, monkeypatch: pytest.MonkeyPatch, match_id: str
) -> None:
    everybody = browser.get("/mailbox").text
    assert address_of("Ann") in everybody
    assert address_of("Ben") in everybody
    assert "Who got mail last:" not in everybody
    monkeypatch.setattr("server.pages.mailbox._INBOXES", 1)
    last = inbox(service.store, address_of("Ann"))[0], inbox(service.store, address_of("Ben"))[0]
    shown = browser.get("/mailbox").text
    assert "Who got mail last:" in shown
    assert (address_of("Ann") in shown) is (last[0].id > last[1].id)
    assert (address_of("Ben") in shown) is (last[0].id < last[1].id)

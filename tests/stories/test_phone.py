"""A match on a phone, from the mailbox to the result."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from selenium.webdriver import Chrome
from selenium.webdriver.common.by import By
from selenium.webdriver.support import expected_conditions
from selenium.webdriver.support.wait import WebDriverWait

from server import create_app
from server.service import Service
from server.web import Web, bound
from tests.server.builders import a_match, a_service, address_of, mails, text_of, worker_of
from tests.stories.chromium import a_phone, needs_chromium


@pytest.fixture
def served(database_url: str, tmp_path: Path) -> Iterator[Service]:
    listening = bound("127.0.0.1", 0)
    service = a_service(database_url, tmp_path, ESTAFETTE_PUBLIC_URL=f"http://127.0.0.1:{listening.getsockname()[1]}")
    web = Web(create_app(service), listening)
    web.start()
    yield service
    web.stop()
    service.close()


def open_newest_mail(phone: Chrome, service: Service) -> None:
    """Through the mailbox to Ann's newest mail."""
    phone.get(service.links.url("mailbox"))
    assert address_of("Ann") in phone.find_element(By.TAG_NAME, "main").text
    phone.find_element(By.CSS_SELECTOR, "ul.cards a.button").click()
    phone.find_element(By.CSS_SELECTOR, "ul.choices a.button").click()


def follow_move_link(phone: Chrome) -> None:
    links = [link.get_attribute("href") or "" for link in phone.find_elements(By.CSS_SELECTOR, "a[href*='/m/']")]
    phone.get(next(link for link in links if link.rpartition("/m/")[2].count("/") == 0))


def play_what_is_offered(phone: Chrome) -> None:
    """Choose the first thing offered, step by step, and confirm it."""
    for _ in range(6):
        buttons = phone.find_elements(By.CSS_SELECTOR, "ul.choices button")
        if buttons:
            buttons[0].click()
            break
        phone.find_element(By.CSS_SELECTOR, "ul.choices a").click()
    confirm = WebDriverWait(phone, 10).until(expected_conditions.element_to_be_clickable((By.NAME, "confirm")))
    confirm.click()
    WebDriverWait(phone, 10).until(expected_conditions.staleness_of(confirm))


@pytest.mark.browser
@pytest.mark.slow
@needs_chromium
def test_a_match_is_played_on_a_phone_from_the_mailbox(served: Service, tmp_path: Path) -> None:
    worker = worker_of(served)
    match_id = a_match(served.matches, served.now(), people=("Ann",), house=1, options={"short": True})
    decisions = 0
    with a_phone(tmp_path / "profile") as phone:
        while True:
            worker.tick()
            if served.matches.view(match_id, None).outcome is not None:
                break
            open_newest_mail(phone, served)
            follow_move_link(phone)
            assert phone.execute_cdp_cmd("Page.getLayoutMetrics", {})["cssContentSize"]["width"] <= 360
            while phone.find_elements(By.CSS_SELECTOR, "ul.choices"):
                play_what_is_offered(phone)
                decisions += 1
            assert decisions < 200
        assert "The match is over" in text_of(mails(served, "Ann", "finished")[-1])
        phone.get(served.links.url(f"g/{match_id}"))
        assert "Ann" in phone.find_element(By.TAG_NAME, "body").text
    assert decisions > 10

"""A match on a phone, from the mailbox to the result."""

from __future__ import annotations

from pathlib import Path

import pytest

from server.service import Service
from tests.server.builders import a_match, address_of, mails, text_of, worker_of
from tests.stories.chromium import PHONE, Tab, a_browser, needs_chromium


def open_newest_mail(phone: Tab, service: Service) -> None:
    """Through the mailbox to Ann's newest mail."""
    phone.open(service.links.url("mailbox"))
    assert address_of("Ann") in phone.first("main").text
    phone.follow(phone.first("ul.cards a.button"))
    phone.follow(phone.first("ul.choices a.button"))


def follow_move_link(phone: Tab) -> None:
    """The link to the page of the decision, not one of those to its single choices."""
    links = [link for link in phone.all("a[href*='/m/']") if link.target.rpartition("/m/")[2].count("/") == 0]
    phone.follow(links[0])


def play_what_is_offered(phone: Tab) -> None:
    """Choose the first thing offered, step by step, and confirm it."""
    while not (buttons := phone.all("ul.choices button")):
        phone.follow(phone.first("ul.choices a"))
    phone.follow(buttons[0])
    phone.follow(phone.first("button[name=confirm]"))


@pytest.mark.browser
@pytest.mark.slow
@needs_chromium
@pytest.mark.parametrize("scripts", [True, False], ids=["with scripts", "without scripts"])
def test_a_match_is_played_on_a_phone_from_the_mailbox(served: Service, tmp_path: Path, scripts: bool) -> None:
    worker = worker_of(served)
    match_id = a_match(served.matches, served.now(), people=("Ann",), house=1, options={"short": True})
    decisions = 0
    with a_browser(tmp_path / "browser") as phone:
        phone.scripts(scripts)
        while True:
            worker.tick()
            if served.matches.view(match_id, None).outcome is not None:
                break
            open_newest_mail(phone, served)
            follow_move_link(phone)
            assert phone.width() <= PHONE[0]
            while phone.all("ul.choices"):
                play_what_is_offered(phone)
                decisions += 1
            assert decisions < 200
        assert "The match is over" in text_of(mails(served, "Ann", "finished")[-1])
        phone.open(served.links.url(f"g/{match_id}"))
        assert "Ann" in phone.text
    assert decisions > 10


@pytest.mark.browser
@needs_chromium
def test_scripts_are_off_where_a_story_says_so(tmp_path: Path) -> None:
    """What the story above relies on."""
    page = "data:text/html,<title>quiet</title><p>A page</p><script>document.title = 'ran'</script>"
    with a_browser(tmp_path / "browser") as phone:
        phone.open(page)
        assert phone.ask("document.title") == "ran"
        phone.scripts(False)
        phone.open(page)
        assert phone.ask("document.title") == "quiet"

"""Case B39 in a real browser: a player comes from webmail, which is another site, by a link or through a wrapper."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from html import escape
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, quote, urlsplit

import pytest

from server import create_app
from server.pages import once
from server.service import Service
from tests.server.browsing import Browser, sign_in
from tests.server.builders import a_match, answers, link_of
from tests.stories.chromium import Tab, a_browser, needs_chromium
from tests.stories.tour import session_of


class Webmail(BaseHTTPRequestHandler):
    """Shows a mail, and leads on through an address of its own, as many do; and a page that means ill."""

    def do_GET(self) -> None:
        asked = parse_qs(urlsplit(self.path).query)
        if self.path.startswith("/wrapped"):
            self.send_response(302)
            self.send_header("Location", asked["to"][0])
            self.end_headers()
            return
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.end_headers()
        self.wfile.write(self.page(asked).encode())

    def page(self, asked: dict[str, list[str]]) -> str:
        to = asked["to"][0]
        fields = "".join(
            f'<input name="{escape(name)}" value="{escape(values[0])}">'
            for name, values in asked.items()
            if name != "to"
        )
        return f"""<!doctype html><meta name="viewport" content="width=device-width"><title>Mail</title><p>
            <a id="link" href="{escape(to)}">Decide now</a> <a id="wrapped" href="/wrapped?to={quote(to)}">Decide</a>
            <form method="post" action="{escape(to)}">{fields}<button>A prize</button></form>"""

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def webmail() -> Iterator[str]:
    """Under another name, so that it is another site to the browser."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Webmail)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://localhost:{server.server_port}/"
    server.shutdown()
    server.server_close()
    thread.join()


def play_something(tab: Tab) -> None:
    tab.follow(tab.first("ul.choices button"))
    tab.follow(tab.first("button[name=confirm]"))


@pytest.mark.browser
@needs_chromium
@pytest.mark.parametrize("way", ["link", "wrapped"])
@pytest.mark.parametrize("signed_in", [True, False], ids=["signed in", "not signed in"])
def test_case_B39_from_webmail_the_page_works_and_a_session_is_known_at_once(
    served: Service, tmp_path: Path, webmail: str, way: str, signed_in: bool
) -> None:
    match_id = a_match(served.matches, served.now())
    address = served.links.move_url(link_of(served.matches, match_id))
    with a_browser(tmp_path / "browser") as tab:
        if signed_in:
            site = create_app(served)
            ann = Browser(site)
            sign_in(served, ann, "Ann")
            tab.session(address, session_of(site, ann))
        tab.open(f"{webmail}?to={quote(served.links.url('games'))}")
        tab.follow(tab.first(f"#{way}"))
        assert ("Signed in as Ann" in tab.text) == signed_in
        tab.open(f"{webmail}?to={quote(address)}")
        tab.follow(tab.first(f"#{way}"))
        assert tab.first("h1").text == "Ann"
        play_something(tab)
    assert served.matches.view(match_id, None).version == 1


@pytest.mark.browser
@needs_chromium
def test_case_B39_a_form_that_another_site_forges_plays_nothing(served: Service, tmp_path: Path, webmail: str) -> None:
    match_id = a_match(served.matches, served.now())
    address = served.links.move_url(link_of(served.matches, match_id))
    decision = served.matches.view(match_id, 1).decision
    assert decision is not None
    form = {"move": answers(served.matches, match_id)[0], "confirm": "1", "once": str(once.fresh(decision.stamp))}
    with a_browser(tmp_path / "browser") as tab:
        tab.open(f"{webmail}?to={quote(address)}&" + "&".join(f"{name}={quote(form[name])}" for name in form))
        tab.follow(tab.first("button"))
        assert "from another site" in tab.text
        assert served.matches.view(match_id, None).version == 0
        tab.send(address, form)
        assert served.matches.view(match_id, None).version == 1, "the same form of our own page plays"

"""A passkey in Chromium: made after signing in by mail, then used, with the browser's own authenticator."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from server import create_app
from server.service import Service
from server.web import Web, bound
from tests.server.browsing import url_in
from tests.server.builders import a_match, a_service, address_of, mails, worker_of
from tests.stories.chromium import Element, Tab, a_browser, needs_chromium


@pytest.fixture
def served(database_url: str, tmp_path: Path) -> Iterator[Service]:
    """An instance with a name; one that is reached by a number can have no passkeys."""
    listening = bound("127.0.0.1", 0)
    service = a_service(database_url, tmp_path, ESTAFETTE_PUBLIC_URL=f"http://localhost:{listening.getsockname()[1]}")
    web = Web(create_app(service), listening)
    web.start()
    yield service
    web.stop()
    service.close()


def button(phone: Tab, words: str) -> Element:
    return next(each for each in phone.all("button") if words in each.text)


@pytest.mark.browser
@pytest.mark.slow
@needs_chromium
def test_a_passkey_is_made_and_used_in_a_browser(served: Service, tmp_path: Path) -> None:
    a_match(served.matches, served.now())
    with a_browser(tmp_path / "browser") as phone:
        phone.call("WebAuthn.enable")
        options = {"protocol": "ctap2", "transport": "internal", "hasResidentKey": True, "hasUserVerification": True}
        device = phone.call(
            "WebAuthn.addVirtualAuthenticator",
            options=options | {"isUserVerified": True, "automaticPresenceSimulation": True},
        )["authenticatorId"]
        phone.open(served.links.url("login"))
        phone.ask(f"void (document.querySelector('#email').value = '{address_of('Ann')}')")
        phone.follow(button(phone, "Send me the mail"))
        worker_of(served).tick()
        phone.open(url_in(mails(served, "Ann", "login")[-1], "/login/"))
        phone.follow(button(phone, "Sign in on this device"))

        phone.open(served.links.url("me/safety"))
        phone.follow(button(phone, "Make a passkey on this device"))
        assert "You can sign in with this passkey from now on." in phone.text
        kept = phone.call("WebAuthn.getCredentials", authenticatorId=device)["credentials"]
        assert [each["rpId"] for each in kept] == ["localhost"]

        phone.follow(button(phone, "Sign out here"))
        phone.open(served.links.url("login"))
        phone.follow(button(phone, "Sign in with a passkey"))
        assert "Signed in as Ann" in phone.text


@pytest.mark.browser
@needs_chromium
def test_without_scripts_the_sign_in_page_speaks_of_mail_alone(served: Service, tmp_path: Path) -> None:
    with a_browser(tmp_path / "browser") as phone:
        phone.scripts(False)
        phone.open(served.links.url("login"))
        assert "Send me the mail" in phone.text
        assert "passkey" not in phone.text

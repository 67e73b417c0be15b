"""A push in Chromium: its service worker shows the notice. (The way through a push service is tested in software.)"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from server import create_app
from server.service import Service
from tests.server.browsing import Browser, sign_in
from tests.server.builders import a_match
from tests.stories.chromium import a_browser, needs_chromium


@pytest.mark.browser
@pytest.mark.slow
@needs_chromium
def test_what_is_pushed_is_shown(served: Service, tmp_path: Path) -> None:
    news = {"title": "Richelieu", "text": "Ann, it is your turn.", "url": served.links.url("g/x"), "tag": "x"}
    a_match(served.matches, served.now())
    site = create_app(served)
    ann = Browser(site)
    sign_in(served, ann, "Ann")
    cookie = ann.client.get_cookie("estafette")
    assert cookie is not None
    with a_browser(tmp_path / "browser") as phone:
        origin = served.links.url("").rstrip("/")
        phone.call("Browser.grantPermissions", origin=origin, permissions=["notifications"])
        phone.call("Network.setCookie", name="estafette", value=cookie.value, url=origin)
        phone.open(served.links.url("me/channels"))
        assert "Tell me on this device" in phone.text
        phone.call("ServiceWorker.enable")
        phone.ask("navigator.serviceWorker.register('/sw.js').then(() => navigator.serviceWorker.ready).then(() => 1)")
        told = phone.ask(
            "(async () => { const ready = await navigator.serviceWorker.ready;"
            " return [ready.scope, ready.active.scriptURL]; })()"
        )
        assert told == [f"{origin}/", f"{origin}/sw.js"]
        registrations: list[dict[str, str]] = []
        while not registrations:
            updated = phone.told("ServiceWorker.workerRegistrationUpdated", "the worker's registration")
            registrations = updated["registrations"]
        phone.call(
            "ServiceWorker.deliverPushMessage",
            origin=origin,
            registrationId=registrations[0]["registrationId"],
            data=json.dumps(news),
        )
        shown = phone.ask(
            "(async () => { const ready = await navigator.serviceWorker.ready;"
            " for (let tries = 0; tries < 50; tries++) {"
            "  const found = await ready.getNotifications();"
            "  if (found.length) return found.map(each => [each.title, each.body, each.tag, each.data]);"
            "  await new Promise(later => setTimeout(later, 100)); } return []; })()"
        )
        assert shown == [["Richelieu", "Ann, it is your turn.", "x", news["url"]]]

"""Messages to a browser: encrypted for it alone, signed by us, quiet when its player is, gone when it is gone."""

from __future__ import annotations

import base64
import json
import secrets
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import http_ece
import pytest
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from flask import Flask

from db import queries
from db.models import Channel
from server import push
from server.service import Service
from tests.server.browsing import Browser, Page, sign_in
from tests.server.builders import (
    HOUR,
    a_match,
    a_service,
    a_turn_for_ann,
    address_of,
    settings_for,
    worker_of,
)
from tests.server.receivers import Receiver


def b64(octets: bytes) -> str:
    return base64.urlsafe_b64encode(octets).rstrip(b"=").decode()


def unb64(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "==")


@dataclass
class Phone:
    """A browser's half of the keys."""

    endpoint: str
    key: ec.EllipticCurvePrivateKey = field(default_factory=lambda: ec.generate_private_key(ec.SECP256R1()))
    auth: bytes = field(default_factory=lambda: secrets.token_bytes(16))

    @property
    def answer(self) -> str:
        point = self.key.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)
        keys = {"p256dh": b64(point), "auth": b64(self.auth)}
        return json.dumps({"endpoint": self.endpoint, "expirationTime": None, "keys": keys})

    def read(self, body: bytes) -> Any:
        return json.loads(http_ece.decrypt(body, private_key=self.key, auth_secret=self.auth))


@pytest.fixture
def service(database_url: str, tmp_path: Path) -> Iterator[Service]:
    service = a_service(database_url, tmp_path, ESTAFETTE_HOOK_NETWORKS="127.0.0.0/8", ESTAFETTE_PUSH_KEY="0a" * 32)
    yield service
    service.close()


@pytest.fixture
def receiver(receiver: Receiver) -> Receiver:
    receiver.answers = [201]
    return receiver


@pytest.fixture
def ann(service: Service, site: Flask, match_id: str) -> Browser:
    browser = Browser(site, **{"User-Agent": "Mozilla/5.0 (Android 14; Mobile; rv:131.0) Firefox/131.0"})
    sign_in(service, browser, "Ann")
    return browser


@pytest.fixture
def phone(service: Service, receiver: Receiver, ann: Browser) -> Phone:
    """Ann's; it was told that it works."""
    phone = Phone(receiver.url)
    assert "We try it now." in subscribed(ann, phone).text
    worker_of(service).tick()
    return phone


def subscribed(browser: Browser, phone: Phone) -> Page:
    return browser.post("/me/channels/push", {"answer": phone.answer})


def way_of_ann(service: Service) -> Channel:
    with service.store.reading() as session:
        player = queries.players.by_address(session, address_of("Ann"))
        assert player is not None
        (channel,) = queries.channels.of_player(session, player.id)
    return channel


def test_a_turn_is_shown_on_the_phone_that_asked_for_it(
    service: Service, receiver: Receiver, phone: Phone, match_id: str
) -> None:
    assert phone.read(receiver.got[0][2])["text"] == "This is a test. It has arrived."
    a_turn_for_ann(service.matches, match_id, service.now())
    worker_of(service).tick()
    told = phone.read(receiver.got[1][2])
    assert told["title"] == "Richelieu (2003)"
    assert told["text"].startswith("Ann, it is your turn, until ")
    assert told["url"] == f"http://127.0.0.1:8025/g/{match_id}"
    assert told["tag"] == match_id


def test_nobody_on_the_way_can_read_it(service: Service, receiver: Receiver, phone: Phone) -> None:
    body = receiver.got[0][2]
    assert b"test" not in body
    with pytest.raises(http_ece.ECEException):
        http_ece.decrypt(body, private_key=Phone("").key, auth_secret=phone.auth)


def test_the_push_service_hears_who_we_are(service: Service, receiver: Receiver, phone: Phone) -> None:
    headers = receiver.got[0][1]
    assert headers["Content-Encoding"] == "aes128gcm"
    token, key = headers["Authorization"].removeprefix("vapid t=").split(", k=")
    said, _, mark = token.rpartition(".")
    point = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), unb64(key))
    r, s = unb64(mark)[:32], unb64(mark)[32:]
    der = encode_dss_signature(int.from_bytes(r, "big"), int.from_bytes(s, "big"))
    point.verify(der, said.encode(), ec.ECDSA(hashes.SHA256()))
    claims = json.loads(unb64(said.partition(".")[2]))
    assert claims["aud"] == f"http://127.0.0.1:{receiver.port}"
    assert claims["sub"].startswith("mailto:")
    assert key == push.public_key("0a" * 32)


@pytest.mark.parametrize("status", [404, 410])
def test_a_browser_that_has_gone_is_told_nothing_more(
    service: Service, receiver: Receiver, phone: Phone, match_id: str, status: int
) -> None:
    receiver.answers = [status]
    a_turn_for_ann(service.matches, match_id, service.now())
    worker_of(service).tick()
    assert way_of_ann(service).off_at is not None


def test_in_quiet_hours_the_phone_is_quiet(service: Service, receiver: Receiver, ann: Browser, phone: Phone) -> None:
    now = service.now()
    hours = {"zone": "UTC", "night_from": f"{(now - HOUR):%H:%M}", "night_to": f"{(now + 3 * HOUR):%H:%M}"}
    ann.post("/me/hours", hours)
    a_match(service.matches, service.now(), pace="week")
    worker_of(service).tick()
    assert len(receiver.got) == 1
    service.clock.forward(4 * HOUR)
    worker_of(service).tick()
    assert len(receiver.got) > 1


@pytest.mark.parametrize(
    "answer",
    [
        *("", "null", "{}", "[" * 900, "x" * 3000, '{"endpoint": 3, "keys": {}}'),
        json.dumps({"endpoint": "https://push.example/x", "keys": {"p256dh": "AAAA", "auth": "AAAA"}}),
        Phone("ftp://push.example/").answer,
        Phone("https://ann:pw@push.example/").answer,
        Phone("https://push.example/", auth=b"short").answer,
    ],
)
def test_what_is_no_subscription_is_refused(service: Service, ann: Browser, answer: str) -> None:
    assert ann.post("/me/channels/push", {"answer": answer}).status == 422


def test_the_site_can_be_put_on_the_home_screen(site: Flask, ann: Browser) -> None:
    page = ann.get("/me/channels")
    policy = page.response.headers["Content-Security-Policy"]
    assert "worker-src 'self'" in policy
    assert "manifest-src 'self'" in policy
    anybody = Browser(site)
    manifest = json.loads(anybody.get("/app.webmanifest").source)
    assert manifest["display"] == "standalone"
    for icon in manifest["icons"]:
        image = anybody.client.get(icon["src"]).get_data()
        assert image.startswith(b"\x89PNG")
        assert int.from_bytes(image[16:20], "big") == int(icon["sizes"].partition("x")[0])
    assert anybody.get("/icon-99.png").status == 404
    worker = anybody.get("/sw.js").response
    assert worker.mimetype == "text/javascript"
    assert "fetch" not in worker.get_data(as_text=True), "it keeps no private page"


def test_the_key_is_made_once_for_its_owner_alone(tmp_path: Path) -> None:
    settings = settings_for(f"sqlite:///{tmp_path}/x.db", tmp_path / "data")
    key = push.key_of(settings)
    assert key is not None
    assert push.key_of(settings) == key
    assert (tmp_path / "data" / push.KEY_FILE).stat().st_mode & 0o777 == 0o600
    assert len(unb64(push.public_key(key))) == 65
    elsewhere = settings_for("postgresql+psycopg://x@127.0.0.1/x", tmp_path)
    assert push.key_of(elsewhere) is None

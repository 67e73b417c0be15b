"""Webhooks: told with their cause, signed, without secrets, tried again, and never into a private network."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from sqlmodel import select

from db import queries
from db.models import Call, Channel
from server import accounts, calls, channels, create_app, outgoing, webhooks
from server.home import COPIED_KEY
from server.outgoing import Refused, may_be_called, read
from server.service import Service
from tests.server.browsing import Browser, sign_in
from tests.server.builders import (
    HOUR,
    a_match,
    a_service,
    a_turn_for_ann,
    address_of,
    id_of,
    link_of,
    mails,
    play_to_the_end,
    play_turn,
    text_of,
    worker_of,
)
from tests.server.receivers import Receiver, a_receiver

LOOPBACK = "127.0.0.0/8"


@pytest.fixture
def service(database_url: str, tmp_path: Path) -> Iterator[Service]:
    """An instance whose operator allows webhooks to the machine itself."""
    service = a_service(database_url, tmp_path, ESTAFETTE_HOOK_NETWORKS=LOOPBACK)
    yield service
    service.close()


@pytest.fixture
def hook(service: Service, receiver: Receiver, match_id: str) -> Channel:
    """Ann's, for all her matches; its first test has arrived."""
    return a_hook(service, receiver)


def a_hook(service: Service, receiver: Receiver, name: str = "Ann", match_id: str | None = None) -> Channel:
    hook = channels.add_webhook(service, id_of(service, name), receiver.url, name="chat", match_id=match_id)
    worker_of(service).tick()
    receiver.got.clear()
    return hook


def told(receiver: Receiver) -> list[dict[str, Any]]:
    return [json.loads(body) for _, _, body in receiver.got]


def state(service: Service, channel: Channel) -> Channel:
    with service.store.reading() as session:
        found = queries.channels.by_id(session, channel.id)
    assert found is not None
    return found


def waiting_calls(service: Service) -> list[Call]:
    with service.store.reading() as session:
        return list(session.exec(select(Call).where(Call.state == "waiting")).all())


# What is told


def test_a_new_webhook_is_tried_and_then_hears_of_its_players_turns(
    service: Service, receiver: Receiver, match_id: str
) -> None:
    channels.add_webhook(service, id_of(service), receiver.url, name="", match_id=None)
    worker_of(service).tick()
    assert [news["type"] for news in told(receiver)] == ["test"]
    a_turn_for_ann(service.matches, match_id, service.now())
    worker_of(service).tick()
    news = told(receiver)[1]
    assert news["type"] == "turn"
    assert news["data"] == {
        "match": match_id,
        "game": "regions",
        "title": "Richelieu (2003)",
        "status": "running",
        "version": 4,
        "players": ["Ann", "Ben"],
        "waits_for": [1],
        "seat": 1,
        "name": "Ann",
        "due_at": service.matches.view(match_id, None).seats[0].due_at.isoformat(),  # type: ignore[union-attr]
        "url": f"http://127.0.0.1:8025/g/{match_id}",
    }
    assert receiver.got[1][0] == "/hook?a=1"


def test_what_is_told_is_signed_and_has_one_id_on_every_attempt(
    service: Service, receiver: Receiver, hook: Channel, match_id: str
) -> None:
    receiver.answers = [500, 204]
    a_turn_for_ann(service.matches, match_id, service.now())
    worker_of(service).tick()
    service.clock.forward(timedelta(minutes=2))
    worker_of(service).tick()
    (_, first, body), (_, second, again) = receiver.got
    assert body == again
    assert first["webhook-id"] == second["webhook-id"]
    for headers in (first, second):
        at = int(headers["webhook-timestamp"])
        assert headers["webhook-signature"] == webhooks.signature(hook.secret, headers["webhook-id"], at, body)
    assert first["webhook-signature"] != second["webhook-signature"], "the moment is signed too"


def test_the_signature_is_that_of_the_standard() -> None:
    """The example of https://www.standardwebhooks.com."""
    secret, body = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", b'{"test": 2432232314}'
    signed = webhooks.signature(secret, "msg_p5jXN8AQM9LWM0D4loKWxJek", 1614265330, body)
    assert signed == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="


def test_no_secret_and_no_way_to_play_is_told(
    service: Service, receiver: Receiver, hook: Channel, match_id: str
) -> None:
    a_turn_for_ann(service.matches, match_id, service.now())
    worker_of(service).tick()
    source = b"".join(body for _, _, body in receiver.got).decode()
    assert "/m/" not in source
    assert link_of(service.matches, match_id).match in source
    assert "@players.example" not in source
    assert service.matches.status(match_id).seed not in source


def test_the_webhook_of_a_match_hears_of_everybodys_turns_and_of_the_end_once(
    service: Service, receiver: Receiver, match_id: str
) -> None:
    a_hook(service, receiver, match_id=match_id)
    other = a_match(service.matches, service.now())
    play_turn(service.matches, match_id, service.now(), 1)
    worker_of(service).tick()
    assert [(news["type"], news["data"]["name"]) for news in told(receiver)] == [("turn", "Ben")]
    play_to_the_end(service.matches, match_id, service.now())
    worker_of(service).tick()
    assert [news["type"] for news in told(receiver)].count("finished") == 1
    assert {news["data"]["match"] for news in told(receiver)} == {match_id}
    assert other


def test_what_did_not_happen_is_not_told(service: Service, receiver: Receiver, hook: Channel, match_id: str) -> None:
    class Lost(Exception):
        pass

    def fail(_session: object) -> None:
        raise Lost

    play_turn(service.matches, match_id, service.now(), 1)
    link = link_of(service.matches, match_id, 2)
    first = service.matches.view(match_id, 2).decision
    assert first is not None
    with pytest.raises(Lost):
        service.matches.play(link, first.choices[0].text, now=service.now(), also=fail)
    assert waiting_calls(service) == [], "the call is written with its cause, or not at all"


def test_a_decision_that_is_over_is_not_told_any_more(
    service: Service, receiver: Receiver, hook: Channel, match_id: str
) -> None:
    receiver.answers = [503, 204]
    a_turn_for_ann(service.matches, match_id, service.now())
    worker_of(service).tick()
    play_turn(service.matches, match_id, service.now(), 1)
    service.clock.forward(HOUR)
    worker_of(service).tick()
    assert len(receiver.got) == 1
    assert waiting_calls(service) == []


# How it fares


def test_what_fails_is_tried_again_later_and_later_and_the_page_says_so(
    service: Service, site: Flask, receiver: Receiver, hook: Channel, match_id: str
) -> None:
    receiver.answers = [500]
    a_turn_for_ann(service.matches, match_id, service.now())
    worker = worker_of(service)
    worker.tick()
    assert len(receiver.got) == 1
    ann = Browser(site)
    sign_in(service, ann, "Ann")
    page = ann.get("/me/channels")
    assert "It has not worked since" in page.text
    assert ": it answered 500. The next try is on" in page.text
    for minutes, tries in ((2, 2), (2, 2), (4, 3), (10, 3), (6, 4)):
        service.clock.forward(timedelta(minutes=minutes))
        worker.tick()
        assert len(receiver.got) == tries
    receiver.answers = [200]
    service.clock.forward(HOUR)
    worker.tick()
    assert "It works." in ann.get("/me/channels").text


def test_after_five_days_it_is_switched_off_and_its_owner_gets_a_mail(
    service: Service, site: Flask, receiver: Receiver, hook: Channel, match_id: str
) -> None:
    receiver.answers = [404]
    worker = worker_of(service)
    for _ in range(4):
        channels.test(service, id_of(service), hook.id)
        worker.tick()
        service.clock.forward(timedelta(days=2.6))
    assert state(service, hook).off_at is not None
    worker.tick()
    assert "“chat” was switched off: nothing could be told there." in text_of(mails(service, "Ann", "notice")[-1])
    before = len(receiver.got)
    a_match(service.matches, service.now())
    worker.tick()
    assert len(receiver.got) == before

    receiver.answers = [200]
    ann = Browser(site)
    sign_in(service, ann, "Ann")
    page = ann.press(ann.get("/me/channels"), "Switch it on again")
    assert "We try it now." in page.text
    worker.tick()
    assert "It works." in ann.get("/me/channels").text


def test_a_server_that_says_gone_hears_no_more(service: Service, receiver: Receiver, hook: Channel) -> None:
    receiver.answers = [410]
    service.clock.forward(HOUR)
    channels.test(service, id_of(service), hook.id)
    worker_of(service).tick()
    assert state(service, hook).off_at is not None


def test_two_workers_tell_once(service: Service, receiver: Receiver, hook: Channel, match_id: str) -> None:
    a_turn_for_ann(service.matches, match_id, service.now())
    now = service.now()
    with service.store.writing() as session:
        claimed = queries.calls.claim(session, now, until=now + calls.LEASE, limit=8)
    assert len(claimed) == 1
    worker_of(service).tick()
    assert receiver.got == []
    service.clock.forward(calls.LEASE)
    worker_of(service).tick()
    assert len(receiver.got) == 1, "a worker that died with it in hand leaves it to the next"


def test_a_slow_server_holds_up_no_other(
    service: Service, receiver: Receiver, match_id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(outgoing, "PATIENCE", 1.0)
    with a_receiver() as slow:
        slow.slow = 0.3
        channels.add_webhook(service, id_of(service, "Ben"), slow.url, name="slow", match_id=None)
        a_hook(service, receiver)
        ben = next(iter(_channels(service, "Ben")))
        assert ben.said in ("it took too long to answer", "no connection could be made, or it broke off",
                            "what it answers is no HTTP")  # fmt: skip
        assert state(service, next(iter(_channels(service, "Ann")))).said == "it answered 204"


def _channels(service: Service, name: str) -> list[Channel]:
    with service.store.reading() as session:
        return list(queries.channels.of_player(session, id_of(service, name)))


@pytest.mark.parametrize("raw", [b"SSH-2.0-OpenSSH_9.2\r\n", b"\0" * 5000, b"HTTP/1.1 999 x\r\n", b"HTTP/2 200\r\n"])
def test_what_is_no_web_server_is_told_from_one(
    service: Service, receiver: Receiver, hook: Channel, raw: bytes
) -> None:
    receiver.raw = raw
    service.clock.forward(HOUR)
    channels.test(service, id_of(service), hook.id)
    worker_of(service).tick()
    assert state(service, hook).said == "what it answers is no HTTP"


def test_redirects_are_not_followed(service: Service, receiver: Receiver, hook: Channel) -> None:
    with a_receiver() as inside:
        receiver.answers, receiver.headers = [307], {"Location": inside.url}
        service.clock.forward(HOUR)
        channels.test(service, id_of(service), hook.id)
        worker_of(service).tick()
        assert inside.got == []
    assert "where we do not follow" in (state(service, hook).said or "")


def test_a_copied_database_tells_nobody(service: Service, receiver: Receiver, hook: Channel, match_id: str) -> None:
    with service.store.writing() as session:
        queries.world.put(session, COPIED_KEY, "yesterday")
    a_turn_for_ann(service.matches, match_id, service.now())
    worker_of(service).tick()
    assert receiver.got == []


# Where it may lead


@pytest.mark.parametrize(
    "number",
    [
        *("127.0.0.1", "127.8.8.8", "0.0.0.0", "10.0.0.1", "172.16.3.4", "192.168.1.1", "169.254.169.254"),
        *("100.64.0.1", "192.0.2.1", "198.18.0.1", "224.0.0.1", "240.0.0.1", "255.255.255.255", "192.88.99.1"),
        *("::1", "::", "fe80::1", "fe80::1%eth0", "fc00::1", "fd12::1", "ff02::1", "2001:db8::1", "2002:7f00:1::"),
        *("::ffff:127.0.0.1", "::ffff:10.0.0.1", "64:ff9b::7f00:1", "64:ff9b::a9fe:a9fe", "2001::1", "64:ff9b:1::1"),
    ],
)  # fmt: skip
def test_numbers_of_private_networks_are_never_called(number: str) -> None:
    assert not may_be_called(number)


@pytest.mark.parametrize(
    "number", ["93.184.215.14", "2606:2800:220:1::1", "::ffff:93.184.215.14", "64:ff9b::5db8:d70e"]
)
def test_numbers_of_the_public_internet_are(number: str) -> None:
    assert may_be_called(number)


@pytest.mark.parametrize(
    "url",
    [
        *("", "x", "http://example.org/", "ftp://example.org/", "file:///etc/passwd", "https://", "https://:443/"),
        *("https://ann:pw@example.org/", "https://ann@example.org/", "https://example.org:0/", "https://e.org:99999/"),
        *("https://example.org/\r\nX: y", "https://example.org/ x", "https://exämple.org/", "https://[::1", "//e.org/"),
        *("https://example.org\\@127.0.0.1/", "https://exa%6dple.org/", f"https://example.org/{'x' * 500}"),
        "javascript:alert(1)",
    ],
)
def test_what_is_no_address_for_a_webhook_is_refused(url: str) -> None:
    with pytest.raises(Refused):
        read(url)


@pytest.mark.parametrize(
    "host", ["127.0.0.1", "localhost", "2130706433", "0x7f.1", "017700000001", "[::1]", "[::ffff:127.0.0.1]", "127.1"]
)
def test_however_the_own_machine_is_written_it_is_not_called(host: str) -> None:
    with pytest.raises((Refused, outgoing.Unreachable)):
        outgoing.send(read(f"https://{host}/"), b"", {})


def test_a_name_that_leads_inside_later_is_called_where_it_led_when_it_was_looked_at(
    receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    """DNS rebinding: the second answer would be the machine itself."""
    asked: list[str] = []
    real = socket.getaddrinfo

    def answer(host: str, port: int, *rest: Any, **more: Any) -> Any:
        if host != "rebind.example":
            return real(host, port, *rest, **more)
        asked.append(host)
        number = "198.51.100.7" if len(asked) == 1 else "127.0.0.1"
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (number, port))]

    reached: list[Any] = []

    def connect(address: tuple[str, int], timeout: float) -> Any:
        reached.append(address)
        raise OSError

    monkeypatch.setattr(socket, "getaddrinfo", answer)
    monkeypatch.setattr(socket, "create_connection", connect)
    monkeypatch.setattr(outgoing, "may_be_called", lambda number, allowed=(): not number.startswith("127."))
    with pytest.raises(outgoing.Unreachable):
        outgoing.send(read("https://rebind.example/"), b"", {})
    assert asked == ["rebind.example"]
    assert reached == [("198.51.100.7", 443)]
    with pytest.raises(Refused):
        outgoing.send(read("https://rebind.example/"), b"", {})


def test_a_name_with_one_number_inside_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    found = [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (number, 443)) for number in ("93.184.215.14", "10.0.0.1")]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: found)
    with pytest.raises(Refused, match="private network"):
        outgoing.send(read("https://both.example/"), b"", {})


def test_without_the_operators_word_nothing_goes_to_loopback(
    database_url: str, tmp_path: Path, receiver: Receiver
) -> None:
    service = a_service(database_url, tmp_path)
    a_match(service.matches, service.now())
    with pytest.raises(ValueError, match="begins with https"):
        channels.add_webhook(service, id_of(service), receiver.url, name="", match_id=None)
    url = f"https://127.0.0.1:{receiver.port}/"
    hook = channels.add_webhook(service, id_of(service), url, name="", match_id=None)
    worker_of(service).tick()
    assert "private network" in (state(service, hook).said or "")
    assert receiver.got == []
    service.close()


# The page


def test_a_webhook_is_added_on_the_page_its_secret_shown_once_and_removed(
    service: Service, site: Flask, receiver: Receiver, match_id: str
) -> None:
    ann = Browser(site)
    sign_in(service, ann, "Ann")
    page = ann.press(ann.get("/me/channels"), "Add it", url=receiver.url, name="My <b>chat</b>\u202e", match=match_id)
    (hook,) = _channels(service, "Ann")
    assert hook.secret in page.text
    assert hook.match_id == match_id
    page = ann.get("/me/channels")
    assert hook.secret not in page.source
    assert "My <b>chat</b>" in page.text
    assert hook.secret not in ann.get("/me/data").source
    ann.press(page, "Remove")
    assert _channels(service, "Ann") == []


def test_nobody_touches_the_channels_of_others_or_listens_in(
    service: Service, site: Flask, receiver: Receiver, hook: Channel
) -> None:
    ben = Browser(site)
    sign_in(service, ben, "Ben")
    ben.post("/me/channels/change", {"remove": hook.id})
    ben.post("/me/channels/change", {"test": hook.id})
    assert state(service, hook).off_at is None
    worker_of(service).tick()
    assert receiver.got == []
    elsewhere = a_match(service.matches, service.now(), people=("Cat", "Dan"))
    page = ben.post("/me/channels", {"url": receiver.url, "match": elsewhere})
    assert page.status == 422
    assert "You have no seat in this match." in page.text
    for path in ("/me/channels", "/me/channels/change"):
        assert Browser(site).post(path, {"url": receiver.url}).status == 401


def test_of_channels_there_is_an_end(service: Service, receiver: Receiver, match_id: str) -> None:
    for _ in range(channels.MOST):
        channels.add_webhook(service, id_of(service), receiver.url, name="", match_id=None)
    with pytest.raises(ValueError, match="12 channels"):
        channels.add_webhook(service, id_of(service), receiver.url, name="", match_id=None)


def test_whoever_is_forgotten_has_no_channels(
    service: Service, receiver: Receiver, hook: Channel, match_id: str
) -> None:
    a_turn_for_ann(service.matches, match_id, service.now())
    accounts.forget(service, address_of("Ann"))
    with service.store.reading() as session:
        assert session.exec(select(Channel)).all() == []
        assert session.exec(select(Call)).all() == []
    assert create_app(service)

"""A match played through a whole instance, and all that each viewer gets out of it, byte for byte.

Whatever is random or a time of day is the same in every run, so that two runs differ by their secrets alone.
"""

from __future__ import annotations

import itertools
import json
import logging
import random
import re
import secrets
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from urllib.parse import quote

import pytest
from flask import session
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from db import queries
from server import accounts, create_app, plays, upkeep
from server.inbound import take_in
from server.links import FeedLink, JoinLink, Links, MoveLink, TogetherLink
from server.pages import ops
from server.pages.showing import sign_in
from server.service import Clock
from tests.rules.matches import Case
from tests.secrets.deals import Dealt, Half
from tests.server.builders import PEOPLE, a_match, a_service, address_of, mails, worker_of
from tests.server.commands import Commands
from tests.stories.mail_programs import reply

Viewer = int | str
STRANGER, REMOVED, OPERATOR = "stranger", "removed", "operator"
"""Somebody with another match; who held seat 1 until it was given to Ann; the host, who plays in none."""

BEGAN = datetime(2026, 11, 30, 9, 15, tzinfo=UTC)
NOT_LOOKED_AT = {"static", "mailbox"}
"""The style sheet, and the built-in mailbox of a demo: it shows every mail to whoever runs it."""


_OF_REQUESTS = re.compile(rb"^estafette_request.*\n", re.MULTILINE)
"""In the metrics: how many requests there were, and the knower's own are others in the other match."""


@dataclass
class Transcript:
    """What came out: (after how many moves, what, the bytes), by viewer."""

    told: dict[Viewer, list[tuple[int, str, bytes]]] = field(default_factory=lambda: defaultdict(list))
    canaries: dict[Viewer, set[str]] = field(default_factory=lambda: defaultdict(set))
    """What nobody else may get to see: addresses, keys, signatures of links; the match's seed is the operator's."""
    step: int = 0

    def add(self, viewer: Viewer, what: str, said: bytes) -> None:
        self.told[viewer].append((self.step, what, said))

    def before(self, viewer: Viewer, step: int) -> list[tuple[int, str, bytes]]:
        return [each for each in self.told[viewer] if each[0] < step]


class Product:
    """One instance with the match, all its people, and their devices."""

    def __init__(
        self, case: Case, half: Half, url: str, folder: Path, monkeypatch: pytest.MonkeyPatch, commands: Commands
    ) -> None:
        self.case, self.half, self.commands = case, half, commands
        self.transcript = Transcript()
        self.now = BEGAN
        self._be_the_same_each_time(monkeypatch)
        commands.set(database_url=url, data=str(folder), admins=address_of("Oona"))
        self.service = a_service(url, folder, demo=False, ESTAFETTE_ADMINS=address_of("Oona"))
        self.app = create_app(self.service)
        self.links: Links = self.service.links
        self.people = PEOPLE[: case.seats]
        self.match_id = self._begin()
        self.devices = dict(self._devices())
        self.keys = dict(self._keys())
        self._mails_seen = 0
        self._log = _Heard()

    # -- setting up ------------------------------------------------------------------------------------------

    def _be_the_same_each_time(self, monkeypatch: pytest.MonkeyPatch) -> None:
        luck = random.Random("the same each time")
        monkeypatch.setattr(secrets, "choice", luck.choice)
        monkeypatch.setattr(secrets, "token_hex", lambda octets=32: luck.randbytes(octets).hex())
        monkeypatch.setattr(secrets, "token_urlsafe", lambda octets=32: luck.randbytes(octets).hex())
        monkeypatch.setattr(Clock, "now", lambda clock: self.now)
        monkeypatch.setattr(ops, "time", SimpleNamespace(perf_counter=lambda: 0.0))
        seeds: dict[str, Any] = {}

        def luck_of(seed: str) -> Any:
            dealt = seeds.setdefault(seed, self.half.orders if not seeds else None)
            return self._seeded(seed) if dealt is None else Dealt(seed, dealt)

        self._seeded = plays.Seeded
        monkeypatch.setattr(plays, "Seeded", luck_of)

    def _begin(self) -> str:
        """Zoe sits on seat 1 at first, and is replaced by Ann before anybody has moved."""
        matches, game = self.service.matches, self.case.game.name
        with self.service.store.writing() as database:
            host = queries.players.for_address(database, address_of("Oona"), name="Oona", now=self.now).id
        match_id = a_match(
            matches, self.now, game=game, people=("Zoe", *self.people[1:]), host=host, options=dict(self.case.options)
        )
        worker_of(self.service).tick()
        self.zoes_link = matches.link_of(match_id, 1) or MoveLink(match_id, 1, 0, 1)
        upkeep.replace(matches, match_id, 1, name="Ann", email=address_of("Ann"), now=self.now, who="operator")
        self.other_match = a_match(matches, self.now, people=("Uma", "Vic"))
        return match_id

    def _player(self, name: str) -> Any:
        with self.service.store.reading() as database:
            player = queries.players.by_address(database, address_of(name))
        assert player is not None, name
        return player

    def _names(self) -> Iterator[tuple[Viewer, str]]:
        yield from enumerate(self.people, start=1)
        yield from ((STRANGER, "Uma"), (REMOVED, "Zoe"), (OPERATOR, "Oona"))

    def _devices(self) -> Iterator[tuple[Viewer, FlaskClient]]:
        for viewer, name in self._names():
            client, player = self.app.test_client(), self._player(name)
            with self.app.test_request_context():
                sign_in(player)
                signed_in = dict(session)
            with client.session_transaction() as cookie:
                cookie.update(signed_in)
            assert name in client.get("/me").get_data(as_text=True)
            yield viewer, client

    def _keys(self) -> Iterator[tuple[Viewer, str]]:
        with self.service.store.writing() as database:
            for viewer, name in self._names():
                if viewer != OPERATOR:  # the key of the operator's programs shows everything: that is what it is for
                    yield viewer, accounts.new_api_key(database, self._player(name).id, self.now)

    # -- playing ---------------------------------------------------------------------------------------------

    def play(self, full: set[int]) -> Transcript:
        """The half's moves, by page, by program and by reply in turn; what everybody gets on the way."""
        logging.getLogger().addHandler(self._log)
        try:
            self._look_around(full)
            for number, (seat, text) in enumerate(self.half.moves, start=1):
                answer = self._move(seat, text, way=number % 3)
                self.transcript.step = number
                self.now += timedelta(minutes=7)
                for what, said in answer:
                    self.transcript.add(seat, what, said)
                if self.service.matches.status(self.match_id).status != "running":
                    break
                self._look_around(full)
        finally:
            logging.getLogger().removeHandler(self._log)
        return self.transcript

    def _move(self, seat: int, text: str, *, way: int) -> list[tuple[str, bytes]]:
        link = self.service.matches.link_of(self.match_id, seat)
        assert link is not None
        if way == 1:
            body = json.dumps({"seat": seat, "move": text})
            return [("answer to the program", _bytes(self._api(seat, "moves", data=body)))]
        if way == 2:
            mail = self._newest_turn(seat)
            if mail is not None:
                raw = reply(mail, text, "gmail", message_id=f"<{self.transcript.step}.{seat}@players.example>").raw
                take_in(self.service, raw, now=self.now)
                return []
        address = _path(self.links.move_url(link))
        device = self.app.test_client()
        decision = self.service.matches.view(self.match_id, seat).decision
        assert decision is not None
        form = {"move": text, "once": f"{decision.stamp}-{self.transcript.step:016d}", "confirm": "1"}
        answer = device.post(address, data=form)
        assert answer.status_code == 303, answer.get_data(as_text=True)
        return [
            ("answer to the form", _bytes(answer)),
            ("page after the move", _bytes(device.get(answer.headers["Location"]))),
        ]

    def _newest_turn(self, seat: int) -> Any:
        """The mail that can be answered; None if the decision of its own has none (the player just goes on)."""
        found = mails(self.service, self.people[seat - 1], "turn")
        link = self.service.matches.link_of(self.match_id, seat)
        address = self.links.move_url(link) if link else "?"
        return next((mail for mail in reversed(found) if address in str(mail.get_body(("plain",)))), None)

    # -- looking ---------------------------------------------------------------------------------------------

    def _look_around(self, full: set[int]) -> None:
        worker_of(self.service).tick()
        self._mails_that_came()
        self._note_canaries()
        for viewer in self.devices:
            if self.transcript.step in full:
                self._look_everywhere(viewer)
            else:
                self._get(viewer, f"/g/{self.match_id}")
                for seat_page in self._move_pages(viewer)[:1]:
                    self._get(viewer, seat_page)
        for line in self._log.lines:
            self.transcript.add(OPERATOR, "log", line.encode())
        self._log.lines.clear()

    def _note_canaries(self) -> None:
        canaries = self.transcript.canaries
        for viewer, name in self._names():
            canaries[viewer] |= {address_of(name), self.keys.get(viewer, "no key")}
            canaries[viewer] |= {_token(address)[-20:] for address in self._move_pages(viewer)}
            person = self._player(name)
            canaries[viewer].add(_token(self.links.feed_url(FeedLink(person.id, person.links_epoch)))[-20:])
            if isinstance(viewer, int):
                _, tenure = self.service.matches.holder(self.match_id, viewer)
                link = TogetherLink(self.match_id, viewer, tenure)
                canaries[viewer].add(_token(self.links.together_url(link))[-20:])
        canaries["nobody"] |= {self.service.matches.status(self.match_id).seed, *self.service.settings.secret_keys}

    def _mails_that_came(self) -> None:
        viewers = {address_of(name): viewer for viewer, name in self._names()}
        came = mails(self.service)
        for mail in came[self._mails_seen :]:
            viewer = viewers.get(str(mail["To"].addresses[0].addr_spec))
            if viewer is not None:
                self.transcript.add(viewer, f"mail {mail['X-Estafette-Kind']}", mail.as_bytes())
        self._mails_seen = len(came)

    def _look_everywhere(self, viewer: Viewer) -> None:
        for address in self._addresses(viewer):
            self._get(viewer, address)
        for address, fields in self._forms(viewer):
            self._add(viewer, f"POST {address} {fields}", self.devices[viewer].post(address, data=fields))
        self._look_as_a_program(viewer)
        if viewer == STRANGER:
            for address in ("/healthz", "/metrics", f"/g/{self.match_id}"):
                self._add(viewer, f"signed out {address}", self.app.test_client().get(address))
        if viewer == OPERATOR:
            for words in (("game", "list"), ("game", "show", self.match_id), ("mail", "list")):
                said = self.commands(*words)
                assert said.status == 0, said.err
                self.transcript.add(viewer, " ".join(words), (said.out + said.err).encode())

    def _get(self, viewer: Viewer, address: str) -> None:
        self._add(viewer, f"GET {address}", self.devices[viewer].get(address))

    def _add(self, viewer: Viewer, what: str, answer: TestResponse) -> None:
        self.transcript.add(viewer, what, _bytes(answer))

    def _addresses(self, viewer: Viewer) -> Iterator[str]:
        """Every page there is, with everything that can stand in its address, and with what must change nothing."""
        for rule in self.app.url_map.iter_rules():
            if "GET" in (rule.methods or ()) and rule.endpoint.partition(".")[0] not in NOT_LOOKED_AT:
                choices = [self._values(viewer, name, rule.endpoint) for name in sorted(rule.arguments)]
                for values in itertools.product(*choices):
                    with self.app.test_request_context():
                        yield _path(
                            self.app.url_map.bind("localhost").build(
                                rule.endpoint, dict(zip(sorted(rule.arguments), values, strict=True)), method="GET"
                            )
                        )
        match = f"/g/{self.match_id}"
        step = self.transcript.step
        yield from (f"{match}?at={at}" for at in sorted({0, step // 2, max(step - 1, 0), step, step + 1}))
        for query in (
            "as=2",
            "as=host",
            "viewer=2",
            "seat=1",
            "seat=2",
            "as=everybody",
            "at=-1",
            "at=1&as=1",
            "host=1",
        ):
            yield f"{match}?{query}"
        for address in self._move_pages(viewer):
            for query in ("seat=2", "viewer=host", "at=take", "on=1", "undone=1", "move=nonsense", "seen=x"):
                yield f"{address}?{query}"
            yield from (f"{address}?move={quote(text)}" for text in self._some_offers(viewer))

    def _values(self, viewer: Viewer, name: str, endpoint: str) -> list[Any]:
        """What can stand in an address under this name. A page with another name needs its values here."""
        values: dict[str, list[Any]] = {
            "match_id": [self.match_id],
            "game": [self.case.game.name],
            "player_id": [self._player(name).id for name in self.people[:2]],
            "question": [self.service.matches.status(self.match_id).question],
            "number": [1, 2],
            "size": [192, 7],
            "token": self._tokens(viewer, endpoint),
        }
        assert name in values, f"say in {__file__} what can stand for <{name}> in the address of {endpoint}"
        return values[name]

    def _tokens(self, viewer: Viewer, endpoint: str) -> list[str]:
        """The viewer's own, for this page and for others; and bent ones, to another seat with the own signature."""
        own = [_token(address) for address in self._move_pages(viewer)]
        person = self._player(dict(self._names())[viewer])
        own.append(_token(self.links.feed_url(FeedLink(person.id, person.links_epoch))))
        holder = viewer if isinstance(viewer, int) else 1
        _, tenure = self.service.matches.holder(self.match_id, holder)
        if viewer == REMOVED:
            tenure -= 1
        if isinstance(viewer, int) or viewer == REMOVED:
            own.append(_token(self.links.together_url(TogetherLink(self.match_id, holder, tenure))))
            own.append(_token(self.links.join_url(JoinLink(self.match_id, holder, tenure))))
        bent = [_to_another_seat(token) for token in own[:1] if isinstance(viewer, int)]
        wrong = [own[0][:-1] + ("a" if own[0][-1] != "a" else "b")] if own else ["x" * 30]
        return [*own, *bent, *wrong]

    def _move_pages(self, viewer: Viewer) -> list[str]:
        if viewer == REMOVED:
            return [_path(self.links.move_url(self.zoes_link))]
        if not isinstance(viewer, int):
            return []
        link = self.service.matches.link_of(self.match_id, viewer)
        _, tenure = self.service.matches.holder(self.match_id, viewer)
        before = MoveLink(self.match_id, viewer, 1, tenure)
        return [_path(self.links.move_url(each)) for each in (link, before) if each]

    def _some_offers(self, viewer: Viewer) -> list[str]:
        if not isinstance(viewer, int) or not self.service.matches.link_of(self.match_id, viewer):
            return []
        decision = self.service.matches.view(self.match_id, viewer).decision
        texts = [choice.text for choice in decision.choices] if decision else []
        return list(dict.fromkeys(texts[:: max(1, len(texts) // 3)]))

    def _forms(self, viewer: Viewer) -> Iterator[tuple[str, dict[str, str]]]:
        """Previews, refusals, and fields that name somebody else. None of them changes the match."""
        for address in self._move_pages(viewer):
            for text in (*self._some_offers(viewer), "nonsense", "end", "pass", ""):
                yield address, {"move": text}
            yield address, {"move": "nonsense", "seat": "2", "viewer": "2", "tenure": "1", "confirm": "1"}
        yield "/login/code", {"email": address_of("Ben"), "code": "000000"}

    def _look_as_a_program(self, viewer: Viewer) -> None:
        for path in ("", "moves", "record", *(f"moves?seat={seat}" for seat in (1, 2, 99)), "moves?seat=host"):
            self._add(viewer, f"API {path}", self._api(viewer, path))
        for seat in (1, 2, "2", True, None, [1], 99):
            if seat != viewer or viewer in (STRANGER, REMOVED):
                body = json.dumps({"seat": seat, "move": "nonsense"})
                self._add(viewer, f"API moves {body}", self._api(viewer, "moves", data=body))
        self._add(viewer, "API another match", self._api(viewer, "", match_id=self.other_match))

    def _api(self, viewer: Viewer, path: str, *, data: str | None = None, match_id: str = "") -> TestResponse:
        address = f"/api/v1/games/{match_id or self.match_id}/{path}".rstrip("/")
        headers = {"Authorization": f"Bearer {self.keys[viewer]}"} if viewer in self.keys else {}
        client = self.app.test_client()
        if data is None:
            return client.get(address, headers=headers)
        return client.post(address, headers=headers, data=data, content_type="application/json")

    def close(self) -> None:
        self.service.close()


class _Heard(logging.Handler):
    """What goes into the log."""

    def __init__(self) -> None:
        super().__init__(logging.INFO)
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(self.format(record))


def _bytes(answer: TestResponse) -> bytes:
    """Status, headers in their order, and body."""
    assert answer.status_code < 500, answer.get_data(as_text=True)
    body = answer.get_data()
    head = "".join(
        f"{name}: {value}\n"
        for name, value in answer.headers
        if name not in ("Date", "Expires") and (name != "Content-Length" or b"estafette_request" not in body)
    )
    return f"{answer.status}\n{head}\n".encode() + _OF_REQUESTS.sub(b"", body)


def _path(address: str) -> str:
    return "/" + address.partition("//")[2].partition("/")[2] if "//" in address else address


def _token(address: str) -> str:
    return address.rpartition("/")[2]


def _to_another_seat(token: str) -> str:
    """The seat's number in a token another one, with the signature as it was."""
    match, seat, *rest = token.split("-")
    return "-".join([match, "2" if seat == "1" else "1", *rest])

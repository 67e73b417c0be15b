"""A match played through a whole instance, and all that each viewer gets out of it, byte for byte.

Whatever is random or a time of day is the same in every run, so that two runs differ by their secrets alone.
"""

from __future__ import annotations

import base64
import email
import email.policy
import itertools
import json
import logging
import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from email.message import EmailMessage
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from urllib.parse import quote

import http_ece
import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from flask import session
from flask.testing import FlaskClient
from sqlalchemy import Table, or_, select
from werkzeug.test import TestResponse

from db import queries
from db.models import Device, MailboxMail, Row
from server import accounts, channels, create_app, drafts, outgoing, plays, prepared, push, talk, upkeep
from server.inbound import take_in
from server.links import FeedLink, JoinLink, Links, MoveLink, OfferLink, ReplyAddress, TogetherLink, UnsubscribeLink
from server.pages import ops
from server.pages.counting import Counts
from server.pages.showing import sign_in
from server.rules import GAMES
from server.service import Clock
from tests.luck import the_same_each_time
from tests.secrets.deals import Dealt, Twins
from tests.server.builders import PEOPLE, a_match, a_service, address_of, worker_of
from tests.server.commands import Commands
from tests.stories.mail_programs import reply

Viewer = int | str
STRANGER, REMOVED, OPERATOR = "stranger", "removed", "operator"
"""Somebody with another match, to whom the last seat is offered; who held seat 1 until it was given to Ann; the host,
who plays in none."""

BEGAN = datetime(2026, 11, 30, 9, 15, tzinfo=UTC)
NOT_LOOKED_AT = {"static", "mailbox"}
"""The style sheet, and the built-in mailbox of a demo: it shows every mail to whoever runs it."""

NOT_SENT = {"account.logout", "safety.leave", "safety.renew_links", "safety.end_device"}
"""Forms after which their sender is signed out; nothing of a match stands in them."""

FORM = {
    "do": "say", "what": "abort", "why": "no reason", "text": "a word", "move": "end", "sure": "1", "confirm": "1",
    "seat": "1", "hours": "5", "name": "Mallory", "email": "mallory@players.example", "kind": "turn", "yes": "1",
    "word": "mallory", "ballot": "x", "hints": "1", "not_playing": "1", "once": "1-0-0000000000000000",
}  # fmt: skip
"""Something for each field that a form about a match may have."""


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
        self, twins: Twins, half: int, url: str, folder: Path, monkeypatch: pytest.MonkeyPatch, commands: Commands
    ) -> None:
        self.case, self.half, self.commands = twins.case, twins.halves[half], commands
        self.knower, self.keeps_from = twins.knower, twins.until[twins.knower]
        self.transcript = Transcript()
        self._calls: list[tuple[str, str, bytes]] = []
        self.now = BEGAN
        self._be_the_same_each_time(monkeypatch)
        commands.set(database_url=url, data=str(folder), admins=address_of("Oona"))
        self.service = a_service(url, folder, demo=False, ESTAFETTE_ADMINS=address_of("Oona"))
        self.app = create_app(self.service)
        self.app.extensions["estafette: counts"] = Counts(lambda: 0.0)  # no count is slow, so none is of a while ago
        self.links: Links = self.service.links
        self.people = PEOPLE[: self.case.seats]
        self.match_id = self._begin()
        self.devices = dict(self._devices())
        self.keys = dict(self._keys())
        self.hooks = dict(self._hooks())
        self._mails_seen = 0
        self._newest: dict[Viewer, EmailMessage] = {}
        self._log = _Heard()

    # -- setting up ------------------------------------------------------------------------------------------

    def _be_the_same_each_time(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._luck = the_same_each_time(monkeypatch)
        monkeypatch.setattr(http_ece, "encrypt", lambda content, **_keys: content)
        monkeypatch.setattr(outgoing, "send", self._called)
        monkeypatch.setattr(Clock, "now", lambda clock: self.now)
        monkeypatch.setattr(ops, "time", SimpleNamespace(perf_counter=lambda: 0.0))
        seeds: dict[str, Any] = {}

        def luck_of(seed: str) -> Any:
            dealt = seeds.setdefault(seed, self.half.orders if not seeds else None)
            return self._seeded(seed) if dealt is None else Dealt(seed, dealt)

        self._seeded = plays.Seeded
        monkeypatch.setattr(plays, "Seeded", luck_of)

    def _afresh(self, what: str) -> None:
        """What is random from here on is the same, however much of it the knower has used up before."""
        self._luck.seed(f"{self.transcript.step} {what}")

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
        seat, uma = self.case.seats, address_of("Uma")
        upkeep.offer(matches, match_id, seat, name="Uma", email=uma, now=self.now, who="operator")
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

    def _hooks(self) -> Iterator[tuple[str, Viewer]]:
        """Programs and browsers that hear of a player's matches, and of the match: whose each address is."""
        point = ec.derive_private_key(7, ec.SECP256R1()).public_key()
        uncompressed = point.public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)
        push.key_of(self.service.settings)  # made by the first who asks, of many at once
        key, auth = (base64.urlsafe_b64encode(each).rstrip(b"=").decode() for each in (uncompressed, b"a" * 16))
        for viewer, name in self._names():
            about = self.match_id if isinstance(viewer, int) else None
            hook, phone = f"https://hooks.example/of-{name}", f"https://push.example/{name}"
            player_id = self._player(name).id
            made = channels.add_webhook(self.service, player_id, hook, name="", match_id=about)
            told = json.dumps({"endpoint": phone, "keys": {"p256dh": key, "auth": auth}})
            push.subscribe(self.service, player_id, told, name="")
            self.transcript.canaries[viewer] |= {hook, phone, made.secret}
            yield hook, viewer
            yield phone, viewer

    def _called(self, target: outgoing.Target, body: bytes, headers: dict[str, str], _allowed: Any) -> int:
        """What goes out to another program: all but our signature for push services, which is as of now."""
        head = "".join(f"{name}: {value}\n" for name, value in headers.items() if name != "Authorization")
        self._calls.append((headers.get("webhook-id", ""), target.url, f"{head}\n".encode() + body))
        return 204

    # -- playing ---------------------------------------------------------------------------------------------

    def play(self, full: set[int]) -> Transcript:
        """The half's moves, by page, by program and by reply in turn; what everybody gets on the way."""
        root = logging.getLogger()
        level = root.level
        root.addHandler(self._log)
        root.setLevel(logging.INFO)
        try:
            self._look_around(full)
            for number, (seat, text) in enumerate(self.half.moves, start=1):
                self._afresh("move")
                answer = self._move(seat, text, way=number % 3)
                self.transcript.step = number
                self.now += timedelta(minutes=7)
                for what, said in answer:
                    self.transcript.add(seat, what, said)
                if self.service.matches.status(self.match_id).status != "running":
                    break
                self._look_around(full)
        finally:
            root.removeHandler(self._log)
            root.setLevel(level)
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

    def _newest_turn(self, seat: int) -> EmailMessage | None:
        """The mail that can be answered; None if the decision of its own has none (the player just goes on)."""
        mail, link = self._newest.get(seat), self.service.matches.link_of(self.match_id, seat)
        return mail if mail and link and self.links.move_url(link) in str(mail.get_body(("plain",))) else None

    def _keep_to_itself(self) -> None:
        """What the knower keeps for nobody else, another in each half: a note, an answer prepared, a draft."""
        seat, kept, matches = self.knower, self.half.kept, self.service.matches
        _, tenure = matches.holder(self.match_id, seat)
        at_the_table, link = TogetherLink(self.match_id, seat, tenure), matches.link_of(self.match_id, seat)
        note = f"the knower notes {kept} thing"
        talk.keep_note(matches, at_the_table, note, self.now)
        decision = matches.view(self.match_id, seat).decision
        kinds = [kind for kind in GAMES[self.case.game.name].kinds if decision is None or kind != decision.kind]
        prepared.prepare(matches, at_the_table, kinds[-1], f"prepared {kept}", wait=300, now=self.now)
        self.transcript.canaries[seat] |= {note, f"prepared {kept}"}
        if link and decision and not decision.sealed:
            text = decision.choices[0 if kept == "one" else -1].text
            drafts.keep(matches, link, text, stamp=decision.stamp, now=self.now)

    # -- looking ---------------------------------------------------------------------------------------------

    def _look_around(self, full: set[int]) -> None:
        self._work()
        self._note_canaries()
        if self.transcript.step >= self.keeps_from:
            self._keep_to_itself()
        for viewer in self.devices:
            self._afresh(f"look of {viewer}")
            if self.transcript.step in full:
                self._look_everywhere(viewer, last=self.transcript.step == max(full))
            else:
                self._get(viewer, f"/g/{self.match_id}")
                for seat_page in self._move_pages(viewer)[:1]:
                    self._get(viewer, seat_page)
        if self.transcript.step in full:
            version = self.service.matches.status(self.match_id).version
            self._write_nonsense()
            self._work()
            assert self.service.matches.status(self.match_id).version == version, "nonsense was played"
        for line in self._log.lines:
            self.transcript.add(OPERATOR, "log", line.encode())
        self._log.lines.clear()

    def _work(self) -> None:
        """What is due, and all that goes out by it."""
        self._afresh(f"work after {self._mails_seen} mails")
        worker_of(self.service).tick()
        self._mails_that_came()
        for _, url, said in sorted(self._calls):  # several are made at once
            self.transcript.add(self.hooks[url], f"call of {url}", said)
        self._calls.clear()

    def _note_canaries(self) -> None:
        links = self.links
        for viewer, name in self._names():
            canaries, person = self.transcript.canaries[viewer], self._player(name)
            canaries |= {address_of(name)} | ({self.keys[viewer]} if viewer in self.keys else set())
            canaries |= {_token(address)[-20:] for address in self._move_pages(viewer)}
            canaries |= self._device_ids(person.id)
            made = [links.feed_url(FeedLink(person.id, person.links_epoch))]
            made += [links.unsubscribe_url(UnsubscribeLink(person.id, scope)) for scope in (self.match_id, "all")]
            if isinstance(viewer, int):
                _, tenure = self.service.matches.holder(self.match_id, viewer)
                made.append(links.together_url(TogetherLink(self.match_id, viewer, tenure)))
                made.append(links.join_url(JoinLink(self.match_id, viewer, tenure)))
                link = self.service.matches.link_of(self.match_id, viewer)
                made += [self._reply_token(link)] if link else []
            if viewer == STRANGER:
                made.append(self._offer_url())
            canaries |= {_token(address)[-20:] for address in made}
        self.transcript.canaries["nobody"] |= {
            self.service.matches.status(self.match_id).seed,
            *self.service.settings.secret_keys,
        }

    def _offer_url(self) -> str:
        """With which the stranger could take the last seat over."""
        stranger, (_, tenure) = self._player("Uma"), self.service.matches.holder(self.match_id, self.case.seats)
        link = OfferLink(self.match_id, self.case.seats, tenure, stranger.id, stranger.links_epoch)
        return self.links.join_url(link)

    def _device_ids(self, player_id: str) -> set[str]:
        with self.service.store.reading() as database:
            return set(database.exec(select(Device.id).where(Device.player_id == player_id)).scalars())  # type: ignore[call-overload]

    def _reply_token(self, link: MoveLink) -> str:
        return self.links.local_part(ReplyAddress(link.match, link.seat, link.asked, link.tenure))

    def _mails_that_came(self) -> None:
        """Byte for byte, in their order."""
        viewers = {address_of(name): viewer for viewer, name in self._names()}
        newer = select(MailboxMail).where(MailboxMail.id > self._mails_seen).order_by(MailboxMail.id)  # type: ignore[operator,arg-type]
        with self.service.store.reading() as database:
            came = [(row.id, row.to_address, row.kind, row.raw) for row in database.exec(newer).scalars()]  # type: ignore[call-overload]
        for number, address, kind, raw in came:
            self._mails_seen = number
            viewer = viewers.get(address)
            if viewer is None:
                continue
            self.transcript.add(viewer, f"mail {kind}", raw)
            if kind == "turn" and f"#{self.match_id}".encode() in raw:
                self._newest[viewer] = email.message_from_bytes(raw, policy=email.policy.default)

    def _write_nonsense(self) -> None:
        """Replies that play nothing: of each seat, of a stranger to its address, and to the address bent to another.

        What is answered goes to who holds the seat, and must not say more than they know.
        """
        for seat in range(1, self.case.seats + 1):
            mail = self._newest.get(seat)
            if mail is None:
                continue
            token, _, domain = str(mail["Reply-To"]).removeprefix("r-").partition("@")
            other = self.knower if self.knower != seat else seat % self.case.seats + 1
            bent = f"r-{_with(token, 1, str(other))}@{domain}"
            stranger = {"sender": address_of("Uma")}
            letters: list[dict[str, object]] = [{}, stranger, {"to": bent}, {"to": bent} | stranger]
            for number, bending in enumerate(letters):
                once = f"<{self.transcript.step}.{seat}.{number}.nonsense@players.example>"
                words = self._some_words(seat) if bending == stranger else f"nonsense {self.transcript.step}"
                take_in(self.service, reply(mail, words, "gmail", message_id=once, **bending).raw, now=self.now)

    def _some_words(self, seat: int) -> str:
        """What a stranger may well guess: a move that is possible, at best."""
        return next(iter(self._some_offers(seat)), "end")

    def _look_everywhere(self, viewer: Viewer, *, last: bool) -> None:
        """All that can be looked at; the last time with all that can be bent, and with the forms of others."""
        bent = self._bent_tokens(viewer) if last else []
        for address in self._addresses(viewer, bent):
            self._get(viewer, address)
        for address, fields in self._forms(viewer):
            self._post(viewer, address, fields)
        if last:
            before = self._facts()
            for address in self._forms_of_others(viewer, bent):
                self._post(viewer, address, FORM)
            assert self._facts() == before, f"{viewer} has changed the match"
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

    def _post(self, viewer: Viewer, address: str, fields: dict[str, str]) -> None:
        self._add(viewer, f"POST {address} {fields}", self.devices[viewer].post(address, data=fields))

    def _facts(self) -> list[tuple[str, list[Any]]]:
        """All that the database knows of the match."""
        with self.service.store.reading() as database:
            return [
                (table.name, sorted(map(repr, database.execute(select(table).where(of_it)))))
                for table in Row.metadata.sorted_tables
                if (of_it := _of_match(table, self.match_id)) is not None
            ]

    def _add(self, viewer: Viewer, what: str, answer: TestResponse) -> None:
        self.transcript.add(viewer, what, _bytes(answer))

    def _addresses(self, viewer: Viewer, bent: list[str]) -> Iterator[str]:
        """Every page there is, with everything that can stand in its address, and with what must change nothing."""
        yield from self._routes(viewer, "GET", self._tokens(viewer) + bent)
        match = f"/g/{self.match_id}"
        step = self.transcript.step
        yield from (f"{match}?at={at}" for at in sorted({0, step // 2, max(step - 1, 0), step, step + 1}))
        other = self.knower
        for query in (f"as={other}", "as=host", f"viewer={other}", f"seat={other}", "as=everybody", "at=-1", "host=1"):
            yield f"{match}?{query}"
        for address in self._move_pages(viewer):
            for query in (f"seat={other}", "viewer=host", "at=take", "on=1", "undone=1", "move=nonsense", "seen=x"):
                yield f"{address}?{query}"
            yield from (f"{address}?move={quote(text)}" for text in self._some_offers(viewer))

    def _routes(self, viewer: Viewer, method: str, tokens: list[str], *, needs: str = "") -> Iterator[str]:
        """The addresses that take this method, with all that can stand in them; those alone that need something."""
        values, adapter = self._values(viewer, tokens), self.app.url_map.bind("localhost")
        for rule in self.app.url_map.iter_rules():
            names, page = sorted(rule.arguments), rule.endpoint
            if method not in (rule.methods or ()) or page.partition(".")[0] in NOT_LOOKED_AT:
                continue
            if method == "POST" and (page in NOT_SENT or (needs and needs not in names)):
                continue
            for name in names:
                assert name in values, f"say in {__file__} what can stand for <{name}> in the address of {page}"
            for chosen in itertools.product(*(values[name] for name in names)):
                yield adapter.build(page, dict(zip(names, chosen, strict=True)), method=method)

    def _values(self, viewer: Viewer, tokens: list[str]) -> dict[str, list[Any]]:
        """What can stand in an address under a name. A page with another name needs its values here."""
        return {
            "match_id": [self.match_id],
            "game": [self.case.game.name],
            "player_id": [self._player(name).id for name in self.people[:2]],
            "letter_id": ["x" * 12],
            "key_id": ["x" * 6],
            "question": [self.service.matches.status(self.match_id).question],
            "number": [1, 2],
            "size": [192, 7],
            "token": tokens,
        }

    def _tokens(self, viewer: Viewer) -> list[str]:
        """The viewer's own, for this page and for others."""
        own = [_token(address) for address in self._move_pages(viewer)]
        person = self._player(dict(self._names())[viewer])
        own.append(_token(self.links.feed_url(FeedLink(person.id, person.links_epoch))))
        if viewer == STRANGER:
            own.append(_token(self._offer_url()))
        holder = viewer if isinstance(viewer, int) else 1
        _, tenure = self.service.matches.holder(self.match_id, holder)
        if viewer == REMOVED:
            tenure -= 1
        if isinstance(viewer, int) or viewer == REMOVED:
            own.append(_token(self.links.together_url(TogetherLink(self.match_id, holder, tenure))))
            own.append(_token(self.links.join_url(JoinLink(self.match_id, holder, tenure))))
        return own

    def _bent_tokens(self, viewer: Viewer) -> list[str]:
        """To another seat, person or holder, with the signature of an own one; one with a slip; one of no kind."""
        own = self._tokens(viewer)
        person = self._player(self.people[self.knower - 1])
        other = str(self.knower if self.knower != viewer else self.knower % self.case.seats + 1)
        _, tenure = self.service.matches.holder(self.match_id, int(other))
        bent: list[str] = []
        for token in own:
            match token.split("-"):
                case [_, _, _, _, _]:
                    bent += [_with(token, 1, other), _with(token, 3, person.id)]
                case [_, _, _, _]:
                    bent += [_with(token, 1, other), _with(token, 3, str(tenure) + token[-20:])]
                case [_, _, _]:
                    bent.append(_with(token, 1, other))
                case _:
                    bent.append(_with(token, 0, person.id))
        bent += [own[0][:-1] + ("a" if own[0][-1] != "a" else "b"), "x" * 30]
        return list(dict.fromkeys(each for each in bent if each not in own))

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
            other = str(self.knower)
            yield address, {"move": "nonsense", "seat": other, "viewer": other, "tenure": "1", "confirm": "1"}
        yield "/login/code", {"email": address_of("Ben"), "code": "000000"}

    def _forms_of_others(self, viewer: Viewer, bent: list[str]) -> Iterator[str]:
        """Each form there is, where it is none of the viewer's: all of them for who has no seat."""
        if isinstance(viewer, int):
            yield from self._routes(viewer, "POST", bent[:2], needs="token")
        elif viewer in (STRANGER, REMOVED):
            own = self._tokens(viewer) if viewer == REMOVED else []
            yield from self._routes(viewer, "POST", own + bent)

    def _look_as_a_program(self, viewer: Viewer) -> None:
        for path in (
            "",
            "moves",
            "record",
            *(f"moves?seat={seat}" for seat in (1, 2, self.knower, 99)),
            "moves?seat=host",
        ):
            self._add(viewer, f"API {path}", self._api(viewer, path))
        for seat in (1, 2, self.knower, str(self.knower), True, None, [1], 99):
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


def _with(token: str, place: int, value: str) -> str:
    """A token with another value in a place, and with the signature as it was."""
    parts = token.split("-")
    parts[place] = value
    return "-".join(parts)


def _of_match(table: Table, match_id: str) -> Any:
    """The rows of a table that are about the match; None if it has none such."""
    columns = table.columns
    own = [columns["match_id"] == match_id] if "match_id" in columns else []
    own += [columns["id"] == match_id] if table.name == "match" else []
    return or_(*own) if own else None

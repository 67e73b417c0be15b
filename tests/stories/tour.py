"""An instance in which everything has happened once, and a way past all of its pages.

Links are followed as far as they lead, for somebody without a session, for a player and for the operator; the answers
to forms that are refused stand in a list. So a page that is new is passed without being named here.
"""

from __future__ import annotations

import random
import re
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import timedelta
from html.parser import HTMLParser
from typing import Final, TypeAlias
from urllib.parse import urljoin, urlsplit

from flask import Flask
from werkzeug.exceptions import HTTPException

from server import beginning, create_app, overtime, upkeep
from server.autoplay import links_in
from server.beginning import SeatWish, Wish
from server.house import choose
from server.links import OpenLink
from server.pages import once
from server.rules import GAMES
from server.rules.asking import Decision
from server.rules.telling import sentence
from server.service import Service
from tests.server.browsing import Browser, Page, sign_in
from tests.server.builders import a_match, address_of, answers, link_of, mails, play_to_the_end, worker_of
from tests.stories.serving import OPERATOR

VISITORS: Final = ("", "Ann", OPERATOR)
"""Nobody in particular, a player, the operator."""

NOT_LINKED: Final = {
    *("static", "ops.healthz", "ops.metrics", "ops.readyz", "mailbox.picture"),
    *("channels.atom", "channels.calendar", "channels.worker", "channels.manifest", "channels.icon"),
}
"""What is not for eyes, besides the programs' interface, and what no link leads to."""

_MOST: Final = 400
_DEALS: Final = 5
_FRAME: Final = re.compile(r'<iframe[^>]*src="([^"]+)"')
_Kind: TypeAlias = tuple[str, int, frozenset[tuple[str, ...]]]


@dataclass(frozen=True)
class Stop:
    """A page and who looks at it; with `fields` it is the answer to this form."""

    name: str
    address: str
    who: str = ""
    fields: dict[str, str] = field(default_factory=dict)


def half_way(service: Service, game: str, people: tuple[str, ...], moves: int, **wish: object) -> str:
    """A match in which all have played as the house would, until seat 1 is asked after so many moves.

    Every deal is another: a match that is over by then is left behind, and the next one is played.
    """
    matches, now, luck = service.matches, service.now(), random.Random(game)
    for _ in range(_DEALS):
        match_id = a_match(matches, now, game=game, people=people, **wish)
        while (view := matches.view(match_id, None)).outcome is None:
            if view.version >= moves and view.seats[0].asked:
                return match_id
            seat = view.waiting_for[0].number
            matches.play(link_of(matches, match_id, seat), of_the_house(service, match_id, seat, luck), now=now)
    raise AssertionError(f"{_DEALS} matches of {game} were over before move {moves}")


def of_the_house(service: Service, match_id: str, seat: int, luck: random.Random) -> str:
    """What a house player would answer in this seat."""
    view = service.matches.view(match_id, seat)
    asked = view.decision
    assert asked is not None
    texts = [choice.text for choice in asked.choices]
    decision = Decision(
        *(asked.kind, sentence(asked.prompt)),
        listing=lambda: texts,
        reading=" ".join,
        saying=lambda text: sentence("{text}", text=text),
    )
    return choose(GAMES[view.game], decision, view.position, seat, luck)


def live(service: Service) -> dict[str, str]:
    """Matches in every state, each by a word for it."""
    matches, now, worker = service.matches, service.now(), worker_of(service)
    ids = {
        "regions": half_way(service, "regions", ("Ann", "Ben", "Cat"), 30),
        "intrigues": half_way(service, "intrigues", ("Ann", "Ben", "Cat", "Dan"), 70),
        "crusade": half_way(service, "crusade", ("Ann", "Ben", "Cat", "Dan", "Eve"), 75, options={"events": "on"}),
        "open": a_match(matches, now, people=("Ann", "Ben"), start=False),
        "finished": a_match(matches, now, game="crusade", people=("Ann", "Ben", "Cat")),
        "paused": a_match(matches, now, people=("Ann", "Ben")),
        "ended": a_match(matches, now, people=("Ann", "Ben")),
        "timed": a_match(matches, now, people=("Ben", "Ann"), pace={"hours": 24}),
        "sealed": _sealed(service),
        "free": _with_free_seats(service),
    }
    worker.tick(now)
    play_to_the_end(matches, ids["finished"], now)
    upkeep.pause(matches, ids["paused"], "a quiet week", now=now, who="operator")
    upkeep.abort(matches, ids["ended"], "agreed", now=now, who="operator")
    worker.tick(now)
    overtime.remind(matches, now + timedelta(hours=12))
    worker.tick(now + timedelta(hours=12))
    return ids


def _with_free_seats(service: Service) -> str:
    """Ann has set it up, for everybody, to begin on a date; Ben is invited."""
    matches, now = service.matches, service.now()
    ann, _ = matches.holder(a_match(matches, now, people=("Ann", "Ben")), 1)
    seats = [SeatWish(name, address_of(name)) for name in ("Ann", "Ben")]
    wish = Wish("regions", [*seats, SeatWish(free=True)], public=True, starts_at=now + timedelta(days=3))
    return beginning.create(matches, wish, host=ann, now=now)


def _sealed(service: Service) -> str:
    """All are asked at once, and Ann has answered."""
    matches, now = service.matches, service.now()
    match_id = a_match(matches, now, game="crusade", people=("Ann", "Ben", "Cat"))
    while len(waiting := matches.view(match_id, None).waiting_for) < 3:
        seat = waiting[0].number
        matches.play(link_of(matches, match_id, seat), answers(matches, match_id, seat)[-1], now=now)
    matches.play(link_of(matches, match_id, 1), answers(matches, match_id, 1)[0], now=now)
    return match_id


@dataclass(frozen=True)
class Tour:
    """Stops, the session that each visitor has (the value of our one cookie), and what has served all that was seen."""

    stops: list[Stop]
    sessions: dict[str, str]
    endpoints: set[str]


def tour(service: Service) -> Tour:
    """All pages of an instance, filled for it: each kind of page in each of its states once."""
    site = create_app(service)
    ids = live(service)
    stops, sessions, seen = [*_refused(service, ids)], {"": ""}, set[_Kind]()
    for who in VISITORS:
        visitor = Browser(site)
        if who:
            sign_in(service, visitor, who)
            sessions[who] = session_of(site, visitor)
        named = _named(service, ids) if who != OPERATOR else [("console", "/admin")]
        stops += _walk(service, site, visitor, who, [*named, *_of_mails(service)], seen)
    stops.sort(key=lambda stop: VISITORS.index(stop.who))
    return Tour(stops, sessions, {endpoint for endpoint, _, _ in seen})


def session_of(site: Flask, visitor: Browser) -> str:
    cookie = visitor.client.get_cookie(site.config["SESSION_COOKIE_NAME"])
    assert cookie is not None
    return str(cookie.value)


def _named(service: Service, ids: dict[str, str]) -> Iterator[tuple[str, str]]:
    """Where to begin, and what no link leads to."""
    yield "start", "/"
    yield "no such page", "/no-such-page"
    for word, match_id in ids.items():
        yield f"match {word}", f"/g/{match_id}"
    for word in ("regions", "intrigues", "crusade", "sealed", "paused"):
        link = link_of(service.matches, ids[word])
        yield f"move {word}", service.links.move_url(link)
    yield "a link to free seats", service.links.join_url(OpenLink(ids["free"], 1))
    for word in ("regions", "intrigues", "crusade"):
        address = service.links.move_url(link_of(service.matches, ids[word]))
        yield f"confirm {word}", f"{address}?move={answers(service.matches, ids[word])[0]}"


def _of_mails(service: Service) -> Iterator[tuple[str, str]]:
    """The links of one mail of each kind."""
    kinds = {str(mail["X-Estafette-Kind"]): mail for mail in mails(service, "Ann")}
    kinds["invitation"] = mails(service, "Ben", "invitation")[-1]
    for kind, mail in kinds.items():
        for number, address in enumerate(dict.fromkeys(links_in(mail))):
            yield f"{kind} mail, link {number + 1}", address


def _refused(service: Service, ids: dict[str, str]) -> Iterator[Stop]:
    """Answers to forms that are not sent as they should be."""
    link = link_of(service.matches, ids["regions"])
    address = service.links.move_url(link)
    decision = service.matches.view(ids["regions"], 1).decision
    assert decision is not None
    yield Stop("a move that is none", address, fields={"move": "take 99L", "once": str(once.fresh(decision.stamp))})
    yield Stop("a page of before", address, fields={"move": decision.choices[0].text, "once": str(once.fresh("1-0"))})
    yield Stop("a broken link", service.links.url("m/broken"))
    yield Stop("a fresh link", f"{address}/fresh", fields={"once": ""})
    yield Stop("sign in: no address", service.links.url("login"), fields={"email": "nobody"})
    yield Stop("sign in: the code", service.links.url("login"), fields={"email": address_of("Ann")})
    yield Stop("a new match without seats", service.links.url("games/new"), "Ann", {"game": "crusade", "me": "1"})
    yield Stop("an account without a name", service.links.url("me"), "Ann", {"name": "", "zone": "Nowhere"})


def _walk(
    service: Service, site: Flask, visitor: Browser, who: str, starts: list[tuple[str, str]], seen: set[_Kind]
) -> Iterator[Stop]:
    """Follow all links on and on. Only kinds of pages that were not `seen` count."""
    ours = service.links.url("")
    always = {name for name, _ in starts if name.startswith(("match", "move", "confirm"))}  # a drawing for each game
    known = {urljoin(ours, address) for _, address in starts}
    ahead = deque((name, urljoin(ours, address)) for name, address in starts)
    while ahead:
        name, address = ahead.popleft()
        page, kind = _look(site, visitor, address)
        if page is None or (kind in seen and (who or name not in always)):
            continue
        seen.add(kind)
        if page.response.mimetype != "text/html":
            continue
        assert len(seen) < _MOST, "more kinds of pages than there can be"
        yield Stop(f"{who or 'nobody'}: {name}", address, who)
        for words, target in [*page.links, *((f"frame of {name}", each) for each in _FRAME.findall(page.source))]:
            url = urljoin(address, target).partition("#")[0]
            if url.startswith(ours) and url not in known:
                known.add(url)
                ahead.append((words.strip() or name, url))


def _look(site: Flask, visitor: Browser, address: str) -> tuple[Page | None, _Kind]:
    """A page and its kind: what serves it, and which elements it has."""
    endpoint = endpoint_of(site, address)
    if not is_page(endpoint):
        return None, (endpoint, 0, frozenset())
    page = visitor.get(address)
    elements = _Elements()
    elements.feed(page.source)
    return page, (endpoint, page.status, frozenset(elements.found))


class _Elements(HTMLParser):
    """Which elements a page has, however many of each, whatever they say, and whatever a drawing shows."""

    def __init__(self) -> None:
        super().__init__()
        self.found: set[tuple[str, ...]] = set()
        self._drawing = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if self._drawing:
            return
        self._drawing = tag == "svg"
        told = {name: value or "" for name, value in attrs}
        self.found.add((tag, *(told.get(name, "") for name in ("class", "role", "type", "name"))))

    def handle_endtag(self, tag: str) -> None:
        if tag == "svg":
            self._drawing = False


def endpoint_of(site: Flask, address: str) -> str:
    """What serves an address."""
    parts = urlsplit(address)
    try:
        return str(site.url_map.bind("localhost").match(parts.path, method="GET")[0])
    except HTTPException:
        return "errors"


def is_page(endpoint: str) -> bool:
    """Whether it is to be looked at."""
    return endpoint not in NOT_LINKED and not endpoint.startswith("api.")

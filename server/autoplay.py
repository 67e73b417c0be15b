"""A whole match played as people would: from the mails, through their links, with the forms of the pages.

Each seat is a person with a mailbox. Nothing is taken from behind the pages but what a house player needs to make
up its mind: the seat's own view. A broken link, a missing mail or an offer that is refused ends it with a sentence.
"""

from __future__ import annotations

import email
import email.policy
import random
import re
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from email.message import EmailMessage
from html.parser import HTMLParser
from typing import Any, Final

from server import house
from server.links import MoveLink
from server.rules import GAMES
from server.rules.asking import Decision
from server.rules.telling import sentence
from server.service import Service
from server.views import DecisionView

_URL: Final = re.compile(r"https?://[^\s<>\"]+")


class Broken(Exception):
    """What a person would stumble over, in a sentence."""


@dataclass(frozen=True)
class Page:
    status: int
    url: str
    text: str

    def form_with(self, *names: str) -> dict[str, str]:
        """The fields of the first form that has fields of these names; `action` holds where it goes."""
        for form in _Forms.of(self.text):
            if all(name in form for name in names):
                return {**form, "action": urllib.parse.urljoin(self.url, form.get("action") or self.url)}
        raise Broken(f"The page has no form with {', '.join(names)}.")


class _Forms(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.forms: list[dict[str, str]] = []
        self._open = False

    @classmethod
    def of(cls, text: str) -> list[dict[str, str]]:
        parser = cls()
        parser.feed(text)
        return parser.forms

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        told = {name: value or "" for name, value in attrs}
        if tag == "form":
            self.forms.append({"action": told.get("action", ""), "method": told.get("method", "get").lower()})
            self._open = True
        elif self._open and tag in ("input", "button", "select", "textarea") and told.get("name"):
            unchecked = told.get("type") == "radio" and "checked" not in told
            if not unchecked or told["name"] not in self.forms[-1]:
                self.forms[-1].setdefault(told["name"], "" if unchecked else told.get("value", ""))

    def handle_endtag(self, tag: str) -> None:
        if tag == "form":
            self._open = False


@dataclass
class Browser:
    """The least of a browser: GET, POST, redirects; no cookies, as from a mail program."""

    patience: float = 30.0
    opener: urllib.request.OpenerDirector = field(default_factory=urllib.request.build_opener)

    def get(self, url: str) -> Page:
        return self._fetch(urllib.request.Request(url))  # noqa: S310 - only http(s) links of mails come here

    def send(self, form: dict[str, str], **fields: str) -> Page:
        """Send a form with these fields, as its method says."""
        if form["method"] == "post":
            return self.post(form["action"], fields)
        return self.get(f"{form['action']}?{urllib.parse.urlencode(fields)}")

    def post(self, url: str, fields: dict[str, str]) -> Page:
        data = urllib.parse.urlencode(fields).encode()
        return self._fetch(urllib.request.Request(url, data=data))  # noqa: S310

    def _fetch(self, request: urllib.request.Request) -> Page:
        try:
            with self.opener.open(request, timeout=self.patience) as answer:
                return Page(answer.status, answer.url, answer.read().decode("utf-8", "replace"))
        except urllib.error.HTTPError as error:
            return Page(error.code, request.full_url, error.read().decode("utf-8", "replace"))
        except OSError as error:
            raise Broken(f"A link could not be opened: {type(error).__name__}.") from error


def links_in(mail: EmailMessage) -> list[str]:
    """The links of a mail's text part, in order."""
    body = mail.get_body(("plain",))
    return _URL.findall(body.get_content()) if body else []


@dataclass
class Autoplay:
    """Plays one match to its end. `inbox()` gives the raw mails that arrived since it was last asked, oldest first."""

    service: Service
    match_id: str
    inbox: Callable[[], Sequence[bytes]]
    tick: Callable[[], None]
    luck: random.Random
    progress: Callable[[int], None] = lambda moves: None
    browser: Browser = field(default_factory=Browser)
    mails: int = 0
    moves: int = 0
    _opened: set[str] = field(default_factory=set)
    _told: set[str] = field(default_factory=set)

    def run(self) -> dict[str, Any]:
        """The outcome; raises Broken."""
        tokens: dict[str, str] = {}
        while True:
            self.tick()
            for mail in self._new_mails():
                self._try_links(mail)
                kind, seat = mail["X-Estafette-Kind"], str(mail["To"])
                if kind == "turn":
                    tokens[seat] = self._move_link(mail)
                elif kind == "finished":
                    self._told.add(seat)
            view = self.service.matches.view(self.match_id, None)
            if view.outcome is not None:
                self._all_were_told(len(view.seats))
                return view.outcome
            moved = False
            for address, url in list(tokens.items()):
                while self._play_one(url):
                    moved = True
                del tokens[address]
            if not moved:
                waiting = ", ".join(seat.name for seat in view.waiting_for)
                raise Broken(f"The match waits for {waiting}, but no mail with an open decision has arrived.")

    def _new_mails(self) -> list[EmailMessage]:
        raw = self.inbox()
        self.mails += len(raw)
        return [email.message_from_bytes(each, policy=email.policy.default) for each in raw]

    def _move_link(self, mail: EmailMessage) -> str:
        for url in links_in(mail):
            if "/m/" in url and "?" not in url:
                return url
        raise Broken("A turn mail has no move link.")

    def _try_links(self, mail: EmailMessage) -> None:
        """Every link of every mail opens, and opening changes nothing."""
        before = self.service.matches.status(self.match_id).revision
        for url in dict.fromkeys(links_in(mail)):
            if url in self._opened:
                continue
            self._opened.add(url)
            page = self.browser.get(url)
            if page.status != 200:
                raise Broken(f"A link of a “{mail['X-Estafette-Kind']}” mail answers {page.status}.")
        if self.service.matches.status(self.match_id).revision != before:
            raise Broken("Opening the links of a mail has changed the match.")

    def _play_one(self, url: str) -> bool:
        """One decision of the seat that the link names, through the page's forms; False if none is open."""
        link = self.service.links.read_move(url.rstrip("/").rsplit("/", 1)[-1])
        if self.service.matches.standing(link) != "open":
            return False
        view = self.service.matches.view(self.match_id, link.seat)
        if view.decision is None or view.decision.sealed is not None:
            return False
        page = self.browser.get(url)
        if page.status != 200:
            raise Broken(f"The move page answers {page.status}.")
        self._offer_is_legal(page, view.decision)
        self._confirm(page, self._choice(link, view.decision, view.position))
        return True

    def _offer_is_legal(self, page: Page, decision: DecisionView) -> None:
        """A move that is offered can be previewed."""
        offered = self.luck.choice(decision.choices)
        preview = self._preview(page, offered.text)
        if preview.status != 200:
            raise Broken(f"The offered move “{offered.text}” is answered with {preview.status}.")

    def _preview(self, page: Page, move: str) -> Page:
        form = page.form_with("move", "once")
        return self.browser.send(form, once=form["once"], move=move)

    def _confirm(self, page: Page, move: str) -> None:
        preview = self._preview(page, move)
        if preview.status != 200:
            raise Broken(f"The move “{move}” is answered with {preview.status} before it is confirmed.")
        form = preview.form_with("move", "once", "confirm")
        answer = self.browser.send(form, once=form["once"], move=form["move"], confirm=form["confirm"])
        if answer.status != 200:
            raise Broken(f"The move “{move}” is answered with {answer.status}.")
        self.moves += 1
        self.progress(self.moves)

    def _choice(self, link: MoveLink, decision: DecisionView, position: dict[str, Any]) -> str:
        texts = [choice.text for choice in decision.choices]
        asked = Decision(
            decision.kind,
            sentence(decision.prompt),
            listing=lambda: texts,
            reading=lambda words: " ".join(words),
            saying=lambda text: sentence("{text}", text=text),
        )
        game = GAMES[self.service.matches.status(self.match_id).game]
        return house.choose(game, asked, position, link.seat, self.luck)

    def _all_were_told(self, seats: int) -> None:
        if len(self._told) != seats:
            raise Broken(f"Only {len(self._told)} of {seats} players got a mail with the result.")

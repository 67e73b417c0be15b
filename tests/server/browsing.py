"""A browser for tests: it opens addresses, reads pages and presses buttons, as a person would."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from email.message import EmailMessage
from html.parser import HTMLParser
from typing import Any
from urllib.parse import urlencode, urljoin, urlsplit

from flask import Flask
from werkzeug.test import TestResponse

from server.service import Service
from tests.server.builders import address_of, mails, text_of, worker_of


@dataclass
class Form:
    """A form as it stands in the page: what it sends without a change, and its buttons as (name, value, words)."""

    action: str
    method: str
    fields: dict[str, str] = field(default_factory=dict)
    buttons: list[tuple[str, str, str]] = field(default_factory=list)


class Page:
    """A page as a person sees it."""

    def __init__(self, address: str, response: TestResponse) -> None:
        self.address = address
        self.response = response
        self.status = response.status_code
        self.source = response.get_data().decode("utf-8", "replace")  # pictures come by too
        reader = _Reader(address)
        reader.feed(self.source)
        self.title = " ".join(reader.title.split())
        self.text = " ".join("".join(reader.text).split())
        self.headings = [" ".join(heading.split()) for heading in reader.headings]
        self.links = reader.links
        self.forms = reader.forms

    def form(self, *, button: str = "", field: str = "") -> Form:
        """The form with a button of these words, or with a field of this name."""
        for form in self.forms:
            words = [words for _, _, words in form.buttons]
            if (not button or any(button in each for each in words)) and (not field or field in form.fields):
                return form
        raise AssertionError(f"no form with {button or field!r} on {self.title!r}")

    def link(self, words: str) -> str:
        """The address behind a link of these words."""
        for said, address in self.links:
            if words in said:
                return address
        raise AssertionError(f"no link {words!r} on {self.title!r}: {[said for said, _ in self.links]}")

    def offers(self) -> list[str]:
        """The moves that can be had with one tap."""
        return [value for form in self.forms for name, value, _ in form.buttons if name == "move"]


class Browser:
    """One device with its cookies. `others` are headers that it sends every time."""

    def __init__(self, app: Flask, **others: str) -> None:
        self.client = app.test_client()
        self.others = others

    def get(self, address: str, **headers: str) -> Page:
        return self._followed(address, self.client.get(_path(address), headers=self.others | headers))

    def post(self, address: str, fields: dict[str, Any] | None = None, **headers: str) -> Page:
        """Send a form and follow where it leads."""
        response = self.client.post(_path(address), data=fields or {}, headers=self.others | headers)
        return self._followed(address, response)

    def press(self, page: Page, words: str, **typed: str) -> Page:
        """Press the button with these words, after typing into the form's fields."""
        form = page.form(button=words)
        name, value, _ = next(button for button in form.buttons if words in button[2])
        fields = form.fields | typed | ({name: value} if name else {})
        return (
            self.post(form.action, fields) if form.method == "post" else self.get(f"{form.action}?{urlencode(fields)}")
        )

    def _followed(self, address: str, response: TestResponse) -> Page:
        hops = 0
        while response.status_code in (301, 302, 303, 307, 308):
            hops += 1
            assert hops < 5
            assert response.status_code == 303, "a form is answered with 303"
            address = urljoin(address, response.headers["Location"])
            response = self.client.get(_path(address), headers=self.others)
        return Page(address, response)


def url_in(mail: EmailMessage, part: str) -> str:
    """The first link of a mail with this in it."""
    urls: list[str] = re.findall(r"http[^\s<>]+", text_of(mail))
    return next(url for url in urls if part in url)


def sign_in(service: Service, browser: Browser, name: str) -> None:
    """As a person: ask, open the link of the mail, press the button."""
    browser.post("/login", {"email": address_of(name)})
    worker_of(service).tick()
    page = browser.press(browser.get(url_in(mails(service, name, "login")[-1], "/login/")), "Sign in on this device")
    assert "My matches" in page.headings


def _path(address: str) -> str:
    parts = urlsplit(address)
    return (parts.path or "/") + (f"?{parts.query}" if parts.query else "")


class _Reader(HTMLParser):
    def __init__(self, address: str) -> None:
        super().__init__()
        self._address = address
        self.title = ""
        self.text: list[str] = []
        self.headings: list[str] = []
        self.links: list[tuple[str, str]] = []
        self.forms: list[Form] = []
        self._inside: list[str] = []
        self._form: Form | None = None
        self._link: tuple[str, list[str]] | None = None
        self._button: tuple[str, str, list[str]] | None = None
        self._select: tuple[str, str | None] | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        told = {name: value or "" for name, value in attrs}
        if tag in ("style", "title", "h1", "h2", "h3"):
            self._inside.append(tag)
            if tag in ("h1", "h2", "h3"):
                self.headings.append("")
        if tag == "form":
            self._form = Form(urljoin(self._address, told.get("action", "")), told.get("method", "get").lower())
            self.forms.append(self._form)
        if tag == "a" and "href" in told:
            self._link = (urljoin(self._address, told["href"]), [])
        if self._form is not None:
            self._field(tag, told)
        self.text.append(" ")

    def _field(self, tag: str, told: dict[str, str]) -> None:
        assert self._form is not None
        fields = self._form.fields
        if tag == "button":
            self._button = (told.get("name", ""), told.get("value", ""), [])
        elif tag == "select":
            self._select = (told["name"], None)
        elif tag == "option" and self._select:
            name, chosen = self._select
            if chosen is None or "selected" in told:
                self._select = (name, told.get("value", ""))
                fields[name] = told.get("value", "")
        elif tag == "input" and told.get("name"):
            ticked = told.get("type") not in ("checkbox", "radio") or "checked" in told
            if ticked:
                fields[told["name"]] = told.get("value", "")

    def handle_endtag(self, tag: str) -> None:
        if self._inside and self._inside[-1] == tag:
            self._inside.pop()
        if tag == "form":
            self._form = None
        if tag == "select":
            self._select = None
        if tag == "a" and self._link:
            self.links.append((" ".join("".join(self._link[1]).split()), self._link[0]))
            self._link = None
        if tag == "button" and self._button and self._form:
            name, value, words = self._button
            self._form.buttons.append((name, value, " ".join("".join(words).split())))
            self._button = None
        self.text.append(" ")

    def handle_data(self, data: str) -> None:
        where = self._inside[-1] if self._inside else ""
        if where == "style":
            return
        if where == "title":
            self.title += data
            return
        if where:
            self.headings[-1] += data
        self.text.append(data)
        if self._link:
            self._link[1].append(data)
        if self._button:
            self._button[2].append(data)

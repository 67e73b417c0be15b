"""Debian's Chromium, used as a person would: on a phone by tapping, at a desk by the keyboard, with scripts or without.

What a person does goes in as touches and keys. What stands in the page is read from outside, so that it works the same
where the page may run no script.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final
from urllib.parse import urljoin, urlsplit

import pytest

from tests.stories.devtools import BROWSER, Devtools, Event, chromium

needs_chromium = pytest.mark.skipif(not BROWSER, reason="Debian's chromium is needed")

PHONE: Final = (360, 640)
DESK: Final = (1280, 800)

_KEYS: Final = {"Tab": (9, ""), "Enter": (13, "\r"), "Space": (32, " ")}
_SHIFT: Final = 8

_SEND: Final = """(address, fields) => {
  const form = Object.assign(document.createElement("form"), { method: "post", action: address });
  for (const [name, value] of Object.entries(fields)) {
    form.append(Object.assign(document.createElement("input"), { name, value }));
  }
  document.body.append(form);
  form.submit();
}"""


@dataclass(frozen=True)
class Element:
    """Something in the page that a person can see and touch; it is gone when the page is."""

    tab: Tab
    handle: str

    def ask(self, question: str) -> Any:
        """What an expression over `this` gives."""
        function = f"function() {{ return {question}; }}"
        told = self.tab.call(
            "Runtime.callFunctionOn", objectId=self.handle, functionDeclaration=function, returnByValue=True
        )
        assert "exceptionDetails" not in told, told["exceptionDetails"]
        return told["result"].get("value")

    @property
    def text(self) -> str:
        return str(self.ask("this.innerText"))

    @property
    def target(self) -> str:
        """Where a link leads."""
        return str(self.ask("this.href"))

    def middle(self) -> tuple[float, float]:
        """Where a finger would touch it, after moving the page so that it is in sight."""
        self.tab.call("DOM.scrollIntoViewIfNeeded", objectId=self.handle)
        quads = self.tab.call("DOM.getContentQuads", objectId=self.handle)["quads"]
        assert quads, f"nothing is to be seen of {self.text!r}"
        return sum(quads[0][::2]) / 4, sum(quads[0][1::2]) / 4


@dataclass(frozen=True)
class Fetched:
    """What was fetched for a page: from where, of which kind, and how many bytes went over the network for it."""

    address: str
    kind: str
    size: int


def same_site(address: str, page: str) -> bool:
    return urlsplit(address)[:2] == urlsplit(page)[:2]


class Tab:
    """One page at a time. Its own scripts run or do not; ours, that only look, always do."""

    def __init__(self, devtools: Devtools) -> None:
        self._devtools = devtools
        target = devtools.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = devtools.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self.call("Page.enable")
        self.call("Page.setLifecycleEventsEnabled", enabled=True)
        self._frame = self.call("Page.getFrameTree")["frameTree"]["frame"]["id"]

    def call(self, method: str, **params: Any) -> Any:
        return self._devtools.call(method, self._session, **params)

    def told(self, method: str, what: str) -> Any:
        """What the browser tells of its own accord under this name; waits for it."""

        def wanted(event: Event) -> bool:
            return event.get("sessionId") == self._session and event["method"] == method

        return self._devtools.event(wanted, what)["params"]

    # How it is looked at

    def held_as(self, size: tuple[int, int], *, dark: bool = False) -> None:
        """A phone is touched, and its pixels are smaller."""
        width, height = size
        phone = size == PHONE
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=2 if phone else 1,
            mobile=phone,
        )
        self.call("Emulation.setTouchEmulationEnabled", enabled=phone)
        theme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        still = {"name": "prefers-reduced-motion", "value": "reduce"}
        self.call("Emulation.setEmulatedMedia", features=[theme, still])

    def scripts(self, allowed: bool) -> None:
        """Whether the scripts of the pages may run, from the next page on."""
        self.call("Emulation.setScriptExecutionDisabled", value=not allowed)

    def session(self, site: str, value: str) -> None:
        """Go on as who has this session cookie; empty: as nobody."""
        self.call("Network.clearBrowserCookies")
        if value:
            self.call("Network.setCookie", url=site, name="estafette", value=value, httpOnly=True, sameSite="Lax")

    # What a person does

    def open(self, address: str) -> None:
        """Type an address."""
        self._devtools.forget()
        told = self.call("Page.navigate", url=address)
        assert not told.get("errorText"), f"{address}: {told['errorText']}"
        self._arrive(address)

    def send(self, address: str, fields: Mapping[str, str]) -> None:
        """Send a form with these fields, as a page of the same site would."""
        self.open(f"{urljoin(address, '/healthz')}")
        self._devtools.forget()
        self.ask(f"({_SEND})({json.dumps(address)}, {json.dumps(dict(fields))})")
        self._arrive(address)

    def follow(self, element: Element) -> None:
        """Tap a link or button, and wait for where it leads."""
        what = element.text
        x, y = element.middle()
        self._devtools.forget()
        self.call("Input.dispatchTouchEvent", type="touchStart", touchPoints=[{"x": x, "y": y}])
        self.call("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])
        self._arrive(what)

    def press(self, key: str, *, shift: bool = False, leads: bool = False) -> None:
        """Press a key; `leads`: to another page, which is waited for."""
        code, text = _KEYS[key]
        held: dict[str, Any] = {
            "key": " " if key == "Space" else key,
            "code": key,
            "windowsVirtualKeyCode": code,
            "modifiers": _SHIFT if shift else 0,
        }
        self._devtools.forget()
        self.call("Input.dispatchKeyEvent", type="keyDown", **held, **({"text": text} if text else {}))
        self.call("Input.dispatchKeyEvent", type="keyUp", **held)
        if leads:
            self._arrive(f"the key {key}")

    def _arrive(self, what: str) -> None:
        """Wait until a page is loaded and painted (before that Chromium lets touches fall), or scrolled."""

        def of_the_page(event: Event, method: str, name: str = "") -> bool:
            told = event["params"]
            return (
                event.get("sessionId") == self._session
                and event["method"] == method
                and told.get("frameId", told.get("frame", {}).get("id")) == self._frame
                and told.get("name", "") == name
            )

        def arrives(event: Event) -> bool:
            return of_the_page(event, "Page.frameNavigated") or of_the_page(event, "Page.navigatedWithinDocument")

        event = self._devtools.event(arrives, f"where “{what}” leads")
        if event["method"] == "Page.navigatedWithinDocument":
            return
        loader = event["params"]["frame"]["loaderId"]
        missing = {"load", "firstContentfulPaint"}
        while missing:
            event = self._devtools.event(
                lambda event: any(of_the_page(event, "Page.lifecycleEvent", name) for name in missing),
                f"the page behind “{what}”",
            )
            if event["params"]["loaderId"] == loader:
                missing.discard(event["params"]["name"])

    # What it sees

    def ask(self, question: str) -> Any:
        """What an expression over the page gives; a promise is waited for."""
        told = self.call("Runtime.evaluate", expression=question, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in told, told["exceptionDetails"]
        return told["result"].get("value")

    @property
    def address(self) -> str:
        return str(self.ask("location.href"))

    @property
    def text(self) -> str:
        return str(self.ask("document.body.innerText"))

    def all(self, selector: str) -> list[Element]:
        found = self.call("Runtime.evaluate", expression=f"document.querySelectorAll({json.dumps(selector)})")
        listed = self.call("Runtime.getProperties", objectId=found["result"]["objectId"], ownProperties=True)
        return [Element(self, each["value"]["objectId"]) for each in listed["result"] if each["name"].isdigit()]

    def first(self, selector: str) -> Element:
        found = self.all(selector)
        assert found, f"no {selector} in {self.address}: {self.text[:400]}"
        return found[0]

    def fetched(self) -> list[Fetched]:
        """Everything that the page is made of, itself first."""
        told = self.ask("""["navigation", "resource"].flatMap(kind => performance.getEntriesByType(kind)).map(
            each => [each.name, each.initiatorType, each.transferSize])""")
        return [Fetched(*each) for each in told]

    def width(self) -> float:
        """How wide the page is, in pixels of the style sheet."""
        return float(self.call("Page.getLayoutMetrics")["cssContentSize"]["width"])

    def picture(self) -> bytes:
        """The whole page as a PNG."""
        size = self.call("Page.getLayoutMetrics")["cssContentSize"]
        clip = {"x": 0, "y": 0, "width": size["width"], "height": size["height"], "scale": 1}
        told = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=True, clip=clip)
        return base64.b64decode(told["data"])


@contextmanager
def a_browser(folder: Path) -> Iterator[Tab]:
    """A tab of a fresh browser, held as a phone."""
    with chromium(folder) as devtools:
        tab = Tab(devtools)
        tab.held_as(PHONE)
        yield tab

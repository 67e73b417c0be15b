"""The tour of all pages leaves none out."""

from __future__ import annotations

import shutil
from base64 import b64encode
from collections.abc import Iterator
from hashlib import md5, sha1, sha256
from pathlib import Path
from urllib.parse import quote

import pytest

from server import create_app
from server.service import Service
from tests.server.browsing import Browser
from tests.server.builders import PEOPLE, address_of
from tests.stories.serving import serving
from tests.stories.tour import Tour, is_page, tour


@pytest.fixture(scope="module")
def walked(migrated_file: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Service, Tour]]:
    """One instance for all tests in here: they only look."""
    folder = tmp_path_factory.mktemp("tour")
    shutil.copyfile(migrated_file, folder / "estafette.db")
    with serving(f"sqlite:///{folder}/estafette.db", folder) as service:
        yield service, tour(service)


def test_the_tour_passes_every_page_that_there_is(walked: tuple[Service, Tour]) -> None:
    service, tour = walked
    site = create_app(service)
    pages = {rule.endpoint for rule in site.url_map.iter_rules() if "GET" in (rule.methods or ())}
    left_out = {page for page in pages if is_page(page)} - tour.endpoints
    assert left_out == set(), "no link leads there: see tour._named"


def test_case_B50_no_page_shows_the_address_of_another(walked: tuple[Service, Tour]) -> None:
    """But the operator's console, and the mailbox of whoever tries the product out alone."""
    service, tour = walked
    site, looked = create_app(service), 0
    for stop in tour.stops:
        visitor = Browser(site)
        visitor.client.set_cookie(site.config["SESSION_COOKIE_NAME"], tour.sessions[stop.who])
        if any(part in stop.address for part in ("/mailbox", "/admin")) or "invitation" in stop.name:
            continue
        page = visitor.post(stop.address, stop.fields) if stop.fields else visitor.get(stop.address)
        shown = [name for name in PEOPLE[1:] if any(form in page.source for form in forms_of(address_of(name)))]
        assert shown == [], stop
        looked += 1
    assert looked > 40


def forms_of(address: str) -> set[str]:
    """An address as it is, in a link, and as avatars are asked for."""
    plain = address.encode()
    hashed = {kind(plain, usedforsecurity=False).hexdigest() for kind in (md5, sha1, sha256)}
    return {address, quote(address, safe=""), b64encode(plain).decode().rstrip("="), *hashed}

"""The tour of all pages leaves none out."""

from __future__ import annotations

from server import create_app
from server.service import Service
from tests.stories.tour import endpoint_of, is_page, tour


def test_the_tour_passes_every_page_that_there_is(served: Service) -> None:
    site = create_app(served)
    pages = {rule.endpoint for rule in site.url_map.iter_rules() if "GET" in (rule.methods or ())}
    passed = {endpoint_of(site, stop.address) for stop in tour(served).stops}
    assert {page for page in pages if is_page(page)} - passed == set(), "no link leads there: see tour._named"

"""The programs' interface driven from its own description: it answers as described, and never with 5xx."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import hypothesis
import pytest
import schemathesis
from hypothesis import HealthCheck, Phase
from schemathesis.checks import CHECKS, not_a_server_error

from db import queries
from server import accounts, create_app
from server.service import Service
from tests.server.builders import a_match, a_service, address_of, play_first

EXAMPLES = 100


@pytest.fixture
def fuzzed(database_url: str, tmp_path: Path) -> Iterator[tuple[Any, Service, str, str]]:
    """The description, an instance with a match, its id, and the operator's key."""
    service = a_service(database_url, tmp_path, ESTAFETTE_ADMINS=address_of("Ann"))
    match_id = a_match(service.matches, service.now())
    play_first(service.matches, match_id, service.now())
    with service.store.writing() as session:
        ann = queries.players.by_address(session, address_of("Ann"))
        assert ann
        key = accounts.new_api_key(session, ann.id, service.now())
    yield schemathesis.openapi.from_wsgi("/api/v1/openapi.json", create_app(service)), service, match_id, key
    service.close()


@pytest.mark.slow
@pytest.mark.parametrize("operation", ["POST /games", "GET /games/{id}", "GET /games/{id}/moves",
                                       "POST /games/{id}/moves", "GET /games/{id}/record"])  # fmt: skip
def test_whatever_a_program_sends_it_is_answered_as_described(
    fuzzed: tuple[Any, Service, str, str], operation: str
) -> None:
    schema, _, match_id, key = fuzzed
    method, path = operation.split()
    described = schema[path][method]

    @hypothesis.settings(
        max_examples=EXAMPLES,
        deadline=None,
        database=None,
        derandomize=True,
        phases=[Phase.explicit, Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @hypothesis.given(case=described.as_strategy(), own=hypothesis.strategies.booleans())
    def ask(case: Any, own: bool) -> None:
        if own and "id" in (case.path_parameters or {}):
            case.path_parameters["id"] = match_id
        answer = case.call(headers={"Authorization": f"Bearer {key}"})
        case.validate_response(answer, checks=[not_a_server_error, *_described()])

    ask()


def _described() -> list[Any]:
    wanted = ("status_code_conformance", "content_type_conformance", "response_schema_conformance")
    found = [check for check in CHECKS.get_all() if check.__name__ in wanted]
    assert len(found) == len(wanted)
    return found


def test_the_description_names_every_route_of_the_interface(fuzzed: tuple[Any, Service, str, str]) -> None:
    schema, service, _, _ = fuzzed
    described = {(operation.ok().method.upper(), operation.ok().path) for operation in schema.get_all_operations()}
    routes = {
        (method, rule.rule.removeprefix("/api/v1").replace("<id:match_id>", "{id}"))
        for rule in create_app(service).url_map.iter_rules()
        if rule.rule.startswith("/api/v1/") and not rule.rule.endswith("openapi.json")
        for method in (rule.methods or set()) - {"HEAD", "OPTIONS"}
    }
    assert described == routes

"""The programs' interface, as the contract has it."""

from __future__ import annotations

import json
import re
from datetime import timedelta
from importlib import resources
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from werkzeug.test import TestResponse

from db import queries
from server import accounts, create_app
from server.oversight import LOOKED
from server.rules import GAMES
from server.rules.record import check, read_record
from server.service import Service
from tests.server.browsing import Browser
from tests.server.builders import a_match, a_service, address_of, answers, letters, link_of, play_to_the_end, play_turn


class Program:
    """A program with a key, or without."""

    def __init__(self, site: Flask, key: str | None) -> None:
        self.client = site.test_client()
        self.headers = {"Authorization": f"Bearer {key}"} if key else {}

    def get(self, path: str) -> TestResponse:
        return self.client.get(f"/api/v1/{path}", headers=self.headers)

    def post(self, path: str, body: Any, **more: Any) -> TestResponse:
        return self.client.post(f"/api/v1/{path}", json=body, headers=self.headers, **more)


def key_for(service: Service, name: str | None) -> str:
    """A key of this person, or of the operator."""
    with service.store.writing() as session:
        player = queries.players.for_address(session, address_of(name), name=name, now=service.now()) if name else None
        return accounts.new_api_key(session, player.id if player else None, service.now())


@pytest.fixture
def match_id(service: Service) -> str:
    return a_match(service.matches, service.now())


@pytest.fixture
def ann(service: Service, site: Flask, match_id: str) -> Program:
    return Program(site, key_for(service, "Ann"))


@pytest.fixture
def ben(service: Service, site: Flask, match_id: str) -> Program:
    return Program(site, key_for(service, "Ben"))


@pytest.fixture
def cat(service: Service, site: Flask) -> Program:
    return Program(site, key_for(service, "Cat"))


@pytest.fixture
def operator(service: Service, site: Flask) -> Program:
    return Program(site, key_for(service, None))


def told(response: TestResponse) -> Any:
    assert response.mimetype == "application/json"
    return response.get_json()


def error(response: TestResponse) -> str:
    body = told(response)
    assert set(body) <= {"error", "rule"}
    assert body["error"].endswith((".", "…}.", "}"))
    return str(body["error"])


# Keys


@pytest.mark.parametrize(
    "header", [None, "", "Bearer", "Bearer ", "Bearer estafette-wrong", "Basic YTpi", "estafette-x"]
)
def test_without_a_key_nothing_is_answered(site: Flask, match_id: str, header: str | None) -> None:
    client = site.test_client()
    headers = {} if header is None else {"Authorization": header}
    for response in (
        client.get(f"/api/v1/games/{match_id}", headers=headers),
        client.get(f"/api/v1/games/{match_id}/moves?seat=1", headers=headers),
        client.post(f"/api/v1/games/{match_id}/moves", json={}, headers=headers),
        client.post("/api/v1/games", json={}, headers=headers),
        client.get(f"/api/v1/games/{match_id}/record", headers=headers),
    ):
        assert response.status_code == 401
        assert response.headers["WWW-Authenticate"].startswith("Bearer")
        assert "A key is needed" in error(response)


def test_keys_are_kept_as_hashes(service: Service) -> None:
    key = key_for(service, "Ann")
    with service.store.reading() as session:
        player = queries.players.by_address(session, address_of("Ann"))
        assert player is not None
        (row,) = queries.access.api_keys_of(session, player.id)
    assert key not in repr(row)


# New games


def new_game(**more: Any) -> dict[str, Any]:
    seats = [{"name": name, "email": address_of(name)} for name in ("Ann", "Ben")]
    return {"game": "regions", "options": {"short": True}, "seats": seats, "pace": "day", "start": True} | more


def test_a_match_is_made_and_begins(service: Service, cat: Program) -> None:
    response = cat.post("games", new_game())
    assert response.status_code == 201
    match_id = told(response)["id"]
    assert set(told(response)) == {"id"}
    row = service.matches.status(match_id)
    assert (row.game, row.status, row.options["short"], row.pace["hours"]) == ("regions", "running", True, 24)
    assert sorted(service.matches.view(match_id, None).names) == ["Ann", "Ben"]


def test_without_start_everybody_is_invited(service: Service, cat: Program) -> None:
    match_id = told(cat.post("games", new_game(start=False)))["id"]
    assert service.matches.status(match_id).status == "open"
    assert len(letters(service, kind="invitation", match_id=match_id)) == 2
    response = cat.get(f"games/{match_id}")
    assert response.status_code == 409
    assert "has not begun" in error(response)


def test_house_seats_need_nothing_else(service: Service, cat: Program) -> None:
    seats = [{"name": "Ann", "email": address_of("Ann")}, {"house": True}, {"house": True}]
    match_id = told(cat.post("games", new_game(game="crusade", options={}, seats=seats)))["id"]
    assert [seat.house for seat in service.matches.view(match_id, None).seats].count(True) == 2


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"game": "chess"}, "There is no game “chess”"),
        ({"game": None}, "“game” is a text"),
        ({"seats": []}, "“seats” is a list"),
        ({"seats": "Ann"}, "“seats” is a list"),
        ({"seats": [{"house": True}]}, "for 2 to 4 seats, not 1"),
        ({"seats": [{"house": True}, {"name": "Ben"}]}, "Seat 2: "),
        ({"seats": [{"house": True}, {"email": 7}]}, "Seat 2: "),
        ({"seats": [{"house": True}, "Ben"]}, "Seat 2 is"),
        ({"seats": [{"house": "yes"}, {"house": True}]}, "Seat 1: “name” is a text, “house” is true or false"),
        ({"seats": [{"email": "a@x.example"}, {"email": "A@x.example "}]}, "One address cannot hold two seats"),
        ({"options": {"long": True}}, "no option long"),
        ({"options": {"short": 3}}, "The option short can be"),
        ({"options": []}, None),
        ({"options": [1]}, "“options” is an object"),
        ({"seats": [{"house": True}, {"email": "a@x.example", "stong": True}]}, "Seat 2: “stong” is not known here"),
        ({"seats": [{"house": True, "email": "a@x.example"}, {"house": True}]}, "Seat 1: it is the house's or"),
        ({"pace": "often"}, "A pace is one of"),
        ({"pace": -1}, "A pace is one of"),
        ({"start": "yes"}, "“start” is true or false"),
        ({"seat": 1}, "“seat” is not known here"),
    ],
)
def test_what_is_wrong_with_a_new_match_is_said(service: Service, cat: Program, change: Any, said: str | None) -> None:
    response = cat.post("games", new_game(**change))
    if said is None:
        assert response.status_code == 201
        return
    assert response.status_code == 422
    assert said in told(response)["error"]
    with service.store.reading() as session:
        assert list(queries.matches.with_status(session, "open", "running")) == []


@pytest.mark.parametrize(
    ("body", "kind", "status"),
    [
        ("{", "application/json", 400),
        ("[]", "application/json", 400),
        ("[" * 100_000, "application/json", 400),
        ("{}", "text/plain", 415),
        ("game=regions", "application/x-www-form-urlencoded", 415),
        ("x" * 200_000, "application/json", 413),
    ],
)
def test_what_is_no_json_is_refused(cat: Program, body: str, kind: str, status: int) -> None:
    response = cat.client.post("/api/v1/games", data=body, content_type=kind, headers=cat.headers)
    assert response.status_code == status
    assert told(response)["error"]


# Positions


def test_each_sees_the_position_with_their_own_eyes(
    service: Service, ann: Program, ben: Program, cat: Program, operator: Program, match_id: str
) -> None:
    for program, viewer in ((ann, 1), (ben, 2), (cat, None), (operator, "host")):
        position = told(program.get(f"games/{match_id}"))
        assert position["viewer"] == viewer
        assert position == json.loads(json.dumps(service.matches.position(match_id, viewer)))  # type: ignore[arg-type]


def test_an_operator_who_plays_sees_no_more_than_the_own_seat(database_url: str, tmp_path: Path) -> None:
    service = a_service(database_url, tmp_path, ESTAFETTE_ADMINS=f"{address_of('Ann')},{address_of('Cat')}")
    site = create_app(service)
    match_id = a_match(service.matches, service.now())
    ann, cat = (Program(site, key_for(service, name)) for name in ("Ann", "Cat"))
    assert told(ann.get(f"games/{match_id}"))["viewer"] == 1
    assert ann.get(f"games/{match_id}/record").status_code == 403
    assert told(cat.get(f"games/{match_id}"))["viewer"] == "host"
    assert cat.get(f"games/{match_id}/record").status_code == 200
    service.close()


def test_what_an_operators_program_sees_and_does_in_a_running_match_is_shown_to_its_players(
    service: Service, site: Flask, operator: Program, match_id: str
) -> None:
    asked = service.matches.view(match_id, None).waiting_for[0].number
    for _ in range(2):
        assert operator.get(f"games/{match_id}").status_code == 200
        assert operator.get(f"games/{match_id}/moves?seat={asked}").status_code == 200
        assert operator.get(f"games/{match_id}/record").status_code == 200
    move = {"seat": asked, "move": answers(service.matches, match_id, asked)[0]}
    assert operator.post(f"games/{match_id}/moves", move).status_code == 200
    with service.store.reading() as session:
        noted = [(event.who, event.what, event.why) for event in queries.oversight.events_of(session, match_id)]
    assert noted == [
        ("operator program", LOOKED, "by the programs' interface"),
        ("operator program", f"moved for seat {asked}", None),
    ]
    page = Browser(site).get(f"/g/{match_id}")
    assert page.text.count("looked at all hidden things") == 1


def test_what_players_and_everybody_see_is_written_down_nowhere(
    service: Service, ann: Program, cat: Program, match_id: str
) -> None:
    for program in (ann, cat):
        program.get(f"games/{match_id}")
    with service.store.reading() as session:
        assert not queries.oversight.events_of(session, match_id)


def test_nobody_invites_half_the_world(service: Service, cat: Program, operator: Program) -> None:
    wish = {"game": "regions", "seats": [{"house": True}, {"house": True}]}
    answered = [cat.post("games", wish).status_code for _ in range(31)]
    assert answered == [201] * 30 + [429]
    assert operator.post("games", wish).status_code == 201
    service.clock.forward(timedelta(minutes=61))
    assert cat.post("games", wish).status_code == 201


def test_a_match_that_is_none_is_not_found(ann: Program) -> None:
    for response in (
        ann.get("games/nnnnnn"),
        ann.get("games/nnnnnn/moves?seat=1"),
        ann.get("games/nnnnnn/record"),
        ann.post("games/nnnnnn/moves", {"seat": 1, "move": "end"}),
        ann.get("nonsense"),
    ):
        assert response.status_code == 404
        assert error(response)


# Moves


def test_the_legal_moves_of_the_own_open_decision(service: Service, ann: Program, match_id: str) -> None:
    body = told(ann.get(f"games/{match_id}/moves?seat=1"))
    assert body["moves"] == answers(service.matches, match_id, 1)
    assert (body["seat"], body["kind"], body["version"]) == (1, "turn", 0)
    assert told(ann.get(f"games/{match_id}/moves")) == body


def test_a_move_is_played_and_the_new_position_answered(service: Service, ann: Program, match_id: str) -> None:
    response = ann.post(f"games/{match_id}/moves", {"seat": 1, "move": "Take 1l.", "version": 0})
    assert response.status_code == 200
    assert told(response) == told(ann.get(f"games/{match_id}"))
    assert told(response)["version"] == 1
    assert told(response)["decisions"][0]["kind"] == "mark"


def test_the_same_request_twice_is_one_move(ann: Program, match_id: str) -> None:
    body = {"seat": 1, "move": "take 1L", "version": 0}
    assert ann.post(f"games/{match_id}/moves", body).status_code == 200
    again = ann.post(f"games/{match_id}/moves", body)
    assert again.status_code == 409
    assert "moved on" in error(again)
    assert told(ann.get(f"games/{match_id}"))["version"] == 1


def test_a_version_that_was_never_there_is_out_of_date(ann: Program, match_id: str) -> None:
    assert ann.post(f"games/{match_id}/moves", {"seat": 1, "move": "take 1L", "version": 7}).status_code == 409


def test_an_illegal_move_is_refused_with_its_rule(ann: Program, match_id: str) -> None:
    response = ann.post(f"games/{match_id}/moves", {"seat": 1, "move": "take 1L 2L", "version": 0})
    assert response.status_code == 422
    assert told(response)["rule"] == "regions 2.4"
    assert told(ann.get(f"games/{match_id}"))["version"] == 0


def test_nobody_acts_for_somebody_else(ann: Program, ben: Program, cat: Program, match_id: str) -> None:
    for program in (ben, cat):
        for response in (
            program.post(f"games/{match_id}/moves", {"seat": 1, "move": "take 1L"}),
            program.get(f"games/{match_id}/moves?seat=1"),
        ):
            assert response.status_code == 403
            assert error(response) == "This seat is not yours."
    assert told(ann.get(f"games/{match_id}"))["version"] == 0


def test_who_is_not_asked_is_told_whom_the_match_waits_for(ben: Program, match_id: str) -> None:
    for response in (
        ben.post(f"games/{match_id}/moves", {"seat": 2, "move": "take 1L"}),
        ben.get(f"games/{match_id}/moves?seat=2"),
    ):
        assert response.status_code == 409
        assert "the match waits for seat 1 (Ann)" in error(response)


def test_the_operator_can_move_for_a_seat(service: Service, operator: Program, match_id: str) -> None:
    response = operator.post(f"games/{match_id}/moves", {"seat": 1, "move": "take 1L"})
    assert told(response)["viewer"] == "host"
    assert service.matches.view(match_id, None).version == 1


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({}, 422),
        ({"seat": 1}, 422),
        ({"seat": 1, "move": 7}, 422),
        ({"seat": 1, "move": "x" * 2_000}, 422),
        ({"seat": 1, "move": "take 1L", "version": "0"}, 422),
        ({"seat": 1, "move": "take 1L", "version": True}, 422),
        ({"seat": True, "move": "take 1L"}, 422),
        ({"seat": 9, "move": "take 1L"}, 404),
        ({"seat": 0, "move": "take 1L"}, 404),
        ({"seat": [1], "move": "take 1L"}, 422),
        ({"seat": 1, "move": ""}, 422),
        ({"seat": 1, "move": "take 1L", "confirm": 1}, 422),
    ],
)
def test_what_is_wrong_with_a_move_is_said(ann: Program, match_id: str, body: Any, status: int) -> None:
    response = ann.post(f"games/{match_id}/moves", body)
    assert response.status_code == status
    assert told(response)["error"]
    assert told(ann.get(f"games/{match_id}"))["version"] == 0


def test_case_B01_another_seats_answer_makes_no_sealed_answer_stale(service: Service, site: Flask) -> None:
    match_id = a_match(service.matches, service.now(), game="crusade", people=("Ann", "Ben", "Cat"))
    programs = {seat: Program(site, key_for(service, name)) for seat, name in ((1, "Ann"), (2, "Ben"), (3, "Cat"))}
    while len(service.matches.view(match_id, None).waiting_for) < 2:
        seat = service.matches.view(match_id, None).waiting_for[0].number
        service.matches.play(
            link_of(service.matches, match_id, seat), answers(service.matches, match_id, seat)[0], now=service.now()
        )
    version = service.matches.view(match_id, None).version
    asked = [seat.number for seat in service.matches.view(match_id, None).waiting_for]
    for seat in asked:
        body = {"seat": seat, "move": answers(service.matches, match_id, seat)[0], "version": version}
        assert programs[seat].post(f"games/{match_id}/moves", body).status_code == 200
    assert service.matches.view(match_id, None).version == version + len(asked)


# Records


def test_the_record_is_there_when_the_match_is_finished(
    service: Service, ann: Program, operator: Program, match_id: str
) -> None:
    refused = ann.get(f"games/{match_id}/record")
    assert refused.status_code == 403
    assert "when the match is finished" in error(refused)
    assert operator.get(f"games/{match_id}/record").status_code == 200
    play_to_the_end(service.matches, match_id, service.now())
    response = ann.get(f"games/{match_id}/record")
    assert check(read_record(response.get_data())).over
    over = ann.post(f"games/{match_id}/moves", {"seat": 1, "move": "end"})
    assert over.status_code == 409
    assert error(over) == "The match is over."


def test_a_whole_match_is_played_by_programs(
    service: Service, site: Flask, ann: Program, ben: Program, match_id: str
) -> None:
    programs = {1: ann, 2: ben}
    position = told(ann.get(f"games/{match_id}"))
    for _ in range(400):
        if position["outcome"]:
            break
        seat = position["decisions"][0]["seat"]
        moves = told(programs[seat].get(f"games/{match_id}/moves?seat={seat}"))["moves"]
        response = programs[seat].post(
            f"games/{match_id}/moves", {"seat": seat, "move": moves[-1], "version": position["version"]}
        )
        assert response.status_code == 200
        position = told(response)
    assert position["outcome"]["winners"]


# The description


def described() -> dict[str, Any]:
    text = (resources.files("server.pages") / "openapi.json").read_text(encoding="utf-8")
    loaded: dict[str, Any] = json.loads(text)
    return loaded


def test_the_description_has_every_route_and_no_other(site: Flask) -> None:
    methods = {"GET", "POST", "PUT", "PATCH", "DELETE"}
    routes = {
        (re.sub(r"<(?:\w+:)?(\w+)>", "{id}", rule.rule).removeprefix("/api/v1"), method)
        for rule in site.url_map.iter_rules()
        if rule.endpoint.startswith("api.")
        for method in (rule.methods or set()) & methods
    }
    in_file = {
        (path, method.upper())
        for path, item in described()["paths"].items()
        for method in item
        if method.upper() in methods
    }
    assert routes == in_file


def test_the_description_says_where_it_is_and_every_reference_leads_somewhere(service: Service, site: Flask) -> None:
    body = told(site.test_client().get("/api/v1/openapi.json"))
    assert body["servers"] == [{"url": "http://127.0.0.1:8025/api/v1"}]
    assert body["openapi"].startswith("3.1")
    for reference in re.findall(r'"\$ref": "#/([^"]+)"', json.dumps(body)):
        part: Any = body
        for step in reference.split("/"):
            part = part[step]


def test_the_description_names_the_games_and_the_position_as_it_is(ann: Program, match_id: str) -> None:
    schemas = described()["components"]["schemas"]
    assert schemas["NewGame"]["properties"]["game"]["enum"] == list(GAMES)
    assert set(schemas["Position"]["required"]) == set(told(ann.get(f"games/{match_id}")))


def test_the_description_names_every_status_that_is_answered() -> None:
    for path, item in described()["paths"].items():
        for method, action in item.items():
            if method in ("get", "post") and path != "/openapi.json":
                assert {"401"} < set(action["responses"])


def test_turns_played_by_program_bring_the_same_mails(service: Service, ann: Program, match_id: str) -> None:
    before = len(letters(service, kind="turn"))
    play = {"seat": 1, "move": "take 1L"}
    assert ann.post(f"games/{match_id}/moves", play).status_code == 200
    if service.matches.link_of(match_id, 1):
        assert ann.post(f"games/{match_id}/moves", {"seat": 1, "move": "end"}).status_code == 200
    assert len(letters(service, kind="turn")) == before + 1
    play_turn(service.matches, match_id, service.now(), 2)

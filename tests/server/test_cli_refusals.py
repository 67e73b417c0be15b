"""What an operator types that cannot be done: a sentence on standard error, nothing changed, no trace."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest

from db.engine import Store
from server.service import Service
from tests.server.builders import a_match
from tests.server.commands import Commands, Said

NO_POSTGRES = "postgresql://nobody@127.0.0.1:1/nothing"

OF_THE_DATABASE = (
    ("migrate",),
    ("backup",),
    ("game", "list"),
    ("mail", "list"),
    ("player", "list"),
    ("moved", "--yes"),
    ("serve",),
    ("web",),
    ("worker",),
)


def assert_a_sentence(said: Said, words: str) -> None:
    assert said.status == 1
    assert words in said.err
    assert "Traceback" not in said.err
    assert len(said.err.strip().splitlines()) == 1


@pytest.mark.parametrize("typed", OF_THE_DATABASE, ids=" ".join)
def test_a_database_that_does_not_answer_is_a_sentence(estafette: Commands, typed: tuple[str, ...]) -> None:
    estafette.set(database_url=NO_POSTGRES)
    assert_a_sentence(estafette(*typed), "The database cannot be used: connection failed")


@pytest.mark.parametrize("typed", OF_THE_DATABASE[:3], ids=" ".join)
@pytest.mark.parametrize("place", ["folder", "file/estafette.db"])
def test_a_database_file_that_cannot_be_opened_is_a_sentence(
    estafette: Commands, tmp_path: Path, place: str, typed: tuple[str, ...]
) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").touch()
    estafette.set(database_url=f"sqlite:///{tmp_path / place}")
    assert_a_sentence(estafette(*typed), "The database cannot be used: ")


def test_a_backup_for_a_database_that_does_not_answer_is_not_put_back(
    estafette: Commands, service: Service, tmp_path: Path
) -> None:
    assert estafette("backup", str(tmp_path / "b.zip")).status == 0
    estafette.set(database_url=NO_POSTGRES)
    assert_a_sentence(estafette("restore", str(tmp_path / "b.zip"), "--yes"), "The database cannot be used: ")


@pytest.mark.parametrize(
    "typed",
    [
        ("simulate", "--game", "regions", "--seats", "2", "--games", "1", "--records", "{}"),
        ("init", "--public-url", "http://127.0.0.1:8025", "--mail-url", "mailbox:", "--out", "{}"),
        ("db", "copy", "--url-file", "{}"),
    ],
    ids=lambda typed: typed[0],
)
def test_a_place_that_cannot_be_is_a_sentence(estafette: Commands, tmp_path: Path, typed: tuple[str, ...]) -> None:
    (tmp_path / "file").touch()
    place = tmp_path / "file" / "inside"
    said = estafette(*(each.format(place) for each in typed))
    assert (said.status, "Traceback" in said.err) == (1, False)
    assert f"{place} cannot be used: Not a directory." in said.err


def test_a_record_is_not_written_where_there_is_no_folder(
    estafette: Commands, service: Service, tmp_path: Path
) -> None:
    match_id = a_match(service.matches, service.now())
    place = tmp_path / "nowhere" / "match.json"
    assert_a_sentence(estafette("game", "record", match_id, "--out", str(place)), f"{place} cannot be used: No such")


# The demo


def test_a_demo_that_runs_is_not_forgotten_by_another(
    estafette: Commands, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "var" / "demo"
    folder.mkdir(parents=True)
    running = Store(f"sqlite:///{folder / 'estafette.db'}")
    with closing(running):
        assert_a_sentence(estafette("demo", "--reset", "--port", "0"), "A demo is running here.")
        assert (folder / "estafette.db").exists()


def test_a_demo_whose_folder_cannot_be_made_is_a_sentence(
    estafette: Commands, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "var").touch()
    assert_a_sentence(estafette("demo", "--port", "0"), "It needs a folder that Estafette may write to.")


# A match


@pytest.fixture
def running(service: Service) -> str:
    """A match that waits for Ann, without a move."""
    return a_match(service.matches, service.now())


@pytest.mark.parametrize("hours", ["nan", "inf", "1e300", "1e9", "1441", "0", "-1"])
def test_more_time_is_a_number_of_hours_that_there_are(
    estafette: Commands, service: Service, running: str, hours: str
) -> None:
    due = service.matches.view(running, 1).decision
    said = estafette("game", "extend", running, "--seat", "1", "--hours", hours)
    assert_a_sentence(said, "An extension is a number of hours up to 1,440.")
    assert service.matches.view(running, 1).decision == due


def test_a_match_without_a_move_cannot_be_taken_back(estafette: Commands, running: str) -> None:
    said = estafette("game", "rewind", running, "--to", "0", "--why", "x")
    assert_a_sentence(said, "No move has been made that could be taken back.")


@pytest.mark.parametrize("address", ["@", "ann@", "ann@@example.org", "an n@example.org", "a" * 250 + "@example.org"])
def test_an_address_that_no_mail_reaches_makes_nobody_known(
    estafette: Commands, service: Service, running: str, address: str
) -> None:
    before = estafette("player", "list").out
    for typed in (
        ("game", "new", "regions", "--seat", "house", "--seat", f"Cat <{address}>"),
        ("game", "replace", running, "--seat", "1", "--by", f"Cat <{address}>"),
        ("game", "offer", running, "--seat", "1", "--to", f"Cat <{address}>"),
        ("player", "key", address),
    ):
        assert_a_sentence(estafette(*typed), "mail")
    assert estafette("player", "list").out == before


def test_paused_matches_are_listed_and_a_status_that_is_none_is_wrong_usage(estafette: Commands, running: str) -> None:
    assert estafette("game", "pause", running).status == 0
    assert running in estafette("game", "list").out
    assert estafette("game", "list", "--status", "waiting").status == 2


def test_a_seat_is_taken_over_by_a_person_or_the_house(estafette: Commands, running: str) -> None:
    assert estafette("game", "replace", running, "--seat", "1", "--by", "strong").status == 2

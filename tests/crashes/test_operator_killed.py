"""`kill -9` at every statement of a migration and every file of a backup: all or nothing, and repeated without harm."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from db.engine import Store
from db.migrate import HEAD, current, upgrade
from server import backups
from server.service import Service
from tests.conftest import POSTGRES, a_schema
from tests.crashes.dying import at_files, deaths, dies_at, numbers_of, points_of
from tests.crashes.dying import at_statements as statements
from tests.crashes.whole import what_is_wrong
from tests.db.first_schema import build_first_schema
from tests.server.builders import a_match, a_service, play_turn, worker_of


@contextmanager
def an_old_database(postgres: str | None, folder: Path, number: int) -> Iterator[tuple[str, dict[str, str]]]:
    """As the first schema left it; on SQLite a copy of one that is built once."""
    if postgres:
        with a_schema(postgres) as url:
            yield url, build_first_schema(url)
        return
    first, file = folder / "first.db", folder / f"{number}.db"
    links = build_first_schema(f"sqlite:///{first}") if not first.exists() else {}
    shutil.copyfile(first, file)
    yield f"sqlite:///{file}", links
    for each in folder.glob(f"{number}.db*"):
        each.unlink()


def migrate(url: str) -> None:
    store = Store(url)
    upgrade(store)
    store.close()


def test_case_B51_a_migration_killed_at_any_statement_leaves_the_old_schema_and_is_repeated(
    postgres: str | None, tmp_path: Path
) -> None:
    with an_old_database(postgres, tmp_path, 0) as (url, _):
        numbers = numbers_of(points_of(lambda: migrate(url), folder=tmp_path, points=statements))
    for number in numbers:
        with an_old_database(postgres, tmp_path, number) as (url, _):
            assert dies_at(number, lambda url=url: migrate(url), folder=tmp_path, points=statements)
            store = Store(url)
            assert current(store) == "0001", f"half a migration was kept at {number}"
            upgrade(store)
            assert current(store) == HEAD
            store.close()
            service = a_service(url, tmp_path)
            assert what_is_wrong(service, mailed=False) == []
            service.close()


@pytest.fixture
def service(database_url: str, tmp_path: Path, now: datetime) -> Iterator[Service]:
    service = a_service(database_url, tmp_path)
    for _ in range(3):
        play_turn(service.matches, a_match(service.matches, now), now)
    worker_of(service).tick(now)
    yield service
    service.close()


def test_a_backup_killed_at_any_point_leaves_none_or_a_whole_one_and_the_instance_as_it_was(
    service: Service, database_url: str, tmp_path: Path, now: datetime
) -> None:
    folder = tmp_path / "backups"
    file = folder / "one.zip"

    def back_up() -> None:
        child = a_service(database_url, tmp_path)
        backups.make(child.settings, child.store, file, now)

    for points in (at_files, statements) if POSTGRES else (at_files,):
        for _ in deaths(back_up, folder=tmp_path, points=points):
            if file.exists():
                with backups.unpacked(file) as found:
                    assert found.schema == HEAD
                file.unlink()
            assert what_is_wrong(service) == []
            backups.make(service.settings, service.store, folder / "next.zip", now)
            (folder / "next.zip").unlink()
    assert list(folder.glob(".backup-*")), "what a killed backup leaves stays for a day: somebody may be at it"
    backups.make(service.settings, service.store, folder / "next.zip", now + timedelta(days=60))
    assert [each.name for each in folder.iterdir()] == ["next.zip"]

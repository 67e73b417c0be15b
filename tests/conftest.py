"""What every test may ask for: a database of its own, already migrated, and a moment to call now."""

import os
import secrets
import shutil
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from sqlalchemy import create_engine, make_url, text

from db.engine import Store
from db.migrate import upgrade

POSTGRES = os.environ.get("ESTAFETTE_TEST_POSTGRES")


@pytest.fixture
def now() -> datetime:
    return datetime(2026, 11, 30, 9, 15, tzinfo=UTC)


@pytest.fixture(scope="session")
def migrated_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A migrated SQLite file to copy: migrating anew for each test would cost more than the test."""
    file = tmp_path_factory.mktemp("migrated") / "estafette.db"
    store = Store(f"sqlite:///{file}")
    upgrade(store)
    store.close()  # the last connection takes the log back into the file
    return file


@pytest.fixture
def empty_database_url(tmp_path: Path) -> Iterator[str]:
    """Nobody has migrated it yet."""
    if POSTGRES is None:
        yield f"sqlite:///{tmp_path}/estafette.db"
        return
    schema = f"test_{secrets.token_hex(6)}"
    admin = create_engine(POSTGRES, isolation_level="AUTOCOMMIT")
    with admin.connect() as connection:
        connection.execute(text(f"CREATE SCHEMA {schema}"))
    url = make_url(POSTGRES).update_query_dict({"options": f"-csearch_path={schema}"})
    yield url.render_as_string(hide_password=False)
    with admin.connect() as connection:
        connection.execute(text(f"DROP SCHEMA {schema} CASCADE"))
    admin.dispose()


@pytest.fixture
def database_url(empty_database_url: str, tmp_path: Path, request: pytest.FixtureRequest) -> str:
    """For tests that start processes; `store` for all others."""
    if POSTGRES is None:
        shutil.copyfile(request.getfixturevalue("migrated_file"), tmp_path / "estafette.db")
    else:
        store = Store(empty_database_url)
        upgrade(store)
        store.close()
    return empty_database_url


@pytest.fixture
def store(database_url: str) -> Iterator[Store]:
    store = Store(database_url)
    yield store
    store.close()

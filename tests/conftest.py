"""What every test may ask for: a migrated database that is empty, and a moment to call now.

SQLite, or PostgreSQL where ESTAFETTE_TEST_POSTGRES names one, like postgresql+psycopg://postgres@127.0.0.1/test; then
only tests that ask for a database run, as for all others it makes no difference.
"""

import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import create_engine, make_url, text

from db import engine
from db.engine import Store
from db.migrate import HEAD, upgrade
from db.models import Row

_AS_SHIPPED = engine._SYNCHRONOUS
POSTGRES = os.environ.get("ESTAFETTE_TEST_POSTGRES") or None
_LEAD_TO_IT = frozenset({"database_url", "empty_database_url", "migrated_schema", "postgres"})
_left_out: set[int] = set()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """On PostgreSQL: only what has a fixture that leads there."""
    if POSTGRES is None:
        return
    others = [item for item in items if _LEAD_TO_IT.isdisjoint(getattr(item, "fixturenames", ()))]
    config.hook.pytest_deselected(items=others)
    items[:] = [item for item in items if item not in set(others)]
    _left_out.add(len(others))


def pytest_sessionfinish(session: pytest.Session) -> None:
    """A process of many tells the one that reports."""
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["left_out"] = list(_left_out)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    _left_out.update(getattr(node, "workeroutput", {}).get("left_out", ()))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    for number in _left_out:
        terminalreporter.write_line(f"PostgreSQL: {number} tests have no fixture that leads to a database; left out.")


@pytest.fixture(autouse=True, scope="session")
def no_waiting_for_disks() -> Iterator[None]:
    """The tests' databases need not outlive a power cut; what a killed process wrote they keep all the same."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(engine, "_SYNCHRONOUS", "OFF")
        yield


@pytest.fixture
def as_in_real_life(monkeypatch: pytest.MonkeyPatch) -> None:
    """For the test that it is otherwise there."""
    monkeypatch.setattr(engine, "_SYNCHRONOUS", _AS_SHIPPED)


@pytest.fixture
def now() -> datetime:
    return datetime(2026, 11, 30, 9, 15, tzinfo=UTC)


@pytest.fixture
def postgres() -> str | None:
    """The server, for who makes schemas there (`a_schema`)."""
    return POSTGRES


@pytest.fixture
def empty_database_url(tmp_path: Path) -> Iterator[str]:
    """Nobody has migrated it yet."""
    if POSTGRES is None:
        yield f"sqlite:///{tmp_path}/estafette.db"
    else:
        with a_schema(POSTGRES) as url:
            yield url


@pytest.fixture
def database_url(tmp_path: Path, request: pytest.FixtureRequest) -> str:
    """For tests that start processes; `store` for all others."""
    if POSTGRES is None:
        shutil.copyfile(request.getfixturevalue("migrated_file"), tmp_path / "estafette.db")
        return f"sqlite:///{tmp_path}/estafette.db"
    url: str = request.getfixturevalue("migrated_schema")
    _clean(url)
    return url


@pytest.fixture
def store(database_url: str) -> Iterator[Store]:
    store = Store(database_url)
    yield store
    store.close()


@pytest.fixture(scope="session")
def migrated_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """To copy: migrating anew for each test would cost more than the test."""
    file = tmp_path_factory.mktemp("migrated") / "estafette.db"
    _migrate(f"sqlite:///{file}")  # closing the last connection takes the log back into the file
    return file


@pytest.fixture(scope="session")
def migrated_schema() -> Iterator[str]:
    """One for each process of the suite; PostgreSQL takes longer to make tables than to empty them."""
    assert POSTGRES is not None
    with a_schema(POSTGRES) as url:
        _migrate(url)
        yield url


def _migrate(url: str) -> None:
    store = Store(url)
    upgrade(store)
    store.close()


@contextmanager
def a_schema(server: str) -> Iterator[str]:
    schema = f"test_{secrets.token_hex(6)}"
    admin = create_engine(server, isolation_level="AUTOCOMMIT")
    with admin.connect() as connection:
        connection.execute(text(f"CREATE SCHEMA {schema}"))
    url = make_url(server).update_query_dict({"options": f"-csearch_path={schema}"})
    yield url.render_as_string(hide_password=False)
    with admin.connect() as connection:
        connection.execute(text(f"DROP SCHEMA {schema} CASCADE"))
    admin.dispose()


def _clean(url: str) -> None:
    engine = create_engine(url)
    with engine.begin() as connection:
        connection.execute(text("SET LOCAL lock_timeout = '20s'"))
        for table in reversed(Row.metadata.sorted_tables):
            connection.execute(table.delete())
        connection.execute(text("UPDATE alembic_version SET version_num = :head"), {"head": HEAD})
    engine.dispose()

"""The schema: what the migrations build is what the models say, and only one process builds it."""

import multiprocessing
import os
import signal
from multiprocessing.synchronize import Barrier
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, create_engine, text

from db import migrate
from db.engine import Store
from db.migrate import HEAD, SchemaError, alembic_config, current, is_current, require_current, upgrade
from db.models import Match, Row
from tests.db.builders import a_match


def test_the_migrations_build_what_the_models_say(store: Store) -> None:
    with store.reading() as session:
        context = MigrationContext.configure(session.connection(), opts={"compare_type": True})
        assert compare_metadata(context, Row.metadata) == []


def test_partial_indexes_are_migrated_as_the_models_say(store: Store, tmp_path: Path) -> None:
    if not store.is_sqlite:
        pytest.skip("told by SQLite, which keeps the text of each statement")
    wanted = create_engine(f"sqlite:///{tmp_path}/models.db")
    Row.metadata.create_all(wanted)
    statement = text("SELECT name, sql FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL ORDER BY name")
    with wanted.connect() as connection:
        by_models = connection.execute(statement).all()
    wanted.dispose()
    with store.reading() as session:
        assert session.connection().execute(statement).all() == by_models


def test_moves_are_stored_in_the_order_of_their_match(store: Store) -> None:
    if not store.is_sqlite:
        pytest.skip("only SQLite clusters by the primary key")
    with store.reading() as session:
        statement = session.connection().execute(text("SELECT sql FROM sqlite_master WHERE name = 'move'")).scalar()
    assert "WITHOUT ROWID" in str(statement)


def test_head_is_the_newest_revision() -> None:
    engine = create_engine("sqlite://")
    with engine.connect() as connection:
        assert ScriptDirectory.from_config(alembic_config(connection)).get_heads() == [HEAD]
    engine.dispose()


def test_an_empty_database_is_built_once(empty_database_url: str) -> None:
    store = Store(empty_database_url)
    assert current(store) is None
    with pytest.raises(SchemaError, match="estafette migrate"):
        require_current(store)
    assert upgrade(store) is True
    assert upgrade(store) is False
    assert is_current(store)
    require_current(store)
    store.close()


def migrate_together(url: str, barrier: Barrier, answers: "multiprocessing.Queue[bool]") -> None:
    store = Store(url)
    barrier.wait(20)
    answers.put(upgrade(store))
    store.close()


def test_case_B51_of_several_processes_one_migrates_and_the_others_wait(empty_database_url: str) -> None:
    spawn = multiprocessing.get_context("spawn")
    barrier, answers = spawn.Barrier(3), spawn.Queue()
    processes = [spawn.Process(target=migrate_together, args=(empty_database_url, barrier, answers)) for _ in range(3)]
    for process in processes:
        process.start()
    assert sorted(answers.get(timeout=30) for _ in processes) == [False, False, True]
    for process in processes:
        process.join(20)
        assert process.exitcode == 0


def migrate_and_die_before_the_end(url: str) -> None:
    whole = migrate.upgrade_on

    def killed(connection: Connection) -> bool:
        whole(connection)
        os.kill(os.getpid(), signal.SIGKILL)
        return True

    migrate.upgrade_on = killed
    upgrade(Store(url))


def test_case_B51_a_migration_killed_half_way_leaves_nothing_and_can_be_repeated(empty_database_url: str) -> None:
    process = multiprocessing.get_context("spawn").Process(
        target=migrate_and_die_before_the_end, args=(empty_database_url,)
    )
    process.start()
    process.join(120)
    assert process.exitcode == -signal.SIGKILL

    store = Store(empty_database_url)
    assert current(store) is None
    assert upgrade(store) is True
    store.close()


def test_case_B51_a_schema_newer_than_the_program_is_refused(store: Store) -> None:
    match = a_match()
    with store.writing() as session:
        session.add(match)
        session.connection().execute(text("UPDATE alembic_version SET version_num = '9999'"))
    for refused in (require_current, upgrade):
        with pytest.raises(SchemaError, match=f"is 9999, this program knows {HEAD} at most"):
            refused(store)
    with store.reading() as session:
        assert session.get(Match, match.id) is not None


def test_a_change_of_schema_may_not_leave_rows_that_point_nowhere(store: Store) -> None:
    if not store.is_sqlite:
        pytest.skip("PostgreSQL checks at each statement")
    with pytest.raises(RuntimeError, match="1 rows pointing nowhere"), store.rebuilding() as connection:
        connection.execute(
            text(
                "INSERT INTO seat (match_id, number, name, house, tenure, muted, answered)"
                " VALUES ('nomatch', 1, 'Ann', 0, 1, 0, 0)"
            )
        )
    with store.reading() as session:
        assert session.connection().execute(text("SELECT count(*) FROM seat")).scalar() == 0

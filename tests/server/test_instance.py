"""The instance in the operator's hands: set up, migrated, backed up, put back, moved, its keys rotated."""

from __future__ import annotations

import multiprocessing
import shutil
import signal
import sqlite3
import stat
import zipfile
from contextlib import closing
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from sqlalchemy import text

from db import table
from db.engine import Store
from db.migrate import HEAD, current, upgrade
from server import backups, channels, home, push
from server.backups import BackupError
from server.config import Settings
from server.links import Links, MoveLink
from server.restoring import put_back
from server.rules import GAMES
from server.service import Service
from tests.conftest import POSTGRES
from tests.db.first_schema import build_first_schema
from tests.db.test_migrate import migrate_and_die_before_the_end, migrate_together
from tests.server.builders import (
    HOUR,
    a_match,
    a_service,
    letters,
    link_of,
    mails,
    play_first,
    play_to_the_end,
    play_turn,
    settings_for,
    worker_of,
)
from tests.server.commands import Commands

ABROAD = {
    "ESTAFETTE_PUBLIC_URL": "https://games.example.org",
    "ESTAFETTE_MAIL_URL": "smtp+plain://127.0.0.1:9",
    "ESTAFETTE_MAIL_FROM": "games@example.org",
}

sqlite_only = pytest.mark.usefixtures("_on_sqlite")


@pytest.fixture
def _on_sqlite(database_url: str) -> None:
    if not database_url.startswith("sqlite"):
        pytest.skip("PostgreSQL has no file")


def mode_of(file: Path) -> int:
    return stat.S_IMODE(file.stat().st_mode)


def asked_seat(service: Service, match_id: str) -> int:
    return service.matches.view(match_id, None).waiting_for[0].number


# init


def test_init_writes_settings_for_the_owner_alone_and_a_unit(estafette: Commands, tmp_path: Path) -> None:
    said = estafette(
        *(
            "init",
            "--public-url",
            "https://games.example.org",
            "--mail-url",
            "smtp+starttls://me:secret@mx.example.org",
        ),
        *("--mail-from", "games@example.org", "--data", str(tmp_path / "data"), "--out", str(tmp_path / "etc")),
    )
    assert said.status == 0, said.err
    assert "secret" not in said.out
    file = tmp_path / "etc/estafette.toml"
    assert mode_of(file) == 0o600
    settings = Settings.load({"ESTAFETTE_CONFIG": str(file)})
    assert settings.public_url == "https://games.example.org"
    assert settings.trusted_proxies == 1
    assert f"ESTAFETTE_CONFIG={file}" in (tmp_path / "etc/estafette.service").read_text()


def test_init_never_overwrites_without_being_told(estafette: Commands, tmp_path: Path) -> None:
    (tmp_path / "estafette.toml").write_text("mine")
    told = ("init", "--public-url", "http://127.0.0.1:8025", "--mail-url", "mailbox:", "--out", str(tmp_path))
    said = estafette(*told)
    assert (said.status, (tmp_path / "estafette.toml").read_text()) == (1, "mine")
    assert "--force" in said.err
    assert estafette(*told, "--force").status == 0
    assert "mailbox:" in (tmp_path / "estafette.toml").read_text()


def test_init_leaves_nothing_behind_that_would_be_refused(estafette: Commands, tmp_path: Path) -> None:
    said = estafette(
        "init", "--public-url", "http://games.example.org", "--mail-url", "mailbox:", "--out", str(tmp_path / "x")
    )
    assert said.status == 1
    assert "ESTAFETTE_PUBLIC_URL has to begin with https" in said.err
    assert list((tmp_path / "x").iterdir()) == []


# migrate


def test_migrate_says_what_it_did(estafette: Commands, empty_database_url: str) -> None:
    estafette.set(database_url=empty_database_url.replace("estafette.db", "empty.db"))
    assert f"from nothing to schema {HEAD}" in estafette("migrate").out
    assert f"up to date (schema {HEAD})" in estafette("migrate").out


@pytest.fixture
def first_schema(empty_database_url: str) -> tuple[str, dict[str, str]]:
    url = empty_database_url.replace("estafette.db", "first.db")
    return url, build_first_schema(url)


def test_case_B51_the_first_landed_schema_with_running_matches_and_open_links_comes_up(
    estafette: Commands, first_schema: tuple[str, dict[str, str]], tmp_path: Path, now: datetime
) -> None:
    url, links = first_schema
    estafette.set(database_url=url)
    said = estafette("migrate")
    assert said.status == 0, said.err
    assert f"from schema 0001 to schema {HEAD}" in said.out
    kept = list((tmp_path / "backups").glob("*-schema-0001.zip"))
    assert len(kept) == (1 if url.startswith("sqlite") else 0)
    service = a_service(url, tmp_path)
    assert len(links) == 3
    for match_id, token in links.items():
        link = service.links.read_move(token)
        assert (link.match, service.matches.standing(link)) == (match_id, "open")
        view = service.matches.view(match_id, link.seat)
        assert view.decision is not None
        service.matches.play(link, view.decision.choices[0].text, now=now)
    service.close()
    for file in kept:
        assert mode_of(file) == 0o600
        said = estafette("restore", str(file), "--check")
        assert "3 matches are being played, 0 do not replay" in said.out


def test_case_B51_killed_half_way_nothing_is_changed_and_of_several_processes_one_finishes(
    first_schema: tuple[str, dict[str, str]], tmp_path: Path, now: datetime
) -> None:
    url, links = first_schema
    spawn = multiprocessing.get_context("spawn")
    killed = spawn.Process(target=migrate_and_die_before_the_end, args=(url,))
    killed.start()
    killed.join(60)
    assert killed.exitcode == -signal.SIGKILL
    store = Store(url)
    assert current(store) == "0001"
    store.close()

    barrier, answers = spawn.Barrier(2), spawn.Queue()
    processes = [spawn.Process(target=migrate_together, args=(url, barrier, answers)) for _ in range(2)]
    for process in processes:
        process.start()
    assert sorted(answers.get(timeout=60) for _ in processes) == [False, True]
    for process in processes:
        process.join(20)
    service = a_service(url, tmp_path)
    assert current(service.store) == HEAD
    assert {service.matches.standing(service.links.read_move(token)) for token in links.values()} == {"open"}
    worker_of(service).tick(now + HOUR)
    assert not [letter for letter in letters(service) if letter.state in ("failed", "unknown")]
    service.close()


@pytest.mark.parametrize("typed", ["migrate", "backup", "game list", "serve", "web", "worker"])
def test_case_B51_a_newer_schema_is_refused_with_a_sentence(estafette: Commands, store: Store, typed: str) -> None:
    with store.writing() as session:
        session.connection().execute(text("UPDATE alembic_version SET version_num = '9999'"))
    said = estafette(*typed.split())
    if typed == "backup" and store.is_sqlite:  # a copy of the file does no harm
        assert said.status == 0
    else:
        assert said.status == 1
        assert "9999" in said.err or "pg_dump" in said.err


# backup and restore


def test_a_backup_made_while_a_match_is_played_is_whole_and_replays(
    estafette: Commands, service: Service, now: datetime, tmp_path: Path
) -> None:
    match_id = a_match(service.matches, now)
    play_turn(service.matches, match_id, now, asked_seat(service, match_id))
    file = tmp_path / "night.zip"
    assert estafette("backup", str(file)).status == 0
    assert mode_of(file) == 0o600
    said = estafette("restore", str(file), "--check")
    assert said.status == 0, said.err
    assert "1 matches are being played, 0 do not replay" in said.out
    assert estafette("backup", str(file)).status == 1, "an old backup is not overwritten"


@pytest.mark.parametrize("harm", ["cut off", "one byte changed", "something else", "missing"])
def test_a_backup_that_is_not_whole_is_refused(
    estafette: Commands, service: Service, now: datetime, tmp_path: Path, harm: str
) -> None:
    a_match(service.matches, now)
    file = tmp_path / "night.zip"
    estafette("backup", str(file))
    raw = bytearray(file.read_bytes())
    match harm:
        case "cut off":
            file.write_bytes(raw[: len(raw) * 2 // 3])
        case "one byte changed":
            raw[len(raw) // 2] ^= 0xFF
            file.write_bytes(raw)
        case "something else":
            file.write_bytes(b"hello")
        case "missing":
            file.unlink()
    said = estafette("restore", str(file), "--check")
    assert said.status == 1
    assert str(file) in said.err
    assert "Traceback" not in said.err


@sqlite_only
def test_a_backup_with_any_byte_changed_is_whole_or_refused(service: Service, now: datetime, tmp_path: Path) -> None:
    file, changed = tmp_path / "night.zip", tmp_path / "changed.zip"
    backups.make(service.settings, service.store, file, now)
    raw = file.read_bytes()
    refused = 0
    for place in (*range(0, len(raw), len(raw) // 100), *range(len(raw) - 400, len(raw))):
        changed.write_bytes(raw[:place] + bytes([raw[place] ^ 0x55]) + raw[place + 1 :])
        try:
            with backups.unpacked(changed):
                pass
        except BackupError:
            refused += 1
    assert refused > 100


def test_a_backup_whose_match_does_not_replay_is_refused(
    estafette: Commands, service: Service, now: datetime, tmp_path: Path
) -> None:
    match_id = a_match(service.matches, now)
    play_turn(service.matches, match_id, now, asked_seat(service, match_id))
    with service.store.writing() as session:
        session.connection().execute(text("UPDATE move SET digest = 'other' WHERE digest IS NOT NULL"))
    file = tmp_path / "night.zip"
    estafette("backup", str(file))
    said = estafette("restore", str(file), "--check")
    assert said.status == 1
    assert match_id in said.err


@sqlite_only
def test_restore_refuses_while_a_process_uses_the_database(
    estafette: Commands, service: Service, now: datetime, tmp_path: Path
) -> None:
    match_id = a_match(service.matches, now)
    file = tmp_path / "night.zip"
    estafette("backup", str(file))
    said = estafette("restore", str(file), "--yes")
    assert said.status == 1
    assert "Stop it first" in said.err
    assert service.matches.status(match_id).status == "running"


@sqlite_only
def test_case_B56_after_a_restore_nothing_is_sent_twice_and_players_hear_that_moves_are_lost(
    estafette: Commands, service: Service, now: datetime, tmp_path: Path
) -> None:
    now = service.now()
    went_on, stood_still = a_match(service.matches, now), a_match(service.matches, now, people=("Cat", "Dan"))
    file = tmp_path / "night.zip"
    old_link = link_of(service.matches, went_on, asked_seat(service, went_on))
    estafette("backup", str(file))
    worker_of(service).tick(now)
    play_turn(service.matches, went_on, now, asked_seat(service, went_on))
    worker_of(service).tick(now + HOUR)
    sent = {letter.occasion for letter in letters(service, state="sent")}
    begun_after = a_match(service.matches, now, people=("Eve", "Finn"))
    service.close()

    said = estafette("restore", str(file), "--yes")
    assert said.status == 0, said.err
    assert "1 matches were set back" in said.out
    assert begun_after in said.out
    assert list(tmp_path.glob("estafette.db.before-restore-*")), "the old database is kept"

    again = a_service(f"sqlite:///{tmp_path}/estafette.db", tmp_path)
    home.move_in(again, now, who="operator")
    worker_of(again).tick(now + 2 * HOUR)
    resent = [letter for letter in letters(again, state="sent") if letter.occasion in sent]
    assert resent == [], "mails already sent are not repeated"
    notices = {(letter.match_id, letter.seat) for letter in letters(again, kind="notice", state="sent")}
    assert notices == {(went_on, 1), (went_on, 2)}, "the match that stood still has no news"
    assert any("A backup had to be put back" in str(mail.get_body(("plain",))) for mail in mails(again, kind="notice"))
    assert again.matches.standing(old_link) == "open", "links of the restored decision work"
    assert again.matches.status(stood_still).status == "running"
    again.close()


@sqlite_only
def test_case_B56_after_a_restore_no_webhook_is_called_twice(
    estafette: Commands, service: Service, tmp_path: Path
) -> None:
    match_id = a_match(service.matches, service.now())
    player_id, _ = service.matches.holder(match_id, 1)
    channels.add_webhook(service, player_id or "", "https://hook.example/", name="", match_id=None)
    file = tmp_path / "night.zip"
    estafette("backup", str(file))
    service.close()
    assert estafette("restore", str(file), "--yes").status == 0

    again = a_service(f"sqlite:///{tmp_path}/estafette.db", tmp_path)
    with again.store.reading() as session:
        assert not table.call_is_due(session, again.now() + timedelta(days=2))
    again.close()


@sqlite_only
def test_after_a_restore_clocks_stand_where_they_stood(estafette: Commands, service: Service, tmp_path: Path) -> None:
    now = service.now()
    match_id = a_match(service.matches, now, pace="day")
    file = tmp_path / "night.zip"
    estafette("backup", str(file))
    play_turn(service.matches, match_id, now, asked_seat(service, match_id))
    service.close()
    settings = settings_for(f"sqlite:///{tmp_path}/estafette.db", tmp_path)
    with backups.unpacked(file) as found:
        put_back(settings, found, found.made_at + timedelta(days=3))
    again = a_service(f"sqlite:///{tmp_path}/estafette.db", tmp_path)
    again.clock.forward(timedelta(days=3))
    worker_of(again).tick()
    due = again.matches.view(match_id, None).waiting_for[0].due_at
    assert due is not None
    assert timedelta(hours=23) < due - (found.made_at + timedelta(days=3)) <= timedelta(days=1, minutes=1)
    again.close()


def test_a_backup_of_either_database_can_be_put_into_an_empty_one(
    estafette: Commands, service: Service, now: datetime, tmp_path: Path, empty_database_url: str
) -> None:
    match_id = a_match(service.matches, now)
    play_turn(service.matches, match_id, now, asked_seat(service, match_id))
    link = link_of(service.matches, match_id, asked_seat(service, match_id))
    file = tmp_path / "night.zip"
    estafette("backup", str(file))
    target = empty_database_url.replace("estafette.db", "other.db")
    estafette.set(database_url=target)
    said = estafette("restore", str(file), "--yes")
    assert said.status == 0, said.err
    other = a_service(target, tmp_path)
    assert other.matches.standing(link) == "open"
    view = other.matches.view(match_id, link.seat)
    assert view.decision is not None
    other.matches.play(link, view.decision.choices[0].text, now=now)
    a_match(other.matches, now, people=("Cat", "Dan"))  # ids that the database counts go on
    other.close()


@sqlite_only
def test_the_keys_of_the_data_folder_come_back_with_a_backup(estafette: Commands, tmp_path: Path) -> None:
    estafette.unset("secret_keys")
    file = tmp_path / "night.zip"
    assert "not in it" not in estafette("backup", str(file)).out
    lost = Settings.load(estafette.settings).secret_keys
    (tmp_path / "secret-keys").unlink()
    assert estafette("restore", str(file), "--yes").status == 0
    assert Settings.load(estafette.settings).secret_keys[1:] == lost
    assert mode_of(tmp_path / "secret-keys") == 0o600


@sqlite_only
def test_after_a_restore_browsers_that_subscribed_still_hear_from_whom_they_know(
    estafette: Commands, service: Service, tmp_path: Path
) -> None:
    key = push.key_of(service.settings)
    service.close()
    file = tmp_path / "night.zip"
    estafette("backup", str(file))
    (tmp_path / push.KEY_FILE).unlink()
    assert push.key_of(service.settings) != key, "another machine makes its own"
    assert estafette("restore", str(file), "--yes").status == 0
    assert push.key_of(service.settings) == key
    assert mode_of(tmp_path / push.KEY_FILE) == 0o600


def test_a_database_without_tables_is_not_backed_up(
    estafette: Commands, empty_database_url: str, tmp_path: Path
) -> None:
    estafette.set(database_url=empty_database_url.replace("estafette.db", "empty.db"))
    said = estafette("backup", str(tmp_path / "night.zip"))
    assert said.status == 1
    assert "estafette migrate" in said.err
    assert not (tmp_path / "night.zip").exists()


def test_keys_that_estafette_does_not_keep_are_not_in_a_backup(estafette: Commands, tmp_path: Path) -> None:
    file = tmp_path / "night.zip"
    assert "ESTAFETTE_SECRET_KEYS" in estafette("backup", str(file)).out
    with zipfile.ZipFile(file) as archive:
        assert sorted(archive.namelist()) == ["estafette.db", "manifest.json"]
        assert b"k" * 40 not in archive.read("manifest.json")


# where a database is at home


def silent_why(url: str, folder: Path, **more: str) -> str:
    service = a_service(url, folder, demo=False, **(ABROAD | more))
    try:
        return home.why_silent(service)
    finally:
        service.close()


@pytest.fixture
def at_home(database_url: str, tmp_path: Path, now: datetime) -> str:
    """A database that has sent mail for https://games.example.org."""
    service = a_service(database_url, tmp_path, demo=False, **ABROAD)
    home.move_in_if_new(service)
    a_match(service.matches, now)
    service.close()
    return database_url


def test_case_B56_at_home_mail_leaves(at_home: str, tmp_path: Path) -> None:
    assert silent_why(at_home, tmp_path) == ""


@sqlite_only
def test_case_B56_a_copied_file_with_the_production_settings_sends_nothing(at_home: str, tmp_path: Path) -> None:
    (tmp_path / "staging").mkdir()
    shutil.copyfile(tmp_path / "estafette.db", tmp_path / "staging/estafette.db")
    assert "another place" in silent_why(f"sqlite:///{tmp_path}/staging/estafette.db", tmp_path)


@sqlite_only
def test_case_B56_the_same_folder_on_another_machine_sends_nothing(
    at_home: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "machine-id").write_text("f" * 32)
    monkeypatch.setattr(home, "_MACHINE_ID", tmp_path / "machine-id")
    assert "another place" in silent_why(at_home, tmp_path)


def test_case_B56_another_public_address_sends_nothing_until_it_is_confirmed(
    at_home: str, tmp_path: Path, estafette: Commands
) -> None:
    staging = "https://staging.example.org"
    why = silent_why(at_home, tmp_path, ESTAFETTE_PUBLIC_URL=staging)
    assert why == f"This database belongs to https://games.example.org, and the public address here is {staging}."
    estafette.settings |= ABROAD
    estafette.set(public_url=staging)
    assert estafette("moved", "--yes").status == 0
    assert silent_why(at_home, tmp_path, ESTAFETTE_PUBLIC_URL=staging) == ""
    assert "belongs to" in silent_why(at_home, tmp_path), "and now the old one is silent"


def test_case_B56_a_backup_that_is_put_back_sends_nothing_until_it_is_confirmed(
    at_home: str, tmp_path: Path, estafette: Commands, empty_database_url: str
) -> None:
    estafette.settings |= ABROAD
    file = tmp_path / "night.zip"
    estafette("backup", str(file))
    estafette.set(database_url=empty_database_url.replace("estafette.db", "other.db"))
    assert estafette("restore", str(file), "--yes").status == 0
    assert "put back from the backup" in silent_why(estafette.settings["ESTAFETTE_DATABASE_URL"], tmp_path)
    assert estafette("moved", "--yes").status == 0
    assert silent_why(estafette.settings["ESTAFETTE_DATABASE_URL"], tmp_path) == ""


def test_case_B56_a_worker_of_a_copy_leaves_every_letter_where_it_is(
    at_home: str, tmp_path: Path, now: datetime, caplog: pytest.LogCaptureFixture
) -> None:
    service = a_service(
        at_home, tmp_path, demo=False, **(ABROAD | {"ESTAFETTE_PUBLIC_URL": "https://copy.example.org"})
    )
    worker = worker_of(service)
    worker.tick(now + HOUR)
    worker.tick(now + 2 * HOUR)
    assert {letter.attempts for letter in letters(service)} == {0}
    assert caplog.text.count("type: estafette moved") == 1, "said once, not with every tick"
    service.close()


# keys


@sqlite_only
def test_case_B37_a_new_key_signs_and_old_links_go_on_working(estafette: Commands, tmp_path: Path) -> None:
    estafette.unset("secret_keys")
    before = Settings.load(estafette.settings)
    said = estafette("keys", "rotate")
    after = Settings.load(estafette.settings)
    assert after.secret_keys[1:] == before.secret_keys
    assert after.secret_keys[0] not in said.out
    assert mode_of(tmp_path / "secret-keys") == 0o600
    link = MoveLink("k7f3qx", 1, 5, 1)
    old = Links(before.secret_keys, before.public_url).move_url(link)
    assert Links(after.secret_keys, after.public_url).read_move(old.rpartition("/")[2]) == link
    estafette("keys", "rotate", "--keep", "0")
    assert len(Settings.load(estafette.settings).secret_keys) == 1
    assert len(estafette("keys", "list").out.splitlines()) == 1


def test_case_B37_keys_that_the_operator_keeps_are_told_not_changed(estafette: Commands) -> None:
    said = estafette("keys", "rotate")
    assert said.status == 0
    first, second = (line.partition("=")[2].split(",") for line in said.out.splitlines() if "SECRET_KEYS=" in line)
    assert first[0] == second[1] == "k" * 40
    assert first[1] == second[0]
    assert Settings.load(estafette.settings | {"ESTAFETTE_SECRET_KEYS": ",".join(second)}).secret_keys == tuple(second)


@sqlite_only
def test_a_damaged_database_is_kept_when_a_backup_takes_its_place(
    estafette: Commands, service: Service, now: datetime, tmp_path: Path
) -> None:
    a_match(service.matches, now)
    file = tmp_path / "night.zip"
    estafette("backup", str(file))
    service.close()
    (tmp_path / "estafette.db").write_bytes(b"not a database at all" * 100)
    said = estafette("restore", str(file), "--yes")
    assert said.status == 0, said.err
    (aside,) = tmp_path.glob("estafette.db.before-restore-*Z")
    assert aside.read_bytes().startswith(b"not a database")
    with closing(sqlite3.connect(tmp_path / "estafette.db")) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)


# from SQLite to PostgreSQL


@pytest.mark.skipif(POSTGRES is None, reason="needs PostgreSQL")
def test_the_data_of_a_small_host_plays_on_in_postgres(
    estafette: Commands, empty_database_url: str, migrated_schema: str, tmp_path: Path, now: datetime
) -> None:
    small = a_service(f"sqlite:///{tmp_path}/small.db", tmp_path)
    upgrade(small.store)
    playing = {game: a_match(small.matches, now, game=game, people=("Ann", "Ben", "Cat")) for game in GAMES}
    for match_id in playing.values():
        play_first(small.matches, match_id, now, asked_seat(small, match_id))
    open_links = {
        match_id: link_of(small.matches, match_id, asked_seat(small, match_id)) for match_id in playing.values()
    }
    worker_of(small).tick(now)
    estafette.set(database_url=f"sqlite:///{tmp_path}/small.db")

    refused = estafette("db", "copy", empty_database_url)
    assert refused.status == 1, "it is being used"
    assert "Stop it first" in refused.err
    small.close()
    said = estafette("db", "copy", empty_database_url)
    assert said.status == 0, said.err
    assert "estafette moved" in said.out
    assert estafette("db", "copy", empty_database_url).status == 1, "it is not empty any more"

    large = a_service(empty_database_url, tmp_path)
    for match_id, link in open_links.items():
        view = large.matches.view(match_id, link.seat)
        assert view.decision is not None
        large.matches.play(link, view.decision.choices[0].text, now=now)
        play_to_the_end(large.matches, match_id, now)
    worker_of(large).tick(now + HOUR)
    assert {letter.state for letter in letters(large)} <= {"sent", "dropped"}
    a_match(large.matches, now)
    large.close()


def test_a_copy_needs_the_address_of_a_postgres(estafette: Commands) -> None:
    assert estafette("db", "copy", "sqlite:////tmp/other.db").status == 2

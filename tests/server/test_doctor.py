"""`estafette doctor`: each of these set-ups is broken in one way, and the doctor names it and says what to type."""

from __future__ import annotations

import http.server
import os
import shutil
import socket
import sqlite3
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import NamedTuple

import pytest
from sqlalchemy import text

from db import queries, table
from db.engine import Store
from server import checks, create_app, home, settings
from server.service import TICK_KEY, Service
from server.web import Web, bound
from tests.emails.servers import Authority, Postbox, Talk, a_mail_server, a_server_that, an_authority, free_port
from tests.server.builders import a_match, a_service, mails
from tests.server.commands import Commands


@dataclass
class Setup:
    """A sound instance, and everything that can be broken about it."""

    estafette: Commands
    store: Store
    folder: Path
    monkeypatch: pytest.MonkeyPatch
    stack: ExitStack

    @property
    def file(self) -> Path:
        return self.folder / "estafette.db"

    @property
    def on_sqlite(self) -> bool:
        return self.store.is_sqlite

    def mail_server(self, **answers: str) -> int:
        return self.stack.enter_context(a_mail_server(Postbox(answers=answers)))

    def abroad(self, **settings: str) -> None:
        """Mail leaves, to a server that takes everything."""
        told = {"public_url": "https://games.example.org", "mail_from": "games@example.org", "trusted_proxies": "1"}
        if "mail_url" not in settings:
            settings["mail_url"] = f"smtp+plain://127.0.0.1:{self.mail_server()}"
        self.estafette.set(**told | settings)


@pytest.fixture
def setup(estafette: Commands, store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Setup]:
    tmp_path.chmod(0o700)
    with store.writing() as session:
        queries.world.put(session, TICK_KEY, datetime.now(UTC).isoformat())
    with ExitStack() as stack:
        yield Setup(estafette, store, tmp_path, monkeypatch, stack)


@contextmanager
def a_web(answer: bytes, status: int = 200) -> Iterator[int]:
    """Something that answers every request like this."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(status)
            self.end_headers()
            self.wfile.write(answer)

        def log_message(self, *_arguments: object) -> None:
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield server.server_address[1]
        finally:
            server.shutdown()
            thread.join()


def _unknown_setting(setup: Setup) -> None:
    setup.estafette.set(publc_url="https://games.example.org")


def _settings_file_that_is_not_there(setup: Setup) -> None:
    setup.estafette.set(config=str(setup.folder / "nowhere.toml"))


def _settings_file_for_everybody(setup: Setup) -> None:
    (setup.folder / "estafette.toml").write_text('mail_url = "mailbox:"\n')
    (setup.folder / "estafette.toml").chmod(0o644 | 0o004)
    setup.estafette.set(config=str(setup.folder / "estafette.toml"))


def _no_public_address(setup: Setup) -> None:
    setup.estafette.set(mail_url="smtp+plain://127.0.0.1:25", mail_from="games@example.org")


def _links_to_this_machine(setup: Setup) -> None:
    setup.abroad(public_url="http://localhost:8025", trusted_proxies="0")


def _no_proxy_trusted(setup: Setup) -> None:
    setup.abroad(trusted_proxies="0")


def _proxy_that_can_be_passed_by(setup: Setup) -> None:
    setup.monkeypatch.setattr(checks, "in_a_container", lambda: False)
    setup.abroad(listen="0.0.0.0:8025")


def _every_mailbox_open_to_the_world(setup: Setup) -> None:
    setup.monkeypatch.setattr(settings, "in_a_container", lambda: False)
    setup.estafette.set(listen="0.0.0.0:8025")


def _data_folder_for_everybody(setup: Setup) -> None:
    setup.folder.chmod(0o755)


def _data_folder_missing(setup: Setup) -> None:
    (setup.folder / "file").write_text("")
    setup.estafette.set(data=str(setup.folder / "file"))


def _key_file_for_everybody(setup: Setup) -> None:
    setup.estafette.unset("secret_keys")
    if setup.on_sqlite:
        setup.estafette("doctor")  # makes the file
        (setup.folder / "secret-keys").chmod(0o644)


def _key_file_spoiled(setup: Setup) -> None:
    setup.estafette.unset("secret_keys")
    (setup.folder / "secret-keys").write_text("short")


def _old_sqlite(setup: Setup) -> None:
    setup.monkeypatch.setattr(sqlite3, "sqlite_version_info", (3, 35, 5))


def _network_file_system(setup: Setup) -> None:
    (setup.folder / "mounts").write_text(f"/dev/sda1 / ext4 rw 0 0\nserver:/x {setup.folder.parent} nfs4 rw 0 0\n")
    setup.monkeypatch.setattr(checks, "MOUNTS", setup.folder / "mounts")


def _disk_full(setup: Setup) -> None:
    usage = shutil.disk_usage("/")
    setup.monkeypatch.setattr(shutil, "disk_usage", lambda _path: usage._replace(free=3 << 20))


def _clock_of_1970(setup: Setup) -> None:
    setup.monkeypatch.setattr(checks, "WRITTEN", datetime(2999, 1, 1, tzinfo=UTC))


def _clock_set_back(setup: Setup) -> None:
    service = a_service(setup.estafette.settings["ESTAFETTE_DATABASE_URL"], setup.folder)
    a_match(service.matches, datetime.now(UTC) + timedelta(days=2))
    service.close()


def _no_database(setup: Setup) -> None:
    setup.estafette.set(database_url=f"sqlite:///{setup.folder}/none.db")


def _damaged_database(setup: Setup) -> None:
    (setup.folder / "spoiled.db").write_bytes(b"no database" * 1000)
    setup.estafette.set(database_url=f"sqlite:///{setup.folder}/spoiled.db")


def _old_schema(setup: Setup) -> None:
    with setup.store.writing() as session:
        session.connection().execute(text("UPDATE alembic_version SET version_num = '0001'"))


def _newer_schema(setup: Setup) -> None:
    with setup.store.writing() as session:
        session.connection().execute(text("UPDATE alembic_version SET version_num = '9999'"))


def _database_held_by_another_program(setup: Setup) -> None:
    file = setup.folder / "held.db"
    shutil.copyfile(setup.file, file) if setup.on_sqlite else None
    holder = setup.stack.enter_context(closing(sqlite3.connect(file, isolation_level=None)))
    holder.execute("PRAGMA journal_mode = DELETE")
    holder.execute("BEGIN EXCLUSIVE")
    setup.estafette.set(database_url=f"sqlite:///{file}")


def _no_postgres(setup: Setup) -> None:
    setup.estafette.set(database_url=f"postgresql+psycopg://me:opensesame@127.0.0.1:{free_port()}/estafette")


def _never_ticked(setup: Setup) -> None:
    with setup.store.writing() as session:
        queries.world.drop(session, TICK_KEY)


def _worker_stopped(setup: Setup) -> None:
    with setup.store.writing() as session:
        queries.world.put(session, TICK_KEY, (datetime.now(UTC) - timedelta(hours=5)).isoformat())


def _letter_stuck(setup: Setup) -> None:
    service = a_service(setup.estafette.settings["ESTAFETTE_DATABASE_URL"], setup.folder)
    a_match(service.matches, datetime.now(UTC) - timedelta(hours=4))
    with service.store.writing() as session:
        session.execute(table.LETTER.update().values(last_status=451, last_answer="4.7.1 greylisted", attempts=4))
    service.close()


def _match_frozen(setup: Setup) -> None:
    service = a_service(setup.estafette.settings["ESTAFETTE_DATABASE_URL"], setup.folder)
    service.matches.freeze(a_match(service.matches, service.now()), "the position is another one", now=service.now())
    service.close()


def _copied_instance(setup: Setup) -> None:
    setup.abroad()
    with setup.store.writing() as session:
        queries.world.put(session, home.COPIED_KEY, "2026-11-29T03:00:00+00:00")


def _mail_server_away(setup: Setup) -> None:
    setup.abroad(mail_url=f"smtp+plain://127.0.0.1:{free_port()}")


def _mail_server_without_tls(setup: Setup) -> None:
    setup.abroad(mail_url=f"smtp+starttls://127.0.0.1:{setup.mail_server()}")


def _mail_server_refuses(setup: Setup) -> None:
    setup.abroad(mail_url=f"smtp+plain://127.0.0.1:{setup.mail_server(EHLO='554 5.7.1 blocked')}")


def _trusted(setup: Setup) -> Authority:
    """An authority that this machine trusts."""
    authority = an_authority(setup.folder)
    setup.monkeypatch.setenv("SSL_CERT_FILE", str(authority.certificate))
    return authority


def _mail_password_wrong(setup: Setup) -> None:
    postbox = Postbox()
    options = {"auth_required": True, "authenticator": postbox.authenticate}
    tls = _trusted(setup).server("IP:127.0.0.1")
    port = setup.stack.enter_context(a_mail_server(postbox, tls_context=tls, **options))
    setup.abroad(mail_url=f"smtp+starttls://u:opensesame@127.0.0.1:{port}")


def _mail_server_with(setup: Setup, tls: ssl.SSLContext) -> None:
    port = setup.stack.enter_context(a_mail_server(Postbox(), tls_context=tls))
    setup.abroad(mail_url=f"smtp+starttls://127.0.0.1:{port}")


def _mail_certificate_expired(setup: Setup) -> None:
    _mail_server_with(setup, _trusted(setup).server("IP:127.0.0.1", days=-1))


def _mail_certificate_of_its_own_making(setup: Setup) -> None:
    _mail_server_with(setup, _trusted(setup).self_signed("IP:127.0.0.1"))


def _mail_certificate_for_another_name(setup: Setup) -> None:
    _mail_server_with(setup, _trusted(setup).server("DNS:mail.example.net"))


def _mail_server_without_an_address(setup: Setup) -> None:
    setup.abroad(mail_url="smtp+starttls://mail.example.org:587")


def _mail_port_that_never_answers(setup: Setup) -> None:
    def listen(talk: Talk) -> None:
        while talk.connection.recv(4096):
            pass

    setup.monkeypatch.setattr(checks, "_PATIENCE", 0.3)
    silent = setup.stack.enter_context(a_server_that(listen))
    setup.abroad(mail_url=f"smtps://127.0.0.1:{silent}")


def _imap_server(setup: Setup, tls: ssl.SSLContext) -> None:
    def refuse(talk: Talk) -> None:
        talk.secure(tls)
        talk.say("* OK [CAPABILITY IMAP4rev1] ready")
        while line := talk.hear():
            tag, verb = line.split()[:2]
            if verb == "CAPABILITY":
                talk.say("* CAPABILITY IMAP4rev1", f"{tag} OK done")
            else:
                talk.say(f"{tag} NO [AUTHENTICATIONFAILED] no")

    port = setup.stack.enter_context(a_server_that(refuse))
    setup.abroad(inbound=f"imaps://me:opensesame@127.0.0.1:{port}/INBOX")


def _imap_password_wrong(setup: Setup) -> None:
    _imap_server(setup, _trusted(setup).server("IP:127.0.0.1"))


def _imap_certificate_expired(setup: Setup) -> None:
    _imap_server(setup, _trusted(setup).server("IP:127.0.0.1", days=-1))


def _public_certificate_expired(setup: Setup) -> None:
    tls = _trusted(setup).server("DNS:localhost", days=-1)
    port = setup.stack.enter_context(a_server_that(lambda talk: talk.secure(tls)))
    setup.estafette.set(public_url=f"https://localhost:{port}")


def _imap_server_away(setup: Setup) -> None:
    setup.abroad(inbound=f"imaps://me:opensesame@127.0.0.1:{free_port()}/INBOX")


def _nobody_at_lmtp(setup: Setup) -> None:
    setup.abroad(inbound=f"lmtp://127.0.0.1:{free_port()}")


def _somebody_else_at_lmtp(setup: Setup) -> None:
    setup.abroad(
        inbound=f"lmtp://127.0.0.1:{setup.stack.enter_context(a_server_that(lambda talk: talk.say('220 Postfix')))}"
    )


def _web_away(setup: Setup) -> None:
    setup.estafette.set(listen=f"127.0.0.1:{free_port()}")


def _something_else_at_the_public_address(setup: Setup) -> None:
    port = setup.stack.enter_context(a_web(b"<h1>Welcome to nginx!</h1>"))
    setup.estafette.set(listen=f"127.0.0.1:{port}")


def _proxy_that_leads_nowhere(setup: Setup) -> None:
    port = setup.stack.enter_context(a_web(b"bad gateway", status=502))
    setup.estafette.set(listen=f"127.0.0.1:{port}")


def _proxy_that_changes_the_host(setup: Setup) -> None:
    port = setup.stack.enter_context(a_web(b"This server is not known under this name.", status=400))
    setup.estafette.set(listen=f"127.0.0.1:{port}")


class Broken(NamedTuple):
    breaks: Callable[[Setup], None]
    says: str
    type_: str
    only: str = ""


BROKEN = [
    Broken(_unknown_setting, "ESTAFETTE_PUBLC_URL", "Did you mean ESTAFETTE_PUBLIC_URL?"),
    Broken(_settings_file_that_is_not_there, "nowhere.toml, which does not exist", "ESTAFETTE_CONFIG"),
    Broken(_settings_file_for_everybody, "WRONG settings: others can read", "chmod 600"),
    Broken(_no_public_address, "ESTAFETTE_PUBLIC_URL is not set", "like https://games.example.org"),
    Broken(_links_to_this_machine, "WRONG public address", "Set ESTAFETTE_PUBLIC_URL"),
    Broken(_no_proxy_trusted, "WRONG proxy: the public address is https", "ESTAFETTE_TRUSTED_PROXIES=1"),
    Broken(_proxy_that_can_be_passed_by, "WRONG proxy: 0.0.0.0", "ESTAFETTE_LISTEN=127.0.0.1:8025"),
    Broken(_every_mailbox_open_to_the_world, "ESTAFETTE_LISTEN is open to other machines", "listen on 127.0.0.1"),
    Broken(_data_folder_for_everybody, "WRONG data folder: everybody", "chmod 700"),
    Broken(_data_folder_missing, "is no folder", "mkdir -m 700"),
    Broken(_key_file_for_everybody, "WRONG signing keys: others can read", "chmod 600", "sqlite"),
    Broken(_key_file_spoiled, "holds no keys", "from a backup", "sqlite"),
    Broken(_old_sqlite, "WRONG SQLite: 3.35.5", "SQLite 3.37 or newer", "sqlite"),
    Broken(_network_file_system, "is nfs4, a file system of the network", "Set ESTAFETTE_DATA", "sqlite"),
    Broken(_disk_full, "WRONG disk space: 3 MB free", "df -h"),
    Broken(_clock_of_1970, "WRONG clock: this machine says", "timedatectl set-ntp true"),
    Broken(_clock_set_back, "WRONG clocks: the database has letters of", "timedatectl status"),
    Broken(_no_database, "WRONG database: there is none yet", "estafette migrate"),
    Broken(_damaged_database, "is damaged", "estafette restore FILE"),
    Broken(_old_schema, "WRONG database: The database is not up to date", "estafette migrate"),
    Broken(_newer_schema, "The database's schema is 9999", "Install the newer Estafette"),
    Broken(_database_held_by_another_program, "cannot be read (database is locked)", "fuser", "sqlite"),
    Broken(_no_postgres, "WRONG database", "ESTAFETTE_DATABASE_URL"),
    Broken(_never_ticked, "WRONG worker: none has ever ticked", "systemctl start estafette"),
    Broken(_worker_stopped, "WRONG worker: its last tick was 5 hours ago", "journalctl"),
    Broken(_letter_stuck, "the mail server said: 451 4.7.1 greylisted", "estafette mail show"),
    Broken(_match_frozen, "WRONG matches: frozen", "estafette game show"),
    Broken(_copied_instance, "WRONG this instance: no mail leaves", "estafette moved"),
    Broken(_mail_server_away, "cannot be reached: Connection refused", "See ESTAFETTE_MAIL_URL"),
    Broken(_mail_server_without_tls, "offers no STARTTLS", "smtps://"),
    Broken(_mail_server_refuses, "WRONG mail server: Connecting: 554 5.7.1 blocked", "See ESTAFETTE_MAIL_URL"),
    Broken(_mail_password_wrong, "WRONG mail server: Signing in: 535", "See ESTAFETTE_MAIL_URL"),
    Broken(_mail_certificate_expired, "cannot be trusted: certificate has expired", "See ESTAFETTE_MAIL_URL"),
    Broken(_mail_certificate_of_its_own_making, "cannot be trusted: self-signed", "See ESTAFETTE_MAIL_URL"),
    Broken(_mail_certificate_for_another_name, "IP address mismatch", "See ESTAFETTE_MAIL_URL"),
    Broken(
        _mail_server_without_an_address, "No address is found for mail.example.org, port 587", "See ESTAFETTE_MAIL_URL"
    ),
    Broken(_mail_port_that_never_answers, "gave no answer in time", "A firewall?"),
    Broken(_imap_password_wrong, "WRONG replies: 127.0.0.1 refuses user, password or folder", "See ESTAFETTE_INBOUND"),
    Broken(_imap_certificate_expired, "WRONG replies: the certificate of 127.0.0.1", "ESTAFETTE_INBOUND"),
    Broken(_public_certificate_expired, "is not valid: certificate has expired", "systemctl status caddy"),
    Broken(_imap_server_away, "WRONG replies", "See ESTAFETTE_INBOUND"),
    Broken(_nobody_at_lmtp, "WRONG replies: nobody takes mail", "estafette serve"),
    Broken(_somebody_else_at_lmtp, "another program answers", "another port in ESTAFETTE_INBOUND"),
    Broken(_web_away, "does not answer (Connection refused)", "systemctl status estafette"),
    Broken(_something_else_at_the_public_address, "something else than Estafette", "Look at the proxy"),
    Broken(_proxy_that_leads_nowhere, "answers 502", "Does the proxy lead here?"),
    Broken(_proxy_that_changes_the_host, "does not pass on the Host header", "deploy/nginx.conf"),
]


@pytest.fixture(autouse=True)
def _no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    """Names of the example are not looked up."""
    real = socket.getaddrinfo

    def found(host: str, *rest: object, **more: object) -> object:
        if str(host).endswith("example.org"):
            raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")
        return real(host, *rest, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(socket, "getaddrinfo", found)


@pytest.mark.parametrize("broken", BROKEN, ids=lambda broken: broken.breaks.__name__.strip("_"))
def test_the_doctor_names_what_is_wrong_and_what_to_type(setup: Setup, broken: Broken) -> None:
    if broken.only == "sqlite" and not setup.on_sqlite:
        pytest.skip("this can only be wrong with SQLite")
    broken.breaks(setup)
    said = setup.estafette("doctor")
    assert said.status == 1
    whole = said.out + said.err
    line = next((line for line in whole.splitlines() if broken.says in line), None)
    assert line is not None, whole
    assert broken.type_ in line
    assert "opensesame" not in whole
    assert "Traceback" not in whole


def test_there_are_at_least_twenty_broken_set_ups() -> None:
    assert len({broken.breaks for broken in BROKEN}) >= 20


def test_a_sound_instance_has_nothing_wrong(setup: Setup, service: Service) -> None:
    listening = bound("127.0.0.1", 0)
    web = Web(create_app(service), listening)
    web.start()
    setup.estafette.set(listen=f"127.0.0.1:{listening.getsockname()[1]}")
    said = setup.estafette("doctor")
    web.stop()
    assert (said.status, said.err) == (0, "")
    assert "WRONG" not in said.out
    assert len(said.out.splitlines()) >= 14


def test_a_test_mail_goes_out_and_the_servers_answer_is_shown(setup: Setup) -> None:
    postbox = Postbox()
    port = setup.stack.enter_context(a_mail_server(postbox))
    setup.abroad(mail_url=f"smtp+plain://127.0.0.1:{port}")
    said = setup.estafette("doctor", "--send-test-mail", "ann@players.example")
    assert "The test mail left" in said.out
    assert [recipients for _, recipients, _ in postbox.got] == [["ann@players.example"]]


def test_a_test_mail_that_is_refused_is_told_in_the_servers_words(setup: Setup) -> None:
    setup.abroad(mail_url=f"smtp+plain://127.0.0.1:{setup.mail_server(RCPT='550 5.1.1 no such user')}")
    said = setup.estafette("doctor", "--send-test-mail", "ann@players.example")
    assert said.status == 1
    assert "550 5.1.1 no such user" in said.err


def test_a_test_mail_to_the_mailbox_is_kept_there(setup: Setup, service: Service) -> None:
    setup.estafette("doctor", "--send-test-mail", "ann@players.example")
    assert [mail["Subject"] for mail in mails(service, "Ann")] == ["A test mail of Estafette"]


def test_the_doctor_never_makes_a_database(setup: Setup) -> None:
    setup.estafette.set(database_url=f"sqlite:///{setup.folder}/none.db")
    setup.estafette("doctor")
    assert not os.path.exists(setup.folder / "none.db")

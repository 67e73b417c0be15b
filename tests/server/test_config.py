"""Settings: where they may be written, what follows from them, and the one sentence when something is wrong."""

import multiprocessing
import stat
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from ipaddress import ip_network
from multiprocessing.synchronize import Barrier
from pathlib import Path

import pytest

from server.config import Dkim, Settings, SettingsError

KEY = "k" * 32
ABROAD = {
    "ESTAFETTE_PUBLIC_URL": "https://games.example.org",
    "ESTAFETTE_MAIL_URL": "smtp+starttls://estafette:opensesame@mail.example.org:587",
    "ESTAFETTE_MAIL_FROM": "Estafette <games@example.org>",
    "ESTAFETTE_SECRET_KEYS": KEY,
}


@pytest.fixture(scope="session")
def pem() -> str:
    """A private key, made for this run."""
    made = subprocess.run(["openssl", "genrsa", "1024"], check=True, capture_output=True, text=True)
    return made.stdout.strip()


@pytest.fixture(autouse=True)
def _in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def a_file(tmp_path: Path, text: str, name: str = "estafette.toml") -> str:
    file = tmp_path / name
    file.write_text(text, encoding="utf-8")
    return str(file)


def refusal(environ: dict[str, str]) -> str:
    with pytest.raises(SettingsError) as caught:
        Settings.load(environ)
    return str(caught.value)


def test_with_nothing_set_it_runs_on_this_machine_alone(tmp_path: Path) -> None:
    settings = Settings.load({})
    assert settings.public_url == "http://127.0.0.1:8025"
    assert (settings.host, settings.port) == ("127.0.0.1", 8025)
    assert settings.mail_url == "mailbox:"
    assert not settings.mail_leaves
    assert settings.database_url == f"sqlite:///{tmp_path}/var/estafette.db"
    assert settings.data == Path("var")
    assert settings.inbound is None
    assert settings.trusted_proxies == 0
    assert settings.admins == ()
    assert settings.metrics_token is None
    assert settings.open_signup is False
    assert settings.log == "info"


def test_everything_can_be_set(pem: str) -> None:
    settings = Settings.load(
        ABROAD
        | {
            "ESTAFETTE_PUBLIC_URL": "https://Example.org/games/",
            "ESTAFETTE_INBOUND": "imaps://estafette:opensesame@mail.example.org/INBOX",
            "ESTAFETTE_REPLY_DOMAIN": "Reply.example.org",
            "ESTAFETTE_AUTHSERV_ID": "MX.example.org",
            "ESTAFETTE_DKIM_KEY": pem,
            "ESTAFETTE_DKIM_SELECTOR": "s1",
            "ESTAFETTE_DATABASE_URL": "postgresql://estafette@db/estafette",
            "ESTAFETTE_DATA": "/srv/estafette",
            "ESTAFETTE_SECRET_KEYS": f"{'n' * 32}, {KEY}",
            "ESTAFETTE_LISTEN": "[::1]:8080",
            "ESTAFETTE_TRUSTED_PROXIES": "1",
            "ESTAFETTE_ADMINS": "ann@example.org ben@example.org",
            "ESTAFETTE_METRICS_TOKEN": "m" * 16,
            "ESTAFETTE_OPEN_SIGNUP": "yes",
            "ESTAFETTE_HOOK_NETWORKS": "10.1.0.0/16, fd00::/8",
            "ESTAFETTE_APPRISE": "ntfys, tgram",
            "ESTAFETTE_PUSH_KEY": "0a" * 32,
            "ESTAFETTE_LOG": "WARNING",
        }
    )
    assert settings == Settings(
        public_url="https://example.org/games",
        mail_url=ABROAD["ESTAFETTE_MAIL_URL"],
        mail_from="Estafette <games@example.org>",
        inbound="imaps://estafette:opensesame@mail.example.org/INBOX",
        reply_domain="reply.example.org",
        replies=True,
        authserv_id="mx.example.org",
        dkim=Dkim(pem, "s1", "example.org"),
        database_url="postgresql+psycopg://estafette@db/estafette",
        data=Path("/srv/estafette"),
        secret_keys=("n" * 32, KEY),
        host="::1",
        port=8080,
        trusted_proxies=1,
        admins=("ann@example.org", "ben@example.org"),
        metrics_token="m" * 16,
        open_signup=True,
        apprise=("ntfys", "tgram"),
        push_key="0a" * 32,
        hook_networks=(ip_network("10.1.0.0/16"), ip_network("fd00::/8")),
        log="warning",
    )
    assert settings.mail_leaves


def test_a_signing_key_needs_the_selector_of_its_public_half(tmp_path: Path, pem: str) -> None:
    key = a_file(tmp_path, pem, "dkim.pem")
    assert "ESTAFETTE_DKIM_SELECTOR is not set" in refusal(ABROAD | {"ESTAFETTE_DKIM_KEY_FILE": key})
    assert "ESTAFETTE_DKIM_KEY is not" in refusal(ABROAD | {"ESTAFETTE_DKIM_SELECTOR": "s1"})
    signed = ABROAD | {"ESTAFETTE_DKIM_KEY_FILE": key, "ESTAFETTE_DKIM_SELECTOR": "s1"}
    assert Settings.load(signed).dkim == Dkim(pem, "s1", "example.org")
    assert Settings.load(signed | {"ESTAFETTE_DKIM_DOMAIN": "other.example"}).dkim == Dkim(pem, "s1", "other.example")


@pytest.mark.parametrize("key", ["no key", "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----", "ключ"])
def test_a_signing_key_that_is_none_is_refused_at_the_start(key: str) -> None:
    said = refusal(ABROAD | {"ESTAFETTE_DKIM_KEY": key, "ESTAFETTE_DKIM_SELECTOR": "s1"})
    assert said.startswith("ESTAFETTE_DKIM_KEY needs an RSA private key in PEM form")


def test_replies_go_to_the_senders_domain() -> None:
    assert Settings.load(ABROAD).reply_domain == "example.org"


def test_replies_are_read_where_there_is_a_way_in() -> None:
    assert Settings.load({}).replies
    assert not Settings.load(ABROAD).replies
    assert Settings.load(ABROAD | {"ESTAFETTE_INBOUND": "lmtp://127.0.0.1:8024"}).replies
    assert Settings.load(ABROAD | {"ESTAFETTE_REPLY_DOMAIN": "reply.example.org"}).replies


def test_the_repr_shows_no_secret() -> None:
    shown = repr(
        Settings.load(
            ABROAD
            | {
                "ESTAFETTE_DATABASE_URL": "postgresql://estafette:opensesame@db/estafette",
                "ESTAFETTE_INBOUND": "imaps://estafette:opensesame@mail.example.org",
                "ESTAFETTE_METRICS_TOKEN": "opensesame" * 2,
            }
        )
    )
    assert "opensesame" not in shown
    assert KEY not in shown


def test_a_toml_file_is_read_and_the_environment_goes_before_it(tmp_path: Path) -> None:
    file = a_file(
        tmp_path,
        'public_url = "https://file.example.org"\nESTAFETTE_LOG = "debug"\ntrusted_proxies = 2\nopen_signup = true\n'
        'admins = ["ann@example.org", "ben@example.org"]\n',
    )
    settings = Settings.load({"ESTAFETTE_CONFIG": file, "ESTAFETTE_PUBLIC_URL": "https://env.example.org"})
    assert settings.public_url == "https://env.example.org"
    assert settings.log == "debug"
    assert settings.trusted_proxies == 2
    assert settings.open_signup is True
    assert settings.admins == ("ann@example.org", "ben@example.org")


def test_a_value_can_stand_in_a_file_of_its_own(tmp_path: Path) -> None:
    keys = a_file(tmp_path, f"{'n' * 32}\n{KEY}\n", "keys")
    assert Settings.load({"ESTAFETTE_SECRET_KEYS_FILE": keys}).secret_keys == ("n" * 32, KEY)
    toml = a_file(tmp_path, f'secret_keys_file = "{keys}"\n')
    assert Settings.load({"ESTAFETTE_CONFIG": toml}).secret_keys == ("n" * 32, KEY)


def test_a_blank_value_is_not_set() -> None:
    assert Settings.load({"ESTAFETTE_MAIL_URL": "", "ESTAFETTE_METRICS_TOKEN": " "}) == Settings.load({})


def test_other_peoples_names_are_left_alone() -> None:
    assert Settings.load({"PATH": "/bin", "ESTAFETTE_TEST_POSTGRES": "x", "PUBLIC_URL": "x"}) == Settings.load({})


@pytest.mark.parametrize(
    ("environ", "sentence"),
    [
        ({"ESTAFETTE_PUBLIC_ULR": "x"}, "Did you mean ESTAFETTE_PUBLIC_URL?"),
        ({"ESTAFETTE_SECRET_KEY": KEY}, "Did you mean ESTAFETTE_SECRET_KEYS?"),
        ({"ESTAFETTE_SECRET_KEY_FILE": "x"}, "Did you mean ESTAFETTE_SECRET_KEYS_FILE?"),
        ({"ESTAFETTE_CONFIGS": "x"}, "Did you mean ESTAFETTE_CONFIG?"),
        ({"ESTAFETTE_PUBLIC_ULR": ""}, "is no setting of Estafette"),
        ({"ESTAFETTE_QWERTY": "x"}, "ESTAFETTE_QWERTY, set in the environment, is no setting of Estafette."),
        ({"ESTAFETTE_CONFIG": "nowhere.toml"}, "ESTAFETTE_CONFIG names nowhere.toml, which does not exist."),
        ({"ESTAFETTE_CONFIG": "."}, "ESTAFETTE_CONFIG names ., which cannot be read"),
        ({"ESTAFETTE_SECRET_KEYS_FILE": "nowhere"}, "ESTAFETTE_SECRET_KEYS_FILE has to name a file"),
        ({"ESTAFETTE_LOG": "info", "ESTAFETTE_LOG_FILE": "x"}, "ESTAFETTE_LOG and ESTAFETTE_LOG_FILE are both set"),
        ({"ESTAFETTE_PUBLIC_URL": "games.example.org"}, "ESTAFETTE_PUBLIC_URL needs a whole address"),
        ({"ESTAFETTE_PUBLIC_URL": "ftp://example.org"}, "ESTAFETTE_PUBLIC_URL needs a whole address"),
        ({"ESTAFETTE_PUBLIC_URL": "https://"}, "ESTAFETTE_PUBLIC_URL needs a whole address"),
        ({"ESTAFETTE_PUBLIC_URL": "https://a.example:port"}, "ESTAFETTE_PUBLIC_URL needs a whole address"),
        ({"ESTAFETTE_PUBLIC_URL": "https://u@a.example"}, "ESTAFETTE_PUBLIC_URL needs a whole address"),
        ({"ESTAFETTE_PUBLIC_URL": "https://a.example/\nx"}, "ESTAFETTE_PUBLIC_URL needs a whole address"),
        ({"ESTAFETTE_PUBLIC_URL": "https://a.example/?x=1"}, "ESTAFETTE_PUBLIC_URL can have a path"),
        ({"ESTAFETTE_PUBLIC_URL": "https://a.example/?"}, "ESTAFETTE_PUBLIC_URL can have a path"),
        ({"ESTAFETTE_PUBLIC_URL": "https://a.example/é"}, "ESTAFETTE_PUBLIC_URL can have a path"),
        ({"ESTAFETTE_PUBLIC_URL": "https://spiél.example"}, "ESTAFETTE_PUBLIC_URL needs its host in ASCII"),
        ({"ESTAFETTE_PUBLIC_URL": "http://games.example.org"}, "ESTAFETTE_PUBLIC_URL has to begin with https"),
        ({"ESTAFETTE_PUBLIC_URL": "http://192.0.2.1"}, "ESTAFETTE_PUBLIC_URL has to begin with https"),
        ({"ESTAFETTE_PUBLIC_URL": "https://games..example"}, "ESTAFETTE_PUBLIC_URL needs the name of a host"),
        ({"ESTAFETTE_PUBLIC_URL": "https://games!.example"}, "ESTAFETTE_PUBLIC_URL needs the name of a host"),
        ({"ESTAFETTE_MAIL_URL": "smtp://mail.example.org"}, "ESTAFETTE_MAIL_URL cannot be used."),
        ({"ESTAFETTE_MAIL_FROM": "games"}, "ESTAFETTE_MAIL_FROM needs an address"),
        ({"ESTAFETTE_MAIL_FROM": "a@b.example\nBcc: c@d.example"}, "ESTAFETTE_MAIL_FROM needs an address"),
        ({"ESTAFETTE_INBOUND": "imap://mail.example.org"}, "ESTAFETTE_INBOUND needs lmtp://127.0.0.1:8024"),
        ({"ESTAFETTE_INBOUND": "imaps://mail.example.org"}, "ESTAFETTE_INBOUND needs lmtp://127.0.0.1:8024"),
        ({"ESTAFETTE_REPLY_DOMAIN": "@example.org"}, "ESTAFETTE_REPLY_DOMAIN needs the name of a host"),
        ({"ESTAFETTE_DATABASE_URL": "mysql://db/x"}, "ESTAFETTE_DATABASE_URL needs sqlite:////var/lib"),
        ({"ESTAFETTE_DATABASE_URL": "sqlite://"}, "ESTAFETTE_DATABASE_URL needs sqlite:////var/lib"),
        ({"ESTAFETTE_DATABASE_URL": "sqlite:///:memory:"}, "ESTAFETTE_DATABASE_URL needs sqlite:////var/lib"),
        ({"ESTAFETTE_DATABASE_URL": "postgresql://db:port/x"}, "ESTAFETTE_DATABASE_URL needs sqlite:////var/lib"),
        ({"ESTAFETTE_DATABASE_URL": "postgresql://db/x"}, "ESTAFETTE_SECRET_KEYS is not set. With PostgreSQL"),
        ({"ESTAFETTE_SECRET_KEYS": "short"}, "ESTAFETTE_SECRET_KEYS needs keys of at least 32 letters"),
        ({"ESTAFETTE_SECRET_KEYS": f"{KEY},short"}, "ESTAFETTE_SECRET_KEYS needs keys of at least 32 letters"),
        ({"ESTAFETTE_LISTEN": "8025"}, "ESTAFETTE_LISTEN needs host and port"),
        ({"ESTAFETTE_LISTEN": "127.0.0.1:http"}, "ESTAFETTE_LISTEN needs host and port"),
        ({"ESTAFETTE_LISTEN": "127.0.0.1:65536"}, "ESTAFETTE_LISTEN needs host and port"),
        ({"ESTAFETTE_TRUSTED_PROXIES": "all"}, "ESTAFETTE_TRUSTED_PROXIES needs the number of proxies"),
        ({"ESTAFETTE_TRUSTED_PROXIES": "-1"}, "ESTAFETTE_TRUSTED_PROXIES needs the number of proxies"),
        ({"ESTAFETTE_ADMINS": "ann"}, "ESTAFETTE_ADMINS needs addresses"),
        ({"ESTAFETTE_METRICS_TOKEN": "short"}, "ESTAFETTE_METRICS_TOKEN needs at least 16 letters"),
        ({"ESTAFETTE_OPEN_SIGNUP": "perhaps"}, "ESTAFETTE_OPEN_SIGNUP needs true or false"),
        ({"ESTAFETTE_HOOK_NETWORKS": "10.1.0.0/99"}, "ESTAFETTE_HOOK_NETWORKS needs networks"),
        ({"ESTAFETTE_PUSH_KEY": "ff" * 32}, "ESTAFETTE_PUSH_KEY needs 64 hexadecimal digits"),
        ({"ESTAFETTE_APPRISE": "ntfys://x"}, "ESTAFETTE_APPRISE needs names"),
        ({"ESTAFETTE_PUSH_KEY": "x"}, "ESTAFETTE_PUSH_KEY needs 64 hexadecimal digits"),
        ({"ESTAFETTE_HOOK_NETWORKS": "home"}, "ESTAFETTE_HOOK_NETWORKS needs networks"),
        ({"ESTAFETTE_LOG": "loud"}, "ESTAFETTE_LOG needs debug, info, warning or error"),
    ],
)
def test_a_wrong_setting_is_named_with_what_would_be_right(environ: dict[str, str], sentence: str) -> None:
    said = refusal(environ)
    assert sentence in said
    assert "\n" not in said


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("ESTAFETTE_MAIL_URL", "smtp+starttls://estafette:opensesame@mail.example.org:port"),
        ("ESTAFETTE_INBOUND", "imaps://estafette:opensesame@[mail"),
        ("ESTAFETTE_DATABASE_URL", "mysql://estafette:opensesame@db/x"),
        ("ESTAFETTE_SECRET_KEYS", "opensesame"),
        ("ESTAFETTE_METRICS_TOKEN", "opensesame"),
    ],
)
def test_a_wrong_secret_is_not_repeated(name: str, value: str) -> None:
    with pytest.raises(SettingsError) as caught:
        Settings.load({name: value} if name != "ESTAFETTE_MAIL_URL" else ABROAD | {name: value})
    assert "opensesame" not in str(caught.value)
    assert caught.value.__cause__ is None
    assert caught.value.__suppress_context__


def test_a_wrong_toml_file_is_named(tmp_path: Path) -> None:
    broken = a_file(tmp_path, "public_url = \n", "broken.toml")
    assert "broken.toml is not TOML" in refusal({"ESTAFETTE_CONFIG": broken})
    misspelt = a_file(tmp_path, 'listne = "127.0.0.1:1"\n', "misspelt.toml")
    assert refusal({"ESTAFETTE_CONFIG": misspelt}) == (
        f"ESTAFETTE_LISTNE, set in {misspelt}, is no setting of Estafette. Did you mean ESTAFETTE_LISTEN?"
    )
    wrong_type = a_file(tmp_path, "secret_keys = 5\n", "type.toml")
    assert refusal({"ESTAFETTE_CONFIG": wrong_type}).startswith("ESTAFETTE_SECRET_KEYS ")


def test_case_B10_no_start_without_a_public_address_once_mails_leave() -> None:
    without = {name: value for name, value in ABROAD.items() if name != "ESTAFETTE_PUBLIC_URL"}
    assert refusal(without).startswith("ESTAFETTE_PUBLIC_URL is not set. Mails leave this machine")


def test_case_B10_no_start_without_a_sender_once_mails_leave() -> None:
    without = {name: value for name, value in ABROAD.items() if name != "ESTAFETTE_MAIL_FROM"}
    assert refusal(without).startswith("ESTAFETTE_MAIL_FROM is not set.")


@pytest.mark.parametrize("url", ["http://127.0.0.1:8025", "http://localhost", "http://[::1]:80", "http://a.localhost"])
def test_on_this_machine_alone_http_will_do(url: str) -> None:
    assert Settings.load(ABROAD | {"ESTAFETTE_PUBLIC_URL": url}).public_url == url


def test_case_B37_the_key_made_at_the_first_start_is_the_key_of_the_next(tmp_path: Path) -> None:
    first = Settings.load({})
    assert Settings.load({}).secret_keys == first.secret_keys
    assert Settings.load({"ESTAFETTE_DATA": "elsewhere"}).secret_keys != first.secret_keys
    file = tmp_path / "var" / "secret-keys"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700
    assert [found.name for found in file.parent.iterdir()] == ["secret-keys"]


def test_case_B37_a_key_file_that_was_emptied_is_no_key() -> None:
    Settings.load({})
    Path("var/secret-keys").write_text("")
    assert "holds no keys" in refusal({})


def test_a_data_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "var").write_text("a file")
    assert refusal({}).startswith("ESTAFETTE_DATA: ")


def _start(folder: str, barrier: Barrier, answers: "multiprocessing.Queue[tuple[str, ...]]") -> None:
    environ = {"ESTAFETTE_DATA": folder}
    barrier.wait(20)
    answers.put(Settings.load(environ).secret_keys)


def test_case_B37_two_processes_that_start_at_once_agree_on_the_key(tmp_path: Path) -> None:
    spawn = multiprocessing.get_context("spawn")
    barrier, answers = spawn.Barrier(2), spawn.Queue()
    processes = [spawn.Process(target=_start, args=(str(tmp_path / "new"), barrier, answers)) for _ in range(2)]
    for process in processes:
        process.start()
    assert answers.get(timeout=30) == answers.get(timeout=30)
    for process in processes:
        process.join(20)


def test_case_B37_many_threads_that_start_at_once_agree_on_the_key(tmp_path: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        keys = set(pool.map(lambda _: Settings.load({"ESTAFETTE_DATA": str(tmp_path / "new")}).secret_keys, range(16)))
    assert len(keys) == 1


def test_naming_the_settings_does_not_load_pydantic() -> None:
    program = "import sys, server.config; sys.exit('pydantic' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], check=False, cwd=Path(__file__).parents[2]).returncode == 0

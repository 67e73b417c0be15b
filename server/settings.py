"""Reads what is set, in the environment and in a TOML file, checks each, and completes the rest."""

import difflib
import ipaddress
import os
import re
import secrets
import tempfile
import tomllib
from collections.abc import Mapping
from contextlib import suppress
from email.headerregistry import Address
from email.utils import parseaddr
from pathlib import Path
from typing import Annotated, Any, Literal
from urllib.parse import SplitResult, urlsplit

from pydantic import AfterValidator, BeforeValidator, Field, ValidationError
from pydantic.fields import FieldInfo
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource

from server.config import Dkim, Settings, SettingsError

_PREFIX = "ESTAFETTE_"
_CONFIG = "ESTAFETTE_CONFIG"
_OF_THE_TESTS = "ESTAFETTE_TEST_"  # the test suite's own, which processes started by a test inherit
_SHORTEST_KEY = 32
_LARGEST_PUSH_KEY = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551  # the order of P-256


def load(environ: Mapping[str, str] | None = None) -> Settings:
    """Raises SettingsError at the first setting that is wrong."""
    environ = os.environ if environ is None else environ
    config = environ.get(_CONFIG)
    in_file = _in_toml(Path(config)) if config else {}
    return _complete(_checked(_in_environment(environ), in_file))


# Where settings are written


def _in_environment(environ: Mapping[str, str]) -> dict[str, Any]:
    ours = {
        name: value
        for name, value in environ.items()
        if name.startswith(_PREFIX) and name != _CONFIG and not name.startswith(_OF_THE_TESTS)
    }
    return _values({name.removeprefix(_PREFIX): value for name, value in ours.items()}, where="the environment")


def _in_toml(file: Path) -> dict[str, Any]:
    """Names as in the environment, or shorter: `public_url`."""
    try:
        written = tomllib.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise SettingsError(f"{_CONFIG} names {file}, which does not exist.") from None
    except OSError as error:
        raise SettingsError(f"{_CONFIG} names {file}, which cannot be read: {error.strerror}.") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SettingsError(f"{file} is not TOML: {error}.") from None
    return _values({name.upper().removeprefix(_PREFIX): value for name, value in written.items()}, where=str(file))


def _values(written: Mapping[str, Any], *, where: str) -> dict[str, Any]:
    """{field: value}; blank ones are not set, and `NAME_FILE` is read."""
    values: dict[str, Any] = {}
    for name, value in written.items():
        field = name.removesuffix("_FILE").lower()
        if field not in _Written.model_fields:
            raise SettingsError(_unknown(name, where))
        if isinstance(value, str) and not value.strip():
            continue
        if field in values:
            raise SettingsError(f"{_name(field)} and {_name(field)}_FILE are both set. Keep one of them.")
        values[field] = _content(name, value) if name.endswith("_FILE") else value
    return values


def _content(name: str, file: Any) -> str:
    try:
        return Path(file).read_text(encoding="utf-8").strip()
    except (OSError, TypeError, UnicodeDecodeError):
        raise SettingsError(f"{_PREFIX}{name} has to name a file that can be read.") from None


def _unknown(name: str, where: str) -> str:
    known = [field.upper() for field in _Written.model_fields]
    close = difflib.get_close_matches(name, [*known, *(f"{field}_FILE" for field in known), "CONFIG"], 1)
    hint = f" Did you mean {_PREFIX}{close[0]}?" if close else ""
    return f"{_PREFIX}{name}, set in {where}, is no setting of Estafette.{hint}"


def _name(field: str) -> str:
    return _PREFIX + field.upper()


# What may be written


def _listed(value: Any) -> Any:
    return tuple(re.split(r"[,\s]+", value.strip(" \t\r\n,"))) if isinstance(value, str) else value


def _long_enough(keys: tuple[str, ...]) -> tuple[str, ...]:
    if not keys or any(len(key) < _SHORTEST_KEY for key in keys):
        raise ValueError(
            f"needs keys of at least {_SHORTEST_KEY} letters each, the newest first, with commas between them. "
            "This makes one: openssl rand -hex 32"
        )
    return keys


def _public_url(url: str) -> str:
    parts = _split(url)
    if parts is None or parts.scheme not in ("http", "https") or not parts.hostname or parts.username is not None:
        raise ValueError("needs a whole address of the web, like https://games.example.org.")
    if parts.query or parts.fragment or not re.fullmatch(r"[A-Za-z0-9._~/-]*", parts.path) or "?" in url or "#" in url:
        raise ValueError("can have a path, like https://example.org/games, but nothing behind it.")
    if not parts.hostname.isascii():
        raise ValueError("needs its host in ASCII: write the form that begins with xn--.")
    if not _is_host(parts.hostname):
        raise ValueError("needs the name of a host that links can lead to, like https://games.example.org.")
    if parts.scheme == "http" and not _is_loopback(parts.hostname):
        raise ValueError("has to begin with https: links in mails let people play.")
    return f"{parts.scheme}://{parts.netloc.lower()}{parts.path.rstrip('/')}"


def _mail_url(url: str) -> str:
    if url != "mailbox:":
        from emails.transport import MailUrlError, parse_mail_url

        try:
            parse_mail_url(url)
        except MailUrlError as error:
            raise ValueError(f"cannot be used. {error}") from None
    return url


def _sender(sender: str) -> str:
    _, address = parseaddr(sender)
    if _domain(address) is None or not sender.isprintable():
        raise ValueError("needs an address, like games@example.org or Estafette <games@example.org>.")
    return sender.strip()


def _addresses(addresses: tuple[str, ...]) -> tuple[str, ...]:
    if any(_domain(address) is None for address in addresses):
        raise ValueError("needs addresses with commas between them, like ann@example.org, ben@example.org.")
    return addresses


def _is_host(name: str) -> bool:
    with suppress(ValueError):
        return bool(ipaddress.ip_address(name))
    return re.fullmatch(r"[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*\.?", name) is not None


def _host_name(domain: str) -> str:
    if not re.fullmatch(r"[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)*", domain):
        raise ValueError("needs the name of a host, like mail.example.org.")
    return domain.lower()


def _private_key(key: str) -> str:
    from emails.mime import sign

    try:
        sign(b"From: a@example.org\r\n\r\n\r\n", key.encode("ascii"), "s", "example.org")
    except ValueError:
        raise ValueError(
            "needs an RSA private key in PEM form; ESTAFETTE_DKIM_KEY_FILE reads it from a file. "
            "This makes one: openssl genrsa -out dkim.pem 2048"
        ) from None
    return key


def _inbound(url: str) -> str | None:
    if url == "none":
        return None
    parts = _split(url)
    if (
        parts is not None
        and parts.hostname
        and ((parts.scheme == "lmtp" and parts.port) or (parts.scheme == "imaps" and parts.username and parts.password))
    ):
        return url
    raise ValueError("needs lmtp://127.0.0.1:8024, imaps://user:password@host/INBOX, or none.")


def _database_url(url: str) -> str:
    scheme, _, rest = url.partition("://")
    if scheme == "sqlite" and len(rest) > 1 and rest.startswith("/") and rest != "/:memory:":
        return url
    if scheme in ("postgresql+psycopg", "postgresql", "postgres") and rest and _can_be_read(rest):
        return f"postgresql+psycopg://{rest}"
    raise ValueError(
        "needs sqlite:////var/lib/estafette/estafette.db or postgresql+psycopg://user:password@host/database."
    )


def _can_be_read(rest: str) -> bool:
    """What stands behind `postgresql://`: by SQLAlchemy, which takes more signs in a password than other readers."""
    from sqlalchemy import make_url
    from sqlalchemy.exc import ArgumentError

    try:
        make_url(f"postgresql://{rest}")
    except (ArgumentError, ValueError):
        return False
    return True


def _address_to_listen(listen: str) -> str:
    host, _, port = listen.rpartition(":")
    if not host or not re.fullmatch(r"[0-9]{1,5}", port) or int(port) > 65535:
        raise ValueError("needs host and port, like 127.0.0.1:8025.")
    return listen


def _networks(value: Any) -> Any:
    try:
        return tuple(ipaddress.ip_network(each) for each in _listed(value))
    except (TypeError, ValueError):
        raise ValueError("needs networks with commas between them, like 10.1.0.0/16, fd00::/8.") from None


def _services(names: tuple[str, ...]) -> tuple[str, ...]:
    if not all(re.fullmatch(r"[a-z][a-z0-9+-]*", name) for name in names):
        raise ValueError("needs names of Apprise's services as its addresses begin, like ntfys, tgram, discord.")
    return names


def _push_key(key: str) -> str:
    if not re.fullmatch(r"[0-9a-f]{64}", key) or not 0 < int(key, 16) < _LARGEST_PUSH_KEY:
        raise ValueError("needs 64 hexadecimal digits. This makes them: openssl rand -hex 32")
    return key


def _long_token(token: str) -> str:
    if len(token) < 16:
        raise ValueError("needs at least 16 letters. This makes some: openssl rand -hex 16")
    return token


class _Written(BaseSettings):
    """The settings as they may be written; None where the default depends on others."""

    public_url: Annotated[str, AfterValidator(_public_url)] | None = None
    mail_url: Annotated[str, AfterValidator(_mail_url)] = "mailbox:"
    mail_from: Annotated[str, AfterValidator(_sender)] | None = None
    inbound: Annotated[str, AfterValidator(_inbound)] | None = None
    reply_domain: Annotated[str, AfterValidator(_host_name)] | None = None
    authserv_id: Annotated[str, AfterValidator(_host_name)] | None = None
    dkim_key: Annotated[str, AfterValidator(_private_key)] | None = None
    dkim_selector: Annotated[str, AfterValidator(_host_name)] | None = None
    dkim_domain: Annotated[str, AfterValidator(_host_name)] | None = None
    database_url: Annotated[str, AfterValidator(_database_url)] | None = None
    data: Path = Path("var")
    secret_keys: Annotated[tuple[str, ...], BeforeValidator(_listed), AfterValidator(_long_enough)] | None = None
    listen: Annotated[str, AfterValidator(_address_to_listen)] = "127.0.0.1:8025"
    trusted_proxies: Annotated[int, Field(ge=0, le=9)] = 0
    admins: Annotated[tuple[str, ...], BeforeValidator(_listed), AfterValidator(_addresses)] = ()
    metrics_token: Annotated[str, AfterValidator(_long_token)] | None = None
    open_signup: bool = False
    hook_networks: Annotated[tuple[ipaddress.IPv4Network | ipaddress.IPv6Network, ...], BeforeValidator(_networks)] = ()
    push_key: Annotated[str, AfterValidator(_push_key)] | None = None
    apprise: Annotated[tuple[str, ...], BeforeValidator(_listed), AfterValidator(_services)] = ()
    log: Annotated[
        Literal["debug", "info", "warning", "error"],
        BeforeValidator(lambda level: level.lower() if isinstance(level, str) else level),
    ] = "info"


_RIGHT = {
    "trusted_proxies": "needs the number of proxies in front, 0 to 9.",
    "open_signup": "needs true or false.",
    "log": "needs debug, info, warning or error.",
}


class _Source(PydanticBaseSettingsSource):
    def __init__(self, kind: type[BaseSettings], values: dict[str, Any]) -> None:
        super().__init__(kind)
        self._values = values

    def get_field_value(self, field: FieldInfo, field_name: str) -> tuple[Any, str, bool]:
        return self._values.get(field_name), field_name, False

    def __call__(self) -> dict[str, Any]:
        return self._values


def _checked(environment: dict[str, Any], file: dict[str, Any]) -> _Written:
    class Here(_Written):
        @classmethod
        def settings_customise_sources(
            cls, settings_cls: type[BaseSettings], *_sources: Any, **_more: Any
        ) -> tuple[PydanticBaseSettingsSource, ...]:
            return _Source(settings_cls, environment), _Source(settings_cls, file)

    try:
        return Here()
    except ValidationError as error:
        raise SettingsError(_sentence(error)) from None


def _sentence(error: ValidationError) -> str:
    first = error.errors()[0]
    field = str(first["loc"][0])
    said = first.get("ctx", {}).get("error")
    return f"{_name(field)} {said or _RIGHT.get(field, 'is written in a way that cannot be read.')}"


# What follows from it


def _complete(written: _Written) -> Settings:
    host, _, port = written.listen.rpartition(":")
    leaves = written.mail_url != "mailbox:"
    if not leaves and not _is_loopback(host.strip("[]")) and not in_a_container():
        raise SettingsError(
            f"{_name('listen')} is open to other machines, and with mailbox: anybody who comes reads every mail and "
            f"plays every seat. Set {_name('mail_url')}, or listen on 127.0.0.1."
        )
    if leaves and written.public_url is None:
        raise SettingsError(
            f"{_name('public_url')} is not set. Mails leave this machine, so links need "
            "the address where players reach it, like https://games.example.org."
        )
    if leaves and written.mail_from is None:
        raise SettingsError(f"{_name('mail_from')} is not set. Mails need a sender, like games@example.org.")
    mail_from = written.mail_from or "Estafette <estafette@estafette.localhost>"
    database_url = written.database_url or f"sqlite:///{written.data.absolute() / 'estafette.db'}"
    return Settings(
        public_url=written.public_url or f"http://127.0.0.1:{port}",
        mail_url=written.mail_url,
        mail_from=mail_from,
        inbound=written.inbound,
        reply_domain=written.reply_domain or str(_domain(parseaddr(mail_from)[1])),
        replies=not leaves or written.inbound is not None or written.reply_domain is not None,
        authserv_id=written.authserv_id,
        dkim=_dkim(written, str(_domain(parseaddr(mail_from)[1]))),
        database_url=database_url,
        data=written.data,
        secret_keys=written.secret_keys or _own_keys(written.data, database_url),
        host=host.strip("[]"),
        port=int(port),
        trusted_proxies=written.trusted_proxies,
        admins=written.admins,
        metrics_token=written.metrics_token,
        open_signup=written.open_signup,
        hook_networks=written.hook_networks,
        push_key=written.push_key,
        apprise=written.apprise,
        log=written.log,
    )


def _dkim(written: _Written, domain: str) -> Dkim | None:
    if written.dkim_key is None:
        for field in ("dkim_selector", "dkim_domain"):
            if getattr(written, field) is not None:
                raise SettingsError(f"{_name(field)} is set, but {_name('dkim_key')} is not. Nothing could be signed.")
        return None
    if written.dkim_selector is None:
        raise SettingsError(
            f"{_name('dkim_selector')} is not set. With {_name('dkim_key')} it names the DNS record that has the "
            "public half, like s1 for s1._domainkey.example.org."
        )
    return Dkim(written.dkim_key, written.dkim_selector, written.dkim_domain or domain)


def _own_keys(folder: Path, database_url: str) -> tuple[str, ...]:
    """Kept beside the database, so links go on working after a restart; made at the first start."""
    if not database_url.startswith("sqlite"):
        raise SettingsError(
            f"{_name('secret_keys')} is not set. With PostgreSQL all machines need the same one. "
            "This makes one: openssl rand -hex 32"
        )
    file = folder / "secret-keys"
    try:
        if not file.exists():
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            make_key(file)
        return _long_enough(_listed(file.read_text(encoding="ascii")))
    except OSError as error:
        raise SettingsError(
            f"{_name('data')}: {error.strerror} at {error.filename}. It needs a folder that Estafette may write to."
        ) from None
    except ValueError:
        raise SettingsError(f"{file} holds no keys as Estafette makes them. Put it back from a backup.") from None


def make_key(file: Path) -> None:
    """Whole or not at all; of two processes at the same moment the first one's counts."""
    descriptor, draft = tempfile.mkstemp(dir=file.parent, prefix=f".{file.name}-")  # for the owner alone
    with os.fdopen(descriptor, "w", encoding="ascii") as written:
        written.write(secrets.token_hex(32) + "\n")
        written.flush()
        os.fsync(written.fileno())
    with suppress(FileExistsError):
        os.link(draft, file)
    os.unlink(draft)


def _split(url: str) -> SplitResult | None:
    try:
        parts = urlsplit(url)
        _ = parts.port, parts.hostname
    except ValueError:
        return None
    return parts if url.isprintable() and " " not in url else None


def in_a_container() -> bool:
    """There, who publishes the port decides who comes."""
    return Path("/.dockerenv").exists() or Path("/run/.containerenv").exists()


def _is_loopback(host: str) -> bool:
    with suppress(ValueError):
        return ipaddress.ip_address(host).is_loopback
    return host == "localhost" or host.endswith(".localhost")


def _domain(address: str) -> str | None:
    """Of an address that can stand in an envelope, else None."""
    try:
        parsed = Address(addr_spec=address)
    except (ValueError, IndexError):
        return None
    return parsed.domain.lower() if parsed.username and parsed.domain and address.isascii() else None

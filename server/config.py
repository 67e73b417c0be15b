"""The settings, checked and complete; or one sentence that says which is wrong and what would be right."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from ipaddress import IPv4Network, IPv6Network
from pathlib import Path


class SettingsError(Exception):
    """Names the setting and says what would be right; never repeats a value that may be secret."""


@dataclass(frozen=True)
class Dkim:
    """A key (PEM) to sign mail with, and where the world finds its public half: `<selector>._domainkey.<domain>`."""

    key: str = field(repr=False)
    selector: str
    domain: str


@dataclass(frozen=True)
class Settings:
    """What an operator has decided, defaults filled in. `deploy/README.md` explains each."""

    public_url: str
    """Begins every link; without a slash at its end."""
    mail_url: str = field(repr=False)
    mail_from: str
    inbound: str | None = field(repr=False)
    reply_domain: str
    replies: bool
    """Whether somebody reads replies: a way in is set, a host for reply addresses is named, or the built-in mailbox."""
    authserv_id: str | None
    """The host whose `Authentication-Results` are believed about incoming mail; without it a sender is as written."""
    dkim: Dkim | None
    """With what outgoing mail is signed; without it that is left to the mail server."""
    database_url: str = field(repr=False)
    data: Path
    secret_keys: tuple[str, ...] = field(repr=False)
    """The newest first."""
    host: str
    port: int
    trusted_proxies: int
    admins: tuple[str, ...]
    metrics_token: str | None = field(repr=False)
    open_signup: bool
    hook_networks: tuple[IPv4Network | IPv6Network, ...]
    """Where webhooks may go besides the public internet."""
    apprise: tuple[str, ...]
    """The services to which players may have Apprise send; empty: none."""
    push_key: str | None = field(repr=False)
    """Signs messages to browsers, 64 hexadecimal digits; without it one is made into the data folder on SQLite."""
    log: str
    """debug, info, warning or error."""

    @property
    def mail_leaves(self) -> bool:
        """False with the built-in mailbox."""
        return self.mail_url != "mailbox:"

    @classmethod
    def load(cls, environ: Mapping[str, str] | None = None) -> Settings:
        """From the environment, else from the TOML file it names. Makes the secret key where one may be made.

        Raises SettingsError.
        """
        from server.settings import load  # Pydantic takes its time, and `estafette --help` needs none of it

        return load(environ)

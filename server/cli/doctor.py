"""`estafette doctor`: what is wrong with this instance, and what to type."""

from __future__ import annotations

import os
from collections.abc import Iterator
from email.utils import parseaddr

import click

from emails.mime import Address, AddressError, Mail, compose, mail_address, message_id
from emails.transport import Status
from server import checks
from server.checks import Finding
from server.cli.run import load_settings
from server.config import Settings
from server.home import why_silent
from server.service import Service, open_service

_MARKS = {"ok": "ok   ", "wrong": "WRONG", "note": "     "}


@click.command()
@click.option("--send-test-mail", "address", metavar="ADDRESS", help="Send a mail there, to see it arrive.")
def doctor(address: str | None) -> None:
    """Check settings, database, mail and worker; say what is wrong and what to type."""
    settings = load_settings()
    wrong = 0
    for finding in _findings(settings):
        click.echo(f"{_MARKS[finding.state]} {finding.what}: {finding.says}")
        for line in finding.more:
            click.echo(f"          {line}")
        wrong += finding.state == "wrong"
    if address:
        _send_test_mail(settings, address)
    if wrong:
        raise click.ClickException("One thing is wrong." if wrong == 1 else f"{wrong} things are wrong.")


def _findings(settings: Settings) -> Iterator[Finding]:
    yield from checks.before_opening(settings, os.environ)
    database = checks.database(settings)
    yield database
    if database.state == "ok":
        service = open_service(settings)
        try:
            yield from checks.of_the_instance(service)
        finally:
            service.close()
    yield from checks.around(settings)


def _send_test_mail(settings: Settings, address: str) -> None:
    try:
        mail_address(address)
    except AddressError as error:
        raise click.ClickException(f"That is no address: {error}") from error
    service = open_service(settings)
    try:
        _send(service, address)
    finally:
        service.close()


def _send(service: Service, address: str) -> None:
    why = why_silent(service)
    if why:
        raise click.ClickException(f"No mail leaves from here. {why}")
    name, sender = parseaddr(service.settings.mail_from)
    mail = Mail(
        kind="notice",
        to=Address("", address),
        sender=Address(name or "Estafette", sender),
        envelope_from=sender,
        subject="A test mail of Estafette",
        text=f"If you read this, mail leaves from {service.settings.public_url}.\n",
        message_id=message_id(f"test-{service.now():%Y%m%d%H%M%S}", sender),
        date=service.now(),
    )
    outcome = service.transport.deliver(compose(mail), mail.envelope_from, address)
    if outcome.status is not Status.SENT:
        raise click.ClickException(f"The test mail did not leave ({outcome.phase}): {outcome.said}")
    click.echo(f"The test mail left; the mail server said: {outcome.said or 'kept in the built-in mailbox'}")

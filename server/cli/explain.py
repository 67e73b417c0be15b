"""`estafette mail explain`: what an incoming mail is taken for, step by step; it acts on nothing."""

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from emails import inbox


@click.command()
@click.argument("file")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of lines.")
def explain(file: str, as_json: bool) -> None:
    """Say what the mail in FILE (raw, `-` for standard input) is taken for."""
    # imported here, because the reader's phrase books are slow to load and no other command needs them
    from emails import inbox

    raw = _read(file)
    if as_json:
        click.echo(json.dumps(inbox.explain(raw), ensure_ascii=False, indent=2))
        return
    for name, value in _steps(inbox.read_mail(raw)):
        click.echo(f"{name:<11} {value}")


def _read(file: str) -> bytes:
    try:
        return sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
    except OSError as error:
        reason = error.strerror or "it cannot be read"
        click.echo(f"No mail was read from {file}: {reason}. Name a file with one raw mail, or -.", err=True)
        sys.exit(1)


def _steps(mail: "inbox.Incoming") -> list[tuple[str, str]]:
    """The steps of reading as (name, what came out), in their order."""
    verdict = {True: "yes, the address is gone", False: "no", None: "the mail does not say"}[mail.permanent]
    about_bounce = [
        ("status", mail.status or "none"),
        ("permanent", verdict),
        ("our fault", "yes: look at the host, its signature or the letter" if mail.our_fault else "no"),
    ]
    return [
        ("kind", mail.kind),
        ("why", mail.why),
        ("address", mail.address or "none"),
        ("subject", mail.subject or "none"),
        ("token", mail.token or "none among its recipients"),
        *(about_bounce if mail.kind == "bounce" else []),
        *(("words" if number == 0 else "", line) for number, line in enumerate(mail.text.split("\n")) if mail.text),
        ("moves", "; ".join(mail.moves) or "none"),
    ]

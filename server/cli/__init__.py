"""The `estafette` command, one file a group; a group is loaded when it is called."""

from __future__ import annotations

import importlib
import sys
from typing import Any, Final

import click

from db.turns import DatabaseBusy

COMMANDS: Final = {
    "demo": "server.cli.demo:demo",
    "serve": "server.cli.run:serve",
    "web": "server.cli.run:web",
    "worker": "server.cli.run:worker",
    "init": "server.cli.instance:init",
    "doctor": "server.cli.doctor:doctor",
    "migrate": "server.cli.instance:migrate",
    "backup": "server.cli.instance:backup",
    "restore": "server.cli.instance:restore",
    "db": "server.cli.instance:db",
    "moved": "server.cli.instance:moved",
    "keys": "server.cli.instance:keys",
    "game": "server.cli.game:game",
    "player": "server.cli.player:player",
    "mail": "server.cli.mail:mail",
    "inbound": "server.cli.mail:inbound",
    "replay": "server.cli.records:replay",
    "simulate": "server.cli.simulate:simulate",
    "check-record": "server.cli.records:check_record",
}
"""Command → where it lives; its help line is the first of its docstring, kept here too so that `--help` loads none."""

HELP: Final = {
    "demo": "Try everything on this machine: one running match, all mailboxes, no set-up.",
    "serve": "Web and worker in one process, for a small host.",
    "web": "The web alone; any number of them on PostgreSQL.",
    "worker": "The worker alone: deliver, remind, expire.",
    "init": "Ask for public address and mail server, write the settings.",
    "doctor": "Check settings, database, mail and worker; say what is wrong and what to type.",
    "migrate": "Bring the database's schema up to this program.",
    "backup": "Copy the database to a file while everything runs.",
    "restore": "Put a backup back, or check one.",
    "db": "Move the data from SQLite to PostgreSQL.",
    "moved": "Say that this is the instance now: mail leaves from here.",
    "keys": "The signing keys.",
    "game": "The operator's hands on a match.",
    "player": "People: list, show, sign in, forget.",
    "mail": "The outbox as it stands.",
    "inbound": "Take one raw mail from standard input.",
    "replay": "Replay a record and show the position.",
    "simulate": "Play whole matches in the rules core alone.",
    "check-record": "Replay finished matches and verify their shuffles.",
}


class LazyGroup(click.Group):
    """Loads a command's module when it is called, so that `--help` is quick."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module, name = COMMANDS[cmd_name].split(":")
        command: click.Command = getattr(importlib.import_module(module), name)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(HELP.items()))


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(package_name="estafette", prog_name="estafette")
def cli() -> None:
    """Estafette: slow board games by email."""


def main(arguments: list[str] | None = None) -> Any:
    """Run the command: status 0 done, 1 refused or failed (one sentence on standard error), 2 wrong usage."""
    try:
        return cli.main(arguments, prog_name="estafette", standalone_mode=False)
    except click.exceptions.Exit as done:
        sys.exit(done.exit_code)
    except click.UsageError as error:
        error.show()
        sys.exit(2)
    except click.ClickException as error:
        click.echo(error.format_message(), err=True)
        sys.exit(1)
    except (click.Abort, KeyboardInterrupt):
        click.echo("Stopped.", err=True)
        sys.exit(1)
    except BrokenPipeError:
        sys.exit(1)
    except DatabaseBusy as error:
        click.echo(_of_database(error), err=True)
        sys.exit(1)
    except OSError as error:  # a file or a folder that somebody named
        click.echo(f"{error.filename or 'What was named'} cannot be used: {error.strerror or error}.", err=True)
        sys.exit(1)


def _of_database(error: DatabaseBusy) -> str:
    cause = error.__cause__
    said = str(getattr(cause, "orig", None) or cause or error).strip().splitlines()[0].rstrip(".")
    return f"The database cannot be used: {said}. See ESTAFETTE_DATABASE_URL, or type: estafette doctor"

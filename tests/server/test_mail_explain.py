"""`estafette mail explain`, as an operator runs it."""

import json
from pathlib import Path

from click.testing import CliRunner

from server.cli.explain import explain
from tests.emails.inbox_mails import a_mail, a_status_report


def test_the_json_form_is_the_one_operators_scripts_rely_on(tmp_path: Path) -> None:
    file = tmp_path / "mail"
    file.write_bytes(a_mail("take 1L\n\n-- \nAnn\n"))
    result = CliRunner().invoke(explain, [str(file), "--json"])
    assert result.exit_code == 0
    told = json.loads(result.stdout)
    assert list(told) == ["kind", "address", "status", "permanent", "text", "moves", "why"]
    assert (told["kind"], told["text"], told["moves"]) == ("move", "take 1L", ["take 1L"])


def test_a_mail_on_standard_input_is_explained_step_by_step() -> None:
    result = CliRunner().invoke(explain, ["-"], input=a_mail("take 1L\nThanks\n"))
    assert result.exit_code == 0
    assert [line.split()[0] for line in result.stdout.splitlines()] == [
        *("kind", "why", "address", "subject", "token", "words", "Thanks", "moves"),
    ]
    assert "moves       take 1L" in result.stdout


def test_a_bounce_says_whether_the_address_is_gone() -> None:
    raw = a_status_report("smtp; 550 5.1.1 User unknown", status="5.1.1")
    result = CliRunner().invoke(explain, ["-"], input=raw)
    assert "permanent   yes, the address is gone" in result.stdout


def test_letters_that_no_terminal_can_write_are_replaced() -> None:
    raw = a_mail(b"end +2AA-", content_type="text/plain; charset=utf-7")
    result = CliRunner().invoke(explain, ["-", "--json"], input=raw)
    assert (result.exit_code, json.loads(result.stdout)["text"]) == (0, "end \ufffd")


def test_a_missing_file_is_a_sentence_and_a_failure(tmp_path: Path) -> None:
    result = CliRunner().invoke(explain, [str(tmp_path / "none"), "--json"])
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr.startswith("No mail was read from ")
    assert result.stderr.count("\n") == 1

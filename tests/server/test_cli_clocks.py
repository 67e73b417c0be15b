"""The operator stops and starts the clocks of all matches, and offers a seat."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest
from click.testing import CliRunner

from server.cli.game import game
from server.service import Service
from tests.server.builders import a_match, letters


def test_the_operator_stops_the_world_and_starts_it_again(
    service: Service, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, database_url: str
) -> None:
    monkeypatch.setenv("ESTAFETTE_DATABASE_URL", database_url)
    monkeypatch.setenv("ESTAFETTE_DATA", str(tmp_path))
    monkeypatch.setenv("ESTAFETTE_SECRET_KEYS", "k" * 40)
    match_id = a_match(service.matches, service.now() - timedelta(hours=1), pace={"hours": 10})

    def run(*words: str) -> tuple[int, str]:
        result = CliRunner().invoke(game, list(words))
        return result.exit_code, result.output

    assert run("stop-all", "--why", "the power is off")[0] == 0
    code, said = run("stop-all", "--why", "again")
    assert (code, "stand still already" in said) == (1, True)
    assert "All clocks go on" in run("start-all")[1]
    code, said = run("start-all")
    assert (code, "are not stopped" in said) == (1, True)
    assert run("offer", match_id, "--seat", "1", "--to", "Cat <cat@players.example>")[0] == 0
    assert [letter.seat for letter in letters(service, kind="invitation")] == [1]
    assert run("offer", match_id, "--seat", "1", "--to", "house")[0] == 2
    assert run("offer", match_id, "--seat", "9", "--to", "Dan <dan@players.example>")[0] == 1

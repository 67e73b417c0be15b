"""Mutation testing of the rules with mutmut: how many small mistakes in them the tests of the rules notice.

    python -m tests.mutants [core | GAME…]     # the core and all games without names

A game is judged by `tests/rules/<game>` and its recorded matches alone, the core (what lies in `server/rules` itself)
by all tests of the rules; without the tests that are marked as slow: those play whole matches at random, and a rule
should have a test that says what it is. Not mutated are the printed things and the words, what is told, said and
refused: a changed letter in a sentence is seen by people. Exit status 1 if less than nine of ten are noticed.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

from server.rules import GAMES

ROOT = Path(__file__).parents[2]
CORE = "core"
WANTED = 0.9
NOTICED = ("killed", "timeout")
SETTINGS = """\
[tool.pytest.ini_options]
addopts = "-p no:cacheprovider"
markers = ["rule(number): the rule's paragraph", "slow: takes more than some seconds"]

[tool.mutmut]
source_paths = ["server"]
only_mutate = {mutated}
do_not_mutate = [
  "*/edition.py", "*/wording.py", "*/position_in_words.py", "*/sentences.py", "*/naming.py"
]
do_not_mutate_patterns = ['\\b(tell|say|sentence|refuse|\\w+Error)\\(']
pytest_add_cli_args_test_selection = {tests}
pytest_add_cli_args = ["-x", "-q", "-m", "not slow"]
use_git_change_detection = false
timeout_multiplier = 10
timeout_constant = 60
"""


def mutated(part: str) -> list[str]:
    if part != CORE:
        return [f"server/rules/{part}/*.py"]
    return [str(file.relative_to(ROOT)) for file in (ROOT / "server" / "rules").glob("*.py")]


def tests_of(part: str) -> list[str]:
    if part != CORE:
        return [f"tests/rules/{part}", "tests/rules/test_records.py::test_a_recorded_match_leads_where_it_led"]
    return ["tests/rules"]


def a_copy(part: str) -> Path:
    """What the rules and their tests need, in a folder that mutmut may change; it stays to be looked at."""
    folder = ROOT / "var" / "mutants" / part
    shutil.rmtree(folder, ignore_errors=True)
    for needed in ("server", "tests/rules", "tests/records", "emails", "db"):
        shutil.copytree(ROOT / needed, folder / needed, ignore=shutil.ignore_patterns("__pycache__"))
    (folder / "tests" / "__init__.py").touch()
    for of_house_players in (folder / "tests" / "rules").rglob("test_house*.py"):
        of_house_players.unlink()
    settings = SETTINGS.format(mutated=mutated(part), tests=tests_of(part))
    (folder / "pyproject.toml").write_text(settings, encoding="utf-8")
    return folder


def judge(folder: Path) -> dict[str, str]:
    """What became of each mutant, by its name."""
    warm, mutmut = str(Path(__file__).with_name("warm.py")), str(Path(sys.executable).with_name("mutmut"))
    seen = None if sys.stdout.isatty() else subprocess.DEVNULL
    alone = os.environ | {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    subprocess.run([sys.executable, warm], cwd=folder, check=True, env=alone, stdout=seen)
    told = subprocess.run([mutmut, "results", "--all", "true"], cwd=folder, check=True, capture_output=True, text=True)
    lines = (line.strip().rpartition(": ") for line in told.stdout.splitlines() if "__mutmut_" in line)
    return {name: fate for name, _, fate in lines}


def main() -> int:
    failed = 0
    for part in sys.argv[1:] or [CORE, *GAMES]:
        began = time.monotonic()
        folder = a_copy(part)
        fates = judge(folder)
        counts = Counter(fates.values())
        share = sum(counts[fate] for fate in NOTICED) / len(fates)
        failed += share < WANTED
        print("\n".join(f"{name}: {fate}" for name, fate in fates.items() if fate not in NOTICED))
        took = (time.monotonic() - began) / 60
        print(f"{part}: {share:.1%} of {len(fates)} mutants are noticed, in {took:.0f} minutes; {dict(counts)}")
        print(f"To see one: (cd {folder.relative_to(ROOT)}; mutmut show NAME)", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

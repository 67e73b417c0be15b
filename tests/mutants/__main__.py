"""Mutation testing of the rules with mutmut: how many small mistakes in a game's rules its own tests notice.

    python -m tests.mutants [GAME…]     # all games without names

Every game is judged by `tests/rules/<game>` and its recorded matches alone, and without the tests that are marked as
slow: those play whole matches at random, and a rule should have a test that says what it is. Not mutated are the
printed things and the words, what is told, said and refused: a changed letter in a sentence is seen by people. Exit
status 1 if a game's tests notice less than nine of ten.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from server.rules import GAMES

ROOT = Path(__file__).parents[2]
WANTED = 0.9
TESTS = ["tests/rules/{game}", "tests/rules/test_records.py::test_a_recorded_match_leads_where_it_led"]
ARGUMENTS = ["-x", "-q", "-m", "not slow"]
ALONE = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
NOTICED = ("killed", "timeout")
SETTINGS = """\
[tool.pytest.ini_options]
addopts = "-p no:cacheprovider"
markers = ["rule(number): the rule's paragraph", "slow: takes more than some seconds"]

[tool.mutmut]
source_paths = ["server"]
only_mutate = ["server/rules/{game}/*.py"]
do_not_mutate = [
  "*/edition.py", "*/wording.py", "*/position_in_words.py", "*/sentences.py", "*/naming.py"
]
do_not_mutate_patterns = ['\\b(tell|say|sentence|refuse)\\(']
pytest_add_cli_args_test_selection = {tests}
pytest_add_cli_args = {arguments}
use_git_change_detection = false
timeout_multiplier = 10
timeout_constant = 2
"""


def tests_of(game: str) -> list[str]:
    return [each.format(game=game) for each in TESTS]


def a_copy(game: str) -> Path:
    """What the rules and their tests need, in a folder that mutmut may change; it stays to be looked at."""
    folder = ROOT / "var" / "mutants" / game
    shutil.rmtree(folder, ignore_errors=True)
    for part in ("server", "tests/rules", "tests/records", "emails", "db"):
        shutil.copytree(ROOT / part, folder / part, ignore=shutil.ignore_patterns("__pycache__"))
    (folder / "tests" / "__init__.py").touch()
    for slow in (folder / "tests" / "rules").glob("*/test_house.py"):
        slow.unlink()
    (folder / "pyproject.toml").write_text(
        SETTINGS.format(game=game, tests=tests_of(game), arguments=ARGUMENTS), encoding="utf-8"
    )
    return folder


def judge(folder: Path) -> dict[str, str]:
    """What became of each mutant, by its name."""
    warm, mutmut = str(Path(__file__).with_name("warm.py")), str(Path(sys.executable).with_name("mutmut"))
    seen = None if sys.stdout.isatty() else subprocess.DEVNULL
    subprocess.run([sys.executable, warm], cwd=folder, check=True, env=os.environ | ALONE, stdout=seen)
    told = subprocess.run([mutmut, "results", "--all", "true"], cwd=folder, check=True, capture_output=True, text=True)
    lines = (line.strip().rpartition(": ") for line in told.stdout.splitlines() if "__mutmut_" in line)
    fates = {name: fate for name, _, fate in lines}
    alive = [name for name, fate in fates.items() if fate not in NOTICED]
    with ThreadPoolExecutor(os.cpu_count()) as at_once:
        return fates | dict(zip(alive, at_once.map(lambda name: cold(folder, name), alive), strict=True))


def cold(folder: Path, name: str) -> str:
    """The fate of a mutant in a process of its own, all tests: some of the rules are read when a game is imported."""
    command = [sys.executable, "-m", "pytest", "--rootdir=.", "--tb=no", *ARGUMENTS, *tests_of(folder.name)]
    alone = os.environ | ALONE | {"MUTANT_UNDER_TEST": name}
    try:
        ran = subprocess.run(command, cwd=folder / "mutants", env=alone, capture_output=True, timeout=300)
    except subprocess.TimeoutExpired:
        return "timeout"
    return "killed" if ran.returncode else "survived"


def main() -> int:
    failed = 0
    for game in sys.argv[1:] or GAMES:
        folder = a_copy(game)
        fates = judge(folder)
        counts = Counter(fates.values())
        share = sum(counts[fate] for fate in NOTICED) / len(fates)
        failed += share < WANTED
        print("\n".join(f"{name}: {fate}" for name, fate in fates.items() if fate not in NOTICED))
        print(f"{game}: {share:.1%} of {len(fates)} mutants are noticed; {dict(counts)}")
        print(f"To see one: (cd {folder.relative_to(ROOT)}; mutmut show NAME)", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

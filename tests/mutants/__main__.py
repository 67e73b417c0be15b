"""Mutation testing of the rules with mutmut: how many small mistakes in a game's rules its own tests notice.

    python -m tests.mutants [GAME…]     # all games without names; some twenty minutes each

Every game is judged by `tests/rules/<game>` alone. Not mutated are the printed things and the words: a changed letter
in a sentence is seen by people. Exit status 1 if a game's tests notice less than nine of ten.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

from server.rules import GAMES

ROOT = Path(__file__).parents[1]
WANTED = 0.9
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
pytest_add_cli_args_test_selection = ["tests/rules/{game}"]
pytest_add_cli_args = ["-x", "-q"]
use_git_change_detection = false
timeout_multiplier = 10
"""


def a_copy(folder: Path, game: str) -> None:
    """What the rules and their tests need, in a folder that mutmut may change."""
    for part in ("server", "tests/rules", "tests/records", "emails", "db"):
        shutil.copytree(ROOT / part, folder / part, ignore=shutil.ignore_patterns("__pycache__"))
    (folder / "tests" / "__init__.py").touch()
    for slow in (folder / "tests" / "rules").glob("*/test_house.py"):
        slow.unlink()
    (folder / "pyproject.toml").write_text(SETTINGS.format(game=game), encoding="utf-8")


def judge(folder: Path) -> tuple[Counter[str], list[str]]:
    """How many mutants met which fate, and the names of those that lived."""
    mutmut = str(Path(sys.executable).with_name("mutmut"))
    subprocess.run([mutmut, "run"], cwd=folder, check=False)
    told = subprocess.run([mutmut, "results", "--all", "true"], cwd=folder, check=True, capture_output=True, text=True)
    fates = [line.strip().rpartition(": ") for line in told.stdout.splitlines() if "__mutmut_" in line]
    return Counter(fate for _, _, fate in fates), [name for name, _, fate in fates if fate != "killed"]


def main() -> int:
    failed = 0
    for game in sys.argv[1:] or GAMES:
        with tempfile.TemporaryDirectory(prefix="estafette-mutants-") as folder:
            a_copy(Path(folder), game)
            fates, alive = judge(Path(folder))
        share = (fates["killed"] + fates["timeout"]) / max(1, fates.total())
        failed += share < WANTED
        print("\n".join(alive))
        print(f"{game}: {share:.1%} of {fates.total()} mutants are noticed; {dict(fates)}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

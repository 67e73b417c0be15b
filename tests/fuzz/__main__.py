"""Coverage-guided fuzzing of the readers with atheris (libFuzzer), which looks for new ways through the code.

python -m tests.fuzz SECONDS [FOLDER]     # each reader for so long; the folder keeps what was found for next time
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

NAMES = ("token", "move", "record", "mail")
OURS = ["emails", "server.rules", "server.links", "server.pages.once"]


def fuzz(name: str, seconds: str, corpus: Path) -> None:
    """In this process, which libFuzzer ends."""
    import atheris

    with atheris.instrument_imports(include=OURS):
        from tests.fuzz import readers
    corpus.mkdir(parents=True, exist_ok=True)
    for number, seed in enumerate(readers.seeds(name)):
        (corpus / f"seed-{number}").write_bytes(seed)
    options = [
        f"-max_total_time={seconds}",
        "-rss_limit_mb=0",
        f"-artifact_prefix={corpus.parent}/{name}-",
        "-verbosity=1",
    ]
    atheris.Setup([sys.argv[0], str(corpus), *options], readers.READERS[name])
    atheris.Fuzz()


def main() -> int:
    """How many readers failed."""
    seconds = sys.argv[1] if len(sys.argv) > 1 else "60"
    folder = Path(sys.argv[2] if len(sys.argv) > 2 else tempfile.mkdtemp(prefix="estafette-fuzz-"))
    if "ESTAFETTE_FUZZ" in os.environ:
        fuzz(os.environ["ESTAFETTE_FUZZ"], seconds, folder / os.environ["ESTAFETTE_FUZZ"])
    print(f"Each reader for {seconds} s; what is found is kept in {folder}", flush=True)
    with ThreadPoolExecutor(os.cpu_count()) as at_once:
        told = list(at_once.map(lambda name: in_another_process(name, seconds, folder), NAMES))
    return sum(told)


def in_another_process(name: str, seconds: str, folder: Path) -> bool:
    """Whether it failed; says how it went."""
    again = [sys.executable, "-m", "tests.fuzz", seconds, str(folder)]
    ran = subprocess.run(again, env={**os.environ, "ESTAFETTE_FUZZ": name}, capture_output=True, text=True)
    lines = (ran.stdout + ran.stderr).splitlines()
    print("\n".join([f"{name}:", *lines[-1 if ran.returncode == 0 else -60 :]]), flush=True)
    return ran.returncode != 0


if __name__ == "__main__":
    sys.exit(main())

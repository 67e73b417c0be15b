"""All benchmarks, one after the other: `make bench`; or some of them: `python -m tests.perf p3 p7`.

What they print is for reading along; table (`results.md`, `results.csv`) and plot (`results.svg`) go into a folder.
"""

from __future__ import annotations

import argparse
import importlib
import pkgutil
from pathlib import Path

import tests.perf
from tests.perf import figures


def main() -> None:
    names = [module.name for module in pkgutil.iter_modules(tests.perf.__path__) if module.name.startswith("p")]
    rows = {name.partition("_")[0]: name for name in sorted(names, key=lambda name: int(name[1:].partition("_")[0]))}
    parser = argparse.ArgumentParser(prog="python -m tests.perf", description=__doc__)
    parser.add_argument("rows", nargs="*", metavar="ROW", help=f"of {', '.join(rows)}; without any, all")
    parser.add_argument("--to", type=Path, default=Path("var/bench"), metavar="FOLDER")
    chosen = parser.parse_args()
    unknown = set(chosen.rows) - rows.keys()
    if unknown:
        parser.error(f"There is no {', '.join(sorted(unknown))}. There are {', '.join(rows)}.")
    found: list[figures.Figure] = []
    for row in chosen.rows or rows:
        found += importlib.import_module(f"tests.perf.{rows[row]}").measured()
        print(flush=True)
        figures.write(found, chosen.to)
    print(f"table and plot: {chosen.to}/results.md, results.csv, results.svg")


if __name__ == "__main__":
    main()

"""All benchmarks, one after the other: `make bench`; or one of them: `python -m tests.perf p3`."""

import importlib
import pkgutil
import sys

import tests.perf


def main(wanted: list[str]) -> None:
    names = sorted(module.name for module in pkgutil.iter_modules(tests.perf.__path__) if module.name.startswith("p"))
    names.sort(key=lambda name: int(name[1:].partition("_")[0]))
    arguments, sys.argv = wanted, [sys.argv[0]]
    for name in names:
        if arguments and name.partition("_")[0] not in arguments:
            continue
        importlib.import_module(f"tests.perf.{name}").main()
        print(flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])

"""mutmut with tests that are collected once: a script that is run in a folder which mutmut may change.

mutmut starts pytest anew for each mutant, and asks at each call of a function which mutant is meant: both take longer
than the test that notices it. Here the process of a mutant is forked from one that has imported and collected
everything; in it the function gets the code of its mutant, and the tests that reach it run, the quick ones first,
until one fails. A function that had its say while the games were imported gets a second trial if none does: all is
imported anew with the mutant, and every test runs.

What a test may take is processor time, ten times what it took, so that a busy machine makes no mutant a timeout.
"""

from __future__ import annotations

import math
import os
import resource
import sys
from collections.abc import Callable, Iterable
from contextlib import redirect_stdout
from pathlib import Path
from time import process_time
from typing import Any

import pytest
from _pytest.config import _prepareconfig
from mutmut import __main__ as mutmut
from mutmut.mutation import trampoline
from mutmut.runners.harness import PytestRunner
from mutmut.state import state
from mutmut.utils.file_utils import change_cwd
from mutmut.utils.format_utils import mangled_name_from_mutant_name
from mutmut.workers import isolation

SUSPICIOUS = 35
"""For mutmut: something else than a test failed."""

asks_at_each_call = trampoline.wrap_in_trampoline
with_mutants: list[tuple[Any, dict[str, Any]]] = []
"""Each function that has mutants, and these by name."""


def remember(mutants: dict[str, Any], is_classmethod: bool = False) -> Callable[[Any], Any]:
    def as_it_is(function: Any) -> Any:
        with_mutants.append((function, mutants))
        return function

    return as_it_is


def become(mutant: str) -> None:
    module, _, name = mutant.rpartition(".")
    ((function, mutants),) = ((f, some) for f, some in with_mutants if f.__module__ == module and name in some)
    for part in ("__code__", "__defaults__", "__kwdefaults__"):
        setattr(function, part, getattr(mutants[name], part))


class Collected(PytestRunner):  # type: ignore[misc]
    session: pytest.Session
    at_import: frozenset[str] = frozenset()
    """Functions that are called before the first test."""

    def execute_pytest(self, params: list[str], *, plugins: Iterable[object] = ()) -> int:
        return int(super().execute_pytest(params, plugins=[*plugins, self]))

    def run_stats(self, *, tests: Iterable[str]) -> int:
        """Which tests reach a function; the quickest one stands for those that none reaches after the import."""
        failed = int(super().run_stats(tests=tests))
        quickest = min(state().duration_by_test, key=state().duration_by_test.__getitem__)
        for function in self.at_import:
            state().tests_by_mangled_function_name[function] |= {quickest}
        return failed

    def pytest_collection_finish(self) -> None:
        self.at_import = frozenset(state()._stats)
        state()._stats.clear()

    def pytest_runtest_setup(self) -> None:
        forget_what_is_cached()

    def collect(self) -> None:
        """What `pytest.main` does before it runs the first test."""
        forget_what_is_imported()
        options = ["--rootdir=.", "--tb=native", "-s"]
        nowhere = open(os.devnull, "w")  # noqa: SIM115  where the mutants' processes tell of their tests
        with change_cwd("mutants"), redirect_stdout(nowhere):
            config = _prepareconfig([*options, *self._pytest_add_cli_args, *self._pytest_add_cli_args_test_selection])
            config._do_configure()
            self.session = pytest.Session.from_config(config)
            config.hook.pytest_sessionstart(session=self.session)
            self.session.perform_collect()
        forget_what_is_cached()

    def run_tests(self, *, mutant_name: str | None, tests: Iterable[str]) -> int:
        """0 if all pass, 1 if one fails."""
        try:
            if mutant_name is None:
                return self._run(item.nodeid for item in self.session.items)
            become(mutant_name)
            failed = self._run(tests)
            if not failed and mangled_name_from_mutant_name(mutant_name) in self.at_import:
                return self._run_anew()
            return failed
        except BaseException:
            return SUSPICIOUS

    def _run_anew(self) -> int:
        trampoline.wrap_in_trampoline = asks_at_each_call
        try:
            self.collect()
        except Exception:
            return 1
        tests = sorted((item.nodeid for item in self.session.items), key=state().duration_by_test.__getitem__)
        return 1 if self.session.testsfailed else self._run(tests)

    def _run(self, tests: Iterable[str]) -> int:
        by_name = {item.nodeid: item for item in self.session.items}
        items = [by_name[test] for test in tests]
        with change_cwd("mutants"):
            for item, following in zip(items, [*items[1:], None], strict=True):
                allow(2 + 10 * state().duration_by_test[item.nodeid])
                self.session.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
                if self.session.testsfailed:
                    return 1
        return 0


class WarmRunner(isolation.ForkRunner):  # type: ignore[misc]
    def run_clean_tests(self, tests: Iterable[str]) -> int:
        trampoline.wrap_in_trampoline = remember
        self.test_runner.collect()
        return int(isolation.run_in_fork(self.test_runner.run_tests, mutant_name=None, tests=tests))

    def run_forced_fail(self) -> int:
        """No call asks which mutant is meant, so none can be made to fail."""
        return 1


def allow(seconds: float) -> None:
    """From now on this process gets that much processor time, then SIGXCPU: mutmut's timeout."""
    _, most = resource.getrlimit(resource.RLIMIT_CPU)
    limit = math.ceil(process_time() + seconds)
    resource.setrlimit(resource.RLIMIT_CPU, (limit if most == resource.RLIM_INFINITY else min(limit, most), most))


def ours() -> Iterable[tuple[str, Any]]:
    """The modules of the folder: the games and their tests."""
    folder = f"{Path.cwd()}{os.sep}"
    return [
        (name, each) for name, each in sys.modules.items() if (getattr(each, "__file__", "") or "").startswith(folder)
    ]


def forget_what_is_imported() -> None:
    for name, _ in ours():
        del sys.modules[name]
    with_mutants.clear()


def forget_what_is_cached() -> None:
    """What the rules worked out before would hide a mistake from those who ask again."""
    for _, module in ours():
        for each in vars(module).values():
            if hasattr(each, "cache_clear"):
                each.cache_clear()


if __name__ == "__main__":
    isolation.PytestRunner, isolation.ForkRunner = Collected, WarmRunner
    mutmut._run(sys.argv[1:], None)

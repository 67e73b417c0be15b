"""mutmut with tests that are collected once: a script that is run in a folder which mutmut may change.

mutmut starts pytest anew for each mutant, which takes longer than the test that notices it. Here the process of a
mutant is forked from one that has imported and collected everything; it runs the tests that reach the mutated
function, the quick ones first, until one fails.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from contextlib import redirect_stdout

import pytest
from _pytest.config import _prepareconfig
from mutmut import __main__ as mutmut
from mutmut.runners.harness import PytestRunner
from mutmut.utils.file_utils import change_cwd
from mutmut.workers import isolation

SUSPICIOUS = 35
"""For mutmut: something else than a test failed."""


class Collected(PytestRunner):  # type: ignore[misc]
    session: pytest.Session | None = None

    def collect(self) -> None:
        """What `pytest.main` does before it runs the first test."""
        options = ["--rootdir=.", "--tb=native", "-s"]
        nowhere = open(os.devnull, "w")  # noqa: SIM115  where the mutants' processes tell of their tests
        with change_cwd("mutants"), redirect_stdout(nowhere):
            config = _prepareconfig([*options, *self._pytest_add_cli_args, *self._pytest_add_cli_args_test_selection])
            config._do_configure()
            self.session = pytest.Session.from_config(config)
            config.hook.pytest_sessionstart(session=self.session)
            self.session.perform_collect()

    def run_tests(self, *, mutant_name: str | None, tests: Iterable[str]) -> int:
        if self.session is None:
            return int(super().run_tests(mutant_name=mutant_name, tests=tests))
        try:
            return self._run_collected(self.session, tests)
        except BaseException:
            return SUSPICIOUS

    def _run_collected(self, session: pytest.Session, tests: Iterable[str]) -> int:
        """0 if all pass, 1 if one fails."""
        by_name = {item.nodeid: item for item in session.items}
        items = [by_name[test] for test in tests]
        with change_cwd("mutants"):
            for item, following in zip(items, [*items[1:], None], strict=True):
                session.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
                if session.testsfailed:
                    return 1
        return 0


class WarmRunner(isolation.ForkRunner):  # type: ignore[misc]
    def startup(self) -> None:
        """The last thing before the first mutant."""
        self.test_runner.collect()
        forget_what_is_cached()
        super().startup()


def forget_what_is_cached() -> None:
    """What the rules worked out before would hide a mistake from those who ask again."""
    for name, module in list(sys.modules.items()):
        if name.startswith(("server.", "tests.")):
            for each in vars(module).values():
                if hasattr(each, "cache_clear"):
                    each.cache_clear()


if __name__ == "__main__":
    isolation.PytestRunner, isolation.ForkRunner = Collected, WarmRunner
    mutmut._run(sys.argv[1:], None)

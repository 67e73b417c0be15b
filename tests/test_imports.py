"""Who imports whom: the arrows of the architecture, read from the code."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent

ALL_MAY_IMPORT = {"emails.language", "server.speech"}
"""Words in the reader's language."""

MAY_IMPORT = {
    "emails.language": set(),
    "server.speech": {"server.rules"},
    "server.rules": set(),
    "db": {"db"},
    "server.boards": {"server.rules"},
    "server.house": {"server.rules"},
    "server.views": {"server.hours", "server.rules"},
    "server.links": set(),
    "server.config": {"server.settings"},
    "server.settings": {"server.config", "emails.mime", "emails.transport"},
    "server.hours": set(),
    "server.reminders": {"server.hours"},
    "server.vacations": {"server.hours"},
    "server.pace": {"server.hours"},
    "server.clocks": {"server.hours", "server.pace", "server.reminders"},
    "emails": {"db", "server.rules", "server.boards", "server.pace", "server.views", "server.words"},
    "server.plays": {"db", "server.rules"},
    "server.alarms": {"db", "emails"},
    "server.seats": {"db", "emails", "server.clocks", "server.hours", "server.words"},
    "server.matches": {
        *("db", "emails", "server.alarms", "server.clocks", "server.hours", "server.links", "server.pace"),
        *("server.plays", "server.rules", "server.seats", "server.views", "server.words"),
    },
    "server.beginning": {
        *("db", "emails", "server.links", "server.matches", "server.pace", "server.plays", "server.rules"),
        *("server.seats", "server.words"),
    },
    "server.overtime": {
        *("db", "server.clocks", "server.hours", "server.house", "server.matches", "server.pace"),
        *("server.reminders", "server.rules", "server.seats"),
    },
    "server.fresh_links": {"db", "server.links", "server.matches", "server.seats"},
}
"""What each part may import of ours, besides itself; parts that are not named put things together."""

NO_WORDS = {"server.rules", "db"}
"""They say nothing to people, or say it as templates that others translate."""

FORBIDDEN = {
    "server.pages": {"server.house", "sqlalchemy", "sqlmodel"},
    "server.clock": {"server.rules", "server.house", "sqlalchemy", "sqlmodel"},
    "server.rules": {"flask", "sqlmodel", "sqlalchemy", "random", "time", "datetime", "os", "secrets"},
}


def modules() -> Iterator[tuple[str, Path]]:
    for package in ("server", "emails", "db"):
        for file in sorted((ROOT / package).rglob("*.py")):
            parts = file.relative_to(ROOT).with_suffix("").parts
            yield ".".join(parts[:-1] if parts[-1] == "__init__" else parts), file


def imports(file: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def within(name: str, part: str) -> bool:
    return name == part or name.startswith(f"{part}.")


@pytest.mark.parametrize("part", MAY_IMPORT)
def test_a_part_imports_only_what_stands_below_it(part: str) -> None:
    strangers = []
    for module, file in modules():
        if not within(module, part):
            continue
        for name in imports(file):
            ours = name.split(".")[0] in ("server", "emails", "db")
            allowed = {part, *MAY_IMPORT[part], *(ALL_MAY_IMPORT if part not in NO_WORDS else ())}
            if ours and name not in ("server", "emails", "db") and not any(within(name, each) for each in allowed):
                strangers.append(f"{module} imports {name}")
    assert strangers == []


@pytest.mark.parametrize("part", FORBIDDEN)
def test_a_part_keeps_away_from_what_is_not_its_business(part: str) -> None:
    found = [
        f"{module} imports {name}"
        for module, file in modules()
        if within(module, part)
        for name in imports(file)
        if any(within(name, each) for each in FORBIDDEN[part])
    ]
    assert found == []


def test_the_rules_need_the_standard_library_alone() -> None:
    import sys

    found = [
        f"{module} imports {name}"
        for module, file in modules()
        if within(module, "server.rules")
        for name in imports(file)
        if name.split(".")[0] not in sys.stdlib_module_names and not within(name, "server.rules") and name != "server"
    ]
    assert found == []

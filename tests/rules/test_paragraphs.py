"""Every numbered paragraph of a game's rules has a test that is marked with it, and every mark names a paragraph."""

import ast
import re
from collections.abc import Iterator
from importlib import resources
from pathlib import Path

import pytest

from server.rules import GAMES

TESTS = Path(__file__).parents[1]
PARAGRAPH = re.compile(r"^(\d+\.\d+[a-z]?)\s", re.MULTILINE)
CHAPTER = re.compile(r"^## (\d+) ", re.MULTILINE)


def rules_of(game: str) -> str:
    return (resources.files(f"server.rules.{game}") / "rules.md").read_text(encoding="utf-8")


def paragraphs(rules: str) -> list[str]:
    """The numbers of the paragraphs, as they stand."""
    return PARAGRAPH.findall(rules)


def marks() -> dict[str, list[str]]:
    """For each number that a test is marked with the tests that are."""
    found: dict[str, list[str]] = {}
    for file in sorted(TESTS.rglob("test_*.py")):
        for number, test in marks_in(file.read_text(encoding="utf-8")):
            found.setdefault(number, []).append(f"{file.relative_to(TESTS)}::{test}")
    return found


def marks_in(source: str) -> Iterator[tuple[str, str]]:
    """The marks `@pytest.mark.rule("…")` in a test file, on tests, on classes and on single parameters."""
    if "mark.rule" not in source:
        return
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            for decorator in node.decorator_list:
                for call in ast.walk(decorator):
                    yield from ((number, node.name) for number in _numbers(call))


def _numbers(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Call) and ast.unparse(node.func).endswith("mark.rule"):
        for argument in node.args:
            assert isinstance(argument, ast.Constant), f"{ast.unparse(node)}: the number must be written out"
            yield argument.value


MARKS = marks()


@pytest.mark.parametrize("game", GAMES)
def test_every_paragraph_of_the_rules_has_a_test(game: str):
    without = [number for number in paragraphs(rules_of(game)) if f"{game} {number}" not in MARKS]
    assert not without, f"no test is marked with these paragraphs of {game}: {', '.join(without)}"


@pytest.mark.parametrize("game", GAMES)
def test_every_mark_names_a_paragraph_of_the_rules(game: str):
    known = {f"{game} {number}" for number in paragraphs(rules_of(game))}
    wrong = {mark: tests for mark, tests in MARKS.items() if mark.split()[0] == game and mark not in known}
    assert not wrong


def test_every_mark_names_a_game():
    wrong = {mark: tests for mark, tests in MARKS.items() if mark.partition(" ")[0] not in GAMES}
    assert not wrong


@pytest.mark.parametrize("game", GAMES)
def test_the_paragraphs_are_numbered_by_chapter_without_a_gap(game: str):
    rules = rules_of(game)
    chapters = [int(number) for number in CHAPTER.findall(rules)]
    assert chapters == list(range(1, len(chapters) + 1))
    expected = [
        f"{chapter}.{number}"
        for chapter in chapters
        for number in range(1, 1 + sum(each.startswith(f"{chapter}.") for each in paragraphs(rules)))
    ]
    assert paragraphs(rules) == expected
    assert expected


def test_marks_are_found_on_tests_classes_and_parameters():
    source = """
@pytest.mark.rule("regions 1.1")
@pytest.mark.rule("regions 1.2")
def test_a(): ...

@pytest.mark.rule("regions 1.3")
class TestB: ...

@pytest.mark.parametrize("x", [1, pytest.param(2, marks=pytest.mark.rule("regions 1.4"))])
def test_c(): ...
"""
    assert sorted(marks_in(source)) == [
        ("regions 1.1", "test_a"),
        ("regions 1.2", "test_a"),
        ("regions 1.3", "TestB"),
        ("regions 1.4", "test_c"),
    ]


def test_a_paragraph_is_a_number_at_the_beginning_of_a_line():
    assert paragraphs("## 1 Setting up\n\n1.1 There are 2.5 cards.\nSee\n1.2 and 1.3.\n\n10.12 Last.\n") == [
        "1.1",
        "1.2",
        "10.12",
    ]

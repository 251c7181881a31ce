"""Which tests show which rule of the styles' documents: read from the tests' own markers."""

from __future__ import annotations

import ast
import tomllib
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
TESTS = ROOT / "tests"
LEDGER = TESTS / "styles" / "rules.toml"
UNSHOWN = "**not shown yet**"


def rules() -> Iterator[str]:
    """The ids of all rules, a document after the other."""
    for document, number in ledger()["documents"].items():
        yield from (f"{document}-{place:03}" for place in range(1, number + 1))


def ledger() -> dict[str, Any]:
    """How many rules each document has, and what is said of those that no test shows."""
    return tomllib.loads(LEDGER.read_text(encoding="utf-8"))


def shown() -> dict[str, list[str]]:
    """The tests of each rule that any test shows, as `tests/file.py::test`."""
    found: dict[str, list[str]] = defaultdict(list)
    for path in sorted(TESTS.rglob("test_*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef):
                for rule in marked(node):
                    found[rule].append(f"{path.relative_to(ROOT)}::{node.name}")
    return found


def marked(test: ast.FunctionDef) -> Iterator[str]:
    """The ids in the markers of one test."""
    for mark in test.decorator_list:
        if isinstance(mark, ast.Call) and ast.unparse(mark.func) == "pytest.mark.rule":
            yield from (ast.literal_eval(argument) for argument in mark.args)


def excused() -> dict[str, str]:
    """What is said of each rule that no test shows."""
    return {rule: reason for reason, named in ledger()["unshown"].items() for rule in named}


def body() -> Iterator[str]:
    """The page."""
    tests, reasons = shown(), excused()
    everything = list(rules())
    missing = [rule for rule in everything if rule not in tests and rule not in reasons]
    yield (
        "Five documents describe five variants of the loop, and the styles `checklist` (000), `contract` (001), `rubric` (002), "
        "`deadline` (003), `metric` (004) and `karpathy` (K) follow them. Their rules are numbered; a test names in its marker those that it shows."
    )
    yield (
        f"\n{len(everything)} rules: {sum(rule in tests for rule in everything)} shown by tests, "
        f"{sum(rule not in tests and rule in reasons for rule in everything)} explained, {len(missing)} neither.\n"
    )
    yield "| rule | shown by |\n| --- | --- |"
    for rule in everything:
        by = "<br>".join(f"`{name}`" for name in tests.get(rule, []))
        yield f"| {rule} | {by or reasons.get(rule, UNSHOWN)} |"

"""No code asks which style it is: a style is data."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import jumar
from jumar.mission.styles import style_files

SOURCE = Path(jumar.__file__).parent
# These are also words of the mission: kinds of evaluators, and a key.
SHARED = {"checklist", "contract", "rubric", "metric"}


def asked(tree: ast.AST) -> Iterator[ast.AST]:
    """Everything that something is compared with, looked up by, or matched against."""
    for node in ast.walk(tree):
        match node:
            case ast.Compare(left=left, comparators=others):
                yield from (left, *others)
            case ast.Subscript(slice=index):
                yield index
            case ast.Match(subject=subject):
                yield subject
            case ast.MatchValue(value=value):
                yield value
            case ast.Call(func=ast.Attribute(attr="get"), args=[key, *_]):
                yield key


def test_no_code_compares_or_looks_up_a_styles_name() -> None:
    announced = (SOURCE / "styles/announced.txt").read_text("utf-8").split()
    names = {*announced, *(name for name, _ in style_files())} - SHARED
    found = []
    for file in SOURCE.rglob("*.py"):
        for node in asked(ast.parse(file.read_bytes())):
            text = ast.unparse(node)
            constant = isinstance(node, ast.Constant) and node.value in names
            if constant or text.endswith("style.name"):
                found.append(f"{file.relative_to(SOURCE)}:{getattr(node, 'lineno', 0)}: {text}")
    assert found == []

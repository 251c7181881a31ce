"""Constants of Python files, by their place in the syntax tree."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterator

from jumar.makers.tune.literals import NUMBER, is_quoted
from jumar.makers.tune.markers import Lines
from jumar.makers.tune.spots import Spot

# Numbers that say how a call is meant, and not how much of something.
STRUCTURAL = {"axis", "dim", "ndim", "indent", "base", "stacklevel", "ndigits", "maxsplit", "nargs", "level"}


def find_python(text: str) -> list[Spot]:
    """Literals of assignments, defaults, keyword arguments and dictionaries. Raises SyntaxError for broken code."""
    body = text.removeprefix("\ufeff")
    try:
        with warnings.catch_warnings():
            # What Python thinks of the code's escapes is its author's business.
            warnings.simplefilter("ignore")
            tree = ast.parse(body)
    except (ValueError, RecursionError, MemoryError) as error:
        raise SyntaxError(str(error)) from error
    finder = Finder(text, body)
    try:
        finder.visit(tree)
    except RecursionError as error:
        raise SyntaxError("nested too deeply") from error
    return finder.spots


class Finder(ast.NodeVisitor):
    """Walks one module; `spots` fills up in reading order of the tree."""

    def __init__(self, text: str, body: str) -> None:
        self.text, self.shift = text, len(text) - len(body)
        self.lines = Lines(body)
        self.scope: list[str] = []
        self.in_function = 0
        self.spots: list[Spot] = []

    def add(self, node: ast.AST | None, name: str, *, shy: bool = False, about: str = "") -> None:
        """Keep `node` if it is a literal as it can be rewritten."""
        if not isinstance(node, ast.Constant | ast.UnaryOp):
            return
        start, end = self.span(node)
        literal = self.text[start:end]
        number = NUMBER.fullmatch(literal) is not None
        if number or literal in ("True", "False") or is_quoted(literal):
            quoted = is_quoted(literal)
            self.spots.append(Spot(start, end, ".".join([*self.scope, name]), shy or quoted, about))

    def span(self, node: ast.Constant | ast.UnaryOp) -> tuple[int, int]:
        """Character offsets of a node, whose columns count UTF-8 bytes."""
        end_line, end_column = node.end_lineno or node.lineno, node.end_col_offset or 0
        return self.offset(node.lineno, node.col_offset), self.offset(end_line, end_column)

    def offset(self, line: int, column: int) -> int:
        """The offset in the whole text of a line and a column in bytes."""
        content = self.lines.content(line)
        if not content.isascii():
            column = len(content.encode()[:column].decode(errors="replace"))
        return self.lines.starts[line - 1] + column + self.shift

    def visit_Assign(self, node: ast.Assign) -> None:
        for name in filter(None, map(dotted, node.targets)):
            self.add(node.value, name, shy=self.is_counter(name))
        self.generic_visit(node)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        if name := dotted(node.target):
            self.add(node.value, name, shy=self.is_counter(name))
        self.generic_visit(node)

    def is_counter(self, name: str) -> bool:
        """Inside a function only what is written like a constant is one."""
        return bool(self.in_function) and not name.isupper()

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        if any((dotted(base) or "").endswith(("Enum", "Flag")) for base in node.bases):
            return
        self.inside(node.name, node)

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        self.scope.append(node.name)
        for name, default in defaults(node.args):
            self.add(default, name)
        self.scope.pop()
        self.in_function += 1
        self.inside(node.name, node)
        self.in_function -= 1

    visit_AsyncFunctionDef = visit_FunctionDef  # noqa: N815 - the visitor's own naming

    def inside(self, name: str, node: ast.AST) -> None:
        self.scope.append(name)
        self.generic_visit(node)
        self.scope.pop()

    def visit_Call(self, node: ast.Call) -> None:
        called = dotted(node.func) or "call"
        option = first_text(node)
        label = f"{called}({option})" if option.startswith("-") else called
        for keyword in node.keywords:
            switch = isinstance(keyword.value, ast.Constant) and isinstance(keyword.value.value, bool)
            shy = switch or keyword.arg in STRUCTURAL
            self.add(keyword.value, f"{label}.{keyword.arg}", shy=shy, about=option)
        self.generic_visit(node)

    def visit_Dict(self, node: ast.Dict) -> None:
        for key, value in zip(node.keys, node.values, strict=True):
            if isinstance(key, ast.Constant) and isinstance(key.value, str):
                self.add(value, key.value)
        self.generic_visit(node)


def dotted(node: ast.AST) -> str | None:
    """`a.b.c` of a name or an attribute."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute) and (owner := dotted(node.value)):
        return f"{owner}.{node.attr}"
    return None


def defaults(arguments: ast.arguments) -> Iterator[tuple[str, ast.expr]]:
    """The arguments that have a default, with it."""
    positional = [*arguments.posonlyargs, *arguments.args]
    for argument, default in zip(reversed(positional), reversed(arguments.defaults), strict=False):
        yield argument.arg, default
    for argument, keyword_default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
        if keyword_default is not None:
            yield argument.arg, keyword_default


def first_text(node: ast.Call) -> str:
    """The first positional argument where it is a text: the option's name in `add_argument("--lr", default=1)`."""
    first = node.args[0] if node.args else None
    return first.value if isinstance(first, ast.Constant) and isinstance(first.value, str) else ""

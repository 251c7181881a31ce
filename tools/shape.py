"""Measures the shape of the code: `python tools/shape.py [PACKAGE] [--tests FOLDER]` prints one table.

A function's length is its span from `def` to its last line, decorators left out. Typed is the share of arguments
(`self` and `cls` aside) and returns that are annotated. Cycles are groups of modules that import one another when
they are imported; imports inside functions and under TYPE_CHECKING do not count. Lines are those with text.
"""

from __future__ import annotations

import argparse
import ast
from collections.abc import Iterable, Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from statistics import median

ROOT = Path(__file__).resolve().parents[1]
Function = ast.FunctionDef | ast.AsyncFunctionDef


def main() -> None:
    """Print the figures of a package."""
    parser = argparse.ArgumentParser(description="Measures the shape of the code.")
    parser.add_argument("package", nargs="?", type=Path, default=ROOT / "src" / "jumar")
    parser.add_argument("--tests", type=Path, default=ROOT / "tests")
    args = parser.parse_args()
    for name, value in figures(args.package, args.tests).items():
        print(f"| {name:<24} | {value:>18} |")


def figures(package: Path, tests: Path) -> dict[str, str]:
    """The figures by name, as they are printed."""
    trees = {path: ast.parse(path.read_bytes()) for path in sorted(package.rglob("*.py"))}
    lengths = sorted(length(node) for tree in trees.values() for node in functions(tree))
    files = sorted(len(path.read_text(encoding="utf-8").splitlines()) for path in trees)
    annotated = [mark for tree in trees.values() for node in functions(tree) for mark in marks(node)]
    source, tested = text_lines(package), text_lines(tests)
    return {
        "files": f"{len(files)}",
        "file lines, p95 / max": f"{quantile(files, 0.95)} / {files[-1]}",
        "functions": f"{len(lengths)}",
        "median / p95 / max": f"{median(lengths):g} / {quantile(lengths, 0.95)} / {lengths[-1]}",
        "over 40 lines": f"{share(value > 40 for value in lengths):.1%}",
        "typed": f"{share(annotated):.1%}",
        "import cycle": cycle(imports(package, trees)) or "none",
        "tests : source": f"{tested / source:.1f}",
    }


def functions(tree: ast.AST) -> Iterator[Function]:
    """Every function and method, nested ones too."""
    return (node for node in ast.walk(tree) if isinstance(node, Function))


def length(node: Function) -> int:
    """Lines from `def` to the end."""
    return (node.end_lineno or node.lineno) - node.lineno + 1


def marks(node: Function) -> Iterator[bool]:
    """For each argument and the return, whether it is annotated."""
    known = node.args
    arguments = [*known.posonlyargs, *known.args, *known.kwonlyargs, known.vararg, known.kwarg]
    yield from (arg.annotation is not None for arg in arguments if arg and arg.arg not in ("self", "cls"))
    yield node.returns is not None


def quantile(ordered: list[int], part: float) -> int:
    """The value below which this part of the sorted values lies."""
    return ordered[round(part * (len(ordered) - 1))]


def share(values: Iterable[bool]) -> float:
    """The part of the values that is true."""
    known = list(values)
    return sum(known) / len(known)


def text_lines(folder: Path) -> int:
    """Lines with text in the Python files of a folder."""
    texts = (path.read_text(encoding="utf-8") for path in folder.rglob("*.py"))
    return sum(bool(line.strip()) for text in texts for line in text.splitlines())


def imports(package: Path, trees: dict[Path, ast.Module]) -> dict[str, set[str]]:
    """For each module of the package, the modules of it that it imports when it is imported."""
    names = {path: dotted(package, path) for path in trees}
    known = set(names.values())
    return {
        name: {
            found for target in targets(trees[path]) if (found := nearest(target, known)) and found != name
        }
        for path, name in names.items()
    }


def dotted(package: Path, path: Path) -> str:
    """The name under which a file is imported."""
    parts = path.relative_to(package.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def targets(node: ast.AST) -> Iterator[str]:
    """The names that are imported outside functions and type checking; absolute imports only, as ours are."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Import):
            yield from (alias.name for alias in child.names)
        elif isinstance(child, ast.ImportFrom):
            yield from (f"{child.module}.{alias.name}" for alias in child.names)
        elif isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test):
            yield from (name for other in child.orelse for name in targets(ast.Module([other], [])))
        elif not isinstance(child, Function | ast.Lambda):
            yield from targets(child)


def nearest(target: str, known: set[str]) -> str | None:
    """The module that an imported name belongs to, or None when it is not ours."""
    while target and target not in known:
        target = target.rpartition(".")[0]
    return target or None


def cycle(graph: dict[str, set[str]]) -> str | None:
    """One import cycle, or None."""
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return " > ".join(error.args[1])
    return None


if __name__ == "__main__":
    main()

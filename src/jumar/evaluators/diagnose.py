"""Why the baseline fails: is it the command, or what the evaluation tree lacks?

The user's checkout is only read. To know whether the command works there, it is run once in a temporary copy.
"""

from __future__ import annotations

import filecmp
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from jumar.core.model import Measurement
from jumar.core.words import count

LARGEST, MOST = 500 * 2**20, 50_000
SHOWN = 8
# The repository itself is not copied: in a linked worktree its `.git` leads back to the real one.
NOT_COPIED = {".git", ".jumar"}
_RUBBISH = {
    "__pycache__",
    ".pytest_cache",
    ".mypy_cache",
    ".ruff_cache",
    ".hypothesis",
    ".DS_Store",
    ".idea",
    ".vscode",
}
_USUAL = (".venv", "venv", "node_modules", ".env", "data", "vendor", "target", "build")


@dataclass
class Differences:
    """What the checkout has and the tree has not: `missing` entries, topmost only, and `changed` files. Paths are relative."""

    missing: list[str] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)


def explain_failing_baseline(
    measurement: Measurement,
    attempt: Callable[[Path], Measurement],
    *,
    tree: Path,
    checkout: Path,
    largest: int = LARGEST,
    most: int = MOST,
) -> str:
    """What failed on the untouched base, whether it works in the user's checkout, and what the tree lacks.

    `attempt` measures another tree, here a copy of the checkout, which is made only up to `largest` bytes and `most` files.
    """
    parts = [measurement.message]
    lacks = differences(checkout, tree)
    files = _within(checkout, largest, most)
    if files is None:
        parts.append(
            f"Your checkout is too large to try it in a copy (over {largest // 2**20} MB or {most} files)."
        )
    elif works_in_copy(checkout, files, attempt):
        parts.append("It works in your checkout but not here (a temporary copy of your checkout was tried).")
    else:
        return f"{measurement.message} It fails in a copy of your checkout too.{_repository(measurement)}"
    return " ".join([*parts, *_lacking(lacks, measurement)]) + _repository(measurement)


def works_in_copy(checkout: Path, files: list[Path], attempt: Callable[[Path], Measurement]) -> bool:
    """Whether `attempt` succeeds in a copy of these files, which are relative to the checkout."""
    with tempfile.TemporaryDirectory(prefix="jumar-", ignore_cleanup_errors=True) as name:
        copy = Path(name).resolve() / "checkout"
        copy.mkdir()
        for path in files:
            _copy(checkout, path, copy)
        return attempt(copy).error is None


def differences(checkout: Path, tree: Path) -> Differences:
    """Compare a checkout with a tree of the same repository; caches and editors' folders do not count."""
    found = Differences()
    _compare(checkout, tree, Path(), found)
    return found


def _compare(checkout: Path, tree: Path, folder: Path, found: Differences) -> None:
    for entry in _entries(checkout / folder):
        path = folder / entry.name
        there = tree / path
        if entry.name in _RUBBISH | NOT_COPIED or entry.name.endswith(".pyc"):
            continue
        if not os.path.lexists(there):
            found.missing.append(str(path))
        elif entry.is_dir(follow_symlinks=False):
            if there.is_dir() and not there.is_symlink():
                _compare(checkout, tree, path, found)
        elif entry.is_file(follow_symlinks=False) and there.is_file() and not _same(Path(entry.path), there):
            found.changed.append(str(path))


def _lacking(lacks: Differences, measurement: Measurement) -> Iterator[str]:
    missing = sorted(lacks.missing, key=lambda path: (*_relevance(path, measurement), path))
    if missing:
        names, example = _list(missing), ", ".join(f"{path}: copy" for path in missing[:2])
        yield (
            f"The evaluation tree has only what git carries, and lacks {names}: name what the command needs in the mission, "
            f"such as `carry: {{{example}}}`, or let `setup: <command>` make it."
        )
    if lacks.changed:
        yield f"Other than in your checkout, the tree has the committed state of {_list(sorted(lacks.changed))}: commit what it needs."


def _relevance(path: str, measurement: Measurement) -> tuple[bool, int]:
    """What the failure's own words name comes first, then the usual suspects."""
    name = Path(path).name
    rank = _USUAL.index(name) if name in _USUAL else len(_USUAL)
    return name not in measurement.message + measurement.words, rank


def _repository(measurement: Measurement) -> str:
    if "not a git repository" not in (measurement.message + measurement.words).lower():
        return ""
    return " The command needs git, and the evaluation tree is no repository."


def _list(paths: list[str]) -> str:
    shown = ", ".join(f"`{path}`" for path in paths[:SHOWN])
    return shown + (f" and {count(len(paths) - SHOWN, 'more path')}" if len(paths) > SHOWN else "")


def _within(checkout: Path, largest: int, most: int) -> list[Path] | None:
    """Every folder, file and link of the checkout, folders first; None when it is too much."""
    found: list[Path] = []
    size = 0
    for entry in _walk(checkout):
        found.append(Path(entry.path).relative_to(checkout))
        size += entry.stat(follow_symlinks=False).st_size if entry.is_file(follow_symlinks=False) else 0
        if size > largest or len(found) > most:
            return None
    return found


def _walk(folder: Path) -> Iterator[os.DirEntry[str]]:
    for entry in _entries(folder):
        if entry.name in NOT_COPIED:
            continue
        yield entry
        if entry.is_dir(follow_symlinks=False):
            yield from _walk(Path(entry.path))


def _entries(folder: Path) -> list[os.DirEntry[str]]:
    with os.scandir(folder) as entries:
        return sorted(entries, key=lambda entry: entry.name)


def _copy(checkout: Path, path: Path, copy: Path) -> None:
    source, target = checkout / path, copy / path
    if source.is_symlink():
        target.symlink_to(_moved(source.readlink(), checkout, copy))
    elif source.is_dir():
        target.mkdir()
    elif source.is_file():
        shutil.copy2(source, target)


def _moved(link: Path, checkout: Path, copy: Path) -> Path:
    """An absolute link into the checkout must lead into the copy: the command may write through it."""
    for root in (checkout, checkout.resolve()):
        if link.is_relative_to(root):
            return copy / link.relative_to(root)
    return link


def _same(one: Path, other: Path) -> bool:
    return filecmp.cmp(one, other, shallow=False)

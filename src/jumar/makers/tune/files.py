"""The target files as texts, and back to the same bytes."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import msgspec

from jumar.core.patch import Scope
from jumar.makers.tune.constants import rewrite
from jumar.makers.tune.literals import Value
from jumar.makers.tune.model import Constant

# A larger file is data.
SIZE_LIMIT = 1_000_000
HIDDEN = {".git", ".jumar"}


class Source(msgspec.Struct, frozen=True):
    """A target file: its path relative to the tree, with `/`, and its text, undecodable bytes kept as surrogates."""

    path: str
    file: Path
    text: str

    def save(self, values: Mapping[Constant, Value]) -> None:
        """Write the file with these constants of it changed, in place, its mode kept."""
        if values:
            self.file.write_bytes(rewrite(self.text, values).encode("utf-8", "surrogateescape"))


def read_targets(tree: Path, scope: Scope) -> list[Source]:
    """The text files that may be edited, in the order of their paths. Links and files over SIZE_LIMIT bytes are left out."""
    found = {
        path.relative_to(tree).as_posix(): path for target in scope.targets for path in below(tree, target)
    }
    allowed = sorted(path for path in found if scope.verdict(path) is None)
    return [source for path in allowed if (source := read_source(path, found[path]))]


def below(tree: Path, target: str) -> Iterator[Path]:
    """The files that a target may stand for: itself, or all below the folder that its first wildcard is in."""
    named = tree / target
    if named.is_file():
        yield named
        return
    fixed = re.split(r"[^/]*[*?\[]", target, maxsplit=1)[0]
    for folder, folders, files in os.walk(tree / fixed):
        folders[:] = [name for name in folders if name not in HIDDEN]
        yield from (Path(folder, name) for name in files)


def read_source(path: str, file: Path) -> Source | None:
    """One file, or None where it is not a text that may be edited."""
    if file.is_symlink() or not file.is_file() or file.stat().st_size > SIZE_LIMIT:
        return None
    content = file.read_bytes()
    return None if b"\0" in content else Source(path, file, content.decode("utf-8", "surrogateescape"))

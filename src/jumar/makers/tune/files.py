"""The target files as texts, and back to the same bytes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import msgspec

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


def read_targets(tree: Path, targets: tuple[str, ...]) -> list[Source]:
    """The text files that the targets name, each once, in the order of their paths. Links and files over SIZE_LIMIT bytes are left out."""
    sources = {}
    for target in targets:
        for file in matches(tree, target):
            path = file.relative_to(tree).as_posix()
            if path not in sources and (source := read_source(path, file)):
                sources[path] = source
    return [sources[path] for path in sorted(sources)]


def matches(tree: Path, target: str) -> Iterator[Path]:
    """The files a target stands for: a path, all below a folder, or a glob."""
    named = tree / target
    if named.is_dir():
        yield from named.rglob("*")
    elif named.exists():
        yield named
    elif any(mark in target for mark in "*?["):
        # `**` at the end means folders only to pathlib before Python 3.13.
        pattern = f"{target}/*" if target.endswith("**") else target
        yield from tree.glob(pattern.lstrip("/"))


def read_source(path: str, file: Path) -> Source | None:
    """One file, or None where it is not a text that may be edited."""
    if (
        HIDDEN & set(path.split("/"))
        or file.is_symlink()
        or not file.is_file()
        or file.stat().st_size > SIZE_LIMIT
    ):
        return None
    content = file.read_bytes()
    return None if b"\0" in content else Source(path, file, content.decode("utf-8", "surrogateescape"))

"""What the files of an edit hold, as text: before it and after it."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path

from jumar.core.model import Flag, Refusal
from jumar.core.patch import LostLine, Scope, lost_lines
from jumar.core.text import clip, printable
from jumar.core.words import count
from jumar.workspace.contents import Contents, Listing
from jumar.workspace.seal import Left
from jumar.workspace.settings import Scrub
from jumar.workspace.snapshot import SYMLINK, text

SHOWN = 120  # characters of a line


def before(contents: Contents, parent: Listing, paths: Iterable[bytes]) -> dict[str, bytes]:
    """The bytes of those of the paths that were there, as a tree holds them."""
    items = [(path, parent[path]) for path in paths if path in parent and parent[path][0] != SYMLINK]
    return {text(path): data for path, _, data in contents.read(items)}


def after(root: Path, paths: Iterable[bytes]) -> list[bytes]:
    """The bytes of the paths in a folder; a link has none of its own."""
    files = (Path(root, os.fsdecode(path)) for path in paths)
    return [file.read_bytes() for file in files if file.is_file() and not file.is_symlink()]


def target_texts(contents: Contents, commit: str, scope: Scope) -> list[bytes]:
    """The bytes of every target at a commit, as a tree holds them."""
    listing = contents.listing(commit)
    targets = [path for path in sorted(listing) if scope.verdict(text(path)) is None]
    return list(before(contents, listing, targets).values())


def lost(
    patterns: Sequence[str], contents: Contents, parent: Listing, root: Path, left: Left
) -> list[LostLine]:
    """The protected lines that an edit in `root` changes or takes away."""
    if not patterns:
        return []
    touched = before(contents, parent, [*left.edited, *left.deleted])
    return lost_lines(patterns, touched, after(root, left.edited))


def lines_refusal(
    found: Sequence[LostLine], scrub: Scrub, flags: tuple[Flag, ...], warnings: tuple[str, ...]
) -> Refusal:
    """The refusal for protected lines: the first one and what protects it, in words."""
    first = found[0]
    line = clip(scrub(printable(first.line)), SHOWN)
    message = (
        f"{printable(first.path)}:{first.number}: the line `{line}` has to stay as it is "
        f"(`protect_lines: {first.pattern}`); it may be moved."
    )
    if more := len(found) - 1:
        message += f" The same holds for {count(more, 'other line')}."
    return Refusal(
        "protected", message, tuple(dict.fromkeys(printable(one.path) for one in found)), flags, warnings
    )

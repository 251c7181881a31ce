"""What a maker left in its tree, judged before a byte of it is written to the object store."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from jumar.core.model import EXCERPT, Change, Flag, Reason, Refusal
from jumar.core.patch import (
    Scope,
    count_lines,
    hunks,
    is_litter,
    is_seed_only,
    is_self_loading,
    symlink_destination,
)
from jumar.core.secrets import secret_name
from jumar.core.text import printable
from jumar.workspace.contents import Contents, Listing
from jumar.workspace.git import Git, fields
from jumar.workspace.ignore import Ignore
from jumar.workspace.settings import Scrub, listed
from jumar.workspace.snapshot import SYMLINK, Known, text
from jumar.workspace.store import Edit
from jumar.workspace.tree import Tree

SCRUBBED = 64 * 1024  # bytes of a patch that are looked at for an excerpt


class Left(NamedTuple):
    """What differs from the parent, in paths.

    `edited` are changed or new, `nested` became repositories; what is `ignored` is no part of a change.
    """

    edited: list[bytes]
    deleted: list[bytes]
    nested: list[bytes]
    ignored: list[bytes]


class Made(NamedTuple):
    """A sealed commit."""

    commit: str
    tree: str
    parent: str


class Fault(NamedTuple):
    """One reason to refuse."""

    reason: Reason
    path: str
    why: str


class Inspector:
    """Looks at the maker's tree, and says what is to be sealed or why nothing is."""

    def __init__(self, tree: Tree, contents: Contents, ignore: Ignore, scope: Scope, max_file: int) -> None:
        self.tree = tree
        self.contents = contents
        self.ignore = ignore
        self.scope = scope
        self.max_file = max_file

    def look(self, parent: Listing) -> Left:
        """What the maker left, with everything that the base's rules ignore set apart."""
        self.tree.look()
        found = self.tree.differences(parent)
        litter = {path for path in found.new if is_litter(text(path)) and not self.scope.named(text(path))}
        asked = [path for path in found.new if path not in litter and not self.scope.named(text(path))]
        # A folder is asked for by a file in it: a rule like `cache/` names no file called cache.
        inside = {folder + b"/x": folder for folder in found.nested}
        ignored = self.ignore.ignored([*asked, *inside])
        edited = found.changed + [path for path in found.new if path not in litter and path not in ignored]
        nested = [folder for name, folder in inside.items() if name not in ignored]
        left_out = sorted((ignored - inside.keys()) | set(found.set_up))
        return Left(sorted(edited), sorted(found.missing), nested, left_out)

    def faults(self, left: Left, parent: Listing) -> Iterator[Fault]:
        """Every reason why this may not be sealed."""
        for path in (*left.edited, *left.deleted, *left.nested):
            name = text(path)
            if reason := self.scope.verdict(name):
                yield Fault(reason, name, "")
        for folder in left.nested:
            yield Fault("out_of_scope", text(folder), "a nested git repository")
        for path in left.edited:
            if why := self._unfit(path, self.tree.known[path], parent):
                yield Fault("out_of_scope", text(path), why)

    def _unfit(self, path: bytes, have: Known, parent: Listing) -> str:
        name = text(path)
        if not have.mode:
            return "neither a file nor a link"
        if path not in parent and secret_name(name):
            return "a name that holds secrets, which are never committed"
        if any(path == module or path.startswith(module + b"/") for module in self.contents.submodules):
            return "inside a submodule"
        if have.mode == SYMLINK:
            return self._stray_link(name)
        if have.signature[1] > self.max_file:
            return f"{have.signature[1] / 2**20:.1f} MB, more than the {self.max_file / 2**20:g} MB that a changed file may have"
        return ""

    def _stray_link(self, name: str) -> str:
        link = self.tree.root / name
        target = os.readlink(link)
        inside = symlink_destination(name, target)
        root = os.path.realpath(self.tree.root)
        real = os.path.relpath(os.path.realpath(link), root)
        if inside is None or real.startswith(".."):
            return f"a link that leads out of the tree, to {target}"
        if self.scope.verdict(inside) or self.scope.verdict(real):
            return f"a link that leads out of the scope, to {target}"
        return ""

    def edits(self, left: Left, parent: Listing) -> list[Edit]:
        """The edits to commit; what the base's filters turn into the parent's own blob is none."""
        self.contents.check_attributes(left.edited)
        found = [self._edit(path) for path in left.edited]
        real = [
            edit for edit in found if edit.data is not None or parent.get(edit.path) != (edit.mode, edit.blob)
        ]
        return real + [Edit(path) for path in left.deleted]

    def _edit(self, path: bytes) -> Edit:
        mode = self.tree.known[path].mode
        full = os.fsencode(self.tree.root) + b"/" + path
        if mode == SYMLINK:
            return Edit(path, mode, os.readlink(full))
        with open(os.open(full, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC), "rb") as file:
            data = file.read()
        if path in self.contents.filtered:
            return Edit(path, mode, blob=self.contents.clean(path, data))
        return Edit(path, mode, data)


def refusal(faults: Iterable[Fault], flags: tuple[Flag, ...], warnings: tuple[str, ...]) -> Refusal:
    """One refusal for all faults; what belongs to the judge comes first."""
    found = sorted(faults, key=lambda fault: fault.reason != "protected")
    paths = [printable(path) for path in dict.fromkeys(fault.path for fault in found)]
    why = next((f" ({fault.why})" for fault in found if fault.why and fault.path == found[0].path), "")
    protected = " (protected)" if found[0].reason == "protected" else ""
    message = f"out of scope: {paths[0]}{protected or why}"
    if len(paths) > 1:
        message += f"; also {listed(paths[1:])}"
    return Refusal(found[0].reason, message, tuple(paths), flags, warnings)


def describe(git: Git, made: Made, flags: Iterable[Flag], warnings: tuple[str, ...], scrub: Scrub) -> Change:
    """A sealed commit in the journal's words."""
    common = (
        "-r",
        "--no-renames",
        "--no-ext-diff",
        "--no-textconv",
        "--text",
        made.parent,
        made.commit,
        "--",
    )
    out = git.run("diff-tree", "-z", "--raw", "--no-abbrev", "-p", "-U0", *common)
    raw, _, patch = out.partition(b"\0\0")
    files = tuple(printable(text(path)) for path in fields(raw + b"\0")[1::2])
    parts = list(hunks(patch))
    added, removed = count_lines(parts)
    found: set[Flag] = set(flags)
    found |= {"seed_only"} if is_seed_only(parts) else set()
    found |= {"autoload"} if any(map(is_self_loading, files)) else set()
    return Change(
        made.commit,
        made.tree,
        made.parent,
        tuple(sorted(files)),
        added,
        removed,
        excerpt(patch, scrub),
        tuple(sorted(found)),
        warnings,
    )


def excerpt(patch: bytes, scrub: Scrub) -> str:
    """The beginning of a patch for people: without the lines that only git needs, without secrets."""
    # Scrubbed before it is cut: half a secret is not recognised.
    lines = scrub(patch[:SCRUBBED].decode("utf-8", "replace")).splitlines()
    shown = [line for line in lines if not line.startswith(("diff --git ", "index "))]
    return "\n".join(shown)[:EXCERPT]


def root_of(git: Git, commit: str) -> str:
    """The id of a commit's tree."""
    return git.line("rev-parse", "--verify", f"{commit}^{{tree}}")

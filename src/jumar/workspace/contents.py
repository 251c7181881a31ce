"""What the files of each commit look like in a tree: the base's attributes decide, whatever a maker writes in its own."""

from __future__ import annotations

import os
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from pathlib import Path

from jumar.workspace.git import Git, fields
from jumar.workspace.snapshot import SUBMODULE, hash_bytes, parents

Item = tuple[int, str]  # git mode, blob id
CACHED = 8
BATCH = 256
ATTRIBUTES = ("filter", "text", "eol", "ident", "working-tree-encoding", "crlf")


class Listing(dict[bytes, Item]):
    """The files of one commit by path, without submodules."""

    @cached_property
    def folders(self) -> set[bytes]:
        """Every folder that holds one of the files."""
        found: set[bytes] = set()
        for path in self:
            for folder in parents(path):
                if folder in found:
                    break
                found.add(folder)
        return found


class Contents:
    """The commits of a run, as listings, and as the bytes that a tree holds for them.

    `git` must see a work tree that holds the base's rules and nothing else, and the index of the base.
    `smudged` maps the paths of the base whose bytes in a tree are not those of their blob to the id of those bytes.
    """

    def __init__(
        self, git: Git, base: str, algorithm: str, smudged: dict[bytes, str], *, attributes: bool
    ) -> None:
        self.git = git
        self.plain = Git(git.git_dir, locks=git.locks)
        self.base = base
        self.algorithm = algorithm
        self.smudged = smudged
        self.attributes = attributes
        self.filtered: set[bytes] = set(smudged)
        self._checked: set[bytes] = set()
        self._raw: dict[tuple[bytes, str], str] = {}
        self._listings: OrderedDict[str, Listing] = OrderedDict()
        self.submodules: frozenset[bytes] = frozenset()

    @cached_property
    def of_base(self) -> Listing:
        """The files of the base commit."""
        listing, submodules = Listing(), []
        for line in fields(self.git.run("ls-tree", "-r", "-z", "--full-tree", self.base)):
            head, path = line.split(b"\t", 1)
            mode, _, blob = head.split(b" ")
            if int(mode, 8) == SUBMODULE:
                submodules.append(path)
            else:
                listing[path] = (int(mode, 8), blob.decode())
        self.submodules = frozenset(submodules)
        return listing

    def listing(self, commit: str) -> Listing:
        """The files of a commit."""
        if commit == self.base:
            return self.of_base
        if commit not in self._listings:
            self.remember(commit, self.of_base, self.changes(self.base, commit))
        self._listings.move_to_end(commit)
        return self._listings[commit]

    def remember(self, commit: str, parent: Listing, changes: Iterable[tuple[bytes, Item | None]]) -> None:
        """Note the files of a commit that differs from `parent` by `changes`; None is a deleted file."""
        listing = Listing(parent)
        for path, item in changes:
            if item is None:
                listing.pop(path, None)
            elif item[0] != SUBMODULE:
                listing[path] = item
        self.check_attributes(listing.keys() - self.of_base.keys())
        self._listings[commit] = listing
        while len(self._listings) > CACHED:
            self._listings.popitem(last=False)

    def changes(self, old: str, new: str) -> Iterator[tuple[bytes, Item | None]]:
        """What differs between two commits."""
        parts = fields(
            self.git.run("diff-tree", "-r", "-z", "--raw", "--no-abbrev", "--no-renames", old, new, "--")
        )
        for head, path in zip(parts[::2], parts[1::2], strict=True):
            _, mode, _, blob, status = head.split(b" ")
            yield path, (None if status == b"D" else (int(mode, 8), blob.decode()))

    def check_attributes(self, paths: Iterable[bytes]) -> None:
        """Learn which paths that the base does not have would go through one of its filters."""
        unknown = set(paths) - self._checked - self.of_base.keys() if self.attributes else set()
        if not unknown:
            return
        names = b"".join(path + b"\0" for path in sorted(unknown))
        answer = fields(self.git.run("check-attr", "-z", "--stdin", *ATTRIBUTES, input=names))
        for path, value in zip(answer[::3], answer[2::3], strict=True):
            if value not in (b"unspecified", b"unset"):
                self.filtered.add(path)
        self._checked |= unknown

    def raw(self, path: bytes, blob: str) -> str:
        """The id of the bytes that a tree holds for a blob at a path."""
        if path not in self.filtered:
            return blob
        item = self.of_base.get(path)
        if item is not None and item[1] == blob:
            return self.smudged[path]
        if (path, blob) not in self._raw:
            self._raw[path, blob] = hash_bytes(self.smudge(path, blob), self.algorithm)
        return self._raw[path, blob]

    def smudge(self, path: bytes, blob: str) -> bytes:
        """The bytes that a tree holds for a blob at a path that has filters."""
        return self.git.run("cat-file", "--filters", b"--path=" + path, blob)

    def clean(self, path: bytes, data: bytes) -> str:
        """Store the bytes of a tree's file at a path that has filters; the id of the blob."""
        return self.git.run("hash-object", "-w", "--stdin", b"--path=" + path, input=data).decode().strip()

    def read(self, items: Sequence[tuple[bytes, Item]]) -> Iterator[tuple[bytes, int, bytes]]:
        """Path, mode and bytes in a tree of each item."""
        plain = [
            entry for entry in items if entry[0] not in self.filtered or entry[1][0] & 0o170000 == 0o120000
        ]
        for start in range(0, len(plain), BATCH):
            part = plain[start : start + BATCH]
            for (path, (mode, _)), data in zip(part, self.blobs([item[1] for _, item in part]), strict=True):
                yield path, mode, data
        for path, (mode, blob) in items:
            if path in self.filtered and mode & 0o170000 != 0o120000:
                yield path, mode, self.smudge(path, blob)

    def blobs(self, ids: Sequence[str]) -> Iterator[bytes]:
        """The bytes of some blobs, in order."""
        out = self.plain.run("cat-file", "--batch", input="".join(f"{blob}\n" for blob in ids).encode())
        at = 0
        for _ in ids:
            end = out.index(b"\n", at)
            size = int(out[at:end].rsplit(b" ", 1)[1])
            yield out[end + 1 : end + 1 + size]
            at = end + 2 + size


def has_attributes(git: Git, common_dir: Path, listing: Listing) -> bool:
    """Whether any path could have a filter at all, so that the question costs nothing where none can."""
    if any(path == b".gitattributes" or path.endswith(b"/.gitattributes") for path in listing):
        return True
    code, out = git.call("config", "--get-regexp", r"^core\.(autocrlf|attributesfile)$", ok=(0, 1))
    if code == 0 and any(not line.endswith(b" false") for line in out.splitlines()):
        return True
    home = Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config")
    return any(
        file.exists()
        for file in (common_dir / "info/attributes", home / "git/attributes", Path("/etc/gitattributes"))
    )

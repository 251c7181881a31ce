"""A folder that can be brought to exactly one commit plus the files that were set up in it, whatever was done to it."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import NamedTuple

from jumar.workspace.contents import Contents, Item, Listing
from jumar.workspace.files import clone_file, put, remove, remove_folder
from jumar.workspace.snapshot import Known, Observed, git_mode, identify, parents, walk


class Differences(NamedTuple):
    """How a tree differs from a commit, in paths.

    `changed` have other bytes or another mode, `missing` are gone, `new` are in neither the commit nor the set-up,
    `set_up` are files of the set-up that were changed or taken away, `nested` folders that became repositories.
    """

    changed: list[bytes]
    missing: list[bytes]
    new: list[bytes]
    set_up: list[bytes]
    nested: list[bytes]


class Tree:
    """One folder and what is known of it.

    `pristine` holds copies of the files that were set up in it (carried, installed), which no commit has. With
    `keep_git` the root's own `.git` is left alone; otherwise there must be none.
    """

    def __init__(self, root: Path, pristine: Path, contents: Contents, *, keep_git: bool) -> None:
        self.root = root
        self.pristine = pristine
        self.contents = contents
        self.keep_git = keep_git
        self.known: dict[bytes, Known] = {}
        self.extras: dict[bytes, Known] = {}
        self.extra_folders: set[bytes] = set()
        self.extra_nested: set[bytes] = set()
        self.observed = Observed({}, set(), set(), 0)

    def look(self) -> None:
        """Walk the folder, and read what may have changed since the last look."""
        self.observed = walk(self.root)
        self.known = identify(self.root, self.observed, self.known, self.contents.algorithm)

    def adopt(self, want: Listing) -> None:
        """Take everything beyond the commit as set up, and keep a copy of it to restore from."""
        self.look()
        part = self.pristine.with_name(self.pristine.name + ".part")
        remove_folder(part)
        part.mkdir(parents=True)
        for folder in self.observed.folders - want.folders:
            (part / os.fsdecode(folder)).mkdir(parents=True, exist_ok=True)
        for folder in self.observed.nested:
            (part / os.fsdecode(folder) / ".git").mkdir(parents=True, exist_ok=True)
        for path, entry in self.known.items():
            if path not in want and entry.mode:
                clone_file(self._path(path), os.fsencode(part) + b"/" + path)
        # Only a whole set of copies bears the name, so that its being there proves the set-up done.
        remove_folder(self.pristine)
        part.replace(self.pristine)
        self.load()

    def load(self) -> None:
        """Read back what was set up, from the copies."""
        if not self.pristine.exists():
            return
        seen = walk(self.pristine)
        self.extras = identify(self.pristine, seen, {}, self.contents.algorithm)
        above = {folder for path in self.extras for folder in parents(path)}
        self.extra_folders = seen.folders | above
        self.extra_nested = seen.nested

    def differences(self, want: Listing) -> Differences:
        """How the folder, as last looked at, differs from a commit and the set-up."""
        changed, new, set_up = [], [], []
        filtered, raw = self.contents.filtered, self.contents.raw
        for path, have in self.known.items():
            item = want.get(path)
            if item is None:
                extra = self.extras.get(path)
                if extra is None:
                    new.append(path)
                elif have.oid != extra.oid or have.signature[0] != extra.signature[0]:
                    set_up.append(path)
            elif have.mode != item[0] or have.oid != (raw(path, item[1]) if path in filtered else item[1]):
                changed.append(path)
        missing = [path for path in want.keys() - self.known.keys() if path not in self.extras]
        set_up += [path for path in self.extras.keys() - self.known.keys() if path not in want]
        return Differences(changed, missing, new, set_up, sorted(self.observed.nested - self.extra_nested))

    def match(self, want: Listing) -> Differences:
        """Bring the folder to exactly these files and the set-up. Idempotent; safe to be cut at any point."""
        self.root.mkdir(parents=True, exist_ok=True)
        self.look()
        found = self.differences(want)
        self._clear(found, want)
        locked = [path for path, have in self.known.items() if not have.signature[0] & 0o200 and path in want]
        wrong = {*found.changed, *found.missing, *locked}
        for path, mode, data in self.contents.read([(path, want[path]) for path in sorted(wrong)]):
            put(self._path(path), mode, data)
            self._note(path, want[path])
        for path in sorted(found.set_up):
            clone_file(os.fsencode(self.pristine) + b"/" + path, self._path(path))
            self.known.pop(path, None)
        for folder in self.extra_folders - self.observed.folders:
            os.makedirs(self._path(folder), exist_ok=True)
        return found

    def _clear(self, found: Differences, want: Listing) -> None:
        if not self.keep_git:
            remove_folder(self.root / ".git")
        for folder in found.nested:
            remove_folder(self.root / os.fsdecode(folder) / ".git")
        for path in found.new:
            remove(self._path(path))
            self.known.pop(path, None)
        # Deepest first, so that a folder is empty when its turn comes.
        for folder in sorted(self.observed.folders - want.folders - self.extra_folders, reverse=True):
            shutil.rmtree(self._path(folder))
            self.observed.folders.discard(folder)

    def _note(self, path: bytes, item: Item) -> None:
        s = os.lstat(self._path(path))
        signature = (s.st_mode, s.st_size, s.st_mtime_ns, s.st_ctime_ns, s.st_ino)
        oid, mode = self.contents.raw(path, item[1]), git_mode(s.st_mode)
        self.known[path] = Known(signature, oid, sure=False, mode=mode)

    def _path(self, path: bytes) -> bytes:
        return os.fsencode(self.root) + b"/" + path

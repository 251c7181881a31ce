"""The user's files and index as they were before a hand-off, so that one that fails can be taken back whole."""

from __future__ import annotations

import os
import stat
from collections.abc import Sequence

from jumar.workspace.files import put, remove
from jumar.workspace.git import Git
from jumar.workspace.repository import Repository
from jumar.workspace.settings import write_whole
from jumar.workspace.snapshot import SYMLINK, git_mode, parents

Held = tuple[os.stat_result, bytes]


def _same(had: Held | None, has: Held | None) -> bool:
    if had is None or has is None:
        return had is has
    return had[1] == has[1] and all(
        getattr(had[0], name) == getattr(has[0], name) for name in ("st_mode", "st_mtime_ns", "st_ino")
    )


class Undo:
    """Holds the bytes, rights and times of some paths of a checkout, its index, and where its branch was."""

    def __init__(self, repository: Repository, paths: Sequence[bytes]) -> None:
        self.repository = repository
        self.root = os.fsencode(repository.root) + b"/"
        self.index_file = repository.git_dir / "index"
        self.index = self.index_file.read_bytes() if self.index_file.exists() else None
        self.files = {path: self._read(path) for path in paths}
        self.folders = {
            folder for path in paths for folder in parents(path) if os.path.isdir(self.root + folder)
        }

    def _read(self, path: bytes) -> Held | None:
        full = self.root + path
        try:
            found = os.lstat(full)
        except (FileNotFoundError, NotADirectoryError):
            return None
        if stat.S_ISLNK(found.st_mode):
            return found, os.readlink(full)
        with open(full, "rb") as file:
            return found, file.read()

    def restore(self) -> None:
        """Put all of it back, byte for byte."""
        for path, had in self.files.items():
            if not _same(had, self._read(path)):
                self._put(path, had)
        for path in self.files:
            for folder in parents(path):
                if (
                    folder not in self.folders
                    and os.path.isdir(self.root + folder)
                    and not os.listdir(self.root + folder)
                ):
                    os.rmdir(self.root + folder)
        self._restore_head()
        if self.index is not None:
            write_whole(self.index_file, self.index)

    def _put(self, path: bytes, had: Held | None) -> None:
        full = self.root + path
        if had is None:
            remove(full)
            return
        found, data = had
        put(full, git_mode(found.st_mode), data)
        if git_mode(found.st_mode) != SYMLINK:
            os.chmod(full, stat.S_IMODE(found.st_mode))
        os.utime(full, ns=(found.st_atime_ns, found.st_mtime_ns), follow_symlinks=False)

    def _restore_head(self) -> None:
        # The commands that went before the failing one may have committed: cherry-picks do, one by one.
        git = Git(self.repository.git_dir)
        if git.line("rev-parse", "HEAD") != self.repository.head:
            git.run("update-ref", "-m", "jumar: undo a hand-off that failed", "HEAD", self.repository.head)

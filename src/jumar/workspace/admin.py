"""The git folder of the maker's worktree: its link, its HEAD, its index, and what a half-done operation leaves there."""

from __future__ import annotations

import os
from pathlib import Path

from jumar.workspace.files import remove_folder
from jumar.workspace.git import Git
from jumar.workspace.locks import Locks
from jumar.workspace.settings import Plan, write_whole

HALF_DONE = (
    "MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "REBASE_HEAD", "AUTO_MERGE", "BISECT_LOG", "BISECT_START",
    "rebase-merge", "rebase-apply", "sequencer",
)  # fmt: skip
# Left by the same operations, or by a maker that changes only its own worktree's settings: taken away without a word.
LEFTOVERS = (
    "MERGE_MSG", "MERGE_MODE", "MERGE_RR", "SQUASH_MSG", "BISECT_NAMES", "BISECT_TERMS", "BISECT_EXPECTED_REV",
    "BISECT_ANCESTORS_OK", "BISECT_RUN", "refs/bisect", "refs/rewritten", "refs/worktree", "config.worktree",
    "info/sparse-checkout",
)  # fmt: skip


class Admin:
    """The folder `<common>/worktrees/<name>` of the run's worktree."""

    def __init__(self, plan: Plan, locks: Locks) -> None:
        self.folder = Path(plan.admin)
        self.worktree = plan.worktree
        self.head = f"ref: refs/heads/{plan.branch}\n"
        self.git = Git(self.folder, locks=locks)
        self._index: tuple[str, int, int] | None = None

    def look(self) -> tuple[list[str], str | None]:
        """What is not as it should be, in words, and the commit that a detached HEAD is at. Changes nothing."""
        moved = [] if (self.folder / "HEAD").exists() else ["removed its worktree from git"]
        if not self._holds(*self._link()):
            moved.append("replaced .git")
        moved += [f"left {name} behind" for name in HALF_DONE if (self.folder / name).exists()]
        found = self._found_head()
        if found == self.head:
            return moved, None
        detached = found.strip() if found and not found.startswith("ref:") else None
        return [*moved, "left the branch of the run"], detached

    def mend(self) -> None:
        """Put back link, HEAD and state."""
        self.folder.mkdir(parents=True, exist_ok=True)
        back = (self.folder / "gitdir", f"{self.worktree}/.git\n")
        for file, content in ((self.folder / "commondir", "../..\n"), back, self._link()):
            if not self._holds(file, content):
                file.parent.mkdir(parents=True, exist_ok=True)
                remove_folder(file)
                file.write_bytes(os.fsencode(content))
        for name in (*HALF_DONE, *LEFTOVERS):
            remove_folder(self.folder / name)
        if self._found_head() != self.head:
            remove_folder(self.folder / "HEAD")
            write_whole(self.folder / "HEAD", os.fsencode(self.head))

    def _link(self) -> tuple[Path, str]:
        return self.worktree / ".git", f"gitdir: {self.folder}\n"

    def _holds(self, file: Path, content: str) -> bool:
        return file.is_file() and not file.is_symlink() and file.read_bytes() == os.fsencode(content)

    def _found_head(self) -> str:
        head = self.folder / "HEAD"
        return os.fsdecode(head.read_bytes()) if head.is_file() and not head.is_symlink() else ""

    def mend_index(self, commit: str) -> None:
        """Make the index that of a commit, unless this process left it so."""
        if self._index is None or self._index != self._stamp(commit):
            self.reset_index(commit)

    def reset_index(self, commit: str) -> None:
        """Make the index that of a commit, so that a maker's own `git diff` shows its own edit."""
        if self.git.code("read-tree", "--reset", commit, ok=(0, 128)):
            (self.folder / "index").unlink(missing_ok=True)
            self.git.run("read-tree", commit)
        self._index = self._stamp(commit)

    def _stamp(self, commit: str) -> tuple[str, int, int] | None:
        try:
            s = (self.folder / "index").stat()
        except FileNotFoundError:
            return None
        return commit, s.st_mtime_ns, s.st_ino

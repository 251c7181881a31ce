"""Finding the repository that jumar was started in, and what it is made of."""

from __future__ import annotations

import os
from pathlib import Path

import msgspec

from jumar.errors import GitError, RefusedError
from jumar.workspace.git import Git


class Repository(msgspec.Struct, frozen=True):
    """A checkout with at least one commit.

    `git_dir` belongs to this checkout, `common_dir` to all checkouts of the repository. `head` is the commit and
    `branch` the branch that is checked out, None when HEAD is detached. `folder` is where jumar was started, relative to
    `root`, "" for the root itself.
    """

    root: Path
    git_dir: Path
    common_dir: Path
    object_format: str
    head: str
    branch: str | None
    folder: str

    @property
    def git(self) -> Git:
        """git on the repository as a whole: objects and references, no work tree."""
        return Git(self.common_dir)

    @property
    def checkout(self) -> Git:
        """git on the user's checkout, for reading."""
        return Git(self.git_dir, work_tree=self.root)


def find_repository(start: Path) -> Repository:
    """The repository around `start`, which may be a linked worktree or a submodule.

    Raises RefusedError with the cure when there is none, when it is bare, or when it has no commit yet.
    """
    git = Git(cwd=start)
    git_dir = _git_dir(git, start)
    if git.line("rev-parse", "--is-inside-work-tree") != "true":
        raise _without_checkout(git_dir)
    root = Path(git.line("rev-parse", "--show-toplevel"))
    there = start.resolve().relative_to(root.resolve())
    return Repository(
        root=root,
        git_dir=git_dir,
        common_dir=(start / git.line("rev-parse", "--git-common-dir")).resolve(),
        object_format=git.line("rev-parse", "--show-object-format"),
        head=_head(git, root),
        branch=_branch(git),
        folder="" if there == Path() else there.as_posix(),
    )


def _git_dir(git: Git, start: Path) -> Path:
    try:
        return Path(git.line("rev-parse", "--absolute-git-dir"))
    except GitError as error:
        if "not a git repository" not in error.stderr:
            raise
        raise RefusedError(
            f"{start} is not in a git repository.",
            hint="Make it one: `git init && git add -A && git commit -m start`.",
        ) from None


def _without_checkout(git_dir: Path) -> RefusedError:
    return RefusedError(
        f"{git_dir} is a repository without a checkout here, so there are no files to improve.",
        hint=f"Start jumar in a checkout: `git clone {git_dir} work && cd work`.",
    )


def _head(git: Git, root: Path) -> str:
    try:
        return git.line("rev-parse", "--verify", "--end-of-options", "HEAD^{commit}")
    except GitError as error:
        raise RefusedError(
            f"The repository {root} has no commit yet ({error.stderr}).",
            hint="Commit what is there first: `git add -A && git commit -m start`.",
        ) from None


def _branch(git: Git) -> str | None:
    code, out = git.call("symbolic-ref", "--quiet", "HEAD", ok=(0, 1))
    return os.fsdecode(out).strip().removeprefix("refs/heads/") if code == 0 else None


def ensure_excluded(common_dir: Path, line: str = "/.jumar/") -> None:
    """Keep jumar's own folder out of `git status`, without a word in any file that is tracked."""
    exclude = common_dir / "info" / "exclude"
    exclude.parent.mkdir(exist_ok=True)
    text = exclude.read_bytes() if exclude.exists() else b""
    if line.encode() in text.splitlines():
        return
    with exclude.open("ab") as file:
        file.write((b"" if not text or text.endswith(b"\n") else b"\n") + line.encode() + b"\n")

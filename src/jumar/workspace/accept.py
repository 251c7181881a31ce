"""The hand-off: the only code that writes to the user's branch or files, with their hooks, signing and identity.

What the user had not committed of a target when the run began is part of the run's base, so it cannot be told apart
from the run's own changes of the same file: a merge, a squash or a pick commits it with them, and only while the file in
the checkout still has that very content. `patch_file` and `copy_to` need nothing of the checkout.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from itertools import chain
from pathlib import Path

import msgspec

from jumar.errors import GitError, JumarError, RefusedError
from jumar.workspace.admin import HALF_DONE
from jumar.workspace.files import put, remove
from jumar.workspace.git import Git, fields
from jumar.workspace.locks import Locks
from jumar.workspace.repository import Repository, find_repository
from jumar.workspace.settings import listed
from jumar.workspace.snapshot import text
from jumar.workspace.undo import Undo
from jumar.workspace.workspace import GitWorkspace

OTHER_WAYS = "`--patch FILE` and `--to PATH` hand the result over without touching your branch."
HOOK_LIMIT = 3600.0  # seconds: a user's hooks may run their tests


class Accepted(msgspec.Struct, frozen=True):
    """What was handed over: the user's new HEAD, or None where it stays as it was, and the paths that were written."""

    commit: str | None
    files: tuple[str, ...]


def merge(workspace: GitWorkspace, tip: str, message: str) -> Accepted:
    """Merge the run's history into the user's branch, as a merge commit of theirs."""
    run = ("merge", "--no-ff", "--no-edit", "-m", message, tip)
    return _bring(workspace, _paths(workspace, workspace.head, tip), [run], ("merge", "--quit"))


def squash(workspace: GitWorkspace, tip: str, message: str) -> Accepted:
    """Commit the sum of what was kept as one commit of the user's."""
    paths = _paths(workspace, workspace.head, tip)
    listing = workspace.contents.listing(tip)
    there = [path for path in paths if path in listing]
    gone = [path for path in paths if path not in listing]
    commands: list[tuple[str | bytes, ...]] = [("checkout", tip, "--", *there)] if there else []
    commands += [("rm", "--quiet", "--force", "--ignore-unmatch", "--", *gone)] if gone else []
    return _bring(
        workspace, paths, [*commands, ("commit", "--quiet", "-m", message, "--only", "--", *paths)], ()
    )


def pick(workspace: GitWorkspace, commits: Sequence[str]) -> Accepted:
    """Cherry-pick some of the kept trials; the user's uncommitted content comes first, as a commit of its own."""
    chosen = [workspace.base] if workspace.base != workspace.head else []
    chosen += commits
    each = {commit: _paths(workspace, f"{commit}^", commit) for commit in chosen}
    commands: list[tuple[str | bytes, ...]] = []
    for commit, paths in each.items():
        # A plain cherry-pick would pass the user's pre-commit hook by.
        commands.append(("cherry-pick", "--no-commit", commit))
        commands.append(("commit", "--quiet", "--allow-empty", "-C", commit, "--only", "--", *paths))
    return _bring(
        workspace, sorted(set(chain.from_iterable(each.values()))), commands, ("cherry-pick", "--quit")
    )


def patch_file(workspace: GitWorkspace, tip: str, file: Path) -> Accepted:
    """Write the run's whole change as a patch, for `git apply` on the files as they were when the run began."""
    file.write_bytes(workspace.patch(tip, workspace.base))
    return Accepted(None, (str(file),))


def copy_to(workspace: GitWorkspace, tip: str, target: Path, *, force: bool = False) -> Accepted:
    """Write the changed files into a folder; a single one to `target` itself, unless that is a folder.

    Raises RefusedError when a file is in the way, unless `force`.
    """
    listing = workspace.contents.listing(tip)
    items = [(path, listing[path]) for path in _paths(workspace, workspace.base, tip) if path in listing]
    alone = len(items) == 1 and not target.is_dir()
    places = {path: os.fsencode(target) if alone else os.fsencode(target) + b"/" + path for path, _ in items}
    taken = [text(place) for place in places.values() if os.path.lexists(place)]
    if taken and not force:
        raise RefusedError(f"{listed(taken)} is there already.", hint="Name another place, or add `--force`.")
    for path, mode, data in workspace.contents.read(items):
        put(places[path], mode, data)
    return Accepted(None, tuple(text(place) for place in places.values()))


def _bring(
    workspace: GitWorkspace,
    paths: Sequence[bytes],
    commands: Sequence[tuple[str | bytes, ...]],
    forget: tuple[str, ...],
) -> Accepted:
    """Run the commands on the user's checkout; whatever fails, the checkout is afterwards as it was."""
    repository = find_repository(workspace.repository.root)
    _refuse_moved(workspace, repository)
    overlapping = _overlapping(workspace, repository, paths)
    if overlapping:
        raise RefusedError(
            f"Your checkout has changes of its own in {listed([text(path) for path in overlapping])}.",
            hint=f"Commit them or put them aside yourself, then accept again. {OTHER_WAYS}",
        )
    git = Git(
        cwd=repository.root,
        obey=True,
        limit=HOOK_LIMIT,
        env={"GIT_EDITOR": "true", "GIT_LITERAL_PATHSPECS": "1"},
    )
    _wait_for_index(repository)
    undo = Undo(repository, paths)
    try:
        _back_to_head(git, workspace, paths)
        for command in commands:
            git.run(*command)
    except (JumarError, KeyboardInterrupt) as problem:
        if forget:
            # Forgetting is safer than aborting, which fails over files that a hook has written to.
            git.call(*forget, ok=range(256))
        undo.restore()
        if isinstance(problem, GitError):
            raise _refused(problem) from None
        raise
    return Accepted(git.line("rev-parse", "HEAD"), tuple(text(path) for path in paths))


def _wait_for_index(repository: Repository, locks: Locks | None = None) -> None:
    """Let a git command of the user's that is writing the index end first: some commands do not name a lock they fail at."""
    lock, locks, attempt = repository.git_dir / "index.lock", locks or Locks(), 0
    while lock.exists():
        if not locks.wait(lock, attempt):
            hint = f"Let it end; if no git command is running, the file is a leftover that you can remove. {OTHER_WAYS}"
            raise RefusedError(f"Another git command holds {lock}.", hint=hint)
        attempt += 1


def _refused(problem: GitError) -> GitError:
    return GitError(
        f"{problem.message}\nYour branch and your files are as they were before.",
        hint=f"Mend what git or your hook complains of, then accept again. {OTHER_WAYS}",
        command=problem.command,
        stderr=problem.stderr,
    )


def _refuse_moved(workspace: GitWorkspace, repository: Repository) -> None:
    unfinished = [name for name in HALF_DONE if name != "AUTO_MERGE" and (repository.git_dir / name).exists()]
    if unfinished:
        # Aborting ours after a failure would abort theirs.
        raise RefusedError(
            f"Your checkout is in the middle of something ({unfinished[0]}).",
            hint=f"Finish it first. {OTHER_WAYS}",
        )
    if repository.head != workspace.head:
        raise RefusedError(
            f"Your checkout is at {repository.head[:12]}, and the run began at {workspace.head[:12]}.",
            hint=f"Go back to that commit, or merge {workspace.branch} by hand. {OTHER_WAYS}",
        )


def _paths(workspace: GitWorkspace, old: str, new: str) -> list[bytes]:
    return sorted(path for path, _ in workspace.contents.changes(old, new))


def _overlapping(workspace: GitWorkspace, repository: Repository, paths: Sequence[bytes]) -> list[bytes]:
    """Those of the paths whose content in the user's checkout or index is not the one that the run began with."""
    index = workspace.settings.state / "accept-index"
    index.unlink(missing_ok=True)
    literal = {"GIT_LITERAL_PATHSPECS": "1"}
    seen = repository.checkout.at(index=index, env=literal)
    seen.run("read-tree", workspace.base)
    # Its answer is that something needs an update; what, is the next question.
    seen.call("update-index", "-q", "--refresh", ok=(0, 1))
    found = set(fields(seen.run("diff-files", "--name-only", "-z", "--", *paths)))
    index.unlink(missing_ok=True)
    base = workspace.contents.of_base
    root = os.fsencode(repository.root)
    found |= {path for path in paths if path not in base and os.path.lexists(root + b"/" + path)}
    own = repository.checkout.at(env=literal)
    staged = [
        set(fields(own.run("diff-index", "--cached", "--name-only", "-z", commit, "--", *paths)))
        for commit in {workspace.head, workspace.base}
    ]
    return sorted(found | set.intersection(*staged))


def _back_to_head(git: Git, workspace: GitWorkspace, paths: Sequence[bytes]) -> None:
    """Give files whose uncommitted content is in the base their committed content: git would refuse to write over them."""
    dirty = sorted(set(_paths(workspace, workspace.head, workspace.base)) & set(paths))
    if not dirty:
        return
    git.run("reset", "--quiet", workspace.head, "--", *dirty)
    tracked = set(
        fields(git.run("ls-tree", "-r", "-z", "--name-only", "--full-tree", workspace.head, "--", *dirty))
    )
    for path in set(dirty) - tracked:
        remove(os.fsencode(workspace.repository.root) + b"/" + path)
    if tracked:
        git.run(
            "checkout-index",
            "--force",
            "--quiet",
            "-z",
            "--stdin",
            input=b"".join(path + b"\0" for path in tracked),
        )

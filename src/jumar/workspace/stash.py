"""The stash is shared by all worktrees of a repository: a maker's entries are taken off it, the user's stay."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from jumar.workspace.git import Git
from jumar.workspace.reflog import Line, Reflog, read_reflog
from jumar.workspace.settings import Plan


class Stashes(NamedTuple):
    """What was found: commits to keep, words for the report, warnings, and the positions to drop, one after another."""

    side: list[str]
    moved: list[str]
    warnings: list[str]
    drops: list[int]


NOTHING = Stashes([], [], [], [])


def judge_stashes(common_dir: Path, plan: Plan, before: str | None, now: str | None, log: Reflog) -> Stashes:
    """Find the entries that a maker pushed from the run's worktree, since the stash was at `before`."""
    found = Stashes([], [], [], [])
    if before == now:
        return found
    lines = read_reflog(common_dir / "logs/refs/stash").lines
    known = [number for number, line in enumerate(lines) if line.new == before]
    if before and not known:
        found.side.append(before)
        found.warnings.append(
            f"the stash entry {before[:12]} was taken off while the maker ran; it is kept under a side ref"
        )
    names = {plan.branch, *log.visited}
    for number in range(len(lines) - 1, known[-1] if known else -1, -1):
        if _is_of(lines[number], names):
            found.side.append(lines[number].new)
            found.moved.append("stashed")
            found.drops.append(len(lines) - 1 - number - len(found.drops))
        else:
            found.warnings.append(
                "a stash entry appeared while the maker ran, not from its branch; it was left as it is"
            )
    return found


def drop_stashes(git: Git, plan: Plan, drops: list[int]) -> None:
    """Take the entries off; their commits must be kept elsewhere by now."""
    for at in drops:
        git.at(work_tree=plan.worktree).run("stash", "drop", "--quiet", f"stash@{{{at}}}")


def _is_of(line: Line, names: set[str]) -> bool:
    head, _, _ = line.message.partition(":")
    return head.removeprefix("WIP on ").removeprefix("On ") in names

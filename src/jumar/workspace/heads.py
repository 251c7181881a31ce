"""What a maker did with git: seen, kept under a reference, and undone where it is clearly the maker's doing."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import NamedTuple

from jumar.workspace.admin import Admin
from jumar.workspace.git import Git
from jumar.workspace.reflog import Reflog, read_reflog
from jumar.workspace.settings import Plan, write_whole
from jumar.workspace.stash import NOTHING, drop_stashes, judge_stashes

SHARED = ("config", "info/exclude", "info/attributes", "hooks")
STASH = "refs/stash"
MOST_KEPT = 50


class Seen(NamedTuple):
    """The references of a repository at one time, and a mark for each of its shared settings."""

    refs: dict[str, str]
    log_size: int
    shared: dict[str, str]


class Mended(NamedTuple):
    """What was found and put back. `moved` = the maker moved HEAD or the branch, or left git half way.

    `sealed` is the commit that the trial's reference names, if it exists.
    """

    moved: bool
    warnings: tuple[str, ...]
    sealed: str | None


class Judgement:
    """What to do with each reference that changed. `updates` maps a reference to (new, old); new is "" to delete it."""

    def __init__(self) -> None:
        self.updates: dict[str, tuple[str, str]] = {}
        self.side: list[str] = []
        self.moved: list[str] = []
        self.warnings: list[str] = []


class Heads:
    """The references around the maker's worktree."""

    def __init__(self, git: Git, common_dir: Path, plan: Plan, record: Path) -> None:
        self.git = git
        self.common_dir = common_dir
        self.plan = plan
        self.record = record
        self.found = record.with_name("found.json")
        self.admin = Admin(plan, git.locks)
        self.branch = f"refs/heads/{plan.branch}"
        self.space = f"refs/jumar/{plan.run}"

    def begin(self, base: str) -> None:
        """Note how things stand before the first maker begins."""
        self.admin.reset_index(base)
        self._note(self._read(0))

    def _note(self, seen: Seen) -> None:
        # Not flushed: after a power cut there is no maker whose doings it would tell from the user's.
        write_whole(self.record, json.dumps(seen._asdict()).encode(), flush=False)

    def mend(self, trial: int, parent: str) -> Mended:
        """Bring HEAD and the branch back to `parent`, and undo what else the maker did with git.

        Commits that nothing else keeps are put under `refs/jumar/<run>/side/<trial>-<k>`. What was found is noted before
        it is undone, and told again by every call for this trial until `forget`.
        """
        before, now = read_record(self.record), self._read(trial)
        # Without a record, what an earlier maker did would be laid at the door of this one.
        log = read_reflog(self.admin.folder / "logs/HEAD", before.log_size) if before else Reflog(())
        words, detached = self.admin.look()
        verdict = self._judge(parent, before, now, log)
        if detached and detached in log.created:
            verdict.side.append(detached)
        stash = (before.refs.get(STASH), now.refs.get(STASH)) if before else (None, None)
        found = judge_stashes(self.common_dir, self.plan, *stash, log) if before else NOTHING
        verdict.side += found.side
        moved, warnings = self._remember(
            trial, [*words, *verdict.moved, *found.moved], [*verdict.warnings, *found.warnings]
        )
        self.admin.mend()
        self._apply(verdict, trial)
        drop_stashes(self.git, self.plan, found.drops)
        self.admin.mend_index(parent)
        self._note(after(now, verdict, self.admin.folder))
        said = (f"maker moved HEAD: it {', '.join(moved)}",) if moved else ()
        return Mended(bool(moved), (*said, *warnings), now.refs.get(f"{self.space}/trial/{trial}"))

    def forget(self) -> None:
        """What was found belongs to no trial that still has to be judged."""
        self.found.unlink(missing_ok=True)

    def _remember(self, trial: int, moved: list[str], warnings: list[str]) -> tuple[list[str], list[str]]:
        """These words after those that an earlier, interrupted call noted for the trial, each once."""
        noted = json.loads(self.found.read_bytes()) if self.found.exists() else {}
        earlier = noted if noted.get("trial") == trial else {"moved": [], "warnings": []}
        moved = list(dict.fromkeys([*earlier["moved"], *moved]))
        warnings = list(dict.fromkeys([*earlier["warnings"], *warnings]))
        told = {"trial": trial, "moved": moved, "warnings": warnings}
        if (moved or warnings) and told != noted:
            write_whole(self.found, json.dumps(told).encode())
        return moved, warnings

    def _read(self, trial: int) -> Seen:
        places = ("refs/heads", "refs/tags", STASH, f"{self.space}/trial/{trial}")
        out = os.fsdecode(self.git.run("for-each-ref", "--format=%(objectname) %(refname)", *places))
        refs = {name: oid for oid, name in (line.split(" ", 1) for line in out.split("\n") if line)}
        return Seen(refs, log_size(self.admin.folder), shared_settings(self.common_dir))

    def _judge(self, parent: str, before: Seen | None, now: Seen, log: Reflog) -> Judgement:
        verdict = Judgement()
        current = now.refs.get(self.branch, "")
        if current != parent:
            verdict.updates[self.branch] = (parent, current)
            verdict.moved.append(
                "moved the branch of the run" if current else "deleted the branch of the run"
            )
            verdict.side += [current] if current else []
        created = log.created
        if created:
            verdict.moved.append("made commits of its own")
            verdict.side += created
        if before is None:
            return verdict
        for name in sorted(before.refs.keys() | now.refs.keys()):
            if name not in (self.branch, STASH) and not name.startswith("refs/jumar/"):
                self._judge_other(verdict, name, before.refs.get(name, ""), now.refs.get(name, ""), log)
        for name in changed_settings(before.shared, now.shared):
            verdict.warnings.append(
                f"{self.common_dir / name} changed while the maker ran; it was left as it is"
            )
        return verdict

    def _judge_other(self, verdict: Judgement, name: str, old: str, new: str, log: Reflog) -> None:
        if old == new:
            return
        short = name.removeprefix("refs/heads/").removeprefix("refs/tags/")
        switched = not old and name.startswith("refs/heads/") and short in log.visited
        if new and (switched or new in log.created):
            verdict.updates[name] = (old, new)
            verdict.side.append(new)
            verdict.moved.append(f"moved {short}" if old else f"made {short}")
            return
        verdict.side += [old] if old else []
        did = "was moved" if old and new else "was deleted" if old else "appeared"
        verdict.warnings.append(
            f"{short} {did} while the maker ran, by it or by someone else; it was left as it is"
        )

    def _apply(self, verdict: Judgement, trial: int) -> None:
        side = list(dict.fromkeys(verdict.side))[-MOST_KEPT:]
        deletions = [f"delete {name}\0{old}\0" for name, (new, old) in verdict.updates.items() if not new]
        updates = [f"update {name}\0{new}\0{old}\0" for name, (new, old) in verdict.updates.items() if new]
        # Kept first, so that nothing is lost if the process is cut; then deleted, since a name may be in another's way.
        keep = [f"update {self.space}/side/{trial}-{oid[:12]}\0{oid}\0\0" for oid in side]
        for commands in (keep, deletions, updates):
            if commands:
                self.git.run(
                    "update-ref", "--no-deref", "--stdin", "-z", input=os.fsencode("".join(commands))
                )


def after(now: Seen, verdict: Judgement, admin: Path) -> Seen:
    """How things stand once a verdict was carried out; what was dropped from the stash is told by its log."""
    refs = {**now.refs, **{name: new for name, (new, _) in verdict.updates.items()}}
    return Seen({name: oid for name, oid in refs.items() if oid}, log_size(admin), now.shared)


def log_size(admin: Path) -> int:
    """How long the log of the worktree's HEAD is, in bytes."""
    log = admin / "logs/HEAD"
    return log.stat().st_size if log.exists() else 0


def shared_settings(common_dir: Path) -> dict[str, str]:
    """A mark for each shared setting of the repository, to notice that it changed."""
    marks: dict[str, str] = {}
    for name in SHARED:
        path = common_dir / name
        files = sorted(path.iterdir()) if path.is_dir() else [path] if path.exists() else []
        for file in files:
            s = file.lstat()
            marks[str(file.relative_to(common_dir))] = f"{s.st_size} {s.st_mtime_ns} {s.st_mode}"
    return marks


def changed_settings(before: dict[str, str], now: dict[str, str]) -> list[str]:
    """The names whose marks differ."""
    return sorted(name for name in before.keys() | now.keys() if before.get(name) != now.get(name))


def read_record(file: Path) -> Seen | None:
    """What was noted before the maker began; None when the process was cut before it had written it whole."""
    try:
        return Seen(**json.loads(file.read_text()))
    except (FileNotFoundError, json.JSONDecodeError):
        return None

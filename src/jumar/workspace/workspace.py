"""The trees and references of a run, behind the `Workspace` seam."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

import msgspec

from jumar.core.model import Change, Flag, Refusal, TextFacts, Trial
from jumar.errors import GitError, JournalError, RefusedError
from jumar.workspace.contents import Contents, Listing
from jumar.workspace.git import Git
from jumar.workspace.heads import Heads, Mended
from jumar.workspace.ignore import Ignore
from jumar.workspace.repository import Repository
from jumar.workspace.seal import Inspector, Left, Made, describe, refusal, root_of
from jumar.workspace.settings import Plan, Settings, listed
from jumar.workspace.snapshot import text
from jumar.workspace.store import Store
from jumar.workspace.texts import lines_refusal, lost, target_texts
from jumar.workspace.tree import Tree
from jumar.workspace.trees import CHECKOUT_LIMIT, carry_into, remove_all


class GitWorkspace:
    """One run's worktree, evaluation trees, branch and references. Made by `open_workspace`.

    `base` is the commit that the run starts from, `head` the user's own at that time, `branch` the run's branch, `notes` what to say at
    the start. Every method may be cut at any point and called again.
    """

    def __init__(
        self, repository: Repository, settings: Settings, plan: Plan, contents: Contents, git: Git
    ) -> None:
        self.repository = repository
        self.settings = settings
        self.plan = plan
        self.contents = contents
        self.git = git
        state = settings.state
        self.heads = Heads(git, repository.common_dir, plan, state / "before.json")
        self.store = Store(state / "import.git", repository.common_dir, repository.object_format)
        self.ignore = Ignore(git, state / "rules")
        self.maker_tree = Tree(plan.worktree, Path(plan.place) / "set-up" / "tree", contents, keep_git=True)
        self.inspector = Inspector(self.maker_tree, contents, self.ignore, settings.scope, settings.max_file)
        self._evaluation: dict[int, Tree] = {}
        self._judged: set[str] = {plan.base}
        self._clean = False

    @property
    def base(self) -> str:
        """The commit that the run starts from."""
        return self.plan.base

    @property
    def head(self) -> str:
        """The user's HEAD when the run began."""
        return self.plan.head

    @property
    def branch(self) -> str:
        """The run's branch."""
        return self.plan.branch

    @property
    def notes(self) -> list[str]:
        """Sentences to show at the start."""
        return self.plan.notes

    def tip(self) -> str:
        """The commit that the run's branch is at; "" where the branch is gone."""
        _, out = self.git.call(
            "rev-parse", "--quiet", "--verify", f"refs/heads/{self.plan.branch}", ok=(0, 1)
        )
        return out.decode().strip()

    @property
    def worktree(self) -> Path:
        """The maker's worktree."""
        return self.plan.worktree

    def begin(self) -> None:
        """Note that the trees were just made, and hold what they should."""
        self.heads.begin(self.plan.base)
        self._clean = True

    def tree(self, trial: Trial) -> Path:
        """The folder in which the maker of this trial works."""
        if trial.lane:
            raise RefusedError("This workspace has one maker tree.", hint="Use `--lanes 1`.")
        return self.plan.worktree

    def checkout(self, trial: Trial) -> None:
        """Bring that folder to where the trial begins, whatever is in it: its parent, or the edit that is to be mended."""
        if not self._clean:
            mended = self.heads.mend(trial.number, trial.parent)
            if mended.sealed:
                self._set_aside(trial.number, mended.sealed)
            self.maker_tree.match(self.contents.listing(trial.start))
            self.heads.forget()
        self._clean = False

    def seal(self, trial: Trial) -> Change | Refusal | None:
        """Commit what the maker left, under the trial's ref; None when nothing changed.

        What is returned is on disk. A commit that an interrupted call has already put under the ref is adopted.
        """
        mended = self.heads.mend(trial.number, trial.parent)
        flags: tuple[Flag, ...] = ("moved_head",) if mended.moved else ()
        parent = self.contents.listing(trial.parent)
        left = self.inspector.look(parent)
        warnings = (*mended.warnings, *self._ignored_words(left))
        sent_back = {rework.commit for rework in trial.reworks}
        if mended.sealed and trial.change is None and mended.sealed not in sent_back:
            return self._adopt(trial, mended.sealed, flags, warnings)
        faults = list(self.inspector.faults(left, parent))
        if faults:
            return refusal(faults, flags, warnings)
        if gone := lost(self.settings.protect_lines, self.contents, parent, self.plan.worktree, left):
            return lines_refusal(gone, self.settings.scrub, flags, warnings)
        edits = self.inspector.edits(left, parent)
        if not edits:
            return self._nothing(left, mended, flags)
        self.settings.fuse("seal:objects")
        message, when = self.settings.message(trial), int(trial.opened)
        commit, tree = self.store.commit(trial.parent, edits, message, self.plan.identity, when)
        self.settings.fuse("seal:commit")
        if mended.sealed and mended.sealed != commit:
            self._set_aside(trial.number, mended.sealed)
        self.git.run("update-ref", self._ref(trial.number), commit)
        self.settings.fuse("seal:ref")
        return self._described(Made(commit, tree, trial.parent), flags, warnings)

    def settle(self, trial: Trial) -> None:
        """Advance the branch to a kept trial, or restore. Idempotent: a second call changes nothing.

        Raises JournalError when the branch is neither at the trial's parent nor at its commit.
        """
        keeps = trial.decision is not None and trial.decision.verdict == "KEEP" and trial.change is not None
        commit = trial.change.commit if keeps and trial.change else trial.parent
        self.settings.fuse("settle:flush")
        if keeps:
            self._swap(trial.parent, commit)
        self.settings.fuse("settle:swap")
        self.heads.mend(trial.number, commit)
        self.maker_tree.match(self.contents.listing(commit))
        self.heads.forget()
        self.settings.fuse("settle:tree")
        self._clean = True

    def evaluation_tree(self, lane: int, commit: str) -> Path:
        """A folder without `.git` that holds exactly this commit and the files of the set-up.

        Raises RefusedError when the commit has another version of a file that belongs to the judge.
        """
        listing = self.contents.listing(commit)
        self._check_judge(commit, listing)
        return self._matched(lane, listing)

    def without_targets(self, commit: str, lane: int = 0) -> Path:
        """The same folder with every target file taken away: an evaluator that gives the same score there reads none."""
        listing = self.contents.listing(commit)
        scope = self.settings.scope
        rest = {path: item for path, item in listing.items() if scope.verdict(text(path))}
        return self._matched(lane, Listing(rest))

    def facts(self, commit: str) -> TextFacts | None:
        """What the targets hold at a commit, summed up; None where nobody wants to know."""
        if self.settings.facts is None:
            return None
        return self.settings.facts(target_texts(self.contents, commit, self.settings.scope))

    def patch(self, commit: str, since: str | None = None) -> bytes:
        """The change of a commit against its parent, or against another commit: exact, binary files too."""
        form = ("-p", "--binary", "--full-index", "--no-ext-diff", "--no-textconv", "--no-renames")
        return self.git.run("diff-tree", "-r", *form, since or f"{commit}^", commit, "--")

    def remove(self, *, branch: bool = False) -> None:
        """Remove worktree, trees, references and the workspace's own files; the branch too when asked."""
        remove_all(self.repository, self.settings, self.plan, branch=branch)

    def _ref(self, number: int) -> str:
        return f"refs/jumar/{self.plan.run}/trial/{number}"

    def _set_aside(self, number: int, commit: str) -> None:
        """Keep a sealed commit whose place another takes: its proposal was lost, or the maker reworked it."""
        self.git.run("update-ref", f"refs/jumar/{self.plan.run}/side/{number}-{commit[:12]}", commit)
        self.git.run("update-ref", "-d", self._ref(number), commit)

    def _adopt(self, trial: Trial, commit: str, flags: tuple[Flag, ...], warnings: tuple[str, ...]) -> Change:
        if self.git.line("rev-parse", f"{commit}^") != trial.parent:
            raise JournalError(
                f"{self._ref(trial.number)} is at {commit[:12]}, which is no child of {trial.parent[:12]} where this trial began.",
                hint="The journal and the references are of different runs: see `jumar verify`.",
            )
        made = Made(commit, root_of(self.git, commit), trial.parent)
        return self._described(made, flags, warnings)

    def _described(self, made: Made, flags: tuple[Flag, ...], warnings: tuple[str, ...]) -> Change:
        change = describe(self.git, made, flags, warnings, self.settings.scrub)
        return msgspec.structs.replace(change, text=self.facts(made.commit))

    def _nothing(self, left: Left, mended: Mended, flags: tuple[Flag, ...]) -> Refusal | None:
        if mended.moved:
            return Refusal(
                "moved_head", f"{mended.warnings[0]}, and left no edit", (), flags, mended.warnings
            )
        ignored = [text(path) for path in left.ignored]
        if ignored:
            return Refusal(
                "empty_diff", f"only ignored files changed: {listed(ignored)}", tuple(ignored), flags
            )
        return None

    def _ignored_words(self, left: Left) -> Iterable[str]:
        names = [text(path) for path in left.ignored]
        if names:
            yield f"ignored files are no part of the change: {listed(names)}"

    def _swap(self, old: str, new: str) -> None:
        try:
            self.git.run("update-ref", f"refs/heads/{self.plan.branch}", new, old)
        except GitError:
            found = self.tip()
            if found == new:
                return
            if found == old:
                raise
            raise JournalError(
                f"The branch {self.plan.branch} is at {found[:12] or 'no commit'}, neither at {old[:12]} nor at {new[:12]}.",
                hint="Something else moved it: put it back with `git branch -f`, then run the same command again.",
            ) from None

    def _check_judge(self, commit: str, listing: Listing) -> None:
        if commit in self._judged:
            return
        scope = self.settings.scope
        differing = {path for path, _ in listing.items() ^ self.contents.of_base.items()}
        guarded = sorted(text(path) for path in differing if scope.guarded(text(path)))
        if guarded:
            raise RefusedError(
                f"{commit[:12]} changes {listed(guarded)}, which the evaluation depends on.",
                hint="A protected file must be the one of the start: see `protect` in the mission.",
            )
        self._judged.add(commit)

    def _matched(self, lane: int, listing: Listing) -> Path:
        tree = self._evaluation.get(lane) or self._open_evaluation(lane)
        tree.match(listing)
        return tree.root

    def _open_evaluation(self, lane: int) -> Tree:
        place = Path(self.plan.place)
        tree = Tree(
            place / f"evaluation-{lane}",
            place / "set-up" / f"evaluation-{lane}",
            self.contents,
            keep_git=False,
        )
        if tree.pristine.exists():
            tree.load()
        else:
            self._fill(tree)
            set_up(self.repository, self.settings, tree, self.contents.of_base)
        self._evaluation[lane] = tree
        return tree

    def _fill(self, tree: Tree) -> None:
        # git writes a whole tree much faster than file by file, and `match` mends what a cut leaves.
        tree.root.mkdir(parents=True, exist_ok=True)
        fill = self.contents.git.at(limit=CHECKOUT_LIMIT)
        fill.run("checkout-index", "--all", "--force", "--quiet", f"--prefix={tree.root}/")
        tree.match(self.contents.of_base)


def set_up(repository: Repository, settings: Settings, tree: Tree, listing: Listing) -> None:
    """Bring the files into a new tree that git does not carry, and note them as belonging there."""
    for name in settings.carry:
        path = os.fsencode(name.rstrip("/"))
        if path in listing or path in listing.folders:
            # A link there would have the files of the commit written through it, into the user's checkout.
            raise RefusedError(
                f"carry names {name}, and git has files there already.", hint="Carry only what git ignores."
            )
    carry_into(repository, settings, tree.root)
    if settings.setup:
        settings.setup(tree.root)
    tree.adopt(listing)
    tree.match(listing)

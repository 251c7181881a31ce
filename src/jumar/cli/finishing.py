"""What `accept`, `verify` and `clean` do."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from jumar.cli import console, place
from jumar.compose import Opening, Run, check_branch, open_run
from jumar.core.model import Trial
from jumar.core.state import State
from jumar.core.words import count, number
from jumar.errors import JumarError, MissionError, RefusedError
from jumar.pins import content_hash
from jumar.runs import HOME, RunFolder, find_run, runs
from jumar.workspace import Repository, Settings
from jumar.workspace import accept as handing
from jumar.workspace.accept import Accepted
from jumar.workspace.settings import Plan, load_plan
from jumar.workspace.trees import plan_file, remove_all


@dataclass(frozen=True)
class Form:
    """How the result is handed over: at most one of these."""

    merge: bool = False
    squash: bool = False
    pick: str | None = None
    patch: Path | None = None
    to: Path | None = None
    force: bool = False

    @property
    def name(self) -> str:
        """The one form that was asked for; merge where none was."""
        chosen = [name for name in ("merge", "squash", "pick", "patch", "to") if getattr(self, name)]
        if len(chosen) > 1:
            options = " and ".join(f"--{name}" for name in chosen)
            raise MissionError(f"{options} were given together.", hint="Choose one form of hand-off.")
        return chosen[0] if chosen else "merge"


def accept_run(folder: RunFolder, form: Form, *, yes: bool, as_json: bool) -> int:
    """Hand over what a run kept, in the form that was asked for."""
    state, name = folder.read_state(), form.name
    kept = [trial for trial in state.history if trial.outcome == "keep"]
    if not kept:
        raise RefusedError(
            f"{folder.id} kept nothing, so there is nothing to hand over.",
            hint="`jumar log` shows what was tried.",
        )
    writes_branch = name in ("merge", "squash", "pick")
    question = f"{name.capitalize()} {count(len(kept), 'kept change')} of {folder.id} into your branch?"
    if writes_branch and not console.confirm(question, yes=yes):
        raise RefusedError(
            "Nothing was handed over: nobody said yes.",
            hint="Add `--yes`, or use `--patch FILE` or `--to PATH`.",
        )
    mission = folder.read_manifest().mission
    with open_run(mission, place.repository(), Opening(run=folder.id, resume=False)) as run:
        done = hand_over(run, state, kept, form, name)
    report(done, name, as_json=as_json)
    return 0


def hand_over(run: Run, state: State, kept: list[Trial], form: Form, name: str) -> Accepted:
    """Carry out one form."""
    message = title(run, state)
    if name == "squash":
        return handing.squash(run.workspace, state.head, message)
    if form.pick:
        return handing.pick(run.workspace, chosen_commits(kept, form.pick))
    if form.patch:
        return handing.patch_file(run.workspace, state.head, form.patch)
    if form.to:
        return handing.copy_to(run.workspace, state.head, form.to, force=form.force)
    return handing.merge(run.workspace, state.head, message)


def title(run: Run, state: State) -> str:
    """The subject of the commit on the user's branch, and where it comes from."""
    gained = f"{number(state.baseline, state.unit)} → {number(state.best, state.unit)}"
    return f"{run.mission.goal or 'Improve ' + ', '.join(run.mission.file)}\n\n{gained}, run {state.run}\n"


def chosen_commits(kept: list[Trial], wanted: str) -> list[str]:
    """The commits of the trials named by `--pick 3,7`, in the order in which they were kept."""
    try:
        numbers = {int(word) for word in wanted.replace(",", " ").split()}
    except ValueError:
        raise MissionError(
            f"`--pick {wanted}` is no list of trials.", hint="Write numbers: `--pick 3,7`."
        ) from None
    known = {trial.number: trial.change.commit for trial in kept if trial.change}
    if unknown := sorted(numbers - known.keys()):
        there = ", ".join(map(str, known))
        raise MissionError(f"Trial {unknown[0]} was not kept.", hint=f"Kept were: {there}.")
    return [commit for trial, commit in known.items() if trial in numbers]


def report(done: Accepted, name: str, *, as_json: bool) -> None:
    """What was handed over."""
    if as_json:
        console.give_json({"form": name, "commit": done.commit, "files": list(done.files)})
    elif done.commit:
        console.say(f"Your branch is at {done.commit[:12]} now: {count(len(done.files), 'file')} changed.")
    else:
        console.say(f"Written: {', '.join(done.files)}")


def verify_run(folder: RunFolder, *, as_json: bool) -> int:
    """Check a run against itself; exit 5 when something does not agree."""
    problems = []
    try:
        state = folder.read_state()
        problems += list(disagreements(folder, state))
    except JumarError as error:
        problems.append(error.message)
        state = State()
    if as_json:
        console.give_json(
            {"run": folder.id, "records": state.records, "trials": len(state.history), "problems": problems}
        )
    else:
        for problem in problems:
            console.say(f"{console.paint('wrong:', '31')} {problem}")
        if not problems:
            console.say(
                f"{folder.id} is whole: {count(state.records, 'record')}, {count(len(state.history), 'trial')}."
            )
    return 5 if problems else 0


def disagreements(folder: RunFolder, state: State) -> Iterator[str]:
    """Where references, branch and pinned files do not say what the journal says."""
    git = place.repository().git
    listed = git.run(
        "for-each-ref", "--format=%(refname) %(objectname)", f"refs/jumar/{folder.id}/trial/"
    ).decode()
    refs = dict(line.split() for line in listed.splitlines())
    sealed = [trial for trial in [*state.history, *state.open.values()] if trial.change]
    for trial in sealed:
        found, change = refs.get(f"refs/jumar/{folder.id}/trial/{trial.number}"), trial.change
        if change and found != change.commit:
            yield f"The reference of trial {trial.number} is at {found or 'nothing'}, the journal says {change.commit}."
        elif change and git.line("rev-parse", f"{change.commit}^{{tree}}") != change.tree:
            yield f"The tree of trial {trial.number} is not the one that was judged."
    try:
        if state.records:
            check_branch(state, git)
    except JumarError as error:
        yield error.message
    for path, digest in folder.read_manifest().pinned.items():
        if content_hash(folder.root / path) != digest:
            yield f"{path}, which belongs to the judge, is not what it was when the run began."


def clean_runs(root: Path, name: str | None, *, every: bool, branch: bool, yes: bool, as_json: bool) -> int:
    """Remove runs and, with the last one, `.jumar/` itself."""
    found = runs(root) if every else [find_run(root, name)]
    question = f"Remove {count(len(found), 'run')} with worktree, references and record?"
    if found and not console.confirm(question, yes=yes):
        raise RefusedError("Nothing was removed: nobody said yes.", hint="Add `--yes`.")
    for folder in found:
        clean_run(folder, branch=branch)
        console.say(f"Removed {folder.id}.")
    if not runs(root):
        shutil.rmtree(root / HOME, ignore_errors=True)
    if as_json:
        console.give_json({"removed": [folder.id for folder in found]})
    return 0


def clean_run(folder: RunFolder, *, branch: bool) -> None:
    """Remove one run. A live one is refused; a branch that holds what was not handed over yet is left, unless `branch`."""
    if folder.is_live():
        raise RefusedError(f"{folder.id} is running.", hint="End it first: `jumar stop --now`.")
    repository = place.repository()
    settings = Settings(run=folder.id, targets=(), state=folder.path / "workspace", branch="", started=0.0)
    if plan := load_plan(plan_file(settings)):
        spare = branch or handed_over(repository, plan)
        if not spare:
            console.say(
                f"The branch {plan.branch} is left, since your branch lacks what is on it; `--branch` removes it too."
            )
        remove_all(repository, settings, plan, branch=spare)
    shutil.rmtree(folder.path)


def handed_over(repository: Repository, plan: Plan) -> bool:
    """Whether the run's branch holds nothing that the user's HEAD lacks, its base aside."""
    name = f"refs/heads/{plan.branch}"
    if repository.git.code("rev-parse", "--quiet", "--verify", name):
        return True
    tip = repository.git.line("rev-parse", name)
    return tip == plan.base or not repository.git.code("merge-base", "--is-ancestor", tip, repository.head)

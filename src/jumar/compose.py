"""Where the parts are put together: one run, opened over a repository, with its maker, its trees and its journal."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from jumar.controls import RunControls
from jumar.core.constraints import facts_of, phrases, reads_text
from jumar.core.events import Resumed, Started
from jumar.core.mission import Mission
from jumar.core.model import TextFacts, Trial
from jumar.core.ports import Evaluator, Maker
from jumar.core.records import may_continue
from jumar.core.secrets import Scrubber, secret_values
from jumar.core.state import State
from jumar.core.stopping import stop_reason
from jumar.errors import JournalError
from jumar.evaluators.shell import ShellEvaluator
from jumar.executors.local import LocalExecutor
from jumar.fitting import Means, fit_maker, set_up
from jumar.journal import Journal
from jumar.mission import identity, mission_hash
from jumar.pins import kept_from_makers, named_files, pinned
from jumar.process import Supervisor, end_survivors
from jumar.runs import Manifest, RunFolder, find_run, new_run, runs, slug, start_lock
from jumar.session import Observer, Session
from jumar.version import VERSION
from jumar.workspace import GitWorkspace, Repository, Settings, open_workspace
from jumar.workspace.git import Git

Fuse = Callable[[str], None]
CONTAINED = "Maker and evaluator run without a sandbox."


@dataclass
class Opening:
    """How a run is opened: by whom, and what tests put in the place of the world."""

    fresh: bool = False
    purpose: str = ""  # a run that is not the mission's own, such as a check
    run: str | None = None
    resume: bool = True
    clock: Callable[[], float] = time.time
    environment: Mapping[str, str] = field(default_factory=lambda: dict(os.environ))
    observers: Sequence[Callable[[Run], Observer]] = ()
    fuse: Fuse = lambda point: None
    place: Path | None = None
    allowed: tuple[str, ...] = ()
    views_in_place: bool = False
    judge: Callable[[ShellEvaluator], Evaluator] | None = None  # measures in the command's place


@dataclass(kw_only=True)
class Run(Means):
    """An open run and its parts."""

    manifest: Manifest
    workspace: GitWorkspace
    controls: RunControls
    session: Session
    evaluator: ShellEvaluator
    views_in_place: bool = False
    remarks: list[str] = field(default_factory=list)

    @property
    def integrity(self) -> str:
        """L1 where files of the judge are pinned, else L0: there is nothing but the command."""
        return "L1" if self.manifest.pinned else "L0"

    @property
    def notes(self) -> tuple[str, ...]:
        """What the run's owner should know of how it was set up."""
        mission = self.mission
        judges = [
            f"`{path}` stays as it is, since a command names it; name it in `file` by its path to have it edited."
            for path in kept_from_makers(mission)
        ]
        carried = [f"`{path}` was brought in ({how})." for path, how in mission.carry.items()]
        unprobed = "It was not checked that the evaluator reads the target (`--no-probe`)."
        probe = [] if mission.probe else [unprobed]
        return (*self.workspace.notes, *judges, *carried, *self.manifest.allowed, *probe)

    def maker(self) -> Maker:
        """The maker that the mission names."""
        return fit_maker(self.mission.maker[0], self)


@contextmanager
def open_run(mission: Mission, repository: Repository, opening: Opening | None = None) -> Iterator[Run]:
    """Open the run of this mission: the unfinished one where there is one, else a new one. Opening is resuming.

    Raises LockedError when another process has it, and whatever stands in the way of its trees.
    """
    opening = opening or Opening()
    mission = with_judge(mission, repository)
    same = f"{opening.purpose}{identity(mission)}"
    with ExitStack() as stack:
        stack.enter_context(start_lock(repository.root, same))
        folder = choose(mission, repository, opening, same)
        ended = end_survivors(folder.processes)
        manifest = prepare(folder, mission, repository, opening, same)
        run = assemble(folder, manifest, mission, repository, opening)
        stack.callback(run.session.journal.close)
        run.remarks += [f"Ended what an earlier process left running: {words}" for words in ended]
        announce(run, opening)
        yield run


def with_judge(mission: Mission, repository: Repository) -> Mission:
    """The mission with the files that its commands name among the protected ones."""
    named = [path for path in named_files(mission, repository) if path not in mission.protect]
    return msgspec.structs.replace(mission, protect=(*mission.protect, *named))


def choose(mission: Mission, repository: Repository, opening: Opening, same: str) -> RunFolder:
    """The folder of the run to go on with, or of a new one."""
    if opening.run is not None:
        return find_run(repository.root, opening.run)
    if not opening.fresh:
        for folder in reversed(runs(repository.root)):
            if folder.read_manifest().identity == same:
                if continues(folder, mission, opening.clock()):
                    return folder
                break
    name = opening.purpose or short_name(mission)
    return new_run(repository.root, name, opening.clock())


def short_name(mission: Mission) -> str:
    """What the run and its branch are called after: the goal, else the first target."""
    return slug(mission.goal or Path(mission.file[0]).stem)


def continues(folder: RunFolder, mission: Mission, now: float) -> bool:
    """Whether the same command goes on with this run."""
    state = folder.read_state()
    return may_continue(state, stop_reason(state, mission, now) if state.ended else None)


def prepare(
    folder: RunFolder, mission: Mission, repository: Repository, opening: Opening, same: str
) -> Manifest:
    """The manifest on disk: written before anything else of a run, renewed when its budget changes."""
    earlier = folder.read_manifest() if folder.manifest.exists() else None
    manifest = Manifest(
        run=folder.id,
        identity=same,
        mission=mission,
        version=VERSION,
        origin=earlier.origin if earlier else repository.branch or "",
        start=earlier.start if earlier else repository.head,
        maker=mission.maker,
        pinned=earlier.pinned if earlier else pinned(mission, repository),
        allowed=opening.allowed,
    )
    if manifest != earlier:
        folder.write_manifest(manifest)
    return manifest


def assemble(
    folder: RunFolder, manifest: Manifest, mission: Mission, repository: Repository, opening: Opening
) -> Run:
    """All parts of a run, over its journal."""
    controls = RunControls(folder)
    means = gather(folder, mission, repository, opening, controls)
    journal = Journal(folder.journal, opening.clock, opening.fuse)
    try:
        workspace = open_workspace(repository, settings(means, manifest, opening))
        evaluator = ShellEvaluator(
            mission, means.supervisor, folder.path,
            checkout=repository.root, environment=means.environment, scrub=means.scrub,
        )  # fmt: skip
        executor = LocalExecutor(workspace, opening.judge(evaluator) if opening.judge else evaluator)
        session = Session(mission, journal, workspace, executor, clock=opening.clock, controls=controls)
    except BaseException:
        journal.close()
        raise
    run = Run(
        **vars(means),
        manifest=manifest, workspace=workspace, controls=controls, session=session, evaluator=evaluator,
        views_in_place=opening.views_in_place,
    )  # fmt: skip
    session.observers = [make(run) for make in opening.observers]
    if journal.torn:
        run.remarks.append(f"Set aside {len(journal.torn)} bytes of a write that never finished.")
    return run


def gather(
    folder: RunFolder, mission: Mission, repository: Repository, opening: Opening, controls: RunControls
) -> Means:
    """What the parts share."""
    scrub = Scrubber(secret_values(opening.environment)).scrub
    return Means(
        folder=folder,
        mission=mission,
        repository=repository,
        supervisor=Supervisor(folder.processes, scrub, controls.at_once),
        scrub=scrub,
        environment=opening.environment,
    )


def announce(run: Run, opening: Opening) -> None:
    """Write the start or the resumption, once journal and references agree."""
    session, workspace = run.session, run.workspace
    if session.state.records == 0:
        session.log(
            Started(
                run.folder.id,
                workspace.base,
                workspace.branch,
                mission_hash(run.mission),
                VERSION,
                tuple(workspace.notes),
                workspace.facts(workspace.base),
            )
        )
    else:
        check_branch(session.state, workspace.git)
        if opening.resume:
            run.folder.stop.unlink(missing_ok=True)
            session.log(Resumed(mission_hash(run.mission), tuple(run.remarks)))


def check_branch(state: State, git: Git) -> None:
    """The branch is where the journal says. Raises JournalError when it is neither at the old nor at the new commit.

    While a maker may have been at work its tree is mended later, whatever it did.
    """
    if any(trial.kind != "baseline" and not trial.sealed for trial in state.open.values()):
        return
    pending = {t.parent for t in state.open.values() if t.decision and t.decision.verdict == "KEEP"}
    name = f"refs/heads/{state.branch}"
    found = git.run("rev-parse", "--quiet", "--verify", name, ok=(0, 1)).decode().strip()
    if found not in {state.head, *pending}:
        raise JournalError(
            f"The branch {state.branch} is at {found[:12] or 'no commit'}, but the journal says {state.head[:12]}.",
            hint=f"Put it back with `git branch -f {state.branch} {state.head[:12]}`, or start another run with `--fresh`.",
        )


def settings(means: Means, manifest: Manifest, opening: Opening) -> Settings:
    """What the workspace is told."""
    mission = means.mission
    date = time.strftime("%Y-%m-%d", time.localtime(opening.clock()))
    name = short_name(mission)
    return Settings(
        run=means.folder.id,
        targets=mission.file,
        state=means.folder.path / "workspace",
        branch=mission.style.branch.format(slug=name, date=date, run=means.folder.id),
        started=opening.clock(),
        folder=mission.folder,
        protect=mission.protect,
        protect_lines=mission.protect_lines,
        pinned=tuple(manifest.pinned),
        named=tuple(named_files(mission, means.repository)),
        carry=mission.carry,
        setup=set_up(means) if mission.setup else None,
        place=opening.place,
        base=mission.base,
        message=lambda trial: commit_message(trial, mission),
        facts=text_facts(mission),
        scrub=means.scrub,
        fuse=opening.fuse,
    )


def text_facts(mission: Mission) -> Callable[[Sequence[bytes]], TextFacts] | None:
    """What sums up the targets' texts for constraints and shares; None where nothing is about the text."""
    if not reads_text(mission.constraint) and not (mission.max_change and mission.max_change.relative):
        return None
    letters = phrases(mission.constraint)
    return lambda texts: facts_of(texts, letters)


def commit_message(trial: Trial, mission: Mission) -> str:
    """The message of a sealed trial, by the style's pattern."""
    summary = trial.description[:72] or f"trial {trial.number}"
    return mission.style.commit.format(summary=summary, trial=trial.number) + "\n"

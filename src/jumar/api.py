"""jumar from Python. The same runs, journals and trees as from the command line; `jumar run` can take over, and back.

import jumar

state = jumar.run("mission.md", maker=MyMaker())
print(state.baseline, state.best, state.ended.reason)
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import msgspec

from jumar.compose import Opening, Run
from jumar.compose import open_run as compose_run
from jumar.core.mission import Mission
from jumar.core.model import Job, Measurement
from jumar.core.ports import Evaluator, Maker
from jumar.core.state import State
from jumar.fitting import fit_maker
from jumar.keeping import KEEPERS, render
from jumar.makers.briefed import Briefed
from jumar.mission import find_mission
from jumar.mission import load_mission as read_mission
from jumar.workspace import find_repository


def load_mission(
    path: Path | str | None = None,
    flags: Mapping[str, object] | None = None,
    *,
    start: Path | str | None = None,
    root: Path | str | None = None,
) -> Mission:
    """The mission of a file, with `flags` (key names and values) over it.

    Without `path` it is the `mission.md` of the folder `start` or of the repository's root, where there is one. `start` is
    the current folder by default, `root` the root of the repository around it. Raises MissionProblems, with everything that
    is wrong.
    """
    here = Path(start or Path.cwd()).resolve()
    top = Path(root).resolve() if root else find_repository(here).root
    file = Path(path) if path is not None else find_mission(here, top)
    return read_mission(file, flags or {}, start=here, root=top)


@contextmanager
def open_run(
    mission: Mission | Path | str | None = None,
    *,
    evaluator: Evaluator | None = None,
    folder: Path | str | None = None,
    fresh: bool = False,
) -> Iterator[Run]:
    """For a `with`: the run of a mission, its unfinished one, or a new one where there is none or `fresh` is set.

    `run.session` has `ask`, `tell`, `run` and `state`. `folder` is a folder of the repository, the current one by default.
    With an `evaluator`, it measures instead of the mission's command; guards stay commands. Raises LockedError when another
    process has the run.
    """
    here = Path(folder or Path.cwd()).resolve()
    found = mission_of(mission, here)
    judge = None if evaluator is None else lambda shell: Judge(evaluator, shell)
    with compose_run(
        found, find_repository(here), Opening(fresh=fresh, judge=judge, observers=KEEPERS)
    ) as run:
        yield run


def run(
    mission: Mission | Path | str | None = None,
    *,
    maker: Maker | str | None = None,
    evaluator: Evaluator | None = None,
    folder: Path | str | None = None,
    fresh: bool = False,
) -> State:
    """Run a mission to its end, or go on with its unfinished run; the state then, whose `ended.reason` says why it ended.

    `maker` is an object with `propose(brief, tree) -> Proposal`, or a name such as "tune"; the mission's own by default.
    An exception of the maker's leaves the trial open: the next call begins it again. For the others see `open_run`.
    """
    found = mission_of(mission, Path(folder or Path.cwd()))
    if maker is not None:  # the record names who proposed
        name = maker if isinstance(maker, str) else f"python:{type(maker).__qualname__}"
        found = msgspec.structs.replace(found, maker=(name,))
    with open_run(found, evaluator=evaluator, folder=folder, fresh=fresh) as opened:
        state = opened.session.run(maker_of(maker, opened))
        render(opened, state)
    return state


def mission_of(mission: Mission | Path | str | None, folder: Path) -> Mission:
    """The mission that is meant, as it reads in this folder."""
    return mission if isinstance(mission, Mission) else load_mission(mission, start=folder)


def maker_of(maker: Maker | str | None, run: Run) -> Maker:
    """The maker that is meant, with its briefs written down."""
    if maker is None:
        return run.maker()
    return fit_maker(maker, run) if isinstance(maker, str) else Briefed(maker, run.folder.path, run.scrub)


class Judge:
    """An evaluator of the caller's for the score; the mission's own shell for the guards."""

    def __init__(self, own: Evaluator, shell: Evaluator) -> None:
        self.own = own
        self.shell = shell

    def evaluate(self, job: Job, tree: Path) -> Measurement:
        """What they say. An exception in the caller's code is an evaluation without a score."""
        if job.role == "guard":
            return self.shell.evaluate(job, tree)
        try:
            return self.own.evaluate(job, tree)
        except Exception as error:  # noqa: BLE001 code that is not ours, and its failure is a result
            said = f"{type(self.own).__name__} raised {type(error).__name__}: {error}"
            return Measurement(passed=False, error="crash", message=said)

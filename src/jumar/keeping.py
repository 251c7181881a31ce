"""What a run leaves for people: the files of each trial, and the views of the whole."""

from __future__ import annotations

import time
from pathlib import Path, PurePosixPath

import msgspec

from jumar.compose import CONTAINED, Run, short_name
from jumar.core.events import Record, Sealed, Settled
from jumar.core.model import Trial
from jumar.core.state import State
from jumar.core.views import Page, due_after
from jumar.views import VIEWS
from jumar.workspace.repository import ensure_excluded
from jumar.workspace.settings import write_whole

DOCUMENTS = "views/"


class TrialFiles:
    """Keeps what people look for in a trial's folder: the patch, and the proposal of a maker that wrote none."""

    def __init__(self, run: Run) -> None:
        self.run = run
        state = run.session.state
        for trial in [*state.history, *state.open.values()]:
            # A process that was killed may have sealed a trial and not come to its files.
            if trial.change is not None and not self._patch(trial.number).exists():
                self._keep(trial)

    def __call__(self, state: State, record: Record) -> None:
        """Write the files that this record completes."""
        match record.body:
            case Sealed(trial=number, change=change) if change is not None:
                self._keep(state.open[number])

    def _patch(self, number: int) -> Path:
        return self.run.folder.trial(number) / "patch.diff"

    def _keep(self, trial: Trial) -> None:
        assert trial.change is not None
        proposal = self.run.folder.trial(trial.number) / "proposal.json"
        if not proposal.exists():
            text = msgspec.json.format(msgspec.json.encode(trial.proposal), indent=1)
            write_whole(proposal, self.run.scrub(text.decode()).encode())
        write_whole(self._patch(trial.number), self.run.workspace.patch(trial.change.commit))


class LiveViews:
    """Keeps the views that are due after each trial up to date while the run goes on."""

    def __init__(self, run: Run) -> None:
        self.run = run

    def __call__(self, state: State, record: Record) -> None:
        """Make them anew where this record ends a trial."""
        if isinstance(record.body, Settled) and due_after(len(state.history)):
            render(self.run, state, ended=False)


KEEPERS = (TrialFiles, LiveViews)


def render(run: Run, state: State, *, ended: bool = True) -> dict[str, str]:
    """Write the views that the style names; where each is. Before the end, those that are due after each trial.

    Those of the style's own document stand in the run's folder `views/`, or with `views_in_place` where the document says:
    at that path from the repository's root, kept out of git. A file that would not change is not written.
    """
    files = {"progress": VIEWS["progress"].path}
    page = Page(run.mission, state, run.integrity, (*run.notes, CONTAINED), files, names(run, state))
    due = {name: VIEWS[name] for name in run.mission.style.views if ended or VIEWS[name].due == "trial"}
    written: dict[str, str] = {}
    for name, view in due.items():
        for path, content in view.files(page):
            target = place(run, path)
            clean = scrubbed(run, content)
            if not target.exists() or target.read_bytes() != clean:
                write_whole(target, clean)
            written.setdefault(name, str(target))
    return written


def scrubbed(run: Run, content: bytes) -> bytes:
    """The content without secrets; a picture as it is."""
    try:
        return run.scrub(content.decode()).encode()
    except UnicodeDecodeError:
        return content


def place(run: Run, path: str) -> Path:
    """Where a file of a view is."""
    own = path.removeprefix(DOCUMENTS)
    if not run.views_in_place or own == path:
        return run.folder.path / path
    ensure_excluded(run.repository.common_dir, f"/{own}")
    return run.repository.root / own


def names(run: Run, state: State) -> dict[str, str]:
    """The words that the path of a view may hold. Times are the run's start in UTC.

    `run` is its id, `slug` its short name, `target` the name of the first target without its suffix and `suffix` that with its dot, `stamp` reads 20260101t000000z,
    `date` 2026-01-01 and `clock` 000000.
    """
    start, first = time.gmtime(state.started), PurePosixPath(run.mission.file[0])
    return {
        "run": run.folder.id,
        "slug": short_name(run.mission),
        "target": first.stem,
        "suffix": first.suffix,
        "stamp": time.strftime("%Y%m%dt%H%M%Sz", start),
        "date": time.strftime("%Y-%m-%d", start),
        "clock": time.strftime("%H%M%S", start),
    }

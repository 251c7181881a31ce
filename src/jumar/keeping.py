"""What a run leaves for people: the files of each trial, and the views of the whole."""

from __future__ import annotations

from pathlib import Path

import msgspec

from jumar.compose import CONTAINED, Run
from jumar.core.events import Record, Sealed
from jumar.core.model import Trial
from jumar.core.state import State
from jumar.core.views import Page
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


def render(run: Run, state: State) -> dict[str, str]:
    """Write the views that the style names; where each is.

    Those of the style's own document stand in the run's folder `views/`, or with `views_in_place` where the document says:
    at that path from the repository's root, kept out of git.
    """
    written: dict[str, str] = {}
    files = {"progress": VIEWS["progress"][0]}
    page = Page(run.mission, state, run.integrity, (*run.notes, CONTAINED), files)
    for name in run.mission.style.views:
        file, view = VIEWS[name]
        own = file.removeprefix(DOCUMENTS)
        in_place = run.views_in_place and own != file
        target = run.repository.root / own if in_place else run.folder.path / file
        if in_place:
            ensure_excluded(run.repository.common_dir, f"/{own}")
        write_whole(target, run.scrub(view(page).decode()).encode())
        written[name] = str(target)
    return written

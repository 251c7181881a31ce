"""What a run leaves for people: the files of each trial, and the views of the whole."""

from __future__ import annotations

import msgspec

from jumar.compose import Run
from jumar.core.events import Record, Sealed
from jumar.core.state import State
from jumar.core.views import Page
from jumar.views import VIEWS
from jumar.workspace.settings import write_whole


class TrialFiles:
    """Keeps what people look for in a trial's folder: the patch, and the proposal of a maker that wrote none."""

    def __init__(self, run: Run) -> None:
        self.run = run

    def __call__(self, state: State, record: Record) -> None:
        """Write the files that this record completes."""
        match record.body:
            case Sealed(trial=number, change=change) if change is not None:
                folder = self.run.folder.trial(number)
                folder.mkdir(parents=True, exist_ok=True)
                (folder / "patch.diff").write_bytes(self.run.workspace.patch(change.commit))
                proposal = folder / "proposal.json"
                if not proposal.exists():
                    text = msgspec.json.format(msgspec.json.encode(state.open[number].proposal), indent=1)
                    proposal.write_bytes(self.run.scrub(text.decode()).encode())


def render(run: Run, state: State) -> dict[str, str]:
    """Write the views that the style names; where each is."""
    written: dict[str, str] = {}
    files = {"progress": VIEWS["progress"][0]}
    page = Page(run.mission, state, run.integrity, run.notes, files)
    for name in run.mission.style.views:
        file, view = VIEWS[name]
        target = run.folder.path / file
        write_whole(target, run.scrub(view(page).decode()).encode())
        written[name] = str(target)
    return written

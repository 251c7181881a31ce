"""The line at the bottom of a terminal that says what runs right now. Nothing of it is there without a terminal."""

from __future__ import annotations

import atexit
from typing import TYPE_CHECKING

from jumar.cli import console
from jumar.core.events import (
    Decided,
    Ended,
    Measured,
    Proposed,
    Record,
    Resumed,
    Sealed,
    Settled,
    Started,
    TrialOpened,
)
from jumar.core.state import State
from jumar.core.words import count, number

if TYPE_CHECKING:
    from rich.live import Live


class StatusLine:
    """A spinner with a sentence, redrawn in place; lines that are printed meanwhile scroll above it."""

    def __init__(self) -> None:
        self.live: Live | None = None
        if console.colour():
            from rich.console import Console
            from rich.live import Live

            self.live = Live(console=Console(stderr=True), refresh_per_second=4, transient=True)
            atexit.register(self.live.stop)  # a terminal gets its cursor back, however the run ends

    def __call__(self, state: State, record: Record) -> None:
        """Say what begins with this record."""
        if self.live is None:
            return
        if isinstance(record.body, Ended):
            self.live.stop()
        elif words := doing(state, record):
            from rich.spinner import Spinner

            self.live.start()
            self.live.update(Spinner("dots", words), refresh=True)


def doing(state: State, record: Record) -> str:
    """What is going on after a record, and the best so far; "" where nothing new begins."""
    trial = next(iter(state.open), state.next_number)
    best = "" if state.best is None else f"; best so far {number(state.best, state.unit)}"
    match record.body:
        case Started() | Resumed():
            return "Opening the run"
        case TrialOpened(trial=0):
            return "Measuring the baseline"
        case TrialOpened():
            return f"Trial {trial}: waiting for the maker{best}"
        case Proposed():
            return f"Trial {trial}: taking the change{best}"
        case Sealed():
            return f"Trial {trial}: measuring{best}"
        case Measured(role=role):
            runs = count(len(state.open[trial].runs(role)), "run")
            return f"Trial {trial}: measuring, {runs} of the {role} done{best}"
        case Decided():
            return f"Trial {trial}: putting the trees in order{best}"
        case Settled():
            return f"Choosing what comes after trial {trial - 1}{best}"
    return ""

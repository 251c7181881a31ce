"""Driving a run from the command line: signals, observers, views."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

from jumar.cli import console
from jumar.cli.live import JsonLines, Lines
from jumar.compose import Opening, Run, open_run
from jumar.core.mission import Mission
from jumar.core.records import exit_code
from jumar.core.state import State
from jumar.evaluators.diagnose import explain_failing_baseline
from jumar.keeping import KEEPERS, render
from jumar.session import Observer
from jumar.workspace import Repository


def observers(*, as_json: bool) -> list[Callable[[Run], Observer]]:
    """Who watches a run: the files of each trial, then the screen or the program that reads along."""
    return [*KEEPERS, JsonLines if as_json else Lines]


def run_mission(mission: Mission, repository: Repository, *, as_json: bool, opening: Opening) -> int:
    """Open the run, walk it to its end, write its views; the exit code."""
    opening.observers = [*observers(as_json=as_json), *opening.observers]
    with open_run(mission, repository, opening) as run, interruptible(run):
        state = run.session.run(run.maker())
        if not as_json:
            explain_end(run, state)
        show_views(run, state, quiet=as_json)
        return exit_code(state)


@contextmanager
def interruptible(run: Run) -> Iterator[None]:
    """SIGINT and SIGTERM end what is running and leave the run resumable."""

    def note(number: int, frame: FrameType | None) -> None:
        run.controls.interrupted = True

    before = {number: signal.signal(number, note) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def explain_end(run: Run, state: State) -> None:
    """More words where the evaluator failed on the untouched base: does it work in the checkout, and what is missing?"""
    baseline = state.history[0] if len(state.history) else None
    if not (
        state.ended and state.ended.reason == "evaluator_broken" and baseline and baseline.outcome == "error"
    ):
        return
    failure = next((m for m in baseline.runs() if m.error), None)
    if failure is None:
        return
    from jumar.core.model import Job

    job = Job(trial=0, lane=0, role="score", side="candidate", commit=state.base, sample=0, seed=0)
    words = explain_failing_baseline(
        failure,
        lambda tree: run.evaluator.rehearse(job, tree),
        tree=run.workspace.evaluation_tree(0, state.base),
        checkout=run.repository.root,
    )
    console.say(words)


def show_views(run: Run, state: State, *, quiet: bool) -> None:
    """Render every view of the run. A view that fails is said, and does not cost the run."""
    written = render(run, state)
    if not quiet:
        for name, file in written.items():
            if name != "progress":
                console.say(f"{name.capitalize()}: {file}")
        if state.outcomes.get("keep"):
            console.say("Next: `jumar diff` shows the change, `jumar accept` hands it over.")

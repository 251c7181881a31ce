"""What a run says while it goes on: objects on stdout for programs, lines on stderr for people."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from jumar.cli import console
from jumar.cli.status import StatusLine
from jumar.core.cautions import after_baseline
from jumar.core.events import Ended, Record, Resumed, Reworked, Settled, Started, StopAsked, TrialOpened
from jumar.core.model import Trial
from jumar.core.records import baseline_object, end_object, errors, escalation_object, trial_object
from jumar.core.state import State
from jumar.core.words import count, duration, number, share

if TYPE_CHECKING:
    from jumar.compose import Run

COLOURS = {"keep": "32", "error": "31", "discard": "2", "noop": "2"}


class JsonLines:
    """One object a line on stdout."""

    def __init__(self, run: Run) -> None:
        self.run = run

    def __call__(self, state: State, record: Record) -> None:
        """Print what this record means to a program."""
        match record.body:
            case Started() | Resumed():
                console.give_json(start_object(self.run, state))
                for remark in self.run.remarks:
                    console.give_json({"event": "warning", "message": remark})
            case StopAsked():
                console.give_json({"event": "stop_requested"})
            case Settled(trial=0):
                console.give_json(baseline_object(state.history[0], state))
                for caution in after_baseline(state, self.run.mission):
                    console.give_json({"event": "warning", "message": caution})
            case Settled(trial=number):
                trial = state.history[number]
                console.give_json(trial_object(trial, state))
                if trial.escalation:
                    console.give_json(escalation_object(trial, self.run.mission.style))
            case Ended():
                console.give_json(end_object(state))


def start_object(run: Run, state: State) -> dict[str, Any]:
    """The `start` event."""
    return {
        "event": "start",
        "run": state.run,
        "branch": state.branch,
        "worktree": str(run.workspace.worktree),
        "style": run.mission.style.name,
        "base": state.base,
        "integrity": run.integrity,
        "resumed": state.records > 1,
    }


class Lines:
    """A line a trial on stderr, what runs right now below it on a terminal, and a summary at the end."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self.status = StatusLine()

    def __call__(self, state: State, record: Record) -> None:
        """Say what this record means to a person."""
        self.status(state, record)
        match record.body:
            case Started() | Resumed():
                self.greet(state)
            case StopAsked():
                console.say("A stop was asked for: the run ends after this trial.")
            case TrialOpened(trial=0):
                console.say("Measuring the baseline…")
            case Reworked(trial=number, message=message):
                console.say(f"Trial {number} is sent back to its maker: {shorten(message)}")
            case Settled(trial=0):
                self.baseline(state)
            case Settled(trial=number):
                trial = state.history[number]
                console.say(trial_line(trial, state, self.run.mission.iterations))
                if trial.escalation:
                    console.say(str(escalation_object(trial, self.run.mission.style)["message"]))
            case Ended():
                console.say(summary(state))

    def greet(self, state: State) -> None:
        """Which run this is and where it works."""
        again = state.records > 1
        console.say(
            f"{'Resuming' if again else 'Starting'} {console.paint(state.run, '1')} on the branch {state.branch}."
        )
        console.say(f"Working in {self.run.workspace.worktree}; your checkout is not touched.")
        for note in [*self.run.remarks, *([] if again else self.run.notes)]:
            console.say(f"note: {note}")

    def baseline(self, state: State) -> None:
        """The baseline, the text it was read from, and its noise."""
        trial = state.history[0]
        if trial.outcome == "error":
            return
        runs = trial.runs()
        matched = f", read from {runs[-1].matched!r}" if runs and runs[-1].matched else ""
        noise = (
            ""
            if state.noise is None
            else ", exact"
            if state.noise == 0
            else f", noise about {number(state.noise, state.unit)}"
        )
        console.say(
            f"Baseline: {number(state.baseline, state.unit)} ({count(len(runs), 'run')}{noise}){matched}"
        )
        for caution in after_baseline(state, self.run.mission):
            console.say(f"note: {caution}")


def trial_line(trial: Trial, state: State, iterations: int | None) -> str:
    """One finished trial: number, outcome, score, what was tried, and why it ended so."""
    decision = trial.decision
    assert decision is not None
    outcome = trial.outcome or ""
    total = f"/{iterations}" if iterations else ""
    head = f"{trial.number:>3}{total} {console.paint(f'{outcome:<7}', COLOURS.get(outcome, '0'))}"
    score = number(decision.score, state.unit) if decision.score is not None else "–"
    what = trial.description or "no description"
    why = decision.sentence if outcome != "keep" else gain_of(trial, state)
    return f"{head} {score:>14}  {what}  {console.paint(f'[{decision.reason}: {shorten(why)}]', '2')}"


def gain_of(trial: Trial, state: State) -> str:
    """How far a kept trial is from the baseline."""
    if trial.delta_baseline is None or state.baseline is None:
        return "first score"
    return f"{share(trial.delta_baseline, state.baseline) or number(trial.delta_baseline)} from the baseline"


def shorten(text: str, limit: int = 120) -> str:
    """One line of at most `limit` characters, without its middle: the end of a long one says what went wrong."""
    line = " ".join(text.split())
    head = limit // 3
    return line if len(line) <= limit else f"{line[:head]}…{line[head + 1 - limit :]}"


def summary(state: State) -> str:
    """The end, in a few lines."""
    ended = state.ended
    kept = state.outcomes.get("keep", 0)
    spent = f"{count(state.used, 'trial')} in {duration(state.elapsed(state.last))}"
    lines = [f"{ended.message if ended else ''} {spent}: {tally(state)}."]
    if state.best is not None and state.baseline is not None and kept:
        change = share(state.best - state.baseline, state.baseline)
        lines.append(
            f"{number(state.baseline, state.unit)} → {console.paint(number(state.best, state.unit), '32')}"
            f"{f' ({change})' if change else ''} on {state.branch}"
        )
    return "\n".join(lines)


def tally(state: State) -> str:
    """How many trials ended in which way; errors and empty edits only where there are some."""
    counts = state.outcomes
    parts = [f"{counts.get('keep', 0)} kept", f"{counts.get('discard', 0)} discarded"]
    if failed := errors(state):
        parts.append(count(failed, "error"))
    if empty := counts.get("noop", 0):
        parts.append(f"{empty} without a change")
    return ", ".join(parts)

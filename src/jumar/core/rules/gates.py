"""What a would-be keep still has to pass."""

from __future__ import annotations

from jumar.core.constraints import measured, violated
from jumar.core.mission import Mission
from jumar.core.model import Decision, Trial, Verdict
from jumar.core.state import State, scores
from jumar.core.stats import middle


def guard(trial: Trial, state: State, mission: Mission) -> Decision | None:
    """Every guard command exits with 0; the first that does not reverts the trial, or sends it back (`rework`)."""
    runs = trial.runs(role="guard")
    for command, run in zip(mission.guard, runs, strict=False):
        if run.error or not run.passed:
            return _failed(trial, command, run.message, mission)
    if len(runs) < len(mission.guard):
        return Decision("MEASURE", role="guard", command=mission.guard[len(runs)])
    return None


def constraint(trial: Trial, state: State, mission: Mission) -> Decision | None:
    """Every constraint holds, over the medians of the runs and the text of the targets."""
    sentence = violation(trial, state, mission)
    if sentence is None:
        return None
    found = scores(trial)
    return Decision("DISCARD", "constraint", sentence, score=middle(found) if found else None)


def violation(trial: Trial, state: State, mission: Mission) -> str | None:
    """Why the first constraint that does not hold does not, in a sentence."""
    base = trial if trial.kind == "baseline" else state.history[0]
    text = trial.change.text if trial.change else state.base_text
    values = measured(trial.runs(), text)
    baseline = measured(base.runs(), state.base_text)
    answers = (violated(one, values, baseline, text) for one in mission.constraint)
    return next((answer for answer in answers if answer), None)


def guard_words(trial: Trial) -> str:
    """What the guard that failed printed last."""
    return next((run.words for run in trial.runs(role="guard") if run.error or not run.passed), "")


def _failed(trial: Trial, command: str, message: str, mission: Mission) -> Decision:
    sentence = f"The guard `{command}` failed: {message}"
    if trial.kind == "baseline":
        return Decision("ERROR", "guard", sentence)
    found = scores(trial)
    verdict: Verdict = "RETRY" if len(trial.reworks) < mission.rework else "DISCARD"
    return Decision(verdict, "guard", sentence, score=found[-1] if found else None)

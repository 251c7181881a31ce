"""What a would-be keep still has to pass."""

from __future__ import annotations

from jumar.core.mission import Mission
from jumar.core.model import Decision, Trial
from jumar.core.state import State, scores


def guard(trial: Trial, state: State, mission: Mission) -> Decision | None:
    """Every guard command exits with 0; the first that does not reverts the trial."""
    runs = trial.runs(role="guard")
    for command, run in zip(mission.guard, runs, strict=False):
        if run.error or not run.passed:
            return _failed(trial, command, run.message)
    if len(runs) < len(mission.guard):
        return Decision("MEASURE", role="guard", command=mission.guard[len(runs)])
    return None


def _failed(trial: Trial, command: str, message: str) -> Decision:
    sentence = f"The guard `{command}` failed: {message}"
    if trial.kind == "baseline":
        return Decision("ERROR", "guard", sentence)
    found = scores(trial)
    return Decision("DISCARD", "guard", sentence, score=found[-1] if found else None)

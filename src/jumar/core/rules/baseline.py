"""Trial 0: is there something to compare with, how noisy is it, and does the evaluator look at the target at all?"""

from __future__ import annotations

from jumar.core.constraints import measured, wanted_names
from jumar.core.mission import Mission
from jumar.core.model import Decision, Trial
from jumar.core.rules.gates import violation
from jumar.core.state import State, scores
from jumar.core.stats import middle, spread
from jumar.core.words import number

MEASURE = Decision("MEASURE")
AFFORDABLE = 40  # evaluations that the time budget must hold before noise is worth measuring


def runs(trial: Trial, state: State, mission: Mission) -> Decision | None:
    """As many runs as the style asks for, more where they differ, one where the budget holds only a few."""
    done = trial.runs()
    if not done:
        return MEASURE
    if not _worth_repeating(trial, mission):
        return None
    differ = len(set(scores(trial))) > 1
    wanted = mission.style.noisy_baseline_runs if differ else mission.style.baseline_runs
    return MEASURE if len(done) < wanted else None


def _worth_repeating(trial: Trial, mission: Mission) -> bool:
    """A pass has no noise scale, and a long evaluation in a short night leaves none to spare."""
    if mission.policy not in ("two_sigma", "simplicity") or not scores(trial):
        return len(trial.runs()) < mission.repeats
    seconds = trial.runs()[0].usage.seconds
    return mission.time is None or seconds * AFFORDABLE <= mission.time


def probe(trial: Trial, state: State, mission: Mission) -> Decision | None:
    """One evaluation without the target: an evaluator that still gives the same score does not read it."""
    found = scores(trial)
    if not mission.probe or not found:
        return None
    runs = trial.runs(role="probe")
    if not runs:
        return Decision("MEASURE", role="probe")
    blind = runs[0]
    if blind.error or not blind.passed or blind.score is None or not min(found) <= blind.score <= max(found):
        return None
    sentence = f"The evaluator does not read the target: without it the score is still {number(blind.score, blind.unit)}."
    return Decision("ERROR", "environment", f"{sentence}{f' {blind.notes}' if blind.notes else ''}")


def constraint_names(trial: Trial, state: State, mission: Mission) -> Decision | None:
    """Every name of a constraint has a value: one that the evaluator never prints could never be judged."""
    given = measured(trial.runs(), state.base_text)
    missing = next((name for name in wanted_names(mission.constraint) if name not in given), None)
    if missing is None:
        return None
    known = ", ".join(f"`{name}`" for name in given) or "none"
    sentence = f"A constraint names `{missing}`, and the evaluation gives no such metric; it gives {known}."
    return Decision("ERROR", "constraint", sentence)


def accepted(trial: Trial, state: State, mission: Mission) -> Decision:
    """The baseline as the first incumbent; `noise` is there once two runs were made.

    Where it may fail and does, its score is no anchor: the first version that passes is. The same holds for a baseline that
    violates a constraint, where the style says so.
    """
    broken = violation(trial, state, mission) if mission.style.violating_baseline == "no_anchor" else None
    sound = broken is None and all(run.passed for run in trial.runs())
    found = scores(trial) if sound else ()
    numbers = {"runs": float(len(trial.runs()))}
    if len(found) > 1:
        numbers["noise"] = spread(found)
    score = middle(found) if found else None
    why = f" It is no anchor: {broken}" if broken else ""
    return Decision("KEEP", "baseline", f"The baseline is {number(score, state.unit)}.{why}", score, numbers)

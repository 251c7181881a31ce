"""What other programs read of a run: the objects of `--json`, and the exit code. Names are promises."""

from __future__ import annotations

from typing import Any

from jumar.core.events import Ended
from jumar.core.ladder import step_at
from jumar.core.mission import Style
from jumar.core.model import Trial
from jumar.core.state import State
from jumar.core.words import count

BUDGETS = ("iterations", "time", "tokens", "cost", "stagnation", "target", "optimum")
COUNTED = {
    "without_gain": "in a row without a gain", "reverts": "put back since the last keep", "strikes": "since the last that was better",
}  # fmt: skip
EXIT_CODES = {"evaluator_broken": 3, "maker_broken": 4, "interrupted": 130}


def baseline_object(trial: Trial, state: State) -> dict[str, Any]:
    """The `baseline` event: what was measured before any maker was called."""
    runs = trial.runs()
    return {
        "event": "baseline",
        "score": state.baseline,
        "samples": [run.score for run in runs],
        "unit": state.unit,
        "noise": state.noise,
        "exact": None if state.noise is None else state.noise == 0,
        "matched": runs[-1].matched if runs else "",
    }


def trial_object(trial: Trial, state: State) -> dict[str, Any]:
    """The `trial` event, the same in `log --json` and `tell --json`."""
    decision, proposal = trial.decision, trial.proposal
    usage = proposal.usage if proposal else None
    return {
        "event": "trial",
        "trial": trial.number,
        "kind": trial.kind,
        "outcome": trial.outcome,
        "reason": decision.reason if decision else None,
        "sentence": decision.sentence if decision else "",
        "flags": flags(trial),
        "warnings": warnings(trial),
        "score": decision.score if decision else None,
        "samples": [run.score for run in trial.runs()],
        "best": trial.best,
        "delta_baseline": trial.delta_baseline,
        "delta_previous": trial.delta_previous,
        "unit": state.unit,
        "description": trial.description,
        "commit": trial.change.commit if trial.change else None,
        "parent": trial.parent,
        "evaluations": len(trial.runs())
        + len(trial.runs(side="incumbent"))
        + sum(r.evaluations for r in trial.reworks),
        "seconds": round(trial.closed - trial.opened, 3) if trial.closed else None,
        "level": trial.level,
        "strikes": trial.strikes,
        "tokens": usage.tokens if usage else None,
        "cost": usage.cost if usage else None,
    }


def escalation_object(trial: Trial, style: Style) -> dict[str, Any]:
    """The `escalation` event, after the trial that led to it."""
    step = step_at(trial.escalation, style.ladder)
    amount = getattr(trial.counters, style.ladder_counts)
    what = COUNTED[style.ladder_counts]
    return {
        "event": "escalation",
        "trial": trial.number,
        "level": trial.escalation,
        "name": step.name or None,
        "count": amount,
        "message": f"Level {trial.escalation}{f' ({step.name})' if step.name else ''}: {count(amount, 'trial')} {what}.",
    }


def flags(trial: Trial) -> list[str]:
    """The flags of a trial, from its seal and its decision."""
    sealed = trial.change or trial.refusal
    found = [*(sealed.flags if sealed else ()), *(trial.decision.flags if trial.decision else ())]
    return list(dict.fromkeys(found))


def warnings(trial: Trial) -> list[str]:
    """What was odd about a trial without deciding it, once each: of its edit, and of its evaluations."""
    sealed = trial.change or trial.refusal
    of_edit = sealed.warnings if sealed else ()
    return list(
        dict.fromkeys([*of_edit, *(words for s in trial.samples for words in s.measurement.warnings)])
    )


def end_object(state: State) -> dict[str, Any]:
    """The `end` event. `verified` is null until the gain is measured again at the end of a run."""
    counts = state.outcomes
    return {
        "event": "end",
        "run": state.run,
        "reason": state.ended.reason if state.ended else None,
        "message": state.ended.message if state.ended else "",
        "branch": state.branch,
        "baseline": state.baseline,
        "best": state.best,
        "unit": state.unit,
        "kept": counts.get("keep", 0),
        "discarded": counts.get("discard", 0),
        "errors": errors(state),
        "noops": counts.get("noop", 0),
        "evaluations": state.evaluations,
        "verified": None,
        "exit": exit_code(state),
    }


def errors(state: State) -> int:
    """Trials that ended in an error, a failed baseline aside."""
    baseline = state.history[0] if len(state.history) else None
    return state.outcomes.get("error", 0) - bool(baseline and baseline.outcome == "error")


def exit_code(state: State) -> int:
    """0 kept something, or there was nothing to do · 1 nothing kept · 3, 4, 130 as the end says."""
    ended = state.ended
    if ended and ended.reason in EXIT_CODES:
        return EXIT_CODES[ended.reason]
    if state.outcomes.get("keep") or idle_by_request(state, ended):
        return 0
    return 1


def idle_by_request(state: State, ended: Ended | None) -> bool:
    """The run had nothing to do: its target was met already, or it was asked for the baseline alone."""
    if ended is None:
        return False
    return ended.reason in ("target", "optimum") or (ended.reason == "iterations" and state.used == 0)


def may_continue(state: State, reason_now: Ended | None) -> bool:
    """Whether the same command goes on with this run rather than starting another.

    It does when the run never ended, ended by a stop or an interruption, or ended by a budget that is larger now:
    `reason_now` is what the stop rules say of the state under the present mission.
    """
    if state.ended is None or state.ended.reason in ("stopped", "interrupted"):
        return True
    return state.ended.reason in BUDGETS and reason_now is None

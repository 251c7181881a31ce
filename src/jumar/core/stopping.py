"""When a run ends. Each rule is `(State, Mission, now) -> Ended | None`; a style names the ones it wants, in order."""

from __future__ import annotations

from collections.abc import Callable

from jumar.core.events import Ended
from jumar.core.mission import Mission
from jumar.core.state import State
from jumar.core.words import count, duration, number

StopRule = Callable[[State, Mission, float], Ended | None]

IDLE_LIMIT = 3
SAME_ERROR_LIMIT = 5


def stop_reason(state: State, mission: Mission, now: float) -> Ended | None:
    """The first stop rule that holds. `now` is seconds since the epoch. The baseline is always measured first."""
    if not state.next_number:
        return stop_asked(state, mission, now)
    answers = (STOPS[name](state, mission, now) for name in mission.style.stops)
    return next((answer for answer in answers if answer), None)


def stop_asked(state: State, mission: Mission, now: float) -> Ended | None:
    """A person asked for the end."""
    return Ended("stopped", "A stop was asked for.") if state.stop_asked else None


def aborted(state: State, mission: Mission, now: float) -> Ended | None:
    """The maker asked for the end."""
    decision = state.last_trial and state.last_trial.decision
    return Ended("aborted", decision.sentence) if decision and decision.reason == "aborted" else None


def evaluator_broken(state: State, mission: Mission, now: float) -> Ended | None:
    """The baseline or the incumbent cannot be measured, or every evaluation says the same."""
    last = state.last_trial
    if last and last.kind == "baseline" and last.outcome == "error" and last.decision:
        return Ended("evaluator_broken", last.decision.sentence)
    if failure := state.incumbent_failure:
        return Ended(
            "evaluator_broken",
            f"The evaluator fails on the best version too: {failure.message or failure.notes}",
        )
    if state.streaks.same_error >= SAME_ERROR_LIMIT:
        times = count(state.streaks.same_error, "evaluation")
        return Ended("evaluator_broken", f"{times} in a row ended with the same error: {state.streaks.error}")
    return None


def exhausted(state: State, mission: Mission, now: float) -> Ended | None:
    """The maker has nothing left to try."""
    last = state.last_trial
    if last and last.proposal and last.proposal.status == "exhausted" and last.decision:
        return Ended("exhausted", last.decision.sentence)
    return None


def maker_broken(state: State, mission: Mission, now: float) -> Ended | None:
    """The maker changed nothing, or failed, several times in a row."""
    if state.streaks.idle < IDLE_LIMIT:
        return None
    last = state.last_trial
    decision = last.decision if last else None
    what = "failed or changed nothing" if decision and decision.verdict == "ERROR" else "changed nothing"
    sentence = decision.sentence if decision else ""
    return Ended("maker_broken", f"The maker {what} {state.streaks.idle} times in a row. {sentence}")


def optimum(state: State, mission: Mission, now: float) -> Ended | None:
    """The best score cannot be beaten."""
    if not mission.reaches(state.best, mission.optimum):
        return None
    return Ended("optimum", f"{number(state.best, state.unit)} cannot be beaten.")


def target(state: State, mission: Mission, now: float) -> Ended | None:
    """The target is reached by the best version, and by as many measured scores in a row as asked for."""
    if mission.continue_after_target or not mission.reaches(state.best, mission.target_score):
        return None
    if mission.target_repeats > 1 and state.streaks.on_target < mission.target_repeats:
        return None
    return Ended("target", f"The target {number(mission.target_score, state.unit)} is reached.")


def iterations(state: State, mission: Mission, now: float) -> Ended | None:
    """The trials that were asked for are done; the baseline is none of them."""
    if mission.iterations is None or state.used < mission.iterations:
        return None
    return Ended("iterations", f"The budget of {count(mission.iterations, 'trial')} is used up.")


def time(state: State, mission: Mission, now: float) -> Ended | None:
    """The time is used up."""
    if mission.time is None or state.elapsed(now) < mission.time:
        return None
    return Ended("time", f"The time budget of {duration(mission.time)} is used up.")


def stagnation(state: State, mission: Mission, now: float) -> Ended | None:
    """Too many trials in a row without a gain."""
    if mission.stagnation is None or state.streaks.without_gain < mission.stagnation:
        return None
    return Ended("stagnation", f"{count(state.streaks.without_gain, 'trial')} in a row brought no gain.")


STOPS: dict[str, StopRule] = {
    rule.__name__: rule
    for rule in (
        stop_asked,
        aborted,
        evaluator_broken,
        exhausted,
        maker_broken,
        optimum,
        target,
        iterations,
        time,
        stagnation,
    )
}

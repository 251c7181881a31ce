"""What the numbers of a run should make its owner doubt."""

from __future__ import annotations

from math import sqrt

from jumar.core.mission import Mission
from jumar.core.rules.gates import violation
from jumar.core.state import State
from jumar.core.stats import finite
from jumar.core.words import number


def after_baseline(state: State, mission: Mission) -> list[str]:
    """Sentences to show once the baseline is measured."""
    return [*violations(state, mission), *doubts(state, mission)]


def violations(state: State, mission: Mission) -> list[str]:
    """That the baseline itself violates a constraint."""
    if not mission.constraint or state.history[0].outcome != "baseline":
        return []
    broken = violation(state.history[0], state, mission)
    return [f"The baseline: {broken} Only a change that mends this is kept."] if broken else []


def doubts(state: State, mission: Mission) -> list[str]:
    """What the noise of the baseline makes doubtful."""
    if not state.noise or mission.policy not in ("strict", "two_sigma"):
        return []
    noise = number(state.noise, state.unit)
    if mission.policy == "strict":
        advice = "Use `--policy two_sigma --repeats 3`."
        return [
            f"The measure is noisy (about {noise} from run to run), and `policy: strict` keeps lucky runs. {advice}"
        ]
    if mission.repeats == 1:
        # Both sides of the comparison are noisy, so their difference is by the square root of 2 noisier than one.
        least = number(finite(2 * sqrt(2) * state.noise), state.unit)
        seen = f"The measure is noisy (about {noise} from run to run)"
        return [
            f"{seen}: a single run of each change cannot tell a gain below {least} from luck. Use `--repeats 3`."
        ]
    return []

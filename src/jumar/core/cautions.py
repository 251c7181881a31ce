"""What the numbers of a run should make its owner doubt."""

from __future__ import annotations

from jumar.core.mission import Mission
from jumar.core.state import State
from jumar.core.words import number


def after_baseline(state: State, mission: Mission) -> list[str]:
    """Sentences to show once the baseline is measured."""
    if not state.noise or mission.policy not in ("strict", "two_sigma"):
        return []
    noise = number(state.noise, state.unit)
    if mission.policy == "strict":
        return [
            f"The measure is noisy (about {noise} from run to run), and `policy: strict` keeps lucky runs. "
            "Use `--policy two_sigma --repeats 3`."
        ]
    if mission.repeats == 1:
        return [
            f"The measure is noisy (about {noise} from run to run): a single run of each change cannot tell a gain below "
            f"{number(2 * state.noise, state.unit)} from luck. `--repeats 3` can tell smaller ones."
        ]
    return []

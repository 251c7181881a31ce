"""The policies: is the candidate better than the incumbent?"""

from __future__ import annotations

from math import isclose

from jumar.core.mission import Mission
from jumar.core.model import Decision, Reason, Trial
from jumar.core.state import State, scores
from jumar.core.stats import finite, middle
from jumar.core.words import number, share

MEASURE = Decision("MEASURE")


def evaluator_pass(trial: Trial, state: State, mission: Mission) -> Decision | None:
    """The evaluator's pass decides, and a worse score that passes is kept (document 001)."""
    if not trial.runs():
        return MEASURE
    found = scores(trial)
    score = middle(found) if found else None
    reason: Reason = "improved" if state.anchored else "bootstrap"
    return Decision(
        "KEEP", reason, f"The evaluator passed it, with score {number(score, state.unit)}.", score=score
    )


def strict(trial: Trial, state: State, mission: Mission) -> Decision | None:
    """The median of `repeats` runs is better than the incumbent, by `min_gain` at least."""
    return (
        more_runs(trial, mission.repeats) or unanchored(trial, state) or _compare(trial, state, mission, 0.0)
    )


def two_sigma(trial: Trial, state: State, mission: Mission) -> Decision | None:
    """The median of `repeats` runs is better by more than two standard deviations of the baseline's runs.

    On an exact measure one run is enough. A first run that is worse by more than the same threshold ends it early.
    """
    chance = finite(2 * (state.noise or 0.0))
    if chance and _hopeless(trial, state, mission, chance):
        return _compare(trial, state, mission, chance)
    repeats = mission.repeats if state.noise != 0.0 else 1
    return more_runs(trial, repeats) or unanchored(trial, state) or _compare(trial, state, mission, chance)


def more_runs(trial: Trial, repeats: int) -> Decision | None:
    """Another run, until there are as many as asked for."""
    return MEASURE if len(trial.runs()) < repeats else None


def unanchored(trial: Trial, state: State) -> Decision | None:
    """Without an earlier score the first passing score is the anchor; a pass without any score is none."""
    found = scores(trial)
    if not found:
        return Decision("DISCARD", "no_anchor", "It passed without a score, and this policy compares scores.")
    if state.anchor is None:
        score = middle(found)
        sentence = f"The first passing score is {number(score, state.unit)}."
        return Decision("KEEP", "bootstrap", sentence, score=score)
    return None


def _hopeless(trial: Trial, state: State, mission: Mission, threshold: float) -> bool:
    found = scores(trial)
    return bool(found) and state.anchor is not None and mission.gain(found[0], state.anchor) < -threshold


def _compare(trial: Trial, state: State, mission: Mission, noise: float) -> Decision:
    """Both scores exist. `noise` is what chance alone explains; 0 on an exact measure."""
    anchor = state.anchor
    assert anchor is not None
    score = middle(scores(trial))
    gain, least = mission.gain(score, anchor), mission.min_gain.against(anchor)
    numbers = {
        "gain": gain,
        "threshold": max(noise, least),
        "noise": noise / 2,
        "runs": float(len(trial.runs())),
    }
    words = said(score, anchor, gain, state.unit)
    # 1.0 - 0.9 is a little less than 0.1 in floating point, and a gain of 0.1 all the same.
    enough = gain >= least or isclose(gain, least)
    if gain > noise and enough and gain > 0:
        return Decision("KEEP", "improved", f"{words}.", score, numbers)
    if (
        gain == 0
        and mission.on_tie == "keep_smaller"
        and trial.change
        and trial.change.removed > trial.change.added
    ):
        return Decision(
            "KEEP", "simplified", f"{words}, and the change removes more lines than it adds.", score, numbers
        )
    if gain == 0:
        return Decision("DISCARD", "tie", f"{words}.", score, numbers)
    if gain <= -max(noise, least) or (gain < 0 and not noise):
        return Decision("DISCARD", "regressed", f"{words}.", score, numbers)
    limit = number(max(noise, least), state.unit)
    return Decision("DISCARD", "within_noise", f"{words}; a gain has to be above {limit}.", score, numbers)


def said(score: float, anchor: float, gain: float, unit: str | None) -> str:
    """How the two compare; the percentage has no sign, since the words say which way it is."""
    if gain == 0:
        return f"{number(score, unit)} equals {number(anchor, unit)}"
    relation = "better" if gain > 0 else "worse"
    percent = share(abs(gain), anchor).lstrip("+")
    by = f" by {percent}" if percent else ""
    return f"{number(score, unit)} is {relation} than {number(anchor, unit)}{by}"

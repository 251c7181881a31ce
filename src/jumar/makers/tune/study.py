"""Optuna's part: a value for one constant, near the incumbent's, from what was tried of it.

Each constant has a study of its own. Its trials are the constant's values, scored by what the constant alone gained
(see `memory.Try`), so that what other constants won meanwhile does not count for it. Optuna's TPE sampler looks inside
a window around the incumbent's value that narrows with every loss in a row and opens again with a win.

Measured on seven exact functions of 1 to 30 constants (one rate; a bowl of 7 of which 3 do nothing; integer plateaus;
choices; two coupled; a cliff of errors; 30 of which 4 matter), six seeds: what is left of the first score after 20, 50
and 100 trials, as a geometric mean (0.001 added). The others had ranges that hold each optimum.

    this: mostly one constant a trial, a window, TPE each      0.065   0.006   0.002
    TPE over all constants at once, multivariate               0.054   0.008   0.003
    TPE over all constants at once, univariate                 0.069   0.012   0.004
    random                                                     0.138   0.068   0.031

All at once is ahead with many constants and few trials (30 constants, 20 trials: 0.38 of the first score left, here
0.78), but its diffs cannot be read. With four and eight seeds, other rates of narrowing and a half window at first were
no better by 30 trials; groups of two and three in six of ten trials were worse.
"""

from __future__ import annotations

import functools
import math
from typing import Any

from jumar.makers.tune.literals import Value
from jumar.makers.tune.memory import Lesson, Try
from jumar.makers.tune.model import Constant
from jumar.makers.tune.space import bounds, place, settle, unit_of

WIDEST = 1.0
SHRINK = 0.75
NARROWEST = 0.05
BEST, LATEST = 30, 30


@functools.cache
def quiet_optuna() -> Any:
    """Optuna, imported at first use, its log off."""
    import optuna

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    return optuna


def suggest(constant: Constant, lesson: Lesson, seed: int, wide: bool) -> Value:
    """A value for the constant, on its own study; the same for the same arguments. It may be one that was tried."""
    optuna = quiet_optuna()
    space = distribution(constant, lesson, wide)
    sampler = optuna.samplers.TPESampler(seed=seed, n_startup_trials=1, multivariate=False)
    study = optuna.create_study(direction="maximize", sampler=sampler)
    study.add_trials(finished(constant, lesson, space))
    raw = study.ask({"value": space}).params["value"]
    return settle(constant, mirrored(constant, raw))


def mirrored(constant: Constant, raw: Any) -> Any:
    """Optuna's logarithmic scales are positive; a negative constant is searched by its size."""
    return -raw if is_mirrored(constant) else raw


def is_mirrored(constant: Constant) -> bool:
    """Whether a constant is below zero on a logarithmic scale."""
    return constant.log and constant.high is not None and constant.high < 0


def distribution(constant: Constant, lesson: Lesson, wide: bool) -> Any:
    """Where to look: the choices, or a window of the range around the current value, narrower after each loss in a row."""
    space = quiet_optuna().distributions
    if constant.choices:
        return space.CategoricalDistribution([c for c in constant.choices if c != constant.value])
    low, high = window(constant, 0 if wide else lesson.losses)
    if is_mirrored(constant):
        low, high = -high, -low
    if isinstance(constant.value, int):
        return space.IntDistribution(math.floor(low), math.ceil(high), log=constant.log)
    return space.FloatDistribution(low, high, log=constant.log)


def window(constant: Constant, losses: int) -> tuple[float, float]:
    """The ends of the window, within the range."""
    radius = max(NARROWEST, WIDEST * SHRINK**losses)
    middle = min(max(unit_of(constant, constant.value), 0.0), 1.0)
    low, high = place(constant, max(middle - radius, 0.0)), place(constant, min(middle + radius, 1.0))
    if isinstance(constant.value, int):
        floor, ceiling = bounds(constant)
        low, high = max(min(low, constant.value - 1), floor), min(max(high, constant.value + 1), ceiling)
    return low, high


def finished(constant: Constant, lesson: Lesson, space: Any) -> list[Any]:
    """The tries that lie in the window, as Optuna's trials. The sampler forgets failed trials but counts pruned ones as worst."""
    optuna = quiet_optuna()
    trials = []
    for tried in bounded(lesson.tries):
        value = tried.value if constant.choices else mirrored(constant, tried.value)
        if not fits(space, value):
            continue
        state = optuna.trial.TrialState.PRUNED if tried.gain is None else optuna.trial.TrialState.COMPLETE
        trials.append(
            optuna.trial.create_trial(
                state=state, value=tried.gain, params={"value": value}, distributions={"value": space}
            )
        )
    return trials


def bounded(tries: list[Try]) -> list[Try]:
    """The latest and the best, so that a long run costs no more than a short one."""
    if len(tries) <= BEST + LATEST:
        return tries
    old = sorted(tries[:-LATEST], key=lambda tried: -math.inf if tried.gain is None else tried.gain)
    return old[-BEST:] + tries[-LATEST:]


def fits(space: Any, value: Value) -> bool:
    """Whether a value lies in Optuna's distribution and is of its type."""
    if hasattr(space, "choices"):
        return value in space.choices
    return not isinstance(value, bool | str) and bool(space.low <= value <= space.high)

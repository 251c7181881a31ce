"""Arithmetic on scores that stays finite: what JSON cannot hold must never come out of a comparison."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite
from statistics import median, stdev

import msgspec

from jumar.core.model import Measurement

LARGEST = 1.7976931348623157e308


def finite(value: float) -> float:
    """The value, or the largest number of its sign where it grew beyond every float."""
    return max(-LARGEST, min(LARGEST, value))


def middle(values: Sequence[float]) -> float:
    """The median of at least one finite value, finite too."""
    found = median(values)
    return found if isfinite(found) else 2 * median(value / 2 for value in values)


def spread(values: Sequence[float]) -> float:
    """The sample standard deviation of at least two finite values, finite too."""
    try:
        return stdev(values)
    except OverflowError:
        return LARGEST


def sound(measurement: Measurement) -> Measurement:
    """The measurement with finite numbers only: a score that is none is an error, a metric that is none is left out."""
    score = measurement.score
    metrics = {name: value for name, value in measurement.metrics.items() if isfinite(value)}
    measurement = msgspec.structs.replace(measurement, metrics=metrics)
    if measurement.error is not None or score is None or isfinite(score):
        return msgspec.structs.replace(measurement, score=None) if measurement.error else measurement
    message = f"The score is {score}, which is no finite number and compares with nothing."
    return msgspec.structs.replace(measurement, score=None, passed=False, error="non_finite", message=message)

from __future__ import annotations

from math import isfinite

import pytest
from built import failure, score
from hypothesis import given
from hypothesis import strategies as st

from jumar.core.stats import LARGEST, finite, middle, sound, spread

NUMBERS = st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=2, max_size=6)


@given(NUMBERS)
def test_every_figure_of_finite_numbers_is_finite(values: list[float]) -> None:
    assert isfinite(middle(values))
    assert isfinite(spread(values))
    assert min(values) <= middle(values) <= max(values)


def test_the_figures_are_the_textbooks() -> None:
    assert middle([3.0, 1.0, 2.0]) == 2.0
    assert middle([1.0, 2.0]) == 1.5
    assert middle([1.7e308, 1.7e308]) == 1.7e308
    assert spread([1.0, 3.0]) == pytest.approx(2**0.5)
    assert spread([-1.7e308, 1.7e308]) == LARGEST
    assert [finite(v) for v in (float("inf"), float("-inf"), 2.0)] == [LARGEST, -LARGEST, 2.0]


@pytest.mark.parametrize("value", [float("nan"), float("inf"), float("-inf")])
def test_a_measurement_with_a_score_that_is_none_is_an_error(value: float) -> None:
    found = sound(score(value, metrics={"a": 1.0, "b": value}))
    assert (found.score, found.passed, found.error, found.metrics) == (None, False, "non_finite", {"a": 1.0})
    assert str(value) in found.message


def test_a_sound_measurement_stays_as_it_is() -> None:
    for measurement in (score(1.5), score(None), failure()):
        assert sound(measurement) == measurement


def test_an_error_has_no_score() -> None:
    assert sound(score(1.0, error="crash", passed=False)).score is None

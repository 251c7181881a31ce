from __future__ import annotations

import pytest

from jumar.core.words import count, duration, number, share


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (None, "ms", "none"),
        (0.0, None, "0"),
        (-0.5, "%", "-0.5%"),
        (12.3, "ms", "12.3 ms"),
        (1234567.0, None, "1234567"),
        (1234567.25, None, "1.23457e+06"),
        (-87654321.0, "B", "-87654321 B"),
        (7.3e-05, None, "7.3e-05"),
        (1e300, None, "1e+300"),
    ],
)
def test_numbers_are_short(value: float | None, unit: str | None, text: str) -> None:
    assert number(value, unit) == text


@pytest.mark.parametrize(
    ("gain", "reference", "text"),
    [
        (0.1, -3.5, "+2.86 %"),
        (-1.0, 4.0, "-25.00 %"),
        (1.0, 0.0, ""),
        (1.0, 5e-324, ""),
        (0.0, 2.0, "+0.00 %"),
    ],
)
def test_a_share_is_of_the_size_of_the_reference(gain: float, reference: float, text: str) -> None:
    assert share(gain, reference) == text


def test_counts_agree_with_their_noun() -> None:
    assert [count(n, "trial") for n in (0, 1, 2)] == ["0 trials", "1 trial", "2 trials"]


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0.85, "850 ms"),
        (0.9996, "1.0 s"),
        (12.34, "12.3 s"),
        (59.97, "1 min 00 s"),
        (245, "4 min 05 s"),
        (3599.7, "1 h 00 min"),
        (12000, "3 h 20 min"),
    ],
)
def test_durations_have_two_units_at_most(seconds: float, text: str) -> None:
    assert duration(seconds) == text

"""The sweep finds each of the mistakes that it is there for."""

from __future__ import annotations

from pathlib import Path

import driver
import pytest
from mutants import MUTANTS

# The points at which each shows. A sweep over all of them would find it too, later.
SHOWS_AT = {
    "ref_before_decide": ("journal:decided",),
    "settled_before_swap": ("journal:settled",),
    "no_reset_when_settled": ("journal:settled",),
    "no_reset_when_resumed": ("journal:proposed",),
    "no_tail_truncation": ("torn",),
}


@pytest.mark.parametrize("mutant", MUTANTS)
def test_c24_the_sweep_catches(place: Path, mutant: str) -> None:
    result = driver.Sweep(place, iterations=3, mutant=mutant).chain(SHOWS_AT[mutant])
    assert result["cuts"]
    assert result["wrong"]


@pytest.mark.parametrize("kinds", sorted(set(SHOWS_AT.values())), ids="-".join)
def test_c24_the_same_points_find_nothing_without_a_mistake(place: Path, kinds: tuple[str, ...]) -> None:
    result = driver.Sweep(place, iterations=3).chain(kinds)
    assert result["cuts"]
    assert result["wrong"] == []

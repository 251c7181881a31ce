"""Signals at random moments, to the real command; makers and evaluators that live on are ended by the next start."""

from __future__ import annotations

from pathlib import Path

import kills
import pytest


@pytest.mark.parametrize("seed", range(8))
def test_c24_twenty_five_random_kills(place: Path, seed: int) -> None:
    tally = kills.campaign(place, 25, seed)
    assert tally.wrong == []
    assert tally.kills >= 25
    assert min(tally.done["group"], tally.done["supervisor"]) >= 12


@pytest.mark.parametrize("kind", sorted(kills.GENTLE))
def test_c24_random_interruptions(place: Path, kind: str) -> None:
    tally = kills.campaign(place, 8, seed=3, kinds=(kind,))
    assert tally.wrong == []
    assert tally.done[kind] >= 8

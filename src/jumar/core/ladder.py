"""Levels of escalation: how stuck the run is, as makers and views see it."""

from __future__ import annotations


def level(without_gain: int, ladder: tuple[int, ...]) -> int:
    """How many steps of the ladder this many trials without a gain have reached; 0 is none."""
    return sum(without_gain >= step for step in ladder)

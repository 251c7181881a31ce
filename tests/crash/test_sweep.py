"""Every named point of the protocol: a process dies there, and the run comes out as if none had."""

from __future__ import annotations

from pathlib import Path

import driver
import pytest

LEAST = {"journal": 60, "seal:": 18, "settle:": 25, "open:": 4, "torn": 60, "process": 20}


@pytest.mark.parametrize(
    ("kinds", "share", "part"),
    [
        pytest.param(("journal",), 0.5, (0, 2), id="between-records"),
        pytest.param(("journal",), 0.5, (1, 2), id="between-the-other-records"),
        pytest.param(("seal:", "settle:", "open:"), 0.5, (0, 1), id="git"),
        pytest.param(("torn",), 0.5, (0, 1), id="half-a-line"),
        pytest.param(("process",), 0.5, (0, 1), id="maker-or-evaluator-at-work"),
    ],
)
def test_c24_killed_at_every_point(
    place: Path, kinds: tuple[str, ...], share: float, part: tuple[int, int]
) -> None:
    result = driver.Sweep(place).chain(kinds, share, part)
    assert result["wrong"] == []
    assert len(result["cuts"]) >= sum(LEAST[kind] for kind in kinds)


@pytest.mark.parametrize("share", [0.0, 1.0], ids=["one-byte", "all-but-the-newline"])
def test_c24_a_line_torn_at_either_end(place: Path, share: float) -> None:
    result = driver.Sweep(place, iterations=3).chain(("torn",), share)
    assert result["wrong"] == []
    assert len(result["cuts"]) >= 20


def test_c24_killed_once_then_left_alone(place: Path) -> None:
    sweep = driver.Sweep(place, iterations=2)
    results = list(sweep.single(range(1, sweep.calls + 1, 7)))
    assert [result for result in results if result["wrong"]] == []


@pytest.mark.parametrize("kinds", [("journal",), ("seal:", "settle:", "open:"), ("torn",)], ids="-".join)
def test_c24_an_outside_agent_is_cut_within_and_between_its_calls(
    place: Path, kinds: tuple[str, ...]
) -> None:
    result = driver.Sweep(place, iterations=4, step=driver.turn).chain(kinds)
    assert result["wrong"] == []
    assert len(result["cuts"]) >= 20

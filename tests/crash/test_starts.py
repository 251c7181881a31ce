"""Several starts of the same mission at the same time: one runs, the others say so and leave."""

from __future__ import annotations

import subprocess
from pathlib import Path

import driver
import kills
import pytest
from world import World, cleaned


def start(world: World) -> subprocess.Popen[str]:
    return subprocess.Popen(
        kills.JUMAR,
        cwd=world.repo,
        env=world.environment(0.2),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


@pytest.mark.parametrize("resumed", [False, True], ids=["new", "resumed"])
def test_four_concurrent_starts(place: Path, *, resumed: bool) -> None:
    whole = World(place / "whole").build(iterations=4)
    driver.to_the_end(whole, driver.start, None)
    world = World(place / "world").build(iterations=4)
    if resumed:
        driver.start(world, driver.Fuse(world, lambda point, calls: point == "journal:sealed:after"))
    started = [start(world) for _ in range(4)]
    ends = [(process.communicate(timeout=60), process.returncode) for process in started]
    assert sorted(code for _, code in ends) == [0, 5, 5, 5]
    for (_, said), code in ends:
        assert ("error: Another process is running this mission" in said) == (code == 5)
    assert driver.verdict(world, cleaned(whole.history())) == []

"""Runs jumar where there is no room, gives it a little more each time, and looks at what became of the run.

disk.py tmpfs FOLDER SMALL      the repository on a small file system, mounted at SMALL by whoever starts this
disk.py limit FOLDER            no file may grow beyond a limit
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import driver
from world import World, cleaned

JUMAR = (sys.executable, "-m", "jumar", "run", "--json")
ITERATIONS = 6  # from the seventh on the maker itself would need room in the repository
STEP = 24 << 10  # bytes of room that a start has, and how much more where the one before came no further


def attempt(world: World, *before: str) -> tuple[int, str]:
    """One start: its exit code, and what it said of an error."""
    done = subprocess.run(
        [*before, *JUMAR],
        cwd=world.repo,
        env=world.environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stderr


def faults(code: int, said: str) -> Iterator[str]:
    """What is wrong with the end of a start that found no room."""
    if code != 5:
        yield f"exit code {code}: {said[-600:]}"
    if "error: " not in said or "Traceback" in said:
        yield f"no sentence: {said[-600:]}"


def limit(folder: Path) -> dict[str, object]:
    """The limit on a file's size rises by a kilobyte a start."""
    whole = World(folder / "whole", silent=True).build(iterations=ITERATIONS)
    driver.to_the_end(whole, driver.start, None)
    world = World(folder / "world", silent=True).build(iterations=ITERATIONS)
    wrong: list[str] = []
    refused = 0
    for blocks in range(1, 400, 2):
        code, said = attempt(world, "sh", "-c", f'ulimit -f {blocks}; exec "$@"', "sh")
        if code == 0:
            break
        refused += 1
        wrong += [f"{blocks} blocks: {fault}" for fault in faults(code, said)]
    return {"refused": refused, "wrong": wrong + driver.verdict(world, cleaned(whole.history()))}


def tmpfs(folder: Path, small: Path) -> dict[str, object]:
    """A file fills the disk, all but what each start is given."""
    whole = World(folder / "whole", silent=True).build(iterations=ITERATIONS)
    driver.to_the_end(whole, driver.start, None)
    world = World(folder / "world", small / "repo", silent=True).build(iterations=ITERATIONS)
    ballast = small / "ballast"
    wrong: list[str] = []
    refused = 0
    room, reached = 0, world.progress()
    while refused < 100:
        fill(ballast, room)
        code, said = attempt(world)
        if code == 0:
            break
        refused += 1
        room = room + STEP if world.progress() == reached else STEP
        reached = world.progress()
        wrong += [f"{room} bytes: {fault}" for fault in faults(code, said)]
    ballast.unlink()
    return {"refused": refused, "wrong": wrong + driver.verdict(world, cleaned(whole.history()))}


def fill(ballast: Path, room: int) -> None:
    """Leave so many bytes free on the file system."""
    ballast.unlink(missing_ok=True)
    free = os.statvfs(ballast.parent)
    size = free.f_bavail * free.f_frsize - room
    ballast.write_bytes(b"x" * max(0, size))


if __name__ == "__main__":
    way = {"limit": limit, "tmpfs": tmpfs}[sys.argv[1]]
    print(json.dumps(way(*map(Path, sys.argv[2:]))))

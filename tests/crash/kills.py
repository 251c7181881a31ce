"""Kills the real command at random moments until its run is over, and looks at what became of it.

kills.py [KILLS] [--seed N] [--write]     prints a table; --write puts it into docs/concepts/crash-safety.md too
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import driver
from world import World, cleaned

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import readme  # noqa: E402 - a program of the repository, not a package

PAGE = ROOT / "docs" / "concepts" / "crash-safety.md"

PACE = 0.04  # how long maker and evaluator take, in seconds: long enough to be hit
WINDOW = 0.9  # a kill comes within so many seconds of the start
JUMAR = (sys.executable, "-m", "jumar", "run", "--json")
GENTLE = {"int": signal.SIGINT, "term": signal.SIGTERM}


ENDS = (0, 130, -signal.SIGKILL, -signal.SIGINT, -signal.SIGTERM)


@dataclass
class Tally:
    """What was done, and what came of it."""

    done: Counter[str] = field(default_factory=Counter)
    runs: int = 0
    wrong: list[str] = field(default_factory=list)

    @property
    def kills(self) -> int:
        """Signals that met a living process."""
        return sum(self.done.values())


def campaign(folder: Path, kills: int, seed: int, kinds: tuple[str, ...] = ("group", "supervisor")) -> Tally:
    """Run after run, each killed again and again, until `kills` signals have met a living process."""
    tally, dice = Tally(), random.Random(seed)
    whole = World(folder / "whole").build(iterations=10, stubborn=True)
    assert driver.to_the_end(whole, driver.start, None) == [0]
    expected = cleaned(whole.history())
    while tally.kills < kills and len(tally.wrong) < 20:
        world = World(folder / f"run-{tally.runs}").build(iterations=10, stubborn=True)
        reached, patience = world.progress(), 1.0
        while not world.ended():
            kind = kinds[tally.kills % len(kinds)]
            code = hit(world, kind, dice.uniform(0.0, WINDOW * patience), tally)
            # A slow machine, or a maker that will not go, must not keep the run from ever coming further.
            patience = 1.0 if world.progress() > reached else patience * 1.3
            reached = world.progress()
            if code not in ENDS and not in_python_itself(world):
                break
        tally.runs += 1
        tally.wrong += [f"run {tally.runs}: {line}" for line in driver.verdict(world, expected)]
    return tally


def in_python_itself(world: World) -> bool:
    """Whether Ctrl-C met the interpreter before it had come to our first line."""
    return world.out.read_text().rstrip().endswith("KeyboardInterrupt")


def hit(world: World, kind: str, delay: float, tally: Tally) -> int:
    """Start the command, and send one signal after `delay` seconds; its exit code."""
    with world.out.open("ab") as out:
        process = subprocess.Popen(
            JUMAR,
            cwd=world.repo,
            env=world.environment(PACE),
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=out,
            start_new_session=True,
        )
    try:
        return process.wait(delay)
    except subprocess.TimeoutExpired:
        if kind == "group":
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.send_signal(GENTLE.get(kind, signal.SIGKILL))
        tally.done[kind] += 1
    return process.wait(60)


def main() -> int:
    """Print the table; 1 when a run came out otherwise."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kills", type=int, nargs="?", default=1000)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--write", action="store_true")
    wanted = parser.parse_args()
    begin = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="jumar-kills-") as folder:
        tally = campaign(Path(folder), wanted.kills, wanted.seed)
    made = f"Made by `./dev kills {wanted.kills} --seed {wanted.seed}` in {time.monotonic() - begin:.0f} s on {readme.machine()}."
    text = f"{table(tally)}\n\n{made}"
    print(text)
    for line in tally.wrong:
        print(line, file=sys.stderr)
    if wanted.write:
        PAGE.write_text(readme.between("kills", text, PAGE.read_text()))
    return bool(tally.wrong)


def table(tally: Tally) -> str:
    """What was done and what came of it, in Markdown."""
    rows = {
        "killed: the whole process group": tally.done["group"],
        "killed: the supervisor alone": tally.done["supervisor"],
        "runs of 10 trials that were carried to their end": tally.runs,
        "runs whose history differs from the uninterrupted one": len({w.split(":")[0] for w in tally.wrong}),
    }
    return "\n".join(
        ["| what | how often |", "| --- | --- |", *(f"| {what} | {n} |" for what, n in rows.items())]
    )


if __name__ == "__main__":
    sys.exit(main())

"""Runs jumar in children that are killed where they are told to be, and looks at what became of the run.

driver.py sweep FOLDER ...      every named point, one after the other, in one run
driver.py single FOLDER ...     a run for each point, killed there once
"""

from __future__ import annotations

import functools
import gc
import os
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import chdir, redirect_stderr, redirect_stdout, suppress
from io import BytesIO, TextIOWrapper
from pathlib import Path
from typing import Any

import mutants
from world import World, cleaned, differences

import jumar.cli.driving
import jumar.cli.finishing
import jumar.cli.running
import jumar.compose
import jumar.journal
import jumar.process.watch
from jumar.cli import app
from jumar.errors import JumarError

CRASHED = 99
REFUSALS = [[2], [3], [4], [5], [CRASHED]]
PATIENCE = 60  # starts in a row that may come no further


class Fuse:
    """Decides at each named point whether this process dies there. `cuts` are lines in a file that outlives it."""

    def __init__(self, world: World, wanted: Callable[[str, int], bool]) -> None:
        self.world = world
        self.wanted = wanted
        self.calls = 0

    def __call__(self, point: str) -> None:
        """Die here, if it is wanted."""
        self.calls += 1
        if self.wanted(point, self.calls):
            die()


class Once:
    """Each point once for each place in the history, in a file, so that the next process goes further."""

    def __init__(self, world: World, kinds: tuple[str, ...] = (), share: tuple[int, int] = (0, 1)) -> None:
        self.world = world
        self.kinds = kinds
        self.share = share
        self.file = world.cuts

    def __call__(self, point: str, calls: int = 0) -> bool:
        """Whether to die at this point, noted before."""
        if not point.startswith(self.kinds):
            return False
        key = f"{point}@{self.world.progress()}"
        known = self.cuts()
        if key in known:
            return False
        mark = "" if self.turn(key) else "passed "
        with self.file.open("a") as file:
            file.write(f"{mark}{key}\n")
        return not mark

    def turn(self, key: str) -> bool:
        """Whether this key is in our share of all."""
        if "resumed" in key:
            return self.world.progress() % 9 == 0
        part, parts = self.share
        return sum(key.encode()) % parts == part

    def cuts(self) -> list[str]:
        """Where processes died."""
        lines = self.file.read_text().splitlines() if self.file.exists() else []
        return [line.removeprefix("passed ") for line in lines]

    def died(self) -> list[str]:
        """Where they really did."""
        lines = self.file.read_text().splitlines() if self.file.exists() else []
        return [line for line in lines if not line.startswith("passed ")]


def die() -> None:
    """As a power cut would: nothing is cleaned up."""
    os.kill(os.getpid(), signal.SIGKILL)


@functools.cache
def warm() -> None:
    """Have everything imported that a start imports on its way, so that children need not."""
    out = TextIOWrapper(BytesIO())
    with tempfile.TemporaryDirectory() as nowhere, chdir(nowhere), redirect_stderr(out), redirect_stdout(out):
        for command in ("run", "ask", "verify"):
            app.run([command, "--json"])
    gc.freeze()


def jumar_child(
    world: World,
    argv: list[str],
    fuse: Callable[[str], None] | None,
    *prepare: Callable[[], None],
    pace: float = 0.0,
) -> int:
    """Run one command of jumar in a child; its exit code, negative for a signal."""
    warm()
    child = os.fork()
    if child:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    os.setsid()
    os.environ.clear()
    os.environ.update(world.environment(pace))
    os.chdir(world.repo)
    with world.out.open("ab") as out:
        for stream in (1, 2):
            os.dup2(out.fileno(), stream)
    try:
        for change in prepare:
            change()
        if fuse is not None:
            put_in(fuse)
        code = app.run(argv)
    except BaseException:  # noqa: BLE001 the edge of a process
        traceback.print_exc()
        code = CRASHED
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


def put_in(fuse: Callable[[str], None]) -> None:
    """Have every opening of a run use this fuse."""
    opening = functools.partial(jumar.compose.Opening, fuse=fuse)
    for module in (jumar.compose, jumar.cli.driving, jumar.cli.running, jumar.cli.finishing):
        module.Opening = opening  # type: ignore[attr-defined]


def torn(wanted: Callable[[str, int], bool], share: float = 0.5) -> Callable[[], None]:
    """Have the process die in the middle of writing a line."""

    def change() -> None:
        whole = jumar.journal.Journal._write

        def write(journal: jumar.journal.Journal, line: bytes, **how: Any) -> None:
            kind = line.partition(b'"event":"')[2].partition(b'"')[0].decode()
            if wanted(f"torn:{kind}", 0):
                os.write(journal._file, line[: max(1, min(len(line) - 1, int(len(line) * share)))])
                die()
            whole(journal, line, **how)

        jumar.journal.Journal._write = write  # type: ignore[method-assign]

    return change


def during(wanted: Callable[[str, int], bool], delay: float) -> Callable[[], None]:
    """Have the process die while a maker or an evaluator is at work."""

    def change() -> None:
        watch = jumar.process.watch.Watch
        until_end = watch.until_end

        def cut(self: Any) -> Any:
            if wanted("process:running", 0):
                time.sleep(delay)
                die()
            return until_end(self)

        watch.until_end = cut  # type: ignore[method-assign]

    return change


Step = Callable[..., int]


def start(
    world: World, fuse: Callable[[str], None] | None, *prepare: Callable[[], None], pace: float = 0.0
) -> int:
    """`jumar run`, the whole way or as far as it comes."""
    return jumar_child(world, ["run", "--json"], fuse, *prepare, pace=pace)


def turn(
    world: World, fuse: Callable[[str], None] | None, *prepare: Callable[[], None], pace: float = 0.0
) -> int:
    """What an outside agent does: ask, edit as the maker would, tell; again until the run is over."""
    folders = world.folders()
    state = folders[-1].read_state() if folders and folders[-1].journal.exists() else None
    told = state is not None and any(t.kind == "change" and t.proposal for t in state.open.values())
    if not told:
        code = jumar_child(world, ["ask", "--json"], fuse, *prepare, pace=pace)
        if code or world.ended():
            return code
        edit_outside(world)
    return jumar_child(world, ["tell", "--json", "--summary", "wrote"], fuse, *prepare, pace=pace)


def edit_outside(world: World) -> None:
    """The edit of an outside agent, from the parent of its trial: it does not know whether it was here before."""
    folder = world.folders()[-1]
    state = folder.read_state()
    (trial,) = state.open.values()
    (tree,) = (world.root / "state").glob(f"jumar/trees/*/{folder.id}/tree")
    text = world.git("show", f"{trial.parent}:target.txt")
    lines = {1: "gain 3\n", 2: "loss 1\n", 3: "crash now\n", 4: "", 5: "loss 1\n", 6: "forbidden 9\n"}
    (tree / "target.txt").write_text(text + lines.get(trial.number, "gain 1\n"))


def to_the_end(world: World, step: Step, *args: Any, pace: float = 0.0) -> list[int]:
    """Take steps until the run is over; the exit codes. A refusal ends it, too, and so does a damaged record."""
    codes: list[int] = []
    stuck, reached = 0, (-1, 0)
    with suppress(JumarError):
        while not world.ended() and stuck <= PATIENCE and codes[-1:] not in REFUSALS:
            codes.append(step(world, *args, pace=pace))
            stuck = stuck + 1 if world.reached() == reached else 0
            reached = world.reached()
    return codes


def verdict(world: World, expected: dict[str, Any]) -> list[str]:
    """What is wrong with the run that has ended: nothing, in the best case."""
    try:
        if not world.ended():
            said = world.out.read_text().splitlines() if world.out.exists() else []
            return ["the run came to no end: " + " | ".join(said[-2:])]
        wrong = list(differences(expected, cleaned(world.history())))
    except JumarError as error:
        return [error.message]
    if jumar_child(world, ["verify", "--json"], None):
        wrong.append("verify: " + world.out.read_text().splitlines()[-1])
    return wrong


def expected_of(folder: Path, step: Step, *, iterations: int) -> tuple[dict[str, Any], int]:
    """The history without an interruption, and how often the fuse was called."""
    world = World(folder).build(iterations=iterations)
    counts = folder / "calls"

    def note(point: str) -> None:
        with counts.open("a") as file:
            file.write(f"{point}\n")

    codes = to_the_end(world, step, note)
    assert world.ended(), (codes, world.out.read_text())
    return cleaned(world.history()), len(counts.read_text().splitlines())


class Sweep:
    """Cuts one run after another, and compares."""

    def __init__(self, folder: Path, *, iterations: int = 10, step: Step = start, mutant: str = "") -> None:
        self.folder = folder
        self.iterations = iterations
        self.step = step
        self.mutant = mutants.MUTANTS[mutant] if mutant else lambda: None
        self.expected, self.calls = expected_of(folder / "whole", step, iterations=iterations)

    def chain(
        self, kinds: tuple[str, ...], share: float = 0.5, part: tuple[int, int] = (0, 1)
    ) -> dict[str, Any]:
        """One run, in which a process dies at each point of these kinds."""
        world = World(self.folder / f"chain-{'-'.join(kinds).replace(':', '')}").build(
            iterations=self.iterations
        )
        once = Once(world, kinds, part)
        pace = 0.05 if "process" in kinds else 0.0
        changes = (self.mutant, torn(once, share), during(once, 0.02))
        codes = to_the_end(world, self.step, Fuse(world, once), *changes, pace=pace)
        return {"cuts": once.died(), "starts": len(codes), "wrong": verdict(world, self.expected)}

    def single(self, numbers: range) -> Iterator[dict[str, Any]]:
        """A run for each number: killed at that call of the fuse, then left alone."""
        for number in numbers:
            world = World(self.folder / f"single-{number}").build(iterations=self.iterations)
            cut = Fuse(world, lambda point, calls, number=number: calls == number)
            self.step(world, cut, self.mutant)
            codes = to_the_end(world, self.step, None, self.mutant)
            yield {"cuts": [number], "starts": len(codes) + 1, "wrong": verdict(world, self.expected)}

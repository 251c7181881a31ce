"""`jumar doctor`: what this machine can do, each by trying it."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from jumar.cli import console
from jumar.errors import JumarError
from jumar.process import Command, Limits, Supervisor, child_environment
from jumar.workspace import find_repository
from jumar.workspace.git import Git
from jumar.workspace.place import find_place

LEAST_FREE = 1 << 30
LEAST_GIT = (2, 36)


class Verdict(NamedTuple):
    """What one probe found."""

    name: str
    good: bool
    message: str


def examine(*, as_json: bool) -> int:
    """Run every probe; exit 1 when one of them finds something that a run needs and this machine lacks."""
    verdicts = [probed(name, probe) for name, probe in PROBES.items()]
    if as_json:
        console.give_json([verdict._asdict() for verdict in verdicts])
    else:
        for name, good, message in verdicts:
            mark = console.paint("ok   ", "32") if good else console.paint("lacks", "31")
            console.give(f"{mark} {name:<12} {message}")
    return 0 if all(verdict.good for verdict in verdicts) else 1


def probed(name: str, probe: Callable[[], str]) -> Verdict:
    """One probe, and why it failed where it did."""
    try:
        return Verdict(name, True, probe())
    except (JumarError, OSError) as error:
        return Verdict(name, False, str(error))


def python() -> str:
    """The interpreter."""
    return f"{sys.version.split()[0]} at {sys.executable}"


def git() -> str:
    """The git program, new enough."""
    words = Git().line("--version")
    found = tuple(int(part) for part in words.split()[2].split(".")[:2])
    if found < LEAST_GIT:
        raise OSError(f"{words} is too old: {'.'.join(map(str, LEAST_GIT))} is the oldest that works")
    return words


def repository() -> str:
    """The repository around the current folder; doctor may be asked anywhere."""
    try:
        found = find_repository(Path.cwd())
    except JumarError as error:
        return f"{error} A run needs one."
    return f"{found.root}, {found.branch or 'detached HEAD'} at {found.head[:12]}"


def trees() -> str:
    """Where the trees of runs would go, and the room there."""
    place = find_place(Path.cwd(), "probe", None)
    there = next(folder for folder in place.parents if folder.exists())
    free = shutil.disk_usage(there).free
    if free < LEAST_FREE:
        raise OSError(f"only {free >> 20} MB are free at {there}")
    if not os.access(there, os.W_OK):
        raise OSError(f"{there} cannot be written")
    return f"{place.parent.parent}, {free >> 30} GB free"


def disk() -> str:
    """How long a write takes to be safe."""
    with tempfile.NamedTemporaryFile(dir=Path.cwd()) as file:
        file.write(b"x")
        file.flush()
        begin = time.perf_counter()
        os.fsync(file.fileno())
        return f"fsync in {1000 * (time.perf_counter() - begin):.1f} ms"


def processes() -> str:
    """Whether a process that leaves its group is found and ended."""
    with tempfile.TemporaryDirectory() as folder:
        script = "setsid sleep 60 >/dev/null 2>&1 & sleep 0.2"
        command = Command(script, Path(folder), child_environment(os.environ))
        end = Supervisor(None, str, lambda: False).run(command, Limits(timeout=10.0, grace=0.1))
    if not end.warnings:
        raise OSError("a child that left its group was not found")
    return "a child that left its group was found and ended"


def sandbox() -> str:
    """Whether bubblewrap is there; nothing uses it yet."""
    found = shutil.which("bwrap")
    return f"{found} is there" if found else "bwrap is not there; no maker of this version needs it"


PROBES: dict[str, Callable[[], str]] = {
    "python": python,
    "git": git,
    "repository": repository,
    "trees": trees,
    "disk": disk,
    "processes": processes,
    "sandbox": sandbox,
}

"""What a workspace is told, and what it remembers on disk of how it was set up."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Literal

import msgspec

from jumar.core.model import TextFacts, Trial
from jumar.core.patch import MAX_FILE, Scope
from jumar.core.secrets import Scrubber
from jumar.core.text import printable

Fuse = Callable[[str], None]
Scrub = Callable[[str], str]


def no_fuse(point: str) -> None:
    """Go on: crash tests cut here instead."""


def default_message(trial: Trial) -> str:
    """The commit message of a sealed trial."""
    return f"jumar trial {trial.number}: {trial.description or 'no description'}\n"


class Settings(msgspec.Struct, frozen=True):
    """A run's wishes.

    targets, protect, pinned: patterns and paths relative to the repository's root; `protect_lines` are regular
    expressions for lines that must survive; `named` are the files that the
    evaluator names, whose uncommitted content is part of the base. `carry` maps a path to how it comes into the trees;
    `setup` is called with each new tree. `state` is a folder for the workspace's own files, within `.jumar/`; `place`
    where the trees go, None for the default. `branch` is the wanted name. `started` is in seconds since the epoch. `facts`
    sums up the targets' texts, where somebody wants to know.
    """

    run: str
    targets: tuple[str, ...]
    state: Path
    branch: str
    started: float
    folder: str = ""
    protect: tuple[str, ...] = ()
    pinned: tuple[str, ...] = ()
    protect_lines: tuple[str, ...] = ()
    named: tuple[str, ...] = ()
    carry: Mapping[str, Literal["copy", "link"]] = {}
    setup: Callable[[Path], None] | None = None
    place: Path | None = None
    base: Literal["working", "head"] = "working"
    message: Callable[[Trial], str] = default_message
    facts: Callable[[Sequence[bytes]], TextFacts] | None = None
    max_file: int = MAX_FILE
    scrub: Scrub = Scrubber().scrub
    fuse: Fuse = no_fuse

    @property
    def scope(self) -> Scope:
        """What a maker may edit."""
        return Scope(self.targets, self.protect, self.pinned)


class Plan(msgspec.Struct):
    """What was decided when the workspace was set up. Written before anything is made, so that a cut can be mended.

    `smudged` maps the paths of the base whose bytes in a tree are not those of their blob to the id of those bytes.
    `identity` is the author and committer, `Name <mail>`.
    """

    run: str
    head: str
    base: str
    branch: str
    place: str
    identity: str
    notes: list[str] = []
    smudged: dict[str, str] = {}
    attributes: bool = False
    admin: str = ""
    ready: bool = False

    @property
    def worktree(self) -> Path:
        """Where the maker works."""
        return Path(self.place) / "tree"

    def save(self, file: Path) -> None:
        """Write it in one step. Names that are not UTF-8 survive, as escaped surrogates."""
        write_whole(file, json.dumps(msgspec.structs.asdict(self), indent=1).encode())


def load_plan(file: Path) -> Plan | None:
    """The plan of an earlier process, if there is one."""
    try:
        return Plan(**json.loads(file.read_bytes()))
    except FileNotFoundError:
        return None


def write_whole(file: Path, data: bytes, *, flush: bool = True) -> None:
    """Replace a file so that it is either the old one or the new one: after a power cut with `flush`, else after a kill."""
    file.parent.mkdir(parents=True, exist_ok=True)
    part = file.with_name(file.name + ".part")
    part.unlink(missing_ok=True)  # and never through a link that stands there
    with part.open("xb") as out:
        out.write(data)
        if flush:
            out.flush()
            os.fsync(out.fileno())
    part.replace(file)


def listed(paths: Sequence[str], limit: int = 5) -> str:
    """A few paths, and how many more there are."""
    rest = len(paths) - limit
    return ", ".join(map(printable, paths[:limit])) + (f" and {rest} more" if rest > 0 else "")

"""What the log of a worktree's HEAD, or of the stash, proves about who did something."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import NamedTuple

SWITCH = re.compile(r"checkout: moving from (?P<old>.*) to (?P<new>.*)")
NOT_NEW = ("checkout:", "reset:", "clone:", "branch:", "rebase (start)", "rebase (finish)", "rebase (abort)")


class Line(NamedTuple):
    """One step of a reference."""

    old: str
    new: str
    message: str


class Reflog(NamedTuple):
    """The steps of HEAD since some time."""

    lines: tuple[Line, ...]

    @property
    def created(self) -> list[str]:
        """Commits that were made there, oldest first."""
        made = (line.new for line in self.lines if line.message and not line.message.startswith(NOT_NEW))
        return list(dict.fromkeys(made))

    @property
    def visited(self) -> set[str]:
        """Names of branches that HEAD was switched to."""
        found = (SWITCH.fullmatch(line.message) for line in self.lines)
        return {switch.group("new") for switch in found if switch}


def read_reflog(file: Path, start: int = 0) -> Reflog:
    """The lines from a byte offset on; from the first when the file is shorter than that, none when it is missing."""
    try:
        data = file.read_bytes()
    except FileNotFoundError:
        return Reflog(())
    text = os.fsdecode(data[start if start <= len(data) else 0 :])
    return Reflog(tuple(_parse(line) for line in text.split("\n") if line))


def _parse(line: str) -> Line:
    head, _, message = line.partition("\t")
    old, new, *_ = head.split(" ")
    return Line(old, new, message)

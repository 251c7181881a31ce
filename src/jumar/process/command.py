"""What is run, within which limits, and how it ended."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from jumar.core.model import Usage

Ended = Literal["exit", "timeout", "oom", "stopped"]
CEILING = "GIT_CEILING_DIRECTORIES"


@dataclass(frozen=True)
class Command:
    """A program to run: an argument vector, or a line for /bin/sh, as the user wrote it.

    `env` is the child's whole environment (see `child_environment`); `cwd` must exist.
    """

    argv: tuple[str, ...] | str
    cwd: Path
    env: Mapping[str, str]

    @property
    def vector(self) -> list[str]:
        """The argument vector that is executed."""
        return ["/bin/sh", "-c", self.argv] if isinstance(self.argv, str) else list(self.argv)


@dataclass(frozen=True)
class Limits:
    """What a command may use; None is no limit.

    timeout: seconds until the tree is told to end; grace: seconds from there until it is killed;
    memory: bytes resident in the whole tree, where a page that two processes share counts twice;
    log_bytes: how much of the log's head is kept, and as much again of its tail.
    """

    timeout: float | None = None
    memory: int | None = None
    grace: float = 2.0
    log_bytes: int = 256 * 1024


@dataclass(frozen=True)
class Exit:
    """How a command ended.

    `code` is its exit code, None when `signal` ended it. `ended` says who ended it: itself, a limit, or a
    stop. `tail` is the end of stdout and stderr together, `stderr_tail` of stderr alone: about 4 KB,
    scrubbed. `usage.seconds` runs until the command's own end, not that of what it left behind.
    """

    code: int | None
    signal: int | None
    ended: Ended
    usage: Usage = field(default_factory=Usage)
    tail: str = ""
    stderr_tail: str = ""
    warnings: tuple[str, ...] = ()


def child_environment(base: Mapping[str, str], extra: Mapping[str, str] | None = None) -> dict[str, str]:
    """`base` made fit for a child, plus `extra` as it is.

    Every GIT_* is dropped: it would point the child's git at another repository. Numbers are written with a
    point (LC_NUMERIC=C), so LC_ALL becomes LANG, which keeps its encoding without overriding that.
    """
    env = {name: value for name, value in base.items() if not name.startswith("GIT_")}
    if everything := env.pop("LC_ALL", ""):
        env = {name: value for name, value in env.items() if not name.startswith("LC_")}
        env["LANG"] = everything
    return {**env, "LC_NUMERIC": "C", **(extra or {})}


def without_git(env: Mapping[str, str]) -> dict[str, str]:
    """`env` without GIT_*, except the ceiling, which only a caller on purpose sets."""
    return {name: value for name, value in env.items() if name == CEILING or not name.startswith("GIT_")}

"""The one module that starts the git program.

Internal calls run with everything of the user's that could run code, ask, or hang turned off: hooks, signing,
fsmonitor, maintenance, external diffs, replace refs, prompts, and every GIT_* variable of the environment. Filters are
left on, because only they know what a file of the base looks like in a tree.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from jumar.errors import GitError
from jumar.workspace.locks import Locks, blocking_lock

Word = str | bytes | os.PathLike[str]

OFF = (
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    "core.untrackedCache=false",
    "core.sparseCheckout=false",
    "core.alternateRefsCommand=",
    "commit.gpgSign=false",
    "tag.gpgSign=false",
    "gc.auto=0",
    "maintenance.auto=false",
    "submodule.recurse=false",
    "diff.external=",
    "color.ui=false",
    "advice.detachedHead=false",
    # A sealed commit is promised to be on disk before the journal names it.
    "core.fsync=loose-object,pack,pack-metadata,reference",
    "core.fsyncMethod=fsync",
)


def clean_environment(extra: Mapping[str, str] | None = None) -> dict[str, str]:
    """This process's environment without any GIT_* variable, with messages in English and prompts off."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    fixed = {
        "LC_ALL": "C.UTF-8",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_NO_REPLACE_OBJECTS": "1",
    }
    return {**kept, **fixed, **(extra or {})}


class Git:
    """git with a fixed repository, and a fixed work tree and index where a call needs them.

    `limit` is the time in seconds after which a call and all it started are killed. With `obey` the user's own
    hooks, signing and configuration are in force: for the hand-off only.
    """

    def __init__(
        self,
        git_dir: Path | None = None,
        *,
        work_tree: Path | None = None,
        index: Path | None = None,
        cwd: Path | None = None,
        env: Mapping[str, str] | None = None,
        limit: float = 300.0,
        obey: bool = False,
        locks: Locks | None = None,
    ) -> None:
        self.git_dir = git_dir
        self.work_tree = work_tree
        self.index = index
        self.cwd = cwd or work_tree
        self.env = dict(env or {})
        self.limit = limit
        self.obey = obey
        self.locks = locks or Locks()

    def at(
        self,
        *,
        work_tree: Path | None = None,
        index: Path | None = None,
        env: Mapping[str, str] | None = None,
        limit: float | None = None,
    ) -> Git:
        """The same repository seen with another work tree or index."""
        return Git(
            self.git_dir,
            work_tree=work_tree or self.work_tree,
            index=index or self.index,
            env={**self.env, **(env or {})},
            limit=limit or self.limit,
            obey=self.obey,
            locks=self.locks,
        )

    def run(self, *args: Word, input: bytes = b"", ok: Sequence[int] = (0,)) -> bytes:
        """What git prints on stdout. Raises GitError with git's own words for an exit code that is not in `ok`."""
        return self.call(*args, input=input, ok=ok)[1]

    def code(self, *args: Word, input: bytes = b"", ok: Sequence[int] = (0, 1)) -> int:
        """Its exit code, which must be one of `ok`."""
        return self.call(*args, input=input, ok=ok)[0]

    def line(self, *args: Word) -> str:
        """Its one line of output, without the line end; paths keep their bytes (surrogateescape)."""
        return os.fsdecode(self.run(*args).removesuffix(b"\n"))

    def call(self, *args: Word, input: bytes = b"", ok: Sequence[int] = (0,)) -> tuple[int, bytes]:
        """Exit code and stdout; waits for a lock that someone else holds, a bounded time."""
        attempt = 0
        while True:
            code, out, err = self._start(args, input)
            if code in ok:
                return code, out
            words = err.decode("utf-8", "replace").strip()
            lock = blocking_lock(words)
            if lock is None or not self.locks.wait(lock, attempt):
                raise failure(args, code, words)
            attempt += 1

    def _start(self, args: Sequence[Word], input: bytes) -> tuple[int, bytes, bytes]:
        # A session of its own has no terminal to ask on, and can be killed with all it started.
        process = subprocess.Popen(
            [*self._prefix(), *(os.fsencode(word) for word in args)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=self.cwd,
            env=self._environment(),
            start_new_session=True,
        )
        try:
            out, err = process.communicate(input, timeout=self.limit)
        except BaseException as problem:
            kill_group(process)
            if not isinstance(problem, subprocess.TimeoutExpired):
                raise
            raise timed_out(args, self.limit) from None
        return process.returncode, out, err

    def _prefix(self) -> Iterator[bytes]:
        yield b"git"
        if not self.obey:
            for setting in OFF:
                yield b"-c"
                yield setting.encode()
        if self.git_dir is not None:
            yield b"--git-dir=" + os.fsencode(self.git_dir)
        if self.work_tree is not None:
            yield b"--work-tree=" + os.fsencode(self.work_tree)

    def _environment(self) -> dict[str, str]:
        extra = dict(self.env)
        if self.index is not None:
            extra["GIT_INDEX_FILE"] = os.fspath(self.index)
        return clean_environment(extra)


def kill_group(process: subprocess.Popen[bytes]) -> None:
    """End a call and whatever it started: a signing program or a filter would keep its pipes open."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.communicate()


def failure(args: Sequence[Word], code: int, words: str) -> GitError:
    """The error for a call that git refused, in git's words."""
    command = tuple(os.fsdecode(word) for word in args)
    said = words or f"it ended with exit code {code} and said nothing"
    hint = "Another git command holds this lock: let it end, then try again." if blocking_lock(words) else ""
    return GitError(f"git {command[0]} failed: {said}", hint=hint, command=command, stderr=words)


def timed_out(args: Sequence[Word], limit: float) -> GitError:
    """The error for a call that was killed at its time limit."""
    command = tuple(os.fsdecode(word) for word in args)
    return GitError(
        f"git {command[0]} was still running after {limit:g} s and was ended.",
        hint="A filter, a credential helper or a network file system may be waiting: run the same git command by hand.",
        command=command,
    )


def fields(output: bytes) -> list[bytes]:
    """The entries of NUL-terminated output."""
    return output.split(b"\0")[:-1] if output else []

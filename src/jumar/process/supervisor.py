"""Runs one command within limits, and leaves nothing of it behind."""

from __future__ import annotations

import errno
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import IO

from jumar.core.model import Usage
from jumar.core.text import clip
from jumar.errors import JumarError
from jumar.process.command import Command, Ended, Exit, Limits, without_git
from jumar.process.output import Papers, Scrub
from jumar.process.registry import record_root, recorded
from jumar.process.table import Seen, table
from jumar.process.tree import ADOPTION, VARIABLE, Tree
from jumar.process.watch import Watch

NOT_FOUND, NOT_RUNNABLE = 127, 126
_MISSING = {errno.ENOENT, errno.ENOTDIR}
_UNRUNNABLE = {
    errno.EACCES,
    errno.EPERM,
    errno.ENOEXEC,
    errno.E2BIG,
    errno.ELOOP,
    errno.ENAMETOOLONG,
    errno.ETXTBSY,
}
# What still runs when its command ends may be about to end by itself (a `tee`), then is told to, then is
# killed.
_SETTLE, _LEFTOVER_GRACE = 0.1, 0.2
_NAMED, _WORDS = 3, 200
_ENDED = "1 process was still running and was ended", "{} processes were still running and were ended"
_LOST = "1 process was killed and is still there", "{} processes were killed and are still there"


class Supervisor:
    """Runs makers, evaluators, guards and set-up commands.

    registry: the folder that records what runs, for `end_survivors` (None: no record);
    scrub: takes secrets out of text, whole lines at a time, before it is kept anywhere;
    interrupted: asked about every 50 ms, True ends what runs.
    One supervisor may run several commands at once, each in a thread of its own.
    """

    def __init__(self, registry: Path | None, scrub: Scrub, interrupted: Callable[[], bool]) -> None:
        self._registry = registry
        self._scrub = scrub
        self._interrupted = interrupted

    def run(
        self,
        command: Command,
        limits: Limits | None = None,
        log: Path | None = None,
        on_line: Callable[[str], None] | None = None,
    ) -> Exit:
        """Runs `command` to its end, or to a limit's.

        `on_line` gets each line of stdout, controls stripped, not scrubbed. `log` gets stdout and stderr in
        the order of their arrival, stripped and scrubbed, once the command has ended. A command that cannot
        be started is an Exit with code 127 or 126. An exception on the way, KeyboardInterrupt too, ends the
        tree before it goes on.
        """
        limits = limits or Limits()
        tree = Tree()
        papers = Papers(limits.log_bytes, self._scrub, on_line)
        with ADOPTION.of(tree), recorded(self._registry, tree):
            result = self._supervise(command, limits, tree, papers)
        if log:
            papers.log.write(log)
        return result

    def _supervise(self, command: Command, limits: Limits, tree: Tree, papers: Papers) -> Exit:
        with Watch(tree, limits, self._interrupted) as watch:
            try:
                child = _spawn(command, tree)
            except OSError as error:
                return _not_started(command, error, papers)
            watch.begin(child, papers.streams(_fileno(child.stdout), _fileno(child.stderr)))
            record_root(self._registry, tree)
            ended = watch.until_end()
            warnings = self._clear(ended, limits.grace, watch)
            watch.finish()
        return _exit(ended, watch, papers, warnings)

    def _clear(self, ended: Ended, grace: float, watch: Watch) -> tuple[str, ...]:
        """Ends what is left of the tree. Only what outlived its command is a warning: nobody asked for it."""
        if ended != "exit":
            return self._warnings([], watch.end(grace))
        watch.drain()
        if not watch.alive() or watch.wait_until_gone(_SETTLE):
            return ()
        left = {process.pid: table().words(process.pid) for process in watch.alive()}
        lost = watch.end(min(grace, _LEFTOVER_GRACE))
        for process in lost:
            left.pop(process.pid, None)
        return self._warnings(list(left.values()), lost)

    def _warnings(self, ended: list[str], lost: list[Seen]) -> tuple[str, ...]:
        still = [table().words(process.pid) for process in lost]
        told = ((_ENDED, ended), (_LOST, still))
        return tuple(self._sentence(*forms, words) for forms, words in told if words)

    def _sentence(self, one: str, many: str, words: list[str]) -> str:
        fate = one if len(words) == 1 else many.format(len(words))
        named = "; ".join(clip(self._scrub(line), _WORDS) for line in words[:_NAMED])
        more = f"; and {len(words) - _NAMED} more" if len(words) > _NAMED else ""
        return f"{fate}: {named}{more}"


def _spawn(command: Command, tree: Tree) -> subprocess.Popen[bytes]:
    """Starts the command. Never a `preexec_fn`: another thread may hold a lock that the copy needs."""
    env = without_git(command.env)
    # A jumar within a jumar: the outer one must still find what the inner one starts.
    env[VARIABLE] = ":".join(filter(None, [env.get(VARIABLE, ""), tree.token]))
    return subprocess.Popen(
        command.vector,
        cwd=command.cwd,
        env=env,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        bufsize=0,
        start_new_session=True,
    )


def _fileno(pipe: IO[bytes] | None) -> int:
    assert pipe is not None  # Popen was asked for one
    return pipe.fileno()


def _not_started(command: Command, error: OSError, papers: Papers) -> Exit:
    """What a shell would say, or an error where the system is at fault and not the command (no memory)."""
    program = command.vector[0]
    if error.errno in _MISSING:
        code, reason = NOT_FOUND, f"{program}: command not found"
        if not command.cwd.is_dir():
            reason = f"{program}: its folder {command.cwd} does not exist"
    elif error.errno in _UNRUNNABLE:
        code, reason = NOT_RUNNABLE, f"{program}: cannot be run: {error.strerror}"
    else:
        raise JumarError(
            f"{program} could not be started: {error.strerror}.",
            hint="The system is short of something: end other programs, or raise its limits (ulimit -a).",
        ) from error
    papers.refuse(reason)
    tail, stderr_tail = papers.last_words()
    return Exit(code, None, "exit", tail=tail, stderr_tail=stderr_tail)


def _exit(ended: Ended, watch: Watch, papers: Papers, warnings: tuple[str, ...]) -> Exit:
    result = watch.returncode
    tail, stderr_tail = papers.last_words()
    return Exit(
        code=result if result is not None and result >= 0 else None,
        signal=-result if result is not None and result < 0 else None,
        ended=ended,
        usage=Usage(seconds=watch.seconds, cpu=watch.cpu, memory=watch.peak),
        tail=tail,
        stderr_tail=stderr_tail,
        warnings=warnings,
    )

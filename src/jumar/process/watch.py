"""Watches one command: its streams, its end, its limits, and then that nothing of it stays."""

from __future__ import annotations

import contextlib
import math
import os
import resource
import selectors
import subprocess
import sys
import time
from collections.abc import Callable
from signal import SIGKILL, SIGTERM
from types import TracebackType
from typing import Self

from jumar.errors import JumarError
from jumar.process.command import Ended, Limits
from jumar.process.output import Stream
from jumar.process.table import Seen, open_handle, send
from jumar.process.tree import Tree

_FIRST_LOOK, _SLOWEST_LOOK = 0.002, 0.05
# Looking at a large tree must not disturb what is measured: at most this share of one core.
_LOOKING_SHARE = 0.02
_STEP = 0.005
_KILL_PATIENCE = 5.0
_RSS_UNIT = 1 if sys.platform == "darwin" else 1024


class Watch:
    """A context: whatever exception leaves it, the tree is ended first.

    seconds is wall time from the command's start to its own end; cpu the user and system time of every
    process of the tree, in seconds, as the system gives it to those who wait for them (what the kill left
    unwaited for is missing). peak is memory in bytes: the largest sum over the tree at a look, every few ms
    at first and every 50 ms later, or what the system says of the largest single process, if that is more.
    """

    def __init__(self, tree: Tree, limits: Limits, interrupted: Callable[[], bool]) -> None:
        self._tree = tree
        self._limits = limits
        self._interrupted = interrupted
        self._selector = selectors.DefaultSelector()
        self._streams: list[Stream] = []
        self._child: subprocess.Popen[bytes] | None = None
        self._handle: int | None = None
        self._began = time.monotonic()
        self._pause = _FIRST_LOOK
        self._next_look = 0.0
        self._own_peak = 0
        self.seconds = 0.0
        self.cpu = 0.0
        self.peak = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        try:
            if kind:
                self.end(self._limits.grace)
        finally:
            self._selector.close()
            if self._handle is not None:
                os.close(self._handle)
            for pipe in (self._child.stdout, self._child.stderr) if self._child else ():
                if pipe:
                    pipe.close()

    def begin(self, child: subprocess.Popen[bytes], streams: list[Stream]) -> None:
        """The command runs from now."""
        self._began = time.monotonic()
        self._child = child
        # Read after the start, it cannot be less than what the copy had.
        self._own_peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        self.peak = self._tree.planted(child.pid).rss
        self._streams = streams
        self._handle = open_handle(child.pid)
        if self._handle is not None:
            self._selector.register(self._handle, selectors.EVENT_READ)
        for stream in streams:
            self._selector.register(stream.fd, selectors.EVENT_READ, stream)

    @property
    def returncode(self) -> int | None:
        """The code, minus the signal that ended it, or None while it runs (or was taken by someone else)."""
        return self._child.returncode if self._child else None

    @property
    def running(self) -> bool:
        """The command itself has not been waited for yet."""
        return self._child is not None and self._child.returncode is None

    def until_end(self) -> Ended:
        """Reads the streams until the command has ended or reached a limit."""
        deadline = self._began + self._limits.timeout if self._limits.timeout is not None else math.inf
        next_check = self._began
        while True:
            self._step(min(deadline, next_check) - time.monotonic())
            now = time.monotonic()
            if not self.running:
                return "exit"
            if now >= deadline:
                return "timeout"
            if now >= next_check:
                if reason := self._check(now):
                    return reason
                self._pause = min(2 * self._pause, _SLOWEST_LOOK)
                next_check = now + self._pause

    def _check(self, now: float) -> Ended | None:
        if self._interrupted():
            return "stopped"
        if now < self._next_look:
            return None
        used = sum(process.rss for process in self.alive())
        self.peak = max(self.peak, used)
        self._next_look = now + (time.monotonic() - now) / _LOOKING_SHARE
        return "oom" if self._limits.memory is not None and used > self._limits.memory else None

    def _step(self, seconds: float) -> None:
        """Waits for the next thing to happen, at most so long, and takes it in."""
        if self._handle is None:
            seconds = min(seconds, _STEP)
        for key, _ in self._selector.select(max(seconds, 0.0)):
            if key.data is None:
                self._selector.unregister(key.fd)
                self._wait_for_root()
            elif key.data.read() == 0:
                self._selector.unregister(key.fd)
        if self._handle is None:
            self._wait_for_root()

    def _wait_for_root(self) -> None:
        if self._child is None or not self.running:
            return
        try:
            pid, status, usage = os.wait4(self._child.pid, os.WNOHANG)
        except ChildProcessError:
            self._child.returncode = 0  # there is nothing left to wait for
            raise JumarError(
                "The exit status of a command was lost: something else in this program waited for it.",
                hint="Leave SIGCHLD at its default, and wait for no process but your own meanwhile.",
            ) from None
        if pid:
            self.seconds = time.monotonic() - self._began
            self._child.returncode = os.waitstatus_to_exitcode(status)
            self._account(usage)

    def _account(self, usage: resource.struct_rusage) -> None:
        self.cpu += usage.ru_utime + usage.ru_stime
        # Before its exec a child is a copy of this process, and the system counts that copy's memory for it.
        if usage.ru_maxrss > self._own_peak:
            self.peak = max(self.peak, usage.ru_maxrss * _RSS_UNIT)

    def alive(self) -> list[Seen]:
        """The processes of the tree that run. Orphans of it that have ended are waited for on the way."""
        members = self._tree.members()
        for process in members:
            if process.zombie and not (self._child and process.pid == self._child.pid):
                with contextlib.suppress(ChildProcessError):  # its own parent is there to wait for it
                    self._account(os.wait4(process.pid, os.WNOHANG)[2])
        return [process for process in members if not process.zombie]

    def drain(self) -> None:
        """Takes what is in the pipes, without waiting for those who keep them open."""
        for stream in self._streams:
            if stream.fd in self._selector.get_map():
                stream.drain()

    def finish(self) -> None:
        """The streams are over."""
        self.drain()
        for stream in self._streams:
            stream.finish()

    def wait_until_gone(self, seconds: float) -> bool:
        """Whether the whole tree ended by itself within this time."""
        end = time.monotonic() + seconds
        while self.running or self.alive():
            left = end - time.monotonic()
            if left <= 0:
                return False
            self._step(min(left, _STEP))
        return True

    def end(self, grace: float) -> list[Seen]:
        """TERM to each process, `grace` seconds, KILL until none is left. Returns those that live on."""
        try:
            for process in self.alive():
                self._send(process, SIGTERM)
            if self.wait_until_gone(grace):
                return []
        except BaseException:
            self._kill()  # a second Ctrl-C shortens the grace, and that is all it does
            raise
        return self._kill()

    def _kill(self) -> list[Seen]:
        end = time.monotonic() + _KILL_PATIENCE
        while time.monotonic() < end:
            if self._child and self.running:
                # The group at one blow: a process that forks faster than we look is caught here.
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.killpg(self._child.pid, SIGKILL)
            for process in self.alive():
                self._send(process, SIGKILL)
            if self.wait_until_gone(4 * _STEP):
                return []
        return self.alive()

    def _send(self, process: Seen, number: int) -> None:
        with contextlib.suppress(PermissionError):
            send(process, number)

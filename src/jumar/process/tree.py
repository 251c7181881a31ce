"""Which processes belong to a command, however they try to get away.

While a command runs, this process is the reaper of what its descendants orphan, so that every descendant
can be found by walking down from our own children, and one look at those children says that nothing was
left. Several threads may run commands at once: an orphan is attributed by what was seen of it before, by
its session, and by the token in its environment.
"""

from __future__ import annotations

import contextlib
import ctypes
import functools
import os
import secrets
import sys
import threading
import time
from collections.abc import Iterator

from jumar.process.table import Seen, table

VARIABLE = "JUMAR_PROCESS"
_WALKS = 10
_EXEC_LOOKS, _EXEC_PAUSE = 20, 0.0005
_SET_CHILD_SUBREAPER, _GET_CHILD_SUBREAPER = 36, 37


class Adoption:
    """Makes this process the reaper of orphans for as long as a command runs, and knows all trees that do."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.trees: list[Tree] = []
        self.works = False
        self._before = 0

    @contextlib.contextmanager
    def of(self, tree: Tree) -> Iterator[None]:
        """`tree` is known, and its orphans become ours, until the block ends."""
        with self.lock:
            if not self.trees:
                self._before = _subreaper()
                self.works = _become_subreaper(1)
            self.trees.append(tree)
        try:
            yield
        finally:
            with self.lock:
                self.trees.remove(tree)
                if not self.trees:
                    _become_subreaper(self._before)


ADOPTION = Adoption()


class Tree:
    """The processes of one command. `root` is its first process, None before it was started."""

    def __init__(self) -> None:
        self.token = secrets.token_hex(16)
        self.root: Seen | None = None
        self._known: dict[int, float] = {}

    def planted(self, pid: int) -> Seen:
        """The command was started as `pid`, which was not waited for yet."""
        self.root = table().look(pid) or Seen(pid, 0.0, os.getpid(), pid, zombie=True, rss=0)
        self._known = {pid: self.root.start}
        return self.root

    def members(self) -> list[Seen]:
        """Every process of the tree, zombies that nobody has waited for included."""
        found: dict[int, Seen] = {}
        for _ in range(_WALKS):
            children = self._own_children()
            found = self._walk(self._seeds(children))
            # What dies while we walk hands its children to us behind our back: then we walk again.
            if self._own_children() <= children:
                break
        self._known = {process.pid: process.start for process in found.values()}
        return list(found.values())

    def _walk(self, queue: list[Seen]) -> dict[int, Seen]:
        found: dict[int, Seen] = {}
        while queue:
            process = queue.pop()
            if process.pid not in found:
                found[process.pid] = process
                queue += _look_at(table().children(process.pid))
        return found

    def _own_children(self) -> set[int]:
        children = set(table().children(os.getpid()))
        if len(ADOPTION.trees) > 1:
            # Another thread may reap between two steps of the kernel's list, which then leaves one out.
            children |= set(table().children(os.getpid()))
        return children

    def _seeds(self, children: set[int]) -> list[Seen]:
        with ADOPTION.lock:
            others = [tree for tree in ADOPTION.trees if tree is not self]
            taken = {tree.root.pid for tree in others if tree.root}
        seeds = [
            child for child in _look_at(sorted(children - taken)) if self._claims(child, alone=not others)
        ]
        return seeds if ADOPTION.works else seeds + self._strays()

    def _claims(self, child: Seen, *, alone: bool) -> bool:
        if self._bears_mark(child) or self._bears_mark_after_exec(child):
            return True
        if not alone or not self.root or child.start < self.root.start or child.session == os.getsid(0):
            return False
        # It lost every mark, and no other command can have started it: only code of this very process could
        # have, in a session of its own. That would be its session's leader, with our environment.
        # A zombie shows no environment: one that led its session is left to the program, which may wait for it.
        if child.zombie:
            return child.session != child.pid
        environ = table().environ(child.pid)
        return environ is not None and not _inherits_ours(environ)

    def _bears_mark(self, process: Seen) -> bool:
        if self._known.get(process.pid) == process.start:
            return True
        if self.root and process.session == self.root.pid:
            return True
        return self.token.encode() in (table().environ(process.pid) or b"")

    def _bears_mark_after_exec(self, process: Seen) -> bool:
        """While the kernel puts a new program in place of the old, the process shows an empty environment."""
        for _ in range(_EXEC_LOOKS):
            if process.zombie or table().environ(process.pid) != b"":
                break
            time.sleep(_EXEC_PAUSE)
        else:
            return False
        return self._bears_mark(process)

    def _strays(self) -> list[Seen]:
        """Where orphans go to another parent than us, only a look at everyone finds them."""
        everyone = _look_at(table().everyone())
        return [process for process in everyone if not process.zombie and self._bears_mark(process)]


def _look_at(pids: list[int]) -> list[Seen]:
    return [process for pid in pids if (process := table().look(pid))]


def _inherits_ours(environ: bytes) -> bool:
    ours = {os.fsencode(name) + b"=" + os.fsencode(value) for name, value in os.environ.items()}
    return ours <= set(environ.split(b"\0"))


@functools.cache
def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None)


def _prctl(option: int, argument: object) -> bool:
    if not sys.platform.startswith("linux"):
        return False
    nothing = ctypes.c_ulong(0)
    return bool(_libc().prctl(option, argument, nothing, nothing, nothing) == 0)


def _subreaper() -> int:
    value = ctypes.c_int(0)
    _prctl(_GET_CHILD_SUBREAPER, ctypes.byref(value))
    return value.value


def _become_subreaper(value: int) -> bool:
    return _prctl(_SET_CHILD_SUBREAPER, ctypes.c_ulong(value))

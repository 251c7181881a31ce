"""Which processes run, on disk, so that the next start can end what a killed jumar left.

One file a process, named by its token: the first line, written before the process exists, names the token
and its owner; the second, the process itself. A kill between the two leaves the token, which the process
carries in its environment. Nothing is flushed to the device: a power cut that loses the record ends the
process too.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Iterator
from pathlib import Path
from signal import SIGKILL, SIGTERM
from typing import TypeVar

import msgspec

from jumar.process.table import Seen, send, table
from jumar.process.tree import Tree

_GRACE = 1.0
_PATIENCE = 5.0
_STEP = 0.01
T = TypeVar("T")


class Owner(msgspec.Struct, frozen=True):
    """The jumar that runs the process. `boot` names the system's start: numbers mean nothing after it."""

    pid: int
    start: float
    boot: str


class Process(msgspec.Struct, frozen=True):
    """The first process of a command, which leads a session of its own."""

    pid: int
    start: float


class Record(msgspec.Struct, frozen=True):
    """One file of the registry; a part is None where the kill came before it was written."""

    token: str
    owner: Owner | None
    process: Process | None


@contextlib.contextmanager
def recorded(registry: Path | None, tree: Tree) -> Iterator[None]:
    """The tree's token is on record before the block, and stays until nothing of the tree runs any more."""
    if registry is None:
        yield
        return
    registry.mkdir(parents=True, exist_ok=True)
    path = registry / tree.token
    path.write_bytes(msgspec.json.encode(_this_process()) + b"\n")
    try:
        yield
    finally:
        if all(process.zombie for process in tree.members()):
            path.unlink(missing_ok=True)


def record_root(registry: Path | None, tree: Tree) -> None:
    """Adds the process, now that it exists."""
    if registry is None or tree.root is None:
        return
    with (registry / tree.token).open("ab", buffering=0) as file:
        file.write(msgspec.json.encode(Process(tree.root.pid, tree.root.start)) + b"\n")


def end_survivors(registry: Path) -> list[str]:
    """Ends what a jumar that is gone left running, and says what it ended, a sentence each.

    A process is ended when it carries a recorded token, is a recorded process (number and start time), is
    in the session of one, or descends from such. The records of a jumar that lives are left alone, and so
    is a stranger that was given the number of a recorded process.
    """
    records = _dead_owners(registry)
    tokens = [record.token.encode() for record in records]
    known = {record.process.pid: record.process.start for record in records if record.process}
    words: dict[int, str] = {}
    told: set[int] = set()
    begin = time.monotonic()
    while (left := _survivors(tokens, known)) and time.monotonic() < begin + _GRACE + _PATIENCE:
        for process in left:
            # Once its parent has ended, nothing but our memory may link a process to a record.
            known[process.pid] = process.start
            words.setdefault(process.pid, table().words(process.pid))
            _signal(process, told, killing=time.monotonic() >= begin + _GRACE)
        time.sleep(_STEP)
    for record in records if not left else []:
        (registry / record.token).unlink(missing_ok=True)
    lost = {process.pid for process in left}
    return [_sentence(pid, line, pid in lost) for pid, line in words.items()]


def _signal(process: Seen, told: set[int], *, killing: bool) -> None:
    with contextlib.suppress(PermissionError):
        if killing:
            send(process, SIGKILL)
        elif process.pid not in told:
            told.add(process.pid)
            send(process, SIGTERM)


def _sentence(pid: int, words: str, lost: bool) -> str:
    what = f"Process {pid} ({words}) was left by an earlier jumar"
    return f"{what} and could not be ended." if lost else f"{what} and was ended."


def _dead_owners(registry: Path) -> list[Record]:
    """The records whose jumar is gone; those of an earlier boot are removed at once."""
    records = []
    for path in sorted(registry.glob("*")):
        record = _read(path)
        if record.owner and record.owner.boot != _boot():
            path.unlink(missing_ok=True)
        elif not (record.owner and _lives(record.owner)):
            records.append(record)
    return records


def _lives(known: Owner | Process) -> bool:
    now = table().look(known.pid)
    return now is not None and now.start == known.start and not now.zombie


def _survivors(tokens: list[bytes], known: dict[int, float]) -> list[Seen]:
    if not tokens:
        return []
    everyone = {pid: process for pid in table().everyone() if (process := table().look(pid))}
    # A session whose leader is gone proves nothing: its number may have been a stranger's since.
    leading = {pid for pid, process in everyone.items() if known.get(pid) == process.start}
    spared = _with_ancestors(os.getpid(), everyone)
    ours = {
        pid
        for pid, process in everyone.items()
        if pid in leading or process.session in leading or _carries(pid, tokens)
    }
    found = _with_descendants(everyone, ours - spared) - spared
    return [everyone[pid] for pid in found if not everyone[pid].zombie]


def _carries(pid: int, tokens: list[bytes]) -> bool:
    environ = table().environ(pid) or b""
    return any(token in environ for token in tokens)


def _with_ancestors(pid: int, everyone: dict[int, Seen]) -> set[int]:
    """A maker that was left running may be the one that calls us now: it must not be ended under our feet."""
    found = set()
    while pid in everyone and pid not in found:
        found.add(pid)
        pid = everyone[pid].parent
    return found


def _with_descendants(everyone: dict[int, Seen], pids: set[int]) -> set[int]:
    found = set(pids)
    while more := {pid for pid, process in everyone.items() if process.parent in found} - found:
        found |= more
    return found


def _read(path: Path) -> Record:
    lines = [*path.read_bytes().split(b"\n"), b"", b""]
    return Record(path.name, _decode(lines[0], Owner), _decode(lines[1], Process))


def _decode(line: bytes, kind: type[T]) -> T | None:
    """None for a line that a kill left unfinished."""
    try:
        return msgspec.json.decode(line, type=kind)
    except msgspec.DecodeError:
        return None


def _this_process() -> Owner:
    here = table().look(os.getpid())
    return Owner(os.getpid(), here.start if here else 0.0, _boot())


def _boot() -> str:
    """Names the time since the system was started; empty where the system has no such name."""
    with contextlib.suppress(OSError):
        return Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    return ""

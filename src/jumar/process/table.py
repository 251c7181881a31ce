"""What the system says of its processes: /proc where it lists children, psutil elsewhere."""

from __future__ import annotations

import contextlib
import functools
import os
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple, Protocol

PAGE = os.sysconf("SC_PAGE_SIZE")
_CHUNK = 1 << 16


class Seen(NamedTuple):
    """One process at one moment. `pid` and `start` (in the system's unit) name it for good; rss in bytes."""

    pid: int
    start: float
    parent: int
    session: int
    zombie: bool
    rss: int


class Table(Protocol):
    """Looks at processes; one that is gone is None, or empty."""

    def look(self, pid: int) -> Seen | None:
        """The process as it is now."""
        ...

    def children(self, pid: int) -> list[int]:
        """The processes whose parent is `pid`, zombies included."""
        ...

    def environ(self, pid: int) -> bytes | None:
        """Its environment as it was started with, entries ended by NUL; None when it may not be read."""
        ...

    def words(self, pid: int) -> str:
        """Its command line, for people."""
        ...

    def everyone(self) -> list[int]:
        """Every process of the system: dear, so never on the way of a command that leaves nothing behind."""
        ...


class Procfs:
    """Linux, with a kernel that lists children."""

    def look(self, pid: int) -> Seen | None:
        raw = _read(f"/proc/{pid}/stat")
        if not raw:
            return None
        # The name stands in parentheses and may itself hold any of them: fields are counted from the last.
        field = raw[raw.rindex(b")") + 2 :].split()
        return Seen(
            pid=pid,
            start=float(field[19]),
            parent=int(field[1]),
            session=int(field[3]),
            zombie=field[0] in b"ZX",
            rss=int(field[21]) * PAGE,
        )

    def children(self, pid: int) -> list[int]:
        try:
            tasks = os.listdir(f"/proc/{pid}/task")
        except OSError:
            return []
        found: list[int] = []
        for task in tasks:
            found += map(int, (_read(f"/proc/{pid}/task/{task}/children") or b"").split())
        return found

    def environ(self, pid: int) -> bytes | None:
        return _read(f"/proc/{pid}/environ")

    def words(self, pid: int) -> str:
        line = (_read(f"/proc/{pid}/cmdline") or b"").rstrip(b"\0").replace(b"\0", b" ")
        return (
            line.decode(errors="replace")
            or (_read(f"/proc/{pid}/comm") or b"").decode(errors="replace").strip()
        )

    def everyone(self) -> list[int]:
        return [int(name) for name in os.listdir("/proc") if name.isdigit()]


class Portable:
    """Everywhere else, best effort: psutil reads the whole process list for each question."""

    def look(self, pid: int) -> Seen | None:
        import psutil

        with _absent_is_none():
            process = psutil.Process(pid)
            with process.oneshot():
                zombie = process.status() == psutil.STATUS_ZOMBIE
                rss = 0 if zombie else process.memory_info().rss
                return Seen(pid, process.create_time(), process.ppid(), os.getsid(pid), zombie, rss)
        return None

    def children(self, pid: int) -> list[int]:
        import psutil

        with _absent_is_none():
            return [child.pid for child in psutil.Process(pid).children()]
        return []

    def environ(self, pid: int) -> bytes | None:
        import psutil

        with _absent_is_none():
            entries = psutil.Process(pid).environ().items()
            return b"".join(os.fsencode(f"{name}={value}") + b"\0" for name, value in entries)
        return None

    def words(self, pid: int) -> str:
        import psutil

        with _absent_is_none():
            process = psutil.Process(pid)
            return " ".join(process.cmdline()) or process.name()
        return ""

    def everyone(self) -> list[int]:
        import psutil

        return psutil.pids()


@functools.cache
def table() -> Table:
    """The one that works here."""
    return Procfs() if Path("/proc/thread-self/children").exists() else Portable()


def send(process: Seen, number: int) -> None:
    """Signals exactly this process, never one that has taken over its number.

    A process that is gone is no error; one that may not be signalled raises PermissionError.
    """
    with contextlib.suppress(ProcessLookupError), _sender(process.pid) as sender:
        now = table().look(process.pid)
        if now and now.start == process.start:
            sender(number)


def open_handle(pid: int) -> int | None:
    """A file descriptor that stands for the process, readable once it has ended; None where there are none.

    Raises ProcessLookupError when the process is gone.
    """
    if not hasattr(os, "pidfd_open"):
        return None
    try:
        return os.pidfd_open(pid)
    except ProcessLookupError:
        raise
    except OSError:  # a kernel before 5.3, or a sandbox that forbids the call
        return None


@contextlib.contextmanager
def _sender(pid: int) -> Iterator[Callable[[int], None]]:
    # Opened before the start time is compared: from there on the handle cannot mean another process.
    handle = open_handle(pid)
    if handle is None:
        yield functools.partial(os.kill, pid)
        return
    try:
        yield functools.partial(signal.pidfd_send_signal, handle)
    finally:
        os.close(handle)


@contextlib.contextmanager
def _absent_is_none() -> Iterator[None]:
    import psutil

    with contextlib.suppress(psutil.Error, OSError):
        yield


def _read(path: str) -> bytes | None:
    # A file object costs more system calls than what it is asked to read here.
    try:
        file = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        return b"".join(iter(lambda: os.read(file, _CHUNK), b""))
    except OSError:
        return None
    finally:
        os.close(file)

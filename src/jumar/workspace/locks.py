"""Lock files of git: waited for, and removed only with proof that they are ours and that nobody is behind them."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Iterable
from pathlib import Path

import psutil

LOCK = re.compile(r"Unable to create '(.+\.lock)': File exists")
STEP = 0.1


def blocking_lock(words: str) -> Path | None:
    """The lock file that git's words complain of."""
    found = LOCK.search(words)
    return Path(found.group(1)) if found else None


class Locks:
    """How long to wait for a lock, and which locks belong to this run.

    `owned` are folders and lock files that only this run's git calls, or its maker's, can have made. Times in seconds.
    """

    def __init__(
        self,
        owned: Iterable[Path] = (),
        *,
        patience: float = 10.0,
        stale: float = 5.0,
        sleep: Callable[[float], None] = time.sleep,
        now: Callable[[], float] = time.time,
    ) -> None:
        self.owned = tuple(owned)
        self.patience = patience
        self.stale = stale
        self.sleep = sleep
        self.now = now
        self.notes: list[str] = []

    def wait(self, lock: Path, attempt: int) -> bool:
        """Whether to try again: because a stale lock of ours was removed, or after a pause, until patience ends."""
        if self.is_stale(lock):
            lock.unlink(missing_ok=True)
            self.notes.append(f"Removed {lock}, left by a git call of this run that no longer lives.")
            return True
        if attempt * STEP >= self.patience:
            return False
        self.sleep(STEP)
        return True

    def is_stale(self, lock: Path) -> bool:
        """Ours, old enough, and no process that could still be writing it."""
        if not any(lock == place or lock.is_relative_to(place) for place in self.owned):
            return False
        try:
            age = self.now() - lock.stat().st_mtime
        except FileNotFoundError:
            return True
        return age >= self.stale and not has_holder(lock, self.owned)


def has_holder(lock: Path, places: Iterable[Path]) -> bool:
    """Whether a live process has the lock open, or is a git at work in one of `places`.

    git closes some locks before it is done with them (an editor or a hook runs meanwhile), so open files are not
    enough of a proof.
    """
    return any(_holds(process, lock, tuple(places)) for process in psutil.process_iter(["name"]))


def _holds(process: psutil.Process, lock: Path, places: tuple[Path, ...]) -> bool:
    try:
        if any(opened.path == os.fspath(lock) for opened in process.open_files()):
            return True
        if not (process.info["name"] or "").startswith("git"):
            return False
        words = [process.cwd(), *process.cmdline()]
    except (psutil.NoSuchProcess, psutil.AccessDenied, OSError):
        return False
    return any(os.fspath(place) in word for place in places for word in words)

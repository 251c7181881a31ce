"""Every test runs in an environment of its own, and leaves no process behind."""

from __future__ import annotations

import os
import signal
import sys
import time
import uuid
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

DROPPED = (
    "CLICOLOR", "COLUMNS", "EDITOR", "EMAIL", "FORCE_COLOR", "GIT_", "GPG_", "JUMAR_", "LANG", "LC_", "LINES", "PAGER",
    "PYTHONDONTWRITEBYTECODE", "PYTHONPYCACHEPREFIX", "PYTHONUNBUFFERED", "SSH_", "VISUAL", "XDG_",
)  # fmt: skip
GIT_CONFIG = """\
[user]
\tname = Test
\temail = test@example.invalid
[init]
\tdefaultBranch = main
"""
MARK = "TEST_MARK"
PATIENCE = 2.0  # seconds for a process that was sent its signal to be gone


@pytest.fixture(autouse=True, scope="session")
def bare_environment(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Nothing of the person's own environment reaches a test, nor a fixture of a wider scope."""
    with pytest.MonkeyPatch.context() as patch:
        for name in list(os.environ):
            if name.startswith(DROPPED):
                patch.delenv(name)
        fixed = {
            # A program called `python` is this one, whatever the machine calls its own.
            "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', os.defpath)}",
            "LANG": "C.UTF-8",
            "NO_COLOR": "1",
            "TERM": "dumb",
            "TZ": "UTC",
            "GIT_CONFIG_NOSYSTEM": "1",
        }
        for name, value in {**fixed, **homes(tmp_path_factory.mktemp("home"))}.items():
            patch.setenv(name, value)
        time.tzset()
        # Started in the background of a shell script, everything down from here would ignore Ctrl-C.
        before = signal.signal(signal.SIGINT, signal.default_int_handler)
        yield
        signal.signal(signal.SIGINT, before)
    time.tzset()


@pytest.fixture(autouse=True)
def home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home folder of the test's own, with a git identity in it."""
    folder = tmp_path_factory.mktemp("home")
    for name, value in homes(folder).items():
        monkeypatch.setenv(name, value)
    return folder


def homes(folder: Path) -> dict[str, str]:
    """The variables that lead to a home folder, which gets a git configuration."""
    (folder / ".gitconfig").write_text(GIT_CONFIG, encoding="utf-8")
    kinds = {"CONFIG": ".config", "CACHE": ".cache", "DATA": ".local/share", "STATE": ".local/state"}
    return {"HOME": str(folder), **{f"XDG_{kind}_HOME": str(folder / path) for kind, path in kinds.items()}}


@pytest.fixture(autouse=True)
def no_process_left(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Fails a test that leaves processes behind, and ends them."""
    mark = uuid.uuid4().hex
    monkeypatch.setenv(MARK, mark)
    before = descendants()
    yield
    end = time.monotonic() + PATIENCE
    while (left := leftovers(mark, before)) and time.monotonic() < end:
        time.sleep(0.02)
    if left:
        seen = [describe(process) for process in left]
        for process in left:
            end_process(process)
        pytest.fail(f"the test left {len(left)} running: {'; '.join(seen)}", pytrace=False)


def descendants() -> set[psutil.Process]:
    """The processes below this one. One process is the same object to psutil by its number and its start."""
    return set(psutil.Process().children(recursive=True))


def leftovers(mark: str, before: set[psutil.Process]) -> set[psutil.Process]:
    """What the test started and has not ended: new descendants, and processes that left the family."""
    found = (descendants() - before) | {process for process in psutil.process_iter() if marked(process, mark)}
    return {process for process in found if process.pid != os.getpid() and alive(process)}


def marked(process: psutil.Process, mark: str) -> bool:
    """Whether a process comes from this test. A run that somebody else has going on this machine does not."""
    try:
        environment = Path(f"/proc/{process.pid}/environ").read_bytes().split(b"\0")
    except OSError:
        return False
    return f"{MARK}={mark}".encode() in environment


def alive(process: psutil.Process) -> bool:
    """Whether it still runs; a zombie does not."""
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def describe(process: psutil.Process) -> str:
    """Its number and its command."""
    try:
        return f"{process.pid} {' '.join(process.cmdline())}"
    except psutil.Error:
        return str(process.pid)


def end_process(process: psutil.Process) -> None:
    """End it; it may be gone."""
    try:
        process.kill()
    except psutil.NoSuchProcess:
        return

"""Real processes, and the proof after every test that none of them stayed."""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest

from jumar.process import Command, Supervisor, child_environment
from jumar.process.table import Procfs


def marked(marker: str) -> list[str]:
    """The command lines of all processes that were started by one test."""
    found = []
    for process in psutil.process_iter():
        try:
            if process.status() != psutil.STATUS_ZOMBIE and process.environ().get("JUMAR_TEST") == marker:
                found.append(" ".join(process.cmdline()))
        except psutil.Error:
            continue
    return found


@pytest.fixture
def marker() -> str:
    """Stands in the environment of all that one test starts."""
    return secrets.token_hex(8)


@pytest.fixture(autouse=True)
def nothing_left(marker: str) -> Iterator[None]:
    before = set(Procfs().children(os.getpid()))
    yield
    assert marked(marker) == []
    left = [
        process for pid in set(Procfs().children(os.getpid())) - before if (process := Procfs().look(pid))
    ]
    unnamed = [process for process in left if process.zombie and process.session == process.pid]
    for process in unnamed:  # see Tree: such a zombie might be a child of the program that uses us
        os.waitpid(process.pid, 0)
    assert [process for process in left if process not in unnamed] == []


@pytest.fixture
def fresh() -> Callable[[], list[psutil.Process]]:
    """The children of this process that the test itself has started: a helper of other tests may be there already."""
    before = psutil.Process().children()
    return lambda: [child for child in psutil.Process().children() if child not in before]


@pytest.fixture
def env(marker: str) -> dict[str, str]:
    return child_environment(os.environ, {"JUMAR_TEST": marker})


@pytest.fixture
def shell(tmp_path: Path, env: dict[str, str]) -> Callable[[str], Command]:
    """A command for /bin/sh in a fresh folder."""
    return lambda line: Command(line, tmp_path, env)


@pytest.fixture
def supervisor(tmp_path: Path) -> Iterator[Supervisor]:
    registry = tmp_path / "registry"
    yield Supervisor(registry, lambda text: text, lambda: False)
    assert not registry.exists() or list(registry.iterdir()) == []

"""What a run shows on a terminal while it goes on, and that a pipe sees none of it."""

from __future__ import annotations

import os
import pty
import subprocess
import sys

import pytest
from user import Project

ARGUMENTS = (
    "run", "--file", "f.txt", "--metric", "cat f.txt", "--direction", "lower", "--maker", "command:./maker",
    "--iterations", "2",
)  # fmt: skip


def on_a_terminal(project: Project, environment: dict[str, str]) -> str:
    """Everything that a run writes to a terminal of its own."""
    ours, theirs = pty.openpty()
    child = subprocess.Popen(
        [sys.executable, "-m", "jumar", *ARGUMENTS], cwd=project.root, stderr=theirs, env=environment
    )
    os.close(theirs)
    seen = b""
    try:
        while chunk := os.read(ours, 65536):
            seen += chunk
    except OSError:
        pass  # a terminal whose other end is gone reads as an error
    finally:
        os.close(ours)
    assert child.wait() == 0
    return seen.decode()


@pytest.fixture
def improving(project: Project) -> Project:
    project.program("maker", "v=$(cat f.txt); echo $((v - 1)) > f.txt")
    project.commit()
    return project


def test_a_terminal_shows_what_runs_right_now(improving: Project) -> None:
    environment = {name: value for name, value in os.environ.items() if name != "NO_COLOR"}
    shown = on_a_terminal(improving, {**environment, "TERM": "xterm", "COLUMNS": "120"})
    assert "Measuring the baseline" in shown
    assert "Trial 1: measuring; best so far 10" in shown
    assert "\x1b[?25h" in shown[-2000:]  # the cursor is back


def test_a_terminal_without_colour_gets_plain_lines(improving: Project) -> None:
    shown = on_a_terminal(improving, {**os.environ, "TERM": "xterm", "NO_COLOR": "1"})
    assert "\x1b" not in shown
    assert "Trial 1:" not in shown

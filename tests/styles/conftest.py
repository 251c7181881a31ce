"""Whole runs of a style under a clock that stands still, so that every byte of its files can be foreseen."""

from __future__ import annotations

import os
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from jumar.compose import Opening, open_run
from jumar.core.events import Record
from jumar.core.state import State
from jumar.journal import read
from jumar.keeping import KEEPERS, render
from jumar.mission import load_mission
from jumar.workspace import find_repository

NOW = 1_767_225_600.0  # 2026-01-01 00:00:00 UTC
DATE = "2026-01-01T00:00:00Z"


@dataclass
class Outcome:
    """What a run left."""

    state: State
    folder: Path
    views: dict[str, str]
    root: Path

    def view(self, name: str) -> str:
        return Path(self.views[name]).read_bytes().decode()

    def brief(self, trial: int) -> str:
        return (self.folder / f"trials/{trial:04d}/brief.md").read_text("utf-8")

    @property
    def records(self) -> list[Record]:
        return list(read(self.folder / "journal.jsonl"))


@dataclass
class Studio:
    """A repository, a maker that follows a script of shell commands, and a run in this process."""

    root: Path
    flags: dict[str, object] = field(default_factory=dict)

    def git(self, *args: str) -> str:
        env = {**os.environ, "GIT_AUTHOR_DATE": DATE, "GIT_COMMITTER_DATE": DATE}
        done = subprocess.run(["git", *args], cwd=self.root, env=env, capture_output=True, check=True)
        return done.stdout.decode().strip()

    def write(self, name: str, text: str) -> None:
        file = self.root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, "utf-8")

    def script(self, *steps: str) -> None:
        """What the maker does in each trial."""
        for number, step in enumerate(steps, 1):
            self.write(f".steps/{number}", step)
        self.flags["iterations"] = str(len(steps))

    def run(self, *, views_in_place: bool = False) -> Outcome:
        self.git("add", "-A")
        self.git("commit", "-q", "-m", "start")
        given = {"maker": [f"command:sh {self.root}/.steps/$JUMAR_TRIAL"], **self.flags}
        mission = load_mission(None, given, start=self.root, root=self.root)
        opening = Opening(clock=lambda: NOW, observers=KEEPERS, views_in_place=views_in_place)
        with open_run(mission, find_repository(self.root), opening) as run:
            state = run.session.run(run.maker())
            return Outcome(state, run.folder.path, render(run, state), self.root)


@pytest.fixture
def studio(tmp_path: Path) -> Studio:
    made = Studio(tmp_path / "project")
    made.root.mkdir()
    made.git("init", "-q", "-b", "main")
    return made

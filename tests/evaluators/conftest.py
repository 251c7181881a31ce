from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from jumar.core.mission import Mission, Style
from jumar.core.model import Job, Measurement
from jumar.evaluators import ShellEvaluator
from jumar.process import Supervisor

STYLE = Style(name="plain", summary="", rules=(), gates=(), baseline=(), stops=())
SECRET = "token-4711"
JOB = Job(trial=3, lane=0, role="score", side="candidate", commit="c0ffee", sample=0, seed=42)


def scrub(text: str) -> str:
    return text.replace(SECRET, "[secret]")


def mission(metric: str = "true", **fields: object) -> Mission:
    given = {"parser": "single", "direction": "lower", "file": ("a.txt",), "timeout": 20.0, **fields}
    return Mission(style=STYLE, metric=metric, **given)  # type: ignore[arg-type]


class Place:
    """A tree, a run's folder and a checkout, and evaluators that work there."""

    def __init__(self, root: Path) -> None:
        self.tree, self.run, self.checkout = root / "trees" / "tree", root / "run", root / "checkout"
        for folder in (self.tree, self.run, self.checkout):
            folder.mkdir(parents=True)
        self.environment: dict[str, str] = dict(os.environ)
        self.interrupted: Callable[[], bool] = lambda: False

    def evaluator(self, metric: str = "true", **fields: object) -> ShellEvaluator:
        return ShellEvaluator(
            mission(metric, **fields),
            Supervisor(None, scrub, self.interrupted),
            self.run,
            checkout=self.checkout,
            environment=self.environment,
            scrub=scrub,
        )

    def measure(self, metric: str, job: Job | None = None, **fields: object) -> Measurement:
        return self.evaluator(metric, **fields).evaluate(job or JOB, self.tree)

    def python(self, name: str, text: str) -> str:
        """A program in the tree, and the command that runs it."""
        (self.tree / name).write_text(text)
        return f"python3 {name}"


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from jumar.core.model import Job, Measurement
from jumar.errors import RefusedError
from jumar.executors import LocalExecutor

JOB = Job(trial=1, lane=2, role="score", side="candidate", commit="c0ffee", sample=0, seed=1)


class Trees:
    """Two kinds of folder, which remember what they were asked for."""

    def evaluation_tree(self, *, lane: int, commit: str) -> Path:
        if commit == "gone":
            raise RefusedError("The commit is not there.")
        return Path(f"whole-{lane}-{commit}")

    def without_targets(self, *, lane: int, commit: str) -> Path:
        return Path(f"blind-{lane}-{commit}")


class Evaluator:
    def evaluate(self, job: Job, tree: Path) -> Measurement:
        return Measurement(score=1.0, notes=f"{job.role} in {tree}")


@pytest.mark.parametrize(
    ("role", "said"),
    [
        ("score", "score in whole-2-c0ffee"),
        ("guard", "guard in whole-2-c0ffee"),
        ("probe", "probe in blind-2-c0ffee"),
    ],
)
def test_each_role_gets_its_tree(role: str, said: str) -> None:
    job = msgspec.structs.replace(JOB, role=role)
    assert LocalExecutor(Trees(), Evaluator()).run(job).notes == said


def test_a_tree_that_cannot_be_made_is_no_measurement() -> None:
    with pytest.raises(RefusedError):
        LocalExecutor(Trees(), Evaluator()).run(msgspec.structs.replace(JOB, commit="gone"))

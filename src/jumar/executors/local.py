"""Evaluations on this machine, one after the other."""

from __future__ import annotations

from pathlib import Path
from typing import Protocol

from jumar.core.model import Job, Measurement
from jumar.core.ports import Evaluator


class Trees(Protocol):
    """The evaluation trees of a run, one a lane."""

    def evaluation_tree(self, *, lane: int, commit: str) -> Path:
        """The lane's tree, brought to exactly this commit and what was set up beside it."""

    def without_targets(self, *, lane: int, commit: str) -> Path:
        """The same without the targets, so that an evaluator which reads them fails or answers otherwise."""


class LocalExecutor:
    """Prepares the tree of a job's lane and evaluates it, in the calling thread."""

    def __init__(self, trees: Trees, evaluator: Evaluator) -> None:
        self.trees = trees
        self.evaluator = evaluator

    def run(self, job: Job) -> Measurement:
        """Blocks until the job is measured. Raises what the trees raise, and InterruptedRun."""
        prepare = self.trees.without_targets if job.role == "probe" else self.trees.evaluation_tree
        return self.evaluator.evaluate(job, prepare(lane=job.lane, commit=job.commit))

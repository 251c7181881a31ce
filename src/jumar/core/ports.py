"""The seams: what the shell asks of the world. One or two methods each; siblings implement them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Protocol

from jumar.core.events import AnyEvent, Record
from jumar.core.model import Brief, Change, Job, Measurement, Proposal, Refusal, Trial


class Maker(Protocol):
    """Turns a brief into an edit of `tree` and a proposal that describes it."""

    def propose(self, brief: Brief, tree: Path) -> Proposal:
        """Edit the files of `tree` in place. Raises MakerError when no later call could do better."""


class Evaluator(Protocol):
    """Turns a tree into a measurement."""

    def evaluate(self, job: Job, tree: Path) -> Measurement:
        """Never raises for what the code under test does: that is a measurement with an error."""


class Executor(Protocol):
    """Runs evaluation jobs, here or elsewhere."""

    def run(self, job: Job) -> Measurement:
        """Blocks until the job is measured."""


class Workspace(Protocol):
    """The trees and refs of a run."""

    def tree(self, trial: Trial) -> Path:
        """The folder in which the maker of this trial works."""

    def checkout(self, trial: Trial) -> None:
        """Bring that folder to the trial's `start`, whatever is in it."""

    def seal(self, trial: Trial) -> Change | Refusal | None:
        """Commit what the maker left, under the trial's ref; None when nothing changed."""

    def settle(self, trial: Trial) -> None:
        """Advance the branch to a kept trial, or restore. Idempotent: a second call changes nothing."""


class Journal(Protocol):
    """The append-only record of one run."""

    def append(self, event: AnyEvent) -> Record:
        """Write one event with its number and time; durable on return where the event is a commit point."""

    def replay(self) -> Iterator[Record]:
        """Every record from the first."""

    def close(self) -> None:
        """Let another process write."""


class Controls(Protocol):
    """What a person asks for from outside while a run goes on."""

    def stop_requested(self) -> str | None:
        """None, "after" (the current trial) or "now"."""

    def hint(self) -> str | None:
        """What is to be said in the next briefs; None where nothing new is."""

    def heard(self) -> None:
        """The hint is on record."""

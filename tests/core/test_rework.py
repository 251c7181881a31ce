from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import pytest
from built import mission
from fakes import TARGET, Answer, World, story

from jumar.core.mission import Mission
from jumar.core.model import Brief, Measurement, Proposal
from jumar.core.records import flags, trial_object
from jumar.core.state import State

BROKEN = Measurement(passed=False, message="2 tests failed.", words="test_a FAILED")
FINE = Measurement()
TABLE: dict[str, Answer] = {
    "base": 10.0, "fast": 8.0, "fast, mended": 8.5, "worse": 11.0, "guard:base": FINE, "guard:fast": BROKEN,
    "guard:fast, mended": FINE, "guard:fast, again": BROKEN, "fast, again": 8.0,
}  # fmt: skip


@dataclass
class Mender:
    """Writes one text at first, and the next of the rest each time that it is asked to mend it."""

    texts: tuple[str | Proposal, ...]
    briefs: list[Brief] = field(default_factory=list)
    found: list[str] = field(default_factory=list)

    def propose(self, brief: Brief, tree: Path) -> Proposal:
        self.briefs.append(brief)
        self.found.append((tree / TARGET).read_text())
        entry = self.texts[min(brief.rework, len(self.texts) - 1)]
        if isinstance(entry, Proposal):
            return entry
        (tree / TARGET).write_text(entry)
        return Proposal(summary=f"write {entry}")


def aim(rework: int = 2, iterations: int = 1) -> Mission:
    return mission(guard=("pytest",), rework=rework, iterations=iterations, policy="strict")


def drive(folder: Path, rework: int, *texts: str | Proposal) -> tuple[State, Mender, World]:
    world, maker = World(folder, aim(rework), TABLE), Mender(texts)
    return world.open().run(maker), maker, world


@pytest.mark.rule("001-051")
def test_a_mended_edit_is_kept_with_a_flag_and_uses_one_iteration(tmp_path: Path) -> None:
    state, maker, _ = drive(tmp_path, 2, "fast", "fast, mended")
    (_, kept) = state.history
    assert (kept.outcome, flags(kept), state.used) == ("keep", ["rework"], 1)
    assert kept.decision is not None
    assert (kept.decision.score, state.best) == (8.5, 8.5)
    assert maker.found == ["base", "fast"]
    text = maker.briefs[1].text
    assert "## Mend your edit (1 of 2)" in text
    assert "The guard `pytest` failed: 2 tests failed." in text
    assert "```text\ntest_a FAILED\n```" in text
    assert (trial_object(kept, state)["evaluations"], state.evaluations) == (2, 3)


@pytest.mark.rule("001-020", "001-051")
@pytest.mark.parametrize(("rework", "asked"), [(0, 1), (1, 2), (2, 3)])
def test_what_is_not_mended_in_time_is_reverted(tmp_path: Path, rework: int, asked: int) -> None:
    state, maker, world = drive(tmp_path, rework, "fast", "fast, again", "fast")
    trial = state.history[1]
    assert (trial.outcome, trial.decision and trial.decision.reason) == ("discard", "guard")
    assert flags(trial) == (["rework"] if rework else [])
    assert len(maker.briefs) == asked
    assert world.workspace.file.read_text() == "base"


@pytest.mark.parametrize(
    "second", ["fast", Proposal(status="noop"), Proposal(status="failed", words="no idea"), Proposal()]
)
def test_an_edit_that_is_left_as_it_was_is_not_measured_again(tmp_path: Path, second: str | Proposal) -> None:
    state, _, world = drive(tmp_path, 2, "fast", second)
    decision = state.history[1].decision
    assert decision is not None
    assert (decision.verdict, decision.reason, decision.score) == ("DISCARD", "guard", 8.0)
    assert (
        decision.sentence
        == "The guard `pytest` failed: 2 tests failed. Its maker was asked to mend it, and did not."
    )
    assert [job.rework for job in world.executor.jobs if job.trial == 1] == [0, 0]


def test_taking_the_edit_back_counts_as_not_mended(tmp_path: Path) -> None:
    state, _, _ = drive(tmp_path, 2, "fast", "base")
    decision = state.history[1].decision
    assert decision is not None
    assert decision.reason == "guard"


def test_a_mended_edit_may_be_worse_and_a_maker_may_give_up(tmp_path: Path) -> None:
    state, _, _ = drive(tmp_path / "a", 2, "fast", "worse")
    decision = state.history[1].decision
    assert decision is not None
    assert (decision.reason, decision.flags) == ("regressed", ("rework",))
    state, _, _ = drive(tmp_path / "b", 2, "fast", Proposal(status="abort", words="I give up."))
    assert state.ended is not None
    assert state.ended.reason == "aborted"


def test_ask_and_tell_give_the_same_history(tmp_path: Path) -> None:
    state, _, world = drive(tmp_path / "run", 2, "fast", "fast, mended")
    other, maker = World(tmp_path / "steps", aim(), TABLE), Mender(("fast", "fast, mended"))
    verdicts = []
    while waiting := other.open().ask():
        assert other.open().ask() == waiting
        proposal = maker.propose(waiting.brief, other.workspace.folder)
        verdicts.append(other.open().tell(proposal).verdict)
    assert verdicts == ["RETRY", "KEEP"]
    assert story(other.open()) == story(world.open())
    assert state.history[1].reworks == other.open().state.history[1].reworks


class Cut(BaseException):
    """The process is gone."""


@pytest.mark.parametrize("step", range(1, 14))
def test_cut_at_any_step_it_comes_to_the_same_history(tmp_path: Path, step: int) -> None:
    _, _, whole = drive(tmp_path / "whole", 2, "fast", "fast, mended")
    calls = 0

    def boom(name: str) -> None:
        nonlocal calls
        calls += 1
        if calls == step:
            raise Cut

    world = World(tmp_path / "cut", aim(), TABLE, boom=boom)
    maker = Mender(("fast", "fast, mended"))
    for _ in range(2):
        try:
            world.open().run(maker)
        except Cut:
            if all(trial.proposal is None for trial in world.open().state.open.values()):
                world.workspace.file.write_text("half")
    assert story(world.open()) == story(whole.open())

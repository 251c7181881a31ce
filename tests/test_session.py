"""Driving a run: in one go, step by step with a new process for each, stopped, interrupted and cut short anywhere."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from built import failure, mission
from fakes import ScriptedMaker, World, story

from jumar.core.events import Ended, Resumed, Steered, StopAsked
from jumar.core.machine import Hypothesize
from jumar.core.model import Proposal, Refusal
from jumar.core.state import fold
from jumar.errors import InterruptedRun, MakerError, RefusedError
from jumar.session import Session

TABLE: dict[str, Any] = {
    "base": (10.0, 9.8, 10.2, 10.1, 9.9), "a": 8.0, "b": 12.0, "c": failure(), "d": 7.9, "e": (6.0, 6.1, 5.9), "f": 6.0,
}  # fmt: skip
SCRIPT: list[Any] = ["a", "b", "c", Proposal(status="noop"), "b", "d", "refused", "e", "f"]
AIM = mission(iterations=len(SCRIPT), repeats=3, guard=("lint",))
GUARDS = {f"guard:{content}": 0.0 for content in "abcdef"}


class Cut(BaseException):
    """The process ends here."""


class Fuse:
    """Ends the process at one call of the ports, counted from 0; every later call goes through."""

    def __init__(self, at: int | None = None) -> None:
        self.at = at
        self.calls: list[str] = []

    def __call__(self, step: str) -> None:
        self.calls.append(step)
        if len(self.calls) - 1 == self.at:
            raise Cut(step)


def world(folder: Path, fuse: Callable[[str], None] = lambda step: None, aim: Any = AIM) -> World:
    made = World(folder, aim, TABLE | GUARDS, boom=fuse)
    made.workspace.refusals["refused"] = Refusal("out_of_scope", "out of scope: b.txt", ("b.txt",))
    return made


@pytest.fixture
def whole(tmp_path: Path) -> list[tuple[object, ...]]:
    """The history of an uninterrupted run."""
    session = world(tmp_path / "whole").open()
    session.run(ScriptedMaker(SCRIPT))
    return story(session)


def test_the_whole_run_is_as_it_should_be(whole: list[tuple[object, ...]], tmp_path: Path) -> None:
    session = world(tmp_path).open()
    state = session.run(ScriptedMaker(SCRIPT))
    assert [t.outcome for t in state.history] == [
        "baseline", "keep", "discard", "error", "noop", "discard", "discard", "error", "keep", "discard",
    ]  # fmt: skip
    assert len(whole) == len(SCRIPT) + 1
    assert state.ended == Ended("iterations", state.ended.message if state.ended else "")
    assert session.run(ScriptedMaker(SCRIPT)) is state


def step(session: Session, maker: ScriptedMaker) -> bool:
    """One ask and one tell; False when the run is over."""
    if (waiting := session.ask()) is None:
        return False
    session.workspace.checkout(waiting.trial)
    session.tell(maker.propose(waiting.brief, session.workspace.tree(waiting.trial)))
    return True


def test_ask_and_tell_make_the_same_history(tmp_path: Path, whole: list[tuple[object, ...]]) -> None:
    session, maker = world(tmp_path).open(), ScriptedMaker(SCRIPT)
    while step(session, maker):
        pass
    assert story(session) == whole


@pytest.mark.parametrize("announce", [True, False])
def test_a_new_process_for_every_call_makes_the_same_history(
    tmp_path: Path, whole: list[tuple[object, ...]], announce: bool
) -> None:
    """Opening is resuming: each ask and each tell folds the journal from its first line."""
    run, maker = world(tmp_path), ScriptedMaker(SCRIPT)
    while waiting := run.open(announce=announce).ask():
        assert run.open(announce=announce).ask() == waiting
        run.workspace.checkout(waiting.trial)
        proposal = maker.propose(waiting.brief, run.workspace.tree(waiting.trial))
        run.open(announce=announce).tell(proposal)
    assert story(run.open(announce=False)) == whole
    assert run.open(announce=False).state == fold(run.records(), AIM)


def test_asking_twice_gives_the_same_brief_and_leaves_the_tree_alone(tmp_path: Path) -> None:
    run = world(tmp_path)
    session = run.open()
    first = session.ask()
    assert isinstance(first, Hypothesize)
    run.workspace.file.write_text("half an edit")
    lines = len(run.lines)
    assert session.ask() == first
    assert run.open(announce=False).ask() == first
    assert len(run.lines) == lines
    assert run.workspace.file.read_text() == "half an edit"


def test_telling_what_nobody_asked_for_is_refused(tmp_path: Path) -> None:
    run = world(tmp_path)
    session = run.open()
    for expected in (1, 2):
        with pytest.raises(RefusedError, match="No trial is waiting") as caught:
            session.tell(Proposal())
        assert "jumar ask" in caught.value.hint
        assert len(run.lines) == expected
        session.log(StopAsked())
    run.controls.asked = None


def test_a_trial_takes_one_proposal(tmp_path: Path) -> None:
    session = world(tmp_path).open()
    session.ask()
    session.tell(Proposal(status="noop"))
    with pytest.raises(RefusedError):
        session.tell(Proposal(status="noop"))


def test_telling_returns_the_decision(tmp_path: Path) -> None:
    run = world(tmp_path)
    session = run.open()
    session.ask()
    run.workspace.file.write_text("a")
    assert session.tell(Proposal(summary="write a")).reason == "improved"
    assert run.workspace.commits[run.workspace.branch] == "a"


def test_a_told_trial_is_carried_to_its_end_by_a_later_process(tmp_path: Path) -> None:
    from jumar.core.events import Proposed

    run = world(tmp_path)
    session = run.open()
    session.ask()
    run.workspace.file.write_text("a")
    session.log(Proposed(session.waiting(), Proposal(summary="write a")))
    with pytest.raises(RefusedError):
        run.open(announce=False).waiting()
    assert run.open().conclude(1).reason == "improved"


@pytest.mark.parametrize("hint", ["Log in again.", ""])
def test_a_maker_that_cannot_go_on_ends_the_run(tmp_path: Path, hint: str) -> None:
    run = world(tmp_path)
    state = run.open().run(ScriptedMaker(["a", MakerError("401: the key is invalid.", hint=hint)]))
    assert state.ended == Ended("maker_broken", f"401: the key is invalid. {hint}".strip())
    assert len(state.history) == 2
    assert list(state.open) == [2]


def test_an_interruption_leaves_the_trial_open_and_the_next_start_goes_on(
    tmp_path: Path, whole: list[tuple[object, ...]]
) -> None:
    run = world(tmp_path)
    state = run.open().run(ScriptedMaker(["a", InterruptedRun("Ctrl-C was pressed.")]))
    assert state.ended == Ended("interrupted", "Ctrl-C was pressed.")
    assert list(state.open) == [2]
    again = run.open()
    assert again.state.ended is None
    again.run(ScriptedMaker(SCRIPT))
    assert story(again) == whole


@pytest.mark.parametrize(("asked", "reason"), [("now", "stopped"), ("interrupt", "interrupted")])
def test_a_stop_that_cannot_wait(
    tmp_path: Path, whole: list[tuple[object, ...]], asked: str, reason: str
) -> None:
    run = world(tmp_path)
    session = run.open()
    session.observers = [
        lambda state, record: setattr(run.controls, "asked", asked if state.open.get(2) else None)
    ]
    state = session.run(ScriptedMaker(SCRIPT))
    assert state.ended is not None
    assert state.ended.reason == reason
    assert "before this trial was done" in state.ended.message
    assert list(state.open) == [2]
    run.controls.asked = None
    again = run.open()
    again.run(ScriptedMaker(SCRIPT))
    assert story(again) == whole


def test_a_stop_ends_the_run_after_its_trial(tmp_path: Path, whole: list[tuple[object, ...]]) -> None:
    run = world(tmp_path)
    session = run.open()
    session.observers = [
        lambda state, record: setattr(run.controls, "asked", "after" if state.open.get(2) else None)
    ]
    state = session.run(ScriptedMaker(SCRIPT))
    assert state.ended == Ended("stopped", "A stop was asked for.")
    assert len(state.history) == 3
    assert not state.open
    assert sum(isinstance(record.body, StopAsked) for record in run.records()) == 1
    run.controls.asked = None
    again = run.open()
    again.run(ScriptedMaker(SCRIPT))
    assert story(again) == whole


def test_a_hint_is_taken_up_once_and_leaves_an_open_brief_as_it_was(tmp_path: Path) -> None:
    run = world(tmp_path)
    session = run.open()
    first = session.ask()
    run.controls.said = "Think small."
    assert session.ask() == first
    session.tell(Proposal(status="noop"))
    following = session.ask()
    assert isinstance(following, Hypothesize)
    assert "Think small." in following.brief.text
    session.tell(Proposal(status="noop"))
    run.controls.said = "Think small."  # a process was killed before it could take the note away
    session.ask()
    assert run.controls.said is None
    assert sum(isinstance(record.body, Steered) for record in run.records()) == 1


def test_a_stop_before_the_start_measures_nothing_twice(tmp_path: Path) -> None:
    run = world(tmp_path)
    run.controls.asked = "after"
    state = run.open().run(ScriptedMaker(SCRIPT))
    assert state.ended is not None
    assert state.ended.reason == "stopped"
    assert len(state.history) == 0


def test_observers_see_every_record_with_the_state_after_it(tmp_path: Path) -> None:
    run = world(tmp_path)
    seen: list[Any] = []
    run.observers.append(lambda state, record: seen.append((state, record)))
    run.open().run(ScriptedMaker(SCRIPT))
    assert [record for _, record in seen] == run.records()
    for number in (1, len(seen) // 2, len(seen)):
        assert seen[number - 1][0] == fold(run.records()[:number], AIM)


def calls(folder: Path) -> int:
    """How many calls of the ports an uninterrupted run makes."""
    fuse = Fuse()
    world(folder, fuse).open().run(ScriptedMaker(SCRIPT, fuse))
    return len(fuse.calls)


def test_c24_cut_short_at_every_call_the_run_ends_the_same(
    tmp_path: Path, whole: list[tuple[object, ...]]
) -> None:
    total = calls(tmp_path / "count")
    assert total > 50
    for at in range(total):
        fuse = Fuse(at)
        run = world(tmp_path / str(at), fuse)
        with pytest.raises(Cut):
            run.open().run(ScriptedMaker(SCRIPT, fuse))
        if fuse.calls[at] != "seal":  # where a told edit still waits in the tree
            run.workspace.file.write_text("whatever a killed maker leaves")
        session = run.open()
        session.run(ScriptedMaker(SCRIPT, fuse))
        assert story(session) == whole, fuse.calls[at]
        assert session.state.ended is not None
        assert session.state.ended.reason == "iterations"


def test_c24_cut_short_before_and_after_every_record_the_run_ends_the_same(
    tmp_path: Path, whole: list[tuple[object, ...]]
) -> None:
    """The journal as a kill would leave it, and trees that are ahead of it."""
    first = world(tmp_path / "first")
    first.open().run(ScriptedMaker(SCRIPT))
    for kept in range(1, len(first.lines)):
        run = world(tmp_path / "again")
        run.lines[:] = first.lines[:kept]
        run.workspace.commits = dict(first.workspace.commits)
        heads = fold(run.records(), AIM)
        run.workspace.branch = heads.head
        # An edit that was told but not sealed is still in the tree.
        last = run.records()[-1].body
        if type(last).__name__ == "Proposed" and last.proposal.summary:  # type: ignore[union-attr]
            run.workspace.file.write_text(last.proposal.summary.removeprefix("write "))  # type: ignore[union-attr]
        session = run.open()
        session.run(ScriptedMaker(SCRIPT))
        assert story(session) == whole, (kept, last)


def test_resuming_twice_in_a_row_changes_nothing(tmp_path: Path, whole: list[tuple[object, ...]]) -> None:
    run = world(tmp_path)
    for _ in range(3):
        run.open()
    session = run.open()
    session.run(ScriptedMaker(SCRIPT))
    assert story(session) == whole
    assert sum(isinstance(record.body, Resumed) for record in run.records()) == 3


def test_a_larger_budget_goes_on_with_the_same_run(tmp_path: Path, whole: list[tuple[object, ...]]) -> None:
    run = world(tmp_path, aim=mission(iterations=4, repeats=3, guard=("lint",)))
    run.open().run(ScriptedMaker(SCRIPT))
    run.mission = AIM
    session = run.open()
    session.run(ScriptedMaker(SCRIPT))
    assert story(session) == whole


def test_an_evaluation_that_raises_leaves_the_trial_for_the_next_start(tmp_path: Path) -> None:
    run = world(tmp_path)
    run.executor.table = {"base": TABLE["base"]}
    with pytest.raises(KeyError):
        run.open().run(ScriptedMaker(SCRIPT))
    assert list(run.open(announce=False).state.open) == [1]

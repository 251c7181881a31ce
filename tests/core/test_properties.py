"""Whole runs of makers and evaluators that do anything, and what holds for all of them."""

from __future__ import annotations

import json
import tempfile
from itertools import pairwise
from math import isfinite, nan
from pathlib import Path
from typing import Any

import msgspec
from built import failure, mission
from fakes import ScriptedMaker, World, story
from hypothesis import given, settings
from hypothesis import strategies as st

from jumar.core.events import Decided, Ended, Settled, TrialOpened
from jumar.core.mission import Gain, Mission
from jumar.core.model import Measurement, Proposal, Refusal
from jumar.core.state import State, evolve, fold

EDITS = "abcdefg"
SCORES = st.one_of(
    st.floats(-3, 3),
    st.sampled_from([0.0, -0.0, 1.0, 1e300, -1e300, 5e-324, nan, float("inf"), float("-inf")]),
)
ANSWERS = st.one_of(
    SCORES,
    st.lists(SCORES, min_size=1, max_size=4).map(tuple),
    st.sampled_from([failure(), failure("timeout", "Slow."), failure("environment", "No network.")]),
    st.builds(Measurement, score=st.one_of(st.none(), SCORES), passed=st.booleans()),
)
ENTRIES = st.one_of(
    st.sampled_from(["base", *EDITS, "refused"]),
    st.builds(
        Proposal, status=st.sampled_from(["noop", "failed", "exhausted", "abort"]), words=st.text(max_size=5)
    ),
    st.just(Proposal()),
)
MISSIONS = st.builds(
    mission,
    policy=st.sampled_from(["strict", "two_sigma", "pass"]),
    direction=st.sampled_from(["lower", "higher"]),
    repeats=st.integers(1, 3),
    min_gain=st.builds(Gain, st.floats(0, 1), st.booleans()),
    on_tie=st.sampled_from(["revert", "keep_smaller"]),
    iterations=st.integers(0, 9),
    stagnation=st.one_of(st.none(), st.integers(1, 4)),
    target_score=st.one_of(st.none(), st.floats(-2, 2)),
    target_repeats=st.integers(1, 2),
    continue_after_target=st.booleans(),
    allow_failing_baseline=st.booleans(),
    probe=st.booleans(),
    guard=st.sampled_from([(), ("lint",), ("lint", "test")]),
    ladder=st.sampled_from([(), (1, 3)]),
)


class Driven(msgspec.Struct):
    """A run that is over, all states on its way with a copy of each as it was then."""

    world: World
    aim: Mission
    state: State
    seen: list[tuple[State, bytes]]
    history: list[Any]


def photograph(state: State) -> bytes:
    """Everything a state holds."""
    return repr((state, list(state.history))).encode()


@st.composite
def runs(draw: st.DrawFn) -> Driven:
    aim = draw(MISSIONS)
    table: dict[str, Any] = {name: draw(ANSWERS) for name in ("base", *EDITS)}
    table |= {f"guard:{name}": Measurement(passed=draw(st.booleans())) for name in EDITS}
    table |= {"guard:base": Measurement(), "probe:": draw(ANSWERS)}
    script = draw(st.lists(ENTRIES, min_size=1, max_size=9))
    with tempfile.TemporaryDirectory(prefix="world-") as folder:
        world = World(Path(folder), aim, table)
        world.workspace.refusals["refused"] = Refusal("out_of_scope", "out of scope", ("b.txt",))
        seen: list[tuple[State, bytes]] = []
        world.observers = [lambda state, record: seen.append((state, photograph(state)))]
        session = world.open()
        state = session.run(ScriptedMaker(script))
        return Driven(world, aim, state, seen, story(session))


EXAMPLES = settings(max_examples=120, deadline=None)


@EXAMPLES
@given(runs())
def test_what_holds_for_every_run(run: Driven) -> None:
    state, history = run.state, run.state.history
    assert state.ended is not None
    assert not state.open

    # Trials have no gap, and each ends in exactly one outcome.
    bodies = [record.body for record in run.world.records()]
    for kind in (TrialOpened, Decided, Settled):
        assert [body.trial for body in bodies if isinstance(body, kind)] == list(range(len(history)))
    assert sum(isinstance(body, Ended) for body in bodies) == 1
    assert all(trial.outcome and trial.decision and trial.decision.reason for trial in history)
    assert sum(state.outcomes.values()) == len(history)
    for outcome, amount in state.outcomes.items():
        assert amount == sum(trial.outcome == outcome for trial in history)
    assert state.used == max(0, len(history) - 1)
    assert run.aim.iterations is not None
    assert state.used <= run.aim.iterations

    # The branch is where the last kept change is, and nothing else is in the tree's place.
    kept = [trial.change.commit for trial in history if trial.outcome == "keep" and trial.change]
    assert run.world.workspace.branch == state.head == (kept[-1] if kept else state.base)
    assert all(trial.decision.sentence for trial in history if trial.decision)


@EXAMPLES
@given(runs())
def test_the_best_never_gets_worse(run: Driven) -> None:
    aim, history = run.aim, run.state.history
    bests = [trial.best for trial in history]
    for before, after in pairwise(bests):
        if before is not None:
            assert after is not None
            assert not aim.better(before, after)
    if aim.policy != "pass":
        for trial in history:
            if trial.outcome == "keep" and trial.decision and trial.decision.reason == "improved":
                assert trial.best == trial.decision.score
        assert run.state.anchor == run.state.best
    for trial in history:
        if trial.outcome in ("discard", "error", "noop") and trial.number:
            assert trial.best == bests[trial.number - 1]


@EXAMPLES
@given(runs())
def test_no_score_that_is_none_takes_part(run: Driven) -> None:
    for trial in run.state.history:
        figures = [trial.best, trial.delta_baseline, trial.delta_previous]
        figures += [m.score for role in ("score", "guard", "probe") for m in trial.runs(role)]  # type: ignore[arg-type]
        if trial.decision:
            figures += [trial.decision.score, *trial.decision.numbers.values()]
        assert all(isfinite(figure) for figure in figures if figure is not None)
    for line in run.world.lines:
        json.loads(line[9:], parse_constant=lambda name: (_ for _ in ()).throw(AssertionError(name)))


@EXAMPLES
@given(runs())
def test_the_fold_of_the_journal_is_the_state_and_no_state_ever_changes(run: Driven) -> None:
    records = run.world.records()
    assert fold(records, run.aim) == run.state
    assert [photograph(state) for state, _ in run.seen] == [then for _, then in run.seen]
    # Another branch of the same past shares its history and leaves it alone.
    middle = len(records) // 2
    fork = fold(records[:middle], run.aim)
    for record in records[middle:]:
        fork = evolve(fork, record, run.aim)
    assert fork == run.state
    assert [photograph(state) for state, _ in run.seen] == [then for _, then in run.seen]


@settings(max_examples=60, deadline=None)
@given(runs(), st.data())
def test_a_run_cut_off_anywhere_ends_as_it_would_have(run: Driven, data: st.DataObject) -> None:
    records = run.world.records()
    kept = data.draw(st.integers(1, len(records) - 1))
    script = [
        trial.proposal if trial.proposal and trial.change is None and trial.refusal is None else None
        for trial in run.state.history
    ]
    contents = [
        run.world.workspace.commits[trial.change.commit]
        if trial.change
        else "refused"
        if trial.refusal
        else ""
        for trial in run.state.history
    ]
    entries = [said or content for said, content in zip(script, contents, strict=True)][1:] or [Proposal()]
    with tempfile.TemporaryDirectory(prefix="world-") as folder:
        world = World(Path(folder), run.aim, run.world.executor.table)
        world.workspace.refusals = run.world.workspace.refusals
        world.workspace.commits = dict(run.world.workspace.commits)
        world.lines[:] = run.world.lines[:kept]
        state = fold(world.records(), run.aim)
        world.workspace.branch = state.head
        for trial in state.open.values():
            world.workspace.put(trial.parent)
            if trial.proposal and trial.number and contents[trial.number]:
                world.workspace.file.write_text(contents[trial.number])
        session = world.open()
        session.run(ScriptedMaker(entries))
        assert story(session) == run.history

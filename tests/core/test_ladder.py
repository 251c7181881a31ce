from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from built import baseline, failure, mission, score, state_of, trial
from fakes import ScriptedMaker, World

from jumar.core.brief import compose
from jumar.core.events import AnyEvent
from jumar.core.ladder import Step, entered, level, steps
from jumar.core.mission import Mission
from jumar.core.model import Decision, Measurement, Reason
from jumar.core.records import escalation_object, trial_object
from jumar.core.state import State

PIVOT = Step(3, "pivot", "Look at another region.", same_error=3)
SHIFT = Step(5, "paradigm shift", "Read everything again.", every=5)
CONTRACT = {"ladder": (PIVOT, SHIFT), "ladder_counts": "strikes"}
CHECKLIST = {"ladder": (Step(3), Step(5), Step(8)), "ladder_counts": "reverts"}


def discard(value: float = 2.0, reason: Reason = "regressed") -> Decision:
    return Decision("DISCARD", reason, "", value)


def crash(words: str = "It crashed.") -> Decision:
    return Decision("ERROR", "crash", words)


def run(aim: Mission, *decisions: Decision) -> State:
    parts: list[list[AnyEvent]] = [baseline(1.0)]
    for number, decision in enumerate(decisions, 1):
        value = failure() if decision.verdict == "ERROR" else score(decision.score)
        parts.append(trial(number, value, decision=decision))
    return state_of(aim, *parts)


def escalations(state: State) -> list[tuple[int, int]]:
    return [(t.number, t.escalation) for t in state.history if t.escalation]


def test_a_bare_count_is_a_step() -> None:
    assert steps([3, PIVOT]) == (Step(3), PIVOT)
    assert [level(n, [3, 5]) for n in (0, 2, 3, 4, 5, 99)] == [0, 0, 1, 1, 2, 2]
    assert [level(0, (PIVOT, SHIFT), n) for n in (2, 3, 4)] == [0, 1, 1]


def test_entering_a_level() -> None:
    assert [entered(n - 1, n, (PIVOT, SHIFT)) for n in range(1, 16)] == [
        0,
        0,
        1,
        0,
        2,
        0,
        0,
        0,
        0,
        2,
        0,
        0,
        0,
        0,
        2,
    ]
    assert entered(3, 0, (PIVOT, SHIFT)) == 0
    assert entered(6, 7, (PIVOT, SHIFT), same_error=3) == 1
    assert entered(7, 8, (PIVOT, SHIFT), same_error=4) == 0
    assert entered(1, 2, ()) == 0


@pytest.mark.rule("000-106", "000-108", "000-111", "000-116")
def test_each_change_of_level_is_told_once() -> None:
    state = run(mission(**CHECKLIST), *(discard() for _ in range(8)))
    assert escalations(state) == [(3, 1), (5, 2), (8, 3)]
    assert [t.counters.reverts for t in state.history if t.counters] == [0, 1, 2, 3, 4, 5, 6, 7, 8]
    assert {t.strikes for t in state.history} == {None}


@pytest.mark.rule("000-066", "000-075", "000-098", "000-104")
def test_a_crash_leaves_reverts_alone_and_a_refusal_counts() -> None:
    aim = mission(**CHECKLIST)
    refused = Decision("ERROR", "protected", "")
    noop = Decision("NOOP", "empty_diff", "")
    state = run(aim, discard(), discard(1.0, "complexity"), crash(), refused, noop)
    assert [t.counters.reverts for t in state.history if t.counters] == [0, 1, 2, 2, 3, 3]
    assert escalations(state) == [(4, 1)]


@pytest.mark.rule("000-074", "000-115")
def test_a_keep_puts_the_level_back() -> None:
    kept = Decision("KEEP", "improved", "", 0.5)
    state = run(mission(**CHECKLIST), *(discard() for _ in range(5)), kept, discard())
    assert state.streaks.reverts == 1
    assert escalations(state) == [(3, 1), (5, 2)]


@pytest.mark.rule("001-028", "001-029", "001-030", "001-031")
def test_strikes_count_everything_that_is_not_better() -> None:
    worse_kept = Decision("KEEP", "improved", "", 3.0)
    equal_kept = Decision("KEEP", "improved", "", 1.0)
    better = Decision("KEEP", "improved", "", 0.5)
    noop = Decision("NOOP", "empty_diff", "")
    state = run(mission(**CONTRACT), discard(), worse_kept, noop, equal_kept, crash(), better, discard())
    assert [t.strikes for t in state.history] == [0, 1, 2, 2, 3, 4, 0, 1]
    assert escalations(state) == [(4, 1)]
    assert [trial_object(t, state)["strikes"] for t in state.history][-2:] == [0, 1]


@pytest.mark.rule("001-032")
def test_three_identical_crashes_pivot_though_strikes_were_counted_otherwise() -> None:
    state = run(
        mission(**CONTRACT), *(discard() for _ in range(5)), crash("a"), crash("a"), crash("a"), crash("b")
    )
    assert escalations(state) == [(3, 1), (5, 2), (8, 1)]


@pytest.mark.rule("001-029")
def test_a_step_is_told_again_where_it_says_so() -> None:
    state = run(mission(**CONTRACT), *(discard() for _ in range(15)))
    assert escalations(state) == [(3, 1), (5, 2), (10, 2), (15, 2)]
    told = escalation_object(state.history[5], mission(**CONTRACT).style)
    assert told == {
        "event": "escalation", "trial": 5, "level": 2, "name": "paradigm shift", "count": 5,
        "message": "Level 2 (paradigm shift): 5 trials since the last that was better.",
    }  # fmt: skip


@pytest.mark.parametrize("ladder", [CONTRACT, CHECKLIST, {"ladder": (1, 2, 3)}])
@pytest.mark.rule("001-034")
def test_a_ladder_never_ends_a_run(tmp_path: Path, ladder: dict[str, Any]) -> None:
    table: dict[str, float | Measurement] = {"base": 1.0} | {f"try {n}": 2.0 for n in range(1, 16)}
    aim = mission(iterations=15, policy="strict", **ladder)
    state = World(tmp_path, aim, table).open().run(ScriptedMaker([f"try {n}" for n in range(1, 16)]))
    assert state.used == 15
    assert state.ended is not None
    assert state.ended.reason == "iterations"


@pytest.mark.rule("001-028", "001-029")
def test_the_brief_has_the_words_of_the_level(tmp_path: Path) -> None:
    table: dict[str, float | Measurement] = {"base": 1.0} | {f"try {n}": 2.0 for n in range(1, 8)}
    maker = ScriptedMaker([f"try {n}" for n in range(1, 8)])
    World(tmp_path, mission(iterations=7, policy="strict", **CONTRACT), table).open().run(maker)
    found = [
        ("pivot" in b.text, "## Level 2: paradigm shift\n\nRead everything again." in b.text)
        for b in maker.briefs
    ]
    assert found == [(False, False)] * 3 + [(True, False)] * 2 + [(False, True)] * 2


def test_a_level_without_words_says_how_many_trials(tmp_path: Path) -> None:
    aim = mission(ladder=(Step(1, brief="  Do better.  "), Step(2)), ladder_counts="reverts")
    state = run(aim, discard(), discard())
    from jumar.core.machine import next_trial

    opened = state_of(
        aim,
        baseline(1.0),
        trial(1, decision=discard()),
        trial(2, decision=discard()),
        [next_trial(state, aim)],
    )
    text = compose(opened.open[3], opened, aim).text
    assert "- Level 2: 2 trials in a row brought no gain" in text
    once = run(aim, discard())
    opened = state_of(aim, baseline(1.0), trial(1, decision=discard()), [next_trial(once, aim)])
    assert "## Level 1\n\nDo better.\n" in compose(opened.open[2], opened, aim).text

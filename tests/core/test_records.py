from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest
from built import BASE, baseline, change, mission, resumed, score, state_of, trial

from jumar.core.events import Decided, Ended, Measured, Proposed, Sealed, Settled, TrialOpened
from jumar.core.model import Decision, EndReason, Proposal, Refusal, Usage
from jumar.core.records import baseline_object, end_object, exit_code, may_continue, trial_object
from jumar.core.stopping import stop_reason

AIM = mission()
KEEP = Decision("KEEP", "improved", "Better.", 0.5, flags=("seed_only",))
WORSE = Decision("DISCARD", "regressed", "Worse.", 2.0)
FAILED = [TrialOpened(0, "baseline", BASE), Decided(0, Decision("ERROR", "crash", "It crashed.")), Settled(0)]
TRIAL_KEYS = {
    "event", "trial", "kind", "outcome", "reason", "flags", "score", "samples", "best", "delta_baseline", "delta_previous",
    "description", "commit", "parent", "evaluations", "seconds", "level", "strikes", "tokens", "cost",
}  # fmt: skip
END_KEYS = {
    "event", "run", "reason", "branch", "baseline", "best", "kept", "discarded", "errors", "noops", "evaluations", "verified",
    "exit",
}  # fmt: skip


def strict(value: Any) -> None:
    json.dumps(value, allow_nan=False)


def test_a_trial_as_programs_read_it() -> None:
    edit = change(1, flags=("seed_only", "autoload"))
    state = state_of(AIM, baseline(1.0), trial(1, score(0.5), sealed=edit, said="two\nlines", decision=KEEP))
    found = trial_object(state.history[1], state)
    assert found.keys() >= TRIAL_KEYS
    assert (found["trial"], found["outcome"], found["reason"], found["score"]) == (1, "keep", "improved", 0.5)
    assert (found["samples"], found["best"], found["delta_baseline"]) == ([0.5], 0.5, -0.5)
    assert found["flags"] == ["seed_only", "autoload"]
    assert found["description"] == "two lines"
    assert (found["commit"], found["parent"]) == (edit.commit, BASE)
    assert found["seconds"] == 4.0
    strict(found)


def test_an_open_trial_has_no_outcome_yet() -> None:
    state = state_of(AIM, baseline(1.0), [TrialOpened(1, "change", BASE)])
    found = trial_object(state.open[1], state)
    assert (found["outcome"], found["reason"], found["score"], found["seconds"]) == (None, None, None, None)
    assert found["commit"] is None


def test_a_refused_trial_shows_its_flags_and_what_the_maker_cost() -> None:
    refusal = Refusal("out_of_scope", "out of scope: b.txt", flags=("moved_head",))
    proposal = Proposal(usage=Usage(tokens=12, cost=0.5))
    events = [TrialOpened(1, "change", BASE), Proposed(1, proposal), Sealed(1, refusal=refusal)]
    state = state_of(AIM, baseline(1.0), events)
    found = trial_object(state.open[1], state)
    assert (found["flags"], found["tokens"], found["cost"]) == (["moved_head"], 12, 0.5)


def test_evaluations_count_both_sides() -> None:
    other = Measured(1, "score", "incumbent", score(1.0))
    state = state_of(AIM, baseline(1.0), trial(1, score(0.5)), [other])
    assert trial_object(state.open[1], state)["evaluations"] == 2


@pytest.mark.parametrize(("noise", "exact"), [(None, None), (0.0, True), (0.2, False)])
def test_a_baseline_as_programs_read_it(noise: float | None, exact: bool | None) -> None:
    state = state_of(AIM, baseline(1.0, 1.0, noise=noise, unit="ms"))
    found = baseline_object(state.history[0], state)
    assert found == {
        "event": "baseline", "score": 1.0, "samples": [1.0, 1.0], "unit": "ms", "noise": noise, "exact": exact, "matched": "",
    }  # fmt: skip


def test_a_baseline_without_a_run_shows_none() -> None:
    state = state_of(AIM, FAILED)
    assert baseline_object(state.history[0], state)["matched"] == ""


def test_the_end_as_programs_read_it() -> None:
    noop = [
        TrialOpened(3, "change", BASE),
        Decided(3, Decision("NOOP", "empty_diff", "Nothing.")),
        Settled(3),
    ]
    error = trial(4, decision=Decision("ERROR", "crash", "x"))
    parts = [baseline(1.0), trial(1, score(0.5), decision=KEEP), trial(2, decision=WORSE), noop, error]
    state = state_of(AIM, *parts, [Ended("iterations", "Done.")])
    found = end_object(state)
    assert found.keys() >= END_KEYS
    assert [found[k] for k in ("kept", "discarded", "errors", "noops", "exit")] == [1, 1, 1, 1, 0]
    assert (found["reason"], found["message"], found["verified"]) == ("iterations", "Done.", None)
    strict(found)


def test_a_run_that_is_not_over_has_no_reason() -> None:
    found = end_object(state_of(AIM))
    assert (found["reason"], found["message"], found["errors"], found["exit"]) == (None, "", 0, 1)


def test_a_failed_baseline_is_no_failed_trial() -> None:
    assert end_object(state_of(AIM, FAILED, [Ended("evaluator_broken")]))["errors"] == 0
    lost = trial(1, decision=Decision("ERROR", "crash", "x"))
    assert end_object(state_of(AIM, baseline(1.0), lost))["errors"] == 1


@pytest.mark.parametrize(
    ("reason", "kept", "tried", "code"),
    [
        ("iterations", True, True, 0),
        ("iterations", False, True, 1),
        ("iterations", False, False, 0),
        ("target", False, False, 0),
        ("optimum", False, False, 0),
        ("stagnation", False, True, 1),
        ("stopped", True, True, 0),
        ("stopped", False, False, 1),
        ("evaluator_broken", True, True, 3),
        ("maker_broken", True, True, 4),
        ("interrupted", True, True, 130),
    ],
)
def test_exit_codes(reason: EndReason, kept: bool, tried: bool, code: int) -> None:
    change = trial(1, score(0.5), decision=KEEP if kept else WORSE) if tried else []
    assert exit_code(state_of(AIM, baseline(1.0), change, [Ended(reason)])) == code


@pytest.mark.parametrize("reason", msgspec.inspect.type_info(EndReason).values)  # type: ignore[union-attr]
def test_which_ends_the_same_command_goes_on_from(reason: EndReason) -> None:
    state = state_of(AIM, baseline(1.0), [Ended(reason)])
    budget = {"iterations", "time", "tokens", "cost", "stagnation", "target", "optimum"}
    assert may_continue(state, None) is (reason in budget or reason in ("stopped", "interrupted"))
    assert may_continue(state, Ended(reason)) is (reason in ("stopped", "interrupted"))


def test_a_run_without_an_end_goes_on() -> None:
    assert may_continue(state_of(AIM, baseline(1.0)), None)
    assert may_continue(state_of(AIM, [Ended("iterations")], [resumed()]), Ended("iterations"))


def test_a_larger_budget_goes_on() -> None:
    state = state_of(AIM, baseline(1.0), trial(1, decision=WORSE), [Ended("iterations")])
    for trials, expected in ((1, False), (2, True)):
        now = stop_reason(state, mission(iterations=trials), 2000.0)
        assert may_continue(state, now) is expected

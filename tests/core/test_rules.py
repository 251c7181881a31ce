"""Single rules and their order, where a whole run would hide them."""

from __future__ import annotations

from math import isfinite
from typing import Any

import pytest
from built import BASE, baseline, change, failure, mission, score, state_of, trial
from hypothesis import given
from hypothesis import strategies as st

from jumar.core.events import Measured, Proposed, TrialOpened
from jumar.core.machine import Decide, Evaluate, Experiment, Hypothesize, Settle, next_action, next_trial
from jumar.core.mission import Gain, Mission
from jumar.core.model import Decision, Measurement, Proposal, Sample, Trial
from jumar.core.policy import decide
from jumar.core.rules import RULES
from jumar.core.rules.screening import duplicate, unit_changed
from jumar.core.state import State

KEEP = Decision("KEEP", "improved", "Better.", 0.5)


def judged(aim: Mission, *scores: float | None, base: Any = None, size: int = 1) -> Decision:
    """The decision on trial 1 with these scores, after a baseline of 1.0."""
    edit = change(1, added=size)
    state = state_of(aim, base or baseline(1.0), trial(1, *map(score, scores), sealed=edit))
    return decide(state.open[1], state, aim)


@pytest.mark.parametrize(
    ("scores", "verdict", "reason"),
    [
        ((), "MEASURE", None),
        ((0.5, 0.9), "MEASURE", None),
        ((0.5, 0.9, 1.2), "KEEP", "improved"),
        ((0.5, 1.1, 1.2), "DISCARD", "regressed"),
        ((0.5, 1.0, 1.2), "DISCARD", "tie"),
    ],
)
def test_strict_compares_the_median_of_its_repeats(
    scores: tuple[float, ...], verdict: str, reason: str | None
) -> None:
    decision = judged(mission(policy="strict", repeats=3), *scores)
    assert (decision.verdict, decision.reason) == (verdict, reason)


@pytest.mark.parametrize(
    ("value", "gain", "reason"),
    [
        (0.9, Gain(0.1), "improved"),
        (0.91, Gain(0.1), "within_noise"),
        (1.05, Gain(0.1), "regressed"),
        (0.98, Gain(0.02, relative=True), "improved"),
        (0.981, Gain(0.02, relative=True), "within_noise"),
    ],
)
def test_a_gain_below_the_least_is_none(value: float, gain: Gain, reason: str) -> None:
    assert judged(mission(policy="strict", min_gain=gain), value).reason == reason


@pytest.mark.parametrize(
    ("value", "reason"),
    [(0.85, "improved"), (0.95, "within_noise"), (1.05, "within_noise"), (1.3, "regressed")],
)
def test_two_sigma_needs_more_than_chance(value: float, reason: str) -> None:
    decision = judged(mission(repeats=1), value, base=baseline(1.0, noise=0.05))
    assert decision.reason == reason
    assert decision.numbers == {
        "gain": pytest.approx(1.0 - value), "threshold": 0.1, "noise": 0.05, "runs": 1.0
    }  # fmt: skip
    if reason == "within_noise":
        assert "a gain has to be above 0.1" in decision.sentence


def test_an_exact_measure_needs_one_run_and_an_unknown_one_all_of_them() -> None:
    aim = mission(repeats=3)
    assert judged(aim, 0.9, base=baseline(1.0, noise=0.0)).verdict == "KEEP"
    assert judged(aim, 0.9, base=baseline(1.0)).verdict == "MEASURE"


def test_a_smaller_tie_is_kept_only_where_it_is_smaller() -> None:
    aim = mission(on_tie="keep_smaller")
    assert judged(aim, 1.0, size=0).reason == "simplified"
    assert judged(aim, 1.0, size=1).reason == "tie"


NUMBERS = st.floats(allow_nan=False, allow_infinity=False)


@given(
    st.lists(NUMBERS, min_size=1, max_size=5),
    st.lists(NUMBERS, min_size=3, max_size=3),
    st.sampled_from(["strict", "two_sigma", "pass"]),
    st.sampled_from(["lower", "higher"]),
    st.builds(Gain, st.floats(0, 1e9), st.booleans()),
)
def test_every_comparison_of_finite_scores_is_final_and_finite(
    base: list[float], runs: list[float], policy: str, direction: str, least: Gain
) -> None:
    aim = mission(policy=policy, direction=direction, min_gain=least, repeats=3)
    first = state_of(aim, baseline(*base)[: 1 + len(base)])
    accepted = decide(
        first.open[0],
        first,
        mission(policy=policy, direction=direction, baseline_runs=1, noisy_baseline_runs=1),
    )
    assert accepted.verdict == "KEEP"
    state = state_of(aim, baseline(*base, noise=accepted.numbers.get("noise")), trial(1, *map(score, runs)))
    decision = decide(state.open[1], state, aim)
    assert decision.verdict in ("KEEP", "DISCARD")
    assert all(map(isfinite, [*decision.numbers.values(), *accepted.numbers.values(), decision.score or 0.0]))
    if decision.verdict == "KEEP" and policy != "pass":
        assert state.anchor is not None
        assert aim.better(decision.score or 0.0, state.anchor)


def test_the_first_failure_among_the_runs_decides() -> None:
    aim = mission(policy="strict", repeats=3)
    state = state_of(aim, baseline(1.0), trial(1, score(0.5), failure("timeout", "Slow.")))
    assert decide(state.open[1], state, aim).reason == "timeout"


def test_a_failed_evaluation_is_no_matter_of_score() -> None:
    aim = mission(policy="pass")
    state = state_of(aim, baseline(1.0), trial(1, score(0.1, passed=False)))
    decision = decide(state.open[1], state, aim)
    assert (decision.reason, decision.score) == ("evaluator_fail", 0.1)
    assert decision.sentence == "The evaluator did not pass it."


def test_guards_run_in_order_and_only_for_a_would_be_keep() -> None:
    aim = mission(policy="strict", guard=("lint", "pytest -q"))
    worse = state_of(aim, baseline(1.0), trial(1, score(2.0)))
    assert decide(worse.open[1], worse, aim).reason == "regressed"
    events = [*trial(1, score(0.5))]
    for command in aim.guard:
        state = state_of(aim, baseline(1.0), events)
        wanted = decide(state.open[1], state, aim)
        assert (wanted.verdict, wanted.role, wanted.command) == ("MEASURE", "guard", command)
        action = next_action(state, aim)
        assert isinstance(action, Evaluate)
        assert (action.job.command, action.job.sample) == (command, len(state.open[1].runs("guard")))
        events.append(Measured(1, "guard", "candidate", Measurement()))
    state = state_of(aim, baseline(1.0), events)
    assert decide(state.open[1], state, aim).verdict == "KEEP"


@pytest.mark.parametrize("bad", [Measurement(passed=False, message="exit 1"), failure("timeout", "exit 1")])
def test_a_failing_guard_reverts(bad: Measurement) -> None:
    aim = mission(policy="strict", guard=("lint", "pytest -q"))
    runs = [Measured(1, "guard", "candidate", Measurement()), Measured(1, "guard", "candidate", bad)]
    state = state_of(aim, baseline(1.0), trial(1, score(0.5)), runs)
    decision = decide(state.open[1], state, aim)
    assert (decision.verdict, decision.reason, decision.score) == ("DISCARD", "guard", 0.5)
    assert decision.sentence == "The guard `pytest -q` failed: exit 1"


def test_a_guard_that_fails_on_the_base_ends_in_an_error() -> None:
    aim = mission(guard=("lint",), baseline_runs=1)
    runs = [
        Measured(0, "score", "candidate", score(1.0)),
        Measured(0, "guard", "candidate", Measurement(passed=False)),
    ]
    state = state_of(aim, [TrialOpened(0, "baseline", BASE), *runs])
    assert decide(state.open[0], state, aim).verdict == "ERROR"


def test_a_guard_without_any_score_has_none_to_tell() -> None:
    aim = mission(guard=("lint",), policy="pass")
    state = state_of(
        aim, baseline(1.0), trial(1, Measurement()), [Measured(1, "guard", "candidate", failure())]
    )
    assert decide(state.open[1], state, aim).score is None


def base_runs(aim: Mission, *found: Measurement) -> str:
    state = state_of(
        aim, [TrialOpened(0, "baseline", BASE)], [Measured(0, "score", "candidate", m) for m in found]
    )
    return decide(state.open[0], state, aim).verdict


def test_the_baseline_is_run_as_often_as_it_pays() -> None:
    assert base_runs(mission()) == "MEASURE"
    assert base_runs(mission(), score(1.0), score(1.0)) == "MEASURE"
    assert base_runs(mission(), *[score(1.0)] * 3) == "KEEP"
    assert base_runs(mission(), score(1.0), score(1.0), score(1.1)) == "MEASURE"
    assert base_runs(mission(), *[score(1.0)] * 4, score(1.1)) == "KEEP"
    assert base_runs(mission(policy="strict"), score(1.0)) == "KEEP"
    assert base_runs(mission(policy="strict", repeats=2), score(1.0)) == "MEASURE"
    assert base_runs(mission(policy="pass"), Measurement()) == "KEEP"
    slow = score(1.0)
    from jumar.core.model import Usage

    slow = Measurement(score=1.0, usage=Usage(seconds=60))
    assert base_runs(mission(time=3600.0), slow) == "MEASURE" if 60 * 40 <= 3600 else "KEEP"
    assert base_runs(mission(time=600.0), slow) == "KEEP"


@pytest.mark.parametrize(
    ("proposal", "verdict", "reason", "words"),
    [
        (Proposal(status="failed", words="no route"), "ERROR", "maker_failed", "no route"),
        (Proposal(status="abort", notes="hopeless"), "DISCARD", "aborted", "hopeless"),
        (Proposal(status="exhausted", summary="all tried"), "NOOP", "empty_diff", "all tried"),
        (Proposal(status="noop", hypothesis="none"), "NOOP", "empty_diff", "none"),
        (Proposal(status="noop"), "NOOP", "empty_diff", "it said nothing"),
    ],
)
def test_what_a_maker_says_instead_of_an_edit(
    proposal: Proposal, verdict: str, reason: str, words: str
) -> None:
    aim = mission()
    state = state_of(aim, baseline(1.0), [TrialOpened(1, "change", BASE), Proposed(1, proposal)])
    action = next_action(state, aim)
    assert isinstance(action, Decide)
    assert (action.decision.verdict, action.decision.reason) == (verdict, reason)
    assert words in action.decision.sentence


def test_a_refused_edit_is_an_error_of_its_own() -> None:
    from jumar.core.events import Sealed
    from jumar.core.model import Refusal

    aim = mission()
    refusal = Refusal("out_of_scope", "out of scope: b.txt", ("b.txt",), flags=("moved_head",))
    events = [TrialOpened(1, "change", BASE), Proposed(1, Proposal()), Sealed(1, refusal=refusal)]
    state = state_of(aim, baseline(1.0), events)
    decision = decide(state.open[1], state, aim)
    assert (decision.verdict, decision.reason, decision.flags) == ("ERROR", "out_of_scope", ("moved_head",))


def test_a_trial_without_any_proposal_is_empty() -> None:
    empty = RULES["empty"](Trial(1, "change", BASE), State(), mission())
    assert empty is not None
    assert empty.sentence == "The maker changed nothing."
    assert RULES["maker_failed"](Trial(1, "change", BASE), State(), mission()) is None


def test_a_repeat_whose_first_try_is_unknown_has_no_score() -> None:
    decision = duplicate(Trial(2, "change", BASE, change=change(1), repeat_of=1), State(), mission())
    assert decision is not None
    assert decision.score is None
    assert duplicate(Trial(2, "change", BASE, repeat_of=1), State(), mission()) is None


def test_a_unit_is_compared_only_once_it_is_known() -> None:
    odd = Trial(1, "change", BASE, samples=(Sample("score", "candidate", score(1.0, unit="s")),))
    assert unit_changed(odd, State(), mission()) is None
    known = State(unit="ms", unit_known=True)
    decision = unit_changed(odd, known, mission())
    assert decision is not None
    assert "(ms before, s now)" in decision.sentence
    same = Trial(1, "change", BASE, samples=(Sample("score", "candidate", Measurement()),))
    assert unit_changed(same, known, mission()) is None


def test_the_steps_of_a_trial_in_order() -> None:
    aim = mission(policy="strict")
    events = trial(1, score(0.5), decision=KEEP)
    kinds = []
    for n in range(1, len(events) + 1):
        action = next_action(state_of(aim, baseline(1.0), events[:n]), aim)
        kinds.append(type(action))
    assert kinds == [Hypothesize, Experiment, Evaluate, Decide, Settle, type(None)]


def test_jobs_name_the_side_they_measure_and_share_seeds() -> None:
    aim = mission(seed=7)
    state = state_of(aim, baseline(1.0), trial(1))
    candidate = next_action(state, aim)
    assert isinstance(candidate, Evaluate)
    assert candidate.job.commit == change(1).commit
    failed = state_of(
        aim,
        baseline(1.0),
        *[trial(n, failure(), decision=Decision("ERROR", "crash", "x")) for n in (1, 2)],
        trial(3, failure()),
    )
    incumbent = next_action(failed, aim)
    assert isinstance(incumbent, Evaluate)
    assert (incumbent.job.side, incumbent.job.commit, incumbent.job.sample) == ("incumbent", BASE, 0)


def test_the_incumbent_is_the_last_kept_change() -> None:
    aim = mission()
    crash = Decision("ERROR", "crash", "x")
    lost = [trial(n, failure(), decision=crash) for n in (2, 3)]
    state = state_of(aim, baseline(1.0), trial(1, score(0.5), decision=KEEP), *lost, trial(4, failure()))
    action = next_action(state, aim)
    assert isinstance(action, Evaluate)
    assert (action.job.side, action.job.commit) == ("incumbent", change(1).commit)


def test_the_next_trial_stands_on_the_last_kept_one_at_its_level() -> None:
    aim = mission(ladder=(2, 4))
    assert next_trial(state_of(aim), aim) == TrialOpened(0, "baseline", BASE)
    state = state_of(aim, baseline(1.0), trial(1, score(0.5), decision=KEEP))
    assert next_trial(state, aim) == TrialOpened(2, "change", change(1).commit)
    worse = Decision("DISCARD", "regressed", "Worse.", 2.0)
    stuck = state_of(aim, baseline(1.0), *[trial(n, decision=worse) for n in (1, 2)])
    assert next_trial(stuck, aim) == TrialOpened(3, "change", BASE, level=1)

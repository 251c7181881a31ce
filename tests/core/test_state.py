from __future__ import annotations

import time
from typing import Any

import pytest
from built import (
    BASE,
    baseline,
    change,
    failure,
    long_run,
    mission,
    records,
    resumed,
    score,
    started,
    state_of,
    trial,
)

from jumar.core.events import Decided, Ended, Measured, Sealed, Settled, StopAsked, TrialOpened
from jumar.core.model import Decision, Measurement, Proposal, Refusal
from jumar.core.state import State, Streaks, counted, difference, fold

AIM = mission()
KEEP = Decision("KEEP", "improved", "Better.", 0.5)
WORSE = Decision("DISCARD", "regressed", "Worse.", 2.0)


def test_a_keep_moves_the_head_and_is_the_new_best() -> None:
    state = state_of(
        AIM, baseline(1.0, noise=0.0), trial(1, score(0.5), decision=KEEP), trial(2, decision=WORSE)
    )
    assert state.head == change(1).commit
    assert (state.anchor, state.best, state.best_trial, state.incumbent) == (0.5, 0.5, 1, (0.5,))
    assert (state.used, state.next_number, state.evaluations) == (2, 3, 2)
    assert state.outcomes == {"baseline": 1, "keep": 1, "discard": 1}
    assert state.noise == 0.0
    assert [t.delta_previous for t in state.history] == [None, -0.5, 1.5]
    assert [t.delta_baseline for t in state.history] == [0.0, -0.5, 1.0]
    assert state.open == {}


def test_a_worse_keep_moves_the_head_but_not_the_best() -> None:
    worse = Decision("KEEP", "improved", "The evaluator passed it.", 3.0)
    unscored = Decision("KEEP", "improved", "The evaluator passed it.")
    state = state_of(AIM, baseline(1.0), trial(1, score(3.0), decision=worse), trial(2, decision=unscored))
    assert (state.head, state.best, state.best_trial) == (change(2).commit, 1.0, 0)
    assert state.anchor is None
    assert state.anchored


def test_several_trials_may_be_open() -> None:
    events = [
        *trial(1, score(0.5)),
        *trial(2, score(0.4)),
        Decided(2, KEEP),
        Settled(2),
        Decided(1, WORSE),
        Settled(1),
    ]
    state = state_of(AIM, baseline(1.0), events)
    assert [t.number for t in state.history] == [0, 2, 1]


def test_a_repeat_is_found_while_trials_finish_out_of_order() -> None:
    from jumar.core.rules.screening import duplicate

    events = [
        *trial(1, score(0.5)), *trial(2, score(0.4)), Decided(2, Decision("DISCARD", "regressed", "", 0.4)), Settled(2),
        *trial(3, sealed=change(2)),
    ]  # fmt: skip
    state = state_of(AIM, baseline(1.0), events)
    decision = duplicate(state.open[3], state, AIM)
    assert decision is not None
    assert (decision.sentence, decision.score) == ("repeat of 2", 0.4)


def test_time_between_a_crash_and_its_resumption_is_not_used() -> None:
    events = [started(), *baseline(1.0)]
    first = fold(records(events), AIM)
    assert first.elapsed(first.last) == len(events) - 1
    later = records([*events, resumed(), resumed()], start=1000.0)
    gone = [r if r.seq < len(events) else type(r)(r.seq, r.at + 5000, r.prev, r.body) for r in later]
    state = fold(gone, AIM)
    assert state.elapsed(state.last + 2) == len(events) - 1 + 2


def test_resuming_takes_back_a_stop() -> None:
    events = [started(), *baseline(1.0), StopAsked(), Ended("stopped", "Asked.")]
    assert fold(records(events), AIM).ended == Ended("stopped", "Asked.")
    state = fold(records([*events, resumed()]), AIM)
    assert state.ended is None
    assert not state.stop_asked


def test_a_refusal_and_an_empty_seal() -> None:
    refusal = Refusal("out_of_scope", "out of scope: b.txt", ("b.txt",))
    opened = [TrialOpened(1, "change", BASE), Sealed(1, refusal=refusal)]
    assert state_of(AIM, opened).open[1].refusal == refusal
    assert state_of(AIM, [TrialOpened(1, "change", BASE), Sealed(1)]).open[1].sealed


def test_the_unit_is_that_of_the_first_score() -> None:
    state = state_of(AIM, baseline(1.0, unit="ms"), trial(1, score(2.0, unit="s")))
    assert (state.unit, state.unit_known) == ("ms", True)
    assert state_of(AIM, baseline(1.0)).unit_known


def test_guards_and_probes_are_no_evaluations() -> None:
    guard = Measured(0, "guard", "candidate", Measurement())
    state = state_of(AIM, [TrialOpened(0, "baseline", BASE), guard])
    assert state.evaluations == 0
    assert not state.unit_known


@pytest.mark.parametrize(
    ("measurement", "fails"), [(score(1.0), False), (failure(), True), (Measurement(passed=False), True)]
)
def test_a_failure_of_the_incumbent_is_remembered_until_it_passes(measurement: Any, fails: bool) -> None:
    bad = Measured(1, "score", "incumbent", failure())
    state = state_of(AIM, baseline(1.0), trial(1), [bad, Measured(1, "score", "incumbent", measurement)])
    assert state.incumbent_failure == (measurement if fails else None)


def test_an_excused_baseline_passes_without_passing_but_not_with_an_error() -> None:
    aim = mission(allow_failing_baseline=True)
    for measurement, fails in ((Measurement(passed=False), False), (failure(), True)):
        state = state_of(aim, baseline(), trial(1), [Measured(1, "score", "incumbent", measurement)])
        assert (state.incumbent_failure is not None) is fails
    kept = trial(1, score(0.5), decision=KEEP)
    failing = [Measured(2, "score", "incumbent", Measurement(passed=False))]
    assert state_of(aim, baseline(), kept, trial(2), failing).incumbent_failure is not None


def finished(decision: Decision) -> Any:
    return state_of(AIM, baseline(1.0), trial(1, decision=decision)).history[1]


def test_streaks() -> None:
    aim = mission(target_score=0.5)
    streaks = Streaks()
    crash = Decision("ERROR", "crash", "boom")
    steps = [
        (WORSE, (1, 0, 0, 0, 0)),
        (crash, (2, 0, 0, 1, 1)),
        (crash, (3, 0, 0, 2, 2)),
        (Decision("ERROR", "timeout", "slow"), (4, 0, 0, 3, 1)),
        (Decision("ERROR", "maker_failed", "no"), (5, 0, 1, 0, 0)),
        (Decision("NOOP", "empty_diff", "nothing"), (5, 0, 2, 0, 0)),
        (Decision("DISCARD", "tie", "same", 0.5), (5, 1, 0, 0, 0)),
        (KEEP, (0, 2, 0, 0, 0)),
        (Decision("DISCARD", "duplicate", "repeat of 1", 2.0), (1, 2, 0, 0, 0)),
        (WORSE, (2, 0, 0, 0, 0)),
    ]
    for decision, expected in steps:
        streaks = counted(streaks, finished(decision), aim)
        found = (streaks.without_gain, streaks.on_target, streaks.idle, streaks.broken, streaks.same_error)
        assert found == expected, decision


def test_the_baseline_feeds_no_streak() -> None:
    lost = [TrialOpened(0, "baseline", BASE), Decided(0, Decision("ERROR", "crash", "boom")), Settled(0)]
    assert state_of(AIM, lost).streaks == Streaks()


def test_differences_exist_where_both_sides_do_and_stay_finite() -> None:
    assert difference(1.0, 3.0) == -2.0
    assert difference(None, 3.0) is None
    assert difference(1.0, None) is None
    assert difference(-1.7e308, 1.7e308) == -1.7976931348623157e308


def test_an_earlier_state_stays_what_it_was() -> None:
    events = records(
        [started(), *baseline(1.0), *trial(1, score(0.5), decision=KEEP), *trial(2, Measurement())]
    )
    states = [fold(events[:n], AIM) for n in range(len(events) + 1)]
    grown, seen = State(), [State()]
    from jumar.core.state import evolve

    for record in events:
        grown = evolve(grown, record, AIM)
        seen.append(grown)
    assert seen == states
    assert seen[-1].open[2].proposal == Proposal(summary="idea 2")


def test_the_cost_of_a_fold_is_linear_in_its_trials() -> None:
    def cost(trials: int) -> float:
        run, best = long_run(AIM, trials), float("inf")
        for _ in range(3):
            before = time.perf_counter()
            state = fold(run, AIM)
            best = min(best, time.perf_counter() - before)
        assert len(state.history) == trials + 1
        return best

    # Ten times the trials: 10 if it is linear, 100 if it is quadratic.
    assert cost(10_000) < 40 * cost(1_000)

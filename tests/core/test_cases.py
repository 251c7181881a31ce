"""Cases about keeping, reverting and stopping, each as a whole run over the in-memory ports."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from built import failure, mission, score
from fakes import Answer, ScriptedMaker, World

from jumar.core.cautions import after_baseline
from jumar.core.events import Record, Settled
from jumar.core.mission import Gain, Mission
from jumar.core.model import Measurement, Proposal
from jumar.core.records import exit_code
from jumar.core.state import State

FAILED = Measurement(passed=False, notes="2 of 9 cases differ")


def drive(
    folder: Path, aim: Mission, table: dict[str, Any], script: list[Any], content: str = "base"
) -> tuple[State, World, ScriptedMaker]:
    world, maker = World(folder, aim, table, content), ScriptedMaker(script)
    return world.open().run(maker), world, maker


def outcomes(state: State) -> list[tuple[str | None, str | None]]:
    return [(t.outcome, t.decision.reason if t.decision else None) for t in state.history]


def ended(state: State) -> tuple[str, str]:
    assert state.ended is not None
    return state.ended.reason, state.ended.message


@pytest.mark.parametrize(
    "bad",
    [
        failure("non_finite", "The score is NaN."),
        score(float("nan")),
        score(float("-inf")),
        score(float("inf")),
    ],
)
def test_c07_a_score_that_is_no_finite_number_never_takes_part(tmp_path: Path, bad: Measurement) -> None:
    table: dict[str, Answer] = {"base": 0.50, "a": bad, "b": bad, "c": 0.45}
    state, world, _ = drive(tmp_path, mission(iterations=3), table, ["a", "b", "c"])
    errors = ("error", "non_finite")
    assert outcomes(state) == [("baseline", "baseline"), errors, errors, ("keep", "improved")]
    assert [t.best for t in state.history] == [0.50, 0.50, 0.50, 0.45]
    assert exit_code(state) == 0
    for line in world.lines:
        json.loads(line[9:], parse_constant=lambda name: pytest.fail(f"{name} is in the journal"))


def test_c08_a_baseline_of_zero_errors_is_at_its_target(tmp_path: Path) -> None:
    state, _, maker = drive(tmp_path, mission(target_score=0.0), {"base": 0.0}, ["a"])
    assert state.baseline == 0.0
    assert ended(state)[0] == "target"
    assert maker.briefs == []
    assert exit_code(state) == 0


def test_c08_b_zero_is_a_baseline_and_less_is_worse(tmp_path: Path) -> None:
    aim = mission(direction="higher", iterations=2, min_gain=Gain(0.01, relative=True))
    state, _, _ = drive(tmp_path, aim, {"base": 0.0, "a": -0.2, "b": 0.1}, ["a", "b"])
    assert outcomes(state)[1:] == [("discard", "regressed"), ("keep", "improved")]
    assert [t.delta_baseline for t in state.history] == [0.0, -0.2, 0.1]
    assert "%" not in state.history[2].decision.sentence  # type: ignore[union-attr]


def test_c08_c_a_percent_gain_is_of_the_size_of_a_negative_score(tmp_path: Path) -> None:
    aim = mission(iterations=2, min_gain=Gain(0.01, relative=True))
    state, _, _ = drive(tmp_path, aim, {"base": -3.5, "a": -3.51, "b": -3.6}, ["a", "b"])
    assert outcomes(state)[1:] == [("discard", "within_noise"), ("keep", "improved")]
    sentence = state.history[2].decision.sentence  # type: ignore[union-attr]
    assert "-3.6 is better than -3.5 by 2.86 %" in sentence


def test_c13_the_first_pass_after_a_failing_baseline_is_the_anchor(tmp_path: Path) -> None:
    aim = mission(direction="higher", iterations=3, allow_failing_baseline=True)
    table = {"base": FAILED, "a": FAILED, "b": 0.62, "c": 0.60}
    state, _, _ = drive(tmp_path, aim, table, ["a", "b", "c"])
    assert outcomes(state) == [
        ("baseline", "baseline"),
        ("discard", "evaluator_fail"),
        ("keep", "bootstrap"),
        ("discard", "regressed"),
    ]
    assert (state.best, state.best_trial) == (0.62, 2)


def test_c13_a_failing_baselines_score_is_neither_anchor_nor_target(tmp_path: Path) -> None:
    aim = mission(direction="higher", iterations=1, allow_failing_baseline=True, target_score=0.9)
    table = {"base": Measurement(score=0.95, passed=False), "a": 0.62}
    state, _, _ = drive(tmp_path, aim, table, ["a"])
    assert outcomes(state)[1:] == [("keep", "bootstrap")]
    assert (state.baseline, state.best, ended(state)[0]) == (None, 0.62, "iterations")


def test_c13_a_failing_baseline_is_refused_unless_it_is_allowed(tmp_path: Path) -> None:
    state, _, maker = drive(tmp_path, mission(), {"base": FAILED}, ["a"])
    assert ended(state) == ("evaluator_broken", "The evaluator did not pass it: 2 of 9 cases differ")
    assert maker.briefs == []
    assert exit_code(state) == 3


def test_c13_a_pass_without_a_score_is_no_anchor_where_scores_are_compared(tmp_path: Path) -> None:
    aim = mission(iterations=1, allow_failing_baseline=True)
    state, _, _ = drive(tmp_path, aim, {"base": FAILED, "a": Measurement()}, ["a"])
    assert outcomes(state)[1:] == [("discard", "no_anchor")]


def test_c13_a_pass_without_a_score_is_kept_where_the_pass_decides(tmp_path: Path) -> None:
    aim = mission(iterations=2, allow_failing_baseline=True, policy="pass")
    table = {"base": FAILED, "a": Measurement(), "b": FAILED}
    state, _, _ = drive(tmp_path, aim, table, ["a", "b"])
    assert outcomes(state)[1:] == [("keep", "bootstrap"), ("discard", "evaluator_fail")]


def test_c14_the_run_ends_at_its_target(tmp_path: Path) -> None:
    aim = mission(direction="higher", target_score=1.0)
    table = {"base": 0.5, "a": 0.4, "b": 0.7, "c": 1.0}
    state, _, maker = drive(tmp_path, aim, table, ["a", "b", "c"])
    assert ended(state) == ("target", "The target 1 is reached.")
    assert len(maker.briefs) == 3
    assert exit_code(state) == 0


@pytest.mark.parametrize("base", [(0.5,), (0.5, 0.52, 0.48)], ids=["exact", "noisy"])
def test_c14_a_tie_at_the_limit_is_not_worse_and_feeds_no_streak(
    tmp_path: Path, base: tuple[float, ...]
) -> None:
    aim = mission(
        direction="higher", target_score=1.0, continue_after_target=True, iterations=7, stagnation=2
    )
    table = {"base": base, **dict.fromkeys("cdefg", 1.0), "h": 0.2, "i": 0.1}
    state, _, _ = drive(tmp_path, aim, table, list("cdefghi"))
    assert outcomes(state)[1:] == [
        ("keep", "improved"),
        *[("discard", "tie")] * 4,
        *[("discard", "regressed")] * 2,
    ]
    assert "1 equals 1" in state.history[2].decision.sentence  # type: ignore[union-attr]
    assert state.streaks.without_gain == 2


@pytest.mark.parametrize(("on_tie", "expected"), [("revert", "tie"), ("keep_smaller", "simplified")])
def test_c14_a_tie_that_makes_the_change_smaller_is_kept_on_request(
    tmp_path: Path, on_tie: str, expected: str
) -> None:
    table = {"two\nlines": 2.0, "one": 2.0}
    state, _, _ = drive(tmp_path, mission(iterations=1, on_tie=on_tie), table, ["one"], "two\nlines")
    assert outcomes(state)[1][1] == expected


def test_c14_a_target_may_have_to_be_reached_several_times_in_a_row(tmp_path: Path) -> None:
    aim = mission(target_score=1.0, target_repeats=3, iterations=9)
    table = {"base": 2.0, "a": 1.0, "b": 0.9, "c": 1.5, "d": 0.8, "crash": failure(), "e": 0.7, "f": 0.6}
    script = ["a", "b", "c", "d", "crash", "e", "f", "g"]
    state, _, _ = drive(tmp_path, aim, table, script)
    # A score off the target starts again; a crash neither counts nor resets.
    assert state.history[-1].number == 7
    assert ended(state)[0] == "target"


def test_c14_a_repeat_is_no_measurement_at_the_target(tmp_path: Path) -> None:
    aim = mission(target_score=1.0, target_repeats=3, iterations=3)
    state, _, _ = drive(tmp_path, aim, {"base": 2.0, "a": 1.0, "b": 1.0}, ["a", "b", "b"])
    assert [r for _, r in outcomes(state)[1:]] == ["improved", "tie", "duplicate"]
    assert ended(state)[0] == "iterations"
    assert state.streaks.on_target == 2


def test_c16_three_times_nothing_ends_the_run_with_the_makers_words(tmp_path: Path) -> None:
    said = Proposal(words="read-only file system")
    state, world, maker = drive(tmp_path, mission(), {"base": 1.0}, [said])
    assert outcomes(state)[1:] == [("noop", "empty_diff")] * 3
    reason, message = ended(state)
    assert reason == "maker_broken"
    assert "changed nothing 3 times" in message
    assert "read-only file system" in message
    assert len(maker.briefs) == 3
    assert exit_code(state) == 4
    assert {job.trial for job in world.executor.jobs} == {0}


def test_c16_a_change_in_between_starts_the_count_again(tmp_path: Path) -> None:
    nothing = Proposal(status="noop")
    script = [nothing, nothing, "a", nothing, Proposal(status="failed", words="no route to host"), "b"]
    table = {"base": 1.0, "a": 2.0, "b": 2.5}
    state, _, _ = drive(tmp_path, mission(iterations=6), table, script)
    assert [o for o, _ in outcomes(state)[1:]] == ["noop", "noop", "discard", "noop", "error", "discard"]
    assert ended(state)[0] == "iterations"


def test_c16_a_maker_that_fails_is_quoted(tmp_path: Path) -> None:
    state, _, _ = drive(
        tmp_path, mission(), {"base": 1.0}, [Proposal(status="failed", words="key is invalid")]
    )
    assert ended(state)[0] == "maker_broken"
    assert "key is invalid" in ended(state)[1]


BASELINE = (10.0, 9.7, 10.2, 9.9, 10.1)
STREAM = {"base": BASELINE, "A": (9.6, 9.9, 10.1), "B": (8.9, 9.0, 8.8)}


def test_c18_two_sigma_tells_luck_from_gain(tmp_path: Path) -> None:
    aim = mission(policy="two_sigma", repeats=3, min_gain=Gain(0.05), iterations=2)
    state, _, _ = drive(tmp_path, aim, STREAM, ["A", "B"])
    assert state.noise == pytest.approx(0.2, abs=0.02)
    assert outcomes(state)[1:] == [("discard", "within_noise"), ("keep", "improved")]
    assert [len(t.samples) for t in state.history] == [5, 3, 3]
    assert (state.baseline, state.best, state.anchor) == (10.0, 8.9, 8.9)


def test_c18_a_single_sample_cannot_tell(tmp_path: Path) -> None:
    state, _, _ = drive(tmp_path, mission(repeats=1, iterations=0), STREAM, [])
    [caution] = after_baseline(state, mission(repeats=1))
    least = float(caution.partition("gain below ")[2].split()[0])
    assert least > 10.0 - 9.6
    assert "--repeats 3" in caution
    assert "about 0.192" in caution


def test_c18_a_first_run_beyond_hope_is_the_last(tmp_path: Path) -> None:
    aim = mission(repeats=3, iterations=1)
    state, _, _ = drive(tmp_path, aim, {"base": BASELINE, "bad": (12.0, 9.0, 9.0)}, ["bad"])
    assert outcomes(state)[1] == ("discard", "regressed")
    assert len(state.history[1].samples) == 1


def test_c19_the_same_tree_on_the_same_parent_is_not_judged_twice(tmp_path: Path) -> None:
    aim = mission(iterations=6)
    table = {"base": 0.70, "lr=0.2": 0.71, "x": 0.8, "y": 0.8, "z": 0.8}
    state, world, maker = drive(tmp_path, aim, table, ["x", "lr=0.2", "y", "z", "x", "lr=0.2"])
    repeat = state.history[6]
    assert repeat.decision is not None
    assert (repeat.outcome, repeat.decision.reason, repeat.repeat_of) == ("discard", "duplicate", 2)
    assert repeat.decision.sentence == "repeat of 2"
    assert (repeat.decision.score, repeat.decision.flags) == (0.71, ("cached",))
    assert [job.trial for job in world.executor.jobs] == [0, 0, 0, 1, 2, 3, 4]
    told = maker.briefs[2].text
    assert "do not try these again" in told
    assert "+lr=0.2" in told
    assert "0.71 is worse than 0.7" in told


def test_c19_the_same_tree_on_another_parent_is_a_new_experiment(tmp_path: Path) -> None:
    aim = mission(iterations=4)
    state, world, _ = drive(tmp_path, aim, {"base": 2.0, "a": 3.0, "b": 1.0}, ["a", "b", "a", "a"])
    assert [r for _, r in outcomes(state)[1:]] == ["regressed", "improved", "regressed", "duplicate"]
    assert [t.repeat_of for t in state.history] == [None, None, None, None, 3]
    assert [job.trial for job in world.executor.jobs][3:] == [1, 2, 3]


def test_c19_what_failed_for_reasons_of_its_own_is_tried_again(tmp_path: Path) -> None:
    table = {"base": 2.0, "a": failure("environment", "The network is down.")}
    state, _, _ = drive(tmp_path, mission(iterations=2), table, ["a", "a"])
    assert [t.repeat_of for t in state.history] == [None, None, None]


def test_c12_the_same_error_five_times_in_a_row_ends_the_run(tmp_path: Path) -> None:
    missing = failure("unparseable", "There is no `score` in the output; found `accuracy` (0.8333).")
    table = {"base": 1.0, **{f"v{i}": missing for i in range(9)}}
    state, world, _ = drive(tmp_path, mission(iterations=9), table, [f"v{i}" for i in range(9)])
    assert outcomes(state)[1:] == [("error", "unparseable")] * 5
    reason, message = ended(state)
    assert reason == "evaluator_broken"
    assert "no `score` in the output; found `accuracy` (0.8333)" in message
    assert exit_code(state) == 3
    # The third in a row asks the incumbent whose fault it is.
    assert [job.trial for job in world.executor.jobs if job.side == "incumbent"] == [3]


def test_c12_errors_that_differ_do_not_add_up(tmp_path: Path) -> None:
    table = {"base": 1.0, **{f"v{i}": failure(message=f"error {i}") for i in range(8)}}
    state, world, _ = drive(tmp_path, mission(iterations=8), table, [f"v{i}" for i in range(8)])
    assert ended(state)[0] == "iterations"
    assert [job.trial for job in world.executor.jobs if job.side == "incumbent"] == [3, 6]


@pytest.mark.parametrize("broken", [failure("timeout", "It took more than 2 s."), FAILED])
def test_c12_an_incumbent_that_fails_too_ends_the_run(tmp_path: Path, broken: Measurement) -> None:
    aim = mission(iterations=8, policy="strict", baseline_runs=1)
    world = World(tmp_path, aim, {"base": 1.0, **{f"v{i}": failure(message=f"error {i}") for i in range(8)}})

    def break_the_base(state: State, record: Record) -> None:
        if record.body == Settled(0):
            world.executor.table = {**world.executor.table, "base": broken}

    world.observers = [break_the_base]
    state = world.open().run(ScriptedMaker([f"v{i}" for i in range(8)]))
    reason, message = ended(state)
    assert (reason, len(state.history)) == ("evaluator_broken", 4)
    assert message.startswith("The evaluator fails on the best version too: ")
    assert (broken.message or broken.notes) in message


def test_c12_a_baseline_that_may_fail_is_not_taken_for_a_broken_evaluator(tmp_path: Path) -> None:
    table = {"base": FAILED, **{f"v{i}": failure(message=f"error {i}") for i in range(4)}}
    aim = mission(iterations=4, allow_failing_baseline=True)
    state, _, _ = drive(tmp_path, aim, table, [f"v{i}" for i in range(4)])
    assert ended(state)[0] == "iterations"


def test_c15_a_baseline_that_cannot_be_measured_calls_no_maker(tmp_path: Path) -> None:
    words = "`sh -c pytst` exited with 127: sh: 1: pytst: not found"
    state, _, maker = drive(tmp_path, mission(), {"base": failure("environment", words)}, ["a"])
    assert ended(state) == ("evaluator_broken", words)
    assert maker.briefs == []
    assert exit_code(state) == 3


def test_c06_another_unit_is_an_error_and_no_fall(tmp_path: Path) -> None:
    table = {"base": score(91.0, unit="%"), "a": score(0.915), "b": score(95.0, unit="%")}
    state, _, _ = drive(tmp_path, mission(direction="higher", iterations=2), table, ["a", "b"])
    assert outcomes(state)[1:] == [("error", "unit_changed"), ("keep", "improved")]
    assert state.best == 95.0


def test_s37_an_evaluator_that_does_not_need_the_target_refuses_the_start(tmp_path: Path) -> None:
    blind = Measurement(score=1.0, notes="It imports the package from an editable install.")
    aim = mission(probe=True)
    state, world, maker = drive(tmp_path, aim, {"base": 1.0, "probe:": blind}, ["a"])
    assert ended(state)[0] == "evaluator_broken"
    assert "does not read the target: without it the score is still 1. It imports" in ended(state)[1]
    assert maker.briefs == []
    assert [job.role for job in world.executor.jobs] == ["score"] * 3 + ["probe"]


@pytest.mark.parametrize("seen", [failure(), FAILED, Measurement(), score(1.5)])
def test_s37_an_evaluator_that_misses_the_target_is_accepted(tmp_path: Path, seen: Measurement) -> None:
    table = {"base": 1.0, "probe:": seen}
    state, _, _ = drive(tmp_path, mission(probe=True, iterations=0), table, [])
    assert ended(state)[0] == "iterations"
    assert exit_code(state) == 0

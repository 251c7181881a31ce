"""The parts of the core that are a line or two: the mission's comparisons, seeds, the ladder, cautions."""

from __future__ import annotations

from built import BASE, baseline, mission, records, score, started, state_of, trial

from jumar.core.cautions import after_baseline
from jumar.core.ladder import level
from jumar.core.mission import Gain
from jumar.core.model import Decision, Measurement, Proposal, Trial
from jumar.core.seeds import seed
from jumar.core.state import State, fold
from jumar.core.views import Page


def test_both_directions_compare() -> None:
    lower, higher = mission(), mission(direction="higher")
    assert lower.better(1.0, 2.0)
    assert not lower.better(2.0, 2.0)
    assert higher.better(2.0, 1.0)
    assert lower.gain(1.0, 3.0) == 2.0
    assert higher.gain(1.0, 3.0) == -2.0
    assert lower.gain(-1.7e308, 1.7e308) < float("inf")
    assert lower.reaches(0.0, 0.0)
    assert not higher.reaches(0.9, 1.0)
    assert not lower.reaches(None, 1.0)
    assert not lower.reaches(1.0, None)


def test_a_gain_may_be_a_share() -> None:
    assert Gain(0.02, relative=True).against(-50.0) == 1.0
    assert Gain(0.02, relative=True).against(0.0) == 0.0
    assert Gain(0.02).against(-50.0) == 0.02


def test_seeds_are_the_same_on_every_resume_and_differ_otherwise() -> None:
    assert seed(0, 1, 0) == seed(0, 1, 0)
    found = {seed(run, number, sample) for run in range(5) for number in range(20) for sample in range(5)}
    assert len(found) == 500
    assert all(0 <= value < 2**31 for value in found)
    assert seed(1, 23, 4) != seed(12, 3, 4)


def test_the_ladder_counts_its_steps() -> None:
    assert [level(n, (3, 5)) for n in (0, 2, 3, 4, 5, 99)] == [0, 0, 1, 1, 2, 2]
    assert level(99, ()) == 0


def test_only_a_noisy_measure_is_cautioned_about() -> None:
    noisy = State(noise=0.2, unit="ms")
    assert "`policy: strict` keeps lucky runs" in after_baseline(noisy, mission(policy="strict"))[0]
    assert "0.2 ms" in after_baseline(noisy, mission())[0]
    assert after_baseline(noisy, mission(repeats=3)) == []
    assert after_baseline(noisy, mission(policy="pass")) == []
    assert after_baseline(State(noise=0.0), mission()) == []
    assert after_baseline(State(), mission()) == []


def test_a_description_is_one_line() -> None:
    said = Trial(1, "change", BASE, proposal=Proposal(summary="  two\nlines\tand a tab "))
    assert said.description == "two lines and a tab"
    assert Trial(1, "change", BASE, proposal=Proposal(hypothesis="h")).description == "h"
    assert Trial(1, "change", BASE).description == ""
    assert Trial(0, "baseline", BASE).description == "baseline"


def test_outcomes() -> None:
    assert Trial(1, "change", BASE).outcome is None
    assert Trial(0, "baseline", BASE, decision=Decision("KEEP")).outcome == "baseline"
    assert Trial(0, "baseline", BASE, decision=Decision("ERROR")).outcome == "error"
    for verdict, outcome in (
        ("KEEP", "keep"), ("DISCARD", "discard"), ("ERROR", "error"), ("NOOP", "noop")
    ):  # fmt: skip
        assert Trial(1, "change", BASE, decision=Decision(verdict)).outcome == outcome  # type: ignore[arg-type]


def test_runs_are_told_apart_by_role_and_side() -> None:
    aim = mission()
    state = state_of(aim, baseline(1.0), trial(1, score(2.0), Measurement()))
    assert [m.score for m in state.open[1].runs()] == [2.0, None]
    assert state.open[1].runs(role="guard") == []
    assert state.open[1].runs(side="incumbent") == []


def test_the_fold_of_nothing_is_the_first_state() -> None:
    assert fold([], mission()) == State()
    assert fold(records([started()]), mission()).head == BASE


def test_a_page_is_what_a_view_needs() -> None:
    page = Page(mission(), State())
    assert (page.integrity, page.notes, page.files) == ("L1", (), {})

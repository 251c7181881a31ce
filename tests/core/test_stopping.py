from __future__ import annotations

from typing import Any

import pytest
from built import BASE, baseline, mission, score, state_of, trial

from jumar.core.events import Decided, Ended, Proposed, Settled, StopAsked, TrialOpened
from jumar.core.model import Decision, Proposal
from jumar.core.stopping import STOPS, stop_reason

WORSE = Decision("DISCARD", "regressed", "Worse.", 2.0)
NOW = 2000.0


def told(number: int, proposal: Proposal, decision: Decision) -> list[Any]:
    return [
        TrialOpened(number, "change", BASE),
        Proposed(number, proposal),
        Decided(number, decision),
        Settled(number),
    ]


def test_nothing_stops_a_run_that_has_not_begun() -> None:
    assert stop_reason(state_of(mission(iterations=0)), mission(iterations=5), 1000.0) is None


@pytest.mark.parametrize(
    ("aim", "events", "reason", "words"),
    [
        ({}, [StopAsked()], "stopped", "asked for"),
        ({}, told(1, Proposal(status="abort"), Decision("DISCARD", "aborted", "Enough.")), "aborted", "Enough."),
        ({}, told(1, Proposal(status="exhausted"), Decision("NOOP", "empty_diff", "All tried.")), "exhausted", "All tried."),
        ({"optimum": 1.0}, [], "optimum", "1 cannot be beaten"),
        ({"target_score": 1.5}, [], "target", "The target 1.5 is reached."),
        ({"iterations": 0}, [], "iterations", "0 trials"),
        ({"iterations": 1}, trial(1, decision=WORSE), "iterations", "1 trial "),
        ({"time": 900.0}, [], "time", "15 min 00 s"),
        ({"stagnation": 2}, [*trial(1, decision=WORSE), *trial(2, decision=WORSE)], "stagnation", "2 trials in a row"),
    ],
)  # fmt: skip
def test_reasons(aim: dict[str, Any], events: list[Any], reason: str, words: str) -> None:
    wanted = mission(**({"iterations": None} | aim))
    end = stop_reason(state_of(wanted, baseline(1.0), events), wanted, NOW)
    assert end is not None
    assert end.reason == reason
    assert words in end.message
    assert (
        stop_reason(state_of(wanted, baseline(1.0), events), mission(iterations=None, stops=()), NOW) is None
    )


@pytest.mark.parametrize(
    "aim",
    [
        {"iterations": None},
        {"iterations": 2},
        {"time": 2000.0},
        {"stagnation": 2},
        {"target_score": 0.5},
        {"target_score": 1.5, "continue_after_target": True},
        {"target_score": 1.5, "target_repeats": 2},
        {"optimum": 0.0},
    ],
)
def test_no_reason_yet(aim: dict[str, Any]) -> None:
    wanted = mission(**aim)
    assert (
        stop_reason(state_of(wanted, baseline(1.0), trial(1, score(2.0), decision=WORSE)), wanted, NOW)
        is None
    )


def test_a_wish_of_a_person_comes_first() -> None:
    aim = mission(iterations=0, target_score=9.0)
    state = state_of(aim, baseline(1.0), [StopAsked()])
    assert stop_reason(state, aim, NOW) == Ended("stopped", "A stop was asked for.")


def test_every_stop_rule_of_the_style_exists() -> None:
    assert set(mission().style.stops) == set(STOPS)

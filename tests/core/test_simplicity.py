from __future__ import annotations

import pytest
from built import BASE, change, mission, score, state_of, trial

from jumar.core.events import AnyEvent, Decided, Measured, Settled, TrialOpened
from jumar.core.model import Decision, Measurement
from jumar.core.policy import decide
from jumar.core.state import State

AIM = mission(policy="simplicity", direction="higher")
IDS = "abcdefgh"


def checks(passing: str) -> dict[str, bool]:
    return {name: name in passing for name in IDS}


def of(passing: str) -> Measurement:
    return score(100 * len(passing) / len(IDS), checks=checks(passing))


def decided(before: str, after: str, net: int) -> Decision:
    """The incumbent passes `before`, the candidate `after` and adds so many lines."""
    events: list[AnyEvent] = [
        TrialOpened(0, "baseline", BASE), Measured(0, "score", "candidate", of(before)),
        Decided(0, Decision("KEEP", "baseline", "", of(before).score)), Settled(0),
    ]  # fmt: skip
    edit = change(1, added=max(net, 0) + 2, removed=max(-net, 0) + 2)
    state = state_of(AIM, events, trial(1, of(after), sealed=edit))
    return decide(state.open[1], state, AIM)


def case(before: str, after: str, net: int, verdict: str, reason: str, *rules: str) -> object:
    return pytest.param(before, after, net, verdict, reason, marks=pytest.mark.rule(*rules), id=rules[0])


@pytest.mark.parametrize(
    ("before", "after", "net", "verdict", "reason"),
    [
        case("abcde", "abcdef", 6, "DISCARD", "complexity", "000-053", "000-060"),
        case("abcdef", "abcdef", 3, "DISCARD", "tie", "000-054"),
        case("abcdef", "abcde", -40, "DISCARD", "regressed", "000-055"),
        case("abcdef", "abcdef", -2, "KEEP", "simplified", "000-056"),
        case("abcdef", "abcdegh", 5, "KEEP", "improved", "000-057"),
        case("abcdef", "abcdefgh", 120, "KEEP", "improved", "000-059"),
        case("abcdef", "abcdefg", 1, "DISCARD", "complexity", "000-060"),
        case("abcdef", "abcdefg", 0, "KEEP", "improved", "000-061"),
        case("abcdef", "abcdefg", -1, "KEEP", "improved", "000-061"),
        case("abcdef", "abcdef", -5, "KEEP", "simplified", "000-062"),
        case("abcdef", "abcdef", 0, "DISCARD", "tie", "000-063"),
        case("abcdef", "abcdeg", -1, "KEEP", "simplified", "000-064"),
    ],
)
def test_the_gate_row_by_row(before: str, after: str, net: int, verdict: str, reason: str) -> None:
    decision = decided(before, after, net)
    assert (decision.verdict, decision.reason) == (verdict, reason)
    assert decision.score == of(after).score


@pytest.mark.rule("000-057", "000-058")
def test_the_decision_shows_its_numbers() -> None:
    decision = decided("abcdef", "abcdegh", 6)
    assert (decision.numbers["checks_gained"], decision.numbers["net_lines"], decision.numbers["gain"]) == (
        2,
        6,
        12.5,
    )
    assert decision.sentence == "87.5 is better than 75 by 16.67 %; 2 checks gained, 6 lines more."
    assert "1 line fewer" in decided("abcdef", "abcdef", -1).sentence


def test_a_better_score_without_a_gained_check_is_not_worth_a_line() -> None:
    events: list[AnyEvent] = [
        TrialOpened(0, "baseline", BASE), Measured(0, "score", "candidate", score(50.0, checks={"a": False})),
        Decided(0, Decision("KEEP", "baseline", "", 50.0)), Settled(0),
    ]  # fmt: skip
    found = []
    for given in ({"a": False}, {"a": False, "new": True}, {}):
        state = state_of(AIM, events, trial(1, score(60.0, checks=given)))
        found.append(decide(state.open[1], state, AIM).verdict)
    assert found == ["DISCARD", "DISCARD", "KEEP"]


@pytest.mark.rule("000-065")
def test_it_is_asked_after_the_measurement_and_needs_an_anchor() -> None:
    state: State = state_of(
        AIM,
        [TrialOpened(0, "baseline", BASE), Decided(0, Decision("KEEP", "baseline")), Settled(0)],
        trial(1),
    )
    assert decide(state.open[1], state, AIM).verdict == "MEASURE"
    state = state_of(
        AIM,
        [TrialOpened(0, "baseline", BASE), Decided(0, Decision("KEEP", "baseline")), Settled(0)],
        trial(1, score(1.0)),
    )
    assert decide(state.open[1], state, AIM).reason == "bootstrap"


@pytest.mark.rule("000-047", "000-048")
def test_the_checks_of_the_median_run_stand_for_the_incumbent() -> None:
    runs = [score(value, checks={"a": value > 70}) for value in (62.5, 87.5, 75.0)]
    events: list[AnyEvent] = [
        TrialOpened(0, "baseline", BASE),
        *(Measured(0, "score", "candidate", run) for run in runs),
    ]
    aim = mission(policy="simplicity", direction="higher", noisy_baseline_runs=3)
    decision = decide(state_of(aim, events).open[0], state_of(aim, events), aim)
    assert decision.score == 75.0
    assert state_of(aim, events, [Decided(0, decision)]).checks == {"a": True}


@pytest.mark.rule("000-046")
def test_the_baseline_is_measured_as_often_as_the_style_says() -> None:
    aim = mission(policy="simplicity", direction="higher", noisy_baseline_runs=3)
    events: list[AnyEvent] = [TrialOpened(0, "baseline", BASE)]
    asked = 0
    while decide((state := state_of(aim, events)).open[0], state, aim).verdict == "MEASURE":
        events.append(Measured(0, "score", "candidate", score(50.0)))
        asked += 1
    assert asked == 3

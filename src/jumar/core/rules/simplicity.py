"""The simplicity gate: what a better score may cost in lines, counted by the checks that it gains (document 000)."""

from __future__ import annotations

from collections.abc import Mapping

from jumar.core.mission import Mission
from jumar.core.model import Change, Decision, Reason, Trial, Verdict
from jumar.core.rules.deciding import more_runs, said, unanchored
from jumar.core.state import State, scores, standing_checks
from jumar.core.stats import middle
from jumar.core.words import count


def simplicity(trial: Trial, state: State, mission: Mission) -> Decision | None:
    """A better score has to earn its lines: two checks gained may add any number, one may add none.

    Fewer lines are kept wherever the score is not lower. A check is gained where it holds and did not hold for the incumbent;
    where the evaluation has no checks, a better score counts as one.
    """
    return more_runs(trial, mission.repeats) or unanchored(trial, state) or weigh(trial, state, mission)


def weigh(trial: Trial, state: State, mission: Mission) -> Decision:
    """The rows of the gate."""
    score = middle(scores(trial))
    anchor = state.anchor
    assert anchor is not None
    gain = mission.gain(score, anchor)
    checks = standing_checks(trial)
    gained = len(gained_checks(checks, state.checks)) if checks else int(gain > 0)
    net = net_lines(trial.change)
    verdict, reason = row(gain, gained, net)
    numbers = {"gain": gain, "checks_gained": float(gained), "net_lines": float(net)}
    what = f"{count(gained, 'check')} gained, {count(abs(net), 'line')} {'fewer' if net < 0 else 'more'}"
    return Decision(verdict, reason, f"{said(score, anchor, gain, state.unit)}; {what}.", score, numbers)


def row(gain: float, gained: int, net: int) -> tuple[Verdict, Reason]:
    """The verdict of the gate: `gain` in score, `gained` checks, `net` lines added."""
    if gain < 0:
        return "DISCARD", "regressed"
    if net < 0:
        return "KEEP", "improved" if gain > 0 else "simplified"
    if gain == 0:
        return "DISCARD", "tie"
    if gained >= 2 or (gained == 1 and net == 0):
        return "KEEP", "improved"
    return "DISCARD", "complexity"


def gained_checks(checks: Mapping[str, bool], incumbent: Mapping[str, bool]) -> list[str]:
    """The checks that hold and did not hold before; one that was not asked before is none of them."""
    return [name for name, holds in checks.items() if holds and incumbent.get(name) is False]


def net_lines(change: Change | None) -> int:
    """Lines added less lines removed."""
    return change.added - change.removed if change else 0

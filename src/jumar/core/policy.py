"""Deciding a trial: the style's ordered rules, then the gates that a would-be keep has to pass."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from jumar.core.mission import Mission
from jumar.core.model import Decision, Trial
from jumar.core.rules import RULES
from jumar.core.rules.baseline import accepted
from jumar.core.state import State


def decide(trial: Trial, state: State, mission: Mission) -> Decision:
    """The decision on a trial as far as it is measured: final, MEASURE or RETRY. Pure."""
    style = mission.style
    if trial.kind == "baseline":
        return first(style.baseline, trial, state, mission) or accepted(trial, state, mission)
    rules = (mission.policy if name == "policy" else name for name in style.rules)
    decision = first(rules, trial, state, mission)
    assert decision is not None, "the last rule of a style always answers"
    if decision.verdict == "KEEP":
        decision = first(style.gates, trial, state, mission) or decision
    return marked(decision, trial)


def marked(decision: Decision, trial: Trial) -> Decision:
    """The decision with the flag of a trial whose edit was mended."""
    if not trial.reworks or decision.verdict in ("MEASURE", "RETRY"):
        return decision
    return msgspec.structs.replace(decision, flags=(*decision.flags, "rework"))


def first(names: Iterable[str], trial: Trial, state: State, mission: Mission) -> Decision | None:
    """The answer of the first of these rules that has one."""
    answers = (RULES[name](trial, state, mission) for name in names)
    return next((answer for answer in answers if answer), None)

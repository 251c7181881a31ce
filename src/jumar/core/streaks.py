"""Counting what happens in a row."""

from __future__ import annotations

from jumar.core.mission import Mission
from jumar.core.model import Decision, Streaks, Trial

EVALUATION_ERRORS = frozenset(
    {
        "syntax",
        "crash",
        "timeout",
        "oom",
        "no_output",
        "unparseable",
        "non_finite",
        "unit_changed",
        "environment",
    }
)
REFUSALS = frozenset({"out_of_scope", "protected", "tampered", "moved_head"})


def counted(streaks: Streaks, trial: Trial, mission: Mission, *, improved: bool = False) -> Streaks:
    """The streaks after one more finished trial; `improved` says that it is the new best."""
    decision = trial.decision
    if decision is None or trial.kind == "baseline":
        return streaks
    idle = decision.verdict == "NOOP" or decision.reason == "maker_failed"
    broken = decision.verdict == "ERROR" and decision.reason in EVALUATION_ERRORS
    same = broken and decision.sentence == streaks.error
    return Streaks(
        without_gain=_without_gain(streaks, decision),
        on_target=_on_target(streaks, decision, mission),
        idle=streaks.idle + 1 if idle else 0,
        broken=streaks.broken + 1 if broken else 0,
        same_error=streaks.same_error + 1 if same else int(broken),
        error=decision.sentence if broken else "",
        reverts=_reverts(streaks, decision),
        strikes=0 if improved else streaks.strikes + (not idle),
    )


def _without_gain(streaks: Streaks, decision: Decision) -> int:
    if decision.verdict == "KEEP":
        return 0
    return streaks.without_gain + (decision.verdict != "NOOP" and decision.reason != "tie")


def _reverts(streaks: Streaks, decision: Decision) -> int:
    """A crash leaves them alone, and so does a trial without a change."""
    if decision.verdict == "KEEP":
        return 0
    return streaks.reverts + (decision.verdict == "DISCARD" or decision.reason in REFUSALS)


def _on_target(streaks: Streaks, decision: Decision, mission: Mission) -> int:
    """A crash or a repeat neither counts nor resets; a measured score below the target resets."""
    if decision.score is None or decision.reason == "duplicate":
        return streaks.on_target
    return streaks.on_target + 1 if mission.reaches(decision.score, mission.target_score) else 0

"""What decides a trial before its score is compared with anything."""

from __future__ import annotations

from jumar.core.mission import Mission
from jumar.core.model import Decision, Measurement, Trial, Verdict
from jumar.core.scoring import check_unit
from jumar.core.state import State
from jumar.core.words import count

BROKEN_CHECK = 3


def refused(trial: Trial, state: State, mission: Mission) -> Decision | None:
    """The edit was put back before it was measured. One that touched only ignored files is none."""
    refusal = trial.refusal
    if refusal is None:
        return None
    verdict: Verdict = "NOOP" if refusal.reason == "empty_diff" else "ERROR"
    return Decision(verdict, refusal.reason, refusal.message, flags=refusal.flags)


def unmended(trial: Trial, state: State, mission: Mission) -> Decision | None:
    """The maker was asked to mend an edit that a guard refused, and left it as it was, or could not."""
    if not trial.reworks or trial.refusal:
        return None
    last, proposal = trial.reworks[-1], trial.proposal
    if proposal and proposal.status in ("abort", "exhausted"):
        return None
    if trial.change and trial.change.tree != last.tree:
        return None
    return Decision(
        "DISCARD", "guard", f"{last.message} Its maker was asked to mend it, and did not.", score=last.score
    )


def maker_failed(trial: Trial, state: State, mission: Mission) -> Decision | None:
    """The maker could not do its part, gave up, or has nothing left."""
    proposal = trial.proposal
    match proposal.status if proposal else None:
        case "failed":
            return Decision("ERROR", "maker_failed", f"The maker failed: {_words(trial)}")
        case "abort":
            return Decision("DISCARD", "aborted", f"The maker asked to end the run: {_words(trial)}")
        case "exhausted":
            return Decision("NOOP", "empty_diff", f"The maker has nothing left to try: {_words(trial)}")
        case "noop":
            return Decision("NOOP", "empty_diff", f"The maker says that it changed nothing: {_words(trial)}")
    return None


def _words(trial: Trial) -> str:
    """What the maker itself said, and never just how it exited."""
    proposal = trial.proposal
    said = proposal and (proposal.words or proposal.notes or proposal.summary or proposal.hypothesis)
    return said or "it said nothing."


def empty(trial: Trial, state: State, mission: Mission) -> Decision | None:
    """Nothing in the tree differs from the parent."""
    if trial.kind == "baseline" or trial.change is not None:
        return None
    said = trial.proposal.words if trial.proposal else ""
    return Decision("NOOP", "empty_diff", f"The maker changed nothing.{f' It said: {said}' if said else ''}")


def duplicate(trial: Trial, state: State, mission: Mission) -> Decision | None:
    """The same tree was judged before on the same parent: its result stands, and costs nothing."""
    change = trial.change
    if trial.repeat_of is None or change is None:
        return None
    earlier = state.history.judged(change.parent, change.tree)
    score = earlier.decision.score if earlier and earlier.decision else None
    return Decision("DISCARD", "duplicate", f"repeat of {trial.repeat_of}", score=score, flags=("cached",))


def max_change(trial: Trial, state: State, mission: Mission) -> Decision | None:
    """The change is not larger than `max_change`; a line that is replaced counts once."""
    change, most = trial.change, mission.max_change
    if change is None or most is None:
        return None
    lines = state.text.lines if state.text else 0
    changed, allowed = max(change.added, change.removed), int(most.against(lines))
    if changed <= allowed:
        return None
    of = f" ({100 * most.value:g} % of {count(lines, 'line')})" if most.relative else ""
    sentence = f"It changes {count(changed, 'line')}, and `max_change` allows {allowed}{of}."
    return Decision("DISCARD", "complexity", sentence, numbers={"changed": changed, "allowed": allowed})


def evaluation_error(trial: Trial, state: State, mission: Mission) -> Decision | None:
    """The evaluation gave no score. After several in a row the incumbent is measured, to tell whose fault it is."""
    failure = next((m for m in trial.runs() if m.error), None)
    if failure is None or failure.error is None:
        return None
    suspicious = trial.kind != "baseline" and (state.streaks.broken + 1) % BROKEN_CHECK == 0
    if suspicious and not trial.runs(side="incumbent"):
        return Decision("MEASURE", side="incumbent")
    return Decision("ERROR", failure.error, failure.message)


def unit_changed(trial: Trial, state: State, mission: Mission) -> Decision | None:
    """The number's unit is not the one that the baseline had."""
    if not state.unit_known:
        return None
    wrong = next((m for m in _with_score(trial) if check_unit(state.unit, m).error), None)
    return Decision("ERROR", "unit_changed", check_unit(state.unit, wrong).message) if wrong else None


def _with_score(trial: Trial) -> list[Measurement]:
    return [m for m in trial.runs() if m.score is not None]


def evaluator_fail(trial: Trial, state: State, mission: Mission) -> Decision | None:
    """The evaluator says no, whatever the score."""
    failed = next((m for m in trial.runs() if not m.passed), None)
    if failed is None or (trial.kind == "baseline" and mission.allow_failing_baseline):
        return None
    sentence = "The evaluator did not pass it" + (f": {failed.notes}" if failed.notes else ".")
    if trial.kind == "baseline":
        return Decision("ERROR", "evaluator_fail", sentence)
    return Decision("DISCARD", "evaluator_fail", sentence, score=failed.score)

"""The state machine: what has to happen next. Pure; the shell does it and logs what came of it."""

from __future__ import annotations

import msgspec

from jumar.core.brief import compose
from jumar.core.events import Reworked, TrialOpened
from jumar.core.ladder import level
from jumar.core.mission import Mission
from jumar.core.model import Brief, Decision, Job, Trial
from jumar.core.policy import decide
from jumar.core.rules.gates import guard_words
from jumar.core.seeds import seed
from jumar.core.state import State


class Hypothesize(msgspec.Struct, frozen=True):
    """A trial waits for its maker."""

    trial: Trial
    brief: Brief


class Experiment(msgspec.Struct, frozen=True):
    """A maker's edit waits to be sealed."""

    trial: Trial


class Evaluate(msgspec.Struct, frozen=True):
    """An evaluation has to be run."""

    job: Job


class SendBack(msgspec.Struct, frozen=True):
    """A maker is to mend its edit."""

    event: Reworked


class Decide(msgspec.Struct, frozen=True):
    """A trial is decided."""

    trial: Trial
    decision: Decision


class Settle(msgspec.Struct, frozen=True):
    """The branch and the trees have to follow a decision."""

    trial: Trial


Action = Hypothesize | Experiment | Evaluate | SendBack | Decide | Settle


def next_action(state: State, mission: Mission) -> Action | None:
    """The next step of the oldest open trial; None when no trial is open."""
    for trial in state.open.values():
        return step(trial, state, mission)
    return None


def step(trial: Trial, state: State, mission: Mission) -> Action:
    """The next step of one open trial."""
    if trial.decision is not None:
        return Settle(trial)
    if trial.kind == "change" and trial.proposal is None:
        return Hypothesize(trial, compose(trial, state, mission))
    if trial.proposal and trial.proposal.status == "candidate" and not trial.sealed:
        return Experiment(trial)
    decision = decide(trial, state, mission)
    if decision.verdict == "MEASURE":
        return Evaluate(job(trial, decision, state, mission))
    if decision.verdict == "RETRY":
        return SendBack(Reworked(trial.number, decision.sentence, guard_words(trial), decision.score))
    return Decide(trial, decision)


def job(trial: Trial, wanted: Decision, state: State, mission: Mission) -> Job:
    """The evaluation that a MEASURE asks for."""
    sample = len(trial.runs(wanted.role, wanted.side))
    own = trial.change.commit if trial.change else trial.parent
    return Job(
        trial=trial.number,
        lane=trial.lane,
        role=wanted.role,
        side=wanted.side,
        commit=own if wanted.side == "candidate" else state.head,
        sample=sample,
        seed=seed(mission.seed, trial.number, sample),
        command=wanted.command,
        rework=len(trial.reworks),
    )


def next_trial(state: State, mission: Mission) -> TrialOpened:
    """The next trial to open: the baseline first, then changes on top of the best."""
    if state.next_number == 0:
        return TrialOpened(0, "baseline", state.base)
    style, streaks = mission.style, state.streaks
    steps = level(getattr(streaks, style.ladder_counts), style.ladder, streaks.same_error)
    return TrialOpened(state.next_number, "change", state.head, level=steps)

"""The state of a run: the fold of its journal. `evolve` is the only way it changes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, assert_never

import msgspec

from jumar.core.events import (
    AnyEvent,
    Decided,
    Ended,
    Measured,
    Proposed,
    Record,
    Resumed,
    Reworked,
    Sealed,
    Settled,
    Started,
    Steered,
    StopAsked,
    TrialOpened,
)
from jumar.core.history import History
from jumar.core.ladder import entered
from jumar.core.mission import Mission, Style
from jumar.core.model import Decision, Measurement, Rework, Sample, Streaks, TextFacts, Trial
from jumar.core.stats import finite, middle
from jumar.core.streaks import counted

replace = msgspec.structs.replace


class State(msgspec.Struct, frozen=True):
    """Everything that decisions may depend on.

    `head` is the commit of the last kept candidate and `anchor` its score; `best` is the best score of any kept candidate, which
    is the same under every policy that compares scores. `incumbent` holds the scores measured on its content, `checks` those that held or not, `noise` the sample standard deviation of
    the baseline's runs in the metric's unit (None while it is not known). `spent` is the seconds used by earlier
    processes, `since` when the present one began. `base_text` and `text` are facts of the base's and the incumbent's text, where they are needed.
    """

    run: str = ""
    base: str = ""
    branch: str = ""
    head: str = ""
    records: int = 0
    history: History = History()
    open: dict[int, Trial] = {}
    next_number: int = 0
    used: int = 0
    evaluations: int = 0
    baseline: float | None = None
    anchor: float | None = None
    anchored: bool = False
    best: float | None = None
    best_trial: int | None = None
    previous: float | None = None
    unit: str | None = None
    unit_known: bool = False
    incumbent: tuple[float, ...] = ()
    checks: dict[str, bool] = {}
    noise: float | None = None
    incumbent_failure: Measurement | None = None
    base_text: TextFacts | None = None
    text: TextFacts | None = None
    outcomes: dict[str, int] = {}
    streaks: Streaks = Streaks()
    started: float = 0.0
    spent: float = 0.0
    since: float = 0.0
    last: float = 0.0
    hint: str = ""
    stop_asked: bool = False
    ended: Ended | None = None

    @property
    def last_trial(self) -> Trial | None:
        """The newest finished trial."""
        return self.history[-1] if len(self.history) else None

    def elapsed(self, now: float) -> float:
        """Seconds of the run's time budget that are used: the time between a crash and its resumption is not."""
        return self.spent + now - self.since


def fold(records: Iterable[Record], mission: Mission) -> State:
    """The state after these records."""
    state = State()
    for record in records:
        state = evolve(state, record, mission)
    return state


def evolve(state: State, record: Record, mission: Mission) -> State:
    """The state after one more record."""
    event, at = record.body, record.at
    state = apply(state, event, at, mission)
    return replace(state, records=record.seq + 1, last=at)


def apply(state: State, event: AnyEvent, at: float, mission: Mission) -> State:  # noqa: C901 one case an event
    """What one event changes."""
    match event:
        case Started():
            return replace(
                state,
                run=event.run,
                base=event.base,
                head=event.base,
                branch=event.branch,
                started=at,
                since=at,
                base_text=event.text,
                text=event.text,
            )
        case Resumed():
            spent = state.spent + max(0.0, state.last - state.since)
            return replace(state, spent=spent, since=at, ended=None, stop_asked=False)
        case TrialOpened():
            trial = Trial(event.trial, event.kind, event.parent, event.lane, event.level, opened=at)
            return replace(state, open={**state.open, event.trial: trial}, next_number=event.trial + 1)
        case Proposed():
            return with_trial(state, replace(state.open[event.trial], proposal=event.proposal))
        case Sealed():
            return with_trial(state, sealed(state, event))
        case Measured():
            return measured(state, event, mission)
        case Reworked():
            return with_trial(state, sent_back(state.open[event.trial], event))
        case Decided():
            return decided(state, event.trial, event.decision, at, mission)
        case Settled():
            return settled(state, event.trial, mission)
        case Steered(hint):
            return replace(state, hint=hint)
        case StopAsked():
            return replace(state, stop_asked=True)
        case Ended():
            return replace(state, ended=event)
    assert_never(event)


def with_trial(state: State, trial: Trial) -> State:
    """The state with one open trial replaced."""
    return replace(state, open={**state.open, trial.number: trial})


def sealed(state: State, event: Sealed) -> Trial:
    """The trial with its commit or refusal, and the earlier trial that it repeats."""
    trial = state.open[event.trial]
    repeat = state.history.judged(event.change.parent, event.change.tree) if event.change else None
    return replace(
        trial,
        sealed=True,
        change=event.change,
        refusal=event.refusal,
        repeat_of=repeat.number if repeat else None,
    )


def sent_back(trial: Trial, event: Reworked) -> Trial:
    """The trial as its maker gets it again: unproposed and unmeasured, and with what was wrong."""
    change = trial.change
    assert change is not None
    runs = len(trial.runs()) + len(trial.runs(side="incumbent"))
    rework = Rework(change.commit, change.tree, event.message, event.words, event.score, runs)
    return replace(
        trial,
        proposal=None,
        sealed=False,
        change=None,
        repeat_of=None,
        samples=(),
        reworks=(*trial.reworks, rework),
    )


def measured(state: State, event: Measured, mission: Mission) -> State:
    """One more sample; a unit becomes known with the first score."""
    trial, measurement = state.open[event.trial], event.measurement
    sample = Sample(event.role, event.side, measurement)
    state = with_trial(state, replace(trial, samples=(*trial.samples, sample)))
    if event.role == "score" and event.side == "incumbent":
        state = replace(state, incumbent_failure=incumbent_failure(state, measurement, mission))
    if event.role == "score" and measurement.score is not None and not state.unit_known:
        state = replace(state, unit=measurement.unit, unit_known=True)
    return replace(state, evaluations=state.evaluations + (event.role == "score"))


def incumbent_failure(state: State, measurement: Measurement, mission: Mission) -> Measurement | None:
    """The measurement of the incumbent where it should have passed and did not; a baseline may be allowed to fail."""
    excused = mission.allow_failing_baseline and state.head == state.base
    wrong = measurement.error is not None or (not measurement.passed and not excused)
    return measurement if wrong else None


def decided(state: State, number: int, decision: Decision, at: float, mission: Mission) -> State:
    """The trial has its verdict, and a keep is the new best."""
    trial = state.open[number]
    score = decision.score
    kept = decision.verdict == "KEEP"
    if kept and trial.change:
        state = replace(state, head=trial.change.commit, text=trial.change.text)
    if kept:
        state = replace(
            state,
            anchor=score,
            anchored=trial.kind != "baseline" or score is not None,
            incumbent=scores(trial),
            checks=standing_checks(trial),
        )
        state = with_best(state, number, score, mission)
    if trial.kind == "baseline":
        state = replace(state, baseline=score, noise=decision.numbers.get("noise"))
    trial = replace(
        trial,
        decision=decision,
        closed=at,
        best=state.best,
        delta_baseline=difference(score, state.baseline),
        delta_previous=difference(score, state.previous),
    )
    return replace(with_trial(state, trial), previous=state.previous if score is None else score)


def with_best(state: State, number: int, score: float | None, mission: Mission) -> State:
    """The state with this kept score as the best, if it is."""
    if score is None or (state.best is not None and not mission.better(score, state.best)):
        return state
    return replace(state, best=score, best_trial=number)


def settled(state: State, number: int, mission: Mission) -> State:
    """The trial is history, and everything that counts trials counts it."""
    trial = replace(state.open[number], settled=True)
    remaining = {key: value for key, value in state.open.items() if key != number}
    outcome = trial.outcome or "error"
    streaks = counted(state.streaks, trial, mission, improved=state.best_trial == number)
    trial = replace(trial, **ladder_words(state.streaks, streaks, mission.style))
    return replace(
        state,
        open=remaining,
        history=state.history.added(trial),
        used=state.used + (trial.kind != "baseline"),
        outcomes={**state.outcomes, outcome: state.outcomes.get(outcome, 0) + 1},
        streaks=streaks,
    )


def ladder_words(before: Streaks, after: Streaks, style: Style) -> dict[str, Any]:
    """What a finished trial tells of the ladder: the counters after it, its strikes where those count, the level it leads to."""
    what = style.ladder_counts
    risen = entered(getattr(before, what), getattr(after, what), style.ladder, after.same_error)
    return {"counters": after, "strikes": after.strikes if what == "strikes" else None, "escalation": risen}


def scores(trial: Trial) -> tuple[float, ...]:
    """The candidate's scores in a trial, in order."""
    return tuple(m.score for m in trial.runs() if m.score is not None)


def standing_checks(trial: Trial) -> dict[str, bool]:
    """The checks that stand for the candidate: those of the run whose score is nearest to the median, the first of several."""
    runs = [run for run in trial.runs() if run.score is not None]
    if not runs:
        return {}
    score = middle(scores(trial))
    return min(runs, key=lambda run: abs((run.score or 0.0) - score)).checks


def difference(score: float | None, reference: float | None) -> float | None:
    """score − reference, where both exist."""
    return None if score is None or reference is None else finite(score - reference)

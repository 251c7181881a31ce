"""What earlier trials taught about each constant, folded from the history one trial at a time."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

import msgspec

from jumar.core.model import Brief, Trial
from jumar.makers.tune.literals import Value

# A measurement that the machine spoiled says nothing of the value that was tried.
SPOILED = {"environment", "interrupted", "aborted", "maker_failed", "hook_blocked"}


class Edit(msgspec.Struct, frozen=True):
    """What a proposal of this maker remembers of itself in `Proposal.data`, under `tune`.

    `base` and `point` identify the content of the targets before and after; `old` and `new` are values by the constants' keys.
    """

    base: str
    point: str
    old: dict[str, Value]
    new: dict[str, Value]


class Try(msgspec.Struct, frozen=True):
    """One value of one constant.

    `gain` is how much better than the first incumbent it makes the score through this constant alone, in the
    score's unit, larger is better; None for an error.
    """

    value: Value
    gain: float | None


class Lesson:
    """All that is known of one constant."""

    def __init__(self) -> None:
        self.tries: list[Try] = []
        self.count = 0
        self.wins = 0
        self.losses = 0  # since the last win
        self.ties = 0
        self.own = 0.0  # gain of the incumbent through this constant's own keeps

    def learn(self, edit: Edit, key: str, gain: float | None, kept: bool, told: bool) -> None:
        """One trial that moved this constant: its gain over its parent, or None for an error or no score."""
        self.count += 1
        if not self.tries:
            self.tries.append(Try(edit.old[key], self.own))
        if told or gain is not None:
            self.tries.append(Try(edit.new[key], None if gain is None else self.own + gain))
        self.ties += gain == 0
        self.losses = 0 if kept else self.losses + 1
        self.wins += kept
        if kept and gain is not None:
            self.own += gain


class Memory:
    """A run's history as this maker reads it. Other makers' trials count for the incumbent's score only."""

    def __init__(self, brief: Brief) -> None:
        self.sign = 1.0 if brief.direction == "higher" else -1.0
        self.score: float | None = None
        self.lessons: defaultdict[str, Lesson] = defaultdict(Lesson)
        self.seen: set[str] = set()
        self.trials: list[Trial] = []

    def extend(self, history: Sequence[Trial]) -> None:
        """Fold the trials that are new."""
        for trial in history[len(self.trials) :]:
            self.trials.append(trial)
            self.fold(trial)

    def fold(self, trial: Trial) -> None:
        """Learn from one finished trial."""
        outcome, score = trial.outcome, trial.decision.score if trial.decision else None
        if edit := edit_of(trial):
            self.seen |= {edit.base, edit.point}
            reason = trial.decision.reason if trial.decision else None
            gain = (
                None
                if outcome == "error" or score is None or self.score is None
                else self.sign * (score - self.score)
            )
            if reason not in SPOILED:
                for key in edit.new:
                    self.lessons[key].learn(edit, key, gain, outcome == "keep", outcome == "error")
        if outcome in ("baseline", "keep") and score is not None:
            self.score = score


def edit_of(trial: Trial) -> Edit | None:
    """The edit of a trial of this maker."""
    if trial.proposal is None or "tune" not in trial.proposal.data:
        return None
    return msgspec.convert(trial.proposal.data["tune"], Edit)


class Shelf:
    """The memory of the last run asked about: a cache, so that a long history is not read anew each trial."""

    def __init__(self) -> None:
        self.run = ""
        self.memory: Memory | None = None

    def of(self, brief: Brief) -> Memory:
        """The memory of a brief's history: what is remembered where it is a beginning of it, else a new one."""
        memory = self.memory
        if memory is None or self.run != brief.run or not begins(memory, brief):
            memory = Memory(brief)
        self.run, self.memory = brief.run, memory
        memory.extend(brief.history)
        return memory


def begins(memory: Memory, brief: Brief) -> bool:
    """Whether a memory's trials are the first of this history; identical objects compare at once."""
    known = len(memory.trials)
    same_direction = memory.sign == (1.0 if brief.direction == "higher" else -1.0)
    return same_direction and known <= len(brief.history) and memory.trials == list(brief.history[:known])

"""The nouns of a run. Frozen values; nothing here does anything."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import msgspec

Direction = Literal["lower", "higher"]
Kind = Literal["baseline", "change", "merge"]
Outcome = Literal["baseline", "keep", "discard", "error", "noop"]
Reason = Literal[
    "baseline",
    "improved", "simplified", "bootstrap", "secondary", "merged",
    "regressed", "within_noise", "tie", "complexity", "guard", "constraint",
    "evaluator_fail", "duplicate", "merge_conflict", "merge_no_gain",
    "syntax", "crash", "timeout", "oom", "no_output", "unparseable", "non_finite", "unit_changed", "environment",
    "out_of_scope", "protected", "tampered", "moved_head",
    "maker_failed", "hook_blocked", "empty_diff", "aborted", "interrupted", "no_anchor",
]  # fmt: skip
Flag = Literal[
    "contested", "rework", "retry", "merge", "seed_only", "cached", "drift", "injection", "repair",
    "autoload", "moved_head",
]  # fmt: skip
EndReason = Literal[
    "target", "iterations", "time", "stagnation", "tokens", "cost", "evaluator_broken", "maker_broken",
    "stopped", "interrupted", "exhausted", "optimum", "aborted", "pressure",
]  # fmt: skip
Verdict = Literal["KEEP", "DISCARD", "ERROR", "NOOP", "MEASURE", "RETRY"]
Role = Literal["score", "guard", "probe"]
Side = Literal["candidate", "incumbent"]


EXCERPT = 800


class Usage(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a process or a model consumed.

    seconds is wall time, cpu user + system time, memory the peak of the tree in bytes; tokens and cost
    (USD) are null where they are not known, which is not the same as none.
    """

    seconds: float = 0.0
    cpu: float = 0.0
    memory: int = 0
    tokens: int | None = None
    cost: float | None = None


class Proposal(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a maker says of the edit it left in the tree.

    `failed` is why the maker could not do its part, in its own words; `exhausted` says that it has
    nothing left to try. `data` belongs to the maker, comes back to it in `Brief.history`, and is read by no one else.
    """

    hypothesis: str = ""
    summary: str = ""
    expected: str = ""
    self_score: float | None = None
    edit_type: str | None = None
    targets: tuple[str, ...] = ()
    confidence: str | None = None
    diagnosis: str | None = None
    notes: str | None = None
    status: Literal["candidate", "noop", "abort", "failed", "exhausted"] = "candidate"
    words: str = ""  # the last lines of the maker's output, scrubbed: shown when something is wrong
    data: dict[str, Any] = {}
    usage: Usage = Usage()


class TextFacts(msgspec.Struct, frozen=True, omit_defaults=True):
    """The text of all targets at one commit: bytes, words, lines, and which letters that were looked for are in it."""

    size: int
    words: int
    lines: int
    holds: tuple[str, ...] = ()


class Change(msgspec.Struct, frozen=True, omit_defaults=True):
    """A sealed edit: a commit that is on no branch yet. Lines are those of its patch against `parent`.

    `excerpt` is the beginning of that patch, scrubbed, for briefs: EXCERPT characters at most. `text` is there where
    something asks for it.
    """

    commit: str
    tree: str
    parent: str
    files: tuple[str, ...] = ()
    added: int = 0
    removed: int = 0
    excerpt: str = ""
    flags: tuple[Flag, ...] = ()
    warnings: tuple[str, ...] = ()
    text: TextFacts | None = None


class Refusal(msgspec.Struct, frozen=True, omit_defaults=True):
    """An edit that was put back unmeasured: why, and which paths."""

    reason: Reason
    message: str
    paths: tuple[str, ...] = ()
    flags: tuple[Flag, ...] = ()
    warnings: tuple[str, ...] = ()


class Measurement(msgspec.Struct, frozen=True, omit_defaults=True):
    """One evaluation. Without `error` it is a score, a pass, or both; with one it is neither.

    score is finite, in the evaluator's own unit, or None where it gave none. `error` is the reason code and
    `message` the sentence. `matched` is the text that the score was read from.
    """

    score: float | None = None
    passed: bool = True
    unit: str | None = None
    metrics: dict[str, float] = {}
    checks: dict[str, bool] = {}
    notes: str = ""
    matched: str = ""
    error: Reason | None = None
    message: str = ""
    exit_code: int | None = None
    words: str = ""  # the last lines it printed, scrubbed: kept only where something is wrong
    warnings: tuple[str, ...] = ()
    usage: Usage = Usage()


class Job(msgspec.Struct, frozen=True):
    """One evaluation to run: `commit` in the lane's evaluation tree.

    sample counts the runs of one role and side within a trial from 0; both sides of a pair share the seed. rework counts the
    times that the trial was mended before.
    `command` is set for a guard; a score job runs the mission's evaluator.
    """

    trial: int
    lane: int
    role: Role
    side: Side
    commit: str
    sample: int
    seed: int
    command: str = ""
    rework: int = 0


class Sample(msgspec.Struct, frozen=True):
    """A measurement and the job it answers."""

    role: Role
    side: Side
    measurement: Measurement


class Decision(msgspec.Struct, frozen=True, omit_defaults=True):
    """What the policy says of a trial. KEEP, DISCARD, ERROR and NOOP are final; MEASURE asks for more, RETRY for a mended edit.

    `score` is the value that stands for the candidate (a median, never the luckiest sample); `numbers` are
    those behind the decision, for `show`.
    """

    verdict: Verdict
    reason: Reason | None = None
    sentence: str = ""
    score: float | None = None
    numbers: dict[str, float] = {}
    flags: tuple[Flag, ...] = ()
    side: Side = "candidate"
    role: Role = "score"
    command: str = ""


class Rework(msgspec.Struct, frozen=True):
    """An edit that its maker was asked to mend: what it was, why, what the guard printed, and what measuring it took."""

    commit: str
    tree: str
    message: str
    words: str
    score: float | None
    evaluations: int


class Streaks(msgspec.Struct, frozen=True, omit_defaults=True):
    """Things in a row, as the stop rules and the ladder count them.

    without_gain: trials since the last keep, ties and trials without a change aside. on_target: measured scores at the target.
    idle: trials in which the maker changed nothing or failed. broken: trials that ended in an evaluation error,
    and same_error those of them that said the same words. reverts: changes put back since the last keep, crashes aside.
    strikes: trials since the last that was better than the best, trials without a change aside.
    """

    without_gain: int = 0
    on_target: int = 0
    idle: int = 0
    broken: int = 0
    same_error: int = 0
    error: str = ""
    reverts: int = 0
    strikes: int = 0


class Trial(msgspec.Struct, frozen=True, omit_defaults=True):
    """One iteration, from its opening to its settlement. Trial 0 is the baseline.

    `parent` is the commit it starts from; times are seconds since the epoch.
    """

    number: int
    kind: Kind
    parent: str
    lane: int = 0
    level: int = 0
    opened: float = 0.0
    closed: float = 0.0
    proposal: Proposal | None = None
    sealed: bool = False
    change: Change | None = None
    refusal: Refusal | None = None
    repeat_of: int | None = None
    samples: tuple[Sample, ...] = ()
    decision: Decision | None = None
    reworks: tuple[Rework, ...] = ()
    settled: bool = False
    best: float | None = None  # the best score once this trial was decided
    delta_baseline: float | None = None
    delta_previous: float | None = None
    counters: Streaks | None = None  # after this trial was settled
    strikes: int | None = None  # of those, where the style's ladder counts them
    escalation: int = 0  # the level that this trial led to, where it did

    def runs(self, role: Role = "score", side: Side = "candidate") -> list[Measurement]:
        """The measurements of one role and side, in order."""
        return [s.measurement for s in self.samples if s.role == role and s.side == side]

    @property
    def start(self) -> str:
        """The commit that its maker begins at: the parent, or the edit that it is asked to mend."""
        return self.reworks[-1].commit if self.reworks else self.parent

    @property
    def outcome(self) -> Outcome | None:
        """The outcome as users read it, or None while the trial is open."""
        if self.decision is None:
            return None
        if self.kind == "baseline":
            return "baseline" if self.decision.verdict == "KEEP" else "error"
        return OUTCOMES[self.decision.verdict]

    @property
    def description(self) -> str:
        """One line: what was tried."""
        if self.kind == "baseline":
            return "baseline"
        text = (self.proposal.summary or self.proposal.hypothesis) if self.proposal else ""
        return " ".join(text.split())


OUTCOMES: dict[str, Outcome] = {"KEEP": "keep", "DISCARD": "discard", "ERROR": "error", "NOOP": "noop"}


class Brief(msgspec.Struct, frozen=True):
    """What a maker is given: what matters in words (`text`, Markdown), and the same as data.

    `targets` are the editable paths or globs, relative to the tree's root, and `protect` what of them is not; `history` holds every finished trial, oldest
    first; `folder` is the subfolder of the tree that matches the one jumar was started in ("" for the root).
    """

    run: str
    trial: int
    goal: str
    direction: Direction
    targets: tuple[str, ...]
    folder: str
    seed: int
    level: int
    baseline: float | None
    best: float | None
    unit: str | None
    text: str
    history: Sequence[Trial]
    protect: tuple[str, ...] = ()
    rework: int = 0  # how often this trial's edit, which is in the tree, was sent back

"""The mission and the style, resolved: what one run is asked to do, with every default filled in."""

from __future__ import annotations

from typing import Literal

import msgspec

from jumar.core.ladder import Step
from jumar.core.model import Direction
from jumar.core.stats import finite

Policy = Literal["strict", "two_sigma", "pass", "pass_only", "simplicity"]


class Gain(msgspec.Struct, frozen=True):
    """The smallest gain that counts: in the metric's unit, or as a share of the incumbent (0.02 for 2 %)."""

    value: float = 0.0
    relative: bool = False

    def against(self, incumbent: float) -> float:
        """The gain in the metric's unit; a share of nothing is nothing."""
        return finite(self.value * abs(incumbent)) if self.relative else self.value


class Style(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A style is data: which rules, in which order, and how things are called.

    `rules` decide a trial, the first that answers wins, and `policy` stands for the rule of the mission's policy; `gates` are
    what a would-be keep still has to pass; `baseline` are the rules of trial 0; `stops` the stop rules in order;
    `ladder` are the levels of escalation, and `ladder_counts` is which of the streaks leads up it; `defaults` are mission keys that the style sets.
    `aliases` are options of the style's document, each with the key that it stands for or with keys and their values; `argument` is the key that a first
    argument stands for which is no file; `limits` are ranges of keys, such as `1..50`.
    """

    name: str
    summary: str
    rules: tuple[str, ...]
    gates: tuple[str, ...]
    baseline: tuple[str, ...]
    stops: tuple[str, ...]
    ladder: tuple[int | Step, ...] = ()
    ladder_counts: Literal["without_gain", "reverts", "strikes"] = "without_gain"
    branch: str = "jumar/{slug}-{date}"
    commit: str = "jumar: {summary}"
    views: tuple[str, ...] = ()
    baseline_runs: int = 1
    noisy_baseline_runs: int = 1  # in all, where the first runs differ
    crash_lines: int | None = (
        None  # how many of a failed evaluation's last lines the maker sees; a fixed size where None
    )
    violating_baseline: Literal["note", "no_anchor"] = "note"  # a baseline that breaks a constraint
    defaults: dict[str, object] = {}
    aliases: dict[str, str | dict[str, str]] = {}
    argument: str = ""
    limits: dict[str, str] = {}


class Mission(msgspec.Struct, frozen=True, kw_only=True):
    """What the user asked for. Times are seconds, sizes bytes; None is "no limit" or "not given".

    `folder` is the subfolder of the repository that jumar was started in, "" for its root; the paths of `file`, `protect` and `carry` are
    relative to the repository's root.
    """

    style: Style
    folder: str = ""
    goal: str = ""
    notes: str = ""
    file: tuple[str, ...]
    evaluator: Literal["shell", "contract"] = "shell"
    metric: str
    metric_name: str | None = None
    pattern: str | None = None
    parser: str = "single"
    direction: Direction
    unit: str | None = None
    guard: tuple[str, ...] = ()
    rework: int = 0
    constraint: tuple[str, ...] = ()
    protect: tuple[str, ...] = ()
    protect_lines: tuple[str, ...] = ()
    maker: tuple[str, ...] = ("tune",)
    policy: Policy = "two_sigma"
    repeats: int = 1
    min_gain: Gain = Gain()
    max_change: Gain | None = None
    on_tie: Literal["revert", "keep_smaller"] = "revert"
    iterations: int | None = 20
    time: float | None = None
    target_score: float | None = None
    target_repeats: int = 1
    optimum: float | None = None
    stagnation: int | None = None
    continue_after_target: bool = False
    allow_failing_baseline: bool = False
    timeout: float = 600.0
    maker_timeout: float = 1800.0
    memory: int | None = None
    carry: dict[str, Literal["copy", "link"]] = {}
    setup: str | None = None
    base: Literal["working", "head"] = "working"
    seed: int = 0
    sandbox: Literal["auto", "off"] = "auto"
    probe: bool = True

    def better(self, score: float, than: float) -> bool:
        """Strictly better, in this mission's direction."""
        return score < than if self.direction == "lower" else score > than

    def gain(self, score: float, over: float) -> float:
        """How much better `score` is, in the metric's unit; negative when it is worse."""
        return finite(over - score if self.direction == "lower" else score - over)

    def reaches(self, score: float | None, goal: float | None) -> bool:
        """Whether a score is at `goal` or beyond it. A score or a goal that does not exist reaches nothing."""
        return score is not None and goal is not None and not self.better(goal, score)

"""What names in the code mean, for the pages of the reference. tools/reference.py checks that no name lacks a row or has one too many."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, NamedTuple

from jumar.cli.live import start_object
from jumar.core.events import Ended
from jumar.core.model import Decision, Streaks, Trial
from jumar.core.records import baseline_object, end_object, escalation_object, trial_object
from jumar.core.state import State

OUTCOMES = {
    "baseline": "trial 0: the untouched base was measured",
    "keep": "the change is on the run's branch, and the next trial starts from it",
    "discard": "it was measured or judged, and put back",
    "error": "no score came out of it, so nothing is known of the change; put back",
    "noop": "nothing was changed",
}
REASONS = {
    "baseline": "the base has a score",
    "improved": "better than the incumbent, by the policy's rule",
    "simplified": "as good, and smaller (`on_tie: keep_smaller`, `policy: simplicity`)",
    "bootstrap": "the first score that passed, where the base had none",
    "regressed": "worse than the incumbent",
    "within_noise": "the difference is not above what chance explains, or not above `min_gain`",
    "tie": "exactly as good",
    "guard": "a guard did not exit with 0",
    "complexity": "too much was changed for what it brings (`policy: simplicity`), or more than `max_change` allows",
    "constraint": "a constraint is violated",
    "evaluator_fail": "the evaluator said that it does not pass",
    "duplicate": "the same content was judged before on the same parent; not measured again",
    "syntax": "the target does not parse",
    "crash": "the evaluator ended with another exit code than 0, or by a signal",
    "timeout": "it took longer than `timeout`",
    "oom": "it needed more memory than there is, or than `memory` allows",
    "no_output": "it printed nothing, or wrote no result file",
    "unparseable": "its output has no score that the parser can read",
    "non_finite": "the score is not a finite number",
    "unit_changed": "the score has another unit than the baseline",
    "environment": "something around the evaluator is broken or missing: not the change's fault",
    "out_of_scope": "a path was changed that `file` does not name",
    "protected": "a protected path was changed",
    "moved_head": "the maker moved git's HEAD and left no edit; undone",
    "maker_failed": "the maker could not do its part",
    "empty_diff": "nothing differs from the parent",
    "aborted": "the maker asked to end the run",
    "no_anchor": "there is a pass and no score, and the policy compares scores",
}
FLAGS = {
    "rework": "its maker mended it after a guard had failed",
    "seed_only": "only a seed was changed",
    "cached": "an earlier result was used",
    "autoload": "a file was changed that tools load by themselves",
    "moved_head": "the maker moved git's HEAD; that was undone, its edit was taken",
}
END_REASONS = {
    "target": "`target_score` is reached",
    "iterations": "all trials are done",
    "time": "the time is used up",
    "stagnation": "too many trials in a row without a gain",
    "evaluator_broken": "the baseline has no score, the best version fails too, or one error came five times in a row",
    "maker_broken": "the maker failed or changed nothing three times in a row, or cannot go on",
    "stopped": "`jumar stop`; the same command goes on",
    "interrupted": "Ctrl-C or SIGTERM; the same command goes on",
    "exhausted": "the maker has nothing left to try",
    "optimum": "the score cannot be beaten (`optimum`)",
    "aborted": "the maker asked for it",
}
LATER = {
    "secondary", "merged", "merge_conflict", "merge_no_gain", "tampered", "hook_blocked",
    "interrupted", "contested", "retry", "merge", "drift", "injection", "repair",
    "tokens", "cost", "pressure",
}  # fmt: skip
EXITS = {
    "0": "something was kept, or the target was met from the start, or `--iterations 0`; any other command: it did its job",
    "1": "nothing was kept; `doctor`: something that a run needs is missing",
    "2": "the command line or the mission is wrong",
    "3": "the baseline or the evaluator is broken",
    "4": "the maker is broken",
    "5": "refused: another process has the run, going on would be unsafe, or `verify` found something wrong",
    "130": "interrupted",
}
EVALUATOR_VARIABLES = {
    "JUMAR_SEED": "a seed for this run of the evaluator; the mission's `seed`, the trial and the sample give it",
    "JUMAR_SAMPLE": "the number of the run within the trial, from 0",
    "JUMAR_RESULT": "a path for one JSON object; only with `parser: file`",
    "LC_NUMERIC": "`C`, so that numbers have a decimal point",
    "TMPDIR": "an empty folder of its own",
    "PYTHONPYCACHEPREFIX": "an empty folder of its own, so that no old bytecode answers",
    "GIT_CEILING_DIRECTORIES": "keeps git from finding a repository around the tree",
}
MAKER_VARIABLES = {
    "JUMAR_BRIEF": "a path: the brief in Markdown",
    "JUMAR_BRIEF_JSON": "a path: the brief as JSON",
    "JUMAR_PROPOSAL": "a path where it may write its proposal",
    "JUMAR_TRIAL": "the number of the trial",
    "JUMAR_RUN": "the id of the run",
}


class Said(NamedTuple):
    """When an event is printed, and what its fields hold."""

    when: str
    fields: dict[str, str]


TRIAL = {
    "event": "`trial`",
    "trial": "its number, from 1; 0 is the baseline",
    "kind": "`baseline` or `change`",
    "outcome": "see [outcomes](outcomes.md)",
    "reason": "see [reasons](outcomes.md#reasons)",
    "sentence": "the reason in words",
    "flags": "see [flags](outcomes.md#flags)",
    "warnings": "sentences on what was noticed, such as ignored files that a maker changed",
    "score": "the median of the runs, or null",
    "samples": "the score of each run, null where there was none",
    "best": "the best score of the run so far",
    "delta_baseline": "score minus baseline",
    "delta_previous": "score minus the score before it",
    "unit": "the score's unit, or null",
    "description": "what was tried, on one line",
    "commit": "the sealed edit, or null",
    "parent": "the commit that it was made on",
    "evaluations": "how often the evaluator ran for it",
    "seconds": "from opening to settling",
    "level": "how far the ladder has gone; 0 in the style `plain`",
    "strikes": "trials since the last that was better, where the style counts them; null in the style `plain`",
    "tokens": "null where unknown",
    "cost": "in USD, null where unknown",
}
EVENTS = {
    "start": Said("First, once a process has the run.", {
        "event": "`start`", "run": "the run's id", "branch": "its branch", "worktree": "the maker's tree", "style": "its style",
        "base": "the commit it started from", "integrity": "`L0` or `L1`", "resumed": "whether it was begun before",
    }),
    "baseline": Said("Once the base is measured. A resumed run prints it only where it was not measured before.", {
        "event": "`baseline`", "score": "the median, or null", "samples": "the score of each run", "unit": "or null",
        "noise": "the sample standard deviation of the runs, null after one run", "exact": "whether all runs agreed, null after one",
        "matched": "the text that the score was read from",
    }),
    "trial": Said("After each trial.", TRIAL),
    "escalation": Said("After a trial that leads to a level of the style's ladder.", {
        "event": "`escalation`", "trial": "its number", "level": "from 1", "name": "the level's name, or null",
        "count": "how many trials led to it", "message": "the same in words",
    }),
    "warning": Said("Something to know: a note of the start, or a doubt about the baseline.", {
        "event": "`warning`", "message": "a sentence",
    }),
    "stop_requested": Said("`jumar stop` was seen.", {"event": "`stop_requested`"}),
    "end": Said("Last.", {
        "event": "`end`", "run": "the run's id", "reason": "see [ends](outcomes.md#ends-of-a-run)", "message": "the same in words",
        "branch": "the run's branch", "baseline": "its score", "best": "the best score", "unit": "or null", "kept": "a count",
        "discarded": "a count", "errors": "a count", "noops": "a count", "evaluations": "a count",
        "verified": "null in this version", "exit": "the [exit code](exit-codes.md)",
    }),
    "error": Said("Instead of the others, where a run cannot begin.", {
        "event": "`error`", "kind": "see [errors](exit-codes.md)", "message": "a sentence", "hint": "what to do",
    }),
}  # fmt: skip


def events() -> dict[str, set[str]]:
    """The fields of every event, from the functions that make them."""
    trial = Trial(0, "baseline", "", decision=Decision("KEEP"))
    risen: Any = Trial(1, "change", "", counters=Streaks(), escalation=1)
    state = State(ended=Ended("iterations"))
    run: Any = SimpleNamespace(
        workspace=SimpleNamespace(worktree=""),
        mission=SimpleNamespace(style=SimpleNamespace(name="")),
        integrity="",
    )
    made = {
        "start": start_object(run, state), "baseline": baseline_object(trial, state), "trial": trial_object(trial, state),
        "escalation": escalation_object(risen, SimpleNamespace(ladder=(1,), ladder_counts="strikes")),
        "warning": ("event", "message"), "stop_requested": ("event",), "end": end_object(state),
        "error": ("event", "kind", "message", "hint"),
    }  # fmt: skip
    return {name: set(fields) for name, fields in made.items()}

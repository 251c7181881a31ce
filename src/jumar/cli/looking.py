"""What `status`, `log`, `show` and `diff` print. All read the journal without a lock."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import msgspec

from jumar.cli import console, place
from jumar.cli.live import tally, trial_line
from jumar.core.model import Trial
from jumar.core.records import end_object, trial_object, warnings
from jumar.core.state import State
from jumar.core.words import duration, number
from jumar.errors import RefusedError
from jumar.runs import RunFolder

MOST = 20_000  # characters of a log in `show`


def state_word(folder: RunFolder, state: State) -> str:
    """running, stopped, ended, waiting (for a proposal) or crashed."""
    if state.ended:
        return "stopped" if state.ended.reason in ("stopped", "interrupted") else "ended"
    if folder.is_live():
        return "running"
    asked = any(t.kind == "change" and t.proposal is None for t in state.open.values())
    return "waiting" if asked else "crashed"


def show_status(folder: RunFolder, *, as_json: bool) -> int:
    """Where a run stands, in a few lines or as one object."""
    state = folder.read_state()
    word = state_word(folder, state)
    if as_json:
        found = {k: v for k, v in end_object(state).items() if k not in ("event", "exit")}
        open_trial = next(iter(state.open), None)
        last = state.last_trial.number if state.last_trial else None
        console.give_json(
            {"run": folder.id, "state": word, "trial": last if open_trial is None else open_trial, **found}
        )
        return 0
    lines = [
        f"{folder.id}: {word}{f' ({state.ended.reason})' if state.ended else ''}",
        f"branch    {state.branch}",
        f"trials    {state.used}: {tally(state)}",
        f"baseline  {number(state.baseline, state.unit)}",
        f"best      {number(state.best, state.unit)}",
        f"time      {duration(state.elapsed(state.last))}",
    ]
    if state.ended:
        lines.append(state.ended.message)
    elif word in ("crashed", "waiting"):
        lines.append(
            "hint: `jumar run` goes on with it."
            if word == "crashed"
            else "hint: edit the worktree, then `jumar tell`."
        )
    console.give("\n".join(line for line in lines if line))
    return 0


def show_log(folder: RunFolder, last: int | None, *, as_json: bool) -> int:
    """Finished trials, one a line or as one array."""
    state = folder.read_state()
    trials = state.history[-last:] if last else list(state.history)
    if as_json:
        console.give_json([trial_object(trial, state) for trial in trials])
    else:
        for trial in trials:
            console.give(trial_line(trial, state, None))
    return 0


def finished(state: State, wanted: int) -> Trial:
    """A trial by its number, finished or open."""
    if 0 <= wanted < len(state.history):
        return state.history[wanted]
    if wanted in state.open:
        return state.open[wanted]
    raise RefusedError(
        f"There is no trial {wanted} in {state.run}.", hint=f"The newest is {state.next_number - 1}."
    )


def show_trial(folder: RunFolder, wanted: int, *, as_json: bool) -> int:
    """One trial with everything that was recorded of it."""
    state = folder.read_state()
    trial = finished(state, wanted)
    papers = read_papers(folder.trial(wanted))
    if as_json:
        console.give_json({**trial_object(trial, state), **details(trial), **papers})
        return 0
    console.give(trial_line(trial, state, None) if trial.decision else f"trial {wanted} is open")
    if trial.decision:
        console.give(f"\n{trial.decision.sentence}")
        for name, value in trial.decision.numbers.items():
            console.give(f"  {name:<10} {value:.6g}")
    if trial.proposal and trial.proposal.hypothesis:
        console.give(f"\nhypothesis: {trial.proposal.hypothesis}")
    for n, run in enumerate(trial.runs(), 1):
        console.give(
            f"evaluation {n}: {number(run.score, run.unit) if run.score is not None else run.message or 'no score'}"
        )
    for warning in warnings(trial):
        console.give(f"warning: {warning}")
    for name, text in papers["logs"].items():
        console.give(f"\n--- {name}\n{text.rstrip()}")
    if papers["diff"]:
        console.give(f"\n--- patch\n{papers['diff'].rstrip()}")
    return 0


def details(trial: Trial) -> dict[str, Any]:
    """What the trial object leaves out."""
    numbers = trial.decision.numbers if trial.decision else {}
    measured = [msgspec.to_builtins(sample) for sample in trial.samples]
    return {
        "numbers": numbers,
        "proposal": msgspec.to_builtins(trial.proposal) if trial.proposal else None,
        "measurements": measured,
        "refusal": msgspec.to_builtins(trial.refusal) if trial.refusal else None,
        "files": list(trial.change.files) if trial.change else [],
    }


def read_papers(folder: Path) -> dict[str, Any]:
    """Brief, patch and logs of a trial, as far as they are there; long ones lose their middle."""
    return {
        "brief": text_of(folder / "brief.md"),
        "diff": text_of(folder / "patch.diff"),
        "logs": {file.name: text_of(file) for file in sorted(folder.glob("*.log"))},
    }


def text_of(file: Path) -> str:
    """A file's text, at most MOST characters of it."""
    from jumar.core.text import clip

    return clip(file.read_text(encoding="utf-8", errors="replace"), MOST) if file.exists() else ""


def show_diff(folder: RunFolder, wanted: int | None) -> int:
    """A patch on stdout, byte for byte."""
    state = folder.read_state()
    git = place.repository().git
    form = ("-p", "--binary", "--full-index", "--no-ext-diff", "--no-textconv", "--no-renames")
    if wanted is None:
        old, new = state.base, state.head
    else:
        change = finished(state, wanted).change
        if change is None:
            console.say(f"Trial {wanted} has no patch: nothing of it was taken.")
            return 0
        old, new = change.parent, change.commit
    sys.stdout.buffer.write(git.run("diff-tree", "-r", *form, old, new, "--"))
    sys.stdout.buffer.flush()
    return 0

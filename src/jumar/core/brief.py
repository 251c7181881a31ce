"""The brief: what a maker is told. A pure function of the journal, of the same size on every night's last trial as on its first."""

from __future__ import annotations

from collections.abc import Sequence

from jumar.core.ladder import step_at
from jumar.core.mission import Gain, Mission
from jumar.core.model import Brief, Trial
from jumar.core.seeds import seed
from jumar.core.state import State
from jumar.core.text import clip
from jumar.core.words import count, number

RECENT = 10
REVERTED = 5
LINE = 240


def compose(trial: Trial, state: State, mission: Mission) -> Brief:
    """The brief of an open trial."""
    return Brief(
        run=state.run,
        trial=trial.number,
        goal=mission.goal,
        direction=mission.direction,
        targets=mission.file,
        folder=mission.folder,
        seed=seed(mission.seed, trial.number, 0),
        level=trial.level,
        baseline=state.baseline,
        best=state.best,
        unit=state.unit,
        text="\n\n".join(part for part in sections(trial, state, mission) if part) + "\n",
        history=state.history,
        protect=mission.protect,
        rework=len(trial.reworks),
    )


def sections(trial: Trial, state: State, mission: Mission) -> list[str]:
    """The parts of the text, what matters first."""
    return [
        f"# Trial {trial.number} of {state.run}",
        f"{mission.goal}\n\n{mission.notes}".strip(),
        mending(trial, mission),
        steering(state.hint),
        task(mission),
        standing(trial, state, mission),
        escalated(trial, mission),
        recent(state.history[-RECENT:], state.unit),
        reverted(
            [t for t in state.history[-5 * RECENT :] if t.outcome == "discard" and t.change][-REVERTED:]
        ),
        failing(state.last_trial),
    ]


def steering(hint: str) -> str:
    """What the person said who watches the run."""
    return f"## A word from the person whose run this is\n\n{hint}" if hint else ""


def mending(trial: Trial, mission: Mission) -> str:
    """That an edit was better and a guard refused it: what it said, and that the edit is still there."""
    if not trial.reworks:
        return ""
    last, times = trial.reworks[-1], f"{len(trial.reworks)} of {mission.rework}"
    parts = [
        f"## Mend your edit ({times})",
        f"Your edit is still in the tree, and would be kept but for this: {last.message}",
        fenced(last.words) if last.words else "",
        "Change it so that the guard passes and the gain stays. It is the same trial, and it is measured anew.",
    ]
    return "\n\n".join(part for part in parts if part)


def task(mission: Mission) -> str:
    """What to do, what may be edited, and how it is judged."""
    goal = "lower" if mission.direction == "lower" else "higher"
    lines = [
        "## Your task",
        "Make one change that you expect to improve the measure, then stop. jumar measures it, and keeps it or puts everything back.",
        "- May be edited: " + ", ".join(f"`{path}`" for path in mission.file),
        f"- Measure: `{clip(mission.metric, LINE)}`, {goal} is better",
        "- An edit of any other file is refused unmeasured.",
    ]
    if mission.protect_lines:
        patterns = ", ".join(f"`{pattern}`" for pattern in mission.protect_lines)
        lines.append(f"- A line that matches one of these has to stay as it is; it may be moved: {patterns}")
    if mission.max_change:
        lines.append(
            f"- At most {largest(mission.max_change)} may change; a larger edit is put back unmeasured"
        )
    lines += [f"- Must hold: `{clip(bound, LINE)}`" for bound in mission.constraint]
    lines += [f"- Must still pass: `{clip(command, LINE)}`" for command in mission.guard]
    return "\n".join(lines)


def largest(most: Gain) -> str:
    """The largest change, in words."""
    return f"{100 * most.value:g} % of the lines" if most.relative else count(int(most.value), "line")


def standing(trial: Trial, state: State, mission: Mission) -> str:
    """Where the run stands."""
    unit = state.unit
    lines = [f"- Baseline: {number(state.baseline, unit)}", f"- Best so far: {number(state.best, unit)}"]
    if state.best_trial:
        lines[1] += f" (trial {state.best_trial})"
    if state.noise:
        lines.append(f"- Noise of one evaluation: about {number(state.noise, unit)}")
    if mission.target_score is not None:
        lines.append(f"- Target: {number(mission.target_score, unit)}")
    if trial.level and not step_at(trial.level, mission.style.ladder).brief:
        lines.append(
            f"- Level {trial.level}: {getattr(state.streaks, mission.style.ladder_counts)} trials in a row brought no gain, so try another kind of change."
        )
    return "\n".join(["## Where it stands", *lines])


def escalated(trial: Trial, mission: Mission) -> str:
    """What the style asks for at this level of its ladder."""
    step = step_at(trial.level, mission.style.ladder)
    if not step.brief:
        return ""
    return f"## Level {trial.level}{f': {step.name}' if step.name else ''}\n\n{step.brief.strip()}"


def recent(trials: Sequence[Trial], unit: str | None) -> str:
    """The last trials, one line each."""
    rows = [row(trial, unit) for trial in trials if trial.kind != "baseline"]
    return "\n".join(["## The last trials", *rows]) if rows else ""


def row(trial: Trial, unit: str | None) -> str:
    """One finished trial in one line."""
    decision = trial.decision
    assert decision is not None
    what = clip(trial.description or "no description", LINE)
    why = f": {clip(decision.sentence, LINE)}" if trial.refusal else ""
    return (
        f"- {trial.number}: {what}: {trial.outcome} ({decision.reason}{why}), {number(decision.score, unit)}"
    )


def reverted(trials: Sequence[Trial]) -> str:
    """What was measured and undone, with the diff, so that nobody tries it again."""
    blocks = [
        f"{t.number}. {clip(t.description or 'no description', LINE)}: {t.decision.sentence}\n\n{fenced(t.change.excerpt)}"
        for t in trials
        if t.decision and t.change
    ]
    return "\n\n".join(["## Tried and put back: do not try these again", *blocks]) if blocks else ""


def failing(last: Trial | None) -> str:
    """What the evaluator printed when the last trial went wrong."""
    words = next((m.words for m in last.runs() if m.words), "") if last else ""
    return f"## What the evaluator printed last\n\n{fenced(words)}" if words else ""


def fenced(text: str) -> str:
    """Text that is not ours, in a fence that it cannot close."""
    ticks = "```"
    while ticks in text:
        ticks += "`"
    return f"{ticks}text\n{text.rstrip()}\n{ticks}"
